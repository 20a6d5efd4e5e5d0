"""A lab as the grader sees it: ``lab.toml``, read once, refused with the place of every mistake.

Beside it stands ``misconceptions.toml``, what students may believe, which checks refer to by name.

The vocabulary is closed and declarative: what a check does is one of the kinds below, and its
numbers stand in the file. A value ``"$name"`` is the student's own
(:mod:`lockgrader.lab.variants`). The checks of ``hidden/checks.toml`` are graded like the others
and are in no bundle that students get.
"""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

__all__ = [
    "Answer",
    "C",
    "Check",
    "Code",
    "Lab",
    "LabError",
    "Misconception",
    "OwnTests",
    "Prediction",
    "Proven",
    "Simulated",
    "Suspect",
    "changed",
    "load",
]

MISCONCEPTIONS = "misconceptions.toml"
MUTANTS = "hidden/mutants.toml"
Points = Annotated[float, Field(gt=0, le=1000, allow_inf_nan=False)]
Number = Annotated[float, Field(allow_inf_nan=False)]
Measured = Literal["transfers", "time_ns", "throughput", "fairness", "growth"]
Text = Annotated[str, Field(min_length=1)]


class LabError(Exception):
    """A lab that can not be graded with; the message says where, and what is expected."""

    exit_code = 2


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Band(_Closed):
    """What is right, and how far from it still earns something.

    Arguments:
        low, high: the ends of what is right; None leaves one open.
        fade: distance from the band, as a fraction of its nearer end, at which nothing is earned
            any more. 0 is all or nothing.
    """

    low: Number | None = None
    high: Number | None = None
    fade: Annotated[float, Field(ge=0, le=10)] = 0.0


class _Check(_Closed):
    """What all checks have.

    Arguments:
        needs: checks that must pass first. hints: one an attempt, the last one from then on.
        misconceptions: what went wrong, in a word → what is probably believed.
        public: set by where the check stands. revealed: whether students see a hidden check's
            title, points and numbers in their feedback; its name and verdict they see always.
    """

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")]
    title: Text
    points: Points
    needs: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    no_hint: str = ""
    misconceptions: dict[str, str] = Field(default_factory=dict)
    public: bool = True
    revealed: bool = False


class Proven(_Check):
    """Every interleaving of a few threads, by the checker.

    Arguments:
        lock: a class of the submission: a lock, or a cache of decisions.
        threads, rounds, memory, property: as for :func:`locksim.checker.check_lock`.
        client: the beginning of the names of the standard clients to check with; "" for all.
        states: of one client, at most.
    """

    kind: Literal["proven"]
    lock: Text
    client: str = ""
    threads: Annotated[int, Field(ge=1, le=8)] = 2
    rounds: Annotated[int, Field(ge=1, le=10)] = 1
    memory: Literal["sc", "tso", "c11"] = "sc"
    property: str = "all"
    states: Annotated[int, Field(ge=100, le=20_000_000)] = 1_000_000


class Simulated(_Check):
    """Measures in simulated time: a value, or the shape of a curve over numbers of CPUs.

    Arguments:
        lock: a class of the submission. machine: a profile. cpus: where it is measured.
        workload: a workload of the library, "critical_section" or one for access vector caches.
        settings: of the workload.
        measure: what is measured, for one unit of the workload's work; "growth" is the objects that
            were allocated and not freed.
        shape: "value" (each point), "slope" (of the logarithms, over all points), "plateau"
        (largest
            over smallest), "ratio" (over that of ``against``, each point), "ordering" (``lock``
            below ``against`` at each point; the band is not used).
        against: a lock of the library, or a class of the submission.
        band: what is right.
    """

    kind: Literal["simulated"]
    lock: Text
    machine: Text
    cpus: Annotated[tuple[Annotated[int, Field(ge=1, le=1024)], ...], Field(min_length=1)]
    workload: str = "critical_section"
    settings: dict[str, int] = Field(default_factory=dict)
    measure: Measured
    shape: Literal["value", "slope", "plateau", "ratio", "ordering"] = "value"
    against: str = ""
    band: Band = Band()
    words: Annotated[int, Field(ge=0, le=64)] = 1
    hold_ns: Annotated[int, Field(ge=0, le=10**6)] = 0
    think_ns: Annotated[int, Field(ge=0, le=10**6)] = 1000
    operations: Annotated[int, Field(ge=1, le=10_000)] = 60
    replications: Annotated[int, Field(ge=1, le=20)] = 2
    seed: Annotated[int, Field(ge=0, le=2**62)] = 1


