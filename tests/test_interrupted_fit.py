"""Ctrl-C at any moment of learning leaves the model that was there before, to the last bit."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from spheresn import ESNClassifier, ESNFieldForecaster, ESNForecaster, ESNRegressor, datasets
from spheresn.forecasting import SeriesForecaster

# A signal that arrives inside a callback of the interpreter cannot be raised there, and is shown
pytestmark = [
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::spheresn.estimators.forecaster.OutOfRange"),
]

TIMES = 12  # moments of each change; `make faults` tries more
wave = datasets.mso(400)
other = np.cos(0.7 * np.arange(400.0)) + 0.1 * np.ravel(datasets.mso(400))
rows = datasets.white_noise(900, rng=1)
delayed = np.roll(rows, 2, axis=0)[:, 0]
field = datasets.lorenz96(260, 8, rng=0)
cases = [np.sin(w * np.arange(50.0) + p)[:, None] for p in range(6) for w in (0.3, 0.5)]
more = [np.cos(w * np.arange(50.0) + p)[:, None] for p in range(6) for w in (0.3, 0.5)]


class Attack(NamedTuple):
    """A model, what changes it, and what it answers."""

    new: Callable[[], Any]
    first: Callable[[Any], Any]
    change: Callable[[Any], Any]
    answer: Callable[[Any], Any]


def _forecaster() -> ESNForecaster:
    return ESNForecaster(20, memory=5.0, bend=0.5, noise=1e-4, random_state=0, verbose=False)


def _series() -> SeriesForecaster:
    return SeriesForecaster(season=None, horizon=2, verbose=False)


ATTACKS = {
    "forecaster, fit": Attack(
        _forecaster,
        lambda m: m.fit(wave, exogenous=rows[:400]),
        lambda m: m.fit(1e3 + 50.0 * other, exogenous=3.0 * rows[400:800]),
        lambda m: m.forecast(20, exogenous=np.ones((20, 1))),
    ),
    "forecaster, update": Attack(
        _forecaster,
        lambda m: m.fit(wave[:300]),
        lambda m: m.update(np.tile(wave[300:], (2000, 1))),
        lambda m: m.forecast(20),
    ),
    "regressor, fit": Attack(
        lambda: ESNRegressor(units=20, random_state=0),
        lambda m: m.fit(rows, delayed),
        lambda m: m.fit(1e3 * rows[::-1], np.stack([delayed, rows[:, 0]], axis=1)),
        lambda m: m.predict(rows[:50]),
    ),
    "regressor, partial_fit": Attack(
        lambda: ESNRegressor(units=20, memory=3.0, bend=0.5, random_state=0),
        lambda m: m.partial_fit(rows, delayed).partial_fit(rows, delayed),
        lambda m: m.partial_fit(np.tile(rows, (100, 1)), np.tile(delayed**3, 100)),
        lambda m: (m.predict(rows[:50]), m.state_, m.penalty_),
    ),
    "classifier of series, fit": Attack(
        lambda: ESNClassifier(units=30, random_state=0),
        lambda m: m.fit(cases, [0, 1] * 6),
        lambda m: m.fit(more, ["a", "b", "c"] * 4),
        lambda m: (m.predict(cases), m.predict_proba(cases)),
    ),
    "classifier of series, partial_fit": Attack(
        lambda: ESNClassifier(units=30, random_state=0),
        lambda m: m.partial_fit(cases, [0, 1] * 6),
        lambda m: m.partial_fit(more, [1, 0] * 6),
        lambda m: m.predict_proba(cases),
    ),
    "classifier of steps, partial_fit": Attack(
        lambda: ESNClassifier(units=20, memory=3.0, bend=0.5, random_state=0),
        lambda m: m.partial_fit([rows], [delayed > 0.0]),
        lambda m: m.partial_fit([rows[::-1]] * 20, [delayed > 0.5] * 20),
        lambda m: m.predict_proba([rows[:50]]),
    ),
    "field, fit": Attack(
        lambda: ESNFieldForecaster(20, patch=2, halo=2, memory=1.0, bend=1.0, random_state=0),
        lambda m: m.fit(field[:200]),
        lambda m: m.fit(100.0 + 3.0 * field[:250, :6]),
        lambda m: m.forecast(5),
    ),
    "field, update": Attack(
        lambda: ESNFieldForecaster(20, patch=2, halo=2, memory=1.0, bend=1.0, random_state=0),
        lambda m: m.fit(field[:200]),
        lambda m: m.update(np.tile(field[200:], (50, 1))),
        lambda m: m.forecast(5),
    ),
    "series, fit": Attack(
        _series,
        lambda m: m.fit(wave[:18]),
        lambda m: m.fit(-1e3 - other[:16]),
        lambda m: (m.forecast().mean, m.forecast().upper, m.describe()),
    ),
    "series, a forecast beyond the horizon": Attack(
        _series,
        lambda m: m.fit(wave[:18]),
        lambda m: m.forecast(5),
        lambda m: (m.forecast().mean, m.forecast().upper, m.describe()),
    ),
}


def interrupted(call: Callable[[], Any], after: float) -> None:
    """Call, and `after` so many seconds send a real signal that does what Ctrl-C does."""
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, after)
        call()
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        time.sleep(0.0)  # a signal that is already here is raised here, inside `try`
    except KeyboardInterrupt:
        pass
    signal.signal(signal.SIGALRM, before)


def bits(answer: Any) -> bytes:
    parts = answer if isinstance(answer, tuple) else (answer,)
    return b"|".join(np.asarray(part).tobytes() for part in parts)


def seconds(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


@pytest.mark.parametrize("name", ATTACKS)
def test_interrupted_at_any_moment_a_model_is_the_old_one_or_the_new_one(name):
    new, first, change, answer = ATTACKS[name]

    def asked() -> Any:
        """A model that has answered once, as those that survive an attack have."""
        model = first(new())
        answer(model)
        return model

    old, changed = asked(), asked()
    was = bits(answer(old))
    change(asked())  # from here on everything is compiled and imported
    lasts = seconds(lambda: change(changed))
    will = bits(answer(changed))
    stayed = 0
    for after in np.linspace(1e-4, lasts, TIMES):
        interrupted(lambda: change(old), after)  # noqa: B023 - called at once
        found = bits(answer(old))
        assert found in (was, will)
        stayed += found == was
        if found != was:
            old = asked()
    assert stayed > 0


@pytest.mark.parametrize("name", [name for name in ATTACKS if name.endswith(", fit")])
def test_interrupted_in_its_first_fit_a_model_is_not_fitted(name):
    new, first, _, answer = ATTACKS[name]
    lasts = seconds(lambda: first(new()))
    whole = bits(answer(first(new())))
    unfitted = 0
    for after in np.linspace(1e-4, lasts, TIMES):
        model = new()
        interrupted(lambda: first(model), after)  # noqa: B023 - called at once
        try:
            assert bits(answer(model)) == whole
        except NotFittedError:
            unfitted += 1
    assert unfitted > 0


def test_what_a_stream_left_to_solve_is_solved_whole_or_later():
    def make() -> ESNRegressor:
        return ESNRegressor(200, memory=3.0, bend=0.5, random_state=0).partial_fit(rows, delayed)

    whole = bits(make().predict(rows[:50]))
    lasts = seconds(lambda: make().predict(rows[:50]))
    for after in np.linspace(1e-4, lasts, TIMES):
        model = make()
        interrupted(lambda: model.predict(rows[:50]), after)  # noqa: B023 - called at once
        assert bits(model.predict(rows[:50])) == whole


def test_a_fit_that_fails_at_its_end_changes_nothing(monkeypatch):
    model = _forecaster().fit(wave)
    before = dict(vars(model))
    monkeypatch.setattr(ESNForecaster, "_be_at", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        model.fit(100.0 * other)
    assert vars(model) == before


def test_a_forecast_does_not_change_the_model():
    model = _series().fit(wave[:60])
    before = dict(vars(model))
    few = model.forecast(2).mean
    model.forecast(8)
    assert all(value is before[name] for name, value in vars(model).items())
    assert bits(model.forecast(2).mean) == bits(few)
