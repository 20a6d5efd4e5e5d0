"""The corpus of hostile submissions: none gets a point, a secret, a connection or a survivor."""

import importlib.util
import os
import secrets
import socket
import threading
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from places import places

from lockgrader.grade import grade
from lockgrader.lab import load
from lockgrader.lab.variants import variant
from lockgrader.read import python
from lockgrader.result import Result
from lockgrader.sandbox import available
from lockgrader.sandbox.probe import _survivor
from locksim.core import memory

pytestmark = pytest.mark.skipif(bool(available()), reason=f"no sandbox: {available()}")

FOLDER = Path(__file__).parents[2] / "redteam"
LAB = load(FOLDER / "lab")
KEY = b"a key of sixteen bytes or more"


def corpus(name: str) -> list[dict[str, Any]]:
    """The submissions of a file."""
    found: list[dict[str, Any]] = tomllib.loads((FOLDER / name).read_text())["submission"]
    return found


def makers() -> dict[str, Any]:
    """The makers of archives."""
    spec = importlib.util.spec_from_file_location("redteam_archives", FOLDER / "archives.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made: dict[str, Any] = module.ARCHIVES
    return made


PYTHON, LANGUAGE, ARCHIVES = corpus("python.toml"), corpus("language.toml"), makers()


@dataclass
class Target:
    """What an attack may want, and whether it got it."""

    folder: Path
    token: str = field(default_factory=lambda: secrets.token_hex(16))
    calls: list[str] = field(default_factory=list)
    port: int = 0

    @property
    def secret(self) -> Path:
        """A file with a secret token."""
        return self.folder / "hidden.toml"

    @property
    def outside(self) -> Path:
        """A folder that all users may write to."""
        return self.folder / "outside"

    def filled(self, text: str) -> str:
        """A submission with the places that it looks for."""
        places = {"SECRET": self.secret, "OUTSIDE": self.outside, "PORT": self.port}
        for name, place in {**places, "MARK": self.token}.items():
            text = text.replace(f"@{name}@", str(place))
        return text

    def untouched(self, result: Result, undecided: bool = False) -> None:
        """Nothing was won; what its student gets names no place of ours."""
        assert [] == self.calls
        assert [] == list(self.outside.iterdir())
        assert self.token not in result.to_json().replace(str(self.secret), "")
        assert "" == _survivor(self.token)
        assert "\x1b" not in result.to_json()
        assert undecided or [] == result.errors
        its_own = (str(self.secret), str(self.outside))
        named = [p for p in places(result) if not p.startswith(its_own)]
        assert [] == [p for p in named if not str(self.secret).startswith(p)]  # one is cut


@pytest.fixture
def target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Target]:
    """Targets of the attacks, and a listener; attacks get little time and memory."""
    target = Target(tmp_path)
    target.secret.write_text(target.token)
    target.outside.mkdir()
    target.outside.chmod(0o777)
    monkeypatch.setenv("LOCKLAB_COURSE_KEY", target.token)
    limits = replace(
        python.LIMITS,
        wall_s=120,
        cpu_s=1,
        memory_bytes=192 << 20,
        output_bytes=1 << 18,
        asleep_s=1,
    )
    monkeypatch.setattr(python, "LIMITS", limits)
    monkeypatch.setattr(memory, "MAX_SETUP_STEPS", 10_000)
    with socket.create_server(("127.0.0.1", 0)) as server:
        target.port = server.getsockname()[1]

        def listen() -> None:
            try:
                while True:
                    server.accept()[0].close()
                    target.calls.append("a connection was made")
            except OSError:
                return

        thread = threading.Thread(target=listen, daemon=True)
        thread.start()
        yield target
        # A call of our own ends the wait, and shows that a call would have been heard.
        heard = len(target.calls)
        socket.create_connection(("127.0.0.1", target.port)).close()
        for _ in range(1000):
            if len(target.calls) > heard:
                break
            threading.Event().wait(0.001)
        assert heard + 1 == len(target.calls)
        server.shutdown(socket.SHUT_RDWR)
    thread.join(5)


