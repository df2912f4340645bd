"""Programs that the kit runs on a backend and on NumPy: keys, conversions, functions beyond the standard, random
numbers, traces."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np

import latticework as lw

from ..core.dtypes import Dtype

__all__ = ["AREAS"]

Program = Callable[[Dtype], Any]


def _x(dtype: Dtype, shape: tuple[int, ...] = (3, 4)) -> Any:
    count = int(np.prod(shape))
    return lw.reshape(lw.astype(lw.arange(count), dtype), shape)


def _i(*values: Any) -> Any:
    return lw.asarray([*values])


#: Keys for an array of shape (3, 4), as functions: index arrays belong to a backend.
_KEYS: dict[str, Callable[[], Any]] = {
    "1": lambda: 1, "-1": lambda: -1, "...": lambda: ..., "1:": lambda: slice(1, None),
    "::-1": lambda: slice(None, None, -1), ":, ::2": lambda: (slice(None), slice(None, None, 2)),
    "5:": lambda: slice(5, None), "-9:2": lambda: slice(-9, 2), "None, 1": lambda: (None, 1),
    "..., -1": lambda: (..., -1), "1, 2": lambda: (1, 2), "[2, 0]": lambda: _i(2, 0), "[-1]": lambda: _i(-1),
    ":, [3, 0, 0]": lambda: (slice(None), _i(3, 0, 0)), "[0, 2], [1, 3]": lambda: (_i(0, 2), _i(1, 3)),
    "[[0], [2]], [1, 3]": lambda: (lw.reshape(_i(0, 2), (2, 1)), _i(1, 3)), "1, [2, 0]": lambda: (1, _i(2, 0)),
    "[0, 2], 1:": lambda: (_i(0, 2), slice(1, None)), "mask of rows": lambda: lw.asarray([True, False, True]),
    "mask": lambda: _x(lw.int32) > 5, ":, mask": lambda: (slice(None), lw.asarray([True, False, True, False])),
    "mask, [1, 2]": lambda: (lw.asarray([True, False, True]), _i(1, 2)), "True": lambda: True,
    "[] ": lambda: lw.zeros((0,), dtype=lw.int32), "7": lambda: 7, "[7]": lambda: _i(7),
}  # fmt: skip


def _reading(key: Callable[[], Any]) -> Program:
    return lambda dtype: _x(dtype)[key()]


def _writing(key: Callable[[], Any], array: bool) -> Program:
    def run(dtype: Dtype) -> Any:
        x = _x(dtype)
        k = key()
        if array:
            selected = _x(dtype)[k]
            x[k] = selected + selected if dtype.kind != "b" else ~selected
        else:
            x[k] = dtype.kind == "b" or 7
        return x

    return run


def _round_trip(dtype: Dtype) -> Any:
    x = _x(dtype)
    back = lw.asarray(lw.to_numpy(x), dtype=dtype)
    return x, back, pickle.loads(pickle.dumps(x))


def _scalars(dtype: Dtype) -> Any:
    x = _x(dtype)[1, 1]
    kinds = {"b": (bool,), "c": (complex,)}.get(dtype.kind, (bool, int, float, complex))
    return tuple(kind(x) for kind in kinds)


def _casts(dtype: Dtype) -> Any:
    """Floats beyond the range of integers, and nan, among them."""
    wide = lw.asarray([0.0, -0.0, 1.5, -1.5, 300.0, -300.0, 1e20, -1e20, float("inf"), -float("inf"), float("nan")])
    if dtype.kind in "iub":
        return lw.astype(wide, dtype)
    return lw.astype(wide, dtype) if dtype.kind == "f" else None


def _creation(dtype: Dtype) -> Any:
    number = 1 if dtype.kind != "b" else True
    made = [lw.zeros((2, 3), dtype=dtype), lw.ones(3, dtype=dtype), lw.full((2,), number, dtype=dtype)]
    if dtype.kind in "iuf":
        made += [lw.arange(2, 9, 3, dtype=dtype), lw.eye(3, 4, k=1, dtype=dtype), lw.linspace(0, 8, 5, dtype=dtype)]
    return made


def _in_place(dtype: Dtype) -> Any:
    x = _x(dtype)
    x += x
    x[1:] *= _x(dtype)[1:]
    return x


def _drawn(name: str, *params: Any, of: str = "") -> Program:
    def run(dtype: Dtype) -> Any:
        key = lw.random.key(7)
        draw: Any = getattr(lw.random, name)
        return draw(key, *params, (64,), dtype=dtype) if of != "shape" else draw(key, (64,), *params, dtype=dtype)

    return run


def _keys(dtype: Dtype) -> Any:
    key = lw.random.key(3)
    return lw.random.split(key, 4), lw.random.fold_in(key, 9), lw.random.permutation(key, 9)


def _split(dtype: Dtype) -> Any:
    """Numbers of keys that are made of a key."""
    first, other = lw.random.split(lw.random.key(7), 2)
    drawn = lw.random.randint(lw.random.fold_in(first, 3), (9,), 0, 100)
    return drawn, lw.random.bernoulli(other, 0.5, (9,)), lw.random.normal(other, (2, 4), dtype=lw.float32)


def _bits(dtype: Dtype) -> Any:
    return lw.random.bits(lw.random.key(1), (33,), dtype=dtype)


def _traced(f: Callable[..., Any], shape: tuple[int, ...] = (3, 4)) -> Program:
    def run(dtype: Dtype) -> Any:
        x = _x(dtype, shape)
        return f(x), lw.compile(f)(x)

    return run


def _softmax(x: Any) -> Any:
    e = lw.exp(x - lw.max(x, axis=-1, keepdims=True))
    return e / lw.sum(e, axis=-1, keepdims=True)


def _network(x: Any) -> Any:
    w = lw.asarray([[0.5, -0.25], [1.0, 0.75], [-0.5, 0.125], [0.25, 0.5]], dtype=x.dtype)
    return lw.mean(lw.tanh(x / 8 @ w) ** 2, axis=0)


def _mixed(x: Any) -> Any:
    return lw.concat([lw.where(x > 4, x, -x)[:, ::2], lw.cumulative_sum(x, axis=0)[..., 1:]], axis=1)


def _differentiated(f: Callable[..., Any]) -> Program:
    def run(dtype: Dtype) -> Any:
        x = (_x(dtype) + 1) / 8
        return lw.grad(lambda x: lw.sum(f(x)))(x), lw.jvp(f, (x,), (x,))

    return run


#: Functions beyond the standard, of a matrix, a third of whose elements are zero, and of positions of its rows.
_SUPERSET: dict[str, Callable[[Any, Any], Any]] = {
    "segments": lambda x, i: lw.segment_sum(x, i, num_segments=3),
    "einsum": lambda x, i: lw.einsum("ij,kj->ik", x, x),
    "quantile": lambda x, i: lw.quantile(x, 0.5, axis=0),
    "nansum": lambda x, i: lw.nansum(x, axis=0),
    "kron": lambda x, i: lw.kron(x, x),
    "erf": lambda x, i: lw.special.erf(x),
    "norm": lambda x, i: lw.linalg.vector_norm(x, axis=1),
    "bincount": lambda x, i: lw.bincount(i, length=4),
    "gelu": lambda x, i: lw.nn.gelu(x),
    "one hot": lambda x, i: lw.nn.one_hot(i, 3),
    "searches of rows": lambda x, i: lw.searchsorted(lw.sort(x, axis=1), x),
    "gradient": lambda x, i: lw.grad(lambda y: lw.sum(lw.tanh(y) * lw.take(y, i, axis=0)))(x),
    "products": lambda x, i: lw.jvp(lambda y: lw.logsumexp(y @ lw.permute_dims(y, (1, 0)), axis=1), (x,), (x,))[1],
}


def _beyond(f: Callable[[Any, Any], Any]) -> Program:
    values = np.where(np.arange(24) % 3 == 1, 0, np.linspace(-1, 2, 24)).reshape(4, 6)
    return lambda dtype: f(lw.asarray(values, dtype=dtype), _i(2, 0, 2, 1))


def _sorted_rows(x: Any) -> Any:
    return lw.sort(lw.flip(x, axis=0), axis=0)[1:] * lw.cumulative_sum(x, axis=1)[:-1]


_REAL, _ALL, _FLOATS = "iuf", "biufc", "f"
#: area -> program -> the program, and the kinds of dtypes that it takes.
AREAS: dict[str, dict[str, tuple[Program, str]]] = {
    "keys": {
        **{f"x[{name}]": (_reading(key), _ALL) for name, key in _KEYS.items()},
        **{f"x[{name}] = 7": (_writing(key, False), _ALL) for name, key in _KEYS.items()},
        **{f"x[{name}] = y": (_writing(key, True), _ALL) for name, key in _KEYS.items()},
    },
    "arrays": {
        "to NumPy and back": (_round_trip, _ALL), "Python scalars": (_scalars, _ALL), "casts": (_casts, _ALL),
        "creation": (_creation, _ALL), "in place": (_in_place, _REAL),
    },
    "superset": {name: (_beyond(f), _FLOATS) for name, f in _SUPERSET.items()},
    "random": {
        "keys": (_keys, "b"), "keys of keys": (_split, "b"), "bits": (_bits, "u"),
        "uniform": (_drawn("uniform", of="shape"), _FLOATS), "normal": (_drawn("normal", of="shape"), _FLOATS),
        "gamma": (_drawn("gamma", 2.5), _FLOATS), "beta": (_drawn("beta", 2.0, 0.5), _FLOATS),
    },
    "derivatives": {
        "softmax": (_differentiated(_softmax), _FLOATS), "network": (_differentiated(_network), _FLOATS),
        "sorting": (_differentiated(_sorted_rows), _FLOATS),
        "gammaln": (_differentiated(lw.special.gammaln), _FLOATS),
        "solve": (_differentiated(lambda x: lw.linalg.solve(x[:, :3] @ x[:, :3].T + lw.eye(3), x)), _FLOATS),
    },
    "tracing": {
        "softmax": (_traced(_softmax), _FLOATS), "network": (_traced(_network), _FLOATS),
        "mixed": (_traced(_mixed), "if"),
    },
}  # fmt: skip
