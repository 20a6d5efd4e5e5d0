"""One flavour of liburcu behind checks, as Python sees it (private: use locknative.urcu).

Compiled once a flavour, each under a name of its own. Relies on the GIL: a reference that a reader
takes inside its section is taken before anybody else's Python code can release the object.

Keys are hashed before the table is touched. They are compared inside a section that the comparison
cannot end (locklab_urcu_enter); a comparison may block, raise, or use the same table, as another
thread might meanwhile. An entry owns its key and value, and gives them up after a grace period.
"""

from cpython.exc cimport PyErr_WriteUnraisable
from cpython.object cimport Py_EQ, PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF, Py_XDECREF
from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc

from locknative.errors import UrcuError


cdef extern from *:
    const char *VERSION_TEXT "LOCKLAB_URCU_VERSION"


cdef extern from "Python.h":
    PyObject *call_object "PyObject_CallObject"(PyObject *function, PyObject *arguments)
    int compare "PyObject_RichCompareBool"(PyObject *a, PyObject *b, int operation)


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

    locklab_urcu_status locklab_urcu_usable()
    locklab_urcu_status locklab_urcu_register()
    locklab_urcu_status locklab_urcu_unregister(unsigned *still_open)
    locklab_urcu_status locklab_urcu_read_lock()
    locklab_urcu_status locklab_urcu_read_unlock()
    locklab_urcu_status locklab_urcu_enter(unsigned *outer)
    void locklab_urcu_exit(unsigned outer)
    uint64_t locklab_urcu_section()
    boolean locklab_urcu_registered()
    locklab_urcu_status locklab_urcu_synchronize()
    locklab_urcu_status locklab_urcu_barrier()
    locklab_urcu_status locklab_urcu_stay_online(boolean online, boolean *before)
    locklab_urcu_status locklab_urcu_quiescent_state()
    boolean locklab_urcu_borrow()
    void locklab_urcu_give_back(boolean borrowed)


cdef extern from "urcu/deferred.h" nogil:
    struct cds_lfht:
        pass
    struct cds_lfht_node:
        pass
    struct cds_lfht_iter:
        cds_lfht_node *node

    enum locklab_urcu_then:
        LOCKLAB_URCU_CALL
        LOCKLAB_URCU_RELEASE
        LOCKLAB_URCU_DESTROY

    struct locklab_urcu_deferred:
        cds_lfht_node in_table
        locklab_urcu_then then
        void *objects[2]

    locklab_urcu_status locklab_urcu_defer(locklab_urcu_deferred *item)
    void locklab_urcu_post(locklab_urcu_deferred *item)
    locklab_urcu_deferred *locklab_urcu_next()
    void locklab_urcu_stop()
    cds_lfht *locklab_urcu_table_new()
    void locklab_urcu_table_destroy(cds_lfht *table)
    locklab_urcu_deferred *locklab_urcu_entry(cds_lfht_node *node)


cdef extern from "urcu/rculfhash.h":
    ctypedef int (*cds_lfht_match_fct)(cds_lfht_node *node, const void *key) noexcept
    void cds_lfht_node_init(cds_lfht_node *node)
    void cds_lfht_lookup(cds_lfht *table, unsigned long hash, cds_lfht_match_fct match,
                         const void *key, cds_lfht_iter *iter)
    void cds_lfht_first(cds_lfht *table, cds_lfht_iter *iter)
    void cds_lfht_next(cds_lfht *table, cds_lfht_iter *iter)
    cds_lfht_node *cds_lfht_add_unique(cds_lfht *table, unsigned long hash,
                                       cds_lfht_match_fct match, const void *key,
                                       cds_lfht_node *node)
    int cds_lfht_replace(cds_lfht *table, cds_lfht_iter *old, unsigned long hash,
                         cds_lfht_match_fct match, const void *key, cds_lfht_node *node)
    int cds_lfht_del(cds_lfht *table, cds_lfht_node *node)


cdef extern from "urcu/pointer.h":
    void *rcu_dereference(void *pointer)
    void *rcu_xchg_pointer(void **pointer, void *new)
    void *rcu_cmpxchg_pointer(void **pointer, void *old, void *new)


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
    LOCKLAB_URCU_FORKED: "this is a child of fork(), and its parent has used liburcu: start the "
    "process with multiprocessing's 'spawn' method",
    LOCKLAB_URCU_NO_MEMORY: "the system has no memory or no thread-specific key left for liburcu",
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


def synchronize():
    cdef locklab_urcu_status status
    with nogil:
        status = locklab_urcu_synchronize()
    check(status)


def stay_online(online):
    """Return what was before."""
    cdef boolean before = False
    check(locklab_urcu_stay_online(online, &before))
    return bool(before)


