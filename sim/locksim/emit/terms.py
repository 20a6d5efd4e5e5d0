"""Expressions of C: text with what a printer has to know about it.

An expression knows how tightly its outermost operator binds, so that it is put in parentheses only
where C, or a compiler that warns, asks for them. A truth value is kept as a :class:`Compare` or a
:class:`Joined` until it is printed, so that it can be turned round without a ``!``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

INT = "int64_t"

OR, AND, BITS, EQUAL, ORDERED, SHIFT, SUM, PRODUCT, UNARY, ATOM = range(10)
"""How tightly operators bind. Those on bits are one level, and are never mixed without
parentheses: few readers know C's order of them, and compilers warn."""

INVERSE = {"==": "!=", "<": ">=", "<=": ">"}
INVERSE |= {b: a for a, b in INVERSE.items()}


@dataclass(frozen=True)
class Term:
    """An expression.

    Arguments:
        text: as C. level: of its outermost operator. type: in C.
        reads: the variables in it. effect: whether it performs an operation or a call.
        place: if it is an address, what lies there. test: if it is a truth value, that.
        constant: if it is a number, which.
    """

    text: str
    level: int = ATOM
    type: str = INT
    reads: frozenset[str] = frozenset()
    effect: bool = False
    place: str = ""
    test: Test | None = None
    constant: int | None = None


@dataclass(frozen=True)
class Compare:
    """A comparison."""

    left: Term
    sign: str
    right: Term


@dataclass(frozen=True)
class Joined:
    """Tests joined by ``&&`` or ``||``."""

    sign: str
    parts: tuple[Test, ...]


Test = Compare | Joined


def number(n: int) -> Term:
    """A constant: hexadecimal where it is a mask or a single high bit."""
    if n == -(1 << 63):
        return Term("INT64_MIN", constant=n)
    size = abs(n)
    masks = size >= 256 and (size & (size - 1) == 0 or size & (size + 1) == 0)
    text = hex(size) if masks else str(size)
    if size >= 1 << 31:
        text = f"INT64_C({text})"
    return Term("-" + text, UNARY, constant=n) if n < 0 else Term(text, constant=n)


def is_pointer(kind: str) -> bool:
    """Whether a type of C is one of an address."""
    return kind.endswith("*")


def within(term: Term, level: int) -> str:
    """The text of an operand of an operator of a level."""
    return f"({term.text})" if term.level <= level else term.text


def binary(left: Term, sign: str, right: Term, level: int) -> Term:
    """An operator between two numbers."""
    left, right = as_type(left, INT), as_type(right, INT)
    # Operators on bits and shifts: anything but a name or a call goes into parentheses.
    inner = PRODUCT if level in (BITS, SHIFT) else level
    # Only + and * may stand unparenthesised on their own left.
    first = within(left, inner if level in (BITS, SHIFT) else level - 1)
    text = f"{first} {sign} {within(right, inner)}"
    return Term(text, level, INT, left.reads | right.reads, left.effect or right.effect)


def unary(sign: str, term: Term) -> Term:
    """An operator before a number."""
    term = as_type(term, INT)
    return Term(f"{sign}{within(term, UNARY)}", UNARY, INT, term.reads, term.effect)


def as_type(term: Term, kind: str) -> Term:
    """The same value with another type of C."""
    if term.type == kind:
        return term
    if is_pointer(kind) and term.constant == 0:
        return Term("NULL", type=kind, constant=0)
    through = "" if is_pointer(kind) == is_pointer(term.type) else "(intptr_t)"
    text = f"({kind}){through}{within(term, UNARY - 1)}"
    return replace(term, text=text, level=UNARY, type=kind, place="", test=None, constant=None)


def compare(left: Term, sign: str, right: Term) -> Test:
    """A comparison; of a truth value with 0, the truth value itself."""
    if right.constant == 0 and left.test is not None and sign in ("==", "!="):
        return left.test if sign == "!=" else negated(left.test)
    if left.type != right.type:
        kind = left.type if is_pointer(left.type) else right.type
        other = right if kind == left.type else left
        kind = kind if other.constant == 0 or is_pointer(other.type) else INT
        left, right = as_type(left, kind), as_type(right, kind)
    return Compare(left, sign, right)


def truth(test: Test) -> Term:
    """A test as 1 or 0."""
    level = EQUAL if isinstance(test, Compare) else AND if test.sign == "&&" else OR
    return Term(shown(test), level, INT, reads(test), has_effect(test), test=test)


def negated(test: Test) -> Test:
    """The opposite."""
    if isinstance(test, Compare):
        return Compare(test.left, INVERSE[test.sign], test.right)
    return Joined("||" if test.sign == "&&" else "&&", tuple(negated(p) for p in test.parts))


def joined(first: Test, sign: str, second: Test) -> Test:
    """``first && second`` or ``first || second``."""
    parts: list[Test] = []
    for test in (first, second):
        parts += test.parts if isinstance(test, Joined) and test.sign == sign else [test]
    return Joined(sign, tuple(parts))


def shown(test: Test) -> str:
    """A test as C."""
    if isinstance(test, Compare):
        level = EQUAL if test.sign in ("==", "!=") else ORDERED
        return f"{within(test.left, max(level, ORDERED))} {test.sign} {within(test.right, ORDERED)}"
    parts = [f"({shown(p)})" if isinstance(p, Joined) else shown(p) for p in test.parts]
    return f" {test.sign} ".join(parts)


def reads(test: Test) -> frozenset[str]:
    """The variables in a test."""
    if isinstance(test, Compare):
        return test.left.reads | test.right.reads
    return frozenset().union(*(reads(p) for p in test.parts))


def has_effect(test: Test) -> bool:
    """Whether a test performs an operation or a call."""
    if isinstance(test, Compare):
        return test.left.effect or test.right.effect
    return any(has_effect(p) for p in test.parts)
