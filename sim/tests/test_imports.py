"""The contracts about imports hold, and each of them fails when an import breaks it."""

import copy
from pathlib import Path
from typing import Any

import grimp
import pytest
from importlinter.application.use_cases import read_user_options
from importlinter.configuration import configure
from importlinter.contracts.acyclic_siblings import AcyclicSiblingsContract
from importlinter.contracts.forbidden import ForbiddenContract
from importlinter.contracts.layers import LayersContract
from importlinter.contracts.protected import ProtectedContract

configure()
OPTIONS = read_user_options(str(Path(__file__).resolve().parents[2] / "pyproject.toml"))
SESSION = OPTIONS.session_options
CONTRACTS = {contract["id"]: contract for contract in OPTIONS.contracts_options}
TYPES = {
    "forbidden": ForbiddenContract,
    "layers": LayersContract,
    "protected": ProtectedContract,
    "acyclic_siblings": AcyclicSiblingsContract,
}


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    """All imports between our packages at run time, read once."""
    return grimp.build_graph(
        *SESSION["root_packages"],
        exclude_type_checking_imports=SESSION["exclude_type_checking_imports"] == "True",
        include_external_packages=SESSION["include_external_packages"] == "True",
        cache_dir=None,
    )


def kept(name: str, graph: grimp.ImportGraph) -> bool:
    """Whether a contract of pyproject.toml holds on a graph."""
    options: dict[str, Any] = {
        key: value for key, value in CONTRACTS[name].items() if key not in ("id", "name", "type")
    }
    contract = TYPES[CONTRACTS[name]["type"]](name, SESSION, options)
    # A check takes the ignored imports out of the graph that it is given.
    return bool(contract.check(copy.deepcopy(graph), verbose=False).kept)


@pytest.mark.parametrize("name", CONTRACTS)
def test_contract_holds(name: str, graph: grimp.ImportGraph) -> None:
    """What ``lint-imports`` says in ``make check``, said here too."""
    assert kept(name, graph)


@pytest.mark.parametrize(
    ("name", "importer", "imported"),
    [
        ("packages", "locksim.study.jobs", "lockgrader.lab"),
        ("packages", "lockui.tables", "locksim.machine"),
        ("rows", "locksim.checker.verdict", "locksim.library.locks.tas"),
        ("rows", "locksim.core.faults", "locksim.engine.meters"),
        ("rows", "locksim.engine.fast.engine", "locksim.checker.check"),
        ("core-without-numpy", "locksim.compiler.link", "numpy"),
        ("native-rows", "locknative.host.noise", "locknative.compilation.toolchain"),
        ("native-rows", "locknative.calibration.fit", "locknative.explorer.search"),
        ("commands", "locknative.host.provenance", "locksim.cli.run"),
        ("cycles", "locksim.machine.errors", "locksim.machine.catalogue"),
        ("cycles", "locksim.compiler.bytecode", "locksim.compiler.link"),
    ],
)
def test_contract_fails_when_an_import_is_added(
    name: str, importer: str, imported: str, graph: grimp.ImportGraph
) -> None:
    """One import in the wrong direction breaks the contract that speaks of it."""
    graph.add_import(importer=importer, imported=imported)
    try:
        assert not kept(name, graph)
    finally:
        graph.remove_import(importer=importer, imported=imported)
