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
    tests: files and folders of tests, in the source distribution or, with `in_wheel`, in the package.
    needs: what it and its tests import besides the framework, as requirements; they are installed without their own.
    hidden: folders of the source distribution that are moved away, so that the installed package is imported.
    backends: the backends that it is tried on.
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
    in_wheel: bool = False
    backends: Sequence[str] = ("numpy", "jax")
    without: Sequence[str] = ()
    options: Sequence[str] = ()
    env: Mapping[str, str] = {}
    why: Mapping[str, str] = {}


PACKAGES = (
    Package(
        "einops",
        "0.8.2",
        "torch",
        ["einops/tests"],
        in_wheel=True,
        env={"EINOPS_TEST_BACKENDS": "numpy,torch"},
    ),
    Package("entmax", "1.0", "torch", ["entmax"], in_wheel=True),
    Package(
        "gpytorch",
        "1.15.2",
        "torch",
        [
            f"test/{part}"
            for part in (
                "constraints",
                "distributions",
                "functions",
                "kernels",
                "likelihoods",
                "means",
                "metrics",
                "priors",
                "utils",
            )
        ],
        ["linear-operator==0.6.1", "jaxtyping", "wadler-lindig"],
        hidden=["gpytorch"],
    ),
    Package(
        "nflows",
        "0.14",
        "torch",
        ["tests"],
        ["umnn", "torchtestcase"],
        hidden=["nflows"],
        options=["-o", "python_files=*_test.py"],
    ),
    Package("normflows", "1.7.3", "torch", ["normflows"], in_wheel=True, options=["-o", "python_files=*_test.py"]),
    Package("torch-optimizer", "0.3.0", "torch", ["tests"], ["pytorch-ranger"], hidden=["torch_optimizer"]),
    Package(
        "torchsde",
        "0.2.6",
        "torch",
        [f"tests/test_brownian_{part}.py" for part in ("path", "tree")],
        ["trampoline"],
        hidden=["torchsde"],
    ),
    Package("zuko", "1.6.0", "torch", ["tests"], hidden=["zuko"]),
)
