"""Reports as people published them: the values that a reader must find stand in expected.toml."""

import tomllib
from pathlib import Path

REAL = Path(__file__).parent / "real"
EXPECTED = tomllib.loads((REAL / "expected.toml").read_text(encoding="utf-8"))


def test_every_text_has_a_source_and_expected_values():
    """No text without its source, and no entry without its text."""
    assert sorted(EXPECTED) == sorted(file.stem for file in REAL.glob("*.txt"))
    for one in EXPECTED.values():
        assert {"source", "date", "format", "rows", "skipped", "by", "largest"} <= set(one)
