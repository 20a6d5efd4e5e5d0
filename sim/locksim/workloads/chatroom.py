"""Chatroom, the benchmark of franke-2001: rooms of twenty users, four threads a user.

Each user's client has a thread that sends and one that receives; the server has one of each for
every connection (80 threads a room). A client's message of 100 bytes goes through the connection's
socket to the server's receiver, which takes the room's semaphore and hands it to the other 19
users: each has a queue that the server's sender empties into the socket back to that user's client.
So a message that is sent once is received 19 times, and each hand-over of the server counts one
send and one receive. The unit of work is what the benchmark counts: a message that a client has
sent or received, 400 for each round of one message a user.

A system call costs register work (``send_ps``, ``recv_ps``), a number of the kernel's shared data
lines (``lines``, each read and written), and access checks where the kernel has them, spread over
its work. Which lines the network code of 2.4 shares is not known from the source: a call takes its
lines from ``SHARED_LINES`` by chance, so each was last touched by one of the other CPUs with
probability (N - 1) / N. A message that finds the receiver's buffer empty becomes a packet: it goes
down and up the protocol's layers (``packet_ps``), with ``packet_checks`` further checks and
``label_lookups`` under ``ss_lock``.

Threads are tasks of the scheduler (see ``linux_2_4``): all calls can be begun again, so a task that
sleeps keeps nothing but its ``progress``. Each user sends ``messages``, and when all are received
the run ends and all CPUs return. Starting 80 threads a room, and ending them, is no part of it.

A run has phases. The server's receivers have nothing to wait for but the room's semaphore, so the
queues of the server's senders fill first, and half of all tasks are runnable; then the senders
drain them, and the run queue gets shorter until nobody is left.

Not modelled. Delayed acknowledgements, timers, interrupts, the page cache of the clients.
"""

from locksim.caches.avc_2_4 import AvcTwoFour, SecurityServer
from locksim.kernel.semaphore import Semaphore
from locksim.kernel.socket import NEW_PACKET, WOULD_BLOCK, MessageQueue, Socket
from locksim.lang import (
    ACQ_REL,
    NS,
    NULL,
    RELAXED,
    Workload,
    array,
    compute,
    done,
    n_cpus,
    param,
    part,
    random_below,
    word,
)
from locksim.schedulers.linux_2_4 import SLEEPING, LinuxTwoFour, Task

__all__ = ["Chatroom"]

ROLES = 4
CLIENT_SEND = 0
SERVER_RECEIVE = 1
CLIENT_RECEIVE = 2
SERVER_SEND = 3
SHARED_LINES = 256
SSID = 11
FIRST_SEND_KEY = 20
FIRST_RECEIVE_KEY = 30
FIRST_PACKET_KEY = 40
REQUESTED = 1 << 2
CLIENT_MM = 1
SERVER_MM = 2


