// The view of an interleaving, step by step: threads as rows, a step a column, then the state.
//
// It shows a fixed path (a counterexample) or a path that grows while a user plays the scheduler.
// Either way a path is a list of frames; frame k is the state after k steps:
// {step, words: [[name, value]], threads: [{next, source, place, buffer, says, done}]}.

import { button, make, where } from "./dom.js";

export class StepsView {
  /** @param data {title, threads, facts, found, message}; frames: the path, changed in place. */
  constructor(root, data, frames) {
    this.data = data;
    this.frames = frames;
    this.at = 0;
    this.timer = null;
    this.build(root);
  }

  build(root) {
    const { data } = this;
    this.play = button("▶", "Play", () => this.toggle(), "space");
    this.scrub = make("input", { type: "range", min: 0, max: 0, value: 0, class: "scrub", "aria-label": "Step",
      oninput: () => this.go(+this.scrub.value) });
    this.position = make("span", { class: "position" });
    this.controls = make("div", { class: "controls", role: "toolbar", "aria-label": "Playback" },
      button("⇤", "Beginning", () => this.go(0), "Home"),
      button("‹", "One step back", () => this.go(this.at - 1), "←"),
      this.play,
      button("›", "One step forward", () => this.go(this.at + 1), "→"),
      button("⇥", "End", () => this.go(this.frames.length - 1), "End"),
      this.position);
    this.sentence = make("p", { class: "sentence", role: "status", "aria-live": "polite" });
    this.head = make("tr");
    this.body = make("tbody");
    this.threads = make("tbody");
    this.words = make("tbody");
    this.grid = make("div", { class: "scroll grid", tabindex: 0, role: "region", "aria-label": "Steps of each thread" },
      make("table", { class: "steps" }, make("thead", {}, this.head), this.body));
    this.extra = make("div", { class: "extra" });
    root.append(
      make("header", {}, make("h2", {}, data.title), make("span", { class: "facts" }, data.facts)),
      this.extra, this.controls, this.scrub, this.grid, this.sentence,
      make("div", { class: "panels" },
        make("section", {}, make("h3", {}, "Threads"),
          make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Threads" }, make("table", { class: "threads" },
            make("thead", {}, make("tr", {}, ...["thread", "state", data.live ? "next" : "last", "store buffer"].map((t) => make("th", { scope: "col" }, t)))),
            this.threads))),
        make("section", {}, make("h3", {}, "Memory"),
          make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Words in memory" }, make("table", { class: "words" },
            make("thead", {}, make("tr", {}, ...["word", "value"].map((t) => make("th", { scope: "col" }, t)))), this.words)))));
    this.rebuild();
  }

  /** Draw the grid again after the path has changed, and show its end. */
  rebuild(at = this.data.live ? this.frames.length - 1 : 0) {
    const steps = this.frames.slice(1).map((frame) => frame.step);
    this.head.replaceChildren(make("th", { scope: "col", class: "corner" }, "thread"),
      ...steps.map((_, k) => make("th", { scope: "col" }, `${k + 1}`)));
    this.body.replaceChildren(...Array.from({ length: this.data.threads }, (_, thread) =>
      make("tr", {}, make("th", { scope: "row", class: "corner" }, `${thread}`),
        ...steps.map((step, k) => step.thread !== thread ? make("td") :
          make("td", { class: `step ${step.action}`, onclick: () => this.go(k + 1) },
            make("span", {}, short(step)), ...step.marks.map((mark) => make("em", {}, mark)))))));
    this.go(at);
  }

  go(at) {
    this.at = Math.max(0, Math.min(this.frames.length - 1, at));
    const last = this.frames.length - 1, frame = this.frames[this.at], { step } = frame;
    this.scrub.max = last;
    this.scrub.value = this.at;
    this.position.textContent = `step ${this.at} of ${last}`;
    for (const tr of [this.head, ...this.body.children]) {
      [...tr.children].forEach((cell, k) => {
        cell.classList.toggle("now", k > 0 && k === this.at);
        cell.classList.toggle("later", k > this.at);
      });
    }
    const cell = this.head.children[this.at];
    if (cell && this.at) this.grid.scrollLeft = cell.offsetLeft - this.grid.clientWidth / 2;
    this.sentence.replaceChildren(...(step ? says(step) : ["Before the first step."]));
    const wrong = this.data.found || frame.found;
    if (wrong && this.at === last) {
      this.sentence.append(make("strong", { class: "wrong" }, ` ✗ ${wrong}: ${frame.message || this.data.message}`));
    }
    this.threads.replaceChildren(...frame.threads.map((thread, k) =>
      make("tr", { class: step && step.thread === k ? "acting" : "" }, make("th", { scope: "row" }, `${k}`),
        make("td", { class: "state" }, thread.done ? "✓ finished" : this.doing(frame, k)),
        make("td", { class: "code" }, ...(thread.source ? [make("code", {}, thread.source), make("span", { class: "where" }, where(thread.place))] : [thread.next || ""])),
        make("td", { class: "buffer" }, ...(thread.buffer.length ? thread.buffer.map(([name, value]) => make("span", { class: "entry" }, `${name} = ${value}`)) : ["empty"])))));
    const before = new Map(this.at ? this.frames[this.at - 1].words : []);
    this.words.replaceChildren(...frame.words.map(([name, value]) => {
      const changed = this.at > 0 && before.has(name) && before.get(name) !== value;
      return make("tr", { class: changed ? "changed" : "" }, make("th", { scope: "row" }, name),
        make("td", {}, changed ? `${before.get(name)} → ${value}` : value));
    }));
    this.moved?.();
  }

  /** What a thread does to locks. After a step that goes wrong its frame shows the state before. */
  doing({ step, found, threads }, k) {
    const wrong = found && step && step.thread === k;
    return (wrong && step.marks.map(held).filter(Boolean).at(-1)) || threads[k].says || "";
  }

  toggle() {
    const playing = this.timer === null;
    this.play.textContent = playing ? "❚❚" : "▶";
    this.play.setAttribute("aria-label", playing ? "Pause" : "Play");
    clearInterval(this.timer);
    this.timer = null;
    if (!playing) return;
    if (this.at === this.frames.length - 1) this.go(0);
    this.timer = setInterval(() => {
      this.go(this.at + 1);
      if (this.at === this.frames.length - 1) this.toggle();
    }, 700);
  }

  redraw() {}

  key(event) {
    switch (event.key) {
      case " ": this.toggle(); break;
      case "ArrowRight": this.go(this.at + 1); break;
      case "ArrowLeft": this.go(this.at - 1); break;
      case "Home": this.go(0); break;
      case "End": this.go(this.frames.length - 1); break;
      default: return false;
    }
    return true;
  }

  close() {
    clearInterval(this.timer);
  }
}

