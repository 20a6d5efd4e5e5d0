"""``make mutants``: wrong locks made from the library's, each judged by the checker.

    make mutants                                 # every emptied method, and 240 drawn changes
    make mutants ARGS="--seed 2 --draw 500"      # others
    make mutants ARGS="--all mcs clh"            # every change of these locks
    make mutants ARGS="--jobs 4"

A mutant survives if it is proven with 1, 2 and 3 threads and 1 round, with 2 threads and 2 rounds,
and with what its class says besides (``NEEDS_THREADS``, ``NEEDS_ROUNDS``), under tso and c11 as far
as the class claims to be right there. Survivors have their reasons in survivors.toml; one without a
reason is an error. A run that was stopped goes on where it was: results lie below out/mutants, by
the digest of locksim's sources.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from multiprocessing import Pool
from pathlib import Path

from mutants.changed import changed
from mutants.emptied import emptied
from mutants.mutant import Judgement, Mutant, checked_entries, judge
from mutants.survivors import survivors

ROOT = Path(__file__).parents[3]
SEED, DRAW = 1, 240
VERDICTS = ("killed", "proven", "unfinished", "no program")


def main() -> int:
    """Judge mutants; 1 if one survives that is not listed."""
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__.splitlines()[0])
    parser.add_argument("locks", nargs="*", help="names of the library; by default all")
    parser.add_argument("--seed", type=int, default=SEED, help="of the draw")
    parser.add_argument("--draw", type=int, default=DRAW, help="how many changes, of all locks")
    parser.add_argument("--all", action="store_true", help="every change instead of a draw")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    asked = parser.parse_args()
    entries = [e for e in checked_entries() if not asked.locks or e.name in asked.locks]
    every = [[*changed(entry)] for entry in entries]
    chosen = [m for some in every for m in some] if asked.all else drawn(every, asked)
    judged = judgements([*chosen, *(m for entry in entries for m in emptied(entry))], asked.jobs)
    return report(judged)


def drawn(every: Sequence[Sequence[Mutant]], asked: argparse.Namespace) -> list[Mutant]:
    """A draw of as many mutants of each lock as of the others, as far as it has them."""
    draw = random.Random(asked.seed)
    left = [draw.sample(some, len(some)) for some in every]
    chosen: list[Mutant] = []
    while any(left) and len(chosen) < asked.draw:
        chosen += [some.pop() for some in left if some]
    return chosen[: asked.draw]


def judgements(mutants: Sequence[Mutant], jobs: int) -> dict[Mutant, Judgement]:
    """What becomes of each mutant: from the file, or judged now and put there."""
    file = ROOT / "out" / "mutants" / f"{_digest()}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    known: dict[str, Judgement] = {}
    if file.exists():
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        known = {row.pop("text"): Judgement(**row) for row in rows}
    todo = [m for m in mutants if _text(m) not in known]
    print(f"{len(mutants)} mutants, {len(mutants) - len(todo)} of them judged before", flush=True)
    with file.open("a", encoding="utf-8") as out, Pool(jobs, maxtasksperchild=200) as pool:
        for mutant, judgement in zip(todo, pool.imap(judge, todo), strict=True):
            known[_text(mutant)] = judgement
            out.write(json.dumps({"text": _text(mutant), **asdict(judgement)}) + "\n")
            out.flush()
            if judgement.verdict not in ("killed", "no program"):
                print(*mutant.key, judgement.verdict, judgement.by, sep=" · ", flush=True)
    return {m: known[_text(m)] for m in mutants}


def report(judged: dict[Mutant, Judgement]) -> int:
    """Print the table and the survivors; 1 if one of these has no reason."""
    by_lock: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for mutant, judgement in judged.items():
        by_lock[mutant.lock][judgement.verdict] += 1
    by_lock["all"] = sum(by_lock.values(), Counter())
    print("\n" + "".join(f"{head:>20}" for head in ("lock", *VERDICTS)))
    for lock, counts in by_lock.items():
        print("".join(f"{cell:>20}" for cell in (lock, *(counts[v] for v in VERDICTS))))
    reasons = survivors()
    alive = [m for m, judgement in judged.items() if judgement.verdict == "proven"]
    new = [mutant for mutant in alive if mutant.key not in reasons]
    spent = sum(judgement.seconds for judgement in judged.values())
    print(f"\n{spent:,.0f} CPU seconds; {len(alive) - len(new)} survivors with a reason")
    for mutant in new:
        print("survives without a reason:", " · ".join(mutant.key))
    if new:
        print("help: find the client that misses it, or give the reason in survivors.toml")
    return int(bool(new))


def _text(mutant: Mutant) -> str:
    """A name for what is judged."""
    return hashlib.sha256(f"{mutant.name}\n{mutant.text}".encode()).hexdigest()


def _digest() -> str:
    """Of the sources that a judgement depends on."""
    digest = hashlib.sha256()
    for path in _sources():
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _sources() -> Iterator[Path]:
    yield from sorted((ROOT / "sim" / "locksim").rglob("*.py"))
    yield from sorted(Path(__file__).parent.glob("*.py"))


if __name__ == "__main__":
    sys.exit(main())