def verdict_of(result: Result, name: str) -> tuple[str, float]:
    """A check's verdict and points."""
    return next((c.verdict, c.points) for c in result.checks if c.name == name)


@pytest.mark.covering("hostile", every=2)
@pytest.mark.parametrize("hostile", PYTHON, ids=lambda h: f"{h['attack']}-{h['name']}")
def test_python(hostile: dict[str, Any], target: Target) -> None:
    """Code that is executed gets its documented verdict and nothing else."""
    undecided = hostile["verdict"] == "grader_error"
    path = target.folder / "eve.py"
    home = target.folder / "eve"
    home.mkdir()
    (home / "answers.py").write_text(target.filled(hostile["text"]))
    result = grade(LAB, home, student="eve", key=KEY)
    assert (hostile["verdict"], 0.0) == verdict_of(result, "number")
    assert 0.0 == result.points
    assert not path.exists()
    target.untouched(result, undecided)


@pytest.mark.covering("hostile", every=3)
@pytest.mark.parametrize("hostile", LANGUAGE, ids=lambda h: f"{h['attack']}-{h['name']}")
def test_language(hostile: dict[str, Any], target: Target) -> None:
    """Text that is compiled gets its documented verdict and nothing else."""
    home = target.folder / "eve"
    home.mkdir()
    (home / "tas.py").write_text(target.filled(written(hostile)))
    result = grade(LAB, home, student="eve", key=KEY)
    assert (hostile["verdict"], 0.0) == verdict_of(result, hostile["check"])
    target.untouched(result, hostile.get("undecided", False))


def written(hostile: dict[str, Any]) -> str:
    """A submission's text, or what is repeated: [around, left, times, middle, right]."""
    if "text" in hostile:
        return str(hostile["text"])
    around, left, times, middle, right = hostile["repeat"]
    return str(around.replace("@", left * times + middle + right * times)) + "\n"


@pytest.mark.parametrize("name", ARCHIVES)
def test_archive(name: str, target: Target) -> None:
    """What is not a plain small file inside the submission is not read."""
    attack, verdict, maker = ARCHIVES[name]
    place = target.folder / "handed-in"
    place.mkdir()
    result = grade(LAB, maker(place), student="eve", key=KEY)
    assert (attack, verdict, 0.0) == (attack, *verdict_of(result, "number"))
    target.untouched(result)


def test_another_students_answer(target: Target) -> None:
    """15: the number that is right for one student is wrong for the next."""
    adas = variant(LAB, "ada", KEY)["mine"]
    eve = next(s for s in map(str, range(99)) if variant(LAB, s, KEY)["mine"] != adas)
    path = target.folder / "answers.json"
    path.write_text(f'{{"mine": {adas}}}')
    found = [verdict_of(grade(LAB, path, student=s, key=KEY), "mine") for s in ("ada", eve)]
    assert [("pass", 10.0), ("fail", 0.0)] == found


def test_the_corpus_covers_every_attack() -> None:
    """Seventeen attacks, more than sixty submissions, no name twice."""
    numbers = {h["attack"] for h in PYTHON + LANGUAGE} | {a for a, _, _ in ARCHIVES.values()}
    names = [h["name"] for h in PYTHON] + [f"lock {h['name']}" for h in LANGUAGE] + [*ARCHIVES]
    assert set(range(1, 18)) == numbers
    assert len(set(names)) == len(names) >= 60


def test_the_right_answer_would_earn_points(target: Target) -> None:
    """The targets can be hit: otherwise the tests would prove nothing."""
    path = target.folder / "answers.py"
    path.write_text("answers = {'n': 1000}")
    home = target.folder / "ada"
    home.mkdir()
    os.rename(path, home / "answers.py")
    assert ("pass", 10.0) == verdict_of(grade(LAB, home, student="ada", key=KEY), "number")
