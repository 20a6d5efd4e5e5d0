"""A trace as a table, and as a Parquet file."""

import pandas as pd
from study.traces.traced import read_mostly

from locksim.library.locks.rwlock import ReaderPreferenceRWLock


def test_row_for_row():
    """Each row of the trace is one of the table, with names instead of numbers."""
    trace = read_mostly(ReaderPreferenceRWLock)
    frame = trace.frame()
    assert len(trace.rows) == len(frame)
    assert trace.rows[:, 0].tolist() == frame["time_ps"].tolist()
    served = frame[frame["what"] == "served"]
    assert len(trace.transfers) == len(served)
    assert (served["asked_ps"] <= served["time_ps"]).all()
    assert (served["ready_ps"] > served["time_ps"]).all()
    assert {"read", "write", "upgrade"} <= set(served["kind"])
    assert frame.loc[frame["what"] != "served", "kind"].isna().all()


def test_parquet_gives_the_table_back(tmp_path):
    """What is read is what was written, names and missing values included."""
    trace = read_mostly(ReaderPreferenceRWLock)
    path = trace.save(tmp_path / "trace.parquet")
    pd.testing.assert_frame_equal(trace.frame(), pd.read_parquet(path))


def test_places_are_those_of_the_source():
    """The file and line of an operation lead to its text."""
    frame = read_mostly(ReaderPreferenceRWLock).frame()
    swaps = frame[(frame["what"] == "compare_swap") & (frame["word"] == "lock.state")]
    assert {"ReaderPreferenceRWLock.write_acquire"} == set(swaps["method"])
    assert all(name.endswith("rwlock.py") for name in swaps["file"])
