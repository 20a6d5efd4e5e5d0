"""What a printed lock looks like: structure, names, orders, comments, refusals."""

from __future__ import annotations

import inspect
import json
import re

import idioms
import pytest
from emit.golden_headers import NAMES, current, stored
from typer.testing import CliRunner

from locksim.cli.show_lock import app
from locksim.compiler import compile_source
from locksim.emit import EmitError, Emitted, emit
from locksim.library.registry import entries, resolve

HEAD = "from locksim.lang import *\n\nclass L(Lock):\n    a = word()\n    b = word()\n"


def printed(body: str, more: str = "") -> str:
    """The C of a method ``acquire`` with this body, without the places in the source."""
    lines = "".join(f"        {line}\n" for line in body.strip().splitlines())
    text = f"{HEAD}{more}\n    def acquire(self):\n{lines}"
    whole = emit(compile_source(text, "l.py")["L"]).text
    found = re.search(r"l_acquire\(.*?\n\{\n(.*?)\n\}", whole, re.DOTALL)
    assert found is not None
    return re.sub(r" */\* l\.py:\d+ \*/", "", found[1])


@pytest.mark.parametrize("name", NAMES)
def test_golden(name: str) -> None:
    """Two locks, letter for letter."""
    assert stored(name).read_text(encoding="utf-8") == current(name)


SLEEP = {"futex", "futex_rwlock", "mutex", "percpu_rwsem", "rwsem", "semaphore"}
"""Locks whose waiters sleep: a header has no scheduler that would wake them."""
PRINTED = [e for e in entries() if e.kind != "scheduler" and e.name not in SLEEP]


@pytest.mark.parametrize("entry", PRINTED, ids=lambda entry: entry.name)
def test_library_needs_no_goto(entry: object) -> None:
    """Every loop and branch of the library is found again."""
    assert "goto" not in emit(resolve(entry.name).compiled()).text  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", [entry.name for entry in PRINTED if entry.kind == "lock"])
def test_all_orders_survive(name: str) -> None:
    """Every operation of a lock's own file that names an order is there, with that order."""
    entry = resolve(name)
    text = emit(entry.compiled()).text
    code = entry.compiled()
    for method in code.methods.values():
        if method.name == "setup":
            continue
        for instr in method.instrs:
            if instr.op in ("LOAD", "STORE", "SWAP", "COMPARE_SWAP", "FETCH_ADD"):
                order = ("relaxed", "acquire", "release", "acq_rel", "seq_cst")[instr.args[-1]]
                assert f"memory_order_{order}" in text


def test_loops_and_branches() -> None:
    """While, for, if, else, break, continue and return come back as they were written."""
    body = """
n = 0
while True:
    old = yield self.a.load(ACQUIRE)
    if old > 9:
        break
    if old == 1 or old == 2:
        yield pause()
    else:
        while (yield self.b.load(RELAXED)):
            if old == 7:
                continue
            yield pause()
    for i in range(old):
        yield self.b.store(i, RELAXED)
        n += i
yield self.b.store(n, RELEASE)
"""
    expected = """
    int64_t n = 0;
    for (;;) {
        int64_t old = atomic_load_explicit(&self->a, memory_order_acquire);
        if (old > 9)
            break;
        if (old == 1 || old == 2) {
            locklab_pause();
        } else {
            while (atomic_load_explicit(&self->b, memory_order_relaxed) != 0) {
                if (old != 7)
                    locklab_pause();
            }
        }
        for (int64_t i = 0; i < old; i = i + 1) {
            atomic_store_explicit(&self->b, i, memory_order_relaxed);
            n = n + i;
        }
    }
    atomic_store_explicit(&self->b, n, memory_order_release);
"""
    assert expected.split() == printed(body).split()


def test_operations_stay_in_order() -> None:
    """Of two loads in one expression the first gets a variable: C leaves their order open."""
    text = printed("yield self.a.store((yield self.a.load()) - (yield self.b.load()))")
    expected = """
    int64_t t = atomic_load_explicit(&self->a, memory_order_seq_cst);
    atomic_store_explicit(&self->a, t - atomic_load_explicit(&self->b, memory_order_seq_cst),
            memory_order_seq_cst);
"""
    assert expected.split() == text.split()


