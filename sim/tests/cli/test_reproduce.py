"""`locklab paper reproduce`: its output at 80 columns, the JSON, files, refusals and Ctrl-C."""

import json
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from typer.testing import CliRunner, Result

from locksim import papers as experiments
from locksim.cli.reproduce import _bands_wanted, app
from locksim.cli.reproduction import print_parameters
from locksim.machine import Parameter, load
from locksim.papers import Cell, Experiment, Reproduction
from locksim.papers.experiment import Plan, Report
from locksim.papers.kaigai_2004 import experiment as kaigai_2004
from locksim.study.jobs import Job
from lockui.console import console
from lockui.plots import Axis, Bar, Bars, Plot

RUN = CliRunner()


def interrupt() -> None:
    """Be interrupted, as a job is by Ctrl-C."""
    raise KeyboardInterrupt


class MadeUp(Experiment):
    """An experiment of one cell that takes no time."""

    name = "made-up"
    title = "A made-up table"
    brief: ClassVar = {"messages": 7}
    interrupted = False
    report: Report | None = None

    def plan(self, **options: Any) -> Plan[str, Any]:
        self.asked = options

        def table(done: Mapping[str, Any]) -> Reproduction:
            cell = Cell("ticket", "4 CPUs", "10.0", 10.0, 10.5, 10.4, 10.6, "predicted", "s")
            figure = Parameter("far", 500, "ns", "a probe", "measured")
            return Reproduction(
                *(self.name, self.title, "Nobody 2004", "ideal-4", [figure], [cell]),
                report=self.report,
            )

        return Plan({"all": Job("all", interrupt if self.interrupted else time.time)}, table)

    def plot(self, result: Reproduction) -> Plot:
        return Plot("One point", [Bars([Bar("ticket", 10.5)], Axis("s"))], "On ideal-4.")


@pytest.fixture
def made_up(monkeypatch: pytest.MonkeyPatch) -> MadeUp:
    """Make every name stand for the experiment that takes no time."""
    experiment = MadeUp()
    monkeypatch.setattr(experiments, "find", lambda name: experiment)
    return experiment


def reproduce(folder: Path, *arguments: str) -> Result:
    """Run the command with its files in ``folder``, in a terminal of 80 columns."""
    options = ["--out", str(folder), "--replications", "2"]
    return RUN.invoke(app, [*arguments, *options], env={"COLUMNS": "80"})


