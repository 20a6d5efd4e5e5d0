"""Proofs that end before they decide."""

import pytest

from lockgrader.finding import Finding
from lockgrader.kinds.proven import Proven
from lockgrader.measuring import proofs
from lockgrader.measuring.uses import Used
from lockgrader.submitted import Submitted
from locksim.checker.verdict import MIN_BYTES
from locksim.compiler import compile_source

QUEUE = """from locksim.lang import ACQ_REL, ACQUIRE, NULL, RELAXED, RELEASE, Lock, Struct, cpu
from locksim.lang import pause, percpu, pointer, word


class Node(Struct):
    next = pointer("Node")
    waiting = word()


class L(Lock):
    tail = pointer(Node)
    nodes = percpu(Node)

    def acquire(self):
        me = self.nodes[cpu()]
        yield me.next.store(NULL, RELAXED)
        before = yield self.tail.swap(me, ACQ_REL)
        if before:
            yield me.waiting.store(1, RELAXED)
            yield before.next.store(me, RELEASE)
            while (yield me.waiting.load(ACQUIRE)):
                yield pause()

    def release(self):
        me = self.nodes[cpu()]
        after = yield me.next.load(ACQUIRE)
        if not after:
            if (yield self.tail.compare_swap(me, NULL, RELEASE)) == me:
                return
            after = yield me.next.load(ACQUIRE)
            while not after:
                yield pause()
                after = yield me.next.load(ACQUIRE)
        yield after.waiting.store(0, RELEASE)
"""
PROOF = Proven(kind="proven", name="right", title="Right", points=1, lock="L", threads=3)
TICKET = """from locksim.lang import ACQUIRE, RELAXED, RELEASE, Lock, pause, word


class L(Lock):
    next = word()
    now = word()

    def acquire(self):
        mine = yield self.next.fetch_add(1, RELAXED)
        while (yield self.now.load(ACQUIRE)) != mine:
            yield pause()

    def release(self):
        now = yield self.now.load(RELAXED)
        yield self.now.store(now + 1, RELEASE)
"""
GATES = """from locksim.lang import ACQUIRE, RELAXED, RELEASE, Lock, array, pause, word


class L(Lock):
    next = word()
    gates = array(2, word())

    def acquire(self):
        mine = yield self.next.fetch_add(1, RELAXED)
        while (yield self.gates[mine % 2].load(ACQUIRE)) != mine // 2:
            yield pause()

    def release(self):
        now = yield self.gates[0].load(RELAXED)
        then = yield self.gates[1].load(RELAXED)
        if now > then:
            yield self.gates[1].store(now, RELEASE)
        else:
            yield self.gates[0].store(then + 1, RELEASE)
"""


def proof(text: str, **more: object) -> Finding:
    """The finding of a proof."""
    check = PROOF.model_copy(update=more)
    return check.judge(Submitted(codes=compile_source(text, "<l.py>")))


def is_open(found: Finding) -> None:
    """It is not decided, earns nothing and opens no other check."""
    assert ("grader_error", 0.0, "") == (found.verdict, found.share, found.tag)
    assert "not decided, and no points are lost: not finished, no proof" in found.message
    assert not PROOF.opens(found)


def test_used_up_states_decide_nothing() -> None:
    """A right lock with more states than the lab grants is not wrong."""
    is_open(proof(QUEUE, states=100))


COUNTS = TICKET.replace(
    "        while (yield",
    "        for _ in range(40):\n"
    "            yield self.work.fetch_add(1, RELAXED)\n        while (yield",
).replace("    now = word()\n", "    now = word()\n    work = word()\n")


def test_a_used_up_budget_names_the_word_with_most_values() -> None:
    """A right lock that counts on the way: the count makes the states so many."""
    found = proof(COUNTS, states=4000)
    is_open(found)
    assert "; lock.work had at least" in found.message


def test_used_up_memory_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same for the grader's own bound on memory."""
    monkeypatch.setattr(proofs, "MAX_MEMORY", MIN_BYTES)
    is_open(proof(QUEUE, threads=4, rounds=3))


def test_a_proof_from_used_memory_says_where_it_was() -> None:
    """The same after many uses; the message names the uses."""
    used = Used(machine="ideal-8", cpus=8, uses=200, seed=3)
    found = proof(QUEUE, threads=1, states=100, used=used)
    assert "grader_error" == found.verdict
    assert found.message.startswith("after some 128 uses by 64 CPUs of ideal-64")


def test_a_program_without_end_fails() -> None:
    """No budget would be enough for it, and the student can change it."""
    found = proof(GATES, threads=2, property="starvation")
    assert ("fail", "unfinished") == (found.verdict, found.tag)
    assert "takes more than 128 values" in found.message


def test_a_wrong_lock_is_wrong_within_its_budget() -> None:
    """What was found before the budget ends decides."""
    wrong = TICKET.replace("!= mine:", "< mine - 1:")
    assert "fail" == proof(wrong, threads=2, states=400).verdict


def test_a_short_proof_comes_first() -> None:
    """The counterexample of a large proof has two threads; the verdict is that of the large one."""
    wrong = TICKET.replace("!= mine:", "< mine - 1:")
    found = proof(wrong, threads=3, rounds=3)
    assert ("fail", 2) == (found.verdict, (found.counterexample or {})["threads"])
    assert "(2 threads, 2 rounds, SC)" in found.message
    assert "proven for 3 threads, 1 round" in proof(TICKET, threads=3).message
    once = proof(wrong, threads=3)
    assert "(2 threads, 2 rounds, SC)" in once.message  # each of the two meets its own first use
    assert ["--threads", "2"] == PROOF.replay("l.py", "sc", 2)[4:6]
