"""What eight CPUs leave of a struct that they have used, for the tests of kinds."""

from locksim.kinds import kind_of
from locksim.lang import Struct
from locksim.study.use import Use, use

ON = (5, 2)
"""The CPUs on which a proof goes on."""


def used(struct: Struct | type[Struct], rounds: int = 40) -> Use:
    """What they leave, each after a drawn number of uses."""
    kind = kind_of(struct)
    load = kind.wearing(struct, rounds, ON, 0)
    return use(load, part=kind.part, machine="ideal-8", cpus=8, on=ON, seed=1, longest_ps=10**9)
