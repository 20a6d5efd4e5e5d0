// State of the machine after each row of a trace: holders, waiters and copies of lines.
//
// A trace is columns of numbers. Positions are row numbers. Binary search answers the questions below,
// so that moving to any position is as cheap as playing.

/** Index of the last element that is not above a value, -1 if there is none. */
export function lastAtMost(sorted, value) {
  let low = 0, high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

export class Replay {
  /** @param data a trace, see player_data.py. */
  constructor(data) {
    this.data = data;
    this.length = data.rows.time.length;
    const lists = (n) => Array.from({ length: n }, () => []);
    this.coreRows = lists(data.cpus);
    data.rows.agent.forEach((agent, row) => agent & 1 || this.coreRows[agent >> 1].push(row));
    this.spans = lists(data.cpus);
    for (const span of data.spans) this.spans[span.cpu].push(span);
    this.byLine = lists(data.lines.length);
    this.byCpu = lists(data.cpus);
    this.ofRow = new Map();
    for (const transfer of data.transfers) {
      this.byLine[transfer.line].push(transfer);
      this.byCpu[transfer.cpu].push(transfer);
      this.ofRow.set(transfer.row, transfer);
    }
    this.evictions = lists(data.lines.length);
    this.evictionOf = new Map();
    for (const eviction of data.evictions) {
      this.evictions[eviction.line].push(eviction);
      this.evictionOf.set(eviction.row, eviction);
    }
    this.requestRows = this.byCpu.map((list) => list.map((transfer) => transfer.row));
    this.lineRows = this.byLine.map((list) => list.map((transfer) => transfer.row));
    this.starts = this.spans.map((list) => list.map((span) => span.start));
  }

  time(row) {
    return this.data.rows.time[row];
  }

  /** The last row at or before a time. */
  rowAt(ps) {
    return Math.max(0, lastAtMost(this.data.rows.time, ps));
  }

  /** The innermost span that a CPU is in, with its phase: "wait", "hold", "release"; or null. */
  phase(cpu, ps) {
    const spans = this.spans[cpu];
    for (let k = lastAtMost(this.starts[cpu], ps), tries = 8; k >= 0 && tries > 0; k--, tries--) {
      const { acquired, released, end } = spans[k];
      if (acquired < 0 || ps < acquired) return { span: spans[k], phase: "wait" };
      if (released < 0 || ps < released) return { span: spans[k], phase: "hold" };
      if (ps < end) return { span: spans[k], phase: "release" };
    }
    return null;
  }

  /** The last row of a CPU's core, at or before a row; -1 before its first. */
  coreRow(cpu, row) {
    const k = lastAtMost(this.coreRows[cpu], row);
    return k < 0 ? -1 : this.coreRows[cpu][k];
  }

  /** A CPU's place in the program after a row, at time ps: a place number, -1 if unknown. */
  place(cpu, ps, row) {
    // A queued request has no row yet, but its core already waits there.
    const requests = this.byCpu[cpu], next = lastAtMost(this.requestRows[cpu], row) + 1;
    for (const request of requests.slice(next, next + 2)) {
      if (!request.buffered && request.asked <= ps) return request.place;
    }
    let last = this.coreRow(cpu, row);
    while (last >= 0 && this.data.rows.place[last] < 0) last = this.coreRow(cpu, last - 1);
    return last < 0 ? -1 : this.data.rows.place[last];
  }

  /** A line's copies after a row: {holders, filler, ready} or null if no CPU has had it. */
  line(line, row) {
    const list = this.byLine[line];
    let k = lastAtMost(this.lineRows[line], row);
    while (k >= 0 && list[k].kind === "none") k--;
    if (k < 0) return null;
    const since = (e) => e.row > list[k].row && e.row <= row;
    const gone = this.evictions[line].filter(since).map((e) => e.cpu);
    const holders = list[k].sharers.filter((cpu) => !gone.includes(cpu));
    return { holders, filler: list[k].cpu, ready: list[k].ready };
  }

  /** CPUs whose request for a line is in its queue at a time. */
  queued(line, ps, row) {
    const list = this.byLine[line], found = [];
    // A waiting request is served later; a queue has at most one entry per agent.
    let k = lastAtMost(this.lineRows[line], row) + 1;
    for (const end = Math.min(list.length, k + 2 * this.data.cpus); k < end; k++) {
      if (list[k].asked <= ps) found.push(list[k].cpu);
    }
    return found;
  }

  /** The text of a row, a sentence without its subject. */
  says(row) {
    const { rows, words, whats, locks } = this.data;
    const what = whats[rows.what[row]], value = rows.value[row];
    const word = rows.word[row] < 0 ? "" : words[rows.word[row]];
    const transfer = this.ofRow.get(row);
    if (transfer) return this.saysTransfer(transfer);
    const eviction = this.evictionOf.get(row);
    if (eviction) {
      const name = this.data.lines[eviction.line].name;
      return `gives up ${name} to make room${eviction.back ? ", writes it back" : ""}`;
    }
    if (rows.lock[row] >= 0) return `${what.replaceAll("_", " ")} ${locks[rows.lock[row]]}`;
    switch (what) {
      case "load": return `load ${word} → ${value}`;
      case "store": return `store ${word} ← ${value}`;
      case "drained": return `${word} becomes ${value} for all`;
      case "compute": return `computes for ${(value / 1000).toLocaleString("en")} ns`;
      case "wake": return `wakes thread ${value}`;
      case "pause": case "fence": case "block": case "done": case "note": return what;
    }
    return word ? `${what} ${word}, was ${value}` : what;
  }

  saysTransfer({ line, kind, supplier, losers, asked, ready, buffered }) {
    const name = this.data.lines[line].name;
    const from = supplier < 0 ? "memory" : `CPU ${supplier}`;
    const took = `${((ready - asked) / 1000).toLocaleString("en")} ns`;
    const gone = losers.length ? `; CPU ${losers.join(", ")} lost ${losers.length > 1 ? "copies" : "its copy"}` : "";
    const who = buffered ? "for a buffered store " : "";
    if (kind === "none") return `${who}finds ${name} here already`;
    if (kind === "upgrade") return `${who}gets the right to write ${name}, ${took} after the request${gone}`;
    return `${who}gets ${name} from ${from} to ${kind}, ${took} after the request${gone}`;
  }
}
