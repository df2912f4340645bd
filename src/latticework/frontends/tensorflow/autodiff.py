"""`tf.autodiff`: the tape, and the accumulator of derivatives in a direction."""

from __future__ import annotations

from typing import Any

from .nest import flatten, pack_sequence_as
from .taping import GradientTape, UnconnectedGradients, above, derivatives_along

__all__ = ["ForwardAccumulator", "GradientTape"]


class ForwardAccumulator:
    """A block whose calls of some tensors and variables are kept, to take their derivative in a direction.

    Parameters
    ----------
    primals: tensors and variables, or a structure of these.
    tangents: the direction, built as the primals are.

    Raises
    ------
    ValueError: a primal is there twice, or the block is entered twice.
    BackendError: a function has no derivative.

    Notes
    -----
    It keeps the calls as `GradientTape` does, and makes them again under `latticework.jvp`. Tapes and accumulators
    within it, and around it, give second derivatives.

    Examples
    --------
    >>> import latticework as lw
    >>> import latticework.frontends.tensorflow as tf
    >>> x = tf.constant([1.0, 2.0])
    >>> with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0])) as acc:
    ...     y = x * x
    >>> acc.jvp(y).numpy().tolist()
    [2.0, 0.0]
    """

    def __init__(self, primals: Any, tangents: Any) -> None:
        listed, along = flatten(primals), flatten(tangents)
        if len(listed) != len(along):
            raise ValueError(f"there are {len(listed)} primals and {len(along)} tangents")
        self._tape, self._entered = GradientTape(persistent=True, watch_accessed_variables=False), False
        self._along: dict[int, tuple[Any, Any]] = {}
        for x, d in zip(listed, along, strict=True):
            if id(x) in self._along:
                raise ValueError(f"Tensor {x!r} was specified as a primal twice. This may indicate an error.")
            value = x._read() if hasattr(x, "_read") else x
            direction = above.as_tensor(d, like=value)
            if direction.shape != value.shape:
                raise ValueError(f"a primal of shape {value.shape} has a tangent of shape {direction.shape}")
            if direction.dtype != value.dtype:
                raise ValueError(f"a primal of {value.dtype!r} has a tangent of {direction.dtype!r}")
            self._along[id(x)] = x, direction
        self._tape.watch(listed)

    def __enter__(self) -> ForwardAccumulator:
        if self._entered:
            raise ValueError("Accumulator is already recording.")
        self._entered = True
        self._tape.__enter__()
        return self

    def __exit__(self, *args: object) -> None:
        self._tape.__exit__(*args)
        self._entered = False

    def jvp(self, primals: Any, unconnected_gradients: Any = UnconnectedGradients.NONE) -> Any:
        """The derivative of tensors or variables in the direction; None where they do not depend on the primals.

        Parameters
        ----------
        primals: a tensor, a variable or a structure of these, computed in the block.
        unconnected_gradients: ``"zero"`` for zeros in the place of None.
        """
        targets = flatten(primals)
        found = derivatives_along(self._tape, list(self._along.values()), targets)
        if str(getattr(unconnected_gradients, "value", unconnected_gradients)) == "zero":
            found = [
                above.ops.zeros_like(above.as_tensor(x)) if d is None else d
                for d, x in zip(found, targets, strict=True)
            ]
        return pack_sequence_as(primals, found)
