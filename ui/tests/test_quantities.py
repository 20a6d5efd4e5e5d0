"""Numbers with units."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lockui.errors import UsageError
from lockui.quantities import DrawnTime, Frequency, Quantity, Share, Shares, Size, Time, Times

KINDS = [Time, Size, Share, Frequency]


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (Time, "100ns", 100_000),
        (Time, "1.5us", 1_500_000),
        (Time, "0ns", 0),
        (Time, "3 s", 3 * 10**12),
        (Time, "1h", 3600 * 10**12),
        (Size, "8GiB", 8 * 2**30),
        (Share, "90%", 90_000),
        (Share, "0.1%", 100),
        (Frequency, "2.4GHz", 2_400_000_000),
    ],
)
def test_units_are_read(kind: type[Quantity], text: str, value: int) -> None:
    """A number and a unit give the value in the smallest unit."""
    assert value == kind.parse(text)


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        (Time, "100", "100: write a number with its unit, as 100ns (ps, ns, us, ms, s, min, h)"),
        (Time, "", ": write a number with its unit, as 100ns (ps, ns, us, ms, s, min, h)"),
        (Time, "-1ns", "-1ns: write a number with its unit, as 100ns (ps, ns, us, ms, s, min, h)"),
        (Time, "1ks", "1ks: unknown unit 'ks'; known: ps, ns, us, ms, s, min, h"),
        (Time, "0.5ps", "0.5ps: finer than this option resolves; write 100ns"),
        (Share, "0.9", "0.9: write a number with its unit, as 90% (%)"),
        (Size, "8GB", "8GB: unknown unit 'GB'; known: B, KiB, MiB, GiB"),
    ],
)
def test_what_is_no_quantity_is_refused(kind: type[Quantity], text: str, message: str) -> None:
    """The message says which units there are."""
    with pytest.raises(UsageError) as caught:
        kind.parse(text)
    assert message == str(caught.value)


@given(st.sampled_from([Time, Size, Frequency]), st.integers(0, 10**15))
def test_text_and_value_agree(kind: type[Quantity], value: int) -> None:
    """What is printed reads as the same value."""
    whole = kind(value * min(kind.UNITS.values()))
    assert whole == kind.parse(str(whole))


@given(st.integers(0, 100_000))
def test_shares_agree(value: int) -> None:
    """A share is printed in per cent."""
    assert value == Share.parse(str(Share(value)))


def test_several() -> None:
    """Commas separate quantities."""
    assert (0, 100_000) == Times.parse("0ns,100ns")
    assert "0ns,100ns" == str(Times.parse("0ns,100ns"))
    assert [0.0, 0.9] == [share.fraction for share in Shares.parse("0%,90%")]


@pytest.mark.parametrize(
    ("text", "distribution"), [("100ns", ""), ("exponential:100ns", "exponential")]
)
def test_a_drawn_time_may_name_its_distribution(text: str, distribution: str) -> None:
    """The distribution stands before the mean."""
    read = DrawnTime.parse(text)
    assert (100_000, distribution, text) == (read.mean, read.distribution, str(read))
