"""Checks with one client, whose counterexamples the generators confirm."""

from checker.proofs import for_all_sizes

from locksim.checker import Budget, check_lock, replay
from locksim.checker.models.layout import POOL
from locksim.kinds.checking import clients_of

BUDGET = Budget(buffer_entries=16, history=POOL)


def verdict_of(struct, client, *, threads=2, rounds=1, memory="sc", types=()):
    """What is violated, by clients whose name begins so, and confirmed; else the verdict."""
    asked = {"threads": threads, "rounds": rounds, "memory": memory, "client": client}
    verdict = check_lock(struct, **asked, budget=BUDGET, simplest=False)
    if verdict.counterexample is None:
        assert for_all_sizes(verdict) or not verdict.is_proof()
        return "proven" if verdict.is_proof() else verdict.verdict
    known = clients_of(struct, threads, rounds)
    by = next(found for found in known if found.name == verdict.client)
    assert verdict.found == replay(verdict.counterexample, by, memory=memory, types=types)
    return verdict.found
