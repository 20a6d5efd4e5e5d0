"""Which words move together: what the instructions demand of them."""

import pytest
from checker import counters
from checker.classics import Bakery

from locksim.checker.models.model import model
from locksim.kinds.checking import endless_clients_of
from locksim.library.locks.mcs import MCSLock
from locksim.library.locks.ticket import TicketLock


def groups(lock):
    """For each group its words with their coefficients, and its step."""
    built = model(endless_clients_of(lock)[0].workload, 2, "sc", endless=True)
    named = [
        {built.memory.name(a).removeprefix("lock."): c for a, c in enumerate(words) if c}
        for words in built.shifts.words
    ]
    return list(zip(named, built.shifts.steps, strict=True))


@pytest.mark.parametrize(
    ("lock", "expected"),
    [
        (TicketLock, [({"next_ticket": 1, "now_serving": 1}, 1)]),
        (counters.Ticket(step=2), [({"next_ticket": 1, "serving": 1}, 1)]),
        (counters.TicketAtLeast, [({"next_ticket": 1, "serving": 1}, 1)]),
        (counters.TicketByRetries, [({"next_ticket": 1, "serving": 1}, 1)]),
        (counters.TicketModulo, [({"next_ticket": 1, "serving": 1}, 1)]),
        (counters.TicketRemainder, [({"next_ticket": 1, "serving": 1}, 1)]),
        (counters.TicketModulo(mask=7), [({"serving": 1}, 65536), ({"next_ticket": 1}, 8)]),
        (counters.TicketModuloAtLeast(mask=3), [({"serving": 1}, 4), ({"next_ticket": 1}, 4)]),
        (counters.Array, [({"next_slot": 1, "mine": 1}, 4)]),
        (counters.TASWithStatistics, [({"failures": 1}, 1)]),
        (counters.TASWithLimit, []),
        (counters.TASWithSquare, []),
        (MCSLock, []),
        (Bakery, []),
    ],
    ids=repr,
)
def test_words_that_move_together(lock, expected):
    """Numbers that only differ, by multiples of a remainder's modulus; no flags, no pointers."""
    assert expected == groups(lock)
