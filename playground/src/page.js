// The playground: a program, a question, an answer. All of it stays in the reader's browser.

import { make } from "../../sim/locksim/study/traces/static/dom.js";
import { mount } from "../../sim/locksim/study/traces/static/player.js";
import { curve } from "./curve.js";
import { Editor } from "./editor.js";
import { Python, Stopped } from "./python.js";

const NUMBERS = ["threads", "rounds", "cpus", "seed"];
const TEXTS = ["lock", "memory", "property", "machine"];
const DRAFT = "locklab.playground";
/** What a button asks for, said while Python is not there yet. */
const NEXT = {
  check: "Then every order of the threads' steps is tried.",
  play: "Then the game begins.",
  simulate: "Then the lock is simulated.",
  link: "Then the link is made.",
};
const at = (id) => document.getElementById(id);

class Page {
  /** @param menu examples by group: titles, and what is asked of each. */
  constructor(menu) {
    this.menu = menu;
    this.examples = Object.values(menu).flat();
    this.file = "lock.py";
    this.claim = {};
    this.close = () => {};
    this.running = null;
    this.next = "";
    this.python = new Python((state) => this.follow(state));
    this.editor = new Editor(at("editor"), () => this.changed());
    at("example").append(...Object.entries(menu).map(([label, group]) =>
      make("optgroup", { label }, group.map((one) => make("option", { value: this.examples.indexOf(one) }, one.title)))));
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

  /** @param verdict of a check: the line then looks like one; share of what runs that is done. */
  say(text, { verdict, share } = {}) {
    at("status").className = verdict ? `verdict ${verdict}` : "";
    at("status").textContent = text;
    at("progress").classList.toggle("idle", share === undefined);
    at("progress").value = share ?? 0;
  }

  /** Show how far Python is, and what it will do then. What runs has its own words for what it
   *  does: that Python is ready is news to no one meanwhile. */
  follow({ text, ready, share }) {
    if (!ready || !this.running) this.say(`${text} ${this.next}`, { share });
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

  /** Begin with the library's lock that the address names (?lock=mcs&memory=c11), else with the
   *  program that was typed last, else with the first example. */
  begin() {
    const asked = Object.fromEntries(new URLSearchParams(location.search)), { lock: name } = asked;
    const known = this.menu.Library.find(({ title }) => title === name);
    if (known) return this.ask_of(known.argument, asked);
    this.load(this.draft ?? this.examples[0].argument);
    if (name) at("claim").textContent = `The library has no lock '${name}'; its locks are in the list of examples.`;
  }

  /** Begin with a lock of the library and the question in the address; what cannot be asked is named. */
  ask_of(argument, { lock, ...asked }) {
    this.load(argument);
    const odd = Object.entries(asked).filter(([id, value]) => {
      if (![...TEXTS, ...NUMBERS].includes(id)) return true;
      at(id).value = value;
      if (at(id).value === value && at(id).checkValidity()) return false;
      at(id).value = argument[id];
      return true;
    });
    if (!odd.length) return;
    const words = odd.map((one) => one.join("=")).join(", ");
    at("claim").textContent = `The address asks what this page does not know: ${words}. It is left out.`;
  }

  /** Read the link in the page's address, when what runs has ended. */
  async open() {
    const fragment = location.hash.slice(1);
    if (fragment === this.fragment) return;
    this.fragment = fragment;
    if (!fragment) return this.begin();
    while (this.running) {
      at("claim").textContent = "The link is opened when this has ended; Stop ends it now.";
      await this.running;
      if (this.fragment !== fragment) return;
    }
    await this.alone(() => this.judge(fragment));
  }

  /** Prove and simulate the argument of a link, and compare. What did not come to an end, or is of
   *  a program that was changed meanwhile, says nothing about the link. */
  async judge(fragment) {
    this.next = "Then the link is opened.";
    if (!this.python.state.ready) this.follow(this.python.state);
    const opened = await this.ask("open", { fragment });
    this.next = "";
    if (!opened) return;
    if (opened.error) return this.refuse(opened.error);
    this.load(opened);
    const { claim, text } = opened;
    if (!claim.verdict && !claim.units.length) return this.say("The link's program is here. It claims nothing: press Check.");
    if (!(await this.read())) return;
    const argument = this.argument;
    if (argument.text !== text) return;
    const found = {};
    for (const what of [claim.units.length && "simulate", claim.verdict && "check"].filter(Boolean)) {
      const part = await this.do(what, argument);
      if (!part) return;
      Object.assign(found, part);
    }
    if (!Object.keys(found).length) return;
    const compared = await this.answer("compare", { claimed: claim, found });
    if (!compared || this.argument.text !== text) return;
    at("claim").textContent = compared.wrong.length
      ? `The link does not hold here: ${compared.wrong.join("; ")}.`
      : "The link's claim was proved and simulated again here: it holds.";
  }

  /** Say why a link cannot be opened; the program on the page stays. */
  refuse({ message, help }) {
    if (!this.editor.text) this.begin();
    at("claim").textContent = "";
    const why = message.startsWith("the link") ? `T${message.slice(1)}.` : `The link cannot be used: ${message}.`;
    this.say(`${why}${help ? ` Help: ${help}.` : ""}`, { verdict: "violated" });
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

  /** Ask Python; null if it failed, was stopped or ended. */
  async ask(ask, said, progress) {
    at("stop").disabled = false;
    try {
      return await this.python.ask(ask, said, progress);
    } catch (error) {
      this.mistake(null);
      if (!(error instanceof Stopped)) this.say(`This should not happen: ${error.message}`);
      return null;
    } finally {
      at("stop").disabled = !this.python.busy;
    }
  }

  /** Ask Python about the program; null also if that has a mistake, which is then shown. */
  async answer(ask, said, progress) {
    const found = await this.ask(ask, said, progress);
    if (!found) return null;
    this.mistake(found.error);
    return found.error ? null : found;
  }

  mistake(error) {
    this.editor.mark(error);
    at("mistake").replaceChildren();
    if (!error) return;
    const where = error.line ? make("button", { type: "button", onclick: () => this.editor.go(error.line) }, `line ${error.line}`) : null;
    at("mistake").append(...[where, make("span", {}, ` ${error.message}`), make("span", { class: "help" }, error.help ? `help: ${error.help}` : "")].filter(Boolean));
    // On a phone what stands below the editor is out of view; a mistake's place can be seen there only.
    if (error.line) this.say("The program has a mistake; it is shown below the editor.");
    else this.say(`This cannot be answered: ${error.message}.`);
  }

  /** Replace what the page shows as its answer. */
  show(...elements) {
    this.close();
    this.close = () => {};
    at("claim").textContent = "";
    at("answer").replaceChildren(...elements);
  }

  /** Do one thing at a time: while it runs, a button does nothing, and a link waits. */
  async alone(work) {
    if (this.running) return;
    this.running = work().finally(() => (this.running = null));
    await this.running;
  }

  /** Do what a button says. Python reads the program on its own, too: that is no reason to ignore a
   *  button, so the question waits for it. */
  async run(what) {
    await this.alone(async () => {
      this.next = NEXT[what];
      if (this.python.state.ready) this.say("Reading the program …", { share: 0 });
      else this.follow(this.python.state);
      const usable = await this.read();
      this.next = "";
      if (usable) await this.do(what, this.argument);
    });
  }

  /** Answer one question; gives what was found, or nothing if there is no answer. */
  do(what, argument) {
    return this[`run_${what}`](argument, (text, share) => this.say(`${text} … ${Math.round(share * 100)} %`, { share }));
  }

  /** Keep what was found for a link, unless the page shows another program or question by now. */
  keep_found(argument, found) {
    const same = JSON.stringify(this.argument) === JSON.stringify(argument);
    if (same) this.claim = { ...this.claim, ...found };
    return same;
  }

  async run_check(argument, progress) {
    this.say("Trying every order of the threads' steps …", { share: 0 });
    const found = await this.answer("check", argument, progress);
    if (!found) return;
    const { verdict, schedule, states } = found, part = { verdict, found: found.found, schedule };
    const before = this.keep_found(argument, part) ? "" : "Before your last change: ";
    const what = `${argument.threads} threads, ${argument.memory}`;
    const told = {
      proven: `Proven: no order of the steps breaks it (${what}, ${states.toLocaleString("en")} states).`,
      "proven within limits": `Proven within limits: no order of the steps breaks it (${what}, ${states.toLocaleString("en")} states); ${found.limits.join("; ")}.`,
      violated: `Violated: ${found.found} (${what}, ${states.toLocaleString("en")} states). The shortest way is below.`,
      unfinished: `Unfinished, no proof: ${found.limits.join("; ")}.`,
    }[verdict];
    const player = make("div");
    this.show(player);
    if (found.play) this.close = mount(player, found.play);
    this.say(before + told, { verdict });
    return part;
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
    this.say("Simulating …", { share: 0 });
    const found = await this.answer("simulate", argument, progress);
    if (!found) return;
    const part = { units: found.units };
    this.keep_found(argument, part);
    const title = `${argument.lock} on ${argument.machine}, seed ${argument.seed}: units of work in 40 µs, from time 0 on.`;
    at("simulated").replaceChildren(curve(found.units, title));
    this.say("Simulated by the reference engine; the curve is below.");
    return part;
  }

  async run_link(argument) {
    const made = await this.answer("link", { ...argument, claim: this.claim });
    if (!made) return;
    this.fragment = made.fragment;
    history.replaceState(null, "", `${location.pathname}#${made.fragment}`);
    const field = make("input", { readonly: true, value: location.href, "aria-label": "Link to this argument" });
    this.show(make("p", {}, "This link holds the program, the question and what was found. Nothing was uploaded. ",
      make("code", {}, "locklab play open LINK"), " proves it on the command line."), field);
    field.focus();
    field.select();
    this.say("The link is selected: copy it.");
  }
}

new Page(await (await fetch(new URL("examples.json", import.meta.url))).json());
document.documentElement.dataset.ready = "yes";
