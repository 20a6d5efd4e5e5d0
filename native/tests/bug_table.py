"""Which tool catches which mutant of a lock: writes native/tests/zoo/README.md.

python native/tests/bug_table.py            # some ten minutes
python native/tests/bug_table.py mcs clh    # these locks only, on stdout
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import native_zoo as zoo

from locknative.explorer import Search
from locknative.explorer.locks import explore_lock, locks
from locknative.explorer.torture import TOOLS, Builder, trial

PAGE = Path(__file__).parent / "zoo/README.md"
TRIALS, THREADS, SECONDS, PATIENCE_S = 5, 4, 0.3, 2.0
MEMORIES = ("sc", "tso")
DEVIATIONS = 2
HEAD = f"""\
# Which tool catches which bug

Each row is one change of a right lock in `native/include/locklab`; the changes are in
this folder. `python native/tests/bug_table.py` writes this page, and
`native/tests/test_bug_table.py` checks it.

- **torture**: real threads with random delays (`locklab native torture`). **tsan**, **asan**: the
  same under ThreadSanitizer and AddressSanitizer, with plain words in the sections. A cell shows
  in how many of {TRIALS} trials of {SECONDS} s with {THREADS} threads something was seen, on a
  2-CPU x86-64 virtual machine. Other machines give other numbers.
- **sc**, **tso**: the explorer (`locklab native explore`), with {DEVIATIONS} deviations at most.
  A cell shows what it found, and in which of its runs. The result is always the same.

Torture sees no missing order: on x86 most cost nothing, and the guarded words are atomics.
ThreadSanitizer sees the missing orders that its threads happened to meet. Beside `race` and
`memory`, everything in its column and in AddressSanitizer's was seen by the loop itself; locks
seldom touch memory that is not theirs. The explorer sees all of these bugs with this bound.
One kind of bug shows in neither of its memory models: an order whose only effect is on other
atomics (a fence that a sequence lock lacks, for example).

"""


def main(names: Sequence[str]) -> None:
    """Write the page, or print the rows of some locks."""
    lines = [*right(names or locks()), "", *wrong(names)]
    if names:
        print("\n".join(lines))
    else:
        PAGE.write_text(HEAD + "\n".join(lines) + "\n")


def wrong(names: Sequence[str] = ()) -> Iterator[str]:
    """Yield the table of bugs."""
    chosen = [bug for bug in zoo.bugs() if not names or bug.lock in names]
    seen = {str(bug): [explored(bug, memory) for memory in MEMORIES] for bug in chosen}
    for tool in reversed(TOOLS):
        with Builder(tool) as builder:
            for bug in chosen:
                seen[str(bug)].insert(0, tortured(builder, bug))
    yield from (
        "## Wrong locks",
        "",
        "| bug | what is wrong | torture | tsan | asan | sc | tso |",
        "|---|---|---|---|---|---|---|",
    )
    for bug in chosen:
        yield f"| {bug} | {bug.what} | {' | '.join(seen[str(bug)])} |"


def right(names: Sequence[str]) -> Iterator[str]:
    """Yield the table of right locks, none of which may be accused."""
    yield from (
        "## Right locks",
        "",
        "| lock | torture | tsan | asan | sc | tso |",
        "|---|---|---|---|---|---|",
    )
    seen: dict[str, list[str]] = {name: [] for name in names}
    for tool in TOOLS:
        with Builder(tool) as builder:
            for name in names:
                program = builder.build(name)
                accused = sum(
                    trial(program, tool, name, THREADS, SECONDS, seed).verdict != "passed"
                    for seed in range(TRIALS)
                )
                seen[name].append(f"accused {accused} of {TRIALS}" if accused else "–")
                print(name, tool, seen[name][-1], file=sys.stderr)
    for name in names:
        for memory in MEMORIES:
            search = Search(threads=3, memory=memory, preemptions=DEVIATIONS)
            found = explore_lock(name, search)
            seen[name].append(
                f"accused: {found.found}"
                if found.verdict == "violated"
                else f"{found.verdict}, {found.runs:,} runs"
            )
        yield f"| {name} | {' | '.join(seen[name])} |"


def tortured(builder: Builder, bug: zoo.Bug) -> str:
    """Return in how many trials a tool saw something."""
    with bug.folder() as folder:
        program = builder.build(bug.lock, [folder])
        verdicts = [
            trial(program, builder.tool, bug.lock, THREADS, SECONDS, seed, PATIENCE_S).verdict
            for seed in range(TRIALS)
        ]
    caught = [verdict for verdict in verdicts if verdict != "passed"]
    print(bug, builder.tool, *verdicts, file=sys.stderr)
    return f"{len(caught)}: {', '.join(sorted(set(caught)))}" if caught else "–"


def explored(bug: zoo.Bug, memory: str) -> str:
    """Return what the explorer found, and in which run."""
    with bug.folder() as folder:
        search = Search(threads=bug.threads, memory=memory, preemptions=DEVIATIONS)
        found = explore_lock(bug.lock, search, rounds=bug.rounds, includes=[folder])
    return f"{found.found}, run {found.runs:,}" if found.verdict == "violated" else "–"


if __name__ == "__main__":
    main(sys.argv[1:])
