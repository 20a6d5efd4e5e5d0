// The editor: CodeMirror with Python's syntax, and the language's mistakes at their place.

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";

export class Editor {
  /** @param changed is called after each change of the text. */
  constructor(element, changed) {
    this.view = new EditorView({
      parent: element,
      extensions: [
        lineNumbers(), EditorView.lineWrapping, history(), drawSelection(), indentOnInput(), indentUnit.of("    "),
        bracketMatching(), highlightActiveLine(), lintGutter(), python(),
        syntaxHighlighting(classHighlighter),
        // The tabulator leaves the editor, so that a keyboard alone gets past it.
        keymap.of([...defaultKeymap, ...historyKeymap]),
        EditorView.contentAttributes.of({ "aria-label": "Program", "aria-describedby": "mistake", tabindex: "0" }),
        EditorView.updateListener.of((update) => update.docChanged && changed()),
      ],
    });
  }

  get text() {
    return this.view.state.doc.toString();
  }

  set text(text) {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  /** Show a mistake of the compiler at its place, or none. */
  mark(mistake) {
    const { doc } = this.view.state, found = [];
    if (mistake && mistake.line > 0 && mistake.line <= doc.lines) {
      const line = doc.line(mistake.line);
      const from = Math.min(line.from + mistake.column - 1, line.to);
      const to = Math.min(line.from + mistake.end_column - 1, line.to);
      found.push({ from, to, severity: "error", message: `${mistake.message}. ${mistake.help}` });
    }
    this.view.dispatch(setDiagnostics(this.view.state, found));
  }

  /** Put the cursor on a line. */
  go(number) {
    const line = this.view.state.doc.line(Math.min(number, this.view.state.doc.lines));
    this.view.dispatch({ selection: { anchor: line.from }, scrollIntoView: true });
    this.view.focus();
  }
}
