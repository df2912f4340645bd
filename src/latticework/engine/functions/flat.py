"""Turn users' functions into functions of flat lists of native arrays, for frameworks' transformations.

The trees of arrays that a function takes and gives are taken apart here and built again around what the framework puts
in place of the arrays. Everything else in them stays outside of the framework.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from typing import Any

from ...backend import Backend, get, of
from ...core.dtypes import SCALARS, Dtype, plain_scalar
from ...core.reading import Names, building
from ...core.registry import functions as lw
from ...core.trees import Structure, flatten, paths
from ...errors import BackendError
from ...policy import current
from ..arrays.array import Array, wrapped
from ..exchange.foreign import signature_by
from .without_data import adopted

__all__ = [
    "DIRECTIONS", "RECORDING", "Result", "as_array", "chosen_backend", "described", "directed", "in_directions",
    "native", "owner_of", "wrap",
]  # fmt: skip

#: The directions of the derivatives that a function runs for, "forward" and "reverse", the innermost last.
DIRECTIONS: ContextVar[tuple[str, ...]] = ContextVar("the directions of derivatives", default=())


def directed(run: Callable[[Any], Any], direction: str) -> Callable[[Any], Any]:
    """Wrap a function to know the direction of the derivative that it runs for."""
    return lambda natives: in_directions((*DIRECTIONS.get(), direction), run, natives)


def in_directions(directions: tuple[str, ...], f: Callable[..., Any], *args: Any) -> Any:
    """Call a function for derivatives in these directions."""
    token = DIRECTIONS.set(directions)
    try:
        return f(*args)
    finally:
        DIRECTIONS.reset(token)


#: The backend that records the calls of the function that is differentiated now, None where a framework does so itself.
RECORDING: ContextVar[Backend | None] = ContextVar("the backend that records calls", default=None)


def _owner(leaf: Any) -> Backend | None:
    if isinstance(leaf, Array):
        return leaf._sig.backend  # type: ignore[no-any-return]
    owner = None if isinstance(leaf, SCALARS) else of(leaf)
    return None if owner is not None and owner.opaque is not None and owner.opaque(leaf) else owner


def owner_of(name: str, leaves: Iterable[Any]) -> Backend | None:
    """Return the backend of the arrays among some leaves, None if there are none.

    Raises
    ------
    BackendError: there are arrays of two backends.
    """
    found: Backend | None = None
    for leaf in leaves:
        owner = leaf._sig.backend if type(leaf) is Array else _owner(leaf)
        if owner is None or owner is found or (found is not None and found.adopt is not None):
            continue  # arrays without data go with arrays of any backend
        if found is not None and owner.adopt is None:
            raise BackendError(
                f"{name}: arrays of two backends, {found.title} and {owner.title}, in one call. "
                f"Convert one: lw.asarray(x, backend={found.title!r})"
            )
        found = owner
    return found


def chosen_backend(name: str, *leaves: Iterable[Any]) -> Backend:
    """Return the backend of the first group of leaves that has arrays, else the backend in force.

    In a trace, arrays that the program holds count as traced arrays: the carry of a loop may become traced. In a
    function that is differentiated they count as recorded ones, whichever backend is in force.
    """
    in_force = get(current().backend)
    owners: list[Backend] = []
    for group in leaves:
        try:
            owner = owner_of(name, group)
        except BackendError:
            if not owners:
                raise
            continue  # the backend is known: what the others have are constants
        if owner is not None:
            owners.append(owner)
    for found in owners[:1]:
        for over in owners:
            if getattr(over, "target", None) is found:
                return over  # one group has arrays of the framework, another recorded ones of it
        for recording in (in_force, RECORDING.get()):
            if recording is not None and getattr(recording, "target", None) is found:
                return recording
        return found
    return in_force


def as_array(name: str, leaf: Any, backend: Backend, dtype: Dtype | None = None) -> Array | None:
    """Return a leaf as an array of a backend; None if it is no array and no number.

    Parameters
    ----------
    dtype: the dtype of a Python number; by default the default dtype of its kind.
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
            f"{name}: an array of the {owner.title} backend beside arrays of {backend.title}. Convert it: "
            f"lw.asarray(x, backend={backend.title!r})"
        )
    return wrapped(owner.native(leaf), signature_by(owner, leaf))