class Measure(_Closed):
    """A number that the grader finds by simulating a lock of the library.

    Arguments:
        lock: its name. options: parameters of the lock's own, such as ``store_used``.
        The others are as in :class:`Simulated`.
    """

    lock: Text
    machine: Text
    cpus: Annotated[int, Field(ge=1, le=1024)]
    options: dict[str, int] = Field(default_factory=dict)
    workload: str = "critical_section"
    settings: dict[str, int] = Field(default_factory=dict)
    measure: Measured
    words: int = 1
    hold_ns: int = 0
    think_ns: int = 1000

    def __hash__(self) -> int:
        """Equal ones are simulated once; their settings are dicts, which have no hash."""
        return hash(self.model_dump_json())


class Answer(_Check):
    """A number in the answers. ``expected`` is one, or a measure of the reference.

    Arguments:
        tolerance: what is right, as a fraction of the expected value. fade: as in :class:`Band`.
    """

    kind: Literal["answer"]
    answer: Text
    expected: Number | Measure
    tolerance: Annotated[float, Field(ge=0, le=10)] = 0.0
    fade: Annotated[float, Field(ge=0, le=10)] = 0.0


class Prediction(_Check):
    """An interval that was predicted, scored by its width and by how far it misses.

    Arguments:
        answer: two numbers, the ends of a 90 % interval. expected: what turned out.
        worst: interval score, as a fraction of what turned out, that earns nothing.
    """

    kind: Literal["prediction"]
    answer: Text
    expected: Number | Measure
    worst: Annotated[float, Field(gt=0, le=100)] = 2.0


class Code(_Check):
    """What a class's bytecode has and has not.

    Arguments:
        must, must_not: instructions, such as FETCH_ADD.
        waits_by_reading: methods in which a waiting loop only reads.
        max_words: words that the lock takes on a machine of one CPU.
    """

    kind: Literal["code"]
    lock: Text
    must: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()
    waits_by_reading: tuple[str, ...] = ()
    max_words: Annotated[int, Field(ge=1)] | None = None


class C(_Check):
    """What a tool finds in the C part (:mod:`lockgrader.c`).

    Arguments:
        tool: "explorer" (interleavings of a scenario), "validate" (operations in turns beside a
            model), "torture" (at once, on real threads), or a sanitizer over operations in turns.
        scenario: of the explorer's client. threads: at once.
        memory, preemptions, runs: the explorer's model, its bound, and the runs that it may take.
        operations: of each thread, for the others. seed: which ones.
    """

    kind: Literal["c"]
    tool: Literal["explorer", "validate", "torture", "asan", "tsan", "ubsan"]
    scenario: str = ""
    threads: Annotated[int, Field(ge=2, le=8)] = 2
    memory: Literal["sc", "tso"] = "sc"
    preemptions: Annotated[int, Field(ge=0, le=100)] = 2
    runs: Annotated[int, Field(ge=1, le=10_000_000)] = 300_000
    operations: Annotated[int, Field(ge=10, le=5_000)] = 400
    seed: Annotated[int, Field(ge=0, le=2**40)] = 1


class Suspect(_Closed):
    """A lock that students' tests are tried on.

    Arguments:
        name: the public one, "" for the right one. text: source in the language.
    """

    name: str
    text: str


