"""The answer of ``locklab check --weaken``: orders, and what breaks where one is weaker."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.markup import escape
from typing_extensions import TypedDict

from lockui import tables
from lockui.console import say
from lockui.report import Report

if TYPE_CHECKING:
    from rich.console import Console

    from locksim.checker.weakest import Loss, Weakest, WeakestOrder
    from locksim.compiler.orders import Change

COLUMNS = ("line", "operation", "given", "weakest", "if weaker")


class LossAnswer(TypedDict):
    """What happens with an order that is weaker than the weakest one.

    ``verdict`` is "violated", "unfinished" (not decided), or "proven within limits", where the
    given orders are proven without any. ``found`` is the property that is violated, in ``client``
    with ``threads`` threads and ``rounds`` rounds; docs/explain/checker.md has the parts of a
    ``counterexample``.
    """

    order: str
    verdict: str
    limits: list[str]
    found: str
    client: str
    threads: int
    rounds: int
    counterexample: dict[str, Any] | None


class OrderAnswer(TypedDict):
    """An operation: the order that the source gives, and the weakest one.

    An order is RELAXED, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST, or "none" for a fence that is not
    needed. Of an operation that no thread has ``performed`` nothing is known. ``losses`` has the
    next weaker orders.
    """

    line: int
    column: int
    method: str
    operation: str
    given: str
    weakest: str
    performed: bool
    losses: list[LossAnswer]


class WeakestAnswer(TypedDict):
    """Orders of which no single one can be weaker (``--weaken``).

    ``verdict`` is "proven" or "proven within limits" with the weakest orders, or "unfinished" if
    some are not decided; ``elsewhere`` is file → number of operations there whose orders stay as
    they are.
    """

    lock: str
    threads: int
    rounds: int
    memory: str
    property: str
    verdict: str
    limits: list[str]
    checks: int
    states: int
    seconds: float
    orders: list[OrderAnswer]
    elsewhere: dict[str, int]


def report_of(found: Weakest, *, strict: bool) -> Report[WeakestAnswer]:
    """Return the answer, for orders that are proven; its exit code is 3 if some are not decided.

    Arguments:
        found: the orders. strict: whether a proof within limits is not enough.
    """
    from locksim.checker.limits import exit_code

    def show(view: Console) -> None:
        _print(view, found)

    document = _document(found)
    return Report(document, show, exit_code([document["verdict"]], strict=strict))


def _document(found: Weakest) -> WeakestAnswer:
    verdict = found.verdict
    return {
        "lock": verdict.lock,
        "threads": verdict.threads,
        "rounds": verdict.rounds,
        "memory": verdict.memory,
        "property": verdict.property,
        "verdict": verdict.verdict if found.decided else "unfinished",
        "limits": verdict.limits,
        "checks": found.checks,
        "states": found.states,
        "seconds": found.seconds,
        "orders": [_order(one) for one in found.orders],
        "elsewhere": dict(found.elsewhere),
    }


def _order(one: WeakestOrder) -> OrderAnswer:
    operation = one.operation
    return {
        "line": operation.position[1],
        "column": operation.position[2] + 1,
        "method": operation.method,
        "operation": operation.text,
        "given": name_of(operation.order),
        "weakest": name_of(one.order),
        "performed": one.performed,
        "losses": [_loss(loss) for loss in one.losses],
    }


def _loss(loss: Loss) -> LossAnswer:
    verdict, shown = loss.verdict, loss.verdict.counterexample
    return {
        "order": name_of(loss.order),
        "verdict": verdict.verdict,
        "limits": verdict.limits,
        "found": verdict.found,
        "client": verdict.client,
        "threads": verdict.threads,
        "rounds": verdict.rounds,
        "counterexample": None if shown is None else shown.to_json(),
    }


def name_of(order: Change) -> str:
    """Return the name of an order, "none" for a fence that is gone."""
    return order if isinstance(order, str) else order.name


def breaks(one: WeakestOrder) -> list[str]:
    """Return what each next weaker order breaks, a line of text for each."""
    from locksim.checker.replay.render import brief

    lines = []
    for loss in one.losses:
        shown, limits = loss.verdict.counterexample, loss.verdict.limits
        says = f"only within limits: {limits[0]}" if loss.verdict.is_proof() else "not decided"
        says = says if shown is None else brief(shown)
        lines.append(f"{name_of(loss.order)}: {says}" if len(one.losses) > 1 else says)
    return lines if one.performed else ["not performed"]


def _print(view: Console, found: Weakest) -> None:
    table = tables.table()
    for name in COLUMNS:
        tables.add(table, name, right=name == "line", fold=name in ("operation", "if weaker"))
    for one in found.orders:
        operation = one.operation
        cells = (operation.text, name_of(operation.order), name_of(one.order))
        table.add_row(str(operation.position[1]), *map(escape, (*cells, "\n".join(breaks(one)))))
    tables.print_table(view, table)
    view.print()
    for line in sentences(found):
        say(line, view)


def sentences(found: Weakest) -> list[str]:
    """Return the verdict in a line, and below it what to know of it."""
    verdict = found.verdict
    strong = [one.operation.position[1] for one in found.orders if one.too_strong]
    unknown = [one.operation.position[1] for one in found.orders if not one.decided]
    idle = [one.operation.position[1] for one in found.orders if not one.performed]
    word = verdict.verdict if found.decided else "unfinished"
    lines = [
        f"{verdict.lock}, {verdict.threads} threads, {verdict.memory}, {verdict.property}: {word} "
        f"with the weakest orders ({found.checks} checks, {found.states:,} states, "
        f"{found.seconds:.2f} s)"
    ]
    if strong:
        count = "1 order is" if len(strong) == 1 else f"{len(strong)} orders are"
        lines.append(f"  {count} stronger than this check needs: {_lines(strong)}")
    else:
        lines.append("  no order is stronger than this check needs")
    if unknown:
        lines.append(
            f"  not decided within the budget, so kept: {_lines(unknown)}; raise --max-time or "
            "--max-states"
        )
    if any(one.losses for one in found.orders):
        lines.append("  no single order can be weaker; other choices may be as good")
    if verdict.memory == "tso":
        lines.append("  this is what x86 needs; a compiler may reorder more: --memory c11")
    if idle:
        lines.append(f"  no thread performs {_lines(idle)}: nothing is known of it")
    if found.elsewhere:
        files = ", ".join(sorted(Path(file).name for file in found.elsewhere))
        lines.append(f"  orders in {files} stay as they are")
    return [*lines, *(f"  {limit}" for limit in verdict.limits)]


def _lines(numbers: Sequence[int]) -> str:
    """Return "line 36", or "lines 36, 49"."""
    several = sorted(set(numbers))
    return f"line{'s' * (len(several) > 1)} {', '.join(map(str, several))}"
