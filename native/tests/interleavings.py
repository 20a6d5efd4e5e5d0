"""All interleavings of a small program, without any reduction: what programs/table.c does.

A state is (words, owners of the mutexes, buffers, threads); a thread is (operation, step within it,
what it has read). Nothing here is shared with the explorer.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

Operation = tuple[int, int, int]
"""What, which word, which value: the numbers of programs/table.c."""
Program = tuple[tuple[Operation, ...], ...]

LOAD, STORE, STORE_SC, ADD, CAS, FENCE, LOCK, UNLOCK = range(8)
AWAIT, POLL, TAS, ANNOUNCE, TRY = range(8, 13)
READ, WRITE, LEAVE, POST, WAIT = range(13, 18)
"""Of one reader-writer lock, and of one semaphore."""


class Thread(NamedTuple):
    """Where a thread is."""

    at: int = 0
    step: int = 0
    seen: tuple[int, ...] = ()
    found: int = 0


class State(NamedTuple):
    """Everything."""

    words: tuple[int, ...]
    owners: tuple[int, ...]
    buffers: tuple[tuple[tuple[int, int], ...], ...]
    threads: tuple[Thread, ...]
    readers: tuple[int, ...] = ()
    writer: int = -1
    posts: int = 0


def start(program: Program) -> State:
    """Return the state before the first step."""
    n = len(program)
    return State((0,) * 4, (-1, -1), ((),) * n, (Thread(),) * n)


def is_over(program: Program, state: State) -> bool:
    """Return whether all threads have ended and all stores have arrived."""
    return not any(state.buffers) and all(
        thread.at == len(operations)
        for thread, operations in zip(state.threads, program, strict=True)
    )


def outcome(state: State) -> tuple[int, ...]:
    """Return what programs/table.c writes down."""
    return (*state.words, *(one for thread in state.threads for one in thread.seen))


def _put(values: tuple[int, ...], at: int, value: int) -> tuple[int, ...]:
    return (*values[:at], value, *values[at + 1 :])


def successors(program: Program, state: State, tso: bool) -> Iterator[tuple[int, State]]:
    """Yield who steps (buffers count from 100), and the state afterwards."""
    for me in range(len(program)):
        if state.buffers[me]:
            (word, value), *left = state.buffers[me]
            buffers = (*state.buffers[:me], tuple(left), *state.buffers[me + 1 :])
            words = _put(state.words, word, value)
            yield 100 + me, state._replace(words=words, buffers=buffers)
        if state.threads[me].at < len(program[me]):
            after = _step(program[me][state.threads[me].at], state, me, tso)
            if after is not None:
                yield me, after


def _step(operation: Operation, state: State, me: int, tso: bool) -> State | None:
    """What a thread's next step leads to; None: it has to wait."""
    what, word, value = operation
    thread, buffer = state.threads[me], state.buffers[me]
    words, owners = state.words, state.owners
    mutex = 0 if what == POLL else word % 2

    def visible(which: int) -> int:
        return next((v for w, v in reversed(buffer) if w == which), words[which])

    def at(step: int, found: int = 0) -> tuple[Thread, ...]:
        moved = thread._replace(step=step, found=found)
        return (*state.threads[:me], moved, *state.threads[me + 1 :])

    def done(result: int) -> tuple[Thread, ...]:
        moved = Thread(thread.at + 1, 0, (*thread.seen, result), 0)
        return (*state.threads[:me], moved, *state.threads[me + 1 :])

    if what == LOAD:
        return state._replace(threads=done(visible(word)))
    if what == STORE and tso:
        kept = (*state.buffers[:me], (*buffer, (word, value)), *state.buffers[me + 1 :])
        return state._replace(buffers=kept, threads=done(0))
    if what == AWAIT:
        same = visible(word) != value
        return state._replace(threads=at(0)) if same else state._replace(threads=done(0))
    if what == ANNOUNCE and thread.step == 1:
        is_set = visible((word + 1) % 4)
        return state._replace(threads=at(2) if is_set else done(0))
    if what == POLL and thread.step == 1:
        return state._replace(threads=at(2, visible(word)))
    if buffer:
        return None  # all others are barriers
    if what in (STORE, STORE_SC):
        return state._replace(words=_put(words, word, value), threads=done(0))
    if what == ADD:
        return state._replace(
            words=_put(words, word, words[word] + value), threads=done(words[word])
        )
    if what == CAS:
        if words[word] != 0:
            return state._replace(threads=done(0))
        return state._replace(words=_put(words, word, value), threads=done(1))
    if what == FENCE:
        return state._replace(threads=done(0))
    if what == TAS:
        moved = at(0) if words[word] else done(0)
        return state._replace(words=_put(words, word, 1), threads=moved)
    if what == ANNOUNCE:
        if thread.step == 0:
            return state._replace(words=_put(words, word, 1), threads=at(1))
        return state._replace(words=_put(words, word, 0), threads=at(0))
    if what == READ:
        inside = tuple(sorted((*state.readers, me)))
        return state._replace(threads=done(0), readers=inside) if state.writer == -1 else None
    if what == WRITE:
        is_free = state.writer == -1 and not state.readers
        return state._replace(threads=done(0), writer=me) if is_free else None
    if what == LEAVE:
        left = tuple(sorted(reader for reader in state.readers if reader != me))
        writer = -1 if state.writer == me else state.writer
        return state._replace(threads=done(0), readers=left, writer=writer)
    if what == POST:
        return state._replace(threads=done(0), posts=state.posts + 1)
    if what == WAIT:
        return state._replace(threads=done(0), posts=state.posts - 1) if state.posts else None
    if what == LOCK or (what in (POLL, TRY) and thread.step == 0):
        if owners[mutex] != -1:
            return state._replace(threads=done(1)) if what == TRY else None
        taken = _put(owners, mutex, me)
        return state._replace(owners=taken, threads=done(0) if what == LOCK else at(1))
    if what == POLL:
        free = _put(owners, mutex, -1)
        return state._replace(owners=free, threads=done(0) if thread.found == value else at(0))
    return state._replace(owners=_put(owners, mutex, -1), threads=done(0))  # UNLOCK, TRY


