"""C11 by its axioms: every candidate execution of a small program, kept if it is consistent.

Written from Lahav, Vafeiadis, Kang, Hur and Dreyer, "Repairing sequential consistency in C/C++11"
(PLDI 2017), with the release sequences of C++20 (read-modify-writes only), and shares nothing with
the checker but the notation for programs (:mod:`checker.shapes`).

The condition on SEQ_CST events is the checker's (docs/explain/checker.md), as an axiom: what must
come before what among them, together with program order and reads-from, has no cycle. It implies
RC11's.
"""

from itertools import permutations, product
from math import factorial, prod

ACQUIRES = ("ACQUIRE", "ACQ_REL", "SEQ_CST")
RELEASES = ("RELEASE", "ACQ_REL", "SEQ_CST")


class Event:
    """One event; ``thread`` is None for the first values of words."""

    def __init__(self, number, thread, name, word, value, order):
        self.number, self.thread, self.name = number, thread, name
        self.word, self.value, self.order = word, value, order
        self.reads = name in ("load", "swap", "fetch_add", "compare_swap")
        self.stores = name in ("store", "swap", "fetch_add", "compare_swap", "init")
        self.fence = name == "fence"
        self.sc = order == "SEQ_CST"


def outcomes(program, words):
    """All combinations of (words' values, results in order) that the axioms allow."""
    found = set()
    for chosen in product(*[_variants(op) for thread in program for op in thread]):
        events = [Event(i, None, "init", w, 0, "RELAXED") for i, w in enumerate(words)]
        misses = []
        at = 0
        for t, thread in enumerate(program):
            for _, word, value, order in thread:
                name = chosen[at]
                misses.append(name == "load" and thread[_index(program, t, at)][0] != "load")
                events.append(Event(len(events), t, name, word, value, order))
                at += 1
        found |= _executions(events, misses, words)
    return found


def size(program, words):
    """How many candidates :func:`outcomes` looks at, at most."""
    ops = [op for thread in program for op in thread]
    stores = [at for name, at, *_ in ops if name not in ("load", "fence")]
    writers = {w: stores.count(w) for w in words}
    tries = prod(2 for name, *_ in ops if name == "compare_swap")
    sources = prod(writers[at] + 1 for name, at, *_ in ops if name not in ("store", "fence"))
    return tries * sources * prod(factorial(n) for n in writers.values())


def _index(program, t, at):
    return at - sum(map(len, program[:t]))


def _variants(op):
    """A compare_swap succeeds, or it is a load."""
    return ["compare_swap", "load"] if op[0] == "compare_swap" else [op[0]]


def _executions(events, misses, words):
    found = set()
    n = len(events)
    sb = {(a.number, b.number) for a in events for b in events if _before(a, b)}
    readers = [e for e in events if e.reads]
    writers = {w: [e for e in events if e.stores and e.word == w] for w in words}
    for sources in product(*[[w for w in writers[r.word] if w is not r] for r in readers]):
        rf = {(w.number, r.number) for w, r in zip(sources, readers, strict=True)}
        if _cyclic(_closure(sb | rf, n), n):
            continue
        values = _values(events, rf)
        if any(
            (e.name == "compare_swap" or misses[e.number - len(words)])
            and (values[w][1] == 0) != (e.name == "compare_swap")
            for w, r in rf
            for e in [events[r]]
        ):
            continue
        for orders in product(*[permutations(writers[w][1:]) for w in words]):
            lines = {w: [writers[w][0], *o] for w, o in zip(words, orders, strict=True)}
            mo = {
                (a.number, b.number)
                for line in lines.values()
                for i, a in enumerate(line)
                for b in line[i + 1 :]
            }
            if _consistent(events, sb, rf, mo, lines):
                ends = [values[lines[w][-1].number][1] for w in words]
                found.add((*ends, *(values[r.number][0] for r in readers)))
    return found


def _before(a, b):
    if a.thread is None or b.thread is None:
        return a.thread is None and b.thread is not None
    return a.thread == b.thread and a.number < b.number


def _values(events, rf):
    """For each event what it reads and what it writes."""
    source = {r: w for w, r in rf}
    values = {}

    def value(k):
        if k not in values:
            event = events[k]
            got = value(source[k])[1] if event.reads else 0
            put = got + event.value if event.name == "fetch_add" else event.value
            values[k] = (got, put)
        return values[k]

    for event in events:
        value(event.number)
    return values


def _consistent(events, sb, rf, mo, lines):
    n = len(events)
    for w, r in rf:
        if events[r].stores:  # atomicity: it stands directly behind what it reads
            line = [e.number for e in lines[events[r].word]]
            if line.index(r) != line.index(w) + 1:
                return False
    hb = _closure(sb | _synchronizes(events, sb, rf), n)
    rb = {(r, w2) for w, r in rf for w1, w2 in mo if w == w1 and r != w2}
    eco = _closure(rf | mo | rb, n)
    if _cyclic(hb, n) or _cyclic(eco, n) or any((b, a) in eco for a, b in hb):
        return False
    return not _cyclic(_closure(sb | rf | _sc_order(events, hb, rf, mo, rb), n), n)


def _synchronizes(events, sb, rf):
    found = set()
    for w, r in rf:
        heads = {w}
        todo = [w]
        while todo:  # back along the release sequence
            k = todo.pop()
            if events[k].reads:
                before = next(a for a, b in rf if b == k)
                heads.add(before)
                todo.append(before)
        givers = {h for h in heads if events[h].order in RELEASES}
        givers |= {
            f for f, h in sb if h in heads and events[f].fence and events[f].order in RELEASES
        }
        takers = {r} if events[r].order in ACQUIRES else set()
        takers |= {f for a, f in sb if a == r and events[f].fence and events[f].order in ACQUIRES}
        found |= {(g, t) for g in givers for t in takers}
    return found


def _sc_order(events, hb, rf, mo, rb):
    """What must come before what among SEQ_CST events, beside program order and reads-from."""
    over = mo | rb
    accesses = {e.number for e in events if e.sc and not e.fence}
    fences = {e.number for e in events if e.sc and e.fence}
    after = {f: {b for a, b in hb if a == f} for f in fences}
    known = {f: {a for a, b in hb if b == f} for f in fences}
    for f in fences:
        known[f] |= {w for w, r in rf if r in known[f]}
    found = {(a, b) for a, b in over if a in accesses and b in accesses}
    for f in fences:
        found |= {(f, b) for a, b in over if a in after[f] and b in accesses}
        found |= {(a, f) for a, b in over if b in known[f] and a in accesses}
        found |= {(f, g) for g in fences for a, b in over if a in after[f] and b in known[g]}
    return found


def _closure(pairs, n):
    reach = [set() for _ in range(n)]
    for a, b in pairs:
        reach[a].add(b)
    for k in range(n):
        for a in range(n):
            if k in reach[a]:
                reach[a] |= reach[k]
    return {(a, b) for a in range(n) for b in reach[a]}


def _cyclic(closed, n):
    return any((a, a) in closed for a in range(n))