@pytest.fixture(scope="module")
def kaigai(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """Run kaigai-2004 once."""
    return reproduce(tmp_path_factory.mktemp("out"), "kaigai-2004")


def test_nothing_is_cut_at_80_columns(kaigai: Result) -> None:
    """Paths and the plot's words may be longer: they are there to be copied."""
    assert (0, "") == (kaigai.exit_code, kaigai.stderr)
    tables = kaigai.stdout.partition("\nplot: ")[0]
    assert 80 >= max(map(len, tables.splitlines()))
    assert "…" not in tables


def test_the_result_fits_on_one_screen(kaigai: Result) -> None:
    """The table, the error, the plot's path, three commands; no parameter and no model's table."""
    lines = kaigai.stdout.splitlines()
    assert 55 >= len(lines)
    assert [] == [line for line in lines if "transfer.half" in line or "fails at" in line]
    commands = lines[lines.index("next:") + 1 :: 2]
    assert ["paper reproduce", "paper reproduce", "paper what-if"] == [
        " ".join(command.split()[1:3]) for command in commands
    ]


def test_every_cell_is_printed(kaigai: Result) -> None:
    """24 cells with their published value."""
    lines = [" ".join(line.split()) for line in kaigai.stdout.splitlines()]
    for (kernel, cpus), (printed, _) in kaigai_2004.published().items():
        below = lines[lines.index(kernel) + 1 :][:6]
        assert any(line.startswith(f"{cpus} CPU {printed} ") for line in below)


def test_bands_are_cheap_or_asked_for(made_up: MadeUp, tmp_path: Path) -> None:
    """Three draws where there are five replications; one cause at a time; of all none."""
    made_up.replications = 5
    keys: list[tuple[str, bool]] = []
    for arguments in (["made-up"], ["made-up", "--sensitivity"]):
        options = [*arguments, "--json", "--out", str(tmp_path)]
        found = json.loads(RUN.invoke(app, options).stdout)
        keys.append((found.get("bands", ""), "band_low" in found["cells"][0]))
    orders = "10 random orders of the start, and 1 other cause in turn"
    assert [("3 draws, starting order", True), (orders, True)] == keys
    shown = RUN.invoke(app, ["made-up", "--out", str(tmp_path)], env={"COLUMNS": "80"}).stdout
    assert "band: 3 draws, starting order, without\n  the error of the model" in shown
    assert "band, %" in shown
    page = tmp_path / "page.html"
    RUN.invoke(app, ["made-up", "--out", str(page)])
    assert '<p class="quiet">Band: 3 draws' in page.read_text(encoding="utf-8")
    assert ["none", "all"] == [_bands_wanted(asked, True) for asked in (False, True)]


def test_every_source_is_printed_on_demand(capsys: pytest.CaptureFixture[str]) -> None:
    """Each parameter's source in full."""
    parameters = load("itanium2-32").parameters()
    print_parameters(console(), parameters)
    text = " ".join(capsys.readouterr().out.split())
    assert [] == [p.source for p in parameters if " ".join(p.source.split()) not in text]


def test_summary_and_files_come_last(kaigai: Result) -> None:
    """Counts, errors, the spinlock's growth, then where the plot is and its data."""
    shown = kaigai.stdout.partition("\nnext:")[0].splitlines()
    starts = [line.partition(" ")[0] for line in shown if line][-5:]
    assert ["2", "error", "spinlock:", "plot:", "data"] == starts


def test_the_source_s_own_format_is_saved(tmp_path: Path, made_up: MadeUp) -> None:
    """Beside the plot; in the document with --json. An experiment without one has no such file."""
    reproduce(tmp_path, "made-up")
    assert not (tmp_path / "made-up.txt").exists()
    made_up.report = Report("lockmeter", " UTIL  CON\n")
    assert "\nin lockmeter's format: " in reproduce(tmp_path, "made-up").stdout
    assert " UTIL  CON\n" == (tmp_path / "made-up.txt").read_text()
    found = json.loads(reproduce(tmp_path, "made-up", "--json").stdout)
    assert {"format": "lockmeter", "text": " UTIL  CON\n"} == found["report"]


def test_a_page_that_is_a_folder_is_refused_at_once(tmp_path: Path, made_up: MadeUp) -> None:
    """Before anything runs, not after minutes."""
    page = tmp_path / "page.html"
    page.mkdir()
    result = reproduce(page, "made-up")
    assert (2, "") == (result.exit_code, result.stdout)
    assert f"error: --out {page}: this is a folder; name a file in it" in result.stderr


def test_json_has_the_contract(tmp_path: Path, made_up: MadeUp) -> None:
    """The contract's keys and those of the module's docstring, errors as fractions."""
    found = json.loads(reproduce(tmp_path, "made-up", "--json").stdout)
    assert {
        *("experiment", "title", "source", "machine", "complete", "parameters", "cells"),
        *("summary", "notes", "factors", "plot", "plot_alt", "table"),
    } == set(found)
    assert {"name", "value", "unit", "source", "role"} == set(found["parameters"][0])
    assert {
        *("row", "column", "published", "corrected", "simulated", "low", "high", "role"),
        *("unit", "note", "error"),
    } == set(found["cells"][0])
    error = pytest.approx(0.05)
    assert {
        "fitted": 0,
        "predicted": 1,
        "mean_abs_error": error,
        "worst_abs_error": error,
    } == found["summary"]
    assert found["plot_alt"].startswith("One point. ")
    assert Path(found["table"]).is_file()


def test_another_format_of_the_plot(tmp_path: Path, made_up: MadeUp) -> None:
    """With machine, seed and version below it; the terminal shows where it is."""
    file = tmp_path / "p.html"
    reproduce(tmp_path, "made-up", "--plot", str(file))
    text = file.read_text()
    assert "On ideal-4. 2 replications per cell, seeds from 1. LockLab " in text


def test_tables_for_a_paper(tmp_path: Path, made_up: MadeUp) -> None:
    """Only LaTeX and comments on stdout."""
    lines = reproduce(tmp_path, "made-up", "--latex").stdout.splitlines()
    assert r"\multicolumn{6}{l}{ticket} \\" in lines
    outside = [line for line in lines if not line.startswith(("%", "\\")) and "&" not in line]
    assert [] == outside


def test_several_experiments_make_a_list(tmp_path: Path, made_up: MadeUp) -> None:
    """One document all the same."""
    found = json.loads(reproduce(tmp_path, "made-up", "made-up", "--json").stdout)
    assert ["made-up", "made-up"] == [document["experiment"] for document in found]


@pytest.mark.parametrize(
    ("arguments", "messages"),
    [(["made-up"], None), (["made-up", "--brief"], 7), (["--all"], 7), (["--all", "--full"], None)],
)
def test_long_runs_are_shortened_with_all(
    tmp_path: Path, made_up: MadeUp, arguments: list[str], messages: int | None
) -> None:
    """Who names an experiment gets it at full length; --brief and --full say otherwise."""
    assert 0 == reproduce(tmp_path, *arguments).exit_code
    assert messages == made_up.asked.get("messages")


def test_page_on_demand(tmp_path: Path, made_up: MadeUp) -> None:
    """--out FILE.html writes one page for all experiments; with --json stdout stays JSON."""
    path = tmp_path / "deep" / "report.html"
    said = reproduce(path, "made-up")
    assert 0 == said.exit_code
    assert f"page: {path}" in said.stdout.splitlines()
    assert "Nobody 2004" in path.read_text()
    assert str(path) == json.loads(reproduce(path, "made-up", "--json").stdout)["page"]


def test_plot_in_words_on_demand(tmp_path: Path, made_up: MadeUp) -> None:
    """Only with --explain."""
    said = [reproduce(tmp_path, "made-up", *v).stdout for v in ([], ["--explain"])]
    assert [False, True] == ["One point. s, 1 bar" in text for text in said]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name an experiment ("),
        (["--all", "made-up"], "--all includes made-up: leave out"),
        (["kaigai2004"], "unknown experiment 'kaigai2004'; did you mean 'kaigai-2004'?"),
        (["kaigai-2004", "--seed", "-1"], "--seed must be between 0 and "),
        (["kaigai-2004", "--plot", "p.jpg"], "--plot p.jpg: the file must end in .svg, "),
        (["--all", "--plot", "p.svg"], "--plot p.svg: name one experiment"),
        (["kaigai-2004", "--latex", "--json"], "--latex and --json cannot be used together"),
        (["kaigai-2004", "--jobs", "0"], "--jobs must be between 1 and "),
    ],
)
def test_bad_arguments_get_one_message(tmp_path: Path, arguments: list[str], message: str) -> None:
    """Exit code 2, nothing on stdout, no file made."""
    result = reproduce(tmp_path / "out", *arguments)
    assert (2, "") == (result.exit_code, result.stdout)
    assert result.stderr.startswith(f"error: {message}")
    assert not (tmp_path / "out").exists()


