"""Where C11 lets a program do more than the model does, by what the program has been seen to do.

The model takes each thread's operations in program order. C11 is weaker than that in two ways:

*Load buffering.* A RELAXED store may take effect before a load that its thread does first, if the
store does not depend on the load (by a value, or by a branch). The load is RELAXED, too. Pairs
with a fence, an ACQUIRE or a RELEASE between them are not counted, although some machines let a
store pass some of these. Nor are stores into an object that the thread itself has allocated.
Another thread can notice only if it answers: it reads the store, and writes what the load then
reads, perhaps over further threads. So there must be a cycle of words, each of whose steps is
"reads this word, and later writes that one" by a thread, and the first step must be such a pair.

*SEQ_CST.* In the model the SEQ_CST operations stand in the order in which they happen. In C11 two
of them need not, if only accesses that do not synchronise tell their order: one thread writes a
word after the first operation, another reads it before the second, and not both by release and
acquire. Another way must lead back from the second to the first, over words that SEQ_CST accesses
share. (Between two fences there is no difference.)

Both questions are asked of the accesses that an exploration has met: which thread, which row of the
program, which word. A word that one thread alone accesses, that no thread writes, that is plain, or
that a lock protects carries nothing from thread to thread.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import permutations, product

from locksim.checker.limits import limit
from locksim.checker.models import layout as m
from locksim.checker.models.program import defines, live, reaching, successors, uses
from locksim.checker.search.explore import Exploration
from locksim.compiler import bytecode as b
from locksim.compiler.control_flow import reachable
from locksim.core.faults import place
from locksim.lang.ops import Order

_WORDS = range(b.LOAD, b.FETCH_XOR + 1)
"""The operations on words."""


def reorderings(found: Exploration) -> list[str]:
    """The limits of a proof under C11 that come from what the model does not reorder.

    Arguments:
        found: a complete exploration, under any memory model.
    """
    if found.model.tables.size[m.MODEL] != m.C11:
        return []
    contended = _Contended(found)
    return [*contended.load_buffering(), *contended.contradictions()]


class _Contended:
    """The accesses of words over which threads can affect each other.

    Arguments:
        found: a complete exploration.
    """

    def __init__(self, found: Exploration) -> None:
        self.program, self.memory = found.model.program, found.model.memory
        code = self.code = self.program.code
        accesses = _accesses(found)
        threads: dict[int, set[int]] = defaultdict(set)
        locks: dict[int, int] = defaultdict(lambda: -1)
        for (thread, _, word), held in accesses.items():
            threads[word].add(thread)
            locks[word] &= held
        written = {word for _, row, word in accesses if _writes(code[row])}
        data = found.tables.plain if found.tables.size[m.WATCH] & m.WATCH_RACES else ()
        contended = {
            word
            for word in written
            if len(threads[word]) > 1 and not locks[word] and not (word < len(data) and data[word])
        }
        self.words: dict[int, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
        for thread, row, word in sorted(accesses):
            if word in contended:
                self.words[thread][row].add(word)

    def load_buffering(self) -> Iterator[str]:
        """The limit of a store that could come before a load, if threads could notice it."""
        for thread, rows in self.words.items():
            loads = [k for k in rows if _reads(self.code[k]) and not _synchronises(self.code[k])]
            for load in loads:
                for store in sorted(self._overtaking(load) & rows.keys()):
                    for word, other in product(rows[load], rows[store]):
                        if word != other and word in self._answers(other, thread):
                            read, write = self._place(load), self._place(store)
                            yield limit("load-buffering", load=read, store=write)
                            return

    def _overtaking(self, load: int) -> set[int]:
        """The RELAXED stores after a load that do not depend on it, up to a synchronisation."""
        code = self.code

        def after(k: int) -> list[int]:
            return [j for j in successors(code[k], k) if j != load and not _synchronises(code[j])]

        between, depends = reachable(after(load), after), self._depending([load])
        stores = {
            k
            for k in between - depends - self._into_fresh
            if code[k][0] in _WORDS and _writes(code[k]) and code[k][-1] == Order.RELAXED
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
                    if defines(code[k]) and code[k][0] not in _WORDS:
                        carries.add(k)
        return depends

    @cached_property
    def _reaching(self) -> dict[int, dict[int, frozenset[int]]]:
        return reaching(self.program, live(self.code))

    def _answers(self, word: int, thread: int) -> set[int]:
        """The words that others than a thread may write because one has read a word, and so on."""
        pairs = [self._pairs[other] for other in self.words.keys() - {thread}]
        return reachable([word], lambda w: {v for p in pairs for v in p[w]})

    @cached_property
    def _pairs(self) -> dict[int, dict[int, set[int]]]:
        """Of each thread: word → words that it may write after it has read that one."""
        found: dict[int, dict[int, set[int]]] = {}
        for thread, rows in self.words.items():
            found[thread] = defaultdict(set)
            for first, second in product(rows, rows):
                if _reads(self.code[first]) and _writes(self.code[second]):
                    if self._later[first] >> second & 1:
                        for word in rows[first]:
                            found[thread][word] |= rows[second]
        return found

    def contradictions(self) -> Iterator[str]:
        """The limit of two SEQ_CST operations whose order C11 leaves open, if it can be noticed."""
        code = self.code
        strong = [k for k, row in enumerate(code) if _orders(row) and row[-1] == Order.SEQ_CST]
        fences = {k for k in strong if code[k][0] == b.FENCE}
        if len(fences) == len(strong):
            return
        for one, other in permutations(self.words, 2):
            for word in sorted(self._all_words(one) & self._all_words(other)):
                over = {
                    (first, first in fences or code[row][-1] >= Order.RELEASE)
                    for row in self._accessing(one, word, writes=True)
                    for first in strong
                    if self._in_order(first, row)
                }
                heard = {
                    (second, second in fences or _acquires(code[row]))
                    for row in self._accessing(other, word, writes=False)
                    for second in strong
                    if self._in_order(row, second)
                }
                for (first, releases), (second, acquires) in product(sorted(over), sorted(heard)):
                    if (releases and acquires) or {first, second} <= fences:
                        continue
                    if self._leads_back(one, first, other, second):
                        places = self._place(first), self._place(second)
                        name = self.memory.name(word)
                        yield limit("seq-cst", first=places[0], second=places[1], word=name)
                        return

    def _leads_back(self, one: int, first: int, other: int, second: int) -> bool:
        """Whether accesses that C11 has in order can lead from the second operation to the first.

        They begin with an access after the second, and end with one before the first: a SEQ_CST
        one, beside a fence any. What is between are SEQ_CST accesses.
        """
        fence, code = b.FENCE, self.code
        ends = {
            word
            for row, words in self.words[one].items()
            if self._in_order(row, first) and (code[first][0] == fence or _seq_cst(code[row]))
            for word in words
        }
        begins = {
            word
            for row, words in self.words[other].items()
            if self._in_order(second, row) and (code[second][0] == fence or _seq_cst(code[row]))
            for word in words
        }
        return bool(ends & reachable(begins, lambda word: self._seq_cst_after[word]))

    @cached_property
    def _seq_cst_after(self) -> dict[int, set[int]]:
        """Word → words of SEQ_CST accesses that a thread may do after one of that word."""
        found: dict[int, set[int]] = defaultdict(set)
        for rows in self.words.values():
            some = [row for row in rows if _seq_cst(self.code[row])]
            for first, second in product(some, some):
                if self._in_order(first, second):
                    for word in rows[first]:
                        found[word] |= rows[second]
        return found

    def _all_words(self, thread: int) -> set[int]:
        return set().union(*self.words[thread].values())

    def _accessing(self, thread: int, word: int, *, writes: bool) -> list[int]:
        """The rows in which a thread writes a word, or reads it."""
        does = _writes if writes else _reads
        return [
            k for k, words in self.words[thread].items() if word in words and does(self.code[k])
        ]

    @cached_property
    def _later(self) -> list[int]:
        return _later(self.code)

    def _in_order(self, first: int, second: int) -> bool:
        """Whether an operation is another one, or may come before it."""
        return first == second or bool(self._later[first] >> second & 1)

    def _place(self, row: int) -> str:
        at = self.program.places[row]
        return place(at.file, at.line)


def _reads(row: list[int]) -> bool:
    """Whether an operation on a word reads it; a SEQ_CST store is a SWAP with a mark."""
    return row[0] != b.STORE and not (row[0] == b.SWAP and row[b.WIDTH - 2])


def _writes(row: list[int]) -> bool:
    return row[0] != b.LOAD


def _acquires(row: list[int]) -> bool:
    return row[-1] in (Order.ACQUIRE, Order.ACQ_REL, Order.SEQ_CST)


def _seq_cst(row: list[int]) -> bool:
    return row[-1] == Order.SEQ_CST


def _synchronises(row: list[int]) -> bool:
    """Whether an operation is a fence, or an access that is more than RELAXED."""
    return _orders(row) and (row[0] == b.FENCE or row[-1] != Order.RELAXED)


def _orders(row: list[int]) -> bool:
    return row[0] in _WORDS or row[0] == b.FENCE


def _accesses(found: Exploration) -> dict[tuple[int, int, int], int]:
    """Thread, row of the program and word of each access at which a thread rests → locks held.

    The locks are a bit set: for a read those that the thread is inside, for a write those that it
    is inside alone, as Eraser has it.
    """
    program, size = found.model.program, [int(n) for n in found.tables.size]
    width, inside, locks = size[m.ROW], size[m.INSIDE], range(size[m.N_LOCKS])
    accesses: dict[tuple[int, int, int], int] = defaultdict(lambda: -1)
    for first in range(0, int(found.space.thread_count[0]) * width, width):
        row = int(found.space.threads[first + m.PC])
        code = program.code[row]
        if code[0] in _WORDS:
            numbers = [int(x) for x in found.space.threads[first : first + width]]
            kept = program.keep[program.keep_start[row] : program.keep_start[row + 1]]
            at = m.REGISTERS + kept.index(code[2]) if code[2] in kept else -1
            base = program.registers[code[2]] if at < 0 else numbers[at]
            columns = 1 if _writes(code) else 2
            held = sum(
                1 << k for k in locks if any(numbers[inside + 2 * k : inside + 2 * k + columns])
            )
            accesses[numbers[m.THREAD], row, base + code[3]] &= held
    return accesses


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
