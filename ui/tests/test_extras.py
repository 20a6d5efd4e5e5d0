"""What is said about a module that is not installed."""

import pytest

from lockui.extras import missing


@pytest.mark.parametrize(
    ("module", "install"),
    [
        ("matplotlib.figure", "pip install 'locklab[plot]'"),
        ("sqlalchemy", "pip install 'locklab[grade]'"),
        ("elftools", "pip install 'locklab[native]'"),
        ("nbformat", "pip install 'locklab[notebook]'"),
        ("distributed", "pip install 'locklab[cluster]'"),
        ("numba", "make setup"),
        ("no_such_module", "make setup"),
    ],
)
def test_extra_that_brings_it_is_named(module: str, install: str) -> None:
    """The first extra for users; without one, LockLab itself is incomplete."""
    top = module.partition(".")[0]
    expected = f"the Python module {top}, which is not installed\nhelp: {install}"
    assert expected == missing(module)
