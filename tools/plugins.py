"""Test the packages in plugins/: each is installed into an environment of its own, and runs its tests there.

    make plugins
    make plugins ARGS="mlx -- -k special"

What comes after ``--`` goes to pytest. The environment of a package is made anew when its pyproject.toml changes.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PREFIX = "latticework-"


def packages() -> list[str]:
    """List the packages in plugins/, without the prefix of their names."""
    return sorted(p.parent.name.removeprefix(PREFIX) for p in (ROOT / "plugins").glob(f"{PREFIX}*/pyproject.toml"))


def environment(name: str) -> Path:
    """Return the Python of a package's environment, made and filled if that is needed."""
    folder, package = ROOT / ".venv-plugins" / name, ROOT / "plugins" / f"{PREFIX}{name}"
    python, stamp = folder / "bin" / "python", folder / "installed"
    wanted = (package / "pyproject.toml").read_text(encoding="utf-8")
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        sys.stdout.write(f"Installing into {folder.relative_to(ROOT)}\n")
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*install, "-e", str(ROOT), "-e", f"{package}[test]"], check=True)
        stamp.write_text(wanted, encoding="utf-8")
    return python


def main() -> int:
    """Test the packages that are named, all by default; return 1 if one fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", nargs="*", help=f"{', '.join(packages())}; all of them by default")
    own, _, others = " ".join(sys.argv[1:]).partition("--")
    chosen = parser.parse_args(own.split()).package or packages()
    failed = False
    for name in chosen:
        if name not in packages():
            parser.error(f"there is no package {name!r} in plugins/; there are {', '.join(packages())}")
        tests = ROOT / "plugins" / f"{PREFIX}{name}" / "tests"
        command = [str(environment(name)), "-m", "pytest", "-q", "-c", "/dev/null", "--rootdir", str(tests), str(tests)]
        failed |= subprocess.run([*command, *others.split()], cwd=tests, check=False).returncode != 0
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
