"""`jax.custom_jvp`, `jax.custom_vjp` and `jax.custom_gradient`: functions that bring their derivatives along."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import update_wrapper
from typing import Any

import numpy as np

import latticework as lw

from ...core.dtypes import float32, float64
from ...core.trees import flatten, leaves_at, register_node
from . import tree_util
from .core import as_array, ops
from .tracers import is_tracer
from .trees import arrays_in, is_array, mapped, run

__all__ = ["CustomVJPPrimal", "custom_gradient", "custom_jvp", "custom_vjp"]


class CustomVJPPrimal:
    """An argument of a forward rule: its value, and whether it is differentiated by."""

    __slots__ = ("perturbed", "value")

    def __init__(self, value: Any, perturbed: bool = True) -> None:
        self.value, self.perturbed = value, perturbed


tree_util.LEAVES.append(CustomVJPPrimal)  # a rule maps its functions over trees of these
register_node(
    CustomVJPPrimal, lambda x: (x.value,), lambda parts, extra: CustomVJPPrimal(parts[0], extra), lambda x: x.perturbed
)


def _numbers(fun: Any, nondiff_argnums: Any, nondiff_argnames: Any) -> tuple[int, ...]:
    import inspect

    names = list(inspect.signature(fun).parameters) if nondiff_argnames else []
    numbers = (nondiff_argnums,) if isinstance(nondiff_argnums, int) else tuple(nondiff_argnums)
    return tuple(sorted({*numbers, *[names.index(n) for n in nondiff_argnames]}))


class _Custom:
    """The base class of `custom_jvp` and `custom_vjp`: the function, and which arguments are not differentiated by."""

    def __init__(self, fun: Callable[..., Any], nondiff_argnums: Any = (), nondiff_argnames: Any = ()) -> None:
        update_wrapper(self, fun)  # type: ignore[arg-type]
        self.fun = fun
        self.nondiff_argnums = _numbers(fun, nondiff_argnums, nondiff_argnames)

    def _in_order(self, args: tuple[Any, ...], kw: dict[str, Any]) -> tuple[Any, ...]:
        """Return all arguments by position, with the defaults."""
        import inspect

        if not kw:
            try:
                bound = inspect.signature(self.fun).bind(*args)
            except (TypeError, ValueError):
                return args
        else:
            bound = inspect.signature(self.fun).bind(*args, **kw)
        bound.apply_defaults()
        return (*bound.args, *bound.kwargs.values())

    def _apart(self, args: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[Any, ...], Callable[..., Any]]:
        """Return the arguments kept fixed, the arguments to differentiate by, and the function of the latter."""
        kept = {i: args[i] for i in self.nondiff_argnums}
        rest = arrays_in(tuple([x for i, x in enumerate(args) if i not in kept]))

        def of_rest(*xs: Any) -> Any:
            arrays = iter(xs)
            return arrays_in(self.fun(*[kept[i] if i in kept else next(arrays) for i in range(len(args))]))

        return tuple(kept.values()), rest, of_rest


class custom_jvp(_Custom):
    """A function with a rule for its derivatives forward: ``f.defjvp(rule)``."""

    _rule: Callable[..., Any] | None = None

    def defjvp(self, jvp: Callable[..., Any], symbolic_zeros: bool = False) -> Callable[..., Any]:
        """Set the rule: a function of primals and tangents that gives the result and its tangent."""
        self._rule = jvp
        return jvp

    def defjvps(self, *jvps: Any) -> None:
        """Set a rule for each argument: a function of its tangent, the result and the primals; None for 0."""

        def rule(primals: Any, tangents: Any) -> Any:
            out = self.fun(*primals)
            parts = [f(t, out, *primals) for f, t in zip(jvps, tangents, strict=True) if f is not None]
            total = parts[0] if parts else ops.zeros_like(as_array(out))
            for part in parts[1:]:
                total = mapped(lambda a, b: a + b, total, part)
            return out, total

        self._rule = rule

    def __call__(self, *args: Any, **kw: Any) -> Any:
        rule = self._rule
        if rule is None:
            raise AttributeError(f"No JVP defined for custom_jvp function {self.__name__} using defjvp.")  # type: ignore[attr-defined]
        kept, rest, of_rest = self._apart(self._in_order(args, kw))

        def push(primals: Any, tangents: Any) -> Any:
            value, moved = rule(*kept, primals, tangents)
            return _tangent(moved, arrays_in(value))

        def value_of(*primals: Any) -> Any:
            bits, dtypes[:] = _as_floats(of_rest(*primals))
            return bits, None

        dtypes: list[Any] = []
        return _as_they_were(run(lw.custom_gradient(value_of, forward=push), rest, {}, "custom_jvp"), dtypes)


#: The functions whose forward rules are running: in these they are themselves, as nothing differentiates by them there.
_RUNNING: ContextVar[tuple[custom_vjp, ...]] = ContextVar("forward rules", default=())


class custom_vjp(_Custom):
    """A function with a rule for its derivatives in reverse: ``f.defvjp(fwd, bwd)``."""

    _fwd: Callable[..., Any] | None = None
    _bwd: Callable[..., Any] | None = None
    _told = False

    def defvjp(
        self,
        fwd: Callable[..., Any],
        bwd: Callable[..., Any],
        symbolic_zeros: bool = False,
        optimize_remat: bool = False,
    ) -> None:
        """Set the rules: `fwd` returns result and residuals; `bwd` maps residuals and cotangents to gradients.

        With `symbolic_zeros`, `fwd` gets a `CustomVJPPrimal` for each array: its value, and whether it may be
        differentiated by. `bwd` gets arrays: a cotangent that is 0 is an array of 0.
        """
        self._fwd, self._bwd, self._told = fwd, bwd, symbolic_zeros

    def __call__(self, *args: Any, **kw: Any) -> Any:
        fwd, bwd = self._fwd, self._bwd
        if fwd is None or bwd is None:
            raise AttributeError(f"No VJP defined for custom_vjp function {self.__name__} using defvjp.")  # type: ignore[attr-defined]
        given = self._in_order(args, kw)
        running = _RUNNING.get()
        if self in running:
            return self.fun(*given)
        kept, rest, _ = self._apart(given)
        places = {i: given[i] for i in self.nondiff_argnums}
        taken = [is_tracer(x) for x in flatten(rest, is_array)[0]] if self._told else []

        def with_back(*primals: Any) -> Any:
            arrays = iter(_with_flags(primals, taken) if self._told else primals)
            token = _RUNNING.set((*running, self))
            try:
                out, residuals = fwd(*[places[i] if i in places else next(arrays) for i in range(len(given))])
            finally:
                _RUNNING.reset(token)

            def back(cotangent: Any) -> Any:
                found = tuple(bwd(*kept, residuals, _cotangent(cotangent, dtypes)))
                return found[0] if len(primals) == 1 else found

            bits, dtypes[:] = _as_floats(arrays_in(out))
            return bits, back

        dtypes: list[Any] = []
        return _as_they_were(run(lw.custom_gradient(with_back), rest, {}, "custom_vjp"), dtypes)


def _with_flags(tree: Any, flags: list[bool]) -> Any:
    """Return a tree with `CustomVJPPrimal`s in the places of its arrays."""
    leaves, structure = flatten(tree, is_array)
    return structure.build(iter([CustomVJPPrimal(x, flag) for x, flag in zip(leaves, flags, strict=True)]))


def _as_floats(tree: Any) -> tuple[Any, list[Any]]:
    """Return a tree with the bits of its integers in floats, which latticework's rules take, and what they were."""
    leaves, structure = flatten(tree, is_array)
    dtypes: list[Any] = [None if x.dtype.kind in "fcV" else x._array.dtype for x in leaves]
    found = [x if d is None else _bits(x) for x, d in zip(leaves, dtypes, strict=True)]
    return structure.build(iter(found)), dtypes


