"""Next generation reservoir computing (Gauthier, Bollt, Griffith, Barbosa 2021): ridge regression
of the change of a row on the monomials of this row and the one before.

The weights come from the singular value decomposition of the centred feature matrix, not from its
Gram matrix, which would square the condition number. The penalty is chosen by free runs over rows
that were held out.
"""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np

Floats = np.ndarray
PENALTIES = 10.0 ** np.arange(-28.0, 1.0, 2.0)  # times the largest squared singular value
WINDOWS, LENGTH = 8, 400  # held-out free runs, and most rows of one
FEATURES = 2500  # more are not affordable
SMALLEST = 1e-15  # an error that counts as none


class NextGeneration:
    """NG-RC of some degree with `delays` rows, each `skip` rows before the next."""

    def __init__(self, train: Floats, degree: int, delays: int = 2, skip: int = 1) -> None:
        self.past = np.arange(delays) * skip  # rows back, newest first
        self.reach = int(self.past[-1])
        width = delays * train.shape[1]
        self.powers = [
            np.array(list(combinations_with_replacement(range(width), k)))
            for k in range(1, degree + 1)
        ]
        count = sum(map(len, self.powers))
        if count > FEATURES:
            raise ValueError(f"features must be at most {FEATURES}, got {count}; lower the degree")
        self.train = train
        self.penalty = self.choose(train)
        self.weights, self.offset = (one[0] for one in self.solve(train, [self.penalty]))

    def features(self, history: Floats) -> Floats:
        """Monomials (..., F) of histories (..., rows, d), whose last rows count."""
        lines = history[..., history.shape[-2] - 1 - self.past, :]
        line = lines.reshape(*history.shape[:-2], -1)
        return np.concatenate([line[..., power].prod(axis=-1) for power in self.powers], axis=-1)

    def design(self, rows: Floats) -> tuple[Floats, Floats]:
        """Features (T - reach - 1, F) of all rows but the last, and the changes that follow."""
        windows = np.lib.stride_tricks.sliding_window_view(rows[:-1], self.reach + 1, axis=0)
        changes = np.diff(rows, axis=0)[self.reach :]
        return self.features(windows.transpose(0, 2, 1)), changes

    def solve(self, rows: Floats, penalties: Floats | list[float]) -> tuple[Floats, Floats]:
        """Weights (P, F, d) and offsets (P, d), one for each penalty."""
        matrix, changes = self.design(rows)
        middle, mean = matrix.mean(axis=0), changes.mean(axis=0)
        left, sizes, right = np.linalg.svd(matrix - middle, full_matrices=False)
        turned = left.T @ (changes - mean)
        shares = sizes / (sizes**2 + np.asarray(penalties)[:, None] * sizes[0] ** 2)
        weights = right.T @ (shares[:, :, None] * turned)
        return weights, mean - middle @ weights

    def choose(self, train: Floats) -> float:
        """The penalty whose free runs over the last quarter of the rows stay closest."""
        cut = 3 * len(train) // 4
        steps = min(LENGTH, (len(train) - cut) // 2)
        starts = np.linspace(cut, len(train) - steps, WINDOWS).astype(int)
        weights, offset = self.solve(train[:cut], PENALTIES)
        history = np.array([train[start - self.reach - 1 : start] for start in starts])
        history = np.broadcast_to(history, (len(PENALTIES), *history.shape))
        truth = np.array([train[start : start + steps] for start in starts])
        worst = np.full(history.shape[:2], SMALLEST)
        scores = np.zeros(len(PENALTIES))
        with np.errstate(all="ignore"):  # runs that leave the range lose by their score
            for step in range(steps):
                change = self.features(history) @ weights + offset[:, None]
                rows = np.clip(history[:, :, -1] + change, -1e6, 1e6)
                history = np.concatenate([history[:, :, 1:], rows[:, :, None]], axis=2)
                error = np.sqrt(((rows - truth[:, step]) ** 2).mean(axis=2))
                worst = np.fmax(worst, np.where(np.isfinite(error), error, 1.0))
                scores -= np.log(np.minimum(worst, 1.0)).mean(axis=1)
        return float(PENALTIES[int(np.argmax(scores))])

    def predict(self, history: Floats) -> Floats:
        """The row (d,) after a history (rows, d)."""
        return history[-1] + self.features(history) @ self.weights + self.offset

    def forecast(self, context: Floats, steps: int) -> Floats:
        """Rows (steps, d) after the training rows and the context (k, d)."""
        past = np.concatenate([self.train, context])[-self.reach - 1 :]
        path = np.concatenate([past, np.full((steps, past.shape[1]), np.nan)])
        with np.errstate(all="ignore"):
            for place in range(len(past), len(path)):
                path[place] = self.predict(path[place - len(past) : place])
                if not np.isfinite(path[place]).all():
                    break
        return path[len(past) :]
