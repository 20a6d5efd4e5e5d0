// Plot of a trace: CPUs as rows along time, on a canvas, restricted to the window.
//
// Each CPU has two bands: its use of locks (waiting is hatched, holding is solid, reading is
// striped, releasing is an outline) and, below, its line requests (a thin line while a request is
// queued, a bar while the line arrives). Patterns and words carry the meaning; colour only helps.

import { lastAtMost } from "./replay.js";
import { time } from "./dom.js";

const GUTTER = 92, AXIS = 24, LOCK_ROW = 24, CPU_ROW = 32;

export class Timeline {
  /** @param replay the trace. seek: called with a row when the user points at a moment. */
  constructor(canvas, replay, seek) {
    this.canvas = canvas;
    this.replay = replay;
    this.seek = seek;
    this.locks = replay.data.locks.slice(0, 6);
    const { time } = replay.data.rows;
    this.end = Math.max(1, time[time.length - 1] || 1);
    this.from = 0;
    this.to = this.end;
    this.row = 0;
    this.holds = this.locks.map((_, lock) =>
      replay.data.spans.filter((s) => s.lock === lock && s.acquired >= 0)
        .sort((a, b) => a.acquired - b.acquired));
    this.acquired = this.holds.map((list) => list.map((span) => span.acquired));
    this.listen();
  }

  get height() {
    return AXIS + LOCK_ROW * this.locks.length + CPU_ROW * this.replay.data.cpus + 6;
  }

  x(ps) {
    return GUTTER + ((ps - this.from) / (this.to - this.from)) * (this.width - GUTTER - 8);
  }

  psAt(x) {
    return this.from + ((x - GUTTER) / (this.width - GUTTER - 8)) * (this.to - this.from);
  }

  /** Show a window of time; at least 1 ns, never outside the trace. */
  show(from, to) {
    const length = Math.min(this.end, Math.max(1000, to - from));
    this.from = Math.min(Math.max(0, from), this.end - length);
    this.to = this.from + length;
    this.draw();
  }

  zoom(factor, around = this.replay.time(this.row)) {
    this.show(around - (around - this.from) / factor, around + (this.to - around) / factor);
  }

  /** Move the cursor, and the window if the cursor would leave it. */
  go(row) {
    this.row = row;
    const now = this.replay.time(row), length = this.to - this.from;
    if (now < this.from || now > this.to) this.show(now - length / 4, now + (3 * length) / 4);
    else this.draw();
  }

