"""``make twins``: do twins predict what a change does to loads that they have never seen?

    make twins                        # 40 loads, about an hour of CPU time on the first run
    make twins ARGS="--only mmap"     # the loads whose name has this in it
    make twins ARGS="--drawn 20"      # other loads, drawn by lot
    make twins ARGS="--loads twin_loads_second.toml"     # 20 loads by another stranger

The loads (``twin_loads.toml``) were written by thought, by somebody who did not know the fit; those
of ``drawn_loads`` by nobody; those of ``twin_loads_second.toml`` by a second stranger, when the fit
was finished. The *truth* of each is simulated on a machine whose costs are drawn inside their
ranges. A twin gets its report in the text of a format, the nominal machine, and the answers to what
the command asks: how many locks, whether each has an owner, the lines that a section touches; with
perf the share of readers, too. Then both make the load's changes. Judged is the throughput over
that of the load as it is: a report of perf says no throughput.

A change is predicted if it is within 15 % of the truth at the report's number of CPUs, and within
25 % at another one. The interval score is that of ``make bands``, in logarithms, for bands that are
to hold 80 %. The *bare* band lacks the error of the model. So does the truth, since it comes from
the same model.

Results stay in out/twins.jsonl, by the digest of what they are made from.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import fmean, median
from typing import Any

import twin_truth
from bands import Judged, fixed
from drawn_loads import drawn_loads

from locksim import machine as machines
from locksim.lang import Lock
from locksim.library.registry import resolve
from locksim.library.workloads.lock_class import MILLI, Unlocked
from locksim.machine import Machine
from locksim.study.bands import drawn
from locksim.study.reports import detect
from locksim.study.reports.formats import WRITERS
from locksim.study.twin.change import changes_of
from locksim.study.twin.errors import TwinError
from locksim.study.twin.evidence import evidence_of
from locksim.study.twin.fit import agreement, fit
from locksim.study.twin.load import WRITERS as WRITERS_LOCK
from locksim.study.twin.load import Measured, Setting, instance_of, measured
from locksim.study.twin.plan import Given, plan
from locksim.study.twin.prediction import predict
from pairs import bare

FOLDER = Path(__file__).parent
LOADS = "twin_loads.toml"
OUT = Path("out/twins.jsonl")
MACHINE = "epyc-7742-2x64"
"""Two sockets of x86, as the loads were thought for; its profile has ranges."""
FORMATS = ("lock_stat", "perf")
SECTIONS = 30_000
NEAR, FAR = 0.15, 0.25
FIXED_FACTOR = 1.5
VERSION = 5
"""To be raised when the programs change."""


@dataclass(frozen=True)
class Cell:
    """A change of a load.

    Arguments:
        load, format, change: which. truth: throughput over that of the load as it is.
        value, low, high: predicted; None: refused, for the reason in ``said``.
        bare_low, bare_high: of the band without the error of the model.
        same_cpus: whether the change leaves their number. far: columns that do not agree.
    """

    load: str
    format: str
    change: str
    truth: float
    value: float | None
    low: float | None
    high: float | None
    same_cpus: bool
    far: tuple[str, ...] = ()
    said: str = ""
    bare_low: float | None = None
    bare_high: float | None = None

    @property
    def error(self) -> float:
        """How far the prediction is off, as a share of the truth."""
        return abs((self.value or math.nan) / self.truth - 1)

    @property
    def right(self) -> bool:
        """Whether it is near enough."""
        return self.error <= (NEAR if self.same_cpus else FAR)

    def judged(self, *, bare: bool = False) -> Judged:
        """For the interval score."""
        value = self.value or math.nan
        low, high = (self.bare_low, self.bare_high) if bare else (self.low, self.high)
        ends = (low or math.nan) / value, (high or math.nan) / value
        return Judged((self.load,), self.format, self.change, self.truth / value, *ends)


def main() -> int:
    """Simulate what is missing, and print the tables."""
    parser = argparse.ArgumentParser(prog="make twins", description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="loads whose name has this in it")
    parser.add_argument("--formats", default=",".join(FORMATS), help="of the reports")
    parser.add_argument("--loads", default=LOADS, help=f"file beside this one ({LOADS})")
    parser.add_argument("--drawn", type=int, default=0, help="so many loads that were drawn by lot")
    asked = parser.parse_args()
    loads = (
        drawn_loads(asked.drawn) or tomllib.loads((FOLDER / asked.loads).read_text("utf-8"))["load"]
    )
    truths = drawn(machines.load(MACHINE), len(loads))[0].machines
    OUT.parent.mkdir(exist_ok=True)
    lines = OUT.read_text("utf-8").splitlines() if OUT.exists() else []
    known = {one.pop("key"): one["cells"] for one in map(json.loads, lines)}
    cells = []
    with OUT.open("a", encoding="utf-8") as out:
        for k, (load, truth) in enumerate(zip(loads, truths, strict=True)):
            for name in asked.formats.split(",") if asked.only in load["name"] else ():
                key = digest(load, name)
                if key not in known:
                    known[key] = [asdict(cell) for cell in judge(load, name, truth, k)]
                    print(json.dumps({"key": key, "cells": known[key]}), file=out, flush=True)
                cells += [Cell(**one | {"far": tuple(one["far"])}) for one in known[key]]
    report(cells)
    return 0


def digest(load: dict[str, Any], name: str) -> str:
    """What a load's cells are made from, in 20 digits."""
    return hashlib.sha256(repr((load, name, SECTIONS, VERSION)).encode()).hexdigest()[:20]


