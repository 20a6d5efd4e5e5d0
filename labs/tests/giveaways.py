"""What a page gives away of a lab: its classes and numbers, handed in as that lab's answers.

A reader who understands nothing can copy. So every class that a page prints is put in the place of
each class that the lab asks for. Of its numbers, those of at least three digits that are right are
handed in with the classes. And each number alone, short ones too, is handed in as the answer to
every question. The grader's own checks judge, and the better of the two counts. A page of two
hundred numbers holds every short number, so those are not combined: their combination would say
what the reader knows, and not what the page says.

A page prints a class as such, or its methods alone; then the starter's class gets them, and a word
for each field that it lacks. Cells whose code is removed (``remove-input``) are not seen. Points of
predictions and of words are not counted: they are given for making a prediction, or by a person.
"""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from locklessons.notebooks import find as lesson
from locklessons.notebooks import run

from lockgrader.author.mutants import Files, findings, right_answers, starter
from lockgrader.author.spellings import redefined
from lockgrader.check import Check
from lockgrader.kinds.answer import Answer
from lockgrader.kinds.crossing import Crossing
from lockgrader.kinds.prediction import Prediction
from lockgrader.lab import Lab, load
from lockgrader.lab.variants import whole
from lockgrader.submitted import Submitted
from locklabs import find
from locksim.compiler import CompileError

ROOT = Path(__file__).parents[2]
LESSONS = ROOT / "lessons"
KEY = b"k" * 16
STUDENT = "copier"
LONGEST_S = 3600
"""Only a guard: a loaded machine takes long for a lesson."""
DIGITS = 3
"""From how many digits on a number that is right is hardly right by chance."""
OPEN = ("README.md", "docs/start/*.md", "docs/use/*.md", "docs/explain/*.md")
"""Pages that a student can read before any lab, beside the lessons of earlier weeks."""

