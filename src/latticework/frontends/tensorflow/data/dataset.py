"""`tf.data.Dataset`."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator as Iterating
from typing import Any

from .. import dtypes
from ..tensor import Tensor, as_tensor
from .grouping import Grouping
from .iterating import Iterator, NumpyIterator
from .mixing import Mixing
from .options import Options
from .selecting import Selecting
from .sources import Sources
from .structure import CLASS, INFINITE, UNKNOWN

__all__ = ["Dataset"]

#: What is left out, by name -> the reason.
_ABSENT = {
    "fingerprint": "It names a graph of TensorFlow's.",
    "list_files list_files_with_replacement": "There is no dtype of text for their names.",
    "load save snapshot": "Files of TensorFlow's are neither read nor written.",
    "ragged_batch sparse_batch": "Tensors have one extent along each axis, and hold all of their elements.",
    "rejection_resample": "It is not written; sample_from_datasets mixes by weights.",
}


class _Class(type):
    """The class of `Dataset`, which says why a method is not there."""

    def __getattr__(cls, name: str) -> Any:
        raise AttributeError(_absence(name), name=name)


def _absence(name: str) -> str:
    why = next((f". {text}" for names, text in _ABSENT.items() if name in names.split()), "")
    return f"tf.data.Dataset.{name}: latticework's dialect of tensorflow has no such method{why}"


class Dataset(Sources, Grouping, Selecting, Mixing, metaclass=_Class):
    """Elements that come one after the other: tensors, or tuples and dictionaries of these.

    It is made by one of its static methods, such as `from_tensor_slices`, or by a method of another dataset.

    Attributes
    ----------
    element_spec: the dtypes and shapes of its elements.

    Notes
    -----
    A program's functions are called for each element, and again in each iteration, where TensorFlow traces them once.
    Shuffled elements come in another order than TensorFlow's, which is the same on every backend for the same seed.

    Examples
    --------
    >>> import latticework.frontends.tensorflow as tf
    >>> squares = tf.data.Dataset.range(5).map(lambda x: x * x).batch(2)
    >>> [x.tolist() for x in squares.as_numpy_iterator()]
    [[0, 1], [4, 9], [16]]
    >>> squares.element_spec
    TensorSpec(shape=(None,), dtype=tf.int64, name=None)
    """

    #: The word for it in its text, `Map` or `Batch`.
    _word = ""
    #: Whether its elements hold datasets.
    _nested = False
    _options = Options()

    def __init__(self, variant_tensor: Any) -> None:
        raise TypeError("Can't instantiate abstract class Dataset: take tf.data.Dataset.from_tensor_slices or another "
                        "of its methods")  # fmt: skip

    @classmethod
    def _of(
        cls, word: str, elements: Callable[[], Iterating[Any]], specs: Callable[[], Any], count: Callable[[], int], *,
        nested: bool = False,
    ) -> Dataset:  # fmt: skip
        """Make a dataset.

        Parameters
        ----------
        elements: begins an iteration.
        specs: returns the dtypes and shapes of the elements. It is called when they are asked for.
        count: returns how many elements there are, `INFINITE` or `UNKNOWN`.
        """
        made = object.__new__(cls)
        made._word, made._elements, made._find_specs, made._count = word, elements, specs, count  # type: ignore[attr-defined]
        made._specs, made._nested = None, nested
        return made

    @property
    def element_spec(self) -> Any:
        """The dtypes and shapes of its elements. Where values decide, the first element is made, and only its dtypes
        and numbers of axes are told."""
        if self._specs is None:  # type: ignore[has-type]
            self._specs = self._find_specs()
        return self._specs

    def cardinality(self) -> Tensor:
        """How many elements it has, an int64 tensor: `tf.data.INFINITE_CARDINALITY` without an end,
        `tf.data.UNKNOWN_CARDINALITY` where it is not known before they are read."""
        return as_tensor(self._count(), dtypes.int64)

    def __len__(self) -> int:
        count: int = self._count()
        if count == INFINITE:
            raise TypeError("The dataset is infinite.")
        if count == UNKNOWN:
            raise TypeError("The dataset length is unknown.")
        return count

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator:
        return Iterator(self, self._elements())

    def as_numpy_iterator(self) -> NumpyIterator:
        """Its elements one after the other, with NumPy's arrays and scalars for tensors."""
        return NumpyIterator(self)

    def options(self) -> Options:
        """The options that it was given, which change nothing."""
        return self._options

    def with_options(self, options: Options, name: Any = None) -> Dataset:
        """The same elements, with options that change nothing."""
        found = self._like("Options", self._elements)
        found._options = self._options.merge(options)
        return found

    def apply(self, transformation_func: Callable[[Dataset], Dataset]) -> Dataset:
        """What a function of a dataset makes of it."""
        found = transformation_func(self)
        if not isinstance(found, Dataset):
            raise TypeError(f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(found)}.")
        return found

    def _like(
        self, word: str, elements: Callable[[], Iterating[Any]], count: Callable[[], int] | None = None
    ) -> Dataset:
        """A dataset whose elements are built as these are."""
        return Dataset._of(word, elements, lambda: self.element_spec, count or self._count, nested=self._nested)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(_absence(name), name=name)

    def __repr__(self) -> str:
        return f"<_{self._word}Dataset element_spec={self.element_spec}>"


CLASS.append(Dataset)
