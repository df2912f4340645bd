"""JAX's transformations of functions, by latticework's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, update_wrapper
from typing import Any

import numpy as np

import latticework as lw

from ...core.trees import flatten
from .core import as_array, dialect, ops
from .trees import DERIVATIVES, arrays_in, is_array, mapped, run

_FLOAT0 = np.dtype([("float0", np.void, 0)])


def wraps(fun: Any) -> Callable[[Any], Any]:
    """Give a function the name and the text of another callable, as far as it has such."""

    def named(call: Any) -> Any:
        try:
            return update_wrapper(call, fun)
        except (AttributeError, TypeError):
            return call

    return named


def weak_flags(tree: Any) -> list[bool]:
    """Return, for each leaf of a tree of arrays, whether it is weak."""
    return [x.weak_type for x in flatten(tree, is_array)[0]]


def weakened(tree: Any, flags: Sequence[bool]) -> Any:
    """Make the flagged leaves of a tree weak again: latticework's loops and compiled functions return strong arrays."""
    if not any(flags):
        return tree
    from .numpy.creation import _weakened

    here = iter(flags)
    return mapped(lambda x: _weakened(x) if next(here) and not x.weak_type else x, tree)


def _conjugated(tree: Any) -> Any:
    """Convert derivatives to JAX's convention: complex ones are the conjugates of latticework's."""
    return mapped(lambda x: ops.conj(x) if x.dtype.kind == "c" else x, tree)


def _weak_as(gradient: Any, by: Any) -> Any:
    """Make the arrays of a gradient weak where the arguments are."""
    from .numpy.creation import _weakened

    def one(g: Any, x: Any) -> Any:
        weak = x.weak_type if is_array(x) else type(x) in (float, complex)
        return _weakened(g) if weak and not g.weak_type else g

    return mapped(one, gradient, by)


def _callable(fun: Any, name: str) -> None:
    if not callable(fun):
        raise TypeError(f"Expected a callable value, got {fun!r}")


# --- derivatives ----------------------------------------------------------------------------------------------------


def _values(fun: Any, has_aux: bool) -> Any:
    """The function with arrays for the numbers among its results."""

    def call(*args: Any, **kw: Any) -> Any:
        token = DERIVATIVES.set(DERIVATIVES.get() + 1)
        try:
            found = fun(*args, **kw)
        finally:
            DERIVATIVES.reset(token)
        if not has_aux:
            return arrays_in(found)
        if not isinstance(found, tuple) or len(found) != 2:
            raise TypeError(f"expected function with aux output to return a two-element tuple, but got {type(found)}")
        return arrays_in(found[0]), found[1]

    return call


def _differentiated(name: str, fun: Any, argnums: Any, has_aux: bool, allow_int: bool, holomorphic: bool) -> Any:
    _callable(fun, name)
    if allow_int:
        raise NotImplementedError(f"{name}: allow_int is not there in this dialect")
    inner = _values(fun, has_aux)
    numbers = tuple(argnums) if isinstance(argnums, (tuple, list)) else argnums
    ours = getattr(lw, name)(inner, numbers, has_aux=has_aux)

    @wraps(fun)
    def call(*args: Any, **kw: Any) -> Any:
        places = {
            n % len(args)
            for n in (numbers if isinstance(numbers, tuple) else (numbers,))
            if -len(args) <= n < len(args)
        }
        given = tuple([arrays_in(x) if i in places else x for i, x in enumerate(args)])
        return run(ours, given, kw, name)

    return call


def grad(
    fun: Any, argnums: Any = 0, has_aux: bool = False, holomorphic: bool = False, allow_int: bool = False,
    reduce_axes: Any = (),
) -> Any:  # fmt: skip
    found = value_and_grad(fun, argnums, has_aux, holomorphic, allow_int, reduce_axes)

    @wraps(fun)
    def call(*args: Any, **kw: Any) -> Any:
        value, gradient = found(*args, **kw)
        return (gradient, value[1]) if has_aux else gradient

    return call


