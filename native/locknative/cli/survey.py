"""``locklab native survey``: measure everything on this machine, for calibration and predictions.

``--json`` prints ``{"folder", "cells", "good_trials", "short", "wanted"}``: ``short`` cells have
fewer good trials than ``wanted``.

A machine without LockLab runs the same survey from a copied folder (:mod:`locknative.survey`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from locknative.cli import values
from locknative.cli.options import Json, Seconds, TrialMs, Trials, plan_of
from lockui.completion import among
from lockui.console import progress, say
from lockui.document import print_json
from lockui.errors import reported


@reported()
def survey(
    out: Annotated[Path, typer.Option(help="Folder for the trials; those in it count.")],
    seconds: Seconds = 540,
    trials: Trials = 10,
    trial_ms: TrialMs = 20,
    seed: Annotated[int, typer.Option(help="Of the order of the trials.")] = 1,
    only: Annotated[
        str | None,
        typer.Option(
            help="probes or kernels; leave out the others.",
            autocompletion=among(("probes", "kernels")),
        ),
    ] = None,
    kernels: Annotated[
        str | None,
        typer.Option(
            help="Only these: ticket,mcs (default: all).",
            autocompletion=among(values.kernels("lock", "structure", "workload"), listed=True),
        ),
    ] = None,
    csv: Annotated[Path | None, typer.Option(help="Write the trials as CSV here, too.")] = None,
    as_json: Json = False,
) -> None:
    """Measure every probe, lock, structure and workload on this machine, one process a trial.

    Run the same line again to continue. 'locklab calibrate --from' and
    'locklab native predict --from' read the folder.
    """
    from locknative.compilation import executable
    from locknative.errors import unknown
    from locknative.survey import collect

    if only not in (None, "probes", "kernels"):
        raise unknown("part of a survey", str(only), ("probes", "kernels"))
    plan = plan_of(seconds, trials, trial_ms, seed)
    with progress("survey") as report:
        good = collect.survey(
            executable.path(),
            out,
            plan,
            only=only,
            kernels=kernels.split(",") if kernels else (),
            csv=csv,
            progress=plan.progress(report),
        )
    short = sum(n < trials for n in good.values())
    found = {
        "folder": str(out),
        "cells": len(good),
        "good_trials": sum(good.values()),
        "short": short,
        "wanted": trials,
    }
    if as_json:
        print_json(found)
        return
    say(
        f"{out}: {len(good)} cells, {sum(good.values())} good trials; {short} cells have fewer "
        f"than {trials}" + ("; run the same line again to continue" if short else "")
    )
