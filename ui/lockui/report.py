"""What a command answers: one object that knows its JSON, its tables and its plot.

A command returns a :class:`Report`, and :func:`lockui.command.command` gives it ``--json``. The
type of the document is the published schema (``locklab show schema COMMAND``)::

    class Answer(TypedDict):
        lock: str
        proven: bool

    @command(app)
    def check(lock: LockName) -> Report[Answer]:
        ...
        return Report({"lock": lock, "proven": True}, lambda view: view.print("proven"))

``TypedDict`` comes from ``typing_extensions``: Python's own has no schema before 3.12. A
:class:`Chart` also has ``--latex`` and ``--plot``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from lockui.console import console, say
from lockui.document import plain, print_json
from lockui.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from lockui.plots import Plot

__all__ = ["Chart", "Report", "check_output"]

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True)
class Report(Generic[T_co]):
    """An answer.

    Arguments:
        document: what ``--json`` prints. show: prints the same as tables and text.
        exit_code: of the command, once the answer is printed. after: is called then; it may warn,
            or raise what ended the command early.
    """

    document: T_co
    show: Callable[[Console], None]
    exit_code: int = 0
    after: Callable[[], None] | None = None

    def emit(self, *, json: bool = False) -> None:
        """Print the answer: as JSON, or as tables."""
        if json:
            print_json(self.document)
        else:
            self.show(console())


@dataclass(frozen=True)
class Chart(Report[T_co]):
    """An answer that can be drawn, and whose tables can be LaTeX.

    Arguments:
        picture: makes the plot; called for ``--plot`` only. None: there is nothing to draw.
    """

    picture: Callable[[], Plot] | None = None

    def emit(self, *, json: bool = False, latex: bool = False, plot: Sequence[Path] = ()) -> None:
        """Print the answer, and save its plot in each file."""
        document: Any = self.document
        view = console(latex=latex)
        if not json:
            self.show(view)
        if plot and self.picture is not None:
            from lockui.plots import save_each

            save_each(self.picture(), plot)
            document = {**plain(document), "plots": plot}
            if not json:
                say("\n" + "\n".join(f"plot: {file}" for file in plot), view)
        if json:
            print_json(document)


def check_output(*, json: bool = False, latex: bool = False, plot: Sequence[Path] = ()) -> None:
    """Check before a command runs that its answer can come out so.

    Raises:
        UsageError: a plot has no known ending, or --latex and --json are both given.
    """
    if plot:
        from lockui.plots import check_files

        check_files(plot)
    if latex and json:
        raise UsageError("--latex and --json cannot be used together: choose one")
