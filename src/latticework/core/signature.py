"""What dispatch knows of an array: its backend and its dtype, as one object that is compared by identity."""

from __future__ import annotations

from typing import Any

__all__ = ["Sig"]


class Sig:
    """The signature of an array, the key that calls dispatch on: one object per backend and dtype, and one more for
    arrays whose dtype is weak, as JAX's rules have them.

    Hashed by identity. `kernels` never holds one that its backend did not make.

    Attributes
    ----------
    immutable: whether the backend's arrays never change, so that there are no views.
    weak: whether the dtype is weak. Rules that know no weak arrays take the dtype for any other.
    weakly, strongly: the signature of the same dtype that is weak, and the one that is not.
    scalar: the class of the backend's scalars of this dtype, of which its indexing makes elements; None without one.
    element: the signature of such an element, whose operations are quicker ones. It may be of another 0-d array too,
        which writing to an element makes of it.
    """

    __slots__ = ("backend", "dtype", "element", "immutable", "scalar", "strongly", "weak", "weakly")

    def __init__(self, backend: Any, dtype: Any, strongly: Sig | None = None) -> None:
        self.backend, self.dtype, self.weak = backend, dtype, strongly is not None
        self.immutable: bool = backend.facts.immutable
        self.strongly: Sig = strongly or self
        self.weakly: Sig = self if strongly else Sig(backend, dtype, self)
        self.scalar: type | None = None
        self.element: Sig | None = None

    def with_elements(self, scalar: type) -> Sig:
        """Give elements of this class a signature of their own."""
        element = Sig(self.backend, self.dtype)
        element.strongly, element.weakly, element.element = self, self.weakly, element
        self.scalar, self.element = scalar, element
        return self

    def __repr__(self) -> str:
        return f"({self.backend.name}, {'weak ' * self.weak}{self.dtype})"