def value_and_grad(
    fun: Any, argnums: Any = 0, has_aux: bool = False, holomorphic: bool = False, allow_int: bool = False,
    reduce_axes: Any = (),
) -> Any:  # fmt: skip
    if holomorphic:
        return _holomorphic(fun, argnums, has_aux)
    found = _differentiated("value_and_grad", fun, argnums, has_aux, allow_int, holomorphic)

    @wraps(fun)
    def call(*args: Any, **kw: Any) -> Any:
        value, gradient = found(*args, **kw)
        by = [args[n] for n in argnums] if isinstance(argnums, (tuple, list)) else args[argnums]
        return value, _weak_as(_conjugated(gradient), tuple(by) if isinstance(argnums, (tuple, list)) else by)

    return call


def _holomorphic(fun: Any, argnums: Any, has_aux: bool) -> Any:
    if has_aux or not isinstance(argnums, int):
        raise NotImplementedError("grad: holomorphic=True takes one argument and no aux in this dialect")

    @wraps(fun)
    def call(*args: Any, **kw: Any) -> Any:
        def by_one(x: Any) -> Any:
            return fun(*args[:argnums], x, *args[argnums + 1 :], **kw)

        value, back = vjp(by_one, args[argnums])
        if value.dtype.kind != "c":
            raise TypeError(f"grad with holomorphic=True requires complex outputs, but got {value.dtype}")
        return value, back(ops.ones_like(value))[0]

    return call


def jacrev(
    fun: Any, argnums: Any = 0, has_aux: bool = False, holomorphic: bool = False, allow_int: bool = False
) -> Any:
    return _differentiated("jacrev", fun, argnums, has_aux, allow_int, holomorphic)


def jacfwd(fun: Any, argnums: Any = 0, has_aux: bool = False, holomorphic: bool = False) -> Any:
    return _differentiated("jacfwd", fun, argnums, has_aux, False, holomorphic)


def jacobian(
    fun: Any, argnums: Any = 0, has_aux: bool = False, holomorphic: bool = False, allow_int: bool = False
) -> Any:
    return jacrev(fun, argnums, has_aux, holomorphic, allow_int)


def hessian(fun: Any, argnums: Any = 0, has_aux: bool = False, holomorphic: bool = False) -> Any:
    return _differentiated("hessian", fun, argnums, has_aux, False, holomorphic)


def jvp(fun: Any, primals: Any, tangents: Any, has_aux: bool = False) -> Any:
    _callable(fun, "jvp")
    if not isinstance(primals, (tuple, list)) or not isinstance(tangents, (tuple, list)):
        raise TypeError("primal and tangent arguments to jax.jvp must be tuples or lists")
    _alike(primals, tangents)
    by = _Floating(fun, tuple(primals), has_aux)
    moved = [as_array(t) for t, floats in zip(flatten(tuple(tangents), is_array)[0], by.floats, strict=True) if floats]
    args = (by.of_floats, tuple(by.taken), tuple(moved))
    values, pushed, more = run(lw.jvp, args, {"has_aux": True}, "jvp")
    out, out_moved = by.built(values, more[0]), by.built(pushed, [_no_tangent(x) for x in more[0]])
    return (out, out_moved, more[1]) if has_aux else (out, out_moved)


class _Floating:
    """A function of the floating arrays of a tree, whose integers are constants, that gives its floating results.

    Attributes
    ----------
    taken: the floating arrays; `floats` says of each array of the tree whether it is one.
    """

    def __init__(self, fun: Any, primals: Any, has_aux: bool) -> None:
        self.leaves, self.structure = flatten(arrays_in(primals), is_array)
        self.floats = [x.dtype.kind in "fcV" for x in self.leaves]
        self.taken = [x for x, floats in zip(self.leaves, self.floats, strict=True) if floats]
        self.call, self.has_aux = _values(fun, has_aux), has_aux
        self.out: Any = None
        self.out_floats: list[bool] = []

    def of_floats(self, *arrays: Any) -> Any:
        """Return the floating results, and beside them the others, and what the function gives besides."""
        given = iter(arrays)
        leaves = [next(given) if floats else x for x, floats in zip(self.leaves, self.floats, strict=True)]
        found = self.call(*self.structure.build(iter(leaves)))
        outs, self.out = flatten(found[0] if self.has_aux else found, is_array)
        self.out_floats = [x.dtype.kind in "fcV" for x in outs]
        others = [x for x, floats in zip(outs, self.out_floats, strict=True) if not floats]
        values = [x for x, floats in zip(outs, self.out_floats, strict=True) if floats]
        return values, (others, found[1] if self.has_aux else None)

    def built(self, floats: Any, others: Any) -> Any:
        """Return the results, of the floating ones and the others."""
        first, second = iter(floats), iter(others)
        return self.out.build(iter([next(first) if f else next(second) for f in self.out_floats]))


