"""Primitives of packages: functions with a rule for each transformation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import latticework as lw

from ...core import as_array, ops
from ...custom import custom_jvp
from ...errors import JaxRuntimeError
from ...tracers import is_tracer

__all__ = ["JVPS", "Primitive"]

#: The rules of primitives for derivatives forward, by primitive: functions of primals and tangents.
JVPS: dict[Any, Callable[..., Any]] = {}


class Primitive:
    """A function by a name, whose rules are set one by one.

    Here `bind` runs what `def_impl` has set, on arrays of any transformation. Where `jax.interpreters.ad` has a rule
    for its derivatives, they are taken by that. Rules for `vmap` are kept and not asked for: what is mapped runs `impl`
    for each example, so that a rule which joins examples has no effect. A rule for `vmap` that is asked for is that of
    `jax.custom_batching.custom_vmap`.
    """

    multiple_results = call_primitive = map_primitive = False
    #: The function that its lowering was made of, if it was.
    lowered_from: Callable[..., Any] | None = None

    def __init__(self, name: str) -> None:
        self.name = name
        self._impl: Callable[..., Any] | None = None
        self._abstract: Callable[..., Any] | None = None

    def def_impl(self, impl: Callable[..., Any]) -> Callable[..., Any]:
        """Set what it computes."""
        self._impl = impl
        return impl

    def def_abstract_eval(self, abstract_eval: Callable[..., Any]) -> Callable[..., Any]:
        """Set the shapes and dtypes of its results."""
        self._abstract = abstract_eval
        return abstract_eval

    def_effectful_abstract_eval = def_abstract_eval

    def def_custom_bind(self, bind: Callable[..., Any]) -> Callable[..., Any]:
        """Set what `bind` does."""
        self.bind = bind  # type: ignore[method-assign]
        return bind

    def impl(self, *args: Any, **params: Any) -> Any:
        """Compute it."""
        compute = self._impl or self.lowered_from
        if compute is None:
            raise NotImplementedError(
                f"Evaluation rule for '{self.name}' not implemented. Set it by def_impl, or by a lowering of "
                "jax.interpreters.mlir.lower_fun; XLA's language is not written here"
            )
        return compute(*args, **params)

    def abstract_eval(self, *args: Any, **params: Any) -> Any:
        """Return the shapes and dtypes of its results."""
        if self._abstract is None:
            raise NotImplementedError(f"Abstract evaluation for '{self.name}' not implemented")
        return self._abstract(*args, **params)

    def bind(self, *args: Any, **params: Any) -> Any:
        """Compute it, under the transformations of its arguments."""
        rule = JVPS.get(self)
        if rule is None or not any(is_tracer(x) for x in args):
            return self.impl(*args, **params)
        kind = list if self.multiple_results else lambda x: x

        def push(primals: Any, tangents: Any) -> Any:
            values, moved = rule(primals, tangents, **params)
            if self.multiple_results:
                return [*values], [_tangent(t, x) for t, x in zip(moved, values, strict=True)]
            return values, _tangent(moved, values)

        f = custom_jvp(lambda *xs: kind(self.impl(*xs, **params)))
        f.defjvp(push)
        return f(*args)

    def __repr__(self) -> str:
        return self.name


def _tangent(t: Any, value: Any) -> Any:
    """A derivative as an array: None, and those that are known to be 0, are 0."""
    return ops.zeros_like(as_array(value)) if t is None or type(t).__name__ == "Zero" else t


class _Named(Primitive):
    """A primitive of JAX itself, which programs ask for by its name and no equation here has."""


call_p, closed_call_p, jit_p = _Named("call"), _Named("closed_call"), _Named("jit")
pjit_p = xla_pmap_p = _Named("pmap")
custom_jvp_call_p, custom_vjp_call_p = _Named("custom_jvp_call"), _Named("custom_vjp_call")
cond_p, while_p, scan_p, remat_p = _Named("cond"), _Named("while"), _Named("scan"), _Named("checkpoint")

del JaxRuntimeError, lw
