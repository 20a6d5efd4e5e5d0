from locksim.lang import *


class NoChoosing(Lock):
    number = perthread(word())

    def acquire(self):
        me = thread()
        largest = 0
        for i in range(n_threads()):
            if i != me:
                largest = max(largest, (yield self.number[i].load()))
        mine = largest + 1
        yield self.number[me].store(mine)
        for i in range(n_threads()):
            if i != me:
                while self.first((yield self.number[i].load()), i, mine, me):
                    yield pause()

    def first(self, theirs, i, mine, me):
        return theirs != 0 and (theirs < mine or (theirs == mine and i < me))

    def release(self):
        yield self.number[thread()].store(0)
