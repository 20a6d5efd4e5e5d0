"""Mark answers on the review page as a person does, in Chromium."""

from __future__ import annotations

from typing import Any


def mark(tab: Any, answers: int) -> None:
    """Mark so many answers of the page that a tab shows: half of them by level, half freely.

    Arguments:
        tab: Playwright's page of one question, showing only the answers to mark.
    """
    for number in range(answers):
        form = tab.locator("form.mark").first
        if number % 2:
            form.locator("input[type=radio]").first.check()
        else:
            form.locator("input[type=number]").fill("2.5")
            form.locator("textarea").fill(f"half <b>right</b> {number}")
        form.locator("button").first.click()
