"""Errors for kernels without a derivative, between a result and the inputs that it is differentiated by.

To a TensorFlow tape, a kernel without a derivative and a constant are the same: the gradient of both is None, or zero
on request. For `Floor` that is right. For `Betainc` by its parameters, and for 60 other kernels, it is a wrong number
without a warning. While `lw.grad` and its kin ask a tape, each None that a kernel gives for an operand that the tape
knows is checked: for a kernel that is constant in steps it is a zero, for others an error. An accumulator, which
`lw.jvp` asks, transposes the gradients of each kernel as it runs: there the operands with tangents are checked.

A loop and a function of `tf.vectorized_map` are graphs, and TensorFlow builds the derivatives of a graph by all of its
operands, needed or not. An error would end correct programs: there the gradient by such an operand is nan.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import tensorflow as tf
from tensorflow.python import pywrap_tfe
from tensorflow.python.eager import backprop, backprop_util, forwardprop
from tensorflow.python.framework import op_def_registry, ops

from . import core

__all__ = ["naming_gaps", "refusing_gaps"]

#: Kernels whose results stay the same where their floating operands change a little, and kernels that stop
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

#: True while a tape is asked for gradients, and gaps are errors.
_refusing: ContextVar[bool] = ContextVar("latticework refuses gaps on tensorflow", default=False)
#: True while an accumulator follows the computation, and gaps are errors.
_refusing_forwards: ContextVar[bool] = ContextVar("latticework refuses gaps forwards on tensorflow", default=False)


@contextmanager
def refusing_gaps(*, forwards: bool = False) -> Iterator[None]:
    """Ask tapes, or run with an accumulator (`forwards`), with a NotImplementedError for kernels on the way without a
    derivative."""
    asked = _refusing_forwards if forwards else _refusing
    token = asked.set(True)
    try:
        yield
    finally:
        asked.reset(token)


@contextmanager
def naming_gaps() -> Iterator[None]:
    """Raise a NotImplementedError for the LookupError that TensorFlow raises in compiled functions."""
    try:
        yield
    except LookupError as error:
        kernel = str(error).partition("op type: ")[2].partition(")")[0]
        if not kernel:
            raise
        raise NotImplementedError(_why(kernel, None)) from error


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
    """Replace TensorFlow's function from a kernel's name to its gradients, which tapes call, where gaps are errors."""
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
    """Return whether an operand has real or complex numbers. The tape drops operands that no gradient needs: then the
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


#: A kernel, its attributes and the dtypes of its operands -> the operands without a derivative; None for all.
_gaps: dict[Any, frozenset[int] | None] = {}


def _gaps_of(name: str, attributes: Any, inputs: Any, outputs: Any) -> frozenset[int] | None:
    """Return the floating operands by which a kernel has no derivative, None where it has none at all."""
    key = (name, repr(attributes), *[x.dtype for x in inputs])
    if key not in _gaps:
        try:
            with tf.Graph().as_default():  # where nothing is computed
                operands = [tf.compat.v1.placeholder(x.dtype, x.shape) for x in inputs]
                results = [tf.compat.v1.placeholder(x.dtype, x.shape) for x in outputs]
                cotangents = [tf.ones_like(x) if backprop_util.IsTrainable(x) else None for x in results]
                found = _theirs(name, attributes, len(inputs), operands, results, cotangents, (), "")
            parts = found if isinstance(found, (list, tuple)) else [found]
            _gaps[key] = frozenset(i for i, part in enumerate(parts) if part is None)
        except LookupError:
            _gaps[key] = None
        except Exception:  # it asks for more than shapes: TensorFlow itself says what is wrong
            _gaps[key] = frozenset()
    return _gaps[key]


def _is_zero(tangent: Any) -> bool:
    """Return whether a tangent is 0, like those of operands that an accumulator does not follow."""
    if hasattr(tangent, "numpy"):
        return not tangent.numpy().any()
    value = tf.get_static_value(tangent)
    return tangent.op.type == "ZerosLike" if value is None else not value.any()


_their_jvp = forwardprop._jvp_dispatch


def _jvp(name: str, attributes: Any, inputs: Any, outputs: Any, tangents: Any, use_batch: bool = False) -> Any:
    """Replace TensorFlow's function from a kernel and the tangents of its operands to those of its results, which
    accumulators call. It asks for the gradients by all operands, also by those without a derivative."""
    if not _refusing_forwards.get():
        return _their_jvp(name, attributes, inputs, outputs, tangents, use_batch)
    constant = name in _CONSTANT or name in forwardprop._SPECIAL_CASES
    if not constant and any(backprop_util.IsTrainable(x) for x in outputs):
        gaps = _gaps_of(name, attributes, inputs, outputs)
        for i in range(len(inputs)):
            lacking = gaps is None or i in gaps
            if lacking and _is_floating(name, i, inputs, attributes, len(inputs)) and not _is_zero(tangents[i]):
                raise NotImplementedError(_why(name, None if gaps is None or len(inputs) == 1 else i))
    token = _refusing.set(False)
    try:
        return _their_jvp(name, attributes, inputs, outputs, tangents, use_batch)
    except LookupError as error:  # of the kernels of its derivative, which a tape around asks for
        raise NotImplementedError(f"TensorFlow has no derivative of the derivative of its kernel {name}") from error
    finally:
        _refusing.reset(token)


def _may_lack(operation: Any) -> bool:
    """Return whether a gradient of None says that the kernel lacks it. From the rule of a custom gradient, which stands
    on an IdentityN, and from a kernel that calls functions, None says that nothing connects."""
    calls = any("func" in attribute.type for attribute in operation.op_def.attr)
    return not (calls or operation.type == "IdentityN" or operation.type in _CONSTANT)


_their_gradient_function_of = ops.get_gradient_function


def _gradient_function_of(operation: Any) -> Any:
    """Replace TensorFlow's function from a graph's operation to its gradients: nan where the kernel has none."""
    theirs = _their_gradient_function_of(operation)
    if theirs is None or not (_refusing.get() or core.differentiating()) or not _may_lack(operation):
        return theirs

    def gradients(operation: Any, *cotangents: Any) -> Any:
        found = theirs(operation, *cotangents)
        parts = found if isinstance(found, (list, tuple)) else [found]
        return [
            tf.fill(tf.shape(x), tf.constant(math.nan, x.dtype))
            if part is None and (x.dtype.is_floating or x.dtype.is_complex)
            else part
            for x, part in zip(operation.inputs, parts, strict=False)
        ]

    return gradients


ops.get_gradient_function = _gradient_function_of
pywrap_tfe.TFE_Py_RegisterGradientFunction(_gradient_function)
pywrap_tfe.TFE_Py_RegisterJVPFunction(_jvp)
