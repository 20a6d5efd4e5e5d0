"""What is alike: a renamed copy among independent work, and never what a whole class shares."""

from __future__ import annotations

import random

from results_made import check, result

from lockgrader.compile.fingerprint import fingerprints
from lockgrader.report.groups import suspicions
from lockgrader.report.similar import similar
from lockgrader.result import Result
from locksim.compiler import compile_source

MCS = """from locksim.lang import *

class MCS(Lock):
    {tail} = word()
    {served} = word()

    def acquire(self):
        # {comment}
        {mine} = yield self.{tail}.fetch_add(1, RELAXED)
        while True:
            {now} = yield self.{served}.load(ACQUIRE)
            if {now} == {mine}:
                return
            yield pause()

    def release(self):
        {now} = yield self.{served}.load(RELAXED)
        yield self.{served}.store({now} + 1, RELEASE)
"""
ONE = {
    "tail": "tail",
    "served": "served",
    "mine": "mine",
    "now": "served_now",
    "comment": "take one",
}
OTHER = {"tail": "a", "served": "zz", "mine": "q", "now": "x1", "comment": "a number, please"}


def prints(text: str) -> dict[str, tuple[str, ...]]:
    """The fingerprints of a text in the language."""
    return fingerprints(compile_source(text, "mcs.py"))


def test_names_and_comments_do_not_matter() -> None:
    """A renamed copy has the same fingerprint; other memory orders have another one."""
    assert prints(MCS.format(**ONE)) == prints(MCS.format(**OTHER))
    assert prints(MCS.format(**ONE)) != prints(MCS.format(**ONE).replace("ACQUIRE", "RELAXED"))


def a_class(students: int, rare: int, copies: int = 2) -> list[Result]:
    """Results: runs that all share, and rare ones that the first ``copies`` students share."""
    draw = random.Random(1)
    common = [f"{n:010x}" for n in range(20)]
    own = [[f"{draw.getrandbits(40):010x}" for _ in range(rare)] for _ in range(students)]
    for copy in range(1, copies):
        own[copy] = own[0]
    return [
        result(f"s{n:03}", check("a"), fingerprints={"MCS": (*common, *own[n])},
               submission_sha256=f"{n:064}")
        for n in range(students)
    ]  # fmt: skip


def test_a_copy_among_independent_work() -> None:
    """Only the two that share what nobody else has."""
    found = similar(a_class(300, 12))
    assert [("s000", "s001")] == [a.students for a in found]
    assert found[0].share > 0.99
    assert "MCS: alike (100 % of what is rare)" in {s.what for s in suspicions(a_class(30, 12))}


def test_what_a_class_shares_is_no_evidence() -> None:
    """The textbook's lock in every submission; or in half of them."""
    assert [] == similar(a_class(300, 0))
    assert [] == similar(a_class(40, 12, copies=20))


def test_answers_in_words() -> None:
    """A sentence taken over shows; the same thought in other words does not."""
    texts = [
        "Every release writes the line, and then all waiting processors read it again in turn.",
        "every release  writes the line, and then ALL waiting processors read it again",
        "Because waiters hold copies that each store invalidates, the owner queues as well.",
        *(f"Answer number {n} talks about {n * 7} other things entirely and {n + 3} more" for n in
          range(20)),
    ]  # fmt: skip
    results = [
        result(f"s{n:02}", check("why", points=0.0, max_points=0.0, answer=text, title="Why?"))
        for n, text in enumerate(texts)
    ]
    assert [("s00", "s01")] == [a.students for a in similar(results)]
