"""The libraries whose layer of backends examples/adopters has over latticework: what `adopters.py` needs to know."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Adopter:
    """A library with a layer of backends of its own.

    Attributes
    ----------
    name: its name, which is that of its folder in examples/adopters too.
    repository, commit, version: where its source is, and which of it is taken.
    layer: its files that ours replace, or folders of them.
    modules: the modules that come from our files instead, by their full names.
    variants: the environment variables of each run of its tests.
    tests: the files of tests that are run.
    needs: what its tests import that our environment lacks, for pip.
    installed: whether the source is installed, since it does not run as it lies.
    seeded: the function of the library that starts its random numbers from a seed, as ``module:name.of.it``.
    why: patterns of tests that do not pass with our layer, and the reason of each.
    """

    name: str
    repository: str
    commit: str
    version: str
    layer: tuple[str, ...]
    modules: dict[str, str]
    variants: dict[str, dict[str, str]]
    tests: tuple[str, ...]
    needs: tuple[str, ...] = ()
    installed: bool = False
    seeded: str = ""
    why: dict[str, str] = field(default_factory=dict)


ADOPTERS = (
    Adopter(
        name="geomstats",
        repository="https://github.com/geomstats/geomstats",
        commit="1746a38b086d56e348ba68509d54122ea3d3f5e6",
        version="2.8.0 and later, July 2026",
        layer=("geomstats/_backend/numpy", "geomstats/_backend/pytorch", "geomstats/_backend/_dtype_utils.py"),
        modules={"geomstats._backend.numpy": "", "geomstats._backend.pytorch": ""},
        variants={
            "NumPy": {"GEOMSTATS_BACKEND": "numpy", "MPLBACKEND": "Agg"},
            "PyTorch": {"GEOMSTATS_BACKEND": "pytorch", "MPLBACKEND": "Agg", "SCIPY_ARRAY_API": "1"},
        },
        tests=(
            "tests/tests_geomstats/test_backend",
            "tests/tests_geomstats/test_algebra_utils.py",
            "tests/tests_geomstats/test_integrator.py",
            "tests/tests_geomstats/test_geometry/test_matrices.py",
            "tests/tests_geomstats/test_geometry/test_poincare_ball.py",
            "tests/tests_geomstats/test_geometry/test_grassmannian.py",
            "tests/tests_geomstats/test_geometry/test_pullback_metric.py",
            "tests/tests_geomstats/test_learning/test_frechet_mean.py",
        ),
        needs=("nbconvert", "nbformat"),
        seeded="geomstats.backend:random.seed",
        why={
            "TestPointSetFrechetMean": "points are trees, in arrays of objects, which latticework does not have",
        },
    ),
    Adopter(
        name="pyhf",
        repository="https://github.com/scikit-hep/pyhf",
        commit="b3dc4bb20a5ee8495718bba1efaa86e9f9fce074",
        version="0.8.0.dev, August 2026",
        layer=("src/pyhf/tensor/numpy_backend.py", "src/pyhf/tensor/jax_backend.py"),
        modules={
            "pyhf.tensor.tensor": "tensor.py",
            "pyhf.tensor.numpy_backend": "numpy_backend.py",
            "pyhf.tensor.jax_backend": "jax_backend.py",
        },
        variants={"NumPy and JAX": {}},
        tests=(
            "tests/test_tensor.py",
            "tests/test_backends.py",
            "tests/test_probability.py",
        ),
        needs=(
            "click", "jsonpatch", "jsonschema", "pyyaml", "rich", "iminuit", "uproot", "pytest-mock", "requests-mock",
            "pytest-socket",
        ),
        installed=True,
        why={
            "test_diffable_backend_failure": "expects NumPy's backend to refuse JAX's tracers; ours computes with them"
        },
    ),
)  # fmt: skip
