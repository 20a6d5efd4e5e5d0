# A published pointer.

cdef extern from "urcu/pointer.h":
    void *rcu_dereference(void *pointer)
    void *rcu_xchg_pointer(void **pointer, void *new)
    void *rcu_cmpxchg_pointer(void **pointer, void *old, void *new)


cdef class Pointer(Container):
    """A pointer to an object, published for readers; the old target lives for a grace period more.

    Args:
        target: what it points to first.
    """

    cdef void *target

    def __cinit__(self):
        self.publish(None)

    def __init__(self, target=None):
        self.assign(target)

    def __dealloc__(self):
        Py_XDECREF(<PyObject *>self.target)  # who could still read it holds a reference to self

    cdef void publish(self, new):
        Py_INCREF(new)
        self.target = <void *>new

    cdef int visit(self, visitproc visit, void *argument) noexcept:
        return visit(<PyObject *>self.target, argument) if self.target is not NULL else 0

    cdef void empty(self) noexcept:
        cdef void *old = self.target
        self.publish(None)
        Py_XDECREF(<PyObject *>old)

    def dereference(self):
        """Return the target; it stays intact until the section ends.

        Raises:
            UrcuError: the thread is in no section.
        """
        needs_section()
        return <object>rcu_dereference(self.target)

    def assign(self, new):
        """Publish another target and return the old one.

        Raises:
            UrcuError: this is a child of fork().
        """
        check(locklab_urcu_usable())
        item = new_item(LOCKLAB_URCU_RELEASE, NULL, NULL)
        Py_INCREF(new)
        item.objects[0] = rcu_xchg_pointer(&self.target, <void *>new)
        old = <object>item.objects[0]
        if old is None:  # which is never released
            release(item)
            free(item)
        else:
            defer(item)
        return old

    def compare_exchange(self, expected, new):
        """Publish ``new`` if the target is ``expected``, the same object; return whether it was.

        Raises:
            UrcuError: this is a child of fork().
        """
        check(locklab_urcu_usable())
        item = new_item(LOCKLAB_URCU_RELEASE, NULL, NULL)
        Py_INCREF(new)
        found = rcu_cmpxchg_pointer(&self.target, <void *>expected, <void *>new)
        if found is not <void *>expected:
            Py_DECREF(new)
            free(item)
            return False
        item.objects[0] = found
        defer(item)
        return True


collect(Pointer)
