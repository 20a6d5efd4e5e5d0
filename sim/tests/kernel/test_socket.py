"""Message queues and sockets: bounded, nothing lost, and who has to wait is told to."""

from locksim.kernel.socket import NEW_PACKET, SENT, WOULD_BLOCK, Socket
from locksim.lang import NULL, RELAXED, Workload, note, part
from locksim.lang.ops import Mark
from locksim.schedulers.linux_2_4 import RUNNING, SLEEPING, Task


class Script(Workload):
    """Sends three into a socket for two, then receives three."""

    socket = part(Socket(capacity=2), padded=True)
    sender = part(Task, padded=True)
    receiver = part(Task, padded=True)

    def thread(self):
        for _ in range(3):
            how = yield from self.socket.send(self.sender)
            yield note(how)
        yield note((yield self.sender.state.load(RELAXED)))
        for _ in range(3):
            queued = yield from self.socket.receive(self.receiver)
            yield note(queued)
            writer = yield from self.socket.sleeping_writer(queued)
            yield note(writer != NULL)
        yield note((yield self.receiver.state.load(RELAXED)))
        reader = yield from self.socket.sleeping_reader()
        yield note(reader == self.receiver)
        yield note((yield from self.socket.put()))
        yield note((yield from self.socket.has_room(self.sender)))


def test_a_full_and_an_empty_socket(interleave):
    """The third send and the third receive sleep; the first receive wakes the sender."""
    run = interleave(Script(), 1, 1, steps=1000)
    notes = [value for _, mark, value in run.log if mark == Mark.NOTE]
    assert [
        *(NEW_PACKET, SENT, WOULD_BLOCK, SLEEPING),
        *(2, 1, 1, 0, 0, 0),
        *(SLEEPING, 1, NEW_PACKET, 1),
    ] == notes
    assert RUNNING == 0