  listen() {
    const { canvas } = this;
    const at = (event) => event.clientX - canvas.getBoundingClientRect().left;
    let dragged = null;
    canvas.addEventListener("pointerdown", (event) => {
      dragged = { x: at(event), from: this.from, to: this.to, moved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!dragged) return;
      const shift = ((at(event) - dragged.x) / (this.width - GUTTER)) * (dragged.to - dragged.from);
      dragged.moved ||= Math.abs(at(event) - dragged.x) > 4;
      if (dragged.moved) this.show(dragged.from - shift, dragged.to - shift);
    });
    canvas.addEventListener("pointerup", (event) => {
      if (dragged && !dragged.moved) this.seek(this.replay.rowAt(this.psAt(at(event))));
      dragged = null;
    });
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.shiftKey) return;
      event.preventDefault();
      this.zoom(Math.exp(-(event.deltaY || event.deltaX) / 300), this.psAt(at(event)));
    }, { passive: false });
  }

  draw() {
    const { canvas, replay } = this;
    const ratio = window.devicePixelRatio || 1;
    this.width = canvas.clientWidth;
    if (!this.width) return;
    const height = this.height;
    if (canvas.width !== Math.round(this.width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(this.width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.height = `${height}px`;
    }
    const g = canvas.getContext("2d");
    const style = getComputedStyle(canvas);
    const ink = (name) => style.getPropertyValue(`--${name}`).trim();
    this.ink = { text: ink("text"), dim: ink("dim"), rule: ink("rule"), hold: ink("hold"), paper: ink("paper"),
      wait: ink("wait"), move: ink("move"), cursor: ink("cursor"), band: ink("band") };
    this.font = style.fontFamily;
    this.hatch = pattern(g, this.ink.wait, ratio, true);
    this.stripes = pattern(g, this.ink.hold, ratio, false);
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, this.width, height);
    g.textBaseline = "middle";
    this.axis(g, height);
    this.locks.forEach((name, lock) => this.lockRow(g, name, lock, AXIS + lock * LOCK_ROW));
    const first = AXIS + LOCK_ROW * this.locks.length;
    for (let cpu = 0; cpu < replay.data.cpus; cpu++) this.cpuRow(g, cpu, first + cpu * CPU_ROW);
    this.cursor(g, height);
  }

  axis(g, height) {
    const step = niceStep((this.to - this.from) / Math.max(2, (this.width - GUTTER) / 130));
    g.font = `11px ${this.font}`;
    g.strokeStyle = this.ink.rule;
    g.fillStyle = this.ink.dim;
    g.textAlign = "center";
    for (let t = Math.ceil(this.from / step) * step; t <= this.to; t += step) {
      const x = Math.round(this.x(t)) + 0.5;
      line(g, x, AXIS - 4, x, height - 4);
      g.fillText(time(t, step), Math.max(GUTTER + 22, Math.min(x, this.width - 26)), AXIS / 2 - 1);
    }
  }

  label(g, text, y, strong = false) {
    g.font = `${strong ? "600 " : ""}12px ${this.font}`;
    g.fillStyle = strong ? this.ink.text : this.ink.dim;
    g.textAlign = "right";
    g.fillText(shorten(g, text, GUTTER - 18), GUTTER - 12, y);
  }

  /** A lock's track: its holders. */
  lockRow(g, name, lock, y) {
    this.label(g, name, y + 11, true);
    const list = this.holds[lock];
    let drawn = -1;
    for (let k = Math.max(0, lastAtMost(this.acquired[lock], this.from) - this.replay.data.cpus); k < list.length; k++) {
      const span = list[k], end = span.released < 0 ? this.end : span.released;
      if (span.acquired > this.to) break;
      if (end < this.from) continue;
      const [x, w] = this.extent(span.acquired, end);
      if (x + w < drawn + 0.5) continue;
      drawn = x + w;
      g.fillStyle = span.mode === "read" ? this.stripes : this.ink.hold;
      g.fillRect(x, y + 4, w, 14);
      if (w > 26) this.inside(g, w > 52 ? `CPU ${span.cpu}` : `${span.cpu}`, x, y + 11, w, span.mode === "read");
    }
    g.strokeStyle = this.ink.rule;
    line(g, 0, y + LOCK_ROW - 0.5, this.width, y + LOCK_ROW - 0.5);
  }

  cpuRow(g, cpu, y) {
    const { replay } = this;
    const current = replay.data.rows.agent[this.row] >> 1 === cpu;
    if (current) {
      g.fillStyle = this.ink.band;
      g.fillRect(0, y, this.width, CPU_ROW);
    }
    this.label(g, `${current ? "▸ " : ""}CPU ${cpu}`, y + CPU_ROW / 2, current);
    const spans = replay.spans[cpu];
    for (let k = Math.max(0, lastAtMost(replay.starts[cpu], this.from) - 4); k < spans.length; k++) {
      if (spans[k].start > this.to) break;
      this.span(g, spans[k], y);
    }
    for (const transfer of replay.byCpu[cpu]) {
      if (transfer.served > this.to && transfer.asked > this.to) break;
      if (transfer.ready >= this.from) this.transfer(g, transfer, y + 21);
    }
    g.strokeStyle = this.ink.rule;
    line(g, GUTTER, y + CPU_ROW - 0.5, this.width, y + CPU_ROW - 0.5);
  }

  span(g, span, y) {
    const open = (ps) => (ps < 0 ? this.end : ps);
    const parts = [["wait", span.start, open(span.acquired)]];
    if (span.acquired >= 0) parts.push(["hold", span.acquired, open(span.released)]);
    if (span.released >= 0) parts.push(["release", span.released, span.end]);
    for (const [phase, start, end] of parts) {
      if (end < this.from || start > this.to || end === start) continue;
      const [x, w] = this.extent(start, end);
      if (phase === "release") {
        g.strokeStyle = this.ink.hold;
        g.strokeRect(x + 0.5, y + 5.5, Math.max(1, w - 1), 10);
        continue;
      }
      g.fillStyle = phase === "wait" ? this.hatch : span.mode === "read" ? this.stripes : this.ink.hold;
      g.fillRect(x, y + 5, w, 11);
      if (phase === "hold" && w > 40) this.inside(g, span.mode === "read" ? "reads" : "holds", x, y + 11, w, span.mode === "read");
    }
  }

  transfer(g, transfer, y) {
    const [x, w] = this.extent(transfer.served, transfer.ready);
    if (transfer.served > transfer.asked) {
      g.strokeStyle = this.ink.move;
      const [from] = this.extent(transfer.asked, transfer.served);
      g.setLineDash([1, 2]);
      line(g, from, y + 2.5, x, y + 2.5);
      g.setLineDash([]);
    }
    if (transfer.kind === "none") return;
    g.fillStyle = this.ink.move;
    if (transfer.kind === "read") g.fillRect(x, y + 1, w, 3);
    else g.fillRect(x, y, w, 6);
    if (w > 120) {
      g.font = `10px ${this.font}`;
      g.fillStyle = this.ink.dim;
      g.textAlign = "left";
      const from = transfer.kind === "upgrade" ? "right to write" : transfer.supplier < 0 ? "from memory" : `from CPU ${transfer.supplier}`;
      g.save();
      g.fillStyle = this.ink.paper;
      const text = shorten(g, from, w - 10), wide = g.measureText(text).width;
      g.fillRect(x + 4, y - 2, wide + 6, 10);
      g.fillStyle = this.ink.text;
      g.fillText(text, x + 7, y + 3.5);
      g.restore();
    }
  }

  cursor(g, height) {
    const x = Math.round(this.x(this.replay.time(this.row))) + 0.5;
    if (x < GUTTER - 1) return;
    g.strokeStyle = this.ink.cursor;
    g.lineWidth = 1.5;
    line(g, x, AXIS - 6, x, height);
    g.lineWidth = 1;
    g.fillStyle = this.ink.cursor;
    g.beginPath();
    g.moveTo(x - 5, AXIS - 10);
    g.lineTo(x + 5, AXIS - 10);
    g.lineTo(x, AXIS - 3);
    g.fill();
  }

  /** Left edge and width of a period, cut to the window, at least 0.75 pixels wide. */
  extent(start, end) {
    const x = this.x(Math.max(start, this.from));
    return [x, Math.max(0.75, this.x(Math.min(end, this.to)) - x)];
  }

  inside(g, text, x, y, w, boxed) {
    g.font = `10px ${this.font}`;
    g.textAlign = "center";
    const wide = g.measureText(text).width;
    if (wide > w - 4) return;
    if (boxed) {
      g.fillStyle = this.ink.paper;
      g.fillRect(x + w / 2 - wide / 2 - 3, y - 5, wide + 6, 10);
    }
    g.fillStyle = boxed ? this.ink.text : this.ink.paper;
    g.fillText(text, x + w / 2, y + 0.5);
  }
}

