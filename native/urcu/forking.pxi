# A fork whose child may go on using the flavour: forking.h.

cdef extern from "unistd.h":
    int c_fork "fork"()


cdef extern from "Python.h":
    void PyOS_BeforeFork()
    void PyOS_AfterFork_Parent()
    void PyOS_AfterFork_Child()


cdef extern from "urcu/forking.h" nogil:
    locklab_urcu_status locklab_urcu_before_fork()
    void locklab_urcu_after_fork_parent()
    void locklab_urcu_after_fork_child()


def fork():
    """As os.fork(); None: another thread waits for a grace period, try again."""
    # Python's hooks first: they may let other threads run, and from the checks on none may.
    PyOS_BeforeFork()
    status = locklab_urcu_before_fork()
    cdef int child = -1
    if status == LOCKLAB_URCU_OK:
        child = c_fork()
        if child == 0:
            locklab_urcu_after_fork_child()
            PyOS_AfterFork_Child()
            return 0
        locklab_urcu_after_fork_parent()
    PyOS_AfterFork_Parent()
    if status == LOCKLAB_URCU_OTHERS_WAIT:
        return None
    check(status)
    if child < 0:
        raise OSError("the system cannot make another process")
    return child
