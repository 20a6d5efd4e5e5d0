"""What decides a verdict, as digests: equal digests and equal files give equal verdicts.

A result carries them, a batch grades again where one differs, and a course pins them. The version
of the package would not do: it is the same in every commit between two releases.

- ``engine``: the sources of language, compiler, checker, simulator and the grader's stations;
  for a lab with a C part also the explorer's and the compiler that builds them.
- ``profiles``: the machines of the library that the lab's checks name.
"""

from __future__ import annotations

import functools
import hashlib
import os
import subprocess
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import locksim
from lockgrader.lab import Lab

_SIMULATOR = (
    "lang", "machine", "core", "compiler", "checker", "engine", "library", "kinds",
    "jit.py", "ready.py", "study/quantiles.py", "study/sampling.py", "study/simulation.py",
    "study/traces", "study/use.py", "study/jobs.py", "papers/experiment.py",
    "papers/franke_2001/own_kernel.py", "papers/franke_2001/setting.py",
    "papers/franke_2001/instruments.py", "study/bands.py", "study/hypercube.py",
    "study/model_error.py", "study/model_error.toml", "study/reports", "study/twin",
)  # fmt: skip
_STATIONS = (
    "lab", "read", "compile", "c", "kinds", "given", "measuring", "judging", "sandbox", "grade.py",
    "check.py", "finding.py", "submitted.py",
)  # fmt: skip
_SUFFIXES = (".py", ".c", ".h")


def versions(lab: Lab) -> dict[str, str]:
    """What decides the verdicts of a lab, besides the lab and the submission."""
    used = "".join(f"{name}:{digest};" for name, digest in profiles(lab).items())
    return {
        "locklab": version("locklab"),
        "engine": engine(bool(lab.c)),
        "profiles": _short(used.encode()),
    }


@functools.cache
def engine(with_c: bool = False) -> str:
    """The digest of the code that decides; stays equal for a change of pages, exports, commands.

    Arguments:
        with_c: for a lab with a C part.
    """
    digest = hashlib.sha256()
    if with_c:
        from locknative.compilation.toolchain import compiler

        digest.update(_version(compiler()))
    for path in deciding(with_c):
        digest.update(f"{path.parent.name}/{path.name}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def deciding(with_c: bool = False) -> Iterator[Path]:
    """The files whose text decides verdicts, in order; ``with_c`` as for :func:`engine`."""
    simulator, grader = _simulator(), Path(__file__).parent
    roots = [*(simulator / name for name in _SIMULATOR), *(grader / name for name in _STATIONS)]
    if with_c:
        from locknative.compilation.toolchain import sources

        roots += [sources() / name for name in ("explorer", "include", "structures")]
    yield from _sources(roots)


def profiles(lab: Lab) -> dict[str, str]:
    """Machine → digest, for the shipped machines that checks and variants of a lab name."""
    shipped = {path.stem: path for path in (_simulator() / "machine/profiles").glob("*.toml")}
    drawn = [*lab.variant.values(), *lab.secret.values()]
    named = {*texts([lab.check, *(c.choice for c in drawn)])}
    return {name: _short(shipped[name].read_bytes()) for name in sorted(named & shipped.keys())}


def _simulator() -> Path:
    return Path(locksim.__file__ or "").parent


def _sources(roots: Iterable[Path]) -> Iterator[Path]:
    for root in roots:
        if root.is_file():
            yield root
            continue
        for folder, inside, files in os.walk(root):
            inside.sort()
            yield from (Path(folder, f) for f in sorted(files) if f.endswith(_SUFFIXES))


def texts(value: Any) -> Iterator[str]:
    """Every text in a JSON-like value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from texts([*value.values()])
    elif isinstance(value, list | tuple):
        for one in value:
            yield from texts(one)


def _version(compiler: str) -> bytes:
    """What a compiler says of itself; its code is part of what the explorer runs."""
    said = subprocess.run([compiler, "--version"], capture_output=True, check=False, timeout=60)
    return said.stdout.partition(b"\n")[0]


def _short(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
