"""A specification is a program: does an object do what its atomic twin does?

    from locksim.checker.spec import check_spec

    check_spec(MSQueue, FIFO, threads=2, memory="tso").verdict   # "proven"

A specification is a struct in the language whose operations run one at a time (:mod:`sequential`).
An object is right if each history of its operations, whatever the interleaving, could be one of the
specification: some order of the operations, which a condition must agree with, gives every result.

*Plans* (:mod:`calls`). Every way in which a few threads can call a few operations; those that the
specification forbids are left out (a release without an acquire). Each plan is a client, explored
like any other: deadlock, dead memory, assertions, races and leaks are looked for as usual.

*Histories* (:mod:`client`). The client is written in the language too. It stores what its
operations returned, and what each thread had seen to be over. So the final states of an exploration
hold exactly the histories that there are, the memory models need no hook, and a counterexample
replays as any other does. "Over before" means what a client can know, under each memory model in
its own way.

*Explanations* (:mod:`history`). For each different history all orders are searched, with the states
of the specification as sets; so the specification may be nondeterministic. That is sound and
complete for these clients: an order that is found is checked by running the specification, and a
history that no order explains is shown with the run that ends in it.

*Used memory* (:mod:`turns`). A load of operations in turns, after which an object is as it began.

*Not covered.* Operations that never return (a deadlock says so); more threads, operations or
arguments than the plans have; other clients' own data under c11.
"""

from locksim.checker.spec.check import check_spec, clients, thread_count
from locksim.checker.spec.history import CONDITIONS

__all__ = ["CONDITIONS", "check_spec", "clients", "thread_count"]
