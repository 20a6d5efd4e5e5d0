"""What is said about a module that is not installed."""

import pytest

from lockui.errors import UsageError
from lockui.extras import demand, missing


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


@pytest.mark.parametrize(
    ("package", "extra"), [("", "plot"), ("locknative.cli", "native"), ("locksim.cli", "plot")]
)
def test_a_packages_own_extra_comes_first(package: str, extra: str) -> None:
    """Plots and measurements both bring SciPy."""
    assert missing("scipy", package).endswith(f"help: pip install 'locklab[{extra}]'")


def test_what_a_run_needs_in_the_end_is_asked_for_before() -> None:
    """With the option that needs it."""
    demand("--output curve.csv", "pandas")
    with pytest.raises(
        UsageError, match=r"^--output curve\.abc needs the Python module no_such_one"
    ):
        demand("--output curve.abc", "pandas", "no_such_one")
