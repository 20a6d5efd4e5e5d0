"""`locklab paper chatroom`: the lock meter of a run, with parts of the library and of a file."""

import json

import pytest
from typer.testing import CliRunner, Result

from locksim.cli.chatroom import app

SMALL = ("--cpus", "2", "--rooms", "1", "--users", "3", "--messages", "2")
SENT = 3 * 3 * 2
"""Messages that are sent or received in such a run, one room."""


def run(*arguments: str) -> Result:
    """A small run in a terminal of 80 columns."""
    return CliRunner().invoke(app, [*SMALL, *arguments], env={"COLUMNS": "80"})


def test_the_meter_of_the_kernels_locks() -> None:
    """As a table, and as JSON with the sizes of the run."""
    shown = run().stdout
    assert "SELinux on 2 CPUs: 1 rooms of 3 users, 2 messages each" in shown
    assert all(name in shown for name in ("messages a second", "avc_lock", "runqueue_lock"))
    found = json.loads(run("--json").stdout)
    assert (3, 2, None) == (found["users"], found["messages"], found["cache"])
    assert SENT == pytest.approx(found["messages_per_second"] * found["seconds"])
    assert {"avc_lock", "ss_lock", "runqueue_lock"} == {row["lock"] for row in found["locks"]}


def test_without_selinux_nothing_asks_a_cache() -> None:
    """The other locks remain."""
    found = json.loads(run("--kernel", "vanilla", "--json").stdout)
    assert ["runqueue_lock"] == [row["lock"] for row in found["locks"]]


def test_parts_of_the_library() -> None:
    """Run queues for each CPU, and a cache of decisions: both count under the old names."""
    found = json.loads(
        run("--cache", "decisions_spinlock", "--scheduler", "percpu_queues", "--json").stdout
    )
    assert {"avc_lock", "ss_lock", "runqueue_lock"} >= {row["lock"] for row in found["locks"]}
    assert 0 == sum(row["violations"] for row in found["locks"])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--cpus", "9"), "--cpus must be between 1 and 8"),
        (("--kernel", "vanilla", "--cache", "avc_rcu"), "--cache needs --kernel selinux"),
        (("--set", "ways=2"), "--set sets a param of a cache"),
        (("--cache", "avc_rcu", "--set", "ways"), "write NAME=NUMBER"),
        (("--cache", "avc_rcu", "--set", "ways=2"), "has no param ways"),
        (("--cache", "ticket"), "TicketLock cannot be the kernel's decision cache"),
        (("--scheduler", "ticket"), "TicketLock cannot be the kernel's scheduler"),
    ],
)
def test_refusals(arguments: tuple[str, ...], says: str) -> None:
    """What is wrong, and exit code 2."""
    done = run(*arguments)
    assert 2 == done.exit_code
    assert says in " ".join(done.stderr.split())
