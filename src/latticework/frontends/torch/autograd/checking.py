"""`gradcheck`: recorded derivatives beside finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import dialect
from . import grad
from .modes import enable_grad, no_grad
from .tensors import Recorded

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]


class GradcheckError(RuntimeError):
    """A derivative that is not what finite differences say."""


def _values(x: Any) -> np.ndarray:
    return np.asarray(x.detach()._array.__array__())


def _outputs(found: Any) -> list[Any]:
    return [x for x in (found if isinstance(found, (tuple, list)) else (found,)) if isinstance(x, Recorded)]


def _moved(x: Any, i: int, step: Any) -> Any:
    values = _values(x).copy()
    values.reshape(-1)[i] += step
    return dialect.ops.asarray(values, dtype=x.dtype)


def gradcheck(
    func, inputs, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True, nondet_tol=0.0, check_undefined_grad=True,
    check_grad_dtypes=False, check_batched_grad=False, check_batched_forward_grad=False, check_forward_ad=False,
    check_backward_ad=True, fast_mode=False, masked=None,
):  # fmt: skip
    """Compare the derivatives of a function with finite differences, element by element.

    Parameters
    ----------
    func: a function of tensors, which returns a tensor or several.
    inputs: its arguments. Those that require a gradient are checked; they should be of float64 or complex128.
    eps: the step of the differences.
    atol, rtol: how far apart both may be.
    raise_exception: whether a difference is an error; else False is returned.

    Raises
    ------
    GradcheckError: a derivative differs.
    ValueError: no input requires a gradient.
    """
    inputs = inputs if isinstance(inputs, tuple) else (inputs,)
    checked = [i for i, x in enumerate(inputs) if isinstance(x, Recorded) and x.requires_grad]
    if not checked:
        raise ValueError("gradcheck expects at least one input tensor to require gradient")
    outs = _outputs(func(*inputs))
    for k, out in enumerate(outs):
        for i in checked:
            ours, numbers = _by_calls(out, inputs[i]), _by_differences(func, inputs, i, k, eps)
            if not np.allclose(ours, numbers, rtol, atol, equal_nan=True):
                if not raise_exception:
                    return False
                raise GradcheckError(
                    f"Jacobian mismatch for output {k} with respect to input {i},\\nnumerical:{numbers}\\n"
                    f"analytical:{ours}\\n"
                )
    return True


def _units(x: Any) -> list[Any]:
    """The directions of one element each: for a complex number the real and the imaginary one."""
    return [1.0, 1j] if x._array.dtype.kind == "c" else [1.0]


def _by_calls(out: Any, x: Any) -> np.ndarray:
    """The real Jacobian by the recorded calls: a row for each part of each element of the result."""
    rows = []
    for i in range(out.numel()):
        for unit in _units(out):
            weight = np.zeros(tuple(out.shape), _values(out).dtype)
            weight.reshape(-1)[i] = unit
            g = None
            if out.requires_grad:
                (g,) = grad(out, x, dialect.ops.asarray(weight), retain_graph=True, allow_unused=True)
            values = np.zeros(tuple(x.shape), _values(x).dtype) if g is None else _values(g)
            rows.append(_real(values))
    return np.asarray(rows)


def _real(values: np.ndarray) -> np.ndarray:
    flat = values.reshape(-1)
    return np.stack([flat.real, flat.imag], -1).reshape(-1) if values.dtype.kind == "c" else flat


def _by_differences(func: Any, inputs: tuple[Any, ...], i: int, k: int, eps: float) -> np.ndarray:
    """The real Jacobian by central differences."""
    columns = []
    with no_grad():
        for j in range(inputs[i].numel()):
            for unit in _units(inputs[i]):
                high, low = (
                    _real(_values(_outputs(func(*inputs[:i], _moved(inputs[i], j, step), *inputs[i + 1 :]))[k]))
                    for step in (unit * eps, -unit * eps)
                )
                columns.append((high - low) / (2 * eps))
    return np.asarray(columns).T


def gradgradcheck(
    func, inputs, grad_outputs=None, *, eps=1e-6, atol=1e-5, rtol=1e-3, gen_non_contig_grad_outputs=False,
    raise_exception=True, nondet_tol=0.0, check_undefined_grad=True, check_grad_dtypes=False, check_batched_grad=False,
    check_fwd_over_rev=False, check_rev_over_rev=True, fast_mode=False, masked=False,
):  # fmt: skip
    """Compare the second derivatives of a function with finite differences of the first; see `gradcheck`."""
    inputs = inputs if isinstance(inputs, tuple) else (inputs,)
    count = len(inputs)
    if grad_outputs is None:
        rng = np.random.default_rng(0)
        weights = tuple([
            dialect.ops.asarray(rng.normal(size=tuple(x.shape)).astype(_values(x).dtype)).requires_grad_()
            for x in _outputs(func(*inputs)) if x._array.dtype.kind in "fc"
        ])  # fmt: skip
    else:
        weights = grad_outputs if isinstance(grad_outputs, tuple) else (grad_outputs,)

    def slopes(*args: Any) -> Any:
        given = tuple([
            x if not isinstance(y, Recorded) or not y.requires_grad or x.requires_grad else x.requires_grad_()
            for x, y in zip(args, (*inputs, *weights), strict=True)
        ])  # fmt: skip
        with enable_grad():
            outs = [x for x in _outputs(func(*given[:count])) if x.requires_grad]
            by = [x for x in given[:count] if isinstance(x, Recorded) and x.requires_grad]
            found = grad(outs, by, [*given[count:]], create_graph=True, allow_unused=True)
        return tuple([g for g in found if g is not None])

    return gradcheck(slopes, (*inputs, *weights), eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception)
