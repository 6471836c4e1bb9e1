"""What forecasts of panels are worth: errors, quantile losses, coverage."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .methods import SHARES
from .run import CHOSEN, REPORTED, kept
from .sources import BY_NAME, SOURCES, halves, split

OURS, REFERENCE = "PanelForecaster", "seasonal naive"
SHOWN = (OURS, CHOSEN, "AutoETS", "AutoTheta", "AutoARIMA", "Croston", "TSB", REFERENCE)
EVIDENCE = tuple(one.name for one in SOURCES if one.evidence)
OTHERS = tuple(one.name for one in SOURCES if not one.evidence)
# Those on which learning across series could be told from a formula and from counting
ORDINARY = tuple(name for name in EVIDENCE if name != "population" and not BY_NAME[name].counts)


def geometric(values: Iterable[float]) -> float:
    """The geometric mean.

    >>> round(geometric([1.0, 4.0]), 6)
    2.0
    """
    return float(np.exp(np.mean(np.log(list(values)))))


def quantile_loss(quantiles: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Twice the mean pinball loss (n,) of quantiles (n, H, shares).

    >>> quantile_loss(np.full((1, 1, 5), 2.0), np.array([[3.0]])).tolist()
    [1.0]
    """
    away = truth[:, :, None] - quantiles
    shares = np.array(SHARES)
    losses = 2.0 * np.maximum(shares * away, (shares - 1.0) * away)
    return np.asarray(losses.mean(axis=(1, 2)))


def measure(panel: str, hold_out: str, method: str, half: str) -> dict[str, Any] | None:
    """The measures of one method on the series of a half; None where it is missing."""
    content, reference = kept(panel, hold_out, method), kept(panel, hold_out, REFERENCE)
    if content is None or reference is None:
        return None
    rows, ahead = split(panel, hold_out)
    every = sorted(rows["unique_id"].unique())
    place = {name: at for at, name in enumerate(every)}
    half_of = halves(panel)
    which = [at for at, name in enumerate(content["ids"]) if half_of[str(name)] == half]
    if not which:
        return None
    there = [place[str(content["ids"][at])] for at in which]
    truth = ahead["y"].to_numpy().reshape(len(every), -1)[there]
    found = content["forecasts"][which]
    naive = reference["forecasts"][there, :, 0]
    past = [one.to_numpy() for _, one in rows.groupby("unique_id")["y"]]
    past = [past[at] for at in there]
    errors, others = (np.abs(one - truth).mean(axis=1) for one in (found[:, :, 0], naive))
    both = (errors > 0.0) & (others > 0.0)
    steps = np.array([np.sqrt(np.mean(np.square(np.diff(one)))) for one in past])
    season = BY_NAME[panel].season
    scale = np.array([np.abs(one[season:] - one[:-season]).mean() for one in past])
    roots = np.sqrt(np.square(found[:, :, 0] - truth).mean(axis=1))
    moved, varied = steps > 0.0, scale > 0.0
    result = {
        "series": len(which),
        "logs": dict(
            zip(
                [str(content["ids"][at]) for at, one in zip(which, both, strict=True) if one],
                np.log(errors[both] / others[both]).tolist(),
                strict=True,
            )
        ),
        "relative": float(np.exp(np.log(errors[both] / others[both]).mean())),
        "wape": float(np.abs(found[:, :, 0] - truth).sum() / np.abs(truth).sum()),
        "rmsse": float((roots[moved] / steps[moved]).mean()),
        "seconds": float(content["seconds"]) / len(content["ids"]),
    }
    low, high = found[:, :, 1], found[:, :, -1]
    if np.isfinite(low + high).all():
        result["coverage"] = float(((low <= truth) & (truth <= high)).mean())
    if np.isfinite(found).all():
        losses = quantile_loss(found[:, :, 1:], truth)
        result["quantile_loss"] = float((losses[varied] / scale[varied]).mean())
    if "setting" in content:
        result["setting"] = str(content["setting"])
    return result


def paired(panels: Iterable[str], found: dict[str, Any], method: str, other: str) -> dict[str, Any]:
    """The error of one method relative to another on the same series: the mean over panels, and
    its interval of 95 % from series drawn anew within each panel.
    """
    rng = np.random.default_rng(0)
    differences = []
    for panel in panels:
        one, two = (found[panel].get(name) for name in (method, other))
        if one is None or two is None:
            return {}
        shared = sorted(set(one["logs"]) & set(two["logs"]))
        differences.append(np.array([one["logs"][key] - two["logs"][key] for key in shared]))
    means = [float(part.mean()) for part in differences]
    drawn = [
        np.mean([rng.choice(part, len(part)).mean() for part in differences]) for _ in range(1000)
    ]
    low, high = np.quantile(drawn, [0.025, 0.975])
    return {
        "ratio": float(np.exp(np.mean(means))),
        "interval": [float(np.exp(low)), float(np.exp(high))],
        "by_panel": dict(zip(panels, np.exp(means).tolist(), strict=True)),
    }


def summarise(hold_out: str, half: str) -> dict[str, Any]:
    """All measures of one half at one hold-out."""
    by_panel = {
        one.name: {
            name: value
            for name in SHOWN
            if (value := measure(one.name, hold_out, name, half)) is not None
        }
        for one in SOURCES
    }
    groups = {"evidence": EVIDENCE, "ordinary": ORDINARY, "others": OTHERS, "all": tuple(by_panel)}
    means = {}
    for group, panels in groups.items():
        for name in SHOWN:
            if all(name in by_panel[panel] for panel in panels):
                means.setdefault(group, {})[name] = _means([by_panel[one][name] for one in panels])
    ratio = {group: paired(panels, by_panel, OURS, CHOSEN) for group, panels in groups.items()}
    for methods in by_panel.values():
        for value in methods.values():
            del value["logs"]
    return {"panels": by_panel, "means": means, "paired": ratio}


def _means(values: list[dict[str, Any]]) -> dict[str, float]:
    found = {"relative": geometric(one["relative"] for one in values)}
    found["seconds"] = float(np.mean([one["seconds"] for one in values]))
    for name, mean in (("coverage", np.mean), ("quantile_loss", geometric)):
        if all(name in one for one in values):
            found[name] = float(mean([one[name] for one in values]))
    return found


def everything() -> dict[str, Any]:
    """All measures of both halves at both hold-outs."""
    return {
        half: {hold_out: summarise(hold_out, half) for hold_out in REPORTED}
        for half in ("report", "development")
    }
