"""Where the opponents come from: the distribution's source packages, fetched and unpacked here.

Their code is not ours to carry. apt fetches it, checks its signature, and keeps what it needs to
know in a folder of ours: neither the right to install nor a change to the system is needed.
"""

from __future__ import annotations

import shutil
import subprocess
import tarfile
from pathlib import Path


class CompareError(Exception):
    """The comparison can not be made; the message says why and what to do."""

    exit_code = 2


def fetch(package: str, folder: Path) -> Path:
    """Return the folder with a source package's files, fetching them unless they are there.

    Args:
        package: its name in Debian and its derivatives.
        folder: for what is fetched; what lies there from before is used again.

    Raises:
        CompareError: no apt, no network, or an archive of an unknown shape.
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
        *("-o", "APT::Sandbox::User=root"),  # it could not write into a folder of ours otherwise
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
