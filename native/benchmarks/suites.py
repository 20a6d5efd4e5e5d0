"""Run programs that others wrote, and compare the explorer's verdicts with theirs.

    python native/benchmarks/suites.py --genmc PATH --nidhugg PATH --ck PATH --vsync PATH

Each PATH is a checkout of the project: GenMC's tests/correct and tests/wrong, Nidhugg's smoke
tests, Concurrency Kit's spinlocks, libvsync's lock tests. Nothing of them is copied. The few
functions of GenMC's and Nidhugg's headers that a program may call are declared here in the
explorer's terms.

Each program is explored under sequential consistency with a limit on its CPU time. Where nothing is
found in a program that is wrong, the c11 model is asked, and where the search did not end, random
runs. Printed, and with
``--write`` put into docs/explain/explorer.md, is a table with the names of what was missed, of
false alarms, of what did not finish, and of what the explorer refuses.

Where the authors state how many executions there are (GenMC in files beside its tests, for each
model), a second table compares: ``--write-counts`` puts it there.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from locknative.errors import NativeError
from locknative.explorer import Program, Search
from locknative.explorer.search import run
from locksim.checker.limits import is_proof

PAGE = Path(__file__).parents[2] / "docs/explain/explorer.md"
BEGIN, END = "<!-- {}: begin -->", "<!-- {}: end -->"
STATED = {"sc": "sc.mo", "c11": "rc11.mo"}
"""Model → the names of files in which GenMC's tests state their executions, and the options."""

SHIMS = {
    "pthread.h": """
#pragma once
#include <stdint.h>
#include_next <pthread.h>
""",
    "stdio.h": """
#pragma once
#define remove remove_file /* a name that tests use for their own */
#include_next <stdio.h>
#undef remove
""",
    "genmc.h": """
#pragma once
#include <pthread.h>
#include <stdbool.h>
void __VERIFIER_assume(int);
int __VERIFIER_nondet_int(void);
typedef pthread_t __VERIFIER_thread_t;
static inline pthread_t __VERIFIER_spawn(void *(*start)(void *), void *argument)
{
    pthread_t made;
    pthread_create(&made, NULL, start, argument);
    return made;
}
#define __VERIFIER_spawn_symmetric(start, argument, other) __VERIFIER_spawn(start, argument)
static inline void *__VERIFIER_join(pthread_t thread)
{
    void *result;
    pthread_join(thread, &result);
    return result;
}
#define __VERIFIER_join_symmetric(thread) __VERIFIER_join(thread)
#define __VERIFIER_loop_begin() ((void)0)
#define __VERIFIER_spin_start() ((void)0)
#define __VERIFIER_spin_end(condition) ((void)0)
#define __VERIFIER_local_write(statement) do { statement; } while (0)
#define __VERIFIER_final_write(statement) do { statement; } while (0)
#define __VERIFIER_helped_CAS(statement) do { statement; } while (0)
#define __VERIFIER_helping_CAS(statement) do { statement; } while (0)
#define __VERIFIER_speculative_read(read) (read)
#define __VERIFIER_confirming_read(read) (read)
#define __VERIFIER_confirming_CAS(swap) (swap)
#define __VERIFIER_final_CAS(swap) (swap)
#define __VERIFIER_optional(statement) do { } while (0)
/* What a hazard pointer may protect is kept for good. */
typedef void *__VERIFIER_hp_t;
#define __VERIFIER_hp_alloc() NULL
#define __VERIFIER_hp_protect(hazard, from) __atomic_load_n((void **)(from), __ATOMIC_ACQUIRE)
#define __VERIFIER_hp_clear(hazard) ((void)(hazard))
#define __VERIFIER_hp_free(hazard) ((void)(hazard))
#define __VERIFIER_hp_retire(block) ((void)(block))
""",
    "verifier.c": """
void __VERIFIER_assume(int holds) { locklab_assume(holds); }
int __VERIFIER_nondet_int(void) { return (int)locklab_any(2); }
int __VERIFIER_xchg_await_aint(_Atomic int *word, int value, int condition, int operand)
{
    int old = __atomic_exchange_n((int *)word, value, __ATOMIC_SEQ_CST);
    /* bits: above, equal, below */
    locklab_assume(condition & (old < operand ? 4 : old == operand ? 2 : 1));
    return old;
}
/* builtins that only clang has */
#define EXTREME(name, type, relation)                                                             \\
    type __sync_fetch_and_##name(type *word, type with)                                           \\
    {                                                                                             \\
        type old = __atomic_load_n(word, __ATOMIC_SEQ_CST);                                       \\
        while (!__atomic_compare_exchange_n(word, &old, old relation with ? old : with, 0,        \\
                                            __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))                  \\
            ;                                                                                     \\
        return old;                                                                               \\
    }
EXTREME(max, int, >)
EXTREME(min, int, <)
EXTREME(umax, unsigned, >)
EXTREME(umin, unsigned, <)
""",
    "ck_client.c": """
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <ck_pr.h>
#include <ck_spinlock.h>
static uint64_t nthr = 2;
#include LOCK_HEADER
LOCK_DEFINE;
static int count;
static void *work(void *unused)
{
    int core = 0;
#ifdef LOCK_STATE
    LOCK_STATE;
#endif
    (void)core;
    (void)nthr;
    for (int i = 0; i < 2; i++) {
        LOCK;
        count++;
        UNLOCK;
    }
    return unused;
}
int main(void)
{
    pthread_t threads[2];
#ifdef LOCK_INIT
    LOCK_INIT;
#endif
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    locklab_assert(count == 4);
    return 0;
}
""",
    "ck_backoff.h": """
#pragma once
/* Whoever waits a while meets nobody meanwhile. */
#define CK_BACKOFF_INITIALIZER 1
typedef unsigned ck_backoff_t;
static inline void ck_backoff_eb(unsigned *rounds)
{
    (void)rounds;
}
""",
    "ck_md.h": """
#define CK_MD_CACHELINE 64
#define CK_MD_PAGESIZE 4096
#define CK_MD_RMO
""",
}
"""What programs include or call, in the explorer's terms: our own words."""


