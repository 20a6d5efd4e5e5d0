"""The weakest memory orders of some locks, in the language and in C.

The tables of docs/evidence/weakest-orders.md.

    python native/benchmarks/weakest_orders.py            print the tables
    python native/benchmarks/weakest_orders.py --write    put them into the page
    python native/benchmarks/weakest_orders.py ticket     of these locks only

In the language ``locklab check LOCK --weaken`` answers. In C each order of the lock's header is
weakened by one step in a copy, one after another, and the explorer is asked about the lock with
that copy: under c11, with two threads. A lock without a header is printed as C by ``emit``. What
the two say of one operation is compared: is the order needed, or not?
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.progress import track

from locknative.compilation import toolchain
from locknative.errors import NativeError
from locknative.explorer import Search
from locknative.explorer.locks import explore_lock
from locksim.checker.search import compiled as _compiled  # noqa: F401  # for small checks, too
from locksim.checker.weakest import Weakest, WeakestOrder
from locksim.cli.weakest import breaks, name_of
from locksim.compiler.orders import GONE, Change, Operation
from locksim.kinds.checking import weaken_lock
from locksim.lang.ops import Order
from locksim.library.registry import resolve

PAGE = Path(__file__).parents[2] / "docs/evidence/weakest-orders.md"
BEGIN, END = (
    "<!-- made by native/benchmarks/weakest_orders.py --write: {} -->",
    "<!-- end of {} -->",
)

LOCKS = {
    **{"ticket": (3, 1), "mcs": (3, 1), "clh": (3, 1), "ttas": (3, 1), "rwlock": (3, 1)},
    **{"qrwlock": (3, 1), "seqlock": (3, 1), "lockref": (2, 2)},
    **{"qspinlock": (4, 1)},
    **{"peterson": (2, 1), "rcu_qsbr": (2, 2)},
}
"""Lock → threads and rounds in the language: the smallest in which each operation is performed."""
BOUNDED = {"lockref": (3, 1), "qspinlock": (4, 2)}
"""Threads and preemptions of the search in C, where two threads do too little."""
NOTHING = "nothing"
"""What a search that is not complete has found."""
WITHOUT_C = ("peterson", "rcu_qsbr")
"""They have no header."""
SECONDS = 20.0
"""CPU time of one exploration."""

_KINDS = {
    **{"load": "load", "store": "store", "exchange": "swap", "thread_fence": "fence"},
    **{"compare_exchange_strong": "compare_swap", "compare_exchange_weak": "compare_swap"},
    **dict.fromkeys(("fetch_add", "fetch_sub", "fetch_and", "fetch_or"), "fetch_add"),
}
_ORDER = re.compile(r"\bmemory_order_(relaxed|acquire|release|acq_rel|seq_cst)\b")
_FUNCTION = re.compile(r"^(?:static )?inline [^;{]*?(\w+)\([^;{]*\)\s*\{", re.MULTILINE)
_CALL = re.compile(r"\b(\w+)\s*\(")
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)


@dataclass(frozen=True)
class HeaderOrder:
    """A memory order in a C header.

    Attributes:
        function: it is in. call: what takes it. word: the last name of what is accessed.
        order: the order. at: where its name is in the text.
        failing: whether it holds where a compare-exchange fails.
    """

    function: str
    call: str
    word: str
    order: Order
    at: tuple[int, int] = field(compare=False)
    failing: bool = False

    @property
    def operation(self) -> Operation:
        """As the language would name it."""
        name = "load" if self.failing else _KINDS.get(self.call, "fetch_add")
        return Operation(("", 0, 0), self.function, name, self.text, self.order)

    @property
    def text(self) -> str:
        """For a reader."""
        failing = ", failing" if self.failing else ""
        return f"{self.word}.{self.call}{failing}" if self.word else self.call


def header_orders(text: str) -> list[HeaderOrder]:
    """Return the orders in a header, in its order."""
    code = _COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)
    functions = [(match.start(), match.group(1)) for match in _FUNCTION.finditer(code)]
    found: list[HeaderOrder] = []
    for match in _ORDER.finditer(code):
        inside = [name for start, name in functions if start < match.start()]
        if not inside:
            continue
        call, start = _call(code, match.start())
        name = call.removeprefix("atomic_").removesuffix("_explicit")
        given = code[start : match.start()]
        found.append(
            HeaderOrder(
                inside[-1],
                name,
                _word(given) if name in _KINDS and name != "thread_fence" else "",
                Order[match.group(1).upper()],
                match.span(),
                failing="compare" in name and "memory_order_" in given,
            )
        )
    return found


def _word(given: str) -> str:
    """The last name in the first of some arguments: ``next`` of ``(&node->next, …``."""
    depth = 0
    for k, letter in enumerate(given):
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 1:
            return re.findall(r"\w+", re.sub(r"\[[^]]*\]$", "", given[:k]))[-1]
    return re.findall(r"\w+", given)[-1]


def _call(code: str, at: int) -> tuple[str, int]:
    """The name of the call that a place is an argument of, and where its arguments begin."""
    depth = 0
    for k in range(at - 1, -1, -1):
        depth += (code[k] == ")") - (code[k] == "(")
        if depth < 0:
            name = re.search(r"(\w+)\s*$", code[:k])
            return (name.group(1) if name else ""), k
    return "", 0


def with_change(text: str, one: HeaderOrder, change: Change) -> str:
    """Return a header's text with another order; a fence that is gone becomes nothing."""
    start, end = one.at
    if change != GONE:
        return f"{text[:start]}memory_order_{name_of(change).lower()}{text[end:]}"
    before = text[:start]
    return f"{before[: before.rindex('atomic_thread_fence')]}(void)({text[start:end]}{text[end:]}"


def header(lock: str) -> str:
    """Return the text of a lock's header."""
    return (toolchain.sources() / f"include/locklab/{lock}.h").read_text(encoding="utf-8")


def explored(lock: str, text: str) -> str:
    """Return what the explorer finds with another header: a property, "proven", or NOTHING."""
    threads, preemptions = BOUNDED.get(lock, (2, None))
    search = Search(threads, preemptions, memory="c11", seconds=SECONDS)
    with TemporaryDirectory(prefix="locklab-orders-") as folder:
        file = Path(folder, "locklab", f"{lock}.h")
        file.parent.mkdir()
        file.write_text(text, encoding="utf-8")
        found = explore_lock(lock, search, includes=[folder])
    if found.verdict == "violated":
        return found.found
    return NOTHING if found.verdict in ("bounded", "unfinished") else "proven"


def in_c(lock: str) -> dict[HeaderOrder, list[tuple[Change, str]]]:
    """Return for each order of a header its next weaker ones, and what the explorer finds there.

    Raises:
        SystemExit: the lock is not proven with its own orders.
    """
    text = header(lock)
    whole = explored(lock, text)
    if whole not in ("proven", NOTHING):
        raise SystemExit(f"{lock} in C: {whole} with its own orders")
    found = {}
    for one in header_orders(text):
        found[one] = [
            (change, explored(lock, with_change(text, one, change)))
            for change in one.operation.next_weaker(one.order)
        ]
        missed = any(says in ("proven", NOTHING) for _, says in found[one])
        if missed and not is_compiled(lock, text, one):
            found[one] = [(change, "not compiled") for change, _ in found[one]]
    return found


def is_compiled(lock: str, text: str, one: HeaderOrder) -> bool:
    """Return whether an order is in a branch of the preprocessor that the compiler sees."""
    start, end = one.at
    try:
        explored(lock, f"{text[:start]}no_such_order{text[end:]}")
    except NativeError:
        return True
    return False


def counterparts(
    operations: Sequence[Operation], c: Iterable[HeaderOrder]
) -> dict[Operation, HeaderOrder]:
    """Return the C order of each operation that has one.

    The two are in functions of one name, do the same there, and have the same order.
    """
    free = [one for one in c if not one.failing]
    found = {}
    for operation in operations:
        method = operation.method.rpartition(".")[2]
        for one in free:
            same = one.function.endswith(f"_{method}") and one.order == operation.order
            if same and _kind(one.operation.name) == _kind(operation.name):
                found[operation] = one
                free.remove(one)
                break
    return found


def _kind(name: str) -> str:
    """An operation's name; the fetch-and-… are one, as fetch_sub has no other name here."""
    return name.partition("_")[0] if name.startswith("fetch") else name


def tables(locks: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the name and the Markdown of each table."""
    language = [
        "| lock | threads, rounds | checks | states | CPU s | orders | needed | too strong |"
    ]
    language += ["|---|---|---:|---:|---:|---:|---:|---:|"]
    orders = ["| lock | method | operation | given | weakest | if weaker | in C |"]
    orders += ["|---|---|---|---|---|---|---|"]
    alone = ["| lock | function | operation | given | if weaker |", "|---|---|---|---|---|"]
    for lock in track(locks, "checking", console=Console(stderr=True)):
        threads, rounds = LOCKS[lock]
        found = weaken_lock(resolve(lock).struct, threads=threads, rounds=rounds)
        if not found.decided:
            raise SystemExit(f"{lock}: not decided: {found.verdict}")
        language.append(_cost(lock, found))
        c = {} if lock in WITHOUT_C else in_c(lock)
        pairs = counterparts([one.operation for one in found.orders], c)
        for one in found.orders:
            if one.losses or one.too_strong or not one.performed:
                there = c[pairs[one.operation]] if one.operation in pairs else None
                orders.append(_order(lock, one, there))
        for extra in c:
            if c[extra] and extra not in pairs.values():
                cells = [lock, extra.function, extra.text, extra.order.name, _changes(c[extra])]
                alone.append(_line(cells))
    yield "costs", "\n".join(language)
    yield "orders", "\n".join(orders)
    yield "c", "\n".join(alone)


def _cost(lock: str, found: Weakest) -> str:
    needed = sum(bool(one.losses) for one in found.orders)
    strong = sum(one.too_strong for one in found.orders)
    size = f"{found.verdict.threads}, {found.verdict.rounds}"
    counts = [f"{found.checks}", f"{found.states:,}", f"{found.seconds:.1f}"]
    return _line([lock, size, *counts, str(len(found.orders)), str(needed), str(strong)])


def _order(lock: str, one: WeakestOrder, c: Sequence[tuple[Change, str]] | None) -> str:
    operation = one.operation
    names = [name_of(operation.order), name_of(one.order)]
    cells = [lock, operation.method.rpartition(".")[2], f"`{operation.text}`", *names]
    says = "; ".join(breaks(one)).replace("|", "\\|")
    return _line([*cells, says, "–" if c is None else _changes(c)])


def _changes(c: Sequence[tuple[Change, str]]) -> str:
    """What the explorer says of the next weaker orders."""
    said = [f"{name_of(change)}: {found}" if len(c) > 1 else found for change, found in c]
    return "; ".join(said) or "–"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def main() -> int:
    """Ask both, and print or write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the tables into the page")
    parser.add_argument("locks", nargs="*", help="by default all")
    asked = parser.parse_args()
    for name, table in tables(asked.locks or [*LOCKS]):
        if not asked.write:
            print(f"{table}\n")
            continue
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN.format(name))
        _, _, after = rest.partition(END.format(name))
        made = f"{BEGIN.format(name)}\n{table}\n{END.format(name)}"
        PAGE.write_text(f"{before}{made}{after}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
