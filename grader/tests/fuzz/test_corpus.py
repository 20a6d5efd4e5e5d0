"""What fuzzing has found worth keeping, read once more: refused or accepted, and nothing else."""

import sys
from pathlib import Path

import pytest

FUZZ = Path(__file__).resolve().parents[2] / "fuzz"
sys.path.insert(0, str(FUZZ))
try:
    import corpus
    import mutate
    import targets
finally:
    sys.path.remove(str(FUZZ))


@pytest.mark.parametrize("name", targets.TARGETS)
def test_kept_inputs_are_read_or_refused(name: str) -> None:
    """None of them is a finding; there are some of both kinds."""
    accepted = [targets.TARGETS[name].read(data) for data in corpus.read(name)]
    assert {True, False} == set(accepted)


@pytest.mark.parametrize("name", targets.TARGETS)
def test_honest_inputs_are_accepted(name: str) -> None:
    """A target that refuses everything would find nothing; of the zips two are packed oddly."""
    accepted = [targets.TARGETS[name].read(data) for data in targets.TARGETS[name].seeds()]
    assert {"archive": 2}.get(name, len(accepted)) == sum(accepted) > 0


def test_corpus_is_small_and_text() -> None:
    """Below 200 KB in all, without a byte that is no ASCII; reading and writing agree."""
    files = list(corpus.FOLDER.iterdir())
    assert {f"{name}.txt" for name in targets.TARGETS} == {path.name for path in files}
    assert sum(path.stat().st_size for path in files) < 200_000
    assert all(path.read_bytes().isascii() for path in files)


def test_corpus_keeps_findings_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any bytes come back as they were; what is too much is left out, a finding never."""
    monkeypatch.setattr(corpus, "FOLDER", tmp_path)
    finding, short, long = b"\xff\x00\n" * 2_000, b"\r\n", b"x" * corpus.MAX_BYTES
    assert 2 == corpus.write("any", [long, short], findings=[finding])
    assert [short, finding] == corpus.read("any")


@pytest.mark.parametrize("name", ["bytecode", "result"])
def test_mutations_are_repeatable(name: str) -> None:
    """The same seed makes the same change, within the size; different ones differ."""
    data = targets.TARGETS[name].seeds()[0]

    def mutated(seed: int) -> bytes:
        return mutate.mutate_json(data, 12_000, seed, lambda raw, most: raw[:most])

    assert [mutated(seed) for seed in range(50)] == [mutated(seed) for seed in range(50)]
    assert 25 < len({mutated(seed) for seed in range(50)})
    assert all(len(mutated(seed)) <= 12_000 for seed in range(50))
