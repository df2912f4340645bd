"""Functions with `size`: what jax.numpy gives, on every backend, and where values are not known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cases import COSTLY, EXHAUSTIVE

import latticework as lw

A, B = np.asarray([3, 1, 2, 3, 5, 1]), np.asarray([2, 9, 5])
M = np.asarray([[0, 1, 0], [2, 0, 3], [0, 1, 0]])
F = np.asarray([np.nan, 1.0, -0.0, 0.0, 1.0], np.float32)
Z = np.asarray([1 + 2j, 1 + 1j, 0j, 1 + 2j, complex(np.nan, 1)])

SIZES: list[dict[str, Any]] = [{"size": 7}, {"size": 1}, {"size": 7, "fill_value": 9}, {"fill_value": 9}]
CASES = [
    *[("nonzero", (x,), kw) for x in (M, F) for kw in SIZES[:3]],
    *[(name, (M,), {"size": 7, "fill_value": (-1, -2)}) for name in ("nonzero", "argwhere")],
    *[("flatnonzero", (x,), kw) for x in (M, Z) for kw in SIZES[:3]],
    *[(f"unique_{name}", (x,), kw)
      for name in ("all", "values", "counts", "inverse") for x in (A, F, Z) for kw in SIZES],
    *[("unique", (x,), {"axis": axis, "return_index": True, "return_inverse": True, "return_counts": True, **kw})
      for x, axis in ((M, None), (M, 0), (M, 1), (F, None)) for kw in SIZES],
    *[(name, pair, kw) for name in ("union1d", "setdiff1d", "intersect1d", "setxor1d")
      for pair in ((A, B), (A, A), (A, A + 100), (M, B.astype(np.float32))) for kw in SIZES],
    ("setdiff1d", (A, B), {"assume_unique": True, "size": 6}),
    *[("compress", (B > 2, M), {"axis": axis, **kw}) for axis in (0, -1)
      for kw in ({"size": 1}, {"size": 3, "fill_value": 7}, {"size": 3})],
    *[("extract", (M, M), kw) for kw in SIZES[:2]],
]  # fmt: skip


def leaves(result: Any) -> list[np.ndarray]:
    return [np.asarray(lw.to_numpy(x) if isinstance(x, lw.Array) else x) for x in
            (result if isinstance(result, tuple) else (result,))]  # fmt: skip


def same(got: Any, expected: Any) -> bool:
    pairs = [*zip(leaves(got), leaves(expected), strict=True)]
    return all(a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind in "fc") for a, b in pairs)


def test_every_backend_gives_what_jax_gives(backend: str) -> None:
    """NumPy's backend beside jax.numpy, which compiles each case, and the others beside NumPy's."""
    jnp = pytest.importorskip("jax.numpy") if backend == "numpy" else None
    for name, args, kw in CASES[:: 1 if EXHAUSTIVE else 15 if backend in COSTLY else 5]:
        got = getattr(lw, name)(*map(lw.asarray, args), **kw)
        if backend == "numpy":
            expected = leaves(getattr(jnp, name)(*args, **kw))
            wide = [x.astype(np.int64) if x.dtype == np.int32 else x for x in expected]
        else:
            wide = leaves(getattr(lw, name)(*[lw.asarray(x, backend="numpy") for x in args], **kw))
        assert same(tuple(wide), tuple(leaves(got))), (name, kw)


PROGRAMS: dict[str, Callable[[Any, Any, Any, Any], Any]] = {
    "nonzero": lambda xp, a, b, m: xp.nonzero(m, size=5, fill_value=-1),
    "argwhere": lambda xp, a, b, m: xp.argwhere(m, size=4),
    "unique_all": lambda xp, a, b, m: tuple(xp.unique_all(a, size=5)),
    "unique": lambda xp, a, b, m: xp.unique(m, axis=1, size=3),
    "setdiff1d": lambda xp, a, b, m: xp.setdiff1d(a, b, size=4),
    "setxor1d": lambda xp, a, b, m: xp.setxor1d(a, b, size=6),
    "compress": lambda xp, a, b, m: xp.compress(b > 3, m, axis=1, size=2),
}


@pytest.mark.needs("jax")
@pytest.mark.parametrize("name", PROGRAMS)
def test_shapes_are_known_where_values_are_not(name: str) -> None:
    """In `jax.jit` and `jax.vmap`, without data, and in a trace, which is for other values too."""
    import jax

    f, xp = PROGRAMS[name], lw.array_namespace("jax")
    x = [v.astype(np.int32) for v in (A, B, M)]
    expected = f(lw, *map(lw.asarray, x))
    narrow = tuple(v.astype(np.int32) for v in leaves(expected))
    for way in (jax.jit(lambda *v: f(xp, *v)), lambda *v: jax.vmap(lambda *v: f(xp, *v))(*[w[None] for w in v])):
        got = tuple(v.astype(np.int32).reshape(e.shape) for v, e in zip(leaves(way(*x)), narrow, strict=True))
        assert same(got, narrow)
    specs = lw.infer(lambda *v: f(lw, *v), *[lw.spec(v.shape, "int32") for v in x])
    found = [specs] if isinstance(specs, lw.Spec) else [*specs]
    assert [s.shape for s in found] == [v.shape for v in leaves(expected)]
    graph = lw.trace(lambda *v: f(lw, *v), *map(lw.asarray, x))
    others = [lw.asarray(v) for v in (x[0][::-1].copy(), x[1] + 1, x[2].T.copy())]
    assert same(graph(*others), f(lw, *others))


def test_wrong_sizes_are_refused() -> None:
    x = lw.asarray([1, 2])
    for name in ("nonzero", "unique_values", "unique", "flatnonzero"):
        with pytest.raises(ValueError, match="size must not be negative; got -1"):
            getattr(lw, name)(x, size=-1)
        with pytest.raises(TypeError, match="size must be an int; got 1.5"):
            getattr(lw, name)(x, size=1.5)
    with pytest.raises(ValueError, match="unique_values: of no elements there is nothing to fill with"):
        lw.unique_values(lw.zeros(0), size=2)
    assert lw.unique_values(lw.zeros(0), size=2, fill_value=7).tolist() == [7.0, 7.0]
    with pytest.raises(ValueError, match="one for each of 1 axes"):
        lw.nonzero(x, size=2, fill_value=(1, 2))
    with pytest.raises(ValueError, match="at least one axis"):
        lw.nonzero(lw.asarray(1), size=2)
    with pytest.raises(ValueError, match="longer than the 2 of x"):
        lw.compress(lw.asarray([True] * 3), x, size=2)
    with pytest.raises(TypeError, match="nonzero: got an unexpected keyword argument 'sise'; did you mean 'size'"):
        lw.nonzero(x, sise=2)  # type: ignore[call-arg]


def test_the_plan_of_a_given_size() -> None:
    p = lw.plan(lw.unique_values, lw.asarray([1, 2]), size=5)
    assert (p.how, p.shapes) == ("composed", ((5,),))
    assert lw.plan(lw.unique_values, lw.asarray([1, 2])).how == "native"


@pytest.mark.parametrize("f", [lambda x: x[x > 0], lw.unique_values, lambda x: lw.nonzero(x)[0]])
def test_in_jit_what_depends_on_values_leads_to_size(f: Callable[..., Any]) -> None:
    pytest.importorskip("jax")
    with pytest.raises(lw.errors.TraceError, match=r"asks for the value.*lw.compress\(mask, x, size=n\)"):
        lw.jit(f)(lw.asarray([1.0, -2.0], backend="jax"))