class Graph:
    """All states that a program can reach.

    Attributes:
        after: state → who steps, and where that leads.
        outcomes: those of the runs that end.
        can_fail_to_end: from some state no way leads to an end.
        can_go_round: threads can go on for ever, each of them, without one that ends.
    """

    def __init__(self, program: Program, tso: bool) -> None:
        self.program = program
        first = start(program)
        self.after: dict[State, list[tuple[int, State]]] = {}
        todo = [first]
        while todo:
            state = todo.pop()
            if state not in self.after:
                self.after[state] = list(successors(program, state, tso))
                todo += [then for _, then in self.after[state]]
        ends = [state for state in self.after if is_over(program, state)]
        self.outcomes = {outcome(state) for state in ends}
        self.can_fail_to_end = len(self._leading_to(ends)) < len(self.after)
        self.can_go_round = self._has_cycle()

    def _leading_to(self, ends: list[State]) -> set[State]:
        before: dict[State, list[State]] = {state: [] for state in self.after}
        for state, following in self.after.items():
            for _, then in following:
                before[then].append(state)
        found, todo = set(ends), list(ends)
        while todo:
            new = [state for state in before[todo.pop()] if state not in found]
            found.update(new)
            todo += new
        return found

    def _has_cycle(self) -> bool:
        """Whether the graph has a cycle of more than one state or a step that stays."""
        colour: dict[State, int] = {}
        for first in self.after:
            stack = [(first, iter(self.after[first]))] if first not in colour else []
            colour.setdefault(first, 1)
            while stack:
                state, following = stack[-1]
                for _, then in following:
                    if colour.get(then) == 1:
                        return True
                    if then not in colour:
                        colour[then] = 1
                        stack.append((then, iter(self.after[then])))
                        break
                else:
                    colour[state] = 2
                    stack.pop()
        return False


def traces(program: Program, tso: bool) -> int:
    """Return how many runs there are that differ in more than the order of steps that commute.

    Only for programs of loads, stores, updates and fences. Each interleaving is made, and brought
    into a normal form: for each step the steps of others that it depends on, directly.
    """
    found: set[frozenset[tuple[object, ...]]] = set()

    def touch(state: State, who: int) -> tuple[int, bool, bool]:
        me = who % 100
        if who >= 100:
            return state.buffers[me][0][0], True, False
        what, word, _ = program[me][state.threads[me].at]
        if what == FENCE or (what == STORE and tso):
            return -1, False, False
        forwarded = what == LOAD and any(word == w for w, _ in state.buffers[me])
        changes = what in (STORE, STORE_SC, ADD) or (what == CAS and state.words[word] == 0)
        return word, changes, forwarded

    def walk(state: State, steps: list[tuple[int, int, bool, bool]]) -> None:
        following = list(successors(program, state, tso))
        if not following:
            found.add(_normal_form(steps))
        for who, then in following:
            walk(then, [*steps, (who, *touch(state, who))])

    walk(start(program), [])
    return len(found)


def _normal_form(steps: list[tuple[int, int, bool, bool]]) -> frozenset[tuple[object, ...]]:
    counts: dict[int, int] = {}
    named: list[tuple[int, int]] = []
    edges: set[tuple[object, ...]] = set()
    for i, (who, word, changes, forwarded) in enumerate(steps):
        counts[who] = counts.get(who, 0) + 1
        named.append((who, counts[who]))
        edges.add((named[i], word, changes, forwarded))
        for j, (other, at, changed, kept) in enumerate(steps[:i]):
            own = other % 100 == who % 100
            if other != who and word == at >= 0 and (changes or changed):
                if own or not (forwarded or kept):
                    edges.add((named[j], named[i]))
    return frozenset(edges)