def judge(load: dict[str, Any], name: str, truth: Machine, seed: int) -> Iterator[Cell]:
    """The changes of a load: what they do, and what a twin says from a report."""
    # Threads that share a CPU are simulated as CPUs: the language's locks sleep there, too.
    cpus = load["cpus"] * load["threads_per_cpu"]
    setting = Setting(truth, cpus, seed=1000 + seed, sections=SECTIONS)
    changes = [one["what"] for one in load["changes"]]
    try:
        today = run(load, "", setting)
        window_ns = today.window_ps / 1e3
        text = WRITERS[name](today.table("demo_lock", "made up"))
        found = detect.read_report(
            text.splitlines(keepends=True), name, cpus=cpus, window_ns=window_ns
        )
        evidence = evidence_of(found.tables, None, load["lock"])
        owners = load["who_uses"]["form"] == "owner_each"
        reads = load["reader_share"] if evidence.reads is None else None
        lines = load["data_lines"]
        given = Given(locks=load["instances"], owners=owners or None, reads=reads, lines=lines)
        how = plan(evidence, given)
        twin = fit(how, replace(setting, machine=machines.load(MACHINE), seed=1))
        far = tuple(one.column for one in agreement(how, twin) if one.far)
    except TwinError as error:
        for change in changes:
            yield Cell(load["name"], name, change, 0, None, None, None, True, (), str(error))
        return
    asked: dict[str, str] = {}
    for change in changes:
        # A split that says nothing of its users is told twice; the loads mean users at random.
        words = ",".join(f"{one}:random" if re.fullmatch(r"split:\d+", one) else one
                         for one in change.split(","))  # fmt: skip
        if "cpus=" in change and load["threads_per_cpu"] > 1:
            continue
        try:
            changes_of(words, twin.load, cpus)
            asked[change] = words
        except TwinError as error:
            yield Cell(load["name"], name, change, 0, None, None, None, True, far, str(error))
    after = predict(how, twin, list(asked.values())).after
    for change, one in zip(asked, after, strict=True):
        where = replace(setting, cpus=one.cpus)
        truth_factor = run(load, change, where).per_second / today.per_second
        band = one.factor
        ends = band.value, band.low, band.high
        same, without = one.cpus == cpus, bare(band)
        yield Cell(
            load["name"], name, change, truth_factor, *ends, same, far,
            bare_low=without.low, bare_high=without.high,
        )  # fmt: skip


