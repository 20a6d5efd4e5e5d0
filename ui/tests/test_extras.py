"""What is said about a module that is not installed."""

import pytest

from lockui.extras import missing


@pytest.mark.parametrize(
    ("module", "install"),
    [
        ("matplotlib.figure", "'locklab[plot]'"),
        ("sqlalchemy", "'locklab[grade]'"),
        ("elftools", "'locklab[native]'"),
        ("nbformat", "'locklab[notebook]'"),
        ("distributed", "'locklab[cluster]'"),
        ("numba", "--force-reinstall locklab"),
        ("no_such_module", "--force-reinstall locklab"),
    ],
)
def test_extra_that_brings_it_is_named(module: str, install: str) -> None:
    """The first extra for users; without one, LockLab itself is incomplete."""
    top = module.partition(".")[0]
    expected = f"the Python module {top}, which is not installed\nhelp: pip install {install}"
    assert expected == missing(module)
