# What every container shares: its entries, and how the cycle collector sees them.

from cpython.object cimport PyTypeObject, inquiry, traverseproc, visitproc


cdef class Container:
    """Owns entries, each with one or two objects.

    Cython visits Python attributes only. A container's references are in C: the slots of its type
    are replaced below, so that a cycle through a container is found and broken.
    """

    cdef cds_list_head owned
    cdef object collected  # an object attribute: without one the type is no part of collection

    def __cinit__(self):
        CDS_INIT_LIST_HEAD(&self.owned)

    cdef void own(self, locklab_urcu_deferred *item) noexcept:
        cds_list_add(&item.owned, &self.owned)

    cdef int visit(self, visitproc visit, void *argument) noexcept:
        cdef cds_list_head *position = self.owned.next
        cdef locklab_urcu_deferred *item
        cdef int result = 0
        while result == 0 and position is not NULL and position != &self.owned:
            item = locklab_urcu_of_owned(position)
            result = visit(<PyObject *>item.objects[0], argument)
            if result == 0 and item.objects[1] is not NULL:
                result = visit(<PyObject *>item.objects[1], argument)
            position = position.next
        return result

    cdef void forget(self) noexcept:
        """Take everything out of the structure; the entries are still owned."""

    cdef void empty(self) noexcept:
        """Give all entries up after a grace period."""
        cdef locklab_urcu_deferred *item
        if self.owned.next is NULL or locklab_urcu_usable() != LOCKLAB_URCU_OK:
            return
        self.forget()
        while not cds_list_empty(&self.owned):
            item = locklab_urcu_of_owned(self.owned.next)
            cds_list_del(&item.owned)
            locklab_urcu_defer(item)


cdef object take(locklab_urcu_deferred *item):
    """Free an entry that no reader can see any more; return its object."""
    taken = <object>item.objects[0]
    cds_list_del(&item.owned)
    release(item)
    free(item)
    return taken


cdef int traverse(PyObject *container, visitproc visit, void *argument) noexcept:
    return (<Container>container).visit(visit, argument)


cdef int clear(PyObject *container) noexcept:
    (<Container>container).empty()
    return 0


cdef int collect(type kind) except -1:
    """Let the cycle collector see what containers of this type own."""
    (<PyTypeObject *>kind).tp_traverse = <traverseproc>traverse
    (<PyTypeObject *>kind).tp_clear = <inquiry>clear
    return 0


cdef int needs_section() except -1:
    if locklab_urcu_section() == 0:
        check(LOCKLAB_URCU_NOT_READING)
    return 0


cdef int same_section(uint64_t section) except -1:
    if locklab_urcu_section() != section:
        raise UrcuError("the section in which this iteration began has ended, or is another "
                        "thread's: iterate within one section")
    return 0
