"""What the comparison on noisy rows says, as Markdown."""

from __future__ import annotations

from statistics import mean, median, quantiles

from .settings import NAMES, SETTINGS
from .shares import (
    CLOSE,
    EARLIER,
    LEADS,
    LIMIT,
    NOISY,
    OURS,
    Found,
    Share,
    bound_ratio,
    chosen,
    difference,
    failures,
    found_noise,
    judged,
    means,
    methods,
    paired,
    setting,
    share,
    worse,
)


def share_table(
    found: Found, columns: str, half: str = "report", rows: int | str = 5000, by: str = "mean"
) -> str:
    """Methods down, noise across: shares of the limit with their intervals, and in the last column
    the noisy settings together.
    """
    systems, rows = chosen(found, columns, half), int(rows)
    levels = [
        level for level in ("0", *NOISY) if found["results"].get(setting(columns, level, rows))
    ]
    noisy = [level for level in levels if level != "0"]
    sets = [[setting(columns, level, rows)] for level in levels]
    sets += [[setting(columns, level, rows) for level in noisy]] if len(noisy) > 1 else []
    heads = [*(_percent(level) for level in levels), "all noise"][: len(sets)]
    head = f"| {len(systems)} systems | " + " | ".join(heads) + " |"
    lines = [head, "|---|" + "--:|" * len(sets)]
    limits = [share(found, one, LIMIT, systems, by) for one in sets]
    told = [f"{one.limit:.1f}" if one else "" for one in limits]
    lines.append("| the limit, Lyapunov times | " + " | ".join(told) + " |")
    table = {
        name: [share(found, one, name, systems, by) for one in sets] for name in methods(found)
    }
    for name, cells in table.items():
        if any(cells):
            told = [_interval(one) if one else "" for one in cells]
            lines.append(f"| {_bold(name)} | " + " | ".join(told) + " |")
    return "\n".join(lines)


def _percent(level: str) -> str:
    return f"{100 * float(level):g} %" if float(level) else "clean"


def _interval(one: Share) -> str:
    low, middle, high = (round(100 * value) for value in (one.low, one.share, one.high))
    return f"{middle} % ({low}-{high})"


def _bold(name: str) -> str:
    return f"**{name}**" if name == OURS else name


def noisy_share(found: Found, columns: str, half: str = "report", method: str = OURS) -> str:
    """The share of the limit over all noisy settings with 5,000 rows."""
    where = [setting(columns, level) for level in NOISY]
    one = share(found, where, method, chosen(found, columns, half))
    return "*not measured*" if one is None else _interval(one)


def system_table(found: Found, columns: str, half: str = "report") -> str:
    """By system, over the noisy settings: the limit, ours, 0.2.0, and by how much these differ on
    the same draws and networks, with its standard error.
    """
    head = ["| | limit | ours | share | 0.2.0 | difference |", "|---|--:|--:|--:|--:|--:|"]
    where = [setting(columns, level) for level in NOISY]
    lines = []
    for name in chosen(found, columns, half):
        pairs = paired(found, where, OURS, [name])
        gain = difference(found, where, name)
        if pairs is None or gain is None:
            continue
        valid, limit = means(list(pairs.values()))
        cells = [f"{limit:.1f}", f"{valid:.2f}", f"{100 * valid / limit:.0f} %"]
        cells += [f"{valid - gain[0]:.2f}", f"{gain[0]:+.2f} ± {gain[1]:.2f}"]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(head + lines)


def gap_table(found: Found, half: str = "report") -> str:
    """Valid times with gaps as a share of those of the complete rows, on the same systems."""
    cells = [(columns, level) for columns in ("all", "first") for level in ("0", "0.01")]
    heads = [
        f"{'all' if columns == 'all' else 'one'}, {_percent(level)}" for columns, level in cells
    ]
    lines = ["| | " + " | ".join(heads) + " |", "|---|" + "--:|" * len(cells)]
    for name in (LIMIT, *methods(found)):
        told = []
        for columns, level in cells:
            systems = chosen(found, columns, half)
            both = [
                paired(found, [setting(columns, level, gaps=gaps)], name, systems)
                for gaps in (True, False)
            ]
            parts = [means(list(one.values()))[0] if one else None for one in both]
            told.append(f"{100 * parts[0] / parts[1]:.0f} %" if parts[0] and parts[1] else "")
        if any(told):
            lines.append(f"| {_bold(name)} | " + " | ".join(told) + " |")
    return "\n".join(lines)


