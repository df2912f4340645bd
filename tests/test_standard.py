"""Every function of the standard, on every dtype that it is given there, against array-api-strict.

A call is written once and run on both: `make(*shape)` gives an array of the dtype under test, in latticework of
several memory layouts. The defaults are set to array-api-strict's, int64 and float64, so that dtypes compare too.
On JAX and Dask each call meets one dtype: a function meets the others in its own test, and all calls in the sweep.
"""

from __future__ import annotations

import inspect
import itertools
import warnings
from collections.abc import Callable
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest
from cases import Shapes, crossed, sampled
from support import NUMPY, computed, dtypes, layouts, values

import latticework as lw
from latticework.core.registry import OPS

STANDARD = [d for d in lw.all_dtypes if d not in (lw.bfloat16, lw.float16)]
Call = Callable[[Any, Any], Any]
SHAPES = Shapes([(3, 4), (), (0,)], [(4,), (2, 0, 3), (2, 3, 4)])
PAIRS = Shapes([((4,), (4,)), ((3, 1), (4,)), ((0,), (1,))], [((), ()), ((2, 3, 4), ())])
MATRICES = [(3, 3), (2, 3, 3), (0, 3, 3), (1, 1)]

# name: (category of dtypes, call). `m(shape)` makes an array, `m(shape, seed)` another one.
EACH = {  # on every shape of SHAPES
    "abs": "numeric", "acos": "floating", "acosh": "floating", "asin": "floating", "asinh": "floating",
    "atan": "floating", "atanh": "floating", "bitwise_invert": "integral or bool", "ceil": "real numeric",
    "conj": "numeric", "cos": "floating", "cosh": "floating", "exp": "floating", "expm1": "floating",
    "floor": "real numeric", "imag": "complex floating", "isfinite": "numeric", "isinf": "numeric",
    "isnan": "numeric", "log": "floating", "log10": "floating", "log1p": "floating", "log2": "floating",
    "logical_not": "bool", "negative": "numeric", "positive": "numeric", "real": "numeric",
    "reciprocal": "floating", "round": "numeric", "sign": "numeric", "signbit": "real floating",
    "sin": "floating", "sinh": "floating", "sqrt": "floating", "square": "numeric", "tan": "floating",
    "tanh": "floating", "trunc": "real numeric", "all": "all", "any": "all", "count_nonzero": "all",
    "empty_like": "all", "zeros_like": "all", "ones_like": "all", "flip": "all", "max": "real numeric",
    "min": "real numeric", "mean": "floating", "prod": "numeric", "sum": "numeric", "std": "real floating",
    "var": "real floating", "argmax": "real numeric", "argmin": "real numeric", "unique_values": "all",
    "unique_counts": "all", "unique_inverse": "all", "unique_all": "all",
}  # fmt: skip
BOTH = {  # on every pair of PAIRS
    "add": "numeric", "atan2": "real floating", "bitwise_and": "integral or bool",
    "bitwise_left_shift": "integral", "bitwise_or": "integral or bool", "bitwise_right_shift": "integral",
    "bitwise_xor": "integral or bool", "copysign": "real floating", "divide": "floating", "equal": "all",
    "floor_divide": "real numeric", "greater": "real numeric", "greater_equal": "real numeric",
    "hypot": "real floating", "less": "real numeric", "less_equal": "real numeric", "logaddexp": "real floating",
    "logical_and": "bool", "logical_or": "bool", "logical_xor": "bool", "maximum": "real numeric",
    "minimum": "real numeric", "multiply": "numeric", "nextafter": "real floating", "not_equal": "all",
    "pow": "numeric", "remainder": "real numeric", "subtract": "numeric",
}  # fmt: skip
POSITIVE = {"bitwise_left_shift", "bitwise_right_shift", "floor_divide", "remainder", "pow", "divide", "log", "log2",
            "log10", "log1p", "sqrt", "acosh", "reciprocal"}  # fmt: skip
UNIT = {"acos", "asin", "atanh"}

