"""Ctrl-C at many moments of learning; the tests of the library try few."""

from __future__ import annotations

import test_interrupted_fit as few

TIMES = 100
pytestmark = few.pytestmark


def test_learning_is_interrupted(attack, monkeypatch):
    """Ctrl-C at a hundred moments of a fit, update or forecast: the old model or the new one.

    None at all, where the fit was the first.
    """
    monkeypatch.setattr(few, "TIMES", TIMES)
    for name in few.ATTACKS:
        with attack.attempt(name):
            few.test_interrupted_at_any_moment_a_model_is_the_old_one_or_the_new_one(name)
        if name.endswith(", fit"):
            with attack.attempt(f"{name}, the first"):
                few.test_interrupted_in_its_first_fit_a_model_is_not_fitted(name)
