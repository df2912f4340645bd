"""A pytest plugin for `tools/clients.py`: what libraries test on array-api-strict, they test on latticework.

SciPy, scikit-learn and array-api-extra each have a list of the namespaces that they test, which others cannot add to.
So a module of ours stands in for `array_api_strict`, whose tests are those that any namespace of the standard has to
pass. Its functions are latticework's, on the backend that LATTICEWORK_CLIENTS_BACKEND names. Without that variable the
tests run on array-api-strict itself: the figures to compare with.

SciPy skips more tests on array-api-strict than the standard asks for: all that assign by an array of positions, for
one. Those run on latticework. Tests that SciPy keeps for NumPy's own arrays are skipped.
"""

from __future__ import annotations

import os
import sys
from types import ModuleType
from typing import Any, NamedTuple

import pytest

BACKEND = os.environ.get("LATTICEWORK_CLIENTS_BACKEND", "")
PACKAGE = os.environ.get("LATTICEWORK_CLIENTS_PACKAGE", "")
#: How the reasons of expected failures begin in pytest's report.
MARK = "expected on latticework: "


class Expected(NamedTuple):
    """Tests that fail for a known reason: those whose name contains one of `tests`, on these backends.

    `always` is False where they fail on some processors alone.
    """

    package: str
    tests: tuple[str, ...]
    reason: str
    backends: tuple[str, ...] = ("numpy", "torch")
    always: bool = True


#: Failures that follow from what latticework promises, or from what a test asks beyond the standard. A test named here
#: that passes counts as a failure, so that the list stays true.
EXPECTED = (
    Expected(
        "scipy",
        ("TestRBFInterpolatorNeighborsNone::",),
        "RBFInterpolator calls x.view(float), a method of NumPy's arrays that the standard does not have",
    ),
    Expected(
        "scipy",
        tuple(
            f"mismatched_dtypes[array_api_strict-{name}]"
            for name in ("betaln", "gammainc", "gammaincc", "kl_div", "rel_entr", "xlog1py", "xlogy", "zeta")
        ),
        "int64 with float32 is float32 under the unified rules, and float64 in NumPy",
    ),
    Expected(
        "scipy",
        ("TestDerivative::test_step_direction[",),
        "the test adds bool to bool; the standard's `add` takes numbers. The numpy and torch rules take both",
    ),
    Expected(
        "scipy",
        ("test_support_alternative_backends[array_api_strict-polygamma-float32-",),
        "polygamma keeps float32, and is float64 in SciPy",
    ),
    Expected(
        "scipy",
        tuple(
            f"test_support_alternative_backends[array_api_strict-chdtrc-{case}]"
            for case in ("float32-shapes3", "float64-shapes2", "float64-shapes3", "intp-shapes2", "intp-shapes3")
        ),
        "SciPy's formula for arrays of other namespaces gives 1 for a negative x, and its own function nan",
    ),
    Expected(
        "scipy",
        tuple(f"test_support_alternative_backends[array_api_strict-stdtr-intp-shapes{i}]" for i in (2, 3)),
        "SciPy's formula for arrays of other namespaces squares t as an integer, which overflows",
    ),
    Expected(
        "scipy",
        tuple(f"test_support_alternative_backends[array_api_strict-betaln-intp-shapes{i}]" for i in (1, 2, 3)),
        "betaln of a negative integer is nan on PyTorch: its special_cases.json has the poles of its gamma functions",
        backends=("torch",),
    ),
    Expected(
        "scipy",
        tuple(f"{kind}::test_ba_output[" for kind in ("TestCheby1", "TestCheby2", "TestEllip")),
        "SciPy calls convolve, whose sums of complex products on PyTorch are rounded where they would cancel",
        backends=("torch",),
        always=False,
    ),
    Expected(
        "scipy",
        ("TestContainsNaN::test_array_api_lazy[",),
        "about lazy arrays; SciPy leaves out the eager namespaces that it knows",
    ),
    Expected(
        "sklearn",
        ("test_supported_float_types[array_api_strict-None-expected_types1]",),
        "the test expects float32 and float64 of array-api-strict; latticework has float16 too",
    ),
    Expected(
        "sklearn",
        tuple(
            f"test_logsumexp_like_scipy_logsumexp[{axis}-array_api_strict-CPU_DEVICE-float64]" for axis in (0, 1, None)
        ),
        "with dispatch turned off, NumPy's array minus one on PyTorch: arrays of two backends in one call are an error",
        backends=("torch",),
    ),
    Expected(
        "array-api-extra",
        ("TestAngle::test_2d[", "TestAngle::test_complex["),
        "the test takes equal bits; TensorFlow's arc tangent is a unit in the last place beside NumPy's",
        backends=("tensorflow",),
    ),
)


def stand_in(backend: str) -> ModuleType:
    """The module latticework, on this backend, with what the tests ask of `array_api_strict` alone."""
    import latticework as lw

    lw.set_backend(backend)
    lw.set_default_float_dtype("float64")
    lw.set_default_complex_dtype("complex128")
    lw.set_default_int_dtype("int64")
    added: dict[str, Any] = {
        "__version__": "2.4",  # SciPy takes no older one
        "set_array_api_strict_flags": lambda **flags: None,
        "Device": lambda name: lw.zeros(0).device,
    }
    for name, value in added.items():
        setattr(lw, name, value)
    return lw


def only_strict() -> None:
    """Have scikit-learn test no namespace but array-api-strict."""
    from sklearn.utils import _array_api

    _array_api.yield_namespaces = lambda include_numpy_namespaces=True: iter(["array_api_strict"])


def for_numpy_alone(item: pytest.Item) -> bool:
    """Say whether SciPy keeps this test for NumPy's own arrays, with no exception for other namespaces."""
    marks = [*item.iter_markers("skip_xp_backends"), *item.iter_markers("xfail_xp_backends")]
    return any(
        mark.kwargs.get("np_only") and "array_api_strict" not in mark.kwargs.get("exceptions", ()) for mark in marks
    )


def expected(item: pytest.Item) -> Expected | None:
    """Look up why this test is expected to fail; None where it is not."""
    for row in EXPECTED:
        if row.package == PACKAGE and BACKEND in row.backends and any(test in item.nodeid for test in row.tests):
            return row
    return None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what SciPy keeps for NumPy, and what is expected to fail."""
    if not BACKEND:
        return
    for item in items:
        if for_numpy_alone(item):
            item.add_marker(pytest.mark.skip(reason="for NumPy's own arrays"))
        elif row := expected(item):
            item.add_marker(pytest.mark.xfail(reason=MARK + row.reason, strict=row.always))


if BACKEND:
    sys.modules["array_api_strict"] = stand_in(BACKEND)
if PACKAGE == "sklearn":
    only_strict()
