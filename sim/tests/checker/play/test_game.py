"""The player's game: what it answers to a person who chooses the moves."""

import pytest

from locksim.checker import CheckError
from locksim.checker.play.game import answer
from locksim.kinds.checking import walk_of_lock
from locksim.library.locks.ticket import TicketLock


def test_answer_tells_the_state_in_words():
    """Threads with their next line, words with their values, moves with what they would do."""
    walk = walk_of_lock(TicketLock, threads=2, memory="sc")
    told = answer(walk, "at", [0])
    frame = told["frame"]
    assert ["lock.next_ticket", "1"] in frame["words"]
    assert "fetch_add" == frame["step"]["operation"]
    assert (
        "while (yield self.now_serving.load(ACQUIRE)) != ticket:" == frame["threads"][0]["source"]
    )
    assert [0, 1] == [move["thread"] for move in told["moves"]]
    assert {"can": False} == answer(walk, "hint", [0])


def test_holding_is_said():
    """Who has acquired the lock holds it until it releases it."""
    walk = walk_of_lock(TicketLock, threads=2, memory="sc")
    says = [t["says"] for t in answer(walk, "at", [0, 0])["frame"]["threads"]]
    assert ["● holds lock", ""] == says


@pytest.mark.parametrize("path", [[64 * 7], [63], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]])
def test_impossible_moves_are_refused(path):
    """No such thread, nothing to flush, a thread that has finished."""
    walk = walk_of_lock(TicketLock, threads=2, memory="tso")
    with pytest.raises(CheckError, match="is not possible here"):
        answer(walk, "at", path)
