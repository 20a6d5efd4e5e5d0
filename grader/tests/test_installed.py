"""LockLab from a wheel, in empty environments away from the repository.

It needs what pip needs, a package index, and says so where there is none. Each Python that is found
gets an environment: this one the wheel with C, the others (``python3.12``, …) the pure one.

The commands of README and of the page on installing run as they stand, with nothing but the wheel,
for a user who is not root, has no network and cannot write to the home folder. What comes of them
is written to ``out/installed.md``; docs/evidence/installed.md has the same table.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tarfile
import time
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from documented import Done, Session
from study.traces.chromium import CHROMIUM, launch
from test_documented_commands import arguments

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("docs/start/install.md", "README.md")
TABLE, MADE = ROOT / "docs/evidence/installed.md", ROOT / "out/installed.md"
PAGE = ROOT / PAGES[0]
COMPILE = (
    "from locksim import ready; from locksim.checker.search.runner import PARTS; "
    "ready.make(min(PARTS, key=lambda part: part.seconds))"
)
ALONE = ("unshare", "--user", "--map-user=1000", "--map-group=1000", "--net")
"""Runs a command for a user without rights, with no network."""
SECRET = {"hidden", "solution", "mutants.toml", "rubric.md", "design.md"}
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
OWN = f"3.{sys.version_info[1]}"
PATIENCE_S = 300.0
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


def built(folder: Path) -> dict[str, Path]:
    """The wheels and the sdist: name → file."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    wheel = [*pip, "wheel", "--no-deps", "--wheel-dir", str(folder)]
    for what in ([ROOT], [ROOT / "labs"], [ROOT, "--config-settings=wheel.cmake=false"]):
        subprocess.run([*wheel, *map(str, what)], check=True, cwd=folder)
    # The hook of the build backend, which is installed for development.
    sdist = f"from scikit_build_core.build import build_sdist; build_sdist({str(folder)!r})"
    subprocess.run([sys.executable, "-c", sdist], check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    return {
        "native": next(folder.glob("locklab-*-cp3*.whl")),
        "pure": next(folder.glob("locklab-*-py3-none-any.whl")),
        "instructor": next(folder.glob("locklab_instructor-*.whl")),
        "sdist": next(folder.glob("locklab-*.tar.gz")),
    }


class Installed:
    """An environment with nothing but some requirements.

    Arguments:
        folder: where to make it, and where commands run. python: to make it with.
        wheel: of LockLab.
    """

    def __init__(self, folder: Path, python: str, wheel: Path) -> None:
        self.folder, self.wheel = folder, wheel
        self.version = python.removeprefix("python") if python != sys.executable else OWN
        self.bin = folder / "env" / "bin"
        subprocess.run([python, "-m", "venv", folder / "env"], check=True)
        self.add(str(wheel))

    def add(self, *requirements: str) -> None:
        """Install more."""
        command = [self.bin / "python", "-m", "pip", "--quiet", "install", *requirements]
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.folder, check=False)
        if "No matching distribution" in done.stderr and "numba" in done.stderr:
            pytest.skip("no package index answers")
        assert 0 == done.returncode, done.stderr

    @property
    def environment(self) -> dict[str, str]:
        """The variables of every command: nothing of ours."""
        return {"HOME": str(self.folder), "PATH": f"{self.bin}:/usr/bin:/bin"}

    def run(self, *arguments: str, folder: str = ".", code: int = 0) -> str:
        """What a command prints, or with another exit code than 0 its error."""
        done = subprocess.run(
            [self.bin / "locklab", *arguments],
            capture_output=True,
            text=True,
            cwd=self.folder / folder,
            env=self.environment,
            check=False,
        )
        assert code == done.returncode, done.stdout + done.stderr
        return done.stderr if code else done.stdout

    def megabytes(self) -> float:
        """The size of the packages, without the installer's own."""
        (packages,) = (self.folder / "env" / "lib").glob("python*/site-packages")
        own = {"pip", "setuptools", "_distutils_hack"}
        every = (p for p in packages.rglob("*") if p.is_file() and not p.is_symlink())
        return sum(p.stat().st_size for p in every if not own & set(p.parts)) / 1e6


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The distributions, built from this checkout."""
    return built(tmp_path_factory.mktemp("built"))


@pytest.fixture(scope="module", params=PYTHONS)
def core(
    request: pytest.FixtureRequest,
    files: dict[str, Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> Installed:
    """The core alone, for one Python."""
    version: str = request.param
    python = sys.executable if version == OWN else f"python{version}"
    if shutil.which(python) is None or subprocess.run([python, "-c", "import venv"]).returncode:
        pytest.skip(f"there is no {python} here")
    wheel = files["native" if version == OWN else "pure"]
    return Installed(tmp_path_factory.mktemp(f"core{version}"), python, wheel)


def test_wheel_gives_nothing_away(files: dict[str, Path]) -> None:
    """Labs, lessons, docs and C sources are inside; solutions and hidden checks are not."""
    for wheel in (files["native"], files["pure"]):
        inside = [name.split("/") for name in zipfile.ZipFile(wheel).namelist()]
        shared = [name[2:] for name in inside if name[:2] == ["lockui", "share"]]
        assert {"labs", "lessons", "docs", "native"} <= {name[0] for name in shared}
        docs = {path.relative_to(ROOT).parts for path in (ROOT / "docs").rglob("*.md")}
        assert set() == docs - {tuple(name) for name in shared}
        assert [] == [name for name in shared if name[0] != "docs" and SECRET & set(name)]
    with tarfile.open(files["sdist"]) as archive:
        sources = [name.split("/")[1:] for name in archive.getnames()]
    assert ["labs", "lab02-spinlocks", "lab.toml"] in sources
    assert [] == [name for name in sources if name[0] == "labs" and SECRET & set(name)]
    whole = zipfile.ZipFile(files["instructor"]).namelist()
    assert set() == SECRET - {part for name in whole for part in name.split("/")}


def test_core_is_small(core: Installed) -> None:
    """The language, the engines and the checker with all that they need."""
    assert core.megabytes() < 350


def test_everything_is_listed(core: Installed) -> None:
    """All labs and lessons of the repository, and locks in C where the wheel has them."""
    labs = {path.parent.name for path in ROOT.glob("labs/*/lab.toml")}
    assert labs == {lab["lab"] for lab in json.loads(core.run("lab", "list", "--json"))}
    lessons = json.loads(core.run("lesson", "list", "--json"))
    assert len(list(ROOT.glob("lessons/[0-9]*.md"))) == len(lessons)
    if "none-any" in core.wheel.name:
        assert "locklab-native is not built; it needs Linux" in core.run("show", "kernel", code=2)
    else:
        assert "ticket" in core.run("show", "kernel")


def test_instructor_makes_a_lab(core: Installed) -> None:
    """The template's solution, hidden check and mutants are in the wheel."""
    core.run("lab", "new", "lab42")
    made = {path.name for path in (core.folder / "lab42").rglob("*")}
    assert {"solution", "hidden", "mutants.toml", "rubric.md", "design.md"} <= made


