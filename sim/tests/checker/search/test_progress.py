"""The search backwards from the final states."""

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locksim.checker.search.runner import PLAIN, runner

graphs = st.lists(st.tuples(st.booleans(), st.lists(st.integers(0, 9), max_size=4)), max_size=10)


@pytest.mark.parametrize("by", [PLAIN, runner()], ids=["plain", "compiled"])
@given(graph=graphs)
def test_states_that_can_finish_are_those_with_a_path(by, graph):
    """Against a search forwards from every state; of the others the first that stands still."""
    n = len(graph)
    after = [[] if final else [to for to in targets if to < n] for final, targets in graph]
    start = by.row([0, *accumulate(map(len, after))])
    edges = by.row([to for targets in after for to in targets])
    final = by.row([int(final) for final, _ in graph])

    def finishes(state: int) -> bool:
        seen, todo = {state}, [state]
        while todo:
            here = todo.pop()
            if final[here]:
                return True
            new = set(after[here]) - seen
            seen |= new
            todo += new
        return False

    scratch = [by.zeros("q", size) for size in (n + 1, len(edges), n, n)]
    found = by.doomed(n, start, edges, final, *scratch)
    assert [finishes(s) for s in range(n)] == [bool(x) for x in scratch[-1]]
    lost = [s for s in range(n) if not finishes(s)]
    still = [s for s in lost if not after[s]]
    assert found == next(iter([*still, *lost, -1]))
