"""`locklab report twin`: numbers with their roles, columns, changes; a page with nothing alive."""

import json
from pathlib import Path

import pytest
from study.twin.twin_loads import CPUS, LOAD, MACHINE
from typer.testing import CliRunner, Result

from locksim.cli.report_twin import app
from locksim.study.reports.formats import WRITERS
from locksim.study.twin import fit
from locksim.study.twin.load import Setting, measure

NAME = "demo<script>alert(1)</script>_lock"


@pytest.fixture
def text(monkeypatch: pytest.MonkeyPatch) -> tuple[str, list[str]]:
    """A report of a lock with a hostile name, and the options that it needs."""
    monkeypatch.setattr(fit, "LEAST_SECTIONS", 2_000)
    monkeypatch.setattr(fit, "WAITS", 100)
    found = measure(LOAD, Setting(MACHINE, CPUS, seed=7, sections=4_000))
    options = ["--cpus", f"{CPUS}", "--window", f"{found.window_ps}ps", "--machine", "desktop-4"]
    settings = ["--set", "locks=1", "--set", "lock=ticket", "--set", "lines=1"]
    return WRITERS["lock_stat"](found.table(NAME, "made up")), [*options, *settings]


def twin(*arguments: str, text: str | None = None) -> Result:
    """Run the command in a terminal of 80 columns."""
    return CliRunner().invoke(app, list(arguments), input=text, env={"COLUMNS": "80"})


def test_answer_and_page(text: tuple[str, list[str]], tmp_path: Path) -> None:
    """Every number has a role; the page shows the same, and the name as text."""
    report, options = text
    out = tmp_path / "twin"
    found = twin("-", *options, "--replications", "3", "--what-if", "split:4", "--out", str(out),
                 "--json", text=report)  # fmt: skip
    assert (0, "") == (found.exit_code, found.stderr)
    document = json.loads(found.stdout)
    roles = {row["name"]: row["role"] for row in document["values"]}
    assert {"lock": "asked", "cpus": "asked", "hold_ns": "fitted", "lines": "asked"} == {
        name: roles[name] for name in ("lock", "cpus", "hold_ns", "lines")
    }
    names = [change["change"] for change in document["changes"]]
    assert ["", "split:4:random", "split:4:owner"] == names
    page = (out / "index.html").read_text()
    assert NAME not in page
    assert "demo&lt;script&gt;" in page
    assert NAME in (out / "simulated.txt").read_text()
    assert NAME == json.loads((out / "twin.json").read_text())["row"]


def test_before_and_after_are_of_one_lock(text: tuple[str, list[str]], tmp_path: Path) -> None:
    """What was measured stands beside the prediction; another lock is refused."""
    report, options = text
    for name, of in (("same", report), ("other", report.replace(NAME, "other_lock"))):
        (tmp_path / name).write_text(of)
    same, other = (str(tmp_path / name) for name in ("same", "other"))
    settings = [
        *options,
        "--replications",
        "1",
        "--what-if",
        "lock=ticket,hold*1.0,batch:1,split:1:random",
    ]
    found = twin(same, same, *settings)
    assert (0, "") == (found.exit_code, found.stderr)
    assert "beside the report from after the change" in " ".join(found.stdout.split())
    assert 80 >= max(map(len, found.stdout.splitlines()))
    assert "…" not in found.stdout
    rows = json.loads(twin(same, same, *settings, "--json").stdout)["comparison"]
    assert ["rate", "con", "wait"] == [row["column"] for row in rows]
    assert all(row["before"] == row["after"] for row in rows)
    found = twin(same, other, *settings)
    assert 2 == found.exit_code
    assert "these are different locks" in found.stderr


@pytest.mark.usefixtures("text")  # short runs
def test_a_row_of_perf_has_its_warnings_and_no_test() -> None:
    """Both columns are fitted, the address says that it is one lock, and warnings stay."""
    row = "51670 181.70 ms 20.00 ms 3.52 us ffff953340052d00 &node (spinlock)\n"
    options = ["--machine", "desktop-4", "--cpus", "4", "--window", "5s", "--replications", "1"]
    document = json.loads(twin("-", *options, "--json", text=row).stdout)
    roles = {one["name"]: one["role"] for one in document["values"]}
    assert ("input", "ffff953340052d00 &node") == (roles["locks"], document["row"])
    assert all(column["used"] for column in document["columns"])
    found = " ".join(twin("-", *options, text=row).stdout.split())
    assert "warning: ffff953340052d00 &node: a spin of 0.02 s is longer than a queue" in found
    assert "untested: both columns were fitted" in found


def test_the_second_report_is_of_the_same_lock_elsewhere(tmp_path: Path) -> None:
    """Its address may be another; an error names the file."""
    row = "{} 18.17 ms 4.00 ms 3.63 ms ffff95334005{} &node (spinlock)\n"
    texts = {"before.txt": row.format(5167, "4e00"), "after.txt": row.format(5, "2d00")}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    files = [str(tmp_path / name) for name in texts]
    options = ["--machine", "desktop-4", "--cpus", "4", "--window", "5s", "--what-if", "split:2"]
    found = twin(*files, "--only", "ffff953340054e00", *options)
    assert 2 == found.exit_code
    assert "after.txt: &node: 5 waits are too few" in found.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "--machine is missing"),
        (["--machine", "desktop-4", "--cpus", "5"], "--cpus must be between 1 and 4"),
        (["--machine", "desktop-4", "--window", "0s"], "--window must be above 0"),
        (["--machine", "desktop-4", "--set", "lock"], "--set lock: write one of"),
        (["--machine", "desktop-4", "--set", "locks=many"], "write a number"),
        (["--machine", "desktop-4", "--set", "locks=0"], "locks must be between 1 and"),
        (["--machine", "desktop-4", "--out", "x.pdf"], "ends in .html"),
        (["after.txt", "--machine", "desktop-4"], "give the one change"),
    ],
)
def test_wrong_options_are_one_message(arguments: list[str], message: str) -> None:
    """Before anything is read or run."""
    found = twin("-", *arguments, text="")
    assert 2 == found.exit_code
    assert message in found.stderr
