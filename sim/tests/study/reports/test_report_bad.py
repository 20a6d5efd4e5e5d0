"""Texts that are no report, or a damaged one: one message each, nothing printed, memory flat."""

import io
import tracemalloc
from pathlib import Path

import pytest
from study.reports.samples import LOCK_STAT, LOCKMETER, PERF
from typer.testing import CliRunner

from locksim.cli.report import app
from locksim.study.reports import detect, lines
from locksim.study.reports.errors import ReportError

REAL = Path(__file__).parent / "real"


def real(name: str) -> str:
    """A real text."""
    return (REAL / f"{name}.txt").read_text(encoding="utf-8")


def cut(text: str, at: str) -> str:
    """The text up to and with its first ``at``."""
    return text[: text.index(at) + len(at)]


SWAPPED = PERF.replace("max wait     avg wait", "avg wait     max wait")
LOCK_STAT_SWAPPED = LOCK_STAT.replace("holdtime-max holdtime-total", "holdtime-total holdtime-max")
HUGE = str(10**15)
BAD = {
    "empty": ("", "no lock report was found"),
    "blank": ("\n \n\t\n", "no lock report was found"),
    "prose": ("hello\nworld\n", "no lock report was found (2 lines skipped: 2 others)"),
    "a heading alone": (PERF.partition("\n")[0], "no row below the heading of perf lock"),
    "a first line alone": ("lock_stat version 0.4\n", "no row below the heading of lock_stat"),
    "a PNG": (b"\x89PNG\r\n\x1a\n\x00\x00", "is not UTF-8 text (byte 0)"),
    "gzip": (b"\x1f\x8b\x08\x00\x00\x00", "is not UTF-8 text (byte 1)"),
    "UTF-16": (PERF.encode("utf-16"), "is not UTF-8 text (byte 0)"),
    "zeros": (b"\x00" * 64 + b"\n", "line 1: control character '\\x00'"),
    "perf, cut in a count": (cut(PERF, "100      1.5"), "line 3: not a row of perf lock"),
    "perf, cut in a time": (cut(PERF, "30.00"), "line 3: not a row of perf lock contention"),
    "perf report, cut": (cut(real("perf-report-units"), "11254 "), "line 7: not a row of perf"),
    "klockstat, cut": (cut(real("klockstat-threads"), "2.0 us      889"), "line 7: not a row"),
    "mutrace, cut": (cut(real("mutrace"), "142173    61902"), "line 10: not a row of mutrace"),
    "lock_stat, cut": (cut(LOCK_STAT, "0           4000"), "line 8: 8 numbers, expected a lock"),
    "lockmeter, cut": (cut(LOCKMETER, "( 2.0%)   1000000"), "line 16: not a row of the section"),
    "c2c, cut": (cut(real("c2c-2020"), "4621   31.01%"), "line 12: 6 values, the heading has"),
    "0.4 with a row of 0.3": (
        LOCK_STAT + "  a: 1 2 0.50 9.00 60.00 100 1000 0.10 20.00 500.00\n",
        "line 18: 10 numbers, expected a lock's 12 columns",
    ),
    "0.3 with a row of 0.4": (
        LOCK_STAT.replace("version 0.4", "version 0.3").replace("class name", "class"),
        "line 7: 12 numbers, expected a lock's 10 columns",
    ),
    "an unknown version": (LOCK_STAT.replace("0.4", "0.9", 1), "line 1: lock_stat version 0.9"),
    "perf, columns swapped": (SWAPPED, "perf lock contention: the mean wait is above the longest"),
    "lock_stat, columns swapped": (
        LOCK_STAT_SWAPPED,
        "lock_stat version 0.4: the longest hold is above the total hold in every row",
    ),
    "perf, 10^15": (PERF.replace(" 100 ", f" {HUGE} "), f"line 3: a count of {HUGE} is impossible"),
    "lock_stat, 10^15": (LOCK_STAT.replace(" 1000 ", f" {HUGE} "), "line 7: a count of"),
    "lockmeter, 10^15": (LOCKMETER.replace(" 1000000 ", f" {HUGE} "), "line 16: a count of"),
    "mutrace, 10^15": (real("mutrace").replace(" 200211", HUGE), "line 9: a count of"),
    "c2c, 10^15": (real("c2c-2020").replace("    40716 ", f" {HUGE} "), "line 11: a count of"),
    "a title for the terminal": (PERF.replace("insert", "\x1b]0;owned\x07"), "line 3: control"),
    "letters turned round": (PERF.replace("insert", "\u202etresni"), "line 3: control"),
    "letters taken back": (PERF.replace("insert", "in\b\bsert"), "line 3: control character"),
    "a line without end": ("x" * 100_000, "line 1: more than 64 KiB long"),
    "threads without a heading": (
        "  3  29.31 us  11.65 us  9.77 us  1514752  Chrome\n",
        "line 1: a row of perf lock contention by thread, without its heading",
    ),
    "klockstat without a heading": (
        "  pipe_read+0x3f  420 ns  413425  16.8 us  174.0 ms\n",
        "line 1: a row of klockstat without its heading",
    ),
    "an unknown unit": (PERF.replace("1.50 ms", "1.50 ly"), "line 3: not a row of perf lock"),
    "no number": (PERF.replace("1.50 ms", "nan ms"), "line 3: not a row of perf lock contention"),
    "a negative count": (PERF.replace(" 100 ", " -100 "), "line 3: not a row of perf lock"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_text_gets_one_message(name: str):
    """Exit code 2, nothing on stdout, one message that says where."""
    text, message = BAD[name]
    result = CliRunner().invoke(app, ["-"], input=text)
    assert (2, "") == (result.exit_code, result.stdout)
    assert result.stderr.startswith(f"error: -: {message}")
    assert 1 == result.stderr.count("error: ")


def test_markup_in_a_name_is_text():
    """Neither a terminal's markup nor a page's acts; the name is printed as it stands."""
    name = "[bold]<script>alert(1)</script>[/bold]"
    result = CliRunner().invoke(
        app, ["-"], input=PERF.replace("insert+0x1c", name), env={"COLUMNS": "200"}
    )
    assert (0, True) == (result.exit_code, name in result.stdout)


def test_a_wide_gap_is_squeezed():
    """No table has one, and a pattern would try each of its places."""
    (line,) = lines.clean(["x" + " " * 50_000 + "y"])
    assert "x" + " " * 100 + "y" == line.text


def test_a_large_file_is_refused_with_flat_memory(monkeypatch: pytest.MonkeyPatch):
    """It is read line by line, up to a limit, whatever it holds."""
    monkeypatch.setattr(lines, "MOST_BYTES", 1 << 18)

    class Endless(io.RawIOBase):
        """A file of 200 MB, and more."""

        given = 0

        def readline(self, size: int | None = -1) -> bytes:
            """The same line again."""
            line = b"some words of a log that nobody cut\n"
            self.given += len(line)
            return line

    stream = Endless()
    tracemalloc.start()
    with pytest.raises(ReportError, match="cut out the lock report"):
        detect.read_report(lines.decode(stream))  # type: ignore[arg-type]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (True, True) == (stream.given < 1 << 19, peak < 1 << 20)