def noise_table(found: Found, half: str = "report") -> str:
    """How well the noise level is found, over systems, columns, draws and networks."""
    lines = ["| | noise | median | 5 % to 95 % | within 15 % |", "|---|--:|--:|--:|--:|"]
    for columns in ("all", "first"):
        for level in NOISY:
            own = found_noise(found, columns, level, half)
            if len(own) > 1:
                cuts = quantiles(own, n=20, method="inclusive")
                close = mean(abs(one - 1.0) <= CLOSE for one in own)
                label = "all variables" if columns == "all" else "one"
                lines.append(
                    f"| {label} | {_percent(level)} | {median(own):.2f} | {cuts[0]:.2f}-"
                    f"{cuts[-1]:.2f} | {100 * close:.0f} % |"
                )
    return "\n".join(lines)


def cover_table(found: Found, half: str = "report") -> str:
    """The share of the clean values inside of intervals of .9, by noise and lead."""
    lines = ["| | noise | " + " | ".join(LEADS) + " |", "|---|--:|" + "--:|" * len(LEADS)]
    for columns in ("all", "first"):
        for level in ("0", *NOISY):
            own = judged(found, columns, level, "covered", half)
            if any(one is not None for one in own):
                label = "all variables" if columns == "all" else "one"
                told = ["" if one is None else f"{one:.2f}" for one in own]
                lines.append(f"| {label} | {_percent(level)} | " + " | ".join(told) + " |")
    return "\n".join(lines)


def crps_table(found: Found, columns: str = "all", half: str = "report") -> str:
    """CRPS by noise and lead, of ours, of the climate and of an interval of fixed width."""
    labels = {"crps": "ours", "climate": "climate", "fixed": "fixed width"}
    lines = ["| noise | | " + " | ".join(LEADS) + " |", "|--:|---|" + "--:|" * len(LEADS)]
    for level in ("0", *NOISY):
        for what, label in labels.items():
            own = judged(found, columns, level, what, half)
            if any(one is not None for one in own):
                told = ["" if one is None else f"{one:.3g}" for one in own]
                lines.append(f"| {_percent(level)} | {label} | " + " | ".join(told) + " |")
    return "\n".join(lines)


def bound_text(found: Found, columns: str) -> str:
    """Median and range over the systems."""
    own = list(bound_ratio(found, columns).values())
    if not own:
        return "*not measured*"
    return f"{median(own):.2f} times the bound in the median ({min(own):.2f} to {max(own):.2f})"


def fit_times(found: Found, half: str = "both") -> str:
    """Seconds of a fit with 5,000 rows and all variables, medians by noise: ours and 0.2.0's."""
    parts = []
    for level in ("0", *NOISY):
        own = found["results"].get(setting("all", level), {})
        times = [
            [
                one["fit"]
                for name in chosen(found, "all", half)
                for one in own.get(method, {}).get(name, [])
                if one["error"] is None
            ]
            for method in (OURS, EARLIER)
        ]
        if all(times):
            ours, earlier = (median(one) for one in times)
            ratio = f"{ours / earlier:.1f} times 0.2.0's"
            parts.append(f"{_percent(level)}: {ours:.1f} s, {ratio}")
    return "; ".join(parts) or "*not measured*"


def missing(found: Found) -> str:
    """Failures as a list, those with the same reason on the same setting together."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for method, name, _, reason in failures(found):
        reasons.setdefault((method, reason), []).append(name)
    lines = [
        f"- {method}, `{reason}`: {', '.join(sorted(set(names)))} ({len(names)} units)"
        for (method, reason), names in reasons.items()
    ]
    return "\n".join(lines) or "No unit failed."


def systems_text(found: Found, half: str) -> str:
    """The systems of a half; those left out of one variable are marked."""
    first = set(chosen(found, "first", half))
    return ", ".join(
        name if name in first else f"{name} (all variables only)"
        for name in chosen(found, "all", half)
    )


def worse_text(found: Found, columns: str, half: str = "report") -> str:
    """Systems on which ours is below 0.2.0 by more than chance."""
    return ", ".join(worse(found, columns, half)) or "none"


def settings_table(found: Found) -> str:
    """What was chosen for the other methods."""
    lines = ["| | | rows seen | 1 % | 5 % | 10 % |", "|---|---|---|---|---|---|"]
    for method, chosen_settings in SETTINGS.items():
        for columns, label in (("all", "all variables"), ("first", "one")):
            cells = [
                ", ".join(f"{one:g}" for one in chosen_settings[columns, float(level)])
                for level in NOISY
            ]
            lines.append(f"| {method} | {NAMES[method]} | {label} | " + " | ".join(cells) + " |")
    return "\n".join(lines)
