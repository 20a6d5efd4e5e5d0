"""Control groups of version 2, in a made-up tree: where they may be made, and what they bound.

The machines of the continuous integration have version 1, so no kernel takes part here.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from lockgrader.sandbox import Job, Limits, available, cgroup, run
from lockgrader.sandbox.run import interpreter

needs_sandbox = pytest.mark.skipif(bool(available()), reason=f"no sandbox: {available()}")


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Path, Path]]:
    """A mount with the group ``app.slice/mine.scope`` of this process, and the file that names it.

    Root is never given a folder, so the tests are another user.
    """
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    folder = tmp_path / "cgroup" / "app.slice"
    (folder / "mine.scope").mkdir(parents=True)
    (folder / "cgroup.procs").write_text("")
    (folder / "cgroup.subtree_control").write_text("cpu memory pids\n")
    os.chown(folder, 1000, 1000) if os.getuid() == 0 else None
    about = os.stat(folder)
    if about.st_uid != 1000:
        monkeypatch.setattr(os, "geteuid", lambda: about.st_uid or 1)
    ours = tmp_path / "self"
    ours.write_text("1:name=systemd:/x\n0::/app.slice/mine.scope\n")
    yield tmp_path / "cgroup", ours
    cgroup.place.cache_clear()


def test_a_delegated_folder_is_found(tree: tuple[Path, Path]) -> None:
    """The one that holds our own group."""
    assert tree[0] / "app.slice" == cgroup.place(*tree)


@pytest.mark.parametrize(
    "change",
    [
        "root",
        "version 1",
        "top",
        "without controllers",
        "of another user",
        "gone",
    ],
)
def test_no_folder_of_ours(
    tree: tuple[Path, Path], change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then the watch alone bounds a job."""
    mount, ours = tree
    match change:
        case "root":
            monkeypatch.setattr(os, "geteuid", lambda: 0)
        case "version 1":
            ours.write_text("4:memory:/x\n3:pids:/x\n")
        case "top":
            ours.write_text("0::/\n")
        case "without controllers":
            (mount / "app.slice" / "cgroup.subtree_control").write_text("cpu memory\n")
        case "of another user":
            monkeypatch.setattr(os, "geteuid", lambda: 4242)
        case "gone":
            ours.unlink()
    assert cgroup.place(mount, ours) is None


def test_the_limits_of_a_group(tmp_path: Path) -> None:
    """Memory with files in /tmp, no swap, processes; all members end together."""
    limits = Limits(memory_bytes=100 << 20, tmp_bytes=1 << 20, processes=3)
    with cgroup.group(limits, tmp_path) as made:
        assert made is not None
        values = {path.name: path.read_text() for path in made.folder.iterdir()}
        assert {
            "memory.max": str(101 << 20),
            "memory.swap.max": "0",
            "memory.oom.group": "1",
            "pids.max": "7",
        } == values
        made.join()
        assert "0" == (made.folder / "cgroup.procs").read_text()
        assert not made.out_of_memory()
        (made.folder / "memory.events").write_text("low 0\noom 1\noom_kill 1\n")
        assert made.out_of_memory()
        for path in made.folder.iterdir():  # the files of a real group go with it
            path.unlink()
        made.folder.rmdir()
        made.folder.mkdir()
    assert [] == list(tmp_path.iterdir())


def test_without_a_place_there_is_no_group() -> None:
    """And no file is written."""
    with cgroup.group(Limits(), None) as made:
        assert made is None


@needs_sandbox
def test_a_job_joins_its_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before it starts; and what the kernel has ended there was out of memory."""
    monkeypatch.setattr(cgroup, "place", lambda: tmp_path)
    monkeypatch.setattr(cgroup, "PATIENCE_S", 0.0)  # a made-up group cannot be removed
    job = Job((interpreter(), "-I", "-S", "-c", "print(7)"))
    assert ("exited", b"7\n") == (run(job).ended, run(job).stdout)
    groups = sorted(tmp_path.iterdir())
    assert ["0", "0"] == [(one / "cgroup.procs").read_text() for one in groups]
    monkeypatch.setattr(cgroup.Group, "out_of_memory", lambda _: True)
    assert "out_of_memory" == run(job).ended


@needs_sandbox
def test_files_are_counted() -> None:
    """Empty files take no room in /tmp and a KiB each in the kernel."""
    text = (
        "import os,time\nfor i in range(3000): open(f'{os.environ[\"TMPDIR\"]}/{i}', 'w').close()"
    )
    argv = (interpreter(), "-I", "-S", "-c", f"{text}\ntime.sleep(60)")
    assert "output_limit" == run(Job(argv, limits=Limits(tmp_files=1000, wall_s=30))).ended
