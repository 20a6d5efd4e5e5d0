// The game in which you are the scheduler and try to break the lock.

import { button, make } from "./dom.js";
import { StepsView } from "./steps_view.js";

export class GameView {
  /** @param game {title, facts, threads}; moves: see moves.js. */
  constructor(root, game, moves) {
    this.moves = moves;
    this.path = [];
    this.frames = [];
    this.options = [];
    this.busy = Promise.resolve();
    this.view = new StepsView(root, { ...game, live: true, found: "", message: "" }, [emptyFrame(game.threads)]);
    this.frames = this.view.frames;
    this.turns = make("div", { class: "turns", role: "group", "aria-label": "Choose the next thread" });
    this.answer = make("p", { class: "answer", role: "status", "aria-live": "polite" },
      "Choose which thread takes the next step, and try to break the program.");
    const ask = make("div", { class: "controls" },
      button("↶ Take back", "Take back the last move", () => this.take(-1), "Backspace"),
      button("⟲ Start again", "Start again", () => this.restart(), "R"),
      button("? Can it break", "Can it break from here? Ask the checker", () => this.ask(false), "C"),
      button("✦ Hint", "Hint: the next move of the shortest way to break it", () => this.ask(true), "H"));
    this.view.extra.append(this.turns, ask, this.answer);
    this.view.moved = () => this.showTurns();
    this.restart();
  }

  /** Run one action after another, even if Python answers late. */
  then(work) {
    this.busy = this.busy.then(work);
    return this.busy;
  }

  restart() {
    return this.then(async () => {
      const { frame, moves } = await this.moves.at([]);
      this.path = [];
      this.frames.splice(0, Infinity, frame);
      this.options = [moves];
      this.view.rebuild();
    });
  }

  /** Take a move; -1 takes the last one back. */
  take(via) {
    return this.then(async () => {
      if (via < 0) {
        if (!this.path.length) return;
        this.path.pop();
        this.frames.pop();
        this.options.pop();
        this.say("Taken back.");
      } else {
        // A move made at an earlier step starts a new path there.
        const at = this.view.at, path = [...this.path.slice(0, at), via];
        const { frame, moves } = await this.moves.at(path);
        this.path = path;
        this.frames.splice(at + 1, Infinity, frame);
        this.options.splice(at + 1, Infinity, moves);
        if (frame.found) {
          this.say(`Broken after ${path.length} steps: ${frame.found}.`);
          const detail = { steps: path.length };
          this.turns.dispatchEvent(new CustomEvent("locklab-won", { bubbles: true, detail }));
        } else this.say(moves.length ? "" : await this.lost());
      }
      this.view.rebuild();
    });
  }

  /** Why a schedule that is over broke nothing: the step after which it could not be broken. */
  async lost() {
    const over = "Every thread has finished, and nothing went wrong.";
    const before = (step) => this.moves.hint(this.path.slice(0, step));
    // Where it can be broken after some step, it can before it: the steps divide in two.
    let can = 0, not = this.path.length, way = await before(0);
    if (!way.can) return `${over} No schedule breaks it.`;
    while (not - can > 1) {
      const middle = (can + not) >> 1, found = await before(middle);
      if (found.can) [can, way] = [middle, found];
      else not = middle;
    }
    const done = this.path[can], next = this.options[can].find(({ via }) => via === way.via);
    const { thread, label } = this.options[can].find(({ via }) => via === done);
    const steps = `${way.distance} step${way.distance > 1 ? "s" : ""}`;
    return `${over} Step ${can + 1} decided it (thread ${thread}: ${label}). Before it, ${steps} more could break the program, ` +
      `beginning with thread ${next.thread}: ${next.label}. Take back, or start again.`;
  }

  showTurns() {
    const moves = this.options[this.view.at] || [];
    // The buttons are replaced, so move the focus to the same thread's new button.
    const focused = this.turns.contains(document.activeElement) ? document.activeElement.dataset.slot : null;
    this.turns.replaceChildren(...Array.from({ length: this.view.data.threads }, (_, thread) => {
      const mine = moves.filter((move) => move.thread === thread);
      return make("div", { class: "turn" }, make("b", {}, `thread ${thread}`),
        ...(mine.length ? mine.map((move) => this.turn(move)) : [make("span", { class: "idle" }, this.idle(thread))]));
    }));
    if (focused) this.turns.querySelector(`[data-slot="${focused}"]`)?.focus();
  }

  turn(move) {
    const flush = move.action === "flush";
    const keys = flush ? `shift ${move.thread}` : `${move.thread}`;
    const made = button("", `thread ${move.thread}: ${move.label}`, () => this.take(move.via), keys);
    made.append(make("kbd", { "aria-hidden": "true" }, flush ? `⇧${move.thread}` : `${move.thread}`), ` ${move.label}`);
    made.classList.toggle("flush", flush);
    made.dataset.slot = `${move.thread}${move.action}`;
    made.dataset.via = move.via;
    return made;
  }

  idle(thread) {
    const { frames, at } = this.view;
    const now = frames[at].threads[thread];
    if (frames[at].found) return "over";
    return now.done ? "finished" : "cannot move";
  }

  ask(hint) {
    return this.then(async () => {
      const path = this.path.slice(0, this.view.at), frame = this.frames[this.view.at];
      if (frame.found) return this.say("It is broken already. Start again?");
      this.say("The checker is thinking …");
      const answer = await this.moves.hint(path);
      if (answer.text) return this.say(answer.text);
      if (!answer.can) return this.say("No: from here no schedule can break it.");
      const steps = `${answer.distance} step${answer.distance > 1 ? "s" : ""}`;
      if (!hint) return this.say(`Yes: it can be broken in ${steps} from here.`);
      const move = this.options[this.view.at].find(({ via }) => via === answer.via);
      this.say(`Let thread ${move.thread} ${move.action === "flush" ? "flush its oldest store" : "move"}: ${move.label}. ${steps} to go.`);
      this.turns.querySelector(`[data-via="${answer.via}"]`)?.classList.add("hinted");
    });
  }

  say(text) {
    this.answer.textContent = text;
  }

  redraw() {}

  key(event) {
    const digit = event.code?.match(/^Digit(\d)$/);
    if (digit) {
      const wanted = event.shiftKey ? "flush" : "run";
      const move = (this.options[this.view.at] || []).find(({ thread, action }) => thread === +digit[1] && action === wanted);
      if (move) this.take(move.via);
      return true;
    }
    switch (event.key) {
      case "Backspace": this.take(-1); break;
      case "r": case "R": this.restart(); break;
      case "c": case "C": this.ask(false); break;
      case "h": case "H": this.ask(true); break;
      default: return this.view.key(event);
    }
    return true;
  }

  close() {
    this.view.close();
  }
}

function emptyFrame(threads) {
  return { step: null, words: [], threads: Array.from({ length: threads }, () => ({ buffer: [] })) };
}
