"""Where a measurement comes from: machine, build, pinning, and what may have disturbed it.

:mod:`locknative.survey.host` reads the machine. :mod:`locknative.host.noise` checks it, for results
and for ``locklab doctor``.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from locknative.host import noise
from locknative.survey import host
from locknative.survey.host import ROOT
from lockui.findings import Check


@dataclass(frozen=True)
class Provenance:
    """The circumstances of one run.

    ``pinned`` are the CPUs in the order of the threads, empty if the threads were not pinned.
    ``steal_before`` and ``steal_after`` are the time that the hypervisor took from the pinned
    CPUs (from all, if not pinned), in clock ticks of /proc/stat. ``urcu`` is liburcu's version,
    empty without it. ``noise`` is the result of :func:`locknative.host.noise.marks`.
    """

    cpu_model: str
    kernel: str
    virtualised: bool
    smt: bool | None
    governors: tuple[str, ...]
    pinned: tuple[int, ...]
    compiler: str
    flags: str
    steal_before: int
    steal_after: int
    urcu: str = ""
    noise: tuple[Check, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """Why these circumstances do not make a clean measurement; empty when they do."""
        found = [f"{mark.name}: {mark.found}" for mark in self.noise if mark.status == "warning"]
        if self.steal_after > self.steal_before:
            ticks = self.steal_after - self.steal_before
            found.append(f"the hypervisor took {ticks} clock ticks during the run")
        return tuple(found)


class Recorder:
    """Records the circumstances when it is made, and ends the record when the run is over.

    Args:
        pinned: the CPUs, in the order of the threads.
        compiler: name and version.
        flags: of the compiler, for the timed loops.
        urcu: liburcu's version, empty without it.
        root: the folder that holds ``proc`` and ``sys``.
    """

    def __init__(
        self,
        pinned: Iterable[int],
        compiler: str,
        flags: str,
        urcu: str = "",
        root: Path = ROOT,
    ) -> None:
        self._pinned = tuple(pinned)
        self._build = (compiler, flags, urcu)
        self._root = root
        # Before the run, since afterwards the run itself is the load.
        self._noise = tuple(noise.marks(root))
        self._steal_before = host.steal_ticks(self._pinned, root)

    def finish(self) -> Provenance:
        """Return the record of the run that has just ended."""
        compiler, flags, urcu = self._build
        return Provenance(
            cpu_model=host.cpu_model(self._root),
            kernel=platform.release(),
            virtualised=bool(host.virtualised(self._root)),
            smt=host.smt(self._root),
            governors=host.governors(self._pinned, self._root),
            pinned=self._pinned,
            compiler=compiler,
            flags=flags,
            steal_before=self._steal_before,
            steal_after=host.steal_ticks(self._pinned, self._root),
            urcu=urcu,
            noise=self._noise,
        )
