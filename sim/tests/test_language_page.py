"""docs/use/language.md: programs compile, verdicts and messages hold, the reference is current."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from locksim.checker import check_lock, check_workload
from locksim.compiler import CompileError, compile_source
from locksim.compiler.operations import FREE_FORMS, WORD_FORMS
from locksim.lang import CountingSemaphore, Lock, Struct, Workload

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs/use/language.md").read_text(encoding="utf-8")
BLOCKS = re.compile(
    r"```python\n(?P<text># (?P<name>\w+\.py)\n.*?)```\n"
    r"(?:```text\n(?P<message>.*?)```|\nVerdict: (?P<verdict>[^.]*)\.)?",
    re.DOTALL,
)
PROGRAMS = {found["name"]: found for found in BLOCKS.finditer(TEXT)}
RIGHT = {name: p for name, p in PROGRAMS.items() if not p["message"]}
WRONG = {name: p for name, p in PROGRAMS.items() if p["message"]}
VERDICTS = [
    (name, *one.split())
    for name, program in RIGHT.items()
    for one in (program["verdict"] or "").split(", ")
    if one
]
WORSE = re.compile(r"(.*)\b[A-Z_]+\b(\).*?)# should be ([A-Z_]+)")
"""A line with a wrong order: what is before the order, what is behind it, and the right one."""


def verdict(text: str, name: str, memory: str) -> str:
    """What two threads find in a file's last class: "proven", or what is violated."""
    made = [code.struct for code in compile_source(text, name).values()][-1]
    if issubclass(made, Workload):
        found = check_workload(made(), threads=2, memory=memory)
    else:
        found = check_lock(made, threads=2, memory=memory)
    return found.found or found.verdict


def test_every_program_is_found() -> None:
    """No block of Python has another form than those that the tests below read."""
    assert TEXT.count("```python") == len(PROGRAMS)
    assert TEXT.count("Verdict:") == len({name for name, *_ in VERDICTS})
    assert 5 == len(
        {n for n, *_ in VERDICTS} & {n for n, p in RIGHT.items() if "should be" in p[0]}
    )


def test_the_tables_name_every_operation_and_its_orders() -> None:
    """The first part of the page leaves out no operation; its orders are the compiler's."""
    tables = TEXT.partition("\n# Reference")[0]
    named = {*re.findall(r"[`.]([a-z_]+)", tables)}
    assert {*WORD_FORMS, *FREE_FORMS} <= named
    for name in ("load", "store"):
        orders = ", ".join(order.name for order in WORD_FORMS[name].orders)
        assert re.search(rf"^\| `w\.{name}\(.*\| {orders} \|$", tables, re.MULTILINE)


@pytest.mark.parametrize("name", RIGHT)
def test_a_program_compiles(name: str) -> None:
    """Every block is a whole file."""
    made = compile_source(RIGHT[name]["text"], name)
    assert all(issubclass(code.struct, Struct) for code in made.values())
    assert any(
        issubclass(code.struct, CountingSemaphore | Lock | Workload) for code in made.values()
    )


@pytest.mark.parametrize("name", WRONG)
def test_a_refused_program_gets_the_message_on_the_page(name: str) -> None:
    """Letter for letter."""
    with pytest.raises(CompileError) as caught:
        compile_source(WRONG[name]["text"], name)
    assert WRONG[name]["message"].rstrip() == str(caught.value)


@pytest.mark.parametrize(("name", "memory", "expected"), VERDICTS)
def test_a_verdict_is_the_checkers(name: str, memory: str, expected: str) -> None:
    """As the page says; with the order that should be there, the program is right."""
    text = RIGHT[name]["text"]
    assert expected == verdict(text, name, memory)
    mended, times = WORSE.subn(r"\1\3\2", text)
    if times and expected != "proven":
        assert "proven" == verdict(mended, name, memory)


def test_the_counterexample_is_what_the_command_prints(tmp_path: Path) -> None:
    """The page's session, but for the time that it took."""
    ((command, shown),) = re.findall(r"```console\n\$ locklab (.*?)\n(.*?)```", TEXT, re.DOTALL)
    (tmp_path / "message.py").write_text(RIGHT["message.py"]["text"], encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "locklab", *command.split()],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=tmp_path,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
    )
    times = re.compile(r"\d+\.\d+ s\b")
    assert times.sub("", shown).rstrip() == times.sub("", done.stdout).rstrip()


WEAKENED = [
    (line, *one.split(": "))
    for line, last in re.findall(r"^\| (\d+) \|.*\| ([^|]*: [^|]*) \|$", TEXT, re.MULTILINE)
    for one in last.split("; ")
]
"""Lines of the semaphore, a weaker order, and what the page says of it."""


@pytest.mark.parametrize(("line", "order", "expected"), WEAKENED)
def test_every_order_of_the_semaphore_is_needed(line: str, order: str, expected: str) -> None:
    """Two threads under c11 find what the last column says."""
    wanted = rf"\b(?:ACQUIRE|RELEASE|ACQ_REL)\b(.*# {line})$"
    text, times = re.subn(wanted, rf"{order}\1", RIGHT["permits.py"]["text"], flags=re.MULTILINE)
    assert 1 == times
    assert expected == verdict(text, "permits.py", "c11")


def test_all_orders_of_the_semaphore_are_in_the_column() -> None:
    """Each order that is not RELAXED has a weaker one in the table."""
    ordered = re.findall(r"(?:ACQUIRE|RELEASE|ACQ_REL)\).*# (\d+)$", RIGHT["permits.py"][0], re.M)
    assert 2 == len(WEAKENED)
    assert ordered == list(dict.fromkeys(line for line, _, _ in WEAKENED))


def script() -> ModuleType:
    """The script that writes the reference; tools/ is not a package."""
    spec = importlib.util.spec_from_file_location("r", ROOT / "tools" / "language_reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reference_is_that_of_the_code() -> None:
    """If this fails: tools/language_reference.py --write."""
    made = script()
    assert made.reference() == made.written()