function line(g, x0, y0, x1, y1) {
  g.beginPath();
  g.moveTo(x0, y0);
  g.lineTo(x1, y1);
  g.stroke();
}

/** 1, 2 or 5 times a power of ten, at least as large as the argument. */
function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map((n) => n * power).find((step) => step >= least);
}

function shorten(g, text, width) {
  if (g.measureText(text).width <= width) return text;
  let end = text.length;
  while (end > 1 && g.measureText(`${text.slice(0, end)}…`).width > width) end--;
  return `${text.slice(0, end)}…`;
}

/** Diagonal hatching, or vertical stripes. */
function pattern(g, colour, ratio, diagonal) {
  const size = 6;
  const tile = document.createElement("canvas");
  tile.width = tile.height = size * ratio;
  const t = tile.getContext("2d");
  t.scale(ratio, ratio);
  t.strokeStyle = colour;
  t.lineWidth = diagonal ? 1.4 : 3;
  for (const [x0, y0, x1, y1] of diagonal
    ? [[-1, 1, 1, -1], [0, size, size, 0], [size - 1, size + 1, size + 1, size - 1]]
    : [[1.5, 0, 1.5, size]]) line(t, x0, y0, x1, y1);
  const made = g.createPattern(tile, "repeat");
  made.setTransform(new DOMMatrix().scale(1 / ratio));
  return made;
}
