"""Tables as LaTeX: the numbers of the tables for people, escaped, between rules."""

import io

import pytest

from lockui import tables
from lockui.console import console
from lockui.latex import LatexConsole, escaped


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("fixed_lock.py", r"fixed\_lock.py"),
        ("± 95 %", r"\ensuremath{\pm} 95 \%"),
        (r"a\b & {c} #1 $2", r"a\textbackslash{}b \& \{c\} \#1 \$2"),
        ("–", "--"),
        ("1.9 … 2.1", r"1.9 \dots{} 2.1"),
    ],
)
def test_special_signs(text: str, latex: str) -> None:
    """Each is shown as it is."""
    assert latex == escaped(text)


def test_a_table_and_its_words() -> None:
    """Sections are divided by rules, numbers are right; texts become comments."""
    output = LatexConsole(file=io.StringIO())
    view = tables.table()
    tables.add(view, "lock")
    tables.add(view, "M/s", right=True)
    view.add_row("[bold]my_lock[/bold]", "1.90")
    view.add_section()
    view.add_row("mcs", "2.25")
    output.print("on desktop-4\n", markup=False)
    tables.print_table(output, view)
    assert isinstance(output.file, io.StringIO)
    assert [
        "% on desktop-4",
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"lock & M/s \\",
        r"\midrule",
        r"my\_lock & 1.90 \\",
        r"\midrule",
        r"mcs & 2.25 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ] == output.file.getvalue().splitlines()


def test_groups() -> None:
    """A group's name takes a line of its own."""
    output = LatexConsole(file=io.StringIO())
    rows = [("rcu", ["1", "2"]), ("rcu", ["3", "4"]), ("rw_lock", ["5", "6"])]
    tables.print_groups(output, ("", "time"), rows, right=("time",))
    assert isinstance(output.file, io.StringIO)
    assert [
        r"\begin{tabular}{lr}",
        r"\toprule",
        r" & time \\",
        r"\midrule",
        r"\multicolumn{2}{l}{rcu} \\",
        r"1 & 2 \\",
        r"3 & 4 \\",
        r"\multicolumn{2}{l}{rw\_lock} \\",
        r"5 & 6 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ] == output.file.getvalue().splitlines()


def test_facts_without_a_head_are_comments(capsys: pytest.CaptureFixture[str]) -> None:
    """Such as the source of a reproduction."""
    from rich.table import Table

    facts = Table.grid()
    facts.add_row("source", "a mail [1]")
    console(latex=True).print(facts)
    assert "% source  a mail [1]\n" == capsys.readouterr().out
