# What waits for a grace period, and the thread that touches Python objects afterwards: deferred.h.

from cpython.exc cimport PyErr_SetString, PyErr_WriteUnraisable
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF, Py_XDECREF
from libc.stdlib cimport free, malloc


cdef extern from "Python.h":
    PyObject *call_object "PyObject_CallObject"(PyObject *function, PyObject *arguments)


cdef extern from "urcu/list.h" nogil:
    struct cds_list_head:
        cds_list_head *next

    void CDS_INIT_LIST_HEAD(cds_list_head *head)
    void cds_list_add(cds_list_head *node, cds_list_head *head)
    void cds_list_del(cds_list_head *node)
    boolean cds_list_empty(cds_list_head *head)


cdef extern from "urcu/deferred.h" nogil:
    struct cds_lfht:
        pass
    struct cds_lfht_node:
        pass
    struct cds_wfcq_node:
        pass
    struct cds_wfs_node:
        pass
    struct cds_lfs_node:
        cds_lfs_node *next
    struct cds_lfq_node_rcu:
        pass
    struct cds_lfq_queue_rcu:
        pass

    enum locklab_urcu_then:
        LOCKLAB_URCU_CALL
        LOCKLAB_URCU_RELEASE
        LOCKLAB_URCU_DESTROY

    struct locklab_urcu_deferred:
        cds_lfht_node in_table
        cds_wfcq_node in_wfcqueue
        cds_wfs_node in_wfstack
        cds_lfs_node in_lfstack
        cds_lfq_node_rcu in_lfqueue
        cds_list_head in_list
        cds_list_head owned
        locklab_urcu_then then
        void *objects[2]

    locklab_urcu_status locklab_urcu_defer(locklab_urcu_deferred *item)
    void locklab_urcu_post(locklab_urcu_deferred *item)
    boolean locklab_urcu_await()
    locklab_urcu_deferred *locklab_urcu_next()
    void locklab_urcu_stop()
    locklab_urcu_deferred *locklab_urcu_of_owned(cds_list_head *node)


cdef unsigned long failures_seen = 0


def call_rcu(function, arguments):
    check(locklab_urcu_usable())
    defer(new_item(LOCKLAB_URCU_CALL, <PyObject *>function, <PyObject *>arguments))


def post(function, arguments):
    """Run function(*arguments) after all that was handed over before."""
    locklab_urcu_post(new_item(LOCKLAB_URCU_CALL, <PyObject *>function, <PyObject *>arguments))


def tidy():
    """Take this thread out of all that it is in; return whether it was in anything."""
    cdef boolean left
    with nogil:
        left = locklab_urcu_tidy()
    return bool(left)


def run(tidies):
    """Run what was handed over, until stop(): for a thread of its own.

    ``tidies`` are all flavours' tidy(): what one left open would hold that flavour's waits up.
    """
    global failures_seen
    cdef locklab_urcu_deferred *item
    cdef boolean more
    while True:
        with nogil:
            more = locklab_urcu_await()
        if not more:
            return
        item = locklab_urcu_next()
        if item is NULL:  # a second such thread was quicker: Callbacks.start was interrupted
            continue
        if item.then == LOCKLAB_URCU_DESTROY:
            with nogil:
                locklab_urcu_table_destroy(<cds_lfht *>item.objects[0])
        else:
            if item.then == LOCKLAB_URCU_CALL:
                call(item)
            release(item)  # which runs finalizers
        free(item)
        if True in [each() for each in tidies]:
            failures_seen += 1
            PyErr_SetString(UrcuError, "a callback or a finalizer left its thread registered, "
                            "deferring, with a worker or in a section: this was undone")
            PyErr_WriteUnraisable(run)


cdef int call(locklab_urcu_deferred *item) except -1:
    global failures_seen
    cdef PyObject *result = call_object(<PyObject *>item.objects[0], <PyObject *>item.objects[1])
    if result is NULL:
        failures_seen += 1
        PyErr_WriteUnraisable(<object>item.objects[0])
    Py_XDECREF(result)
    return 0


def stop():
    locklab_urcu_stop()


def failures():
    return failures_seen


cdef locklab_urcu_deferred *new_item(
    locklab_urcu_then then, PyObject *first, PyObject *second
) except NULL:
    """Return an item that owns a reference to each object (NULL for none)."""
    item = <locklab_urcu_deferred *>malloc(sizeof(locklab_urcu_deferred))
    if item is NULL:
        raise MemoryError
    CDS_INIT_LIST_HEAD(&item.owned)
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
