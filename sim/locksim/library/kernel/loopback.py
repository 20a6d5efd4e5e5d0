"""TCP over the loopback device in Linux 2.4: sockets with owners, packets, and where tasks sleep.

Sockets 2k and 2k + 1 are the two ends of a connection. One unit of data is a message: what one
``send`` puts in and one ``receive`` takes out.

**The socket's lock** is two things (include/net/sock.h, net/core/sock.c). A spinlock guards a mark,
``owned``: a system call sets it (``lock_sock``) and sleeps while another one has it, on a queue of
exclusive waiters. Interrupts cannot sleep: a packet for a socket that is owned goes to its backlog,
which the owner works off before it lets go (``release_sock``), without the spinlock. Then it calls
``wake_up`` if a task is on the queue. A woken task leaves the queue only when it runs and finds the
socket free. So each owner that releases the socket before that calls again, and wakes the next.

**Packets.** Nagle's rule: while a segment is unacknowledged, further messages only join the one
that waits. The receiver acknowledges when its reader has emptied the queue (``cleanup_rbuf``); the
acknowledgement sends what has gathered meanwhile. So a batch is what senders write in the time that
the reader takes, and costs two packets, one each way.

A packet has two halves. The task that owns the socket sends it. A softirq of the same CPU receives
it. 2.4.3 runs that softirq on the way back to user space and before a task sleeps
(``ret_from_sys_call`` in arch/i386/kernel/entry.S, ``schedule``), not at the moment when bottom
halves are enabled again. By then the system call has released its own socket. So the reader pays
for the work of an acknowledgement and of the next batch.

**Sleepers.** A socket has one wait queue for its reader (``tcp_data_wait``) and for writers that
found its buffer full (``wait_for_tcp_memory``). Data that arrive wake all of them, whatever they
wait for (``sock_def_readable``), and so does space if a writer asked for it (``tcp_new_space``). A
task that waits stays on that queue until it owns the socket again; while it waits for that it is
UNINTERRUPTIBLE, which a wake-up by data does not touch.

**Costs.** A system call has a part outside the socket's lock (``entry_ps``) and one inside
(``send_ps``, ``recv_ps``), which reads and writes ``lines`` of the kernel's shared data lines: some
of ``SHARED_LINES`` by chance, as the source does not say which the network code shares. Access
checks stand between the parts of that work, some before the socket is owned and some after. A
packet costs ``packet_ps``, half of it on each way. Its checks are made back to back, by one hook on
the way out (interface, node) and one on the way in (interface, node, socket). Each hook begins with
the node's label. This is so in security/selinux/hooks.c of the module for 2.4 of 2002
(``selinux_ip_postroute_last``, ``selinux_ip_input_helper``; the check of the socket follows in
``selinux_socket_sock_rcv_skb``). Five checks with two labels a packet were counted on 2.4.3, whose
patch was not at hand.

Invariants. 0 <= unsent + in_flight <= capacity before each send. Data arrive in order: a segment is
sent only when none is in flight. A task that sleeps on a socket has put its entry on the queue and
set its state while it owned the socket, so a later wake-up finds it.

Lock order: a socket's spinlock, then one of its wait queues', then the run queue's. An
acknowledgement that finds the socket free sends the next batch under the socket's spinlock, and a
packet's access checks take theirs there.

Not modelled. Bytes and segment sizes, windows, acknowledgements that ride on data, the delayed
acknowledgement's timer, the first sixteen quick acknowledgements of a connection, the prequeue.
"""

from locksim.lang import *
from locksim.library.avc.avc_2_4 import AvcTwoFour, SecurityServer
from locksim.library.kernel.semaphore import Semaphore, SemaphoreCalls
from locksim.library.locks.ttas import TTASLock
from locksim.library.schedulers.interface import (
    INTERRUPTIBLE,
    RUNNING,
    SLEEPING,
    UNINTERRUPTIBLE,
    WaitQueue,
)
from locksim.library.schedulers.linux_2_4 import LinuxTwoFour

