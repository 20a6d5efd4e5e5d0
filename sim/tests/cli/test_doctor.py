"""`locklab doctor`: each check on machines made up for the test, and the command's output."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from locksim import jit, ready
from locksim.cli import checks, doctor
from lockui.findings import Check, Status


def test_old_python_is_broken() -> None:
    """3.10 is refused, 3.11 is not."""
    assert ["broken", "ok"] == [checks.python(v).status for v in ((3, 10, 9), (3, 11, 0))]


def test_cache_takes_the_first_folder_that_is_writable(tmp_path: Path) -> None:
    """A folder below a file can not be made, the next one can; neither is left behind."""
    (tmp_path / "file").touch()
    good = tmp_path / "not-there-yet" / "numba"
    check = checks.cache([tmp_path / "file" / "cache", good])
    assert ("ok", f"{good} is writable") == (check.status, check.found)
    assert not good.exists()


def test_cache_warns_where_none_is_writable(tmp_path: Path) -> None:
    """The warning names the folder and the variable that mends it."""
    (tmp_path / "file").touch()
    check = checks.cache([tmp_path / "file" / "cache"])
    assert "warning" == check.status
    assert "NUMBA_CACHE_DIR" in (check.advice or "")


def test_warm_compiles_what_is_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each part of a lab's first check once; nothing is left; refused without a compiler."""
    made: list[str] = []
    monkeypatch.setattr(jit, "enabled", lambda: True)
    monkeypatch.setattr(ready, "is_ready", lambda part: part.name in made)
    monkeypatch.setattr(ready, "make", lambda part: made.append(part.name))
    ask = ["--warm", "--json"]
    parts = ["engine", "checker", "checker-c11"]
    assert {"compiled": parts} == json.loads(CliRunner().invoke(doctor.app, ask).stdout)
    again = CliRunner().invoke(doctor.app, ["--warm"])
    assert (parts, "compiled: nothing, all was ready\n") == (made, again.stdout)
    monkeypatch.setattr(jit, "enabled", lambda: False)
    refused = CliRunner().invoke(doctor.app, ask)
    assert (2, "") == (refused.exit_code, refused.stdout)
    assert "--warm: numba is missing or switched off" in refused.stderr


@pytest.mark.parametrize("check", [checks.compiler, checks.liburcu])
def test_nothing_found_is_no_crash(
    check: Callable[[], Check], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without tools the check says so and what to do."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    found = check()
    assert found.status in ("warning", "unknown")
    assert found.advice


def test_findings_of_other_packages_are_shown(tmp_path: Path) -> None:
    """The native package's findings stand beside the simulator's own."""
    names = {check.name for check in checks.others(tmp_path)}
    assert {"locknative", "governor", "pinning", "load", "steal"} <= names


def test_a_package_that_is_not_built_is_a_warning(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The rest still works, and the finding says what to do."""
    monkeypatch.setitem(__import__("sys").modules, "locknative.doctor", None)
    (found,) = checks.others(tmp_path)
    assert ("native", "warning") == (found.name, found.status)
    assert "make setup" in (found.advice or "")


@pytest.mark.parametrize(
    ("shared", "advice"),
    [(False, "make setup"), (True, "pip install --force-reinstall --no-binary locklab locklab")],
)
def test_advice_is_that_of_the_installation(
    shared: bool, advice: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Outside a checkout there is no Makefile; each finding names a command that is there."""
    monkeypatch.setattr("lockui.files.installed", lambda: shared)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(__import__("sys").modules, "locknative.doctor", None)
    monkeypatch.setitem(__import__("sys").modules, "numba", None)
    found = [checks.liburcu(), checks.numba(), *checks.others(tmp_path)]
    assert advice in (found[0].advice or "")
    assert advice in (found[2].advice or "")
    assert [shared] * 3 == ["make setup" not in (check.advice or "") for check in found]


def test_json_holds_every_check_and_a_summary() -> None:
    """Stdout is one document; the counts add up; warnings alone do not fail."""
    result = CliRunner().invoke(doctor.app, ["--json"])
    document = json.loads(result.stdout)
    assert {"name", "status", "found", "advice"} == set(document["checks"][0])
    assert len(document["checks"]) == sum(document["summary"].values())
    assert int(document["summary"]["broken"] > 0) == result.exit_code


@pytest.mark.parametrize(("status", "code"), [("ok", 0), ("warning", 0), ("broken", 1)])
def test_exit_code(monkeypatch: pytest.MonkeyPatch, status: Status, code: int) -> None:
    """Only what is broken fails, and the table shows each word beside its sign."""
    made_up = [Check("thing", status, "found [it]", "mend it")]
    monkeypatch.setattr(doctor, "examine", lambda: made_up)
    result = CliRunner().invoke(doctor.app)
    assert code == result.exit_code
    for text in ("thing", status, "found [it]", "mend it", f"1 {status}"):
        assert text in result.stdout
