"""The lock language: structs of words, and programs that yield one operation at a time.

    from locksim.lang import *

    class TicketLock(Lock):
        next_ticket = word()
        now_serving = word()

        def acquire(self):
            ticket = yield self.next_ticket.fetch_add(1)
            while (yield self.now_serving.load(ACQUIRE)) != ticket:
                yield pause()

        def release(self):
            served = yield self.now_serving.load(RELAXED)
            yield self.now_serving.store(served + 1, RELEASE)

``docs/use/language.md`` describes it, and has a reference made from the docstrings here.
"""

from locksim.lang.fields import array, param, part, percpu, pernode, perthread, pointer, word
from locksim.lang.ops import (
    ACQ_REL,
    ACQUIRE,
    MS,
    NS,
    NULL,
    PS,
    RELAXED,
    RELEASE,
    SEQ_CST,
    US,
    alloc,
    block,
    cast,
    compute,
    cpu,
    done,
    doorway,
    fence,
    free,
    n_cpus,
    n_threads,
    node,
    note,
    now,
    pause,
    random_below,
    random_exponential,
    switch,
    thread,
    timer,
    wake,
)
from locksim.lang.struct import (
    CountedRef,
    CountingSemaphore,
    DecisionCache,
    Lock,
    Program,
    ReadCopyUpdate,
    RWLock,
    SeqLock,
    SleepableRCU,
    Struct,
    Workload,
)

__all__ = [
    "ACQUIRE",
    "ACQ_REL",
    "MS",
    "NS",
    "NULL",
    "PS",
    "RELAXED",
    "RELEASE",
    "SEQ_CST",
    "US",
    "CountedRef",
    "CountingSemaphore",
    "DecisionCache",
    "Lock",
    "Program",
    "RWLock",
    "ReadCopyUpdate",
    "SeqLock",
    "SleepableRCU",
    "Struct",
    "Workload",
    "alloc",
    "array",
    "block",
    "cast",
    "compute",
    "cpu",
    "done",
    "doorway",
    "fence",
    "free",
    "n_cpus",
    "n_threads",
    "node",
    "note",
    "now",
    "param",
    "part",
    "pause",
    "percpu",
    "pernode",
    "perthread",
    "pointer",
    "random_below",
    "random_exponential",
    "switch",
    "thread",
    "timer",
    "wake",
    "word",
]
