"""The page for marking: who may use it, what it shows, and what a mark changes."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from marked_in_a_browser import mark
from results_made import EVIL, check, result, rich_result
from study.traces.chromium import CHROMIUM, launch

from lockgrader.export import load_all
from lockgrader.export.gradebook import Gradebook, Marked
from lockgrader.result import history, keep, load
from lockgrader.review.marking import Desk
from lockgrader.review.rubric import Level

pytest.importorskip("tornado", reason="tornado is not installed")
from tornado.httpclient import AsyncHTTPClient, HTTPResponse
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets

from lockgrader.review.server import application

TOKEN = "a-token-for-tests"
LEVELS = {"why": [Level(5.0, "the line moves"), Level(1.0, "the bus is busy")]}
HOSTILE = '<img src=x onerror="alert(1)">'


def written(folder: Path, student: str, answer: str, number: int) -> None:
    """A result with one answer in words and one failed check."""
    keep(
        folder / student,
        result(
            student,
            check("right", "fail", message=f"no: {EVIL}"),
            check("why", points=0.0, max_points=0.0, answer=answer),
            submission_sha256=f"{number:064}",
            by_hand={"why": 5.0},
        ),
    )


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Two students' results, one with a hostile name, and one rich in kinds of checks."""
    folder = tmp_path / "out"
    written(folder, HOSTILE.replace("/", ""), EVIL, 1)
    written(folder, "ada", "the line moves from one to the next", 2)
    keep(folder / "rich", rich_result("rich"))
    return Desk(folder, "ann", LEVELS)


def ask(desk: Desk, path: str, form: dict[str, str] | None = None, **headers: str) -> HTTPResponse:
    """Ask a server for a path below its token, and end it."""

    async def once() -> HTTPResponse:
        sockets = bind_sockets(0, "127.0.0.1")
        host = f"127.0.0.1:{sockets[0].getsockname()[1]}"
        server = HTTPServer(application(desk, host, TOKEN))
        server.add_sockets(sockets)
        sent = {k.replace("_", "-"): v.replace("HOST", host) for k, v in headers.items()}
        client = AsyncHTTPClient(force_instance=True)
        try:
            return await client.fetch(
                f"http://{host}{path if path.startswith('//') else f'/{TOKEN}{path}'}",
                method="GET" if form is None else "POST",
                headers=sent,
                body=None if form is None else urlencode(form),
                raise_error=False,
                follow_redirects=False,
            )
        finally:
            client.close()
            server.stop()
            await server.close_all_connections()

    return asyncio.run(once())


FORM = {"student": "ada", "check": "why", "submission": f"{2:064}", "back": "question"}


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("//wrong-token/", {}),
        ("//", {}),
        (f"//{TOKEN}x/", {}),
        ("/", {"Host": "evil.example"}),
        ("/", {"Host": "localhost:80"}),
    ],
)
def test_only_the_link_is_answered(desk: Desk, path: str, headers: dict[str, str]) -> None:
    """Another token, none, and another host, as by DNS rebinding."""
    said = ask(desk, path, **headers)
    assert said.code in (403, 404)
    assert b"ada" not in said.body


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec_Fetch_Site": "cross-site"},
     {"Sec_Fetch_Site": "same-site", "Origin": "http://HOST"}],
)  # fmt: skip
def test_no_other_site_can_mark(desk: Desk, headers: dict[str, str]) -> None:
    """Even if it knew the token."""
    said = ask(desk, "/mark", {**FORM, "points": "5", "reason": "x"}, **headers)
    assert 403 == said.code
    assert not (desk.folder / "ada" / "marks.jsonl").exists()


def test_reading_changes_nothing(desk: Desk) -> None:
    """A mark needs a POST: a link or a picture cannot give one."""
    assert 405 == ask(desk, f"/mark?{urlencode(FORM)}&points=5&reason=x").code


@pytest.mark.parametrize("path", ["/", "/question/why", "/student/rich", "/beside?s=ada&s=rich"])
def test_students_texts_are_escaped(desk: Desk, path: str) -> None:
    """On every page; and the policy allows no script, no request and no foreign form."""
    said = ask(desk, path)
    text = said.body.decode()
    assert 200 == said.code
    assert not re.search(r"<(script|img|iframe|svg)", text)
    assert "onerror" not in re.sub(r"&lt;.*?&gt;|%[0-9A-F]{2}", "", text) or "&lt;" in text
    policy = said.headers["Content-Security-Policy"]
    assert re.fullmatch(
        r"default-src 'none'; style-src 'sha256-[^']+'; img-src data:; "
        r"form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        policy,
    )
    assert ("no-store", "DENY", "nosniff") == tuple(
        said.headers[x] for x in ("Cache-Control", "X-Frame-Options", "X-Content-Type-Options")
    )


def test_unknown_pages(desk: Desk) -> None:
    """A student, a question or a path that is not there: 404, and no path of this machine."""
    for path in ("/student/..%2F..%2Fetc", "/student/nobody", "/question/x", "/beside", "/x/y/z"):
        said = ask(desk, path)
        assert 404 == said.code
        assert str(desk.folder).encode() not in said.body


