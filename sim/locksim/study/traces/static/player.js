// The player: shows a trace, a counterexample or the scheduler's game, in a notebook or on a page.
//
// One module for both: JupyterLab and VS Code call render(), a page calls mount(). Data has a
// "kind" that selects the view.

import { followTheme, keyIsTaken, make } from "./dom.js";
import { GameView } from "./game_view.js";
import { GraphMoves, PythonMoves } from "./moves.js";
import { StepsView, framesOf } from "./steps_view.js";
import { TraceView } from "./trace_view.js";

/** Show data in an element; returns a function that removes it. */
export function mount(element, data, model = null) {
  const root = make("div", { class: "locklab", tabindex: 0, role: "group", "aria-label": `LockLab: ${data.title}` });
  element.append(root);
  let view = null;
  const unfollow = followTheme(root, () => view?.redraw());
  view = viewOf(root, data, model);
  root.addEventListener("keydown", (event) => {
    if (keyIsTaken(event) || !view.key(event)) return;
    event.preventDefault();
    event.stopPropagation(); // else JupyterLab would run it as a command
  });
  root.dataset.ready = "yes";
  return () => {
    unfollow();
    view.close();
    root.remove();
  };
}

function viewOf(root, data, model) {
  switch (data.kind) {
    case "trace": return new TraceView(root, data);
    case "counterexample": return new StepsView(root, data, framesOf(data));
    case "game": return new GameView(root, data, data.memo ? new GraphMoves(data) : new PythonMoves(model));
  }
  throw new Error(`no view for data of kind "${data.kind}"`);
}

function render({ model, el }) {
  return mount(el, model.get("data"), model);
}

export default { render };
