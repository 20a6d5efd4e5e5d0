"""Chatroom, the benchmark of franke-2001: rooms of twenty users, four threads a user.

The program is B. Hartner's for IBM (chat_c.c and chat_s.c, 1.0.1, December 2000). Each user has a
TCP connection over the loopback. Its client has a thread that sends ``messages`` messages of 100
bytes, one after another, and one that receives those of the other users. The server has one of each
for every connection: the receiver adds one to the user's semaphore for every message. The sender
takes one from it and sends a message to each of the other users' connections, in the order of their
numbers. So a client's socket on the server's side is written by nineteen threads, and two senders
of a room that are at the same place ask for the same socket. The unit of work is what the benchmark
counts: a message that a client has sent or received, 400 for each round of one message a user. On
the whole there are as many sends, and as many receives, as units.

A run begins when the clients are let go: all other threads sleep on what they wait for. It ends
when every thread has returned. Starting the threads is not part of it.

A run has phases. The clients' messages fit into the sockets' buffers, so their senders are done at
once and the queues of the server fill; then these drain, and the run queue gets shorter until no
task is left.
"""

from locksim.lang import *
from locksim.library.kernel.loopback import Loopback

__all__ = ["Chatroom", "chatroom"]

ROLES = 4
CLIENT_SEND = 0
SERVER_RECEIVE = 1
CLIENT_RECEIVE = 2
SERVER_SEND = 3
CLIENT_MM = 1
SERVER_MM = 2


class Chatroom(Workload):
    """Users in rooms exchange messages (Chatroom of the Linux Benchmark Suite; franke-2001).

    Arguments:
        users: in a room. messages: that each user sends.
        tasks: of all rooms, four a user (:func:`chatroom` computes them).
        kernel: what they run on, with two sockets and a semaphore for each user.
    """

    users = param(20)
    messages = param(100)
    tasks = param(80)
    kernel = part(Loopback)

    def setup(self):
        for t in range(n_cpus(), n_threads()):
            user = (t - n_cpus()) // ROLES
            role = (t - n_cpus()) % ROLES
            mm = SERVER_MM
            if role % 2 == CLIENT_SEND:  # the client's roles are even
                mm = CLIENT_MM
            yield from self.kernel.scheduler.share_memory(t, mm)
            if role == SERVER_SEND:
                yield from self.kernel.begin_in_down(t, user)
            elif role != CLIENT_SEND:
                yield from self.kernel.begin_in_receive(t, 2 * user + role % 2)

    def thread(self):
        yield from self.kernel.scheduler.idle()

    def task(self):
        yield from self.kernel.scheduler.begin()
        user = (thread() - n_cpus()) // ROLES
        role = (thread() - n_cpus()) % ROLES
        if role == CLIENT_SEND:
            for _ in range(self.messages):
                yield from self.kernel.send(2 * user)
                yield done()
        elif role == CLIENT_RECEIVE:
            yield from self.kernel.woken_in_receive(2 * user)
            for _ in range(self.messages * (self.users - 1)):
                yield from self.kernel.receive(2 * user)
                yield done()
        elif role == SERVER_RECEIVE:
            yield from self.kernel.woken_in_receive(2 * user + 1)
            for _ in range(self.messages):
                yield from self.kernel.receive(2 * user + 1)
                yield from self.kernel.up(user)
        else:
            yield from self.kernel.woken_in_down(user)
            for _ in range(self.messages):
                yield from self.kernel.down(user)
                yield from self.to_the_others(user)
        yield from self.kernel.scheduler.exit()

    def to_the_others(self, user):
        first = user - user % self.users
        for i in range(first, first + self.users - 1):
            other = i
            if i >= user:
                other = i + 1
            yield from self.kernel.send(2 * other + 1)


def chatroom(rooms: int, *, users: int = 20, messages: int = 100, **kernel: object) -> Chatroom:
    """Chatroom with so many rooms of so many users, four tasks each.

    Arguments:
        rooms, users: at least 1. messages: that each user sends.
        kernel: settings of :class:`~locksim.library.kernel.loopback.Loopback`.
    """
    n_users = rooms * users
    return Chatroom(
        users=users,
        messages=messages,
        tasks=n_users * ROLES,
        kernel=Loopback(n_socks=2 * n_users, n_semaphores=n_users, **kernel),
    )
