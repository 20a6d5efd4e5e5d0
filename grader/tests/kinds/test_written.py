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
