"""Models on disk: safetensors with a JSON header. Nothing is unpickled and no code runs on loading."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from . import _checks
from .activations import Linear, OnSphere, Tanh
from .estimators import ESNClassifier, ESNForecaster, ESNRegressor
from .estimators.closed import ClosedLoop
from .estimators.stream import Frame, Scaler
from .readout import Quadratic, Weights
from .reservoir import Reservoir
from .topology import Dense, Rotation, Shift, Sparse

FORMAT = 1
KINDS: dict[str, type] = {kind.__name__: kind for kind in (ESNRegressor, ESNForecaster, ESNClassifier)}