def quiescent_state():
    check(locklab_urcu_quiescent_state())


# What waits for a grace period

cdef unsigned long failures_seen = 0


def call_rcu(function, arguments):
    check(locklab_urcu_usable())
    defer(new_item(LOCKLAB_URCU_CALL, <PyObject *>function, <PyObject *>arguments))


def barrier():
    """Wait until liburcu has handed over all that was deferred before; it may not have run yet."""
    cdef locklab_urcu_status status
    with nogil:
        status = locklab_urcu_barrier()
    check(status)


def post(function, arguments):
    """Run function(*arguments) after all that was handed over before."""
    locklab_urcu_post(new_item(LOCKLAB_URCU_CALL, <PyObject *>function, <PyObject *>arguments))


def run():
    """Run what was handed over, until stop(): for a thread of its own."""
    global failures_seen
    cdef locklab_urcu_deferred *item
    cdef PyObject *result
    while True:
        with nogil:
            item = locklab_urcu_next()
        if item is NULL:
            return
        if item.then == LOCKLAB_URCU_DESTROY:
            with nogil:
                locklab_urcu_table_destroy(<cds_lfht *>item.objects[0])
        else:
            if item.then == LOCKLAB_URCU_CALL:
                result = call_object(<PyObject *>item.objects[0], <PyObject *>item.objects[1])
                if result is NULL:
                    failures_seen += 1
                    PyErr_WriteUnraisable(<object>item.objects[0])
                Py_XDECREF(result)
            release(item)
        free(item)


def stop():
    locklab_urcu_stop()


def registered():
    return bool(locklab_urcu_registered())


def reading():
    return locklab_urcu_section() != 0


def failures():
    return failures_seen


cdef locklab_urcu_deferred *new_item(
    locklab_urcu_then then, PyObject *first, PyObject *second
) except NULL:
    """Return an item that owns a reference to each object (NULL for none)."""
    item = <locklab_urcu_deferred *>malloc(sizeof(locklab_urcu_deferred))
    if item is NULL:
        raise MemoryError
    cds_lfht_node_init(&item.in_table)
    item.then = then
    item.objects[0] = first
    item.objects[1] = second
    if first is not NULL:
        Py_INCREF(<object>first)
    if second is not NULL:
        Py_INCREF(<object>second)
    return item


cdef void release(locklab_urcu_deferred *item) noexcept:
    Py_XDECREF(<PyObject *>item.objects[0])
    Py_XDECREF(<PyObject *>item.objects[1])


cdef int defer(locklab_urcu_deferred *item) except -1:
    return check(locklab_urcu_defer(item))


# Pointers

cdef class Pointer:
    cdef void *target

    def __init__(self, target=None):
        if self.target is NULL:
            Py_INCREF(target)
            self.target = <void *>target

    def __dealloc__(self):
        Py_XDECREF(<PyObject *>self.target)  # who could still read it holds a reference to self

    def dereference(self):
        if locklab_urcu_section() == 0:
            check(LOCKLAB_URCU_NOT_READING)
        return <object>rcu_dereference(self.target)

    def assign(self, new):
        check(locklab_urcu_usable())
        item = new_item(LOCKLAB_URCU_RELEASE, NULL, NULL)
        Py_INCREF(new)
        item.objects[0] = rcu_xchg_pointer(&self.target, <void *>new)
        old = <object>item.objects[0]
        defer(item)
        return old

    def compare_exchange(self, expected, new):
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


# The hash table

cdef struct Wanted:
    PyObject *key
    bint raised


cdef int is_wanted(cds_lfht_node *node, const void *key) noexcept:
    """Compare; one that raises counts as a match, which ends the search."""
    wanted = <Wanted *>key
    cdef int equal = compare(<PyObject *>locklab_urcu_entry(node).objects[0], wanted.key, Py_EQ)
    if equal < 0:
        wanted.raised = True
    return equal != 0


cdef int is_any(cds_lfht_node *node, const void *key) noexcept:
    return 1


cdef int raise_set() except -1:
    return -1


