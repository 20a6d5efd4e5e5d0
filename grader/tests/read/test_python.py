"""A student's Python is executed as Python does it."""

from dataclasses import replace

import pytest

from lockgrader.read import python
from lockgrader.read.answers import read_answers
from lockgrader.read.python import PythonError, answers_of, call
from lockgrader.read.refused import Refused
from lockgrader.sandbox import Limits, available

PROGRAMS = {
    "dataclass": """
from __future__ import annotations
from dataclasses import asdict, dataclass
from typing import ClassVar

@dataclass(frozen=True, slots=True, order=True)
class Wait:
    longest: ClassVar[int] = 3
    ns: int = 4

def f():
    return asdict(max(Wait(2), Wait()))["ns"] + Wait.longest
""",
    "annotations": """
from dataclasses import dataclass, fields

@dataclass
class Wait:
    ns: int = 7

def f():
    return Wait().ns if fields(Wait)[0].type is int else 0
""",
    "hints": """
from __future__ import annotations
from typing import NamedTuple, get_type_hints

class Own:
    pass

class Event(NamedTuple):
    ns: int
    own: Own

def f():
    return 7 if get_type_hints(Event) == {"ns": int, "own": Own} else 0
""",
    "pickle": """
import copy, pickle
from enum import Enum

class What(Enum):
    WANT = 7

def f():
    return copy.deepcopy(pickle.loads(pickle.dumps(What.WANT))).value
""",
    "inspect": """
import inspect, sys

def seven():
    return 0

def f():
    assert "return 0" in inspect.getsource(seven)
    return 7 if sys.modules[__name__].seven is seven else 0
""",
    "named-tuple": """
from collections import namedtuple
Pair = namedtuple("Pair", "a b")

def f():
    return Pair.__module__ == __name__ and 7
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_works_at_home_works_here(name: str) -> None:
    """What a program finds by the name of its module is there, in functions and in answers."""
    text = PROGRAMS[name]
    assert 7 == call("own.py", text.encode(), "f", {}, "unconfined")
    answers = f"{text}\nif __name__ == '__main__':\n    answers = {{'n': f()}}"
    assert {"n": 7} == answers_of("answers.py", answers.encode(), "unconfined")


def test_a_called_file_is_not_the_main_program() -> None:
    """What stands below ``if __name__ == "__main__"`` is for home."""
    text = "def f():\n    return 7\nif __name__ == '__main__':\n    1 / 0"
    assert 7 == call("own.py", text.encode(), "f", {}, "unconfined")


def test_answers_that_fail_have_a_line() -> None:
    """As functions have it."""
    text = b"import math\n\nanswers = {'n': math.sqrt(-1)}"
    with pytest.raises(PythonError, match=r"answers\.py, line 3: ValueError: "):
        answers_of("answers.py", text, "unconfined")
    with pytest.raises(Refused, match="line 3: ValueError") as refused:
        read_answers("answers.py", text, ("n",), (), "unconfined")
    assert "student_error" == refused.value.verdict


def test_an_end_before_the_end() -> None:
    """A process that ends itself has returned nothing."""
    text = b"def f():\n    import os\n    os._exit(0)\nif __name__ == '__main__':\n    f()"
    with pytest.raises(Refused, match=r"own\.py ended before f\(\) returned"):
        call("own.py", text, "f", {}, "unconfined")
    with pytest.raises(Refused, match="ended before writing answers"):
        answers_of("answers.py", text, "unconfined")


def test_no_answers() -> None:
    """A file that defines none."""
    with pytest.raises(Refused, match="must be a JSON object: define answers"):
        read_answers("answers.py", b"answer = {}", ("n",), (), "unconfined")


@pytest.mark.skipif(bool(available()), reason=f"no sandbox: {available()}")
def test_a_sleeping_program_is_the_submissions_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """As C has it: answers that sleep or stop themselves fail, after seconds and not minutes."""
    monkeypatch.setattr(python, "LIMITS", replace(python.LIMITS, asleep_s=0.5))
    for text in ("import time; time.sleep(1e6)", "import os; os.kill(os.getpid(), 19)"):
        with pytest.raises(Refused, match=r"running answers\.py: nothing goes on") as refused:
            answers_of("answers.py", text.encode(), "namespaces")
        assert "fail" == refused.value.verdict
    busy = "for _ in range(30_000_000): pass\nanswers = {'n': 7}"
    assert {"n": 7} == answers_of("answers.py", busy.encode(), "namespaces")


def test_an_honest_sleep_is_no_fault() -> None:
    """A program may wait; ten seconds are the limit, here and for functions."""
    text = b"import time\ntime.sleep(0.2)\nanswers = {'n': 7}"
    assert {"n": 7} == answers_of("answers.py", text, "unconfined")
    assert {10.0} == {limits.asleep_s for limits in (python.LIMITS, python._CALL, Limits())}


def test_a_copy_of_the_process_says_nothing() -> None:
    """Only the process that was asked answers."""
    text = b"import os\nanswers = {'n': os.fork() and 7}"
    assert {"n": 7} == answers_of("answers.py", text, "unconfined")
