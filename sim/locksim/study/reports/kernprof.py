"""Simulated time in the layout of SGI's kernprof: flat profile and annotated call graph.

kernprof printed the layout of gprof (Graham, Kessler, McKusick, "gprof: a Call Graph Execution
Profiler", SIGPLAN 1982). Two things differ. gprof divides a function's time among its callers by
their numbers of calls; here each caller has its exact part. And the columns that its header called
ms/call held microseconds, as the values of franke-2001 show (13.51 s over 568,095 calls are 23.78
us). Here their header is us/call.

``self`` is a method's own time; ``total`` and ``children`` include its callees. Sleeping CPUs
are in :data:`~locksim.study.reports.calls.IDLE`, kernprof's ``default_idle``. Times are simulated
and summed over all CPUs; columns are in microseconds if the sum is below a second.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from locksim.study.reports.calls import CallProfile

_RULE = "-" * 47
_S, _US = 1e12, 1e6


@dataclass(slots=True)
class Function:
    """A method, over all paths to it.

    Arguments:
        self_ps: its own time. children_ps: time of its callees.
        calls: number of calls. callers, callees: name → [self, children, calls] of the arc; an
            arc's times are those of the callee.
    """

    name: str
    self_ps: int = 0
    children_ps: int = 0
    calls: int = 0
    callers: dict[str, list[int]] = field(default_factory=dict)
    callees: dict[str, list[int]] = field(default_factory=dict)

    @property
    def total_ps(self) -> int:
        """Own time and that of the callees."""
        return self.self_ps + self.children_ps


def functions(profile: CallProfile) -> list[Function]:
    """Every method, the largest total first.

    A program cannot call itself, so a path holds a method once and nothing is counted twice.
    """
    found: dict[str, Function] = {}
    below: dict[tuple[str, ...], int] = defaultdict(int)
    for path, node in profile.nodes.items():
        for depth in range(1, len(path)):
            below[path[:depth]] += node.self_ps
    for path, node in profile.nodes.items():
        one = found.setdefault(path[-1], Function(path[-1]))
        one.self_ps += node.self_ps
        one.children_ps += below[path]
        one.calls += node.calls
        if len(path) > 1:
            caller = found.setdefault(path[-2], Function(path[-2]))
            for arc in (
                one.callers.setdefault(path[-2], [0, 0, 0]),
                caller.callees.setdefault(path[-1], [0, 0, 0]),
            ):
                for i, value in enumerate((node.self_ps, below[path], node.calls)):
                    arc[i] += value
    seen = [one for one in found.values() if one.total_ps or one.calls]
    return sorted(seen, key=lambda one: (-one.total_ps, one.name))


def flat(profile: CallProfile) -> str:
    """The flat profile: methods by their own time, the largest first."""
    unit, scale = _unit(profile)
    lines = [
        f"  {'%':>4}{'cumulative':>13}{'self':>10}{'':9}{'self':>10}{'total':>10}",
        f" {'time':>5}{unit:>13}{unit:>10}{'calls':>9}{'us/call':>10}{'us/call':>10}  name",
    ]
    whole = profile.total_ps or 1
    added = 0
    for one in sorted(functions(profile), key=lambda one: (-one.self_ps, one.name)):
        added += one.self_ps
        each = f"{'':9}{'':10}{'':10}"
        if one.calls:
            own, total = one.self_ps / one.calls / _US, one.total_ps / one.calls / _US
            each = f"{one.calls:9d}{own:10.2f}{total:10.2f}"
        lines.append(
            f"{100 * one.self_ps / whole:6.2f}{added / scale:13.2f}{one.self_ps / scale:10.2f}"
            f"{each}  {one.name}"
        )
    return "\n".join(lines) + "\n"


def call_graph(profile: CallProfile) -> str:
    """The annotated call graph: each method with its callers above and its callees below."""
    unit, scale = _unit(profile)
    all_ = functions(profile)
    index = {one.name: i for i, one in enumerate(all_, 1)}
    calls = {one.name: one.calls for one in all_}
    whole = profile.total_ps or 1
    lines = [f"times in {unit}", "index % time      self  children    called         name"]

    def arc(name: str, values: list[int], of: int) -> str:
        own, children, times = values
        called = f"{times}/{of}"
        return (
            f"{'':12}{own / scale:10.2f}{children / scale:10.2f} {called:>17}     "
            f"{name} [{index[name]}]"
        )

    for one in all_:
        for caller, values in sorted(one.callers.items(), key=lambda item: item[1]):
            lines.append(arc(caller, values, one.calls))
        lines.append(
            f"{f'[{index[one.name]}]':6}{100 * one.total_ps / whole:6.1f}"
            f"{one.self_ps / scale:10.2f}{one.children_ps / scale:10.2f} {one.calls:>17} "
            f"{one.name} [{index[one.name]}]"
        )
        for callee, values in sorted(one.callees.items(), key=lambda item: item[1], reverse=True):
            lines.append(arc(callee, values, calls[callee]))
        lines.append(_RULE)
    return "\n".join(lines) + "\n"


def _unit(profile: CallProfile) -> tuple[str, float]:
    return ("seconds", _S) if profile.total_ps >= _S else ("usecs", _US)
