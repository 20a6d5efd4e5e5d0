"""Accesses beyond variables and blocks, and local variables without a value."""

from __future__ import annotations

from pathlib import Path

import pytest

from locknative.errors import NativeError
from locknative.explorer import Program, Search
from locknative.explorer.search import run
from locknative.explorer.sections import GAP, rewrite_sections
from locksim.checker.limits import is_proof

PROGRAMS = Path(__file__).parents[1] / "programs"


@pytest.mark.parametrize("case", range(7))
def test_an_access_beyond_a_variable_is_found(case: int) -> None:
    """By a pointer or by an index, before or behind; and what stays inside is none."""
    with Program([PROGRAMS / "bounds.c"], [f"CASE={case}"]) as program:
        found = run(program, Search())
    assert ("memory" if case else "") == found.found
    assert case or is_proof(found.verdict)


def test_a_local_variable_without_a_value_is_refused(tmp_path: Path) -> None:
    """Where the compiler sees it, with the line; a function that nothing uses is left alone."""
    file = tmp_path / "nothing.c"
    text = "static inline int get(void)\n{\n    int nothing;\n    return nothing;\n}\n"
    file.write_text(text + "int main(void) { return get(); }\n")
    with pytest.raises(NativeError, match=r"nothing\.c:4:12: .*nothing.*: give the variable"):
        Program([file])
    file.write_text(text + "int main(void) { return 0; }\n")
    Program([file]).close()


def test_a_local_variable_begins_with_a_pattern() -> None:
    """Where the compiler cannot tell that one has no value, the program finds an odd one."""
    file = PROGRAMS.parent / "unseen/second/w22_uninit_local.c"
    with Program([file]) as program:
        assert "assertion" == run(program, Search()).found


def test_gaps_lie_between_variables_only() -> None:
    """A named section keeps its layout, so that it can be an array."""
    variable = "\t.align 4\n\t.type\tx, @object\n\t.size\tx, 4\nx:\n\t.zero\t4\n"
    for section, gaps in (("\t.data\n", 3), ("\t.bss\n", 3), ('\t.section\tmine,"aw"\n', 0)):
        assert gaps == rewrite_sections(section + variable).count(f"\t.zero\t{GAP}")
