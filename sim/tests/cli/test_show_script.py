"""`locklab show script` and `show format`: what another machine needs, and what is read from it."""

import json

from typer.testing import CliRunner

from locksim.cli import show_format, show_script
from locksim.study.reports.scripts import scripts


def test_a_script_is_printed_as_it_is() -> None:
    """Byte for byte, so that it can be run; also in the document."""
    text = scripts()["collect"].read_text()
    assert text == CliRunner().invoke(show_script.app, ["collect"]).stdout
    assert (
        text
        == json.loads(CliRunner().invoke(show_script.app, ["collect", "--json"]).stdout)["text"]
    )


def test_an_unknown_script_is_refused() -> None:
    """With those that there are."""
    result = CliRunner().invoke(show_script.app, ["erase"])
    assert (2, "") == (result.exit_code, result.stdout)
    assert result.stderr.startswith("error: unknown script 'erase'; choose collect")


def test_formats_say_what_is_read_and_written() -> None:
    """Every format is read; each that is written makes the round trip."""
    found = json.loads(CliRunner().invoke(show_format.app, ["--json"]).stdout)
    assert {"lockmeter", "lock_stat", "perf"} == {one["format"] for one in found if one["written"]}
    assert all(one["read"] for one in found)
    assert [one["written"] for one in found] == [one["round_trip"] for one in found]


def test_one_format_has_its_texts_with_sources() -> None:
    """Source and date of each; an unknown format is refused."""
    found = json.loads(CliRunner().invoke(show_format.app, ["c2c", "--json"]).stdout)
    shown = CliRunner().invoke(show_format.app, ["c2c"]).stdout
    assert found["samples"]
    assert all(sample["source"] in shown for sample in found["samples"])
    result = CliRunner().invoke(show_format.app, ["dtrace"])
    assert (2, True) == (result.exit_code, "unknown format 'dtrace'; choose" in result.stderr)
