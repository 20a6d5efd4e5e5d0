// Sources of the game's moves: a graph inside the page, or Python behind a notebook.
//
// Both answer the same two questions about a path (a list of moves, each a number "via" that the
// checker assigned): at(path) → {frame, moves}, and hint(path) → {can, via, distance, text}.

/** All states of a small client, as written by the checker (checker/play/graph.py). */
export class GraphMoves {
  constructor(game) {
    this.game = game;
  }

  async at(path) {
    const { game } = this;
    let state = game.start, last = null;
    for (const via of path) {
      last = this.out(state).find((move) => move.via === via);
      if (!last.to) break;
      state = last.to;
    }
    const words = game.shared[state[game.threads]];
    const [found, message] = (last && last.found ? [last.found, last.message] : game.ends[state.join()]) || ["", ""];
    return {
      frame: {
        step: last && last.step, found, message,
        words: game.words.map((name, k) => [name, words[k]]),
        threads: state.slice(0, -1).map((row) => ({ ...game.rows[row], place: game.places[game.rows[row].place] })),
      },
      moves: found ? [] : this.out(state).map(({ via, thread, action, label }) => ({ via, thread, action, label })),
    };
  }

  /** The moves out of a state: a thread's moves depend on its own row and the shared one. */
  out(state) {
    const { game } = this, shared = state[game.threads];
    return state.slice(0, -1).flatMap((row, thread) =>
      (game.memo[`${row},${shared}`] || []).map(([via, newRow, newShared, step, found, message]) => {
        const to = newRow < 0 ? null : [...state.slice(0, thread), newRow, ...state.slice(thread + 1, -1), newShared];
        const known = game.steps[step];
        return { via, thread, action: known.action, label: known.label, step: { ...known, ...game.places[known.place] }, to, found, message };
      }));
  }

  async hint(path) {
    const { game } = this;
    let state = game.start;
    for (const via of path) state = this.out(state).find((move) => move.via === via).to || state;
    const known = game.hints[state.join()];
    return known ? { can: true, via: known[0], distance: known[1] } : { can: false };
  }
}

/** Python answers through the widget's messages. */
export class PythonMoves {
  constructor(model) {
    this.model = model;
    this.waiting = new Map();
    this.last = 0;
    model.on("msg:custom", (answer) => {
      this.waiting.get(answer.id)?.(answer);
      this.waiting.delete(answer.id);
    });
  }

  ask(question, path) {
    const id = ++this.last;
    this.model.send({ id, ask: question, path });
    return new Promise((done) => this.waiting.set(id, done));
  }

  at(path) {
    return this.ask("at", path);
  }

  hint(path) {
    return this.ask("hint", path);
  }
}
