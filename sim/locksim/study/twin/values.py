"""The numbers of a twin, each with its role and its interval.

==========  ======================================================================
input       the table says it
asked       somebody gave it with an option
assumed     neither; the row's name or kind suggests it, and an option changes it
fitted      the columns determine it; the interval is the span over the draws
range       nothing determines it; it is drawn from the interval
==========  ======================================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from locksim.study.twin.evidence import COLUMNS
from locksim.study.twin.fit import Twin
from locksim.study.twin.plan import SHARING, Plan
from locksim.study.twin.prediction import Predictions

__all__ = ["Role", "Value", "values"]

Role = Literal["input", "asked", "assumed", "fitted", "range"]

_NUMBERS = {
    "think_ns": ("time between two sections", "ns"),
    "hold_ns": ("work under the lock", "ns"),
    "read_hold_ns": ("work of readers under the lock", "ns"),
    "spread": ("coefficient of variation of the holds", ""),
    "reads": ("share of readers", ""),
    "locks": ("locks, as if all were used equally", ""),
    "at_random": ("share of sections that take any lock, not their CPU's own", ""),
    "again": ("share of sections that follow at once", ""),
    "lines": ("data lines that a section touches", ""),
}
_GIVEN = {"spread": "spread", "reads": "reads", "locks": "locks", "lines": "lines"}


@dataclass(frozen=True, slots=True)
class Value:
    """A number or a word of a twin.

    Arguments:
        name: of the load. title: in words. value: number or word. unit: of a number.
        low, high: the interval; None: there is none. role: see above. source: what says so.
    """

    name: str
    title: str
    value: float | str
    unit: str
    low: float | None
    high: float | None
    role: Role
    source: str


def values(plan: Plan, twin: Twin, found: Predictions, *, cpus: bool, window: bool) -> list[Value]:
    """The numbers of a twin.

    Arguments:
        plan, twin: of the fit. found: with the draws. cpus, window: whether an option gave them.
    """
    evidence, given = plan.evidence, plan.given

    def word(name: str, title: str, text: str, role: Role, source: str) -> Value:
        return Value(name, title, text, "", None, None, role, source)

    asked: dict[bool, tuple[Role, str]] = {
        True: ("asked", "option"),
        False: ("input", "report"),
    }
    assumed = evidence.why.startswith("assumed")
    lock_role: Role = "assumed" if assumed else "asked" if evidence.why == "given" else "input"
    rows = [
        word("lock", "lock", evidence.lock, lock_role, evidence.why),
        Value("cpus", "CPUs", evidence.cpus, "", None, None, *asked[cpus]),
        Value("window_ns", "window", evidence.window_ns, "ns", None, None, *asked[window]),
        word(
            "arrivals",
            "a CPU that waits",
            given.arrivals,
            "assumed",
            "closed: asks for nothing else meanwhile; open: is late (--arrivals)",
        ),
    ]
    knobs = {knob.name: knob.column for knob in plan.knobs}
    if SHARING in knobs:
        knobs |= dict.fromkeys(("locks", "at_random"), knobs[SHARING])
    opened = {one.name: one for one in plan.open}
    for name, (title, unit) in _NUMBERS.items():
        value = float(getattr(twin.load, name))
        if name == "read_hold_ns" and (name not in knobs or not twin.load.reads):
            continue
        if name in knobs:
            low, high = found.interval(lambda one, name=name: getattr(one.load, name)) or (  # type: ignore[misc]
                None,
                None,
            )
            source = f"by {COLUMNS[knobs[name]][0]}"
            rows.append(Value(name, title, value, unit, low, high, "fitted", source))
        elif name in opened:
            one = opened[name]
            rows.append(Value(name, title, value, unit, one.low, one.high, "range", one.why))
        elif name == "locks" and evidence.one_lock and value == 1:
            rows.append(Value(name, title, value, unit, None, None, "input", "one address"))
        elif name in _GIVEN and getattr(given, _GIVEN[name]) is not None:
            rows.append(Value(name, title, value, unit, None, None, *asked[True]))
        elif name == "reads" and evidence.reads:
            rows.append(Value(name, title, value, unit, None, None, *asked[False]))
        elif name == "at_random" and twin.load.locks > 1:
            role: Role = "asked" if given.owners is not None else "assumed"
            rows.append(Value(name, title, value, unit, None, None, role, "--set users=…"))
    if twin.costs is not None:
        title = "the machine's uncertain costs in their ranges, from 0, all low, to 1, all high"
        rows.append(Value("costs", title, twin.costs, "", None, None, "fitted", "by all columns"))
    return rows
