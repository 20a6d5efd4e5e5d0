"""Operations that ran in a measurement and in no proof.

A program can be one lock where it is proven and another one where it is measured. A measurement of
such a program says nothing about the proven one. So each proof notes which operations of the
submission it reached, each measurement which ones it ran, and a measurement with an operation that
no proof has reached does not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lockgrader.finding import Operation
from locksim.compiler.bytecode import Place
from locksim.compiler.ir import ClassCode


def operations(places: Iterable[Place], file: str) -> frozenset[Operation]:
    """The operations of one file among some places."""
    return frozenset((p.method, p.index, p.line) for p in places if p.file == file)


def relined(reached: frozenset[Operation], codes: Mapping[str, ClassCode]) -> frozenset[Operation]:
    """The same operations where the text has moved to other lines.

    Arguments:
        reached: operations of classes whose bytecode is the same but for lines.
        codes: the classes as they are now.
    """

    def line(method: str, index: int, before: int) -> int:
        kind, _, name = method.rpartition(".")
        code = codes[kind].methods.get(name) if kind in codes else None
        known = code is not None and 0 <= index < len(code.instrs)
        return code.instrs[index].line if code is not None and known else before

    return frozenset((method, k, line(method, k, before)) for method, k, before in reached)


def unproven(ran: frozenset[Operation], proven: frozenset[Operation]) -> str:
    """What is wrong with a measurement in which these operations ran; "" if nothing is."""
    more = ran - proven
    if not more:
        return ""
    where = "; ".join(
        f"{method}, {_lines({line for name, _, line in more if name == method})}"
        for method in sorted({method for method, _, _ in more})
    )
    return (
        f"{where} ran in the measurement and in no proof: what was measured is not what was "
        "proven\nhelp: remove what happens only on many CPUs or after many uses, or let it happen "
        "with 2 or 3 threads too"
    )


def _lines(numbers: set[int]) -> str:
    """Lines in words: "lines 14-19 and 23"."""
    runs: list[list[int]] = []
    for n in sorted(numbers):
        if runs and n == runs[-1][-1] + 1:
            runs[-1].append(n)
        else:
            runs.append([n])
    words = [str(r[0]) if len(r) == 1 else f"{r[0]}-{r[-1]}" for r in runs]
    text = " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
    return f"line{'s' * (len(numbers) > 1)} {text}"
