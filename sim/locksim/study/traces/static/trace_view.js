// The view of a recorded run: timeline, present state of every CPU and of every line.

import { button, make, time, where } from "./dom.js";
import { Replay } from "./replay.js";
import { Timeline } from "./timeline.js";

const SPEEDS = [2, 5, 10, 25, 100, 500, 2000];
const MOST_LINES = 40;
const PHASES = { wait: ["◌", "waits for"], hold: ["●", "holds"], read: ["◐", "reads under"], release: ["○", "releases"] };

export class TraceView {
  constructor(root, data) {
    this.data = data;
    this.replay = new Replay(data);
    this.row = 0;
    this.playing = false;
    this.speed = 25;
    this.build(root);
    this.resized = new ResizeObserver(() => this.timeline.draw());
    this.resized.observe(this.canvas);
    this.go(0);
  }

  build(root) {
    const { data } = this;
    this.canvas = make("canvas", { role: "img", class: "timeline", "aria-label":
      `Timeline of ${data.cpus} CPUs: waits, holds and line transfers. The sentence below describes the current event.` });
    this.play = button("▶", "Play", () => this.toggle(), "space");
    this.scrub = make("input", { type: "range", min: 0, max: this.replay.length - 1, value: 0, class: "scrub",
      "aria-label": "Event", oninput: () => this.go(+this.scrub.value) });
    const speeds = make("select", { "aria-label": "Speed, events per second", onchange: (e) => (this.speed = +e.target.value) },
      SPEEDS.map((n) => make("option", { value: n, selected: n === this.speed }, `${n} events/s`)));
    this.position = make("span", { class: "position" });
    this.sentence = make("p", { class: "sentence", role: "status", "aria-live": "polite" });
    this.cpus = make("tbody");
    this.lines = make("tbody");
    const moved = data.lines.map((_, line) => line).filter((line) => this.replay.byLine[line].length);
    this.shown = moved.slice(0, MOST_LINES);
    root.append(
      make("header", {}, make("h2", {}, data.title),
        make("span", { class: "facts" }, `${data.cpus} CPUs · ${this.replay.length.toLocaleString("en")} events · ${time(this.replay.time(this.replay.length - 1))}`)),
      make("div", { class: "controls", role: "toolbar", "aria-label": "Playback" },
        button("⇤", "First event", () => this.go(0), "Home"),
        button("‹", "One event back", () => this.go(this.row - 1), "←"),
        this.play,
        button("›", "One event forward", () => this.go(this.row + 1), "→"),
        button("⇥", "Last event", () => this.go(this.replay.length - 1), "End"),
        speeds, this.position, make("span", { class: "space" }),
        button("−", "Zoom out", () => this.timeline.zoom(1 / 1.6), "-"),
        button("+", "Zoom in", () => this.timeline.zoom(1.6), "+"),
        button("⤢", "Show all", () => this.timeline.show(0, this.timeline.end), "0")),
      this.scrub, this.canvas, legend(),
      this.sentence,
      make("div", { class: "panels" },
        make("section", {}, make("h3", {}, "CPUs now"),
          make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "CPUs" }, make("table", { class: "cpus" },
            make("thead", {}, make("tr", {}, ...["CPU", "does", "at"].map((t) => make("th", { scope: "col" }, t)))), this.cpus))),
        make("section", {}, make("h3", {}, "Cache lines now"),
          make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Cache lines" }, make("table", { class: "lines" },
            make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "line"),
              ...Array.from({ length: data.cpus }, (_, cpu) => make("th", { scope: "col", title: `CPU ${cpu}` }, `${cpu}`)))),
            this.lines)),
          make("p", { class: "key" }, key("M", "only copy"), key("S", "shared copy"), key("→", "arriving"), key("q", "queued"),
            moved.length > this.shown.length ? ` ${moved.length - this.shown.length} more lines are not shown.` : ""))));
    for (let cpu = 0; cpu < data.cpus; cpu++) {
      this.cpus.append(make("tr", {}, make("th", { scope: "row" }, `${cpu}`), make("td", { class: "state" }), make("td", { class: "code" })));
    }
    for (const line of this.shown) {
      this.lines.append(make("tr", {}, make("th", { scope: "row", title: data.lines[line].name }, data.lines[line].name),
        ...Array.from({ length: data.cpus }, () => make("td"))));
    }
    this.timeline = new Timeline(this.canvas, this.replay, (row) => this.go(row));
    this.openWindow();
  }

  /** Start with a window in which single transfers are visible. */
  openWindow() {
    const some = Math.min(this.replay.length - 1, 24 * this.data.cpus);
    this.timeline.show(0, Math.max(1000, this.replay.time(some)));
  }

  redraw() {
    this.timeline.draw();
  }

  go(row) {
    this.row = Math.max(0, Math.min(this.replay.length - 1, row));
    const now = this.replay.time(this.row), agent = this.data.rows.agent[this.row];
    this.scrub.value = this.row;
    this.position.textContent = `${(this.row + 1).toLocaleString("en")} / ${this.replay.length.toLocaleString("en")}  ·  ${time(now)}`;
    this.scrub.setAttribute("aria-valuetext", `event ${this.row + 1}, ${time(now)}`);
    const place = this.data.places[this.data.rows.place[this.row]];
    this.sentence.replaceChildren(make("strong", {}, `CPU ${agent >> 1}${agent & 1 ? "'s store buffer" : ""}`),
      ` ${this.replay.says(this.row)} `, make("span", { class: "where" }, where(place)));
    // While it plays, a screen reader would be interrupted.
    this.sentence.setAttribute("aria-live", this.playing ? "off" : "polite");
    this.timeline.go(this.row);
    this.showCpus(now);
    this.showLines(now);
  }

  showCpus(now) {
    const acting = this.data.rows.agent[this.row] >> 1;
    [...this.cpus.children].forEach((tr, cpu) => {
      const [, state, code] = tr.children;
      const found = this.replay.phase(cpu, now);
      const phase = found && (found.phase === "hold" && found.span.mode === "read" ? "read" : found.phase);
      const text = found ? `${PHASES[phase][0]} ${PHASES[phase][1]} ${this.data.locks[found.span.lock]}` : "· other work";
      if (state.textContent !== text) state.textContent = text;
      state.dataset.phase = phase || "";
      tr.classList.toggle("acting", cpu === acting);
      const place = this.replay.place(cpu, now, this.row);
      if (code.dataset.place !== `${place}`) {
        code.dataset.place = `${place}`;
        const at = this.data.places[place];
        code.replaceChildren(...(at ? [make("code", {}, at.source), make("span", { class: "where" }, where(at))] : []));
      }
    });
  }

  showLines(now) {
    [...this.lines.children].forEach((tr, k) => {
      const line = this.shown[k], state = this.replay.line(line, this.row);
      const queued = this.replay.queued(line, now, this.row);
      for (let cpu = 0; cpu < this.data.cpus; cpu++) {
        const has = state && state.holders.includes(cpu);
        const moves = has && state.filler === cpu && state.ready > now;
        const kind = moves ? "→" : has ? (state.holders.length > 1 ? "S" : "M") : queued.includes(cpu) ? "q" : "";
        const cell = tr.children[cpu + 1];
        if (cell.textContent !== kind) {
          cell.textContent = kind;
          cell.dataset.kind = kind;
        }
      }
    });
  }

  toggle() {
    this.playing = !this.playing;
    this.play.textContent = this.playing ? "❚❚" : "▶";
    this.play.setAttribute("aria-label", this.playing ? "Pause" : "Play");
    if (!this.playing) return this.go(this.row);
    if (this.row === this.replay.length - 1) this.go(0);
    let last = performance.now(), due = 0;
    const frame = (now) => {
      if (!this.playing) return;
      due += ((now - last) / 1000) * this.speed;
      last = now;
      if (due >= 1) {
        this.go(this.row + Math.floor(due));
        due %= 1;
      }
      if (this.row === this.replay.length - 1) this.toggle();
      else requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  /** A key was pressed; true if it was used. */
  key(event) {
    const far = event.shiftKey ? 10 : 1;
    switch (event.key) {
      case " ": this.toggle(); break;
      case "ArrowRight": this.go(this.row + far); break;
      case "ArrowLeft": this.go(this.row - far); break;
      case "PageDown": this.go(this.row + 100); break;
      case "PageUp": this.go(this.row - 100); break;
      case "Home": this.go(0); break;
      case "End": this.go(this.replay.length - 1); break;
      case "+": case "=": this.timeline.zoom(1.6); break;
      case "-": this.timeline.zoom(1 / 1.6); break;
      case "0": this.timeline.show(0, this.timeline.end); break;
      default: return false;
    }
    return true;
  }

  close() {
    this.playing = false;
    this.resized.disconnect();
  }
}

function key(sign, means) {
  return make("span", {}, make("b", { "data-kind": sign }, sign), ` ${means}`);
}

function legend() {
  const part = (name, means) => make("span", {}, make("i", { class: `swatch ${name}`, "aria-hidden": "true" }), means);
  return make("p", { class: "key legend" }, part("wait", "waits"), part("hold", "holds"), part("read", "reads"),
    part("release", "releases"), part("queued", "its request is queued"), part("move", "its line arrives (thick: to write)"));
}
