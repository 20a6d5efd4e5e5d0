"""LockLab from a wheel, in an empty environment away from the repository.

It needs what pip needs, a package index, and says so where there is none.
"""

import json
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SECRET = {"hidden", "solution", "mutants.toml", "rubric.md", "design.md", "instructors.md"}
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


def built(folder: Path) -> dict[str, Path]:
    """The two wheels and the sdist: name → file."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    for project in (ROOT, ROOT / "labs"):
        command = [*pip, "wheel", "--no-deps", "--wheel-dir", str(folder), str(project)]
        subprocess.run(command, check=True, cwd=folder)
    # The hook of the build backend, which is installed for development.
    sdist = f"from scikit_build_core.build import build_sdist; build_sdist({str(folder)!r})"
    subprocess.run([sys.executable, "-c", sdist], check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    return {
        "locklab": next(folder.glob("locklab-*.whl")),
        "instructor": next(folder.glob("locklab_instructor-*.whl")),
        "sdist": next(folder.glob("locklab-*.tar.gz")),
    }


class Installed:
    """An environment with nothing but some requirements.

    Arguments:
        folder: where to make it, and where commands run.
        requirements: for pip.
    """

    def __init__(self, folder: Path, *requirements: str) -> None:
        self.folder = folder
        self.bin = folder / "env" / "bin"
        venv.create(folder / "env", with_pip=True)
        self.add(*requirements)

    def add(self, *requirements: str) -> None:
        """Install more."""
        command = [self.bin / "python", "-m", "pip", "--quiet", "install", *requirements]
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.folder, check=False)
        if "No matching distribution" in done.stderr and "numba" in done.stderr:
            pytest.skip("no package index answers")
        assert 0 == done.returncode, done.stderr

    def run(self, *arguments: str, folder: str = ".", code: int = 0) -> str:
        """What a command prints, or with another exit code than 0 its error."""
        done = subprocess.run(
            [self.bin / "locklab", *arguments],
            capture_output=True,
            text=True,
            cwd=self.folder / folder,
            env={"HOME": str(self.folder), "PATH": f"{self.bin}:/usr/bin:/bin"},
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


@pytest.fixture(scope="module")
def core(files: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The core alone."""
    return Installed(tmp_path_factory.mktemp("core"), str(files["locklab"]))


def test_wheel_gives_nothing_away(files: dict[str, Path]) -> None:
    """Labs, lessons, docs and C sources are inside; solutions and hidden checks are not."""
    inside = [name.split("/") for name in zipfile.ZipFile(files["locklab"]).namelist()]
    shared = [name[2:] for name in inside if name[:2] == ["lockui", "share"]]
    assert {"labs", "lessons", "docs", "native"} <= {name[0] for name in shared}
    assert [] == [name for name in shared if SECRET & set(name)]
    whole = zipfile.ZipFile(files["instructor"]).namelist()
    assert set() == SECRET - {part for name in whole for part in name.split("/")}


def test_core_is_small(core: Installed) -> None:
    """The language, the engines and the checker with all that they need."""
    assert core.megabytes() < 350


def test_student_goes_from_start_to_submission(core: Installed) -> None:
    """Lab 02 in the core: list, start, check, submit."""
    assert "lab02-spinlocks" in core.run("lab", "list")
    core.run("lab", "start", "lab02", "--student", "ada")
    lab = "lab02-spinlocks"
    solution = ROOT / "labs" / lab / "solution" / "spinlocks.py"
    (core.folder / lab / "spinlocks.py").write_text(solution.read_text())
    checked = json.loads(
        core.run("lab", "check", "mcs-proven", "--no-sandbox", "--json", folder=lab)
    )
    assert ["pass"] == [check["verdict"] for check in checked["result"]["checks"]]
    core.run("lab", "submit", "--no-sandbox", folder=lab)
    assert ["ada-lab02.zip"] == [p.name for p in (core.folder / lab).glob("*.zip")]


@pytest.mark.parametrize(
    ("command", "extra"),
    [
        ("reproduce kaigai-2004", "plot"),
        ("lesson open 1", "notebook"),
        ("grade lab02 .", "grade"),
        ("lab check", "grade"),
    ],
)
def test_command_names_the_extra_that_it_lacks(core: Installed, command: str, extra: str) -> None:
    """One message with what to install, and exit code 2."""
    if not (core.folder / "started").is_dir():
        core.run("lab", "start", "lab02", "--student", "bob", "--dir", "started")
    said = core.run(*command.split(), folder="started", code=2)
    assert f"help: pip install 'locklab[{extra}]'" in said


def test_instructor_grades(core: Installed, files: dict[str, Path]) -> None:
    """With the second distribution: hidden checks, a bundle for a platform."""
    refused = core.run("gradescope", "bundle", "lab02", "--out", "a.zip", code=2)
    assert "help: pip install locklab-instructor" in refused
    core.add(f"{files['locklab']}[grade]", str(files["instructor"]))
    core.run("gradescope", "bundle", "lab02", "--out", "a.zip")
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
