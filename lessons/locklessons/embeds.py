"""The trace player and the scheduler's game inside a lesson, for what words cannot show.

Each is the page that ``locklab run --trace`` or ``locklab play schedule`` writes, in a frame of its
own, so that it works in JupyterLab and on the site alike, without a kernel and without a network.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

from locklessons.figures import CAPTION
from locksim.checker.play.graph import graph
from locksim.checker.play.told import of_counterexample
from locksim.checker.replay.render import text
from locksim.kinds.checking import walk_of_lock
from locksim.study.traces.page import document
from locksim.study.traces.player_data import of_trace

if TYPE_CHECKING:
    from locksim.checker import Counterexample
    from locksim.lang.struct import Struct
    from locksim.study.traces.trace import Trace


def play_run(trace: Trace, caption: str, *, height: int = 620) -> None:
    """Show a run in the trace player.

    Arguments:
        trace: the run. caption: the text below, and the frame's name. height: in pixels.
    """
    _show(of_trace(trace), caption, height, caption)


def play_counterexample(found: Counterexample, caption: str, *, height: int = 520) -> None:
    """Show a counterexample step by step; without a browser, as text.

    Arguments:
        found: the checker's. caption, height: as for :func:`play_run`.
    """
    _show(of_counterexample(found, caption), caption, height, text(found))


def you_are_the_scheduler(
    lock: Struct | type[Struct], caption: str, *, height: int = 700, **options: Any
) -> None:
    """Let the reader choose which thread runs next, until the lock is broken.

    Arguments:
        lock: class or description. caption, height: as for :func:`play_run`.
        options: as for :func:`locksim.kinds.checking.walk_of_lock`.

    Raises:
        CheckError: there are too many states for a page.
    """
    _show(graph(walk_of_lock(lock, **options)), caption, height, caption)


def _show(data: dict[str, Any], caption: str, height: int, words: str) -> None:
    from IPython.display import display

    page = html.escape(document(data))
    name = html.escape(caption)
    frame = (
        f'<figure style="margin: 0"><iframe title="{name}" srcdoc="{page}" '
        f'style="width: 100%; height: {height}px; border: 1px solid" loading="lazy"></iframe>'
        f'<figcaption style="{CAPTION}">{name}</figcaption></figure>'
    )
    display({"text/html": frame, "text/plain": words}, raw=True)  # type: ignore[no-untyped-call]
