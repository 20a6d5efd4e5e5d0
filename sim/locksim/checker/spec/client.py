"""The client of a plan: a workload that calls the operations, and keeps what each returned.

What a thread can know of the others' operations, it is told in the language: behind each operation
it stores into a word of its own how many are over, with ``RELEASE``; before each it loads the words
of all others, with ``ACQUIRE``. An operation is over, for another, if that one has seen it to be
over before it began. All interleavings are explored, so in some runs the store follows at once and
the loads come last: every operation that could be known to be over is known to be, in some run.
That is what "before" means here, under every memory model:

- sc: every pair of operations that do not overlap. This is linearizability.
- tso: an operation is over once all its stores, and the word behind them, have left the buffer.
- c11: the end of the one happens before the begin of the other.

A word of a thread: how many of its operations are over (three bits), and above that, for each of
them, the last one lowest, how many of each other thread's it had seen (three bits each).
"""

from __future__ import annotations

from dataclasses import dataclass

from locksim.checker.client import TEST_CLIENT, Client
from locksim.checker.spec.calls import Plan
from locksim.checker.spec.history import Explained, Operation, operations
from locksim.checker.spec.sequential import Specification
from locksim.compiler.frontend import compile_source
from locksim.compiler.sources import is_method
from locksim.lang.struct import Struct, Workload


def client(
    implementation: Struct, specification: Specification, plan: Plan, condition: str
) -> Client:
    """The client of a plan.

    Arguments:
        implementation: whose operations are called. specification: what explains the results.
        plan: which operations. condition: a key of CONDITIONS.

    Raises:
        CompileError: an operation takes something else than numbers.
    """
    text = _Source(implementation, specification, plan, condition).text()
    workload = compile_source(text, TEST_CLIENT)["Client"].struct(object=implementation)
    assert isinstance(workload, Workload)
    return Client(str(plan), workload, end=Explained(specification, plan, condition))


@dataclass(frozen=True)
class _Source:
    """A client's source; arguments as for :func:`client`."""

    implementation: Struct
    specification: Specification
    plan: Plan
    condition: str

    def text(self) -> str:
        """The whole workload."""
        todo = operations(self.plan)
        lines = [
            "from locksim.lang import *",
            "",
            "",
            "class Client(Workload):",
            f'    """{self.plan}"""',
            "",
            "    object = part(Struct)",
            f"    returned = array({len(self.plan.threads)})",
            f"    results = array({len(todo)})",
            "",
        ]
        if self.plan.first:
            lines.append("    def setup(self):")
            lines += [f"        yield from self.object.{call}" for call in self.plan.first]
            lines.append("")
        lines.append("    def thread(self):")
        for thread in range(len(self.plan.threads)):
            lines.append(f"        {'el' if thread else ''}if thread() == {thread}:")
            body = ["known = 0"]
            for k, operation in enumerate(todo):
                if operation.thread == thread:
                    body += self._operation(k, operation)
            if self._needs("offline"):
                body.append("yield from self.object.offline()")
            lines += [f"            {line}" for line in body]
        return "\n".join(lines) + "\n"

    def _operation(self, k: int, operation: Operation) -> list[str]:
        """Look what is over, call, say that this is over, and keep the result."""
        thread, call, lines = operation.thread, operation.call, []
        real = self.condition != "sequential-consistency"
        for other in range(len(self.plan.threads)):
            if real and other != thread:
                lines.append(f"seen = yield self.returned[{other}].load(ACQUIRE)")
                lines.append("known = known * 8 + (seen & 7)")
        returns = self.specification.methods[call.method].returns
        lines.append(f"{'result = ' if returns else ''}yield from self.object.{call}")
        if real and len(self.plan.threads) > 1:
            over = f"known * 8 + {operation.place + 1}"
            lines.append(f"yield self.returned[{thread}].store({over}, RELEASE)")
        if returns:
            lines.append(f"yield self.results[{k}].store(result, RELAXED)")
        if self._needs("quiescent"):
            lines.append("yield from self.object.quiescent()")
        return lines

    def _needs(self, method: str) -> bool:
        """Whether threads have to call a method that is no operation, as RCU's users do."""
        struct = type(self.implementation)
        return is_method(struct, method) and method not in self.specification.methods
