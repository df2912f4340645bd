"""The framework, the namespace with geomstats' default dtypes bound to it, and functions that follow both."""

from operator import attrgetter

import latticework as lw

#: The framework of a backend, where geomstats has another name than latticework; and the backend that this is.
FRAMEWORKS = {"pytorch": "torch"}
BACKEND = __package__.rpartition(".")[2]
FRAMEWORK = FRAMEWORKS.get(BACKEND, BACKEND)


def _namespace(default_float):
    return lw.array_namespace(FRAMEWORK, default_float=default_float, default_int="int64")


class _Default:
    """The namespace in use. `set_default_dtype` puts another in its place."""

    xp = _namespace("float64")


def namespace():
    """Return latticework's namespace of the framework, with the default dtypes in force."""
    return _Default.xp


def set_default_dtype(value):
    """Choose the dtype, "float32" or "float64", of floats that are made of nothing with a dtype. Return it."""
    _Default.xp = _namespace(value)
    return get_default_dtype()


def get_default_dtype():
    """Return the framework's dtype of floats that are made of nothing with a dtype."""
    return _Default.xp.zeros(()).dtype


def get_default_cdtype():
    """Return the complex dtype with parts of the default dtype."""
    return _Default.xp.result_type(get_default_dtype(), _Default.xp.complex64)


def as_dtype(value):
    """Return the framework's dtype of this name."""
    return getattr(_Default.xp, value)


def is_array(x):
    """Return whether x is an array of the framework."""
    return isinstance(x, _ARRAY)


_ARRAY = type(_Default.xp.zeros(1))


def array(val, dtype=None):
    """Make an array with memory of its own, of an array, a number, or nested sequences of both."""
    return _Default.xp.asarray(val, dtype=dtype, copy=True)


def as_array(x):
    """Return what has a dtype as it is, and an array of anything else."""
    return x if hasattr(x, "dtype") else _Default.xp.asarray(x)


def function(name, arrays=1):
    """Return latticework's function under the default dtypes in force; numbers and lists may stand for arrays.

    Parameters
    ----------
    name: latticework's name of the function.
    arrays: how many of the first arguments are arrays.
    """
    found = attrgetter(name)

    def call(*args, **options):
        return found(_Default.xp)(*map(as_array, args[:arrays]), *args[arrays:], **options)

    call.__name__ = call.__qualname__ = name
    return call
