"""The published curves as questions: the halves, the rows, and the values that stand for them."""

import importlib
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def questions() -> ModuleType:
    """The script as a module."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "sim/benchmarks")
        return importlib.import_module("curve_questions")


def test_the_halves_are_those_of_the_page(questions: ModuleType) -> None:
    """Of datasets/README.md, where they were committed before the first run."""
    page = (ROOT / "datasets/README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w/-]+)` \| (train|test) \|", page, re.M)
    assert 12 == len(rows)
    for half, names in (("train", questions.TRAIN), ("test", questions.TEST)):
        assert sorted(names) == sorted(name for name, of in rows if of == half)


def test_a_curve_is_one_question_a_point(questions: ModuleType) -> None:
    """The mean of perfbook's counter, in ns; pinned threads; one machine for all."""
    found = list(questions.questions("mckenney-2019/atomic"))
    assert 31 == len(found)
    assert (2, 63.884) == (found[1].cpus, found[1].measured_ns)
    assert {("mean", "compact", "mckenney xeon-8176-8x28")} == {
        (one.row, one.placement, one.group) for one in found
    }


def test_no_question_has_more_threads_than_cpus(questions: ModuleType) -> None:
    """Rows of folly with 64 and 128 threads are left out, and the threads lie apart."""
    found = list(questions.questions("folly-locks/small-locks"))
    assert {2, 4, 8, 19, 56} == {one.cpus for one in found}
    for one in found:
        assert one.cpus == len({*one.placement})
        assert max(one.placement) < 56


def test_every_row_counts_that_the_page_names(questions: ModuleType) -> None:
    """Five ways to count on a Graviton2, each with one to sixteen threads."""
    found = list(questions.questions("downs-2020/graviton2"))
    rows = {one.row for one in found}
    assert {"atomic add", "cas add", "mutex add", "pause spin", "ticket spin"} == rows
    assert len(rows) * 16 == len(found)


def test_the_programs_compile(questions: ModuleType) -> None:
    """Those that only the questions have."""
    for workload in (questions.Reference(), questions.FiveLines(words=5)):
        assert 0 < questions._alone_ns(workload, questions.machines.load("desktop-4"))