def _bits(x: Any) -> Any:
    dtype = x._array.dtype
    if dtype.bits == 64:
        return ops.bitcast(x, float64)
    if dtype.bits == 32:
        return ops.bitcast(x, float32)
    return ops.astype(x, float32)  # an integer of 16 bits, or a bool


def _as_they_were(tree: Any, dtypes: list[Any]) -> Any:
    """Return a tree of `_as_floats` with its integers."""
    leaves, structure = flatten(tree, is_array)
    return structure.build(iter([
        x if d is None else ops.bitcast(x, d) if d.bits >= 32 else ops.astype(x, d)
        for x, d in zip(leaves, dtypes, strict=True)
    ]))  # fmt: skip


def _tangent(tree: Any, value: Any) -> Any:
    """Return tangents as latticework takes them: those of integers are 0."""
    leaves, structure = flatten(value, is_array)
    moved = [*leaves_at(structure, tree)]
    return structure.build(iter([
        as_array(t) if x.dtype.kind in "fcV" else ops.zeros_like(_bits(x)) for t, x in zip(moved, leaves, strict=True)
    ]))  # fmt: skip


def _cotangent(tree: Any, dtypes: list[Any]) -> Any:
    """Return cotangents as JAX's rules get them: those of integers have the dtype float0."""
    if not any(dtypes):
        return tree
    leaves, structure = flatten(tree, is_array)
    return structure.build(iter([
        x if d is None else np.zeros(x.shape, dtype=_FLOAT0) for x, d in zip(leaves, dtypes, strict=True)
    ]))  # fmt: skip


_FLOAT0 = np.dtype([("float0", np.void, 0)])


def custom_gradient(fun: Callable[..., Any]) -> Callable[..., Any]:
    """A function that returns a pair, of its result and of what brings cotangents of it back."""
    ours = lw.custom_gradient(fun)

    def call(*args: Any) -> Any:
        return run(ours, arrays_in(args), {}, "custom_gradient")

    return update_wrapper(call, fun)
