# Grace periods: waited for (waiting.h), asked for (polling.h), or left to defer_rcu (batched.h).

from cpython.exc cimport PyErr_CheckSignals


cdef extern from "urcu/waiting.h" nogil:
    struct locklab_urcu_deferred
    struct locklab_urcu_wait:
        pass
    ctypedef void (*locklab_urcu_work)(void *argument) noexcept

    void locklab_urcu_synchronize(void *unused) noexcept
    void locklab_urcu_barrier(void *unused) noexcept
    void locklab_urcu_defer_barrier(void *unused) noexcept
    void locklab_urcu_free_worker(void *data) noexcept
    void locklab_urcu_resize(void *request) noexcept
    locklab_urcu_wait *locklab_urcu_wait_begin(locklab_urcu_work work, void *argument,
                                               locklab_urcu_deferred *kept)
    boolean locklab_urcu_wait_for(locklab_urcu_wait *wait, unsigned milliseconds)
    void locklab_urcu_wait_end(locklab_urcu_wait *wait)


cdef extern from "urcu/polling.h" nogil:
    struct locklab_urcu_poll:
        pass

    locklab_urcu_status locklab_urcu_poll_start(locklab_urcu_poll **poll)
    boolean locklab_urcu_poll_passed(const locklab_urcu_poll *poll)
    void locklab_urcu_poll_end(locklab_urcu_poll *poll)


cdef extern from "urcu/batched.h" nogil:
    locklab_urcu_status locklab_urcu_start_deferring()
    locklab_urcu_status locklab_urcu_stop_deferring()
    void locklab_urcu_never_defer_again()
    boolean locklab_urcu_deferring()
    locklab_urcu_status locklab_urcu_defer_rcu(locklab_urcu_deferred *item)
    boolean locklab_urcu_defer_full()
    void locklab_urcu_defer_emptied()


cdef enum:
    SLICE_MS = 20  # Ctrl-C waits no longer


cdef int wait(locklab_urcu_work work, void *argument, locklab_urcu_deferred *kept) except -1:
    """Do this in another thread and wait; a signal's handler that raises ends the wait only."""
    cdef boolean online = False, done = False
    cdef locklab_urcu_wait *waited = locklab_urcu_wait_begin(work, argument, kept)
    if waited is NULL:
        check(LOCKLAB_URCU_NO_MEMORY)
    locklab_urcu_stay_online(False, &online)
    try:
        while not done:
            with nogil:
                done = locklab_urcu_wait_for(waited, SLICE_MS)
            PyErr_CheckSignals()
            check(locklab_urcu_usable())  # the handler may have forked
    finally:
        locklab_urcu_wait_end(waited)
        if online and locklab_urcu_section() == 0:
            locklab_urcu_stay_online(True, &online)
    return 0


def synchronize():
    check(locklab_urcu_may_wait())
    wait(locklab_urcu_synchronize, NULL, NULL)


def barrier():
    """Wait until liburcu has handed over all that was deferred before; it may not have run yet."""
    check(locklab_urcu_may_wait())
    wait(locklab_urcu_barrier, NULL, NULL)


cdef class GracePeriod:
    """A grace period that began when this was made: start_poll_synchronize_rcu() returns one."""

    cdef locklab_urcu_poll *poll

    def __cinit__(self):
        check(locklab_urcu_poll_start(&self.poll))

    def __dealloc__(self):
        if self.poll is not NULL:
            locklab_urcu_poll_end(self.poll)

    @property
    def passed(self):
        """Whether it has ended: every section that was open when it began has been left."""
        return bool(locklab_urcu_poll_passed(self.poll))


def start_deferring():
    cdef locklab_urcu_status status
    with nogil:
        status = locklab_urcu_start_deferring()
    check(status)


def stop_deferring():
    if locklab_urcu_deferring():
        defer_barrier()
    check(locklab_urcu_stop_deferring())


def never_defer_again(unsigned milliseconds):
    """At the end of the process: take this thread off liburcu's list, if nothing is stuck."""
    cdef boolean done
    if locklab_urcu_may_wait() != LOCKLAB_URCU_OK:
        return
    cdef locklab_urcu_wait *waited = locklab_urcu_wait_begin(locklab_urcu_defer_barrier, NULL, NULL)
    if waited is NULL:
        return
    with nogil:
        done = locklab_urcu_wait_for(waited, milliseconds)
        locklab_urcu_wait_end(waited)
        if done:
            locklab_urcu_never_defer_again()


def defer_barrier():
    check(locklab_urcu_may_wait())
    wait(locklab_urcu_defer_barrier, NULL, NULL)
    locklab_urcu_defer_emptied()


def defer_rcu(function, arguments):
    check(locklab_urcu_may_wait())
    if locklab_urcu_defer_full():
        defer_barrier()
    item = new_item(LOCKLAB_URCU_CALL, <PyObject *>function, <PyObject *>arguments)
    status = locklab_urcu_defer_rcu(item)
    if status != LOCKLAB_URCU_OK:
        release(item)
        free(item)
    check(status)