CALLS: dict[str, tuple[str, list[Call]]] = {
    "arange": (
        "real numeric",
        [
            lambda xp, m: xp.arange(5, dtype=m.dtype),
            lambda xp, m: xp.arange(2, 9, 3, dtype=m.dtype),
            lambda xp, m: xp.arange(3, 3, dtype=m.dtype),
            lambda xp, m: xp.arange(5),
            lambda xp, m: xp.arange(1.0, 2.0, 0.25),
        ],
    ),
    "asarray": ("all", [lambda xp, m: xp.asarray(m((3, 4))), lambda xp, m: xp.asarray(m(()), copy=True)]),
    "astype": (
        "all",
        [
            lambda xp, m: xp.astype(m((3, 4)), xp.complex128),
            lambda xp, m: xp.astype(m(()), m.dtype),
            lambda xp, m: xp.astype(m((0,)), xp.float32 if m.name.kind != "c" else xp.complex64),
            lambda xp, m: xp.astype(m((4,)), xp.bool if m.name.kind != "c" else xp.complex64),
        ],
    ),
    "broadcast_arrays": ("all", [lambda xp, m: xp.broadcast_arrays(m((3, 1)), m((4,)), m(()))]),
    "broadcast_to": (
        "all",
        [lambda xp, m: xp.broadcast_to(m((3, 1)), (2, 3, 4)), lambda xp, m: xp.broadcast_to(m(()), (0, 2))],
    ),
    "clip": (
        "real numeric",
        [
            lambda xp, m: xp.clip(m((3, 4)), 1, 2),
            lambda xp, m: xp.clip(m((4,)), m((4,), 2), None),
            lambda xp, m: xp.clip(m((4,)), None, m((), 2)),
            lambda xp, m: xp.clip(m((0,)), 1, 2),
            lambda xp, m: xp.clip(m(())),
        ],
    ),
    "concat": (
        "all",
        [
            lambda xp, m: xp.concat([m((3, 4)), m((2, 4))]),
            lambda xp, m: xp.concat([m((3, 4)), m((3, 0))], axis=-1),
            lambda xp, m: xp.concat((m((3, 4)), m((2,))), axis=None),
            lambda xp, m: xp.concat([m((0,))]),
        ],
    ),
    "cumulative_prod": (
        "numeric",
        [
            lambda xp, m: xp.cumulative_prod(m((4,))),
            lambda xp, m: xp.cumulative_prod(m((3, 4)), axis=0),
            lambda xp, m: xp.cumulative_prod(m((3, 4)), axis=-1, include_initial=True),
            lambda xp, m: xp.cumulative_prod(m((0, 2)), axis=0),
        ],
    ),
    "cumulative_sum": (
        "numeric",
        [
            lambda xp, m: xp.cumulative_sum(m((4,))),
            lambda xp, m: xp.cumulative_sum(m((3, 4)), axis=0),
            lambda xp, m: xp.cumulative_sum(m((3, 4)), axis=-1, include_initial=True),
            lambda xp, m: xp.cumulative_sum(
                m((2, 0)), axis=1, dtype=xp.float64 if m.dtype not in (xp.complex64, xp.complex128) else None
            ),
        ],
    ),
    "diff": (
        "numeric",
        [
            lambda xp, m: xp.diff(m((4,))),
            lambda xp, m: xp.diff(m((3, 4)), axis=0, n=2),
            lambda xp, m: xp.diff(m((3, 4)), n=0),
            lambda xp, m: xp.diff(m((3, 4)), prepend=m((3, 1), 2), append=m((3, 2), 3)),
        ],
    ),
    "empty": (
        "all",
        [lambda xp, m: xp.empty((2, 3), dtype=m.dtype), lambda xp, m: xp.empty(0), lambda xp, m: xp.empty(())],
    ),
    "expand_dims": (
        "all",
        [
            lambda xp, m: xp.expand_dims(m((3, 4)), axis=1),
            lambda xp, m: xp.expand_dims(m(()), axis=0),
            lambda xp, m: xp.expand_dims(m((3,)), axis=(0, -1)),
        ],
    ),
    "eye": (
        "all",
        [
            lambda xp, m: xp.eye(3, dtype=m.dtype),
            lambda xp, m: xp.eye(3, 4, k=1, dtype=m.dtype),
            lambda xp, m: xp.eye(2, 3, k=-5, dtype=m.dtype),
            lambda xp, m: xp.eye(0, dtype=m.dtype),
        ],
    ),
    "flip": ("all", [lambda xp, m: xp.flip(m((3, 4)), axis=0), lambda xp, m: xp.flip(m((2, 3, 4)), axis=(0, -1))]),
    "full": (
        "all",
        [
            lambda xp, m: xp.full((2, 3), 1 if m.dtype != xp.bool else True, dtype=m.dtype),
            lambda xp, m: xp.full((), 2.5),
            lambda xp, m: xp.full(3, True),
            lambda xp, m: xp.full((0,), 1j),
        ],
    ),
    "full_like": ("all", [lambda xp, m: xp.full_like(m((2, 3)), 1 if m.dtype != xp.bool else True)]),
    "isin": (
        "integral",
        [
            lambda xp, m: xp.isin(m((3, 4)), m((2,), 2)),
            lambda xp, m: xp.isin(m((4,)), m((1,), 2)),
            lambda xp, m: xp.isin(m(()), 3),
        ],
    ),
    "linspace": (
        "floating",
        [
            lambda xp, m: xp.linspace(0, 3, 7, dtype=m.dtype),
            lambda xp, m: xp.linspace(1, 2, 4, endpoint=False, dtype=m.dtype),
            lambda xp, m: xp.linspace(0, 1, 0, dtype=m.dtype),
            lambda xp, m: xp.linspace(0, 1, 1),
        ],
    ),
    "matmul": (
        "numeric",
        [
            lambda xp, m: xp.matmul(m((3, 4)), m((4, 2), 2)),
            lambda xp, m: xp.matmul(m((4,)), m((4,), 2)),
            lambda xp, m: xp.matmul(m((2, 3, 4)), m((4,), 2)),
            lambda xp, m: xp.matmul(m((3, 0)), m((0, 2))),
            lambda xp, m: xp.matmul(m((4,)), m((2, 4, 3), 2)),
            lambda xp, m: xp.matmul(m((2, 1, 3, 4)), m((5, 4, 2), 2)),
        ],
    ),
    "matrix_transpose": (
        "all",
        [lambda xp, m: xp.matrix_transpose(m((3, 4))), lambda xp, m: xp.matrix_transpose(m((2, 0, 3)))],
    ),
    "meshgrid": (
        "numeric",
        [lambda xp, m: xp.meshgrid(m((3,)), m((4,))), lambda xp, m: xp.meshgrid(m((3,)), m((0,)), indexing="ij")],
    ),
    "moveaxis": (
        "all",
        [lambda xp, m: xp.moveaxis(m((2, 3, 4)), 0, -1), lambda xp, m: xp.moveaxis(m((2, 3, 4)), (0, 1), (1, 2))],
    ),
    "nonzero": ("all", [lambda xp, m: xp.nonzero(m((3, 4))), lambda xp, m: xp.nonzero(m((0,)))]),
    "ones": (
        "all",
        [lambda xp, m: xp.ones((2, 3), dtype=m.dtype), lambda xp, m: xp.ones(()), lambda xp, m: xp.ones(0)],
    ),
    "permute_dims": (
        "all",
        [lambda xp, m: xp.permute_dims(m((2, 3, 4)), (2, 0, 1)), lambda xp, m: xp.permute_dims(m(()), ())],
    ),
    "repeat": (
        "all",
        [
            lambda xp, m: xp.repeat(m((3, 4)), 2),
            lambda xp, m: xp.repeat(m((3, 4)), xp.asarray([0, 1, 2]), axis=0),
            lambda xp, m: xp.repeat(m((0,)), 3),
        ],
    ),
    "reshape": (
        "all",
        [
            lambda xp, m: xp.reshape(m((3, 4)), (2, 6)),
            lambda xp, m: xp.reshape(m(()), (1, -1)),
            lambda xp, m: xp.reshape(m((2, 0, 3)), (0, 5)),
            lambda xp, m: xp.reshape(m((3, 4)), (-1,), copy=True),
        ],
    ),
    "roll": (
        "all",
        [
            lambda xp, m: xp.roll(m((3, 4)), 5),
            lambda xp, m: xp.roll(m((3, 4)), (1, -1), axis=(0, 1)),
            lambda xp, m: xp.roll(m((0,)), 2),
        ],
    ),
    "searchsorted": (
        "real numeric",
        [
            lambda xp, m: xp.searchsorted(xp.sort(m((4,))), m((2, 3), 2)),
            lambda xp, m: xp.searchsorted(xp.sort(m((4,))), m((3,), 2), side="right"),
            lambda xp, m: xp.searchsorted(m((4,)), m((), 2), sorter=xp.argsort(m((4,)))),
        ],
    ),
    "sort": (
        "real numeric",
        [
            lambda xp, m: xp.sort(m((3, 4))),
            lambda xp, m: xp.sort(m((3, 4)), axis=0, descending=True),
            lambda xp, m: xp.sort(m((0,))),
        ],
    ),
    "argsort": (
        "real numeric",
        [
            lambda xp, m: xp.argsort(m((3, 4))),
            lambda xp, m: xp.argsort(m((3, 4)), axis=0, descending=True),
            lambda xp, m: xp.argsort(m((0,))),
        ],
    ),
    "squeeze": (
        "all",
        [lambda xp, m: xp.squeeze(m((1, 3, 1)), axis=0), lambda xp, m: xp.squeeze(m((1, 3, 1)), axis=(0, 2))],
    ),
    "stack": (
        "all",
        [
            lambda xp, m: xp.stack([m((3,)), m((3,), 2)]),
            lambda xp, m: xp.stack([m((3, 0)), m((3, 0))], axis=-1),
            lambda xp, m: xp.stack((m(()),)),
        ],
    ),
    "take": (
        "all",
        [
            lambda xp, m: xp.take(m((3, 4)), xp.asarray([2, 0, 0]), axis=0),
            lambda xp, m: xp.take(m((4,)), xp.asarray([1, -1])),
        ],
    ),
    "take_along_axis": (
        "all",
        [
            lambda xp, m: xp.take_along_axis(m((3, 4)), xp.asarray([[0], [1], [3]])),
            lambda xp, m: xp.take_along_axis(m((3, 4)), xp.asarray([[0, 1, 2, -1]]), axis=0),
        ],
    ),
    "tensordot": (
        "numeric",
        [
            lambda xp, m: xp.tensordot(m((3, 4)), m((4, 2), 2), axes=1),
            lambda xp, m: xp.tensordot(m((2, 3, 4)), m((3, 2, 5), 2), axes=((0, 1), (1, 0))),
            lambda xp, m: xp.tensordot(m((2,)), m((3,)), axes=0),
        ],
    ),
    "tile": (
        "all",
        [
            lambda xp, m: xp.tile(m((3, 4)), (2, 1)),
            lambda xp, m: xp.tile(m((3,)), (2, 2)),
            lambda xp, m: xp.tile(m((2, 3)), (2,)),
            lambda xp, m: xp.tile(m(()), (0,)),
        ],
    ),
    "tril": ("all", [lambda xp, m: xp.tril(m((3, 4))), lambda xp, m: xp.tril(m((2, 3, 3)), k=-1)]),
    "triu": ("all", [lambda xp, m: xp.triu(m((3, 4))), lambda xp, m: xp.triu(m((2, 3, 3)), k=1)]),
    "unstack": ("all", [lambda xp, m: xp.unstack(m((3, 4))), lambda xp, m: xp.unstack(m((3, 4)), axis=-1)]),
    "vecdot": (
        "numeric",
        [
            lambda xp, m: xp.vecdot(m((3, 4)), m((3, 4), 2)),
            lambda xp, m: xp.vecdot(m((4, 3)), m((4, 1), 2), axis=-2),
            lambda xp, m: xp.vecdot(m((0,)), m((0,))),
        ],
    ),
    "where": (
        "all",
        [
            lambda xp, m: xp.where(xp.asarray([True, False, True, False]), m((3, 4)), m((), 2)),
            lambda xp, m: xp.where(xp.asarray(True), m((0,)), m((0,))),
        ],
    ),
    "zeros": (
        "all",
        [lambda xp, m: xp.zeros((2, 3), dtype=m.dtype), lambda xp, m: xp.zeros(()), lambda xp, m: xp.zeros(0)],
    ),
    "from_dlpack": ("all", [lambda xp, m: xp.from_dlpack(m((3, 4)))]),
    # linalg
    "linalg.cholesky": (
        "floating",
        [
            lambda xp, m: xp.linalg.cholesky(m.positive_definite(3)),
            lambda xp, m: xp.linalg.cholesky(m.positive_definite(3), upper=True),
        ],
    ),
    "linalg.cross": (
        "numeric",
        [
            lambda xp, m: xp.linalg.cross(m((4, 3)), m((4, 3), 2)),
            lambda xp, m: xp.linalg.cross(m((3, 4)), m((3, 4), 2), axis=-2),
        ],
    ),
    "linalg.det": ("floating", [lambda xp, m: xp.linalg.det(m.regular(3))]),
    "linalg.diagonal": (
        "all",
        [lambda xp, m: xp.linalg.diagonal(m((3, 4))), lambda xp, m: xp.linalg.diagonal(m((2, 3, 3)), offset=-1)],
    ),
    "linalg.eig": ("floating", [lambda xp, m: xp.abs(xp.linalg.eig(m.positive_definite(3))[1]) > 1e-3]),
    "linalg.eigvals": ("floating", [lambda xp, m: xp.sort(xp.real(xp.linalg.eigvals(m.positive_definite(3))))]),
    "linalg.eigh": ("floating", [lambda xp, m: xp.linalg.eigh(m.positive_definite(3))[0]]),
    "linalg.eigvalsh": ("floating", [lambda xp, m: xp.linalg.eigvalsh(m.positive_definite(3))]),
    "linalg.inv": ("floating", [lambda xp, m: xp.linalg.inv(m.regular(3))]),
    "linalg.matrix_norm": (
        "floating",
        [
            lambda xp, m, o=o: xp.linalg.matrix_norm(m((2, 3, 4)), ord=o)
            for o in ("fro", "nuc", 1, -1, 2, -2, float("inf"), -float("inf"))
        ],
    ),
    "linalg.matrix_power": (
        "floating",
        [lambda xp, m, n=n: xp.linalg.matrix_power(m.regular(3), n) for n in (0, 1, 3, -2)],
    ),
    "linalg.matrix_rank": (
        "floating",
        [lambda xp, m: xp.linalg.matrix_rank(m((3, 4))), lambda xp, m: xp.linalg.matrix_rank(m((2, 3, 4)) * 0)],
    ),
    "linalg.outer": (
        "numeric",
        [lambda xp, m: xp.linalg.outer(m((3,)), m((4,), 2)), lambda xp, m: xp.linalg.outer(m((0,)), m((4,)))],
    ),
    "linalg.pinv": ("floating", [lambda xp, m: xp.linalg.pinv(m.regular(3))]),
    "linalg.qr": (
        "floating",
        [
            lambda xp, m: xp.abs(xp.linalg.qr(m.regular(3))[1]),
            lambda xp, m: xp.abs(xp.linalg.qr(m.regular(3), mode="complete")[0]),
        ],
    ),
    "linalg.slogdet": ("floating", [lambda xp, m: xp.linalg.slogdet(m.regular(3))]),
    "linalg.solve": (
        "floating",
        [lambda xp, m: xp.linalg.solve(m.regular(3), m((3,))), lambda xp, m: xp.linalg.solve(m.regular(3), m((3, 2)))],
    ),
    "linalg.svd": (
        "floating",
        [lambda xp, m: xp.linalg.svd(m((3, 4)))[1], lambda xp, m: xp.linalg.svd(m((2, 4, 3)), full_matrices=False)[1]],
    ),
    "linalg.svdvals": ("floating", [lambda xp, m: xp.linalg.svdvals(m((3, 4)))]),
    "linalg.trace": (
        "numeric",
        [lambda xp, m: xp.linalg.trace(m((3, 4))), lambda xp, m: xp.linalg.trace(m((2, 3, 3)), offset=1)],
    ),
    "linalg.vector_norm": (
        "floating",
        [
            lambda xp, m, o=o: xp.linalg.vector_norm(m((3, 4)), axis=0, ord=o)
            for o in (0, 1, 2, 3.5, float("inf"), -float("inf"))
        ],
    ),
    # fft
    **{
        f"fft.{n}": (
            "complex floating",
            [
                lambda xp, m, n=n: getattr(xp.fft, n)(m((4, 8))),
                lambda xp, m, n=n: getattr(xp.fft, n)(m((4, 8)), n=5, axis=0, norm="ortho"),
            ],
        )
        for n in ("fft", "ifft", "hfft", "irfft")
    },
    **{
        f"fft.{n}": (
            "real floating",
            [
                lambda xp, m, n=n: getattr(xp.fft, n)(m((4, 8))),
                lambda xp, m, n=n: getattr(xp.fft, n)(m((4, 8)), n=5, axis=0, norm="forward"),
            ],
        )
        for n in ("rfft", "ihfft")
    },
    **{
        f"fft.{n}": (
            "complex floating",
            [
                lambda xp, m, n=n: getattr(xp.fft, n)(m((2, 4, 8))),
                lambda xp, m, n=n: getattr(xp.fft, n)(m((2, 4, 8)), s=(3, 5), axes=(0, 2)),
            ],
        )
        for n in ("fftn", "ifftn", "irfftn")
    },
    "fft.rfftn": (
        "real floating",
        [lambda xp, m: xp.fft.rfftn(m((2, 4, 8))), lambda xp, m: xp.fft.rfftn(m((2, 4, 8)), s=(3, 5), axes=(0, 2))],
    ),
    "fft.fftshift": (
        "floating",
        [lambda xp, m: xp.fft.fftshift(m((3, 4))), lambda xp, m: xp.fft.fftshift(m((3, 4)), axes=0)],
    ),
    "fft.ifftshift": (
        "floating",
        [lambda xp, m: xp.fft.ifftshift(m((3, 4))), lambda xp, m: xp.fft.ifftshift(m((3, 4)), axes=(1,))],
    ),
    "fft.fftfreq": (
        "real floating",
        [lambda xp, m: xp.fft.fftfreq(5, d=0.5, dtype=m.dtype), lambda xp, m: xp.fft.fftfreq(4)],
    ),
    "fft.rfftfreq": (
        "real floating",
        [lambda xp, m: xp.fft.rfftfreq(5, d=0.5, dtype=m.dtype), lambda xp, m: xp.fft.rfftfreq(4)],
    ),
}

