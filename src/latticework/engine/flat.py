"""Users' functions as functions of flat lists of native arrays, which frameworks' transformations are called with.

The trees of arrays that a function takes and gives are taken apart here and built again around what the framework puts
in the place of the arrays. Everything else in them stays outside of the framework.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..backends import Backend, get, of
from ..core.dtypes import SCALARS, Dtype, plain_scalar
from ..core.registry import functions as lw
from ..core.trees import Structure, flatten, paths
from ..errors import BackendError
from ..policy import current
from .array import Array, wrapped
from .foreign import signature_by
from .without_data import adopted

__all__ = ["Result", "as_array", "chosen_backend", "described", "native", "owner_of", "wrap"]


def _owner(leaf: Any) -> Backend | None:
    if isinstance(leaf, Array):
        return leaf._sig.backend  # type: ignore[no-any-return]
    return None if isinstance(leaf, SCALARS) else of(leaf)


def owner_of(name: str, leaves: Iterable[Any]) -> Backend | None:
    """The one backend of the arrays among some leaves, None where there are none.

    Raises
    ------
    BackendError: there are arrays of two backends.
    """
    found: Backend | None = None
    for leaf in leaves:
        owner = _owner(leaf)
        if owner is None or owner is found or (found is not None and found.adopt is not None):
            continue  # arrays without data take others for such as well
        if found is not None and owner.adopt is None:
            raise BackendError(
                f"{name}: arrays of two backends, {found.shown} and {owner.shown}, in one call. "
                f"Convert one: lw.asarray(x, backend={found.shown!r})"
            )
        found = owner
    return found


def chosen_backend(name: str, *leaves: Iterable[Any]) -> Backend:
    """The backend of the first of some groups of leaves that has arrays, else the one in force.

    In a trace, arrays that the program holds are taken for traced ones: what a loop carries may become such.
    """
    in_force = get(current().backend)
    for group in leaves:
        found = owner_of(name, group)
        if found is not None:
            return in_force if getattr(in_force, "target", None) is found else found
    return in_force


def as_array(name: str, leaf: Any, backend: Backend, dtype: Dtype | None = None) -> Array | None:
    """A leaf as an array of a backend; None for what is no array and no number.

    Parameters
    ----------
    dtype: the dtype of a Python number, its default one if it is left out.
    """
    if isinstance(leaf, Array):
        if leaf._sig.backend is backend:
            return leaf
        if backend.adopt is not None:
            return adopted(leaf, backend)
    owner = _owner(leaf)
    if owner is None:
        return lw.asarray(plain_scalar(leaf), dtype=dtype, backend=backend.name) if isinstance(leaf, SCALARS) else None
    if owner is not backend:
        raise BackendError(
            f"{name}: an array of the {owner.shown} backend beside arrays of {backend.shown}. Convert it: "
            f"lw.asarray(x, backend={backend.shown!r})"
        )
    return wrapped(owner.module.native(leaf), signature_by(owner, leaf))


def native(x: Array) -> Any:
    """The native array: never one of NumPy's scalars, which arrays of other frameworks may hold."""
    return x._sig.backend.module.native(x._data)


def wrap(backend: Backend, data: Any) -> Array:
    """An array of ours around what a framework gives in the place of a native array."""
    return wrapped(data, backend.sig_of(data))


def described(leaf: Any) -> str:
    """What a leaf is, for an error: its dtype and shape."""
    return f"{leaf.dtype} of shape {leaf.shape}" if isinstance(leaf, Array) else f"{type(leaf).__name__} {leaf!r:.40}"


class Result:
    """What a function gave while a framework ran it: how it is built, and what in it is no array.

    Parameters
    ----------
    name: the function of ours that runs it, for errors.
    backend: the backend of the arrays.
    what: what the tree is, for errors.
    numbers: whether Python's numbers become arrays.
    others: whether there may be leaves that are no arrays. They stay as they are.
    weak: whether what is built is weak where the function gave a weak array.
    """

    def __init__(
        self, name: str, backend: Backend, what: str = "the result", *, numbers: bool = True, others: bool = False,
        weak: bool = False,
    ) -> None:  # fmt: skip
        self.name, self.backend, self.what, self.numbers, self.others = name, backend, what, numbers, others
        self.weak = weak
        self._weak: list[bool] = []
        self.structure: Structure
        self.static: dict[int, Any] = {}
        self.arrays: list[Array] = []

    def take(self, tree: Any) -> list[Any]:
        """Take the tree apart, and return the native arrays in it."""
        leaves, self.structure = flatten(tree)
        self.static, self.arrays = {}, []
        for i, leaf in enumerate(leaves):
            kept = not self.numbers and isinstance(leaf, SCALARS)
            array = None if kept else as_array(self.name, leaf, self.backend)
            if array is not None:
                self.arrays.append(array)
            elif kept or self.others:
                self.static[i] = leaf
            else:
                place = [*paths(self.structure)][i]
                raise TypeError(
                    f"{self.name}: {self.what}{place} must be an array or a number; got {type(leaf).__name__}"
                )
        self._weak = [x.weak for x in self.arrays] if self.weak else []
        return [native(x) for x in self.arrays]

    def build(self, natives: Sequence[Any], make: Callable[[Any], Any] | None = None) -> Any:
        """Build the tree around native arrays, or around what `make` makes of what is in their place."""
        if make is None:
            make = self._wrap
            if any(self._weak):
                weak = iter(self._weak)
                make = lambda data: self._wrapped(data, next(weak))  # noqa: E731
        remaining = iter(natives)
        leaves = [self.static[i] if i in self.static else make(next(remaining)) for i in range(self.structure.size)]
        return self.structure.build(iter(leaves))

    def builder(self, natives: Sequence[Any], built: Any) -> Callable[[Sequence[Any]], Any]:
        """Make what builds results like `built`, which is of these native arrays. The signature of each array is found
        here, and looked for again where the framework has run the function anew, or has other dtypes since."""
        structure = self.structure
        if self.static or len(natives) != structure.size:
            return self.build
        sigs = [x._sig for x in flatten(built)[0]]
        dtypes = [data.dtype for data in natives]

        def build(natives: Sequence[Any]) -> Any:
            if self.structure is not structure or [data.dtype for data in natives] != dtypes:
                return self.build(natives)
            return structure.build(map(wrapped, natives, sigs))

        if not structure.is_one_array:
            return build
        sig, dtype = sigs[0], dtypes[0]

        def build_one(natives: Sequence[Any]) -> Any:
            data = natives[0]
            if self.structure is structure and data.dtype == dtype:
                return wrapped(data, sig)
            return self.build(natives)

        return build_one

    def _wrap(self, data: Any) -> Array:
        return wrap(self.backend, data)

    def _wrapped(self, data: Any, weak: bool) -> Array:
        found = self._wrap(data)
        return wrapped(data, found._sig.weakly) if weak else found

    def places(self) -> list[str]:
        """Where each array lies in the tree."""
        return [place for i, place in enumerate(paths(self.structure)) if i not in self.static]
