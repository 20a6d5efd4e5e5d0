"""moore-2006-netlabel: cost of packet labels on two hosts, and benefit of their cache.

Paul Moore, "NetLabel performance numbers", redhat-lspp, 13 July 2006: netperf's tcp_stream,
udp_stream, tcp_rr and udp_rr, for a kernel without NetLabel and six configurations of it.

A frame's bytes, and so its time on the link, are arithmetic. A stream that the link limits has no
fitted parameter; ten of the fourteen cells are of that kind.

Inputs: the work of a transaction without labels (NoPatch, tcp_rr and udp_rr). Fitted: seven works,
to seven cells (:func:`fit`). The four tcp_rr cells with labels give the cost of the two options,
the strict check and the translation. Three tcp_stream cells give the receiver's work for a segment
and separate the two hosts. They must be separated: an option costs a stream's receiver two fifths
more than the mean of two hosts in a transaction, and the translation less (16 against 25 us). Hosts
of different speed, with policies of different size, explain both; this difference is an inference.
The third stream that a CPU limits, C_FlCat, is then a prediction. In C_NoCat link and CPU are equal
within the noise.

C_F_LxV is read as full categories with the lax check of the option (``cipso_rbm_strictvalid=0``):
the message does not explain the name, and this is the one setting that it fits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from locksim import machine as machines
from locksim.engine.counters import CPU_COUNTERS
from locksim.lang import Workload
from locksim.library.kernel.netlabel import NetLabel
from locksim.library.workloads.netperf import (
    BACK,
    CLIENT,
    FORWARD,
    SERVER,
    THREADS,
    RequestResponse,
    Stream,
)
from locksim.machine import Machine, Parameter
from locksim.papers import plots
from locksim.papers.experiment import Cell, Experiment, Plan, Reproduction, Role
from locksim.papers.moore_2006.models import netperf_models
from locksim.papers.moore_2006.setting import (
    CONFIGURATIONS,
    FRAME_BYTES,
    LINK_BPS,
    MTU,
    SEND_PS,
    Works,
    traffic,
)
from locksim.study.jobs import Job
from locksim.study.simulation import Interval, Simulation, simulate
from lockui.plots import Axis, Bars, Plot

WARMUP_MESSAGES = 1000
"""Segments before the measurement, times four: a link that is slightly faster than the receiver
fills the window in this time."""
FIT_MESSAGES = 500
"""Messages of a run of the fit, times four: enough for a difference of two times of 1 %."""
TESTS = ("tcp_stream", "udp_stream", "tcp_rr", "udp_rr")
INPUTS = {("NoPatch", "tcp_rr"), ("NoPatch", "udp_rr")}
FITTED_ON = {
    *((row, "tcp_rr") for row in ("C_NoCat", "C_FlCat", "C_F_LxV", "C_F_NoC")),
    *((row, "tcp_stream") for row in ("C_NoCat", "C_F_LxV", "C_F_NoC")),
}


class Moore2006(Experiment):
    """The experiment (see the module)."""

    name, year, machine = "moore-2006-netlabel", 2006, "two-hosts-2006"
    title = "NetLabel: netperf with CIPSO labels on a gigabit link, label cache on and off"
    source = "Paul Moore, NetLabel performance numbers, redhat-lspp, 13 July 2006"

    def plan(
        self,
        *,
        machine: Machine | None = None,
        messages: int = 200,
        replications: int = 5,
        seed: int = 1,
        **options: Any,
    ) -> Plan[Any, Simulation]:
        """All 28 cells.

        Arguments:
            machine: a profile instead of ``two-hosts-2006``.
            messages: measured messages per replication, times four, in the steady state.
            replications: independent runs per cell.
            seed: of the first replication.
        """
        profile = machines.load(self.machine) if machine is None else machine
        works = fit(profile)
        table = published()
        runs = {"replications": replications, "seed": seed}

        def assemble(done: Mapping[Any, Simulation]) -> Reproduction:
            cells = []
            limits = []
            for (row, test), run in done.items():
                rate, unit = rate_of(run, row, test)
                limit = bottleneck(run, test)
                cells.append(
                    Cell(
                        row,
                        test,
                        *table[row, test],
                        rate.mean,
                        rate.low,
                        rate.high,
                        role_of(row, test),
                        unit,
                        limit["bottleneck"],
                    )
                )
                limits.append({"row": row, "column": test, **limit})
            return Reproduction(
                self.name,
                self.title,
                self.source,
                profile.name,
                parameters(profile, works),
                cells,
                extra={"bottlenecks": limits, "models": netperf_models(cells, works)},
                notes=[
                    "note: the bottleneck of the cell; --json has the busy share of each station",
                    "The busiest of link and CPUs limits a stream; their sum limits a transaction.",
                ],
            )

        jobs = {
            (row, test): Job(
                f"{test} with {row}",
                measure,
                (profile, row, test, works, messages),
                runs,
                seconds=0.1,
            )
            for row in CONFIGURATIONS
            for test in TESTS
        }
        return Plan(jobs, assemble)

    def plot(self, result: Reproduction) -> Plot:
        """Streams and transactions: a panel for each test, a bar for each configuration."""
        panels = [
            Bars([plots.bar(c, c.row) for c in result.cells if c.column == test], Axis(unit), test)
            for test, unit in dict.fromkeys((c.column, c.unit) for c in result.cells)
        ]
        title = "NetLabel on a gigabit link: the link limits all but three streams"
        return plots.plot(result, title, panels)


EXPERIMENT = Moore2006()


def published() -> dict[tuple[str, str], tuple[str, float]]:
    """The table: (configuration, test) → (as printed, corrected)."""
    import lockdata

    frame = lockdata.load("moore-2006/netperf", reading="both")
    rows: list[tuple[str, str, str, float]] = [
        *frame[["configuration", "test", "printed", "corrected"]].itertuples(index=False, name=None)
    ]
    return {(row, test): (printed, float(value)) for row, test, printed, value in rows}


def role_of(row: str, test: str) -> Role:
    """The role of a cell."""
    if (row, test) in INPUTS:
        return "input"
    return "fitted" if (row, test) in FITTED_ON else "predicted"


def workload(row: str, test: str, works: Works, *, n_labels: int = 1, **cache: Any) -> Workload:
    """The program of one cell.

    Arguments:
        row, test: of ``CONFIGURATIONS`` and ``TESTS``. works: of the hosts.
        n_labels: number of different labels in the traffic. cache: settings of the label cache.
    """
    configuration = CONFIGURATIONS[row]
    option_ps = {0: 0, 12: works.short_ps, 40: works.long_ps}[configuration.option_bytes]

    def labels(percent: int, translate_ps: int) -> NetLabel:
        from locksim.library.avc.cipso import Cipso

        return NetLabel(
            option_ps=option_ps,
            validate_ps=works.check_ps if configuration.strict else 0,
            translate_ps=translate_ps,
            percent=percent,
            use_cache=int(configuration.cached),
            cache=Cipso(**cache),
        )

    message = traffic(test, configuration.option_bytes)
    server = labels(works.percent, works.server_ps)
    if test.endswith("_stream"):
        return Stream(
            frames=message.frames,
            frame_ps=message.frame_ps,
            last_frame_ps=message.last_ps,
            send_ps=SEND_PS,
            receive_ps=works.receive_ps,
            n_labels=n_labels,
            labels=server,
        )
    return RequestResponse(
        host_ps=works.tcp_ps if test == "tcp_rr" else works.udp_ps,
        frame_ps=message.frame_ps,
        n_labels=n_labels,
        client=labels(200 - works.percent, works.client_ps),
        server=server,
    )


def measure(
    profile: Machine,
    row: str,
    test: str,
    works: Works,
    messages: int = 50,
    *,
    replications: int = 1,
    seed: int = 1,
    program: Workload | None = None,
    warmup: int | None = None,
) -> Simulation:
    """Simulate one cell in its steady state.

    Arguments:
        messages: to measure, times four; an eighth of them if a message is a large datagram.
        program: a variant of the cell's. warmup: messages before that, times four.
    """
    few = max(messages // 8, 5) if test == "udp_stream" else messages
    run = simulate(
        program or workload(row, test, works),
        machine=profile,
        cpus=THREADS,
        operations=few,
        warmup=warmup or (WARMUP_MESSAGES if test == "tcp_stream" else max(few // 4, 1)),
        replications=replications,
        seed=seed,
    )
    if not run.complete:
        raise KeyboardInterrupt  # a mean over too few replications is not a cell
    return run


def rate_of(run: Simulation, row: str, test: str) -> tuple[Interval, str]:
    """The value of netperf: megabits of user data per second, or transactions per second."""
    per_second = run.throughput()
    if not test.endswith("_stream"):
        return per_second, "1/s"
    by = traffic(test, CONFIGURATIONS[row].option_bytes).bits / 1e6
    return Interval(per_second.mean * by, per_second.low * by, per_second.high * by), "Mbit/s"


def bottleneck(run: Simulation, test: str) -> dict[str, Any]:
    """The bottleneck of a cell: its name, the ``share`` of time it is busy, and all shares.

    In a stream all parts work at the same time, so it is the busiest. In a transaction they work
    one after another, so the two directions of the link and the two CPUs are summed.
    """
    column = CPU_COUNTERS.index("compute_ps")
    window = sum(r.window_ps for r in run.replications)
    busy = [sum(int(r.cpu[i, column]) for r in run.replications) / window for i in range(THREADS)]
    together: Callable[[list[float]], float] = max if test.endswith("_stream") else sum
    shares = {
        "link": together([busy[FORWARD], busy[BACK]]),
        "CPU": together([busy[CLIENT], busy[SERVER]]),
    }
    name = max(shares, key=lambda k: shares[k])
    return {"bottleneck": name, "share": shares[name], **{k.lower(): v for k, v in shares.items()}}


def fit(profile: Machine) -> Works:
    """The works for which the inputs and the fitted cells equal the published ones.

    Each is a published time minus the simulated rest. The steps run one after
    another, since times add up if one part waits for the other.
    """
    table = published()
    works = Works()

    def missing_ps(row: str, test: str) -> int:
        rate, _ = rate_of(measure(profile, row, test, works, FIT_MESSAGES), row, test)
        goal = table[row, test][1]
        if test == "tcp_stream":
            return round(segment_ps(row, goal) - segment_ps(row, rate.mean))
        return round(1e12 / goal - 1e12 / rate.mean)

    works = replace(works, tcp_ps=works.tcp_ps + missing_ps("NoPatch", "tcp_rr") // 2)
    works = replace(works, udp_ps=works.udp_ps + missing_ps("NoPatch", "udp_rr") // 2)
    works = replace(works, short_ps=works.short_ps + missing_ps("C_NoCat", "tcp_rr") // 2)
    works = replace(works, long_ps=works.long_ps + missing_ps("C_F_LxV", "tcp_rr") // 2)
    works = replace(works, check_ps=works.check_ps + missing_ps("C_FlCat", "tcp_rr") // 2)
    # Two streams that the receiver limits differ only by the option.
    goal_ps = {row: segment_ps(row, table[row, "tcp_stream"][1]) for row in ("C_F_LxV", "C_NoCat")}
    longer_ps = goal_ps["C_F_LxV"] - goal_ps["C_NoCat"]
    works = replace(works, percent=round(100 * longer_ps / (works.long_ps - works.short_ps)))
    works = replace(works, receive_ps=works.receive_ps + missing_ps("C_F_LxV", "tcp_stream"))
    works = replace(works, server_ps=works.server_ps + missing_ps("C_F_NoC", "tcp_stream"))
    return replace(works, client_ps=works.client_ps + missing_ps("C_F_NoC", "tcp_rr"))


def segment_ps(row: str, megabits: float) -> float:
    """Time from one segment to the next of a TCP stream, in picoseconds, by its rate in Mbit/s."""
    return traffic("tcp_stream", CONFIGURATIONS[row].option_bytes).bits / megabits * 1e6


def parameters(profile: Machine, works: Works) -> list[Parameter]:
    """Every value behind the table."""

    def fitted(name: str, value: int, cell: str, unit: str = "ps") -> Parameter:
        return Parameter(name, value, unit, f"cell {cell}", "fitted")

    ethernet = "IEEE 802.3: header, checksum, preamble, gap; shortest frame"
    return [
        Parameter(
            "link.rate",
            LINK_BPS,
            "bit/s",
            "the stream rates are those of a gigabit link",
            "derived",
        ),
        Parameter("link.frame_bytes", FRAME_BYTES, "bytes", ethernet, "published"),
        Parameter("link.mtu", MTU, "bytes", "moore-2006, the sum on the C_NoCat row", "published"),
        Parameter(
            "option.short", 12, "bytes", "moore-2006, the answer on the C_NoCat row", "published"
        ),
        Parameter(
            "option.long", 40, "bytes", "moore-2006, the answer on the C_NoCat row", "published"
        ),
        Parameter(
            "stream.window",
            Stream().window,
            "frames",
            "64 KB of socket buffer in full segments",
            "assumed",
        ),
        Parameter(
            "host.send_ps",
            SEND_PS,
            "ps",
            "less than the link's time for a frame; the card splits large segments",
            "assumed",
        ),
        Parameter("host.tcp_ps", works.tcp_ps, "ps", "cell NoPatch, tcp_rr", "input"),
        Parameter("host.udp_ps", works.udp_ps, "ps", "cell NoPatch, udp_rr", "input"),
        fitted("option.short_ps", works.short_ps, "C_NoCat, tcp_rr"),
        fitted("option.long_ps", works.long_ps, "C_F_LxV, tcp_rr"),
        fitted("option.check_ps", works.check_ps, "C_FlCat, tcp_rr"),
        fitted("server.receive_ps", works.receive_ps, "C_F_LxV, tcp_stream"),
        fitted("server.percent", works.percent, "C_NoCat, tcp_stream", "%"),
        fitted("server.translate_ps", works.server_ps, "C_F_NoC, tcp_stream"),
        fitted("client.translate_ps", works.client_ps, "C_F_NoC, tcp_rr"),
        *profile.parameters(),
    ]
