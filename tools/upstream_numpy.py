"""NumPy's own tests, as they come in its wheel, for `tools/upstream.py`: a part is a module of them.

`upstream_numpy_plugin.py` loads the modules with the dialect in NumPy's place. Modules that are about nothing but what
a dialect of arrays does not have are listed here. Which tests of the others need what is out, the plugin's rules tell.
"""

from __future__ import annotations

import os
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from upstream import Suite

#: Where NumPy has tests, as folders and as the names of our parts.
FOLDERS = {"_core": "core", "lib": "lib", "linalg": "linalg", "fft": "fft", "random": "random"}

#: Why -> modules that are wholly about what is out.
OUT = {
    "NumPy's C code, and what is built on it": """
        core.test__exceptions core.test_argparse core.test_array_interface core.test_arraymethod
        core.test_casting_unittests core.test_conversion_utils core.test_cpu_dispatcher core.test_cpu_features
        core.test_custom_dtypes core.test_cython core.test_extint128 core.test_hashtable core.test_limited_api
        core.test_mem_policy core.test_print core.test_simd core.test_simd_module random.test_extending
    """,
    "objects, strings, dates, records, long doubles": """
        core.test_datetime core.test_defchararray core.test_longdouble core.test_records core.test_stringdtype
        core.test_strings core.test_unicode lib.test_recfunctions
    """,
    "memory, threads, files, protocols, and NumPy as a package": """
        core.test_mem_overlap core.test_memmap core.test_multiprocessing core.test_multithreading core.test_nditer
        core.test_overrides lib.test__datasource lib.test__iotools lib.test__version lib.test_arrayterator
        lib.test_format lib.test_mixins lib.test_utils
    """,
    "dtypes and scalars, which are NumPy's own in the dialect": """
        core.test_abc core.test_casting_floatingpoint_errors core.test_dtype core.test_errstate core.test_finfo
        core.test_getlimits core.test_numerictypes core.test_scalar_ctors core.test_scalar_methods
        core.test_scalarbuffer core.test_scalarinherit core.test_scalarmath core.test_scalarprint
    """,
    "streams of random numbers, which NumPy itself draws": """
        random.test_direct random.test_generator_mt19937_regressions random.test_random random.test_randomstate
        random.test_randomstate_regression random.test_regression random.test_seed_sequence random.test_smoke
    """,
}


def _folder() -> Path:
    spec = find_spec("numpy")
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0])


def module(part: str) -> Path:
    """The file of a part."""
    short, _, name = part.partition(".")
    folder = next(folder for folder, part in FOLDERS.items() if part == short)
    return _folder() / folder / "tests" / f"{name}.py"


def parts() -> list[str]:
    """The modules that are not out."""
    out = {name for names in OUT.values() for name in names.split()}
    found = [
        f"{short}.{path.stem}"
        for folder, short in FOLDERS.items()
        for path in sorted((_folder() / folder / "tests").glob("test_*.py"))
    ]
    return [name for name in found if name not in out]


def command(part: str, backend: str, report: Path) -> list[str]:
    """What Python runs for a part."""
    plugin = ["-p", "upstream_numpy_plugin", "-p", "no:cacheprovider", "-p", "no:xdist"]
    told = [f"--upstream-part={part}", f"--upstream-backend={backend}", f"--upstream-report={report}"]
    quiet = ["-q", "--tb=no", "-W", "ignore", "--continue-on-collection-errors", "--color=no"]
    path = module(part)
    return ["-m", "pytest", "-c", os.devnull, f"--rootdir={path.parents[3]}", *plugin, *told, *quiet, str(path)]


SUITE = Suite(
    name="numpy",
    version=lambda: version("numpy"),
    parts=parts,
    command=command,
    files=("upstream_numpy.py", "upstream_numpy_plugin.py", "upstream_tests.py"),
)
