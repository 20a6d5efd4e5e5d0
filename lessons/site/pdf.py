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
        printed(document(sorted((asked.site / "lessons").glob("[0-9]*.html"))), made)
        print(f"pdf: {made}", file=sys.stderr)
    return 0


def document(pages: list[Path]) -> str:
    """Return the articles of the lessons as one page, with everything unfolded."""
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
        titles.append(f'<li><a href="#{page.stem}">{title[1] if title else page.stem}</a></li>')
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
