# Registration and sections: checked.h. Every other part uses check().

from libc.stdint cimport uint64_t

from locknative.errors import UrcuError


cdef extern from *:
    const char *VERSION_TEXT "LOCKLAB_URCU_VERSION"


cdef extern from "urcu/checked.h" nogil:
    ctypedef bint boolean "bool"

    enum locklab_urcu_status:
        LOCKLAB_URCU_OK
        LOCKLAB_URCU_NOT_REGISTERED
        LOCKLAB_URCU_ALREADY_REGISTERED
        LOCKLAB_URCU_NOT_READING
        LOCKLAB_URCU_READING
        LOCKLAB_URCU_TOO_DEEP
        LOCKLAB_URCU_FORKED
        LOCKLAB_URCU_NO_MEMORY
        LOCKLAB_URCU_NOT_DEFERRING
        LOCKLAB_URCU_ALREADY_DEFERRING
        LOCKLAB_URCU_WORKER_IN_USE
        LOCKLAB_URCU_WORKER_GONE
        LOCKLAB_URCU_OTHERS_READ
        LOCKLAB_URCU_OTHERS_WAIT

    locklab_urcu_status locklab_urcu_usable()
    locklab_urcu_status locklab_urcu_register()
    locklab_urcu_status locklab_urcu_unregister(unsigned *still_open)
    locklab_urcu_status locklab_urcu_read_lock()
    locklab_urcu_status locklab_urcu_read_unlock()
    locklab_urcu_status locklab_urcu_enter(unsigned *outer)
    void locklab_urcu_exit(unsigned outer)
    uint64_t locklab_urcu_section()
    boolean locklab_urcu_registered()
    boolean locklab_urcu_read_ongoing()
    locklab_urcu_status locklab_urcu_may_wait()
    boolean locklab_urcu_tidy()
    locklab_urcu_status locklab_urcu_stay_online(boolean online, boolean *before)
    locklab_urcu_status locklab_urcu_quiescent_state()
    boolean locklab_urcu_borrow()
    void locklab_urcu_give_back(boolean borrowed)


VERSION = VERSION_TEXT.decode()

_MESSAGES = {
    LOCKLAB_URCU_NOT_REGISTERED: "this thread is not registered: enter 'with urcu.Reader():' of "
    "this flavour in it first",
    LOCKLAB_URCU_ALREADY_REGISTERED: "this thread is registered already: leave the inner Reader out",
    LOCKLAB_URCU_NOT_READING: "this thread is in no read-side section that it may use or end here: "
    "begin it with 'with urcu.read_lock():'; each section ends once, in the thread that began it",
    LOCKLAB_URCU_READING: "this inside a read-side section waits for itself: leave the section first",
    LOCKLAB_URCU_TOO_DEEP: "1000 read-side sections are nested in this thread: one of them is not "
    "left",
    LOCKLAB_URCU_FORKED: "this is a child of fork(), and its parent has used liburcu: fork with the "
    "flavour's fork(), or start the process with multiprocessing's 'spawn' method",
    LOCKLAB_URCU_NO_MEMORY: "the system has no memory, thread or thread-specific key left for liburcu",
    LOCKLAB_URCU_NOT_DEFERRING: "this thread does not defer: enter 'with urcu.deferring():' of this "
    "flavour in it first",
    LOCKLAB_URCU_ALREADY_DEFERRING: "this thread defers already: leave the inner deferring() out",
    LOCKLAB_URCU_WORKER_IN_USE: "a thread or a CPU uses this worker: give it another one first, or "
    "None",
    LOCKLAB_URCU_WORKER_GONE: "this worker was freed, or is the parent's: make another one",
    LOCKLAB_URCU_OTHERS_READ: "a thread is registered, reads, or has deferred and not ended, and would "
    "be missing in the child: let it leave before fork()",
}


cdef int check(locklab_urcu_status status) except -1:
    if status != LOCKLAB_URCU_OK:
        raise UrcuError(_MESSAGES[status])
    return 0


def register():
    check(locklab_urcu_register())


def unregister():
    """Return how many read-side sections were still open (they are closed)."""
    cdef unsigned still_open = 0
    check(locklab_urcu_unregister(&still_open))
    return still_open


def read_lock():
    check(locklab_urcu_read_lock())


def read_unlock():
    check(locklab_urcu_read_unlock())


def registered():
    return bool(locklab_urcu_registered())


def read_ongoing():
    check(locklab_urcu_usable())
    return bool(locklab_urcu_read_ongoing())


def stay_online(online):
    """Return what was before."""
    cdef boolean before = False
    check(locklab_urcu_stay_online(online, &before))
    return bool(before)


def quiescent_state():
    check(locklab_urcu_quiescent_state())
