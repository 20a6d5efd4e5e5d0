from locksim.lang import *
from locksim.library.kernel.dcache import Dcache
from locksim.library.locks.seqlock import SpinSeqLock


class DcacheNoRetry(Dcache):
    rename_lock = part(SpinSeqLock, padded=True)

    def walk_enter(self, attempt):
        return (yield from self.rename_lock.read_begin())

    def walk_leave(self, attempt, token):
        again = yield from self.rename_lock.read_retry(token)
        return again * 0

    def move_acquire(self):
        yield from self.rename_lock.write_acquire()

    def move_release(self):
        yield from self.rename_lock.write_release()
