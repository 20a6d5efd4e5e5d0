"""TCP over the loopback: nothing is lost, packets carry batches, who has to wait is woken."""

import pytest
from engine.engine_pair import compare, run_pair
from hypothesis import given
from hypothesis import strategies as st

from locksim.engine.counters import CPU_COUNTERS, LOCK_COUNTERS
from locksim.engine.fast import engine as fast
from locksim.engine.prepared import prepare
from locksim.lang import NS, Workload, compute, done, n_cpus, param, part, thread
from locksim.library.avc.no_check import NoCheck
from locksim.library.kernel.loopback import Loopback
from locksim.library.schedulers.percpu_queues import PerCpuQueues
from locksim.machine import load


class Pipeline(Workload):
    """Some tasks send into one socket, one receives at the other end."""

    tasks = param(3)
    messages = param(20)
    think_ps = param(0)
    kernel = part(Loopback)

    def thread(self):
        yield from self.kernel.scheduler.idle()

    def task(self):
        yield from self.kernel.scheduler.begin()
        if thread() > n_cpus():
            for _ in range(self.messages):
                yield compute(self.think_ps)
                yield from self.kernel.send(0)
        else:
            for _ in range(self.messages * (self.tasks - 1)):
                yield from self.kernel.receive(1)
                yield done()
        yield from self.kernel.scheduler.exit()


class Deliveries(Workload):
    """On one CPU a reader sleeps on a socket; then packets come, one after another.

    Arguments:
        packets: that come before the reader runs again.
    """

    tasks = param(2)
    packets = param(1)
    kernel = part(Loopback)

    def setup(self):
        # The reader goes first.
        yield self.kernel.scheduler.tasks[n_cpus()].weight.counter.store(20)

    def thread(self):
        yield from self.kernel.scheduler.idle()

    def task(self):
        yield from self.kernel.scheduler.begin()
        if thread() == n_cpus():
            for _ in range(self.packets):
                yield from self.kernel.receive(1)
                yield done()
        else:
            for _ in range(self.packets):
                yield from self.kernel.data_arrives(1, 1)
        yield from self.kernel.scheduler.exit()


def pipeline(*, senders=2, messages=20, think_ps=0, **kernel):
    """A pipeline without access checks."""
    return Pipeline(
        tasks=senders + 1,
        messages=messages,
        think_ps=think_ps,
        kernel=Loopback(cache=NoCheck(), lines=2, **kernel),
    )


def finish(workload, cpus, seed=1):
    """Run to the end on the fast engine."""
    tables = load("pentium3-8way").tables(cpus, "compact")
    image, memory = prepare(workload, tables, heap_lines=0)
    return memory, fast.run(image, memory, tables, seed=seed, until_ps=10**12)


def received(result):
    """Messages that arrived."""
    return int(result.cpu[:, CPU_COUNTERS.index("done")].sum())


@given(
    cpus=st.integers(1, 4),
    senders=st.integers(1, 5),
    messages=st.integers(1, 12),
    capacity=st.integers(1, 30),
    seed=st.integers(0, 2**40),
)
def test_nothing_is_lost(cpus, senders, messages, capacity, seed):
    """All messages arrive, however small the buffer, and nothing is left on the way."""
    workload = pipeline(senders=senders, messages=messages, capacity=capacity)
    memory, result = finish(workload, cpus, seed)
    assert cpus == result.finished
    assert senders * messages == received(result)
    for sock in (memory.root.kernel.socks[i] for i in range(2)):
        left = (sock.owned, sock.backlog, sock.received, sock.unsent, sock.in_flight)
        assert [0] * 5 == [int(result.memory[int(word)]) for word in left]


@pytest.mark.parametrize("scheduler", [None, PerCpuQueues()], ids=["2.4", "a queue a CPU"])
def test_both_engines_agree(scheduler):
    """Tick for tick, with owners that wait, full buffers and sleeping readers."""
    settings = {"scheduler": scheduler} if scheduler else {}
    workload = pipeline(senders=3, messages=4, capacity=2, **settings)
    tables = load("pentium3-8way").tables(3, "compact")
    compare(run_pair(workload, tables, seed=4, until_ps=10**12, heap_lines=0))


def taken(workload, cpus, lock):
    """How often a lock was taken."""
    memory, result = finish(workload, cpus)
    assert workload.packets == received(result)
    return int(result.locks[memory.locks.index(lock), LOCK_COUNTERS.index("total")])


def test_a_packet_before_the_reader_runs_wakes_in_vain():
    """Four packets more: four walks over the wait queue, and not once the run queue's lock."""
    one, five = (Deliveries(packets=n, kernel=Loopback(cache=NoCheck())) for n in (1, 5))
    queue, run_queue = "kernel.socks[1].sleep.lock", "kernel.scheduler.runqueue_lock"
    assert taken(one, 1, queue) + 4 == taken(five, 1, queue)
    assert taken(one, 1, run_queue) == taken(five, 1, run_queue)


def test_who_waits_to_own_a_socket_leaves_the_queue():
    """Six senders on four CPUs meet on the socket, and nobody is left on the queue."""
    memory, result = finish(pipeline(senders=6, messages=40), 4)
    sock = memory.root.kernel.socks[0]
    row = result.locks[memory.locks.index("kernel.socks[0].owners.lock")]
    assert row[LOCK_COUNTERS.index("total")] > 0
    assert [0, 0] == [
        int(result.memory[int(w)]) for w in (sock.owners.entries.first, sock.owners.entries.last)
    ]


def packets(workload, cpus):
    """Packets a message, told by the labels that each asks for."""
    memory, result = finish(workload, cpus)
    row = memory.locks.index("kernel.security_server.lock")
    return result.locks[row, 0] / received(result)


def test_a_fast_sender_fills_packets():
    """On one CPU a sender goes on until it is done: one message, then all the others at once."""
    few = pipeline(senders=1, messages=20, label_lookups=1)
    assert 4 / 20 == packets(few, 1)


def test_a_slow_sender_sends_each_message_alone():
    """A receiver that keeps up acknowledges each message: two packets for every one."""
    slow = pipeline(senders=1, messages=20, think_ps=200_000 * NS, label_lookups=1)
    assert 2 == packets(slow, 2)


def test_a_full_buffer_makes_senders_sleep():
    """With room for two messages there are more switches than with room for all."""

    def switches(capacity):
        _, result = finish(pipeline(senders=3, messages=20, capacity=capacity), 1)
        return result.cpu[:, CPU_COUNTERS.index("switches")].sum()

    assert 3 * switches(60) < switches(2)
