"""What the page "In the browser" loads: the forecaster of the example, and onnxruntime-web.

    python docs/browser.py

writes build/browser/in-the-browser, which `make docs` puts into the site. The runtime comes from
npm, is compared with the digest below, and does not enter the repository. Without npm the page says
that its runtime is missing.
"""

from __future__ import annotations

import base64
import hashlib
import runpy
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
FOLDER = HERE.parent / "build" / "browser" / "in-the-browser"
PACKAGE, VERSION = "onnxruntime-web", "1.30.0"
# sha512 of the package, as its registry gives it
DIGEST = "q0y+JrrtukXSzsBWEMccVfqX25LRmosXHF+CaRJmg8pZClzcV7svNc4rKY3jL02Vb7QmRMDs1SigqR4CXAfKYQ=="
FILES = ("ort.wasm.bundle.min.mjs", "ort-wasm-simd-threaded.wasm")


def fetch(folder: Path) -> None:
    """The files of the runtime."""
    with tempfile.TemporaryDirectory() as place:
        command = ["npm", "pack", f"{PACKAGE}@{VERSION}", "--pack-destination", place]
        subprocess.run(command, check=True, capture_output=True)
        (archive,) = Path(place).glob("*.tgz")
        unpack(archive, folder, DIGEST)


def unpack(archive: Path, folder: Path, digest: str) -> None:
    """FILES from an archive with this digest."""
    found = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    if found != digest:
        raise SystemExit(f"{archive.name} is not the package that was tested: sha512 {found}")
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive) as package:
        for name in FILES:
            content = package.extractfile(f"package/dist/{name}")
            assert content is not None  # all of them are files
            (folder / name).write_bytes(content.read())


def main() -> None:
    runtime = FOLDER / "runtime"
    if not all((runtime / name).is_file() for name in FILES):
        if shutil.which("npm") is None:
            print("npm is not installed: the page 'In the browser' has no runtime")
            return
        fetch(runtime)
    sys.argv = ["in_the_browser.py", "--out", str(FOLDER)]
    runpy.run_path(str(HERE.parent / "examples" / "in_the_browser.py"), run_name="__main__")


if __name__ == "__main__":
    main()
