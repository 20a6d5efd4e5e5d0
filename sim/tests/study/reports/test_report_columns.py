"""Tables whose heading names the columns: every count, every unit, every order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locksim.study.reports import detect

COUNTS = st.integers(1, 12).flatmap(lambda digits: st.integers(10 ** (digits - 1), 10**digits - 1))
UNITS_NS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}
TIMES = st.tuples(st.integers(0, 99_999), st.sampled_from([*UNITS_NS]))

PERF = {"contended": "contended", "total wait": "wait_total_ns", "max wait": "wait_max_ns"} | {
    "min wait": "wait_min_ns",
    "avg wait": "wait_ns",
}
PERF_REPORT = {"acquired": "total", **PERF}
KLOCKSTAT = {"Count": "total", "Avg Wait": "wait_ns", "Max Wait": "wait_max_ns"} | {
    "Total Wait": "wait_total_ns"
}
MUTRACE = {"Locked": "total", "Changed": "owner_changes", "Cont.": "contended"} | {
    "tot.Time[ms]": "hold_total_ns",
    "avg.Time[ms]": "hold_ns",
    "max.Time[ms]": "hold_max_ns",
    "tot.Cont[ms]": "wait_total_ns",
    "avg.Cont[ms]": "wait_ns",
    "max.Cont[ms]": "wait_max_ns",
}
LOCK_STAT = {"con-bounces": "contended_bounces", "contentions": "contended"} | {
    "waittime-min": "wait_min_ns",
    "waittime-max": "wait_max_ns",
    "waittime-total": "wait_total_ns",
    "waittime-avg": "wait_ns",
    "acq-bounces": "acquired_bounces",
    "acquisitions": "total",
    "holdtime-min": "hold_min_ns",
    "holdtime-max": "hold_max_ns",
    "holdtime-total": "hold_total_ns",
    "holdtime-avg": "hold_ns",
}
COUNTED = {"contended", "total", "owner_changes", "contended_bounces", "acquired_bounces"}
FORMATS = {  # columns; heading and row around them; unit of bare times
    "perf by place": (PERF, "{}   type   caller", "{}   spinlock   place+0x20", ""),
    "perf by lock": (PERF, "{}   address   symbol", "{}   ffff9d5e852d3498   lock (mutex)", ""),
    "perf report": (PERF_REPORT, "  Name  {}", "  &lock->...  {}", ""),
    "klockstat": (KLOCKSTAT, "  Caller  {}", "  place+0x20  {}", ""),
    "mutrace": (MUTRACE, " Mutex #  {}  Flags", "  7  {}  M-.--.", "ms"),
    "lock_stat": (LOCK_STAT, "lock_stat version 0.4\n class name {}", " &lock: {}", "us"),
}


def cell(field: str, value: tuple[int, tuple[int, str]], unit: str) -> tuple[str, float]:
    """A cell's text, and its value."""
    count, (time, of_unit) = value
    if field in COUNTED:
        return str(count), count
    if unit:
        return f"{time / 100:.2f}", time / 100 * UNITS_NS[unit]
    return f"{time} {of_unit}", time * UNITS_NS[of_unit]


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data())
def test_every_order_of_columns_is_read(name: str, data: st.DataObject):
    """Some of the columns, in any order, one row; a cell that a person elided is missing."""
    columns, heading, row, unit = FORMATS[name]
    least = len(columns) if name in ("klockstat", "lock_stat") else 2
    titles = data.draw(st.permutations([*columns]).map(lambda order: order[: max(2, least)]))
    if least == 2:
        titles = data.draw(st.lists(st.sampled_from([*columns]), min_size=2, unique=True))
    drawn = {title: data.draw(st.tuples(COUNTS, TIMES)) for title in titles}
    cells = {title: cell(columns[title], drawn[title], unit) for title in titles}
    elided = data.draw(st.sampled_from([None, *titles])) if name != "perf by place" else None
    texts = ["..." if title == elided else cells[title][0] for title in titles]
    text = f"{heading.format('  '.join(titles))}\n\n{row.format('  '.join(texts))}\n"
    (table,) = detect.parse(text)
    (found,) = table.rows
    for title in titles:
        value = getattr(found, columns[title])
        if title == elided:
            computed = {"wait_ns", "hold_ns"} if name == "lock_stat" else set()
            assert value is None or columns[title] in computed
        elif columns[title] != "total" or value is not None:  # perf report: only waits counted
            assert cells[title][1] == pytest.approx(value)


@given(rows=st.lists(st.tuples(COUNTS, COUNTS), min_size=1, max_size=4), width=st.integers(20, 60))
def test_a_wrapped_row_is_one_row(rows: list[tuple[int, int]], width: int):
    """Wherever mail cuts a line of lock_stat."""
    import textwrap

    lines = []
    for contended, total in rows:
        texts = [f"{contended}", f"{contended}", "0.50", "9.00", "60.00", "3.00"]
        texts += [f"{total}", f"{total}", "0.10", "20.00", "500.00", "0.50"]
        lines += textwrap.wrap(f"&lock: {'  '.join(texts)}", width, break_long_words=False)
    (table,) = detect.parse("lock_stat version 0.4\n" + "\n".join(lines))
    assert rows == [(row.contended, row.total) for row in table.rows]