# isin's `invert` is not here: array-api-strict 2.6 takes it and does not look at it (tests/test_sets.py has it)

#: Calls whose result is not determined to the last element: compared by dtype and shape alone.
ONLY_SHAPE = {"empty", "empty_like"}
#: Reductions that have no answer for no elements, and nonzero, which has none for 0-d: refused on both.
WITH_OPTIONS = {
    "sum": [{"axis": 0}, {"axis": (0, 1), "keepdims": True}], "prod": [{"axis": -1}], "max": [{"axis": 1}],
    "min": [{"axis": (0, 1)}], "mean": [{"axis": 0, "keepdims": True}], "std": [{"axis": 1, "correction": 1.0}],
    "var": [{"axis": (0, 1)}], "all": [{"axis": 0}], "any": [{"axis": (1, 0), "keepdims": True}],
    "argmax": [{"axis": 1, "keepdims": True}], "argmin": [{"axis": 0}], "count_nonzero": [{"axis": (0, 1)}],
}  # fmt: skip


class Make:
    """Makes arrays of one dtype in one namespace; in latticework of a given memory layout."""

    def __init__(self, xp: Any, dtype: lw.Dtype, layout: str = "contiguous", low: float = -3, high: float = 3) -> None:
        self.xp, self.name, self.layout, self.low, self.high = xp, dtype, layout, low, high
        self.dtype = getattr(xp, str(dtype))

    def _of(self, data: np.ndarray) -> Any:
        if self.xp is lw:
            made = dict(layouts(data))
            return made.get(self.layout, next(iter(made.values())))
        return self.xp.asarray(data)

    def __call__(self, shape: tuple[int, ...], seed: int = 1) -> Any:
        return self._of(values(self.name, shape, seed=seed, low=self.low, high=self.high))

    def regular(self, n: int) -> Any:
        return self._of((values(self.name, (2, n, n)) + 5 * np.eye(n)).astype(NUMPY[self.name]))

    def positive_definite(self, n: int) -> Any:
        a = values(self.name, (n, n))
        return self._of((a @ a.conj().T + n * np.diag(np.arange(1, n + 1))).astype(NUMPY[self.name]))


