// The levels of "you are the scheduler": one program each, and a record of what was won.

import { make } from "../../sim/locksim/study/traces/static/dom.js";
import { mount } from "../../sim/locksim/study/traces/static/player.js";

const RECORD = "locklab.levels";
const at = (id) => document.getElementById(id);

/** Steps of the shortest win of each level so far; a browser that keeps nothing starts again. */
function record() {
  try {
    return JSON.parse(localStorage.getItem(RECORD)) || {};
  } catch {
    return {};
  }
}

function keep(name, steps) {
  const known = record();
  known[name] = Math.min(steps, known[name] ?? Infinity);
  try {
    localStorage.setItem(RECORD, JSON.stringify(known));
  } catch {
    at("status").textContent = "This browser keeps nothing: what you win is lost when you leave.";
  }
}

class Levels {
  constructor(list) {
    this.list = list;
    this.close = () => {};
    at("game").addEventListener("locklab-won", (event) => this.won(event.detail.steps));
    at("forget").addEventListener("click", () => {
      localStorage.removeItem(RECORD);
      this.menu();
    });
    at("save").addEventListener("click", () => this.save());
    at("load").addEventListener("click", () => at("file").click());
    at("file").addEventListener("change", () => this.read(at("file").files[0]));
    addEventListener("hashchange", async () => {
      await this.open();
      at("title").focus();
    });
    this.open();
  }

  get wanted() {
    const known = record();
    return this.list.find(({ name }) => name === location.hash.slice(1))
      || this.list.find(({ name }) => !(name in known)) || this.list[0];
  }

  menu() {
    const known = record();
    at("levels").replaceChildren(...this.list.map(({ number, name, title, steps }) => {
      const won = known[name];
      const state = won === undefined ? "" : won === steps ? ` ✓ won, ${won} steps, the fewest` : ` ✓ won, ${won} steps`;
      const link = make("a", { href: `#${name}` }, `${number}. ${title}`);
      if (this.level?.name === name) link.setAttribute("aria-current", "page");
      return make("li", {}, link, make("span", { class: "won" }, state));
    }));
    at("count").textContent = `${this.list.filter(({ name }) => name in known).length} of ${this.list.length} won.`;
  }

  async open() {
    const { name, file } = this.wanted;
    if (name === this.level?.name) return;
    const level = await (await fetch(new URL(file, import.meta.url))).json();
    if (name !== this.wanted.name) return;  // another one was chosen meanwhile
    this.level = level;
    this.menu();
    this.close();
    const { number, title, goal, text, game } = this.level;
    document.title = `Level ${number}: ${title}`;
    at("title").textContent = `Level ${number}: ${title}`;
    at("goal").textContent = goal;
    at("program").textContent = text;
    at("after").replaceChildren();
    at("game").replaceChildren();
    this.close = mount(at("game"), game);
  }

  won(steps) {
    const { name, number, why, lesson, steps: fewest } = this.level;
    keep(name, steps);
    this.menu();
    const next = this.list[number];
    const better = steps > fewest ? ` The fewest are ${fewest}.` : " No schedule is shorter.";
    at("after").replaceChildren(
      make("h2", {}, `Won in ${steps} steps`), make("p", {}, better.trim()), make("p", {}, why),
      make("p", {}, make("a", { href: `../lessons/${lesson}.html` }, "The lesson about it"),
        ...(next ? [" · ", make("a", { href: `#${next.name}` }, `Next: ${next.title}`)] : [" · That was the last level."])));
  }

  /** Write the record to a file of the reader's own. */
  save() {
    const text = JSON.stringify({ kind: "locklab-levels", won: record() }, null, 1);
    const link = make("a", { href: URL.createObjectURL(new Blob([text], { type: "application/json" })), download: "locklab-levels.json" });
    link.click();
    URL.revokeObjectURL(link.href);
  }

  /** Add a record that was saved here or in another browser. */
  async read(file) {
    at("file").value = "";
    if (!file) return;
    let won;
    try {
      ({ won } = JSON.parse(await file.text()));
    } catch {
      won = null;
    }
    const known = this.list.filter(({ name }) => Number.isInteger(won?.[name]) && won[name] > 0);
    for (const { name } of known) keep(name, won[name]);
    at("status").textContent = known.length
      ? `${file.name}: ${known.length} levels read.`
      : `${file.name} holds no record of levels: choose a file that "Save my record" has written.`;
    this.menu();
  }
}

const list = await (await fetch(new URL("levels/list.json", import.meta.url))).json();
new Levels(list);
document.documentElement.dataset.ready = "yes";
