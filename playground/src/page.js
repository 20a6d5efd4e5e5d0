// The playground: a program, a question, an answer. All of it stays in the reader's browser.

import { make } from "../../sim/locksim/study/traces/static/dom.js";
import { mount } from "../../sim/locksim/study/traces/static/player.js";
import { curve } from "./curve.js";
import { Editor } from "./editor.js";
import { Python, Stopped } from "./python.js";

const NUMBERS = ["threads", "rounds", "cpus", "seed"];
const TEXTS = ["lock", "memory", "property", "machine"];
const DRAFT = "locklab.playground";
const at = (id) => document.getElementById(id);

class Page {
  constructor(examples) {
    this.examples = examples;
    this.file = "lock.py";
    this.claim = {};
    this.close = () => {};
    this.python = new Python((text) => this.say(text));
    this.editor = new Editor(at("editor"), () => this.changed());
    at("example").append(...examples.map(({ title }, k) => make("option", { value: k }, title)));
    at("example").addEventListener("change", () => {
      const chosen = this.examples[at("example").value]?.argument ?? this.draft;
      if (chosen) this.load(chosen);
    });
    for (const id of ["check", "play", "simulate", "link"]) at(id).addEventListener("click", () => this.run(id));
    at("stop").addEventListener("click", () => this.python.stop());
    at("question").addEventListener("input", () => (this.claim = {}));
    at("question").addEventListener("submit", (event) => event.preventDefault());
    addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.run("check");
    });
    addEventListener("hashchange", () => this.open());
    this.open();
  }

  /** @param verdict of a check: the line then looks like one. */
  say(text, verdict) {
    at("status").className = verdict ? `verdict ${verdict}` : "";
    at("status").textContent = text;
  }

  /** What stands on the page, as an argument. */
  get argument() {
    const said = { file: this.file, text: this.editor.text };
    for (const id of TEXTS) said[id] = at(id).value;
    for (const id of NUMBERS) said[id] = +at(id).value;
    return said;
  }

  /** The reader's own program, as it was typed last. */
  get draft() {
    try {
      return JSON.parse(localStorage.getItem(DRAFT));
    } catch {
      return null;
    }
  }

  /** Keep what was typed for the next visit. */
  keep() {
    const argument = this.argument;
    if (argument.text === this.loaded) return;
    at("example").value = "";
    try {
      localStorage.setItem(DRAFT, JSON.stringify(argument));
    } catch {
      this.say("This browser keeps nothing; a link keeps your program.");
    }
  }

  /** Put an argument on the page. */
  load(argument) {
    this.file = argument.file;
    this.editor.text = this.loaded = argument.text;
    const example = this.examples.findIndex((one) => one.argument.text === argument.text);
    at("example").value = example < 0 ? "" : example;
    for (const id of [...TEXTS, ...NUMBERS]) if (id !== "lock") at(id).value = argument[id];
    at("lock").replaceChildren(make("option", { value: argument.lock }, argument.lock));
    at("simulated").replaceChildren();
    this.show();
  }

  /** Read the link that the page was opened with: prove and simulate its argument, and compare. */
  async open() {
    const fragment = location.hash.slice(1);
    if (fragment === this.fragment) return;
    if (!fragment) return this.load(this.draft ?? this.examples[0].argument);
    this.fragment = fragment;
    const argument = await this.answer("open", { fragment });
    if (!argument) return;
    this.load(argument);
    const { claim } = argument;
    if (!claim.verdict && !claim.units.length) return;
    if (claim.units.length) await this.run("simulate");
    if (claim.verdict) await this.run("check");
    const compared = await this.answer("compare", { claimed: claim, found: this.claim });
    if (!compared) return;
    at("claim").textContent = compared.wrong.length
      ? `The link does not hold here: ${compared.wrong.join("; ")}.`
      : "The link's claim was proved and simulated again here: it holds.";
  }

  /** The text has changed: what was found is of another program. Read it when the hands rest. */
  changed() {
    this.claim = {};
    clearTimeout(this.rest);
    this.rest = setTimeout(() => {
      this.keep();
      if (!this.running) this.read();
    }, 400);
  }

  async read() {
    const { file, text } = this.argument;
    const found = await this.answer("read", { file, text });
    if (!found) return false;
    const usable = found.classes.filter((one) => one.usable), before = at("lock").value;
    const names = (usable.length ? usable : found.classes).map((one) => one.name);
    at("lock").replaceChildren(...names.map((name) => make("option", { value: name }, name)));
    at("lock").value = names.includes(before) ? before : names.at(-1) || "";
    return true;
  }

  /** Ask Python; null if the program has a mistake, which is then shown, or if it was stopped. */
  async answer(ask, said, progress) {
    at("stop").disabled = false;
    try {
      const found = await this.python.ask(ask, said, progress);
      this.mistake(found.error);
      return found.error ? null : found;
    } catch (error) {
      this.say(error instanceof Stopped ? "Stopped. Starting Python again …" : `This should not happen: ${error.message}`);
      return null;
    } finally {
      at("stop").disabled = !this.python.busy;
    }
  }

  mistake(error) {
    this.editor.mark(error);
    at("mistake").replaceChildren();
    if (!error) return;
    const where = error.line ? make("button", { type: "button", onclick: () => this.editor.go(error.line) }, `line ${error.line}`) : null;
    at("mistake").append(...[where, make("span", {}, ` ${error.message}`), make("span", { class: "help" }, error.help ? `help: ${error.help}` : "")].filter(Boolean));
    this.say("The program has a mistake; it is shown below the editor.");
  }

  /** Replace what the page shows as its answer. */
  show(...elements) {
    this.close();
    this.close = () => {};
    at("claim").textContent = "";
    at("answer").replaceChildren(...elements);
  }

  /** Do what a button says; while one thing runs, another button does nothing. Python reads the
   *  program on its own, too: that is no reason to ignore a button, so the question waits for it. */
  async run(what) {
    if (this.running) return;
    this.running = true;
    try {
      if (!(await this.read())) return;
      await this[`run_${what}`](this.argument, (text, share) => this.say(`${text} … ${Math.round(share * 100)} %`));
    } finally {
      this.running = false;
    }
  }

  async run_check(argument, progress) {
    this.say("Trying every order of the threads' steps …");
    const found = await this.answer("check", argument, progress);
    if (!found) return;
    const { verdict, schedule, states } = found;
    this.claim = { ...this.claim, verdict, found: found.found, schedule };
    const what = `${argument.threads} threads, ${argument.memory}`;
    const told = {
      proven: `Proven: no order of the steps breaks it (${what}, ${states.toLocaleString("en")} states).`,
      violated: `Violated: ${found.found} (${what}, ${states.toLocaleString("en")} states). The shortest way is below.`,
      unfinished: `Unfinished, no proof: ${found.limits.join("; ")}.`,
    }[verdict];
    const player = make("div");
    this.show(player);
    if (found.play) this.close = mount(player, found.play);
    this.say(told, verdict);
  }

  async run_play(argument) {
    this.say("Preparing the game …");
    const heading = await this.answer("game", argument);
    if (!heading) return;
    const element = make("div");
    this.show(element);
    let heard = () => {};
    const model = {
      on: (_, listener) => (heard = listener),
      send: async ({ id, ask, path }) => {
        const found = await this.answer("move", { argument, ask, path });
        if (found) heard({ id, ...found });
      },
    };
    this.close = mount(element, heading, model);
    this.say("You are the scheduler. A digit lets that thread take a step.");
    element.firstChild.focus();
  }

  async run_simulate(argument, progress) {
    this.say("Simulating …");
    const found = await this.answer("simulate", argument, progress);
    if (!found) return;
    this.claim = { ...this.claim, units: found.units };
    const title = `${argument.lock} on ${argument.machine}, seed ${argument.seed}: units of work in 40 µs, from time 0 on.`;
    at("simulated").replaceChildren(curve(found.units, title));
    this.say("Simulated by the reference engine.");
  }

  async run_link(argument) {
    const made = await this.answer("link", { ...argument, claim: this.claim });
    if (!made) return;
    this.fragment = made.fragment;
    history.replaceState(null, "", `#${made.fragment}`);
    const field = make("input", { readonly: true, value: location.href, "aria-label": "Link to this argument" });
    this.show(make("p", {}, "This link holds the program, the question and what was found. Nothing was uploaded. ",
      make("code", {}, "locklab open LINK"), " proves it on the command line."), field);
    field.focus();
    field.select();
    this.say("The link is selected: copy it.");
  }
}

const examples = await (await fetch(new URL("examples.json", import.meta.url))).json();
new Page(examples);
document.documentElement.dataset.ready = "yes";
