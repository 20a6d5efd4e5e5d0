"""Calls above the memory steps that they are made of: the client's, and those into the library.

The checker runs unfolded code, in which a call is a jump into a private copy of the method. So the
row that a thread is at says which calls it is in. The outermost call that is not the client's own
is what a reader knows by name: ``lock.acquire()``. Where a program of the reader's own uses a class
of the library, the outermost call of such a class is one thing to the reader, whatever its steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import locksim
from locksim.checker.client import TEST_CLIENT
from locksim.checker.models.model import Model
from locksim.checker.models.program import Call, Program
from locksim.checker.replay.names import Names, numeral
from locksim.lang.fields import array, part, word
from locksim.lang.struct import Struct

_PACKAGE = Path(locksim.__file__).parent
_CLIENTS = _PACKAGE / "kinds"


@dataclass
class Invocation:
    """A call.

    Arguments:
        thread: who. call: what is called, such as ``lock.acquire``. arguments: their values.
        began: index of the step right after which it begins, -1: before the first.
        ended: index of the step right after which it is over, None: it never is.
        result: what it returns, None for nothing or where it is not over.
        steps: indexes of the memory steps that it is made of.
    """

    thread: int
    call: str
    arguments: list[int]
    began: int
    ended: int | None
    result: int | None
    steps: list[int]

    @property
    def text(self) -> str:
        """As in the source: ``stack.push(5)``."""
        return f"{self.call}({', '.join(map(numeral, self.arguments))})"


class Invocations:
    """The calls on a path, found while it is walked.

    Arguments:
        model: of what. names: of its objects. regs: the registers of the thread that runs.

    Attributes:
        client: what the client calls. library: what a program of the reader's own calls of the
            library; empty where the library itself is checked.
    """

    def __init__(self, model: Model, names: Names, regs: list[int]) -> None:
        self.model, self.names, self.regs = model, names, regs
        self.step, self.thread = -1, 0
        client, library = _outermost(model), _of_library(model.program)
        self._levels = [_Level(client), _Level(library)]
        self.client, self.library = (level.found for level in self._levels)

    def act(self, step: int, thread: int, pc: int) -> None:
        """A thread begins a step (-1: it starts) at a row; a step of memory belongs to its call."""
        self.step, self.thread = step, thread
        number = self.model.program.call_of[pc]
        for level in self._levels:
            level.act(step, thread, number)

    def ran(self, pc: int) -> None:
        """The thread comes to a row, whose registers are as they are before it runs."""
        number = self.model.program.call_of[pc]
        for level in self._levels:
            now = level.of(number)
            if now != level.call:
                level.change(now, self)

    def begun(self, call: Call) -> Invocation:
        """The call that the thread begins."""
        address, *arguments = (int(self.regs[r]) for r in call.given)
        name = self._name(address, call.method)
        return Invocation(self.thread, name, arguments, self.step, None, None, [])

    def _name(self, address: int, method: str) -> str:
        """A method on the object at an address: ``lock.acquire``, ``Node@5.unlink``."""
        kind, _, name = method.rpartition(".")
        for at, whose, path in _parts(self.model.memory.root, ""):
            if (at, whose) == (address, kind):
                return f"{path}.{name}"
        on_heap = self.names.object(address)
        return f"{on_heap[1:] if on_heap.startswith('&') else kind}.{name}"


class _Level:
    """The calls of one level.

    Arguments:
        which: call of the program → the one of this level that it is part of, -1 for none.
    """

    def __init__(self, which: Sequence[int]) -> None:
        self.which, self.call = which, -1
        self.found: list[Invocation] = []
        self.open: dict[int, Invocation] = {}

    def of(self, number: int) -> int:
        return -1 if number < 0 else self.which[number]

    def act(self, step: int, thread: int, number: int) -> None:
        self.call = self.of(number)
        if step >= 0 and self.call >= 0 and thread in self.open:
            self.open[thread].steps.append(step)

    def change(self, now: int, path: Invocations) -> None:
        """The thread leaves a call, comes into one, or both."""
        calls = path.model.program.calls
        if self.call >= 0 and (over := self.open.pop(path.thread, None)) is not None:
            result = calls[self.call].result
            over.ended, over.result = path.step, path.regs[result] if result >= 0 else None
        if now >= 0:
            new = path.begun(calls[now])
            self.found.append(new)
            self.open[path.thread] = new
        self.call = now


def _outermost(model: Model) -> list[int]:
    """Of each call, the outermost around it that is not one of the client's own methods."""
    client = type(model.memory.root)
    found: list[int] = []
    own: list[bool] = []
    for number, call in enumerate(model.program.calls):
        kind, _, method = call.method.rpartition(".")
        whole = call.caller < 0 or own[call.caller]
        mine = whole and kind == client.__name__ and hasattr(client, method)
        own.append(call.caller < 0 or mine)
        above = -1 if call.caller < 0 else found[call.caller]
        found.append(-1 if own[-1] else number if above < 0 else above)
    return found


def _of_library(program: Program) -> list[int]:
    """Of each call, the outermost around it that is of the library; none if all code is."""
    own = {_class(place.method) for place in program.places if _is_own(place.file)}
    clients = {_class(place.method) for place in program.places if is_client(place.file)}
    found: list[int] = []
    for number, call in enumerate(program.calls):
        above = -1 if call.caller < 0 else found[call.caller]
        library = bool(own) and _class(call.method) not in own | clients
        found.append(above if above >= 0 or not library else number)
    return found


def _class(method: str) -> str:
    return method.rpartition(".")[0]


def is_client(file: str) -> bool:
    """Whether a file is one of the library's test clients, or stands for one made for a check."""
    return file == TEST_CLIENT or Path(file).parent == _CLIENTS


def _is_own(file: str) -> bool:
    """Whether a file is the reader's own, not the library's."""
    return file != TEST_CLIENT and not Path(file).is_relative_to(_PACKAGE)


def _parts(struct: Struct, path: str) -> Iterator[tuple[int, str, str]]:
    """Every struct inside a placed one: its address, class and name."""
    for name, field in type(struct).FIELDS.items():
        here = f"{path}.{name}" if path else name
        inside = []
        if isinstance(field, part):
            inside = [(here, getattr(struct, name))]
        elif isinstance(field, array) and not isinstance(field.of, word):
            elements = getattr(struct, name)
            count = struct._layout.slot(name).count  # type: ignore[union-attr]
            inside = [(f"{here}[{i}]", elements[i]) for i in range(count)]
        for where, inner in inside:
            yield int(inner), type(inner).__name__, where
            yield from _parts(inner, where)
