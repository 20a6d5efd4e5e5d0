"""The C harness, as Python sees it (private: use locknative)."""

from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from collections import namedtuple

from locknative.errors import StuckError, not_pinned, not_prepared, not_started


cdef extern from "<stdbool.h>":
    ctypedef bint c_bool "bool"


cdef extern from "Python.h":
    int PyErr_CheckSignals()  # declared as plain C: the exception stays set until it is passed on


cdef extern from "build_info.h":
    const char *LOCKLAB_COMPILER
    const char *LOCKLAB_FLAGS
    const char *LOCKLAB_URCU_VERSION


cdef extern from "harness/harness.h" nogil:
    enum locklab_kind:
        LOCKLAB_LOCK
        LOCKLAB_STRUCTURE
        LOCKLAB_PROBE
        LOCKLAB_WORKLOAD

    enum locklab_loop_name:
        LOCKLAB_VALIDATE
        LOCKLAB_THROUGHPUT
        LOCKLAB_LATENCY
        LOCKLAB_TORTURE
        LOCKLAB_LOOPS

    struct locklab_loop:
        c_bool has_read

    struct locklab_kernel:
        const char *name
        locklab_kind kind
        const locklab_loop *loops[4]  # LOCKLAB_LOOPS of them

    struct locklab_tally:
        uint64_t count
        uint64_t writes
        uint64_t overlaps
        uint64_t torn
        uint64_t wall_ns
        uint64_t cpu_ns

    struct locklab_mix:
        uint32_t hold
        uint32_t think
        uint32_t write_share
        uint32_t option
        uint64_t seed

    struct locklab_plan:
        unsigned threads
        const int *cpus
        uint64_t iterations
        uint64_t duration_ns
        uint64_t patience_ns
        c_bool read
        locklab_mix mix
        c_bool (*interrupted)() noexcept nogil

    enum locklab_stage:
        LOCKLAB_DONE
        LOCKLAB_NO_MEMORY
        LOCKLAB_NO_THREAD
        LOCKLAB_NOT_PINNED
        LOCKLAB_INTERRUPTED
        LOCKLAB_STUCK

    struct locklab_outcome:
        locklab_stage stage
        unsigned thread
        int error
        uint64_t updates

    const locklab_kernel *locklab_kernel_at(unsigned number)
    const locklab_kernel *locklab_kernel_find(const char *name)
    locklab_outcome locklab_run(
        const locklab_loop *loop, const locklab_plan *plan, locklab_tally *tallies)
    locklab_tally *locklab_tallies_new(unsigned threads, c_bool sampled)
    void locklab_tallies_free(locklab_tally *tallies)


COMPILER = LOCKLAB_COMPILER.decode()
FLAGS = LOCKLAB_FLAGS.decode()
URCU = LOCKLAB_URCU_VERSION.decode()

Tally = namedtuple("Tally", "acquisitions writes overlaps torn wall_ns cpu_ns")


cdef c_bool handler_raised() noexcept with gil:
    """Run Python's signal handlers; true when one raised (Ctrl-C)."""
    return PyErr_CheckSignals() != 0


cdef int pass_on() except -1:
    """Raise the exception that handler_raised() left behind."""
    return -1


KINDS = {
    LOCKLAB_LOCK: "lock",
    LOCKLAB_STRUCTURE: "structure",
    LOCKLAB_PROBE: "probe",
    LOCKLAB_WORKLOAD: "workload",
}
LOOPS = {
    "validate": LOCKLAB_VALIDATE,
    "throughput": LOCKLAB_THROUGHPUT,
    "latency": LOCKLAB_LATENCY,
    "torture": LOCKLAB_TORTURE,
}

Kernel = namedtuple("Kernel", "name kind loops has_read")


def kernels():
    cdef unsigned number = 0
    cdef const locklab_kernel *kernel = locklab_kernel_at(0)
    cdef int index
    found = []
    while kernel != NULL:
        loops = []
        has_read = False
        for name, index in LOOPS.items():
            if kernel.loops[index] != NULL:
                loops.append(name)
                has_read = has_read or kernel.loops[index].has_read
        found.append(Kernel(kernel.name.decode(), KINDS[kernel.kind], tuple(loops), has_read))
        number += 1
        kernel = locklab_kernel_at(number)
    return found


def run(str kernel, str loop, unsigned threads, cpus, uint64_t iterations=0,
        uint64_t duration_ns=0, uint64_t patience_ns=0, bint read=False, uint32_t hold=0,
        uint32_t think=0, uint32_t write_share=0, uint32_t option=0, uint64_t seed=0):
    name = kernel.encode()
    cdef const locklab_kernel *found = locklab_kernel_find(name)
    cdef int index = LOOPS.get(loop, LOCKLAB_LOOPS)
    if found == NULL or index == LOCKLAB_LOOPS or found.loops[index] == NULL:
        raise ValueError(f"no loop {loop!r} of kernel {kernel!r}")
    if threads < 1 or len(cpus) not in (0, threads):
        raise ValueError(f"{threads} threads and {len(cpus)} CPUs")
    cdef locklab_plan plan
    cdef locklab_outcome outcome
    cdef locklab_tally *tallies = locklab_tallies_new(threads, loop == "latency")
    cdef int *list_of_cpus = <int *> malloc(threads * sizeof(int))
    try:
        if tallies == NULL or list_of_cpus == NULL:
            raise MemoryError
        for i, cpu in enumerate(cpus):
            list_of_cpus[i] = cpu
        memset(&plan, 0, sizeof(plan))
        plan.threads = threads
        plan.cpus = list_of_cpus if len(cpus) else NULL
        plan.iterations = iterations
        plan.duration_ns = duration_ns
        plan.patience_ns = patience_ns
        plan.read = read
        plan.mix.hold = hold
        plan.mix.think = think
        plan.mix.write_share = write_share
        plan.mix.option = option
        plan.mix.seed = seed
        plan.interrupted = handler_raised
        with nogil:
            outcome = locklab_run(found.loops[index], &plan, tallies)
        if outcome.stage == LOCKLAB_INTERRUPTED:
            pass_on()
        if outcome.stage == LOCKLAB_STUCK:
            raise StuckError(kernel, threads, patience_ns / 1e9)
        if outcome.stage == LOCKLAB_NO_MEMORY:
            raise not_prepared(kernel, threads, outcome.error)
        if outcome.stage == LOCKLAB_NO_THREAD:
            raise not_started(outcome.thread, threads, outcome.error)
        if outcome.stage == LOCKLAB_NOT_PINNED:
            raise not_pinned(outcome.thread, cpus[outcome.thread], outcome.error)
        return [
            Tally(tallies[i].count, tallies[i].writes, tallies[i].overlaps, tallies[i].torn,
                  tallies[i].wall_ns, tallies[i].cpu_ns)
            for i in range(threads)
        ], outcome.updates
    finally:
        free(list_of_cpus)
        locklab_tallies_free(tallies)
