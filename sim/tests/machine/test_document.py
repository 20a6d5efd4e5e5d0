"""What is written as TOML is read back by tomllib, whatever its keys and values are."""

import math
import tomllib
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from locksim.machine.document import toml

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
KEYS = TEXTS | st.sampled_from(["a", "a b", "a.b", 'a"b', "a'b", "", "é", "a\nb", "\x7f", "a=b"])
VALUES = (
    TEXTS
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.sampled_from(["\x00\x1f\x7f\x85", "line\r\nline", '"""', "\\u0041"])
)
LISTS = st.lists(VALUES | st.dictionaries(KEYS, VALUES, max_size=2), max_size=3)
DOCUMENTS = st.recursive(
    st.dictionaries(KEYS, VALUES | LISTS, max_size=4),
    lambda tables: st.dictionaries(
        KEYS, VALUES | LISTS | tables | st.lists(tables, max_size=2), max_size=4
    ),
    max_leaves=6,
)


@given(DOCUMENTS, TEXTS)
@example({"a b": {"c.d": {"x y": math.inf}}}, "")
@example({"a": {}, "least": -math.inf}, "a\x07b")
def test_round_trip(document: dict[str, Any], head: str) -> None:
    """Tables, keys and values come back equal; a comment, whatever its text, adds nothing."""
    assert document == tomllib.loads(toml(document, head))


def test_layout() -> None:
    """Values come before tables, and each table has an empty line and its comment above it."""
    document = {
        "name": "small",
        "cost": {"load": 1.5, "transfer": {"node": {"ns": 40, "from": [0, 1]}}},
        "level": [{"size": 1}, {"size": 2}],
    }
    comments = {"cost": "Costs in ns.", "cost.transfer": "Between caches,\nmeasured."}
    expected = """\
# A machine.
name = "small"

# Costs in ns.
[cost]
load = 1.5

# Between caches,
# measured.

[cost.transfer.node]
ns = 40
from = [0, 1]

[[level]]
size = 1

[[level]]
size = 2
"""
    assert expected == toml(document, "A machine.", comments)
