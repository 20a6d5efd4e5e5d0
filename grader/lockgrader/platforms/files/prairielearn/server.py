"""A LockLab question: draw a student's values, and make the archive to start with.

Runs in PrairieLearn, in the question's folder, with Python's own library only.
"""

import io
import json
import random
import tomllib
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def generate(data: dict[str, Any]) -> None:
    """Draw the values of the lab's variant; the grader gets them with the submission."""
    lab = tomllib.loads(Path("tests/lab/lab.toml").read_text(encoding="utf-8"))
    drawn = random.Random(data["variant_seed"])
    values = {name: drawn.choice(_all(one)) for name, one in lab.get("variant", {}).items()}
    data["params"]["values"] = values
    data["params"]["rows"] = [{"name": name, "value": value} for name, value in values.items()]


def file(data: dict[str, Any]) -> io.BytesIO:
    """The archive for ``locklab lab start``, with this student's values."""
    made = io.BytesIO(Path("tests/start.zip").read_bytes())
    with zipfile.ZipFile(made, "a") as archive:
        folder = archive.namelist()[0].split("/")[0]
        own = {"student": f"variant-{data['variant_seed']}", "variant": data["params"]["values"]}
        archive.writestr(f"{folder}/student.json", json.dumps(own, indent=2) + "\n")
    made.seek(0)
    return made


def _all(one: dict[str, Any]) -> Sequence[Any]:
    """All values of a choice: a list, or a range of integers."""
    return one.get("choice") or range(one.get("low", 0), one["high"] + 1, one.get("step", 1))