class Chatroom(Workload):
    """Users in rooms exchange messages (Chatroom of the Linux Benchmark Suite; franke-2001).

    Arguments:
        rooms: of ``users`` each. n_users, n_tasks: users and tasks of all rooms
            (:func:`chatroom` computes them).
        users: in a room. messages: that each user sends.
        send_ps, recv_ps, packet_ps: register work of a send, a receive, and a packet.
        post_ps: the server's work in user space to put one message into one user's queue.
        hook_ps: work of the security hook round one check, outside the cache.
        lines: shared lines that a send or a receive reads and writes.
        send_checks, recv_checks, packet_checks: access checks of each.
        label_lookups: of a packet, under ss_lock; 0 without SELinux.
    """

    rooms = param(1)
    users = param(20)
    messages = param(100)
    n_users = param(20)
    n_tasks = param(80)
    send_ps = param(2000 * NS)
    recv_ps = param(2000 * NS)
    packet_ps = param(3000 * NS)
    post_ps = param(200 * NS)
    hook_ps = param(50 * NS)
    lines = param(20)
    send_checks = param(0)
    recv_checks = param(0)
    packet_checks = param(0)
    label_lookups = param(0)
    scheduler = part(LinuxTwoFour)
    cache = part(AvcTwoFour)
    security_server = part(SecurityServer, padded=True)
    tasks = array("n_tasks", Task, padded=True)
    to_server = array("n_users", Socket, padded=True)
    to_client = array("n_users", Socket, padded=True)
    outbox = array("n_users", MessageQueue, padded=True)
    semaphores = array("rooms", Semaphore, padded=True)
    listeners = word(padded=True)
    shared = array(SHARED_LINES, word(), padded=True)

    def setup(self):
        assert self.n_users == self.rooms * self.users
        assert self.n_tasks == self.n_users * ROLES
        yield self.listeners.store(self.n_users, RELAXED)
        for number in range(self.n_tasks):
            mm = SERVER_MM
            if number % 2 == CLIENT_SEND:  # the client's roles are even
                mm = CLIENT_MM
            yield from self.scheduler.add(self.tasks[number], number, mm, number % n_cpus())

    def thread(self):
        task = yield from self.scheduler.schedule(NULL)
        while task:
            yield from self.run(task)
            task = yield from self.scheduler.schedule(task)

    def run(self, task: Task):
        number = yield task.number.load(RELAXED)
        user = number // ROLES
        role = number % ROLES
        while True:
            ready = 1
            if role == CLIENT_SEND:
                ready = yield from self.client_send(task, user)
            elif role == SERVER_RECEIVE:
                ready = yield from self.server_receive(task, user)
            elif role == SERVER_SEND:
                ready = yield from self.server_send(task, user)
            else:
                ready = yield from self.client_receive(task, user)
            if not ready:
                return
            yield from self.scheduler.tick(task)
            if (yield from self.scheduler.need_resched()):
                return

    def client_send(self, task: Task, user):
        # progress: messages sent.
        progress = yield task.progress.load(RELAXED)
        if progress == self.messages:
            yield task.state.store(SLEEPING, RELAXED)
            return 0
        how = yield from self.to_server[user].send(task)
        if how == WOULD_BLOCK:
            return 0
        yield task.progress.store(progress + 1, RELAXED)
        if how == NEW_PACKET:
            reader = yield from self.to_server[user].sleeping_reader()
            if reader:
                yield from self.scheduler.wake_up(reader)
        yield from self.sent(how)
        yield done()
        return 1

    def client_receive(self, task: Task, user):
        # progress: messages received.
        progress = yield task.progress.load(RELAXED)
        if progress == self.messages * (self.users - 1):
            yield task.state.store(SLEEPING, RELAXED)
            if (yield self.listeners.fetch_add(-1, ACQ_REL)) == 1:
                yield from self.scheduler.halt()
            return 0
        queued = yield from self.to_client[user].receive(task)
        if not queued:
            return 0
        yield task.progress.store(progress + 1, RELAXED)
        writer = yield from self.to_client[user].sleeping_writer(queued)
        if writer:
            yield from self.scheduler.wake_up(writer)
        yield from self.received()
        yield done()
        return 1

    def server_receive(self, task: Task, user):
        # progress: 0 receive, 1 take the semaphore and hand the message round.
        if not (yield task.progress.load(RELAXED)):
            queued = yield from self.to_server[user].receive(task)
            if not queued:
                return 0
            writer = yield from self.to_server[user].sleeping_writer(queued)
            if writer:
                yield from self.scheduler.wake_up(writer)
            yield from self.received()
            yield task.progress.store(1, RELAXED)
        room = user // self.users
        if not (yield from self.semaphores[room].down(task)):
            return 0
        for i in range(1, self.users):
            to = room * self.users + (user + i) % self.users
            how = yield from self.outbox[to].put()
            yield compute(self.post_ps)
            if how == NEW_PACKET:
                reader = yield from self.outbox[to].sleeping_reader()
                if reader:
                    yield from self.scheduler.wake_up(reader)
        sleeper = yield from self.semaphores[room].up()
        if sleeper:
            yield from self.scheduler.wake_up(sleeper)
        yield task.progress.store(0, RELAXED)
        return 1

    def server_send(self, task: Task, user):
        # progress: 0 take from the queue, 1 send.
        if not (yield task.progress.load(RELAXED)):
            queued = yield from self.outbox[user].receive(task)
            if not queued:
                return 0
            writer = yield from self.outbox[user].sleeping_writer(queued)
            if writer:
                yield from self.scheduler.wake_up(writer)
            yield task.progress.store(1, RELAXED)
        how = yield from self.to_client[user].send(task)
        if how == WOULD_BLOCK:
            return 0
        if how == NEW_PACKET:
            reader = yield from self.to_client[user].sleeping_reader()
            if reader:
                yield from self.scheduler.wake_up(reader)
        yield from self.sent(how)
        yield task.progress.store(0, RELAXED)
        return 1

    def sent(self, how):
        yield from self.work(self.send_ps, self.lines, FIRST_SEND_KEY, self.send_checks)
        if how == NEW_PACKET:
            yield from self.work(self.packet_ps, 0, FIRST_PACKET_KEY, self.packet_checks)
            for i in range(self.label_lookups):
                yield from self.security_server.sid_lookup(i)
        yield from self.cache.syscall_exit()

    def received(self):
        yield from self.work(self.recv_ps, self.lines, FIRST_RECEIVE_KEY, self.recv_checks)
        yield from self.cache.syscall_exit()

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
                yield compute(self.hook_ps)
                yield from self.cache.has_perm(SSID, first_key + i, first_key + i, REQUESTED)


def chatroom(rooms: int, **settings: object) -> Chatroom:
    """Chatroom with so many rooms of 20 users, four tasks each.

    Arguments:
        rooms: at least 1. settings: see :class:`Chatroom`.
    """
    users = int(settings.pop("users", 20))  # type: ignore[call-overload]
    n_users = rooms * users
    return Chatroom(rooms=rooms, users=users, n_users=n_users, n_tasks=n_users * ROLES, **settings)
