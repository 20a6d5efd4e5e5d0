#!/usr/bin/env python3
"""Print the lessons of the built site into one PDF, with Chromium.

lessons/site/pdf.py [--can] [SITE]   # SITE/lessons.pdf; --can only asks whether it is possible
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

CHROMIUM = next(
    filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None
)
ARTICLE = re.compile(r'<article class="bd-article"[^>]*>(.*?)</article>', re.DOTALL)
FRAME = re.compile(r"<iframe.*?</iframe>", re.DOTALL)
STYLE = Path(__file__).with_name("print.css")


def main() -> int:
    """Print, or say whether it can be done."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--can", action="store_true", help="only ask whether it is possible")
    parser.add_argument("site", type=Path, nargs="?", default=Path("out/site"))
    asked = parser.parse_args()
    if CHROMIUM is None or find_spec("playwright") is None:
        print("pdf: not made, it needs Chromium and playwright", file=sys.stderr)
        return 3
    if not asked.can:
        made = asked.site / "lessons.pdf"
        lessons = sorted((asked.site / "lessons").glob("[0-9]*.html"))
        printed(document(lessons, {}), made)
        printed(document(lessons, starts(made.read_bytes())), made)
        print(f"pdf: {made}", file=sys.stderr)
    return 0


def starts(printed: bytes) -> dict[str, int]:
    """Return the page on which each named place begins, from a PDF as Chromium writes it."""
    pages = re.findall(rb"(\d+) 0 obj\s*<</Type /Page\s", printed)
    places = re.findall(rb"/([\w-]+) \[(\d+) 0 R\s*/XYZ", printed)
    return {name.decode(): 1 + pages.index(page) for name, page in places}


def document(pages: list[Path], numbers: Mapping[str, int]) -> str:
    """Return the articles of the lessons as one page, with everything unfolded.

    Arguments:
        pages: of the site. numbers: the page of the PDF on which each lesson begins; a page without
        a number keeps the room for it, so the numbers of a first printing hold for the second.
    """
    titles, parts = [], []
    for page in pages:
        found = ARTICLE.search(page.read_text("utf-8"))
        if found is None:
            raise SystemExit(f"error: {page} holds no article; build the site again (make site)")
        text = FRAME.sub("<p><em>To be played on the site:</em></p>", found[1])
        # What is folded on a page is open on paper, and an address counts for its lesson alone.
        text = text.replace("<details", "<details open")
        text = re.sub(r'\bid="|\bhref="#|url\(#', rf"\g<0>{page.stem}--", text)
        text = re.sub(r' aria-labelledby="[^"]*"', "", text)
        # A link to another page of the site leads nowhere from paper.
        text = re.sub(r' href="(?!#|https?:)[^"]*"', "", text)
        title = re.search(r"<h1>(.*?)<a ", text, re.DOTALL)
        name, number = title[1] if title else page.stem, numbers.get(page.stem, "")
        titles.append(f'<li><a href="#{page.stem}">{name}<span>{number}</span></a></li>')
        parts.append(f'<section class="lesson" id="{page.stem}">{text}</section>')
    contents = f"<h1>LockLab: the lessons</h1><nav><ul>{''.join(titles)}</ul></nav>"
    style = STYLE.read_text("utf-8")
    head = f'<meta charset="utf-8"><title>LockLab: the lessons</title><style>{style}</style>'
    body = f"<body>{contents}{''.join(parts)}</body>"
    return f'<!doctype html><html lang="en"><head>{head}</head>{body}</html>'


def printed(text: str, path: Path) -> None:
    """Print a page into a file."""
    from playwright.sync_api import sync_playwright

    options = ["--no-sandbox"] if os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        file = Path(folder, "lessons.html")
        file.write_text(text, encoding="utf-8")
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=options)
        page = browser.new_page()
        page.goto(file.as_uri())
        page.pdf(
            path=path,
            prefer_css_page_size=True,
            outline=True,
            tagged=True,
            display_header_footer=True,
            header_template="<span></span>",
            footer_template='<div style="font-size: 8px; width: 100%; text-align: center">'
            '<span class="pageNumber"></span></div>',
        )
        browser.close()


if __name__ == "__main__":
    sys.exit(main())
