"""Run the red-team corpus against LockLab, nbgrader and otter-grader, as set up locally.

Each attack of ``attacks.toml`` is handed in as one notebook beside an honest one. nbgrader and
otter-grader run in a jail of ours (namespaces, no network but its own loopback, read-only system,
limits of time and memory), which protects this machine but not the grader. An
attack counts as won only by its effects: points for a notebook without one right
function, a hidden number in a file, an accepted connection, a surviving process, a
fellow student's file changed, code that ran in another process, a grader that had not ended.
"""

from __future__ import annotations

import argparse
import json
import secrets
import socket
import subprocess
import sys
import tempfile
import threading
import tomllib
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import exercise
import page
from rich.console import Console
from theirs import CELL_S, RIVALS, RivalError, environment

from lockgrader.grade import grade
from lockgrader.lab import load
from lockgrader.read import python
from lockgrader.sandbox.probe import _survivor

HERE = Path(__file__).resolve().parent
LONGEST_S = 40
MEMORY_BYTES = 4 << 30
MOST_WRITTEN = 200 << 20
WON = {
    "points": "forged",
    "secret": "read",
    "call": "called out",
    "survivor": "survived",
    "file": "overwritten",
    "code": "ran in the grader",
    "stall": "stalled",
}
"""What an attack wants → the word for having got it."""


@dataclass(frozen=True)
class Outcome:
    """What an attack won from a grader.

    Arguments:
        outcome: a word of :data:`WON`, "held", or "–" where it does not apply.
        points: eve's. victim: the honest student's. evidence: what was found, as it was told.
    """

    number: int
    name: str
    grader: str
    outcome: str
    points: float | None = None
    evidence: dict[str, Any] | None = None


def main() -> int:
    """Attack, print, and write the page if asked to; the exit code."""
    options = _options()
    status = Console(stderr=True)
    attacks = tomllib.loads((HERE / "attacks.toml").read_text())["attack"]
    outcomes = _before(options)
    known = {(one.name, one.grader) for one in outcomes}
    try:
        with status.status("a harmless notebook first"):
            _control(options)
        for attack in attacks:
            if options.only and attack["name"] not in options.only:
                continue
            for name in ("ours", *RIVALS):
                if (attack["name"], name) in known:
                    continue
                with status.status(f"{attack['name']} against {name}"):
                    outcomes.append(_outcome(attack, name, options))
                _save(outcomes, options)
                status.print(f"{attack['name']}, {name}: {outcomes[-1].outcome}", style="dim")
    except RivalError as error:
        status.print(f"error: {error}", markup=False)
        return error.exit_code
    told = _page(outcomes)
    print(told)
    if options.write:
        page.write("attacks", told)
    return 0


def _before(options: argparse.Namespace) -> list[Outcome]:
    """What an earlier run has found, if this one is to go on with it."""
    if not options.resume or not options.output.exists():
        return []
    return [Outcome(**one) for one in json.loads(options.output.read_text())]


def _save(outcomes: list[Outcome], options: argparse.Namespace) -> None:
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps([asdict(one) for one in outcomes], indent=1) + "\n")


def _outcome(attack: dict[str, Any], grader: str, options: argparse.Namespace) -> Outcome:
    number, name = attack["number"], attack["name"]
    if grader != "ours" and grader not in attack.get("only", [*RIVALS]):
        return Outcome(number, name, grader, "–")
    mark = f"mark{secrets.token_hex(8)}"
    if grader == "ours":
        evidence = _ours(attack["text"], mark)
    else:
        evidence = _jailed(attack["text"], mark, grader, options)
    wants = attack["wants"]
    points = evidence.get("eve")
    got = {"points": bool(points), "stall": not evidence["ended"], "call": evidence["called"] > 0}
    won = got[wants] if wants in got else evidence[wants]
    outcome = WON[wants] if won else "held"
    if not won and points:
        outcome = WON["points"]  # on the way to something else
    if not won and not evidence["ended"]:
        outcome = WON["stall"]
    if evidence.get("error"):
        outcome = "brought down"  # and no student was graded
    return Outcome(number, name, grader, outcome, points, evidence)


def _ours(text: str, mark: str) -> dict[str, Any]:
    """What our grader says, and what was won from it, on the machine itself: it has a sandbox.

    Its limits are those of nbgrader's cells here, so that no student waits for a minute.
    """
    python.LIMITS = replace(python.LIMITS, wall_s=CELL_S, cpu_s=CELL_S / 2)
    with tempfile.TemporaryDirectory() as made, socket.create_server(("127.0.0.1", 0)) as server:
        folder, calls = Path(made), []
        loot = folder / "outside" / "loot"
        loot.parent.mkdir()
        loot.parent.chmod(0o777)
        folder.chmod(0o755)

        def listen() -> None:
            try:
                while True:
                    server.accept()[0].close()
                    calls.append("called")
            except OSError:
                return

        threading.Thread(target=listen, daemon=True).start()
        exercise.lab(folder / "lab")
        places = {"LOOT": loot, "PORT": server.getsockname()[1], "MARK": mark}
        for word, place in places.items():
            text = text.replace(f"@{word}@", str(place))
        text = text.replace("/work/", f"{folder}/")
        victim = folder / "victim.ipynb"
        victim.write_text(exercise.notebook(exercise.cells(exercise.SOLUTION)))
        before = victim.read_bytes()
        (folder / "eve.ipynb").write_text(exercise.notebook(exercise.cells(text)))
        result = grade(load(folder / "lab"), folder / "eve.ipynb", student="eve", key=b"k" * 16)
        taken = loot.read_bytes() if loot.exists() else b""
        told = f"{taken!r} {result.to_json() if not result.points else ''}"
        return {
            "ended": True,
            "eve": result.points or None,
            "error": "",
            "verdict": result.checks[0].verdict,
            "called": len(calls),
            "secret": any(repr(value) in told for value in exercise.expected().values()),
            "code": b"ran beside" in taken,
            "survivor": bool(_survivor(mark)),
            "file": victim.read_bytes() != before,
        }