def test_a_test_that_decides_nothing_is_performed() -> None:
    """Both ways go on to the same place: the operation is what is left."""
    body = """
i = 0
while i < 3:
    i += 1
    if (yield self.a.swap(i)):
        continue
"""
    kept = "(void)(atomic_exchange_explicit(&self->a, i, memory_order_seq_cst) != 0);"
    assert kept in " ".join(printed(body).split())


def test_short_circuit() -> None:
    """``and`` evaluates its second operation only where Python does."""
    body = (
        "if (yield self.a.load(RELAXED)) and (yield self.b.load(RELAXED)) == 1:\n    yield pause()"
    )
    assert "!= 0 &&" in printed(body)


def test_floor_division() -> None:
    """Division rounds down: by a power of two it is a shift, otherwise a function."""
    text = printed("x = yield self.a.load()\nyield self.b.store(x // 8 + x % 8 + x // 3 + x % -3)")
    assert "(x >> 3) + (x & 7)" in text
    assert "locklab_floor_divide(x,3)+locklab_modulo(x,-3)" in re.sub(r"\s", "", text)


def test_names_of_c() -> None:
    """A variable may be called what means something in C."""
    text = printed("register = yield self.a.load()\nyield self.b.store(register)")
    assert "int64_t register_ = " in text


def test_comments_come_along() -> None:
    """A comment of the source stands above the statement that it was above."""
    body = "# Look out. */\nyield self.a.store(1, RELEASE)"
    assert "    /* Look out. * / */\n    atomic_store_explicit" in printed(body)


def test_unread_variable() -> None:
    """What nobody reads is not declared; its operation is performed."""
    assert printed("x = yield self.a.fetch_add(1)").lstrip().startswith("atomic_fetch_add_explicit")


@pytest.mark.parametrize(
    ("statement", "caret"),
    [("yield block()", 15), ("yield wake(3)", 15), ("yield compute(random_exponential(5))", 23)],
)
def test_refusals(statement: str, caret: int) -> None:
    """What a header cannot do is refused at its place."""
    text = f"{HEAD}\n    def acquire(self):\n        {statement}\n"
    with pytest.raises(EmitError) as refused:
        emit(compile_source(text, "l.py")["L"])
    assert ("l.py", 8, caret, 2) == (
        refused.value.file,
        refused.value.line,
        refused.value.column,
        refused.value.exit_code,
    )


def test_lock_without_the_method_that_is_called() -> None:
    """A part that was declared as any lock can be one that lacks a method."""
    text = (
        "from locksim.lang import *\nclass Bare(Lock):\n    a = word()\n    def acquire(self):\n"
        "        yield self.a.store(1)\n"
        "class L(Lock):\n    inner = part(Lock)\n    def acquire(self):\n"
        "        yield from self.inner.release()\n"
    )
    codes = compile_source(text, "l.py")
    spec = codes["L"].struct(inner=codes["Bare"].struct)
    with pytest.raises(EmitError, match="Bare has no method 'release'"):
        emit(codes["L"], spec)


def test_what_callers_need() -> None:
    """Functions by the names of the methods, and whether they have to be told who calls."""
    found: Emitted = emit(resolve("mcs").compiled())
    assert "struct mcs_lock" == found.struct
    assert ("mcs_lock_release", True, "") == (
        found.methods["release"].name,
        found.methods["release"].thread,
        found.methods["release"].returns,
    )
    assert not emit(resolve("ticket").compiled()).init.thread


def test_command() -> None:
    """``locklab show lock ticket --as c`` prints the header, with --json beside the rest."""
    run = CliRunner()
    assert current("ticket").rstrip() == run.invoke(app, ["ticket", "--as", "c"]).stdout.rstrip()
    said = json.loads(run.invoke(app, ["ticket", "--as", "c", "--json"]).stdout)
    assert current("ticket") == said["c"]


def test_idioms() -> None:
    """Counted loops, methods of a base class, words and nodes as arguments are plain C."""
    made = compile_source(inspect.getsource(idioms), "idioms.py")
    texts = {name: emit(code).text for name, code in made.items() if name != "Crowd"}
    assert [] == [name for name, text in texts.items() if "goto" in text]
    assert "for (other = 0; other < BAKERY_N; other = other + 1) {" in texts["Bakery"]
    assert "bakery_wait_for_zero(self, &self->choosing[other]);" in texts["Bakery"]
    assert "counting_by_two_ticket_lock_acquire(self);" in texts["CountingByTwo"]
    assert "queue_lock_successor(struct queue_lock *self, struct seat *seat)" in texts["QueueLock"]