@dataclass(frozen=True)
class Case:
    """A program, and what its authors say of it.

    Attributes:
        suite: whose. name: within the suite. file: the program.
        is_right: whether its authors expect no error.
        defines, includes: for the compiler.
        executions: model → as its authors count them, where they state it.
        unasked: what its authors do not ask of it, such as races or that all threads end.
        volatile_is_atomic: its volatile accesses stand for atomic ones.
    """

    suite: str
    name: str
    file: Path
    is_right: bool
    defines: tuple[str, ...] = ()
    includes: tuple[Path, ...] = ()
    executions: Mapping[str, int] = field(default_factory=dict)
    unasked: frozenset[str] = frozenset()
    volatile_is_atomic: bool = False


@dataclass(frozen=True)
class Result:
    """What came of a case: one of OUTCOMES; the explorer's words; its runs; the seconds it took."""

    case: Case
    outcome: str
    says: str
    runs: int = 0
    traces: int = 0
    seconds: float = 0.0


def genmc(root: Path) -> Iterator[Case]:
    """Yield GenMC's tests, but those of files that survive a crash and of Linux' model."""
    for kind in ("correct", "wrong"):
        for file in sorted((root / "tests" / kind).rglob("variants/*.c")):
            test = file.parent.parent
            if {"fs", "lkmm"} & set(test.parts) or "<lkmm.h>" in file.read_text():
                continue
            name = f"{test.relative_to(root / 'tests')}/{file.stem}"
            arguments = "\n".join(
                found.read_text()
                for pattern in ("args.rc11.mo.*", "genmc.rc11.mo.*")
                for found in sorted(test.glob(pattern))
            )
            compiler = [*arguments.splitlines(), ""][0].split()  # a line for each of their runs
            defines = dict.fromkeys(word[2:] for word in compiler if word.startswith("-D"))
            unasked = {"race"} if "-disable-race-detection" in arguments else set()
            if "-check-liveness" not in arguments and kind == "correct":
                unasked.add("deadlock")
            yield Case(
                f"GenMC {kind}",
                name,
                file,
                kind == "correct",
                # C99's inline leaves a function without a body where nothing is inlined.
                ("inline=", *defines),
                (test, *(root / word[2:] for word in compiler if word.startswith("-I"))),
                _counts(test, defines),
                frozenset(unasked),
            )


def _counts(test: Path, defines: Iterable[str]) -> dict[str, int]:
    """What a test's files state for all its variants, compiled as here.

    A file has a line for each set of options; the first is that of the first line of options.
    """
    found = {}
    for memory, model in STATED.items():
        stated, options = (test / f"{name}.{model}.in" for name in ("expected", "args"))
        first = [
            (*path.read_text().splitlines(), "")[0] if path.is_file() else ""
            for path in (stated, options)
        ]
        made = {word[2:] for word in first[1].split() if word.startswith("-D")}
        if first[0].strip().isdecimal() and made == set(defines):
            found[memory] = int(first[0])
    return found


