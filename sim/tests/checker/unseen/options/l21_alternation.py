from locksim.lang import *


class Alternation(Lock):
    turn = word()

    def acquire(self):
        while (yield self.turn.load(ACQUIRE)) != thread():
            yield pause()

    def release(self):
        yield self.turn.store((thread() + 1) % n_threads(), RELEASE)
