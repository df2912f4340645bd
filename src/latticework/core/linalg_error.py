"""`LinAlgError`, in a module of its own: it derives from NumPy's class, and NumPy is not imported before it is used."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy.linalg

__all__ = ["LinAlgError", "linalg_error_of"]


class LinAlgError(numpy.linalg.LinAlgError):  # type: ignore[misc] # whose class is Any to mypy
    """A matrix that the function cannot work with: singular, not positive definite, or without convergence.

    It is a `numpy.linalg.LinAlgError`, and so a ValueError. On a framework that has such a class itself, as PyTorch's
    `torch.linalg.LinAlgError`, the error is an instance of that too.

    Examples
    --------
    >>> import latticework as lw
    >>> import numpy as np
    >>> try:
    ...     lw.linalg.inv(lw.zeros((2, 2)))
    ... except np.linalg.LinAlgError as error:
    ...     print(isinstance(error, lw.linalg.LinAlgError), error)
    True linalg.inv: a matrix is singular. Got float32 array of shape (2, 2).
    """

    __module__ = "latticework.errors"  # where programs find it

    def __reduce__(self) -> tuple[Callable[..., LinAlgError], tuple[Any, ...]]:
        return LinAlgError, self.args


__test__ = {"LinAlgError": LinAlgError.__doc__}  # the example is run, although the class says that it lies elsewhere


@cache
def linalg_error_of(theirs: Any) -> type[LinAlgError]:
    """Return latticework's class of errors, derived also from the framework's class where there is one."""
    if theirs is None:
        return LinAlgError
    return type("LinAlgError", (LinAlgError, theirs), {"__module__": LinAlgError.__module__})
