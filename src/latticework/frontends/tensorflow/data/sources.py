"""The static methods of `tf.data.Dataset` that make one: of tensors, of numbers, and of a generator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import dtypes
from ..arguments import number
from ..errors import invalid
from ..shapes import TensorShape, TensorSpec
from ..tensor import Tensor, as_tensor
from .drawing import stream
from .structure import CLASS, INFINITE, UNKNOWN, leaves, mapped, normalized, specs_of

if TYPE_CHECKING:
    from .dataset import Dataset

__all__ = ["Sources"]


class Sources:
    """The static methods that make a dataset."""

    @staticmethod
    def from_tensors(tensors: Any, name: Any = None) -> Dataset:
        """One element: a tensor, or a tuple or dictionary of these."""
        element = _given(tensors)
        return _of("Tensor", lambda: iter([element]), lambda: specs_of(element), lambda: 1)

    @staticmethod
    def from_tensor_slices(tensors: Any, name: Any = None) -> Dataset:
        """The rows of a tensor, or those of several beside each other.

        Raises
        ------
        ValueError: a tensor has no axis, or they have other numbers of rows.
        """
        whole = _given(tensors)
        counts = []
        for x in leaves(whole):
            if not x.ndim:
                raise ValueError("Unbatching a tensor is only supported for rank >= 1")
            counts.append(x._array.shape[0])
        for n in counts:
            if n != counts[0]:
                raise ValueError(f"Dimensions {counts[0]} and {n} are not compatible")
        return _of(
            "TensorSlice",
            lambda: (mapped(lambda x, i=i: x[i], whole) for i in range(counts[0])),
            lambda: mapped(lambda x: TensorSpec(x.shape[1:], x.dtype), whole),
            lambda: counts[0],
        )

    @staticmethod
    def range(*args: Any, **kwargs: Any) -> Dataset:
        """Numbers in even steps, int64 or of `output_type`: ``range(stop)``, ``range(start, stop, step)``."""
        if not 1 <= len(args) <= 3:
            raise ValueError(f"Invalid `args`. The length of `args` should be between 1 and 3 but was {len(args)}.")
        dtype = dtypes.as_dtype(kwargs.get("output_type", dtypes.int64))
        ends = [int(as_tensor(a, dtypes.int64)) for a in args]
        if len(ends) == 3 and not ends[2]:
            raise invalid("step must be a non-zero integer.")
        numbers = range(*ends)
        return _of("Range", lambda: (as_tensor(i, dtype) for i in numbers), lambda: TensorSpec((), dtype),
                   lambda: len(numbers))  # fmt: skip

    @staticmethod
    def counter(start: Any = 0, step: Any = 1, dtype: Any = dtypes.int64, name: Any = None) -> Dataset:
        """Numbers from a start on in even steps, without an end."""
        first, by, kind = number(start), number(step), dtypes.as_dtype(dtype)

        def elements() -> Iterator[Any]:
            at = first
            while True:
                yield as_tensor(at, kind)
                at += by

        return _of("Counter", elements, lambda: TensorSpec((), kind), lambda: INFINITE)

    @staticmethod
    def random(seed: Any = None, rerandomize_each_iteration: Any = None, name: Any = None) -> Dataset:
        """Random int64 numbers from 0 to 2**32 - 1, without an end. They are other numbers than TensorFlow's."""
        begin = stream(seed, bool(rerandomize_each_iteration))

        def elements() -> Iterator[Any]:
            rng = begin()
            while True:
                yield as_tensor(int(rng.integers(2**32)), dtypes.int64)

        return _of("Random", elements, lambda: TensorSpec((), dtypes.int64), lambda: INFINITE)

    @staticmethod
    def from_generator(
        generator: Any, output_types: Any = None, output_shapes: Any = None, args: Any = None,
        output_signature: Any = None, name: Any = None,
    ) -> Dataset:  # fmt: skip
        """What a generator yields. It is called again for each iteration.

        Parameters
        ----------
        generator: a function that returns an iterable.
        output_signature: the dtypes and shapes of what it yields.
        output_types, output_shapes: the same in two structures.
        args: tensors that the function is called with, as NumPy's arrays.

        Raises
        ------
        TypeError: the generator is no function, or there are no dtypes.
        InvalidArgumentError: what it yields does not have the dtypes and shapes.
        """
        if not callable(generator):
            raise TypeError("`generator` must be a Python callable.")
        if output_signature is not None and (output_types is not None or output_shapes is not None):
            which = "output_types" if output_types is not None else "output_shapes"
            raise TypeError(f"The `{which}` argument can not be used together with the `output_signature` argument.")
        if output_signature is None:
            if output_types is None:
                raise TypeError("To specify the output signature you need to provide either the `output_signature` "
                                "argument or the `output_types` argument.")  # fmt: skip
            output_signature = _signature(output_types, output_shapes)
        specs = tuple(output_signature) if type(output_signature) is list else output_signature
        given = [as_tensor(a).numpy() for a in args or ()]

        def elements() -> Iterator[Any]:
            try:
                yielded = iter(generator(*given))
            except TypeError as error:
                raise invalid(f"TypeError: {error}") from None
            return (_fitted(x, specs) for x in yielded)

        return _of("Generator", elements, lambda: specs, lambda: UNKNOWN)


def _of(word: str, elements: Callable[[], Any], specs: Callable[[], Any], count: Callable[[], int]) -> Dataset:
    return CLASS[0]._of(word, elements, specs, count)


def _given(tensors: Any) -> Any:
    if tensors is None or (isinstance(tensors, (tuple, dict)) and not tensors):
        raise ValueError("Invalid `element`. `element` should not be empty.")
    return normalized(tensors)


def _signature(types: Any, shapes: Any) -> Any:
    types = tuple(types) if type(types) is list else types
    if shapes is None:
        return mapped(lambda t: TensorSpec(None, t), types)
    return _paired(types, shapes)


def _paired(types: Any, shapes: Any) -> Any:
    """The specs of a structure of dtypes, whose shapes stand in another one, where a tuple may be a shape too."""
    if isinstance(types, dict):
        return {k: _paired(types[k], shapes[k]) for k in types}
    if isinstance(types, tuple):
        return tuple([_paired(t, s) for t, s in zip(types, shapes, strict=True)])
    return TensorSpec(TensorShape(shapes), types)


def _fitted(value: Any, specs: Any) -> Any:
    """What a generator has yielded, as an element of these dtypes and shapes."""
    try:
        return mapped(_leaf, specs, value)
    except TypeError:
        raise invalid("TypeError: `generator` yielded an element that did not match the expected structure. The "
                      f"expected structure was {specs}, but the yielded element was {value}.") from None  # fmt: skip


def _leaf(spec: TensorSpec, value: Any) -> Any:
    if isinstance(value, Tensor) and value.dtype == spec.dtype:
        found = value
    else:
        try:
            found = as_tensor(np.asarray(value, dtype=spec.dtype.as_numpy_dtype))
        except (ValueError, TypeError):
            raise invalid(
                "TypeError: `generator` yielded an element that could not be converted to the expected type. "
                f"The expected type was {spec.dtype.name}, but the yielded element was {value}."
            ) from None
    if not spec.shape.is_compatible_with(found.shape):
        raise invalid(f"TypeError: `generator` yielded an element of shape {found.shape} where an element of shape "
                      f"{spec.shape} was expected.")  # fmt: skip
    return found
