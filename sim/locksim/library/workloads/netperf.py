"""netperf between two hosts: streams that a link can limit, and one request at a time.

A link is a thread of its own for each direction. It takes a frame when one has been sent, is busy
for the time that the frame's bytes take on the wire, and says that it has arrived. Frames are
counted, not copied: ``sent``, ``arrived`` and ``taken`` only grow. A sender stops when a window of
frames is on its way; so a stream runs at the pace of the slowest of sender, link and receiver, and
which one that is comes out by itself.

Threads: 0 is the client's CPU, 1 the link towards the server, 2 the server's CPU, 3 the link back.

Not modelled. Loss and congestion control; interrupts and their moderation, which are part of the
hosts' works; acknowledgements as frames (they are few and short, and run the other way).
"""

from locksim.lang import *
from locksim.library.kernel.netlabel import NetLabel

__all__ = ["RequestResponse", "Stream"]

THREADS = 4
CLIENT, FORWARD, SERVER, BACK = range(THREADS)


class Link(Struct):
    """One direction of a full-duplex link."""

    sent = word(padded=True)
    arrived = word(padded=True)
    taken = word(padded=True)


class Stream(Workload):
    """One-way messages of one or more frames (netperf's TCP_STREAM and UDP_STREAM).

    One unit of work is one message, counted where it is received.

    Arguments:
        frames: frames of one message; above 1 they are the fragments of a datagram.
        frame_ps: time of a frame on the link. last_frame_ps: of a message's last frame.
        send_ps: the sender's work for one frame. receive_ps: the receiver's, labels excluded.
        window: frames that may be on their way.
        n_labels: different labels of the messages, drawn at random.
    """

    frames = param(1)
    frame_ps = param(12304 * NS)
    last_frame_ps = param(12304 * NS)
    send_ps = param(3000 * NS)
    receive_ps = param(7000 * NS)
    window = param(44)
    n_labels = param(1)
    link = part(Link)
    labels = part(NetLabel, padded=True)

    def thread(self):
        who = thread()
        if who == CLIENT:
            yield from self.send()
        elif who == FORWARD:
            yield from self.carry()
        elif who == SERVER:
            yield from self.receive()

    def send(self):
        n = 0
        limit = self.window
        while True:
            if n == limit:
                while (yield self.link.taken.load(ACQUIRE)) == n - self.window:
                    yield pause()
                limit = (yield self.link.taken.load(ACQUIRE)) + self.window
            yield compute(self.send_ps)
            n = n + 1
            yield self.link.sent.store(n, RELEASE)

    def carry(self):
        n = 0
        sent = 0
        while True:
            if n == sent:
                while (yield self.link.sent.load(ACQUIRE)) == n:
                    yield pause()
                sent = yield self.link.sent.load(ACQUIRE)
            n = n + 1
            if n % self.frames:
                yield compute(self.frame_ps)
            else:
                yield compute(self.last_frame_ps)
            yield self.link.arrived.store(n, RELEASE)

    def receive(self):
        n = 0
        arrived = 0
        while True:
            if n == arrived:
                while (yield self.link.arrived.load(ACQUIRE)) == n:
                    yield pause()
                arrived = yield self.link.arrived.load(ACQUIRE)
            n = n + 1
            yield compute(self.receive_ps)
            yield from self.labels.validate()
            if n % self.frames == 0:
                yield from self.labels.getattr(random_below(self.n_labels))
                yield done()
            yield self.link.taken.store(n, RELEASE)


class RequestResponse(Workload):
    """One request and its answer at a time (netperf's TCP_RR and UDP_RR).

    One unit of work is one transaction, counted at the client.

    Arguments:
        host_ps: the work of one host for one transaction, labels excluded, waiting included.
        frame_ps: time of a frame on the link.
        n_labels: different labels of the messages, drawn at random.
        client, server: the labels of the two hosts.
    """

    host_ps = param(45000 * NS)
    frame_ps = param(700 * NS)
    n_labels = param(1)
    forward = part(Link)
    back = part(Link)
    client = part(NetLabel, padded=True)
    server = part(NetLabel, padded=True)

    def thread(self):
        who = thread()
        if who == CLIENT:
            yield from self.ask()
        elif who == FORWARD:
            yield from self.carry(self.forward)
        elif who == SERVER:
            yield from self.answer()
        elif who == BACK:
            yield from self.carry(self.back)

    def ask(self):
        n = 0
        while True:
            n = n + 1
            yield self.forward.sent.store(n, RELEASE)
            while (yield self.back.arrived.load(ACQUIRE)) < n:
                yield pause()
            yield from self.client.validate()
            yield from self.client.getattr(random_below(self.n_labels))
            yield compute(self.host_ps)
            yield done()

    def answer(self):
        n = 0
        while True:
            n = n + 1
            while (yield self.forward.arrived.load(ACQUIRE)) < n:
                yield pause()
            yield from self.server.validate()
            yield from self.server.getattr(random_below(self.n_labels))
            yield compute(self.host_ps)
            yield self.back.sent.store(n, RELEASE)

    def carry(self, link: Link):
        n = 0
        while True:
            n = n + 1
            while (yield link.sent.load(ACQUIRE)) < n:
                yield pause()
            yield compute(self.frame_ps)
            yield link.arrived.store(n, RELEASE)
