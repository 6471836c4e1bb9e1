"""The user's own tables: CSV, workbooks, Parquet and NPY files as named columns, with the time of
the rows and the missing values.
"""

from .clock import Clock
from .read import read_table
from .sheet import FileError
from .table import Hints, Table, TimeSeries

__all__ = ["Clock", "FileError", "Hints", "Table", "TimeSeries", "read_table"]
