"""How deep a text nests: no tree is higher than its measure, and what people write is far below."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locksim.compiler.diagnostics import CompileError
from locksim.compiler.nesting import LIMIT, depths, too_deep
from locksim.compiler.sources import parse
from locksim.library.registry import entries

DEEP = {
    "brackets": "x = " + "(" * 3_000 + "1" + ")" * 3_000,
    "open brackets": "x = " + "[" * 3_000,
    "a sum": "x = " + "+".join(["1"] * 5_000),
    "powers": "x = " + "**".join(["1"] * 5_000),
    "a sum in each bracket": "x = " + "(" * 60 + "1" + ("+1" * 60 + ")") * 60,
    "signs": "x = " + "-" * 5_000 + "1",
    "negations": "x = " + "not " * 5_000 + "1",
    "attributes": "x = y" + ".a" * 5_000,
    "calls": "x = y" + "()" * 5_000,
    "conditions": "x = " + "1 if y and z else " * 3_000 + "1",
    "functions": "x = " + "lambda a, b: " * 3_000 + "1",
    "elif": "if x:\n  pass\n" + "elif x:\n  pass\n" * 3_000,
    "elif in elif": "if x:\n  if x:\n    pass\n" + "  elif x:\n    pass\n" * 3_000,
}
"""Each ends Python in a browser, if it comes to the parser."""
FLAT = {
    "a list": "x = [" + "a + b, " * 3_000 + "]",
    "and": "x = " + " and ".join(["f(a) < b"] * 1_000),
    "comparisons": "x = " + " < ".join(["a"] * 3_000),
    "lines": "x = a + b\n" * 3_000,
    "ifs": "if x:\n  pass\nelse:\n  pass\n" * 3_000,
    "a long string": "x = '" + "((((" * 3_000 + "'  # " + "[" * 3_000 + "\n",
}


def measure(text: str) -> int:
    """The deepest place."""
    return max(depth for depth, _ in depths(text))


def height(node: ast.AST) -> int:
    """The height of a tree."""
    below = [node]
    for levels in range(10_000):
        below = [child for one in below for child in ast.iter_child_nodes(one)]
        if not below:
            return levels
    raise AssertionError("endless")


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_what_is_too_deep_does_not_come_to_the_parser(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message is that of the language, with a place, and what to do."""
    monkeypatch.setattr("locksim.compiler.sources.ast.parse", None)
    with pytest.raises(CompileError, match="nested too deeply") as caught:
        parse(text, "lock.py")
    assert "too-deep" == caught.value.code
    assert 1 <= caught.value.line <= text.count("\n") + 1


@pytest.mark.parametrize("text", FLAT.values(), ids=FLAT)
def test_what_is_long_and_flat_is_no_problem(text: str) -> None:
    """Elements, operands of 'and', comparisons and lines do not add up."""
    assert measure(text) < 10


def test_the_library_is_far_below_the_limit() -> None:
    """Every lock of the library, by the text that is parsed."""
    import inspect

    texts = [inspect.getsource(inspect.getmodule(entry.struct)) for entry in entries()]
    assert max(map(measure, texts)) < LIMIT / 8


def expressions() -> st.SearchStrategy[str]:
    """Expressions of all that nests, in brackets, so that each combination is one."""
    leaf = st.sampled_from(["x", "1", "self.a"])

    def nested(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.one_of(
            st.builds("({}) {} ({})".format, inner, st.sampled_from("+-*|&"), inner),
            st.builds("({}) ** ({})".format, inner, inner),
            st.builds("({}) and ({}) < ({})".format, inner, inner, inner),
            st.builds("({}) if ({}) else ({})".format, inner, inner, inner),
            st.builds("{}({})".format, st.sampled_from(["not ", "-", "f", "lambda a, b: "]), inner),
            st.builds("[({}), ({})][({})]".format, inner, inner, inner),
            st.builds("({}).m".format, inner),
        )

    return st.recursive(leaf, nested, max_leaves=40)


@given(expressions())
def test_no_tree_is_higher_than_its_measure(text: str) -> None:
    """With the brackets that the text has, and without those that the tree does not need."""
    tree = ast.parse(text, mode="eval")
    # An expression's own node, and what stands below a name: neither nests.
    assert height(tree) - 2 <= min(measure(text), measure(ast.unparse(tree)))
    assert (too_deep(text) is None) == (measure(text) <= LIMIT)
