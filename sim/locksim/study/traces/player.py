"""The player in a notebook: JupyterLab, VS Code, or another program that shows an anywidget.

    from locksim.study.traces.player import Player
    Player.of_trace(trace)                       # show a run
    Player.of_counterexample(verdict.counterexample)
    Player.of_game(MyLock, threads=2)            # you are the scheduler

Needs the extra ``notebook``; pages (``save``) can be written without it, see
:mod:`locksim.study.traces.page`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import anywidget
import traitlets

from locksim.checker.play.game import answer
from locksim.checker.play.told import of_counterexample
from locksim.study.traces import bundle
from locksim.study.traces.page import page
from locksim.study.traces.player_data import of_trace

if TYPE_CHECKING:
    from locksim.checker import Counterexample
    from locksim.checker.play.walk import Walk
    from locksim.lang.struct import Struct
    from locksim.study.traces.trace import Trace


class Player(anywidget.AnyWidget):
    """Shows a trace, a counterexample or a game; space plays, arrows step.

    Arguments:
        data: the data from :mod:`locksim.study.traces.player_data`.
    """

    _esm = bundle.script()
    _css = bundle.style()
    data = traitlets.Dict().tag(sync=True)

    @classmethod
    def of_trace(cls, trace: Trace) -> Player:
        """A player of a run."""
        return cls(data=of_trace(trace))

    @classmethod
    def of_counterexample(cls, found: Counterexample, title: str = "Counterexample") -> Player:
        """A player of a counterexample."""
        return cls(data=of_counterexample(found, title))

    @classmethod
    def of_game(cls, lock: Struct | type[Struct], **options: Any) -> Game:
        """A game in which you are the scheduler and try to break a lock.

        Arguments:
            lock: class or description. options: as for :func:`locksim.kinds.checking.walk_of_lock`.

        Raises:
            CheckError, CompileError, LinkError, SimulationError: the lock cannot be checked.
        """
        from locksim.kinds.checking import walk_of_lock

        return Game(walk_of_lock(lock, **options))

    def save(self, path: str | Path) -> Path:
        """Write a page that shows the same, for any browser.

        Raises:
            OSError: the file cannot be written.
        """
        return page(Path(path), dict(self.data))


class Game(Player):
    """A game with a scheduler; Python computes the result of each move.

    Arguments:
        walk: the program under its memory model.
    """

    def __init__(self, walk: Walk) -> None:
        super().__init__(data=walk.heading())
        self.walk = walk
        self.on_msg(self._answer)

    def _answer(self, _: Any, message: dict[str, Any], __: Any) -> None:
        told = answer(self.walk, message["ask"], message["path"])
        self.send({"id": message["id"]} | told)

    def save(self, path: str | Path) -> Path:
        """Write a page with all states in it.

        Raises:
            CheckError: there are too many. OSError: the file cannot be written.
        """
        from locksim.checker.play.graph import graph

        return page(Path(path), graph(self.walk))
