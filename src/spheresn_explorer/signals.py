"""The signals that people can choose: data sets, files named at the start, and a bounded number of
uploads.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from threading import Lock

from spheresn import _validation, datasets
from spheresn._errors import BadInput
from spheresn._validation import Floats
from spheresn.apps.tables import TimeSeries, read_table
from spheresn.apps.tables.read import READERS, WORKBOOKS
from spheresn.forecasting.defaults import SERIES_DEFAULTS

from .cache import Recent
from .own import columns_of, for_page
from .settings import MOST_COLUMNS

ROWS = 2400  # of each signal
UPLOADS = 16  # kept; an older one must be uploaded again
KINDS = (*READERS, *WORKBOOKS)
MOST_BYTES = 50_000_000  # bytes of a file; a request has a third more
MOST_UPLOADED_COLUMNS = 50  # columns of a file, those that are no numbers included


@dataclass(frozen=True)
class Source:
    """A signal: its title, a function and a line of Python that make it, and its Lyapunov time in
    steps where that is known. A file has all its rows, and the columns that can be forecast.
    """

    title: str
    make: Callable[[], Floats]
    code: str
    lyapunov_time: float | None = None
    file: TimeSeries | None = None
    columns: tuple[str, ...] = ()


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
        return name


def table_from(name: str, content: bytes) -> Floats:
    """The numbers (T, d) in a file called `name`, one row per time step."""
    return series_from(name, content).values


def series_from(name: str, content: bytes) -> TimeSeries:
    """The columns of numbers in a file and the times of its rows, read as the command line reads
    them. The ending of the name says how.
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
            series = read_table(path, MOST_UPLOADED_COLUMNS).pick(fill="skip")
        except BadInput as error:
            words = str(error).replace(str(path), path.name)
            raise BadInput(for_page(words).replace(path.name, PurePath(name).name)) from None
    _validation.at_least(
        "file", len(series.values), SERIES_DEFAULTS.least_rows, "to learn from and to forecast"
    )
    if len(series.names) > MOST_COLUMNS:
        raise BadInput(
            f"file must have at most {MOST_COLUMNS} columns of numbers, got {len(series.names)}; "
            "keep the ones that matter"
        )
    return series


def _source(title: str, place: str, content: bytes) -> Source:
    series = series_from(title, content)
    rows = series.values[:ROWS].copy()
    code = f'table_from({title!r}, open({place!r}, "rb").read())[:{ROWS}]'
    return Source(title, lambda: rows, code, file=series, columns=columns_of(series))


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
