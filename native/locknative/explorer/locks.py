"""Explore the locks of ``include/locklab`` through their adapters in ``kernels/``.

A lock in the language (``FILE.py:CLASS``, ``emitted:NAME``) is printed as C and explored likewise.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from locknative.compilation import emitted, toolchain
from locknative.errors import unknown
from locknative.explorer.program import Program
from locknative.explorer.search import (
    MEMORIES,
    Estimate,
    Exploration,
    Report,
    Search,
    estimate,
    run,
)
from locksim.checker.limits import WITHIN_LIMITS

MOST = 8
"""Threads that the client has room for."""

HALVES = {
    "qspinlock": {
        "LOCKLAB_QSPINLOCK_PARTS=0": MEMORIES,
        "LOCKLAB_QSPINLOCK_PARTS=1": ("sc", "tso"),
    },
}
"""Locks with an ``#if`` in their header: how to compile each half, and the memory models that
define it. x86 has accesses of several sizes to one word, C11 has not."""


def locks() -> list[str]:
    """Return the locks that have a header and an adapter, in alphabetical order."""
    root = toolchain.sources()
    headers = {header.stem for header in (root / "include/locklab").glob("*.h")}
    return sorted(headers & {adapter.stem for adapter in (root / "kernels").glob("*.c")})


def has_two_sides(lock: str) -> bool:
    """Return whether there is something else to do with a lock than to hold it alone."""
    with _sources(lock) as (file, _):
        return bool(re.search(r"#define (READ_ACQUIRE|REFERENCES)\b", file.read_text()))


def halves(lock: str) -> list[str]:
    """Return the macros that choose each half of a lock's header; of a lock without, one ""."""
    return list(HALVES.get(lock, {"": MEMORIES}))


def adapter(lock: str) -> Path:
    """Return a lock's adapter.

    Raises:
        NativeError: there is no such lock.
    """
    known = locks()
    if lock not in known:
        raise unknown("lock", lock, known)
    return toolchain.sources() / f"kernels/{lock}.c"


@contextmanager
def _sources(lock: str) -> Iterator[tuple[Path, list[Path]]]:
    """A lock's adapter, and the folders that its headers are in beside the library's."""
    if not emitted.is_emitted(lock):
        yield adapter(lock), []
        return
    with tempfile.TemporaryDirectory(prefix="locklab-") as name:
        yield emitted.write(lock, Path(name)), [Path(name)]


def program(
    lock: str,
    *,
    rounds: int = 1,
    roles: int = 0,
    includes: Sequence[str | Path] = (),
    half: str = "",
) -> Program:
    """Compile a lock with the explorer's client (``explorer/client.h``).

    Args:
        lock: its name, or that of a lock in the language.
        rounds: how often each thread goes in.
        roles: 0, or 1: who reads and who writes is exchanged.
        includes: folders that are searched before the library's own, for another version of it.
        half: of its header (:func:`halves`), else the one that the header chooses.
    """
    defines = [half] if half else []
    defines += ['LOCKLAB_LOOP="explorer/client.h"', f"ROUNDS={rounds}", f"ROLES={roles}"]
    with _sources(lock) as (file, folders):
        return Program([file], [*defines, f"LOCKLAB_CPUS={MOST}"], [*includes, *folders])


def explore_lock(
    lock: str,
    search: Search,
    *,
    rounds: int = 1,
    includes: Sequence[str | Path] = (),
    half: str = "",
    report: Report | None = None,
) -> Exploration:
    """Explore a lock's client, and where there are two sides the one with roles exchanged.

    Args:
        lock, rounds, includes, half: see :func:`program`. search: how; a half that this memory
            model does not define is explored under tso, as x86 runs it. report: see
            :func:`locknative.explorer.search.run`; each client begins at 0.

    Returns:
        The first client's exploration that is not clean, else the last one's with the runs, steps
        and seconds of both.
    """
    search = _defined(search, lock, half)
    done: list[Exploration] = []
    for roles in _sides(lock):
        with program(lock, rounds=rounds, roles=roles, includes=includes, half=half) as compiled:
            found = run(compiled, search, report)
        done.append(found)
        if found.verdict in ("violated", "unfinished"):
            break
    return together(_named(lock, half), done)


def estimate_lock(
    lock: str, search: Search, *, rounds: int = 1, half: str = ""
) -> Estimate | Exploration:
    """Estimate the work of exploring a lock's client or both: see :func:`explore_lock`."""
    search = _defined(search, lock, half)
    parts: list[Estimate] = []
    for roles in _sides(lock):
        with program(lock, rounds=rounds, roles=roles, half=half) as compiled:
            part = estimate(compiled, search)
        if isinstance(part, Exploration):
            return replace(part, program=_named(lock, half))
        parts.append(part)
    return Estimate(
        program=_named(lock, half),
        threads=parts[-1].threads,
        memory=search.memory,
        runs=sum(part.runs for part in parts),
        lowest=sum(part.lowest for part in parts),
        highest=sum(part.highest for part in parts),
        seconds=sum(part.seconds for part in parts),
        exact=all(part.exact for part in parts),
    )


def _defined(search: Search, lock: str, half: str) -> Search:
    """The search of a half that its memory model may not define, under tso then."""
    undefined = half and search.memory not in HALVES[lock][half]
    return replace(search, memory="tso") if undefined else search


def _sides(lock: str) -> Sequence[int]:
    return (0, 1) if has_two_sides(lock) else (0,)


def _named(lock: str, half: str) -> str:
    return f"{lock} ({half})" if half else lock


def together(lock: str, done: Sequence[Exploration]) -> Exploration:
    """Return the explorations of a lock's clients as one: the last, with the costs of all."""
    last, verdicts = done[-1], {found.verdict for found in done}
    weakest = next((one for one in ("bounded", WITHIN_LIMITS) if one in verdicts), last.verdict)
    return replace(
        last,
        program=lock,
        verdict=last.verdict if last.verdict in ("violated", "unfinished") else weakest,
        runs=sum(found.runs for found in done),
        traces=sum(found.traces for found in done),
        steps=sum(found.steps for found in done),
        seconds=sum(found.seconds for found in done),
        limits=sorted({limit for found in done for limit in found.limits}),
    )
