"""The targets of fuzzing: the three readers of untrusted bytes in the grader.

A target reads any bytes and returns whether they were accepted. Bytes may be refused only with the
error meant for it. Accepted input must have the properties on which the rest of the grader relies.
Any other exception of a target is a finding.

- ``bytecode``: the validator (:mod:`lockgrader.compile.bytecode`). What it accepts is accepted
  again after a round trip through JSON, and neither the checker nor the engine fails on it except
  with their messages for a bad program. One accepted document in eight is run, chosen by its own
  checksum so that findings repeat: a run takes a thousand times as long as the validation.
- ``result``: JSON from a sandbox, notebooks, a check's answer and a kept ``result.json``. Accepted
  input equals what Python's own parser reads, and survives a round trip.
- ``archive``: zips. Only wanted names come out, each within its size, and reading twice gives the
  same.
"""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

import locksim.library.locks
from lockgrader.compile.bytecode import accept
from lockgrader.judging.evaluate import ANSWER
from lockgrader.read import submission
from lockgrader.read.answers import _cells
from lockgrader.read.artefact import MalformedError, numbers, parse
from lockgrader.read.refused import Refused
from lockgrader.result import RESULT, CheckResult, Result, ResultError, Row, load
from locksim.checker import check_lock
from locksim.checker.verdict import Budget
from locksim.compiler import compile_source
from locksim.compiler.ir import ClassCode
from locksim.compiler.portable import codes_to_json
from locksim.lang.struct import Lock
from locksim.library.workloads.critical_section import CriticalSection
from locksim.study.simulation import simulate

__all__ = ["TARGETS", "Target"]

LOCKS = Path(locksim.library.locks.__path__[0])
SEEDS = ("tas", "ticket", "mcs", "clh", "rwlock", "seqlock_exclusive")
WANTED = ("tas.py", "answers.json", "answers.py", "answers.ipynb")
ASKED = ("n", "mine")
ENGINES_RUN_ONE_IN = 8


@dataclass(frozen=True)
class Target:
    """A place where bytes are read.

    Arguments:
        read: whether bytes are accepted; raises what is a finding. seeds: to begin with.
        longest: bytes of an input.
    """

    read: Callable[[bytes], bool]
    seeds: Callable[[], list[bytes]]
    longest: int


def read_bytecode(data: bytes) -> bool:
    """The validator, and what runs behind it."""
    try:
        codes = accept(parse(data), "", "fuzz.py")
    except MalformedError:
        return False
    again = json.dumps(codes_to_json(codes)).encode()
    assert codes.keys() == accept(parse(again), "", "fuzz.py").keys()
    if zlib.crc32(data) % ENGINES_RUN_ONE_IN == 0:
        for code in codes.values():
            if issubclass(code.struct, Lock):
                _run(code)
    return True


def _run(code: ClassCode) -> None:
    """Check and simulate a class within a small budget."""
    for memory in ("sc", "c11"):
        with _faults():
            budget = Budget(max_states=500, max_seconds=1e6, max_bytes=1 << 26)
            check_lock(code.struct, threads=2, memory=memory, budget=budget)
    with _faults():
        simulate(
            CriticalSection(lock=code.struct),
            cpus=3,
            operations=3,
            warmup=1,
            replications=1,
            longest_ps=10**8,
            heap_lines=64,
        )


@contextlib.contextmanager
def _faults() -> Iterator[None]:
    """Let pass what engines and checker say about a bad program."""
    try:
        yield
    except Exception as error:
        if getattr(error, "exit_code", None) != 2:
            raise


def bytecode_seeds() -> list[bytes]:
    """What the compiler makes of some locks of the library."""
    found = []
    for name in SEEDS:
        path = LOCKS / f"{name}.py"
        if path.exists():
            document = codes_to_json(compile_source(path.read_text(), "<fuzz.py>"))
            for made in document["classes"].values():
                made["source"] = made["doc"] = ""
            found.append(json.dumps(document, separators=(",", ":")).encode())
    return found


def read_result(data: bytes) -> bool:
    """All readers of JSON."""
    accepted = [_reads_artefact(data), _reads_notebook(data)]
    accepted += [_reads_finding(data), _reads_result(data)]
    return any(accepted)


def _reads_artefact(data: bytes) -> bool:
    try:
        document = parse(data)
    except MalformedError:
        return False
    assert document == json.loads(data)
    assert document == parse(json.dumps(document).encode())
    if isinstance(document, dict):
        found, wrong = numbers(document, ASKED)
        assert found.keys() | wrong.keys() <= set(ASKED)
        assert not found.keys() & wrong.keys()
        assert all(abs(x) < float("inf") for values in found.values() for x in values)
    return True


def _reads_notebook(data: bytes) -> bool:
    try:
        _cells("answers.ipynb", data)
    except Refused:
        return False
    return True


def _reads_finding(data: bytes) -> bool:
    try:
        finding = ANSWER.validate_json(data)
    except ValidationError:
        return False
    return finding == ANSWER.validate_json(ANSWER.dump_json(finding))


def _reads_result(data: bytes) -> bool:
    with tempfile.TemporaryDirectory(dir=_memory()) as made:
        (Path(made) / RESULT).write_bytes(data)
        try:
            result = load(Path(made))
        except ResultError:
            return False
        assert result is not None
        (Path(made) / RESULT).write_text(result.to_json(), encoding="utf-8")
        assert result == load(Path(made))
    return True


def result_seeds() -> list[bytes]:
    """One of each document."""
    rows = (Row(what="transfers", got=3.5, high=3.0, says="too big, by 0.5", share=0.5),)
    check = CheckResult(
        name="n", title="N", verdict="partial", points=1.5, max_points=3, rows=rows, hint="look"
    )
    result = Result(
        lab="tiny",
        student="ada",
        submission_sha256="0" * 64,
        lab_sha256="1" * 64,
        versions={"locklab": "0.1.0"},
        seeds={"n": 1},
        checks=(check,),
        complete=True,
        replay="locklab grade tiny ada",
    )
    cell = {"cell_type": "code", "source": ["answers = ", "{}"], "outputs": []}
    finding = {"verdict": "partial", "share": 0.5, "rows": [rows[0].model_dump()], "tag": "x"}
    plain = [{"n": [1, 2.5, -0.0], "mine": 1e300}, {"cells": [cell]}, finding, [[], {}, None, ""]]
    return [result.to_json().encode(), *(json.dumps(one).encode() for one in plain)]


def read_archive(data: bytes) -> bool:
    """The reader of zips."""
    with tempfile.TemporaryDirectory(dir=_memory()) as made:
        path = Path(made) / "eve.zip"
        path.write_bytes(data)
        try:
            found = submission.read(path, WANTED)
        except Refused:
            return False
        assert found.files.keys() <= set(WANTED)
        assert all(len(one) <= submission.MAX_FILE for one in found.files.values())
        assert found == submission.read(path, WANTED)
    return True


def archive_seeds() -> list[bytes]:
    """Honest zips, in the ways in which they are made."""
    found = []
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w", method) as archive:
            archive.writestr("homework/", "")
            archive.writestr("homework/tas.py", "class TAS: pass\n")
            archive.writestr("homework/answers.json", '{"n": 3}')
        found.append(made.getvalue())
    return found


def _memory() -> str | None:
    """A folder in memory, where there is one: a file for each input is much to ask of a disk."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


TARGETS = {
    "bytecode": Target(read_bytecode, bytecode_seeds, 12_000),
    "result": Target(read_result, result_seeds, 4_000),
    "archive": Target(read_archive, archive_seeds, 2_000),
}
