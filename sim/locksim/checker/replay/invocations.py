"""What the client asks of the lock: its calls, above the memory steps that they are made of.

The checker runs unfolded code, in which a call is a jump into a private copy of the method. So the
row that a thread is at says which calls it is in. The outermost call that is not the client's own
is what a reader knows by name: ``lock.acquire()``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from locksim.checker.models.model import Model
from locksim.checker.replay.names import Names
from locksim.lang.fields import array, part, word
from locksim.lang.struct import Struct


@dataclass
class Invocation:
    """A call that the client makes.

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
        return f"{self.call}({', '.join(map(str, self.arguments))})"


class Invocations:
    """The calls on a path, found while it is walked.

    Arguments:
        model: of what. names: of its objects. regs: the registers of the thread that runs.
    """

    def __init__(self, model: Model, names: Names, regs: list[int]) -> None:
        self.model, self.names, self.regs = model, names, regs
        self.found: list[Invocation] = []
        self.open: dict[int, Invocation] = {}
        self.step, self.thread, self.call = -1, 0, -1
        client = type(model.memory.root)
        self.outermost: list[int] = []
        own: list[bool] = []
        for number, call in enumerate(model.program.calls):
            kind, _, method = call.method.rpartition(".")
            whole = call.caller < 0 or own[call.caller]
            mine = whole and kind == client.__name__ and hasattr(client, method)
            own.append(call.caller < 0 or mine)
            above = -1 if call.caller < 0 else self.outermost[call.caller]
            self.outermost.append(-1 if own[-1] else number if above < 0 else above)

    def act(self, step: int, thread: int, pc: int) -> None:
        """A thread begins a step (-1: it starts) at a row; a step of memory belongs to its call."""
        self.step, self.thread, self.call = step, thread, self._call(pc)
        if step >= 0 and self.call >= 0 and thread in self.open:
            self.open[thread].steps.append(step)

    def ran(self, pc: int) -> None:
        """The thread comes to a row, whose registers are as they are before it runs."""
        now = self._call(pc)
        if now == self.call:
            return
        calls = self.model.program.calls
        if self.call >= 0 and (over := self.open.pop(self.thread, None)) is not None:
            result = calls[self.call].result
            over.ended, over.result = self.step, self.regs[result] if result >= 0 else None
        if now >= 0:
            address, *arguments = (int(self.regs[r]) for r in calls[now].given)
            name = self._name(address, calls[now].method)
            new = Invocation(self.thread, name, arguments, self.step, None, None, [])
            self.found.append(new)
            self.open[self.thread] = new
        self.call = now

    def _call(self, pc: int) -> int:
        number = self.model.program.call_of[pc]
        return -1 if number < 0 else self.outermost[number]

    def _name(self, address: int, method: str) -> str:
        """A method on the object at an address: ``lock.acquire``, ``Node@5.unlink``."""
        kind, _, name = method.rpartition(".")
        for at, whose, path in _parts(self.model.memory.root, ""):
            if (at, whose) == (address, kind):
                return f"{path}.{name}"
        on_heap = self.names.object(address)
        return f"{on_heap[1:] if on_heap.startswith('&') else kind}.{name}"


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