def test_student_goes_from_start_to_submission(core: Installed) -> None:
    """Lab 02 in the core: start, check, submit."""
    core.run("lab", "start", "lab02", "--student", "ada")
    lab = "lab02-spinlocks"
    solution = ROOT / "labs" / lab / "solution" / "spinlocks.py"
    (core.folder / lab / "spinlocks.py").write_text(solution.read_text())
    checked = json.loads(
        core.run("lab", "check", "mcs-proven", "--sandbox", "none", "--json", folder=lab)
    )
    assert {"pass"} == {check["verdict"] for check in checked["result"]["checks"]}
    core.run("lab", "submit", "--sandbox", "none", folder=lab)
    assert ["ada-lab02.zip"] == [p.name for p in (core.folder / lab).glob("*.zip")]


@pytest.mark.parametrize(
    ("command", "helps"),
    [
        ("paper reproduce kaigai-2004", "pip install 'locklab[plot]'"),
        ("lesson open 1", "locklab lesson open 1 --yes installs it"),
        ("grade lab02 .", "pip install 'locklab[grade]'"),
        ("lab check", "pip install 'locklab[grade]'"),
    ],
)
def test_command_says_how_to_install_what_it_lacks(
    core: Installed, command: str, helps: str
) -> None:
    """One message with what to do, and exit code 2."""
    if not (core.folder / "started").is_dir():
        core.run("lab", "start", "lab02", "--student", "bob", "--dir", "started")
    said = core.run(*command.split(), folder="started", code=2)
    assert f"help: {helps}" in said


def test_instructor_grades(core: Installed, files: dict[str, Path]) -> None:
    """With the second distribution: hidden checks, a bundle for a platform."""
    refused = core.run("grade", "bundle", "gradescope", "lab02", "--out", "a.zip", code=2)
    assert "help: pip install locklab-instructor" in refused
    core.add(f"{core.wheel}[grade]", str(files["instructor"]))
    core.run("grade", "bundle", "gradescope", "lab02", "--out", "a.zip")
    names = zipfile.ZipFile(core.folder / "a.zip").namelist()
    assert {
        "lab/hidden/checks.toml",
        "locklab/tools/setup",
        "locklab/native/locknative/_urcu.pyx",
    } <= set(names)
    submission = core.folder / "in"
    submission.mkdir()
    for file in (ROOT / "labs/lab02-spinlocks/solution").iterdir():
        (submission / file.name).write_bytes(file.read_bytes())
    core.run("grade", "lab02", str(submission), "--student", "ada", "--out", "results")
    results = [json.loads(p.read_text()) for p in (core.folder / "results").rglob("result.json")]
    assert [False] == [all(check["public"] for check in one["checks"]) for one in results]


def outcome(done: Done) -> str:
    """What came of a command: yes, what it needs, or its error."""
    assert "Traceback" not in done.err, done
    extra = re.search(r"pip install 'locklab\[(\w+)\]'", done.err)
    if extra:
        return f"`[{extra[1]}]`"
    if "is not built" in done.err:
        return "C"
    return done.err.strip() if "error: " in done.err else "yes"


