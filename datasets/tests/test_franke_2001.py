"""franke-2001 agrees with itself: overheads, lockmeter's identities, kernprof's sums.

Printed figures are rounded, so an identity is checked on intervals: it holds if some values that
would be printed like this satisfy it.
"""

import pytest

from lockdata import interval, load, number
from lockdata.store import read

CPUS = (8, 4, 2, 1)
LOCKS = ("avc_lock", "ss_lock", "runqueue_lock")
CHATROOM = {c.key: c.corrected for c in read("franke-2001/chatroom").cells}
OVERHEAD = {c.key: c.printed for c in read("franke-2001/overhead").cells}
METER = {c.key: c.printed for c in read("franke-2001/lockmeter").cells}
FLAT = {c.key: c for c in read("franke-2001/kernprof-flat").cells}
FUNCTIONS = list(dict.fromkeys(key[:2] for key in FLAT))
GRAPH = load("franke-2001/kernprof-callgraph").pivot(
    index=["kernel", "entry", "role", "function"], columns="measure", values="value"
)


def between(printed: str) -> tuple[float, float]:
    """Return the values that would be printed so."""
    bounds = interval(printed)
    assert bounds is not None
    return bounds


def window_s(cpus: int, locks: tuple[str, ...] = LOCKS) -> tuple[float, float]:
    """Return the lengths of the measurement, in s, that satisfy UTIL x T = HOLD x TOTAL."""
    lowest, highest = 0.0, float("inf")
    for lock in locks:
        hold_us = between(METER[cpus, lock, "hold_mean"])
        util = between(METER[cpus, lock, "util"])
        total = number(METER[cpus, lock, "total"])
        lowest = max(lowest, hold_us[0] * 1e-6 * total / (util[1] / 100))
        highest = min(highest, hold_us[1] * 1e-6 * total / (util[0] / 100))
    return lowest, highest


@pytest.mark.parametrize("key", OVERHEAD)
def test_overhead_recomputes(key: tuple[int, int, int]) -> None:
    """Each of the 36 overheads follows from the two throughputs to half of its fifth decimal."""
    vanilla, selinux = CHATROOM["vanilla", *key], CHATROOM["selinux", *key]
    actual = 100 * (vanilla - selinux) / vanilla
    assert number(OVERHEAD[key]) == pytest.approx(actual, abs=0.5e-5 + 1e-9, rel=0)


def test_overhead_is_complete() -> None:
    """There are 36 overheads, one for each pair of throughputs."""
    assert 36 == len(OVERHEAD)
    assert {key[1:] for key in CHATROOM} == set(OVERHEAD)


def test_vanilla_drops_from_4_to_8_cpus() -> None:
    """The kernel without SELinux loses throughput from 4 to 8 CPUs at all loads but one."""
    loads = [key[1:3] for key in CHATROOM if key[0] == "vanilla" and key[3] == 8]
    gains = [n for n in loads if CHATROOM["vanilla", *n, 8] > CHATROOM["vanilla", *n, 4]]
    assert [(30, 100)] == gains


@pytest.mark.parametrize(
    ("cpus", "expected"), [(8, (96, 99)), (4, (83, 85)), (2, (88, 93)), (1, (88, 95))]
)
def test_lockmeter_window(cpus: int, expected: tuple[int, int]) -> None:
    """UTIL x T = HOLD x TOTAL has a common T for the three locks, whose bounds the notes give."""
    lowest, highest = window_s(cpus)
    assert lowest <= highest
    assert expected == (round(lowest), round(highest))


@pytest.mark.parametrize(("cpus", "expected"), [(8, 99), (4, 82), (2, 84), (1, 62)])
def test_lockmeter_window_of_avc_lock(cpus: int, expected: int) -> None:
    """avc_lock's printed digits, taken as exact, give the T that the notes name."""
    hold_us, total, util = (
        number(METER[cpus, "avc_lock", m]) for m in ("hold_mean", "total", "util")
    )
    assert expected == round(hold_us * 1e-6 * total / (util / 100))


@pytest.mark.parametrize("lock", LOCKS)
@pytest.mark.parametrize("cpus", CPUS)
def test_lockmeter_contention_adds_up(cpus: int, lock: str) -> None:
    """CON + NOWAIT can be 100 %, and contention is all spinning with no failed trylock."""
    con, nowait = (between(METER[cpus, lock, m]) for m in ("con", "nowait"))
    assert con[0] + nowait[0] <= 100 <= con[1] + nowait[1]
    assert METER[cpus, lock, "con"] == METER[cpus, lock, "spin"]
    assert "0%" == METER[cpus, lock, "reject"]