/** The frames of a counterexample: memory, buffers and locks after each step. */
export function framesOf({ steps, threads }) {
  const words = new Map();
  for (const step of steps) if (step.word && !words.has(step.word)) words.set(step.word, step.was);
  const blank = () => ({ source: "", place: null, buffer: [], says: "", done: false, next: "" });
  const now = Array.from({ length: threads }, blank);
  const frames = [{ step: null, words: [...words], threads: now.map((thread) => ({ ...thread })) }];
  for (const step of steps) {
    const buffered = step.operation === "store" && step.buffers[step.thread].length > 0;
    if (step.word && step.operation !== "load" && !buffered) words.set(step.word, step.becomes);
    const mine = now[step.thread];
    if (step.action === "run") Object.assign(mine, { source: step.source, place: { file: step.file.split("/").pop(), line: step.line } });
    for (const mark of step.marks) mine.says = held(mark);
    now.forEach((thread, k) => (thread.buffer = step.buffers[k].map(([name, , value]) => [name, value])));
    frames.push({ step, words: [...words], threads: now.map((thread) => ({ ...thread })) });
  }
  return frames;
}

/** What a mark leaves a thread doing: "acquired lock" → "● holds lock". */
function held(mark) {
  const [did, lock] = [mark.slice(0, mark.indexOf(" ")), mark.slice(mark.indexOf(" ") + 1)];
  return { acquired: `● holds ${lock}`, "read-acquired": `◐ reads under ${lock}` }[did] || "";
}

/** A step in a few words, for a cell. */
function short(step) {
  const { operation, word, was, becomes } = step;
  const last = word.split(".").slice(-1)[0];
  switch (operation) {
    case "load": return `${last} → ${was}`;
    case "store": return `${last} ← ${becomes}`;
    case "flush": return `${last} = ${becomes}`;
    case "random": return `picks ${step.choice}`;
  }
  return word ? `${operation} ${last}` : operation;
}

function says(step) {
  const { operation, word, was, becomes } = step;
  const buffered = operation === "store" && step.buffers[step.thread].length > 0;
  const what = {
    load: `load ${word} → ${was}`,
    store: `store ${word} ← ${becomes}${buffered ? ", into its buffer" : ""}`,
    flush: `${word} becomes ${becomes} for all`,
    random: `chooses ${step.choice}`,
    alloc: `allocates ${becomes}`,
  }[operation] || (word ? `${operation} ${word}: ${was} → ${becomes}` : operation);
  return [make("strong", {}, `thread ${step.thread}${step.action === "flush" ? "'s store buffer" : ""}`),
    ` ${what} `, ...step.marks.map((mark) => make("em", {}, `${mark} `)),
    make("span", { class: "where" }, step.file ? where({ file: step.file.split("/").pop(), line: step.line }) : "")];
}
