"""Proofs from memory that many CPUs have used."""

import pytest

from lockgrader.finding import Finding
from lockgrader.kinds.proven import Proven
from lockgrader.measuring.uses import Used, moments
from lockgrader.submitted import Submitted
from locksim.compiler import compile_source

USED = Used(machine="ideal-8", cpus=8, uses=200, seed=3)
PROOF = Proven(kind="proven", name="right", title="Right", points=1, lock="L", used=USED)
HEAD = (
    "from locksim.lang import ACQUIRE, RELAXED, RELEASE, Lock, array, cpu, n_cpus, pause\n"
    "from locksim.lang import percpu, word\n"
)
TICKET = """
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
RING = """
class L(Lock):
    uses = word()
    gates = array(65, word(), padded=True)

    def acquire(self):
        late = (yield self.uses.load(RELAXED)) // 40
        while (yield self.gates[(late > 0) * (1 + cpu())].swap(1, ACQUIRE)):
            yield pause()
            late = (yield self.uses.load(RELAXED)) // 40
        yield self.uses.store((yield self.uses.load(RELAXED)) + 1, RELAXED)

    def release(self):
        late = (yield self.uses.load(RELAXED)) // 40
        yield self.gates[(late > 0) * (1 + (cpu() + 1) % 8)].store(0, RELEASE)
"""
HALVES = """
class L(Lock):
    words = array(16, word())

    def acquire(self):
        while (yield self.words[cpu() // 4].swap(1, ACQUIRE)):
            yield pause()

    def release(self):
        yield self.words[cpu() // 4].store(0, RELEASE)
"""
MANY = """
class L(Lock):
    words = array(513, word())

    def acquire(self):
        while (yield self.words[cpu() * (n_cpus() // 8)].swap(1, ACQUIRE)):
            yield pause()

    def release(self):
        yield self.words[cpu() * (n_cpus() // 8)].store(0, RELEASE)
"""
FEW = TICKET.replace("!= mine:", "% 4 != mine % 4:")
LATE = """
class L(Lock):
    held = word()
    mine = percpu(word())

    def acquire(self):
        mine = yield self.mine[cpu()].load(RELAXED)
        yield self.mine[cpu()].store(mine + 1, RELAXED)
        while (yield self.held.swap(1, ACQUIRE)) > mine // 3000:
            yield pause()

    def release(self):
        yield self.held.store(0, RELEASE)
"""


ARMS = """
class L(Lock):
    held = word()
    visits = array(8, word())

    def acquire(self):
        while (yield self.held.swap(1, ACQUIRE)):
            yield pause()
""" + "".join(
    f"        {'el' * (k > 0)}if cpu() % 8 == {k}:\n"
    f"            yield self.visits[{k}].store(1, RELAXED)\n"
    for k in range(8)
)
ARMS += """
    def release(self):
        yield self.held.store(0, RELEASE)
"""
"""Each of eight CPUs has a line of its own in the source."""
WEAK = """
class L(Lock):
    held = word()

    def acquire(self):
        while (yield self.held.swap(1, ACQUIRE)):
            yield pause()

    def release(self):
        if cpu() > 1:
            yield self.held.store(0, RELAXED)
        else:
            yield self.held.store(0, RELEASE)
"""
"""Right under SC, and under C11 on CPUs 0 and 1."""


def proven(text: str, proof: Proven = PROOF) -> Finding:
    """The finding of the proof."""
    return proof.judge(Submitted(codes=compile_source(HEAD + text, "<l.py>")))


def test_a_right_lock_stays_right() -> None:
    """A ticket lock is proven whatever number it has reached."""
    assert "pass" == proven(TICKET).verdict


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        (RING, "deadlock"),
        (HALVES, "exclusion"),
        (MANY, "exclusion"),
        (FEW, "deadlock"),
        (LATE, "exclusion"),
    ],
)
def test_a_lock_that_changes_with_use_is_found(text: str, tag: str) -> None:
    """A ring, a lock for each half or each CPU, one for four waiters, one for 3,000 uses each."""
    found = proven(text)
    assert ("fail", tag) == (found.verdict, found.tag)


def test_moments_grow() -> None:
    """Each run is longer than the one before, and none longer than the measurement."""
    found = moments(2500, 5, seed=11)
    assert sorted(found) == found
    assert 2500 >= found[-1] > 500
    assert moments(500, 3, seed=1) != moments(500, 3, seed=4)


def test_branches_by_the_cpu_are_reached() -> None:
    """The proof from fresh memory reaches two of eight; proofs on further CPUs reach the others."""
    lines = {line for method, _, line in proven(ARMS).reached if method == "L.acquire"}
    assert {ARMS[: ARMS.index(f"visits[{k}]")].count("\n") + 3 for k in range(8)} <= lines


def test_what_only_used_memory_reaches_is_proven_in_the_memory_model_of_the_check() -> None:
    """The proof from fresh memory under C11 has CPUs 0 and 1."""
    c11 = PROOF.model_copy(update={"memory": "c11"})
    found = proven(WEAK, c11)
    assert ("fail", "C11") == (found.verdict, found.message.partition(")")[0][-3:])
    assert "pass" == proven(WEAK.replace("RELAXED", "RELEASE"), c11).verdict


FENCE_ON_FEW = """
class L(Lock):
    held = word()

    def acquire(self):
        while (yield self.held.swap(1, RELAXED)):
            yield pause()
        if cpu() < 3:
            yield fence(ACQUIRE)

    def release(self):
        yield self.held.store(0, RELEASE)
"""


def test_a_fence_that_most_cpus_leave_out_is_missed() -> None:
    """No operation is new there, so those proofs have the memory model of the check."""
    c11 = PROOF.model_copy(update={"memory": "c11"})
    found = proven(
        FENCE_ON_FEW.replace("class L", "from locksim.lang import fence\n\nclass L"), c11
    )
    assert ("fail", "race", "L") == (found.verdict, found.tag, found.violation)
    right = FENCE_ON_FEW.replace("        if cpu() < 3:\n            yield", "        yield")
    right = right.replace("class L", "from locksim.lang import fence\n\nclass L")
    assert "pass" == proven(right, c11).verdict
