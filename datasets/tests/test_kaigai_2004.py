"""kaigai-2004: the faulty clock, its correction, and the three regimes."""

import math

import pytest

from lockdata import load, number

FRAME = load("kaigai-2004/rcutest", reading="both")
WALL = FRAME[FRAME.measure == "wall"].set_index(["kernel", "cpus"])
CLOCK = WALL[WALL.reason == "clock"]
CPU_S = FRAME[FRAME.measure != "wall"].groupby(["kernel", "cpus"])["corrected"].sum(min_count=2)
LOOP = dict(load("kaigai-2004/setup")[["quantity", "value"]].to_numpy())["loop_program"]


def test_clock_cells() -> None:
    """The correction is applied to all 15 measured cells of the message's table."""
    assert 15 == len(CLOCK)
    assert {4, 8, 16, 32} == set(CLOCK.index.get_level_values("cpus"))


@pytest.mark.parametrize("cell", CLOCK.index)
def test_clock_correction(cell: tuple[str, int]) -> None:
    """The corrected time is the whole seconds and ten times the printed fraction."""
    fraction, whole = math.modf(number(CLOCK.loc[cell, "printed"]))
    assert CLOCK.loc[cell, "corrected"] == pytest.approx(whole + 10 * fraction, abs=1e-9)
    assert fraction < 0.1


@pytest.mark.parametrize("cell", CLOCK.index)
def test_wall_is_user_and_system(cell: tuple[str, int]) -> None:
    """Corrected, the wall time is user + system time and at most 1 % more."""
    assert 0 <= CLOCK.loc[cell, "corrected"] / CPU_S[cell] - 1 <= 0.01


def test_printed_wall_is_not() -> None:
    """As printed, 14 of 15 wall times are shorter than the CPU time, 8 by more than 1 %."""
    error = CLOCK["printed"].map(number) / CPU_S[CLOCK.index] - 1
    assert 14 == (error < 0).sum()
    assert 8 == (error < -0.01).sum()


def test_later_points() -> None:
    """Of the 8 later points, the 2 that the faulty clock could have printed carry the caveat."""
    later = WALL[WALL.index.get_level_values("cpus") < 4]
    assert 8 == len(later)
    possible = later["corrected"] % 1 < 0.1
    assert [("disabled", 2), ("spinlock", 2)] == list(later.index[possible])
    assert ["clock-unsure"] * 2 == list(later["reason"][possible])
    assert [""] * 6 == list(later["reason"][~possible])


def test_cells_to_predict() -> None:
    """Only the spinlock at 32 CPUs has no numbers."""
    missing = FRAME[FRAME["corrected"].isna()]
    assert {("spinlock", 32)} == set(zip(missing["kernel"], missing["cpus"], strict=True))
    assert ["too long", "---", "---"] == list(missing["printed"])


def test_three_regimes() -> None:
    """Disabled and RCU are flat, rwlock's machine-wide rate is, the spinlock's falls as 1/N."""
    time = WALL["corrected"]
    for flat in ("disabled", "rcu"):
        assert max(time[flat].loc[4:]) / min(time[flat].loc[4:]) < 1.03
    rate = {n: n * LOOP / time["rwlock", n] / 1e6 for n in (4, 8, 16, 32)}
    assert all(0.8 <= r <= 1.0 for r in rate.values())
    machine_us = {n: time["spinlock", n] / LOOP / n * 1e6 for n in (4, 8, 16)}
    assert {4: 3.95, 8: 7.99, 16: 16.53} == {n: round(t, 2) for n, t in machine_us.items()}
