"""liburcu's memb flavour behind checks, as Python sees it (private: use locknative.urcu)."""

cdef extern from "build_info.h":
    const char *LOCKLAB_URCU_VERSION


cdef extern from "harness/urcu_checked.h" nogil:
    enum locklab_urcu_status:
        LOCKLAB_URCU_OK
        LOCKLAB_URCU_NOT_REGISTERED
        LOCKLAB_URCU_ALREADY_REGISTERED
        LOCKLAB_URCU_NOT_READING
        LOCKLAB_URCU_READING
        LOCKLAB_URCU_TOO_DEEP
        LOCKLAB_URCU_FORKED
        LOCKLAB_URCU_NO_MEMORY

    locklab_urcu_status locklab_urcu_register()
    locklab_urcu_status locklab_urcu_unregister(unsigned *still_open)
    locklab_urcu_status locklab_urcu_read_lock()
    locklab_urcu_status locklab_urcu_read_unlock()
    locklab_urcu_status locklab_urcu_synchronize()


OK = LOCKLAB_URCU_OK
NOT_REGISTERED = LOCKLAB_URCU_NOT_REGISTERED
ALREADY_REGISTERED = LOCKLAB_URCU_ALREADY_REGISTERED
NOT_READING = LOCKLAB_URCU_NOT_READING
READING = LOCKLAB_URCU_READING
TOO_DEEP = LOCKLAB_URCU_TOO_DEEP
FORKED = LOCKLAB_URCU_FORKED
NO_MEMORY = LOCKLAB_URCU_NO_MEMORY
VERSION = LOCKLAB_URCU_VERSION.decode()


def register():
    return locklab_urcu_register()


def unregister():
    """Return the status, and how many read-side sections were still open (they are closed)."""
    cdef unsigned still_open = 0
    status = locklab_urcu_unregister(&still_open)
    return status, still_open


def read_lock():
    return locklab_urcu_read_lock()


def read_unlock():
    return locklab_urcu_read_unlock()


def synchronize():
    cdef locklab_urcu_status status
    with nogil:
        status = locklab_urcu_synchronize()
    return status
