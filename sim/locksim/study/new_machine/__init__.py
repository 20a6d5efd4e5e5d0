"""A machine profile from what people have: ``lscpu``, a core-to-core matrix, a few latencies.

    matrix      the CSV of core-to-core-latency: one reading for each pair of CPUs
    lscpu       sockets, cores, threads, clock
    shape       which CPUs are near one another: the profile's nodes and distance classes
    ping_pong   the matrix's loop on a simulated machine, and the transfer that gives a reading
    consistency whether latencies can be those of this machine
    defaults    values that none of these say, each with the range in which it may lie
    draft       all of it together: the profile as a document, and its comments

What is measured stays apart from what is taken for granted: a value is ``fitted`` (the simulated
ping-pong then prints the reading), ``published`` (somebody gave it) or ``assumed`` (with a range).
"""

from locksim.study.new_machine.draft import Draft, Known, draft
from locksim.study.new_machine.lscpu import Lscpu
from locksim.study.new_machine.matrix import Matrix
from locksim.study.new_machine.ping_pong import ping_pong_ns
from locksim.study.new_machine.shape import Shape, of_lscpu, of_matrix

__all__ = [
    "Draft",
    "Known",
    "Lscpu",
    "Matrix",
    "Shape",
    "draft",
    "of_lscpu",
    "of_matrix",
    "ping_pong_ns",
]
