"""moore-2006: noise, the option's sum, and the worth of the label cache."""

import pytest

from lockdata import load, pivot

RATE = pivot("moore-2006/netperf")
SUM = load("moore-2006/option-cost").set_index("quantity")["value"]


def test_28_cells() -> None:
    """Seven configurations and four tests, none missing."""
    assert (7, 4) == RATE.shape
    assert RATE.notna().all(axis=None)


def test_option_sum() -> None:
    """The author's sum follows from the table and the packet size, to the printed digit."""
    left = 100 * RATE.loc["C_NoCat", "tcp_stream"] / RATE.loc["NoPatch", "tcp_stream"]
    share = 100 * SUM["option_bytes_no_categories"] / SUM["packet_bytes"]
    assert SUM["throughput_left"] == round(left, 2)
    assert SUM["option_share"] == round(share, 2)
    assert SUM["sum"] == pytest.approx(SUM["throughput_left"] + SUM["option_share"], abs=1e-9)
    assert SUM["unexplained"] == pytest.approx(100 - SUM["sum"], abs=1e-9)


@pytest.mark.parametrize(("configuration", "expected_us"), [("C_F_NoC", 67), ("C_FlCat", 17)])
def test_time_of_a_transaction(configuration: str, expected_us: int) -> None:
    """Labels add 67 us to a TCP transaction without the cache and 17 us with it."""
    extra_us = 1e6 / RATE.loc[configuration, "tcp_rr"] - 1e6 / RATE.loc["NoPatch", "tcp_rr"]
    assert expected_us == round(extra_us)


def test_noise() -> None:
    """The patch switched off differs from no patch by the noise that the notes state."""
    change = (100 * (RATE.loc["Disable"] / RATE.loc["NoPatch"] - 1)).abs()
    assert max(change["tcp_stream"], change["udp_stream"]) < 0.01
    assert (0.3, 2.1) == (round(change["tcp_rr"], 1), round(change["udp_rr"], 1))
