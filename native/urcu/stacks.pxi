# The wait-free stack and the lock-free stack. Their methods want no Reader.

cdef extern from "urcu/wfstack.h" nogil:
    struct cds_wfs_head:
        pass
    struct cds_wfs_stack:
        pass

    enum cds_wfs_state:
        CDS_WFS_STATE_LAST

    void cds_wfs_init(cds_wfs_stack *stack)
    void cds_wfs_destroy(cds_wfs_stack *stack)
    void cds_wfs_node_init(cds_wfs_node *node)
    boolean cds_wfs_empty(cds_wfs_stack *stack)
    int cds_wfs_push(cds_wfs_stack *stack, cds_wfs_node *node)
    cds_wfs_node *cds_wfs_pop_with_state_blocking(cds_wfs_stack *stack, int *state)
    cds_wfs_head *cds_wfs_pop_all_blocking(cds_wfs_stack *stack)
    cds_wfs_node *cds_wfs_first(cds_wfs_head *head)
    cds_wfs_node *cds_wfs_next_blocking(cds_wfs_node *node)


cdef extern from "urcu/lfstack.h" nogil:
    struct cds_lfs_head:
        cds_lfs_node node
    struct cds_lfs_stack:
        pass

    void cds_lfs_init(cds_lfs_stack *stack)
    void cds_lfs_destroy(cds_lfs_stack *stack)
    void cds_lfs_node_init(cds_lfs_node *node)
    boolean cds_lfs_empty(cds_lfs_stack *stack)
    boolean cds_lfs_push(cds_lfs_stack *stack, cds_lfs_node *node)
    cds_lfs_node *cds_lfs_pop_blocking(cds_lfs_stack *stack)
    cds_lfs_head *cds_lfs_pop_all_blocking(cds_lfs_stack *stack)


cdef extern from "urcu/deferred.h" nogil:
    locklab_urcu_deferred *locklab_urcu_of_wfstack(cds_wfs_node *node)
    locklab_urcu_deferred *locklab_urcu_of_lfstack(cds_lfs_node *node)


cdef class WfStack(Container):
    """A stack with wait-free push; who pops waits for who pops (wfstack)."""

    cdef cds_wfs_stack stack

    def __cinit__(self):
        check(locklab_urcu_usable())
        cds_wfs_init(&self.stack)

    def __dealloc__(self):
        self.empty()

    cdef void forget(self) noexcept:
        cds_wfs_destroy(&self.stack)
        cds_wfs_init(&self.stack)

    def push(self, value):
        """Put a value on top; return whether the stack was not empty before."""
        item = new_item(LOCKLAB_URCU_RELEASE, <PyObject *>value, NULL)
        cds_wfs_node_init(&item.in_wfstack)
        self.own(item)
        return cds_wfs_push(&self.stack, &item.in_wfstack) != 0

    def pop(self, default=None):
        """Take the newest value, or return ``default``."""
        return self.pop_with_state(default)[0]

    def pop_with_state(self, default=None):
        """Take the newest value; return it, and whether it was the last one.

        Of an empty stack that is ``(default, False)``.
        """
        cdef int state = 0
        item = locklab_urcu_of_wfstack(cds_wfs_pop_with_state_blocking(&self.stack, &state))
        if item is NULL:
            return default, False
        return take(item), bool(state & CDS_WFS_STATE_LAST)

    def pop_all(self):
        """Take all values at once; return them as a list, the newest first."""
        cdef cds_wfs_node *node
        cdef cds_wfs_node *after
        cdef cds_wfs_head *head = cds_wfs_pop_all_blocking(&self.stack)
        values = []
        node = cds_wfs_first(head) if head is not NULL else NULL
        while node is not NULL:
            after = cds_wfs_next_blocking(node)
            values.append(take(locklab_urcu_of_wfstack(node)))
            node = after
        return values

    def is_empty(self):
        """Whether nothing is on the stack."""
        return bool(cds_wfs_empty(&self.stack))


collect(WfStack)


cdef class LfStack(Container):
    """A lock-free stack; who pops waits for who pops (lfstack)."""

    cdef cds_lfs_stack stack

    def __cinit__(self):
        check(locklab_urcu_usable())
        cds_lfs_init(&self.stack)

    def __dealloc__(self):
        self.empty()

    cdef void forget(self) noexcept:
        cds_lfs_destroy(&self.stack)
        cds_lfs_init(&self.stack)

    def push(self, value):
        """Put a value on top; return whether the stack was not empty before."""
        item = new_item(LOCKLAB_URCU_RELEASE, <PyObject *>value, NULL)
        cds_lfs_node_init(&item.in_lfstack)
        self.own(item)
        return bool(cds_lfs_push(&self.stack, &item.in_lfstack))

    def pop(self, default=None):
        """Take the newest value, or return ``default``."""
        item = locklab_urcu_of_lfstack(cds_lfs_pop_blocking(&self.stack))
        return default if item is NULL else take(item)

    def pop_all(self):
        """Take all values at once; return them as a list, the newest first."""
        cdef cds_lfs_node *node
        cdef cds_lfs_node *after
        cdef cds_lfs_head *head = cds_lfs_pop_all_blocking(&self.stack)
        values = []
        node = &head.node if head is not NULL else NULL
        while node is not NULL:
            after = node.next
            values.append(take(locklab_urcu_of_lfstack(node)))
            node = after
        return values

    def is_empty(self):
        """Whether nothing is on the stack."""
        return bool(cds_lfs_empty(&self.stack))


collect(LfStack)
