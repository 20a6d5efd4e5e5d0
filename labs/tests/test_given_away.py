"""No page that comes before a lab gives it away: what can be copied earns at most a fifth.

``pytest -s -m slow labs/tests/test_given_away.py`` prints the table, a row for each lab and page.
"""

import re

import pytest
from giveaways import ROOT, calendars, given_away, lab_of, pages_before, printed

from locklabs import names

MOST = 0.2
"""The share of a lab's points that a page may give to a copier."""
EXEMPT = {
    "lab00-five-minutes": "its handout names the repair itself: the lab is about the tools, and "
    "any right lock passes"
}
"""Labs without the rule, and why."""
SHORT = [
    ("lab02-spinlocks", "docs/use/language.md"),
    ("lab08-the-cost-of-a-check", "lessons/11-caches-of-decisions.md"),
    ("lab08-the-cost-of-a-check", "docs/explain/explorer.md"),
]
TAS = """
```python
def acquire(self):
    while (yield self.locked.swap(1, ACQUIRE)) != 0:
        yield pause()

def release(self):
    yield self.locked.store(0, RELEASE)
```
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in names() if name not in EXEMPT])
def test_no_page_before_a_lab_gives_it_away(name: str) -> None:
    """Classes and numbers of every page, and of what the cells of a lesson print."""
    found = [
        given_away(name, page.relative_to(ROOT).as_posix(), printed(page, runs=True))
        for page in pages_before(name)
    ]
    print("", *sorted(found, key=lambda one: -one.points), sep="\n")
    assert [] == [str(one) for one in found if one.share > MOST]


@pytest.mark.parametrize(("name", "page"), SHORT)
def test_some_pages_give_nothing_away(name: str, page: str) -> None:
    """The short form: pages with classes of the lab's kind, and pages with many numbers."""
    assert ROOT / page in pages_before(name)
    found = given_away(name, page, printed(ROOT / page))
    assert found.share <= MOST, str(found)


def test_a_printed_lock_is_found() -> None:
    """Methods alone become a class; it earns what a student's own would."""
    found = given_away("lab02-spinlocks", "a page", TAS)
    assert ("TAS = acquire()",) == found.what
    assert 15.0 == found.points


def test_printed_numbers_are_found() -> None:
    """Long numbers are handed in where they are right; one number alone as each answer."""
    lab = "lab08-the-cost-of-a-check"
    many = given_away(lab, "a page", "480 ns, 180 ns, 63,000 ns, 131.25 checks")
    assert many.share > 0.1
    assert "extra_ns = 63000" in many.what
    assert ("each answer = 4",) == given_away(lab, "a page", "3 of 4").what


def test_every_lab_is_due_before_the_lesson_that_shows_its_answers() -> None:
    """Both calendars keep to the table's column, and so do the beliefs' places to read on."""
    text = (ROOT / "docs/teach/course.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| (\d\d) [^|]+ \|[^|]+\|[^|]+\| lessons? ([\d, ]+) \|$", text, re.MULTILINE
    )
    assert len(names()) == len(rows) + 1  # the capstone has no number there
    for number, lessons in rows:
        early = {page.name[:2] for page in pages_before(f"lab{number}")}
        late = {f"{int(one):02}" for one in lessons.split(",")}
        assert set() == early & late, number
        beliefs = lab_of(f"lab{number}").misconceptions.values()
        later = lessons.strip().replace(", ", "|")
        assert [] == [b.see for b in beliefs if re.search(rf"lesson ({later})\b", b.see)]
    due = {lab for weeks in calendars() for labs, _ in weeks for lab in labs}
    assert {lab_of(name).name[:5] for name in names()} == due
