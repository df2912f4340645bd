"""`jax.errors`: the errors that programs catch by name."""

from __future__ import annotations

from typing import Any

__all__ = [
    "ConcretizationTypeError", "JAXIndexError", "JAXTypeError", "JaxRuntimeError", "KeyReuseError",
    "NonConcreteBooleanIndexError", "TracerArrayConversionError", "TracerBoolConversionError",
    "TracerIntegerConversionError", "UnexpectedTracerError",
]  # fmt: skip


class JAXTypeError(TypeError):
    """An argument is of a type that the program does not take."""


class JAXIndexError(IndexError):
    """A key is not one of the array's."""


class ConcretizationTypeError(JAXTypeError):
    """A program asks for the value of an array that has none yet, as in `jit`."""


class NonConcreteBooleanIndexError(JAXIndexError):
    """A mask without values selects elements, whose number is not known."""


class TracerArrayConversionError(JAXTypeError):
    """An array without values is to become NumPy's."""


class TracerIntegerConversionError(JAXTypeError):
    """An array without values is to become an int."""


class TracerBoolConversionError(ConcretizationTypeError):
    """An array without values is asked whether it is true."""


class UnexpectedTracerError(JAXTypeError):
    """An array of a transformation is used after it has ended."""


class KeyReuseError(RuntimeError):
    """A random key is used more than once."""


class JaxRuntimeError(RuntimeError):
    """A compiled program fails."""


def of_no_value(error: Exception, asked: Any = ConcretizationTypeError) -> Exception:
    """Return JAX's error for one of an array without values."""
    found: Exception = asked(str(error))
    return found