__all__ = ["Loopback"]

SHARED_LINES = 256
SSID = 11
FIRST_CALL_KEY = 20
FIRST_SEND_KEY = 30
FIRST_PACKET_KEY = 40
REQUESTED = 1 << 2


class Sock(Struct):
    """One end of a connection (struct sock). ``owners`` are the tasks that wait to own it.

    ``backlog`` and ``acknowledged`` arrived while it was owned. ``unsent`` and ``in_flight`` count
    messages on their way to the other end, ``received`` those from there. ``unacknowledged`` is 1
    if the other end waits for an acknowledgement, ``full`` if a writer waits for space.
    """

    lock = part(TTASLock)
    owned = word()
    owners = part(WaitQueue)
    backlog = word()
    acknowledged = word()
    received = word()
    unacknowledged = word()
    unsent = word()
    in_flight = word()
    full = word()
    sleep = part(WaitQueue)


class Loopback(SemaphoreCalls):
    """The kernel that a program of sockets and semaphores sees: its calls, costs and scheduler.

    Arguments:
        n_socks: twice the connections. n_semaphores: as it says.
        capacity: messages in a socket's send buffer from which on a writer waits.
        entry_ps: work of a system call outside the socket's lock.
        send_ps, recv_ps: inside. semop_ps: of a semaphore's operation. packet_ps: of a packet.
        hook_ps: work of the security hook round one check, outside the cache.
        lines: shared lines that a send or a receive reads and writes.
        call_checks: access checks of a send or a receive before it owns the socket.
        send_checks: further ones of a send that owns it. packet_checks: of a packet.
        label_lookups: of a packet, under ss_lock; 0 without SELinux.
    """

    n_socks = param(2)
    n_semaphores = param(1)
    capacity = param(490)
    entry_ps = param(870 * NS)
    send_ps = param(2000 * NS)
    recv_ps = param(500 * NS)
    semop_ps = param(1000 * NS)
    packet_ps = param(3000 * NS)
    hook_ps = param(50 * NS)
    lines = param(20)
    call_checks = param(0)
    send_checks = param(0)
    packet_checks = param(0)
    label_lookups = param(0)
    scheduler = part(LinuxTwoFour)
    cache = part(AvcTwoFour)
    security_server = part(SecurityServer, padded=True)
    socks = array("n_socks", Sock, padded=True)
    semaphores_lock = part(TTASLock, padded=True)
    semaphores = array("n_semaphores", Semaphore, padded=True)
    shared = array(SHARED_LINES, word(), padded=True)

    # For a workload's setup, and what its task does first: it was asleep when the run began

    def begin_in_receive(self, task, number):
        yield from self.scheduler.begin_asleep(task, self.socks[number].sleep.entries)

    def woken_in_receive(self, number):
        mine = self.scheduler.tasks[thread()].waits[0]
        yield from self.scheduler.remove_wait_queue(self.socks[number].sleep, mine)

    # System calls

    def send(self, number):
        sock = self.socks[number]
        batch = 0
        yield from self.work(self.entry_ps, 0, FIRST_CALL_KEY, self.call_checks)
        yield from self.lock_sock(sock)
        while not (yield from self.has_space(sock)):
            yield from self.wait_for_space(number)
        yield from self.work(self.send_ps, self.lines, FIRST_SEND_KEY, self.send_checks)
        unsent = (yield sock.unsent.load(RELAXED)) + 1
        yield sock.unsent.store(unsent, RELAXED)
        if not (yield sock.in_flight.load(RELAXED)):
            batch = yield from self.next_batch(sock)
        yield from self.release_sock(number)
        if batch:
            yield from self.data_arrives(number ^ 1, batch)
        yield from self.leave()

    def receive(self, number):
        sock = self.socks[number]
        acknowledged = 0
        yield from self.work(self.entry_ps, 0, FIRST_CALL_KEY, self.call_checks)
        yield from self.lock_sock(sock)
        while not (yield sock.received.load(RELAXED)):
            yield from self.wait_for_data(number)
        yield from self.work(self.recv_ps, self.lines, 0, 0)
        received = (yield sock.received.load(RELAXED)) - 1
        yield sock.received.store(received, RELAXED)
        if not received and (yield sock.unacknowledged.load(RELAXED)):
            yield sock.unacknowledged.store(0, RELAXED)
            yield from self.transmit()
            acknowledged = 1
        yield from self.release_sock(number)
        if acknowledged:
            yield from self.acknowledgement_arrives(number ^ 1)
        yield from self.leave()

    def leave(self):
        # Back to user space.
        yield from self.cache.syscall_exit()
        yield from self.scheduler.resched()

    # A socket's owner

    def lock_sock(self, sock: Sock):
        yield from sock.lock.acquire()
        if (yield sock.owned.load(RELAXED)):
            yield from self.wait_to_own(sock)
        yield sock.owned.store(1, RELAXED)
        yield from sock.lock.release()

    def wait_to_own(self, sock: Sock):
        # With the socket's spinlock, which it has again afterwards (__lock_sock).
        me = self.scheduler.tasks[thread()]
        yield from self.scheduler.add_wait_queue_exclusive(sock.owners, me.waits[1])
        while True:
            yield me.state.store(UNINTERRUPTIBLE, RELAXED)
            yield from sock.lock.release()
            yield from self.scheduler.schedule()
            yield from sock.lock.acquire()
            if not (yield sock.owned.load(RELAXED)):
                break
        yield me.state.store(RUNNING, RELAXED)
        yield from self.scheduler.remove_wait_queue(sock.owners, me.waits[1])

    def release_sock(self, number):
        sock = self.socks[number]
        batch = 0
        yield from sock.lock.acquire()
        while (yield sock.backlog.load(RELAXED)) or (yield sock.acknowledged.load(RELAXED)):
            batch = batch + (yield from self.work_off(sock))
        yield sock.owned.store(0, RELAXED)
        if (yield sock.owners.entries.first.load(RELAXED)):
            yield from self.scheduler.wake_up(sock.owners, SLEEPING)
        yield from sock.lock.release()
        if batch:
            yield from self.data_arrives(number ^ 1, batch)

    def work_off(self, sock: Sock):
        # The backlog, without the spinlock; what arrives meanwhile joins it (__release_sock).
        batch = 0
        arrived = yield sock.backlog.load(RELAXED)
        acknowledged = yield sock.acknowledged.load(RELAXED)
        yield sock.backlog.store(0, RELAXED)
        yield sock.acknowledged.store(0, RELAXED)
        yield from sock.lock.release()
        if arrived:
            yield from self.queue_data(sock, arrived)
        if acknowledged:
            batch = yield from self.acknowledge(sock)
        yield from sock.lock.acquire()
        return batch

    # An owner that sleeps until something has happened to its socket, and owns it again then

    def wait_for_data(self, number):
        sock = self.socks[number]
        me = self.scheduler.tasks[thread()]
        yield from self.scheduler.add_wait_queue(sock.sleep, me.waits[0])
        yield me.state.store(INTERRUPTIBLE, RELAXED)
        yield from self.release_sock(number)
        if not (yield sock.received.load(RELAXED)):
            yield from self.scheduler.schedule()
        yield from self.lock_sock(sock)
        yield from self.scheduler.remove_wait_queue(sock.sleep, me.waits[0])
        yield me.state.store(RUNNING, RELAXED)

    def wait_for_space(self, number):
        sock = self.socks[number]
        me = self.scheduler.tasks[thread()]
        yield from self.scheduler.add_wait_queue(sock.sleep, me.waits[0])
        while True:
            yield sock.full.store(1, RELAXED)
            yield me.state.store(INTERRUPTIBLE)
            if (yield from self.has_space(sock)):
                break
            yield from self.release_sock(number)
            if not (yield from self.has_space(sock)):
                yield from self.scheduler.schedule()
            yield from self.lock_sock(sock)
        yield me.state.store(RUNNING, RELAXED)
        yield from self.scheduler.remove_wait_queue(sock.sleep, me.waits[0])

    def has_space(self, sock: Sock):
        unsent = yield sock.unsent.load(RELAXED)
        in_flight = yield sock.in_flight.load(RELAXED)
        return unsent + in_flight < self.capacity

    def wake_sleepers(self, sock: Sock):
        if (yield sock.sleep.entries.first.load(RELAXED)):
            yield from self.scheduler.wake_up(sock.sleep, INTERRUPTIBLE)

    # Packets: sent here, and received by the same CPU when the call is over

    def data_arrives(self, at, batch):
        sock = self.socks[at]
        yield from self.deliver()
        yield from sock.lock.acquire()
        if (yield sock.owned.load(RELAXED)):
            backlog = yield sock.backlog.load(RELAXED)
            yield sock.backlog.store(backlog + batch, RELAXED)
        else:
            yield from self.queue_data(sock, batch)
        yield from sock.lock.release()

    def acknowledgement_arrives(self, at):
        sock = self.socks[at]
        batch = 0
        yield from self.deliver()
        yield from sock.lock.acquire()
        if (yield sock.owned.load(RELAXED)):
            yield sock.acknowledged.store(1, RELAXED)
        else:
            batch = yield from self.acknowledge(sock)
        yield from sock.lock.release()
        if batch:
            yield from self.data_arrives(at ^ 1, batch)

    def queue_data(self, sock: Sock, batch):
        received = yield sock.received.load(RELAXED)
        yield sock.received.store(received + batch, RELAXED)
        yield sock.unacknowledged.store(1, RELAXED)
        yield from self.wake_sleepers(sock)

    def acknowledge(self, sock: Sock):
        # What was in flight has arrived: what has gathered goes now.
        batch = yield from self.next_batch(sock)
        if (yield sock.full.load(RELAXED)):
            yield sock.full.store(0, RELAXED)
            yield from self.wake_sleepers(sock)
        return batch

    def next_batch(self, sock: Sock):
        # The socket is the caller's.
        batch = yield sock.unsent.load(RELAXED)
        yield sock.in_flight.store(batch, RELAXED)
        if batch:
            yield sock.unsent.store(0, RELAXED)
            yield from self.transmit()
        return batch

    def transmit(self):
        checks, labels = self.packet_checks // 2, self.label_lookups // 2
        yield compute(self.packet_ps // 2)
        yield from self.packet_hook(0, checks, 0, labels)

    def deliver(self):
        checks, labels = self.packet_checks // 2, self.label_lookups // 2
        yield compute(self.packet_ps - self.packet_ps // 2)
        yield from self.packet_hook(checks, self.packet_checks, labels, self.label_lookups)

    def packet_hook(self, check, end_check, label, end_label):
        # The node's label is looked up; then the interface, the node and the socket are checked.
        for i in range(label, end_label):
            yield from self.security_server.sid_lookup(i)
        for i in range(check, end_check):
            yield from self.check(FIRST_PACKET_KEY + i)

    def work(self, work_ps, lines, first_key, checks):
        # Checks stand at different depths of a call: its work is spread between them.
        parts = checks + 1
        for i in range(parts):
            yield compute(work_ps // parts)
            for _ in range(lines * (i + 1) // parts - lines * i // parts):
                line = random_below(SHARED_LINES)
                value = yield self.shared[line].load(RELAXED)
                yield self.shared[line].store(value + 1, RELAXED)
            if i < checks:
                yield from self.check(first_key + i)

    def check(self, key):
        yield compute(self.hook_ps)
        yield from self.cache.has_perm(SSID, key, key, REQUESTED)