def _jailed(text: str, mark: str, grader: str, options: argparse.Namespace) -> dict[str, Any]:
    """What another grader says, in a jail, and what was won from it."""
    python = environment(grader, options.environments)
    with tempfile.TemporaryDirectory() as made, tempfile.TemporaryDirectory() as names:
        limits = [f"--as={MEMORY_BYTES}", f"--cpu={2 * LONGEST_S}", f"--fsize={MOST_WRITTEN}"]
        command = ["prlimit", *limits, "bwrap", "--unshare-all", "--die-with-parent"]
        command += ["--new-session", "--clearenv", "--cap-drop", "ALL", "--tmpfs", "/tmp"]
        command += ["--setenv", "PATH", "/usr/bin:/bin", "--ro-bind", "/usr", "/usr"]
        for path in ("/lib", "/lib64", "/bin", "/sbin"):
            command += ["--ro-bind-try", path, path]
        for path in {sys.base_prefix, str(options.environments.resolve()), str(HERE)} - {"/usr"}:
            command += ["--ro-bind", path, path]
        command += ["--proc", "/proc", "--dev", "/dev", "--bind", made, "/work"]
        # otter-grader looks its own host's name up.
        (Path(names) / "hosts").write_text("127.0.0.1 localhost jail\n")
        command += ["--ro-bind", f"{names}/hosts", "/etc/hosts", "--hostname", "jail"]
        command += ["--remount-ro", "/", "--chdir", "/work", "--", str(python)]
        given = [grader, str(python), text, mark, str(LONGEST_S)]
        command += [str(HERE / "attacks_inside.py"), *given]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=3 * LONGEST_S, check=False
            )
        except subprocess.TimeoutExpired:
            blank = {"eve": None, "called": 0, "secret": False, "code": False}
            return {"ended": False, "survivor": False, "file": False, **blank}
    lines = done.stdout.strip().splitlines()
    if not lines or not lines[-1].startswith("{"):
        raise RivalError(f"{grader} did not run in the jail:\n{done.stderr[-2000:]}")
    told: dict[str, Any] = json.loads(lines[-1])
    return told


def _control(options: argparse.Namespace) -> None:
    """See that each of the others grades a harmless notebook in the jail.

    Raises:
        RivalError: it does not, and would hold any attack.
    """
    for grader in RIVALS:
        told = _jailed("harmless = 1", "no-such-process", grader, options)
        if (told["eve"] or 0.0, told["victim"]) != (0.0, exercise.MOST):
            raise RivalError(f"{grader} does not grade in the jail:\n{told}")


def _page(outcomes: list[Outcome]) -> str:
    graders = ["ours", *RIVALS]
    keys = list(dict.fromkeys((one.number, one.name) for one in outcomes))
    by = {(one.number, one.name, one.grader): one for one in outcomes}
    rows = [
        [f"{number} {name}", *(_cell(by[number, name, grader]) for grader in graders)]
        for number, name in keys
    ]
    sums = []
    for grader in graders:
        mine = [one for one in outcomes if one.grader == grader and one.outcome != "–"]
        lost = [one for one in mine if one.outcome != "held"]
        forged = sum(bool(one.points) for one in mine)
        sums.append(f"**{len(lost)} of {len(mine)}**, {forged} with forged points")
    rows.append(["won by the attacker", *sums])
    return (
        page.table(["attack", "LockLab", "nbgrader", "otter-grader"], rows)
        + f"\n\n{page.machine()}"
    )


def _cell(one: Outcome) -> str:
    points = f", {one.points:g} of {exercise.MOST}" if one.points else ""
    told = one.evidence or {}
    honest = told.get("victim", exercise.MOST)
    beside = "" if honest == exercise.MOST else f"; the honest one got {honest or 'nothing'}"
    return f"{one.outcome}{points}{beside}"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", help="names of attacks")
    parser.add_argument("--resume", action="store_true", help="go on with what --output holds")
    parser.add_argument(
        "--write", action="store_true", help="write the table to docs/evidence/grading.md"
    )
    parser.add_argument("--output", type=Path, default=Path("out/attacks.json"))
    parser.add_argument(
        "--environments", type=Path, default=Path("build/beside"), help="of the other graders"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
