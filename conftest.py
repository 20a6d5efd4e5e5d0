"""What every test needs, and what a run of them cost."""

import atexit
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from typing import Any

import pytest
from covering import in_the_normal_run
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

# A shell that starts the tests in the background lets them ignore Ctrl-C, and so would every
# program that a test starts and interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# What tests do is no progress of the developer's.
_records = tempfile.mkdtemp()
atexit.register(shutil.rmtree, _records, ignore_errors=True)
os.environ["LOCKLAB_PROGRESS"] = os.path.join(_records, "progress.jsonl")

# Properties: few examples, the same in every run, or many new ones (`make slow`). An example may
# take as long as it likes: the machine may be busy, and the first one may compile an engine.
_ANY_TIME = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("few", max_examples=10, derandomize=True, **_ANY_TIME)
settings.register_profile("many", max_examples=200, print_blob=True, **_ANY_TIME)
settings.load_profile("few")

# Hypothesis also tries numbers that it reads in the modules imported so far. In the normal run
# examples would then depend on which tests came before.
_is_local = providers.is_local_module_file
providers.is_local_module_file = lambda path: not settings.default.derandomize and _is_local(path)

#: How many of the dearest tests a run names at its end.
DEAREST = 20


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Make slow what a covering selection leaves out (sim/tests/covering.py)."""
    for item in items:
        for mark in item.iter_markers("covering"):
            if not in_the_normal_run(item, *mark.args, **mark.kwargs):
                item.add_marker(pytest.mark.slow)


def _cpu_s() -> float:
    """Processor seconds of this process and of the children that it has waited for."""
    return sum(os.times()[:4])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Note what a test costs in processor time, which a busy machine hardly changes."""
    item.user_properties.append(("cpu_began", _cpu_s()))
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: Any) -> Iterator[Any]:
    """Send the cost along with the last report: workers of xdist are other processes."""
    report = yield
    if call.when == "teardown":
        began = dict(item.user_properties)["cpu_began"]
        report.user_properties = [("cpu_s", _cpu_s() - began)]
    return report


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Name the tests that cost most, and the sum: the suite's budget is in CONTRIBUTING.md."""
    costs = sorted(
        (
            (dict(report.user_properties)["cpu_s"], report.nodeid)
            for reports in terminalreporter.stats.values()
            for report in reports
            if getattr(report, "when", None) == "teardown"
        ),
        reverse=True,
    )
    if len(costs) <= 1:
        return
    terminalreporter.section(f"the {min(DEAREST, len(costs))} dearest tests, CPU seconds")
    for seconds, name in costs[:DEAREST]:
        terminalreporter.write_line(f"{seconds:7.1f}  {name}")
    total = sum(seconds for seconds, _ in costs)
    terminalreporter.write_line(f"{total:7.1f}  all {len(costs)} tests")
    path = os.environ.get("LOCKLAB_TEST_COSTS")
    if path:
        with open(path, "w", encoding="utf-8") as out:
            out.writelines(f"{seconds:.3f}\t{name}\n" for seconds, name in costs)