def compare(name: str, got: Any, want: Any) -> None:
    if isinstance(want, (tuple, list)):
        assert len(got) == len(want)
        assert getattr(got, "_fields", None) == getattr(want, "_fields", None)
        for g, w in zip(got, want, strict=True):
            compare(name, g, w)
        return
    expected = np.asarray(want)
    assert str(got.dtype) == str(expected.dtype)
    assert got.data.dtype == got._sig.backend.native_dtypes[got.dtype]
    said = got.shape

    def compare_values(found: np.ndarray) -> None:
        shape = found.shape if None in said else said  # not known before it is computed
        assert shape == expected.shape, f"{name}: shape {shape}, expected {expected.shape}"
        if name in ONLY_SHAPE:
            return
        if expected.dtype.kind in "fc":
            scale = np.abs(expected[np.isfinite(expected)]).max(initial=0.0)
            eps = np.finfo(expected.dtype).eps
            np.testing.assert_allclose(found, expected, rtol=64 * eps, atol=64 * eps * scale, err_msg=name)
        else:
            np.testing.assert_array_equal(found, expected, err_msg=name)

    computed(got, compare_values)


def run(call: Call, make: Make) -> Any:
    """The result, or the error: what the reference refuses, ours refuses too, with an error of the same kind."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return call(make.xp, make)
        except (TypeError, ValueError, IndexError) as error:
            return error


def check_calls(name: str, category: str, calls: list[Call], low: float = -3, high: float = 3) -> None:
    function = getattr(lw.linalg, name[7:]) if name.startswith("linalg.") else None
    assert function is not None or "." in name or hasattr(lw, name)
    kept = [d for d in dtypes(category) if d in STANDARD]
    with lw.using(default_int=lw.int64, default_float=lw.float64):
        for (i, call), dtype in crossed(enumerate(calls), kept, name, first=False):
            want = run(call, Make(strict, dtype, low=low, high=high))
            for layout in ("contiguous", "transposed", "strided")[: 1 if lw.current_backend() == "jax" else 3]:
                got = run(call, Make(lw, dtype, layout, low, high))
                where = f"{name}, call {i}, {dtype}, {layout}"
                if isinstance(want, Exception):
                    assert isinstance(got, Exception), f"{where}: the reference refuses: {want!r}; got {got!r}"
                    continue
                assert not isinstance(got, Exception), f"{where}: {got!r}"
                try:
                    compare(name, got, want)
                except AssertionError as error:
                    raise AssertionError(f"{where}: {error}\ngot  {got!r}\nwant {want!r}") from None


def bounds(name: str) -> tuple[float, float]:
    return (1, 3) if name in POSITIVE else (-1, 1) if name in UNIT else (-3, 3)


@pytest.mark.parametrize("name", EACH)
def test_functions_of_one_array(backend: str, name: str) -> None:
    calls = [lambda xp, m, s=s: getattr(xp, name)(m(s)) for s in SHAPES]
    calls += [lambda xp, m, kw=kw: getattr(xp, name)(m((3, 4)), **kw) for kw in WITH_OPTIONS.get(name, [])]
    check_calls(name, EACH[name], calls, *bounds(name))


@pytest.mark.parametrize("name", BOTH)
def test_functions_of_two_arrays(backend: str, name: str) -> None:
    calls = [lambda xp, m, a=a, b=b: getattr(xp, name)(m(a), m(b, 2)) for a, b in PAIRS]
    check_calls(name, BOTH[name], calls, *bounds(name))


@pytest.mark.parametrize("name", CALLS)
def test_functions_with_arguments(backend: str, name: str) -> None:
    check_calls(name, *CALLS[name])


@pytest.mark.parametrize("name", BOTH)
def test_mixed_dtypes(backend: str, name: str) -> None:
    """The dtypes that the standard lets mix give the standard's result, for arrays and for 0-d arrays alike."""
    kept = [d for d in dtypes(BOTH[name]) if d in STANDARD]
    with lw.using(default_int=lw.int64, default_float=lw.float64):
        cases = [*itertools.product((((2,), (2,)), ((2,), ()), ((), ())), kept)]
        for (shapes, a), b in crossed(sampled(cases, 6, name), kept, name):
            data = values(a, shapes[0], low=1, high=3), values(b, shapes[1], low=1, high=3)
            want = run(lambda xp, d: getattr(xp, name)(*map(xp.asarray, d)), _Pair(strict, data))
            if not isinstance(want, Exception):
                compare(name, getattr(lw, name)(*map(lw.asarray, data)), want)


