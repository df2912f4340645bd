"""The initializers of `tf`: functions that make the first value of a variable of a shape and dtype."""

from __future__ import annotations

from typing import Any

from . import conversion, dtypes, random

__all__ = [
    "constant_initializer", "ones_initializer", "random_normal_initializer", "random_uniform_initializer",
    "zeros_initializer",
]  # fmt: skip


class Initializer:
    """What the initializers have in common: they are made again from their configuration."""

    def get_config(self) -> dict[str, Any]:
        """The arguments that it was made with."""
        return dict(vars(self))

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """An initializer with these arguments."""
        return cls(**{k: v for k, v in config.items() if k != "dtype"})


class zeros_initializer(Initializer):
    """Zeros.

    Examples
    --------
    >>> import latticework.frontends.tensorflow as tf
    >>> tf.zeros_initializer()((2,)).numpy().tolist()
    [0.0, 0.0]
    """

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Any:
        _numeric(dtype)
        return conversion.zeros(shape, dtype)


class ones_initializer(Initializer):
    """Ones."""

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Any:
        _numeric(dtype)
        return conversion.ones(shape, dtype)


class constant_initializer(Initializer):
    """One value, or as many values as the shape has elements.

    Parameters
    ----------
    value: a number, a nested list of numbers or an array of NumPy's.
    support_partition: it changes nothing.

    Raises
    ------
    TypeError: it is something else.
    """

    def __init__(self, value: Any = 0, support_partition: bool = False) -> None:
        if not isinstance(value, (bool, int, float, complex, list, tuple)) and not hasattr(value, "dtype"):
            raise TypeError(f"Invalid type for initial value={value} of type: {type(value).__name__}. Expected Python "
                            "scalar, list or tuple of values, or numpy.ndarray.")  # fmt: skip
        self.value = value

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> Any:
        return conversion.constant(self.value, None if dtype is None else dtypes.as_dtype(dtype), shape)


class random_uniform_initializer(Initializer):
    """Uniform numbers. They are other numbers than TensorFlow's.

    Parameters
    ----------
    minval, maxval: from where on, and below what.
    seed: an int.
    """

    def __init__(self, minval: Any = -0.05, maxval: Any = 0.05, seed: Any = None) -> None:
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Any:
        kind = dtypes.as_dtype(dtype)
        if not (kind.is_floating or kind.is_integer):
            raise ValueError(f"Argument `dtype` expected to be numeric or boolean. Received {kind!r}.")
        return random.uniform(shape, self.minval, self.maxval, kind, self.seed)


class random_normal_initializer(Initializer):
    """Normal numbers. They are other numbers than TensorFlow's.

    Parameters
    ----------
    mean, stddev: the mean and the standard deviation.
    seed: an int.
    """

    def __init__(self, mean: Any = 0.0, stddev: Any = 0.05, seed: Any = None) -> None:
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Any:
        kind = dtypes.as_dtype(dtype)
        if not kind.is_floating:
            raise ValueError(f"Argument `dtype` expected to be floating point. Received {kind!r}.")
        return random.normal(shape, self.mean, self.stddev, kind, self.seed)


def _numeric(dtype: Any) -> None:
    found = dtypes.as_dtype(dtype)
    if not (found.is_floating or found.is_integer or found.is_complex or found.is_bool):
        raise ValueError(f"Argument `dtype` expected to be numeric or boolean. Received {found!r}.")
