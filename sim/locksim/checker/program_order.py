"""Where C11 lets a program do more than our machines do, by what is known of its accesses.

The machines of checker and explorer take each thread's operations in program order. C11 is weaker
than that in two ways:

*Load buffering.* A RELAXED store may take effect before a load that its thread does first, if the
store does not depend on the load (by a value, or by a branch). The load is RELAXED, too. Pairs
with a fence, an ACQUIRE or a RELEASE between them are not counted, although some machines let a
store pass some of these. Another thread can notice only if it answers: it reads the store, and
writes what the load then reads, perhaps over further threads. So there must be a cycle of words,
each of whose steps is "reads this word, and later writes that one" by a thread, and the first step
must be such a pair.

*SEQ_CST.* In the machines the SEQ_CST operations stand in the order in which they happen. In C11
two of them need not, if only accesses that do not synchronise tell their order: one thread writes a
word after the first operation, another reads it before the second, and not both by release and
acquire. Another way must lead back from the second to the first, over words that SEQ_CST accesses
share. (Between two fences there is no difference.)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product

from locksim.checker.limits import limit
from locksim.compiler.control_flow import reachable
from locksim.lang.ops import Order


@dataclass(frozen=True)
class Access:
    """An atomic operation of the program, or a fence.

    Attributes:
        order: its memory order. reads, writes: what it does to a word; a fence does neither.
    """

    order: Order
    reads: bool = False
    writes: bool = False

    @property
    def is_fence(self) -> bool:
        """Whether it touches no word."""
        return not (self.reads or self.writes)

    @property
    def acquires(self) -> bool:
        """Whether it can take over what was released."""
        return self.order in (Order.ACQUIRE, Order.ACQ_REL, Order.SEQ_CST)

    @property
    def releases(self) -> bool:
        """Whether what came before can be taken over from it."""
        return self.order >= Order.RELEASE

    @property
    def is_seq_cst(self) -> bool:
        """Whether it stands in the total order."""
        return self.order == Order.SEQ_CST

    @property
    def synchronises(self) -> bool:
        """Whether it is a fence, or an access that is more than RELAXED."""
        return self.is_fence or self.order != Order.RELAXED


@dataclass(frozen=True)
class ProgramOrder:
    """The accesses by which threads can affect each other, and which may follow which.

    Attributes:
        accesses: number of an access → what it is; only those that order anything.
        words: thread → number of its access → words that it touches, of those on which threads
            can meet without an order between them.
        overtaking: number of a RELAXED load → the RELAXED stores that C11 lets come first.
        later: number of an access → those that may run after it, as a bit set.
        place: number of an access → its place in the program. name: word → its name.
    """

    accesses: Mapping[int, Access]
    words: Mapping[int, Mapping[int, set[int]]]
    overtaking: Callable[[int], set[int]]
    later: Sequence[int]
    place: Callable[[int], str]
    name: Callable[[int], str]

    def limits(self) -> list[str]:
        """The limits of a proof that comes from taking the operations in this order."""
        return [*self.load_buffering(), *self.contradictions()]

    def load_buffering(self) -> Iterator[str]:
        """The limit of a store that could come before a load, if threads could notice it."""
        for thread, touched in self.words.items():
            loads = [k for k in touched if self.accesses[k].reads]
            for load in loads:
                if self.accesses[load].synchronises:
                    continue
                for store in sorted(self.overtaking(load) & touched.keys()):
                    for word, other in product(touched[load], touched[store]):
                        if word != other and word in self._answers(other, thread):
                            read, write = self.place(load), self.place(store)
                            yield limit("load-buffering", load=read, store=write)
                            return

    def contradictions(self) -> Iterator[str]:
        """The limit of two SEQ_CST operations whose order C11 leaves open, if it can be noticed."""
        accesses = self.accesses
        strong = [k for k, access in accesses.items() if access.is_seq_cst]
        fences = {k for k in strong if accesses[k].is_fence}
        if len(fences) == len(strong):
            return
        for one, other in permutations(self.words, 2):
            for word in sorted(self._all_words(one) & self._all_words(other)):
                over = {
                    (first, first in fences or accesses[k].releases)
                    for k in self._accessing(one, word, writes=True)
                    for first in strong
                    if self._in_order(first, k)
                }
                heard = {
                    (second, second in fences or accesses[k].acquires)
                    for k in self._accessing(other, word, writes=False)
                    for second in strong
                    if self._in_order(k, second)
                }
                for (first, releases), (second, acquires) in product(sorted(over), sorted(heard)):
                    if (releases and acquires) or {first, second} <= fences:
                        continue
                    if self._leads_back(one, first, other, second, word):
                        places = self.place(first), self.place(second)
                        name = self.name(word)
                        yield limit("seq-cst", first=places[0], second=places[1], word=name)
                        return

    def _answers(self, word: int, thread: int) -> set[int]:
        """The words that others than a thread may write because one has read a word, and so on."""
        pairs = [self._pairs[other] for other in self.words.keys() - {thread}]
        return reachable([word], lambda w: {v for p in pairs for v in p[w]})

    @cached_property
    def _pairs(self) -> dict[int, dict[int, set[int]]]:
        """Of each thread: word → words that it may write after it has read that one."""
        found: dict[int, dict[int, set[int]]] = {}
        for thread, touched in self.words.items():
            found[thread] = defaultdict(set)
            for first, second in product(touched, touched):
                if self.accesses[first].reads and self.accesses[second].writes:
                    if self.later[first] >> second & 1:
                        for word in touched[first]:
                            found[thread][word] |= touched[second]
        return found

    def _leads_back(self, one: int, first: int, other: int, second: int, over: int) -> bool:
        """Whether accesses that C11 has in order can lead from the second operation to the first.

        They begin with an access after the second, and end with one before the first: a SEQ_CST
        one, beside a fence any. What is between are SEQ_CST accesses. The word over which the
        second has heard of the first does not lead back by itself: its accesses are coherent.
        """
        accesses = self.accesses
        ends = {
            word
            for k, words in self.words[one].items()
            if self._in_order(k, first) and (accesses[first].is_fence or accesses[k].is_seq_cst)
            for word in words
        }
        begins = {
            word
            for k, words in self.words[other].items()
            if self._in_order(second, k) and (accesses[second].is_fence or accesses[k].is_seq_cst)
            for word in words
        }
        after = self._seq_cst_after
        starts = {v for word in begins for v in {word} | after[word]} - {over}
        return bool(ends & reachable(starts, lambda word: after[word]))

    @cached_property
    def _seq_cst_after(self) -> dict[int, set[int]]:
        """Word → words of SEQ_CST accesses that a thread may do after one of that word."""
        found: dict[int, set[int]] = defaultdict(set)
        for touched in self.words.values():
            some = [k for k in touched if self.accesses[k].is_seq_cst]
            for first, second in product(some, some):
                if self._in_order(first, second):
                    for word in touched[first]:
                        found[word] |= touched[second]
        return found

    def _all_words(self, thread: int) -> set[int]:
        return set().union(*self.words[thread].values())

    def _accessing(self, thread: int, word: int, *, writes: bool) -> list[int]:
        """The accesses in which a thread writes a word, or reads it."""
        return [
            k
            for k, words in self.words[thread].items()
            if word in words and (self.accesses[k].writes if writes else self.accesses[k].reads)
        ]

    def _in_order(self, first: int, second: int) -> bool:
        """Whether an operation is another one, or may come before it."""
        return first == second or bool(self.later[first] >> second & 1)
