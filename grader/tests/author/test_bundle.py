"""What students receive: all that they need, nothing that they must not see, the same bytes."""

import io
import json
import shutil
import zipfile
from pathlib import Path

import pytest
from tiny_lab import TAS, WHOLE, make_whole

from lockgrader.author.bundle import BundleError, bundles, public_files, read
from lockgrader.lab import load

KEY = b"a key of sixteen bytes or more"
PUBLIC = ["handout.md", "lab.toml", "starter/answers.json", "starter/tas.py"]


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """The small lab's folder, in a path with spaces."""
    return make_whole(tmp_path / "my labs" / "lab99-tiny")


def test_bundle_holds_what_students_get(lab: Path) -> None:
    """Starter, handout, public checks; no hidden ones, no solution, no rubric."""
    made = bundles(lab, [], KEY)[0]
    with zipfile.ZipFile(io.BytesIO(made.data)) as archive:
        names = archive.namelist()
        text = b"".join(archive.read(name) for name in names)
    assert [f"lab99-tiny/{name}" for name in PUBLIC] == names
    assert b"again-and-again" not in text


def test_same_files_same_bytes(lab: Path, tmp_path: Path) -> None:
    """Times, order and rights of the files change nothing."""
    first = bundles(lab, [], KEY)[0].data
    copy = make_whole(tmp_path / "lab99-tiny")
    (copy / "handout.md").chmod(0o600)
    assert first == bundles(copy, [], KEY)[0].data


def test_student_gets_values_of_their_own(lab: Path, tmp_path: Path) -> None:
    """A bundle made with the course's key says whose it is, and needs no key to be used."""
    made = bundles(lab, ["ada", "bob", "eve", "joe", "kim"], KEY)
    drawn = set()
    for one in made:
        path = tmp_path / f"{one.student}.zip"
        path.write_bytes(one.data)
        own = read(path).own
        assert own is not None
        assert one.student == own.student
        drawn.add(json.dumps(own.variant))
    assert 2 == len(drawn)


def test_bundle_reads_as_its_folder(lab: Path, tmp_path: Path) -> None:
    """The lab's folder, its bundle, and the bundle unpacked give the same files."""
    path = tmp_path / "lab99.zip"
    path.write_bytes(bundles(lab, ["ada"], KEY)[0].data)
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path / "unpacked")
    unpacked = read(tmp_path / "unpacked" / "lab99-tiny")
    assert public_files(lab) == read(path).files == unpacked.files
    assert read(path).own == unpacked.own


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("handout.md", "Beware of again-and-again.\n"),
        ("lab.toml", WHOLE + "# Right, twice is hidden\n"),
        ("starter/notes.txt", "see (again-and-again)"),
        ("starter/tas.py", TAS),
    ],
)
def test_leak_is_refused(lab: Path, file: str, text: str) -> None:
    """A hidden check's name or title, or a file of the solution, in what students would get."""
    (lab / file).write_text(text)
    with pytest.raises(BundleError, match=r"hidden|solution"):
        public_files(lab)


def test_beliefs_of_hidden_checks_stay(lab: Path) -> None:
    """A belief that no public check names is refused; in ``hidden/`` it is in no bundle."""
    shown, kept = "[shown]\nbelief = 'a'\ntruth = 'b'\n", "[kept]\nbelief = 'c'\ntruth = 'd'\n"
    (lab / "lab.toml").write_text(WHOLE.replace('"two steps are one"', '"shown"'))
    (lab / "misconceptions.toml").write_text(shown + kept)
    with pytest.raises(BundleError, match=r"names: kept\nhelp: move them to hidden"):
        public_files(lab)
    (lab / "misconceptions.toml").write_text(shown)
    (lab / "hidden/misconceptions.toml").write_text(kept)
    assert {"shown", "kept"} == set(load(lab).misconceptions)
    assert shown.encode() == public_files(lab)["misconceptions.toml"]


def test_longer_word_is_no_leak(lab: Path) -> None:
    """A name inside another word is not that name."""
    (lab / "handout.md").write_text("again-and-again-and-again\n")
    assert PUBLIC == sorted(public_files(lab))


def test_handout_brings_the_glossary(tmp_path: Path) -> None:
    """What a handout links to lies beside it in a bundle, and the link leads there."""
    lab = make_whole(tmp_path / "labs" / "lab99-tiny")
    (lab / "handout.md").write_text("A [miss](../../docs/start/glossary.md#miss).\n")
    files = public_files(lab)
    assert ["glossary.md", *PUBLIC] == sorted(files)
    assert b"A [miss](glossary.md#miss).\n" == files["handout.md"]
    path = tmp_path / "lab99.zip"
    path.write_bytes(bundles(lab, [], KEY)[0].data)
    assert files == read(path).files


def test_incomplete_lab_is_refused(lab: Path) -> None:
    """Without a handout, without a starter, with a link in it."""
    (lab / "starter" / "link.py").symlink_to(lab / "solution" / "tas.py")
    with pytest.raises(BundleError, match="not a regular file"):
        public_files(lab)
    shutil.rmtree(lab / "starter")
    with pytest.raises(BundleError, match="no file to start from"):
        public_files(lab)
    (lab / "handout.md").unlink()
    with pytest.raises(BundleError, match=r"no handout\.md"):
        public_files(lab)


@pytest.mark.parametrize("name", ["../x", "a/../../x", "a//x", "a\\b"])
def test_path_that_leads_out_is_refused(tmp_path: Path, name: str) -> None:
    """A bundle is unpacked into a folder, and nowhere else."""
    path = tmp_path / "lab.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(name, "x")
    with pytest.raises(BundleError, match="outside its own folder"):
        read(path)


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 no zip", bytes(100)])
def test_no_zip_is_refused(tmp_path: Path, data: bytes) -> None:
    """Anything that is not an archive gives one message."""
    path = tmp_path / "lab.zip"
    path.write_bytes(data)
    with pytest.raises(BundleError, match="not a readable zip"):
        read(path)
