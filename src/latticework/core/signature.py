"""The signature of an array for dispatch: its backend and its dtype, as one object that is compared by identity."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["Reads", "Sig"]


class Reads:
    """The functions by which an `Array` gives its native array, its device and its elements: those of its backend."""

    __slots__ = ("device_of", "index_array", "item", "native", "to_numpy", "values")

    def __init__(self, backend: Any) -> None:
        self.native: Callable[[Any], Any] = backend.native
        self.device_of: Callable[[Any], str] = backend.device_of
        self.item: Callable[[Any], Any] = backend.item
        self.to_numpy: Callable[[Any, Any, bool | None], Any] = backend.to_numpy
        self.values: Callable[[Any], Any] = backend.values
        self.index_array: Callable[[Any], Any] = backend.index_array


class Sig:
    """The signature of an array, the key that calls dispatch on: one object per backend and dtype, and one more for
    arrays of that dtype which are weak, as JAX's rules have them.

    It is hashed by identity. `kernels` holds only signatures that their backend made.

    Attributes
    ----------
    index: the function that indexes a native array with a key. No policy changes it, so no policy is looked up.
    reads: the functions ``native``, ``device_of``, ``item``, ``to_numpy``, ``values`` and ``index_array`` of native
        arrays: the backend's, except while a program is traced (see `held`).
    reshape: the method that gives a native array a shape of ints, one of which may be -1; None where the framework
        has none, and `lw.reshape` does it.
    item: the function that makes Python scalars of 0-d native arrays; None where `bool` and `float` do it themselves.
    rank: the Python scalars that an array becomes. 0, for integers: all of them; 1, for floats and bools: all but an
        index; 2, for complex numbers: a complex number.
    plain: the rank of arrays that convert themselves and are always 0-d, as elements are; 3 for all others.
    immutable: whether the backend's arrays never change, so that there are no views.
    in_place: whether a write goes into the native array, which an `Array` then keeps for as long as it lives. Otherwise
        a write may replace it: where native arrays never change, in a trace, and for scalars and weak arrays.
    weak: whether the dtype is weak. Rules without weak arrays treat it as any other dtype.
    weakly, strongly: the weak and the strong signature of the same dtype.
    scalar: the class of the backend's scalars of this dtype, which its indexing returns for elements; None without one.
    element: the signature of such an element, whose operations are quicker. A 0-d array may have it too: a write to an
        element makes one of it.
    """

    __slots__ = (
        "backend", "dtype", "element", "immutable", "in_place", "index", "item", "plain", "rank", "reads", "reshape",
        "scalar", "strongly", "weak", "weakly",
    )  # fmt: skip

    def __init__(self, backend: Any, dtype: Any, strongly: Sig | None = None) -> None:
        self.backend, self.dtype, self.weak = backend, dtype, strongly is not None
        self.index: Callable[[Any, Any], Any] = backend.index
        self.reads: Reads = backend.reads
        self.reshape: Callable[[Any, Any], Any] | None = backend.reshape_method
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
        element.reshape = None  # the backend's scalars lack it, or have another one
        self.scalar, self.element = scalar, element
        return self

    def __repr__(self) -> str:
        return f"({self.backend.name}, {'weak ' * self.weak}{self.dtype})"
