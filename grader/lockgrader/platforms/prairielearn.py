"""PrairieLearn: a question for each lab, an image for all, and the run in its container.

A question's folder goes into the course's repository, which students cannot read. The image holds
LockLab only, neither labs nor keys, so it may be public. In a container ``/grade`` has ``tests``
(the lab), ``student`` (the uploaded files) and ``data/data.json``; everything runs as root, without
network, with 2 GiB of memory and at most ten minutes.

**Students.** PrairieLearn draws a seed for each variant of a question. ``server.py`` draws the
student's values from it, shows them, and passes them on; so no course key is needed. The student's
archive to start with, which has the values, is made there too. The grader accepts no value that the
lab does not have.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from lockgrader.author.bundle import archive, public_files
from lockgrader.export import prairielearn as writer
from lockgrader.files import write
from lockgrader.lab import Lab, load
from lockgrader.lab.variants import values_of
from lockgrader.platforms import here
from lockgrader.platforms.package import (
    Config,
    PackageError,
    Parts,
    below,
    lab_files,
    own_files,
    read_config,
    source_files,
)
from lockgrader.read.record import RECORD

__all__ = ["ROOT", "info", "parts", "run"]

ROOT = Path("/grade")
ENTRYPOINT = "/entrypoint"
"""The image's own; some servers want it in the question, too."""
LONGEST_S = 600
"""The longest time-out that PrairieLearn allows."""
UUIDS = uuid.UUID("6f1c2a4e-1d55-4f0c-9a2b-0b7f3f2a9d10")
"""The namespace of our questions' names: a lab keeps its UUID in every bundle."""


def parts(lab: Lab, config: Config, _key: bytes | None) -> Parts:
    """The files of the bundle, to be unpacked in the course's folder.

    questions/LAB/   info.json, question.html, server.py, clientFilesQuestion/, tests/
    grader-image/    Dockerfile, entrypoint and our sources, to build the image once

    Raises:
        PackageError, BundleError: hidden checks, sources or public files are missing.
    """
    own = own_files("prairielearn")
    page = own["question.html"].decode()
    for place, text in (("TITLE", lab.title), ("FILES", ",".join((*lab.wanted(), RECORD)))):
        page = page.replace(place, escape(text))
    question = {
        "info.json": (json.dumps(info(lab, config), indent=2) + "\n").encode(),
        "question.html": page.encode(),
        "server.py": own["server.py"],
        "clientFilesQuestion/handout.md": public_files(Path(lab.folder))["handout.md"],
        "tests/start.zip": archive(below(lab.name, public_files(Path(lab.folder)))),
        "tests/config.json": config.file(),
        **below("tests/lab", lab_files(lab)),
    }
    return {
        **below(f"questions/{lab.name}", question),
        "grader-image/Dockerfile": own["Dockerfile"],
        "grader-image/entrypoint": own["entrypoint"],
        **below("grader-image/locklab", source_files()),
    }


def info(lab: Lab, config: Config) -> dict[str, Any]:
    """The question's ``info.json``."""
    return {
        "uuid": str(uuid.uuid5(UUIDS, lab.name)),
        "title": lab.title,
        "topic": "Lock scalability",
        "tags": ["code"],
        "type": "v3",
        "gradingMethod": "External",
        "singleVariant": not lab.variant,
        "showCorrectAnswer": False,
        "partialCredit": True,
        "externalGradingOptions": {
            "image": config.image,
            "entrypoint": ENTRYPOINT,
            "timeout": min(LONGEST_S, config.seconds + 60),
            "enableNetworking": False,
        },
    }


def run(root: Path = ROOT) -> here.Graded:
    """Grade ``root/student`` with ``root/tests`` into ``root/results``.

    The document is complete and valid after each check, and from before the first one. The exit
    code is 0 whenever there is a document: PrairieLearn would discard it otherwise.

    Raises:
        PackageError, LabError, SandboxError: nothing can be graded; the document says so.
    """
    began = time.monotonic()
    results = root / "results" / "results.json"
    results.parent.mkdir(parents=True, exist_ok=True)
    here.close(root, ("tests", "data", "results", "serverFilesCourse", "shared"))

    def put(document: dict[str, Any]) -> None:
        text = json.dumps(document, indent=1, allow_nan=False) + "\n"
        assert len(text.encode()) < writer.MOST_BYTES
        write(results, text)

    put(writer.nothing(f"Grading was stopped before its first check. {here.FAULT}"))
    try:
        lab = load(root / "tests" / "lab")
        config = read_config(root / "tests" / "config.json")
        seed, values = _values(root / "data" / "data.json", lab)
        graded = here.run(
            lab,
            here.Given(root / "student", f"variant-{seed}", values=values),
            lambda result, left_out: put(writer.document(result, left_out)),
            until_s=began + config.seconds,
        )
    except Exception as error:
        if getattr(error, "exit_code", None) == 2:  # an error of the installation, and not secret
            put(writer.nothing(f"Nothing could be graded: {type(error).__name__}. {here.FAULT}"))
        raise
    return here.Graded(graded.result)


def _values(path: Path, lab: Lab) -> tuple[str, dict[str, str | int]]:
    """The seed of the variant, and the student's values that ``server.py`` has drawn.

    Raises:
        PackageError: they are not there, or not of this lab.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        seed, drawn = document["variant_seed"], document["params"]["values"]
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise PackageError(f"{path} does not contain the student's values: {error}") from error
    fits = isinstance(drawn, Mapping) and set(drawn) == set(lab.variant)
    if not fits or any(drawn[name] not in values_of(lab.variant[name]) for name in drawn):
        raise PackageError(f"{path}: these values do not belong to {lab.name}: {drawn}")
    return str(seed), dict(drawn)
