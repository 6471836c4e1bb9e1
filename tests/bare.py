"""The library without its extras: every module imports, a model fits and forecasts, it is saved,
loaded and measured, and the command `spheresn` says what to install.

`make dist` runs this file where only the bare wheel is installed. The tests hide the extras.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import find_spec
from pathlib import Path
from typing import Any


def hide(*packages: str) -> None:
    """From now on, this process finds none of these packages."""
    find = PathFinder.find_spec

    def find_others(name: str, *arguments: Any, **options: Any) -> Any:
        hidden = name.partition(".")[0] in packages
        return None if hidden else find(name, *arguments, **options)

    PathFinder.find_spec = staticmethod(find_others)


def use_library() -> None:
    """Import all of the library, nothing of applications and adapters; fit, forecast, save, load
    and measure.
    """
    import spheresn as sn

    folder = Path(sn.__file__).parent
    for path in folder.rglob("*.py"):
        parts = path.relative_to(folder).with_suffix("").parts
        if parts[0] not in ("apps", "adapters", "__main__", "__init__"):
            import_module(".".join(["spheresn", *parts]).removesuffix(".__init__"))
    series = sn.datasets.lorenz(1500)
    model = sn.ESNForecaster(units=50, random_state=0).fit(series)
    ahead = model.forecast(20)
    assert ahead.shape == (20, 3) and abs(ahead).max() < 100.0
    with tempfile.TemporaryDirectory() as place:
        sn.save(model, Path(place, "m.spheresn"))
        assert (sn.load(Path(place, "m.spheresn")).forecast(20) == ahead).all()
    signal = model.scaler_.forward(series)
    found = sn.analysis.lyapunov_spectrum(model.reservoir_, signal, 2, 200)
    assert (found.exponents < 0.0).all(), found
    apart = ("spheresn.apps.", "spheresn_paper", "spheresn_explorer")
    applications = [name for name in sys.modules if name.startswith(apart)]
    assert not applications, applications


def ask_command() -> None:
    """The command answers with one sentence, by both of its names."""
    from spheresn.apps._extras import EXTRAS

    installed = [name for names in EXTRAS.values() for name in names if find_spec(name)]
    assert not installed, f"the library must not install {', '.join(installed)}"
    wanted = f"must find the packages {', '.join(EXTRAS['app'])}, got none; "
    sentence = f"spheresn: spheresn {wanted}pip install 'spheresn[app]'\n"
    script = Path(sys.executable).with_name("spheresn")
    for command in ([script], [sys.executable, "-m", "spheresn"]):
        run = subprocess.run([*command, "--help"], capture_output=True, text=True)
        assert (run.returncode, run.stdout, run.stderr) == (2, "", sentence), run


if __name__ == "__main__":
    use_library()
    ask_command()
    print("the library works without its extras")
