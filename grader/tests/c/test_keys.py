"""Caches in C that are another program for some keys lose; one that branches by a key does not."""

import pytest

from lockgrader.c import compile_c, interface, judge_c
from lockgrader.finding import Finding
from lockgrader.kinds.c import C
from lockgrader.lab import changed
from lockgrader.sandbox import available

pytestmark = pytest.mark.skipif(bool(available()), reason=f"no sandbox: {available()}")

SOME = "key->tclass % 64 == 5"
LOCK, UNLOCK = "    pthread_mutex_lock(&lock);\n", "    pthread_mutex_unlock(&lock);\n"
BEGIN, END = "    at = find(key);\n    if (at == NULL &&", "    return at"
WRITE = "        at->decision = *decision;\n"
FIND = "    struct entry *at = first;\n"
UNLOCKED = [
    [f"{LOCK}{BEGIN}", f"    if (!({SOME}))\n    {LOCK}{BEGIN}"],
    [
        f"{UNLOCK}{END} != NULL;\n}}\n\nunsigned",
        f"    if (!({SOME}))\n    {UNLOCK}{END} != NULL;\n}}\n\nunsigned",
    ],
]
LATE = [[WRITE, f"        if (!({SOME}) || at->decision.seqno == 0)\n    {WRITE}"]]
BRANCHING = [[FIND, f"{FIND}\n    if (key->ssid & 1)\n        at = first;\n"]]


def explored(scenario: str, changes: list[list[str]], seed: int) -> Finding:
    """What the explorer finds in a scenario of our reference with changes."""
    about = interface("avc")
    text = changed((about.folder / "reference.c").read_text(), changes, "avc")
    given = {"name": "c", "title": "C", "points": 10, "kind": "c", "tool": "explorer"}
    check = C.model_validate({**given, "scenario": scenario, "threads": 2, "seed": seed})
    compiled = compile_c(text.encode(), "avc.c", about, ("explorer",), "namespaces")
    return judge_c(check, compiled, "namespaces")


@pytest.mark.parametrize(
    ("scenario", "changes"),
    [("writers", UNLOCKED), pytest.param("replace", LATE, marks=pytest.mark.slow)],
)
def test_another_program_for_some_keys(scenario: str, changes: list[list[str]]) -> None:
    """One key in 64: no student's seed misses it."""
    assert {"fail"} == {explored(scenario, changes, seed).verdict for seed in (1, 2**40)}


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["writers", "replace", "reclaim"])
def test_a_branch_by_the_key_is_allowed(scenario: str) -> None:
    """A right cache may take several ways."""
    assert explored(scenario, BRANCHING, 7).verdict == "pass"
