"""Optuna chooses memory, bend and penalty for NARMA-10; its study lies beside the results of
`spheresn reproduce`. Run again, it goes on.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib
import optuna

import spheresn as sn

matplotlib.use("Agg")
import matplotlib.pyplot as plt

SIGNAL, TARGET = sn.datasets.narma(4000, 0)
TRAIN = 3000


def error(trial: optuna.Trial) -> float:
    """NRMSE on the last rows of a network that learned the first ones."""
    model = sn.ESNRegressor(
        units=100,
        topology="ring",
        bias_ratio=3.0,
        memory=trial.suggest_float("memory", 2.0, 60.0, log=True),
        bend=trial.suggest_float("bend", 0.0, 1.0),
        penalty=trial.suggest_float("penalty", 1e-9, 1e-1, log=True),
        random_state=0,
    )
    return sn.metrics.nrmse(
        TARGET[TRAIN:], model.fit(SIGNAL[:TRAIN], TARGET[:TRAIN]).predict(SIGNAL)[TRAIN:]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"))
    parser.add_argument("--trials", type=int, default=60)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    storage = f"sqlite:///{given.out / 'optuna.sqlite'}"
    study = optuna.create_study(
        storage=storage,
        study_name="narma",
        load_if_exists=True,
        sampler=optuna.samplers.TPESampler(seed=0),
    )
    # A memory out of reach is a failed trial, not an end
    study.optimize(error, given.trials, catch=(ValueError,))

    done = study.get_trials(states=[optuna.trial.TrialState.COMPLETE])
    memories, bends = ([trial.params[name] for trial in done] for name in ("memory", "bend"))
    figure, axes = plt.subplots(figsize=(5.8, 3.6), layout="constrained")
    dots = axes.scatter(memories, bends, c=[trial.value for trial in done], cmap="viridis_r", s=30)
    axes.plot(
        study.best_params["memory"],
        study.best_params["bend"],
        "o",
        ms=14,
        mfc="none",
        mec="#D55E00",
        mew=2,
        label="best",
    )
    axes.set(
        xscale="log",
        xlim=(1.8, 66),
        xlabel="memory (steps)",
        ylabel="bend",
        title=f"NARMA-10: {len(done)} trials",
    )
    axes.set_xticks([2, 5, 10, 20, 50], ["2", "5", "10", "20", "50"], minor=False)
    axes.minorticks_off()
    axes.legend(frameon=False)
    figure.colorbar(dots, label="error on later rows (NRMSE)")
    figure.savefig(given.out / "choose_with_optuna.png", dpi=110)
    print(
        f"{len(done)} trials in {given.out / 'optuna.sqlite'}; best error {study.best_value:.3f} "
        f"at {study.best_params}"
    )


if __name__ == "__main__":
    main()