def test_a_mark_by_the_rubric(desk: Desk) -> None:
    """The level's points and text count; result, page, history and gradebook have them."""
    said = ask(desk, "/mark", {**FORM, "level": "5 the line moves"}, Origin="http://HOST")
    assert (303, f"/{TOKEN}/question/why#ada") == (said.code, said.headers["Location"])
    now = load(desk.folder / "ada")
    assert now is not None
    assert (5.0, 9.0) == (now.points, now.max_points)
    mark = now.checks[1].mark
    assert mark is not None
    assert ("ann", "the line moves") == (mark.by, mark.reason)
    assert [0.0, 5.0] == [r.points for r in history(desk.folder / "ada")]
    assert "marked by a person" in (desk.folder / "ada" / "feedback.html").read_text()
    book = Gradebook(f"sqlite:///{desk.folder}/gradebook.sqlite")
    with book.session() as session:
        assert [("why", 5.0)] == [(m.check_name, m.points) for m in session.query(Marked)]
    book.close()


def test_an_override_and_its_withdrawal(desk: Desk) -> None:
    """Other points for a failed check; taken back, the grader's count, and all is on record."""
    form = {**FORM, "check": "right", "points": "3.5", "reason": "our handout was wrong"}
    assert 303 == ask(desk, "/mark", form).code
    assert 3.5 == desk.results()["ada"].points
    assert 303 == ask(desk, "/mark", {**form, "action": "withdraw", "reason": "no"}).code
    assert (0.0, None) == (desk.results()["ada"].points, desk.results()["ada"].checks[0].mark)
    assert 2 == len((desk.folder / "ada" / "marks.jsonl").read_text().splitlines())


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"points": "9", "check": "right"}, "right is worth 4 points at most (got 9)"),
        ({"points": "-1"}, "points must be between 0 and 1000"),
        ({"points": "nan"}, "points must be between 0 and 1000"),
        ({"points": "many"}, "give points as a number"),
        ({"points": "1", "reason": " "}, "give a reason"),
        ({"points": "1", "student": "eda"}, "did you mean &#x27;ada&#x27;?"),
        ({"points": "1", "check": "whi"}, "did you mean &#x27;why&#x27;?"),
        ({"points": "1", "submission": "0" * 64}, "not the one that counts now"),
        ({"points": "1", "student": f"{HOSTILE}!"}, "no student"),
    ],
)
def test_wrong_marks_are_refused(desk: Desk, change: dict[str, str], says: str) -> None:
    """With the reason, escaped; nothing is kept."""
    said = ask(desk, "/mark", {**FORM, "reason": "so", **change})
    assert 400 == said.code
    assert says in said.body.decode()
    assert "<img" not in said.body.decode()
    assert not (desk.folder / "ada" / "marks.jsonl").exists()


sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
STUDENTS = 20


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[str, Path, subprocess.Popen[str]]]:
    """The command on the results of twenty students; its link, the folder, and the process."""
    out, lab = tmp_path / "out", tmp_path / "lab"
    for number in range(STUDENTS):
        text = f"Answer {number}: the line moves. {EVIL if number % 5 == 0 else ''}"
        written(out, f"student{number:02}", text, number)
    lab.mkdir()
    (lab / "lab.toml").write_text("")
    (lab / "rubric.md").write_text("**`why`: why?**\n\n- 5: the line moves\n- 1: the bus\n")
    command = [sys.executable, "-m", "locklab", "grade", "review", str(out)]
    process = subprocess.Popen(
        [*command, str(lab), "--by", "ann"], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    yield process.stdout.readline().strip(), out, process
    process.kill()
    process.wait()
    process.stdout.close()


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on PATH (apt install chromium)")
def test_twenty_answers_in_a_browser(served: tuple[str, Path, subprocess.Popen[str]]) -> None:
    """All are marked; nothing of a student's runs; no request leaves; the tables follow."""
    link, out, process = served
    said: list[str] = []
    hosts: set[str] = set()
    with sync_api.sync_playwright() as driver:
        running = launch(driver)
        tab = running.new_page(viewport={"width": 1280, "height": 900})
        tab.on("console", lambda message: said.append(message.text))
        tab.on("pageerror", lambda error: said.append(str(error)))
        tab.on("dialog", lambda dialog: said.append(dialog.message))
        tab.on("request", lambda request: hosts.add(request.url.split("/")[2]))
        tab.goto(link)
        assert "0 of 20 marked" in tab.inner_text("main")
        picture(tab, "overview")
        tab.click("#questions ~ p a")
        picture(tab, "question")
        tab.click("text=show only those to mark")
        mark(tab, STUDENTS)
        assert "Every answer is marked." in tab.inner_text("main")
        tab.goto(f"{link}student/student00")
        picture(tab, "student")
        tab.goto(f"{link}beside?s=student00&s=student01&s=student02")
        picture(tab, "beside")
        running.close()
    assert ([], 1) == (said, len(hosts))
    process.send_signal(signal.SIGINT)
    assert 0 == process.wait(60)
    points = [r.points for r in load_all(out)]
    assert [2.5, 5.0] * 10 == points
    assert "student01" in (out / "grades.csv").read_text()
    assert ",5," in (out / "grades.csv").read_text()


def picture(tab: Any, name: str) -> None:
    """Look at a page in both schemes and two widths: nothing sticks out. Kept where asked for."""
    for scheme in ("light", "dark"):
        for width in (390, 1280):
            tab.emulate_media(color_scheme=scheme)
            tab.set_viewport_size({"width": width, "height": 900})
            assert width >= tab.evaluate("document.documentElement.scrollWidth"), (name, width)
            folder = os.environ.get("LOCKLAB_PICTURES")
            if folder:
                tab.screenshot(path=f"{folder}/{quote(name)}-{scheme}-{width}.png")
