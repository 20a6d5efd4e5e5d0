"""Trace events: a strict reading of the format, as the viewers do it."""

import json
from collections import defaultdict
from itertools import pairwise

import pytest
from study.traces.traced import contended, read_mostly

from locksim.library.locks.mcs import MCSLock
from locksim.library.locks.rwlock import ReaderPreferenceRWLock
from locksim.library.locks.ticket import TicketLock

REQUIRED = {
    "X": {"name", "cat", "ts", "dur", "pid", "tid", "args"},
    "M": {"name", "pid", "tid", "args"},
    "C": {"name", "ts", "pid", "tid", "args"},
    "s": {"name", "cat", "ts", "pid", "tid", "id"},
    "f": {"name", "cat", "ts", "pid", "tid", "id", "bp"},
}
METADATA = {"process_name", "process_sort_index", "thread_name", "thread_sort_index"}

cases = pytest.mark.parametrize(
    "trace",
    [
        lambda: contended(TicketLock, 4),
        lambda: contended(MCSLock, 4, words=2),
        lambda: contended(TicketLock, 2, rows=37),
        lambda: read_mostly(ReaderPreferenceRWLock),
    ],
    ids=["ticket", "mcs", "cut", "rwlock"],
)


def ps(us):
    """A time in the file as the picoseconds that it was."""
    exact = round(us * 10**6)
    assert abs(us * 10**6 - exact) < 1e-3, us
    return exact


def read(trace):
    """The document as a viewer gets it, from text."""
    return json.loads(json.dumps(trace.to_chrome()))


@cases
def test_events_are_complete(trace):
    """Known phases, every key that each needs, and no time before 0."""
    for event in read(trace())["traceEvents"]:
        assert REQUIRED[event["ph"]] <= set(event), event
        assert all(event.get(key, 0) >= 0 for key in ("ts", "dur"))


@cases
def test_slices_of_a_track_nest(trace):
    """On one track a slice lies within another or beside it, never across its end."""
    tracks = defaultdict(list)
    for event in read(trace())["traceEvents"]:
        if event["ph"] == "X":
            start = ps(event["ts"])
            tracks[event["pid"], event["tid"]].append((start, -ps(event["ts"] + event["dur"])))
    assert tracks
    for slices in tracks.values():
        stack = []
        for start, minus_end in sorted(slices):
            while stack and stack[-1] <= start:
                stack.pop()
            assert not stack or -minus_end <= stack[-1]
            stack.append(-minus_end)


@cases
def test_every_track_has_a_name(trace):
    """Each track that is used is named once, each process too."""
    document = read(trace())
    named, used = defaultdict(list), set()
    for event in document["traceEvents"]:
        if event["ph"] == "M":
            assert event["name"] in METADATA
            if event["name"] == "thread_name":
                named[event["pid"], event["tid"]].append(event["args"]["name"])
        else:
            used.add((event["pid"], event["tid"]))
    assert used <= set(named)
    assert all(len(names) == 1 for names in named.values())


@cases
def test_arrows_begin_and_end_in_slices(trace):
    """Each start has one end, not earlier; both are bound to a slice that is there."""
    document = read(trace())
    slices = [e for e in document["traceEvents"] if e["ph"] == "X"]
    arrows = defaultdict(dict)
    for event in document["traceEvents"]:
        if event["ph"] in "sf":
            assert event["ph"] not in arrows[event["id"]]
            arrows[event["id"]][event["ph"]] = event
            assert any(
                (s["pid"], s["tid"]) == (event["pid"], event["tid"])
                and ps(s["ts"]) <= ps(event["ts"]) <= ps(s["ts"] + s["dur"])
                for s in slices
            )
    for ends in arrows.values():
        assert {"s", "f"} == set(ends)


def test_counters_rise_and_fall_by_who_comes_and_goes():
    """Times go up, and the counters count no fewer than nobody."""
    counters = defaultdict(list)
    for event in read(contended(TicketLock, 4))["traceEvents"]:
        if event["ph"] == "C":
            counters[event["name"]].append((event["ts"], event["args"]["value"]))
    values = counters["lock waiters"]
    assert sorted(set(values)) == values
    assert {3, 4} <= {value for _, value in values} <= {0, 1, 2, 3, 4}


def test_holders_of_a_lock_follow_one_another():
    """On the lock's track no two slices overlap."""
    document = read(contended(MCSLock, 4))
    holds = [e for e in document["traceEvents"] if e["ph"] == "X" and e["pid"] == 2]
    times = sorted((ps(e["ts"]), ps(e["ts"] + e["dur"])) for e in holds)
    assert len(times) > 10
    assert all(end <= start for (_, end), (start, _) in pairwise(times))


def test_times_are_whole_nanoseconds():
    """What viewers keep; cut, not rounded, so that no end passes a beginning."""
    trace = contended(TicketLock, 4)
    starts = {ps(e["ts"]) for e in read(trace)["traceEvents"] if e["ph"] == "X"}
    expected = {t.asked_ps // 1000 * 1000 for t in trace.transfers}
    assert expected <= starts
    assert {0} == {start % 1000 for start in starts}
