"""The command ``locklab``: a small program that finds the subcommands of all packages.

A package offers a subcommand through the entry-point group ``locklab.commands``. Its target is a
Typer app, and its one-line help is the first line of the target module's docstring. That line is
read from the file, so ``locklab --help`` imports no package; only the command in use is imported.
A command of two words, such as ``paper reproduce``, is an entry point named ``paper.reproduce``.
A word may be a command and stand before others: ``locklab grade LAB``, ``locklab grade review``.
``READERS`` says for whom a word is, and what the words mean that only stand before others.

This module alone turns exceptions into exit codes. An exception with an integer ``exit_code`` is
a message to the user (``error: …`` on stderr, that exit code, no traceback). Ctrl-C is exit code
130. A reader that has gone, as in ``locklab lab list | head -1``, ends the command quietly with
exit code 141. Anything else is a bug and keeps its traceback.
"""

import gc
import importlib
import importlib.util
import io
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

__all__ = ["Command", "commands", "main"]

GROUP = "locklab.commands"
READERS: dict[str, dict[str, str]] = {
    "Learn": {
        "lesson": "Open a lesson in JupyterLab; list, run and write lessons",
        "lab": "Work on a lab: start, check, hint, submit; or write one",
        "drill": "",
        "progress": "",
    },
    "Ask": {
        "check": "",
        "run": "",
        "sweep": "",
        "play": "Be the scheduler of a lock; share a proof as a link",
        "paper": "Reproduce published experiments, vary them, take mechanisms away",
        "report": "",
        "show": "List or show locks, machines, tables: all with a name",
    },
    "Your machine": {
        "native": "Run the C kernels on real cores: measure, explore and stress them",
        "machine": "Write a machine's profile, measured or published",
        "doctor": "",
    },
    "Teach": {
        "grade": "",
        "course": "Pin the labs of a course, and see what has changed",
    },
}
"""Each reader's words. A text stands where no command of that name has a docstring of its own."""
USAGE_ERROR = 2
HELPS = ("-h", "--help", "--help-all")
COMPLETION = ("--install-completion", "--show-completion")
COMPLETES = "_LOCKLAB_COMPLETE"  # set by a shell that asks what may come next
INTERRUPTED = 130  # 128 + SIGINT, as shells report it
UNREAD = 141  # 128 + SIGPIPE