def nidhugg(root: Path) -> Iterator[Case]:
    """Yield those of Nidhugg's smoke tests whose result under SC is in its reference.

    Their plain variables stand for atomic ones, main() may return anything, and waiting for ever is
    no error.
    """
    folder = root / "tests/smoke"
    for line in (folder / "reference.results.txt").read_text().splitlines():
        found = re.match(r"(\S+) (Allow|Forbid) : (\d+)$", line)
        if found and (file := folder / f"C-tests/{found[1]}.c").is_file():
            yield Case(
                "Nidhugg smoke",
                found[1],
                file,
                found[2] == "Forbid",
                executions={"sc": int(found[3])},
                unasked=frozenset({"race", "deadlock", "main"}),
            )


def ck(root: Path) -> Iterator[Case]:
    """Yield Concurrency Kit's spinlocks: two threads, two sections each, in a client of ours."""
    folder = root / "regressions/ck_spinlock"
    for file in sorted(folder.glob("ck_*.h")):
        defines = (f'LOCK_HEADER="{file}"', "CK_USE_CC_BUILTINS=1")
        yield Case(
            "ck spinlocks",
            file.stem,
            Path("ck_client.c"),
            True,
            defines,
            (root / "include",),
            # Loads of pointers through the builtins are plain: the volatile is that of what they
            # point to.
            unasked=frozenset({"race"}),
            volatile_is_atomic=True,
        )


def vsync(root: Path) -> Iterator[Case]:
    """Yield libvsync's lock tests: three threads."""
    for file in sorted((root / "test/spinlock").glob("*.c")):
        yield Case(
            "libvsync locks",
            file.stem,
            file,
            True,
            ("VSYNC_VERIFICATION=1", "VATOMIC_BUILTINS=1"),
            (root / "include", root / "test/include", root / "vatomic/include"),
            # Readers of a sequence lock read plain data while a writer writes it.
            unasked=frozenset({"race"} if "seq" in file.stem else ()),
        )


SUITES = {"genmc": genmc, "nidhugg": nidhugg, "ck": ck, "vsync": vsync}


def explore(case: Case, shims: Path, seconds: float, memory: str) -> Result:
    """Explore one program."""
    files = [shims / case.file, shims / "verifier.c"]
    search = Search(memory=memory, seconds=seconds, leaks=False)
    try:
        with Program(
            files,
            case.defines,
            [shims, *case.includes],
            volatile_is_atomic=case.volatile_is_atomic,
        ) as program:
            found = run(program, search)
            others = [replace(search, memory="c11")] if is_proof(found.verdict) else []
            if found.verdict == "unfinished":
                others.append(replace(search, pct=3, runs=10**9))
            for other in others if not case.is_right else []:
                again = run(program, other)
                found = again if again.verdict == "violated" else found
    except NativeError as error:
        return Result(case, "unsupported", str(error).splitlines()[0])
    if found.verdict == "violated":
        outcome = "false alarm" if case.is_right else "caught"
        message = found.counterexample.message if found.counterexample else ""
        kinds = {found.found, "main" if message.startswith("main() returns") else ""}
        if case.is_right and kinds & case.unasked:
            outcome = "not asked"
        says = f"{found.found} ({found.memory}): {message}"
    elif is_proof(found.verdict):
        outcome, says = "proven" if case.is_right else "missed", ""
    else:
        outcome, says = "unfinished", "; ".join(found.limits)
    return Result(case, outcome, says, found.runs, found.traces, found.seconds)


OUTCOMES = (
    *("proven", "caught", "not asked", "missed", "false alarm", "unfinished", "unsupported"),
)
"""``not asked``: an error of a kind that the program's authors do not look for."""


def table(results: Iterable[Result], versions: dict[str, str]) -> str:
    """Return the results as a page's section."""
    counts: dict[str, dict[str, list[Result]]] = defaultdict(lambda: defaultdict(list))
    for result in results:
        counts[result.case.suite][result.outcome].append(result)
    lines = ["| suite | version | programs | " + " | ".join(OUTCOMES) + " |"]
    lines.append("|---|---|---:|" + "---:|" * len(OUTCOMES))
    for suite, by_outcome in counts.items():
        total = sum(map(len, by_outcome.values()))
        numbers = " | ".join(str(len(by_outcome[outcome])) for outcome in OUTCOMES)
        lines.append(f"| {suite} | {versions[suite]} | {total} | {numbers} |")
    for suite, by_outcome in counts.items():
        for outcome in OUTCOMES[3:]:
            names = sorted(result.case.name for result in by_outcome[outcome])
            if names:
                lines += ["", f"{suite}, {outcome}: " + ", ".join(f"`{name}`" for name in names)]
    return "\n".join(lines) + "\n"


