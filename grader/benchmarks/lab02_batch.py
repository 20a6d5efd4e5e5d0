"""500 different submissions to lab 02: solutions, mutants, starters and hostile ones.

Drawn from a seed. The mutants are the lab's. The hostile ones are those of the corpus whose attack
ends by itself; an attack that runs until it is stopped would only measure its limit.
"""

from __future__ import annotations

import json
import random
import tomllib
from collections import Counter
from pathlib import Path

from locklabs import find

__all__ = ["make"]

REDTEAM = Path(__file__).resolve().parents[1] / "redteam"
SHARES = {"solution": 35, "wrong": 40, "starter": 10, "hostile": 15}
ENDLESS = (11, 13)
"""Attacks that are ended by a limit of time."""


def make(folder: Path, count: int = 500, seed: int = 1) -> Counter[str]:
    """Write submissions, a folder each; how many there are of each kind.

    Arguments:
        folder: where they go. count: how many. seed: of the drawing.
    """
    draw = random.Random(seed)
    lab = find("lab02")
    solution = (lab / "solution" / "spinlocks.py").read_text()
    starter = (lab / "starter" / "spinlocks.py").read_text()
    mutants = tomllib.loads((lab / "mutants.toml").read_text())["mutant"]
    wrong = [one for one in mutants if "change" in one]  # not those with wrong answers
    hostile = [(name, one) for name in ("python", "language") for one in _corpus(name)]
    kinds: Counter[str] = Counter()
    for number in range(count):
        kind = draw.choices([*SHARES], [*SHARES.values()])[0]
        kinds[kind] += 1
        text, answers = solution, ""
        match kind:
            case "wrong":
                for old, new in draw.choice(wrong)["change"]:
                    text = text.replace(old, new, 1)
            case "starter":
                text = starter
            case "hostile":
                where, attack = draw.choice(hostile)
                if where == "python":
                    answers = attack
                else:
                    text = attack
        home = folder / f"student{number:03}"
        home.mkdir(parents=True)
        mark = f"# student{number:03}, draft {draw.randrange(10**9)}\n"
        (home / "spinlocks.py").write_text(mark + text)
        if answers:
            (home / "answers.py").write_text(mark + answers)
        else:
            low = draw.uniform(100, 5000)
            given = {"ttas_time_ns": [low, low * draw.uniform(1.1, 3)], "why": mark}
            given["mcs_transfers"] = draw.choice((4, 5, 6, 8, 12)) + draw.random() / 10
            (home / "answers.json").write_text(json.dumps(given))
    return kinds


def _corpus(name: str) -> list[str]:
    """The corpus's texts, with names that exist nowhere in the places that they look for."""
    found = []
    for one in tomllib.loads((REDTEAM / f"{name}.toml").read_text())["submission"]:
        if one["attack"] not in ENDLESS and "text" in one:
            text = str(one["text"])
            for place in ("SECRET", "OUTSIDE", "MARK"):
                text = text.replace(f"@{place}@", f"/nonexistent/{place}")
            found.append(text.replace("@PORT@", "9"))
    return found
