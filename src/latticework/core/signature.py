"""What dispatch knows of an array: its backend and its dtype, as one object that is compared by identity."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["Sig"]


class Sig:
    """The signature of an array, the key that calls dispatch on: one object per backend and dtype, and one more for
    arrays whose dtype is weak, as JAX's rules have them.

    Hashed by identity. `kernels` never holds one that its backend did not make.

    Attributes
    ----------
    index: what reads a key of a native array. No policy changes that, so it is found here without a look at one.
    reads: what has the functions ``native``, ``item``, ``to_numpy`` and ``index_array`` of native arrays: the backend's
        module, but while a program is traced (see `held`).
    reshape: what gives a native array a shape of ints, one of which may be -1; None where the framework has no such
        method, and `lw.reshape` has to.
    item: what makes Python scalars of native arrays without dimensions, None where `bool` and `float` do themselves.
    rank: which Python scalars it becomes. 0: all of them, of integers; 1: all but an index, of real numbers and bools;
        2: a complex number.
    plain: the same of what converts itself and has no dimensions for certain, as elements do; 3 for all others.
    immutable: whether the backend's arrays never change, so that there are no views.
    in_place: whether a write goes into the native array, which an `Array` then keeps for as long as it lives. Otherwise
        it may be given another one: where native arrays never change, in a trace, and of scalars and weak arrays.
    weak: whether the dtype is weak. Rules that know no weak arrays take the dtype for any other.
    weakly, strongly: the signature of the same dtype that is weak, and the one that is not.
    scalar: the class of the backend's scalars of this dtype, of which its indexing makes elements; None without one.
    element: the signature of such an element, whose operations are quicker ones. It may be of another 0-d array too,
        which writing to an element makes of it.
    """

    __slots__ = (
        "backend", "dtype", "element", "immutable", "in_place", "index", "item", "plain", "rank", "reads", "reshape",
        "scalar", "strongly", "weak", "weakly",
    )  # fmt: skip

    def __init__(self, backend: Any, dtype: Any, strongly: Sig | None = None) -> None:
        self.backend, self.dtype, self.weak = backend, dtype, strongly is not None
        self.index: Callable[[Any, Any], Any] = backend.module.index
        self.reads: Any = backend.module
        self.reshape: Callable[[Any, Any], Any] | None = getattr(backend.module, "reshape_method", None)
        self.item: Callable[[Any], Any] | None = backend.element
        self.rank: int = 0 if dtype.kind in "iu" else 1 if dtype.kind in "bf" else 2
        self.plain: int = 3
        self.immutable: bool = backend.facts.immutable
        self.in_place: bool = not (self.immutable or self.weak) and backend.facts.framework != ""
        self.strongly: Sig = strongly or self
        self.weakly: Sig = self if strongly else Sig(backend, dtype, self)
        self.scalar: type | None = None
        self.element: Sig | None = None

    def with_elements(self, scalar: type) -> Sig:
        """Give elements of this class a signature of their own."""
        element = Sig(self.backend, self.dtype)
        element.strongly, element.weakly, element.element = self, self.weakly, element
        element.plain = self.rank if self.item is None else 3
        element.in_place = False
        element.reshape = None  # which scalars of the backend's lack, or have otherwise
        self.scalar, self.element = scalar, element
        return self

    def __repr__(self) -> str:
        return f"({self.backend.name}, {'weak ' * self.weak}{self.dtype})"
