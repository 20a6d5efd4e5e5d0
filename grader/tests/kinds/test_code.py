"""The size of a lock: its words, and the lines on which they lie."""

import pytest

from lockgrader.kinds.code import Code
from lockgrader.submitted import Submitted
from locksim.compiler import compile_source

LOCK = """
from locksim.lang import *

class L(Lock):
    {fields}

    def acquire(self):
        while (yield self.state.swap(1, ACQUIRE)):
            yield pause()

    def release(self):
        yield self.state.store(0, RELEASE)
"""
LIMITS = {"max_words": 2, "max_lines": 1}


@pytest.mark.parametrize(
    ("fields", "verdicts"),
    [
        ("state = word()", ["pass", "pass"]),
        ("state = word(padded=True)", ["pass", "pass"]),
        ("state = word(padded=True); next = word(padded=True)", ["pass", "fail"]),
        ("state = word(); more = array(2, word())", ["fail", "pass"]),
        ("state = word(); more = array(8, word())", ["fail", "fail"]),
        ("state = word(); mine = percpu(word())", ["pass", "fail"]),
    ],
)
def test_padding_is_no_word(fields: str, verdicts: list[str]) -> None:
    """It takes room on lines only; a field of each CPU counts once."""
    source = LOCK.format(fields=fields.replace("; ", "\n    "))
    submitted = Submitted(codes=compile_source(source, "l.py"))
    checks = [
        Code(kind="code", name="size", title="Size", points=1, lock="L", **{limit: most})
        for limit, most in LIMITS.items()
    ]
    assert verdicts == [check.judge(submitted).verdict for check in checks]
