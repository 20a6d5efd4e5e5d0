# The list that is read under RCU while it changes. One updater at a time: the GIL sees to that.

cdef extern from "urcu/rculist.h":
    void cds_list_add_rcu(cds_list_head *node, cds_list_head *head)
    void cds_list_add_tail_rcu(cds_list_head *node, cds_list_head *head)
    void cds_list_replace_rcu(cds_list_head *old, cds_list_head *new)
    void cds_list_del_rcu(cds_list_head *node)


cdef extern from "urcu/deferred.h" nogil:
    locklab_urcu_deferred *locklab_urcu_of_list(cds_list_head *node)


cdef class ListNode:
    """An entry of a RcuList, for who wants to remove or replace it."""

    cdef locklab_urcu_deferred *item  # NULL once it is in no list
    cdef void *home

    @property
    def in_list(self):
        """Whether it is still in its list."""
        return self.item is not NULL


cdef class RcuList(Container):
    """A doubly linked list; readers go through it forward (rculist).

    Updates want no Reader; iteration wants a section of yours.
    """

    cdef cds_list_head head

    def __cinit__(self):
        check(locklab_urcu_usable())
        CDS_INIT_LIST_HEAD(&self.head)

    def __dealloc__(self):
        self.empty()

    cdef void forget(self) noexcept:
        cdef cds_list_head *node = self.owned.next
        cdef locklab_urcu_deferred *item
        while node != &self.owned:
            item = locklab_urcu_of_owned(node)
            cds_list_del_rcu(&item.in_list)
            (<ListNode>item.objects[1]).item = NULL
            node = node.next

    cdef locklab_urcu_deferred *entry(self, value, ListNode node) except NULL:
        check(locklab_urcu_usable())
        node.item = new_item(LOCKLAB_URCU_RELEASE, <PyObject *>value, <PyObject *>node)
        node.home = <void *>self
        self.own(node.item)
        return node.item

    cdef int retire(self, ListNode node) except -1:
        item = node.item
        node.item = NULL
        cds_list_del(&item.owned)
        return defer(item)

    cdef int check_node(self, ListNode node) except -1:
        check(locklab_urcu_usable())
        if node.item is NULL or node.home is not <void *>self:
            raise UrcuError("this node is not in this list: it was removed, or is another list's")
        return 0

    def add(self, value):
        """Put a value in front; return its node."""
        node = ListNode()
        cds_list_add_rcu(&self.entry(value, node).in_list, &self.head)
        return node

    def add_tail(self, value):
        """Append a value; return its node."""
        node = ListNode()
        cds_list_add_tail_rcu(&self.entry(value, node).in_list, &self.head)
        return node

    def replace(self, ListNode node not None, value):
        """Put a value in a node's place; return the new node.

        Raises:
            UrcuError: the node is not in this list.
        """
        self.check_node(node)
        new = ListNode()
        cds_list_replace_rcu(&node.item.in_list, &self.entry(value, new).in_list)
        self.retire(node)
        return new

    def remove(self, ListNode node not None):
        """Take a node out and return its value, which readers may see for a grace period more.

        Raises:
            UrcuError: the node is not in this list.
        """
        self.check_node(node)
        value = <object>node.item.objects[0]
        cds_list_del_rcu(&node.item.in_list)
        self.retire(node)
        return value

    def __iter__(self):
        """Iterate over the values within the section that the thread is in.

        Raises:
            UrcuError: the thread is in no section; later, in another one.
        """
        return ListEntries(self)


collect(RcuList)


@cython.no_gc_clear  # the list that it is in is cleared instead
cdef class ListEntries:
    cdef RcuList source
    cdef uint64_t section
    cdef cds_list_head *position

    def __cinit__(self, RcuList source not None):
        needs_section()
        self.source = source
        self.section = locklab_urcu_section()
        self.position = &source.head

    def __iter__(self):
        return self

    def __next__(self):
        same_section(self.section)
        if self.position is NULL:
            raise StopIteration
        self.position = <cds_list_head *>rcu_dereference(self.position.next)
        if self.position is &self.source.head:
            self.position = NULL
            raise StopIteration
        return <object>locklab_urcu_of_list(self.position).objects[0]