class _Pair(tuple):
    """Two arrays of data, in the place of a `Make`."""

    xp: Any

    def __new__(cls, xp: Any, data: tuple[Any, Any]) -> _Pair:
        self = tuple.__new__(cls, data)
        self.xp = xp
        return self


def public(module: Any) -> dict[str, Any]:
    return {n: getattr(module, n) for n in module.__all__ if inspect.isfunction(getattr(module, n))}


#: Not of the standard: array-api-strict's own switches.
OWN = {"set_array_api_strict_flags", "get_array_api_strict_flags", "reset_array_api_strict_flags"}


def test_nothing_of_the_standard_is_missing() -> None:
    for ours, theirs in [(lw, strict), (lw.linalg, strict.linalg), (lw.fft, strict.fft)]:
        missing = [n for n in public(theirs) if n not in OWN and not hasattr(ours, n)]
        assert missing == []
    for name in ("e", "pi", "inf", "nan", "newaxis", *map(str, STANDARD)):
        assert hasattr(lw, name)
    assert lw.__array_api_version__ == strict.__array_api_version__ == "2025.12"


def by_position_first(parameters: dict[str, inspect.Parameter]) -> list[inspect.Parameter]:
    """Parameters in the order that a signature has them in: keyword-only ones last."""
    return sorted(parameters.values(), key=lambda p: p.kind is p.KEYWORD_ONLY)


