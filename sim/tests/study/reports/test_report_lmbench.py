"""lmbench's summary: the published figures come out as they were printed."""

import pytest

import lockdata
from locksim.study.reports.lmbench import SECTIONS, System, number, summary

TABLES = ("processes", "context-switch", "communication", "files", "bandwidth", "memory")


def systems() -> list[System]:
    """The two systems of franke-2001, from its tables."""
    found = []
    for kernel, os in (("vanilla", "Linux 2.4.3-v"), ("selinux", "Linux 2.4.3-F")):
        figures: dict[str, float] = {}
        for name in TABLES:
            frame = lockdata.load(f"franke-2001/lmbench-{name}", "printed")
            rows = frame[(frame["kernel"] == kernel) & (frame["unit"] != "text")]
            figures |= {
                ("bandwidth_" if name == "bandwidth" else "") + measure: 1000 * float(text[:-1])
                if text.endswith("K")
                else float(text)
                for measure, text in zip(rows["measure"], rows["value"], strict=True)
            }
        found.append(System("ssm20.watson", os, figures["mhz"], figures))
    return found


@pytest.mark.parametrize(
    "line",
    [
        "ssm20.wat Linux 2.4.3-v  700 0.47 0.87 5.84 7.61    40 1.33 4.18  497 1381  14K",
        "ssm20.wat Linux 2.4.3-F  700 0.49 1.05 6.88 8.56    67 1.32 4.02  481 1405  12K",
        "ssm20.wat Linux 2.4.3-v 4.080 9.9200     23 8.9000     25      10      27",
        "ssm20.wat Linux 2.4.3-F 4.170     11     26     10     32      10      32",
        "ssm20.wat Linux 2.4.3-v 9.5102 1.3670     19 4.1506     112 1.044 5.00000",
        "ssm20.wat Linux 2.4.3-F     11 1.4412     21 4.0133     135 0.910 4.00000",
        "ssm20.wat Linux 2.4.3-v  506   31  192    255    289    190    138  289   186",
        "ssm20.wat Linux 2.4.3-v  700 4.285    12      210",
    ],
)
def test_published_figures_come_out_as_printed(line: str) -> None:
    """Digits and thousands as lmbench chose them, for eight lines of the source."""
    assert line in summary(systems()).splitlines()


def test_only_sections_with_figures_are_printed() -> None:
    """What nobody measured has no section; what one system lacks is blank."""
    two = [System("a", "x", 333, {"null_io": 1.45}), System("b", "y", 333, {})]
    text = summary(two)
    assert 1 == sum(section.title in text for section in SECTIONS)
    assert ["a                     x  333      1.45", "b                     y  333"] == (
        text.splitlines()[-2:]
    )


@pytest.mark.parametrize(
    ("value", "width", "text"),
    [(0, 4, "0.00"), (9.996, 4, "10"), (99.4, 4, "99"), (9999, 4, "9999"), (9999.6, 4, "10K")],
)
def test_numbers_fit_their_column(value: float, width: int, text: str) -> None:
    """At the borders between decimals, whole numbers and thousands."""
    assert text == number(value, width)
