"""Hostile C files: each has its documented verdict, and none earns a point."""

import os
import secrets
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from places import places

from lockgrader.c import run, tools
from lockgrader.grade import grade
from lockgrader.lab import load
from lockgrader.result import Result
from lockgrader.sandbox import available
from lockgrader.sandbox.probe import _survivor

pytestmark = pytest.mark.skipif(bool(available()), reason=f"no sandbox: {available()}")

CORPUS: list[dict[str, Any]] = tomllib.loads(
    (Path(__file__).parents[2] / "redteam" / "c.toml").read_text()
)["submission"]
CACHE = """
#include "avc.h"
#ifndef ENTER
#define ENTER
#endif
void avc_init(void) {}
void avc_destroy(void) {}
bool avc_lookup(const struct avc_key *k, struct avc_decision *d) { ENTER; return k == 0 && d == 0; }
bool avc_insert(const struct avc_key *k, const struct avc_decision *d) { return k != 0 && d != 0; }
unsigned avc_reclaim(void) { return 0; }
"""
LAB = """
format = 2
name = "target"
title = "Target"
c = "avc_rcu.c"
interface = "avc"

[[check]]
name = "c"
title = "C"
kind = "c"
tool = "@TOOL@"
threads = 3
operations = 100
@MORE@
points = 10
"""
BOUNDED = {"student_error", "grader_error", "out_of_memory", "output_limit", "malformed_output"}
"""What stops a compiler that was given too much: which limit is first is the compiler's affair."""


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processor time and memory for an attack are short; so is the sleep of what only waits."""
    for name, limits in run.LIMITS.items():
        memory = limits.memory_bytes if name in run.SANITIZERS else 64 << 20
        monkeypatch.setitem(
            run.LIMITS,
            name,
            replace(limits, wall_s=600, cpu_s=20, memory_bytes=memory, asleep_s=1),
        )
    limits = replace(tools.LIMITS, wall_s=120, cpu_s=3, memory_bytes=256 << 20)
    monkeypatch.setattr(tools, "LIMITS", limits)


def graded(text: str, tool: str, folder: Path) -> Result:
    """A text's result in a lab with one check."""
    more = 'scenario = "replace"' if tool == "explorer" else ""
    (folder / "lab").mkdir()
    (folder / "lab" / "lab.toml").write_text(LAB.replace("@TOOL@", tool).replace("@MORE@", more))
    (folder / "eve").mkdir()
    (folder / "eve" / "avc_rcu.c").write_text(text)
    return grade(load(folder / "lab"), folder / "eve", student="eve", key=b"k" * 16)


def written(hostile: dict[str, Any], secret: Path) -> str:
    """A submission's text, or what is repeated, in front of a cache that does nothing."""
    if "repeat" in hostile:
        around, left, times, middle, right = hostile["repeat"]
        text = around.replace("@", left * times + middle + right * times)
    else:
        text = hostile["text"].replace("@SECRET@", str(secret))
    return text if hostile.get("whole") else f"{text}\n{CACHE}"


@pytest.mark.covering("hostile", every=2)
@pytest.mark.parametrize("hostile", CORPUS, ids=lambda h: str(h["name"]))
def test_hostile(hostile: dict[str, Any], tmp_path: Path) -> None:
    """The verdict is the documented one; no point, no secret, no survivor, no error of ours."""
    token = secrets.token_hex(16)
    secret = tmp_path / "hidden.h"
    secret.write_text(token)
    before = set(os.listdir("/tmp"))
    result = graded(written(hostile, secret), hostile.get("check", "validate"), tmp_path)
    (found,) = result.checks
    expected = BOUNDED if hostile["verdict"] == "bounded" else {hostile["verdict"]}
    assert found.verdict in expected, found.message
    assert (0.0, []) == (result.points, result.errors)
    assert set() == places(result, tmp_path)
    assert token not in result.to_json()
    assert "" == _survivor(token)
    assert {
        n for n in set(os.listdir("/tmp")) - before if "avc_rcu" in n or "program" in n
    } == set()


def test_the_corpus_is_large_and_named_once() -> None:
    """A dozen ways at least, no name twice."""
    names = [hostile["name"] for hostile in CORPUS]
    assert len(set(names)) == len(names) >= 12


def test_the_lab_can_be_passed(tmp_path: Path) -> None:
    """The targets can be hit: otherwise the tests would prove nothing."""
    reference = Path(run.__file__).parent / "avc" / "reference.c"
    result = graded(reference.read_text(), "validate", tmp_path)
    assert 10.0 == result.points
