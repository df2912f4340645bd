"""The Dask backend: nothing is computed before it is asked for, chunks stay, extents may be unknown, and a cluster of
worker processes computes more than one of them could hold."""

from __future__ import annotations

import operator
import os
import pickle
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from types import CodeType, FunctionType
from typing import Any

import numpy as np
import pytest
from cases import examples
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support import NUMPY, check, dtypes, values, wide

import latticework as lw
from latticework.backend.deviations import Deviation, deviations
from latticework.core.dtypes import category
from latticework.core.registry import OPS
from latticework.engine.op import functions
from latticework.errors import PromotionError
from latticework.support import samples

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

from dask.callbacks import Callback

from latticework import fft, linalg, nn
from latticework.backends.dask import blocks, core
from latticework.demo import program

X = values(lw.float32, (6, 4))


@pytest.fixture(autouse=True)
def _on_dask() -> Iterator[None]:
    with dask.config.set(scheduler="synchronous"), lw.using(backend="dask"), np.errstate(all="ignore"):
        yield


class Computed(BaseException):
    """Nothing catches it by accident."""


def refuse(*args: Any, **options: Any) -> None:
    raise Computed


def chunked(data: Any, chunks: Any = 2) -> lw.Array:
    return lw.asarray(da.from_array(np.asarray(data), chunks=chunks))


def of_dtype(dtype: lw.Dtype, shape: tuple[int, ...] = (6, 4)) -> lw.Array:
    """Of positive numbers: nothing is out of a function's domain."""
    return chunked(values(dtype, shape, low=1, high=3))


def each(names: str, call: Callable[..., Any]) -> dict[str, Any]:
    """By name, what is done with each of these functions."""
    return {name: partial(call, getattr(lw, name)) for name in names.split()}


# --- part of what broadcasts -----------------------------------------------------------------------------------------


def softmax(x: Any, axis: Any) -> Any:
    e = lw.exp(x - lw.max(x, axis=axis, keepdims=True))
    return e / lw.sum(e, axis=axis, keepdims=True)


#: Programs of elements and of what is left of an axis that has one element then.
BROADCAST: dict[str, Callable[[Any, Any], Any]] = {
    "softmax": softmax,
    "standardise": lambda x, axis: (x - lw.mean(x, axis=axis, keepdims=True)) / lw.std(x, axis=axis, keepdims=True),
    "norm": lambda x, axis: x / linalg.vector_norm(x, axis=axis, keepdims=True),
    "both ways": lambda x, axis: lw.sum(x, axis=0, keepdims=True) * lw.sum(x, axis=-1, keepdims=True) + x,
    "again": lambda x, axis: softmax(softmax(x, axis) * lw.min(x, axis=0, keepdims=True), -1),
    "place": lambda x, axis: x * lw.argmax(x, axis=None if axis == (0, 1) else axis, keepdims=True),
    "expanded": lambda x, axis: x + lw.expand_dims(lw.prod(x, axis=-1), axis=-1) / lw.max(x, axis=axis, keepdims=True),
    "transform": lambda x, axis: x * lw.real(fft.fft(x, n=1, axis=0)),
}  # fmt: skip
PARTS = [np.s_[0], np.s_[-1], np.s_[:, 1], np.s_[2, 3], np.s_[1:3, ::2], np.s_[::-1, :2], np.s_[:, None, 1], np.s_[...]]


def cut(n: int) -> st.SearchStrategy[tuple[int, ...]]:
    """The ways to cut an axis of so many elements into blocks."""
    return st.sets(st.integers(1, n - 1)).map(lambda ends: tuple(np.diff([0, *sorted(ends), n]).tolist()))


@settings(max_examples=examples(30), deadline=None)
@given(st.sampled_from([*BROADCAST]), st.sampled_from([0, 1, -1, (0, 1)]), st.sampled_from(PARTS), cut(5), cut(4))
@example("softmax", -1, np.s_[0], (2, 3), (2, 2))
@example("place", 0, np.s_[:, 1], (2, 3), (2, 2))
@example("norm", (0, 1), np.s_[2, 3], (1, 1, 1, 1, 1), (1, 1, 1, 1))
@example("transform", 0, np.s_[1:3, ::2], (2, 3), (2, 2))
def test_a_part_of_what_broadcasts(name: str, axis: Any, part: Any, rows: Any, columns: Any) -> None:
    """A part of the result needs part of the blocks, and finds all of these."""
    data = values(lw.float64, (5, 4), low=1, high=3)
    with lw.using(backend="numpy"):
        want = np.asarray(BROADCAST[name](lw.asarray(data), axis))
    result = BROADCAST[name](chunked(data, (rows, columns)), axis)
    assert result.chunks == (rows, columns) or name == "transform"
    check(result[part], want[part], lw.float64, ulps=64, scale=1)
    check(lw.sum(result[part]), want[part].sum(), lw.float64, ulps=64, scale=20)


# --- nothing is computed ---------------------------------------------------------------------------------------------