class OwnTests(_Check):
    """The student's own tests, scenarios for the checker (:mod:`lockgrader.read.scenarios`).

    Arguments:
        lock: the class that they try. states: that one scenario may have on one lock.
        mutants: True tries them on the solution, which none may accuse, and on the lab's wrong
            ones, of which the share that is found counts; False on the submission's own class.
        suspects: filled in: the solution, and the wrong ones.
    """

    kind: Literal["tests"]
    lock: Text
    states: Annotated[int, Field(ge=100, le=1_000_000)] = 30_000
    mutants: bool = False
    suspects: tuple[Suspect, ...] = Field(default=(), exclude=True, repr=False)


class Written(_Check):
    """An answer in words, collected for the instructor, who alone gives points for it."""

    kind: Literal["written"]
    answer: Text
    points: Annotated[float, Field(ge=0, le=0)] = 0.0


Check = Annotated[
    Proven | Simulated | Answer | Prediction | Code | OwnTests | C | Written,
    Field(discriminator="kind"),
]


class Misconception(_Closed):
    """Something that students believe, kept in ``misconceptions.toml`` under a name.

    Arguments:
        belief: in their words. truth: what is so, and what shows it. see: where to read on.
    """

    belief: Text
    truth: Text
    see: str = ""


class Choice(_Closed):
    """A student's own value: one of some, or a whole number from a range."""

    choice: tuple[str | int, ...] = ()
    low: int = 0
    high: int = 0
    step: Annotated[int, Field(ge=1)] = 1


class Lab(_Closed):
    """A lab.

    Arguments:
        name, title: of the lab. locks: the file in the language. answers: a JSON file, or a Python
            file that defines ``answers``; "" for none. tests: a JSON file of scenarios.
        library: modules of the library that a submission may use, such as "locksim.locks.ttas".
        misconceptions: by name; what a check calls them by. Without any, checks hold the beliefs
            themselves.
        c: the C file; "" for none. interface: what it has to be (:mod:`lockgrader.c.interfaces`).
        variant: name → what a student's own value is drawn from.
        check: the checks, in order; a check comes after those that it needs.
        suspects: the solution and the wrong ones of ``hidden/mutants.toml``, for students' tests.
        seconds: processor time for one check, at most.
    """

    format: Literal[1]
    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]*$")]
    title: Text
    locks: str = ""
    answers: str = ""
    tests: str = ""
    library: tuple[str, ...] = ()
    misconceptions: dict[str, Misconception] = Field(default_factory=dict)
    c: str = ""
    interface: str = ""
    seconds: Annotated[int, Field(ge=1, le=600)] = 60
    variant: dict[str, Choice] = Field(default_factory=dict)
    check: tuple[dict[str, Any], ...]
    suspects: tuple[Suspect, ...] = Field(default=(), exclude=True, repr=False)
    sha256: str = ""
    folder: str = ""

    def checks(self, values: dict[str, str | int]) -> list[Check]:
        """The checks of a student with these variant values.

        Raises:
            LabError: a check makes no sense.
        """
        found: list[Check] = []
        adapter: TypeAdapter[Check] = TypeAdapter(Check)
        for number, raw in enumerate(self.check, start=1):
            where = f"{self.name}: check {number} ({raw.get('name', 'without a name')})"
            try:
                told = self._told(raw, where)
                made = adapter.validate_python(_filled(told, values, where))
            except ValidationError as error:
                first = error.errors()[0]
                place = ".".join(str(p) for p in first["loc"])
                raise LabError(f"{where}: {place}: {first['msg']}") from None
            known = {c.name for c in found}
            if made.name in known:
                raise LabError(f"{where}: there is a check of this name already")
            for needed in made.needs:
                if needed not in known:
                    raise LabError(f"{where} needs '{needed}', which is no check before it")
            found.append(self._with_suspects(made, where))
        return found

    def _with_suspects(self, made: Check, where: str) -> Check:
        if not (isinstance(made, OwnTests) and made.mutants):
            return made
        if len(self.suspects) < 2:
            raise LabError(f"{where}: there is no {MUTANTS} with wrong ones")
        return made.model_copy(update={"suspects": self.suspects})

    def _told(self, raw: dict[str, Any], where: str) -> dict[str, Any]:
        """A check with the beliefs in the place of their names."""
        named = raw.get("misconceptions", {})
        if not self.misconceptions or not isinstance(named, dict):
            return raw
        for name in named.values():
            if name not in self.misconceptions:
                raise LabError(f"{where}: '{name}' is not in {MISCONCEPTIONS}")
        beliefs = {tag: self.misconceptions[name].belief for tag, name in named.items()}
        return {**raw, "misconceptions": beliefs}


