"""Run Chatroom, the benchmark of 2001, and print its lock meter.

A lock that was split has one row for all its parts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer
from rich.markup import escape
from typing_extensions import TypedDict

from locksim.cli import values
from locksim.cli.meter import print_meter
from locksim.cli.options import cpus_of
from lockui.arguments import bounded
from lockui.command import Detail, command
from lockui.completion import among
from lockui.console import progress
from lockui.document import plain
from lockui.errors import UsageError
from lockui.report import Report

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(add_completion=False)

MOST_CPUS, MOST_ROOMS, MOST_USERS, MOST_MESSAGES = 8, 40, 20, 300


class ChatroomAnswer(TypedDict):
    """The rate of messages, and the locks in simulated time; shares are fractions.

    ``cache`` and ``scheduler`` are null for the kernel's own. ``seconds`` is simulated time. A lock
    has ``lock``, ``side``, ``util``, ``con``, ``hold_ns``, ``hold_max_ns``, ``wait_ns``,
    ``wait_max_ns``, ``cpu_share``, ``total``, ``per_second`` and ``violations``.
    """

    kernel: str
    cache: str | None
    scheduler: str | None
    cpus: int
    rooms: int
    users: int
    messages: int
    seed: int
    messages_per_second: float
    seconds: float
    locks: list[dict[str, Any]]


@command(app)
def chatroom(
    kernel: Annotated[
        Literal["selinux", "vanilla"],
        Detail("selinux, vanilla", among(("selinux", "vanilla"))),
    ] = "selinux",
    cache: Annotated[
        str | None, Detail(default="the kernel's", values=among(values.locks("cache")))
    ] = None,
    scheduler: Annotated[
        str | None, Detail(default="the kernel's", values=among(values.locks("scheduler")))
    ] = None,
    set_: Annotated[list[str] | None, Detail("of the cache", rare=False)] = None,
    cpus: Annotated[int, Detail("1 to 8")] = MOST_CPUS,
    rooms: int = 10,
    users: int = MOST_USERS,
    messages: int = 10,
    seed: int = 1,
) -> Report[ChatroomAnswer]:
    """Run Chatroom on the 8-way machine of 2001, with a cache or a scheduler of your own.

    Exit code 1: mutual exclusion was violated. 2: bad input, or the run got stuck.
    """
    from locksim.library.registry import resolve
    from locksim.papers.franke_2001 import own_kernel as own

    sizes = {
        "cpus": bounded(cpus, "--cpus", 1, MOST_CPUS),
        "rooms": bounded(rooms, "--rooms", 1, MOST_ROOMS),
        "users": bounded(users, "--users", 2, MOST_USERS),
        "messages": bounded(messages, "--messages", 1, MOST_MESSAGES),
        "seed": bounded(seed, "--seed", 0, 2**62),
    }
    if cache is not None and kernel == "vanilla":
        raise UsageError("--cache needs --kernel selinux: the other kernels have no decision cache")
    if set_ and cache is None:
        raise UsageError("--set sets a param of a cache, so it needs --cache")
    settings = dict(_setting(text) for text in set_ or [])
    with progress("Chatroom"):
        run = own.own_kernel(
            kernel,
            **sizes,
            cache=own.cache_of(resolve(cache).struct, **settings) if cache else None,
            scheduler=own.scheduler_of(resolve(scheduler).struct) if scheduler else None,
        )
    meter = plain(own.meter(run))

    def show(output: Console) -> None:
        what = f"{'SELinux' if kernel == 'selinux' else 'no SELinux'} on {cpus_of(cpus)}"
        load = f"{rooms} rooms of {users} users, {messages} messages each"
        output.print(f"[bold]Chatroom[/bold], {escape(what)}: {escape(load)}")
        output.print(f"\n  {run.throughput:,.0f} messages a second\n", markup=False)
        print_meter(output, meter)

    parts = {"kernel": kernel, "cache": cache, "scheduler": scheduler}
    rates = {"messages_per_second": run.throughput, "seconds": run.seconds}
    return Report(
        cast("ChatroomAnswer", {**parts, **sizes, **rates, "locks": meter}),
        show,
        exit_code=int(any(row["violations"] for row in meter)),
    )


def _setting(text: str) -> tuple[str, int]:
    """The name and the number of NAME=NUMBER.

    Raises:
        UsageError: the text is something else.
    """
    name, _, number = text.partition("=")
    try:
        return name, int(number)
    except ValueError:
        raise UsageError(f"--set {text}: write NAME=NUMBER, such as ways=8") from None
