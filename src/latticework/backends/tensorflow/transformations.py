"""TensorFlow's transformations, of functions of lists of native arrays: tapes, accumulators, `tf.vectorized_map`."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import Any

import tensorflow as tf
from tensorflow.python.eager import backprop_util, record
from tensorflow.python.framework import op_callbacks

from ...engine.functions.flat import DIRECTIONS, directed
from . import core
from .connections import naming_gaps, refusing_gaps
from .core import NoValuesYet, _following, _with_latticework, differentiation

Natives = list[Any]


def _dense(x: Any) -> Any:
    """Make a gradient dense: that of a gather comes as rows and their positions."""
    return tf.convert_to_tensor(x) if isinstance(x, tf.IndexedSlices) else x


def vjp(run: Callable[[Natives], tuple[Natives, Natives]], primals: Natives) -> tuple[Natives, Any, Natives]:
    """Differentiate in reverse. The tape gets copies of the arguments, different from those of an outer tape."""
    inputs = [tf.identity(x) for x in primals]
    with tf.GradientTape(persistent=True, watch_accessed_variables=False) as tape, differentiation():
        tape.watch(inputs)
        outs, aux = _directed(run, "reverse")(inputs)

    def back(cotangents: Natives) -> Natives:
        zero = tf.UnconnectedGradients.ZERO  # where nothing connects; a kernel without a derivative is an error
        with refusing_gaps(), naming_gaps():
            found = tape.gradient(outs, inputs, cotangents, unconnected_gradients=zero)
        return [_dense(x) for x in found]

    return outs, back, aux


def jvp(
    run: Callable[[Natives], tuple[Natives, Natives]], primals: Natives, tangents: Natives
) -> tuple[Natives, Natives, Natives]:
    inputs = [tf.identity(x) for x in primals]
    following = tf.autodiff.ForwardAccumulator(inputs, tangents)
    with refusing_gaps(forwards=True), naming_gaps(), following as accumulator, differentiation():
        outs, aux = _directed(run, "forward")(inputs)
    zero = tf.UnconnectedGradients.ZERO
    return outs, [_dense(accumulator.jvp(x, unconnected_gradients=zero)) for x in outs], aux


def _directed(run: Callable[[Natives], Any], direction: str) -> Callable[[Natives], Any]:
    return directed(run, direction) if _with_latticework() else run


def vmap(
    run: Callable[[Natives], tuple[Natives, Natives]], natives: Natives, axes: list[int], size: int
) -> tuple[Natives, Natives]:
    """Map by `tf.vectorized_map`. It goes along the first axis, and stacks all results, which must be its tensors."""
    leading = [
        x if axis == 0 else tf.experimental.numpy.moveaxis(x, axis, 0) for x, axis in zip(natives, axes, strict=True)
    ]

    def one(natives: Natives) -> Any:
        return tf.nest.map_structure(tf.identity, run([*natives]))

    def mapped(leading: Natives) -> Any:
        return tf.vectorized_map(one, leading)

    def one_by_one(leading: Natives) -> Any:
        rows = [one([x[i] for x in leading]) for i in range(size)]
        return tf.nest.map_structure(lambda *row: tf.stack(row), *rows)

    try:
        with _quiet(), naming_gaps():
            stacked, kept = (_compiled(mapped) if tf.executing_eagerly() else mapped)(leading)
    except ValueError as error:
        if "handle data not set" not in str(error):
            raise
        # The second derivative of a loop adds lists of tensors, which `tf.vectorized_map` does not take. Examples are
        # computed one after the other.
        stacked, kept = (_compiled(one_by_one) if tf.executing_eagerly() else one_by_one)(leading)
    return stacked, [x[0] for x in kept]


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppress the pages that TensorFlow logs before `tf.vectorized_map` raises an error."""
    logger = tf.get_logger()
    logger.addFilter(_is_none_of_vectorized_map)
    try:
        yield
    finally:
        logger.removeFilter(_is_none_of_vectorized_map)


def _is_none_of_vectorized_map(record: logging.LogRecord) -> bool:
    return not record.pathname.endswith("pfor.py") or record.levelno < logging.ERROR


def jit(run: Callable[[Natives], Any]) -> Callable[[Natives], Any]:
    """Compile a function, which runs kernel by kernel where it is differentiated. TensorFlow differentiates a compiled
    function in another way: there a kernel without a derivative gives 0, and some gradients of latticework fail."""
    compiled = _compiled(run)

    def call(natives: Natives) -> Any:
        return run(natives) if core.differentiating() else compiled(natives)

    return call


def _compiled(run: Callable[[Natives], Any]) -> Callable[[Natives], Any]:
    """Compile a function as a partial one, which has no code. TensorFlow takes functions of the same code for one
    function that it traces again and again, and warns."""
    compiled: Callable[[Natives], Any] = tf.function(partial(run), autograph=False)
    return compiled


def asks_for_a_value(error: Exception) -> bool:
    """Return whether an error of TensorFlow says that a traced function asks for a value."""
    return isinstance(error, (NoValuesYet, tf.errors.OperatorNotAllowedInGraphError))


#: Second derivatives are taken in reverse twice: forward derivatives of loops are not there.
HESSIAN_IN_REVERSE = True

stop_gradient = tf.stop_gradient


