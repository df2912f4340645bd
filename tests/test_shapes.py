"""Shape families: the shapes and refusals of every function, against NumPy, and what unknown extents leave open."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable
from itertools import pairwise
from math import inf
from typing import Any, NamedTuple

import numpy as np
import pytest
from cases import examples
from hypothesis import given, settings
from hypothesis import strategies as st

import latticework as lw
from latticework.core.dtypes import category
from latticework.core.registry import OPS, load
from latticework.engine.op import Op
from latticework.engine.shapes.families import FAMILIES, family_of, result_shapes
from latticework.errors import AxisError

load()

Shape = tuple[int | None, ...]
Draw = Callable[[Any], Any]
Strategy = Callable[[Draw], "Call"]


class Spec(NamedTuple):
    """What a family sees of an array."""

    shape: Shape


class Call(NamedTuple):
    """The arguments of a call, with a `Spec` for each array."""

    operands: tuple[Any, ...]
    args: tuple[Any, ...] = ()
    kw: dict[str, Any] = {}  # noqa: RUF012 - nothing writes to it

    def with_arrays(self, make: Callable[[Spec, int], Any]) -> Call:
        """The call with something else for each `Spec`, made from it and its place."""
        operands = tuple([make(x, i) if isinstance(x, Spec) else x for i, x in enumerate(self.operands)])
        options = {k: make(x, -1) if isinstance(x, Spec) else x for k, x in self.kw.items()}
        return Call(operands, self.args, options)


# --- calls of every function, most of which fit -------------------------------------------------------------------

extent = st.integers(0, 3)
shape = st.lists(extent, max_size=4).map(tuple)
yes = st.booleans()


def one_of(draw: Draw, *options: Any) -> Any:
    return draw(st.sampled_from(options))


def like(draw: Draw, x: Shape) -> Shape:
    """A shape that mostly broadcasts with x: without leading axes, with 1 here and there, or another extent."""
    result = list(x[one_of(draw, 0, 0, 0, 1, 2) :])
    for i in range(len(result)):
        result[i] = one_of(draw, *([result[i]] * 6), 1, 1, draw(extent))
    return (*draw(st.lists(extent, max_size=1)), *result) if one_of(draw, *[False] * 4, True) else tuple(result)


def equal(draw: Draw, x: Shape) -> Shape:
    """A shape that is mostly x."""
    return one_of(draw, x, x, x, x, like(draw, x))


def an_axis(draw: Draw, ndim: int) -> int:
    """An axis that is mostly in bounds."""
    return draw(st.integers(-ndim, ndim - 1)) if ndim and one_of(draw, *[True] * 9, False) else draw(st.integers(-5, 5))


def some_axes(draw: Draw, ndim: int, *, none: bool = True) -> Any:
    """An axis, a tuple of them that are mostly different, or None."""
    kind = one_of(draw, "one", "different", "different", "any", *["none"] * none)
    if kind == "none":
        return None
    if kind == "one":
        return an_axis(draw, ndim)
    if kind == "any":
        return tuple([an_axis(draw, ndim) for _ in range(draw(st.integers(0, 3)))])
    order = draw(st.permutations(range(ndim)))[: draw(st.integers(0, ndim))]
    return tuple([a - ndim * draw(yes) for a in order])


def sometimes(draw: Draw, **options: Any) -> dict[str, Any]:
    """Some of the options."""
    return {name: value for name, value in options.items() if draw(yes)}


def elementwise(op: Op) -> Strategy:
    def call(draw: Draw) -> Call:
        x = draw(shape)
        others = [Spec(like(draw, x)) for _ in op.operands[1:]]
        operands: list[Any] = [Spec(x), *others]
        scalars = [
            i for i, name in enumerate(op.operands) if "complex" in takes(op, name) or "float" in takes(op, name)
        ]
        if scalars and len(operands) > 1 and draw(yes):
            operands[one_of(draw, *scalars)] = 1
        return Call(tuple(operands))

    return call


def takes(op: Op, name: str) -> str:
    return str(op.function.__annotations__[name])


def reduction(*options: str) -> Strategy:
    def call(draw: Draw) -> Call:
        x = draw(shape)
        values = {"axis": some_axes(draw, len(x)), "keepdims": draw(yes), "correction": 1.0, "dtype": lw.float32}
        return Call((Spec(x),), (), sometimes(draw, **{name: values[name] for name in ("axis", "keepdims", *options)}))

    return call


def along_one(*options: str, none: bool = False) -> Strategy:
    def call(draw: Draw) -> Call:
        x = draw(shape)
        axis = None if none and draw(yes) else an_axis(draw, len(x))
        values = {"axis": axis, **{name: draw(yes) for name in options}}
        return Call((Spec(x),), (), sometimes(draw, **values))

    return call


def diff(draw: Draw) -> Call:
    x = draw(shape)
    ends = {name: Spec(equal(draw, x)) for name in ("prepend", "append") if draw(yes)}
    return Call((Spec(x),), (), ends | sometimes(draw, axis=an_axis(draw, len(x)), n=draw(st.integers(-1, 5))))


def reshape(draw: Draw) -> Call:
    x = draw(shape)
    wanted = list(draw(st.permutations(x)))
    if len(wanted) > 1 and draw(yes):
        wanted[:2] = [wanted[0] * wanted[1]]
    if wanted and draw(yes):
        wanted[one_of(draw, *range(len(wanted)))] = one_of(draw, -1, -1, -1, -2, 2, 1)
    if one_of(draw, False, False, True):
        wanted.append(one_of(draw, 1, -1))
    new: Any = tuple(wanted)
    return Call(
        (Spec(x),), (one_of(draw, new, new, *new[:1]),), sometimes(draw, order=one_of(draw, "C", "F", "F", "A"))
    )


def broadcast_to(draw: Draw) -> Call:
    x = draw(shape)
    target = (*draw(st.lists(extent, max_size=2)), *[one_of(draw, *([n] * 4), 2, -1) for n in x])
    return Call((Spec(x),), (one_of(draw, target, target, target, target[1:]),))


def expand_dims(draw: Draw) -> Call:
    x = draw(shape)
    count = draw(st.integers(0, 2))
    axis = tuple([an_axis(draw, len(x) + count) for _ in range(count)])
    return Call((Spec(x),), (one_of(draw, axis, an_axis(draw, len(x) + 1)),))


def squeeze(draw: Draw) -> Call:
    x = tuple([one_of(draw, 1, 1, 1, n) for n in draw(shape)])
    return Call((Spec(x),), (some_axes(draw, len(x), none=False),))


def permute_dims(draw: Draw) -> Call:
    x = draw(shape)
    order = [a - len(x) * draw(yes) for a in draw(st.permutations(range(len(x))))]
    wrong = some_axes(draw, len(x), none=False)
    return Call(
        (Spec(x),), (one_of(draw, tuple(order), tuple(order), wrong if isinstance(wrong, tuple) else (wrong,)),)
    )


def moveaxis(draw: Draw) -> Call:
    x = draw(shape)
    source, places = some_axes(draw, len(x), none=False), some_axes(draw, len(x), none=False)
    if isinstance(source, tuple) and isinstance(places, tuple) and draw(yes):
        source, places = source[: len(places)], places[: len(source)]
    return Call((Spec(x), source, places))


def flip(draw: Draw) -> Call:
    x = draw(shape)
    return Call((Spec(x),), (), sometimes(draw, axis=some_axes(draw, len(x))))


def roll(draw: Draw) -> Call:
    x = draw(shape)
    axis = some_axes(draw, len(x))
    count = len(axis) if isinstance(axis, tuple) else 2
    shift = tuple(draw(st.lists(st.integers(-2, 5), min_size=count, max_size=count + one_of(draw, 0, 0, 1))))
    return Call((Spec(x),), (one_of(draw, 2, shift),), {"axis": axis})


def several(draw: Draw, change: bool) -> tuple[Shape, list[Shape]]:
    x = draw(shape)
    others = [list(equal(draw, x)) for _ in range(draw(st.integers(0, 2)))]
    if change and x:
        place = one_of(draw, *range(len(x)))
        for other in others:
            other[place : place + 1] = [draw(extent)] if place < len(other) else []
    return x, [x, *map(tuple, others)]


def concat(draw: Draw) -> Call:
    x, shapes = several(draw, True)
    return Call(tuple(map(Spec, shapes)), (), sometimes(draw, axis=one_of(draw, None, *[an_axis(draw, len(x))] * 6)))


def stack(draw: Draw) -> Call:
    x, shapes = several(draw, False)
    return Call(tuple(map(Spec, shapes)), (), sometimes(draw, axis=an_axis(draw, len(x) + 1)))


def joined(draw: Draw) -> Call:
    return Call(tuple(map(Spec, several(draw, True)[1])))


def tile(draw: Draw) -> Call:
    times = tuple(draw(st.lists(st.integers(-1 * draw(yes), 3), max_size=5)))
    return Call((Spec(draw(shape)), one_of(draw, times, times, 2)))


def repeat(draw: Draw) -> Call:
    x = draw(shape)
    axis = None if draw(yes) else an_axis(draw, len(x))
    n = int(np.prod(x, dtype=int)) if axis is None else x[axis] if -len(x) <= axis < len(x) else 2
    repeats = one_of(draw, draw(st.integers(-1, 3)), Spec((n,)), Spec((n,)), Spec(()), Spec((1,)), Spec(draw(shape)))
    return Call((Spec(x), repeats), (), sometimes(draw, axis=axis))


def take(draw: Draw) -> Call:
    x = draw(shape)
    return Call((Spec(x), Spec(draw(shape))), (), sometimes(draw, axis=an_axis(draw, len(x))))


def take_along_axis(draw: Draw) -> Call:
    x = draw(shape)
    axis = an_axis(draw, len(x))
    indices = list(equal(draw, x))
    if indices and draw(yes):
        indices[axis % len(indices)] = draw(extent)
    return Call((Spec(x), Spec(tuple(indices))), (), sometimes(draw, axis=axis))


def masked(draw: Draw) -> Call:
    x = draw(shape)
    return Call((Spec(x),), (), sometimes(draw, axis=an_axis(draw, len(x)), where=Spec(equal(draw, x))))


def normalized(draw: Draw) -> Call:
    x = draw(shape)
    last = equal(draw, x[-draw(st.integers(1, 2)) :])
    return Call((Spec(x),), (last,), sometimes(draw, weight=Spec(equal(draw, last))))


def product(draw: Draw) -> Call:
    x = draw(shape)
    rows = one_of(draw, (), (draw(extent),), (draw(extent),))
    return Call((Spec(x), Spec((*rows, *equal(draw, x[-1:])))), (), sometimes(draw, bias=Spec(equal(draw, rows))))


def categories(draw: Draw) -> Call:
    x = draw(shape)
    axis = an_axis(draw, len(x))
    place = axis % len(x) if x and -len(x) <= axis < len(x) else 0
    target = Spec(equal(draw, (*x[:place], *x[place + 1 :])))
    reduction = one_of(draw, "mean", "sum", "none", "average")
    return Call((Spec(x), target), (), {"axis": axis, **sometimes(draw, reduction=reduction)})


def attention(draw: Draw) -> Call:
    front, heads, length, keys = draw(shape)[:2], draw(extent), draw(extent), draw(extent)
    q, k, v = (*front, length, heads), (*front, keys, heads), (*front, keys, draw(extent))
    mask = Spec(equal(draw, (length, keys)))
    return Call((Spec(q), Spec(equal(draw, k)), Spec(equal(draw, v))), (), sometimes(draw, attn_mask=mask))


def searchsorted(draw: Draw) -> Call:
    x1 = one_of(draw, (draw(extent),), (draw(extent),), draw(shape))
    values = 1.0 if draw(yes) else Spec(draw(shape))
    side = one_of(draw, "left", "right", "middle")
    return Call((Spec(x1), values), (), sometimes(draw, side=side, sorter=Spec(equal(draw, x1))))


def isin(draw: Draw) -> Call:
    operands: list[Any] = [Spec(draw(shape)), Spec(draw(shape))]
    if draw(yes):
        operands[one_of(draw, 0, 1)] = 1
    return Call(tuple(operands), (), sometimes(draw, invert=True))


def just(draw: Draw) -> Call:
    return Call((Spec(draw(shape)),))


def nan_to_num(draw: Draw) -> Call:
    return Call((Spec(draw(shape)),), (), {"nan": 0.0, "posinf": None, "neginf": 1.0})


def triangle(draw: Draw) -> Call:
    return Call((Spec(draw(shape)),), (), sometimes(draw, k=draw(st.integers(-5, 5))))


def creation(*fill: float) -> Strategy:
    def call(draw: Draw) -> Call:
        wanted = tuple(draw(st.lists(st.integers(-1 * draw(yes), 3), max_size=4)))
        return Call((), (one_of(draw, wanted, wanted, [*wanted], draw(st.integers(-1, 3)), 1.5, (2, 0.5)), *fill))

    return call


def eye(draw: Draw) -> Call:
    sizes = draw(st.lists(st.integers(-1 * draw(yes), 3), min_size=1, max_size=2))
    return Call((), tuple(one_of(draw, sizes, sizes, [2, None])), sometimes(draw, k=draw(st.integers(-5, 5))))


def count(draw: Draw) -> Call:
    return Call((), (draw(extent), draw(st.integers(-2, 2)), one_of(draw, -1, 1, 2)))


def matmul(draw: Draw) -> Call:
    k = draw(extent)
    rest = draw(st.lists(extent, max_size=2).map(tuple))
    x1 = one_of(draw, (*rest, draw(extent), k), (*rest, draw(extent), k), (k,), ())
    x2 = one_of(draw, (*like(draw, rest), k, draw(extent)), (*rest, k, 2), (k,), draw(shape))
    return Call((Spec(x1), Spec(x2)))


def vectors(length: int | None = None) -> Strategy:
    def call(draw: Draw) -> Call:
        n = draw(extent) if length is None else length
        rest = draw(st.lists(extent, max_size=3).map(tuple))
        x1, x2 = ((*s[:i], one_of(draw, n, n, n, n, 1), *s[i:]) for s, i in ((rest, 0), (like(draw, rest), 0)))
        x1, x2 = (*x1[1:], x1[0]), (*x2[1:], x2[0])
        axis = -1
        if len(x1) > 1 and len(x2) > 1 and draw(yes):
            x1, x2, axis = (*x1[:-2], x1[-1], x1[-2]), (*x2[:-2], x2[-1], x2[-2]), -2
        axis = one_of(draw, axis, axis, axis, axis + len(x1), an_axis(draw, len(x1)))
        return Call((Spec(x1), Spec(x2)), (), {"axis": axis} if axis != -1 else {})

    return call


def outer(draw: Draw) -> Call:
    return Call(tuple([Spec(one_of(draw, (draw(extent),), (draw(extent),), draw(shape))) for _ in range(2)]))


def tensordot(draw: Draw) -> Call:
    x1 = draw(shape)
    n = draw(st.integers(0, len(x1)))
    if draw(yes):
        return Call(
            (Spec(x1), Spec((*equal(draw, x1[len(x1) - n :]), *draw(shape)[:1]))),
            (),
            {"axes": one_of(draw, n, n, -1, 3)},
        )
    first = draw(st.permutations(range(len(x1))))[:n]
    x2 = (*[x1[a] for a in first], *draw(shape)[:1])
    second = [a - len(x2) * draw(yes) for a in range(n)]
    axes = one_of(
        draw,
        (first, second),
        (first, second),
        (tuple(first[1:]), second),
        (some_axes(draw, len(x1), none=False), second),
    )
    return Call((Spec(x1), Spec(equal(draw, x2))), (), {"axes": axes})


def einsum(draw: Draw) -> Call:
    sizes = {c: draw(extent) for c in "abc"}
    terms = draw(st.lists(st.text("abc", max_size=3), min_size=1, max_size=3))
    dots = draw(st.lists(extent, max_size=2).map(tuple))
    with_dots = [draw(yes) for _ in terms]
    shapes = [
        (*dots[one_of(draw, 0, 0, 1) :], *map(sizes.get, t)) if d else tuple(map(sizes.get, t))
        for t, d in zip(terms, with_dots, strict=True)
    ]
    shapes = [one_of(draw, *[s] * 6, like(draw, s)) for s in shapes]
    left = ",".join("..." * d + t for t, d in zip(terms, with_dots, strict=True))
    out = "".join(draw(st.permutations("abc"))[: draw(st.integers(0, 3))])
    kept = "".join(c for c in out if one_of(draw, *[c in "".join(terms)] * 5, True))
    subscripts = one_of(
        draw, left, f"{left}->{kept}", f"{left}->...{kept}", f" {left} -> {kept} ...", f"{left}->{kept}{kept}"
    )
    return Call(tuple(map(Spec, shapes)), (), {"subscripts": subscripts})


def matrices(draw: Draw, square: bool = False) -> Shape:
    *rest, m = one_of(draw, *[draw(st.lists(extent, min_size=1, max_size=3))] * 5, [draw(extent)])
    n = one_of(draw, *([m] * 4), draw(extent)) if square else draw(extent)
    return one_of(draw, *([(*rest, m, n)] * 6), (*rest, m))


def decomposed(square: bool = False, **options: tuple[Any, ...]) -> Strategy:
    def call(draw: Draw) -> Call:
        return Call(
            (Spec(matrices(draw, square)),), (), sometimes(draw, **{k: one_of(draw, *v) for k, v in options.items()})
        )

    return call


def power(draw: Draw) -> Call:
    return Call((Spec(matrices(draw, True)),), (draw(st.integers(-3, 3)),))


def solve(draw: Draw) -> Call:
    x1 = matrices(draw, True)
    x2 = one_of(draw, x1[-1:], (*like(draw, x1[:-2]), x1[-1], draw(extent)), (*x1[:-1], 2), draw(shape))
    return Call((Spec(x1), Spec(x2)))


def tolerant(draw: Draw) -> Call:
    x = matrices(draw)
    return Call((Spec(x),), (), sometimes(draw, rtol=one_of(draw, None, 0.1, Spec(like(draw, x[:-2])), Spec(()))))


def vector_norm(draw: Draw) -> Call:
    x = draw(shape)
    options = {"axis": some_axes(draw, len(x)), "keepdims": draw(yes), "ord": one_of(draw, 2, 1, 0, 3, -1, inf, -inf)}
    return Call((Spec(x),), (), sometimes(draw, **options))


def matrix_norm(draw: Draw) -> Call:
    orders = (None, "fro", "nuc", 1, -1, 2, -2, inf, -inf, 3, "other")
    return Call((Spec(matrices(draw)),), (), sometimes(draw, keepdims=draw(yes), ord=one_of(draw, *orders)))


def norm(draw: Draw) -> Call:
    x = draw(shape)
    axis = some_axes(draw, len(x))
    orders = (None, None, 1, 2, -1, 0, inf, "fro", "nuc", 3)
    return Call((Spec(x),), (one_of(draw, *orders),), sometimes(draw, axis=axis, keepdims=draw(yes)))


def condition(draw: Draw) -> Call:
    return Call((Spec(matrices(draw, True)),), (one_of(draw, None, 1, 2, -2, "fro", "nuc", inf, 3),))


def least_squares(draw: Draw) -> Call:
    a = matrices(draw)
    b = one_of(draw, a[-2:][:1], (*a[:-1], 2), (*like(draw, a[:-2]), *a[-2:][:1], draw(extent)), draw(shape))
    return Call((Spec(a), Spec(b)))


def triangular(draw: Draw) -> Call:
    return Call(solve(draw).operands, (), sometimes(draw, upper=True, transpose=True, unit_diagonal=True))


def distances(draw: Draw) -> Call:
    x1, x2 = matrices(draw), matrices(draw)
    x2 = one_of(draw, (*x2[:-1], *x1[-1:]), (*like(draw, x1[:-2]), 2, *x1[-1:]), x2)
    return Call((Spec(x1), Spec(x2)), (one_of(draw, 2, 2, 1, inf, 0, -1),))


def tridiagonal(draw: Draw) -> Call:
    d = tuple([one_of(draw, n, n or 1) for n in draw(shape)])
    return Call((Spec(d), Spec(one_of(draw, (*d[:-1], max(d[-1] - 1, 0)) if d else (), draw(shape)))))


def blocks(draw: Draw) -> Call:
    shapes = draw(st.lists(shape, max_size=3))
    return Call(tuple(map(Spec, shapes)))


def toeplitz(draw: Draw) -> Call:
    c = draw(shape)
    return Call((Spec(c),), (), {"r": Spec(like(draw, c))} if draw(yes) else {})


def new_diagonal(draw: Draw) -> Call:
    x, k = matrices(draw), draw(st.integers(-2, 2))
    length = max(min(x[-2] + min(k, 0), x[-1] - max(k, 0)), 0) if len(x) > 1 else 2
    return Call((Spec(x), Spec(one_of(draw, (length,), (*x[:-2], length), (1,), (), draw(shape)))), (), {"offset": k})


def chain(draw: Draw) -> Call:
    sizes = draw(st.lists(extent, min_size=2, max_size=5))
    shapes = [*pairwise(sizes)]
    shapes = [shapes[0][one_of(draw, 0, 1) :], *shapes[1:]] if draw(yes) else [*shapes, draw(shape)]
    return Call(tuple(map(Spec, shapes)))


def tensor(draw: Draw) -> Call:
    half, other = draw(st.lists(extent, max_size=1)), draw(st.integers(-1, 3))
    return Call((Spec((*half, *draw(st.permutations(half)))),), (one_of(draw, len(half), len(half), other),))


def tensors(draw: Draw) -> Call:
    b = draw(st.lists(extent, max_size=1).map(tuple))
    return Call((Spec((*b, *draw(st.permutations(b)))), Spec(one_of(draw, b, b, b, draw(shape)))))


def transform2(draw: Draw) -> Call:
    call = transforms(draw)
    return call._replace(kw={n: x for n, x in call.kw.items() if (n, x) != ("axes", None)})


def cosines(draw: Draw) -> Call:
    x = draw(shape)
    options = {"type": one_of(draw, 1, 2, 3, 4, 5), "n": one_of(draw, None, draw(st.integers(-1, 7)))}
    norms = one_of(draw, None, *NORMS[:3] * 3, *NORMS)
    return Call((Spec(x),), (), sometimes(draw, axis=an_axis(draw, len(x)), norm=norms, **options))


def polynomials(*options: Any) -> Strategy:
    def call(draw: Draw) -> Call:
        p = [one_of(draw, (draw(extent),), (draw(extent),), draw(shape)) for _ in range(1 + (options == (2,)))]
        others = (draw(st.integers(-1, 5)),) if options == ("m",) else ()
        return Call(tuple(map(Spec, p)), others)

    return call


def evaluated(draw: Draw) -> Call:
    return Call((Spec(one_of(draw, (draw(extent),), (draw(extent),), draw(shape))), Spec(draw(shape))))


def fitted(draw: Draw) -> Call:
    n = draw(extent)
    y = one_of(draw, (n,), (n, 2), draw(shape))
    return Call((Spec((n,)), Spec(y)), (draw(st.integers(-1, 3)),), {"w": Spec((n,))} if draw(yes) else {})


NORMS = ("backward", "ortho", "forward", "sideways")


def transform(draw: Draw) -> Call:
    x = draw(shape)
    n = one_of(draw, None, draw(st.integers(-1, 7)))
    return Call(
        (Spec(x),), (), sometimes(draw, n=n, axis=an_axis(draw, len(x)), norm=one_of(draw, *NORMS[:3] * 3, *NORMS))
    )


def transforms(draw: Draw) -> Call:
    x = tuple([one_of(draw, n, n or 1) for n in draw(shape)])
    axes = some_axes(draw, len(x))
    axes = (axes,) if isinstance(axes, int) else axes
    options: dict[str, Any] = {"axes": axes, "norm": one_of(draw, *NORMS[:3] * 3, *NORMS)}
    if axes is not None and draw(yes):
        options["s"] = one_of(draw, *[tuple([one_of(draw, -1, 1, 2, 5, 5, 0) for _ in axes])] * 5, (2, 3))
    elif one_of(draw, *[False] * 9, True):
        options["s"] = (2,)
    return Call((Spec(x),), (), options)


def cut(draw: Draw) -> Call:
    x = draw(shape)
    return Call(
        (Spec(x),), (one_of(draw, 1, 2, 3, 0), one_of(draw, 1, 2, 3)), sometimes(draw, axis=an_axis(draw, len(x)))
    )


def laid_over(draw: Draw) -> Call:
    return Call((Spec(draw(shape)),), (one_of(draw, 1, 2, 3, 0),), {})


def convolution(draw: Draw) -> Call:
    x1 = draw(shape)
    x2 = tuple([one_of(draw, n, 1, 2, 3) for n in x1])
    return Call(
        (Spec(x1), Spec(one_of(draw, x2, x2, x2, (2,)))),
        (),
        sometimes(draw, mode=one_of(draw, "full", "same", "valid")),
    )


CALLS: dict[str, Strategy] = {
    **dict.fromkeys(("all", "any", "count_nonzero", "max", "mean", "min"), reduction()),
    **dict.fromkeys(("prod", "sum"), reduction("dtype")),
    **dict.fromkeys(("std", "var"), reduction("correction")),
    **dict.fromkeys(("argmax", "argmin"), along_one("keepdims", none=True)),
    **dict.fromkeys(("argsort", "sort"), along_one("descending", "stable")),
    **dict.fromkeys(("cumulative_prod", "cumulative_sum"), along_one("include_initial")),
    **dict.fromkeys(("_cumprod", "_cumsum"), along_one(none=True)),
    **dict.fromkeys(("nancumprod", "nancumsum"), along_one(none=True)),
    **dict.fromkeys(("cummax", "cummin", "logcumsumexp", "unwrap"), along_one()),
    **dict.fromkeys("median nanmedian ptp nanmax nanmin nanmean".split(), reduction()),
    **dict.fromkeys(("nanprod", "nansum"), reduction("dtype")),
    **dict.fromkeys(("nanstd", "nanvar"), reduction("correction")),
    **dict.fromkeys(("nanargmax", "nanargmin"), along_one("keepdims", none=True)),
    "unstack": along_one(),
    "diff": diff, "reshape": reshape, "broadcast_to": broadcast_to, "expand_dims": expand_dims, "squeeze": squeeze,
    "permute_dims": permute_dims, "moveaxis": moveaxis, "flip": flip, "roll": roll, "concat": concat, "stack": stack,
    **dict.fromkeys(("hstack", "vstack", "dstack", "column_stack"), joined),
    "tile": tile, "repeat": repeat, "take": take, "take_along_axis": take_along_axis, "searchsorted": searchsorted,
    "isin": isin, "_nan_to_num": nan_to_num,
    **dict.fromkeys(("nonzero", "unique_all", "unique_counts", "unique_inverse", "unique_values"), just),
    **dict.fromkeys(("tril", "triu"), triangle), "matrix_transpose": just,
    **dict.fromkeys(("empty", "ones", "zeros"), creation()), "_full": creation(1.5), "eye": eye, "_count": count,
    "matmul": matmul, "vecdot": vectors(), "tensordot": tensordot, "_einsum": einsum,
    "linalg.cross": vectors(3), "linalg.outer": outer, "linalg.solve": solve, "linalg.matrix_power": power,
    **{f"linalg.{n}": decomposed(True) for n in ("det", "eig", "eigh", "eigvals", "eigvalsh", "inv", "slogdet")},
    "linalg.cholesky": decomposed(True, upper=(True, False)),
    "linalg.qr": decomposed(mode=("reduced", "complete", "raw")),
    "linalg.svd": decomposed(full_matrices=(True, False)), "linalg.svdvals": decomposed(),
    **dict.fromkeys(("linalg.diagonal", "linalg.trace"), decomposed(offset=(-5, -1, 0, 1, 2, 5))),
    **dict.fromkeys(("linalg.matrix_rank", "linalg.pinv"), tolerant),
    "linalg.vector_norm": vector_norm, "linalg.matrix_norm": matrix_norm,
    **dict.fromkeys(("modf", "frexp"), just),
    **dict.fromkeys(("nn.softmax", "nn.log_softmax"), masked),
    **dict.fromkeys(("nn.layer_norm", "nn.rms_norm"), normalized),
    "nn.linear": product, "nn.nll_loss": categories, "nn.scaled_dot_product_attention": attention,
    **dict.fromkeys(("modf", "frexp"), just),
    "linalg.norm": norm,
    "linalg.cond": condition,
    "linalg.lstsq": least_squares,
    "linalg.solve_triangular": triangular,
    "linalg.cho_solve": solve,
    "linalg.cdist": distances,
    "linalg.eigh_tridiagonal": tridiagonal,
    "linalg.block_diag": blocks,
    "linalg.toeplitz": toeplitz,
    "linalg.diagonal_set": new_diagonal,
    "linalg.multi_dot": chain,
    "linalg.tensorinv": tensor,
    "linalg.tensorsolve": tensors,
    "linalg.polar": decomposed(side=("right", "left", "other")),
    **dict.fromkeys(("linalg.lu", "linalg.lu_factor"), decomposed()),
    **dict.fromkeys(("fft.fft2", "fft.ifft2", "fft.rfft2", "fft.irfft2"), transform2),
    **dict.fromkeys(("fft.dct", "fft.idct"), cosines),
    **dict.fromkeys(("polyadd", "polymul"), polynomials(2)),
    "polyder": polynomials("m"),
    "polyval": evaluated,
    "polyfit": fitted,
    **{f"fft.{n}": transform for n in ("fft", "hfft", "ifft", "ihfft", "irfft", "rfft")},
    "signal.frame": cut,
    "signal.overlap_add": laid_over,
    "signal.fftconvolve": convolution,
    **{f"fft.{n}": transforms for n in ("fftn", "ifftn", "irfftn", "rfftn")},
}  # fmt: skip

#: Compositions that have a plan under the rules of a framework.
RULED = ["hstack", "vstack", "dstack", "column_stack", "_nan_to_num", "isclose", "_cumsum", "_cumprod"]
#: Every function that has a plan of its own.
PLANNED = [
    name
    for name, o in OPS.items()
    if o.kind in ("primitive", "mixed", "creation")
    and not name.startswith("random._")
    and (not callable(o.shape) or name in CALLS)  # others are tested with the calls that are listed for them
] + RULED
PLANNED = [name for name, o in OPS.items() if o.kind in ("primitive", "mixed", "creation")] + RULED
#: A function with a shape function of its own is tested with the calls that are listed for it.
PLANNED = [name for name in PLANNED if not callable(OPS[name].shape) or name in CALLS]
#: Those behind the random ones take a key: tests/test_random.py has them.
PLANNED = [name for name in PLANNED if not name.startswith("random._")]
#: function -> the name of its family.
FAMILY = {name: next((n for n, f in FAMILIES.items() if f is family_of(OPS[name])), name) for name in PLANNED}


def call_of(name: str, draw: Draw) -> Call:
    return CALLS.get(name, elementwise(OPS[name]))(draw)


# --- what a call gives --------------------------------------------------------------------------------------------


def decided(name: str, call: Call) -> tuple[Shape, ...] | Exception:
    """What the family says: shapes, or the error that it raises."""
    try:
        return result_shapes(OPS[name], *call)
    except (TypeError, ValueError, IndexError) as error:
        return error


def computed(name: str, call: Call) -> tuple[Shape, ...] | Exception:
    """What the function does on the current backend."""
    o = OPS[name]
    function = getattr(sys.modules[o.function.__module__], o.function.__name__)
    operands, args, kw = call.with_arrays(lambda spec, i: array(o, spec.shape, i))
    if o.sequence and not o.spread:
        operands = (list(operands),)
    if name == "_einsum":  # which takes the letters that `einsum` finds
        function, operands, kw = lw.einsum, (kw["subscripts"], *operands), {}
    try:
        with warnings.catch_warnings(action="ignore"):
            result = function(*operands, *args, **kw)
    except Exception as error:
        return error
    return tuple([x.shape for x in (result if isinstance(result, tuple) else (result,))])


def array(o: Op, shape: Any, place: int) -> lw.Array:
    """An array that a call does not refuse for its values: matrices that have an inverse, indices in bounds."""
    roles = o.roles(len(o.operands))
    if roles[place : place + 1] == ("index",) or (place == -1 and o.name == "searchsorted"):
        return lw.zeros(shape, dtype=lw.int64)
    dtype = next(d for d in (lw.float64, lw.int64, lw.complex128) if d in category(o.accepts))
    if len(shape) < 2:
        return lw.ones(shape, dtype=dtype)
    return lw.asarray(lw.broadcast_to(lw.eye(*shape[-2:], dtype=dtype), shape), copy=True)


def fits(shape: Shape, other: Shape) -> bool:
    """Whether two shapes can be one, for some values of their unknown extents."""
    return len(shape) == len(other) and all(m == n or None in (m, n) for m, n in zip(shape, other, strict=True))


def agree(found: tuple[Shape, ...] | Exception, other: tuple[Shape, ...] | Exception) -> bool:
    """Whether two decide the same: both refuse, or the shapes can be the same."""
    if isinstance(found, Exception) or isinstance(other, Exception):
        return isinstance(found, Exception) and isinstance(other, Exception)
    return len(found) == len(other) and all(map(fits, found, other))


# --- against the backends -----------------------------------------------------------------------------------------


class Difference(NamedTuple):
    """Calls on which backends and a family do not agree, and what the backends do."""

    name: str
    applies: Callable[[Call], bool]
    example: Call
    backends: str
    reason: str


def no_elements(call: Call) -> bool:
    return 0 in call.operands[0].shape


def along(axis: int | tuple[int, ...], *shape: int) -> Call:
    return Call((Spec(shape),), (), {"axis": axis})


#: Calls that families refuse, or take, for the function's documentation and most backends say so.
DIFFERENCES = [
    Difference(
        "repeat", lambda call: isinstance(call.operands[1], Spec), Call((Spec((1,)), Spec((2,)))),
        "dask", "compares repeats and elements as it computes",
    ),
    Difference(
        "take_along_axis", no_elements, Call((Spec((0,)), Spec((1,)))), "dask", "looks at indices as it computes"
    ),
    Difference(
        "take", no_elements, Call((Spec((0,)), Spec(())), (), {"axis": 0}), "dask", "does not look at the one index"
    ),
]  # fmt: skip


def compare(name: str, backend: str, examples: int) -> None:
    """Assert that the family decides what the backend computes, of so many calls."""
    differences = [d for d in DIFFERENCES if d.name == name and backend in d.backends.split()]

    @settings(max_examples=examples, deadline=None)
    @given(data=st.data())
    def check(data: Any) -> None:
        call = call_of(name, data.draw)
        if any(d.applies(call) for d in differences):
            return
        with np.errstate(all="ignore"), lw.using(backend=backend):
            expected = computed(name, call)
        found = decided(name, call)
        assert agree(found, expected), (found, expected)
        if isinstance(found, Exception):
            assert str(found).startswith(f"{name.lstrip('_')}: ")
        if isinstance(found, Exception) and name not in OTHER_CLASS and backend == "numpy":
            assert isinstance(found, type(expected)) or isinstance(expected, type(found)), (found, expected)

    check()


#: Functions whose calls fail on something else first: with a sorter, an array without axes has no elements to index.
OTHER_CLASS = {"searchsorted"}


@pytest.mark.shared
@pytest.mark.parametrize("name", PLANNED)
def test_families_decide_what_numpy_computes(name: str) -> None:
    compare(name, "numpy", examples(40) if name in CALLS else 8)


@pytest.mark.parametrize("name", [*{family: name for name, family in FAMILY.items()}.values()])
def test_families_decide_what_torch_computes(name: str) -> None:
    pytest.importorskip("torch")
    compare(name, "torch", 8)


@pytest.mark.sweep
@pytest.mark.parametrize("name", PLANNED)
def test_families_decide_what_every_backend_computes(name: str, backend: str) -> None:
    compare(name, backend, {"numpy": 400, "torch": 200, "jax": 20}.get(backend, 60) if name in CALLS else 10)


@pytest.mark.parametrize("difference", DIFFERENCES, ids=lambda d: f"{d.name}: {d.reason}")
def test_differences_still_show(difference: Difference, backend: str) -> None:
    if backend in difference.backends.split():
        assert not agree(decided(difference.name, difference.example), computed(difference.name, difference.example))


def test_every_family_has_a_function() -> None:
    assert {*FAMILY.values()} >= {*FAMILIES}
    elementwise = {name for name, family in FAMILY.items() if family == "broadcast"}
    assert elementwise & {*CALLS} == set()
    chapters = {OPS[name].function.__module__.removeprefix("latticework.api.") for name in elementwise}
    assert chapters <= {
        "elementwise",
        "elementwise_extended",
        "nn.activations",
        "searching",  # where
        "numpy_names",  # isclose
        "special.bessel",
        "special.entropy",
        "special.error_functions",
        "special.gamma_functions",
        "special.incomplete",
    }


# --- unknown extents ----------------------------------------------------------------------------------------------


@pytest.mark.shared
@pytest.mark.parametrize("name", PLANNED)
def test_unknown_extents_leave_open_what_they_can_be(name: str) -> None:
    """What is decided with unknown extents holds for all extents that they can be."""

    @settings(max_examples=examples(30) if name in CALLS else 8, deadline=None)
    @given(data=st.data())
    def check(data: Any) -> None:
        call = call_of(name, data.draw)
        partly = call.with_arrays(lambda spec, _: Spec(tuple([None if data.draw(yes) else n for n in spec.shape])))
        exact, found = decided(name, call), decided(name, partly)
        if isinstance(exact, Exception):
            return
        if isinstance(found, Exception):
            assert name == "unstack"
            assert "is not known before the array is computed" in str(found)
        else:
            assert agree(found, exact), (found, exact)

    check()


@pytest.mark.parametrize(
    ("name", "call", "expected"),
    [
        ("add", Call((Spec((None, 1, 4)), Spec((3, None)))), (None, 3, 4)),
        ("add", Call((Spec((None,)), Spec((1,)))), (None,)),
        ("add", Call((Spec((None,)), Spec((0,)))), (0,)),
        ("where", Call((Spec((None, 1)), Spec((2, 1)), 1.5)), (2, 1)),
        ("sum", Call((Spec((None, 3)),), (), {"axis": 0}), (3,)),
        ("sum", Call((Spec((None, 3)),), (), {"axis": 1, "keepdims": True}), (None, 1)),
        ("cumulative_sum", Call((Spec((None,)),), (), {"include_initial": True}), (None,)),
        ("reshape", Call((Spec((None, 4, 4)),), ((-1, 16),)), (None, 16)),
        ("reshape", Call((Spec((None, 4)),), ((None, -1),)), (None, None)),
        ("reshape", Call((Spec((None, 3)),), ((6,),)), (6,)),
        ("reshape", Call((Spec((None, 0)),), ((-1, 5),)), (0, 5)),
        ("concat", Call((Spec((None, 3)), Spec((2, None)))), (None, 3)),
        ("stack", Call((Spec((None, 3)), Spec((2, None)))), (2, 2, 3)),
        ("tile", Call((Spec((None,)), (2, 0))), (2, 0)),
        ("repeat", Call((Spec((2, 3)), Spec((3,))), (), {"axis": 1}), (2, None)),
        ("take", Call((Spec((None, 3)), Spec((5, None))), (), {"axis": 0}), (5, None, 3)),
        ("matmul", Call((Spec((None, 2, None)), Spec((7, 3, 4)))), (7, 2, 4)),
        ("_einsum", Call((Spec((None, 3)), Spec((3, None))), (), {"subscripts": "ab,bc->ac"}), (None, None)),
        ("_einsum", Call((Spec((None, 3)), Spec((2, None))), (), {"subscripts": "a...,a..."}), (3,)),
        ("linalg.cholesky", Call((Spec((None, None, 3)),)), (None, 3, 3)),
        ("linalg.svdvals", Call((Spec((None, 0)),)), (0,)),
        ("linalg.cross", Call((Spec((None, 3)), Spec((2, None)))), (2, 3)),
        ("fft.rfft", Call((Spec((None, 4)),)), (None, 3)),
        ("fft.irfft", Call((Spec((4, None)),), (), {"n": 5}), (4, 5)),
        ("zeros", Call((), ((None, 2),)), (None, 2)),
        ("nonzero", Call((Spec((2, 3)),)), None),
        ("unique_values", Call((Spec((2, 3)),)), (None,)),
    ],
)  # fmt: skip
def test_what_unknown_extents_give(name: str, call: Call, expected: Shape | None) -> None:
    assert decided(name, call) == ((expected,) if expected is not None else ((None,), (None,)))


# --- what the errors say ------------------------------------------------------------------------------------------

X = Spec((2, 3))


@pytest.mark.parametrize(
    ("name", "call", "error", "words"),
    [
        ("sum", along(3, 2, 3), AxisError, r"axis 3 is out of bounds for array of shape \(2, 3\); axes are -2 to 1"),
        ("sum", along(0), AxisError, r"axis 0 is out of bounds for array of shape \(\); it has no axes"),
        ("sum", along((0, -2), 2, 3), ValueError, r"an axis is given twice: axis=\(0, -2\)"),
        ("expand_dims", Call((X,), (4,)), AxisError, r"axis 4 .* of shape \(2, 3\); axes are -3 to 2"),
        ("stack", Call((X, X), (), {"axis": 3}), AxisError, "axis 3 .*; axes are -3 to 2"),
        ("add", Call((X, Spec((4,)))), ValueError, r"\(2, 3\) and \(4,\) do not fit together. They have to be"),
        ("where", Call((X, 1, Spec((4,)))), ValueError, r"shapes \(2, 3\) and \(4,\) do not fit together"),
        ("concat", Call((X, Spec((2, 4)))), ValueError, "They have to be equal but for axis 0"),
        ("concat", Call(()), ValueError, "takes at least one array"),
        ("max", along(0, 0, 3), ValueError, r"of no elements there is none.*shape \(0, 3\)"),
        ("reshape", Call((X,), ((4,),)), ValueError, r"of 6 elements, of shape \(2, 3\), has not the shape \(4,\)"),
        ("reshape", Call((X,), ((-1, -1),)), ValueError, "one -1 at most"),
        ("squeeze", Call((X,), (1,)), ValueError, r"axis 1 of an array of shape \(2, 3\) has 3"),
        ("broadcast_to", Call((X,), ((3, 3),)), ValueError, r"of shape \(2, 3\) does not broadcast to \(3, 3\)"),
        ("matmul", Call((X, X)), ValueError, r"shapes \(2, 3\) and \(2, 3\) do not fit together: the last axis"),
        ("unstack", Call((Spec((None, 2)),)), ValueError, r"the extent of axis 0 is not known .* x\.compute\(\)"),
        ("zeros", Call((), ((2, -1),)), ValueError, r"no negative extents; got \(2, -1\)"),
        ("zeros", Call((), ((2, 2.0),)), TypeError, r"a shape is of ints; got \(2, 2.0\)"),
        ("_full", Call((), ((True,), 1)), TypeError, r"full: a shape is of ints"),
        ("linalg.inv", Call((X,)), ValueError, r"takes square matrices.*shape \(2, 3\)"),
        ("fft.fft", Call((X,), (), {"n": 0}), ValueError, r"got 0 along axis -1 of shape \(2, 3\)"),
        ("_einsum", Call((X,), (), {"subscripts": "ii"}), ValueError, r"^einsum: 'i' in 'ii' is 2 and 3, for shapes"),
        ("_einsum", Call((X, X), (), {"subscripts": "ij->i"}), ValueError, "is for 1 operands; got 2"),
    ],
)  # fmt: skip
def test_errors_say_what_is_wrong(name: str, call: Call, error: type[Exception], words: str) -> None:
    found = decided(name, call)
    assert type(found) is error
    assert re.search(words, str(found)), found


@pytest.mark.parametrize("axis", [True, 1.0, "0", None, [0]])
def test_what_is_no_axis(axis: Any) -> None:
    calls = {"sort": [], "squeeze": [[0]], "expand_dims": [[0]], "sum": [None, [0]], "flip": [None, [0]], "fft.fft": []}
    for name, taken in calls.items():
        if axis not in taken:
            with pytest.raises(TypeError, match=f"^{name}: an axis is an int; got"):
                result_shapes(OPS[name], (X,), (), {"axis": axis})


def test_what_counts_as_an_int() -> None:
    assert result_shapes(OPS["sum"], (X,), (), {"axis": np.int8(1)}) == ((2,),)
    assert result_shapes(OPS["reshape"], (X,), ((np.int64(3), 2),), {}) == ((3, 2),)
    assert result_shapes(OPS["zeros"], (), (np.uint8(2),), {}) == ((2,),)


def test_arguments_that_the_function_does_not_have() -> None:
    with pytest.raises(TypeError, match="^sum: got an unexpected keyword argument 'axes'"):
        result_shapes(OPS["sum"], (X,), (), {"axes": 0})
    with pytest.raises(TypeError, match="^matmul: missing a required argument: 'x2'"):
        result_shapes(OPS["matmul"], (X,), (), {})


def test_arrays_of_any_kind_have_shapes() -> None:
    assert result_shapes(OPS["add"], (np.zeros((2, 1)), lw.zeros(3)), (), {}) == ((2, 3),)
