"""Run Chatroom, the benchmark of 2001, and print what the lock meter saw.

``--json`` prints one object::

    {"kernel", "cache", "scheduler", "cpus", "rooms", "users", "messages", "seed",
     "messages_per_second", "seconds",
     "locks": [{"lock", "side", "util", "con", "hold_ns", "hold_max_ns", "wait_ns", "wait_max_ns",
                "cpu_share", "total", "per_second", "violations"}]}

``cache`` and ``scheduler`` are null for the kernel's own. ``util``, ``con`` and ``cpu_share`` are
fractions, ``seconds`` is simulated time. A lock that was split has one row for all its parts.
"""

from __future__ import annotations

from typing import Annotated, Literal

import typer
from rich.markup import escape

from locksim.cli import values
from locksim.cli.meter import print_meter
from locksim.cli.options import cpus_of
from lockui.arguments import bounded
from lockui.completion import among
from lockui.console import console, progress
from lockui.document import plain, print_json
from lockui.errors import UsageError, reported

app = typer.Typer(help=__doc__.partition("\n")[0], add_completion=False)

MOST_CPUS, MOST_ROOMS, MOST_USERS, MOST_MESSAGES = 8, 40, 20, 300


@app.command()
@reported()
def chatroom(
    kernel: Annotated[
        Literal["selinux", "vanilla"], typer.Option(help="with SELinux or without")
    ] = "selinux",
    cache: Annotated[
        str | None,
        typer.Option(
            help="another cache of decisions: a name, or FILE.py:CLASS",
            autocompletion=among(values.locks("cache")),
        ),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            help="another scheduler: a name, or FILE.py:CLASS",
            autocompletion=among(values.locks("scheduler")),
        ),
    ] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="a param of the cache: NAME=NUMBER")
    ] = None,
    cpus: Annotated[int, typer.Option(help="number of CPUs, 1 to 8")] = MOST_CPUS,
    rooms: Annotated[int, typer.Option(help="rooms of users")] = 10,
    users: Annotated[int, typer.Option(help="users in a room, four tasks each")] = MOST_USERS,
    messages: Annotated[int, typer.Option(help="messages that each user sends")] = 10,
    seed: Annotated[int, typer.Option(help="seed of the random streams")] = 1,
    json: Annotated[bool, typer.Option("--json", help="print JSON only")] = False,
) -> None:
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
        raise UsageError("--cache needs --kernel selinux: without SELinux nothing asks a cache")
    if set_ and cache is None:
        raise UsageError("--set is for the params of a cache: give --cache too")
    settings = dict(_setting(text) for text in set_ or [])
    with progress("Chatroom"):
        run = own.own_kernel(
            kernel,
            **sizes,
            cache=own.cache_of(resolve(cache).struct, **settings) if cache else None,
            scheduler=own.scheduler_of(resolve(scheduler).struct) if scheduler else None,
        )
    meter = own.meter(run)
    if json:
        parts = {"kernel": kernel, "cache": cache, "scheduler": scheduler}
        rates = {"messages_per_second": run.throughput, "seconds": run.seconds}
        print_json({**parts, **sizes, **rates, "locks": plain(meter)})
    else:
        output = console()
        what = f"{'SELinux' if kernel == 'selinux' else 'no SELinux'} on {cpus_of(cpus)}"
        load = f"{rooms} rooms of {users} users, {messages} messages each"
        output.print(f"[bold]Chatroom[/bold], {escape(what)}: {escape(load)}")
        output.print(f"\n  {run.throughput:,.0f} messages a second\n", markup=False)
        print_meter(output, plain(meter))
    if any(row["violations"] for row in meter):
        raise typer.Exit(1)


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
