"""``locklab native list``: the kernels that this build has.

``--json`` prints ``[{"name", "kind", "loops", "read"}]``.
"""

from __future__ import annotations

from locknative.cli.options import Json
from lockui import tables
from lockui.console import console
from lockui.document import print_json


def list_kernels(
    as_json: Json = False,
) -> None:
    """List the locks, data structures, probes and workloads of this build."""
    from locknative.compilation.executable import kernels

    found = kernels()
    if as_json:
        print_json(
            [
                {
                    "name": kernel.name,
                    "kind": kernel.kind,
                    "loops": list(kernel.loops),
                    "read": kernel.has_read,
                }
                for kernel in found
            ]
        )
        return
    table = tables.table()
    for column in ("kernel", "kind", "loops", "read side"):
        tables.add(table, column)
    for kernel in found:
        table.add_row(
            kernel.name, kernel.kind, ", ".join(kernel.loops), "yes" if kernel.has_read else ""
        )
    tables.print_table(console(), table)
