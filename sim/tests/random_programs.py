"""Random sources of one program, for comparing what Python does with what the compiler makes.

Numbers stay far from 64 bits, divisors away from 0, and every loop ends: what is left is the
meaning of the language, all of it: locals, loads in the middle of expressions, truth values,
chained comparisons, branches, counting loops up and down, break, continue, return.
"""

from __future__ import annotations

from hypothesis import strategies as st

HEAD = """from locksim.lang import *

LIMIT = 5


class Random(Struct):
    STEP = 3
    a = word(7)
    b = word()
    items = array(4)
    size = param(4)

    def mix(self, n, m):
        if n > m:
            return n - m
        return (n * 3 + m) & 1023

    def bump(self, n):
        old = yield self.b.fetch_add(n & 15)
        return old & 1023

    def run(self, x, y):
        z = i = n0 = n1 = n2 = 0
"""
VARIABLES = ["x", "y", "z", "i"]


@st.composite
def expressions(draw: st.DrawFn, depth: int = 2) -> str:
    """An expression with a small value."""
    leaf = st.sampled_from(
        [*VARIABLES, "0", "1", "2", "13", "LIMIT", "self.STEP", "self.size", "cpu()", "True"]
        + ["((yield self.a.load(ACQUIRE)) & 1023)", "((yield self.b.fetch_xor(5)) & 1023)"]
        + ["((yield self.items[x & 3].load()) & 1023)"]
    )
    if depth == 0:
        return draw(leaf)
    a, b, c = (draw(expressions(depth - 1)) for _ in range(3))
    form = draw(
        st.sampled_from(
            ["leaf", "+", "-", "*", "&", "|", "^", "//", "%", "<<", ">>", "neg", "inv", "not"]
            + ["cmp", "chain", "and", "or", "if", "min", "max", "abs", "mix", "bump", "three"]
        )
    )
    small = f"(abs({b}) & 7)"
    return {
        "leaf": a,
        "//": f"({a} // ({small} + 1))",
        "%": f"({a} % -({small} + 2))",
        "<<": f"(({a} & 1023) << {small})",
        ">>": f"({a} >> {small})",
        "neg": f"(-{a})",
        "inv": f"(~{a})",
        "not": f"(not {a})",
        "cmp": f"({a} {draw(st.sampled_from(['<', '<=', '==', '!=', '>', '>=']))} {b})",
        "chain": f"({a} < {b} <= {c})",
        "and": f"({a} and {b})",
        "or": f"({a} or {b})",
        "three": f"({a} and {b} or not {c})",
        "if": f"({a} if {c} else {b})",
        "min": f"min({a}, {b})",
        "max": f"max({a}, {b})",
        "abs": f"abs({a})",
        "mix": f"self.mix({a} & 1023, {b} & 1023)",
        "bump": f"(yield from self.bump({a}))",
    }.get(form, f"({a} {form} {b})")


@st.composite
def blocks(draw: st.DrawFn, depth: int = 2, *, loops: int = 0, inside: bool = False) -> list[str]:
    """Some statements, one a line."""
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        lines += draw(statements(depth, loops=loops, inside=inside))
    return lines


@st.composite
def statements(draw: st.DrawFn, depth: int, *, loops: int, inside: bool) -> list[str]:
    """One statement."""
    e = draw(expressions())
    v, w = draw(st.sampled_from(VARIABLES)), draw(st.sampled_from(VARIABLES))
    simple = {
        "assign": [f"{v} = ({e}) & 1023"],
        "augment": [f"{v} += ({e}) & 15", f"{v} &= 1023"],
        "swap": [f"{v}, {w} = {w}, {v}"],
        "both": [f"{v} = {w} = ({e}) & 1023"],
        "store": [f"yield self.a.store({e}, RELEASE)"],
        "item": [f"yield self.items[({e}) & 3].swap({v})"],
        "swapped": [f"{v} = (yield self.b.compare_swap({v}, {e})) & 1023"],
        "compute": [f"yield compute(({e}) & 255)"],
        "note": [f"yield note({v})"],
        "reference": [f"slot = self.items[{v} & 3]", f"{v} = (yield slot.load()) & 1023"],
    }
    names = [*simple, "return"]
    if inside:
        names += ["break", "continue"]
    if depth:
        names += ["if", "else", "while", "until", "for", "down"] * 2
    form = draw(st.sampled_from(names))
    if form in simple:
        return simple[form]
    if form in ("return", "break", "continue"):
        what = f"return {v}" if form == "return" else form
        return [f"if ({e}) & 3 == 1:", f"    {what}"]
    looping = form in ("while", "until", "for", "down")
    body = draw(blocks(depth - 1, loops=loops + looping, inside=inside or looping))
    body = ["    " + line for line in body]
    count = draw(st.integers(0, 4))
    if form == "if":
        return [f"if {e}:", *body]
    if form == "else":
        other = draw(blocks(depth - 1, loops=loops, inside=inside))
        return [f"if {e}:", *body, "else:", *("    " + line for line in other)]
    counter = f"n{loops}"
    if form == "while":
        head = [f"{counter} = {count}", f"while {counter} > 0 and {e} != 9999:"]
        return [*head, f"    {counter} -= 1", "    yield pause()", *body]
    if form == "until":
        head = [f"{counter} = 0", "while True:", f"    if {counter} >= {count}:", "        break"]
        return [*head, f"    {counter} += 1", "    yield pause()", *body]
    if form == "for":
        return [f"for {v} in range(({e}) & 3, {count}):", "    yield pause()", *body]
    return [f"for {v} in range({count}, -1, -2):", *body]


@st.composite
def sources(draw: st.DrawFn) -> str:
    """The text of a file with the class ``Random`` and its program ``run(x, y)``."""
    lines = [*draw(blocks()), f"return {draw(expressions())}"]
    return HEAD + "".join(f"        {line}\n" for line in lines)
