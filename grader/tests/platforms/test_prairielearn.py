"""PrairieLearn: the question's folder, and gradings in a tree like its container's."""

from __future__ import annotations

import importlib.util
import io
import json
import os
import shutil
import subprocess
import sys
import uuid
import zipfile
from pathlib import Path
from typing import Any, Literal

import jsonschema
import pytest
from pydantic import BaseModel, ConfigDict, Field
from results_made import check, result, rich_result
from tiny_lab import ANSWERS, KEY, STARTER, TAS, make_whole, needs_sandbox

from lockgrader.author.bundle import read as read_bundle
from lockgrader.export.prairielearn import MOST_BYTES, document
from lockgrader.lab import load
from lockgrader.lab.variants import values_of
from lockgrader.platforms import prairielearn
from lockgrader.platforms.package import Config, PackageError, Parts

CHECKOUT = os.environ.get("PRAIRIELEARN", "")
"""A checkout of PrairieLearn, for the comparison with its own schema."""
QUESTION = "questions/lab99-tiny/"


class _Schema(BaseModel):
    """PrairieLearn's, as its documentation describes it: no other key, no other value."""

    model_config = ConfigDict(extra="forbid", strict=True)


class ATest(_Schema):
    """One of ``tests``."""

    name: str
    points: float
    max_points: float
    output: str


class Graded(_Schema):
    """What earns a score."""

    gradable: Literal[True]
    score: float = Field(ge=0, le=1)
    message: str
    tests: list[ATest]


class NotGraded(_Schema):
    """What costs no attempt."""

    gradable: Literal[False]
    format_errors: list[str]


class Options(_Schema):
    """``externalGradingOptions`` as far as we use them."""

    image: str
    entrypoint: Literal["/entrypoint"]
    timeout: int = Field(gt=0, le=600)
    enableNetworking: Literal[False]  # noqa: N815


class Info(_Schema):
    """``info.json`` as far as we use it."""

    uuid: str
    title: str
    topic: str
    tags: list[str]
    type: Literal["v3"]
    gradingMethod: Literal["External"]  # noqa: N815
    singleVariant: bool  # noqa: N815
    showCorrectAnswer: Literal[False]  # noqa: N815
    partialCredit: Literal[True]  # noqa: N815
    externalGradingOptions: Options  # noqa: N815


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Parts:
    """The bundle of the tiny lab."""
    lab = make_whole(tmp_path_factory.mktemp("labs") / "lab")
    return prairielearn.parts(load(lab), Config(), KEY)


def tree(root: Path, made: Parts, text: str = TAS, answers: str = ANSWERS) -> Path:
    """``/grade`` as the platform makes it."""
    for name, data in made.items():
        if name.startswith(f"{QUESTION}tests/"):
            path = root / name.removeprefix(QUESTION)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    for name in ("student", "data", "serverFilesCourse", "shared"):
        (root / name).mkdir(parents=True)
    (root / "student/tas.py").write_text(text)
    (root / "student/answers.json").write_text(answers)
    data = {"params": {"values": {"machine": "ideal-8"}}, "variant_seed": 17, "score": 0}
    (root / "data/data.json").write_text(json.dumps(data))
    return root


def results(root: Path) -> Graded | NotGraded:
    """What the platform would read now."""
    text = (root / "results/results.json").read_text()
    return (Graded if '"gradable": true' in text else NotGraded).model_validate_json(text)


@needs_sandbox
def test_a_submission_is_graded(tmp_path: Path, made: Parts) -> None:
    """It earns everything; the exit code says that there is a document."""
    graded = prairielearn.run(tree(tmp_path, made))
    told = results(tmp_path)
    assert isinstance(told, Graded)
    assert (0, 14.0) == (graded.code, graded.result.points)
    assert 1.0 == told.score
    assert ["Right", "Cheap", "Guessed", "Number", "hidden checks"] == [t.name for t in told.tests]
    assert "Right, twice" not in told.model_dump_json()


@needs_sandbox
def test_the_starter_earns_nothing(tmp_path: Path, made: Parts) -> None:
    """And it is gradable: it costs an attempt."""
    prairielearn.run(tree(tmp_path, made, STARTER, "{}"))
    told = results(tmp_path)
    assert isinstance(told, Graded)
    assert 0.0 == told.score


@needs_sandbox
def test_the_archive_is_taken_too(tmp_path: Path, made: Parts) -> None:
    """As ``locklab lab submit`` makes it."""
    root = tree(tmp_path, made)
    with zipfile.ZipFile(root / "ada-lab99.zip", "w") as archive:
        for name in ("tas.py", "answers.json"):
            archive.write(root / "student" / name, name)
            (root / "student" / name).unlink()
    (root / "ada-lab99.zip").rename(root / "student" / "ada-lab99.zip")
    assert 14.0 == prairielearn.run(root).result.points


