// Small helpers for elements, themes and keys that both views share.

/** An element: tag, attributes (on… are listeners), children (text or elements). */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child != null));
  return element;
}

/** A button with a visible symbol and a name for screen readers. */
export function button(sign, name, press, keys = "") {
  const title = keys ? `${name} (${keys})` : name;
  return make("button", { type: "button", "aria-label": name, title, onclick: press }, sign);
}

/** Follow the theme of the notebook (JupyterLab, VS Code), or of the system; returns a function that stops it. */
export function followTheme(root, changed) {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    const body = document.body;
    const lab = body.dataset.jpThemeLight;
    const code = [...body.classList].find((name) => /^vscode-(dark|light|high)/.test(name));
    const dark = lab ? lab === "false" : code ? !code.includes("light") : system.matches;
    root.dataset.theme = dark ? "dark" : "light";
    changed();
  };
  const watch = new MutationObserver(apply);
  watch.observe(document.body, { attributes: true });
  system.addEventListener("change", apply);
  apply();
  return () => {
    watch.disconnect();
    system.removeEventListener("change", apply);
  };
}

/** Whether a key is for the focused element instead of the player. */
export function keyIsTaken(event) {
  const tag = event.target.tagName;
  if (event.ctrlKey || event.metaKey || event.altKey || tag === "SELECT") return true;
  if (tag === "BUTTON") return event.key === " " || event.key === "Enter";
  return tag === "INPUT" && event.key.startsWith("Arrow");
}

/** Picoseconds for people, with enough digits for a step of the given size. */
export function time(ps, step = ps / 1000) {
  const [unit, size] = ps >= 1e6 || step >= 1e5 ? ["µs", 1e6] : ["ns", 1e3];
  const digits = Math.min(6, Math.max(0, Math.ceil(-Math.log10(Math.max(step, 1) / size))));
  return `${(ps / size).toFixed(digits)} ${unit}`;
}

/** A place in the program, as `ticket.py:31`. */
export function where(place) {
  return place && place.line ? `${place.file}:${place.line}` : "";
}
