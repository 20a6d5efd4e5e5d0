# The wait-free queue with one tail for all, and the lock-free queue under RCU.

cdef extern from "urcu/wfcqueue.h" nogil:
    struct cds_wfcq_head:
        pass
    struct cds_wfcq_tail:
        pass

    enum cds_wfcq_ret:
        CDS_WFCQ_RET_DEST_NON_EMPTY

    enum cds_wfcq_state:
        CDS_WFCQ_STATE_LAST

    void cds_wfcq_init(cds_wfcq_head *head, cds_wfcq_tail *tail)
    void cds_wfcq_destroy(cds_wfcq_head *head, cds_wfcq_tail *tail)
    void cds_wfcq_node_init(cds_wfcq_node *node)
    boolean cds_wfcq_empty(cds_wfcq_head *head, cds_wfcq_tail *tail)
    boolean cds_wfcq_enqueue(cds_wfcq_head *head, cds_wfcq_tail *tail, cds_wfcq_node *node)
    cds_wfcq_node *cds_wfcq_dequeue_with_state_blocking(cds_wfcq_head *head, cds_wfcq_tail *tail,
                                                        int *state)
    cds_wfcq_ret cds_wfcq_splice_blocking(cds_wfcq_head *to, cds_wfcq_tail *to_tail,
                                          cds_wfcq_head *source, cds_wfcq_tail *source_tail)
    void cds_wfcq_dequeue_lock(cds_wfcq_head *head, cds_wfcq_tail *tail)
    void cds_wfcq_dequeue_unlock(cds_wfcq_head *head, cds_wfcq_tail *tail)
    cds_wfcq_node *first_of_queue "__cds_wfcq_first_blocking"(cds_wfcq_head *head,
                                                              cds_wfcq_tail *tail)
    cds_wfcq_node *next_of_queue "__cds_wfcq_next_blocking"(cds_wfcq_head *head,
                                                            cds_wfcq_tail *tail,
                                                            cds_wfcq_node *node)


cdef extern from "urcu/rculfqueue.h" nogil:
    void cds_lfq_node_init_rcu(cds_lfq_node_rcu *node)
    int cds_lfq_destroy_rcu(cds_lfq_queue_rcu *queue)
    void cds_lfq_enqueue_rcu(cds_lfq_queue_rcu *queue, cds_lfq_node_rcu *node)
    cds_lfq_node_rcu *cds_lfq_dequeue_rcu(cds_lfq_queue_rcu *queue)


cdef extern from "urcu/deferred.h" nogil:
    void locklab_urcu_lfqueue_init(cds_lfq_queue_rcu *queue)
    locklab_urcu_deferred *locklab_urcu_of_wfcqueue(cds_wfcq_node *node)
    locklab_urcu_deferred *locklab_urcu_of_lfqueue(cds_lfq_node_rcu *node)


cdef class WfcQueue(Container):
    """A queue with wait-free enqueue; dequeuers exclude each other (wfcqueue).

    Its methods want no Reader.
    """

    cdef cds_wfcq_head head
    cdef cds_wfcq_tail tail

    def __cinit__(self):
        check(locklab_urcu_usable())
        cds_wfcq_init(&self.head, &self.tail)

    def __dealloc__(self):
        self.empty()

    cdef void forget(self) noexcept:
        cds_wfcq_destroy(&self.head, &self.tail)
        cds_wfcq_init(&self.head, &self.tail)

    def enqueue(self, value):
        """Append a value; return whether the queue was not empty before."""
        item = new_item(LOCKLAB_URCU_RELEASE, <PyObject *>value, NULL)
        cds_wfcq_node_init(&item.in_wfcqueue)
        self.own(item)
        return bool(cds_wfcq_enqueue(&self.head, &self.tail, &item.in_wfcqueue))

    def dequeue(self, default=None):
        """Take the oldest value, or return ``default``."""
        return self.dequeue_with_state(default)[0]

    def dequeue_with_state(self, default=None):
        """Take the oldest value; return it, and whether it was the last one.

        Of an empty queue that is ``(default, False)``.
        """
        cdef int state = 0
        item = locklab_urcu_of_wfcqueue(
            cds_wfcq_dequeue_with_state_blocking(&self.head, &self.tail, &state)
        )
        if item is NULL:
            return default, False
        return take(item), bool(state & CDS_WFCQ_STATE_LAST)

    def splice(self, WfcQueue source not None):
        """Append all that is in ``source``, which is empty then; return whether self was not.

        Raises:
            ValueError: ``source`` is this queue.
        """
        cdef locklab_urcu_deferred *item
        if source is self:
            raise ValueError("a queue cannot be spliced to itself: give another one")
        result = cds_wfcq_splice_blocking(&self.head, &self.tail, &source.head, &source.tail)
        while not cds_list_empty(&source.owned):
            item = locklab_urcu_of_owned(source.owned.next)
            cds_list_del(&item.owned)
            self.own(item)
        return result == CDS_WFCQ_RET_DEST_NON_EMPTY

    def is_empty(self):
        """Whether nothing is in the queue."""
        return bool(cds_wfcq_empty(&self.head, &self.tail))

    def __iter__(self):
        """Iterate over the values that are in the queue now, oldest first."""
        values = []
        cds_wfcq_dequeue_lock(&self.head, &self.tail)
        try:
            node = first_of_queue(&self.head, &self.tail)
            while node is not NULL:
                values.append(<object>locklab_urcu_of_wfcqueue(node).objects[0])
                node = next_of_queue(&self.head, &self.tail, node)
        finally:
            cds_wfcq_dequeue_unlock(&self.head, &self.tail)
        return iter(values)


collect(WfcQueue)


cdef class LfQueue(Container):
    """A lock-free queue whose nodes are freed after a grace period (rculfqueue).

    Its methods open a section of their own in a registered thread.
    """

    cdef cds_lfq_queue_rcu queue
    cdef bint made

    def __cinit__(self):
        check(locklab_urcu_usable())
        locklab_urcu_lfqueue_init(&self.queue)
        self.made = True

    def __dealloc__(self):
        if self.made and locklab_urcu_usable() == LOCKLAB_URCU_OK:
            self.empty()
            cds_lfq_destroy_rcu(&self.queue)

    cdef void forget(self) noexcept:
        cdef boolean borrowed = locklab_urcu_borrow()
        while cds_lfq_dequeue_rcu(&self.queue) is not NULL:
            pass
        locklab_urcu_give_back(borrowed)

    def enqueue(self, value):
        """Append a value.

        Raises:
            UrcuError: the thread is not registered.
        """
        cdef unsigned outer
        check(locklab_urcu_enter(&outer))
        try:
            item = new_item(LOCKLAB_URCU_RELEASE, <PyObject *>value, NULL)
            cds_lfq_node_init_rcu(&item.in_lfqueue)
            self.own(item)
            cds_lfq_enqueue_rcu(&self.queue, &item.in_lfqueue)
        finally:
            locklab_urcu_exit(outer)

    def dequeue(self, default=None):
        """Take the oldest value, or return ``default``.

        Raises:
            UrcuError: the thread is not registered.
        """
        cdef unsigned outer
        check(locklab_urcu_enter(&outer))
        item = locklab_urcu_of_lfqueue(cds_lfq_dequeue_rcu(&self.queue))
        if item is not NULL:
            default = <object>item.objects[0]
            cds_list_del(&item.owned)
            locklab_urcu_defer(item)
        locklab_urcu_exit(outer)
        return default


collect(LfQueue)