@pytest.mark.parametrize(
    "data",
    ['{"params": {}}', "[]", '{"variant_seed": 1, "params": {"values": {"machine": "a-faster"}}}'],
)
def test_values_of_another_lab_are_refused(tmp_path: Path, made: Parts, data: str) -> None:
    """It costs no attempt, and the operator learns it."""
    root = tree(tmp_path, made)
    (root / "data/data.json").write_text(data)
    with pytest.raises(PackageError):
        prairielearn.run(root)
    told = results(root)
    assert isinstance(told, NotGraded)
    assert "error of the grader" in told.format_errors[0]


def test_a_fault_of_the_grader_costs_no_attempt() -> None:
    """Neither does a result that is not complete."""
    for one in (result("ada", check("a", "grader_error")), result("ada", complete=False)):
        NotGraded.model_validate(document(one))


def test_students_see_no_more_than_they_may() -> None:
    """Of hidden checks the verdicts and the sum; no document comes near the platform's limit."""
    told = document(result("ada", *[c for c in rich_result().checks if c.name != "ours"]))
    text = json.dumps(told)
    assert "4711" not in text
    assert "Title of secret" not in text
    assert "secret-one: not right yet" in text
    long = document(
        result("ada", *[check(f"c{i}", "fail", message="x" * 99999) for i in range(40)])
    )
    assert len(json.dumps(long)) < MOST_BYTES


def test_info_is_what_the_schema_allows(made: Parts) -> None:
    """The same identifier each time, and a time-out above the run's own."""
    told = Info.model_validate_json(made[f"{QUESTION}info.json"])
    assert (5, 600) == (uuid.UUID(told.uuid).version, told.externalGradingOptions.timeout)


def test_the_entrypoint_is_that_of_the_image(made: Parts) -> None:
    """Servers that ask the question for it and those that ask the image start the same program."""
    start = json.loads(made[f"{QUESTION}info.json"])["externalGradingOptions"]["entrypoint"]
    image = made["grader-image/Dockerfile"].decode()
    assert f'ENTRYPOINT ["{start}"]' in image
    assert f"COPY --chmod=0755 entrypoint {start}\n" in image


@pytest.mark.skipif(not CHECKOUT, reason="PRAIRIELEARN does not name a checkout")
def test_info_is_valid_by_their_own_schema(made: Parts) -> None:
    """apps/prairielearn/src/schemas/schemas/infoQuestion.json of a checkout."""
    path = Path(CHECKOUT) / "apps/prairielearn/src/schemas/schemas/infoQuestion.json"
    jsonschema.validate(json.loads(made[f"{QUESTION}info.json"]), json.loads(path.read_text()))


def test_server_draws_values_of_the_lab(
    tmp_path: Path, made: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For any seed; the archive to start with holds them."""
    for name, content in made.items():
        if name.startswith(QUESTION):
            path = tmp_path / name.removeprefix(QUESTION)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    monkeypatch.chdir(tmp_path)
    spec = importlib.util.spec_from_file_location("server", tmp_path / "server.py")
    assert spec is not None
    assert spec.loader is not None
    server = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(server)
    lab, seen = load(tmp_path / "tests/lab"), set()
    for seed in range(20):
        data: dict[str, Any] = {"variant_seed": seed, "params": {}}
        server.generate(data)
        values = data["params"]["values"]
        assert all(values[name] in values_of(lab.variant[name]) for name in lab.variant)
        seen.add(values["machine"])
    assert {"ideal-8", "ideal-64"} == seen
    archive: io.BytesIO = server.file(data)
    (tmp_path / "start.zip").write_bytes(archive.read())
    own = read_bundle(tmp_path / "start.zip").own
    assert own is not None
    assert values == own.variant


def test_question_names_the_files(made: Parts) -> None:
    """Those that the grader wants, the record, and an archive; nothing secret lies with them."""
    page = made[f"{QUESTION}question.html"].decode()
    names = "tas.py,answers.json,answers.py,answers.ipynb,record.json"
    assert f'optional-file-names="{names}"' in page
    assert not {"TITLE", "FILES"} & set(page.split('"'))
    image = [name for name in made if name.startswith("grader-image/")]
    assert not [name for name in image if "Right, twice" in made[name].decode(errors="replace")]
    assert not [name for name in image if name.endswith(".key")]
    assert not [name for name in made if "clientFiles" in name and "hidden" in name]


@needs_sandbox
@pytest.mark.slow
def test_entrypoint(tmp_path: Path, made: Parts) -> None:
    """The image's script grades; exit code 0 whenever there is a document."""
    root = tree(tmp_path / "grade", made)
    script = tmp_path / "entrypoint"
    script.write_bytes(made["grader-image/entrypoint"])
    environment = {"LOCKLAB_GRADE": str(root), "PATH": os.environ["PATH"]}
    environment["LOCKLAB_COMMAND"] = str(Path(sys.prefix) / "bin" / "locklab")
    bash = str(shutil.which("bash"))
    assert 0 == subprocess.run([bash, str(script)], env=environment, check=False).returncode
    assert isinstance(results(root), Graded)
    (root / "data/data.json").unlink()
    assert 0 == subprocess.run([bash, str(script)], env=environment, check=False).returncode
    assert isinstance(results(root), NotGraded)
