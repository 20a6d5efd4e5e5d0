# Threads of liburcu's that carry callbacks over a grace period: workers.h.

cdef extern from "urcu/workers.h" nogil:
    struct locklab_urcu_worker:
        pass

    locklab_urcu_worker *locklab_urcu_worker_new(boolean real_time, int cpu)
    locklab_urcu_status locklab_urcu_use_worker(locklab_urcu_worker *worker)
    locklab_urcu_status locklab_urcu_use_worker_on(int cpu, locklab_urcu_worker *worker)
    void *locklab_urcu_worker_take(locklab_urcu_worker *worker)
    boolean locklab_urcu_worker_is_there(const locklab_urcu_worker *worker)
    void locklab_urcu_worker_forget(locklab_urcu_worker *worker)


cdef dict cpu_workers = {}  # of each CPU that has one


cdef class Worker:
    """A thread of liburcu's for callbacks (struct call_rcu_data); create_worker() returns one."""

    cdef locklab_urcu_worker *worker

    def __cinit__(self, real_time=False, int cpu=-1):
        check(locklab_urcu_usable())
        self.worker = locklab_urcu_worker_new(bool(real_time), cpu)
        if self.worker is NULL:
            raise MemoryError

    def __dealloc__(self):
        if self.worker is NULL:
            return
        data = locklab_urcu_worker_take(self.worker)
        if data is not NULL:
            waited = locklab_urcu_wait_begin(locklab_urcu_free_worker, data, NULL)
            if waited is not NULL:
                locklab_urcu_wait_end(waited)
        if not locklab_urcu_worker_is_there(self.worker):
            locklab_urcu_worker_forget(self.worker)  # else a thread goes on using it

    @property
    def is_there(self):
        """Whether it can be used: it was not freed, and is not the parent's."""
        return bool(locklab_urcu_worker_is_there(self.worker))

    def free(self):
        """Hand the worker's callbacks to the default one and end its thread.

        Waits for a grace period; Ctrl-C ends the wait only.

        Raises:
            UrcuError: a thread or a CPU uses it, it was freed before, or the thread is inside a
                section.
        """
        check(locklab_urcu_may_wait())
        if not locklab_urcu_worker_is_there(self.worker):
            check(LOCKLAB_URCU_WORKER_GONE)
        if self in cpu_workers.values():
            check(LOCKLAB_URCU_WORKER_IN_USE)
        data = locklab_urcu_worker_take(self.worker)
        if data is NULL:
            check(LOCKLAB_URCU_WORKER_IN_USE)
        wait(locklab_urcu_free_worker, data, NULL)


def use_worker(Worker worker):
    check(locklab_urcu_use_worker(worker.worker if worker is not None else NULL))


def use_worker_on(int cpu, Worker worker):
    check(locklab_urcu_use_worker_on(cpu, worker.worker if worker is not None else NULL))
    cpu_workers.pop(cpu, None)
    if worker is not None:
        cpu_workers[cpu] = worker


def worker_on(int cpu):
    return cpu_workers.get(cpu)


def forget_workers():
    """In the child of a fork."""
    cpu_workers.clear()
