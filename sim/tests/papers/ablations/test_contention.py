"""What load does to one line: the conclusions of docs/ABLATIONS.md, on a smaller machine."""

from functools import cache

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


def test_the_nearest_first_keeps_the_line_in_a_socket() -> None:
    """More transfers stay in a socket than if any request may be served, and they cost less."""
    near, any_of = rows()["nearest first, passed 8 times"], rows()["any of those that wait"]
    assert near.near > 2 * any_of.near
    assert near.mean_ns < any_of.mean_ns
