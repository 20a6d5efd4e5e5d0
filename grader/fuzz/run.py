"""``make fuzz``: fuzz the grader's readers, each for some minutes of processor time.

Starts from the corpus in the tree and from honest inputs; new inputs stay below ``out/fuzz``.
Afterwards the corpus is reduced to inputs that reach different code, and written back with
``--keep``. A finding is an input that makes a reader fail instead of refusing it. It is always
kept, so that the tests fail until it is fixed, and ends the run with exit code 1.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import corpus
from coverage_of import covering_inputs
from one import COUNTERS
from rich.console import Console
from rich.table import Table
from targets import TARGETS

HERE = Path(__file__).resolve().parent
SLOWEST_S, MOST_MIB = 60, 4096
"""A reader that takes longer, or more memory, for one input is a finding."""


@dataclass(frozen=True)
class Run:
    """What came of fuzzing a target.

    Arguments:
        executions: inputs that were read. accepted: of them. cpu_s: processor time.
        covering: inputs that reach different code. kept: of them, in the tree's corpus.
        findings: files with inputs that made the reader fail.
    """

    target: str
    executions: int
    accepted: int
    cpu_s: float
    covering: int
    kept: int
    findings: list[str]


def main() -> int:
    """Fuzz what was asked for; the exit code."""
    options = _options()
    status = Console(stderr=True)
    runs = []
    for name in options.only or list(TARGETS):
        with status.status(f"fuzzing {name} for {options.minutes:g} minutes of processor time"):
            runs.append(_fuzz(name, options))
    if options.json:
        print(json.dumps([asdict(run) for run in runs], indent=1))
    else:
        Console().print(_table(runs))
    for run in runs:
        for path in run.findings:
            status.print(f"finding: {run.target}: {path}", markup=False)
    return int(any(run.findings for run in runs))


def _fuzz(name: str, options: argparse.Namespace) -> Run:
    folder: Path = options.folder.resolve() / name
    inputs, counters = folder / "inputs", folder / "counters"
    for one in (inputs, folder / "findings"):
        one.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate([*corpus.read(name), *TARGETS[name].seeds()]):
        (inputs / f"seed-{number}").write_bytes(data)
    _atheris(name, options.minutes * 60, counters, folder, [str(inputs)])
    runs, accepted, cpu_s = COUNTERS.unpack(counters.read_bytes())
    covering = covering_inputs(TARGETS[name], [path.read_bytes() for path in inputs.iterdir()])
    findings = sorted((folder / "findings").iterdir())
    kept = len(corpus.read(name))
    if options.keep or findings:
        kept = corpus.write(
            name, covering if options.keep else corpus.read(name),
            findings=[path.read_bytes() for path in findings],
        )  # fmt: skip
    return Run(name, runs, accepted, cpu_s, len(covering), kept, [str(path) for path in findings])


def _atheris(name: str, seconds: float, counters: Path, folder: Path, more: list[str]) -> None:
    """Run the fuzzer in a process of its own; a finding is a file, not an exit code."""
    counters.write_bytes(bytes(COUNTERS.size))
    given = [name, str(seconds), str(counters), *more]
    given += [f"-artifact_prefix={folder / 'findings'}/", f"-max_len={TARGETS[name].longest}"]
    given += [
        f"-timeout={SLOWEST_S}",
        f"-report_slow_units={SLOWEST_S}",
        f"-rss_limit_mb={MOST_MIB}",
        "-len_control=0",
    ]
    with open(folder / "log", "ab") as log:
        done = subprocess.run(
            [sys.executable, str(HERE / "one.py"), *given],
            stdout=log,
            stderr=log,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            check=False,
        )
    if done.returncode and not any((folder / "findings").iterdir()):
        last = (folder / "log").read_text(errors="replace").strip().splitlines()[-5:]
        raise SystemExit("error: the fuzzer ended with an error:\n" + "\n".join(last))


def _table(runs: list[Run]) -> Table:
    shown = Table(box=None, padding=(0, 1))
    shown.add_column("target")
    for column in ("executions", "accepted", "CPU minutes", "covering", "kept", "findings"):
        shown.add_column(column, justify="right")
    for run in runs:
        shown.add_row(
            run.target,
            f"{run.executions:,}",
            f"{run.accepted:,}",
            f"{run.cpu_s / 60:.1f}",
            str(run.covering),
            str(run.kept),
            str(len(run.findings)),
        )
    return shown


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10, help="of processor time, each")
    parser.add_argument("--only", nargs="+", choices=list(TARGETS), help="fuzz only these")
    parser.add_argument("--keep", action="store_true", help="renew the corpus in the tree")
    parser.add_argument("--json", action="store_true", help="print JSON only")
    parser.add_argument("--folder", type=Path, default=Path("out/fuzz"), help="for what is found")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
