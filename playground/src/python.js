// Python behind the page: a worker, so that the page stays alive and any answer can be stopped.

export class Stopped extends Error {}

export class Python {
  /** @param changed is called with a sentence whenever Python's state changes. */
  constructor(changed) {
    this.changed = changed;
    this.waiting = new Map();
    this.last = 0;
    this.start();
  }

  start() {
    this.changed("Starting Python …");
    this.worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
    this.worker.onmessage = ({ data }) => this.receive(data);
  }

  get busy() {
    return this.waiting.size > 0;
  }

  receive({ id, ready, progress, answer, failed }) {
    if (ready !== undefined) return this.changed(ready || "Ready. Nothing leaves this page.");
    const asked = this.waiting.get(id);
    if (!asked) return;
    if (progress) return asked.progress(...progress);
    this.waiting.delete(id);
    if (failed !== undefined) asked.reject(new Error(failed));
    else asked.resolve(answer);
  }

  /** Ask Python; the answer may have an "error", a mistake in the reader's program. */
  ask(ask, said, progress = () => {}) {
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, progress });
      this.worker.postMessage({ id, ask, said });
    });
  }

  /** End what runs: a worker cannot be interrupted, so a new one takes its place. */
  stop() {
    this.worker.terminate();
    for (const { reject } of this.waiting.values()) reject(new Stopped("stopped"));
    this.waiting.clear();
    this.start();
  }
}
