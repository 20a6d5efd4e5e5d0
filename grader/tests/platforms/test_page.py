"""The page on course platforms works as printed, and what it does not print is refused."""

import ast
import re
import shlex
import sys
import zipfile
from pathlib import Path
from types import ModuleType
from unittest.mock import Mock

import pytest
from typed import typed

from lockgrader.platforms.package import own_files

PAGE = (Path(__file__).parents[3] / "docs/teach/instructors.md").read_text()
COMMANDS = sorted(
    set(re.findall(r"^locklab grade (bundle (?!PLATFORM).*?)\s*(?:#.*)?$", PAGE, re.M))
)


@pytest.mark.parametrize("command", COMMANDS)
def test_each_bundle_of_the_page_is_made(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the options that the page prints."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "course.key").write_text("a key of sixteen bytes or more")
    done = typed("grade", *shlex.split(command))
    assert 0 == done.exit_code, done.output
    (made,) = tmp_path.glob("*.zip")
    with zipfile.ZipFile(made) as archive:
        assert any(
            "lab02-spinlocks" in name or "lab/lab.toml" in name for name in archive.namelist()
        )


def test_the_page_has_a_command_for_each_platform() -> None:
    """The test above would pass on none."""
    platforms = {command.split()[1] for command in COMMANDS}
    assert {"gradescope", "prairielearn", "nbgrader", "actions"} == platforms


@pytest.mark.parametrize(
    ("image", "help_"),
    [
        ("YOU/locklab-grader", "write you/locklab-grader,"),
        ("", "write you/locklab-grader,"),
        ("two words", "write you/locklab-grader,"),
        ("a//b", "write you/locklab-grader,"),
        (
            "Registry.example.org:5000/Ada/grader:V1",
            "write registry.example.org:5000/ada/grader:v1,",
        ),
    ],
)
def test_a_name_that_docker_refuses_is_refused(image: str, help_: str, tmp_path: Path) -> None:
    """One sentence, what to write, exit code 2, and no file."""
    out = tmp_path / "q.zip"
    asked = ["bundle", "prairielearn", "lab02", "--name", image, "-o", str(out)]
    done = typed("grade", *asked)
    said = " ".join(done.output.split())
    assert (2, False) == (done.exit_code, out.exists())
    assert f"--name: '{image}' is not a name that Docker accepts" in said
    assert help_ in said


def test_nbgrader_s_lines_are_those_of_the_bundle(monkeypatch: pytest.MonkeyPatch) -> None:
    """A course adds what the file has; with the last line, too, every name is defined."""
    (lines,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.M | re.S)
    ours = own_files("nbgrader")["nbgrader_config.py"].decode()
    assert ast.dump(ast.parse(lines)) == ast.dump(ast.Module(ast.parse(ours).body[1:], []))
    module, given, config = ModuleType("locklab_nbgrader"), [], Mock()
    vars(module)["configure"] = given.append
    monkeypatch.setitem(sys.modules, "locklab_nbgrader", module)
    monkeypatch.setattr(sys, "path", [*sys.path])
    exec(ours.replace("# c.LockLab", "c.LockLab"), {"get_config": lambda: config})
    assert [config] == given
    assert "/opt/locklab/bin/locklab" == config.LockLab.command
