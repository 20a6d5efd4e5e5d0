// Python behind the page: a worker, so that the page stays alive and any answer can be stopped.

/** Python was stopped, or ended by itself; it starts again, and has said so. */
export class Stopped extends Error {}

export class Python {
  /** @param changed is called with Python's state whenever that changes: a sentence, whether it is
   *  ready, and the share of its start that is done. */
  constructor(changed) {
    this.changed = changed;
    this.waiting = new Map();
    this.last = 0;
    this.start("");
  }

  /** @param reason why it starts again. */
  start(reason) {
    this.reason = reason && `${reason} `;
    this.become("Starting Python …", 0);
    this.worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
    this.worker.onmessage = ({ data }) => this.receive(data);
  }

  /** @param share of the start that is done; without one it has ended. */
  become(text, share) {
    this.state = { text: this.reason + text, ready: share === undefined, share };
    this.changed(this.state);
  }

  get busy() {
    return this.waiting.size > 0;
  }

  receive({ id, loaded, ready, progress, answer, failed, ended }) {
    if (ready !== undefined) return this.become(ready || "Ready. Nothing leaves this page.");
    if (loaded) return this.loading(...loaded);
    const asked = this.waiting.get(id);
    if (!asked) return;
    if (progress) return asked.progress(...progress);
    if (ended) return this.restart(`Python could not do this and ended (${failed}).`);
    this.waiting.delete(id);
    if (failed !== undefined) asked.reject(new Error(failed));
    else asked.resolve(answer);
  }

  /** @param done, all: bytes. A screen reader hears the line again only at the next half megabyte. */
  loading(done, all) {
    const half = (bytes) => (Math.round(bytes / 5e5) / 2).toFixed(1);
    this.become(done < all ? `Loading Python: ${half(done)} of ${half(all)} MB.` : "Starting Python …", done / all);
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
