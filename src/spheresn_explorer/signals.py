"""The signals that people can choose: data sets, files named at the start, and a bounded number of
uploads.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from threading import Lock

from spheresn import _validation, datasets
from spheresn._errors import BadInput
from spheresn._formatting import format_name
from spheresn._validation import Floats
from spheresn.apps.tables import TimeSeries
from spheresn.apps.tables.panel import Panel, long_table
from spheresn.apps.tables.read import READERS, WORKBOOKS, read_sheet
from spheresn.apps.tables.table import table_of
from spheresn.forecasting.defaults import SERIES_DEFAULTS

from .cache import Recent
from .own import LABEL_LENGTH, columns_of, for_page
from .settings import MOST_COLUMNS, MOST_LONG_SERIES

ROWS = 2400  # of each signal
UPLOADS = 16  # kept; an older one must be uploaded again
KINDS = (*READERS, *WORKBOOKS)
MOST_BYTES = 50_000_000  # bytes of a file; a request has a third more
MOST_UPLOADED_COLUMNS = 50  # columns of a file, those that are no numbers included
# Cells of a file: reading takes up to 100 bytes each. A CSV file of 50 MB has more only if nearly
# all of them have one digit, but a Parquet file packs as many as it likes.
MOST_UPLOADED_CELLS = 10_000_000
MOST_KEPT = 400_000_000  # bytes of the numbers and times of all uploads; any single one fits
CLOCK_BYTES = 16  # of the time of a row, which a clock has twice


@dataclass(frozen=True)
class Source:
    """A signal: its title, a function and a line of Python that make it, and its Lyapunov time in
    steps where that is known. A file has all its rows, and the columns that can be forecast: in
    long form the names of its series.
    """

    title: str
    make: Callable[[], Floats]
    code: str
    lyapunov_time: float | None = None
    file: TimeSeries | Panel | None = None
    columns: tuple[str, ...] = ()
    parts: tuple[Source, ...] = ()

    def part(self, number: int) -> Source:
        """Of a table in long form the series with this number, from 1; else the signal itself."""
        return self.parts[min(number, len(self.parts)) - 1] if self.parts else self

    @property
    def size(self) -> int:
        """Bytes of the numbers and times of a file."""
        if isinstance(self.file, TimeSeries):
            return self.file.values.nbytes + CLOCK_BYTES * len(self.file.values)
        return sum(one.size for one in self.parts)


# Lyapunov times in steps, from the exponents in the literature
BUILT_IN = {
    "lorenz": Source(
        "Lorenz", lambda: datasets.lorenz(ROWS), f"sn.datasets.lorenz({ROWS})", 1 / (0.906 * 0.02)
    ),
    "rossler": Source(
        "Rössler",
        lambda: datasets.rossler(ROWS),
        f"sn.datasets.rossler({ROWS})",
        1 / (0.0714 * 0.2),
    ),
    "mackey_glass": Source(
        "Mackey-Glass",
        lambda: datasets.mackey_glass(ROWS),
        f"sn.datasets.mackey_glass({ROWS})",
        1 / 0.0058,
    ),
    "henon": Source(
        "Hénon map", lambda: datasets.henon(ROWS), f"sn.datasets.henon({ROWS})", 1 / 0.419
    ),
    "mso": Source("Three sines", lambda: datasets.mso(ROWS), f"sn.datasets.mso({ROWS})"),
    "narma": Source(
        "NARMA-10", lambda: datasets.narma(ROWS, 0)[1], f"sn.datasets.narma({ROWS}, 0)[1]"
    ),
    "laser": Source(
        "Santa Fe laser",
        lambda: datasets.santa_fe_laser()[:ROWS],
        f"sn.datasets.santa_fe_laser()[:{ROWS}]",
    ),
    "noise": Source(
        "White noise", lambda: datasets.white_noise(ROWS, 0), f"sn.datasets.white_noise({ROWS}, 0)"
    ),
}


class Catalogue:
    """Signals by the names that links use. Files are read once, at the start. A name from the page
    is only looked up here and never used as a path.
    """

    def __init__(self, files: Sequence[Path] = ()) -> None:
        self._fixed = dict(BUILT_IN)
        if not _laser_installed():
            del self._fixed["laser"]
        for number, path in enumerate(files, start=1):
            self._fixed[f"file{number}"] = _source(path.name, str(path), _content(path))
        self._uploads: Recent[str, Source] = Recent(UPLOADS)
        self._lock = Lock()

    def titles(self) -> dict[str, str]:
        """What everybody can choose. Only those who uploaded a file know its name."""
        return {name: source.title for name, source in self._fixed.items()}

    def source(self, name: str) -> Source:
        """The signal called `name`."""
        with self._lock:
            found = self._fixed.get(name) or self._uploads.get(name)
        if found is None and name.startswith("upload"):
            raise BadInput(
                f"signal must be a file that is still here, got {name[:40]!r}; upload it again"
            )
        if found is None:
            raise BadInput(
                f"signal must be one of {', '.join(self._fixed)}, got {name[:40]!r}; choose one "
                "of these"
            )
        return found

    def take(self, file_name: str, content: bytes) -> str:
        """Keep an upload. Its name depends on its content alone: the same file in two tabs is one
        signal.
        """
        source = _source(file_name[-60:], file_name[-60:], content)
        name = f"upload-{hashlib.sha256(content).hexdigest()[:16]}"
        with self._lock:
            self._uploads[name] = source
            while sum(one.size for one in self._uploads.values()) > MOST_KEPT:
                self._uploads.popitem(last=False)
        return name


def table_from(name: str, content: bytes, number: int = 1) -> Floats:
    """The numbers (T, d) in a file called `name`, one row per time step; of a table in long form
    those of the series with this number, from 1.
    """
    found = series_from(name, content)
    return found.series[number - 1][1].values if isinstance(found, Panel) else found.values


def series_from(name: str, content: bytes) -> TimeSeries | Panel:
    """The columns of numbers in a file and the times of its rows, or the series of a table in long
    form, read as the command line reads them. The ending of the name says how.
    """
    ending = PurePath(name).suffix.lower()
    _validation.one_of("ending of the file", ending, KINDS)
    if len(content) > MOST_BYTES:
        raise BadInput(
            f"file must have at most {MOST_BYTES / 1e6:g} MB, got {len(content) / 1e6:.1f} MB; "
            "shorten it or keep every n-th row"
        )
    with TemporaryDirectory() as folder:  # only the ending of the given name is used
        path = Path(folder, f"table{ending}")
        path.write_bytes(content)
        try:
            found = _table(path)
        except BadInput as error:
            words = str(error).replace(str(path), path.name)
            raise BadInput(for_page(words).replace(path.name, PurePath(name).name)) from None
    if isinstance(found, TimeSeries):
        _validation.at_least(
            "file", len(found.values), SERIES_DEFAULTS.least_rows, "to learn from and to forecast"
        )
        _at_most("columns of numbers", len(found.names), MOST_COLUMNS)
    else:
        _at_most("series", len(found.series), MOST_LONG_SERIES)
    return found


def _at_most(what: str, count: int, most: int) -> None:
    if count > most:
        raise BadInput(
            f"file must have at most {most} {what}, got {count}; keep the ones that matter"
        )


def _table(path: Path) -> TimeSeries | Panel:
    sheet = read_sheet(path, MOST_UPLOADED_COLUMNS)
    if sheet.frame.size > MOST_UPLOADED_CELLS:
        raise BadInput(
            f"file must have at most {MOST_UPLOADED_CELLS} cells, got {sheet.frame.size}; shorten "
            "it or keep every n-th row"
        )
    long = long_table(sheet)
    if long is not None:
        return long.pick("skip", least_rows=SERIES_DEFAULTS.least_rows)
    return table_of(sheet).pick(fill="skip")


def _source(title: str, place: str, content: bytes) -> Source:
    found = series_from(title, content)
    if isinstance(found, TimeSeries):
        return _signal(title, place, found, columns_of(found))
    names = tuple(format_name(", ".join(label), LABEL_LENGTH) for label, _ in found.series)
    parts = tuple(
        _signal(title, place, series, (name,), number)
        for number, (name, (_, series)) in enumerate(zip(names, found.series, strict=True), 1)
    )
    return replace(parts[0], file=found, columns=names, parts=parts)


def _signal(
    title: str, place: str, series: TimeSeries, columns: tuple[str, ...], number: int | None = None
) -> Source:
    """The first rows of a series; number: of the series in a table in long form."""
    rows = series.values[:ROWS].copy()
    which = "" if number is None else f", {number}"
    code = f'table_from({title!r}, open({place!r}, "rb").read(){which})[:{ROWS}]'
    return Source(title, lambda: rows, code, file=series, columns=columns)


def _content(path: Path) -> bytes:
    if not path.is_file():
        raise BadInput(f"FILE must be an existing file, got {str(path)!r}; name a table")
    if path.stat().st_size > MOST_BYTES:
        raise BadInput(
            f"FILE must have at most {MOST_BYTES / 1e6:g} MB, got {path.stat().st_size / 1e6:.1f} "
            "MB; shorten it or keep every n-th row"
        )
    return path.read_bytes()


def _laser_installed() -> bool:
    try:
        datasets.santa_fe_laser()
    except (OSError, ValueError):
        return False
    return True
