"""moore-2006-netlabel: 28 cells within 5 %, what limits each, and fewer fitted than predicted."""

import json
from functools import cache

import pytest
from engine.engine_pair import compare, run_pair

from locksim import machine as machines
from locksim.core.result import RunResult
from locksim.papers import find
from locksim.papers.experiment import Cell, Reproduction
from locksim.papers.moore_2006 import experiment as moore_2006
from locksim.papers.moore_2006.experiment import TESTS, workload
from locksim.papers.moore_2006.models import demands_ns
from locksim.papers.moore_2006.setting import CONFIGURATIONS, Works, traffic

PROFILE = machines.load("two-hosts-2006")


@cache
def result() -> Reproduction:
    """The whole reproduction, once for all tests (some five seconds)."""
    return find("moore-2006-netlabel").reproduce(replications=2)


def cells() -> dict[tuple[str, str], Cell]:
    """Every cell by row and column."""
    return {(c.row, c.column): c for c in result().cells}


@pytest.mark.covering("row", "test")
@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("row", CONFIGURATIONS)
def test_within_five_per_cent(row: str, test: str) -> None:
    """Each of the 28, whatever its role."""
    error = cells()[row, test].error
    assert error is not None
    assert abs(error) < 0.05


def test_roles_are_told() -> None:
    """Two inputs, seven cells for seven fitted works, the rest predicted."""
    roles = [c.role for c in result().cells]
    assert (2, 7, 19) == tuple(roles.count(r) for r in ("input", "fitted", "predicted"))
    assert (7, 19) == (result().summary()["fitted"], result().summary()["predicted"])


def test_formulas_do_as_well_where_no_line_is_fought_for() -> None:
    """Each of both models, in all 28 cells: within 3 %; the bound of one message is its time."""
    models = result().extra["models"]
    assert 2 * 28 == len(models["cells"])
    assert 28 == len(models["loads"])
    for cell in models["cells"]:
        assert abs(cell["error"]) < 0.03
        assert abs(cell["predicted"] / cell["simulated"] - 1) < 0.03
    assert all([] == row["fails"] for row in models["summary"])


def test_the_models_are_told_what_the_simulation_runs_with() -> None:
    """A receiver has the frame, its check, the message's option; without cache a translation."""
    works = Works(receive_ps=7000, long_ps=1000, check_ps=500, server_ps=20_000, percent=110)
    sender, link, receiver = demands_ns("C_F_NoC", "tcp_stream", works)
    assert (3000, 12.304) == (sender, link / 1e3)
    assert 7 + 0.55 + 1.1 + 20 == pytest.approx(receiver)
    client, there, server, back = demands_ns("C_NoCat", "tcp_rr", Works(percent=110))
    assert (there, 40_000 + 0.9 * 4000, 40_000 + 1.1 * 4000) == pytest.approx(
        (back, client, server)
    )


def test_streams_that_nothing_was_fitted_for_are_arithmetic() -> None:
    """Without labels the link's bytes alone give the published rates within half a per cent."""
    for test in ("tcp_stream", "udp_stream"):
        cell = cells()["NoPatch", test]
        assert cell.corrected is not None
        assert abs(cell.simulated / cell.corrected - 1) < 0.005


def test_bottlenecks() -> None:
    """The link limits ten of the fourteen streams and is level with the CPU in an eleventh."""
    limits = {(b["row"], b["column"]): b for b in result().extra["bottlenecks"]}
    assert 28 == len(limits)
    for (row, test), limit in limits.items():
        slow = test == "tcp_stream" and row in ("C_FlCat", "C_F_LxV", "C_F_NoC")
        assert ("CPU" if slow or test.endswith("_rr") else "link") == limit["bottleneck"]
        assert limit["share"] > 0.9
    level = limits["C_NoCat", "tcp_stream"]
    assert level["cpu"] > 0.98
    assert {"link", "CPU"} == {c.note for c in result().cells}


def test_the_cache_saves_what_the_source_measured() -> None:
    """50 us of a transaction: the option is translated once instead of in every message."""
    with_cache, without = (1e6 / cells()[row, "tcp_rr"].simulated for row in ("C_FlCat", "C_F_NoC"))
    assert without - with_cache == pytest.approx(50, abs=1)


@pytest.mark.parametrize(
    ("test", "option_bytes", "megabits"),
    [
        ("tcp_stream", 0, 941.48),
        ("tcp_stream", 12, 933.68),
        ("udp_stream", 0, 961.57),
        ("udp_stream", 12, 954.01),
        ("udp_stream", 40, 935.5),
    ],
)
def test_bits_on_the_wire(test: str, option_bytes: int, megabits: float) -> None:
    """User bits over link time, by hand: 1448 bytes in 1538, 65507 in 45 fragments, and so on."""
    message = traffic(test, option_bytes)
    time_ps = message.frame_ps * (message.frames - 1) + message.last_ps
    assert megabits == pytest.approx(message.bits / time_ps * 1e6, rel=1e-4)


@pytest.mark.covering("test", "row")
@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("row", ["NoPatch", "C_FlCat", "C_F_NoC"])
def test_engines_agree(row: str, test: str) -> None:
    """The first 60 us, with quick hosts, give one trace in both engines."""
    # A slow pause: fewer idle rounds for the engine that goes through each of them.
    tables = PROFILE.with_costs(pause=100_000).tables(moore_2006.THREADS)
    pair = run_pair(
        workload(row, test, Works(), n_labels=3),
        tables,
        seed=1,
        until_ps=300_000_000,
        heap_lines=64,
    )
    compare(pair)
    assert isinstance(pair.expected, RunResult)


def test_json_has_notes_and_bottlenecks() -> None:
    """What other programs read, on top of the contract."""
    document = json.loads(json.dumps(result().to_json()))
    assert {"notes", "bottlenecks", "cells", "summary"} <= set(document)
    assert {"row", "column", "bottleneck", "share", "link", "cpu"} == set(
        document["bottlenecks"][0]
    )


def test_plot_has_a_panel_a_test() -> None:
    """With a bar for each configuration."""
    alt = find("moore-2006-netlabel").plot(result()).alt()
    assert "tcp_stream: Mbit/s, 7 bars" in alt
    assert "udp_rr: 1/s, 7 bars; the largest error is at Disable" in alt
