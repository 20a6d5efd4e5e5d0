"""Each method of each kind matters to some client: emptied, the library's structs are violated."""

import pytest
from mutants.emptied import emptied
from mutants.mutant import SIZES, checked_entries, judge
from mutants.survivors import survivors

from locksim.kinds import kind_of, kinds
from locksim.library.registry import resolve

OF_EACH_KIND = (
    *("k42", "rwlock", "seqrwlock", "seqlock", "lockref", "rcu_qsbr", "srcu", "semaphore"),
    *("decisions_spinlock", "avc_rwlock", "cipso", "dcache_seqretry", "linux_2_4"),
)
"""Structs of all kinds with test clients."""
DEAR = "linux_2_4"
"""Two CPUs and two tasks take ten seconds here; `make slow` judges it with the rest."""
SMALL = SIZES[:2]


def known(name):
    """The emptied methods of a struct that stand in survivors.toml."""
    return {key for key in survivors() if key[0] == name and not key[2]}


def survive(name, sizes=SIZES, but=frozenset()):
    """The emptied methods of a struct that are not violated; without those of ``but``."""
    asked = [mutant for mutant in emptied(resolve(name)) if mutant.key not in but]
    return {mutant.key for mutant in asked if judge(mutant, sizes).verdict != "killed"}


@pytest.mark.covering("name", every=2)
@pytest.mark.parametrize("name", [name for name in OF_EACH_KIND if name != DEAR])
def test_each_method_matters(name):
    """Two threads and one round suffice; or the list says why not."""
    assert set() == survive(name, SMALL, but=known(name))


def test_structs_of_all_kinds_are_emptied():
    """All kinds whose structs the checker proves."""
    proven = {type(kind_of(entry.struct)) for entry in checked_entries()}
    assert proven == {type(kind_of(resolve(name).struct)) for name in OF_EACH_KIND}
    assert proven < {type(kind) for kind in kinds()}


@pytest.mark.slow
@pytest.mark.parametrize("name", [entry.name for entry in checked_entries()])
def test_each_method_of_the_library_matters(name):
    """And what the list names is not violated."""
    assert known(name) == survive(name)