def _no_tangent(x: Any) -> Any:
    """The derivative of an integer: 0, of a dtype that has no other values."""
    return np.zeros(x.shape, dtype=_FLOAT0)


def _alike(primals: Any, tangents: Any) -> None:
    (a, first), (b, second) = flatten(tuple(primals), is_array), flatten(tuple(tangents), is_array)
    if first != second:
        raise TypeError("primal and tangent arguments to jax.jvp must have the same tree structure")
    for x, t in zip(a, b, strict=True):
        x = as_array(x)
        if x.dtype.kind not in "fcV" and getattr(t, "dtype", None) == _FLOAT0:
            continue  # the derivative by an integer
        if x.dtype.kind not in "fcV":
            raise TypeError(
                "primal and tangent arguments to jax.jvp do not match; of an integer or bool, the tangent's dtype is "
                f"float0, and got {getattr(t, 'dtype', type(t).__name__)}"
            )
        t = as_array(t)
        if x.dtype != t.dtype:
            raise TypeError(f"primal and tangent arguments to jax.jvp do not match: dtypes {x.dtype} and {t.dtype}")
        if x.shape != t.shape:
            raise ValueError(f"jvp called with different primal and tangent shapes: {x.shape} and {t.shape}")


def vjp(fun: Any, *primals: Any, has_aux: bool = False, reduce_axes: Any = ()) -> Any:
    _callable(fun, "vjp")
    by = _Floating(fun, primals, has_aux)
    values, pull, more = run(lw.vjp, (by.of_floats, *by.taken), {"has_aux": True}, "vjp")
    out = by.built(values, more[0])

    def back(cotangents: Any) -> Any:
        leaves, built = flatten(cotangents, is_array)
        if built != by.out:
            raise ValueError(f"unexpected tree structure of argument to vjp function: {built} for {by.out}")
        arrays = [as_array(x) for x, floats in zip(leaves, by.out_floats, strict=True) if floats]
        for x, y in zip(arrays, values, strict=True):
            if x.dtype != y.dtype or x.shape != y.shape:
                raise ValueError(f"unexpected JAX type {x.dtype}{list(x.shape)} for vjp of {y.dtype}{list(y.shape)}")
        found = iter(_conjugated(run(pull, (_conjugated(arrays),), {}, "vjp")))
        return by.structure.build(iter([
            next(found) if floats else _no_tangent(x) for x, floats in zip(by.leaves, by.floats, strict=True)
        ]))  # fmt: skip

    return (out, back, more[1]) if has_aux else (out, back)


def linearize(fun: Any, *primals: Any, has_aux: bool = False) -> Any:
    found = fun(*arrays_in(primals))
    out = (arrays_in(found[0]), found[1]) if has_aux else (arrays_in(found),)

    def pushed(*tangents: Any) -> Any:
        return jvp(fun, primals, tangents, has_aux)[1]

    return (out[0], pushed, *out[1:]) if has_aux else (out[0], pushed)


def linear_transpose(fun: Any, *primals: Any, reduce_axes: Any = ()) -> Any:
    zeros = mapped(lambda x: ops.zeros(tuple(x.shape), dtype=lw.as_dtype(x.dtype.name)), primals)

    def transposed(cotangent: Any) -> Any:
        return vjp(fun, *zeros)[1](cotangent)

    return transposed


# --- mapping and compiling ------------------------------------------------------------------------------------------


