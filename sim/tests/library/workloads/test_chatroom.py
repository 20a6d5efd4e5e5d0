"""Chatroom: every message arrives, under every cache and scheduler; both engines agree."""

import pytest
from engine.engine_pair import compare, run_pair

from locksim.engine.counters import CPU_COUNTERS
from locksim.engine.fast import engine as fast
from locksim.engine.prepared import prepare
from locksim.library.avc.avc_2_4 import AvcTwoFour
from locksim.library.avc.avc_rcu import AvcRCU
from locksim.library.avc.no_check import NoCheck
from locksim.library.schedulers.linux_2_4 import LinuxTwoFour
from locksim.library.schedulers.percpu_queues import PerCpuQueues
from locksim.library.workloads.chatroom import chatroom
from locksim.machine import load
from locksim.papers.franke_2001.setting import coloured

USERS, MESSAGES = 3, 4
CHECKED = {"call_checks": 2, "send_checks": 1, "packet_checks": 3, "label_lookups": 2}
SCHEDULERS = [LinuxTwoFour(), PerCpuQueues()]


def small(rooms=2, users=USERS, messages=MESSAGES, **settings):
    """A run of two rooms of three users, four messages each."""
    return chatroom(rooms, users=users, messages=messages, lines=3, **settings)


@pytest.mark.covering("cache", "scheduler", "cpus")
@pytest.mark.parametrize("cpus", [1, 3])
@pytest.mark.parametrize("scheduler", SCHEDULERS, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize(
    "cache", [NoCheck(), AvcTwoFour(), AvcRCU(), coloured(4)], ids=lambda c: type(c).__name__
)
def test_every_message_arrives(cpus, scheduler, cache):
    """What is counted is users x messages x users of each room, and all CPUs return."""
    tables = load("pentium3-8way").tables(cpus, "compact")
    workload = small(cache=cache, scheduler=scheduler, **CHECKED)
    image, memory = prepare(workload, tables)
    result = fast.run(image, memory, tables, seed=2, until_ps=10**12)
    assert cpus == result.finished
    done = result.cpu[:, CPU_COUNTERS.index("done")].sum()
    assert 2 * USERS * MESSAGES * USERS == done


@pytest.mark.covering("scheduler", every=2)
@pytest.mark.parametrize(
    ("users", "messages"), [(2, 1), pytest.param(USERS, MESSAGES, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("scheduler", SCHEDULERS, ids=lambda s: type(s).__name__)
def test_engines_agree(scheduler, users, messages):
    """Tick for tick, on a run with checks, sleeping and waking."""
    workload = small(1, users, messages, cache=AvcTwoFour(), scheduler=scheduler, **CHECKED)
    tables = load("pentium3-8way").tables(3, "compact")
    compare(run_pair(workload, tables, seed=4, until_ps=10**12))


def test_a_room_is_twenty_users_with_four_tasks():
    """The helper computes what the layout needs."""
    made = chatroom(3)
    kernel = made.kernel
    assert (20, 240, 120, 60) == (made.users, made.tasks, kernel.n_socks, kernel.n_semaphores)
