"""Run a survey: ``python3 native/locknative/survey --executable PATH --out DIR``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

if not __package__:  # run as a folder: make it a package of its own, so that its parts are found
    sys.path[0] = str(Path(__file__).resolve().parent.parent)
    __package__ = "survey"

from .collect import Plan, survey
from .errors import NativeError
from .folder import rejections


def main() -> int:
    """Read the command line, run the survey, say what is in the folder; the exit code."""
    parser = argparse.ArgumentParser(description="Measure this machine with locklab-native.")
    parser.add_argument("--executable", required=True, help="path of locklab-native")
    parser.add_argument("--out", required=True, type=Path, help="folder for trials; may have some")
    parser.add_argument("--seconds", type=float, default=540, help="time limit (540)")
    parser.add_argument("--trials", type=int, default=10, help="good trials of each cell (10)")
    parser.add_argument("--trial-ms", type=int, default=20, help="measured time of a trial (20)")
    parser.add_argument("--seed", type=int, default=1, help="of the order of the trials (1)")
    parser.add_argument("--only", choices=["probes", "kernels"], help="leave the others out")
    parser.add_argument("--kernels", help="only these, as in ticket,mcs (all)")
    parser.add_argument("--csv", type=Path, help="write all trials as CSV into this folder, too")
    given = parser.parse_args()
    try:
        good = survey(
            given.executable,
            given.out,
            Plan(given.seconds, given.trials, given.trial_ms, given.seed),
            only=given.only,
            kernels=given.kernels.split(",") if given.kernels else (),
            csv=given.csv,
            progress=show if sys.stderr.isatty() else None,
        )
    except NativeError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    short = sum(n < given.trials for n in good.values())
    print(
        f"{given.out}: {len(good)} cells, {sum(good.values())} good trials; {short} cells have "
        f"fewer than {given.trials}" + ("; run the same line again to continue" if short else "")
    )
    print(rejections(given.out))
    return 0


def show(done: int, wanted: int, seconds: float) -> None:
    """Show the progress of the survey on one line."""
    print(f"\r{done} of {wanted} good trials, {seconds:.0f} s ", end="", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