A, B = lw.Array, lw.Array
SQUARE = np.eye(4, dtype=np.float32) * 3 + 1
#: name -> what is done with x, float32 of shape (6, 4) in chunks of (2, 2); y, of the same kind; and i, int64 in it.
CALLS: dict[str, Callable[[Any, Any, Any], Any]] = {
    **each(
        """abs acos acosh asin asinh atan atanh ceil conj cos cosh exp expm1 floor imag isfinite isinf isnan log log10
        log1p log2 negative positive real reciprocal round sign signbit sin sinh sqrt square tan tanh trunc all any
        argmax argmin argsort count_nonzero diff max mean min nonzero prod sort std sum var unique_all unique_counts
        unique_inverse unique_values flip empty_like ones_like zeros_like tril triu matrix_transpose nan_to_num ravel
        transpose logical_not""",
        lambda f, x, y, i: f(x),
    ),
    **each(
        """add atan2 copysign divide equal floor_divide greater greater_equal hypot less less_equal logaddexp maximum
        minimum multiply nextafter not_equal pow remainder subtract logical_and logical_or logical_xor isin isclose
        vecdot""",
        lambda f, x, y, i: f(x, y),
    ),
    **each(
        "bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor", lambda f, x, y, i: f(i, i)
    ),
    "bitwise_invert": lambda x, y, i: lw.bitwise_invert(i),
    "scalars": lambda x, y, i: (x + 1, 2 * x, x**0.5, x == 1, lw.clip(x, 1, 2.5), lw.where(x > 1, x, 0.0)),
    "in place": lambda x, y, i: x.__iadd__(y).__imul__(2),
    "astype": lambda x, y, i: [lw.astype(x, d) for d in dtypes("all")],
    "around": lambda x, y, i: lw.around(x, decimals=1),
    "clip": lambda x, y, i: lw.clip(x, y, None),
    "where": lambda x, y, i: lw.where(x > y, x, y),
    "reductions along an axis": lambda x, y, i: [
        f(x, axis=a, keepdims=k)
        for f in (lw.sum, lw.prod, lw.max, lw.min, lw.mean, lw.var, lw.std, lw.all, lw.any, lw.count_nonzero, lw.argmax)
        for a in (0, -1) for k in (True, False)
    ],
    "cumulative": lambda x, y, i: [
        f(x, axis=a, include_initial=n) for f in (lw.cumulative_sum, lw.cumulative_prod) for a in (0, 1)
        for n in (True, False)
    ],
    "sort": lambda x, y, i: (lw.sort(x, axis=0, descending=True), lw.argsort(x, axis=0)),
    "searchsorted": lambda x, y, i: lw.searchsorted(x[:, 0], y),
    "broadcasting": lambda x, y, i: (lw.broadcast_to(x, (2, 6, 4)), lw.broadcast_arrays(x, y[0]), x + y[:, :1]),
    "joining": lambda x, y, i: (
        lw.concat([x, y]), lw.concat([x, y], axis=None), lw.stack([x, y], axis=1), lw.hstack([x, y]),
    ),
    "taking apart": lambda x, y, i: (lw.unstack(x), lw.split(x, 2, axis=1)),
    "shapes": lambda x, y, i: (
        lw.reshape(x, (4, 6)), lw.reshape(x, (-1,), order="F"), lw.expand_dims(x, axis=(0, -1)),
        lw.permute_dims(x, (1, 0)), lw.squeeze(x[:1], axis=0), lw.moveaxis(x, 0, 1), lw.roll(x, 1),
        lw.roll(x, (1, 2), axis=(0, 1)), lw.tile(x, (2, 1)), lw.repeat(x, 2, axis=0),
        lw.repeat(x, lw.asarray([1, 2, 3, 0]), axis=1), lw.repeat(x, i[:, 0], axis=0), lw.pad(x, 1),
    ),
    "creation": lambda x, y, i: (
        lw.zeros((3, 4)), lw.ones(3), lw.empty(2), lw.full((2, 2), 7), lw.eye(3), lw.arange(9), lw.linspace(0, 1, 5),
        lw.full_like(x, 2), lw.full((2, 4), x[0]), lw.meshgrid(x[:, 0], y[0]), lw.asarray([1, 2]),
        lw.asarray([x[0, 0], y[0, 0]]), lw.asarray(X), lw.asarray(x, copy=True), x.copy(),
    ),
    "reading": lambda x, y, i: (
        x[0], x[0, 1], x[::-1, ::2], x[..., None], x[1:3, lw.asarray([0, -1])], x[i[:, 0] % 6], x[i % 6, i % 4],
        x[x > 0], x[x[:, 0] > 0], x[:, x[0] > 0], x[i[0, 0] % 6], lw.take(x, i[:, 0] % 6, axis=0),
        lw.take_along_axis(x, i % 6, axis=0),
    ),
    "writing": lambda x, y, i: [
        x.__setitem__(key, value)
        for key, value in [
            (0, 1.0), (..., y), (slice(None), y[0]), ((slice(1, 3), 0), y[1:3, 1]), (x > 0, 0.0), (i[:, 0] % 6, y),
            ((i % 6, i % 4), 1), (lw.asarray([0, 2]), y[:2]), (y > 0, y[0, 0]), (x[:, 0] > 0, 3),
        ]
    ],
    "products": lambda x, y, i: (
        x @ y.T, y.T @ x, lw.tensordot(x, y), lw.tensordot(x, y, axes=((0,), (0,))), x[0] @ y[0],
    ),
    "linalg": lambda x, y, i: [
        f(lw.asarray(da.from_array(SQUARE, chunks=2)))
        for f in (
            linalg.cholesky, linalg.det, linalg.diagonal, linalg.eig, linalg.eigh, linalg.eigvals, linalg.eigvalsh,
            linalg.inv, linalg.matrix_norm, linalg.matrix_rank, linalg.pinv, linalg.qr, linalg.slogdet, linalg.svd,
            linalg.svdvals, linalg.trace, linalg.vector_norm,
        )
    ],
    "more linalg": lambda x, y, i: (
        linalg.svd(x, full_matrices=False), linalg.qr(x.data.rechunk((2, -1))), linalg.solve(chunked(SQUARE), y[:4]),
        linalg.matrix_power(chunked(SQUARE), 3), linalg.cross(x[:, :3], y[:, :3]), linalg.outer(x[0], y[0]),
    ),
    "fft": lambda x, y, i: (
        fft.fft(x), fft.ifft(x, axis=0), fft.rfft(x), fft.irfft(x + 0j), fft.hfft(x + 0j), fft.ihfft(x), fft.fftn(x),
        fft.ifftn(x), fft.rfftn(x), fft.irfftn(x + 0j), fft.fftshift(x), fft.ifftshift(x), fft.fftfreq(5),
        fft.rfftfreq(5),
    ),
    "other spellings": lambda x, y, i: (
        lw.array(X), lw.atleast_1d(x), lw.atleast_2d(x[0]), lw.atleast_3d(x), lw.swapaxes(x, 0, 1), lw.flipud(x),
        lw.fliplr(x), lw.concatenate([x, y]), lw.vstack([x, y]), lw.dstack([x, y]), lw.column_stack([x, y]),
        lw.array_split(x, 4), lw.amax(x), lw.amin(x), lw.cumsum(x), lw.cumprod(x), lw.dot(x, y.T),
        lw.einsum("ij,ij->i", x, y), lw.matmul(x, y.T), lw.pad(x, (1, 2), "reflect"), lw.diff(x, n=2),
        lw.diff(x, prepend=x[:, :1]),
    ),
    "nn": lambda x, y, i: (
        nn.relu(x), nn.relu6(x), nn.leaky_relu(x), nn.prelu(x, y[0]), nn.elu(x), nn.selu(x), nn.celu(x), nn.gelu(x),
        nn.silu(x), nn.mish(x), nn.sigmoid(x), nn.log_sigmoid(x), nn.hard_sigmoid(x), nn.hard_silu(x), nn.hard_tanh(x),
        nn.hard_shrink(x), nn.soft_shrink(x), nn.tanh_shrink(x), nn.softplus(x), nn.softsign(x), nn.squareplus(x),
        nn.threshold(x, 0.5, 1.0), nn.glu(x), nn.softmax(x), nn.softmax(x, where=y > 0), nn.log_softmax(x),
        nn.sparsemax(x), nn.logsumexp(x), nn.one_hot(i, 5), nn.multi_hot(i, 5), nn.layer_norm(x, 4), nn.rms_norm(x, 4),
        *nn.batch_norm(x, y[0], y[1], training=True), nn.instance_norm(x), nn.group_norm(x, 2), nn.normalize(x),
        nn.local_response_norm(x, 3), nn.standardize(x), nn.linear(x, y), nn.bilinear(x, y, y[None, :4]),
        nn.embedding(i, y, padding_idx=0), nn.dropout(x, key=lw.asarray([0, 1], dtype=lw.uint32, backend="dask")),
        *nn.lstm_cell(x, (x, y), lw.concat([x, y, x[:4]]), lw.concat([x, y, y[:4]])),
        nn.gru_cell(x, y, lw.concat([x, y]), lw.concat([y, x])),
        nn.scaled_dot_product_attention(x, y, y, is_causal=True),
        nn.multi_head_attention(x, y, y, 2, y[:4], y[:4], y[:4], y[:4]),
    ),
    "losses": lambda x, y, i: (
        nn.mse_loss(x, y), nn.l1_loss(x, y), nn.huber_loss(x, y), nn.smooth_l1_loss(x, y),
        nn.binary_cross_entropy(x, y), nn.binary_cross_entropy_with_logits(x, y), nn.poisson_nll_loss(x, y),
        nn.gaussian_nll_loss(x, y, y),
        nn.kl_div(x, y), nn.hinge_embedding_loss(x, y), nn.margin_ranking_loss(x, y, y), nn.pairwise_distance(x, y),
        nn.triplet_margin_loss(x, y, x), nn.cosine_similarity(x, y), nn.cosine_embedding_loss(x, y, y[:, 0]),
        nn.nll_loss(x, i[:, 0]), nn.cross_entropy(x, i[:, 0]), nn.cross_entropy(x, y),
        nn.ctc_loss(x[:, None], i[:1, :2], i[:1, 0], i[:1, 1]),
    ),
    "looking at it": lambda x, y, i: (
        repr(x), str(x[x > 0]), x.shape, x.size, x.nbytes, x.dtype, x.device, x.ndim, len(x), x.data, x[x > 0].shape,
        x.T, x.mT, lw.plan(lw.add, x, y), pickle.dumps(x), lw.asarray(x.data), x.to_device("cpu"),
        x.__dlpack_device__(), x.__array_namespace__(),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_nothing_is_computed(name: str) -> None:
    x, y, i = chunked(X), chunked(values(lw.float32, (6, 4), seed=1)), chunked(values(lw.int64, (6, 4), low=0))
    with dask.config.set(scheduler=refuse):
        made = CALLS[name](x, y, i)
        for one in made if isinstance(made, (tuple, list)) else [made]:
            assert not isinstance(one, lw.Array) or one.backend == "dask"


#: Functions that give something of Python's, which has to be computed.
COMPUTE: dict[str, Callable[[Any], Any]] = {
    "allclose": lambda x: lw.allclose(x, x),  # a bool
    "array_equal": lambda x: lw.array_equal(x, x),  # a bool
    "astype, checked": lambda x: lw.astype(x, lw.int8, check=True),  # an error, or none
    "arange": lambda x: lw.arange(lw.max(x)),  # an extent, where it is given as an array
}


@pytest.mark.parametrize("name", COMPUTE)
def test_what_has_to_compute(name: str) -> None:
    with dask.config.set(scheduler=refuse), pytest.raises(Computed):
        COMPUTE[name](chunked(X))


def names_in(code: CodeType) -> Iterator[str]:
    """The attributes that code asks for."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from names_in(constant)


NAMED = {
    *CALLS,
    *(name for call in CALLS.values() if isinstance(call, FunctionType) for name in names_in(call.__code__)),
    *COMPUTE,
}
#: What has to compute besides: its result has a shape that values decide, or looks at values for an error.
OF_INTEGERS = {"bincount"}
COMPUTE_BESIDES = {"roots", "trim_zeros"}


@pytest.mark.parametrize("name", [n for n in samples.names() if n.rpartition(".")[2] not in NAMED])
def test_what_computes_nothing_besides(name: str) -> None:
    """Every function that the calls above leave out, on the samples of the probe."""

    def make(values: Any, dtype: lw.Dtype) -> lw.Array:
        return chunked(np.asarray(values, NUMPY[dtype]))

    dtype = next(d for d in (lw.float32, lw.int32, lw.complex64, lw.bool) if d in category(OPS[name].accepts))
    dtype = lw.int32 if name in OF_INTEGERS else dtype
    with dask.config.set(scheduler=refuse):
        if name in COMPUTE_BESIDES:
            with pytest.raises(Computed):
                samples.call_of(name)(make, dtype)
        else:
            samples.call_of(name)(make, dtype)


def test_what_computes() -> None:
    one = chunked([[2.0]])
    asked: list[Callable[[lw.Array], Any]] = [
        bool, float, int, complex, np.asarray, lambda x: x.item(), lambda x: x.tolist(), lambda x: x.compute(),
        lambda x: x.data.compute(), dask.compute, lambda x: 2.0 in x, lambda x: lw.asarray(x, backend="numpy"),
        np.from_dlpack,
    ]  # fmt: skip
    for ask in asked:
        x = one[0, 0] if ask in (float, int, complex) else one
        with dask.config.set(scheduler=refuse), pytest.raises(Computed):
            ask(x)
        ask(x)
    assert (bool(one), float(one[0, 0]), one.item(), one.tolist()) == (True, 2.0, 2.0, [[2.0]])


def test_repr_shows_dtype_shape_and_chunks() -> None:
    assert repr(chunked(X)) == "Array(<dask>, shape=(6, 4), chunks=(2, 2), dtype=float32)"
    assert repr(chunked(X, ((1, 5), (4,)))) == "Array(<dask>, shape=(6, 4), chunks=((1, 5), 4), dtype=float32)"
    x = chunked([1, 2, 3])
    assert repr(x[x > 1]) == "Array(<dask>, shape=(None,), chunks=((None, None),), dtype=int64)"
    assert repr(lw.asarray(1)) == "Array(<dask>, shape=(), chunks=(), dtype=int32)"


# --- chunks and dtypes -----------------------------------------------------------------------------------------------


ROWS_OF, COLUMNS_OF = (1, 3, 2), (3, 1)
#: name -> what is done with x and y, float32 of shape (6, 4) in chunks of ROWS_OF and COLUMNS_OF, and the chunks of
#: what results. Those of x are kept where an axis is kept; what is longer has more of them, not larger ones.
CHUNKS: dict[str, tuple[Callable[..., Any], tuple[tuple[int, ...], ...]]] = {
    **{
        name: (call, (ROWS_OF, COLUMNS_OF))
        for name, call in {
            **each(
                "add atan2 divide equal floor_divide hypot less logaddexp maximum nextafter pow isin isclose",
                lambda f, x, y: f(x, y),
            ),
            **each(
                """abs exp isnan logical_not negative nan_to_num round sign sqrt tanh empty_like zeros_like ones_like
                tril triu""",
                lambda f, x, y: f(x),
            ),
        }.items()
    },
    "astype": (lambda x, y: lw.astype(x, lw.int8), (ROWS_OF, COLUMNS_OF)),
    "scalars": (lambda x, y: 2 * x + 1, (ROWS_OF, COLUMNS_OF)),
    "where": (lambda x, y: lw.where(x > 0, x, y), (ROWS_OF, COLUMNS_OF)),
    "clip": (lambda x, y: lw.clip(x, 0, 1), (ROWS_OF, COLUMNS_OF)),
    "broadcast": (lambda x, y: x + y[0], (ROWS_OF, COLUMNS_OF)),
    "full_like": (lambda x, y: lw.full_like(x, 7), (ROWS_OF, COLUMNS_OF)),
    "full_like of an array": (lambda x, y: lw.full_like(x, y[0]), (ROWS_OF, COLUMNS_OF)),
    "copy": (lambda x, y: x.copy(), (ROWS_OF, COLUMNS_OF)),
    "in place": (lambda x, y: x.__iadd__(y), (ROWS_OF, COLUMNS_OF)),
    "roll": (lambda x, y: lw.roll(x, 2, axis=0), (ROWS_OF, COLUMNS_OF)),
    "cumulative_sum": (lambda x, y: lw.cumulative_sum(x, axis=0), (ROWS_OF, COLUMNS_OF)),
    "cumulative_prod": (lambda x, y: lw.cumulative_prod(x, axis=1), (ROWS_OF, COLUMNS_OF)),
    "searchsorted": (lambda x, y: lw.searchsorted(lw.cumulative_sum(lw.abs(y[:, 0])), x), (ROWS_OF, COLUMNS_OF)),
    "unique_inverse": (lambda x, y: lw.unique_inverse(x).inverse_indices, (ROWS_OF, COLUMNS_OF)),
    "take_along_axis": (lambda x, y: lw.take_along_axis(x, lw.argsort(y, axis=0).rechunk((ROWS_OF, 4)), axis=0),
                        (ROWS_OF, COLUMNS_OF)),
    "apart and together": (lambda x, y: lw.concat([x[:1], x[1:]]), (ROWS_OF, COLUMNS_OF)),
    "new axes": (lambda x, y: lw.squeeze(lw.expand_dims(x, axis=1), axis=1), (ROWS_OF, COLUMNS_OF)),
    "reshape and back": (lambda x, y: lw.reshape(x[:, None], (6, 4)), (ROWS_OF, COLUMNS_OF)),
    "transpose": (lambda x, y: x.T, (COLUMNS_OF, ROWS_OF)),
    "permute_dims": (lambda x, y: lw.permute_dims(x[None], (2, 0, 1)), (COLUMNS_OF, (1,), ROWS_OF)),
    "flip": (lambda x, y: lw.flip(x), (ROWS_OF[::-1], COLUMNS_OF[::-1])),
    "concat": (lambda x, y: lw.concat([x, y]), (ROWS_OF * 2, COLUMNS_OF)),
    "stack": (lambda x, y: lw.stack([x, y]), ((1, 1), ROWS_OF, COLUMNS_OF)),
    "tile": (lambda x, y: lw.tile(x, (2, 1)), (ROWS_OF * 2, COLUMNS_OF)),
    "repeat": (lambda x, y: lw.repeat(x, 2, axis=1), (ROWS_OF, (6, 2))),
    "pad": (lambda x, y: lw.pad(x, ((2, 1), (0, 3)), constant_values=5), ((2, *ROWS_OF, 1), (*COLUMNS_OF, 3))),
    "diff": (lambda x, y: lw.diff(x, axis=0), ((1, 3, 1), COLUMNS_OF)),
    "broadcast_to": (lambda x, y: lw.broadcast_to(x, (5, 6, 4)), ((5,), ROWS_OF, COLUMNS_OF)),
    "meshgrid": (lambda x, y: lw.meshgrid(x[0], y[:, 0])[0], ((6,), COLUMNS_OF)),
    "slices": (lambda x, y: x[::2, 1:], ((1, 1, 1), (2, 1))),
    "sum": (lambda x, y: lw.sum(x, axis=0), (COLUMNS_OF,)),
    "mean": (lambda x, y: lw.mean(x, axis=1, keepdims=True), (ROWS_OF, (1,))),
    "argmax": (lambda x, y: lw.argmax(x, axis=0), (COLUMNS_OF,)),
    "all": (lambda x, y: lw.all(x, axis=1), (ROWS_OF,)),
    "vecdot": (lw.vecdot, (ROWS_OF,)),
    "matmul": (lambda x, y: x @ y.T, (ROWS_OF, ROWS_OF)),
    "tensordot": (lambda x, y: lw.tensordot(x, y, axes=((0,), (0,))), (COLUMNS_OF, COLUMNS_OF)),
    "einsum": (lambda x, y: lw.einsum("ij,kj,kl->il", x, y, x), (ROWS_OF, COLUMNS_OF)),
    "outer": (lambda x, y: linalg.outer(x[:, 0], y[0]), (ROWS_OF, COLUMNS_OF)),
    "diagonal": (lambda x, y: linalg.diagonal(x), ((1, 2, 1),)),
    # What brings an axis into one block, and leaves the others.
    "sort": (lambda x, y: lw.sort(x, axis=0), ((6,), COLUMNS_OF)),
    "argsort": (lambda x, y: lw.argsort(x, axis=1), (ROWS_OF, (4,))),
    "fft": (lambda x, y: fft.fft(x, axis=0), ((6,), COLUMNS_OF)),
    "cross": (lambda x, y: linalg.cross(x[:, :3], y[:, 1:].rechunk((ROWS_OF, 3))), (ROWS_OF, (1, 1, 1))),
}  # fmt: skip


@pytest.mark.parametrize("name", CHUNKS)
def test_chunks_are_kept(name: str) -> None:
    call, chunks = CHUNKS[name]
    data = X, values(lw.float32, (6, 4), seed=1)
    made = call(*[chunked(a, (ROWS_OF, COLUMNS_OF)) for a in data])
    assert made.chunks == made.data.chunks == chunks
    with lw.using(backend="numpy"):
        whole = [lw.asarray(a) for a in data]
        if name in ("take_along_axis", "cross"):  # they have been brought into chunks on the way
            return
        want = call(*whole)
    if name != "empty_like":
        np.testing.assert_allclose(np.asarray(made), np.asarray(want), rtol=1e-5, atol=1e-5)


def test_chunks_are_kept_in_writing() -> None:
    y = chunked(X, (ROWS_OF, COLUMNS_OF)) + 1
    for key, value in [(0, 1), ((slice(1, 4), 2), 5), (y > 0, 0), (lw.asarray([0, 5]), y[:2]), (..., y),
                       (y[:, 0] > 0, y[0]), (slice(None, None, -1), y)]:  # fmt: skip
        z = y.copy()
        z[key] = value
        assert z.data.chunks == (ROWS_OF, COLUMNS_OF)


def test_chunks_of_what_is_made() -> None:
    assert lw.zeros((6, 4)).data.chunks == ((6,), (4,))
    with dask.config.set({"array.chunk-size": "64B"}):
        assert max(map(len, lw.ones((6, 4)).data.chunks)) > 1
        assert max(map(len, lw.asarray(np.ones((60, 4))).data.chunks)) > 1
        check(lw.arange(100), np.arange(100), lw.int32)
        check(lw.eye(12, 15, k=2), np.eye(12, 15, k=2), lw.float32)


def test_no_block_is_larger_than_it_has_to_be() -> None:
    """The largest of all blocks on the way to a result, in elements: of x, there are 400 in each."""
    x, y = (lw.asarray(da.ones((400, 40), chunks=(20, 20), dtype=np.float32)) for _ in range(2))
    i = lw.asarray(da.arange(400, chunks=20)[::-1])
    mask = chunked(np.arange(400) % 3 == 0, 20)
    rows = lw.asarray(x.data.rechunk((20, 40)))
    for name, make, most in (
        ("elements", lambda: lw.where(x > y, x, lw.exp(x) + y), 400),
        ("sums", lambda: lw.std(x) + lw.max(x) + lw.mean(x), 400),
        ("positions", lambda: lw.argmax(x), 400),
        ("products", lambda: x.T @ y, 400),
        ("einsum", lambda: lw.einsum("ij,kj->ik", x[:100], y), 400),
        ("masks", lambda: lw.sum(x[mask], axis=0), 400),
        ("isin", lambda: lw.any(lw.isin(x, y)), 400),
        ("searchsorted", lambda: lw.searchsorted(i[::-1], i), 400),
        ("take", lambda: lw.sum(lw.take(x, i, axis=0)), 800),  # of the result, as many rows as positions in a block
        ("several", lambda: x[i, i % 40], 400),
        ("along", lambda: lw.take_along_axis(x, lw.broadcast_to(i[:, None], (400, 40)), axis=0), 800),
        ("distinct", lambda: lw.unique_all(x).inverse_indices, 400),
        ("diagonal", lambda: lw.sum(linalg.diagonal(x)), 400),
        ("qr", lambda: linalg.qr(rows).Q, 20 * 40 * 40),  # the triangles, 40 x 40 for each of 20 blocks
        ("singular values", lambda: linalg.svdvals(x), 20 * 40 * 40),
        ("padded", lambda: lw.pad(x, 20), 440 * 20),
        ("written", lambda: written(x, mask), 400),
        ("sort", lambda: lw.sort(x, axis=0), 400 * 20),  # along the axis there is one block, across it there are two
        ("fft", lambda: fft.fft(x, axis=0), 400 * 20),
    ):
        assert largest(make()) <= most, name


def written(x: lw.Array, mask: lw.Array) -> lw.Array:
    made = x.copy()
    made[mask] = x[0]
    made[::2] = 3.0
    return made


def largest(x: lw.Array) -> int:
    """The number of elements of the largest block that is computed for an array."""
    sizes = [0]

    def note(key: Any, result: Any, graph: Any, state: Any, worker: Any) -> None:
        sizes.extend(block.size for block in arrays_in(result))

    with Callback(posttask=note):
        dask.compute(x, optimize_graph=False)
    return max(sizes)


def arrays_in(made: Any) -> Iterator[np.ndarray]:
    if isinstance(made, np.ndarray):
        yield made
    elif isinstance(made, (tuple, list)):
        for part in made:
            yield from arrays_in(part)


def test_every_block_has_the_dtype_that_the_array_says() -> None:
    """Each function of arrays, on every dtype that it takes."""
    seen = 0
    for o in functions():
        if not o.operands or o.kind == "composition" or o.name.startswith(("linalg.", "nn.")):  # see tests/test_nn.py
            continue
        if o.namespace not in ("", "fft") or o.name.rpartition(".")[2] not in NAMED:
            continue  # their own tests compare the dtypes of blocks
        f = getattr(fft if o.namespace else lw, o.name.rpartition(".")[2])
        for dtype in dtypes(o.accepts):
            roles = [{"index": lw.int64, "bool": lw.bool}.get(role, dtype) for role in o.roles(2)]
            x = [chunked(values(role, (4, 4), low=0, high=1)) for role in roles]
            try:
                made = calls_of(o.name, f, x[: len(o.operands)] if not o.sequence else [x])
            except lw.errors.BackendError:  # no transform of 16 bits
                assert dtype.bits == 16
                continue
            for one in made if isinstance(made, tuple) else (made,):
                assert one.data.dtype == NUMPY[one.dtype], (o.name, dtype)
                assert one.data._meta.dtype == NUMPY[one.dtype], (o.name, dtype)
                assert one.data._meta.ndim == one.ndim, (o.name, dtype)
                for block in dask.compute(*one.data.to_delayed().ravel()):
                    assert np.asarray(block).dtype == NUMPY[one.dtype], (o.name, dtype)
                    assert np.ndim(block) == one.ndim, (o.name, dtype)
                seen += 1
    assert seen > 800


@pytest.mark.parametrize("rules", ["torch", "tensorflow", "numpy"])
@pytest.mark.parametrize("name", ["mean", "hypot", "heaviside", "bitwise_and", "bitwise_left_shift", "fmod", "gcd"])
def test_so_it_has_where_rules_compute_in_other_dtypes(name: str, rules: str) -> None:
    """Rules of frameworks compute in dtypes that our functions do not take. What NumPy computes in another dtype, or
    not at all, is refused in the call."""
    f = getattr(lw, name)
    for dtype in (lw.bool, lw.uint8, lw.int32, lw.float32):
        x = of_dtype(dtype)
        with lw.using(rules=rules), suppress(lw.errors.BackendError, PromotionError):
            made = f(*[x] * len(OPS[name].operands))
            assert made.compute().to_numpy().dtype == NUMPY[made.dtype], (name, dtype)


def test_what_no_block_can_be_computed_in_is_refused_at_once() -> None:
    with lw.using(rules="tensorflow"), pytest.raises(lw.errors.BackendError, match="compute in int32, which the dask"):
        lw.mean(of_dtype(lw.int32))
    with lw.using(rules="torch"), pytest.raises(lw.errors.BackendError, match="compute in float32, which the dask"):
        lw.bitwise_and(of_dtype(lw.float32), of_dtype(lw.float32))
    with lw.using(rules="numpy"):
        check(lw.maximum(z := chunked(X + 1j), z), X + 1j, lw.complex64)


def test_differences_of_bools() -> None:
    data = X > 2
    for rules in ("numpy", "torch", "jax"):
        with lw.using(rules=rules):
            check(lw.diff(chunked(data), axis=0, n=2), np.diff(data, 2, 0), lw.bool)


#: The arguments of functions that do not do with arrays alone.
ARGUMENTS: dict[str, Callable[..., Any]] = {
    "broadcast_to": lambda f, x: f(x, (3, 4, 4)),
    "expand_dims": lambda f, x: f(x, axis=0),
    "moveaxis": lambda f, x: f(x, 0, 1),
    "permute_dims": lambda f, x: f(x, (1, 0)),
    "repeat": lambda f, x, n: f(x, 2),
    "reshape": lambda f, x: f(x, (2, 8)),
    "roll": lambda f, x: f(x, 1),
    "squeeze": lambda f, x: f(x[:1], 0),
    "tile": lambda f, x: f(x, (2, 1)),
    "cumulative_sum": lambda f, x: f(x, axis=0),
    "cumulative_prod": lambda f, x: f(x, axis=0),
    "searchsorted": lambda f, x, y: f(lw.sort(x[0]), y),
    "take": lambda f, x, i: f(x, i[0], axis=0),
}


def calls_of(name: str, f: Callable[..., Any], operands: list[Any]) -> Any:
    return ARGUMENTS[name](f, *operands) if name in ARGUMENTS else f(*operands)


def test_positions_that_are_computed() -> None:
    """Against NumPy, over chunks of the array and of the positions: along one axis, several, and those of elements."""
    rng = np.random.default_rng(3)
    data = rng.integers(-9, 9, (7, 5, 4)).astype(np.int16)
    k, m = rng.integers(-7, 7, (3, 2)), rng.integers(-5, 5, (2,))
    along = rng.integers(-7, 7, (6, 5, 4))
    for chunks in ((7, 5, 4), (2, 2, 3), ((3, 0, 4), (5,), (1, 3)), 1):
        x = chunked(data, chunks)
        for parts in (3, 1):
            lazy_k, lazy_m = chunked(k, parts) + 0, chunked(m, parts) + 0
            check(x[lazy_k], data[k], lw.int16)
            check(lw.take(x, lazy_k, axis=1 - 1), data.take(k, axis=0), lw.int16)
            check(x[lazy_k, lazy_m], data[k, m], lw.int16)
            check(x[lazy_k, :, 1], data[k, :, 1], lw.int16)
            check(x[:, lazy_m], data[:, m], lw.int16)
            check(x[lazy_m[0]], data[m[0]], lw.int16)
            check(x[-3, :, lazy_m[1]], data[-3, :, m[1]], lw.int16)
            check(x[:, 0, 0][lazy_m[0]], data[m[0], 0, 0], lw.int16)
            check(lw.take(x[:, 1, 2], lazy_m[1], axis=0), data[m[1], 1, 2], lw.int16)
            check(x[lazy_m, lazy_m, lazy_m % 4], data[m, m, m % 4], lw.int16)
            check(
                lw.take_along_axis(x, chunked(along, parts) + 0, axis=0), np.take_along_axis(data, along, 0), lw.int16
            )
            one = along[:, :1, :1]
            check(lw.take_along_axis(x, chunked(one, parts) + 0, axis=0),
                  np.take_along_axis(data, np.broadcast_to(one, (6, 5, 4)), 0), lw.int16)  # fmt: skip


def test_sets_in_chunks() -> None:
    rng = np.random.default_rng(4)
    for dtype in (lw.int8, lw.uint64, lw.bfloat16, lw.float32, lw.complex64, lw.bool):
        data = values(dtype, (6, 5), low=-2, high=2)
        if dtype.kind in "fc":
            data[0, :2] = np.nan
        wanted = lw.unique_all(lw.asarray(data, backend="numpy"))
        for chunks in (2, (6, 1), ((1, 0, 5), 3), -1):
            x = chunked(data, chunks)
            made = lw.unique_all(x)
            for got, want in zip(made, wanted, strict=True):
                if got is not made.inverse_indices and not (got is made.indices and dtype.kind in "fc"):
                    np.testing.assert_array_equal(wide(got), wide(want))
            assert made.inverse_indices.data.chunks == x.data.chunks
            found, inverse, at, n = (
                np.asarray(m) for m in (made.values, made.inverse_indices, made.indices, made.counts)
            )
            np.testing.assert_array_equal(wide(found[inverse]), wide(data))  # nan among nan
            np.testing.assert_array_equal(wide(data.ravel()[at]), wide(found))
            assert n.sum() == data.size
            others = values(dtype, (9,), seed=int(rng.integers(9)), low=-1, high=1)
            for invert in (False, True):
                got = lw.isin(x, chunked(others, 2), invert=invert)
                check(got, np.isin(wide(data), wide(others), invert=invert), lw.bool)
            if dtype.kind != "c":
                order = np.sort(others)
                for side in ("left", "right"):
                    clean = np.where(np.isnan(wide(data).astype(float)), 0, data).astype(data.dtype)
                    got = lw.searchsorted(chunked(order, 2), chunked(clean, chunks), side=side)
                    check(got, np.searchsorted(wide(order), wide(clean), side=side), lw.int64)


def test_reductions_go_in_a_tree() -> None:
    data = np.random.default_rng(0).normal(3, 2, (60, 6)).astype(np.float32)
    x = chunked(data, (1, 2))
    wide = data.astype(float)
    for axis in (None, 0, 1, (0, 1)):
        for name in ("sum", "mean", "var", "std", "max", "min"):
            for keepdims in (True, False):
                made = getattr(lw, name)(x, axis=axis, keepdims=keepdims)
                check(made, getattr(np, name)(wide, axis=axis, keepdims=keepdims), lw.float32, ulps=16)
        check(lw.any(x > 8, axis=axis), (data > 8).any(axis=axis), lw.bool)
        check(lw.count_nonzero(x > 3, axis=axis), np.count_nonzero(data > 3, axis=axis), lw.int64)
    most = max(len(task.dependencies) for task in dict(lw.sum(x).data.dask).values() if hasattr(task, "dependencies"))
    assert most <= 16
    ones = lw.ones((5000,), dtype=lw.float16)
    check(lw.sum(lw.asarray(ones.data.rechunk(7))), 5000, lw.float16)
    check(lw.cumulative_sum(lw.asarray(ones.data.rechunk(700)))[-1], 5000, lw.float16)
    check(lw.mean(lw.asarray(ones.data.rechunk(7) * np.float16(60000))), 60000, lw.float16)
    check(lw.var(chunked(data.astype(complex), 7)), np.var(data), lw.float64, ulps=2**32)


def tasks(x: lw.Array) -> int:
    """Count the tasks that Dask's scheduler gets."""
    return len(dict(dask.optimize(x.data)[0].dask))


#: name -> a function of float32 elements, of shape (16, 16) in 64 blocks, and the most tasks that may be left of it
#: after Dask's own optimisation, besides those of the blocks themselves. A tree has 16 and 8 along an axis.
TASKS: dict[str, tuple[Callable[[lw.Array], lw.Array], int]] = {
    "histogram": (lambda x: lw.histogram(x, bins=4, range=(-3, 3)).histogram, 64 + 16 + 4 + 2),
    "histogram of weights": (lambda x: lw.histogram(x, 4, (-3, 3), weights=x).histogram, 64 + 16 + 4 + 2),
    "digitize": (lambda x: lw.digitize(x, lw.asarray([0.0, 1.0])), 64 + 1),
    "top_k": (lambda x: lw.top_k(x, 3, axis=0).values, 64 + 16 + 8),
    "argmax": (lambda x: lw.argmax(x, axis=0), 64 + 16 + 8),
    "triu": (lw.triu, 64 + 8),
    "z-scores": (lambda x: (x - lw.mean(x, axis=0)) / lw.std(x, axis=0), 2 * (64 + 16) + 64),
    "softmax": (nn.softmax, 64 + 2 * (64 + 16 + 8) + 64),
    "matmul": (lambda x: x @ x, 512 + 2 * 64 + 64),
}  # fmt: skip


@pytest.mark.parametrize("name", TASKS)
def test_graphs_have_few_tasks(name: str) -> None:
    call, most = TASKS[name]
    assert tasks(call(chunked(values(lw.float32, (16, 16)), 2))) - 64 <= most


@pytest.mark.parametrize("chunks", [2, (6, 1), ((1, 0, 5), 3), -1], ids=str)
def test_what_is_picked_and_counted_in_chunks(chunks: Any) -> None:
    for dtype in (lw.int8, lw.uint64, lw.bfloat16, lw.float32, lw.bool):
        data = values(dtype, (6, 5), low=-2, high=2)
        if dtype.kind == "f":
            data[0, :2] = np.nan
        x, whole = chunked(data, chunks), lw.asarray(data, backend="numpy")
        for axis, k in ((0, 1), (0, 4), (1, 5), (-1, 2)):
            for largest in (True, False):
                made = lw.top_k(x, k, axis, largest=largest)
                for got, want in zip(made, lw.top_k(whole, k, axis, largest=largest), strict=True):
                    assert got.data.shape == want.shape
                    check(got, np.asarray(want), want.dtype)
    data = values(lw.float32, (6, 5), low=-2, high=2)
    x, whole = chunked(data, chunks), lw.asarray(data, backend="numpy")
    ways: list[dict[str, Any]] = [{"bins": 4, "range": (-1, 1)}, {"bins": 1}, {"density": True}, {"weights": x}]
    for options in ways:
        got = lw.histogram(x, **options)
        if "weights" in options:
            options = options | {"weights": whole}
        for a, b in zip(got, lw.histogram(whole, **options), strict=True):
            check(a, np.asarray(b), b.dtype, ulps=4)
    for edges in ([-1.0, 0.0, 1.0], [1.0, 0.0, -1.0]):
        at = chunked(np.asarray(edges, np.float32), 2)
        check(lw.digitize(x, at, right=True), np.digitize(data, edges, right=True), lw.int64)
    some = x[x > 0]  # of an extent that is not known
    check(lw.histogram(some, 4, (0, 1)).histogram, np.histogram(data[data > 0], 4, (0, 1))[0], lw.int64)
    check(lw.histogram(x[0, 0], 2, (-4, 4)).histogram, np.histogram(data[0, 0], 2, (-4, 4))[0], lw.int64)


#: name -> a loss of x, float32 of shape (16, 16), and the most tasks that its gradient may have in 64 blocks after
#: Dask's own optimisation, besides those of the blocks.
LOSSES: dict[str, tuple[Callable[[lw.Array], lw.Array], int]] = {
    "product": (lambda x: lw.sum(lw.sin(x) * x), 64),
    "second derivative": (lambda x: lw.sum(lw.grad(lambda y: lw.sum(y**4))(x) ** 2), 64),
    "regression": (lambda x: lw.mean(lw.log1p(lw.exp(-(x @ lw.ones(16, dtype=lw.float32))))), 171),
    "log_softmax": (lambda x: lw.mean(nn.log_softmax(x, axis=1) * x), 825),
    "spread": (lambda x: lw.sum(lw.std(x, axis=0)), 268),
    "max": (lambda x: lw.sum(lw.max(x, axis=0)), 331),
    "normalized": (lambda x: lw.sum(nn.layer_norm(x, 16) ** 3), 700),
}  # fmt: skip


@pytest.mark.parametrize("name", LOSSES)
def test_gradients_are_lazy_and_keep_the_chunks(name: str) -> None:
    loss, most = LOSSES[name]
    data = values(lw.float32, (16, 16), low=-2, high=2) + np.arange(16, dtype=np.float32) / 64
    with lw.using(backend="numpy"):
        expected = np.asarray(lw.grad(loss)(lw.asarray(data)))
        some = np.asarray(lw.grad(loss)(lw.asarray(data[::2])))
    uneven = ((3, 0, 12, 1), (1, 13, 2))
    for chunks in (2, uneven):
        x = chunked(data, chunks)
        with dask.config.set(scheduler=refuse):
            made = lw.grad(loss)(x)
        assert made.chunks == x.chunks
        np.testing.assert_allclose(np.asarray(made), expected, rtol=1e-4, atol=1e-5)
        if chunks == 2:
            assert tasks(made) - 64 <= most
    x = chunked(data, (4, 16))[chunked(np.arange(16) % 2 == 0, 4)]  # of a number of rows that is not known
    np.testing.assert_allclose(np.asarray(lw.grad(loss)(x)), some, rtol=1e-4, atol=1e-5)


def test_blocks_that_are_whole_are_not_copied() -> None:
    """Dask joins the blocks of an axis that goes, and copies one that is alone."""
    data, seen = np.ones((4, 6)), []
    x = core.of_blocks(data, ((2, 2), (6,)))

    def summed(block: np.ndarray) -> Any:
        seen.append(block)
        return block.sum(1)

    made = blocks.call(summed, (0,), x, (0, 1), dtype=x.dtype, concatenate=True)
    assert (made.compute() == 6).all()
    assert len(seen) == 2
    assert all(np.shares_memory(block, data) for block in seen)


def test_sixteen_bits_are_summed_alike_in_any_chunks() -> None:
    """What is summed is of the dtype before: 1e5 is an infinity in float16, and 257 is 256 in bfloat16."""
    data = np.array([1e5, -1e5, 257, 3])
    for source in (lw.int32, lw.int64, lw.float32, lw.float64):
        x = chunked(data.astype(NUMPY[source]))
        for split in (1, 2, 4):
            check(lw.sum(x.rechunk(split), dtype=lw.float16), np.nan, lw.float16)
            check(lw.prod(x.rechunk(split), dtype=lw.float16), -np.inf, lw.float16)
            check(lw.prod(x[2:].rechunk(split), dtype=lw.bfloat16), 768, lw.bfloat16)
    with lw.using(backend="numpy"):
        for split in (1, 2, 4):
            check(lw.sum(x.rechunk(split), dtype=lw.bfloat16), lw.sum(lw.asarray(data), dtype=lw.bfloat16), lw.bfloat16)


def test_empty_blocks_are_reshaped() -> None:
    data = np.arange(24).reshape(4, 6)
    rows = data[2:]
    for columns in (6, 4):
        x = chunked(data, (2, columns))[lw.asarray([False, False, True, True])]
        assert 0 in x.chunks[0]
        for shape in ((12,), (3, 4), (2, 3, 2)):
            check(lw.reshape(x, shape), rows.reshape(shape), lw.int64)
            check(lw.reshape(x, shape, order="F"), rows.reshape(shape, order="F"), lw.int64)
        check(lw.roll(x, 5), np.roll(rows, 5), lw.int64)
        check(lw.repeat(x, 2), rows.repeat(2), lw.int64)
        check(lw.concat([x, x], axis=None), np.concatenate([rows, rows], axis=None), lw.int64)
        check(x[lw.asarray(rows % 5 > 1)], rows[rows % 5 > 1], lw.int64)
        check(x[x % 5 > 1], rows[rows % 5 > 1], lw.int64)
        check(lw.reshape(x[:0], (3, 0)), np.empty((3, 0)), lw.int64)


def test_extents_are_integers() -> None:
    for make in (lambda: lw.zeros(2.5), lambda: lw.ones((2, 3.0)), lambda: lw.eye(2.5), lambda: lw.eye(2, 2.5),
                 lambda: lw.eye(2, k=0.5)):  # fmt: skip
        with pytest.raises(TypeError):
            make()


def test_the_first_of_equal_places() -> None:
    data = np.array([[0, 5, 1, 5], [5, 0, 0, 0], [2, 5, 0, -1]])
    for chunks in ((1, 2), (2, 1), (3, 4), (2, 3)):
        x = chunked(data, chunks)
        for axis in (None, 0, 1):
            check(lw.argmax(x, axis=axis), np.argmax(data, axis=axis), lw.int64)
            check(lw.argmin(x, axis=axis, keepdims=True), np.argmin(data, axis=axis, keepdims=True), lw.int64)
    with_nan = np.array([1.0, np.nan, 3.0, np.nan], dtype=np.float32)
    check(lw.argmax(chunked(with_nan, 1)), 1, lw.int64)


def test_sixteen_bits_in_chunks() -> None:
    for dtype in (lw.float16, lw.bfloat16):
        a, b = values(dtype, (6, 50), low=-1, high=1), values(dtype, (50, 5), low=-1, high=1)
        want = a.astype(float) @ b.astype(float)
        check(chunked(a, (2, 7)) @ chunked(b, (7, 3)), want, dtype, ulps=1)
        check(lw.tensordot(chunked(a, (2, 7)), chunked(b, (7, 3)), axes=1), want, dtype, ulps=1)


def test_tall_matrices_stay_in_chunks() -> None:
    rng = np.random.default_rng(0)
    for dtype in (lw.float32, lw.float64, lw.complex64, lw.complex128):
        data = rng.normal(size=(40, 6)) + (1j * rng.normal(size=(40, 6)) if dtype.kind == "c" else 0)
        data = data.astype(NUMPY[dtype])
        tol = 1e3 * lw.finfo(dtype).eps
        for rows in ((10,) * 4, (3, 20, 17), (2,) * 20):
            x = chunked(data, (rows, 6))
            Q, R = linalg.qr(x)
            U, S, Vh = linalg.svd(x, full_matrices=False)
            assert Q.data.chunks == U.data.chunks == (rows, (6,))
            assert (R.shape, S.shape, Vh.shape) == ((6, 6), (6,), (6, 6))
            np.testing.assert_allclose(np.asarray(Q @ R), data, atol=tol)
            np.testing.assert_allclose(np.asarray((U * S) @ Vh), data, atol=tol)
            np.testing.assert_allclose(np.asarray(U.T.conj() @ U), np.eye(6), atol=tol)
            np.testing.assert_allclose(np.asarray(S), np.linalg.svd(data)[1], rtol=tol)
            np.testing.assert_allclose(np.asarray(linalg.svdvals(x)), np.asarray(S), rtol=tol)
            assert not np.tril(np.asarray(R), -1).any()
            U, S, Vh = linalg.svd(x.T, full_matrices=False)
            assert Vh.data.chunks == ((6,), rows)
            np.testing.assert_allclose(np.asarray((U * S) @ Vh), data.T, atol=tol)
            kept = x[chunked(np.arange(40) % 3 > 0, 7)]
            np.testing.assert_allclose(np.asarray(linalg.svdvals(kept)), np.linalg.svd(data[np.arange(40) % 3 > 0])[1],
                                       rtol=tol)  # fmt: skip


def test_dask_arrays_are_taken_as_they_are() -> None:
    native = da.from_array(X, chunks=(4, 3))
    x = lw.asarray(native)
    assert x.backend == "dask"
    assert x.data is native
    assert lw.add(native, native).data.chunks == native.chunks
    check(x + np.float32(1), X + 1, lw.float32)
    with lw.using(backend="numpy"):
        assert lw.asarray(native).backend == "dask"
        assert lw.asarray(native, backend="numpy").backend == "numpy"
    y = lw.asarray(native, copy=True)
    y[0] = 0
    check(lw.asarray(native), X, lw.float32)
    swapped = lw.asarray(da.from_array(X.astype(">f4"), chunks=2))
    check(swapped, X, lw.float32)
    with pytest.raises(TypeError, match="MaskedArray cannot be used"):
        lw.asarray(da.ma.masked_array(native))
    with pytest.raises(lw.errors.BackendError, match="arrays of two backends.*backend='dask'"):
        lw.add(x, lw.asarray(X, backend="numpy"))


# --- unknown extents -------------------------------------------------------------------------------------------------


def test_unknown_extents() -> None:
    x = chunked(X)
    some = x[x > 0]
    want = X[X > 0]
    assert (some.shape, some.size, some.nbytes, some.ndim) == ((None,), None, None, 1)
    doubled = some * 2 + some
    check(doubled, want * 3, lw.float32)
    check(lw.sum(some), want.sum(), lw.float32, ulps=16)
    check(lw.mean(some), want.mean(), lw.float32, ulps=16)
    check(lw.std(some), want.std(), lw.float32, ulps=16)
    check(lw.max(some), want.max(), lw.float32)
    check(lw.sort(some), np.sort(want), lw.float32)
    check(lw.cumulative_sum(some), np.cumsum(want), lw.float32, ulps=16)
    check(lw.concat([some, some]), np.concatenate([want, want]), lw.float32)
    check(lw.astype(some, lw.float64)[:, None] * chunked(np.ones((1, 3))), want[:, None] * np.ones(3), lw.float64)
    check(some[some > 1], want[want > 1], lw.float32)
    check(lw.unique_values(some), np.unique(want), lw.float32)
    check(lw.reshape(some, (-1,)), want, lw.float32)
    check(lw.ones_like(some, dtype=lw.int8), np.ones(want.shape), lw.int8)
    check(lw.full_like(some, lw.asarray(2.5)), np.full(want.shape, 2.5), lw.float32)
    u = chunked(np.arange(8, dtype=np.uint64), 3)
    check(lw.full_like(u[u > 3], 2**64 - 1), np.full(4, 2**64 - 1, np.uint64), lw.uint64)
    check(x[lw.nonzero(x)], X[X.nonzero()], lw.float32)
    rows = x[x[:, 0] > 0]
    assert rows.shape == (None, 4)
    check(lw.sum(rows, axis=0), X[X[:, 0] > 0].sum(axis=0), lw.float32)
    check(rows @ x.T, X[X[:, 0] > 0] @ X.T, lw.float32, scale=50)
    check(rows[:, 1:3], X[X[:, 0] > 0][:, 1:3], lw.float32)
    some += 1
    check(some, want + 1, lw.float32)
    some[some > 2] = 0
    check(some, np.where(want + 1 > 2, 0, want + 1), lw.float32)
    assert x[chunked(X) == X.max()].item() == X.max()
    assert bool(chunked([1, 0])[chunked([True, False])])


def test_compositions_of_unknown_extents() -> None:
    every = values(lw.float32, (12, 4), seed=1)
    middle = np.sort(every[:, 0])[6]
    data, rows = every[every[:, 0] >= middle], chunked(every)[chunked(every)[:, 0] >= middle]
    for order in (1, -1, 2, -2, np.inf, -np.inf, "fro", "nuc"):
        check(linalg.matrix_norm(rows, ord=order), np.linalg.norm(data, order), lw.float32, ulps=64)
    large = chunked(np.full(6, 300, np.float16), 3)
    check(linalg.vector_norm(large[large > 0]), 300 * 6**0.5, lw.float16, ulps=1)  # whose squares are no float16
    check(lw.pad(rows, ((1, 2), (0, 0))), np.pad(data, ((1, 2), (0, 0))), lw.float32)
    check(lw.pad(rows, 0), data, lw.float32)
    for part, want in zip(lw.split(rows, [1], axis=-1), np.split(data, [1], axis=-1), strict=True):
        check(part, want, lw.float32)
    check(lw.tensordot(rows.T, rows, axes=1), data.T @ data, lw.float32, scale=50)
    check(lw.tensordot(rows[:, 0], rows, axes=0), np.multiply.outer(data[:, 0], data), lw.float32)
    one = rows[:, 0]
    assert lw.array_equal(one, lw.asarray(data[:, 0]))
    assert not lw.array_equal(one, lw.asarray(data[1:, 0]))
    assert not lw.array_equal(one, one[one != data[0, 0]])


def test_blocks_of_unknown_extents_are_not_stretched() -> None:
    x = chunked([0, 1, 2, 3, 4, 5], 3)
    one, other = x[(x < 1) | (x > 2)], x[x < 4]  # of four elements: in blocks of 1 and 3, and of 3 and 1
    with pytest.raises(ValueError, match="blocks of 1 and 3 elements do not fit together"):
        np.asarray(one + other)
    with pytest.raises(ValueError, match="blocks of 1 and 3 elements do not fit together"):
        np.asarray(lw.where(one > 0, 1, other))
    check(one * one + 1, [1, 10, 17, 26], lw.int64)
    check(one[:, None] * one, np.multiply.outer([0, 3, 4, 5], [0, 3, 4, 5]), lw.int64)


def test_extents_that_are_written_down_are_known() -> None:
    x = chunked(X)
    assert x[lw.asarray([True, False, True] * 2)].shape == (4, 4)
    assert x[lw.asarray(X > 0)].shape == (int((X > 0).sum()),)
    assert lw.repeat(x, lw.asarray([1, 2, 0, 3]), axis=1).shape == (6, 6)
    with pytest.raises(IndexError, match="index 6 is out of bounds for axis 0 of extent 6"):
        x[lw.asarray([0, 6])]


@pytest.mark.parametrize("deviation", [d for d in deviations() if d.backend == "dask" and "None" in d.gives], ids=str)
def test_extents_that_are_known_later_are_listed(deviation: Deviation) -> None:
    for dtype in dtypes(deviation.dtypes):
        first, *others = eval(f"[{deviation.case}]")
        operands = [chunked(np.asarray(first, NUMPY[dtype])), *[lw.flip(chunked(x)) for x in others]]  # not at hand
        call = getattr(operator if deviation.function == "getitem" else lw, deviation.function)
        made = call(*operands)
        made = made[0] if isinstance(made, tuple) else made
        assert made.shape == eval(deviation.gives)
        assert np.asarray(made).shape == eval(deviation.standard)


def test_what_needs_an_extent_is_refused() -> None:
    some = chunked(X)[chunked(X) > 0]
    for ask in (
        lambda: some[0], lambda: some[1:], lambda: lw.flip(some), lambda: lw.reshape(some, (2, -1)),
        lambda: lw.roll(some, 1),
        lambda: lw.unstack(some), lambda: fft.fft(some), lambda: lw.argmax(lw.stack([some, some])),
        lambda: some.__setitem__(0, 1.0), lambda: lw.broadcast_to(some, (3, 4)), lambda: some + chunked([1.0, 2.0,
        3.0], 3),
        lambda: linalg.det(lw.stack([some, some])),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="not known"):
            ask()
    row, small = some[None], lw.astype(some, lw.uint8)
    for name, ask in {
        "fft.fftshift": lambda: fft.fftshift(some), "fft.ifftshift": lambda: fft.ifftshift(some),
        "split": lambda: lw.split(some, 2), "array_split": lambda: lw.array_split(row, 2, axis=-1),
        "linalg.matrix_rank": lambda: linalg.matrix_rank(row), "linalg.pinv": lambda: linalg.pinv(row),
        "linalg.matrix_power": lambda: linalg.matrix_power(row.T @ row, 0),
        "linalg.cross": lambda: linalg.cross(row, row), "pad": lambda: lw.pad(row, ((1, 0), (0, 0))),
    }.items():  # fmt: skip
        axis = 0 if name in ("fft.fftshift", "fft.ifftshift", "split", "linalg.matrix_power") else 1
        with pytest.raises(ValueError, match=rf"^{name}: the extent of axis {axis} is not known .* x\.compute\(\)"):
            ask()
    for mode in ("edge", "reflect", "symmetric", "wrap"):
        with pytest.raises(ValueError, match="^pad: the extent of axis 0 is not known"):
            lw.pad(small, 1, mode=mode)
    with pytest.raises(TypeError, match="not known"):
        len(some)
    some.data.compute_chunk_sizes()
    assert some.shape == (int((X > 0).sum()),)
    check(some[0], X[X > 0][0], lw.float32)


def test_positions_are_checked_when_they_are_computed() -> None:
    x, i = chunked(X), chunked([0, 5]) + 1
    made = [x[i], lw.take(x, i, axis=0), lw.take_along_axis(x, i[:, None] + lw.zeros((2, 4), dtype=lw.int64), axis=0)]
    y = x.copy()
    y[i] = 1.0
    for late in (*made, y):
        with pytest.raises(IndexError, match="out of bounds"):
            np.asarray(late)
    with pytest.raises(linalg.LinAlgError, match="linalg.inv: a matrix is singular"):
        linalg.inv(chunked(np.zeros((4, 4)))).compute()


# --- a collection of Dask's ------------------------------------------------------------------------------------------


def test_it_is_a_collection() -> None:
    x = chunked(values(lw.bfloat16, (5, 3)))
    y = x + 1
    assert dask.is_dask_collection(x)
    assert not dask.is_dask_collection(lw.asarray(X, backend="numpy"))
    one, other = dask.compute(x, {"y": y})
    assert (one.backend, one.dtype, other["y"].dtype) == ("numpy", lw.bfloat16, lw.bfloat16)
    check(other["y"], np.asarray(y), lw.bfloat16)
    (kept,) = dask.persist(y)
    assert (kept.backend, kept.data.chunks) == ("dask", y.data.chunks)
    check(kept, np.asarray(y), lw.bfloat16)
    assert y.compute().backend == "numpy"
    assert dask.base.tokenize(x) == dask.base.tokenize(lw.asarray(x.data))
    here = lw.asarray([1, 2], backend="numpy")
    assert here.compute() is here
    with pytest.raises(AttributeError, match="'Array' object has no attribute 'nope'"):
        _ = here.nope


def test_what_is_shared_is_computed_once() -> None:
    calls: list[int] = []

    def count(block: np.ndarray) -> np.ndarray:
        calls.append(1)
        return block

    x = lw.asarray(da.from_array(X, chunks=(2, -1)).map_blocks(count, dtype=X.dtype, meta=X[:0, :0]))
    dask.compute(lw.mean(x), lw.std(x, axis=0), linalg.svd(x, full_matrices=False).S, lw.unique_counts(x).counts)
    assert len(calls) == 3


def test_pickles() -> None:
    for made in (chunked(X), chunked(X) * 2, lw.sum(chunked(X), axis=0), linalg.svd(chunked(X), full_matrices=False).S):
        check(pickle.loads(pickle.dumps(made)), np.asarray(made), lw.float32)


# --- a cluster -------------------------------------------------------------------------------------------------------

ROWS, COLUMNS, BLOCK = 72 << 14, 32, 1 << 14  # 302 MB of float64, in blocks of 4 MB
LIMIT = 256 << 20  # of which Python, Dask and NumPy take about half

#: On a busy machine a worker takes long to start, which Dask warns of.
slow_start = pytest.mark.filterwarnings("ignore:Creating scratch directories is taking", "ignore:.*unresponsive")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Of two worker processes, neither of which may hold the array below."""
    distributed = pytest.importorskip("distributed")
    settings = {
        "temporary-directory": str(tmp_path_factory.mktemp("workers")),
        "distributed.comm.timeouts.connect": "10s",  # so long one worker tries to reach another that is no more
        "distributed.worker.memory.recent-to-old-time": "0s",
    }
    with (
        dask.config.set(settings),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, memory_limit=LIMIT, host="127.0.0.1",
            dashboard_address=":0", silence_logs=50,
        ) as cluster,
        distributed.Client(cluster, timeout="60s") as client,
    ):  # fmt: skip
        client.wait_for_workers(2, timeout=60)
        yield client


def source() -> da.Array:
    """Normal numbers, in columns that are correlated and of different spread, made where they are computed."""
    native = da.random.default_rng(7).standard_normal((ROWS, COLUMNS), chunks=(BLOCK, COLUMNS))
    return native * np.linspace(1, 3, COLUMNS) + native[:, :1] * np.cos(np.arange(COLUMNS))


def reference(native: da.Array) -> tuple[np.ndarray, ...]:
    """What NumPy says: means, deviations, singular values and principal components, of the matrix of covariances."""
    total, products, n = np.zeros(COLUMNS), np.zeros((COLUMNS, COLUMNS)), len(native)
    for lazy in native.blocks:
        block = np.asarray(lazy.compute(scheduler="synchronous"))
        total += block.sum(axis=0)
        products += block.T @ block
    mean = total / n
    covariance = products / n - np.outer(mean, mean)
    deviation = np.sqrt(np.diag(covariance))
    eigenvalues, vectors = np.linalg.eigh(covariance / np.outer(deviation, deviation))
    components = vectors[:, ::-1].T[: program.COMPONENTS]
    largest = np.abs(components).argmax(axis=1, keepdims=True)
    components = components * np.sign(np.take_along_axis(components, largest, axis=1))
    return mean, deviation, np.sqrt(eigenvalues[::-1][: program.COMPONENTS] * n), components


def pids(client: Any) -> set[int]:
    """Of the workers that answer."""
    return {pid for pid in client.run(os.getpid, on_error="ignore").values() if isinstance(pid, int)}


@slow_start
def test_pca_of_more_than_a_worker_holds(client: Any) -> None:
    """The demo's own functions. Nobody has been restarted at the end, so nobody came to 95 % of the limit."""
    x = lw.asarray(source())
    assert x.nbytes > 1.1 * LIMIT
    before = pids(client)
    with dask.config.set(scheduler="distributed"):
        mean, deviation = dask.persist(*program.moments(x))  # stays on the workers
        found = dask.compute(mean, deviation, *program.principal_components((x - mean) / deviation))
    assert all(type(made) is lw.Array and made.backend == "numpy" for made in found)
    for made, want in zip(found, reference(source()), strict=True):
        np.testing.assert_allclose(np.asarray(made), want, rtol=1e-7, atol=1e-7 * np.abs(want).max())
    assert pids(client) == before
    assert len(before) == 2


@slow_start
def test_a_worker_that_is_killed_is_made_up_for(client: Any) -> None:
    native = source()[: ROWS // 4]
    x = lw.asarray(native)
    mean, deviation, *want = reference(native)
    z = (x - lw.asarray(mean, backend="dask")) / lw.asarray(deviation, backend="dask")
    made = client.compute([*program.principal_components(z)])
    tasks = client.cluster.scheduler.tasks
    wait_for(lambda: sum(task.state == "memory" for task in [*tasks.values()]) > 2)
    assert not any(future.done() for future in made)
    victim = min(pids(client))
    os.kill(victim, signal.SIGKILL)
    for got, expected in zip(client.gather(made), want, strict=True):
        assert type(got) is lw.Array
        np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-7, atol=1e-7 * np.abs(expected).max())
    assert victim not in pids(client)


def wait_for(condition: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@slow_start
def test_arrays_go_to_workers_and_back(client: Any) -> None:
    with lw.using(backend="numpy"):
        for dtype in lw.all_dtypes:
            x = lw.asarray(values(dtype, (2, 3)))
            check(client.submit(lw.reshape, x, (3, 2)).result(), values(dtype, (2, 3)).reshape(3, 2), dtype)
    with dask.config.set(scheduler="distributed"):
        check(chunked(X) * 2, X * 2, lw.float32)
        check(client.compute(chunked(X) * 2).result(), X * 2, lw.float32)
        check(client.persist(chunked(X) * 2), X * 2, lw.float32)


#: The README's.
EXAMPLE = """
client = Client(address)
x = lw.asarray(dask_array)
spread = lw.std(x - lw.mean(x, axis=0), axis=0).compute()
"""


@slow_start
def test_the_lines_that_a_user_needs(client: Any) -> None:
    scheduler = client.cluster.scheduler
    scope = {"lw": lw, "Client": type(client), "address": scheduler.address, "dask_array": da.from_array(X, chunks=2)}
    before = scheduler.transition_counter
    with dask.config.set(scheduler=None):  # as it is where nobody has set one: the client's
        exec(EXAMPLE, scope)
    scope["client"].close()
    assert scheduler.transition_counter > before
    check(scope["spread"], X.std(axis=0), lw.float32, ulps=16)


def test_the_graph_of_a_loop_does_not_grow_with_its_steps() -> None:
    """An operation copies the list of its operands' layers: a loop whose list grows takes the square of its steps."""
    found: list[int] = []

    def step(c: Any, x: Any) -> Any:
        found.append(len(c.data.dask.layers))
        return c * 0.5 + x, lw.sum(c)

    numbers = np.arange(300, dtype=np.float32).reshape(100, 3)
    x = lw.asarray(da.from_array(numbers, chunks=(30, 3)))
    for run in (
        lambda: lw.scan(step, lw.zeros(3), x),
        lambda: (lw.fori_loop(0, 100, lambda i, c: step(c, x[0])[0], x[0]), x),
    ):
        found.clear()
        with lw.using(backend="dask"):
            carry, rows = run()
        assert len(found) == 100
        assert max(found) < 80
        assert len(carry.data.dask.layers) + len(rows.data.dask.layers) < 80
    with lw.using(backend="dask"):
        dasks = lw.scan(step, lw.zeros(3), x, reverse=True)
    with lw.using(backend="numpy"):
        plain = lw.scan(lambda c, x: (c * 0.5 + x, lw.sum(c)), lw.zeros(3), lw.asarray(numbers), reverse=True)
    for got, expected in zip(dasks, plain, strict=True):
        np.testing.assert_allclose(np.asarray(got), np.asarray(expected), rtol=1e-6)


def test_a_while_loop_computes_each_step_once() -> None:
    """The condition needs the values of every step: they are held, and not computed again from the first step on."""
    calls: list[int] = []

    def doubled(block: Any) -> Any:
        calls.append(1)
        return block * 2

    start = lw.asarray(da.from_array(np.ones(2, np.float32), chunks=2))
    done = lw.while_loop(lambda x: lw.sum(x) < 200, lambda x: lw.asarray(da.map_blocks(doubled, x.data, meta=X)), start)
    assert np.asarray(done).tolist() == [128, 128]
    assert len(calls) == 7
