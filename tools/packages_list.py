"""The packages whose own tests `packages.py` runs by redirection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

__all__ = ["PACKAGES", "Package"]


class Package(NamedTuple):
    """A package of the index, and how its tests are run.

    Attributes
    ----------
    framework: the framework that it imports.
    tests: files and folders of tests that are run, in the source distribution or, with `in_wheel`, in the package.
    all_tests: the folders that all of its tests are in, where `tests` are a part.
    needs: what it and its tests import besides the framework, as requirements; they are installed without their own.
    hidden: folders of the source distribution that are moved away, so that the installed package is imported.
    archive: the address of the source at the version's tag, where the source distribution lacks tests.
    backends: the backends that it is tried on.
    each: for a backend, that one test in so many runs, in their order, where all take too long.
    without: packages that keep the framework itself.
    options: more for pytest.
    env: environment variables of the runs.
    why: reasons for tests that differ, by a pattern of their names.
    """

    name: str
    version: str
    framework: str
    tests: Sequence[str]
    needs: Sequence[str] = ()
    hidden: Sequence[str] = ()
    archive: str = ""
    in_wheel: bool = False
    all_tests: Sequence[str] = ()
    backends: Sequence[str] = ("numpy", "jax")
    each: Mapping[str, int] = {}
    without: Sequence[str] = ()
    options: Sequence[str] = ()
    env: Mapping[str, str] = {}
    why: Mapping[str, str] = {}


_OBJECTS = "it keeps objects, strings or records in arrays, which no framework has"

_EQUATIONS = "it reads the equations of programs, which have latticework's functions and not JAX's primitives"

_TWO = "numpy", "torch"
_OF_OPTAX = [
    *[f"optax/_src/{part}_test.py" for part in "base combine numerics update".split()],
    *[f"optax/{part}" for part in "schedules tree_utils".split()],
    *[f"optax/transforms/_{part}_test.py" for part in "clipping constraining freezing masking monitoring".split()],
]
_OF_EQUINOX = (
    "abstract caches callback checkpoint closure_to_pytree debug enum errors eval_shape filters finalise_jaxpr jit "
    "make_jaxpr misc module nontraceable pformat primitive scan serialisation shared stateful str2jax tree update vmap"
).split()
_OF_FLAX = [
    *"configurations cursor early_stopping jax_utils pickle serialization struct traceback_util traverse_util".split(),
    *[f"linen/{part}" for part in "initializers kw_only_dataclasses linen_activation linen_dtypes linen_meta".split()],
    *[
        f"nnx/{part}"
        for part in "containers ema filters graph_utils helpers ids metrics module rngs state variable".split()
    ],
]
_OF_JAXOPT = "base bisection cond import linear_operator loop loss prox tree_util".split()
_OF_GPYTORCH = "constraints distributions functions kernels likelihoods means metrics priors utils".split()

PACKAGES = (
    Package(
        "einops",
        "0.8.2",
        "torch",
        ["einops/tests"],
        in_wheel=True,
        each={"jax": 6},
        env={"EINOPS_TEST_BACKENDS": "numpy,torch"},
        why={
            "test_torch_compile_with_dynamic_shape": "it asks for the private module torch._dynamo",
            "test_torch_compile_for_functions": "a sum of 69,000 products in float32 is 1.07e-5 off, and may be 1e-5",
        },
    ),
    Package(
        "equinox",
        "0.13.8",
        "jax",
        [f"tests/test_{part}.py" for part in _OF_EQUINOX],
        ["jaxtyping", "wadler-lindig", "beartype", "optax==0.2.8"],
        hidden=["equinox"],
        all_tests=["tests"],
        archive="https://github.com/patrick-kidger/equinox/archive/refs/tags/v0.13.8.tar.gz",
        backends=_TWO,
        why={
            "finalise_jaxpr|test_make_jaxpr": _EQUATIONS,
            "test_jit::test_buffer|donation": "arrays are not given away to a function, and have no address",
            "compiler_options": "options of XLA are not looked at",
            "unvmap|test_vprim": "a rule of a primitive for vmap that joins the examples is not asked for",
            "test_scan": "derivatives by integers go through jit, or a loop asks for JAX's own traces",
            "test_primitive::test_call|test_compile_time_eval": "it looks into JAX's own traces",
            "test_jit_vmap": "what is mapped runs for each example, and is traced as often",
            "test_errors|test_check_dce|test_wrong|test_backward_nan|nontraceable": (
                "an error or a callback of a program that is traced, which runs itself here"
            ),
            "test_double_state": "a weak number is a strong one in vmap on PyTorch, which the strict mode refuses",
        },
    ),
    Package(
        "emcee",
        "3.1.6",
        "numpy",
        [f"emcee/tests/unit/test_{part}.py" for part in ("state", "autocorr", "stretch", "blobs")],
        in_wheel=True,
        backends=["torch", "jax"],
        why={"test_blobs": _OBJECTS},
        all_tests=["emcee/tests"],
    ),
    Package("entmax", "1.0", "torch", ["entmax"], in_wheel=True, each={"jax": 8}),
    Package(
        "filterpy",
        "2.0.0",
        "numpy",
        [f"filterpy/{part}" for part in ("common", "gh", "hinfinity", "kalman", "leastsq", "memory", "stats")],
        backends=["torch", "jax"],
        each={"torch": 4, "jax": 12},
        env={"MPLBACKEND": "agg"},
    ),
    Package(
        "flax",
        "0.12.8",
        "jax",
        ["tests/core", *[f"tests/{part}_test.py" for part in _OF_FLAX]],
        ["optax==0.2.8", "treescope", "msgpack", "chex==0.1.92"],
        hidden=["flax"],
        options=["--continue-on-collection-errors"],
        all_tests=["tests"],
        backends=_TWO,
        why={
            "StructTest": "its file imports a private function that is not there",
            "TracebackTest": "it looks at the files of a traceback, which has latticework's",
            "trace_level": "an object that is changed in another trace is not noticed",
            "avoids_recompile": "its function counts its traces and raises, and then runs itself",
            "sharding|prefetch|DataSharding": "there is one device",
            "magic_methods": "a negative power of integers is refused",
            "mutable_array": "it makes variables that are hijax types",
            "distinct_buffers": "arrays never change, and a copy is the array itself",
            "test_welford": "a bound of 1e-7",
        },
    ),
    Package(
        "gpytorch",
        "1.15.2",
        "torch",
        [f"test/{part}" for part in _OF_GPYTORCH],
        ["linear-operator==0.6.1", "jaxtyping", "wadler-lindig"],
        hidden=["gpytorch"],
        each={"jax": 50},
        why={
            "TestSpectralDeltaKernel": "it fits random numbers, which are others for the same seed",
        },
        all_tests=["test"],
    ),
    Package(
        "jaxopt",
        "0.8.5",
        "jax",
        [f"tests/{part}_test.py" for part in _OF_JAXOPT],
        ["optax==0.2.8", "chex==0.1.92"],
        hidden=["jaxopt"],
        all_tests=["tests"],
        archive="https://github.com/google/jaxopt/archive/refs/tags/jaxopt-v0.8.5.tar.gz",
        backends=_TWO,
        why={
            "Bisection": "derivatives of a function that holds arrays of an outer derivative",
        },
    ),
    Package(
        "nflows",
        "0.14",
        "torch",
        ["tests"],
        ["umnn", "torchtestcase"],
        hidden=["nflows"],
        each={"jax": 10},
        options=["-o", "python_files=*_test.py"],
    ),
    Package(
        "normflows",
        "1.7.3",
        "torch",
        ["normflows"],
        in_wheel=True,
        each={"jax": 3},
        options=["-o", "python_files=*_test.py"],
    ),
    Package(
        "numpy-financial",
        "1.0.0",
        "numpy",
        ["numpy_financial/tests"],
        in_wheel=True,
        backends=["torch", "jax"],
    ),
    Package(
        "optax",
        "0.2.8",
        "jax",
        _OF_OPTAX,
        ["chex==0.1.92", "flax==0.12.8", "treescope", "msgpack"],
        in_wheel=True,
        all_tests=["optax"],
        backends=_TWO,
        why={
            "hlo_equivalence": "it compares texts of XLA",
            "skipped": "there is one device",
        },
    ),
    Package(
        "roma",
        "1.6",
        "torch",
        ["test"],
        hidden=["roma", "__init__.py"],
        each={"jax": 3},
        why={
            "test_jvp": "dual tensors of torch.autograd.forward_ad are not there; torch.func.jvp is",
            "test_random_unitquat": "it draws millions of numbers many times, in more than the time that a test has",
        },
        archive="https://github.com/naver/roma/archive/refs/tags/v1.6.0.tar.gz",
    ),
    Package(
        "torch-optimizer",
        "0.3.0",
        "torch",
        ["tests/test_optimizer.py", "tests/test_param_validation.py"],
        ["pytorch-ranger"],
        hidden=["torch_optimizer"],
        each={"jax": 10},
        all_tests=["tests"],
    ),
    Package(
        "torchsde",
        "0.2.6",
        "torch",
        [f"tests/test_brownian_{part}.py" for part in ("path", "tree")],
        ["trampoline"],
        hidden=["torchsde"],
        all_tests=["tests"],
    ),
    Package(
        "transforms3d",
        "0.4.2",
        "numpy",
        ["transforms3d/tests"],
        in_wheel=True,
        backends=["torch", "jax"],
        each={"torch": 4, "jax": 13},
    ),
    Package(
        "uncertainties",
        "3.2.3",
        "numpy",
        ["tests"],
        hidden=["uncertainties"],
        backends=["torch", "jax"],
        options=["--ignore=tests/test_performance.py", "--continue-on-collection-errors"],
        why={"test_unumpy|test_ulinalg": "its module of arrays derives a class from np.matrix", "test_": _OBJECTS},
    ),
    Package(
        "zuko",
        "1.6.0",
        "torch",
        ["tests"],
        hidden=["zuko"],
        each={"jax": 16},
        why={
            "test_multivariate_transforms": "a bound of 1e-4 on random numbers",
            "test_univariate_transforms": "a bound of 1e-4 on random numbers, which PyTorch misses too for other seeds",
        },
    ),
)
