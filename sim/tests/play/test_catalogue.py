"""The levels can be won, in as few steps as they say; each program explains itself."""

import pytest

from locksim.checker.play.game import answer
from locksim.library.registry import entries, from_text
from locksim.play.catalogue import FOLDER, examples, levels, library

LEVELS = levels()
LESSONS = FOLDER.parents[2] / "lessons"


def test_there_are_fifteen_levels_in_order():
    """Each has a name of its own, a goal, an explanation and a lesson that exists."""
    assert [*range(1, 16)] == [level.number for level in LEVELS]
    assert 15 == len({level.name for level in LEVELS})
    for level in LEVELS:
        assert level.goal.endswith(".")
        assert level.why.endswith(".")
        assert (LESSONS / f"{level.lesson}.md").exists()


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.name)
def test_a_level_is_won_in_the_steps_that_it_says(level):
    """The page's hints lead to what is wrong, and the walk itself can take every one of them."""
    said = level.to_json()
    game, state, path = said["game"], said["game"]["start"], []
    for left in range(said["steps"], 0, -1):
        via, distance = game["hints"][_key(state)]
        assert left == distance
        state = _after(game, state, via)
        path.append(via)
    frame = answer(level.walk(), "at", path)["frame"]
    assert frame["found"] or _key(state) in game["ends"]


def _key(state):
    return ",".join(map(str, state))


def _after(game, state, via):
    """The state after a move, as the page finds it."""
    thread, shared = via // 64, state[-1]
    (found,) = [move for move in game["memo"][f"{state[thread]},{shared}"] if move[0] == via]
    after = [*state]
    after[thread], after[-1] = found[1], found[2]
    return after


@pytest.mark.parametrize("file", sorted((FOLDER / "programs").glob("*.py")), ids=lambda f: f.stem)
def test_each_program_is_used_and_says_what_it_is(file):
    """A docstring of a line or more, in the menu or a level, inside the language."""
    text = file.read_text("utf-8")
    assert text.startswith('"""')
    used = {asked.file for _, asked in examples()} | {level.asked.file for level in LEVELS}
    assert file.name in used
    assert from_text(text, file.name)


def test_each_lock_of_the_library_opens_as_its_own_class():
    """Its file alone is read again, as in the playground, and defines the library's class."""
    known = library()
    assert [e.name for e in entries() if e.kind == "lock"] == [*known]
    found = {name: asked.entry().struct for name, asked in known.items()}
    for entry in entries():
        if entry.kind == "lock":
            assert entry.struct.__name__ == found[entry.name].__name__
            assert entry.summary == (found[entry.name].__doc__ or "").strip().splitlines()[0]
