"""The page of a forecast: a function from an outlook to HTML that fetches nothing."""

from __future__ import annotations

from jinja2 import ChoiceLoader, PackageLoader

from ..._version import __version__
from ...forecasting.backtest import FOLDS
from .._pages import Drawing, pages
from .forecast import NETWORK, Outlook
from .forecast_figure import DRAWN
from .numbers import rounded
from .summary import MEANINGS, errors_by_column, errors_by_horizon, fitted, rows_ahead
from .verdict import TITLES, is_tie, sentences, shown_horizons, winner

NEXT_ROWS = 10


def page(outlook: Outlook, picture: Drawing, command: str) -> str:
    """Verdict first, then the figure, the errors, the next rows and what was fitted."""
    loader = ChoiceLoader(
        [PackageLoader("spheresn.apps.cli", ""), PackageLoader("spheresn.apps.paper.report", "")]
    )
    environment = pages(loader)
    environment.filters.update(rounded=rounded)
    return environment.get_template("page.html").render(
        outlook=outlook,
        picture=picture,
        command=command,
        version=__version__,
        sentences=sentences(outlook.test, outlook.steps),
        badge=badge(outlook),
        horizons=shown_horizons(outlook.steps),
        by_horizon=errors_by_horizon(outlook),
        methods=[TITLES[name] for name in outlook.test.runs],
        by_column=errors_by_column(outlook),
        ahead=rows_ahead(outlook, NEXT_ROWS),
        drawn=DRAWN,
        fitted=[
            (name, rounded(value), MEANINGS[name]) for name, value in fitted(outlook.model).items()
        ],
        folds=min(FOLDS, len(outlook.test.folds)),
    )


def badge(outlook: Outlook) -> tuple[str, str]:
    """Colour and words of the verdict in short."""
    errors = {name: outlook.test.total(name) for name in outlook.test.runs}
    rival = min(error for name, error in errors.items() if name != NETWORK)
    if is_tie(errors[NETWORK], rival):
        return "partly", "◐ a tie"
    best = winner(outlook.test)
    return (
        ("holds", "✓ the network wins") if best == NETWORK else ("fails", f"✗ {TITLES[best]} wins")
    )
