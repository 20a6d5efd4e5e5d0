"""Database servers for tests: each in a folder of its own, under a user without rights."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import sqlalchemy

NOBODY = 65534
PATIENCE_S = 120


def program(name: str) -> str | None:
    """The path of a server's program; Debian keeps PostgreSQL's beside the search path."""
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return shutil.which(
        name, path=os.pathsep.join([os.environ["PATH"], "/usr/sbin", *map(str, versions)])
    )


@contextmanager
def postgresql() -> Iterator[str]:
    """Start PostgreSQL; gives the URL of an empty database."""
    with _folder() as folder:
        data, initdb, server = folder / "data", program("initdb"), program("postgres")
        assert initdb is not None
        assert server is not None
        _run(folder, initdb, "-D", data, "-A", "trust", "-U", "grader", "-E", "UTF8", "--no-sync")
        options = ["-D", data, "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off"]
        with _running(folder, server, *options):
            url = f"postgresql+psycopg://grader@/postgres?host={folder}"
            _wait(url)
            yield url


@contextmanager
def mariadb() -> Iterator[str]:
    """Start MariaDB with a character set that lacks most letters; gives an empty database's URL."""
    with _folder() as folder:
        data, install, server = folder / "data", program("mariadb-install-db"), program("mariadbd")
        assert install is not None
        assert server is not None
        _run(folder, install, "--no-defaults", f"--datadir={data}", "--skip-test-db")
        options = [
            "--no-defaults", f"--datadir={data}", f"--socket={folder / 's'}", "--skip-networking",
            "--skip-grant-tables", "--character-set-server=latin1", f"--pid-file={folder / 'pid'}",
        ]  # fmt: skip
        with _running(folder, server, *options):
            base = "mariadb+pymysql://root@/{}?charset=utf8mb4&unix_socket=" + str(folder / "s")
            while not (folder / "s").exists():  # a refused connection would leak its socket
                time.sleep(0.05)
            _wait(base.format("mysql"), "CREATE DATABASE grades")
            yield base.format("grades")


SERVERS: dict[str, tuple[str, Callable[[], AbstractContextManager[str]]]] = {
    "postgresql": ("initdb", postgresql), "mariadb": ("mariadb-install-db", mariadb),
}  # fmt: skip
"""Name → a program that it needs, and how to start it."""


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="db") as made:
        if os.geteuid() == 0:
            os.chown(made, NOBODY, NOBODY)
        yield Path(made)


def _as_nobody() -> dict[str, int | list[int]]:
    if os.geteuid() != 0:
        return {}
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []}


def _run(folder: Path, *command: object) -> None:
    done = subprocess.run(
        [*map(str, command)], cwd=folder, capture_output=True, text=True, **_as_nobody()
    )  # type: ignore[call-overload]
    assert 0 == done.returncode, done.stdout + done.stderr


@contextmanager
def _running(folder: Path, *command: object) -> Iterator[None]:
    with open(folder / "log", "wb") as log:
        server = subprocess.Popen(
            [*map(str, command)], cwd=folder, stdout=log, stderr=log, **_as_nobody()
        )  # type: ignore[call-overload]
        try:
            yield
        finally:
            server.terminate()
            server.wait(PATIENCE_S)


def _wait(url: str, statement: str = "SELECT 1") -> None:
    """Wait until a server answers a statement."""
    until = time.monotonic() + PATIENCE_S
    engine = sqlalchemy.create_engine(url)
    while True:
        try:
            with engine.begin() as connection:
                connection.execute(sqlalchemy.text(statement))
            engine.dispose()
            return
        except sqlalchemy.exc.OperationalError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)
