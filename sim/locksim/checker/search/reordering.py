"""The accesses that an exploration has met, for the limits that C11's reorderings set.

Which pairs of accesses can give a limit is said in :mod:`locksim.checker.program_order`. Its
questions are asked of what the exploration has met: which thread, which row of the program, which
word. A word that one thread alone accesses, that no thread writes, that is plain, or that a lock
protects carries nothing from thread to thread. A store into an object that the thread itself has
allocated overtakes nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property

from locksim.checker.models import layout as m
from locksim.checker.models.program import defines, live, reaching, successors, uses
from locksim.checker.program_order import Access, ProgramOrder
from locksim.checker.search.accesses import ON_WORDS, accesses_of, name_of, writes
from locksim.checker.search.explore import Exploration
from locksim.compiler import bytecode as b
from locksim.compiler.control_flow import reachable
from locksim.core.faults import place
from locksim.lang.ops import Order


def reorderings(found: Exploration) -> list[str]:
    """The limits of a proof under C11 that come from what the model does not reorder.

    Arguments:
        found: a complete exploration, under any memory model.
    """
    if found.model.tables.size[m.MODEL] != m.C11:
        return []
    program, code = found.model.program, found.model.program.code

    def place_of(k: int) -> str:
        return place(program.places[k].file, program.places[k].line)

    return ProgramOrder(
        accesses={k: _access(row) for k, row in enumerate(code) if _orders(row)},
        words=_contended(found),
        overtaking=_Overtaking(found),
        later=_later(code),
        place=place_of,
        name=lambda word: name_of(found, word),
    ).limits()


def _contended(found: Exploration) -> dict[int, dict[int, set[int]]]:
    """Thread → row → the words that it accesses, of those over which threads affect each other."""
    code = found.model.program.code
    accesses = accesses_of(found)
    threads: dict[int, set[int]] = defaultdict(set)
    locks: dict[int, int] = defaultdict(lambda: -1)
    for (thread, _, word), held in accesses.items():
        threads[word].add(thread)
        locks[word] &= held
    written = {word for _, row, word in accesses if writes(code[row])}
    data = found.tables.plain if found.tables.size[m.WATCH] & m.WATCH_RACES else ()
    contended = {
        word
        for word in written
        if len(threads[word]) > 1 and not locks[word] and not (word < len(data) and data[word])
    }
    words: dict[int, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    for thread, row, word in sorted(accesses):
        if word in contended:
            words[thread][row].add(word)
    return words


class _Overtaking:
    """The RELAXED stores after a load that do not depend on it, up to a synchronisation.

    Arguments:
        found: a complete exploration.
    """

    def __init__(self, found: Exploration) -> None:
        self.program, self.code = found.model.program, found.model.program.code

    def __call__(self, load: int) -> set[int]:
        """Those that could come before a load."""
        code = self.code

        def after(k: int) -> list[int]:
            return [j for j in successors(code[k], k) if j != load and not _synchronises(code[j])]

        between, depends = reachable(after(load), after), self._depending([load])
        stores = {
            k
            for k in between - depends - self._into_fresh
            if code[k][0] in ON_WORDS and writes(code[k]) and code[k][-1] == Order.RELAXED
        }
        for k in between & depends:
            ways = successors(code[k], k)
            if stores and len(ways) > 1:
                reached = [reachable({way} & {*after(k)}, after) for way in ways]
                stores -= reached[0] ^ reached[1]
        return stores

    @cached_property
    def _into_fresh(self) -> set[int]:
        """The rows that use the address of an object that the same thread has allocated."""
        return self._depending(k for k, row in enumerate(self.code) if row[0] == b.ALLOC)

    def _depending(self, rows: Iterable[int]) -> set[int]:
        """The rows that use what some rows have put into registers, also by way of others."""
        code = self.code
        carries, grown, depends = {*rows}, set[int](), set[int]()
        while carries - grown:
            grown |= carries
            for k, registers in self._reaching.items():
                read = uses(code[k])
                if any(read >> r & 1 and by & carries for r, by in registers.items()):
                    depends.add(k)
                    if defines(code[k]) and code[k][0] not in ON_WORDS:
                        carries.add(k)
        return depends

    @cached_property
    def _reaching(self) -> dict[int, dict[int, frozenset[int]]]:
        return reaching(self.program, live(self.code))


def _access(row: list[int]) -> Access:
    if row[0] == b.FENCE:
        return Access(Order(row[-1]))
    return Access(Order(row[-1]), reads=_reads(row), writes=writes(row))


def _reads(row: list[int]) -> bool:
    """Whether an operation on a word reads it; a SEQ_CST store is a SWAP with a mark."""
    return row[0] != b.STORE and not (row[0] == b.SWAP and row[b.WIDTH - 2])


def _synchronises(row: list[int]) -> bool:
    return _orders(row) and _access(row).synchronises


def _orders(row: list[int]) -> bool:
    return row[0] in ON_WORDS or row[0] == b.FENCE


def _later(code: list[list[int]]) -> list[int]:
    """For each row the rows that may run after it, of those that order anything, as a bit set."""
    later = [0] * len(code)
    before: list[list[int]] = [[] for _ in code]
    for k, row in enumerate(code):
        for after in successors(row, k):
            before[after].append(k)
    todo = [k for k, row in enumerate(code) if _orders(row)]
    while todo:
        k = todo.pop()
        found = later[k] | (1 << k if _orders(code[k]) else 0)
        for j in before[k]:
            if found & ~later[j]:
                later[j] |= found
                todo.append(j)
    return later