def test_no_replication_is_refused() -> None:
    """Before anything is simulated or written."""
    result = RUN.invoke(app, ["kaigai-2004", "--replications", "0"])
    assert (2, "") == (result.exit_code, result.stdout)
    assert "--replications must be between 1 and " in result.stderr


def test_folder_that_can_not_be_written_is_refused(tmp_path: Path, made_up: MadeUp) -> None:
    """A file is no folder; the message names the option."""
    (tmp_path / "file").touch()
    reasons = {
        tmp_path / "file": f"{tmp_path / 'file'} is not a folder",
        tmp_path / "file" / "out": "cannot be written (Not a directory)",
    }
    for folder, reason in reasons.items():
        result = reproduce(folder, "made-up")
        assert (2, "") == (result.exit_code, result.stdout)
        assert result.stderr.startswith(f"error: --out {folder}: {reason}; ")


def test_interrupt_keeps_the_finished_cells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C within the sixth cell: five are printed and saved, exit code 130."""
    whole = Job.call
    measured: list[int] = []

    def cut(job: Job[Any]) -> Any:
        measured.append(1)
        if len(measured) == 6:
            raise KeyboardInterrupt
        return whole(job)

    monkeypatch.setattr(Job, "call", cut)
    result = reproduce(tmp_path, "kaigai-2004", "--json")
    found = json.loads(result.stdout)
    assert (130, False, 5) == (result.exit_code, found["complete"], len(found["cells"]))
    assert "interrupted: the results above are complete\n" == result.stderr
    assert 6 == len((tmp_path / "kaigai-2004.csv").read_text().splitlines())


def test_interrupt_before_the_first_cell(tmp_path: Path, made_up: MadeUp) -> None:
    """One line, nothing on stdout."""
    made_up.interrupted = True
    result = reproduce(tmp_path, "made-up", "--json")
    expected = (130, "", "interrupted: nothing was finished\n")
    assert expected == (result.exit_code, result.stdout, result.stderr)


def test_interrupt_ends_a_list_of_experiments(
    tmp_path: Path, made_up: MadeUp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first experiment was cut short; the second is not begun, the list has one document."""
    whole = Plan.run
    monkeypatch.setattr(
        Plan, "run", lambda plan, *rest: replace(whole(plan, *rest), complete=False)
    )
    result = reproduce(tmp_path, "made-up", "made-up", "--json")
    assert (130, 1) == (result.exit_code, len(json.loads(result.stdout)))
