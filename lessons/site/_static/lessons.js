// Predictions become forms whose answers stay in this browser; plots get their sliders. Without this
// script a page shows the questions, and the results as plots of the first values.

const KEY = "locklab-predictions";

function element(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

// Answers ---------------------------------------------------------------------------------------

let kept = {}; // where a browser keeps nothing, answers last as long as the page

function answers() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? kept;
  } catch {
    return kept;
  }
}

function keep(name, answer) {
  kept = { [name]: answer, ...answers() }; // the first answer counts
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // Private windows of some browsers.
  }
}

function forget() {
  kept = {};
  try {
    localStorage.removeItem(KEY);
  } catch {
    // As above.
  }
  location.reload();
}

/** Return what a learner typed as a number from 0 on, or null. */
function number(typed, unit) {
  let text = typed.replaceAll(",", "").trim();
  if (unit && text.endsWith(unit)) text = text.slice(0, -unit.length).trim();
  const read = text === "" ? NaN : Number(text);
  return read >= 0 && read < 1e15 ? read : null;
}

const digits = (value, count) => String(Number(value.toPrecision(count)));

/** Return the sentence that compares an answer with its result. */
function beside(answer, result, unit) {
  if (typeof answer === "string" || typeof result === "string") {
    const verdict = answer === result ? "as you predicted" : `you predicted: ${answer}`;
    return `The result: ${result} (${verdict}).`;
  }
  const [yours, found] = [digits(answer, 6), digits(result, 3)].map((one) => (unit ? `${one} ${unit}` : one));
  const said = `You predicted ${yours}; the result is ${found}`;
  if (answer === result) return `${said}, exactly that.`;
  if (Math.min(answer, result) <= 0) return `${said}.`;
  const times = digits(Math.max(answer, result) / Math.min(answer, result), 2);
  return `${said}: yours is ${times} times too ${result > answer ? "low" : "high"}.`;
}

// Predictions -----------------------------------------------------------------------------------

function ask(box) {
  const { name, unit, choices } = JSON.parse(box.dataset.prediction);
  const [question, ...rest] = box.children;
  for (const one of rest) one.remove();
  const button = element("button", { type: "submit", textContent: "Lock my prediction" });
  const says = element("p", { className: "says" });
  says.setAttribute("role", "status");
  const fields = element("fieldset", {}, element("legend", {}, ...question.childNodes));
  question.remove();
  if (choices.length) {
    for (const value of choices) {
      fields.append(element("label", {}, element("input", { type: "radio", name, value }), ` ${value}`));
    }
  } else {
    const field = element("input", { type: "text", name, inputMode: "decimal", autocomplete: "off" });
    fields.append(element("label", {}, "Your answer ", field, unit ? ` ${unit}` : ""));
  }
  const form = element("form", { noValidate: true }, fields, button, says);
  const locked = () => {
    const answer = answers()[name];
    fields.disabled = button.disabled = true;
    for (const one of fields.querySelectorAll("input")) {
      if (choices.length) one.checked = one.value === answer;
      else one.value = answer;
    }
    const again = element("button", { type: "button", textContent: "Forget my answers" });
    again.addEventListener("click", forget);
    says.replaceChildren(`Locked: ${answer}${unit && !choices.length ? ` ${unit}` : ""}. `, again);
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const typed = new FormData(form).get(name) ?? "";
    const answer = choices.length ? typed || null : number(typed, unit);
    if (answer === null) {
      says.textContent = choices.length ? "Choose one of the answers." : `Type a number, such as 40 (got '${typed}').`;
      fields.querySelector("input").focus();
      return;
    }
    keep(name, answer);
    locked();
    document.dispatchEvent(new Event("locked"));
  });
  if (name in answers()) locked();
  box.append(form);
}

