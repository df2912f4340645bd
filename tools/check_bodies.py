"""Check with mypy the files that have a stub beside them: mypy reads the stub in their place.

    python tools/check_bodies.py

It runs on a copy of src without stubs. The exit code is mypy's.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main() -> int:
    """Run mypy; 0 where it finds nothing."""
    with tempfile.TemporaryDirectory() as folder:
        src = Path(folder) / "src"
        shutil.copytree(ROOT / "src", src, ignore=shutil.ignore_patterns("*.pyi", "__pycache__"))
        command = [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml"]
        command += ["--cache-dir", ROOT / ".mypy_cache" / "bodies"]
        paths = {"MYPYPATH": str(src), "PYTHONPATH": str(src)}
        return subprocess.run(command, cwd=folder, env=os.environ | paths, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
