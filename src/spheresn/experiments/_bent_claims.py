"""What this library says about the bent sphere, judged like the sentences of the paper."""

from __future__ import annotations

import xarray as xr

from ._claim import Claim
from ._shared import judged, median, verdict

FIGURE = "beyond the paper"


def claims(dataset: xr.Dataset) -> list[Claim]:
    """Three sentences."""
    forecasts = [_forecast(dataset)] if bool(dataset.valid.notnull().any()) else []
    return judged([_map(dataset), *forecasts, _chaos(dataset)])


def _map(dataset: xr.Dataset) -> Claim:
    mean = median(dataset.accuracy.sel(selection="validation"), "network").mean(["delay", "frequency"], skipna=False)
    evidence: dict[str, float | str] = {str(m): float(mean.sel(model=m)) for m in dataset.model.values}
    bent, above = float(evidence["bent"]), [float(evidence["bent"]) > float(evidence[m]) for m in ("spherical", "linear")]
    return Claim(
        "bending-buys-nonlinearity", FIGURE, "this library",
        "Bending the sphere computes more than the plain sphere and than linear networks.",
        "mean accuracy on the map, chosen on validation rows: " + ", ".join(f"{k} {v:.3f}" for k, v in evidence.items()),
        "holds if the bent sphere is above both the plain sphere and the linear network by more than .01, partly if above one",
        verdict(bent > 0.01 + max(float(evidence["spherical"]), float(evidence["linear"])), any(above)), evidence,
    )  # fmt: skip


def _forecast(dataset: xr.Dataset) -> Claim:
    valid = median(dataset.valid, "run")
    there = [str(s) for s in dataset.series.values if bool(valid.sel(series=s).notnull().all())]
    better = sum(float(valid.sel(series=s, forecaster="bent")) > 2 * float(valid.sel(series=s, forecaster="spherical")) for s in there)
    evidence: dict[str, float | str] = {
        f"{s}_{f}": float(valid.sel(series=s, forecaster=f)) for s in there for f in valid.forecaster.values
    }
    listed = [f"{s.replace('_', ' ')} " + "/".join(f"{float(v):.1f}" for v in valid.sel(series=s).values) for s in there]
    return Claim(
        "bending-makes-forecasts", FIGURE, "this library", "With bend the network forecasts chaotic series; without, hardly.",
        "median valid time bent/tanh/plain sphere (Lyapunov times, laser in steps): " + ", ".join(listed),
        "holds if the bent sphere stays valid more than twice as long as the plain one on every series, partly if on one",
        verdict(bool(there) and better == len(there), better > 0), evidence,
    )  # fmt: skip


def _chaos(dataset: xr.Dataset) -> Claim:
    flat, curved = dataset.exponent.sel(bend=0.0), dataset.exponent.where(dataset.bend > 0, drop=True)
    highest, plain = float(curved.max()), float(flat.max())
    strong = float(dataset.exponent.isel(strength=-1).max(skipna=False))
    return Claim(
        "bent-sphere-needs-calibration", FIGURE, "this library", "Driven weakly the bent sphere can be chaotic, driven strongly it is not.",
        f"ring and Gaussian: largest exponent {highest:+.3f} with bend, {plain:+.4f} without, {strong:+.2f} under the strongest drive",
        "holds if some bent network is above .01 and none is under the strongest drive, partly if one of the two is so",
        verdict(highest > 0.01 and strong < 0, highest > 0.01 or strong < 0), {"bent": highest, "plain": plain, "strongest_drive": strong},
    )  # fmt: skip
