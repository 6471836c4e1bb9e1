"""The user's own tables: CSV, Parquet and NPY files as named columns, with the time of the rows and
the missing values.
"""

from .clock import Clock
from .read import read_table
from .sheet import FileError
from .table import Table, TimeSeries

__all__ = ["Clock", "FileError", "Table", "TimeSeries", "read_table"]
