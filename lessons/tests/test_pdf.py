"""The lessons as one PDF: its contents name the pages."""

from __future__ import annotations

from pathlib import Path
from runpy import run_path

import pytest
from study.traces.chromium import CHROMIUM

PDF = Path(__file__).resolve().parents[1] / "site" / "pdf.py"


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on PATH (apt install chromium)")
def test_contents_have_page_numbers(tmp_path: Path) -> None:
    """A lesson begins on the page that the contents give, also in the second printing."""
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    pdf, printed = run_path(str(PDF)), tmp_path / "lessons.pdf"
    pages = [tmp_path / "01-long.html", tmp_path / "02-short.html"]
    for page, lines in zip(pages, (60, 1), strict=True):
        text = f"<h1>{page.stem}<a href='#'>#</a></h1>" + "<p>A line.</p>" * lines
        page.write_text(f'<article class="bd-article">{text}</article>', encoding="utf-8")
    pdf["printed"](pdf["document"](pages, {}), printed)
    numbers = pdf["starts"](printed.read_bytes())
    assert (2, True) == (numbers["01-long"], numbers["02-short"] > 3)
    contents = pdf["document"](pages, numbers)
    assert f"02-short<span>{numbers['02-short']}</span>" in contents
    pdf["printed"](contents, printed)
    assert numbers == pdf["starts"](printed.read_bytes())
