"""Settings as Python code that makes the same numbers with the library alone."""

from __future__ import annotations

from .compute import EXPONENTS, Cut, Drive
from .settings import Settings
from .signals import Source

TEMPLATE = """\
{imports}
series = {series}
train, truth = series[:{train}], series[{train}:]
model = sn.ESNForecaster(
    units={units}, activation={activation!r}, topology={topology!r},{bend}
    {drive}, bias_ratio={bias}, leak={leak}, random_state={seed},
).fit(train)
reservoir, signal = model.reservoir_, model.scaler_.forward(series)

# 1. The trajectory along its three leading principal components
states = sn.drive(reservoir, signal)
centred = states[{skip}:] - states[{skip}:].mean(axis=0)
trajectory = centred @ np.linalg.svd(centred, full_matrices=False)[2][:3].T

# 2. Memory: how well the signal is recalled, by delay
delays = {delays}
curve = sn.analysis.memory_curve(states, signal, delays, washout={skip})

# 3. Lyapunov exponents per step, and the echo state
probe = signal[:{probe}]
spectrum = sn.analysis.lyapunov_spectrum(reservoir, probe, count={count}, transient={skip})
echo = sn.analysis.echo_state(reservoir, probe, transient={skip})

# 4. A free-running forecast
forecast = model.forecast(len(truth))
valid = sn.metrics.valid_time(truth, forecast)

print(f"leading exponent {{spectrum.exponents[0]:.3f}} per step")
print(f"echo state {{echo.verdict}}: {{echo.reason}}")
print(f"the forecast is valid for {{valid:.0f}} steps")
"""


def python_of(settings: Settings, source: Source, rows: int, drive: Drive | None) -> str:
    """A script. `drive` is what was found for a tanh network, because its memory alone does not fix
    its drive.
    """
    cut = Cut(rows)
    own = source.code.startswith("table_from")
    imports = [
        "import numpy as np\n",
        "import spheresn as sn",
        *(["from spheresn_explorer.signals import table_from"] if own else []),
    ]
    spherical = settings.activation == "spherical"
    directions = settings.units - spherical
    return TEMPLATE.format(
        imports="\n".join(imports) + "\n",
        series=source.code,
        train=cut.train,
        units=settings.units,
        activation=settings.activation,
        topology=settings.topology,
        bend=f" bend={settings.bend}," if spherical else "",
        drive=_drive_text(settings, drive),
        bias=settings.bias,
        leak=settings.leak,
        seed=settings.seed,
        skip=cut.skip,
        delays=_delays_text(cut),
        probe=cut.probe,
        count=min(EXPONENTS, directions),
    )


def _drive_text(settings: Settings, drive: Drive | None) -> str:
    if settings.drive == "scaling":
        return f"spectral_radius={settings.spectral_radius}, input_scaling={settings.input_scaling}"
    # For tanh, `fit` would also choose how far the spectral radius lies above e^(-1/memory).
    if settings.activation == "tanh" and drive is not None:
        return f"spectral_radius={drive.spectral_radius!r}, input_scaling={drive.input_scaling!r}"
    return f"memory={settings.memory}"


def _delays_text(cut: Cut) -> str:
    """All delays, as short as they can be written."""
    longest = cut.delays[-1]
    if longest < 100:
        return str(cut.delays)
    return f"[*range(21), *range(22, 50, 2), *range(50, 100, 5), *range(100, {longest + 1}, 10)]"
