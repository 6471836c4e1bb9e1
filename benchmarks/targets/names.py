"""The names of the methods."""

OURS, EARLIER = "spheresn", "spheresn 0.2.0"
SPHERE, TANH = "best sphere of a grid", "best tanh of a grid"
PEER, LAGS = "reservoirpy, searched", "ridge on lagged products"
