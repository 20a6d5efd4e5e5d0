"""What a shell is offered for the command that is being typed, and for its values."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

import locklab
from lockui.completion import among

LABS = Path(__file__).resolve().parents[2] / "labs"
VALUES = [
    ("locklab check --memory ", ["sc", "tso", "c11"]),
    ("locklab check ticket --property st", ["starvation"]),
    ("locklab check treiber --spec LI", ["LIFO"]),
    ("locklab check mc", ["mcs"]),
    ("locklab run mc", ["mcs"]),
    ("locklab run mcs --machine xeon-e", ["xeon-e5-2680v4-2x14"]),
    ("locklab run mcs --machine ideal-10", ["ideal-1024"]),
    ("locklab run mcs --report kern", ["kernprof"]),
    ("locklab run mcs --placement s", ["scatter"]),
    ("locklab run mcs --hold u", ["uniform:100ns"]),
    ("locklab sweep mcs --vary bu", ["burst="]),
    ("locklab sweep mcs tic", ["ticket"]),
    ("locklab paper chatroom --scheduler li", ["linux_2_4"]),
    ("locklab show lock seqr", ["seqrwlock"]),
    ("locklab show machine itan", ["itanium2-32"]),
    ("locklab paper reproduce ka", ["kaigai-2004"]),
    ("locklab paper what-if kaigai-2004-m", ["kaigai-2004-mcs"]),
    ("locklab paper ablate sh", ["shared-cache"]),
    ("locklab drill gr", ["grace-period"]),
    ("locklab show data kaigai", ["kaigai-2004/rcutest", "kaigai-2004/setup"]),
    ("locklab help lang", ["language"]),
    ("locklab lab start lab02", ["lab02-spinlocks"]),
    ("locklab lesson open why", ["why-locks-collapse"]),
    ("locklab lesson open 2", ["2"]),
    ("locklab grade lab02", ["lab02-spinlocks"]),
    ("locklab grade bu", ["bundle"]),
    ("locklab grade bundle pr", ["prairielearn"]),
    ("locklab grade export results --to ca", ["canvas"]),
    ("locklab grade results --ke", ["--key", "--keep"]),
    ("locklab native bench tic", ["ticket"]),
    ("locklab native explore al", ["all"]),
    ("locklab native survey --only ticket,mc", ["ticket,mcs"]),
    ("locklab native torture --tool t", ["torture", "tsan"]),
]
"""What is typed, and all that is offered."""
FREE = """
    check --calls; check --expect; check --only; check --rounds; drill --answer;
    grade --cluster; grade --gradebook; grade --only; grade --student; grade bundle --name;
    grade export --gradebook; grade review --by; grade review --gradebook; lab bundle --student;
    lab start --student; lesson new --name; lesson new lesson; machine calibrate --name;
    machine new --latency; machine new --shape; machine new --source; machine new name;
    native explore --define; native explore --replay; paper chatroom --set;
    paper sensitivity --only; paper sensitivity --vary; play open link; play schedule --only;
    play share --page; report twin --only; sweep --cluster
"""
"""Options and arguments whose values no list holds."""


def answer(typed: str, shell: str, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> list[str]:
    """Ask LockLab as the script of a shell does, and return the words that it offers."""
    monkeypatch.setenv("_LOCKLAB_COMPLETE", f"complete_{shell}")
    if shell == "bash":
        monkeypatch.setenv("COMP_WORDS", typed)
        monkeypatch.setenv("COMP_CWORD", str(typed.count(" ")))
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", typed)
    monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
    assert 0 == locklab.main([])
    out = capsys.readouterr().out
    if shell == "zsh":
        inner = out.strip().removeprefix("_arguments '*: :((").removesuffix("))'")
        return [line.partition('":"')[0].strip('"') for line in inner.splitlines()]
    return [line.partition("\t")[0] for line in out.split("\n") if line]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("locklab pa", ["paper"]),
        ("locklab check --mem", ["--memory"]),
        ("locklab show mac", ["machine"]),
        ("locklab nothing --x", []),
        *VALUES,
    ],
)
def test_bash_is_answered(monkeypatch, capsys, typed, expected):
    """Commands, a command's own commands, its options, and their values."""
    assert expected == answer(typed, "bash", monkeypatch, capsys)


