"""An answer in words."""

import pytest

from lockgrader.kinds.written import Written
from lockgrader.submitted import Submitted


@pytest.mark.parametrize(
    ("words", "verdict"), [("", "no_output"), ("x y", "no_output"), ("It has to wait.", "pass")]
)
def test_an_answer_in_words_has_words(words: str, verdict: str) -> None:
    """One letter is not an answer; how good the words are is for the instructor to say."""
    asked = Written(kind="written", name="why", title="Why", answer="why")
    assert verdict == asked.judge(Submitted(texts={"why": words})).verdict


def test_an_answer_that_is_too_long_is_kept() -> None:
    """Its author is told before it is handed in that the rest is not read."""
    asked = Written(kind="written", name="why", title="Why", answer="why", most_words=4)
    long = asked.judge(Submitted(texts={"why": "It has to wait here."}))
    assert ("pass", True) == (long.verdict, "4 of its 5 words" in long.message)
    assert "words" not in asked.judge(Submitted(texts={"why": "It has to wait."})).message
