"""The collector: run under each shell that is here, with a perf that is made up."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from locksim.study.reports import detect
from locksim.study.reports.errors import ReportError
from locksim.study.reports.scripts import scripts

COLLECT = scripts()["collect"]
SHELLS = {"sh": ["sh"], "dash": ["dash"], "busybox": ["busybox", "sh"], "bash": ["bash", "--posix"]}
HEADING = " contended   total wait     max wait     avg wait  "
TABLE = HEADING + "{0}\n\n  3  9.00 us  4.00 us  3.00 us  {1}\n"
VIEWS = {
    "": TABLE.format("type   caller", "spinlock   place+0x20"),
    "-l": TABLE.format("address   symbol", "ffff9d5e852d3498   a_lock (mutex)"),
    "-t": TABLE.format("pid   comm", "1514752   Secret Thread"),
    "-o": TABLE.format("pid   owner", "-1   Secret Owner"),
    "--lock-cgroup": TABLE.format("cgroup", "/secret.slice"),
}
PERF = """\
#!/bin/sh
here=${0%/*}
echo "$*" >> "$here/calls"
case " $* " in
    *" record "*) exit 0 ;;
    *" -b "*) [ -e "$here/bpf" ] || { echo " Error: switch 'b' is not available" >&2; exit 129; } ;;
esac
view=
for word in "$@"; do
    case $word in
        -l | -t | -o | --lock-cgroup) view=$word ;;
    esac
done
[ -e "$here/view$view" ] || { echo "Error: unknown switch" >&2; exit 129; }
cat "$here/view$view"
"""


def machine(folder: Path, *, bpf: bool = True, views: tuple[str, ...] = tuple(VIEWS)) -> None:
    """Put a perf, an lscpu and a sleep that takes no time into a folder."""
    for name, text in {
        "perf": PERF,
        "sleep": "#!/bin/sh\n",
        "lscpu": "#!/bin/sh\necho 'Model name:   Made Up 9000'\n",
    }.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    for view in views:
        (folder / f"view{view}").write_text(VIEWS[view])
    if bpf:
        (folder / "bpf").touch()


def collect(folder: Path, *options: str, shell: str = "sh") -> "subprocess.CompletedProcess[str]":
    """Run the collector without a terminal."""
    command = SHELLS[shell]
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    return subprocess.run(
        [*command, str(COLLECT), *options],
        env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "TMPDIR": str(folder)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        start_new_session=True,
        check=False,
    )


@pytest.mark.parametrize("shell", SHELLS)
def test_a_collected_text_is_read_as_a_whole(tmp_path: Path, shell: str):
    """CPUs and window come from it, no line is skipped, and nobody's name is in it."""
    machine(tmp_path)
    result = collect(tmp_path, "-t", "3", "-y", shell=shell)
    assert (0, "") == (result.returncode, result.stderr)
    report = detect.read_report(result.stdout.splitlines())
    assert ["by place", "by lock", "by thread", "by owner"] == [
        table.system.removeprefix("perf lock contention, ") for table in report.tables
    ]
    assert {(os.sysconf("SC_NPROCESSORS_ONLN"), 3e9)} == {
        (table.cpus, table.window_ns) for table in report.tables
    }
    assert ["place+0x20", "a_lock", "task (pid 1514752)", "task (pid -1)"] == [
        table.rows[0].name for table in report.tables
    ]
    assert 0 == report.skipped.total()
    assert "secret" not in result.stdout.lower()
    assert "## Model name: Made Up 9000" in result.stdout
    assert [] == list(tmp_path.glob("collect.*"))


def test_names_are_written_if_told_to(tmp_path: Path):
    """Of threads and of cgroups."""
    machine(tmp_path)
    report = detect.read_report(collect(tmp_path, "-y", "-n").stdout.splitlines())
    assert ["Secret Thread (pid 1514752)", "Secret Owner (pid -1)", "/secret.slice"] == [
        table.rows[0].name for table in report.tables[2:]
    ]


def test_what_costs_is_asked_for(tmp_path: Path):
    """Without a terminal the answer is no: perf measures nothing, and the text says why."""
    machine(tmp_path)
    result = collect(tmp_path)
    assert ["lock contention -a -b true"] == (tmp_path / "calls").read_text().splitlines()
    assert "not collected: perf lock contention (no terminal to ask; -y agrees)" in result.stdout
    with pytest.raises(ReportError, match="the collector got no table"):
        detect.read_report(result.stdout.splitlines())


def test_without_bpf_one_recording_has_all_views(tmp_path: Path):
    """What this perf does not know is said, and becomes a note."""
    machine(tmp_path, bpf=False, views=("", "-t"))
    report = detect.read_report(collect(tmp_path, "-y").stdout.splitlines())
    calls = (tmp_path / "calls").read_text()
    assert 1 == calls.count("lock record -a -o")
    assert ["by place", "by thread"] == [table.system.split(", ")[-1] for table in report.tables]
    notes = " ".join(report.tables[0].notes)
    assert "not collected: by lock (Error: unknown switch)" in notes
    assert "not collected: by owner (needs perf with BPF)" in notes


def test_options_go_before_what_a_text_says(tmp_path: Path):
    """Whoever knows better says so."""
    machine(tmp_path)
    text = collect(tmp_path, "-y").stdout
    tables = detect.parse(text, cpus=7, window_ns=1e9)
    assert {(7, 1e9)} == {(table.cpus, table.window_ns) for table in tables}


@pytest.mark.parametrize("options", [("-t", "0"), ("-t", "x"), ("-t", ""), ("-q",), ("word",)])
def test_wrong_options_are_refused(tmp_path: Path, options: tuple[str, ...]):
    """With the usage; nothing is measured."""
    machine(tmp_path)
    result = collect(tmp_path, *options)
    assert (2, "") == (result.returncode, result.stdout)
    assert "sh collect.sh [-t SECONDS] [-y] [-n] > locks.txt" in result.stderr
    assert not (tmp_path / "calls").exists()


def test_another_version_of_the_collector_is_refused():
    """Its lines may mean something else."""
    with pytest.raises(ReportError, match="line 1: a collector of version 2, known is 1"):
        detect.parse("## locklab collect 2\n")


def test_headings_of_a_page_are_not_the_collector_s():
    """Two signs begin a heading in Markdown, too."""
    report = detect.read_report(["## Results", "", *VIEWS[""].splitlines()])
    assert 1 == report.skipped.total()


def test_the_script_is_clean():
    """As far as shellcheck sees."""
    if (shellcheck := shutil.which("shellcheck")) is None:
        pytest.skip("shellcheck is not installed")
    subprocess.run([shellcheck, "--shell", "sh", str(COLLECT)], check=True)
