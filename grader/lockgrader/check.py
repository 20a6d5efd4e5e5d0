"""A check: what a lab asks of a submission, and everything that the grader has to know of it.

A kind of check is a subclass in a file of :mod:`lockgrader.kinds`. It has the fields that a lab
writes and :meth:`Check.decide`, and overrides those of the other answers that differ from the
defaults here. No other module asks a check for its kind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple, Self

from pydantic import Field, field_validator

from lockgrader.finding import Finding, Settled, fault
from lockgrader.interval import impossible
from lockgrader.lab import Band, Lab
from lockgrader.lab.closed import Closed, Text
from lockgrader.signs import IN, SIGNS
from lockui.suggest import did_you_mean

if TYPE_CHECKING:
    from lockgrader.sandbox import Profile
    from lockgrader.submitted import Submitted

__all__ = ["PARTS", "ByHeart", "Check", "Part"]

Part = Literal["locks", "answers", "tests", "c", "data"]
PARTS: tuple[Part, ...] = ("locks", "answers", "tests", "c", "data")
"""The parts of a submission; one can be refused without touching the points of the others."""
ENOUGH = 0.5
"""Share of the points of a check that opens those that need it."""
Points = Annotated[float, Field(gt=0, le=1000, allow_inf_nan=False)]


class ByHeart(NamedTuple):
    """What a function returns that knows the right numbers of one call and computes none.

    Arguments:
        file, function: of the submission. value: what it returns, whatever it gets.
    """

    file: str
    function: str
    value: Any


class Check(Closed):
    """The fields of all checks, and what the stations of a submission's way ask of a kind.

    Arguments:
        needs: checks that must earn half of their points first, and predictions to be made.
        hints: one for each attempt; the last one repeats.
        no_hint: why the check has no hints. no_mutant: why no wrong submission fails it.
        same: why its number may be the same for all students.
        misconceptions: tag of a mistake → the belief behind. Behind a colon a sign of the
            counterexample can stand (:mod:`lockgrader.signs`); it comes before the tag alone.
        public: set by the file of the check. revealed: whether students see a hidden check's
            title, points and numbers in their feedback; they always see its name and verdict.

    Attributes:
        part: of the submission that it judges; "data" is a further file.
        runs_code: whether it runs the student's code, in a sandbox of its own. hinted: whether
            students need hints for it. gives_tables: whether :meth:`arguments` gives any.
    """

    part: ClassVar[Part] = "answers"
    runs_code: ClassVar[bool] = False
    hinted: ClassVar[bool] = True
    gives_tables: ClassVar[bool] = False

    kind: str
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

    @field_validator("misconceptions")
    @classmethod
    def _known_signs(cls, beliefs: dict[str, str]) -> dict[str, str]:
        for name in beliefs:
            sign = name.partition(":")[2]
            if sign and sign not in SIGNS and not sign.startswith(IN):
                raise ValueError(f"'{name}': unknown sign '{sign}'; {did_you_mean(sign, SIGNS)}")
        return beliefs

    # What it is about.

    @property
    def asks(self) -> tuple[str, ...]:
        """Names of the answers in numbers that it needs."""
        return ()

    @property
    def asks_words(self) -> tuple[str, ...]:
        """Names of the answers in words that it needs."""
        return ()

    @property
    def subject(self) -> str:
        """The class of the submission that it proves or measures; "" for none.

        A run that shows the class to be wrong takes the points of the check.
        """
        return ""

    @property
    def proven_class(self) -> str:
        """The class of which it notes the operations that a proof has reached; "" for none."""
        return ""

    @property
    def measured_classes(self) -> tuple[str, ...]:
        """The classes of the submission that it measures, and compares with their proofs."""
        return ()

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools for which it needs the C part."""
        return ()

    @property
    def scenarios(self) -> tuple[str, ...]:
        """The scenarios of the C interface that it explores."""
        return ()

    # How it is judged.

    @property
    def engines(self) -> bool:
        """Whether it proves or simulates."""
        return bool(self.subject)

    @property
    def random_seed(self) -> int | None:
        """The seed of its runs, for the result; None where it has none of its own."""
        return None

    def completed(self, lab: Lab, where: str) -> Self:
        """The check with what it takes from other files of its lab.

        Arguments:
            lab: which holds it. where: the check in words, for a message.

        Raises:
            LabError: the lab has no such file.
        """
        return self

    def prepare(self) -> None:
        """Compute what is right for all students, before the processes of the checks begin."""

    def judge(self, submitted: Submitted, profile: Profile = "namespaces") -> Finding:
        """What the check finds. A fault of the submitted program is a finding, not an error.

        Arguments:
            submitted: validated data.
            profile: of the sandboxes in which a check runs C or Python; others need none.

        Raises:
            SandboxError: there is no sandbox for such a check.
            Exception: anything else is an internal error of the grader.
        """
        try:
            return self.decide(submitted, profile)
        except Settled as end:
            return end.finding
        except Exception as error:
            if self.runs_code:
                raise
            return fault(error)

    def decide(self, submitted: Submitted, profile: Profile) -> Finding:
        """The finding of a kind; the arguments are those of :meth:`judge`.

        Raises:
            Settled: the finding is clear before the end. Exception: as for :meth:`judge`, or a
                fault of the submitted program.
        """
        raise NotImplementedError

    @property
    def most_by_hand(self) -> float:
        """The points that a person can give for it beside the grader's."""
        return 0.0

    def opens(self, finding: Finding) -> bool:
        """Whether the checks that need this one may run: half of the points are enough."""
        return finding.verdict == "pass" or finding.share >= ENOUGH

    # What lint asks.

    @property
    def expects(self) -> object:
        """What is right in this variant; None where it does not follow from the lab alone."""
        return None

    @property
    def alike_within(self) -> float | None:
        """Up to which difference, as a fraction, two students' numbers are alike; None: no matter.

        At most half of the students may have the same number.
        """
        return None

    @property
    def memory_gap(self) -> str | None:
        """The memory that its proof leaves out without a reason; None: it proves nothing."""
        return None

    def right(self, solution: Submitted) -> Mapping[str, float | list[float]]:
        """Right answers by name; {} where the solution's files hold them.

        Arguments:
            solution: the classes of the lab's own.
        """
        return {}

    @property
    def by_heart(self) -> ByHeart | None:
        """A function that is right in its first call only; None where it calls none."""
        return None

    # What a student's folder asks.

    @property
    def measures(self) -> bool:
        """Whether its finding shows a result that the lab may ask to predict."""
        return False

    @property
    def predictions(self) -> tuple[str, ...]:
        """Answers that must be there, and are locked, before anything is measured."""
        return ()

    @property
    def own_predictions(self) -> tuple[str, ...]:
        """Predictions of what it judges itself: they are locked when it runs, and only then."""
        return ()

    def impossible(self, name: str, given: Sequence[float]) -> str:
        """Why a prediction of its cannot be right whatever is measured, and what to write; or "".

        Arguments:
            name: of the prediction. given: its numbers.
        """
        return impossible(name, given, Band())

    def done(self, verdict: str | None) -> bool:
        """Whether nothing is left to do after a verdict; None: it has not run."""
        return verdict == "pass"

    def arguments(self) -> list[dict[str, Any]]:
        """What it gives to a function of the student's in each call, by name."""
        return []

    def replay(self, file: str, memory: str, threads: int) -> list[str]:
        """The command with which a student sees its counterexample again; [] where none does.

        Arguments:
            file: of the submission. memory, threads: of the counterexample.
        """
        return []