def counts(results: Iterable[Result], memory: str) -> list[str]:
    """Return the rows of the table of executions for one model: a row for each suite.

    Compared are programs that were explored to the end and found right.
    """
    compared: dict[str, list[float]] = defaultdict(list)
    for result in results:
        stated = result.case.executions.get(memory, 0)
        if stated and result.outcome == "proven":
            compared[result.case.suite].append(result.traces / stated)
    return [
        f"| {suite} | {memory} | {len(ratios)} | {sum(ratio < 1 for ratio in ratios)} "
        f"| {ratios.count(1)} | {sum(ratio > 1 for ratio in ratios)} "
        f"| {statistics.median(ratios):.2f} |"
        for suite, ratios in compared.items()
    ]


COUNTED = (
    "| suite | model | programs | fewer | equal | more | median of ours : theirs |",
    "|---|---|---:|---:|---:|---:|---:|",
)


def write(name: str, text: str) -> None:
    """Put a section into the page."""
    begin, end = BEGIN.format(name), END.format(name)
    page = PAGE.read_text()
    before, after = page.split(begin)[0], page.split(end)[1]
    PAGE.write_text(f"{before}{begin}\n{text}{end}{after}")


def _version(folder: Path) -> str:
    """The commit of a checkout, or what its own files say."""
    done = subprocess.run(
        ["git", "-C", str(folder), "rev-parse", "--short", "HEAD"],
        capture_output=True,
        text=True,
        check=False,
    )
    changes = folder / "CHANGELOG.md"
    if (folder / ".git").exists() and done.returncode == 0:
        return done.stdout.strip()
    found = re.search(r"\d+\.\d+(\.\d+)?", changes.read_text()) if changes.is_file() else None
    return found[0] if found else "unknown"


def _write_shims(folder: Path) -> None:
    for name, text in SHIMS.items():
        (folder / name).write_text(text)


def main() -> None:
    """Run the suites that are named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    for suite in SUITES:
        parser.add_argument(f"--{suite}", type=Path, help="a checkout")
    parser.add_argument("--seconds", type=float, default=10.0, help="for each program")
    parser.add_argument("--memory", default=["sc"], nargs="+", help="sc, tso or c11, or several")
    parser.add_argument("--only", default="", help="programs whose name matches this")
    parser.add_argument("--every", type=int, default=1, help="one in so many programs")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--versions", nargs="*", default=[], help="SUITE=VERSION")
    parser.add_argument("--json", type=Path, help="write each result to this file")
    parser.add_argument("--write", action="store_true", help="put the table into the page")
    parser.add_argument("--write-counts", action="store_true", help="and that of executions")
    given = parser.parse_args()
    cases: list[Case] = []
    versions: dict[str, str] = {}
    named = dict(word.split("=", 1) for word in given.versions)
    for name, collect in SUITES.items():
        folder = getattr(given, name)
        if folder is None:
            continue
        if not folder.is_dir():
            parser.error(f"--{name} {folder}: there is no such folder; name a checkout")
        new = [case for case in collect(folder.resolve()) if re.search(given.only, case.name)]
        cases += new[:: given.every]
        for case in new:
            versions[case.suite] = named.get(name) or _version(folder)
    results: dict[str, list[Result]] = {}
    with tempfile.TemporaryDirectory(prefix="locklab-") as at:
        shims = Path(at)
        _write_shims(shims)
        for memory in given.memory:
            results[memory] = list(_explored(cases, shims, given.seconds, memory, given.workers))
    text = table(results[given.memory[0]], versions)
    counted = "\n".join([*COUNTED, *(row for m in results for row in counts(results[m], m))]) + "\n"
    print(f"{text}\n{counted}")
    if given.json:
        rows = [
            {
                "suite": r.case.suite,
                "name": r.case.name,
                "memory": memory,
                "outcome": r.outcome,
                "says": r.says,
                "runs": r.runs,
                "traces": r.traces,
                "stated": r.case.executions.get(memory, 0),
                "seconds": r.seconds,
            }
            for memory in results
            for r in results[memory]
        ]
        given.json.write_text(json.dumps(rows, indent=1))
    if given.write:
        write("suites", text)
    if given.write_counts:
        write("counts", counted)


def _explored(
    cases: list[Case], shims: Path, seconds: float, memory: str, workers: int
) -> Iterator[Result]:
    """Explore several at a time, and print each result."""
    with ThreadPoolExecutor(workers) as pool:
        for result in pool.map(lambda case: explore(case, shims, seconds, memory), cases):
            print(
                f"{result.outcome:12} {result.case.suite}: {result.case.name}, {memory} "
                f"({result.traces} of {result.runs} runs, "
                f"stated {result.case.executions.get(memory, 'nothing')}) {result.says}",
                flush=True,
            )
            yield result


if __name__ == "__main__":
    main()
