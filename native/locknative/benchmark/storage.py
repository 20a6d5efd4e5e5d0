"""Write measurements to files and read them again, as JSON or as Parquet.

Both hold everything, every trial with its raw counts. JSON is the measurement as it is. Parquet has
one row for each trial, the cell's columns first, for pandas and other tools; the rest of the
measurement is in the file's metadata under ``locklab``.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from locknative.benchmark.measurement import Measurement, Trial
from locknative.errors import NativeError
from lockui.extras import demand
from lockui.formats import other_format

if TYPE_CHECKING:
    import pyarrow as pa

FORMATS = (".json", ".parquet")
_KEY = b"locklab"


def check_path(file: Path) -> None:
    """Check, before a measurement begins, that its result can be written there.

    Raises:
        NativeError: another format, or no such folder.
        UsageError: the format's module is not installed.
    """
    if file.suffix not in FORMATS:
        raise NativeError(f"{file}: the name must end in {' or '.join(FORMATS)}")
    if not file.parent.is_dir():
        raise NativeError(f"{file}: there is no folder {file.parent}; make it first")
    if file.suffix == ".parquet":
        demand(str(file), "pyarrow", package=__package__)


def save(measurement: Measurement, file: Path) -> None:
    """Write a measurement; the file's suffix, ``.json`` or ``.parquet``, is the format.

    Raises:
        NativeError: another suffix, or the file cannot be written.
    """
    check_path(file)
    try:
        if file.suffix == ".json":
            file.write_text(measurement.model_dump_json() + "\n")
        else:
            import pyarrow.parquet as pq

            pq.write_table(_table(measurement), file, compression="zstd")
    except OSError as error:
        raise NativeError(f"{file} cannot be written: {error.strerror or error}") from error


def load(file: Path) -> Measurement:
    """Read a measurement that :func:`save` wrote.

    Raises:
        NativeError: there is no such file, or it holds something else.
    """
    if file.suffix not in FORMATS:
        raise NativeError(f"{file}: the name must end in {' or '.join(FORMATS)}")
    try:
        if file.suffix == ".json":
            return _measurement(file, file.read_bytes())
        table = _read(file)
        head = (table.schema.metadata or {}).get(_KEY)
        if head is None:
            raise NativeError(f"{file} is not a LockLab measurement: it has no 'locklab' metadata")
        made = _measurement(file, head)
        trials = [Trial.model_validate_json(text) for text in table["trial"].to_pylist()]
        return made.model_copy(update={"trials": tuple(trials)})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise NativeError(
            f"{file} is not a valid LockLab measurement: {where}: {first['msg']}"
        ) from error
    except OSError as error:
        raise NativeError(f"{file} cannot be read: {error.strerror or error}") from error


def _measurement(file: Path, text: bytes) -> Measurement:
    if other := other_format(text, Measurement.model_fields["format"].default):
        raise NativeError(f"{file}: {other}\nhelp: read it with the version that wrote it")
    return Measurement.model_validate_json(text)


def _read(file: Path) -> pa.Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.read_table(file)
    except pa.ArrowInvalid as error:
        raise NativeError(f"{file} is not a Parquet file: {error}") from error


def _table(measurement: Measurement) -> pa.Table:
    """Return one row for each trial: the cell, the values, and the trial itself as JSON."""
    import pyarrow as pa

    rows = []
    for trial in measurement.trials:
        cell = measurement.cells[trial.cell]
        rows.append(
            {
                **cell.model_dump(),
                "number": trial.number,
                "seed": trial.seed,
                "began": trial.began,
                "accepted": not trial.rejected,
                "rejected": "; ".join(trial.rejected),
                "ns_per_operation": trial.ns_per_operation,
                "per_second": trial.per_second,
                "counts": trial.counts,
                "wall_ns": [tally.wall_ns for tally in trial.tallies],
                "cpu_ns": [tally.cpu_ns for tally in trial.tallies],
                "contended": [tally.contended for tally in trial.tallies],
                "trial": trial.model_dump_json(),
            }
        )
    head = measurement.model_copy(update={"trials": ()}).model_dump_json()
    table = pa.Table.from_pylist(rows)
    return table.replace_schema_metadata({_KEY: head.encode()})