_BLOCK = re.compile(r"^```(?:python|\{code-cell\} python)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_UNSEEN = re.compile(r"^```\{code-cell\} python\n:tags: \[remove-input\].*?^```\n", re.M | re.S)
_NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?")


@dataclass(frozen=True)
class Given:
    """What one page is worth in one lab.

    Arguments:
        lab, page: their names. points: of everything that is copied. of: all points of the lab.
        what: the classes and answers that earned some.
    """

    lab: str
    page: str
    points: float
    of: float
    what: tuple[str, ...]

    @property
    def share(self) -> float:
        """The page's share of the lab's points."""
        return self.points / self.of

    def __str__(self) -> str:
        """A row of the table."""
        return (
            f"{self.lab[:5]}  {self.page:40} {self.points:6.2f} of {self.of:5g}"
            f"  {self.share:5.1%}  {', '.join(self.what)}"
        )


def calendars() -> list[list[tuple[set[str], set[int]]]]:
    """Each calendar of docs/teach/course.md: by week, the labs that are due, then the lessons."""
    text = (ROOT / "docs/teach/course.md").read_text(encoding="utf-8")
    found = []
    for table in re.findall(r"^\| week \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", text, re.MULTILINE):
        weeks = []
        for row in table.splitlines():
            _, due, lessons = (cell.strip() for cell in row.strip("|").split("|"))
            labs = {f"lab{n}" for n in re.findall(r"\d\d", due)}
            labs |= {"lab11"} if "capstone" in due else set()
            named = re.findall(r"\((\d+)|\b[Ll]essons? ([\d, ]+)", lessons)
            weeks.append(
                (labs, {int(n) for pair in named for n in re.findall(r"\d+", "".join(pair))})
            )
        found.append(weeks)
    return found


def pages_before(lab: str) -> list[Path]:
    """The open pages, and the lessons that come before a lab in some calendar.

    A lab is due before the lecture of its week.
    """
    numbers: set[int] = set()
    for weeks in calendars():
        due = next((k for k, (labs, _) in enumerate(weeks) if lab[:5] in labs), 0)
        numbers |= {n for _, lessons in weeks[:due] for n in lessons}
    lessons = [next(LESSONS.glob(f"{n:02}-*.md")) for n in sorted(numbers)]
    return [*(path for one in OPEN for path in sorted(ROOT.glob(one))), *lessons]


def printed(page: Path, *, runs: bool = False) -> str:
    """What a reader sees of a page; with ``runs`` also what the cells of a lesson show."""
    text = _UNSEEN.sub("", page.read_text(encoding="utf-8"))
    return f"{text}\n{_shown(page)}" if runs and page.parent == LESSONS else text


@cache
def _shown(page: Path) -> str:
    """The outputs of a lesson's cells, without the marks of HTML."""
    cells = run(lesson(str(page)), LONGEST_S).cells
    outputs = [out for cell in cells for out in cell.get("outputs", [])]
    data = [out.get("data", {}) for out in outputs]
    texts = [one.get("text/html") or one.get("text/plain", "") for one in data]
    return re.sub(r"<[^>]*>", " ", "\n".join([*texts, *(out.get("text", "") for out in outputs)]))


def given_away(name: str, page: str, text: str) -> Given:
    """What a page is worth in a lab.

    Arguments:
        name: of the lab. page: its name, for the table. text: what it prints.
    """
    lab, checks = lab_of(name), checks_of(name)
    made = starter(lab)
    files = {name: made[name] for name in (lab.locks,) if name in made}
    what = []
    for slot, first in _slots(checks).items():
        for label, candidate in _candidates(text, files[lab.locks], slot):
            if _passes(lab, files | {lab.locks: candidate}, first):
                files[lab.locks] = candidate
                what.append(f"{slot} = {label}")
                break
    if lab.answers:
        predictions = {n: [0.5, 1.0] for c in checks for n in (*c.predictions, *c.own_predictions)}
        answers = _exact(checks, numbers(text), right_numbers(name))
        files[lab.answers] = json.dumps(answers | predictions)
        what += [f"{name} = {value:g}" for name, value in answers.items()]
    points, total = _points(lab, files), sum(check.points for check in checks)
    best, number = max(((_alone(name, x), x) for x in numbers(text)), default=(0.0, 0.0))
    if best > points:
        points, what = best, [f"each answer = {number:g}"]
    return Given(lab.name, page, points, total, tuple(what))


@cache
def lab_of(name: str) -> Lab:
    """A lab, read once."""
    return load(find(name))


@cache
def checks_of(name: str) -> list[Check]:
    """A lab's checks for the copier."""
    return lab_of(name).checks(whole(lab_of(name), STUDENT, KEY))


@cache
def right_numbers(name: str) -> dict[str, float]:
    """The right answers of a lab that are one number, predictions left out."""
    found: dict[str, float] = {}
    for check, right in right_answers(lab_of(name), STUDENT, KEY):
        left = {*check.predictions, *check.own_predictions}
        found |= {n: v for n, v in right.items() if isinstance(v, int | float) and n not in left}
    return found


def numbers(text: str) -> list[float]:
    """Every number of a page, link targets left out."""
    text = re.sub(r"\]\([^)]*\)|https?://\S+", " ", text)
    return sorted({float(found.rstrip(",").replace(",", "")) for found in _NUMBER.findall(text)})


def _exact(checks: list[Check], seen: list[float], right: dict[str, float]) -> dict[str, float]:
    """The long numbers of a page that are right, by answer."""
    long = [x for x in seen if len(f"{abs(x):.12g}".replace(".", "").lstrip("0")) >= DIGITS]
    found = {}
    for name, value in right.items():
        slack = max((getattr(c, "tolerance", 0.0) for c in checks if name in c.asks), default=0.0)
        nearest = min(long, key=lambda x: abs(x - value), default=math.inf)
        if abs(nearest - value) <= slack * abs(value):
            found[name] = nearest
    return found


@cache
def _alone(name: str, number: float) -> float:
    """The points of a number that is handed in as every answer that is a number."""
    points = 0.0
    for check in checks_of(name):
        if isinstance(check, Answer | Crossing) and not check.measured_classes:
            finding = check.judge(Submitted(answers={name: [number] for name in check.asks}))
            points += check.points * finding.share
    return points


def _passes(lab: Lab, files: Files, check: Check) -> bool:
    """Whether a submission compiles and earns something in its first check."""
    try:
        return bool(_points(lab, files, check.name))
    except CompileError:
        return False


def _points(lab: Lab, files: Files, only: str = "") -> float:
    """The points of a submission; predictions and words count nothing."""
    judged = findings(lab, files, STUDENT, KEY, only)
    return sum(c.points * f.share for c, f in judged if not isinstance(c, Prediction))


def _slots(checks: list[Check]) -> dict[str, Check]:
    """The classes that a lab asks for, and the first check of each that proves it."""
    found: dict[str, Check] = {}
    for check in checks:
        if check.subject and check.proven_class == check.subject:
            found.setdefault(check.subject, check)
    return found


def _candidates(page: str, ours: str, slot: str) -> Iterator[tuple[str, str]]:
    """Label and text: a submission with a class of the page in the place of one of the lab.

    Arguments:
        page: its text. ours: the file in the language so far. slot: the class that is replaced.
    """
    asked = next(n for n in ast.parse(ours).body if isinstance(n, ast.ClassDef) and n.name == slot)
    known: dict[str, ast.stmt] = {}
    for block in _BLOCK.findall(page):
        try:
            body = ast.parse(block).body
        except SyntaxError:
            continue
        known |= {_name(node): node for node in body if _name(node)}
        for node in body:
            if isinstance(node, ast.ClassDef) and _root(node, known) == _root(asked, {}):
                yield node.name, redefined(ours, _renamed(node, known, slot))
        methods = [n for n in body if isinstance(n, ast.FunctionDef) and _is_method(n)]
        if methods and {m.name for m in methods} <= {_name(n) for n in asked.body}:
            yield f"{methods[0].name}()", redefined(ours, ast.unparse(_grafted(asked, methods)))


def _name(node: ast.stmt) -> str:
    """The name that a class, a method or a constant has; "" for another statement."""
    match node:
        case ast.ClassDef() | ast.FunctionDef():
            return node.name
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant() | ast.UnaryOp()):
            return name
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name
    return ""


