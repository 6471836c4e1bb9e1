"""Tables of people's own: CSV, Parquet and NPY files read into named columns, their time
recognised, their holes found.
"""

from .clock import Clock
from .read import FileError, read_table
from .table import Series, Table

__all__ = ["Clock", "FileError", "Series", "Table", "read_table"]
