"""Control flow: loops and branches that trace."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Any

import latticework as lw

from ..core import as_array, dialect, ops
from ..transformations import eval_shape, vmap, weak_flags, weakened
from ..trees import arrays_in, mapped, run

_NONE = object()


def _settled(init: Any, step: Callable[[Any], Any]) -> Any:
    """Return the initial carry in the dtypes that a step returns: weak numbers give way to them."""
    init = arrays_in(init)
    for _ in range(3):
        leaves: list[Any] = []
        mapped(leaves.append, init)
        if not any(x.weak_type for x in leaves):
            break
        try:
            out = eval_shape(step, init)
        except Exception:
            break  # the loop itself says what is wrong
        before = [(x.dtype, x.weak_type) for x in leaves]
        try:
            init = mapped(_like, init, out)
        except ValueError:
            break
        leaves = []
        mapped(leaves.append, init)
        if before == [(x.dtype, x.weak_type) for x in leaves]:
            break
    return init


def _like(x: Any, spec: Any) -> Any:
    if not x.weak_type or (x.dtype == spec.dtype and spec.weak_type):
        return x
    return ops.astype(x, lw.as_dtype(spec.dtype.name))


def scan(
    f: Any, init: Any, xs: Any = None, length: int | None = None, reverse: bool = False, unroll: Any = 1,
    _split_transpose: bool = False,
) -> Any:  # fmt: skip
    if not callable(f):
        raise TypeError("lax.scan: f argument should be a callable.")
    xs = arrays_in(xs)

    def first(carry: Any) -> Any:
        return f(carry, mapped(lambda x: ops.zeros(x.shape[1:], dtype=x._array.dtype), xs))[0]

    def step(carry: Any, x: Any) -> Any:
        found = f(weakened(carry, flags), x)
        if not isinstance(found, (tuple, list)) or len(found) != 2:
            raise TypeError("scan body output must be a pair")
        return arrays_in(found[0]), arrays_in(found[1])

    if length is not None:
        extents = _extents(xs)
        if any(n != length for n in extents):
            raise ValueError(
                f"scan got `length` argument of {length} which disagrees with leading axis sizes {extents}."
            )
    if length == 0 or (length is None and 0 in _extents(xs)):
        init = arrays_in(init)
        flags = weak_flags(init)
        spec = eval_shape(step, init, mapped(lambda x: ops.zeros(x.shape[1:], dtype=x._array.dtype), xs))[1]
        from ..tree_util import tree_map

        return init, tree_map(lambda y: ops.zeros((0, *y.shape), dtype=lw.as_dtype(y.dtype.name)), spec)
    init = _settled(init, first)
    flags = weak_flags(init)
    carry, ys = run(lw.scan, (step, init, xs), {"length": length, "reverse": reverse}, "scan")
    return weakened(carry, flags), ys


def _extents(xs: Any) -> list[Any]:
    """The extents of the first axes of a tree of arrays; None of an array without axes."""
    extents: list[Any] = []
    mapped(lambda x: extents.append(x.shape[0] if x.ndim else None), xs)
    return extents


def while_loop(cond_fun: Any, body_fun: Any, init_val: Any) -> Any:
    if not callable(cond_fun) or not callable(body_fun):
        raise TypeError("lax.while_loop: body_fun and cond_fun arguments should be callable.")
    init = _settled(init_val, body_fun)
    flags = weak_flags(init)
    steps = lambda c: _one_bool(cond_fun(weakened(c, flags))), lambda c: arrays_in(body_fun(weakened(c, flags)))
    return weakened(run(lw.while_loop, (*steps, init), {}, "while_loop"), flags)


def _one_bool(x: Any) -> Any:
    x = as_array(x)
    if x.ndim or x.dtype.kind != "b":
        raise TypeError(f"cond_fun must return a boolean scalar, but got {x.dtype}{list(x.shape)}.")
    return x._array


def fori_loop(lower: Any, upper: Any, body_fun: Any, init_val: Any, *, unroll: Any = None) -> Any:
    if not callable(body_fun):
        raise TypeError("lax.fori_loop: body_fun argument should be callable.")
    lower, upper = (as_array(x)._array if hasattr(x, "dtype") else x for x in (lower, upper))
    if isinstance(lower, float) or isinstance(upper, float):
        raise TypeError("lower and upper arguments to fori_loop must have integer type")
    index = as_array(0)
    init = _settled(init_val, lambda carry: body_fun(index, carry))

    flags = weak_flags(init)
    counted = [isinstance(lower, int)]  # the number of a step is weak then

    def step(i: Any, carry: Any) -> Any:
        return arrays_in(body_fun(weakened(dialect.wrap(i), counted), weakened(carry, flags)))

    return weakened(run(lw.fori_loop, (lower, upper, step, init), {}, "fori_loop"), flags)


def cond(pred: Any, true_fun: Any, false_fun: Any, *operands: Any, operand: Any = _NONE) -> Any:
    if len(operands) == 2 and callable(false_fun) and callable(operands[1]) and not callable(true_fun):
        first, second = false_fun, operands[1]  # the older form: pred, true_operand, true_fun, false_operand, false_fun
        operands = true_fun, operands[0]
        true_fun, false_fun = (lambda x, _: first(x)), (lambda _, x: second(x))
    if not (callable(true_fun) and callable(false_fun)):
        raise TypeError("lax.cond: true_fun and false_fun arguments should be callable.")
    operands = operands if operand is _NONE else (operand,)
    pred = as_array(pred, "cond")
    if pred.ndim:
        raise TypeError(f"Pred must be a scalar, got one of shape {pred.shape}.")
    if pred.dtype.kind == "c":
        raise TypeError(f"Pred type must be either boolean or number, got {pred.dtype}.")
    pred = pred if pred.dtype.kind == "b" else ops.not_equal(pred, 0)
    return _branched(lambda *fs: run(lw.cond, (pred._array, fs[1], fs[0], *arrays_in(operands)), {}, "cond"),
                     [false_fun, true_fun], operands, "cond")  # fmt: skip


def switch(index: Any, branches: Any, *operands: Any, operand: Any = _NONE) -> Any:
    branches = list(branches)
    if not all(callable(f) for f in branches):
        raise TypeError("lax.switch: branches argument should be a sequence of callables.")
    operands = operands if operand is _NONE else (operand,)
    index = as_array(index, "switch")
    if index.ndim:
        raise TypeError(f"Branch index must be scalar, got {index} of shape {index.shape}.")
    if index.dtype.kind not in "iu":
        raise TypeError(f"Index type must be an integer, got {index.dtype}.")
    if not branches:
        raise ValueError("Empty branch sequence")
    return _branched(
        lambda *fs: run(lw.switch, (index._array, fs, *arrays_in(operands)), {}, "switch"), branches, operands, "switch"
    )


def _branched(choose: Callable[..., Any], branches: list[Any], operands: Any, name: str) -> Any:
    """Run one of some functions, whose results have to be alike, as they are where all are traced."""
    given = arrays_in(operands)
    try:
        shapes = [eval_shape(f, *given) for f in branches]
    except (lw.errors.NoDataError, lw.errors.BackendError):
        return choose(*[_giving(f, arrays_in) for f in branches])
    from ..tree_util import tree_flatten

    flat: list[Any] = [tree_flatten(s) for s in shapes]
    if any(s[1] != flat[0][1] for s in flat):
        raise TypeError(f"{name}: the functions must return trees that are built alike")
    for leaves in zip(*[s[0] for s in flat], strict=True):
        if len({(x.shape, x.dtype) for x in leaves}) > 1:
            raise TypeError(f"{name} branches must have equal output types but they differ: {[*leaves]}")
    weak = [x.weak_type for x in flat[0][0]]  # as those of the first branch, which of `cond` is the one for False

    def agreed(found: Any) -> Any:
        flags = iter(weak)
        strong = mapped(
            lambda x: x if next(flags) or not x.weak_type else ops.astype(x, x._array.dtype), arrays_in(found)
        )
        return weakened(strong, weak)

    return choose(*[_giving(f, agreed) for f in branches])


def _giving(f: Any, agreed: Callable[[Any], Any]) -> Callable[..., Any]:
    """Wrap a branch, whose result is changed. The wrapper has the module of the branch: see `Closure`."""

    def branch(*xs: Any) -> Any:
        return agreed(f(*xs))

    return update_wrapper(branch, f)


def map(f: Any, xs: Any, *, batch_size: int | None = None) -> Any:
    if batch_size is not None:
        return vmap(f)(xs)
    return run(lw.map, (lambda x: arrays_in(f(x)), arrays_in(xs)), {}, "map")


dialect.finish(globals(), view="jax.lax")
