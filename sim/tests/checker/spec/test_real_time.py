"""The verdicts under sc against a search that shares nothing with it: every schedule, real time.

Here each schedule of the generators is run from its beginning. An operation begins with its first
step and ends with its last one; the object is compared with a Python list or dictionary; and all
permutations of the operations are tried.
"""

import itertools

import pytest
from checker.spec import queues, stacks
from checker.spec.small import CountingNetwork, Dispenser, OwnCopies, Register

from locksim.checker import check_spec
from locksim.checker.replay.reference import ReferenceMachine
from locksim.lang import Struct, Workload, part, thread
from locksim.library.registry import specification


def queue(items, name, *arguments):
    """A queue as a list."""
    if name == "enqueue":
        items.append(*arguments)
        return 0
    return items.pop(0) if items else 0


def stack(items, name, *arguments):
    """A stack as a list."""
    if name == "push":
        items.append(*arguments)
        return 0
    return items.pop() if items else 0


def dispenser(items, name):
    """The numbers that were taken."""
    items.append(0)
    return len(items) - 1


def register(items, name, *arguments):
    """What was written, last one last."""
    if name == "write":
        items.append(*arguments)
        return 0
    return items[-1] if items else 0


def recorded(implementation, plan, log):
    """A workload that calls the operations of a plan and notes when each begins and ends."""

    class Recorded(Workload):
        object = part(Struct)

        def thread(self):
            me = thread()
            for k, (name, *arguments) in enumerate(plan[me]):
                operation, begun, result = getattr(self.object, name)(*arguments), False, None
                while True:
                    try:
                        op = operation.send(result)
                    except StopIteration as end:
                        log.append((me, k, "ends", end.value or 0))
                        break
                    result = yield op
                    if not begun:
                        log.append((me, k, "begins", 0))
                        begun = True

    return Recorded(object=implementation)


def histories(implementation, plan):
    """What is noted in every schedule."""
    found, todo = set(), [[]]
    while todo:
        schedule = todo.pop()
        log = []
        machine = ReferenceMachine(recorded(implementation, plan, log), len(plan), "sc")
        for k in itertools.count():
            able = [t for t in range(len(plan)) if machine.options(t)]
            if not able:
                break
            if k == len(schedule):
                todo += [[*schedule, other] for other in able[1:]]
                schedule.append(able[0])
            machine.run(schedule[k])
        assert machine.over
        found.add(tuple(log))
    return found


def explained(plan, log, model):
    """Whether a permutation that keeps the order in real time gives the results."""
    calls = [(t, k) for t, program in enumerate(plan) for k in range(len(program))]
    at = {(t, k, what): i for i, (t, k, what, _) in enumerate(log)}
    gave = {(t, k): result for t, k, what, result in log if what == "ends"}
    for order in itertools.permutations(calls):
        items = []
        if all(gave[t, k] == model(items, *plan[t][k]) for t, k in order) and all(
            at[(*a, "begins")] < at[(*b, "ends")] for a, b in itertools.combinations(order, 2)
        ):
            return True
    return False


CASES = [
    (Register, Register, register, "write(1); read() | write(2); read()"),
    (OwnCopies, Register, register, "write(1) | read()"),
    (OwnCopies, Register, register, "write(1); read() | write(2); read()"),
    (CountingNetwork, Dispenser, dispenser, "take() | take(); take()"),
    (CountingNetwork, Dispenser, dispenser, "take() | take()"),
    (stacks.PopsByStore, "LIFO", stack, "push(1); pop() | pop()"),
    (stacks.PopsByStore, "LIFO", stack, "push(1); pop() | push(2)"),
    (stacks.PushesByStore, "LIFO", stack, "push(1) | push(2); pop()"),
    (stacks.LinksTooLate, "LIFO", stack, "push(1) | push(2); pop()"),
    (queues.TakesByStore, "FIFO", queue, "enqueue(1); dequeue() | dequeue()"),
    (Register, Register, register, "write(1) | write(2) | read()"),
]
LONG = [
    (queues.SwingsFirst, "FIFO", queue, "enqueue(1) | enqueue(2); dequeue()"),
    (queues.GivesUp, "FIFO", queue, "enqueue(1); dequeue() | dequeue()"),
    (queues.MSQueue, "FIFO", queue, "enqueue(1) | dequeue()"),
    (stacks.TreiberStack, "LIFO", stack, "push(1); pop() | pop()"),
]


@pytest.mark.parametrize(
    ("implementation", "atomic", "model", "asked"),
    [*CASES, *(pytest.param(*case, marks=pytest.mark.slow) for case in LONG)],
)
def test_the_verdict_is_that_of_all_schedules(implementation, atomic, model, asked):
    """Proven if every history in real time has an explanation, violated if one has none."""
    plan = [
        [
            (name, *(int(a) for a in arguments.rstrip(")").split(",") if a))
            for name, arguments in (call.strip().split("(") for call in calls.split(";"))
        ]
        for calls in asked.split("|")
    ]
    expected = all(explained(plan, log, model) for log in histories(implementation, plan))
    known = specification(atomic) if isinstance(atomic, str) else atomic
    verdict = check_spec(implementation, known, operations=asked, property="assertion")
    assert ("proven" if expected else "violated") == verdict.verdict
