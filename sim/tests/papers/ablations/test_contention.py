"""What load does to one line: the conclusions of ablations.md, on a smaller machine."""

from functools import cache

import pytest
from engine.fast.test_ways import NEVER, plain_until

from locksim.papers.ablations import contention


@cache
def rows() -> dict[str, contention.Row]:
    """The table with two CPUs a socket, in the plain loop, once for all tests."""
    with plain_until(NEVER):
        return {row.variant: row for row in contention.table(runs=3, operations=30, each=2)}


def test_first_come_first_served_keeps_the_order_of_the_start() -> None:
    """Socket after socket, every other line comes from the own socket; round them, none does."""
    assert rows()["first come, first served"].band > 1.5


def test_another_rule_forgets_the_start() -> None:
    """Of the band that the order of the start makes, less than a fifth is left."""
    before = rows()["first come, first served"].band - 1
    for variant in ("any of those that wait", "nearest first, passed 8 times"):
        assert rows()[variant].band - 1 < before / 5


@pytest.mark.slow
def test_128_cpus_forget_the_start_too() -> None:
    """Sixteen CPUs of each socket: less than a fifth of the band is left."""
    at = {row.variant: row for row in contention.table(runs=3, operations=100, each=16)}
    before = at["first come, first served"].band - 1
    assert before > 1.5
    for variant in ("any of those that wait", "nearest first, passed 8 times"):
        assert at[variant].band - 1 < before / 5


def test_the_nearest_first_keeps_the_line_in_a_socket() -> None:
    """More transfers stay in a socket than if any request may be served, and they cost less."""
    near, any_of = rows()["nearest first, passed 8 times"], rows()["any of those that wait"]
    assert near.near > 2 * any_of.near
    assert near.mean_ns < any_of.mean_ns


def test_a_single_line_hold_time_moves_in_steps() -> None:
    """2 ns more halve an addition, 4 ns more make it dearer; with a spread it falls steadily."""
    with plain_until(NEVER):
        at = {step.tenure_ns: step for step in contention.steps((4, 8, 10), operations=100)}
    assert at[4].single_ns < at[8].single_ns
    assert at[10].single_ns < 0.6 * at[8].single_ns
    assert at[4].spread_ns > at[8].spread_ns > at[10].spread_ns > 0.7 * at[8].spread_ns


def test_pairs_of_cpus_share_the_links_between_sockets_only() -> None:
    """56 pairs take twice the time of 28 with links; without them, or in a socket, no longer."""
    with plain_until(NEVER):
        at = {(load.pairs, load.apart): load for load in contention.loads((28, 56), operations=20)}
    assert at[56, True].loaded_ns > 1.7 * at[28, True].loaded_ns
    assert at[56, True].free_ns < 1.05 * at[28, True].free_ns
    assert at[28, False].free_ns == at[28, False].loaded_ns


def test_thinking_hides_behind_a_miss() -> None:
    """28 ns between additions double their time, and cost nothing where they are done meanwhile."""
    with plain_until(NEVER):
        (_, none, _), (_, alone, ahead) = contention.thoughts((0, 28), operations=100)
    assert alone > 1.8 * none
    assert ahead < 1.1 * none


def test_a_sibling_that_works_shares_the_core_and_one_that_pauses_does_not() -> None:
    """Two threads do 100 ns of work in 75 ns, not in 50; beside a pause it takes 100."""
    with plain_until(NEVER):
        (_, free, shared), (_, alone, paused) = contention.threads(operations=50)
    assert 1.5 == pytest.approx(shared / free, rel=0.05)
    assert 1.0 == pytest.approx(paused / alone, rel=0.05)


def test_far_atomics_move_no_line() -> None:
    """No line comes from another cache, and the order of the start does not matter."""
    far = rows()["far atomics"]
    assert 0 == far.near
    assert far.band < 1.05
    assert far.mean_ns < 0.5 * rows()["nearest first, passed 8 times"].mean_ns
