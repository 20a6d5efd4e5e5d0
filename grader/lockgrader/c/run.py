"""Run the programs that a submission was linked into, and judge their output.

Each run has a sandbox of its own that holds only the program. In a random order, some runs are
canaries: the same object with a client that is wrong on purpose. A tool that finds nothing in a
canary no longer works, so its silence elsewhere earns nothing.

A verdict that costs points must be repeatable. The explorer, the model and the sanitizers see one
fixed sequence of steps. Torture does not, so it must fail in each of its runs.

**What never ends** is recognised without a clock. A submission calls ``__sanitizer_cov_trace_pc``
with each stretch of its code, and the client counts them. A program all of whose threads sleep
waits forever. Limits in seconds are guards: a check that reaches one is not decided and costs
nothing.
"""

from __future__ import annotations

import random
import re
import secrets
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from lockgrader.c.build import Compiled, Program, link, reference
from lockgrader.c.explored import MAX_REPORT, finding_of
from lockgrader.c.history import Order, records
from lockgrader.c.tools import without_folders
from lockgrader.finding import Finding, undecided
from lockgrader.lab import LabError
from lockgrader.read.artefact import MalformedError
from lockgrader.read.refused import Refused, stopped
from lockgrader.sandbox import Job, Limits, Outcome, Profile, run

if TYPE_CHECKING:
    from lockgrader.kinds.c import C

__all__ = ["judge"]

REPEATS = {"explorer": 1, "validate": 1, "asan": 2, "tsan": 2, "ubsan": 2, "torture": 3}
SANITIZERS = ("asan", "tsan", "ubsan")
_COMMON = Limits(
    wall_s=1200,
    cpu_s=120,
    memory_bytes=256 << 20,
    address_space_bytes=4 << 30,
    tmp_bytes=1 << 20,
    output_bytes=4 << 20,
    processes=16,
)
LIMITS = {
    "explorer": replace(
        _COMMON,
        cpu_s=600,
        wall_s=6000,
        memory_bytes=512 << 20,
        address_space_bytes=None,
        output_bytes=MAX_REPORT,
        processes=4,
    ),
    "torture": _COMMON,
    "validate": _COMMON,
} | dict.fromkeys(SANITIZERS, replace(_COMMON, memory_bytes=768 << 20, address_space_bytes=None))
MAX_STEPS = 10_000_000
"""Of one run of the explorer."""
MOST_STEPS = 60_000_000
"""Of all runs of the explorer together, but for the last one."""
_OPTIONS = "exitcode=66:halt_on_error=1:detect_leaks=0:color=never"
ENVIRONMENT = {"ASAN_OPTIONS": _OPTIONS, "TSAN_OPTIONS": _OPTIONS, "UBSAN_OPTIONS": _OPTIONS}
REPORT = re.compile(
    r"(?:ERROR|WARNING): \w+Sanitizer: (?P<what>[^\n]*?)(?: \(pid=| on |\n|$)"
    r"|(?P<at>\S+:\d+):\d+: runtime error: (?P<undefined>[^\n]*)"
    r"|LockLab: (?P<rule>rcu: [^\n]*)"
    r"|LockLab: (?P<worn>after \d+ uses: [^\n]*)"
    r"|LockLab: (?P<endless>[^\n]*endless[^\n]*)"
)
_unpredictable = random.SystemRandom()


@dataclass(frozen=True)
class _Run:
    """A run: with which canary (0: none), of which program, with which order."""

    canary: int
    program: Program
    order: Order | None


