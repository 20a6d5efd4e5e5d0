"""Arguments in links: the same on both sides, bounded, and refused in one sentence."""

import base64
import json
import random
import zlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locksim.engine.fast.engine import run as fast
from locksim.engine.reference.engine import run as reference
from locksim.play.argument import (
    LONGEST_LINK,
    ArgumentError,
    Claim,
    argument,
    claim_of,
    counts,
    differences,
    opened,
    proved,
    schedule,
    simulated,
)
from locksim.play.catalogue import examples

EXAMPLES = {asked.file: asked for _, asked in examples()}
WRONG = EXAMPLES["wrong_ttas.py"]


def by_reference(_, memory, tables, seed, until_ps):
    """The engine of the page."""
    return reference(memory, tables, seed=seed, until_ps=until_ps)


def by_fast(image, memory, tables, seed, until_ps):
    """The engine of the command line."""
    return fast(image, memory, tables, seed=seed, until_ps=until_ps)


@given(
    text=st.text(max_size=300),
    threads=st.integers(1, 4),
    seed=st.integers(0, 2**53),
    units=st.lists(st.tuples(st.integers(1, 16), st.integers(0, 10**9)), max_size=16),
)
def test_a_link_holds_the_whole_argument(text, threads, seed, units):
    """What is packed is what is opened, behind any address."""
    claim = Claim(verdict="violated", found="exclusion", schedule="0 1 1f", units=tuple(units))
    asked = argument(text=text, threads=threads, seed=seed, claim=claim)
    assert asked == opened(f"https://example.org/a?b#{asked.fragment()}")


def packed(said):
    """A fragment of any data."""
    data = zlib.compress(json.dumps(said).encode())
    return "#1." + base64.urlsafe_b64encode(data).decode().rstrip("=")


@pytest.mark.parametrize(
    ("link", "message"),
    [
        ("", "the link is incomplete"),
        ("http://localhost/playground/", "the link is incomplete"),
        ("#2.abc", "it has format 2, and LockLab .* reads format 1\nhelp: open it with"),
        ("#1.", "the link is damaged"),
        ("#1.é", "the link is damaged"),
        ("#1.abcd", "the link is damaged"),
        ("#1." + "a" * LONGEST_LINK, "characters behind '#'"),
        (packed([1, 2]), "contains no lock and no question"),
        (packed({}), "text must be a string"),
        (
            packed({"text": "x" * 100_000}),
            "text must have at most 65,536 characters",
        ),
        (packed({"text": "", "threads": 9}), "threads must be between 1 and 4 .got 9."),
        (packed({"text": "", "machine": "../x.toml"}), "machine must be a name"),
        (packed({"text": "", "file": "../../x.py"}), "file must be the name of a file"),
        (packed({"text": "", "property": "beauty"}), "property must be one of all"),
        (packed({"text": "", "surprise": 1}), "surprise is unknown; known: claim, cpus"),
        (packed({"text": "", "thread": 1}), "thread is unknown; did you mean 'threads'"),
        (packed({"text": "", "threads": True}), "threads must be between 1 and 4 .got True."),
        (packed({"text": "", "memory": ["sc"]}), "memory must be one of sc, tso, c11"),
        (packed({"text": "", "claim": 7}), "the claim must be names with values"),
        (packed({"text": "", "claim": {"units": [[1]]}}), "units must be at most 16 pairs"),
        (packed({"text": "", "claim": {"units": 1}}), "units must be at most 16 pairs"),
        (packed({"text": "", "claim": {"schedule": "0 x"}}), "schedule must be the numbers"),
        (packed({"text": "", "claim": {"found": "x" * 41}}), "found must have at most 40"),
    ],
)
def test_what_is_not_an_argument_is_refused(link, message):
    """In a sentence that names what is wrong, whatever the link holds."""
    with pytest.raises(ArgumentError, match=message):
        opened(link)


def test_a_small_link_cannot_unpack_to_gigabytes():
    """The text is cut while it is unpacked, and then it is no JSON."""
    bomb = base64.urlsafe_b64encode(zlib.compress(b'{"text": "' + b" " * 10**7, 9)).decode()
    assert len(bomb) < LONGEST_LINK
    with pytest.raises(ArgumentError, match="damaged"):
        opened("#1." + bomb)


