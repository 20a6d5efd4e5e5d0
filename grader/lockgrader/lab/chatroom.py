"""A number of a run of Chatroom, the benchmark of 2001, on a kernel of the library's parts.

A lab writes ``expected = { chatroom = "throughput", rooms = 4, cpus = 8 }``. The check of kind
``chatroom`` runs the same with parts of the submission.
"""

from __future__ import annotations

import functools
from typing import Annotated, Any, Literal

from pydantic import Field

from lockgrader.lab.closed import Closed

LOCKS = {"avc": "avc_lock", "run_queue": "runqueue_lock"}
"""What a measure begins with → lockmeter's name of the lock."""


class ChatroomRun(Closed):
    """A complete run of Chatroom on the 8-way machine of 2001.

    Arguments:
        chatroom: the measure: messages a second of simulated time; or, of the cache's locks or the
            run queues' locks, the share of all CPUs' time spent waiting, CON as a fraction, HOLD in
            ns, and acquisitions a message.
        kernel: with SELinux or without. cache, scheduler: of the library; "" for the kernel's own.
            In a check of kind ``chatroom`` they may be classes of the submission.
        settings: of the cache's own parameters.
        cpus, rooms, users, messages: of the run. seed: of the random streams.
    """

    chatroom: Literal[
        "throughput",
        "avc_share",
        "avc_con",
        "avc_hold_ns",
        "avc_per_message",
        "run_queue_share",
        "run_queue_con",
        "run_queue_hold_ns",
        "run_queue_per_message",
    ]
    kernel: Literal["selinux", "vanilla"] = "selinux"
    cache: str = ""
    scheduler: str = ""
    settings: dict[str, int] = Field(default_factory=dict)
    cpus: Annotated[int, Field(ge=1, le=8)] = 8
    rooms: Annotated[int, Field(ge=1, le=40)] = 4
    users: Annotated[int, Field(ge=2, le=20)] = 20
    messages: Annotated[int, Field(ge=1, le=100)] = 10
    seed: Annotated[int, Field(ge=0, le=2**62)] = 1

    def number(self) -> float:
        """The measure, with parts of the library only.

        Raises:
            UnknownNameError, WrongPartError: there is no such part.
        """
        return self.of(_library_run(self.model_copy(update={"chatroom": "throughput"})))

    def of(self, run: Any) -> float:
        """The measure of a run (:class:`locksim.papers.franke_2001.setting.Run`)."""
        if self.chatroom == "throughput":
            return float(run.throughput)
        side = next(name for name in LOCKS if self.chatroom.startswith(name))
        lock = LOCKS[side]
        match self.chatroom.removeprefix(f"{side}_"):
            case "share":
                return float(run.waiting_share(lock))
            case "con":
                return float(run.contention(lock))
            case "hold_ns":
                return float(run.hold_us(lock) * 1e3)
        return float(run.per_message(lock))

    def __hash__(self) -> int:
        """Equal ones are simulated once; their settings are dicts, which have no hash."""
        return hash(self.model_dump_json())

    def simulated(self, cache: Any = None, scheduler: Any = None, watch: Any = False) -> Any:
        """The run, with a cache and a scheduler instead of the kernel's.

        Arguments:
            cache, scheduler: parts. watch: reads the trace of the run, whose operations are then
                noted in it.

        Raises:
            SimulationError: the run got stuck, or an assertion failed.
        """
        from locksim.papers.franke_2001.own_kernel import own_kernel

        return own_kernel(
            self.kernel,
            self.rooms,
            self.cpus,
            users=self.users,
            messages=self.messages,
            seed=self.seed,
            cache=cache,
            scheduler=scheduler,
            watch=watch,
        )


@functools.cache
def _library_run(asked: ChatroomRun) -> Any:
    from locksim.library.registry import resolve
    from locksim.papers.franke_2001.own_kernel import cache_of, scheduler_of

    return asked.simulated(
        cache_of(resolve(asked.cache).struct, **asked.settings) if asked.cache else None,
        scheduler_of(resolve(asked.scheduler).struct) if asked.scheduler else None,
    )
