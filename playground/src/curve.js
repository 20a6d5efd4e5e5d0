// The curve of a simulation: work done against the number of CPUs, as a picture and as a table.

import { make } from "../../sim/locksim/study/traces/static/dom.js";

const WIDE = 560, HIGH = 260, LEFT = 58, BOTTOM = 40, TOP = 14, RIGHT = 16;
const SVG = "http://www.w3.org/2000/svg";

function draw(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** @param units [CPUs, units of work] for each point; title: what was simulated. */
export function curve(units, title) {
  const most = Math.max(1, ...units.map(([, n]) => n)), cpus = Math.max(...units.map(([n]) => n));
  const x = (n) => LEFT + ((WIDE - LEFT - RIGHT) * Math.log2(n)) / Math.max(1, Math.log2(cpus));
  const y = (n) => HIGH - BOTTOM - ((HIGH - BOTTOM - TOP) * n) / most;
  const said = units.map(([n, done]) => `${done} on ${n} CPU${n > 1 ? "s" : ""}`).join(", ");
  const picture = draw("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": `Units of work: ${said}.` });
  for (const part of [0, 0.5, 1]) {
    const value = Math.round(part * most);
    picture.append(
      draw("line", { class: "grid", x1: LEFT, x2: WIDE - RIGHT, y1: y(value), y2: y(value) }),
      draw("text", { x: LEFT - 8, y: y(value) + 4, "text-anchor": "end" }, value.toLocaleString("en")));
  }
  for (const [n] of units) picture.append(draw("text", { x: x(n), y: HIGH - 18, "text-anchor": "middle" }, `${n}`));
  picture.append(
    draw("text", { x: (LEFT + WIDE) / 2, y: HIGH - 2, "text-anchor": "middle" }, "CPUs"),
    draw("polyline", { class: "line", points: units.map(([n, done]) => `${x(n)},${y(done)}`).join(" ") }),
    ...units.map(([n, done]) => draw("circle", { class: "dot", cx: x(n), cy: y(done), r: 4 })));
  return make("figure", { class: "curve" }, picture,
    make("figcaption", {}, title),
    make("table", {}, make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "CPUs"), make("th", { scope: "col" }, "units of work"))),
      make("tbody", {}, units.map(([n, done]) =>
        make("tr", {}, make("th", { scope: "row" }, `${n}`), make("td", {}, done.toLocaleString("en")))))));
}
