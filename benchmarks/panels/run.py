"""Forecasts of all methods at every hold-out of every panel, one file for each.

    python -m panels.run                                    # what is missing
    python -m panels.run --panels retail --methods PanelForecaster AutoETS

A second run leaves what is there alone, so a run can be stopped at any time. A method that fails on
a panel is missing there: its file says why, and the next run tries again. LightGBM has several
settings; the best at the hold-out before, on all series, is taken, and forecasts once more with its
intervals.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from spheresn.io import whole_file

from .methods import BOOSTED, METHODS, SHARES, sampled, takes, with_intervals
from .sources import BY_NAME, PLACE, PanelSource, download, split

RESULTS = PLACE / "results"
HOLD_OUTS = ("earliest", "earlier", "last")
REPORTED = HOLD_OUTS[1:]
CHOSEN = "LightGBM"


def file_of(panel: str, hold_out: str, method: str) -> Any:
    """Where the forecasts of one method are kept."""
    return RESULTS / method / f"{panel.replace(' ', '-')}-{hold_out}.npz"


def kept(panel: str, hold_out: str, method: str) -> dict[str, Any] | None:
    """What is kept of a method: ids, forecasts, seconds; None where it is missing."""
    file = file_of(panel, hold_out, method)
    if not file.exists():
        return None
    with np.load(file, allow_pickle=False) as found:
        content = {name: found[name] for name in found.files}
    return content if "forecasts" in content else None


def forecast(source: PanelSource, hold_out: str, method: str, run: Any) -> dict[str, Any]:
    """What a method says, and the processor seconds it took; or only what stopped it."""
    rows, ahead = split(source.name, hold_out)
    rows, ahead = sampled(method, rows), sampled(method, ahead)
    ids = np.array(sorted(rows["unique_id"].unique()))
    began = time.process_time()
    try:
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore")
            found = run(source, rows, ahead)
        if found.shape != (len(ids), source.steps, 1 + len(SHARES)):
            raise ValueError(f"its forecasts have shape {found.shape}")
        if not np.isfinite(found[:, :, 0]).all():
            raise ValueError("a forecast is not finite")
        return {"ids": ids, "forecasts": found, "seconds": time.process_time() - began}
    except Exception as error:  # it is missing on this panel, and no other forecast stands in
        reason, _, _ = str(error).partition("\n")
        return {"error": np.array(f"{type(error).__name__}: {reason[:200]}")}


def keep(panel: str, hold_out: str, method: str, content: dict[str, Any]) -> None:
    """Write what a method said, whole or not at all, and a line."""
    file = file_of(panel, hold_out, method)
    file.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(file) as draft, draft.open("wb") as out:
        np.savez_compressed(out, **content)
    outcome = str(content.get("error", f"{float(content.get('seconds', 0)):8.2f} s"))
    print(f"{panel:12} {hold_out:9} {method:28} {outcome}", flush=True)


def choose(panel: str, hold_out: str) -> str | None:
    """The setting of LightGBM with the least error on all series at the hold-out before."""
    before = HOLD_OUTS[HOLD_OUTS.index(hold_out) - 1]
    truth = split(panel, before)[1]["y"].to_numpy()
    errors = {}
    for name in BOOSTED:
        content = kept(panel, before, name)
        if content is not None:
            point = content["forecasts"][:, :, 0]
            away = np.abs(point - truth.reshape(point.shape)).mean(axis=1)
            size = np.abs(truth.reshape(point.shape)).mean(axis=1) + 1e-9
            errors[name] = float(np.log(away / size + 1e-6).mean())
    return min(errors, key=lambda name: errors[name]) if errors else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--panels", nargs="+", choices=list(BY_NAME), default=list(BY_NAME))
    parser.add_argument(
        "--methods", nargs="+", choices=[*METHODS, CHOSEN], default=[*METHODS, CHOSEN]
    )
    parser.add_argument("--hold-outs", nargs="+", choices=HOLD_OUTS, default=list(HOLD_OUTS))
    options = parser.parse_args()
    download()
    for panel in options.panels:
        source = BY_NAME[panel]
        for hold_out in options.hold_outs:
            for method in options.methods:
                needed = method in BOOSTED or hold_out in REPORTED
                if not needed or not takes(method, source) or kept(panel, hold_out, method):
                    continue
                run = METHODS.get(method)
                if method == CHOSEN:
                    name = choose(panel, hold_out)
                    if name is None:
                        continue
                    content = forecast(source, hold_out, method, with_intervals(name))
                    if "error" in content:  # too few rows for its intervals
                        content = forecast(source, hold_out, method, METHODS[name])
                    content["setting"] = np.array(name)
                else:
                    content = forecast(source, hold_out, method, run)
                keep(panel, hold_out, method, content)


if __name__ == "__main__":
    main()
