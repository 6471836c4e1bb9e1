"""What was chosen for the other methods, by the systems of the development half alone: for each
noise and both kinds of columns the setting with the longest valid times (`python -m noise.choose`).
That is more than the methods get that have one setting for everything; ours is one of these.
"""

SETTINGS: dict[str, dict[tuple[str, float], tuple[float, ...]]] = {
    "reservoirpy bias, smoothed": {
        ("all", 0.0): (1, 0),
        ("all", 0.01): (5, 2),
        ("all", 0.05): (9, 3),
        ("all", 0.1): (9, 3),
        ("first", 0.0): (1, 0),
        ("first", 0.01): (5, 2),
        ("first", 0.05): (9, 3),
        ("first", 0.1): (9, 3),
    },
    "NG-RC": {
        ("all", 0.0): (3, 2, 1),
        ("all", 0.01): (3, 2, 1),
        ("all", 0.05): (3, 2, 1),
        ("all", 0.1): (3, 2, 1),
        ("first", 0.0): (3, 4, 3),
        ("first", 0.01): (3, 4, 3),
        ("first", 0.05): (3, 4, 3),
        ("first", 0.1): (3, 4, 3),
    },
    "ensemble Kalman filter": {
        ("all", 0.0): (1.0, 0.1),
        ("all", 0.01): (1.0, 0.1),
        ("all", 0.05): (1.0, 0.1),
        ("all", 0.1): (1.0, 0.1),
        ("first", 0.0): (1.0, 0.1),
        ("first", 0.01): (1.0, 0.1),
        ("first", 0.05): (1.0, 0.1),
        ("first", 0.1): (1.0, 0.1),
    },
}

NAMES = {
    "reservoirpy bias, smoothed": "rows of a window, order",
    "NG-RC": "degree, rows, distance between them",
    "ensemble Kalman filter": "inflation, drift",
}
