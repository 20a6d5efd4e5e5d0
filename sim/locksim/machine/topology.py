"""The shape of a machine: nodes, cores, hardware threads, and how far apart two nodes are.

A *node* is whatever has memory or a bus of its own: a NUMA node, a socket, a front-side bus. How
far two CPUs are apart is a small integer, the distance class (:mod:`locksim.machine.costs`).
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictInt, model_validator

from locksim.machine.costs import SAME_NODE
from locksim.machine.errors import Refusal
from locksim.machine.quantities import Text

MAX_CPUS = 1024
"""The largest machine that the engines are built and tested for."""

Place = tuple[int, int, int]
"""Where a CPU sits: (node, core within the node, hardware thread within the core)."""


class Topology(BaseModel):
    """The ``[topology]`` table of a profile.

    ``interleave_bytes`` is the size of the pages that lie on the nodes round robin.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    nodes: Annotated[int, Field(ge=1)]
    cores_per_node: Annotated[int, Field(ge=1)]
    threads_per_core: Annotated[int, Field(ge=1, le=8)] = 1
    line_bytes: Annotated[int, Field(ge=16, le=4096)]
    clock_ghz: Annotated[float, Field(gt=0, le=100, allow_inf_nan=False)] | None = None
    node_classes: Annotated[tuple[Text, ...], Field(strict=False, min_length=1, max_length=16)]
    distance: Literal["uniform", "halves", "matrix"]
    node_distance: (
        Annotated[
            tuple[Annotated[tuple[StrictInt, ...], Field(strict=False)], ...], Field(strict=False)
        ]
        | None
    ) = None
    cpu_order: Literal["compact", "scatter"] = "compact"
    interleave_bytes: Annotated[int, Field(ge=16)] | None = None

    @property
    def n_cpus(self) -> int:
        """How many hardware threads the machine has."""
        return self.nodes * self.cores_per_node * self.threads_per_core

    @property
    def n_classes(self) -> int:
        """How many distance classes there are, same CPU and same core included."""
        return SAME_NODE + len(self.node_classes)

    def order(self, order: Literal["compact", "scatter"]) -> list[Place]:
        """Return every CPU's place in an order of filling.

        ``compact`` fills node after node, ``scatter`` goes round the nodes. Both use every core
        once before any core's second hardware thread.
        """
        if order == "compact":
            cores = [(n, c) for n in range(self.nodes) for c in range(self.cores_per_node)]
        else:
            cores = [(n, c) for c in range(self.cores_per_node) for n in range(self.nodes)]
        return [(node, core, t) for t in range(self.threads_per_core) for node, core in cores]

    def node_class(self, a: int, b: int) -> int:
        """Return the index into ``node_classes`` of the distance between nodes ``a`` and ``b``."""
        if a == b:
            return 0
        if self.distance == "uniform":
            return 1
        if self.distance == "halves":
            half = self.nodes // 2
            return 1 if (a < half) == (b < half) else 2
        assert self.node_distance is not None
        return self.node_distance[a][b]

    @model_validator(mode="after")
    def _sound(self) -> Topology:
        if self.n_cpus > MAX_CPUS:
            raise Refusal("nodes", f"{self.n_cpus} CPUs in all; at most {MAX_CPUS} are supported")
        if self.line_bytes & (self.line_bytes - 1):
            raise Refusal(
                "line_bytes", f"{self.line_bytes} is not a power of two; write 32, 64 or 128"
            )
        if self.interleave_bytes and (
            self.nodes == 1
            or self.interleave_bytes < self.line_bytes
            or self.interleave_bytes & (self.interleave_bytes - 1)
        ):
            raise Refusal(
                "interleave_bytes",
                f"{self.interleave_bytes} on {self.nodes} nodes; it must be a power of two, not "
                "less than line_bytes, and needs two nodes; "
                "write 4096 (a page of x86), or remove it",
            )
        self._check_classes()
        if self.distance == "matrix":
            self._check_matrix()
        elif self.node_distance is not None:
            raise Refusal(
                "node_distance", f"given, but distance = '{self.distance}'; set it to 'matrix'"
            )
        return self

    def _check_classes(self) -> None:
        names = self.node_classes
        if names[0] != "node":
            raise Refusal("node_classes", f"begins with '{names[0]}'; the first must be 'node'")
        if len(set(names)) != len(names) or "core" in names:
            raise Refusal(
                "node_classes",
                "names a class twice or uses 'core'; give each further distance its own name",
            )
        if self.distance == "halves" and (self.nodes < 4 or self.nodes % 2):
            raise Refusal(
                "distance", f"'halves' with {self.nodes} nodes; it needs an even number from 4 up"
            )
        needed = {"uniform": min(self.nodes, 2), "halves": 3}.get(self.distance)
        if needed is not None and len(names) != needed:
            raise Refusal(
                "node_classes",
                f"{len(names)} names; distance = '{self.distance}' with {self.nodes} nodes "
                f"has {needed}",
            )

    def _check_matrix(self) -> None:
        matrix = self.node_distance
        if matrix is None:
            raise Refusal("node_distance", "missing; distance = 'matrix' needs it (nodes x nodes)")
        if len(matrix) != self.nodes:
            raise Refusal(
                "node_distance",
                f"{len(matrix)} rows for {self.nodes} nodes; give one row for each node",
            )
        for i, row in enumerate(matrix):
            if len(row) != self.nodes:
                raise Refusal(
                    "node_distance",
                    f"row {i} has {len(row)} entries for {self.nodes} nodes; make it square",
                )
        last = len(self.node_classes) - 1
        for i, row in enumerate(matrix):
            for j, entry in enumerate(row):
                where = f"node_distance[{i}][{j}]"
                if i == j and entry != 0:
                    raise Refusal(
                        where, f"{entry} on the diagonal; write 0, a node's distance from itself"
                    )
                if i != j and not 1 <= entry <= last:
                    raise Refusal(
                        where, f"{entry} is not a distance class; write a number from 1 to {last}"
                    )
                if entry != matrix[j][i]:
                    raise Refusal(
                        where,
                        f"{entry}, but [{j}][{i}] is {matrix[j][i]}; make the matrix symmetric",
                    )
        used = {entry for row in matrix for entry in row}
        for index, name in enumerate(self.node_classes):
            if index not in used:
                raise Refusal(
                    "node_classes", f"'{name}' occurs nowhere in node_distance; remove it"
                )
