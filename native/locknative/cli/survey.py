"""Measure everything here, for calibration and predictions.

A machine without LockLab runs the same survey from a copied folder (:mod:`locknative.survey`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from typing_extensions import TypedDict

from locknative.cli import values
from locknative.cli.options import Trials
from lockui.command import Detail, command
from lockui.completion import among
from lockui.console import progress, say
from lockui.quantities import SECOND, Time
from lockui.report import Report

app = typer.Typer(add_completion=False)

NINE_MINUTES = Trials(Time(540 * SECOND))
PARTS = ("probes", "kernels")


class SurveyAnswer(TypedDict):
    """What lies in the folder: ``short`` cells have fewer good trials than ``wanted``.

    ``rejections`` says how many trials were rejected and why, and the load, in words.
    """

    folder: str
    cells: int
    good_trials: int
    short: int
    wanted: int
    rejections: str


def _parts() -> list[str]:
    return [*PARTS, *values.kernels("lock", "structure", "workload")()]


@command(app)
def survey(
    out: Annotated[Path, Detail("a folder; trials in it count")],
    only: Annotated[
        str,
        Detail("probes, kernels, or names: ticket,mcs", among(_parts, listed=True)),
    ] = "",
    trials: Trials = NINE_MINUTES,
    seed: int = 1,
) -> Report[SurveyAnswer]:
    """Measure every probe, lock, structure and workload on this machine, one process a trial.

    Run the same line again to continue. 'locklab machine calibrate --from' and
    'locklab native predict --from' read the folder.
    """
    from locknative.compilation import executable
    from locknative.survey import collect, folder

    plan = trials.plan(seed)
    with progress("survey") as report:
        good = collect.survey(
            executable.path(),
            out,
            plan,
            only=only if only in PARTS else None,
            kernels=() if only in ("", *PARTS) else only.split(","),
            progress=plan.progress(report),
        )
    short = sum(n < trials.trials for n in good.values())
    rejections = folder.rejections(out)
    text = (
        f"{out}: {len(good)} cells, {sum(good.values())} good trials; {short} cells have fewer "
        f"than {trials.trials}"
        + ("; run the same line again to continue" if short else "")
        + f"\n{rejections}"
    )
    return Report(
        SurveyAnswer(
            folder=str(out),
            cells=len(good),
            good_trials=sum(good.values()),
            short=short,
            wanted=trials.trials,
            rejections=rejections,
        ),
        lambda view: say(text, view),
    )
