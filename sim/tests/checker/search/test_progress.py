"""The search backwards from the final states."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from locksim.checker.search.progress import _can_finish

graphs = st.lists(st.tuples(st.booleans(), st.lists(st.integers(0, 9), max_size=4)), max_size=10)


@given(graphs)
@settings(deadline=None)
def test_states_that_can_finish_are_those_with_a_path(graph):
    """Against a search forwards from every state."""
    n = len(graph)
    after = [[] if final else [to for to in targets if to < n] for final, targets in graph]
    start = np.cumsum([0, *map(len, after)]).astype(np.int64)
    edges = np.array([to for targets in after for to in targets], np.int32)
    final = np.array([final for final, _ in graph], np.int8)

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

    assert [finishes(s) for s in range(n)] == [bool(x) for x in _can_finish(start, edges, final)]
