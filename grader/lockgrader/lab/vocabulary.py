"""The vocabulary of checks: each kind with its parameters, as ``lab.toml`` writes them.

The vocabulary is closed and declarative. A check is one of the kinds below, or one of a file of its
own in :mod:`lockgrader.kinds`, and its numbers stand in the lab's file. :mod:`lockgrader.checks`
decides what a submission earns in each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Discriminator, Field, Tag

from lockgrader.lab.chatroom import ChatroomRun
from lockgrader.lab.closed import Closed, Number, Text
from lockgrader.lab.expected import Cell, Formula
from lockgrader.lab.placed import Placed
from lockgrader.lab.profiles import Profile as MachineProfile
from lockgrader.lab.trials import Reading

__all__ = [
    "OPERATIONS",
    "Answer",
    "Band",
    "C",
    "Check",
    "Code",
    "Expected",
    "Known",
    "Measure",
    "Measured",
    "MutantSource",
    "Operation",
    "OtherCheck",
    "OwnTests",
    "Prediction",
    "Proven",
    "Simulated",
    "Used",
    "Waits",
    "Written",
]

if TYPE_CHECKING:
    from lockgrader.checks.submitted import Submitted
    from lockgrader.finding import Finding
    from lockgrader.sandbox import Profile

Points = Annotated[float, Field(gt=0, le=1000, allow_inf_nan=False)]
Operation = Literal[
    "block",
    "cpu",
    "n_cpus",
    "n_threads",
    "now",
    "random_below",
    "random_exponential",
    "switch",
    "thread",
    "wake",
]
OPERATIONS: dict[str, str] = {
    "block": "BLOCK",
    "cpu": "CPU",
    "n_cpus": "NCPUS",
    "n_threads": "NTHREADS",
    "now": "NOW",
    "random_below": "RANDOM",
    "random_exponential": "EXPONENTIAL",
    "switch": "SWITCH",
    "thread": "THREAD",
    "wake": "WAKE",
}
"""The operations by which a program can distinguish places and times, and their instructions."""


class Band(Closed):
    """The right values, and how far from them still earns points.

    Arguments:
        low, high: the ends of the right values; None for an open end.
        fade: distance from the band, as a fraction of its nearer end, from which nothing is
            earned. 0 means all or nothing.
    """

    low: Number | None = None
    high: Number | None = None
    fade: Annotated[float, Field(ge=0, le=10)] = 0.0


class _Check(Closed):
    """The fields of all checks.

    Arguments:
        needs: checks that must earn half of their points first, and predictions to be made.
        hints: one for each attempt; the last one repeats.
        no_hint: why the check has no hints. no_mutant: why no wrong submission fails it.
        same: why its number may be the same for all students.
        misconceptions: tag of a mistake → the belief behind.
        public: set by the file of the check. revealed: whether students see a hidden check's
            title, points and numbers in their feedback; they always see its name and verdict.
    """

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")]
    title: Text
    points: Points
    needs: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    no_hint: str = ""
    no_mutant: str = ""
    same: str = ""
    misconceptions: dict[str, str] = Field(default_factory=dict)
    public: bool = True
    revealed: bool = False


class Used(Placed):
    """Proofs from memory that many CPUs have used (:mod:`lockgrader.checks.used`).

    Arguments:
        machine: a profile. cpus: how many use the struct first; the threads of the proof are on
            CPUs drawn from these.
        uses: of all CPUs together in the longest of the runs, about as many as a measurement has.
        moments: runs, each longer than the one before. seed: of their lengths, loads and CPUs.
        memory: of these proofs.
    """

    cpus: Annotated[int, Field(ge=2, le=256)] = 32
    uses: Annotated[int, Field(ge=10, le=100_000)] = 2_500
    moments: Annotated[int, Field(ge=1, le=10)] = 3
    seed: Annotated[int, Field(ge=0, le=2**62)] = 1
    memory: Literal["sc", "tso", "c11"] = "sc"


Demand = Literal[
    "tests-first",
    "retries",
    "one-word",
    "one-atomic",
    "same-word",
    "own-line",
    "first-come",
    "steady",
]


class Waits(Placed):
    """How a lock must wait, as seen in a simulation (:mod:`lockgrader.checks.waits`).

    Arguments:
        demands: "tests-first": an atomic is tried again only after a read that found the lock free;
            "retries": several try for a lock that becomes free, so that some try again;
            "one-word": there is a word that each acquisition takes by an atomic operation, which
            found the same value each time, and for which alone it waits, as under test-and-set;
            "one-atomic": an acquisition makes one atomic operation at most;
            "same-word": all wait on one word and on no other, as under a ticket lock;
            "own-line": each CPU waits for its turn on a line on which no other one does;
            "first-come": the CPUs get the lock in the order in which they came;
            "steady": a waiter pauses between two reads as it does where three CPUs use the lock.
        machine: a profile. cpus, hold_ns: as many wait while one holds the lock for so long. What
            begins with a higher CPU, or with more waiters, is not seen.
    """

    demands: Annotated[tuple[Demand, ...], Field(min_length=1)]
    cpus: Annotated[int, Field(ge=2, le=64)] = 8
    hold_ns: Annotated[int, Field(ge=100, le=100_000)] = 5_000


class Proven(_Check):
    """The checker explores every interleaving of a few threads.

    Arguments:
        lock: a class of the submission: a lock or a decision cache.
        threads, rounds, memory, property: as for :func:`locksim.checker.check_lock`.
        client: prefix of the names of the standard clients to use; "" for all.
        states: at most, for one client.
        bypass: with the property "bypass": acquisitions by others while a thread waits, at most.
        used: from which memory the same is proven once more; None: from fresh memory only.
        waits: how the lock must wait; None: in any way.
    """

    kind: Literal["proven"]
    lock: Text
    client: str = ""
    threads: Annotated[int, Field(ge=1, le=8)] = 2
    rounds: Annotated[int, Field(ge=1, le=10)] = 1
    memory: Literal["sc", "tso", "c11"] = "sc"
    property: str = "all"
    states: Annotated[int, Field(ge=100, le=20_000_000)] = 1_000_000
    bypass: Annotated[int, Field(ge=0, le=100)] | None = None
    used: Used | None = None
    waits: Waits | None = None


class Measured(Placed):
    """A measure in simulated time, and its load.

    Arguments:
        lock: which lock or cache. machine: a profile.
        measure: for one unit of work; "growth" is the number of objects allocated and not freed,
            "slowest" the throughput of the slowest CPU.
            Or a column of lockmeter's: "util" and "con" (fractions), "hold_ns", "wait_ns",
            "wait_max_ns", "cpu_share" (of all CPUs' time, spent waiting), "readers" (most at once).
        meter: the metered lock of a column, by the end of its name; "" for all together.
        workload: one of the library: "critical_section", one for access vector caches, "paths" for
            directory caches, or "label_lookups" for label caches, where a miss costs ``hold_ns``.
        settings: the workload's own parameters; a time in ps can be given in ns, as ``other_ns``.
        words, hold_ns, think_ns: of "critical_section": data words written inside, time inside,
            time between two.
        operations: of each CPU. replications: with different random streams. seed: of the first.
        progress: units of work of the slowest CPU, at least, as a share of the mean of all; a
            submission's own class must reach it.
        hits: of a decision cache: lookups that find what it has to know, at least, as a share.
    """

    lock: Text
    measure: Literal[
        "transfers",
        "time_ns",
        "throughput",
        "fairness",
        "slowest",
        "growth",
        "util",
        "con",
        "hold_ns",
        "wait_ns",
        "wait_max_ns",
        "cpu_share",
        "readers",
    ]
    meter: str = ""
    workload: str = "critical_section"
    settings: dict[str, int] = Field(default_factory=dict)
    words: Annotated[int, Field(ge=0, le=64)] = 1
    hold_ns: Annotated[int, Field(ge=0, le=10**6)] = 0
    think_ns: Annotated[int, Field(ge=0, le=10**6)] = 1000
    operations: Annotated[int, Field(ge=1, le=10_000)] = 60
    replications: Annotated[int, Field(ge=1, le=20)] = 2
    seed: Annotated[int, Field(ge=0, le=2**62)] = 1
    progress: Annotated[float, Field(ge=0, le=1)] = 0.25
    hits: Annotated[float, Field(ge=0, le=1)] = 0.75


class Simulated(_Check, Measured):
    """A value in simulated time, or the shape of a curve over numbers of CPUs.

    Arguments:
        lock: a class of the submission. cpus: numbers of CPUs.
        shape: "value" (each point), "slope" (of the logarithms, over all points), "plateau"
            (largest over smallest), "ratio" (over that of ``against``, each point), "ordering"
            (``lock`` below ``against`` at each point; the band is not used).
        against: a lock of the library, or a class of the submission.
        band: the right values.
    """

    kind: Literal["simulated"]
    cpus: Annotated[tuple[Annotated[int, Field(ge=1, le=1024)], ...], Field(min_length=1)]
    shape: Literal["value", "slope", "plateau", "ratio", "ordering"] = "value"
    against: str = ""
    band: Band = Band()


class Measure(Measured):
    """A number that the grader finds by a simulation.

    Arguments:
        lock: of the library; with ``own``, a class of the submission. own: whether it is the
            student's own lock, so that an honest count is right for whatever lock they wrote.
        options: parameters of a library's lock, such as ``store_used``.
        cpus: number of CPUs.
    """

    own: bool = False

    cpus: Annotated[int, Field(ge=1, le=1024)]
    options: dict[str, int] = Field(default_factory=dict)

    def __hash__(self) -> int:
        """Equal ones are simulated once; their settings are dicts, which have no hash."""
        return hash(self.model_dump_json())


def _source(value: Any) -> str:
    """Which kind of expected value a lab has written."""
    if not isinstance(value, dict):
        return type(value).__name__.lower() if isinstance(value, Closed) else "number"
    return next(
        (key for key in ("cell", "formula", "chatroom", "reading", "profile") if key in value),
        "measure",
    )


Expected = Annotated[
    Annotated[Number, Tag("number")]
    | Annotated[Measure, Tag("measure")]
    | Annotated[Cell, Tag("cell")]
    | Annotated[Formula, Tag("formula")]
    | Annotated[ChatroomRun, Tag("chatroom")]
    | Annotated[Reading, Tag("reading")]
    | Annotated[MachineProfile, Tag("profile")],
    Discriminator(_source),
]
"""A right value: a number, a measure of a lock or of Chatroom, a cell of a published table, a
formula, a reading of a measured machine, or what a profile holds."""


class Answer(_Check):
    """A number in the answers.

    Arguments:
        tolerance: as a fraction of the expected value. fade: as in :class:`Band`.
    """

    kind: Literal["answer"]
    answer: Text
    expected: Expected
    tolerance: Annotated[float, Field(ge=0, le=10)] = 0.0
    fade: Annotated[float, Field(ge=0, le=10)] = 0.0


class Prediction(_Check):
    """An interval that was predicted, scored by its width and by how far it misses.

    The prediction that was locked before the first measurement is scored, and a later change earns
    nothing more. Without a record of what was locked, only ``made`` can be earned.

    Arguments:
        answer: two numbers, the ends of a 90 % interval. expected: the result.
        worst: interval score, as a fraction of the result, that earns nothing for accuracy.
        made: share of the points for having predicted; the rest is for accuracy.
    """

    kind: Literal["prediction"]
    answer: Text
    expected: Expected
    worst: Annotated[float, Field(gt=0, le=100)] = 2.0
    made: Annotated[float, Field(ge=0, le=1)] = 0.4


class Code(_Check):
    """What a class's bytecode must and must not contain.

    Arguments:
        must, must_not: instructions, such as FETCH_ADD.
        waits_by_reading: methods that must have a waiting loop that only reads.
        max_words: size of the lock, in words, on a machine with one CPU.
    """

    kind: Literal["code"]
    lock: Text
    must: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()
    waits_by_reading: tuple[str, ...] = ()
    max_words: Annotated[int, Field(ge=1)] | None = None


class C(_Check):
    """A tool judges the C part (:mod:`lockgrader.c`).

    Arguments:
        tool: "explorer" (interleavings of a scenario), "validate" (operations in turns, compared
            with a model), "torture" (real threads), or a sanitizer over operations in turns.
        scenario: of the explorer's client. threads: how many.
        memory, preemptions, runs: the explorer's memory model and its two bounds; -1 preemptions is
            a complete search, which proves the scenario. If ``runs`` are not enough, the last
            number of preemptions counts that was searched completely.
        operations: of each thread, for the other tools. seed: of these operations, and of those in
            a scenario that draws some.
    """

    kind: Literal["c"]
    tool: Literal["explorer", "validate", "torture", "asan", "tsan", "ubsan"]
    scenario: str = ""
    threads: Annotated[int, Field(ge=2, le=8)] = 2
    memory: Literal["sc", "tso", "c11"] = "sc"
    preemptions: Annotated[int, Field(ge=-1, le=100)] = 2
    runs: Annotated[int, Field(ge=1, le=10_000_000)] = 300_000
    operations: Annotated[int, Field(ge=10, le=5_000)] = 400
    seed: Annotated[int, Field(ge=0, le=2**40)] = 1


class MutantSource(Closed):
    """The lab's solution with one mistake in it, which students' own tests should find.

    Arguments:
        name: the public one. text: source in the language.
    """

    name: str
    text: str


class OwnTests(_Check):
    """The student's own tests, scenarios for the checker (:mod:`lockgrader.read.scenarios`).

    Arguments:
        lock: the class under test. states: at most, for one scenario on one lock.
        mutants: True runs them on the solution, which none may accuse, and on the lab's mutants;
            the share found counts. False runs them on the submission's own class.
        solution, sources: filled in by the lab: the solution's text, and the mutants.
    """

    kind: Literal["tests"]
    lock: Text
    states: Annotated[int, Field(ge=100, le=1_000_000)] = 30_000
    mutants: bool = False
    solution: str = Field(default="", exclude=True, repr=False)
    sources: tuple[MutantSource, ...] = Field(default=(), exclude=True, repr=False)


class OtherCheck(_Check):
    """A kind of check in a file of its own in :mod:`lockgrader.kinds`.

    A kind is a subclass with ``kind: Literal["its-name"]`` and the method :meth:`judge`.

    Attributes:
        part: of the submission that it judges: "locks", "answers", or "data" for a further file.
            engines: whether it proves or simulates. runs_code: whether it runs the student's code,
            in a sandbox of its own. measures: whether it shows a result that a lab may ask to
            predict.
    """

    part: ClassVar[Literal["locks", "answers", "data"]] = "answers"
    engines: ClassVar[bool] = False
    runs_code: ClassVar[bool] = False
    measures: ClassVar[bool] = False
    kind: str

    @property
    def asks(self) -> tuple[str, ...]:
        """Names of the answers in numbers that it needs."""
        return ()

    @property
    def predicts(self) -> tuple[str, ...]:
        """Those of them that are predictions of its own: they are locked when it runs at home."""
        return ()

    def judge(self, submitted: Submitted) -> Finding:
        """What the check finds."""
        raise NotImplementedError

    def judge_in(self, submitted: Submitted, profile: Profile) -> Finding:
        """What the check finds; one that runs code uses a sandbox of this profile."""
        return self.judge(submitted)

    def right(self) -> dict[str, list[float]]:
        """Right answers by name, for the lab's solution; {} where its files hold them."""
        return {}


class Written(_Check):
    """An answer in words, collected for the instructor, who gives the points for it."""

    kind: Literal["written"]
    answer: Text
    points: Annotated[float, Field(ge=0, le=0)] = 0.0


Known = Proven | Simulated | Answer | Prediction | Code | OwnTests | C | Written
Check = Known | OtherCheck
