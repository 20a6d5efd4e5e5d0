"""A race in words: the two accesses, and the order between them that is missing."""

from __future__ import annotations

from locksim.checker.models import layout as m
from locksim.checker.models import registers as rg
from locksim.checker.replay.path import Replay, where
from locksim.compiler import bytecode as b
from locksim.lang.ops import Order

_ACQUIRES = (Order.ACQUIRE, Order.ACQ_REL, Order.SEQ_CST)
_RELEASES = (Order.RELEASE, Order.ACQ_REL, Order.SEQ_CST)


def message(path: Replay) -> str:
    """Which accesses the race is between that the last step of a path shows, and what is missing.

    Where the steps before are not known (in the game), only the last access is named.
    """
    freed = _opcode(path, -1) == b.FREE
    address = path.note[rg.N_ADDRESS]
    name = path.names.object(address).lstrip("&") if freed else path.names.word(address)
    last, first = len(path.steps) - 1, _other(path, freed)
    if first is None:
        mine = f"{_kind(path, last)} by thread {path.thread}"
        return f"nothing orders the {mine} after another thread's access to {name}"
    both = "\n".join(f"  {_access(path, k)}" for k in (first, last))
    return f"two accesses to {name} are not ordered:\n{both}\n{_missing(path, first)}"


def _opcode(path: Replay, k: int) -> int:
    return path.model.program.code[path.pcs[k]][0]


def _kind(path: Replay, k: int) -> str:
    names = {b.LOAD: "load", b.STORE: "store", b.FREE: "free"}
    return names.get(_opcode(path, k), "atomic update")


def _access(path: Replay, k: int) -> str:
    """A step as an access: ``store by thread 0 (step 3, bad.py:12 in Bad.release)``."""
    place = where(path.model.program.places[path.pcs[k]])
    return f"{_kind(path, k)} by thread {path.steps[k].thread} (step {k + 1}, {place})"


def _other(path: Replay, freed: bool) -> int | None:
    """The step of another thread that the last one races with.

    C11's pool has an entry for each access that some thread does not know (``models.c11``): for
    plain words the last store and the loads since, with their threads; for other words every
    message but the last.
    """
    size, shared, last = path.model.tables.size, path.shared, path.steps[-1]
    end = last.address + 1
    if freed:
        line = last.address >> size[m.LINE_SHIFT]
        kind = shared[size[m.OBJECT] + line]
        end = (line + path.model.tables.type_lines[kind - 1]) << size[m.LINE_SHIFT]
    unknown = set()
    for i in range(shared[size[m.OLD]]):
        key, who = shared[size[m.KEYS] + i], shared[size[m.VALUES] + i]
        address, loaded = key >> 2, key & 3 == 2
        if last.address <= address < end and not shared[size[m.CUR] + path.thread] >> i & 1:
            plain = path.model.tables.plain[address]
            unknown.add((address, loaded, who if plain else -1))
    for k in range(len(path.steps) - 2, -1, -1):
        step, op = path.steps[k], _opcode(path, k)
        if step.thread != path.thread and b.LOAD <= op <= b.FETCH_XOR:
            access = step.address, op == b.LOAD
            if unknown & {(*access, step.thread), (*access, -1)}:
                return k
    return None


def _missing(path: Replay, first: int) -> str:
    """What would have ordered the step ``first`` before the last one."""
    who, me = path.steps[first].thread, path.thread
    pair = _handoff(path, first)
    if pair is None:
        return (
            f"between them no load of thread {me} with ACQUIRE reads a store of thread {who} with "
            "RELEASE"
        )
    sent, got = pair
    wrong = []
    for k, good, order in ((sent, _RELEASES, "RELEASE"), (got, _ACQUIRES, "ACQUIRE")):
        if (has := _order(path, k)) not in good:
            both = order if has is Order.RELAXED else "ACQ_REL"  # an update keeps its other half
            wrong.append((k, f"the {_kind(path, k)} in step {k + 1} is {has.name}", both))
    head = f"thread {me} reads {path.steps[got].word} in step {got + 1} from thread {who}'s step "
    return (
        f"{head}{sent + 1}, but {' and '.join(text for _, text, _ in wrong)}\n"
        f"help: make {' and '.join(f'step {k + 1} {order}' for k, _, order in wrong)}"
    )


def _handoff(path: Replay, first: int) -> tuple[int, int] | None:
    """The steps by which one thread hands a word to the other in too weak an order, or None.

    With fences in the program an order of the access itself proves nothing, so none is blamed.
    """
    if any(row[0] == b.FENCE for row in path.model.program.code):
        return None
    steps, who = path.steps, path.steps[first].thread
    for got in range(len(steps) - 2, first, -1):
        if steps[got].thread != path.thread or not _reads(_opcode(path, got)):
            continue
        for sent in range(got - 1, first, -1):
            same = steps[sent].address == steps[got].address and _stores(path, sent)
            if not same:
                continue
            if steps[sent].thread == who and steps[sent].new == steps[got].old:
                good = _order(path, sent) in _RELEASES and _order(path, got) in _ACQUIRES
                if not good:
                    return sent, got
            break
    return None


def _reads(op: int) -> bool:
    return b.LOAD <= op <= b.FETCH_XOR and op != b.STORE


def _stores(path: Replay, k: int) -> bool:
    """Whether a step has stored; a compare_swap that fails has not."""
    op, step = _opcode(path, k), path.steps[k]
    if op == b.COMPARE_SWAP:
        return step.old != step.new
    return b.STORE <= op <= b.FETCH_XOR


def _order(path: Replay, k: int) -> Order:
    return Order(path.model.program.code[path.pcs[k]][b.WIDTH - 1])