def _is_method(node: ast.FunctionDef) -> bool:
    return bool(node.args.args) and node.args.args[0].arg == "self"


def _root(node: ast.ClassDef, known: dict[str, ast.stmt]) -> str:
    """The class of the language at the root of a class."""
    base = node.bases[0].id if node.bases and isinstance(node.bases[0], ast.Name) else ""
    above = known.get(base)
    return _root(above, known) if isinstance(above, ast.ClassDef) else base


def _renamed(node: ast.ClassDef, known: dict[str, ast.stmt], slot: str) -> str:
    """A class under another name, behind what it uses of its page."""
    needed: dict[str, ast.stmt] = {}

    def visit(one: ast.stmt) -> None:
        for name in (n.id for n in ast.walk(one) if isinstance(n, ast.Name)):
            used = known.get(name)
            if isinstance(used, ast.ClassDef | ast.Assign) and name not in needed:
                needed[name] = used
                visit(used)

    needed[node.name] = node
    visit(node)
    order = [*reversed([n for n in needed if n != node.name]), node.name]
    text = "\n\n".join(ast.unparse(needed[name]) for name in order)
    text = "from locksim.lang import *\n\n" + text
    return re.sub(rf"\b{node.name}\b", slot, text)


def _grafted(asked: ast.ClassDef, methods: list[ast.FunctionDef]) -> ast.ClassDef:
    """The starter's class with some methods of a page, and words for the fields that it lacks."""
    names = {m.name for m in methods}
    kept = [n for n in asked.body if _name(n) not in names]
    has = {_name(n) for n in asked.body}
    fields = {
        n.value.attr
        for m in methods
        for n in ast.walk(m)
        if isinstance(n, ast.Attribute)
        and isinstance(n.value, ast.Attribute)
        and isinstance(n.value.value, ast.Name)
        and n.value.value.id == "self"
    }
    words = [ast.parse(f"{name} = word()").body[0] for name in sorted(fields - has)]
    body = [*kept, *words, *methods]
    made = ast.ClassDef(asked.name, asked.bases, asked.keywords, body, asked.decorator_list)
    return ast.fix_missing_locations(made)
