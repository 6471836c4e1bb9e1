"""What was chosen for the other methods, by the systems of the development half alone: for each
noise and both kinds of columns the setting with the longest valid times (`python -m noise.choose`).
That is more than the methods get that have one setting for everything; ours is one of these.
"""

SETTINGS: dict[str, dict[tuple[str, float], tuple[float, ...]]] = {
    "reservoirpy bias, smoothed": {("all", 0.01): (7, 3)},
    "NG-RC": {("all", 0.01): (3, 2, 1)},
    "ensemble Kalman filter": {("all", 0.01): (1.0, 0.01)},
}