def native(x: Array) -> Any:
    """Return the native array: never a NumPy scalar, which arrays of other frameworks may hold."""
    return x._sig.backend.native(x._data)


def wrap(backend: Backend, data: Any) -> Array:
    """Wrap what a framework gives in place of a native array in an `Array`."""
    return wrapped(data, backend.sig_of(data))


def described(leaf: Any) -> str:
    """Describe a leaf for an error: an array by its dtype and shape."""
    return f"{leaf.dtype} of shape {leaf.shape}" if isinstance(leaf, Array) else f"{type(leaf).__name__} {leaf!r:.40}"


class Result:
    """The result of a function that a framework ran: its structure, and its leaves that are no arrays.

    Parameters
    ----------
    name: the latticework function that runs it, for errors.
    backend: the backend of the arrays.
    what: the words for the tree, for errors.
    numbers: whether Python's numbers become arrays.
    others: whether there may be leaves that are no arrays. They stay as they are.
    weak: whether the built array is weak where the function gave a weak array.
    built: the backend of the arrays to build, where it is another one.
    """

    def __init__(
        self, name: str, backend: Backend, what: str = "the result", *, numbers: bool = True, others: bool = False,
        weak: bool = False, built: Backend | None = None,
    ) -> None:  # fmt: skip
        self.built = built or backend
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
        """Build the tree around native arrays, or around what `make` makes of the values in their place."""
        if make is None:
            make = self._wrap
            if any(self._weak):
                weak = iter(self._weak)
                make = lambda data: self._wrapped(data, next(weak))  # noqa: E731
        remaining = iter(natives)
        leaves = [self.static[i] if i in self.static else make(next(remaining)) for i in range(self.structure.size)]
        return self.structure.build(iter(leaves))

    def builder(self, natives: Sequence[Any], built: Any) -> Callable[[Sequence[Any], Any], Any]:
        """Write the function that builds results like `built`, which is made of these native arrays. It takes native
        arrays, and something that it does not look at.

        The signature of each array is found here, and again if the framework has run the function anew or the dtypes
        are others.
        """
        structure = self.structure
        if self.static or len(natives) != structure.size:
            return lambda natives, _: self.build(natives)
        names = Names({"Array": Array, "result": self, "structure": structure})
        names.objects["dtypes"] = [data.dtype for data in natives]
        dtype = self.built.dtype_text
        data, arrays = [f"x{i}" for i in range(len(natives))], [f"a{i}" for i in range(len(natives))]
        found, lines = ", ".join(dtype.format(x) for x in data), list[str]()
        for array, x, leaf in zip(arrays, data, flatten(built)[0], strict=True):
            sig = names.of(leaf._sig, "sig")
            lines += [f"{array} = Array()", f"{array}._data = {x}", f"{array}._sig = {sig}"]
        tree = building(structure, iter(arrays), names, lines)
        exec("\n    ".join([
            "def build(natives, _):", f"[{', '.join(data)}] = natives",
            f"if result.structure is not structure or [{found}] != dtypes: return result.build(natives)",
            *lines, f"return {tree}",
        ]), names.objects)  # fmt: skip
        build: Callable[[Sequence[Any], Any], Any] = names.objects["build"]
        return build

    def _wrap(self, data: Any) -> Array:
        return wrap(self.built, data)

    def _wrapped(self, data: Any, weak: bool) -> Array:
        found = self._wrap(data)
        return wrapped(data, found._sig.weakly) if weak else found

    def places(self) -> list[str]:
        """List the place of each array in the tree."""
        return [place for i, place in enumerate(paths(self.structure)) if i not in self.static]
