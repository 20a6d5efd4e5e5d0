// Python behind the page: a worker, so that the page stays alive and any answer can be stopped.

/** Python was stopped, or ended by itself; it starts again, and has said so. */
export class Stopped extends Error {}

export class Python {
  /** @param changed is called with a sentence whenever Python's state changes, and with whether it
   *  is ready. */
  constructor(changed) {
    this.changed = changed;
    this.waiting = new Map();
    this.last = 0;
    this.start("");
  }

  /** @param reason why it starts again. */
  start(reason) {
    this.reason = reason && `${reason} `;
    this.changed(`${this.reason}Starting Python: some 17 MB the first time …`, false);
    this.worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
    this.worker.onmessage = ({ data }) => this.receive(data);
  }

  get busy() {
    return this.waiting.size > 0;
  }

  receive({ id, ready, progress, answer, failed, ended }) {
    if (ready !== undefined) return this.changed(this.reason + (ready || "Ready. Nothing leaves this page."), true);
    const asked = this.waiting.get(id);
    if (!asked) return;
    if (progress) return asked.progress(...progress);
    if (ended) return this.restart(`Python could not do this and ended (${failed}).`);
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
    this.restart("Stopped.");
  }

  restart(reason) {
    this.worker.terminate();
    for (const { reject } of this.waiting.values()) reject(new Stopped(reason));
    this.waiting.clear();
    this.start(reason);
  }
}
