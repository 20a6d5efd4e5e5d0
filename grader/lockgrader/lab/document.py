"""A lab as the grader sees it: read ``lab.toml`` once, and refuse it with the place of a mistake.

``misconceptions.toml`` beside it holds beliefs of students; checks refer to them by name. Beliefs
that only hidden checks name stand in ``hidden/misconceptions.toml``.

The kinds of checks are the files of :mod:`lockgrader.kinds`. A value ``"$name"`` is the student's
own (:mod:`lockgrader.lab.variants`). The checks of ``hidden/checks.toml`` are graded like the
others and are left out of every bundle for students. So are ``[secret.NAME]``, values that are
drawn for the grader alone, and ``[[call]]``, further calls of the function of a public ``check``.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from lockgrader.lab.choice import Choice
from lockgrader.lab.closed import Closed, Text
from lockgrader.lab.operations import Operation
from lockgrader.lab.trials import of_dataset
from lockui.formats import other_format

if TYPE_CHECKING:
    from lockgrader.check import Check

__all__ = [
    "Lab",
    "LabError",
    "Misconception",
    "MutantSource",
    "changed",
    "check_format",
    "load",
    "sha256_of",
    "with_calls",
]

_SHORT = 16
"""Digits of the digest of a part."""
MISCONCEPTIONS = "misconceptions.toml"
MUTANTS = "hidden/mutants.toml"
"""The mutants that students' own tests must find."""
STARTER = "starter"
"""A lab's folder with the files that students begin with."""
MACHINES = "hidden/machines"
"""Profiles that students do not know; a check names one by its place, "hidden/machines/a.toml"."""
REPORTS = f"{STARTER}/*.txt"
"""Reports of locks; a check names one by its place, "starter/locks.txt"."""
DATASET = "dataset/"
"""A check names the calibrated profile of a data set as "dataset/NAME"."""
FORMAT = 2
"""Of ``lab.toml`` and the files beside it; docs/use/versions.md says what each number means."""


class LabError(Exception):
    """An invalid lab; the message says where, and what is expected."""

    exit_code = 2


class Misconception(Closed):
    """A belief of students, kept in ``misconceptions.toml`` under a name.

    Arguments:
        belief: in their words. truth: the correction, and what shows it. see: where to read on.
    """

    belief: Text
    truth: Text
    see: str = ""


class MutantSource(Closed):
    """The lab's solution with one mistake in it, which students' own tests should find.

    Arguments:
        name: the public one. text: source in the language.
    """

    name: str
    text: str


class Lab(Closed):
    """A lab.

    Arguments:
        name, title: of the lab. locks: the file in the language. answers: a JSON file, or a Python
            file that defines ``answers``; "" for none. tests: a JSON file of scenarios.
        data: further files of a submission, which checks read as data.
        library: modules of the library that a submission may use, as "locksim.library.locks.ttas".
        refuse: operations that no class of the submission may use, such as "n_cpus", by which a
            program can distinguish a proof from a measurement.
        given: class → its methods that must stay as in the starter, since they are measured.
        starter: the starter's text in the language; "" for none.
        misconceptions: name → belief; checks use the names. Without any, checks hold the beliefs
            themselves.
        dataset: a folder of ``datasets/native`` that students get; "" for none.
        c: the C file; "" for none. interface: which it implements (:mod:`lockgrader.c.interfaces`).
        variant: name → the values from which a student's own is drawn.
        secret: the same for values that only the grader knows, from ``hidden/checks.toml``.
        check: the checks, in order; a check comes after those that it needs.
        solution, sources: the solution's text and the mutants of ``hidden/mutants.toml``, for
            students' own tests.
        seconds: processor time for one check: a guard, which decides nothing.
        beside: digest of the files beside ``lab.toml`` that decide: machines, reports, data set.
    """

    format: Literal[2]
    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]*$")]
    title: Text
    locks: str = ""
    answers: str = ""
    tests: str = ""
    data: tuple[str, ...] = ()
    library: tuple[str, ...] = ()
    refuse: tuple[Operation, ...] = ()
    given: dict[str, tuple[Text, ...]] = Field(default_factory=dict)
    starter: str = Field(default="", repr=False)
    misconceptions: dict[str, Misconception] = Field(default_factory=dict)
    dataset: str = ""
    c: str = ""
    interface: str = ""
    seconds: Annotated[int, Field(ge=1, le=600)] = 60
    variant: dict[str, Choice] = Field(default_factory=dict)
    secret: dict[str, Choice] = Field(default_factory=dict)
    check: tuple[dict[str, Any], ...]
    solution: str = Field(default="", repr=False)
    sources: tuple[MutantSource, ...] = Field(default=(), repr=False)
    beside: str = ""
    folder: str = ""

    @property
    def sha256(self) -> str:
        """The digest of all parts."""
        return sha256_of(self.parts())

    def parts(self) -> dict[str, str]:
        """Part → digest: each check by its name, with its beliefs, and "" for what all share."""
        aside = {"check", "misconceptions", "folder"}
        found = {"": sha256_of(self.model_dump(mode="json", exclude=aside))[:_SHORT]}
        for number, raw in enumerate(self.check, start=1):
            told = self._with_beliefs(raw, self.name)
            found[str(raw.get("name", number))] = sha256_of(told)[:_SHORT]
        return found

    def checks(self, values: dict[str, str | int]) -> list[Check]:
        """The checks of a student with these values: the variant, and the secret ones.

        Without a secret value, the first of its choice stands for it: enough for names and points.

        Raises:
            LabError: a check is invalid.
        """
        found: list[Check] = []
        values = {
            name: next(iter(choice.values()), 0) for name, choice in self.secret.items()
        } | values
        kinds = _kinds(self.check)
        for number, raw in enumerate(self.check, start=1):
            where = f"{self.name}: check {number} ({raw.get('name', 'without a name')})"
            try:
                named = self._with_beliefs(raw, where)
                filled = _filled(named, values, where)
                made = kinds.validate_python(_found(filled, Path(self.folder)))
            except ValidationError as error:
                first = error.errors()[0]
                place = ".".join(str(p) for p in first["loc"])
                raise LabError(
                    f"{where}: {place}: {first['msg'].removeprefix('Value error, ')}"
                ) from None
            known = {c.name for c in found}
            if made.name in known:
                raise LabError(f"{where}: an earlier check has this name")
            for needed in made.needs:
                if needed not in known:
                    raise LabError(
                        f"{where} needs '{needed}', but no check before it has this name"
                    )
            found.append(made.completed(self, where))
        return found

    def wanted(self) -> tuple[str, ...]:
        """The files that a submission may have."""
        names = [n for n in (self.locks, self.c) if n]
        if self.answers:
            stem = Path(self.answers).stem
            names += [f"{stem}.json", f"{stem}.py", f"{stem}.ipynb"]
        names += [n for n in (self.tests, *self.data) if n]
        return tuple(dict.fromkeys(names))

    def _with_beliefs(self, raw: dict[str, Any], where: str) -> dict[str, Any]:
        """A check with the beliefs instead of their names."""
        named = raw.get("misconceptions", {})
        if not self.misconceptions or not isinstance(named, dict):
            return raw
        for name in named.values():
            if name not in self.misconceptions:
                raise LabError(f"{where}: '{name}' is not in {MISCONCEPTIONS}")
        beliefs = {tag: self.misconceptions[name].belief for tag, name in named.items()}
        return {**raw, "misconceptions": beliefs}


