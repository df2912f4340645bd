"""Kernels that have no derivative, on the way from a result to what it is differentiated by.

To a tape of TensorFlow's, a kernel without a derivative and a constant are the same: the gradient of both is None, and
zero where zeros are asked for. Of `Floor` that is right. Of `Betainc` by its parameters, and of 60 kernels more, it is
a wrong number that nobody is told of. While `lw.grad` and its kin ask a tape, each None that a kernel gives for an
operand that the tape knows is looked at: of a kernel that is constant in steps it is a zero, of others an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import tensorflow as tf
from tensorflow.python import pywrap_tfe
from tensorflow.python.eager import backprop
from tensorflow.python.framework import op_def_registry

__all__ = ["refusing_gaps"]

#: Kernels whose results stay the same where their floating operands change a little, and those that are there to stop
#: derivatives.
_CONSTANT = frozenset(
    """
    All Any ApproximateEqual ArgMax ArgMin Assert BroadcastArgs BroadcastGradientArgs Bucketize Ceil CheckNumerics
    Equal Floor FloorDiv FloorMod Greater GreaterEqual IsFinite IsInf IsNan Less LessEqual LowerBound Multinomial
    NextAfter NonDeterministicInts NotEqual OnesLike PlaceholderWithDefault PreventGradient Print PrintV2 Rank Rint
    Round Shape ShapeN Sign Size StatelessMultinomial StatelessRandomBinomial StatelessRandomPoisson StopGradient
    StringFormat TruncateDiv UpperBound Where ZerosLike
    """.split()
)

#: Whether a tape is asked for gradients, and gaps are errors.
_refusing: ContextVar[bool] = ContextVar("latticework refuses gaps on tensorflow", default=False)


@contextmanager
def refusing_gaps() -> Iterator[None]:
    """Ask tapes, and have a NotImplementedError where a kernel on the way has no derivative."""
    token = _refusing.set(True)
    try:
        yield
    finally:
        _refusing.reset(token)


_theirs = backprop._gradient_function


def _gradient_function(
    name: str,
    attributes: Any,
    count: int,
    inputs: Any,
    outputs: Any,
    cotangents: Any,
    skipped: Any,
    scope: Any,
) -> Any:
    """TensorFlow's way from a kernel's name to its gradients, which the tapes call; others' tapes get what they got."""
    if not _refusing.get():
        return _theirs(name, attributes, count, inputs, outputs, cotangents, skipped, scope)
    try:
        found = _theirs(name, attributes, count, inputs, outputs, cotangents, skipped, scope)
    except LookupError as error:
        raise NotImplementedError(_why(name, None)) from error
    parts = found if isinstance(found, (list, tuple)) else [found]
    if name not in _CONSTANT:
        known = {*range(len(parts))} - {*(skipped or ())}
        for i in sorted(known):
            if parts[i] is None and _is_floating(name, i, inputs, attributes, len(parts)):
                raise NotImplementedError(_why(name, i if len(parts) > 1 else None))
    return found


def _is_floating(name: str, i: int, inputs: Any, attributes: Any, count: int) -> bool:
    """Whether an operand has real or complex numbers. The tape does not keep those that no gradient needs: of these the
    kernel's definition tells."""
    if inputs is not None and i < len(inputs) and inputs[i] is not None:
        dtype = getattr(inputs[i], "dtype", None)
        return dtype is not None and bool(dtype.is_floating or dtype.is_complex)
    operands = op_def_registry.get(name)
    if operands is None or len(operands.input_arg) != count:
        return False
    operand = operands.input_arg[i]
    if operand.type:
        dtype = tf.dtypes.as_dtype(operand.type)
    else:
        named = dict(zip(attributes[::2], attributes[1::2], strict=False))
        if named.get(operand.type_attr) is None:
            return False
        dtype = tf.dtypes.as_dtype(named[operand.type_attr])
    return bool(dtype.is_floating or dtype.is_complex)


def _why(name: str, operand: int | None) -> str:
    by = "" if operand is None else f" by operand {operand}"
    return (
        f"TensorFlow has no derivative of its kernel {name}{by}, which lies on the way to what is differentiated by. "
        f"Keep it out of the way (lw.stop_gradient), give a rule (lw.custom_gradient), or use another backend: "
        f"lw.asarray(x, backend='jax')"
    )


pywrap_tfe.TFE_Py_RegisterGradientFunction(_gradient_function)
