"""Finding machines: the profiles that ship with the package, profile files, and ``ideal-N``."""

from __future__ import annotations

import tomllib
from pathlib import Path

from locksim.machine.errors import MachineError
from locksim.machine.ideal import ideal, is_ideal
from locksim.machine.profile import Machine, parse
from lockui.suggest import did_you_mean

PROFILES = Path(__file__).parent / "profiles"


def names() -> list[str]:
    """Return the names of the shipped profiles, sorted; ``ideal-N`` exists besides."""
    return sorted(path.stem for path in PROFILES.glob("*.toml"))


def load(name_or_path: str | Path) -> Machine:
    """Return a machine by name (``"itanium2-32"``, ``"ideal-64"``) or from a TOML file.

    What ends in ``.toml`` or holds a path separator is a file; anything else is a name.

    Raises:
        MachineError: no such machine or file, or a profile that validation refuses.
    """
    text = str(name_or_path)
    if isinstance(name_or_path, Path) or text.endswith(".toml") or "/" in text or "\\" in text:
        return _read(Path(name_or_path))
    if is_ideal(text):
        return ideal(text)
    if text not in names():
        raise MachineError(f"unknown machine '{text}'; {did_you_mean(text, [*names(), 'ideal-N'])}")
    machine = _read(PROFILES / f"{text}.toml")
    if machine.name != text:
        raise MachineError(
            f"{text}.toml: name: '{machine.name}'; a shipped profile is named as its file"
        )
    return machine


def _read(path: Path) -> Machine:
    try:
        with path.open("rb") as file:
            data = tomllib.load(file)
    except OSError as error:
        raise MachineError(
            f"{path}: cannot be read ({error.strerror}); name a profile file that exists"
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise MachineError(f"{path}: not valid TOML ({error}); correct that line") from error
    return parse(data, str(path))
