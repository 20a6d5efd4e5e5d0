"""The source packages of the programs to compare with: fetched with apt, unpacked here.

Their code is not part of LockLab. apt fetches it and checks its signature, with its state in a
folder of ours: it needs neither the right to install nor a change to the system.
"""

from __future__ import annotations

import shutil
import subprocess
import tarfile
from pathlib import Path


class CompareError(Exception):
    """The comparison cannot be made; the message says why and what to do."""

    exit_code = 2


def fetch(package: str, folder: Path) -> Path:
    """Return the folder with a source package's files; fetch them if it is not there.

    Args:
        package: its name in Debian and its derivatives.
        folder: for the files; those from an earlier call are used again.

    Raises:
        CompareError: there is no apt, no network, or the archive is not as expected.
    """
    unpacked = folder / package
    if unpacked.is_dir():
        return unpacked
    archives = _download(package, folder)
    if len(archives) != 1:
        raise CompareError(
            f"apt fetched {len(archives)} archives for the source package '{package}' into "
            f"{folder}, expected one: unpack it yourself and name the folder with --{package}"
        )
    temporary = folder / f"{package}.unpacking"
    shutil.rmtree(temporary, ignore_errors=True)
    with tarfile.open(archives[0]) as archive:
        archive.extractall(temporary, filter="data")
    (inside,) = temporary.iterdir()
    inside.rename(unpacked)
    temporary.rmdir()
    return unpacked


def _download(package: str, folder: Path) -> list[Path]:
    if shutil.which("apt-get") is None:
        raise CompareError(
            f"there is no apt-get here to fetch the source package '{package}': get its sources "
            f"in another way and name their folder with --{package}"
        )
    archives = folder / "archives" / package
    for needed in (archives, folder / "apt/lists/partial", folder / "apt/cache/archives/partial"):
        needed.mkdir(parents=True, exist_ok=True)
    lists = folder / "apt/sources.list"
    lists.write_text("".join(f"deb-src {line}\n" for line in _repositories()))
    private = [
        *("-o", f"Dir::Etc::SourceList={lists.resolve()}", "-o", "Dir::Etc::SourceParts=-"),
        *("-o", f"Dir::State::Lists={(folder / 'apt/lists').resolve()}"),
        *("-o", f"Dir::Cache={(folder / 'apt/cache').resolve()}"),
        *("-o", "APT::Sandbox::User=root"),  # otherwise it cannot write into our folder
    ]
    _apt(package, [*private, "-q", "update"], archives)
    _apt(package, [*private, "-q", "source", "--download-only", package], archives)
    return [file for file in archives.glob("*.orig.tar.*") if file.suffix != ".asc"]


def _repositories() -> list[str]:
    """Return the package repositories that this system uses, as lines of a sources.list."""
    shown = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE) $(COMPONENT)"]
        + ["Created-By: Packages"],
        capture_output=True,
        text=True,
        check=False,
    )
    return sorted(set(shown.stdout.splitlines()))


def _apt(package: str, arguments: list[str], where: Path) -> None:
    done = subprocess.run(
        ["apt-get", *arguments], cwd=where, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        reason = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
        raise CompareError(
            f"apt could not fetch the source package '{package}' ({' '.join(reason)}): is there a "
            f"network? Or get its sources in another way and name their folder with --{package}"
        )