class Command(NamedTuple):
    """A subcommand: its name, the place of its Typer app, and one line of help."""

    name: str
    module: str
    attribute: str
    help: str

    def load(self) -> Callable[..., object]:
        """Import the target and return its app.

        Modules make next to no garbage, and looking for it is a tenth of the time to import them.
        """
        gc.disable()
        try:
            app: Callable[..., object] = getattr(
                importlib.import_module(self.module), self.attribute
            )
            return app
        finally:
            gc.enable()


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``locklab`` with ``argv`` (by default this process's own) and return the exit code."""
    _print_whatever_comes()
    try:
        ended = _answer(list(sys.argv[1:] if argv is None else argv))
        print(end="", flush=True)
        return ended
    except BrokenPipeError:
        _drop_output()
        return UNREAD


def _answer(argv: list[str]) -> int:
    """Run ``locklab`` with ``argv`` and return the exit code; what is printed may be unread."""
    completes = COMPLETES in os.environ or (bool(argv) and argv[0] in COMPLETION)
    if not completes and (not argv or argv[0] in HELPS or argv == ["help"]):
        print(_overview(commands()))
        return 0
    if argv[:1] in (["-V"], ["--version"]):
        print(f"locklab {_version()}")
        return 0
    known = commands()
    words = " ".join(argv[:2])
    below = [name for name in known if name.startswith(f"{argv[0]} ")] if argv else []
    if completes:
        command, arguments = Command("", "lockui.completion", "app", ""), argv
    elif argv[0] == "help":
        command, arguments = Command("help", "lockui.topics", "app", ""), argv[1:]
    elif words in known:
        command, arguments = known[words], argv[2:]
    elif below and _misspelt(argv[1:], below):
        return _unknown(words, below)
    elif argv[0] in known:
        command, arguments = known[argv[0]], argv[1:]
    elif below and (not argv[1:] or argv[1] in HELPS):
        print(_overview_below(argv[0], {name: known[name] for name in below}))
        return 0
    elif below:
        return _unknown(words, below)
    else:
        return _unknown(argv[0], known)
    try:
        ended = _run(command, arguments)
        if below and command.name == argv[0] and arguments in (["--help"], ["--help-all"]):
            print(_also_below(argv[0], {name: known[name] for name in below}))
        return ended
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        code = getattr(error, "exit_code", None)
        if not isinstance(code, int):
            raise
        return _fail(str(error), code)


def commands() -> dict[str, Command]:
    """Return the subcommands whose module exists, sorted by name: of one word, or of two."""
    from importlib.metadata import entry_points

    found = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        path = _module_file(entry.module)
        if path is not None:
            name = entry.name.replace(".", " ")
            found[name] = Command(name, entry.module, entry.attr, _first_line(path))
    return found


def _print_whatever_comes() -> None:
    """Print a question mark for each character that the stream cannot encode."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _drop_output() -> None:
    """Let what is left for stdout and stderr go nowhere, or Python's end would complain of it."""
    for stream in (sys.__stdout__, sys.__stderr__):
        if stream is not None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _run(command: Command, arguments: list[str]) -> int:
    """Import one command and run it with the remaining arguments."""
    try:
        command.load()(arguments, prog_name=f"locklab {command.name}")
    except ModuleNotFoundError as error:
        name = error.name or ""
        if name.partition(".")[0] == command.module.partition(".")[0]:
            raise  # one of LockLab's own modules is missing: a bug, not an incomplete installation
        from lockui.extras import missing

        return _fail(f"'locklab {command.name}' needs {missing(name, command.module)}", USAGE_ERROR)
    except SystemExit as stop:
        if isinstance(stop.__context__, BrokenPipeError):
            raise stop.__context__ from None  # Typer and Rich made exit code 1 of it
        if stop.code is None or isinstance(stop.code, int):
            return stop.code or 0
        return _fail(str(stop.code), 1)
    return 0


def _overview(known: Mapping[str, Command]) -> str:
    """Return the text of ``locklab --help``."""
    lines = {name.partition(" ")[0]: "" for name in known}
    lines |= {name: command.help for name, command in known.items() if name in lines}
    shelves = {reader: [w for w in words if w in lines] for reader, words in READERS.items()}
    named = {word for words in shelves.values() for word in words}
    shelves["More"] = [word for word in lines if word not in named]
    said = {word: text for words in READERS.values() for word, text in words.items()}
    text = ["Usage: locklab COMMAND [ARGUMENTS]…", ""]
    text += ["Write a lock once. Prove it, simulate it, run it on real cores, have it graded."]
    width = max(map(len, lines), default=0)
    for reader, words in shelves.items():
        if words:
            rows = {word: lines[word] or said.get(word, "") for word in words}
            text += ["", f"{reader}:", *_columns(rows, width)]
    if not lines:
        text += ["", "No command is installed: run 'make setup'."]
    return "\n".join(
        [
            *text,
            "",
            "Options:",
            "  -h, --help     Show this text; 'locklab COMMAND --help' explains a command.",
            "  -V, --version  Show the version.",
            "  --install-completion  Complete commands and options in this shell.",
            "",
            "'locklab help TOPIC' shows a page; 'locklab help topics' lists all.",
        ]
    )


def _overview_below(word: str, known: Mapping[str, Command]) -> str:
    """Return the text of ``locklab WORD --help`` for a word that stands before others."""
    said = next((words[word] for words in READERS.values() if word in words), "")
    usage = f"Usage: locklab {word} COMMAND [ARGUMENTS]…"
    more = f"'locklab {word} COMMAND --help' explains a command."
    return "\n".join([usage, "", *([f"{said}.", ""] if said else []), *_below(known), "", more])


def _also_below(word: str, known: Mapping[str, Command]) -> str:
    """Return what follows the help of a command whose word also stands before others."""
    return "\n".join([f"\nMore commands (locklab {word} COMMAND):", *_below(known)])


def _below(known: Mapping[str, Command]) -> list[str]:
    """Return the second words of commands, with their lines."""
    lines = {name.partition(" ")[2]: command.help for name, command in known.items()}
    return _columns(lines, max(map(len, lines)))


def _columns(lines: Mapping[str, str], width: int) -> list[str]:
    """Return names and their lines as two columns, 80 characters wide."""
    import textwrap

    return [
        textwrap.fill(
            text, 80, initial_indent=f"  {name:<{width}}  ", subsequent_indent=" " * (width + 4)
        )
        or f"  {name}"
        for name, text in lines.items()
    ]


def _misspelt(arguments: Sequence[str], below: Iterable[str]) -> bool:
    """Whether a word that is no file is almost that of a command which stands below another."""
    from lockui.suggest import near

    word = "".join(arguments[:1])
    return bool(near(word, [name.partition(" ")[2] for name in below])) and not Path(word).exists()


def _unknown(name: str, known: Iterable[str]) -> int:
    """Refuse an unknown command, and suggest a similar one, or the word under which it stands."""
    from lockui.suggest import did_you_mean, near

    what = "option" if name.startswith("-") else "command"
    words = {one if " " in name else one.partition(" ")[0] for one in known}
    below = [one for one in known if name == one.partition(" ")[2]]
    if what == "option":
        hint = "see 'locklab --help'"
    elif below and not near(name, words):
        hint = f"did you mean {' or '.join(map(repr, below))}?"
    else:
        hint = did_you_mean(name, words)
    return _fail(f"unknown {what} '{name}'; {hint}", USAGE_ERROR)


def _fail(message: str, code: int) -> int:
    """Print one message on stderr and return the exit code."""
    print(f"error: {message}", file=sys.stderr)
    return code


def _version() -> str:
    """Return the installed version."""
    from importlib.metadata import version

    return version("locklab")


def _module_file(module: str) -> Path | None:
    """Return the source file of a dotted module without importing its parents.

    The import system finds the top-level package without running it.
    """
    top, *rest = module.split(".")
    spec = importlib.util.find_spec(top)
    if spec is None:
        return None
    if not rest:
        return Path(spec.origin) if spec.origin else None
    for location in spec.submodule_search_locations or []:
        base = Path(location, *rest)
        for path in (base.with_suffix(".py"), base / "__init__.py"):
            if path.is_file():
                return path
    return None


def _first_line(path: Path) -> str:
    """Return the first line of a module's docstring, or an empty text.

    The file is not parsed: that would be a third of the time of the help.
    """
    try:
        with path.open(encoding="utf-8") as file:
            found = re.match(r'"""(.*?)\.?(""")?$', file.readline().rstrip())
    except (OSError, ValueError):
        return ""  # the help must work even while a module is being edited
    return found[1] if found else ""


if __name__ == "__main__":
    sys.exit(main())