def judge(check: C, compiled: Compiled, profile: Profile) -> Finding:
    """Run a check's tool on a compiled submission.

    Raises:
        SandboxError: there is no sandbox.
        LabError: the interface does not have the scenario of the check.
    """
    try:
        real, canaries = _all_runs(check, compiled, profile)
    except Refused as error:
        return Finding(error.verdict, message=error.message)
    finding = _together(check, real)
    if finding.verdict != "pass":
        return finding
    expected = compiled.interface.canaries[check.tool]
    silent = sorted(n for n, found in canaries.items() if not _caught(expected[n], found))
    if not silent:
        return finding
    if any(canaries[n].verdict == "grader_error" for n in silent):
        return undecided(check.tool, "not enough time to test whether it works")
    _, ours = _all_runs(check, reference(compiled.interface, check.tool, profile), profile)
    if any(not _caught(expected[n], ours[n]) for n in silent):
        return Finding(
            "grader_error", message=f"{check.tool} misses a deliberate mistake in our own reference"
        )
    return Finding(
        "forbidden_operation",
        message=f"{compiled.file} keeps {check.tool} from finding a mistake of our client",
        tag="silenced",
    )


def _all_runs(
    check: C, compiled: Compiled, profile: Profile
) -> tuple[list[Finding], dict[int, Finding]]:
    """The findings of the real runs, in order, and those of the canaries."""
    canaries = sorted(compiled.interface.canaries[check.tool])
    if check.tool == "explorer":
        try:
            scenario = f"SCENARIO={compiled.interface.scenario(check.scenario)}"
        except LabError as error:
            raise LabError(f"the check '{check.name}': {error}") from None
        variants = [(scenario,), *((scenario, f"CANARY={n}") for n in canaries)]
        programs = link(compiled, check.tool, variants, profile)
        runs = [_Run(n, p, None) for n, p in zip([0, *canaries], programs, strict=True)]
    else:
        (program,) = link(compiled, check.tool, [()], profile)
        wanted = [(0, i) for i in range(REPEATS[check.tool])] + [(n, 0) for n in canaries]
        runs = [_Run(n, program, _order(check, n, i)) for n, i in wanted]
    findings: dict[int, Finding] = {}
    order = _unpredictable.sample(range(len(runs)), len(runs))
    while order:
        number = order.pop()
        findings[number] = _one(check, compiled, runs[number], profile)
        if findings[number].verdict == "grader_error" and runs[number].canary == 0:
            return [findings[number]], {}  # its other runs would take as long
    real = [findings[i] for i, one in enumerate(runs) if one.canary == 0]
    return real, {runs[i].canary: found for i, found in findings.items() if runs[i].canary}


def _order(check: C, canary: int, repeat: int) -> Order:
    seed = check.seed + (repeat if check.tool == "torture" else 0)
    nonce = secrets.randbits(64), secrets.randbits(64)
    return Order(check.threads, check.operations, 4 * check.threads, seed, nonce, canary)


def _one(check: C, compiled: Compiled, one: _Run, profile: Profile) -> Finding:
    argv: Sequence[str] = ("/job/program",)
    if check.tool == "explorer":
        options: dict[str, object] = {
            "threads": check.threads,
            "preemptions": check.preemptions,
            "memory": check.memory,
            "most-runs": check.runs,
            "most-steps": MOST_STEPS,
            "skip-private": 1,
            "max-steps": MAX_STEPS,
            "seed": check.seed,
            "seconds": 10**6,
            "confine": ",".join(map(str, compiled.functions)),
        }
        words = [str(word) for pair in options.items() for word in pair]
        argv = ("/job/program", "-", *words)
    elif check.tool in SANITIZERS:
        # ThreadSanitizer cannot handle the address randomisation of some kernels.
        argv = ("/usr/bin/setarch", "-R", "/job/program")
    with tempfile.TemporaryDirectory(prefix="locklab-") as folder:
        path = Path(folder, "program")
        path.write_bytes(one.program.data)
        path.chmod(0o755)
        given = one.order.to_bytes() if one.order is not None else b""
        environment: Mapping[str, str] = ENVIRONMENT if check.tool in SANITIZERS else {}
        job = Job(tuple(argv), {"/job/program": path}, given, environment, LIMITS[check.tool])
        outcome = run(job, profile)
    if outcome.ended != "exited":
        why = stopped(check.tool, outcome.ended)
        return Finding(why.verdict, message=why.message, tag=outcome.ended)
    try:
        if one.order is None:
            return _explored(check, compiled, one.program, outcome)
        return _recorded(check, compiled, one.order, outcome)
    except MalformedError as error:
        return Finding("malformed_output", message=f"{check.tool}: {error}")