def custom_gradient(run: Callable[[Natives], tuple[Natives, Any]], natives: Natives) -> Natives:
    """Give a function a gradient. For forward derivatives accumulators transpose it."""

    @core.custom_gradient
    def custom(*natives: Any) -> tuple[Natives, Any]:
        outs, back = run([*natives])
        return outs, lambda *cotangents: back([*cotangents])

    found: Natives = custom(*natives)
    return found


def custom_rules(run: Callable[[Natives], tuple[Natives, Any]], natives: Natives, push: Any) -> Natives:
    """Give a function rules in both directions: an accumulator takes the tangents that `push` gives."""
    if _following(natives):
        return _followed(run, natives, push)
    return custom_gradient(run, natives)


def _followed(run: Callable[[Natives], tuple[Natives, Any]], natives: Natives, push: Any) -> Natives:
    """Record a function with its rules for the tapes and accumulators that follow its arguments."""
    with record.stop_recording():  # a tape outside of a graph differentiates the graph's own kernels
        outs = run(natives)[0] if tf.executing_eagerly() else custom_gradient(run, natives)
        found = [tf.identity(x) for x in outs]

    def back(*cotangents: Any) -> Natives:
        grads: Natives = run(natives)[1]([*cotangents])
        return grads

    record.record_operation("CustomGradient", found, natives, back, lambda *tangents: push(natives, [*tangents]))
    return found


def checkpoint(run: Callable[[Natives], Natives], natives: Natives) -> Natives:
    """Keep the arguments alone, and run again for gradients. Forward derivatives follow the function itself."""
    if _with_latticework():
        return _run_again(run, natives)
    else:  # noqa: RET505  # which is all that a source has
        found: Natives = tf.recompute_grad(lambda *natives: run([*natives]))(*natives)
        return found


def _run_again(run: Callable[[Natives], Natives], natives: Natives) -> Natives:
    """Checkpoint with gradients by all tensors that the function uses, besides its arguments too: a callback of
    TensorFlow's tells which its kernels take."""
    if "forward" in DIRECTIONS.get() or _following(natives):
        return run(natives)
    met = _Met(natives)
    # A graph records where it takes tensors of another one, once: this must be seen.
    with record.stop_recording() if tf.executing_eagerly() else nullcontext(), met.watching():
        outs = run(natives)
    around = met.recorded()
    if around is None:
        return run(natives)

    def back(*cotangents: Any) -> Natives:
        with tf.control_dependencies(None if tf.executing_eagerly() else cotangents):  # a graph would compute it once
            inputs = [tf.identity(x) for x in natives]
        with tf.GradientTape(persistent=True, watch_accessed_variables=False) as tape, differentiation():
            tape.watch([*inputs, *around])
            again = run(inputs)
        zero = tf.UnconnectedGradients.ZERO
        found = tape.gradient(again, [*inputs, *around], [*cotangents], unconnected_gradients=zero)
        return [_dense(x) for x in found]

    results: Natives = tf.custom_gradient(lambda *_: (outs, back))(*map(core._in_graph, [*natives, *around]))
    return results


class _Met:
    """The tensors that kernels take and do not make, while a function runs, besides its arguments."""

    def __init__(self, natives: Natives) -> None:
        self.known = {_number(x) for x in natives}
        self.found: Natives = []
        self.graph = None if tf.executing_eagerly() else tf.compat.v1.get_default_graph()

    @contextmanager
    def watching(self) -> Iterator[None]:
        op_callbacks.add_op_callback(self._meet)
        try:
            yield
        finally:
            op_callbacks.remove_op_callback(self._meet)

    def _meet(
        self, kernel: str, inputs: Any, attributes: Any, outputs: Any, op_name: Any = None, graph: Any = None
    ) -> Any:
        if graph is self.graph:  # and not a branch or a loop of its own: what they take is an input of their kernel
            self.found += [x for x in inputs if _number(x) not in self.known]
            made = () if kernel == "Const" else outputs  # a graph takes small tensors of another one as a constant
            self.known.update(_number(x) for x in (*inputs, *made))
        return outputs

    def recorded(self) -> Natives | None:
        """Return the tensors among them that may have derivatives; None where a variable is among them, or a tensor
        that forward derivatives follow."""
        if any(x.dtype == tf.resource for x in self.found) or _following(self.found):
            return None
        trainable = [x for x in self.found if backprop_util.IsTrainable(x)]
        if self.graph is not None:  # a tape outside may ask the graph as a whole
            return trainable
        return [x for x in trainable if record.should_record_backprop([x])]


def _number(x: Any) -> int:
    """Return a tensor's number, which no later tensor gets: the results of the function are not kept for it."""
    return int(x._id) if core.eager(x) else id(x)


def host_call(f: Callable[[Natives], Any], natives: Natives, results: Any) -> Any:
    """Call a function of Python with the values of traced arrays; its results have the shapes and dtypes told."""

    def on(*values: Any) -> Any:
        found = f([x.numpy() for x in values])
        return [] if results is None else [tf.convert_to_tensor(x) for x in found]

    found = tf.py_function(on, natives, [] if results is None else [getattr(tf, str(dtype)) for _, dtype in results])
    for x, (shape, _) in zip(found or (), results or (), strict=True):
        x.set_shape(shape)
    return found
