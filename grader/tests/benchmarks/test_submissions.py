"""The benchmarks' submissions: all different, with the same exercise for each grader."""

import json
import sys
import tomllib
from pathlib import Path

import pytest

from lockgrader.lab import load

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))
try:
    import attacks
    import exercise
    import lab02_batch
    import page
finally:
    sys.path.remove(str(BENCHMARKS))


def test_batch_holds_no_submission_twice(tmp_path: Path) -> None:
    """500 of all kinds, each different, and the same ones again for the same seed."""

    def made(name: str) -> list[tuple[bytes, ...]]:
        lab02_batch.make(tmp_path / name, 500)
        homes = sorted((tmp_path / name).iterdir())
        return [tuple(path.read_bytes() for path in sorted(home.iterdir())) for home in homes]

    first = made("first")
    assert 500 == len(first) == len(set(first))
    assert first == made("second")
    kinds = lab02_batch.make(tmp_path / "third", 200, seed=2)
    assert set(lab02_batch.SHARES) == set(kinds)


def test_every_mistake_changes_a_number() -> None:
    """Each is in the solution, and makes a question wrong by more than the tolerance."""
    right = exercise.expected()
    for old, new in exercise.WRONG:
        assert old in exercise.SOLUTION
        names: dict[str, object] = {}
        exec(exercise.SOLUTION.replace(old, new, 1), names)
        got = {name: eval(text, dict(names)) for name, text in exercise.QUESTIONS.items()}
        far = [n for n in right if abs(got[n] - right[n]) > exercise.TOLERANCE * abs(right[n])]
        assert far, (old, new)


def test_three_formats_ask_the_same(tmp_path: Path) -> None:
    """The lab, nbgrader's cells and otter's tests hold the same right numbers and points."""
    exercise.lab(tmp_path / "lab")
    checks = load(tmp_path / "lab").checks({})
    source = exercise.nbgrader_source()
    cells = json.loads(source)["cells"]
    points = sum(c["metadata"]["nbgrader"].get("points", 0) for c in cells)
    assert exercise.MOST == points == sum(c.points for c in checks) == len(checks)
    for value in exercise.expected().values():
        assert repr(value) in source
        assert repr(value) in (tmp_path / "lab" / "lab.toml").read_text()


def test_students_see_no_right_number() -> None:
    """A notebook that is handed in holds none of the hidden numbers."""
    code, _ = exercise.source("ada", 1)
    text = exercise.notebook(exercise.cells(code))
    assert not any(repr(value) in text for value in exercise.expected().values())


def test_attacks_are_told_apart() -> None:
    """Each has a name of its own and wants something that is looked for; no right function."""
    read = tomllib.loads((BENCHMARKS / "attacks.toml").read_text())["attack"]
    assert len({one["name"] for one in read}) == len(read) >= 20
    assert {one["wants"] for one in read} == set(attacks.WON)
    assert not any("def amdahl" in one["text"] for one in read)


def test_page_is_written_between_its_comments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest of the page stays; a part that is not there is a mistake."""
    monkeypatch.setattr(page, "PAGE", tmp_path / "page.md")
    page.PAGE.write_text("before\n<!-- a -->\nold\n<!-- end of a -->\nafter\n")
    page.write("a", "new")
    assert "before\n<!-- a -->\nnew\n<!-- end of a -->\nafter\n" == page.PAGE.read_text()
    with pytest.raises(ValueError, match="no part"):
        page.write("b", "new")
