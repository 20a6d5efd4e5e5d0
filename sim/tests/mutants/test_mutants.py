"""Mutants are what they say, and a survivor without a reason is red."""

import argparse

import pytest
from mutants.__main__ import drawn, report
from mutants.changed import changed
from mutants.emptied import emptied
from mutants.mutant import SIZES, Judgement, Mutant, checked_entries, judge, models_of
from mutants.survivors import survivors

from locksim.library.registry import resolve
from locksim.library.schedulers.linux_2_4 import LinuxTwoFour

RELEASE = "RELEASE -> RELAXED"


def test_each_kind_of_change_is_made():
    """At its place, and nowhere else."""
    made = {(m.method, m.line, m.change): m for m in changed(resolve("tas"))}
    text = made["TASLock.release", "yield self.locked.store(0, RELEASE)", "deleted"].text
    assert "pass" in text
    assert "self.locked.store" not in text
    weaker = "yield self.locked.store(0, RELAXED)"
    assert weaker in made["TASLock.release", weaker.replace("RELAXED", "RELEASE"), RELEASE].text
    assert {"block()", "0 -> 1", "condition negated"} <= {m.change for m in changed(resolve("tas"))}


@pytest.mark.parametrize("name", ["tas", "ticket"])
def test_all_changes_of_small_locks_are_found(name):
    """Two threads and one round suffice for these."""
    judged = {m.key: judge(m, SIZES[:2]).verdict for m in changed(resolve(name))}
    alive = {key for key, verdict in judged.items() if verdict not in ("killed", "no program")}
    assert alive <= survivors().keys()


def test_a_lock_as_it_is_survives():
    """So a judgement depends on the change."""
    entry = resolve("ticket")
    one = next(changed(entry))
    right = Mutant(*one.key, entry.compiled().source, one.name)
    assert "proven" == judge(right, SIZES[:2]).verdict


def test_what_is_wrong_under_tso_is_judged_under_sc():
    """Else each of its mutants would be killed."""
    assert ("sc",) == models_of(LinuxTwoFour)


def test_a_draw_takes_as_much_of_each_lock():
    """And depends on the seed alone."""
    every = [[*changed(resolve(name))] for name in ("tas", "ticket", "mcs")]
    asked = argparse.Namespace(seed=3, draw=9)
    chosen = drawn(every, asked)
    assert [3, 3, 3] == [sum(m.lock == name for m in chosen) for name in ("tas", "ticket", "mcs")]
    assert chosen == drawn(every, asked) != drawn(every, argparse.Namespace(seed=4, draw=9))


def test_a_survivor_without_a_reason_is_red(capsys):
    """One with a reason is not, nor one that was killed."""
    mutants = [*emptied(resolve("rcu_qsbr"))]
    listed = [m for m in mutants if m.key in survivors()]
    new = next(m for m in mutants if m.key not in survivors())
    proven = Judgement("proven")
    assert listed
    assert 0 == report(dict.fromkeys(listed, proven) | {new: Judgement("killed")})
    assert 1 == report({new: proven})
    assert f"survives without a reason: {new.lock} · {new.method}" in capsys.readouterr().out


def test_the_list_names_mutants_that_there_are():
    """A line that is written another way has its old reason no more."""
    made = {m.key for e in checked_entries() for m in (*emptied(e), *changed(e))}
    assert set() == survivors().keys() - made