@pytest.mark.parametrize("lock", LOCKS)
@pytest.mark.parametrize("cpus", [8, 4, 2])
def test_lockmeter_share_of_waiting(cpus: int, lock: str) -> None:
    """WAIT % CPU is CON x TOTAL x WAIT MEAN over the CPU time of the measurement."""
    con, wait_us = (between(METER[cpus, lock, m]) for m in ("con", "wait_mean"))
    total = number(METER[cpus, lock, "total"])
    window = window_s(cpus)
    lowest = con[0] * total * wait_us[0] * 1e-6 / (cpus * window[1])
    highest = con[1] * total * wait_us[1] * 1e-6 / (cpus * window[0])
    printed = between(METER[cpus, lock, "wait_cpu"])
    assert lowest <= printed[1]
    assert printed[0] <= highest


@pytest.mark.parametrize("lock", ["avc_lock", "runqueue_lock"])
def test_hold_grows_with_cpus(lock: str) -> None:
    """The mean hold time rises with every doubling of the CPUs."""
    holds = [number(METER[cpus, lock, "hold_mean"]) for cpus in CPUS]
    assert sorted(set(holds), reverse=True) == holds


@pytest.mark.parametrize("kernel", ["vanilla", "selinux"])
def test_flat_profile_percentages(kernel: str) -> None:
    """Self seconds over percentage gives one total time in all lines of a profile."""
    lowest, highest = 0.0, float("inf")
    for key in (f for f in FUNCTIONS if f[0] == kernel):
        self_s, share = (between(FLAT[*key, m].printed) for m in ("self", "time_percent"))
        lowest = max(lowest, self_s[0] / (share[1] / 100))
        highest = min(highest, self_s[1] / (share[0] / 100))
    assert lowest <= highest
    assert {"vanilla": 87.5, "selinux": 154.9}[kernel] == round((lowest + highest) / 2, 1)


@pytest.mark.parametrize("key", [f for f in FUNCTIONS if FLAT[*f, "calls"].corrected is not None])
def test_flat_profile_times_a_call(key: tuple[str, str]) -> None:
    """Calls x corrected time a call gives the self seconds; the printed unit is 1000 times off."""
    calls, self_s = FLAT[*key, "calls"].corrected, between(FLAT[*key, "self"].printed)
    cell = FLAT[*key, "self_per_call"]
    # The second bound is that of the time a call, which has few digits for short functions.
    half_s = 0.005e-6 * calls
    assert self_s[0] - half_s <= cell.corrected * 1e-3 * calls <= self_s[1] + half_s
    assert number(cell.printed) * 1e-3 * calls > 100 * self_s[1]


@pytest.mark.parametrize("kernel", ["vanilla", "selinux"])
def test_flat_profile_running_sum(kernel: str) -> None:
    """The running sum grows by the line's self time, or by more where lines were left out."""
    cumulative = before = 0.0
    whole = 0
    for key in (f for f in FUNCTIONS if f[0] == kernel):
        before, cumulative = cumulative, FLAT[*key, "cumulative"].corrected
        step = cumulative - before - FLAT[*key, "self"].corrected
        assert step > -0.005
        whole += abs(step) < 0.005
    assert {"vanilla": 5, "selinux": 10}[kernel] == whole


@pytest.mark.parametrize("entry", sorted({k[:2] for k in GRAPH.index}))
def test_call_graph_sums(entry: tuple[str, int]) -> None:
    """A function's children time is the time of its callees; its one caller has all its calls."""
    lines = GRAPH.loc[entry]
    function, caller = lines.loc["function"].iloc[0], lines.loc["caller"].iloc[0]
    callees = lines.loc["callee"][["self", "children"]]
    # Every figure is rounded to 0.01 s.
    slack = 0.005 * (callees.size + 1) + 1e-9
    assert function["children"] == pytest.approx(callees.to_numpy().sum(), abs=slack)
    for measure in ("self", "children", "called"):
        assert function[measure] == caller[measure]
    assert caller["called"] == caller["called_total"]


@pytest.mark.parametrize(("kernel", "expected"), [("vanilla", 86), ("selinux", 153)])
def test_call_graph_percentages(kernel: str, expected: int) -> None:
    """(self + children) / percentage is one total in both entries of a kernel."""
    lines = GRAPH.loc[kernel].dropna(subset="time_percent")
    totals = (lines["self"] + lines["children"]) / (lines["time_percent"] / 100)
    assert 2 == len(totals)
    assert [expected] * 2 == [int(t) for t in totals]


def test_lmbench_repeats_itself() -> None:
    """The context switch of two empty processes is the same in the two tables that print it."""
    switch = {c.key: c.printed for c in read("franke-2001/lmbench-context-switch").cells}
    again = {c.key: c.printed for c in read("franke-2001/lmbench-communication").cells}
    for kernel in ("vanilla", "selinux"):
        assert switch[kernel, "2p_0k"] == again[kernel, "2p_0k"]


def test_l1_latency_is_whole_cycles() -> None:
    """The first-level latency is 3 cycles of the printed clock, to the last digit but one."""
    memory = {c.key: c.corrected for c in read("franke-2001/lmbench-memory").cells}
    for kernel in ("vanilla", "selinux"):
        cycles = memory[kernel, "l1"] * memory[kernel, "mhz"] / 1000
        assert 3.0 == pytest.approx(cycles, abs=0.002)