/** Draw a star at an answer, as in a notebook. */
function mark(plot, at, answer) {
  const scales = JSON.parse(plot.dataset.scales);
  const share = ({ log, ends }, value) => {
    const [from, to, here] = [...ends, value].map((one) => (log ? Math.log(one) : one));
    return (here - from) / (to - from);
  };
  // An answer that is far off stands at the edge.
  const shares = [share(scales.x, at), share(scales.y, answer)];
  const [x, y] = [scales.x, scales.y].map(({ places: [from, to] }, i) =>
    from + (to - from) * Math.min(1, Math.max(0, shares[i])));
  const beyond = shares[1] > 1 ? " (above this plot)" : shares[1] < 0 ? " (below this plot)" : "";
  const left = shares[0] > 0.5;
  const texts = [["★", x, "middle", 20], [`your prediction${beyond}`, x + (left ? -12 : 12), left ? "end" : "start", 11]];
  const drawn = (name) => document.createElementNS("http://www.w3.org/2000/svg", name);
  const star = drawn("g");
  star.classList.add("yours");
  for (const [words, place, anchor, size] of texts) {
    const made = drawn("text");
    const set = { x: place, y, "text-anchor": anchor, "dominant-baseline": "central", "font-size": size, fill: "currentColor" };
    for (const [key, value] of Object.entries(set)) made.setAttribute(key, value);
    made.textContent = words;
    star.append(made);
  }
  plot.append(star);
}

function hide(result) {
  const asked = JSON.parse(result.dataset.results);
  const shown = [...result.childNodes];
  const says = element("p");
  says.setAttribute("role", "status");
  const anyway = element("button", { type: "button", textContent: "Show it without a prediction" });
  let open = false;
  const show = () => {
    open = true;
    const mine = answers();
    const sentences = asked.filter(({ name }) => name in mine);
    result.replaceChildren(
      ...shown,
      ...sentences.map(({ name, result: found, unit }) => element("p", {}, beside(mine[name], found, unit))),
    );
    const plot = result.querySelector("svg[data-scales]");
    for (const old of result.querySelectorAll(".yours")) old.remove();
    for (const { name, at } of sentences) {
      if (plot && at !== null && typeof mine[name] === "number") mark(plot, at, mine[name]);
    }
  };
  const perhaps = () => {
    const missing = asked.filter(({ name }) => !(name in answers())).length;
    if (open || missing === 0) return show();
    says.textContent = `The result appears when you have locked your prediction (${missing} to go).`;
    result.replaceChildren(says, anyway);
  };
  anyway.addEventListener("click", show);
  document.addEventListener("locked", perhaps);
  perhaps();
}

// Sliders ---------------------------------------------------------------------------------------

function slide(plot) {
  const sliders = Object.entries(JSON.parse(plot.dataset.sliders));
  const plots = [...plot.querySelectorAll("template")].map((one) => one.content.firstElementChild);
  let figure = plot.querySelector("figure");
  plot.querySelector(":scope > p").remove();
  const chosen = sliders.map(() => 0);
  const controls = sliders.map(([name, values], which) => {
    // Numbers stand in their order; the plot begins with the first one given.
    const order = [...values.keys()];
    if (values.every((one) => typeof one === "number")) order.sort((a, b) => values[a] - values[b]);
    const range = element("input", { type: "range", min: 0, max: values.length - 1, step: 1, value: order.indexOf(0) });
    const value = element("output");
    const move = () => {
      chosen[which] = order[range.value];
      value.textContent = values[chosen[which]].toLocaleString("en");
      range.setAttribute("aria-valuetext", value.textContent);
    };
    move();
    range.addEventListener("input", () => {
      move();
      const place = chosen.reduce((sum, at, i) => sum * sliders[i][1].length + at, 0);
      const open = figure.querySelector("details")?.open;
      figure.replaceWith(plots[place]);
      figure = plots[place];
      const numbers = figure.querySelector("details");
      if (numbers) numbers.open = open;
    });
    return element("label", {}, `${name} `, range, " ", value);
  });
  plot.prepend(element("div", { className: "sliders" }, ...controls));
}

// The player of the front page -------------------------------------------------------------------

/** Play a counterexample once, as soon as it is seen; its own button stops it. */
function play(frame) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  new IntersectionObserver(([{ isIntersecting }], observer) => {
    const start = frame.contentDocument?.querySelector("button[aria-label=Play]");
    if (!isIntersecting || !start) return;
    observer.disconnect();
    start.click();
  }, { threshold: [0.5, 0.6, 0.7, 0.8, 0.9, 1] }).observe(frame);
}

addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll("[data-prediction]").forEach(ask);
  document.querySelectorAll("[data-sliders]").forEach(slide);
  document.querySelectorAll("[data-results]").forEach(hide);
});
// A frame is loaded when it comes near.
document.addEventListener("load", ({ target }) => target.matches?.(".tag_playing iframe") && play(target), true);
