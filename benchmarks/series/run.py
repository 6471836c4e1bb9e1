"""Forecasts of all methods from the last origins of every series, one file per method and series.

    python -m series.run                              # what is missing, all methods, both halves
    python -m series.run --half report --methods SeriesForecaster

A second run leaves what is there alone, so a run can be stopped at any time. Rows before an origin
are all that a method sees; it is fitted anew at each origin. A method that fails, or does not end
with finite numbers, gets the seasonal naive forecast, and the failure is counted.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from spheresn.io import whole_file

from .methods import METHODS, seasonal_naive
from .sources import PLACE, Ordinary, download, half_of

ORIGINS = 3
RESULTS = PLACE / "results"


def origins(rows: int, steps: int) -> list[int]:
    """The last origins, `steps` rows apart; nearer where the series is short."""
    apart = max(min(steps, rows // 3 // ORIGINS), 1)
    return [rows - steps - place * apart for place in range(ORIGINS)][::-1]


def forecasts(series: Ordinary, method: str) -> dict[str, Any]:
    """What one method says from every origin, with 90 % intervals and the seconds it took."""
    found: list[dict[str, Any]] = []
    for origin in origins(len(series.values), series.steps):
        rows, failure = series.values[:origin], None
        began = time.process_time()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                mean, lower, upper = METHODS[method](rows, series.season, series.steps)
            if not (np.isfinite(mean).all() and np.isfinite(lower).all()):
                raise ValueError("not finite")
        except Exception as error:
            failure = f"{type(error).__name__}: {error}"[:200]
            mean, lower, upper = seasonal_naive(rows, series.season, series.steps)
        parts = {"mean": mean, "lower": lower, "upper": upper}
        found.append(
            {
                "origin": origin,
                "seconds": time.process_time() - began,
                "failure": failure,
                **{name: np.asarray(part, float).tolist() for name, part in parts.items()},
            }
        )
    return {"series": series.name, "method": method, "runs": found}


def file_of(series: Ordinary, method: str) -> Any:
    """Where the forecasts of one method are kept."""
    safe = "".join(letter if letter.isalnum() else "-" for letter in series.name)
    return RESULTS / method / f"{safe}.json"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=["development", "report"])
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=list(METHODS))
    options = parser.parse_args()
    download()
    with threadpool_limits(1):
        for method in options.methods:
            for series in half_of(options.half):
                file = file_of(series, method)
                if not file.exists():
                    file.parent.mkdir(parents=True, exist_ok=True)
                    content = forecasts(series, method)
                    with whole_file(file) as draft:
                        draft.write_text(json.dumps(content))
                    seconds = sum(run["seconds"] for run in content["runs"])
                    print(f"{method:20} {series.name:40.40} {seconds:7.2f} s", flush=True)


if __name__ == "__main__":
    main()
