# The lock-free hash table.
#
# Keys are hashed before the table is touched. They are compared inside a section that the comparison
# cannot end (locklab_urcu_enter); a comparison may block, raise, or use the same table, as another
# thread might meanwhile. An entry owns its key and value, and gives them up after a grace period.

from collections import namedtuple

from cpython.object cimport Py_EQ
cimport cython


cdef extern from "Python.h":
    int compare "PyObject_RichCompareBool"(PyObject *a, PyObject *b, int operation)


cdef extern from "urcu/deferred.h" nogil:
    unsigned long LOCKLAB_URCU_MOST_BUCKETS

    ctypedef struct Resize "struct locklab_urcu_resize":
        cds_lfht *table
        unsigned long buckets

    cds_lfht *locklab_urcu_table_new(unsigned long buckets, boolean resizes)
    void locklab_urcu_table_destroy(cds_lfht *table)
    locklab_urcu_deferred *locklab_urcu_entry(cds_lfht_node *node)


cdef extern from "urcu/rculfhash.h":
    struct cds_lfht_iter:
        cds_lfht_node *node

    ctypedef int (*cds_lfht_match_fct)(cds_lfht_node *node, const void *key) noexcept
    void cds_lfht_node_init(cds_lfht_node *node)
    void cds_lfht_lookup(cds_lfht *table, unsigned long hash, cds_lfht_match_fct match,
                         const void *key, cds_lfht_iter *iter)
    void cds_lfht_next_duplicate(cds_lfht *table, cds_lfht_match_fct match, const void *key,
                                 cds_lfht_iter *iter)
    void cds_lfht_first(cds_lfht *table, cds_lfht_iter *iter)
    void cds_lfht_next(cds_lfht *table, cds_lfht_iter *iter)
    void cds_lfht_add(cds_lfht *table, unsigned long hash, cds_lfht_node *node)
    cds_lfht_node *cds_lfht_add_unique(cds_lfht *table, unsigned long hash,
                                       cds_lfht_match_fct match, const void *key,
                                       cds_lfht_node *node)
    cds_lfht_node *cds_lfht_add_replace(cds_lfht *table, unsigned long hash,
                                        cds_lfht_match_fct match, const void *key,
                                        cds_lfht_node *node)
    int cds_lfht_del(cds_lfht *table, cds_lfht_node *node)
    void cds_lfht_count_nodes(cds_lfht *table, long *before, unsigned long *count, long *after)


NodeCount = namedtuple("NodeCount", ["approximate_before", "count", "approximate_after"])


cdef struct Wanted:
    PyObject *key
    bint raised


cdef int is_wanted(cds_lfht_node *node, const void *key) noexcept:
    """Compare; one that raises counts as a match, which ends the search."""
    wanted = <Wanted *>key
    if wanted.raised:
        return 1
    cdef int equal = compare(<PyObject *>locklab_urcu_entry(node).objects[0], wanted.key, Py_EQ)
    if equal < 0:
        wanted.raised = True
    return equal != 0


cdef int is_wanted_or_added(cds_lfht_node *node, const void *key) noexcept:
    """Compare; one that raises counts as none, so that nothing is replaced."""
    return is_wanted(node, key) and not (<Wanted *>key).raised


cdef locklab_urcu_deferred *new_entry(key, value) except NULL:
    item = new_item(LOCKLAB_URCU_RELEASE, <PyObject *>key, <PyObject *>value)
    cds_lfht_node_init(&item.in_table)
    return item


cdef int raise_set() except -1:
    return -1


cdef unsigned long hashed(key) except? 0:
    return <unsigned long><Py_ssize_t>hash(key)


