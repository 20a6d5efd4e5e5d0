"""SLOB on a database server, the load of long-2013: readers, writers, and one log writer.

Three kinds of process, all of them callers of ``d_path`` (the database's processes asked for the
paths of their files, through ``seq_path``):

- A **reader** works on blocks that it finds in the shared memory, for ever: work, a path, work.
- A **writer** works, asks for paths on the way, leaves a redo record for the log and sleeps until
  that is written.
- The **log writer** takes record after record: it copies it into the log file, which lies in
  memory, asks for paths on the way, and wakes the record's writer.

Redo is what the log writer has written. It is alone, so where there are enough CPUs it is the
limit, and its own waiting for ``rename_lock`` is what long-2013's "redo size" shows; where there
are more processes that want to run than CPUs, it waits for a CPU besides.

The processes share the CPUs by a ``fair_queue``. Between two calls of the database a process has
nothing to remember, as its number encodes its kind.

**Latches.** With more readers than CPUs the database's own latches put processes to sleep, and much
of the machine idles. Readers are alike; the model therefore has only ``running_readers`` of them,
as many as run at a time. A reader that gives way to another one is modelled by two operations on a
semaphore, under the lock of its set. In Linux 3.8 one spinlock guards all semaphores of a set
(ipc/sem.c, sem_lock).

One unit of work is a reader's or writer's call; ``log.written`` counts redo records.

Not modelled. What a block costs in cache misses, checkpoints (the database writers), the latches
themselves, physical reads: the files of long-2013 lay on tmpfs.
"""

from locksim.lang import *
from locksim.library.kernel.dcache_seqwriter import SeqWriterDcache
from locksim.library.kernel.fair_queue import FairQueue
from locksim.library.locks.ticket import TicketLock

__all__ = ["Slob"]

LOG_WRITER = 0
RECORDS = 256


class RedoLog(Struct):
    """Records that were left for the log writer: a ring of the numbers of their writers."""

    posted = word(padded=True)
    written = word(padded=True)
    asleep = word(padded=True)
    ring = array(RECORDS, word())


class Slob(Workload):
    """A database server's processes (the SLOB runs of long-2013).

    Arguments:
        readers: readers that run or want to run at a time.
        writers: writers, at most 255; 0 leaves the log writer asleep.
        read_ps: mean user time of a reader's call, exponential.
        write_ps: mean user time of a writer's call, exponential.
        write_paths_percent: paths that a writer asks for in 100 calls.
        log_ps: the log writer's work on a record.
        log_paths_percent: paths that it asks for in 100 records.
        tick_ppm: kernel work that goes with user time, clock ticks above all, in its millionths.
        write_kernel_ps: further kernel work in a writer's call: system calls.
        path_ps: kernel work round a ``d_path``, outside of its locks.
        log_batch: records after which it makes room for waiting processes: one write of its buffer.
        slice_ps: mean user time after which a reader makes room for waiting processes, uniform
            from half of it to half more.
        sleep_percent: share of a reader's calls that end in waiting for a latch.
        semop_ps: work under the semaphores' lock: its operation looks at every sleeper.
    """

    readers = param(32)
    writers = param(64)
    read_ps = param(150 * US)
    write_ps = param(500 * US)
    write_paths_percent = param(1000)
    log_ps = param(32 * US)
    log_paths_percent = param(300)
    tick_ppm = param(4500)
    write_kernel_ps = param(30 * US)
    path_ps = param(300 * NS)
    log_batch = param(32)
    slice_ps = param(1500 * US)
    sleep_percent = param(0)
    semop_ps = param(8 * US)
    cpus = part(FairQueue, padded=True)
    dcache = part(SeqWriterDcache, padded=True)
    sem_lock = part(TicketLock, padded=True)
    log = part(RedoLog, padded=True)

    def setup(self):
        assert self.writers < RECORDS
        yield self.log.asleep.store(1, RELAXED)
        for i in range(self.readers + self.writers):
            yield from self.cpus.put(1 + i)

    def thread(self):
        while True:
            process = yield from self.cpus.take()
            if process == LOG_WRITER:
                yield from self.log_writer()
            elif process <= self.readers:
                yield from self.reader()
                yield from self.cpus.put(process)
            else:
                yield from self.writer(process)

    def reader(self):
        """A slice of a reader's life, and on as long as no thread waits for a CPU."""
        # Equal slices, begun together at the start, would end together for ever.
        left = self.slice_ps // 2 + random_below(self.slice_ps)
        while left > 0 or not (yield from self.cpus.waiting()):
            user_ps = random_exponential(self.read_ps)
            if left > 0 and user_ps > left:
                # Cut where the slice ends; what is left of an exponential work is distributed
                # like the whole, so the next slice may draw anew.
                yield from self.work(left)
                left = 0
                continue
            left -= user_ps
            yield from self.work(user_ps)
            yield from self.ask_for_path()
            yield done()
            if random_below(100) < self.sleep_percent:
                # Post the next reader, and sleep: from here on this is another process.
                yield from self.semop()
                yield from self.semop()
                yield compute(self.cpus.switch_ps)

    def writer(self, process):
        """A writer's call, until it sleeps for its record."""
        paths = self.out_of(self.write_paths_percent)
        user_ps = random_exponential(self.write_ps) // (paths + 1)
        yield from self.work(user_ps)
        for _ in range(paths):
            yield from self.ask_for_path()
            yield from self.work(user_ps)
        yield compute(self.write_kernel_ps)
        yield done()
        place = yield self.log.posted.fetch_add(1, RELAXED)
        yield self.log.ring[place % RECORDS].store(process, RELEASE)
        if (yield self.log.asleep.load()) and (yield self.log.asleep.swap(0)):
            yield from self.cpus.put(LOG_WRITER)

    def log_writer(self):
        """A batch of the log writer's, and on as long as no thread waits for a CPU or a record."""
        left = self.log_batch
        while left > 0 or not (yield from self.cpus.waiting()):
            written = yield self.log.written.load(RELAXED)
            if (yield self.log.posted.load()) == written:
                yield self.log.asleep.store(1)
                if (yield self.log.posted.load()) == written:
                    return
                if (yield self.log.asleep.swap(0)) == 0:
                    # Another thread has woken it meanwhile: it is in the queue.
                    return
            yield from self.write_record(written % RECORDS)
            yield self.log.written.store(written + 1, RELAXED)
            left -= 1
        yield from self.cpus.put(LOG_WRITER)

    def write_record(self, place):
        process = yield self.log.ring[place].swap(0, ACQUIRE)
        while process == 0:
            yield pause()
            process = yield self.log.ring[place].swap(0, ACQUIRE)
        yield compute(self.log_ps)
        for _ in range(self.out_of(self.log_paths_percent)):
            yield from self.ask_for_path()
        yield from self.cpus.put(process)

    def work(self, user_ps):
        yield from self.user(user_ps)
        yield compute(user_ps * self.tick_ppm // 1_000_000)

    def user(self, user_ps):
        yield compute(user_ps)

    def ask_for_path(self):
        yield compute(self.path_ps)
        yield from self.dcache.d_path()

    def semop(self):
        yield from self.sem_lock.acquire()
        yield compute(self.semop_ps)
        yield from self.sem_lock.release()

    def out_of(self, percent):
        """A whole number whose mean is a hundredth of ``percent``."""
        whole = percent // 100
        if random_below(100) < percent % 100:
            whole += 1
        return whole
