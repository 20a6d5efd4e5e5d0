"""The page on which an instructor reads and marks: a small server on the loopback address.

Who may use it. Every address begins with a token that is drawn when the server starts and stands in
the link that it prints. A request without it is refused, as is one for another host (DNS rebinding)
or one that another site's page sends. Nothing is served beyond this machine.

What a student's text can do. Nothing: every text is escaped, and the page's policy allows no
script, no request and no form that leads elsewhere. The one style sheet is allowed by its hash.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import html
import secrets
import signal
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import quote

import tornado.httpserver
import tornado.netutil
import tornado.web

from lockgrader.report.feedback import right
from lockgrader.report.similar import Alike, similar
from lockgrader.report.student import in_words
from lockgrader.result import CheckResult, Result
from lockgrader.review.marking import Desk
from lockui.html_page import environment
from lockui.tables import fixed

__all__ = ["application", "serve"]

MOST_BYTES = 1 << 20
"""Of a request: a form with a reason is far smaller."""
_BESIDE = 6
"""Most students side by side."""


def serve(desk: Desk, port: int, ready: Callable[[str], None]) -> None:
    """Serve until Ctrl-C or SIGTERM.

    Arguments:
        desk: what is marked. port: on the loopback address; 0 for any free one.
        ready: called with the link.

    Raises:
        OSError: the port is taken.
    """
    asyncio.run(_serve(desk, port, ready))


async def _serve(desk: Desk, port: int, ready: Callable[[str], None]) -> None:
    sockets = tornado.netutil.bind_sockets(port, "127.0.0.1")
    host = f"127.0.0.1:{sockets[0].getsockname()[1]}"
    token = secrets.token_urlsafe(24)
    server = tornado.httpserver.HTTPServer(
        application(desk, host, token), max_body_size=MOST_BYTES, max_buffer_size=MOST_BYTES
    )
    server.add_sockets(sockets)
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    ready(f"http://{host}/{token}/")
    await stop.wait()
    server.stop()
    await server.close_all_connections()


def application(desk: Desk, host: str, token: str) -> tornado.web.Application:
    """The pages, for one host and token."""
    given = {"desk": desk, "host": host, "token": token}
    return tornado.web.Application(
        [
            (r"/([^/]+)/", Overview, given),
            (r"/([^/]+)/question/([^/]+)", Question, given),
            (r"/([^/]+)/student/([^/]+)", Student, given),
            (r"/([^/]+)/beside", Beside, given),
            (r"/([^/]+)/mark", MarkOne, given),
            (r"/([^/]*).*", Nothing, given),
        ],
        log_function=lambda _: None,  # the address holds the token
    )


class Page(tornado.web.RequestHandler):
    """What all pages share: who may ask, what a browser may do with the answer, how errors look."""

    desk: Desk
    host: str
    token: str

    def initialize(self, desk: Desk, host: str, token: str) -> None:
        self.desk, self.host, self.token = desk, host, token

    def set_default_headers(self) -> None:
        self.clear_header("Server")
        for name, value in {
            "Content-Security-Policy": _policy(""),
            "Cache-Control": "no-store",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Referrer-Policy": "same-origin",
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
        }.items():
            self.set_header(name, value)

    def prepare(self) -> None:
        given = self.path_args[0] if self.path_args else ""
        if self.request.host != self.host:
            self.refuse(403, f"this page is served as http://{self.host}/ only")
        if not hmac.compare_digest(given.encode(), self.token.encode()):
            self.refuse(403, "the link is not valid: use the one that the command printed")
        site = self.request.headers.get("Sec-Fetch-Site", "same-origin")
        origin = self.request.headers.get("Origin", f"http://{self.host}")
        if self.request.method != "GET" and (
            site != "same-origin" or origin != f"http://{self.host}"
        ):
            self.refuse(403, "another site sent this form")

    def refuse(self, status: int, why: str) -> None:
        """Answer with an error and its reason."""
        raise tornado.web.HTTPError(status, "%s", why)

    def log_exception(self, typ: Any, value: Any, tb: Any) -> None:
        """Log faults of ours; a refused request is none, and its address may hold the token."""
        if not isinstance(value, tornado.web.HTTPError):
            super().log_exception(typ, value, tb)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        error = (kwargs.get("exc_info") or (None, None))[1]
        why = error.args and str(error) if isinstance(error, tornado.web.HTTPError) else ""
        said = why.partition("(")[2].rpartition(")")[0] if why else "an internal error"
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.finish(f"<!doctype html><title>{status_code}</title><p>{html.escape(said)}</p>")

    def show(self, template: str, title: str, **values: Any) -> None:
        """Answer with a page."""
        root = f"/{self.token}"
        text = (
            environment("lockgrader.review", "lockgrader.report")
            .get_template(template)
            .render(
                title=title,
                home=f"{root}/",
                student_at=lambda name: f"{root}/student/{quote(name, safe='')}",
                question_at=lambda name: f"{root}/question/{quote(name, safe='')}",
                beside_at=lambda names: f"{root}/beside?{'&'.join(_asked(names))}",
                mark_at=f"{root}/mark",
                words=in_words,
                fixed=lambda value: fixed(value, None),
                right=right,
                **values,
            )
        )
        style = text.partition("<style>")[2].partition("</style>")[0]
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        self.set_header("Content-Security-Policy", _policy(f"'sha256-{digest}'"))
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.finish(text)

    def result(self, student: str) -> Result:
        """A student's result; answers 404 if there is none."""
        found = self.desk.results().get(student)
        if found is None:
            self.refuse(404, "this student has no result")
        assert found is not None
        return found