cdef class HashTable(Container):
    """A lock-free hash table of Python keys and values (cds_lfht).

    Every method opens a section of its own in a registered thread; iteration wants one of yours.

    Args:
        buckets: how many it has at first, a power of two up to 2^20.
        auto_resize: whether it grows and shrinks with its entries.

    Raises:
        ValueError: ``buckets`` is not such a number.
        UrcuError: this is a child of fork().
    """

    cdef cds_lfht *table
    cdef bint resizes

    def __cinit__(self, buckets=64, auto_resize=True):
        cdef unsigned long size = checked_size(buckets)
        self.resizes = bool(auto_resize)
        check(locklab_urcu_usable())
        cdef boolean borrowed = locklab_urcu_borrow()
        self.table = locklab_urcu_table_new(size, self.resizes)
        locklab_urcu_give_back(borrowed)
        if self.table is NULL:
            raise MemoryError

    def __dealloc__(self):
        if self.table is NULL or locklab_urcu_usable() != LOCKLAB_URCU_OK:
            return
        self.empty()
        item = new_item(LOCKLAB_URCU_DESTROY, NULL, NULL)
        item.objects[0] = self.table
        locklab_urcu_defer(item)

    cdef void forget(self) noexcept:
        cdef cds_lfht_iter position
        if self.table is NULL:
            return
        cdef boolean borrowed = locklab_urcu_borrow()
        cds_lfht_first(self.table, &position)
        while position.node is not NULL:
            cds_lfht_del(self.table, position.node)
            cds_lfht_next(self.table, &position)
        locklab_urcu_give_back(borrowed)

    cdef int retire(self, locklab_urcu_deferred *item) except -1:
        cds_list_del(&item.owned)
        return defer(item)

    def lookup(self, key, default=None):
        """Return the value of a key, or ``default``; of duplicates, one.

        Raises:
            UrcuError: the thread is not registered.
        """
        cdef Wanted wanted = Wanted(<PyObject *>key, False)
        cdef cds_lfht_iter position
        cdef unsigned outer
        cdef unsigned long code = hashed(key)
        check(locklab_urcu_enter(&outer))
        cds_lfht_lookup(self.table, code, is_wanted, &wanted, &position)
        if not wanted.raised and position.node is not NULL:
            default = <object>locklab_urcu_entry(position.node).objects[1]
        locklab_urcu_exit(outer)
        if wanted.raised:
            raise_set()
        return default

    def duplicates(self, key):
        """Return the values of a key as a list, in no particular order.

        Raises:
            UrcuError: the thread is not registered.
        """
        cdef Wanted wanted = Wanted(<PyObject *>key, False)
        cdef cds_lfht_iter position
        cdef unsigned outer
        cdef unsigned long code = hashed(key)
        found = []
        check(locklab_urcu_enter(&outer))
        try:
            cds_lfht_lookup(self.table, code, is_wanted, &wanted, &position)
            while not wanted.raised and position.node is not NULL:
                found.append(<object>locklab_urcu_entry(position.node).objects[1])
                cds_lfht_next_duplicate(self.table, is_wanted, &wanted, &position)
        finally:
            locklab_urcu_exit(outer)
        if wanted.raised:
            raise_set()
        return found

    def add(self, key, value):
        """Add an entry, beside others of the same key.

        Raises:
            UrcuError: the thread is not registered.
        """
        cdef unsigned outer
        cdef unsigned long code = hashed(key)
        check(locklab_urcu_enter(&outer))
        try:
            item = new_entry(key, value)
            cds_lfht_add(self.table, code, &item.in_table)
            self.own(item)
        finally:
            locklab_urcu_exit(outer)

    def add_unique(self, key, value):
        """Add an entry if there is none of its key; return whether it was added.

        Raises:
            UrcuError: the thread is not registered.
        """
        cdef Wanted wanted = Wanted(<PyObject *>key, False)
        cdef unsigned outer
        cdef unsigned long code = hashed(key)
        item = new_entry(key, value)
        status = locklab_urcu_enter(&outer)
        added = False
        if status == LOCKLAB_URCU_OK:
            added = cds_lfht_add_unique(self.table, code, is_wanted, &wanted,
                                        &item.in_table) == &item.in_table
            if added:
                self.own(item)
            locklab_urcu_exit(outer)
        if not added:
            free(item)
            Py_DECREF(key)
            Py_DECREF(value)
        if wanted.raised:
            raise_set()
        check(status)
        return bool(added)

    def add_replace(self, key, value, default=None):
        """Add an entry in place of one of its key; return the old value, or ``default``.

        Raises:
            UrcuError: the thread is not registered.
        """
        cdef Wanted wanted = Wanted(<PyObject *>key, False)
        cdef cds_lfht_node *old
        cdef unsigned outer
        cdef unsigned long code = hashed(key)
        check(locklab_urcu_enter(&outer))
        try:
            item = new_entry(key, value)
            old = cds_lfht_add_replace(self.table, code, is_wanted_or_added, &wanted,
                                       &item.in_table)
            self.own(item)
            if wanted.raised:  # no other thread has run since
                cds_lfht_del(self.table, &item.in_table)
                self.retire(item)
                raise_set()
            if old is not NULL:
                default = <object>locklab_urcu_entry(old).objects[1]
                self.retire(locklab_urcu_entry(old))
        finally:
            locklab_urcu_exit(outer)
        return default

    def replace(self, key, value, default=None):
        """As :meth:`add_replace`, its older name."""
        return self.add_replace(key, value, default)

    def remove(self, key, default=None):
        """Remove an entry of a key and return its value, or ``default``.

        Raises:
            UrcuError: the thread is not registered.
        """
        cdef Wanted wanted = Wanted(<PyObject *>key, False)
        cdef cds_lfht_iter position
        cdef unsigned outer
        cdef unsigned long code = hashed(key)
        check(locklab_urcu_enter(&outer))
        cds_lfht_lookup(self.table, code, is_wanted, &wanted, &position)
        if not wanted.raised and position.node is not NULL:
            item = locklab_urcu_entry(position.node)
            if cds_lfht_del(self.table, position.node) == 0:
                default = <object>item.objects[1]
                cds_list_del(&item.owned)
                locklab_urcu_defer(item)
        locklab_urcu_exit(outer)
        if wanted.raised:
            raise_set()
        return default

    def count_nodes(self):
        """Count the entries; liburcu's estimates before and after say what changed meanwhile.

        Returns:
            ``(approximate_before, count, approximate_after)``

        Raises:
            UrcuError: the thread is not registered.
        """
        cdef unsigned outer
        cdef long before = 0, after = 0
        cdef unsigned long count = 0
        check(locklab_urcu_enter(&outer))
        cds_lfht_count_nodes(self.table, &before, &count, &after)
        locklab_urcu_exit(outer)
        return NodeCount(before, count, after)

    def resize(self, buckets):
        """Give the table so many buckets, and wait for it; Ctrl-C ends the wait only.

        Args:
            buckets: a power of two up to 2^20.

        Raises:
            ValueError: ``buckets`` is not such a number.
            UrcuError: the table was made with ``auto_resize``, or the thread is inside a section.
        """
        cdef unsigned long size = checked_size(buckets)
        if self.resizes:
            raise UrcuError("this table resizes itself: make it with auto_resize=False")
        check(locklab_urcu_may_wait())
        wanted = <Resize *>malloc(sizeof(Resize))
        if wanted is NULL:
            raise MemoryError
        wanted.table = self.table
        wanted.buckets = size
        # A wait that is given up goes on: the table is kept until then.
        wait(locklab_urcu_resize, wanted,
             new_item(LOCKLAB_URCU_RELEASE, <PyObject *>self, NULL))

    def __iter__(self):
        """Iterate over (key, value) within the section that the thread is in.

        Raises:
            UrcuError: the thread is in no section; later, in another one.
        """
        return Entries(self)


collect(HashTable)


cdef unsigned long checked_size(buckets) except 0:
    if not 1 <= buckets <= LOCKLAB_URCU_MOST_BUCKETS or buckets & (buckets - 1):
        raise ValueError(f"buckets must be a power of two from 1 to {LOCKLAB_URCU_MOST_BUCKETS} "
                         f"(got {buckets})")
    return buckets


@cython.no_gc_clear  # the table that it is in is cleared instead
cdef class Entries:
    cdef HashTable source
    cdef uint64_t section
    cdef cds_lfht_iter position
    cdef bint started

    def __cinit__(self, HashTable source not None):
        needs_section()
        self.source = source
        self.section = locklab_urcu_section()

    def __iter__(self):
        return self

    def __next__(self):
        same_section(self.section)
        if not self.started:
            cds_lfht_first(self.source.table, &self.position)
            self.started = True
        elif self.position.node is not NULL:
            cds_lfht_next(self.source.table, &self.position)
        if self.position.node is NULL:
            raise StopIteration
        item = locklab_urcu_entry(self.position.node)
        return <object>item.objects[0], <object>item.objects[1]