def run(load: dict[str, Any], change: str, setting: Setting) -> Measured:
    """The truth, before or after a change."""
    lock, split, owners, merge, batch, factor = load["lock"], 1, False, 1, 1, 1.0
    free_readers = False
    for one in change.split(","):
        match one.replace("*", ":").replace("=", ":").split(":"):
            case ["lock", name]:
                lock = name
            case ["split", number, *whose]:
                split, owners = int(number), whose == ["owner"]
            case ["merge", number]:
                merge = int(number)
            case ["batch", number]:
                batch = int(number)
            case ["hold", number]:
                factor = float(number)
            case ["readers-drop-the-lock"]:
                free_readers = True
    struct = resolve(lock).struct
    reads = load["reader_share"]
    lines = load["data_lines"]
    kind = Unlocked if free_readers else instance_of(struct, lock)
    if free_readers and not issubclass(struct, Lock):
        struct = resolve(WRITERS_LOCK).struct
    made = kind(lock=struct, lines=max(1, lines), touched=lines)
    classes = -(-load["instances"] // merge)
    locks = classes * split
    hold = holds(load, factor * batch)
    who = {"users": twin_truth.OWNER} if owners else users(load, merge)
    work = twin_truth.Truth(
        instances=made, locks=locks, locks_milli=MILLI * locks, parts=1 if owners else split,
        read_milli=round(MILLI * reads), batch=1, **hold, **who, **pauses(load, batch),
    )  # fmt: skip
    counted = measured(work, setting)
    # One unit of work stands for a batch: the batch is in its hold and its pause.
    return replace(counted, per_second=counted.per_second * batch)


def holds(load: dict[str, Any], by: float) -> dict[str, int]:
    """The parameters of the holds."""
    spread, ps = load["hold_spread"], load["hold_ns"] * 1000 * by
    found = {"hold_ps": round(ps), "read_hold_ps": round(ps)}
    match spread["form"]:
        case "fixed":
            return found
        case "exponential":
            return found | {"form": twin_truth.EXPONENTIAL}
        case "lognormal":
            return found | {
                "form": twin_truth.LOGNORMAL,
                "sigma_milli": round(MILLI * spread["sigma"]),
            }
    short, long = (round(1000 * by * value) for value in spread["values_ns"])
    return {
        "form": twin_truth.TWO, "hold_ps": short, "read_hold_ps": short, "long_ps": long,
        "long_tenths": round(10_000 * spread["shares"][1]),
    }  # fmt: skip


def users(load: dict[str, Any], merge: int) -> dict[str, int]:
    """Who takes which lock, where one lock stands for each ``merge`` of them."""
    who = load["who_uses"]
    match who["form"]:
        case "owner_each":
            return {"users": twin_truth.OWNER}
        case "random":
            return {"users": twin_truth.RANDOM}
    others = (1 - who["share"]) / max(1, load["instances"] - 1)
    share = min(1.0, who["share"] + (merge - 1) * others)
    return {"users": twin_truth.HOT, "hot_percent": round(100 * share)}


def pauses(load: dict[str, Any], batch: int) -> dict[str, int]:
    """The pauses between sections, or between batches of them."""
    spread, think = load["think_spread"], load["think_ns"] * 1000
    if spread["form"] != "bursts":
        return {"pause_ps": round(think * batch)}
    burst = spread["mean_burst"]
    left = max(1.0, burst / batch)
    gap = spread["gap_ns"] * 1000
    pause = burst * think - (burst - 1) * gap
    return {
        "pause_ps": round(pause * max(1.0, batch / burst)),
        "gap_ps": round(gap * batch),
        "burst_milli": round(MILLI * (1 - 1 / left)),
    }


def report(cells: Sequence[Cell]) -> None:
    """Print what was right, by format."""
    for name in dict.fromkeys(cell.format for cell in cells):
        mine = [cell for cell in cells if cell.format == name]
        told = [cell for cell in mine if cell.value is not None]
        print(f"\n{name}: {len(mine)} changes of {len({c.load for c in mine})} loads, "
              f"{len(mine) - len(told)} refused\n")  # fmt: skip
        print("| changes | number | near enough | median error | mean error |")
        print("|---|---:|---:|---:|---:|")
        groups = {
            "same CPUs, within 15 %": [c for c in told if c.same_cpus],
            "other CPUs, within 25 %": [c for c in told if not c.same_cpus],
            "where the twin agrees": [c for c in told if not c.far],
            "where it says that it is far": [c for c in told if c.far],
        }
        for words, these in groups.items():
            if these:
                right = f"{sum(c.right for c in these)}"
                errors = [c.error for c in these]
                print(f"| {words} | {len(these)} | {right} | {median(errors):.1%} "
                      f"| {fmean(errors):.1%} |")  # fmt: skip
        judged = [cell.judged() for cell in told]
        print("\n| interval | holds | interval score |\n|---|---:|---:|")
        for words, ends in (
            ("band", judged),
            ("bare band", [cell.judged(bare=True) for cell in told]),
            (f"×/÷ {FIXED_FACTOR}", fixed(judged, FIXED_FACTOR)),
        ):
            held = fmean(float(one.holds) for one in ends)
            print(f"| {words} | {held:.0%} | {fmean(one.score for one in ends):.2f} |")
        print("\n| load | change | truth | twin | band | far |\n|---|---|---:|---:|---:|---|")
        for c in mine:
            if c.value is None:
                print(f"| {c.load} | {c.change} | | refused | | {c.said.splitlines()[0]} |")
            else:
                mark = "" if c.right else " **"
                print(f"| {c.load} | {c.change} | {c.truth:.2f} | {c.value:.2f}{mark} "
                      f"| {c.low:.2f} to {c.high:.2f} | {', '.join(c.far)} |")  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
