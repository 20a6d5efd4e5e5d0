"""Where control goes next."""

from locksim.compiler.control_flow import cycle, label, reachable, successors
from locksim.compiler.ir import Instr


def test_successors_of_jumps_and_returns():
    """A conditional jump has two successors, a jump only its target, a return none."""
    instrs = [Instr("JZ", ("r0", 2), 1), Instr("JMP", (0,), 2), Instr("RET", ("r0",), 3)]
    assert [[1, 2], [0], []] == [successors(instrs, k) for k in range(3)]
    assert [2, 0, None] == [label(instr) for instr in instrs]


def test_reachable_follows_cycles_and_leaves_out_the_rest():
    """All nodes behind the starts are found once, in cycles too; others are not."""
    graph = {0: [1], 1: [0, 2], 2: [], 3: [0]}
    assert {0, 1, 2} == reachable([0], graph.__getitem__)
    assert set() == reachable([], graph.__getitem__)


def test_cycle_only_where_the_walk_comes():
    """A cycle behind a start is found; two ways to one node, and a cycle elsewhere, are none."""
    assert [1, 2] == cycle([[1], [2], [1]], [0])
    assert [] == cycle([[1, 2], [2], [], [3]], [0, 9])
    assert [3] == cycle([[1, 2], [2], [], [3]], [0, 3])