def vmap(
    fun: Any, in_axes: Any = 0, out_axes: Any = 0, axis_name: Any = None, axis_size: int | None = None,
    spmd_axis_name: Any = None, sum_match: bool = False,
) -> Any:  # fmt: skip
    from .axes import Axis, _Stop, named

    _callable(fun, "vmap")
    if isinstance(in_axes, list):
        in_axes = tuple(in_axes)
    if in_axes is not None and type(in_axes) not in (int, tuple):
        raise TypeError(f"vmap in_axes must be an int, None, or a tuple of entries; got {in_axes!r}")
    ours = lw.vmap(lambda *args, **kw: arrays_in(fun(*args, **kw)), in_axes, out_axes)

    @wraps(fun)
    def call(*args: Any, **kw: Any) -> Any:
        args, kw = arrays_in(args), arrays_in(kw)
        try:
            if axis_name is not None or axis_size is not None:
                return _named(fun, in_axes, out_axes, axis_name, axis_size, args, kw)
            with named(Axis(object(), 0, None, None)) as axis:
                try:
                    return run(ours, args, kw, "vmap")
                except (Exception, _Stop):
                    if not axis.asked:
                        raise
            return _named(fun, in_axes, out_axes, object(), None, args, kw)
        except (TypeError, lw.errors.AxisError) as error:
            if isinstance(error, lw.errors.BackendError) or "vmap:" not in str(error):
                raise
            raise ValueError(str(error)) from None

    return call


def _named(
    fun: Any, in_axes: Any, out_axes: Any, name: Any, size: int | None, args: tuple[Any, ...], kw: dict[str, Any]
) -> Any:
    """Map a function along an axis that has a name, or whose extent is told."""
    from .axes import Axis, _Stop, mapped_in_turn, named, spread

    leaves, structure = flatten((args, kw), is_array)
    axes = [*spread(in_axes, args), *spread(0, kw)]
    extents = {x.shape[a] for x, a in zip(leaves, axes, strict=True) if a is not None and -x.ndim <= a < x.ndim}
    if (size is not None and extents - {size}) or (size is None and not extents):
        raise ValueError(f"vmap: axis_size is {size}, and the axes that are mapped along have the extents {extents}")
    size = size if size is not None else next(iter(extents))
    seen: list[Axis] = []

    def one(index: Any, *arguments: Any) -> Any:
        given, keywords = structure.build(iter(arguments))
        with named(Axis(name, index_size, index, None)) as axis:
            seen[:] = [axis]
            return arrays_in(fun(*given, **keywords))

    index_size = size
    numbers = ops.arange(size, dtype=lw.int32)
    try:
        return run(lw.vmap(one, (0, *axes), out_axes), (numbers, *leaves), {}, "vmap")
    except (Exception, _Stop):
        if not seen or not seen[0].asked:
            raise

    def in_turn(*arguments: Any) -> Any:
        given, keywords = structure.build(iter(arguments))
        return fun(*given, **keywords)

    return mapped_in_turn(in_turn, Axis(name, size, None, None), axes, leaves, out_axes)


def pmap(
    fun: Any, axis_name: Any = None, *, in_axes: Any = 0, out_axes: Any = 0, static_broadcasted_argnums: Any = (),
    devices: Any = None, backend: str | None = None, axis_size: int | None = None, donate_argnums: Any = (),
) -> Any:  # fmt: skip
    """`jax.pmap`: there is one device, so that the extent of the axis is 1."""
    _callable(fun, "pmap")
    numbers = static_broadcasted_argnums
    numbers = (numbers,) if isinstance(numbers, int) else tuple(numbers)

    @wraps(fun)
    def call(*args: Any, **kw: Any) -> Any:
        static = {n % len(args): args[n] for n in numbers}

        def dynamic(*rest: Any, **named: Any) -> Any:
            arrays = iter(rest)
            return fun(*[static[i] if i in static else next(arrays) for i in range(len(args))], **named)

        def one(*rest: Any, **named: Any) -> Any:
            from .lax.parallel import axis_size as extent

            if extent(name) > 1:
                raise ValueError(
                    f"compiling computation `{getattr(fun, '__name__', 'fun')}` that requires {extent(name)} logical "
                    "devices, but only 1 XLA devices are available (num_replicas=1)"
                )
            return dynamic(*rest, **named)

        name = object() if axis_name is None else axis_name
        axes = in_axes
        if isinstance(axes, (tuple, list)):
            axes = tuple([a for i, a in enumerate(axes) if i not in static])
        rest = [x for i, x in enumerate(args) if i not in static]
        return vmap(one, axes, out_axes, name, axis_size)(*rest, **kw)

    return call


_INFER = object()


