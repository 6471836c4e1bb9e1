"""`spheresn forecast FILE --patch`: a field on a grid, from .npy or .nc, forecast and tested."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._errors import BadInput, sentence
from ..._validation import Floats, fitting
from ...estimators import ESNFieldForecaster, OutOfRange
from ...estimators.fields.labels import completed
from ...io import whole_file
from ...plotting import plot_field

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TEST_THRESHOLD = 0.4  # deviations: the valid time in the literature ends there
KINDS = (".npy", ".nc")
# One row in so many is forecast to test the networks, at most as many as are asked for
TESTED_SHARE = 4


@dataclass(frozen=True, eq=False)
class FieldResult:
    """The forecast after the last field, and the test: a forecast of the last fields.

    truth and test (H, *grid); errors (H,) of the networks and of persistence, in deviations.
    """

    model: ESNFieldForecaster
    truth: Floats
    test: Floats
    errors: dict[str, Floats]
    values: Any
    notes: tuple[str, ...]

    @property
    def valid(self) -> dict[str, int]:
        """Steps of the test until the error exceeds the threshold."""
        return {
            name: int(np.argmax(errors > TEST_THRESHOLD))
            if (errors > TEST_THRESHOLD).any()
            else len(errors)
            for name, errors in self.errors.items()
        }


def read_field(path: Path, variable: str | None) -> Any:
    """The field in a file: a memory map, or a variable of a netCDF file."""
    if path.suffix not in KINDS:
        raise BadInput(
            f"FILE must end in .npy or .nc for a field, got {path.name!r}; leave --patch out for a "
            "table"
        )
    try:
        if path.suffix == ".npy":
            return np.load(path, mmap_mode="r", allow_pickle=False)
        import xarray

        # It stays open: the field is read in slices
        dataset = xarray.open_dataset(path, engine="h5netcdf")
        return dataset[_variable(variable, [str(name) for name in dataset.data_vars])]
    except (OSError, ValueError) as error:
        if isinstance(error, BadInput):
            raise
        raise BadInput(
            f"FILE must be a readable {path.suffix} file, got {str(path)!r} ({sentence(error)}); "
            "check it"
        ) from None


def _variable(name: str | None, names: list[str]) -> str:
    """The variable of this name, or the only one."""
    if name is None and len(names) != 1:
        raise BadInput(
            f"--variable must name one of {', '.join(names) or 'no variables'}, got none; "
            "choose one"
        )
    if name is not None and name not in names:
        raise BadInput(f"--variable must be one of {', '.join(names)}, got {name!r}; choose one")
    return name or names[0]


def axes_of(name: str, text: str) -> int | tuple[int, ...]:
    """`8`, or `4,4` for one number per axis."""
    try:
        numbers = tuple(int(part) for part in text.split(","))
    except ValueError:
        raise BadInput(
            f"{name} must be a whole number, or several with commas, got {text!r}; pass 8 or 4,4"
        ) from None
    return numbers[0] if len(numbers) == 1 else numbers


def forecast_field(field: Any, steps: int | None, seed: int, **options: Any) -> FieldResult:
    """Learn all but the last rows, forecast these to test, then go on after the last row."""
    if hasattr(field, "coords"):
        field = completed(field)  # so that each row is a step of time
    rows = len(field)
    cells = int(np.prod(field.shape[1:]))
    ahead = 200 if steps is None else fitting("--steps", steps, 1, 3 * cells)
    tested = max(min(rows // TESTED_SHARE, ahead), 1)
    model = ESNFieldForecaster(random_state=seed, **options).fit(field[: rows - tested])
    truth = np.asarray(field[rows - tested :], dtype=float)
    last = np.asarray(field[rows - tested - 1], dtype=float)
    notes = []
    with warnings.catch_warnings(record=True, action="always") as seen:
        test = np.asarray(model.forecast(tested))
        model.update(field[rows - tested :])
        values = model.forecast(ahead)
    if any(issubclass(one.category, OutOfRange) for one in seen):
        notes.append("a forecast leaves the range of the data; do not trust it from there")
    deviation = float(np.asarray(model.scale_).mean())
    errors = {
        name: np.sqrt(_mean_square(predicted - truth)) / deviation
        for name, predicted in (("networks", test), ("persistence", last[None]))
    }
    return FieldResult(model, truth, test, errors, values, tuple(notes))


def _mean_square(gaps: Floats) -> Floats:
    """Of each row (T, ...), over the values that are there."""
    rows = gaps.reshape(len(gaps), -1)
    seen = ~np.isnan(rows)
    return np.asarray(
        np.where(seen, rows * rows, 0.0).sum(axis=1) / np.maximum(seen.sum(axis=1), 1)
    )


def places(folder: Path, suffix: str) -> list[Path]:
    """The files of a forecast: forecast.npy or forecast.nc, and the picture of the test."""
    return [folder / f"forecast{ending}" for ending in (suffix, ".png", ".svg")]


def save_field(result: FieldResult, folder: Path, suffix: str) -> list[Path]:
    """Write the forecast and the picture of the test."""
    from .output import save_drawing

    files = places(folder, suffix)
    with whole_file(files[0]) as draft:
        if suffix == ".npy":
            with draft.open("wb") as file:
                np.save(file, np.asarray(result.values))
        else:
            result.values.to_netcdf(draft, engine="h5netcdf")
    save_drawing(lambda: figure(result), folder, "forecast", "")
    return files


def figure(result: FieldResult) -> Figure:
    """Truth, forecast and error of the test; of a field with more axes, a cut."""
    from matplotlib.figure import Figure

    truth, test = (
        part.reshape(*part.shape[:2], -1)[:, :, 0] for part in (result.truth, result.test)
    )
    drawing = Figure(figsize=(7, 5), layout="constrained")
    panels = drawing.subplots(3, 1, sharex=True)
    meshes = plot_field(panels, truth, test, length=truth.shape[1], rasterized=True)
    for axes in panels:
        axes.axvline(result.valid["networks"], color="black", linewidth=1, linestyle="--")
        axes.set_ylabel("cell")
    panels[-1].set_xlabel("steps ahead; dashed: error exceeds .4 deviations")
    drawing.colorbar(meshes[0], ax=list(panels))
    return drawing


def summary(result: FieldResult) -> dict[str, Any]:
    """What the command prints, for programs."""
    model = result.model
    return {
        "grid": list(model.patches_.grid),
        "patches": model.patches_.count,
        "tested_steps": len(result.truth),
        "valid_steps": result.valid,
        "shared": model.shared_,
        "noise": model.noise_,
        "bias_ratio": model.bias_ratio_,
        "forecast_steps": len(result.values),
        "notes": list(result.notes),
    }


def sentences(result: FieldResult) -> list[str]:
    """What the command prints, for people."""
    valid, tested = result.valid, len(result.truth)
    return [
        f"{result.model.patches_.count} patches of a grid of {result.model.patches_.grid}",
        f"in a test on the last {tested} rows the error stays below {TEST_THRESHOLD} deviations "
        f"for {valid['networks']} steps (persistence: {valid['persistence']})",
        f"forecast: {len(result.values)} steps after the last row",
        *result.notes,
    ]