def load(folder: Path) -> Lab:
    """Read a lab's folder, hidden checks included where they are.

    Raises:
        LabError: there is no lab in it, or it makes no sense.
    """
    digest = hashlib.sha256()
    document = _toml(folder / "lab.toml", digest)
    hidden = folder / "hidden" / "checks.toml"
    if hidden.exists():
        more = _toml(hidden, digest)
        extra = [{**raw, "public": False} for raw in more.pop("check", [])]
        if more:
            raise LabError(f"{hidden}: only [[check]] may stand there, not {', '.join(more)}")
        document["check"] = [*document.get("check", []), *extra]
    if (folder / MISCONCEPTIONS).exists():
        document["misconceptions"] = _toml(folder / MISCONCEPTIONS, digest)
    if (folder / MUTANTS).exists():
        document["suspects"] = _suspects(folder, str(document.get("locks", "")), digest)
    try:
        lab = Lab.model_validate(
            {**document, "sha256": digest.hexdigest(), "folder": str(folder.resolve())}
        )
    except ValidationError as error:
        first = error.errors()[0]
        raise LabError(
            f"{folder / 'lab.toml'}: {'.'.join(map(str, first['loc']))}: {first['msg']}"
        ) from None
    return lab


def changed(text: str, changes: list[list[str]], where: str) -> str:
    """A text with some places changed, each once: how labs write what is wrong with the solution.

    Raises:
        LabError: a place is not there.
    """
    for old, new in changes:
        if old not in text:
            raise LabError(f"{where}: not in the solution: {old!r}")
        text = text.replace(old, new, 1)
    return text


def _suspects(folder: Path, file: str, digest: Any) -> list[dict[str, str]]:
    path = folder / MUTANTS
    wrong = _toml(path, digest).get("mutant", [])
    try:
        right = (folder / "solution" / file).read_text(encoding="utf-8")
        digest.update(right.encode())
        return [
            {"name": "", "text": right},
            *(
                {"name": m["name"], "text": changed(right, m["change"], f"{path}, '{m['name']}'")}
                for m in wrong
            ),
        ]
    except (OSError, KeyError) as error:
        raise LabError(f"{path}: the solution, a name or a change is missing: {error}") from error


def _toml(path: Path, digest: Any) -> dict[str, Any]:
    try:
        data = path.read_bytes()
        digest.update(data)
        return tomllib.loads(data.decode("utf-8"))
    except FileNotFoundError:
        raise LabError(f"{path.parent} is no lab: it has no {path.name}") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise LabError(f"{path} can not be read: {error}") from error


def _filled(raw: Any, values: dict[str, str | int], where: str) -> Any:
    """A check's values with the student's own in the place of ``"$name"``."""
    if isinstance(raw, dict):
        return {k: _filled(v, values, where) for k, v in raw.items()}
    if isinstance(raw, list):
        return [_filled(v, values, where) for v in raw]
    if isinstance(raw, str) and raw.startswith("$"):
        if raw[1:] not in values:
            raise LabError(f"{where}: there is no variant {raw}; there are {', '.join(values)}")
        return values[raw[1:]]
    return raw
