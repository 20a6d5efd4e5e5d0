"""``locklab check --weaken``: the table, its JSON, exit codes."""

import json

import pytest
from typer.testing import CliRunner

from locksim.checker import Budget, Verdict, check_lock
from locksim.checker.weakest import weakest
from locksim.cli.check import app
from locksim.cli.weakest import (
    LossAnswer,
    OrderAnswer,
    WeakestAnswer,
    breaks,
    report_of,
    sentences,
)
from locksim.compiler import compile_source

SPIN = """
from locksim.lang import *

class Spin(Lock):
    held = word()

    def acquire(self):
        while (yield self.held.swap(1)):
            yield pause()

    def release(self):
        yield self.held.store(0, {release})

    def break_open(self):
        yield self.held.store(0)
"""
QUEUE = """
from locksim.lang import *

class Cell(Struct):
    value = word()

    def write(self, value):
        yield self.value.store(value)

    def read(self):
        value = yield self.value.load()
        return value
"""


def run(*arguments):
    """Run the command."""
    return CliRunner().invoke(app, [str(a) for a in arguments])


@pytest.fixture
def spin(tmp_path):
    """A file with a lock whose orders are strong."""
    file = tmp_path / "spin.py"
    file.write_text(SPIN.format(release="SEQ_CST"))
    return file


def test_the_table_has_what_is_given_what_suffices_and_what_breaks(spin):
    """In 80 columns; below it stands the verdict, and what it does not cover."""
    result = run(spin, "--weaken", "--threads", 2)
    assert 0 == result.exit_code
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert "line operation given weakest if weaker" == lines[1]
    assert "8 held.swap SEQ_CST ACQUIRE race: acquire(); release() | acquire()" == lines[3]
    assert "12 held.store SEQ_CST RELEASE race: acquire(); release() | acquire()" == lines[4]
    assert "15 held.store SEQ_CST SEQ_CST not performed" == lines[5]
    assert "2 threads, c11, all: proven with the weakest orders (" in lines[7]
    assert [
        "2 orders are stronger than this check needs: lines 8, 12",
        "no single order can be weaker; other choices may be as good",
        "no thread performs line 15: nothing is known of it",
    ] == lines[8:11]
    assert max(map(len, result.stdout.splitlines()[:6])) <= 80


def test_json_has_the_published_keys(spin):
    """Of the answer, of an operation, and of what is lost."""
    result = run(spin, "--weaken", "--threads", 2, "--json")
    document = json.loads(result.stdout)
    assert {*WeakestAnswer.__annotations__} == {*document}
    swap, _, idle = document["orders"]
    assert {*OrderAnswer.__annotations__} == {*swap}
    (loss,) = swap["losses"]
    assert {*LossAnswer.__annotations__} == {*loss}
    assert ("ACQUIRE", "RELAXED", "race", 2) == (
        swap["weakest"],
        loss["order"],
        loss["found"],
        loss["threads"],
    )
    assert "race" == loss["counterexample"]["found"]
    assert (False, "SEQ_CST") == (idle["performed"], idle["weakest"])
    assert ("Spin.acquire", "held.swap", 8) == (swap["method"], swap["operation"], swap["line"])


def test_what_is_not_proven_is_answered_as_by_check(tmp_path):
    """A lock that is broken with its own orders has the usual counterexample, and exit code 1."""
    file = tmp_path / "spin.py"
    file.write_text(SPIN.format(release="RELAXED"))
    result = run(file, "--weaken", "--threads", 2)
    assert 1 == result.exit_code
    assert "race" == result.stdout.partition(":")[0]
    assert "--weaken looks for weaker orders once the given ones are proven" in result.stdout
    assert "violated" == json.loads(run(file, "--weaken", "--json").stdout)["verdict"]


def test_a_budget_that_is_used_up_leaves_orders_undecided(spin):
    """They are kept, the line says which, and the exit code is 3."""
    lock = compile_source(spin.read_text(), str(spin))["Spin"].struct
    ran = check_lock(lock, threads=2, memory="c11").ran

    def ask(*, orders, **more):
        verdict = "unfinished" if orders else "proven"
        return Verdict("spin", 2, "c11", "all", verdict, 1, 1, 0.1, ran=ran)

    found = weakest(lock, ask, Budget())
    report = report_of(found, strict=False)
    assert (3, "unfinished") == (report.exit_code, report.document["verdict"])
    verdict, same, undecided, *_ = sentences(found)
    assert "unfinished with the weakest orders" in verdict
    assert "no order is stronger than this check needs" in same
    assert "not decided within the budget, so kept: lines 8, 12" in undecided
    assert [["not decided"], ["not decided"], ["not performed"]] == [*map(breaks, found.orders)]


def test_a_specification_goes_with_it(tmp_path):
    """A cell that is linearizable."""
    file = tmp_path / "cell.py"
    file.write_text(QUEUE)
    result = run(f"{file}:Cell", "--spec", f"{file}:Cell", "--weaken")
    assert 0 == result.exit_code
    assert "value.store" in result.stdout


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--memory", "sc"], "memory orders have no effect there"),
        (["--random", "5"], "--weaken works only without --random and --out"),
        (["--property", "bypass", "--memory", "tso"], "leave --property out"),
    ],
)
def test_what_depends_on_no_order_is_refused(more, says):
    """Exit code 2, and what to do."""
    result = run("ticket", "--weaken", *more)
    assert 2 == result.exit_code
    assert says in result.output