@pytest.mark.parametrize("shell", ["zsh", "fish"])
@pytest.mark.parametrize(("typed", "expected"), VALUES[::5])
def test_other_shells_are_answered(monkeypatch, capsys, shell, typed, expected):
    """The same values, in the form of each shell."""
    assert expected == answer(typed, shell, monkeypatch, capsys)


def test_checks_are_those_of_the_lab_here(monkeypatch, capsys, tmp_path):
    """In a lab its public checks; elsewhere none, and no message in the prompt."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert [] == answer("locklab lab hint br", "bash", monkeypatch, capsys)
    monkeypatch.delenv("_LOCKLAB_COMPLETE")
    assert 0 == locklab.main(["lab", "start", str(LABS / "lab00-five-minutes"), "--dir", "mine"])
    capsys.readouterr()
    monkeypatch.chdir(tmp_path / "mine")
    assert ["break-it"] == answer("locklab lab hint br", "bash", monkeypatch, capsys)
    assert ["break-it"] == answer("locklab lab check proven br", "bash", monkeypatch, capsys)


def textual() -> Iterator[tuple[str, Any]]:
    """Every option and argument that takes a text: its command and name, and its declaration."""

    def walk(command: Any, path: str) -> Iterator[tuple[str, Any]]:
        for name, inner in getattr(command, "commands", {}).items():
            yield from walk(inner, f"{path} {name}")
        for one in command.params:
            if one.type_descriptor.annotation in (str, str | None, list[str], list[str] | None):
                yield f"{path} {one.opts[0]}", one

    for name, command in locklab.commands().items():
        yield from walk(get_command(command.load()), name)


def test_every_text_has_values_or_is_free():
    """Whoever adds an option says which values it has."""
    without = {name for name, one in textual() if one._custom_shell_complete is None}
    assert {" ".join(name.split()) for name in FREE.split(";")} == without


def test_no_command_installs_completion_for_itself():
    """A shell completes ``locklab``: ``locklab lesson --install-completion`` would do nothing."""
    commands = {name: get_command(c.load()) for name, c in locklab.commands().items()}
    offered = {n for n, c in commands.items() if any("completion" in p.name for p in c.params)}
    assert set() == offered


def test_values_that_cannot_be_had_are_none():
    """A prompt shows no traceback; values of a list are completed after the comma."""
    assert [] == among(lambda: [][0])("")
    assert ["a,b", "a,bc"] == among(["b", "bc", "c"], listed=True)("a,b")


def test_script_names_the_command(capsys, monkeypatch):
    """What bash is to read; installing adds the same to its start. No shell may have begun this."""
    monkeypatch.setattr("shellingham.detect_shell", lambda: ("bash", "/bin/bash"))
    assert 0 == locklab.main(["--show-completion", "bash"])
    assert "_LOCKLAB_COMPLETE=complete_bash" in capsys.readouterr().out


DRIVERS = {
    "bash": """
        eval "$(locklab --show-completion bash)"
        COMP_WORDS=(locklab run mc); COMP_CWORD=2
        _locklab_completion locklab; echo "${COMPREPLY[@]}"
    """,
    "fish": """
        locklab --show-completion fish | source
        complete -C 'locklab run mc'
    """,
    "zsh": """
        autoload -Uz compinit; compinit -u -d $TMPDIR/zcompdump
        eval "$(locklab --show-completion zsh)"
        _arguments() { print -r -- "$@" }
        words=(locklab run mc); CURRENT=3; _locklab_completion
    """,
}
"""Each shell reads the script and completes ``locklab run mc``."""


@pytest.mark.parametrize("shell", DRIVERS)
def test_a_real_shell_completes(shell, tmp_path):
    """The script that a shell reads, and the answer, fit together."""
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    environment = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "TMPDIR": str(tmp_path),
    }
    done = subprocess.run(
        [program, "-c", DRIVERS[shell]],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert "mcs" in done.stdout, done.stderr


def test_only_what_is_typed_is_imported():
    """The names of the other commands need none of their packages."""
    program = """
import os, sys
os.environ.update(_LOCKLAB_COMPLETE="complete_bash", COMP_WORDS="locklab pa", COMP_CWORD="1")
import locklab
locklab.main([])
print([name for name in sys.modules if name.startswith(("locksim", "lockgrader"))])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ["paper", "[]"] == done.stdout.split()