@pytest.mark.parametrize("sign", ["[", '{"a":'])
def test_a_link_that_nests_deeply_is_not_parsed(sign, monkeypatch):
    """A parser follows the nesting on its stack; a browser's is small."""
    monkeypatch.setattr("locksim.play.argument.json.loads", None)
    deep = base64.urlsafe_b64encode(zlib.compress(sign.encode() * 20_000, 9)).decode()
    with pytest.raises(ArgumentError, match="contains no lock and no question"):
        opened("#1." + deep)


def test_brackets_of_the_program_do_not_nest():
    """They stand in a string, with quotation marks of its own."""
    asked = argument(text='x = "' + "[" * 100 + '"\n', claim=Claim(units=((1, 80),)))
    assert asked == opened(asked.fragment())


def test_a_program_that_is_too_long_for_a_link():
    """The refusal says what to send instead."""
    drawn = random.Random(1)
    text = "".join(drawn.choices("abcdefghijklmnopqrstuvwxyz0123456789+-*/", k=60_000))
    with pytest.raises(ArgumentError, match="send the file instead"):
        argument(text=text).fragment()


def test_what_is_found_again_is_what_was_claimed():
    """A claim that was made here has no differences; a changed one is told in a sentence."""
    verdict = proved(WRONG)
    claim = claim_of(verdict, [(1, 80)])
    assert ("violated", "exclusion") == (claim.verdict, claim.found)
    assert len(verdict.counterexample.steps) == len(claim.schedule.split())
    assert [] == differences(claim, claim_of(proved(WRONG), [(1, 80)]))
    assert [] == differences(Claim(), claim)
    other = Claim(verdict="proven", units=((1, 81),))
    assert 2 == len(differences(other, claim))
    assert 1 == len(differences(replace(claim, schedule="0 0"), claim))


def test_the_counterexample_shows_the_links_own_lines():
    """There is no file of that name; the lines are the text's."""
    steps = proved(WRONG).counterexample.steps
    assert "yield self.held.swap(1, ACQUIRE)" in [step.source for step in steps]
    assert "" == schedule(None)


def test_a_store_buffer_is_named_in_the_schedule():
    """Under TSO the buffers act too."""
    found = proved(EXAMPLES["peterson.py"]).counterexample
    acts = schedule(found).split()
    assert {"0", "1"} <= set(acts)
    assert [step.action == "flush" for step in found.steps] == [act.endswith("f") for act in acts]


def test_numbers_of_cpus():
    """Powers of two, and the most."""
    assert [[1], [1, 2, 3], [1, 2, 4, 8, 12]] == [counts(n) for n in (1, 3, 12)]


def test_both_engines_give_the_curve():
    """What the page simulates is what the command line does, to the unit."""
    asked = replace(EXAMPLES["ticket.py"], cpus=4)
    assert simulated(asked, by_reference) == simulated(asked, by_fast)


@pytest.mark.slow
@pytest.mark.parametrize("file", [*EXAMPLES])
def test_both_engines_give_every_examples_curve(file):
    """All programs of the menu, with as many CPUs as the menu asks for."""
    asked = EXAMPLES[file]
    assert simulated(asked, by_reference) == simulated(asked, by_fast)


def test_too_many_cpus_for_the_machine():
    """The machine's size is named."""
    asked = argument(text=WRONG.text, machine="desktop-4", cpus=5)
    with pytest.raises(ArgumentError, match="desktop-4 has 4 CPUs"):
        simulated(asked, by_fast)


VERDICTS = {
    "look_and_take.py": "violated",
    "wrong_ttas.py": "violated",
    "peterson.py": "violated",
    "tas.py": "proven",
    "ttas.py": "proven",
    "ticket.py": "proven",
    "mcs.py": "proven",
    "peterson_swap.py": "proven",
}


@pytest.mark.parametrize(
    "file",
    [
        pytest.param(file, marks=[pytest.mark.slow] * (EXAMPLES[file].memory == "c11"))
        for file in VERDICTS
    ],
)
def test_the_menus_verdicts(file):
    """The programs that are called wrong are, and the others are proven."""
    verdict = proved(EXAMPLES[file])
    assert (VERDICTS[file], []) == (verdict.verdict, verdict.limits)