cdef class HashTable:
    cdef cds_lfht *table

    def __cinit__(self):
        check(locklab_urcu_usable())
        cdef boolean borrowed = locklab_urcu_borrow()
        self.table = locklab_urcu_table_new()
        locklab_urcu_give_back(borrowed)
        if self.table is NULL:
            raise MemoryError

    def __dealloc__(self):
        if self.table is NULL or locklab_urcu_usable() != LOCKLAB_URCU_OK:
            return
        cdef cds_lfht_iter position
        cdef boolean borrowed = locklab_urcu_borrow()
        cds_lfht_first(self.table, &position)
        while position.node is not NULL:
            cds_lfht_del(self.table, position.node)
            locklab_urcu_defer(locklab_urcu_entry(position.node))
            cds_lfht_next(self.table, &position)
        locklab_urcu_give_back(borrowed)
        item = new_item(LOCKLAB_URCU_DESTROY, NULL, NULL)
        item.objects[0] = self.table
        locklab_urcu_defer(item)

    def lookup(self, key, default):
        cdef Wanted wanted = Wanted(<PyObject *>key, False)
        cdef cds_lfht_iter position
        cdef unsigned outer
        cdef unsigned long hashed = <unsigned long><Py_ssize_t>hash(key)
        check(locklab_urcu_enter(&outer))
        cds_lfht_lookup(self.table, hashed, is_wanted, &wanted, &position)
        if not wanted.raised and position.node is not NULL:
            default = <object>locklab_urcu_entry(position.node).objects[1]
        locklab_urcu_exit(outer)
        if wanted.raised:
            raise_set()
        return default

    def add_unique(self, key, value):
        cdef Wanted wanted = Wanted(<PyObject *>key, False)
        cdef unsigned outer
        cdef unsigned long hashed = <unsigned long><Py_ssize_t>hash(key)
        item = new_item(LOCKLAB_URCU_RELEASE, <PyObject *>key, <PyObject *>value)
        status = locklab_urcu_enter(&outer)
        added = False
        if status == LOCKLAB_URCU_OK:
            added = cds_lfht_add_unique(self.table, hashed, is_wanted, &wanted,
                                        &item.in_table) == &item.in_table
            locklab_urcu_exit(outer)
        if wanted.raised:
            free(item)
            Py_DECREF(key)
            Py_DECREF(value)
            raise_set()
        if not added:
            release(item)
            free(item)
        check(status)
        return bool(added)

    def replace(self, key, value, default):
        cdef Wanted wanted = Wanted(<PyObject *>key, False)
        cdef cds_lfht_iter position
        cdef cds_lfht_node *node
        cdef unsigned outer
        cdef unsigned long hashed = <unsigned long><Py_ssize_t>hash(key)
        check(locklab_urcu_enter(&outer))
        try:
            item = new_item(LOCKLAB_URCU_RELEASE, <PyObject *>key, <PyObject *>value)
            while True:
                cds_lfht_lookup(self.table, hashed, is_wanted, &wanted, &position)
                if wanted.raised:
                    break
                if position.node is not NULL:
                    node = position.node
                    if cds_lfht_replace(self.table, &position, hashed, is_any, &wanted,
                                        &item.in_table) == 0:
                        default = <object>locklab_urcu_entry(node).objects[1]
                        defer(locklab_urcu_entry(node))
                        return default
                elif cds_lfht_add_unique(self.table, hashed, is_wanted, &wanted,
                                         &item.in_table) == &item.in_table:
                    return default
                if wanted.raised:
                    break
            free(item)
            Py_DECREF(key)
            Py_DECREF(value)
            raise_set()
        finally:
            locklab_urcu_exit(outer)

    def remove(self, key, default):
        cdef Wanted wanted = Wanted(<PyObject *>key, False)
        cdef cds_lfht_iter position
        cdef unsigned outer
        cdef unsigned long hashed = <unsigned long><Py_ssize_t>hash(key)
        check(locklab_urcu_enter(&outer))
        cds_lfht_lookup(self.table, hashed, is_wanted, &wanted, &position)
        if not wanted.raised and position.node is not NULL:
            if cds_lfht_del(self.table, position.node) == 0:
                default = <object>locklab_urcu_entry(position.node).objects[1]
                locklab_urcu_defer(locklab_urcu_entry(position.node))
        locklab_urcu_exit(outer)
        if wanted.raised:
            raise_set()
        return default

    def __iter__(self):
        cdef uint64_t section = locklab_urcu_section()
        if section == 0:
            check(LOCKLAB_URCU_NOT_READING)
        return Entries(self, section)


cdef class Entries:
    cdef HashTable source
    cdef uint64_t section
    cdef cds_lfht_iter position
    cdef bint started

    def __init__(self, HashTable source not None, uint64_t section):
        self.source = source
        self.section = section

    def __iter__(self):
        return self

    def __next__(self):
        if locklab_urcu_section() != self.section:
            raise UrcuError("the section in which this iteration began has ended, or is another "
                            "thread's: iterate within one section")
        if not self.started:
            cds_lfht_first(self.source.table, &self.position)
            self.started = True
        elif self.position.node is not NULL:
            cds_lfht_next(self.source.table, &self.position)
        if self.position.node is NULL:
            raise StopIteration
        item = locklab_urcu_entry(self.position.node)
        return <object>item.objects[0], <object>item.objects[1]
