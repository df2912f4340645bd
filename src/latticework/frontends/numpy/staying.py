"""Arrays that stay NumPy's own: of objects, text, dates and records, and those of its subclasses, as masked arrays.

No framework has such arrays but NumPy. A function that meets one, or is asked for one, is NumPy's own: it computes on
this machine, and arrays of the dialect beside it are read into NumPy. What it returns as numbers is an array of the
dialect again, on the backend in force.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import update_wrapper
from numbers import Number
from typing import Any

import numpy

from ...core.dtypes import SCALARS

__all__ = ["StayingArrays"]

#: The kinds of the dtypes that NumPy alone has: objects, bytes, strings, records, differences of dates, and dates.
_KINDS = frozenset("OSUTVmM")
#: The names of these dtypes.
_NAMES = re.compile(r"[<>=|]?(O|[USV]\d*|object|str|bytes|void|([mM]8|datetime64|timedelta64)(\[\w+\])?)_?")
#: The functions that make an array of any object, and the position of that argument.
_OF_OBJECTS = {"array": 0, "asarray": 0, "asanyarray": 0, "full": 1, "full_like": 1}


class StayingArrays:
    """What tells arrays that stay NumPy's own, and leaves calls with them to NumPy.

    Parameters
    ----------
    dtypes: the dtypes of NumPy's that the dialect has.
    to_numpy, of_numpy: read a tree of the dialect's arrays into NumPy, and back.
    """

    def __init__(self, dtypes: Any, to_numpy: Callable[[Any], Any], of_numpy: Callable[[Any], Any]) -> None:
        self._dtypes, self._to_numpy, self._of_numpy = dtypes, to_numpy, of_numpy

    def has(self, x: Any) -> bool:
        """Return whether an argument is such an array, becomes one in NumPy, as a Decimal, or is the dtype of one."""
        if isinstance(x, str):
            return _NAMES.fullmatch(x) is not None
        if isinstance(x, (type, numpy.dtype)):
            try:
                return self._alone(numpy.dtype(x))
            except TypeError:  # it is no dtype
                return False
        return self.becomes(x)

    def becomes(self, x: Any) -> bool:
        """Return whether an operand is such an array, or becomes one in NumPy: a Decimal, or a list of objects."""
        if isinstance(x, numpy.ndarray):
            return self.of_subclass(x) or self._alone(x.dtype)
        if isinstance(x, numpy.generic):
            return self._alone(x.dtype)
        if isinstance(x, Number):
            return not isinstance(x, SCALARS)  # a Decimal or a Fraction
        if not isinstance(x, (list, tuple)):
            return False
        try:
            return any(map(self.of_subclass, x)) or self._alone(numpy.asarray(self._to_numpy(x)).dtype)
        except (TypeError, ValueError):  # its parts have several shapes
            return False

    @staticmethod
    def of_subclass(x: Any) -> bool:
        """Return whether an array is of a subclass of NumPy's that computes in its own way, as masked arrays are."""
        return isinstance(x, numpy.ndarray) and type(x) not in (numpy.ndarray, numpy.memmap)

    def _alone(self, dtype: Any) -> bool:
        return dtype.kind in _KINDS and dtype not in self._dtypes

    def _of_an_object(self, name: str, args: tuple[Any, ...]) -> bool:
        """Return whether a function is to make an array of one object, as None."""
        place = _OF_OBJECTS.get(name, len(args))
        return place < len(args) and self._alone(numpy.asarray(self._to_numpy(args[place])).dtype)

    def computed(self, name: str, *args: Any) -> Any:
        """Return what NumPy's function of a name computes."""
        return self._of_numpy(getattr(numpy, name)(*self._to_numpy(args)))

    def left(self, f: Callable[..., Any], module: str) -> Callable[..., Any]:
        """Wrap a function of a module of the dialect, so that it leaves such arrays to NumPy's function of its name."""
        found: Any = numpy
        for part in f"{module}.{f.__name__}".split(".")[1:]:
            found = getattr(found, part, None)
        if not callable(found):
            return f
        real: Callable[..., Any] = found

        def call(*args: Any, **kw: Any) -> Any:
            try:
                return f(*args, **kw)
            except TypeError:
                if not any(map(self.has, (*args, *kw.values()))) and not self._of_an_object(f.__name__, args):
                    raise
            return self._of_numpy(real(*self._to_numpy(args), **self._to_numpy(_given(f, kw))))

        return update_wrapper(call, f)


def _given(f: Callable[..., Any], kw: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a call that are not the function's own defaults: NumPy's may be others."""
    known = inspect.signature(f).parameters
    return {n: x for n, x in kw.items() if n not in known or x is not known[n].default}