def columns(text: str) -> dict[str, dict[str, str]]:
    """The table of a page: Python → command → what came of it."""
    head, _, *rows = (
        [*map(str.strip, line.split("|")[1:-1])] for line in text.splitlines() if line[:1] == "|"
    )
    return {head[k]: {row[0]: row[k] for row in rows} for k in range(1, len(head))}


def table(found: dict[str, dict[str, str]]) -> str:
    """The table as a page has it."""
    versions = sorted(found)
    rows = [["", *versions], ["---"] * (1 + len(versions))]
    for command in found[versions[-1]]:
        rows.append([command, *(found[version].get(command, "") for version in versions)])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


@pytest.mark.skipif(shutil.which("unshare") is None, reason="no unshare on this machine")
def test_commands_of_the_first_pages(core: Installed) -> None:
    """As they stand: they run, or they name what to install. The page has the same table."""
    folder, home = core.folder / "pages", core.folder / "home"
    folder.mkdir()
    home.mkdir(mode=0o555)
    session = Session(folder, core.environment | {"HOME": str(home)}, ALONE)
    said = {
        f"`locklab {' '.join(arguments(done.command))}`": outcome(done)
        for page in PAGES
        for done in session.run(page)
    }
    found = columns(MADE.read_text("utf-8")) if MADE.exists() else {}
    MADE.parent.mkdir(exist_ok=True)
    MADE.write_text(table(found | {core.version: said}), "utf-8")
    assert columns(TABLE.read_text("utf-8"))[core.version] == said


@pytest.mark.skipif(shutil.which("unshare") is None, reason="no unshare on this machine")
@pytest.mark.parametrize("shared", [False, True])
def test_the_page_s_commands_leave_nothing(
    files: dict[str, Path], tmp_path: Path, shared: bool
) -> None:
    """Compiled code lies in the package, or below the home where others own the package."""
    used, home = Installed(tmp_path, sys.executable, files["native"]), tmp_path / "home"
    home.mkdir()
    (package,) = (tmp_path / "env" / "lib").glob("python*/site-packages/locksim")
    folders = [package, *(path for path in package.rglob("*") if path.is_dir())]
    environment = used.environment | {"HOME": str(home)}
    for folder in folders:
        folder.chmod(0o555 if shared else 0o755)
    for line in (f"python -c '{COMPILE}'", "locklab drill tso --seed 1 <<< none"):
        subprocess.run([*ALONE, "bash", "-c", line], check=True, env=environment, cwd=home)
    compiled = package / "__pycache__", home / ".cache" / "locklab"
    assert [not shared, shared] == [any(path.rglob("*.ready")) for path in compiled]
    for folder in folders:
        folder.chmod(0o755)
    (block,) = re.findall(r"```\n(pip uninstall .*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    subprocess.run(["bash", "-ec", block], check=True, env=environment, cwd=home)
    assert [] == [path for path in home.rglob("*") if path.is_file()]
    assert [] == list(package.parent.glob("lock*"))


@contextmanager
def lesson_open(core: Installed) -> Iterator[str]:
    """The address of JupyterLab, as ``locklab lesson open 1`` starts it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {
        "IdentityProvider": {"token": "secret"},
        "ServerApp": {"allow_root": True, "open_browser": False, "port": port, "port_retries": 0},
    }
    config = core.folder / ".jupyter" / "jupyter_server_config.json"
    config.parent.mkdir()
    config.write_text(json.dumps(settings))
    command = [core.bin / "locklab", "lesson", "open", "1"]
    with open(core.folder / "log", "w") as log:
        server = subprocess.Popen(
            command,
            cwd=core.folder,
            env=core.environment,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            os.killpg(server.pid, 15)
            server.wait()


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_lesson_runs_in_a_browser(core: Installed) -> None:
    """With the extra for notebooks, every cell of the first lesson."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    from test_jupyterlab import DONE, LOADED

    core.add(f"{core.wheel}[notebook]")
    with lesson_open(core) as address, sync_api.sync_playwright() as driver:
        until_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < until_s:
            try:
                urllib.request.urlopen(f"{address}/api?token=secret").close()
                break
            except OSError:
                time.sleep(0.5)
        page = launch(driver).new_page(viewport={"width": 1300, "height": 1000})
        (notebook,) = (core.folder / "lessons-notebooks").glob("*.ipynb")
        page.goto(f"{address}/lab/tree/{notebook.name}?reset&token=secret")
        page.wait_for_function(LOADED, timeout=120_000)
        idle = page.get_by_text("| Idle")
        idle.wait_for(timeout=120_000)
        page.locator(".lm-MenuBar-itemLabel", has_text="Run").first.click()
        page.get_by_text("Run All Cells", exact=True).click()
        page.wait_for_function(DONE, timeout=400_000)
        idle.wait_for(timeout=120_000)
        assert 0 == page.locator(".jp-OutputArea-output[data-mime-type*='error']").count()
