"""A load is found again from its own report; what the report leaves open is asked for or drawn."""

from dataclasses import replace

import pytest
from study.twin.twin_loads import CPUS, LOAD, MACHINE

from locksim.study.reports import detect
from locksim.study.twin.errors import TwinError
from locksim.study.twin.evidence import Target, evidence_of
from locksim.study.twin.fit import agreement, fit
from locksim.study.twin.load import Setting, measure
from locksim.study.twin.plan import Given, plan
from locksim.study.twin.prediction import predict


@pytest.fixture
def evidence(report, truth):
    """The report of the load, read again."""
    found = detect.read_report(
        report.splitlines(keepends=True), None, cpus=CPUS, window_ns=truth.window_ps / 1e3
    )
    return evidence_of(found.tables, None, "ticket")


@pytest.mark.usefixtures("short_runs")
def test_a_load_is_found_again(evidence):
    """By rate, CON, WAIT and HOLD; the longest wait, which no fit used, agrees, too."""
    how = plan(evidence, Given(locks=1))
    twin = fit(how, Setting(MACHINE, CPUS))
    assert ["rate", "hold", "wait", "con", "rate"] == [knob.column for knob in how.knobs]
    assert pytest.approx(LOAD.hold_ns, rel=0.1) == twin.load.hold_ns
    # A gap is a think time, or nothing: only their mean is determined.
    assert pytest.approx(LOAD.think_ns, rel=0.1) == twin.load.think_ns * (1 - twin.load.again)
    assert not [one.column for one in agreement(how, twin) if one.far]


@pytest.mark.usefixtures("short_runs")
def test_a_saturated_load_is_found_again(evidence):
    """Its rate is that of the lock, so the think time shows in the waits alone."""
    busy = replace(LOAD, think_ns=50, hold_ns=300, spread=0.0)
    seen = measure(busy, Setting(MACHINE, CPUS, seed=7, sections=10_000)).columns
    columns = {name: Target(seen[name], 0.01) for name in ("rate", "con", "wait", "hold")}
    how = plan(replace(evidence, columns=columns), Given(locks=1, lines=1))
    twin = fit(how, Setting(MACHINE, CPUS))
    assert not [one.column for one in agreement(how, twin) if one.far]
    assert pytest.approx(seen["rate"], rel=0.05) == twin.measured.columns["rate"]
    assert 200 > twin.load.think_ns


def test_a_long_warm_up_is_no_livelock():
    """One CPU does all sections of a run, and it takes its time."""
    slow = replace(LOAD, hold_ns=500.0, think_ns=2_000.0)
    found = measure(slow, Setting(MACHINE, 1, sections=10_000))
    assert 0 < found.per_second < 1e9 / 2_500 * 1.05


@pytest.mark.usefixtures("short_runs")
def test_predictions_have_bands_and_no_effect_is_one(evidence):
    """The same lock changes nothing; a split helps; each draw is a twin of its own."""
    how = plan(evidence, Given(locks=1, spread=1.0, lines=1))
    twin = fit(how, Setting(MACHINE, CPUS))
    found = predict(how, twin, ["lock=ticket", "split:8:random"])
    same, split = found.after
    assert (1.0, True) == (same.factor.value, same.factor.low < 1 < same.factor.high)
    assert "no effect" in same.effect
    assert "faster" == split.effect
    assert found.before.bands["con"].value > 5 * split.bands["con"].value
    assert 9 == len(found.twins)
    assert not split.excess
    assert same.most < split.most < 2
    no_waits = replace(how, evidence=replace(evidence, waited_ns=0.0))
    (above,) = predict(no_waits, twin, ["split:8:random"], draws=0).after
    assert (True, "too few draws") == (above.excess, above.effect)
    low, high = found.interval(lambda one: one.load.hold_ns)
    assert low < high


def test_an_idle_lock_needs_no_number(evidence):
    """Where nobody waits, rate and hold are all that a load can have."""
    idle = replace(evidence, columns=dict(evidence.columns), waits=2)
    for name in ("con", "wait", "wait_max"):
        del idle.columns[name]
    how = plan(idle)
    assert ["rate", "hold"] == [knob.column for knob in how.knobs]
    assert (4.0, 0.0) == (how.start.locks, how.start.at_random)


@pytest.mark.parametrize(
    ("given", "knobs", "opened"),
    [
        (Given(), ["think_ns", "hold_ns", "spread", "locks", "costs"], ["lines", "again"]),
        (Given(locks=8), ["think_ns", "hold_ns", "spread", "sharing", "costs"], ["lines", "again"]),
        (
            Given(locks=8, owners=True),
            ["think_ns", "hold_ns", "spread", "again", "costs"],
            ["lines"],
        ),
        (Given(locks=1, spread=0.5, lines=2), ["think_ns", "hold_ns", "again", "costs"], []),
    ],
)
def test_each_column_has_its_knob(evidence, given, knobs, opened):
    """What is given is not fitted, and what no column moves is open."""
    how = plan(evidence, given)
    assert (knobs, opened) == ([knob.name for knob in how.knobs], [one.name for one in how.open])


def test_what_cannot_be_found_out_is_asked_for(evidence):
    """The number of locks without a total, the readers without their rows; and contradictions."""
    waits = {name: evidence.columns[name] for name in ("wait",)}
    perf = replace(evidence, columns=waits | {"contentions": evidence.columns["rate"]})
    cases = [
        (perf, Given(), "--set locks=1"),
        (replace(evidence, lock="qrwlock"), Given(locks=1), "with --reads"),
        (evidence, Given(owners=True), "add --set locks="),
        (
            replace(
                evidence, columns=evidence.columns | {"hold": replace(waits["wait"], value=9e9)}
            ),
            Given(locks=1),
            "locks cannot be",
        ),
    ]
    for of, given, message in cases:
        with pytest.raises(TwinError, match=message):
            plan(of, given)
