"""The states of a specification: its methods, run one after another by one thread at a time.

A specification's method is explored like any program, alone and under sequential consistency. What
it can do from a state is the set of its ends: one for an ordinary method, several where it draws
``random_below()``, none where it waits for what no other thread will bring now.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from locksim.checker.errors import CheckError
from locksim.checker.models.model import Model, address_of, model
from locksim.checker.replay import counterexample as ce
from locksim.checker.search.explore import Request, explore
from locksim.checker.search.runner import PLAIN
from locksim.compiler.frontend import compile_class, compile_source
from locksim.compiler.ir import MethodCode
from locksim.lang.struct import Struct, Workload

if TYPE_CHECKING:
    from locksim.checker.spec.calls import Call

State = tuple[int, ...]
MOST_STATES = 10_000
"""Of one call of a specification; one with more counts as endless."""
USUAL_MOST = 2
"""The numbers that a parameter takes if the specification does not say: 1 to this."""

_NO_OPERATIONS = ("setup", "invariant")


@dataclass(frozen=True)
class Method:
    """A method of a specification.

    Arguments:
        name: its own. parameters: their names. most: the largest number that each takes.
        returns: whether it has a result.
    """

    name: str
    parameters: tuple[str, ...]
    most: tuple[int, ...]
    returns: bool


class Specification:
    """An atomic object: its methods, and what each does in each state.

    Arguments:
        struct: its class or description. threads: how many will use it.

    Raises:
        CheckError: it has no methods, or allocates.
        CompileError: it is outside the language.
    """

    def __init__(self, struct: Struct | type[Struct], threads: int) -> None:
        self.struct = struct() if isinstance(struct, type) else struct
        self.threads = threads
        cls = type(self.struct)
        self.name = cls.__name__
        self.methods = {
            name: _method(cls, method)
            for name, method in compile_class(cls).methods.items()
            if method.is_program and name not in _NO_OPERATIONS and not name.startswith("_")
        }
        if not self.methods:
            raise CheckError(
                f"{self.name} has no operations: it cannot specify anything\n"
                "help: write a method with a yield for each operation"
            )
        self._models: dict[tuple[Call, int], Model] = {}
        self._outcomes: dict[tuple[State, Call, int], frozenset[tuple[State, int]] | None] = {}

    def start(self, call: Call) -> State:
        """The state before the first call."""
        return tuple(self._model(call, 0).shared)

    def outcomes(
        self, state: State, call: Call, thread: int
    ) -> frozenset[tuple[State, int]] | None:
        """What a call can do: pairs of the next state and the result.

        None if an assertion of the specification forbids the call here; empty if it has to wait.

        Raises:
            CheckError: the call goes wrong in another way, or does not end.
        """
        key = state, call, thread
        if key not in self._outcomes:
            self._outcomes[key] = self._explored(state, call, thread)
        return self._outcomes[key]

    def _explored(
        self, state: State, call: Call, thread: int
    ) -> frozenset[tuple[State, int]] | None:
        built = self._model(call, thread)
        if len(state) != len(built.shared):
            raise CheckError(
                f"{self.name} allocates: a specification keeps its state in words and arrays"
            )
        request = Request(deadlock=False, max_states=MOST_STATES)
        found = explore(replace(built, shared=list(state)), request, by=PLAIN)
        if found.status:
            wrong = ce.of_path(found.relied, found.violation, found.status)
            if wrong.found in ("assertion", "exclusion"):
                return None
            raise CheckError(f"the specification {self.name} fails: {wrong.message}")
        if not found.complete:
            raise CheckError(f"the specification's {self.name}.{call} does not end")
        at = address_of(built.memory, "result")
        ends = set()
        for final in found.finals:
            after = found.shared_row(found.row_numbers(final)[-1])
            result, after[at] = after[at], 0
            ends.add((tuple(after), result))
        return frozenset(ends)

    def _model(self, call: Call, thread: int) -> Model:
        """One call by one of the threads; the others do nothing."""
        if (call, thread) not in self._models:
            text = _ONE_CALL.format(
                call=call,
                takes="result = " if self.methods[call.method].returns else "",
                keeps="yield self.result.store(result)"
                if self.methods[call.method].returns
                else "pass",
            )
            cls = compile_source(text, f"{self.name}.{call}")["OneCall"].struct
            workload = cls(object=self.struct, who=thread)
            assert isinstance(workload, Workload)
            self._models[call, thread] = model(workload, self.threads, "sc")
        return self._models[call, thread]


_ONE_CALL = textwrap.dedent('''\
    from locksim.lang import *


    class OneCall(Workload):
        """One call of a specification."""

        who = param(0)
        object = part(Struct)
        result = word()

        def thread(self):
            if thread() == self.who:
                {takes}yield from self.object.{call}
                {keeps}
    ''')


def _method(cls: type[Struct], code: MethodCode) -> Method:
    parameters = code.registers[1 : 1 + len(code.arg_types)]
    returns = any(i.op == "RET" and i.args[0] != 0 for i in code.instrs)
    most = tuple(int(getattr(cls, name.upper(), USUAL_MOST)) for name in parameters)
    return Method(code.name, parameters, most, returns)
