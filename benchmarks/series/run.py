"""Forecasts of all methods from the last origins of every series, one file per method and series.

    python -m series.run                              # what is missing, all methods, both halves
    python -m series.run --half report --methods SeriesForecaster

A second run leaves what is there alone, so a run can be stopped at any time. Rows before an origin
are all that a method sees; it is fitted anew at each origin. A method that fails at an origin, or
does not end with finite numbers, is missing on that series: its file says why and holds no
forecast, and the next run tries it again.
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

from .methods import METHODS
from .sources import PLACE, Ordinary, download, half_of

ORIGINS = 3
RESULTS = PLACE / "results"


def origins(rows: int, steps: int) -> list[int]:
    """The last origins, `steps` rows apart; nearer where the series is short."""
    apart = max(min(steps, rows // 3 // ORIGINS), 1)
    return [rows - steps - place * apart for place in range(ORIGINS)][::-1]


def forecasts(series: Ordinary, method: str) -> dict[str, Any]:
    """What one method says from every origin, with 90 % intervals and the seconds it took; or only
    what stopped it.
    """
    found: dict[str, Any] = {"series": series.name, "method": method, "error": None}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            places = origins(len(series.values), series.steps)
            return found | {"runs": [_forecast(series, method, origin) for origin in places]}
    except Exception as error:  # it is missing on this series, and no other forecast stands in
        reason, _, _ = str(error).partition("\n")
        return found | {"error": f"{type(error).__name__}: {reason[:200]}"}


def _forecast(series: Ordinary, method: str, origin: int) -> dict[str, Any]:
    began = time.process_time()
    answer = METHODS[method](series.values[:origin], series.season, series.steps)
    seconds = time.process_time() - began
    parts = dict(zip(("mean", "lower", "upper"), np.asarray(answer, float), strict=True))
    for name, part in parts.items():
        if not np.isfinite(part).all():
            raise ValueError(f"its {name} from row {origin} is not finite")
    return {
        "origin": origin,
        "seconds": seconds,
        **{name: part.tolist() for name, part in parts.items()},
    }


def file_of(series: Ordinary, method: str) -> Any:
    """Where the forecasts of one method are kept."""
    safe = "".join(letter if letter.isalnum() else "-" for letter in series.name)
    return RESULTS / method / f"{safe}.json"


def result(series: Ordinary, method: str) -> dict[str, Any]:
    """What is kept of one method on one series; its `error` is None if it has forecasts."""
    file = file_of(series, method)
    return json.loads(file.read_text()) if file.exists() else {"error": "not measured"}


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
                if result(series, method)["error"] is not None:
                    file.parent.mkdir(parents=True, exist_ok=True)
                    content = forecasts(series, method)
                    with whole_file(file) as draft:
                        draft.write_text(json.dumps(content))
                    seconds = sum(run["seconds"] for run in content.get("runs", []))
                    outcome = content["error"] or f"{seconds:7.2f} s"
                    print(f"{method:20} {series.name:40.40} {outcome}", flush=True)


if __name__ == "__main__":
    main()
