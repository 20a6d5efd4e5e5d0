"""The runs of sweeps on disk: a folder of Parquet files, which only grows.

Every file is written under a hidden name and then renamed, so that a reader, or a kill, never sees
half of one. One process writes at a time: it holds the file ``.writer``. A run is in one file, and
once only, since the writer looks for it before it asks for it. So any tool that reads a folder of
Parquet files can read the dataset, also while a sweep goes on.

The order of the rows in the files is that in which runs were finished; :meth:`Dataset.read` sorts
them by their factors and seed. So datasets with the same runs read the same.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from locksim.study.sweep.design import FACTORS
from locksim.study.sweep.runs import MEASURES
from lockui.portable import exclusive

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

__all__ = ["Dataset", "DatasetError"]

KEY = ("point", "seed")
DIGESTS = ("program", "machine_digest", "engine")


class DatasetError(Exception):
    """A dataset cannot be used; the message says why, and what to do."""

    exit_code = 2


class Dataset:
    """A dataset in a folder, which may be new.

    Arguments:
        folder: its place.
        costs: the machine's costs that its points name, each a column.

    Raises:
        DatasetError: the folder holds other files, or a dataset without these columns.
    """

    def __init__(self, folder: Path, costs: Sequence[str] = ()) -> None:
        self.folder = folder
        self.schema = self._found() or _schema(costs)
        missing = [name for name in costs if name not in self.schema.names]
        if missing:
            raise DatasetError(
                f"{folder} has no column {missing[0]}: its sweeps did not vary that\n"
                "help: name another folder for this sweep"
            )

    def _found(self) -> pa.Schema | None:
        """The columns of the first file, if there is one."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        files = self._files()
        if not files:
            return None
        with suppress(pa.ArrowInvalid, OSError):
            schema = pq.read_schema(files[0])
            lacking = [n for n in (*KEY, *FACTORS, *DIGESTS, *MEASURES) if n not in schema.names]
            if not lacking:
                return schema.remove_metadata()
            if lacking[0] in MEASURES:
                raise DatasetError(
                    f"{self.folder} was made by an earlier version of LockLab, without the column "
                    f"{lacking[0]}\nhelp: name a new folder; this version makes every run anew"
                )
        raise DatasetError(
            f"{self.folder} contains Parquet files that no sweep wrote\nhelp: name a new folder"
        )

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Be the only writer.

        Raises:
            DatasetError: another process writes, or the folder cannot be written.
        """
        with ExitStack() as stack:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                lock = stack.enter_context((self.folder / ".writer").open("ab"))
            except OSError as error:
                raise DatasetError(
                    f"{self.folder} cannot be written ({error.strerror}); name another folder"
                ) from error
            try:
                exclusive(lock, wait=False)
            except BlockingIOError as error:
                raise DatasetError(
                    f"{self.folder}: another sweep writes to it; wait for its end, or name another "
                    "folder"
                ) from error
            except OSError:  # the file system has no locks
                pass
            for left in self.folder.glob(".part-*"):  # of a writer that was killed
                left.unlink()
            yield

    def append(self, rows: Iterable[dict[str, Any]]) -> None:
        """Add rows, all or none. Only inside :meth:`writing`.

        Raises:
            DatasetError: the file cannot be written.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        table = pa.Table.from_pylist(list(rows), self.schema)
        files = self._files()
        number = int(files[-1].stem.rpartition("-")[2]) + 1 if files else 1
        path = self.folder / f"part-{number:08}.parquet"
        hidden = path.with_name(f".{path.name}")
        try:
            pq.write_table(table, hidden)
            with hidden.open("rb") as file:
                os.fsync(file.fileno())
            os.replace(hidden, path)
        except OSError as error:
            raise DatasetError(
                f"{path} cannot be written ({error.strerror or error}); finished runs are kept: "
                "make room, and start the same sweep again"
            ) from error

    def values(self, column: str) -> dict[str, dict[int, float]]:
        """A column's values: point → seed → value. Runs that failed have NaN."""
        found: dict[str, dict[int, float]] = {}
        for path in self._files():
            table = self._table([path], [*KEY, column])
            kept = (table[name].to_pylist() for name in (*KEY, column))
            for point, seed, value in zip(*kept, strict=True):
                found.setdefault(point, {})[seed] = float("nan") if value is None else value
        return found

    def read(self, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """The runs in the order of their factors and seeds.

        Arguments:
            columns: which; all by default.
        """
        order = [name for name in self.schema.names if name not in (*KEY, *MEASURES, *DIGESTS)]
        by = [*order, "point", "seed"]
        wanted = self.schema.names if columns is None else list(columns)
        table = self._table(self._files(), list(dict.fromkeys([*wanted, *by])))
        ordered = table.sort_by([(name, "ascending") for name in by])
        frame: pd.DataFrame = ordered.select(wanted).to_pandas()
        return frame

    def _files(self) -> list[Path]:
        return sorted(self.folder.glob("part-*.parquet"))

    def _table(self, files: Sequence[Path], columns: list[str]) -> pa.Table:
        import pyarrow as pa
        import pyarrow.parquet as pq

        if not files:
            return self.schema.empty_table().select(columns)
        try:
            return pa.concat_tables([pq.read_table(path, columns=columns) for path in files])
        except (pa.ArrowInvalid, KeyError) as error:
            raise DatasetError(
                f"{self.folder}: a file is damaged ({error})\nhelp: remove that file; its runs are "
                "made again"
            ) from error


def _schema(costs: Sequence[str]) -> pa.Schema:
    """The columns of a new dataset."""
    import pyarrow as pa

    kinds = {int: pa.int64(), float: pa.float64(), str: pa.string()}
    columns = {"point": str, "seed": int}
    columns |= {name: type(default) for name, default in FACTORS.items()}
    columns |= dict.fromkeys(costs, float)
    columns |= MEASURES | dict.fromkeys(DIGESTS, str)
    return pa.schema([(name, kinds[kind]) for name, kind in columns.items()])