def _kinds(checks: Iterable[Mapping[str, Any]]) -> TypeAdapter[Check]:
    """The kinds of some checks. Their files know the lab, so they are found by name."""
    names = frozenset(str(raw.get("kind")) for raw in checks)
    adapter: TypeAdapter[Check] = importlib.import_module("lockgrader.kinds").adapter(names)
    return adapter


def load(folder: Path) -> Lab:
    """Read a lab's folder, hidden checks included where they are.

    Raises:
        LabError: it holds no lab, or an invalid one.
    """
    document = _toml(folder / "lab.toml")
    check_format(document, folder / "lab.toml")
    hidden = folder / "hidden" / "checks.toml"
    if hidden.exists():
        more = _toml(hidden)
        extra = [{**raw, "public": False} for raw in more.pop("check", [])]
        calls, document["secret"] = more.pop("call", []), more.pop("secret", {})
        if twice := document["secret"].keys() & document.get("variant", {}).keys():
            names = ", ".join(sorted(twice))
            raise LabError(
                f"{hidden}: a [secret] and a [variant] of lab.toml have the same name ({names}): "
                "rename the secret"
            )
        if more:
            known = "[[check]], [[call]] and [secret.NAME]"
            raise LabError(f"{hidden}: only {known} are allowed there, not {', '.join(more)}")
        document["check"] = [*with_calls(document.get("check", []), calls, hidden), *extra]
    for path in (folder / MISCONCEPTIONS, folder / "hidden" / MISCONCEPTIONS):
        if path.exists():
            document["misconceptions"] = document.get("misconceptions", {}) | _toml(path)
    if (folder / MUTANTS).exists():
        document |= _own_tests(folder, str(document.get("locks", "")))
    if "locks" in document:
        document["starter"] = _starter(folder / STARTER / str(document["locks"]), document)
    beside: list[Any] = [
        (path.name, _toml(path)) for path in sorted((folder / MACHINES).glob("*.toml"))
    ]
    beside += [(p.name, p.read_text(encoding="utf-8")) for p in sorted(folder.glob(REPORTS))]
    if dataset := str(document.get("dataset", "")):
        beside.append(hashlib.sha256(_dataset(dataset, folder)).hexdigest())
    try:
        lab = Lab.model_validate(
            {**document, "beside": sha256_of(beside), "folder": str(folder.resolve())}
        )
    except ValidationError as error:
        first = error.errors()[0]
        raise LabError(
            f"{folder / 'lab.toml'}: {'.'.join(map(str, first['loc']))}: {first['msg']}"
        ) from None
    return lab


