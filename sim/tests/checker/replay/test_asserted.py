"""What an assertion asked for, and what it found."""

import pytest

from locksim.checker import check_workload
from locksim.lang import RELAXED, Struct, Workload, param, part, word


class Answers(Struct):
    """Gives back what it is asked with."""

    asked = word()

    def answer(self, value):
        yield self.asked.store(value, RELAXED)
        return value


class Asserting(Workload):
    """One assertion that does not hold.

    Arguments:
        which: which one.
    """

    which = param(0)
    count = word(1)
    copy = word(2)
    answers = part(Answers)

    def thread(self):
        seen = yield self.copy.load(RELAXED)
        if self.which == 0:
            assert (yield self.count.load(RELAXED)) == 2
        elif self.which == 1:
            assert (yield self.count.load(RELAXED)) == seen
        elif self.which == 2:
            assert (yield from self.answers.answer(0))
        elif self.which == 3:
            assert not (yield from self.answers.answer(5))
        elif self.which == 4:
            assert seen < (yield self.count.load(RELAXED))
        elif self.which == 5:
            assert seen == 1 or seen == 3
        elif self.which == 6:
            assert 7 == (yield self.count.fetch_add(1, RELAXED))
        elif self.which == 7:
            assert seen - 2
        else:
            assert seen == 4


SAID = [
    "count is 1, expected 2",
    "count is 1, expected 2, as seen is",
    "answers.answer(0) returned 0, expected 1",
    "answers.answer(5) returned 5, expected 0",
    "seen is 2 and count is 1, expected seen < count",
    "an assertion failed",
    "count.fetch_add(1) returned 1, expected 7",
    "seen - 2 is 0, expected 1",
    "seen is 2, expected 4",
]


@pytest.mark.parametrize(("which", "said"), list(enumerate(SAID)))
def test_an_assertion_says_what_it_found(which, said):
    """Names as in the source, without what only the language needs; and values."""
    verdict = check_workload(Asserting(which=which), threads=1)
    assert "assertion" == verdict.found
    says, quoted = verdict.counterexample.message.splitlines()
    assert said == says.partition("Asserting.thread: ")[2]
    assert quoted.startswith("  assert ")


class Remembering(Workload):
    """Asks for what it has put, and finds something else."""

    answers = part(Answers)

    def thread(self):
        found = yield from self.answers.answer(5 << 32)
        assert found == 0  # nothing was put in


def test_an_assertion_about_a_result_names_the_call():
    """With its arguments; below it stands the assertion with its comment."""
    says, quoted = check_workload(Remembering(), threads=1).counterexample.message.splitlines()
    assert "answers.answer(5 << 32) returned 5 << 32, expected 0" == says.partition("thread: ")[2]
    assert "  assert found == 0  # nothing was put in" == quoted
