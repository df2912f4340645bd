"""Build the wheel and the sdist, check what is in them, install the wheel into an empty environment and use it.

    make package
    python tools/check_package.py --keep dist

The wheel is built twice, from this folder and from the sdist, and has to be the same. The environment gets the core
alone; in it runs `tests/core_only.py`. It needs build and twine, and pip's access to a package index.
"""

from __future__ import annotations

import argparse
import email
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from latticework.cli.output import working

ROOT = Path(__file__).parents[1]
#: What the core needs, and what `venv` brings along.
CORE = {"latticework", "ml_dtypes", "numpy"}
BROUGHT = {"pip", "setuptools"}
#: What a wheel has at its top, beside the folder of its metadata.
PACKAGE = "latticework"
#: What the sdist has that is not in the repository.
ADDED = {"PKG-INFO"}


# --- what is in the files --------------------------------------------------------------------------------------------


def contents(path: Path) -> dict[str, bytes]:
    """Read a wheel or an sdist: the files by name, those of an sdist without the folder that it unpacks to."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            return {name: wheel.read(name) for name in wheel.namelist() if not name.endswith("/")}
    found = {}
    with tarfile.open(path) as sdist:
        for member in sdist.getmembers():
            if member.isfile() and (file := sdist.extractfile(member)) is not None:
                found[member.name.partition("/")[2]] = file.read()
    return found


def wheel_problems(wheel: Mapping[str, bytes], source: Iterable[str]) -> list[str]:
    """Compare a wheel with the files of the package.

    Parameters
    ----------
    wheel: the files of the wheel by name.
    source: the names of the package's files, as they are in src/.
    """
    source, found = {*source}, {*wheel}
    info = {name for name in found if name.partition("/")[0].endswith(".dist-info")}
    problems = [f"the wheel lacks {name}" for name in sorted(source - found)]
    problems += [f"the wheel has {name}, which is no file of the package" for name in sorted(found - source - info)]
    ends = {name.partition("/")[2] for name in info}
    wanted = {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"}
    problems += [f"the wheel's metadata lacks {name}" for name in sorted(wanted - ends)]
    return problems + [p for name in info if name.endswith("/METADATA") for p in metadata_problems(wheel[name])]


def metadata_problems(text: bytes) -> list[str]:
    """Check that the core needs NumPy and ml_dtypes alone, and that every other requirement is of an extra."""
    metadata = email.message_from_bytes(text)
    requirements = metadata.get_all("Requires-Dist") or []
    always = {line.partition(">")[0].strip().replace("-", "_") for line in requirements if "extra ==" not in line}
    others = sorted(always - (CORE - {PACKAGE}))
    fields = ("Summary", "License-Expression", "Requires-Python")
    return [
        *(f"the core requires {name}" for name in others),
        *(f"the metadata lacks {field}" for field in fields if not metadata[field]),
    ]


def sdist_problems(sdist: Iterable[str], tracked: Iterable[str]) -> list[str]:
    """Compare an sdist with the files of the repository.

    Parameters
    ----------
    sdist: the names of the files of the sdist.
    tracked: the names of the files that the repository keeps; none where this is no repository.
    """
    sdist, tracked = {*sdist}, {*tracked}
    wanted = {"LICENSE", "README.md", "pyproject.toml", "constraints.txt", "Makefile", "tests/conftest.py"}
    problems = [f"the sdist lacks {name}" for name in sorted(wanted - sdist)]
    if tracked:
        needed = {name for name in tracked if name.startswith(("src/", "tests/", "docs/"))}
        problems += [f"the sdist lacks {name}" for name in sorted(needed - sdist)]
        strange = sorted(sdist - tracked - ADDED)
        problems += [f"the sdist has {name}, which the repository does not keep" for name in strange]
    return problems


def differences(one: Mapping[str, bytes], two: Mapping[str, bytes]) -> list[str]:
    """Compare the wheel that was built here with the one from the sdist."""
    apart = sorted(name for name in one.keys() & two.keys() if one[name] != two[name])
    return [
        *(f"{name} is in one of the two wheels alone" for name in sorted(one.keys() ^ two.keys())),
        *(f"{name} differs between the wheel and the one from the sdist" for name in apart),
    ]


def tracked() -> list[str]:
    """List the files that the repository keeps; none where this is no repository, as in an unpacked sdist."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def package_files() -> list[str]:
    """List the files of the package, as a wheel names them."""
    return [
        str(path.relative_to(ROOT / "src"))
        for path in (ROOT / "src" / PACKAGE).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    ]


# --- building and using ----------------------------------------------------------------------------------------------


def run(*command: str | Path) -> str:
    """Run a command and return what it printed.

    Raises
    ------
    SystemExit: it failed; its output is printed.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [*map(str, command)], cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        check=False,
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"{done.stdout}\nthis failed: {' '.join(map(str, command))}")
    return done.stdout


def build(folder: Path) -> tuple[Path, Path, Path]:
    """Build the sdist, the wheel from it, and the wheel from this folder; return their paths."""
    run(sys.executable, "-m", "build", "--outdir", folder / "dist", ROOT)
    run(sys.executable, "-m", "build", "--wheel", "--outdir", folder / "direct", ROOT)
    (sdist,) = (folder / "dist").glob("*.tar.gz")
    (wheel,), (direct,) = ((folder / name).glob("*.whl") for name in ("dist", "direct"))
    return sdist, wheel, direct


def install(wheel: Path, folder: Path) -> Path:
    """Install the wheel into an empty environment; return that one's Python."""
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-c", ROOT / "constraints.txt", wheel)
    return python


def use(python: Path) -> list[str]:
    """Run the program of the core where the wheel was installed, and find what is wrong with that environment."""
    listed = run(python, "-m", "pip", "list", "--format=freeze", "--disable-pip-version-check").split()
    names = {line.partition("==")[0].replace("-", "_") for line in listed}
    extra, lacking = sorted(names - CORE - BROUGHT), sorted(CORE - names)
    run(python, "-m", "pip", "check")
    imported = run(python, "-I", "-c", f"import {PACKAGE}; print({PACKAGE}.__file__)").strip()
    outside = [] if Path(imported).is_relative_to(python.parents[1]) else [f"{imported} was imported, not the wheel"]
    run(python, "-I", ROOT / "tests" / "core_only.py")
    return outside + [f"pip installed {n}" for n in extra] + [f"pip did not install {n}" for n in lacking]


def main() -> int:
    """Build, check, install and use; 0 where nothing is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=Path, help="a folder to put the wheel and the sdist into, if they are right")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, working("Checking the package", 4) as step:
        folder = Path(name)
        step("building the sdist and two wheels")
        sdist, wheel, direct = build(folder)
        step("looking into them")
        run(sys.executable, "-m", "twine", "check", "--strict", sdist, wheel)
        files = contents(wheel)
        problems = wheel_problems(files, package_files())
        problems += sdist_problems(contents(sdist), tracked()) + differences(contents(direct), files)
        step("installing into an empty environment")
        python = install(wheel, folder / "environment")
        step("using it there")
        problems += use(python)
        if options.keep and not problems:
            options.keep.mkdir(parents=True, exist_ok=True)
            for path in (sdist, wheel):
                shutil.copy(path, options.keep)
    print(*problems, sep="\n", end="\n" * bool(problems))
    print(f"{wheel.name} and {sdist.name}: {f'{len(problems)} problems' if problems else 'as they should be'}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
