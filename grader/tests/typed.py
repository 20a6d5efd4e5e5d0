"""Commands as they are typed: ``locklab WORD [WORD] ARGUMENTS``, in this process."""

from typing import Any

from typer.testing import CliRunner

import locklab


def typed(*words: object) -> Any:
    """Run a command; its exit code, what it printed, and its exception."""
    argv, known = [*map(str, words)], locklab.commands()
    two = " ".join(argv[:2])
    name, rest = (two, argv[2:]) if two in known else (argv[0], argv[1:])
    return CliRunner().invoke(known[name].load(), rest)  # type: ignore[arg-type]