def _explored(check: C, compiled: Compiled, program: Program, outcome: Outcome) -> Finding:
    if not outcome.stdout:
        return _ended(check, outcome)
    return finding_of(outcome.stdout, program, compiled.source, check.memory)


def _recorded(check: C, compiled: Compiled, order: Order, outcome: Outcome) -> Finding:
    about = compiled.interface
    said = outcome.stderr.decode("utf-8", errors="replace")
    if reported := REPORT.search(said):
        return _reported(reported, said, compiled.file)
    if not outcome.stdout:
        return _ended(check, outcome)
    found = records(outcome.stdout, order, about.asked(order))
    if check.tool in SANITIZERS:
        return Finding("pass", 1.0, f"{check.tool}: nothing found in {len(found):,} operations")
    concurrent = check.tool == "torture"
    wrong = about.concurrent(found) if concurrent else about.sequential(found, order)
    if wrong:
        return Finding("fail", 0.0, wrong, tag="wrong-answer")
    how = "run concurrently" if concurrent else "in turns"
    return Finding("pass", 1.0, f"{len(found):,} operations {how}, every answer explained")


def _reported(reported: re.Match[str], said: str, file: str) -> Finding:
    """The finding of a tool's report: what it is, and the first place in the submission."""
    what = reported["what"] or reported["undefined"] or reported["rule"]
    what = what or reported["worn"] or reported["endless"]
    frames = re.findall(
        r"#\d+ (?:0x\w+ in )?(\S+) (?:\S*/)?([\w.-]+):(\d+)", said[reported.start() :]
    )
    own = (f"{name}:{line} ({function})" for function, name, line in frames if name == file)
    where = reported["at"] or next(own, "")
    tag = re.sub(r"[^a-z]+", "-", what.lower()).strip("-")[:40]
    if reported["undefined"]:
        tag = "undefined"
    elif reported["rule"]:
        tag = "rcu"
    elif reported["worn"]:
        tag = "worn"
    elif reported["endless"]:
        tag = "endless"
    return Finding("fail", 0.0, f"{what}{f' at {where}' if where else ''}"[:600], tag=tag)


def _ended(check: C, outcome: Outcome) -> Finding:
    how = f"exit code {outcome.code}" if outcome.code >= 0 else f"signal {-outcome.code}"
    said = without_folders(outcome.stderr.decode("utf-8", errors="replace").strip())[-200:]
    message = f"{check.tool}: the program ended early ({how}){f': {said}' if said else ''}"
    return Finding("student_error", message=message, tag="ended")


def _together(check: C, real: Sequence[Finding]) -> Finding:
    """The finding of all real runs: only a failure in each of them counts."""
    open_ones = [f for f in real if f.verdict == "grader_error"]
    wrong = [f for f in real if f.verdict != "pass"]
    if open_ones:
        return open_ones[0]
    if len(wrong) == len(real):
        return wrong[0]
    if not wrong:
        return real[0]
    seen = f"{len(wrong)} of {len(real)} runs: {wrong[0].message}"
    return Finding("pass", 1.0, f"a failure that does not repeat costs no points. In {seen}")


def _caught(expected: frozenset[str], found: Finding) -> bool:
    """Whether a canary's run found its deliberate mistake."""
    if expected == {"records"}:
        return found.verdict == "fail" and found.tag == "wrong-answer"
    if expected == {"report"}:
        return found.verdict == "fail" and found.tag != "wrong-answer"
    return found.verdict == "fail" and found.tag in expected