class Overview(Page):
    """All students, the questions that a person marks, and what is alike."""

    def get(self, _token: str) -> None:
        results = [*self.desk.results().values()]
        labs = ", ".join(dict.fromkeys(r.lab for r in results))
        self.show(
            "overview.html.j2",
            f"{labs}: review",
            labs=labs,
            results=results,
            questions=[
                (name, title, *_marked(results, name)) for name, title in _questions(results)
            ],
            groups=_groups(similar(results)),
        )


class Question(Page):
    """All answers to one question in words, with the rubric."""

    def get(self, _token: str, name: str) -> None:
        results = [*self.desk.results().values()]
        title = dict(_questions(results)).get(name)
        if title is None:
            self.refuse(404, "there is no such question")
        only = self.get_query_argument("only", "")
        answers = [(r, _check(r, name)) for r in results if _check(r, name).answer]
        marked = sum(c.mark is not None for _, c in answers)
        alike = [a for a in similar(results) if a.what == title]
        self.show(
            "question.html.j2",
            f"{title}: answers",
            name=name,
            question=title,
            answers=[a for a in answers if only != "open" or a[1].mark is None],
            only=only,
            marked=marked,
            count=len(answers),
            levels=self.desk.levels.get(name, ()),
            alike={r.student: _with(alike, r.student) for r in results},
        )


class Student(Page):
    """One result, with a form at each check."""

    def get(self, _token: str, name: str) -> None:
        result = self.result(name)
        results = [*self.desk.results().values()]
        self.show(
            "student.html.j2",
            f"{result.lab}: {result.student}",
            result=result,
            levels=self.desk.levels,
            alike=_with(similar(results), name),
        )


class Beside(Page):
    """Some results side by side."""

    def get(self, _token: str) -> None:
        names = list(dict.fromkeys(self.get_query_arguments("s")))[:_BESIDE]
        results = [self.result(name) for name in names]
        if not results:
            self.refuse(404, "choose students to compare")
        checks = {c.name: c.title for r in results for c in r.checks}
        self.show(
            "beside.html.j2",
            f"{len(results)} results side by side",
            results=results,
            rows=[(t, [_check(r, name) for r in results]) for name, t in checks.items()],
        )


class MarkOne(Page):
    """Points from a form."""

    def post(self, _token: str) -> None:
        student, check = self.get_body_argument("student"), self.get_body_argument("check")
        given = self.get_body_argument("points", "")
        reason = self.get_body_argument("reason", "")
        points = None
        if self.get_body_argument("action", "give") != "withdraw":
            level, _, says = self.get_body_argument("level", "").partition(" ")
            given, reason = given or level, reason or says
            try:
                points = float(given)
            except ValueError:
                self.refuse(400, "choose a level of the rubric, or give points as a number")
        try:
            submission = self.get_body_argument("submission")
            self.desk.mark(student, check, points, reason, submission=submission)
        except Exception as error:
            if getattr(error, "exit_code", None) != 2:
                raise
            self.refuse(400, str(error))
        back = self.get_body_argument("back", "student")
        name, place = (check, "question") if back == "question" else (student, "student")
        anchor = student if back == "question" else check
        only = "?only=open" if self.get_body_argument("only", "") == "open" else ""
        target = f"/{self.token}/{place}/{quote(name, safe='')}{only}"
        self.redirect(f"{target}#{quote(anchor, safe='')}", status=303)


class Nothing(Page):
    """Every other address."""

    def get(self, _token: str) -> None:
        self.refuse(404, "there is no such page")


def _policy(style: str) -> str:
    return (
        f"default-src 'none'; style-src {style or chr(39) + 'none' + chr(39)}; img-src data:; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )


def _asked(names: Sequence[str]) -> list[str]:
    return [f"s={quote(name, safe='')}" for name in names]


def _check(result: Result, name: str) -> CheckResult:
    found = next((c for c in result.checks if c.name == name), None)
    return found or CheckResult(name=name, title=name, verdict="skipped", points=0, max_points=0)


def _questions(results: Sequence[Result]) -> list[tuple[str, str]]:
    """Questions in words: name and title."""
    return [*{c.name: c.title for r in results for c in r.checks if c.answer}.items()]


def _marked(results: Sequence[Result], name: str) -> tuple[int, int]:
    """How many answers to a question are marked, and how many there are."""
    answers = [c for r in results for c in r.checks if c.name == name and c.answer]
    return sum(c.mark is not None for c in answers), len(answers)


def _with(alike: Sequence[Alike], student: str) -> list[tuple[str, str, float]]:
    """Who resembles a student: other, in what, how much."""
    pairs = [(a, set(a.students) - {student}) for a in alike if student in a.students]
    return [(other, a.what, a.share) for a, others in pairs for other in others]


def _groups(alike: Sequence[Alike]) -> list[tuple[str, list[str], float]]:
    """What is alike, with all students connected by it, the largest group first."""
    groups: list[tuple[str, set[str], float]] = []
    for one in alike:
        mine = [g for g in groups if g[0] == one.what and g[1] & set(one.students)]
        rest = [g for g in groups if g not in mine]
        joined = set(one.students).union(*(g[1] for g in mine))
        groups = [*rest, (one.what, joined, max([one.share, *(g[2] for g in mine)]))]
    sizes = Counter({i: len(g[1]) for i, g in enumerate(groups)})
    return [(groups[i][0], sorted(groups[i][1]), groups[i][2]) for i, _ in sizes.most_common()]
