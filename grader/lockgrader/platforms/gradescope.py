"""Gradescope: a zip that sets itself up there, and the run in its container.

The platform gives an Ubuntu container, half a CPU, 768 MB and ten minutes. In it
``/autograder`` holds ``source`` (the bundle), ``submission``, ``results`` and
``submission_metadata.json``, and everything runs as root. ``setup.sh`` runs once, when the image is
made; ``run_autograder`` for each submission.

**Students.** The variant is drawn for the e-mail address (or number) that the platform knows. In a
group it is the first in alphabetical order. An attempt is a submission whose files differ from all
earlier ones.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lockgrader.export.gradescope import document
from lockgrader.files import write
from lockgrader.lab import Lab, load
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

ROOT = Path("/autograder")


@dataclass(frozen=True)
class Metadata:
    """The platform's data about a submission.

    Arguments:
        student: who handed it in. before: hashes of earlier submissions, oldest first.
    """

    student: str
    before: tuple[str, ...] = ()


def parts(lab: Lab, config: Config, key: bytes | None) -> Parts:
    """The files of the bundle.

    setup.sh  run_autograder  config.json  course.key   (the key only where there is one)
    lab/       the lab with its hidden checks, without solution and mutants
    locklab/   our sources and the locked requirements; setup.sh builds and installs them

    Raises:
        PackageError: the hidden checks or the sources are missing.
    """
    return (
        own_files("gradescope")
        | {"config.json": config.file()}
        | ({} if key is None else {"course.key": key})
        | below("lab", lab_files(lab))
        | below("locklab", source_files())
    )


def run(root: Path = ROOT) -> here.Graded:
    """Grade ``root/submission`` with the bundle in ``root/source`` into ``root/results``.

    The document is complete and valid after each check, and from before the first one.

    Raises:
        PackageError, LabError, SandboxError: nothing can be graded; the document says so.
    """
    began = time.monotonic()
    results = root / "results" / "results.json"
    results.parent.mkdir(parents=True, exist_ok=True)
    here.close(root, ("source", "results"), ("submission_metadata.json",))

    def put(document: dict[str, Any]) -> None:
        document["execution_time"] = round(time.monotonic() - began, 1)
        write(results, json.dumps(document, indent=2, allow_nan=False) + "\n")

    put(_nothing("Grading was stopped before its first check."))
    try:
        source = root / "source"
        config, lab = read_config(source / "config.json"), load(source / "lab")
        about = metadata(root / "submission_metadata.json", config.student)
        key = here.key_of(source / "course.key")
        given = here.Given(root / "submission", about.student, key, before=about.before)
        return here.run(
            lab,
            given,
            lambda result, left_out: put(document(result, left_out)),
            until_s=began + config.seconds,
        )
    except Exception as error:
        if getattr(error, "exit_code", None) == 2:  # an error of the installation, and not secret
            put(_nothing(f"Nothing could be graded: {type(error).__name__}."))
        raise


def metadata(path: Path, which: str) -> Metadata:
    """Read ``submission_metadata.json``. The platform writes it; students choose some values.

    Arguments:
        path: the file. which: "email", "id", "sid" or "name".

    Raises:
        PackageError: it does not name the student.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        names = sorted(str(user[which]) for user in document["users"] if user.get(which))
        student = names[0]
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise PackageError(f"{path} does not name the student (no '{which}')") from error
    before = []
    for one in document.get("previous_submissions") or []:
        extra = ((one or {}).get("results") or {}).get("extra_data") or {}
        if isinstance(extra.get("submission_sha256"), str):
            before.append(extra["submission_sha256"])
    return Metadata(student, tuple(before))


def _nothing(why: str) -> dict[str, Any]:
    """A document without any check or points."""
    return {
        "score": 0.0,
        "output": f"{why} {here.FAULT}",
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [],
        "extra_data": {"complete": False},
    }
