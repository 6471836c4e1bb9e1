"""The same panel on a real Dask cluster, one worker of which is killed on the way."""

import signal

import numpy as np
import pandas as pd
import pytest

from dask_cluster import cluster
from spheresn.forecasting import PanelForecaster
from test_panel import frames_in, in_files, noisy, panel

distributed = pytest.importorskip("distributed")


def test_a_cluster_gives_the_same_numbers_though_a_worker_is_killed(tmp_path):
    frame = panel(noisy(9, 40))
    folder = in_files(frame, tmp_path / "shops", parts=3)
    here = PanelForecaster(season=None, horizon=3, verbose=False).fit(folder)
    expected = frames_in(here.forecast_files(tmp_path / "here"))
    stages = []
    with (
        cluster(tmp_path / "cluster") as (address, (_, worker, _)),
        distributed.Client(address, set_as_default=False) as client,
    ):

        def kill_once(stage):
            stages.append(stage)
            if len(stages) == 4:
                worker.send_signal(signal.SIGKILL)

        model = PanelForecaster(season=None, horizon=3, verbose=False)
        model.fit(folder, client=client, report=kill_once)
        found = frames_in(model.forecast_files(tmp_path / "there"))
        memory = PanelForecaster(season=None, horizon=3, verbose=False).fit(frame, client=client)
    assert len(stages) == 14  # seven readouts, learned twice
    for name in ("mean", "lower", "upper"):
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-10, atol=1e-10)
    alone = PanelForecaster(season=None, horizon=3, verbose=False).fit(frame)
    pd.testing.assert_frame_equal(
        memory.forecast(6).to_frame(), alone.forecast(6).to_frame(), rtol=1e-10
    )
