"""lockdata: published measurements of kernel locks, as printed and as corrected.

Five documents from 2001 to 2013, with every table and every cell, and three curves of current
machines. Each cell has its place in the
source, and a reason if its corrected value differs from the printed one.

>>> import lockdata
>>> lockdata.describe("kaigai-2004/rcutest").cells
56
"""

from lockdata.errors import DatasetError, Error
from lockdata.frames import Reading, describe, list_tables, load, pivot, records
from lockdata.info import Correction, Key, SourceInfo, TableInfo
from lockdata.printed import interval, number

__all__ = [
    "Correction",
    "DatasetError",
    "Error",
    "Key",
    "Reading",
    "SourceInfo",
    "TableInfo",
    "describe",
    "interval",
    "list_tables",
    "load",
    "number",
    "pivot",
    "records",
]