def test_signatures_are_the_standards() -> None:
    """Same names and defaults. An option may be given by position too, an operand by name, and what we add has a
    default."""
    wrong, options = [], (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    for ours, theirs in [(lw, strict), (lw.linalg, strict.linalg), (lw.fft, strict.fft)]:
        for name, reference in public(theirs).items():
            if name in OWN:
                continue
            # array-api-strict has a sentinel where the standard has None
            want = {
                n: p.replace(default=None) if "Undef" in type(p.default).__name__ else p
                for n, p in inspect.signature(reference).parameters.items()
            }
            got = inspect.signature(getattr(ours, name)).parameters
            shared = {p.name: (p.kind, p.default) for p in got.values() if p.name in want}
            for n, p in want.items():
                if p.kind is not p.VAR_POSITIONAL and n in shared and shared[n][0] is p.POSITIONAL_OR_KEYWORD:
                    want[n] = p.replace(kind=p.POSITIONAL_OR_KEYWORD)
            if [*shared.items()] != [(p.name, (p.kind, p.default)) for p in by_position_first(want)]:
                wrong.append(f"{name}: {inspect.signature(getattr(ours, name))} for {inspect.signature(reference)}")
            wrong += [
                f"{name}: {p.name} is ours, and not an option"
                for p in got.values()
                if p.name not in want
                and p.kind is not p.VAR_KEYWORD
                and (p.default is p.empty or p.kind not in options)
            ]
    assert wrong == []


def test_every_function_is_compared() -> None:
    """A function of the standard that no table above has is found here."""
    tables = {*EACH, *BOTH, *CALLS}
    names = {n for n in public(strict) if n not in OWN} | {f"linalg.{n}" for n in public(strict.linalg)}
    names |= {f"fft.{n}" for n in public(strict.fft)}
    elsewhere = {  # data-type and inspection functions have tests of their own
        "can_cast", "finfo", "iinfo", "isdtype", "result_type", "broadcast_shapes", "__array_namespace_info__",
        "linalg.matmul", "linalg.matrix_transpose", "linalg.tensordot", "linalg.vecdot",
    }  # fmt: skip
    assert names - tables - elsewhere == set()


#: What is only called where a backend says that it has it (`Backend.has_line`).
OPTIONAL = ("_line",)


def test_every_function_is_on_every_backend(backend: str) -> None:
    from latticework.backend import get

    chosen = get(backend)
    declared = [
        o
        for o in OPS.values()
        if o.body is None and o.kind != "conversion" and o.name not in (*OPTIONAL, "linalg.schur")
    ]
    assert [o.name for o in declared if chosen.function(o.name) is None] == []
