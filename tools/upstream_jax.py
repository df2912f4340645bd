"""JAX's own tests for `tools/upstream.py`: a part is a module of them.

JAX's wheel does not have them. They are files of its repository, at the tag of the version that is installed, and stay
outside of ours: `--jax-tests PATH`, or the environment variable LATTICEWORK_JAX_TESTS, says where their folder is.
`upstream_jax_plugin.py` loads the modules with the dialect in JAX's place.
"""

from __future__ import annotations

import os
from importlib.metadata import version
from pathlib import Path

from upstream import Suite

#: Says where the folder of the tests is.
VARIABLE = "LATTICEWORK_JAX_TESTS"
#: The modules that are run. The others are about transformations, devices and the compiler.
PARTS = ("lax_numpy_test", "nn_test", "random_test", "lax_control_flow_test")
#: How many cases JAX draws for each test of many parameters.
CASES = "10"


def missing() -> str:
    """Why the tests are not there, and how to get them; empty where they are."""
    folder = os.environ.get(VARIABLE, "")
    if folder and all((Path(folder) / f"{part}.py").is_file() for part in PARTS):
        return ""
    lacks = f"there is no {PARTS[0]}.py and kin in {folder!r}" if folder else "it is not said where they are"
    tag = f"jax-v{version('jax')}"
    return (
        f"jax: JAX's tests are not there: {lacks}. Get them with "
        f"`git clone --depth 1 --branch {tag} https://github.com/jax-ml/jax`, and give --jax-tests jax/tests"
    )


def command(part: str, backend: str, report: Path) -> list[str]:
    """What Python runs for a part."""
    if why := missing():
        raise FileNotFoundError(why)
    os.environ.setdefault("JAX_NUM_GENERATED_CASES", CASES)
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    plugin = ["-p", "upstream_jax_plugin", "-p", "no:cacheprovider", "-p", "no:xdist"]
    told = [f"--upstream-part={part}", f"--upstream-backend={backend}", f"--upstream-report={report}"]
    quiet = ["-q", "--tb=no", "-W", "ignore", "--continue-on-collection-errors", "--color=no"]
    path = Path(os.environ[VARIABLE]).resolve() / f"{part}.py"
    return ["-m", "pytest", "-c", os.devnull, f"--rootdir={path.parent}", *plugin, *told, *quiet, str(path)]


SUITE = Suite(
    name="jax",
    version=lambda: version("jax"),
    parts=lambda: [*PARTS],
    command=command,
    files=("upstream_jax.py", "upstream_jax_plugin.py", "upstream_tests.py"),
    missing=missing,
)