def check_format(document: dict[str, Any], path: Path | str) -> None:
    """Refuse a lab of another format.

    Arguments:
        document: of ``lab.toml``. path: its place.

    Raises:
        LabError: it is of another one.
    """
    if other := other_format(document, FORMAT):
        raise LabError(
            f"{path}: {other}\n"
            "help: start today's lab in another folder (locklab lab start LAB --dir NEW), and "
            "copy your files there; to change a lab that you wrote: locklab help versions"
        )


def with_calls(
    checks: list[dict[str, Any]], calls: list[dict[str, Any]], path: Path
) -> list[dict[str, Any]]:
    """Public checks, each with the calls of its function that are hidden.

    Arguments:
        checks: as ``lab.toml`` has them. calls: each with the name of its check. path: for errors.

    Raises:
        LabError: a call belongs to no check.
    """
    of: dict[str, list[dict[str, Any]]] = {}
    for call in calls:
        arguments = {key: value for key, value in call.items() if key != "check"}
        of.setdefault(str(call.get("check", "")), []).append(arguments)
    if strange := of.keys() - {str(raw.get("name")) for raw in checks}:
        raise LabError(f"{path}: a [[call]] names no public check: {', '.join(sorted(strange))}")
    return [
        {**raw, "hidden_calls": of[name]} if (name := raw.get("name")) in of else raw
        for raw in checks
    ]


def changed(
    text: str, changes: list[list[str]], where: str, everywhere: Sequence[list[str]] = ()
) -> str:
    """A text with some places replaced: labs write their mutants this way.

    Arguments:
        text: the solution's. changes: pairs of a text, which is replaced once, and its replacement.
        where: the change in words, for a message. everywhere: pairs that are replaced first, at all
            places.

    Raises:
        LabError: a place is not in the text.
    """
    for pairs, times in ((everywhere, -1), (changes, 1)):
        for old, new in pairs:
            if old not in text:
                raise LabError(f"{where}: not in the solution: {old!r}")
            text = text.replace(old, new, times)
    return text


def sha256_of(value: Any) -> str:
    """The digest of a value of JSON or TOML."""
    return hashlib.sha256(json.dumps(value, default=str).encode()).hexdigest()


def _starter(path: Path, document: dict[str, Any]) -> str:
    """The starter's text; a lab without one says nothing about the kinds of its classes."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        if "given" in document:
            raise LabError(
                f"{path} is missing: 'given' in lab.toml names methods of this file"
            ) from None
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise LabError(f"{path} cannot be read: {error}") from error


def _own_tests(folder: Path, file: str) -> dict[str, Any]:
    """The solution and the mutants that students' own tests are tried on."""
    path = folder / MUTANTS
    mutants = _toml(path).get("mutant", [])
    try:
        right = (folder / "solution" / file).read_text(encoding="utf-8")
        sources = [
            {"name": m["name"], "text": changed(right, m["change"], f"{path}, '{m['name']}'")}
            for m in mutants
        ]
    except (OSError, KeyError) as error:
        raise LabError(f"{path}: the solution, a name or a change is missing: {error}") from error
    return {"solution": right, "sources": sources}


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8"))
    except FileNotFoundError:
        raise LabError(f"{path.parent} is not a lab: it has no {path.name}") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise LabError(f"{path} cannot be read: {error}") from error


def _filled(raw: Any, values: dict[str, str | int], where: str) -> Any:
    """A check's values with the student's own instead of ``"$name"``."""
    if isinstance(raw, dict):
        return {k: _filled(v, values, where) for k, v in raw.items()}
    if isinstance(raw, list):
        return [_filled(v, values, where) for v in raw]
    if isinstance(raw, str) and raw.startswith("$"):
        if raw[1:] not in values:
            raise LabError(
                f"{where}: lab.toml defines no '{raw[1:]}' in [variant], but a check uses '{raw}'; "
                f"it defines {', '.join(values)}"
            )
        return values[raw[1:]]
    return raw


def _found(raw: Any, folder: Path) -> Any:
    """A check's values with the paths of the lab's own machines and reports, wherever it lies."""
    if isinstance(raw, dict):
        found = {
            k: _machine(v, folder) if k == "machine" else _found(v, folder) for k, v in raw.items()
        }
        return found | ({"report": str(folder / raw["report"])} if "report" in raw else {})
    return [_found(v, folder) for v in raw] if isinstance(raw, list) else raw


def _machine(name: Any, folder: Path) -> Any:
    """The path of a machine of the lab's or of a data set; any other name as it is."""
    if str(name).startswith(f"{MACHINES}/"):
        return str(folder / name)
    if str(name).startswith(DATASET):
        return str(of_dataset(name.removeprefix(DATASET)) / "machine.toml")
    return name


def _dataset(name: str, folder: Path) -> bytes:
    """What decides of a data set: its trials and its profile."""
    place = of_dataset(name)
    try:
        return b"".join((place / file).read_bytes() for file in ("trials.csv", "machine.toml"))
    except OSError as error:
        raise LabError(f"{folder / 'lab.toml'}: dataset '{name}': {error}") from error
