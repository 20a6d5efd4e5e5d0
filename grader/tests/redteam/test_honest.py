"""Honest variants of the solutions earn full marks: other source, right work."""

import pytest
from right_locks import HEAD, MCS, RELEASE, TAS, TICKETS, TTAS

from lockgrader.author.mutants import findings, solution
from lockgrader.kinds.own_tests import OwnTests
from lockgrader.kinds.proven import Proven
from lockgrader.kinds.simulated import Simulated
from lockgrader.lab import Lab, changed, load
from locklabs import find

KEY = b"a key of sixteen bytes or more"
FIRST = TAS["compare-swap"].replace("class L(", "class TAS(")
# Its tries grow with the CPUs: MCS by how it waits, and not by what lab 02 measures.
GROWS = ("compares-and-swaps",)
QUEUES = {name: text for name, text in MCS.items() if name not in GROWS}
LOCKS = {"TAS": TAS, "TTAS": TTAS, "MCS": QUEUES, "Ticket": TICKETS}
LANGUAGE = "    array,\n"
MARK = """            if not (yield entry.used.load(RELAXED)):
                yield entry.used.store(1, RELAXED)
"""
FIND = """        entry = yield self.slots[key % N_SLOTS].load(ACQUIRE)
        while entry and (yield entry.tag.load(RELAXED)) != key:
            entry = yield entry.next.load(ACQUIRE)
"""
HALVES = """            allowed = yield entry.allowed.load(RELAXED)
            audit = yield entry.audit.load(RELAXED)
"""
FREE = """        if old:
            yield from self.rcu.synchronize_rcu()
            yield free(old)
"""
FILL = """        yield new.tag.store(key, RELAXED)
        yield new.allowed.store(allowed, RELAXED)
        yield new.audit.store(audit, RELAXED)
        yield new.used.store(1, RELAXED)
"""


def dedented(text: str) -> str:
    """A text one level further out."""
    return text.replace("    ", "", 1).replace("\n    ", "\n")


CACHES: dict[str, list[list[str]]] = {
    "eight-slots": [["N_SLOTS = 4", "N_SLOTS = 8"]],
    "one-chain": [["N_SLOTS = 4", "N_SLOTS = 1"]],
    "sixteen-slots": [["N_SLOTS = 4", "N_SLOTS = 16"]],
    "padded-slots": [["pointer(Entry))\n", "pointer(Entry), padded=True)\n"]],
    "marks-with-swap": [["entry.used.store(1, RELAXED)", "entry.used.swap(1, RELAXED)"]],
    "marks-last": [[MARK, ""], [HALVES, HALVES + MARK]],
    "audit-first": [
        [HALVES, "".join(reversed([f"{line}\n" for line in HALVES.splitlines()]))],
    ],
    "find-in-a-helper": [
        [FIND, "        entry = yield from self.find(key)\n"],
        [
            "    def replace(",
            "    def find(self, key):\n" + FIND + "        return entry\n\n    def replace(",
        ],
    ],
    "mark-in-a-helper": [
        [MARK, "            yield from self.mark(entry)\n"],
        [
            "    def replace(",
            "    def mark(self, entry: Entry):\n"
            + dedented(MARK)
            + "        yield pause()\n\n    def replace(",
        ],
        [LANGUAGE, LANGUAGE + "    pause,\n"],
    ],
    "acquires-each-load": [["entry.tag.load(RELAXED)", "entry.tag.load(ACQUIRE)"]],
    "fills-under-the-lock": [
        [FILL, ""],
        ["        link = self.slots[key", FILL + "        link = self.slots[key"],
    ],
    "filled-backwards": [[FILL, "".join(reversed(FILL.splitlines(keepends=True)))]],
    "publishes-seq-cst": [["yield link.store(new, RELEASE)", "yield link.store(new)"]],
    "publishes-with-swap": [["yield link.store(new, RELEASE)", "yield link.swap(new, RELEASE)"]],
    "frees-in-a-helper": [
        [FREE, "        if old:\n            yield from self.retire(old)\n"],
        [
            "    def reclaim(",
            "    def retire(self, old: Entry):\n        yield from self.rcu.synchronize_rcu()\n"
            "        yield free(old)\n\n    def reclaim(",
        ],
    ],
    "reclaims-backwards": [
        ["link = self.slots[i]", "link = self.slots[N_SLOTS - 1 - i]"],
    ],
    "always-waits-in-reclaim": [
        ["        if gone:\n            yield from self.rcu.synchronize_rcu()\n",
         "        yield from self.rcu.synchronize_rcu()\n"],
    ],
    "counts-with-a-fence": [
        ["        yield from self.rcu.read_lock()\n",
         "        yield from self.rcu.read_lock()\n        yield fence(ACQUIRE)\n"],
        [LANGUAGE, LANGUAGE + "    fence,\n"],
    ],
    "statistics": [
        ["    rcu = part(QSBR, padded=True)\n",
         "    rcu = part(QSBR, padded=True)\n    puts = percpu(word())\n"],
        [FILL, FILL + "        puts = yield self.puts[cpu()].load(RELAXED)\n"
         "        yield self.puts[cpu()].store(puts + 1, RELAXED)\n"],
        [LANGUAGE, LANGUAGE + "    cpu,\n    percpu,\n"],
    ],
    "shift-for-product": [
        ["decision = allowed + (audit << 32)", "decision = allowed | audit * 4294967296"],
    ],
}  # fmt: skip


def lab_of(name: str) -> Lab:
    """A lab."""
    return load(find(name))


def lost(lab: Lab, files: dict[str, str], locks: set[str]) -> dict[str, str]:
    """The checks of the language's part that are not passed, with their reasons."""
    kinds = (Proven, Simulated, OwnTests)
    made = findings(lab, files, "ada", KEY)
    asked = ((c, f) for c, f in made if isinstance(c, kinds) and c.lock in locks)
    return {c.name: f.message for c, f in asked if f.verdict != "pass"}


def some(names: list[str]) -> list[object]:
    """The first of the names in the normal run, the others among the slow ones."""
    return [
        pytest.param(n, marks=[] if k == 0 else [pytest.mark.slow]) for k, n in enumerate(names)
    ]


@pytest.mark.parametrize("variant", some([f"{k}-{n}" for k, v in LOCKS.items() for n in v]))
def test_locks(variant: str) -> None:
    """More than thirty right spinlocks."""
    kind, _, name = variant.partition("-")
    body = LOCKS[kind][name]
    body = body if "def release" in body else body + RELEASE
    mine = body.replace("class L(", f"class {kind}(")
    ticket = "" if kind == "Ticket" else TICKETS["plain"].replace("class L(", "class Ticket(")
    first = "" if kind == "TAS" else FIRST + RELEASE
    text = f"{HEAD}{first}\n\n{mine}\n\n{ticket}"
    lab = lab_of("lab02")
    assert {} == lost(lab, {lab.locks: text}, {"TAS", kind})


@pytest.mark.slow
@pytest.mark.parametrize("variant", CACHES)
def test_caches(variant: str) -> None:
    """Twenty right caches."""
    lab = lab_of("lab05")
    right = solution(lab, "ada", KEY)
    files = {
        lab.locks: changed(right[lab.locks], CACHES[variant], variant),
        lab.tests: right[lab.tests],
    }
    assert {} == lost(lab, files, {"Cache"})


def test_there_are_more_than_forty() -> None:
    """At least twenty of each lab, and six of each lock."""
    assert 20 <= min(sum(map(len, LOCKS.values())), len(CACHES))
    assert 6 <= min(map(len, LOCKS.values()))
