"""`locklab report`: a measured table as the simulator prints its own, the equations, refusals."""

import json
from pathlib import Path

import pytest
from study.reports.samples import LOCK_STAT, LOCKMETER, PERF
from typer.testing import CliRunner, Result

from locksim.cli.report import app


def report(*arguments: str, text: str | None = None) -> Result:
    """Run the command in a terminal of 80 columns."""
    return CliRunner().invoke(app, list(arguments), input=text, env={"COLUMNS": "80"})


def lines(result: Result) -> list[str]:
    """The lines of stdout, with one blank for any white space."""
    return [" ".join(line.split()) for line in result.stdout.splitlines()]


@pytest.mark.parametrize("text", [LOCKMETER, LOCK_STAT, PERF])
def test_each_format_is_told_from_its_text(text: str) -> None:
    """From standard input; nothing is cut at 80 columns."""
    result = report("-", text=text)
    assert (0, "") == (result.exit_code, result.stderr)
    assert 80 >= max(map(len, result.stdout.splitlines()))
    assert any(line.startswith("equations that hold: ") for line in lines(result))


def test_table_has_figures_and_callers(tmp_path: Path) -> None:
    """Locks with the sides of an rwlock, callers below."""
    file = tmp_path / "lockstat.txt"
    file.write_text(LOCKMETER)
    found = lines(report(str(file)))
    assert "lockmeter Linux made-up 2.4.3 #1 SMP i686, 4 CPUs, 10 s" == found[0]
    assert "20.0% 20.0% 2.0us 90us 4.0us 80us 2.0% 1,000,000 cache_lock" in found
    assert "12.0% 26.7% 2.0us 90us 4.0us 80us 1.6% 600,000 insert+0x1c" in found


def test_readers_and_writers_have_columns_of_their_own() -> None:
    """Most readers, their busy periods, writers' waits for writers; none where nobody has any."""
    found = [" ".join(line.split()) for line in lines(report("-", text=LOCKMETER))]
    assert "RDRS RDR BUSY max WAIT WW max SPIN WW NAME" in found
    assert "3 6.0us 71us – – – list_lock (read)" in found
    assert "– – – 40us 90us 2.0% list_lock (write)" in found
    assert not any("RDR BUSY" in line for line in lines(report("-", text=PERF)))


def test_line_ends_and_marks_of_other_systems_are_read(tmp_path: Path) -> None:
    """A file that passed through an editor on Windows."""
    file = tmp_path / "lock stat.txt"
    file.write_bytes(b"\xef\xbb\xbf" + LOCK_STAT.replace("\n", "\r\n").encode())
    assert lines(report("-", text=LOCK_STAT)) == lines(report(str(file)))


def test_a_broken_row_is_named() -> None:
    """The row, the equation and the figures; the command succeeds: the text was read."""
    text = LOCKMETER.replace("( 2.0%)   1000000", "( 9.0%)   1000000")
    result = report("-", text=text)
    assert 0 == result.exit_code
    (broken,) = [line for line in lines(result) if line.startswith("broken: ")]
    assert broken.startswith("broken: cache_lock: cpu: the waits are 1.97 to 2.03 %")
    assert "do not compare its % CPU with that of another row" in " ".join(lines(result))


def test_json_has_the_documented_schema() -> None:
    """Tables with locks and identities; shares of time once the window is told."""
    result = report("-", "--json", "--cpus", "4", "--window", "1ms", text=LOCK_STAT)
    found = json.loads(result.stdout)
    (table,) = found["tables"]
    assert {"file", "tables", "skipped"} == set(found)
    assert {
        *("source", "system", "cpus", "window_ns", "notes", "locks", "identities", "limits")
    } == set(table)
    assert {"window_ns", "agree", "held", "breaches"} == set(table["identities"])
    assert 0.5 == pytest.approx(table["locks"][0]["util"])


@pytest.mark.parametrize(
    ("arguments", "text", "message"),
    [
        (["nowhere.txt"], "", "nowhere.txt: cannot be read (No such file or directory); name a"),
        (["-"], "hello", "-: no lock report was found"),
        (["-", "--format", "dtrace"], LOCKMETER, "-: unknown format 'dtrace': write lockmeter"),
        (["-", "--window", "0s"], LOCK_STAT, "--window must be above 0 (got 0ns)"),
        (["-", "--cpus", "0"], LOCK_STAT, "--cpus must be between 1 and "),
    ],
)
def test_bad_input_gets_one_message(arguments: list[str], text: str, message: str) -> None:
    """Exit code 2 and nothing on stdout."""
    result = report(*arguments, text=text)
    assert (2, "") == (result.exit_code, result.stdout)
    assert result.stderr.startswith(f"error: {message}")


def test_explain_says_which_rows_can_matter() -> None:
    """A gain and a ceiling for a row that matters; the others are counted as noise."""
    text = LOCK_STAT.replace("        60.00 ", "    600000.00 ").replace(" 3.00     ", " 30000.00 ")
    known = ("--cpus", "4", "--window", "1s")
    found = lines(report("-", "--explain", *known, text=text))
    assert "GAIN CEILING OF WAITS NAME" in found
    assert "noise: 1 row with less than 1.0% to gain" in found
    answer = json.loads(report("-", "--explain", "--json", *known, text=text).stdout)
    assert [True, False, False] == [one["can_matter"] for one in answer["tables"][0]["bounds"]]


def test_skipped_lines_are_counted_aloud() -> None:
    """Of a mail: the prompt, the words around, and the tool's own lines that hold no row."""
    text = f"Before:\n$ perf lock con -ab sleep 1\n{PERF}\n...snip...\nreal\t2m55.1s\n"
    result = report("-", text=text)
    assert "4 lines skipped: 1 elision, 1 other, 1 prompt, 1 time" in lines(result)
    skipped = json.loads(report("-", "--json", text=text).stdout)["skipped"]
    assert {"elisions": 1, "others": 1, "prompts": 1, "times": 1} == skipped


def test_a_warning_says_what_it_does_to_a_conclusion() -> None:
    """A spin of two seconds on one row."""
    text = PERF.replace("1.50 ms     30.00 us     15.00 us", "6.03 s       6.03 s       60.3 ms")
    found = " ".join(lines(report("-", "--cpus", "4", text=text)))
    assert "warning: insert+0x1c: a spin of 6.03 s is longer than a queue of 4 CPUs" in found
    assert "do not use the row's mean and total" in found