def shard_map(
    f: Any = None, /, *, out_specs: Any, in_specs: Any = _INFER, mesh: Any = None, axis_names: Any = frozenset(),
    check_vma: bool = True,
) -> Any:  # fmt: skip
    """`jax.shard_map`: each device of a mesh has a part of the arrays; there is one device, which has all of them."""
    if f is None:
        return partial(
            shard_map, out_specs=out_specs, axis_names=axis_names, in_specs=in_specs, mesh=mesh, check_vma=check_vma
        )
    _callable(f, "shard_map")

    @wraps(f)
    def call(*args: Any) -> Any:
        from .axes import of_one_device
        from .sharding import get_mesh

        with of_one_device((get_mesh() if mesh is None else mesh).axis_names):
            return arrays_in(f(*arrays_in(args)))

    return call


def checkpoint(
    fun: Any, *, prevent_cse: bool = True, policy: Any = None, static_argnums: Any = (), static_argnames: Any = (),
    concrete: Any = object(),  # noqa: B008
) -> Any:  # fmt: skip
    return _remat(fun, static_argnums)


def remat(
    fun: Any, *, prevent_cse: bool = True, policy: Any = None, static_argnums: Any = (),
    concrete: Any = object(),  # noqa: B008
) -> Any:  # fmt: skip
    return _remat(fun, static_argnums)


def _remat(fun: Any, static_argnums: Any) -> Any:
    _callable(fun, "checkpoint")
    numbers = (static_argnums,) if isinstance(static_argnums, int) else tuple(static_argnums)

    @wraps(fun)
    def call(*args: Any, **kw: Any) -> Any:
        places = {n % len(args) for n in numbers}
        static = {i: args[i] for i in places}

        def dynamic(*rest: Any) -> Any:
            arrays = iter(rest)
            return arrays_in(fun(*[static[i] if i in static else next(arrays) for i in range(len(args))], **kw))

        given = arrays_in(tuple([x for i, x in enumerate(args) if i not in places]))
        return run(lw.checkpoint(dynamic), given, {}, "checkpoint")

    return call


class checkpoint_policies:
    """The policies of `checkpoint`, by their names. Here all results are computed again."""

    @staticmethod
    def _keep(*args: Any, **kw: Any) -> bool:
        return True

    everything_saveable = nothing_saveable = dots_saveable = checkpoint_dots = _keep
    dots_with_no_batch_dims_saveable = checkpoint_dots_with_no_batch_dims = _keep

    @staticmethod
    def _of_names(*names: Any, **kw: Any) -> Any:
        return checkpoint_policies._keep

    save_only_these_names = save_any_names_but_these = save_anything_except_these_names = _of_names
    save_from_both_policies = offload_dot_with_no_batch_dims = save_and_offload_only_these_names = _of_names


def eval_shape(fun: Any, *args: Any, **kwargs: Any) -> Any:
    """`jax.eval_shape`: the shapes and dtypes of what a function gives, by `lw.infer`."""
    from .shaped import ShapeDtypeStruct

    leaves, structure = flatten((args, kwargs), is_array)
    specs = [_spec(x) for x in leaves]
    built: list[Any] = []

    def flat(*arrays: Any) -> list[Any]:
        one_args, one_kw = structure.build(iter([dialect.wrapped(x) for x in arrays]))
        outs, out = flatten(fun(*one_args, **one_kw), is_array)
        built.append(out)
        zeros = lambda x: ops.zeros(x.shape, dtype=lw.as_dtype(x.dtype.name))  # noqa: E731
        return [(zeros(x) if type(x) is ShapeDtypeStruct else as_array(x))._array for x in outs]

    found = run(lambda *xs: lw.infer(flat, *xs), tuple(specs), {}, "eval_shape")
    return built[-1].build(iter([ShapeDtypeStruct(s.shape, dialect.dtypes[s.dtype], weak_type=s.weak) for s in found]))


def _spec(x: Any) -> Any:
    if not hasattr(x, "shape") or not hasattr(x, "dtype"):
        x = as_array(x)
    return lw.spec(tuple(x.shape), lw.as_dtype(x.dtype.name), weak=bool(getattr(x, "weak_type", False)))


dialect.finish(globals(), view="jax", helpers="wraps weak_flags weakened")
