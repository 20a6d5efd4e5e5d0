"""tools/slides.py: each lab has a slide, and a slide says what its plot shows."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from lockgrader.lab import Measure
from locklabs import names


@pytest.fixture(scope="module")
def slides() -> ModuleType:
    """The script; tools/ is not a package."""
    path = Path(__file__).parents[2] / "tools" / "slides.py"
    spec = importlib.util.spec_from_file_location("slides", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_lab_has_a_slide(slides: ModuleType) -> None:
    """One each, with a question and what the plot says; its measures are valid."""
    described = {one["lab"]: one for one in slides.described()}
    assert set() == {name.partition("-")[0] for name in names()} - described.keys()
    for one in described.values():
        assert one["asks"].endswith("?")
        assert one["says"]
        for line in one.get("lines", {}).values():
            assert Measure.model_validate({**line, "cpus": one["cpus"][0]}).cpus


def test_a_slide_has_words_for_its_plot(slides: ModuleType) -> None:
    """The published table of lab 08, as SVG and in words."""
    (one,) = [one for one in slides.described() if one["lab"] == "lab08"]
    slide, figure = slides.drawn(one)
    assert slide.svg.startswith("<svg")
    assert "selinux: 1.93 at null I/O" in slide.alt
    assert one["asks"] in [text.get_text() for text in figure.texts]
    slides.plt.close(figure)


@pytest.mark.slow
def test_all_slides_are_made(
    slides: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page and a PDF."""
    monkeypatch.setattr("sys.argv", ["slides.py", "--out", str(tmp_path)])
    assert 0 == slides.main()
    assert (tmp_path / "slides.pdf").read_bytes().startswith(b"%PDF")
    page = (tmp_path / "slides.html").read_text()
    assert len(names()) == page.count("<section")
