"""Recurrent layers: RNN, GRU and LSTM, in one direction or both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import latticework as lw

from .table import Call, reads

__all__: list[str] = []

#: Activations by name -> the defaults of alpha and beta, None for one that is not taken.
_ACTIVATIONS: dict[str, tuple[float | None, float | None]] = {
    "relu": (None, None), "tanh": (None, None), "sigmoid": (None, None), "softsign": (None, None),
    "softplus": (None, None), "leakyrelu": (0.01, None), "thresholdedrelu": (1.0, None), "elu": (1.0, None),
    "affine": (1.0, 0.0), "scaledtanh": (1.0, 1.0), "hardsigmoid": (0.2, 0.5),
}  # fmt: skip
_DEFAULTS = {"RNN": ["Tanh"], "GRU": ["Sigmoid", "Tanh"], "LSTM": ["Sigmoid", "Tanh", "Tanh"]}
_Function = Callable[[Any], Any]


def _activation(name: str, x: Any, alpha: Any, beta: Any) -> Any:
    """Compute an activation."""
    if name == "affine":
        return alpha * x + beta
    if name == "scaledtanh":
        return alpha * lw.tanh(beta * x)
    if name == "hardsigmoid":
        return lw.clip(alpha * x + beta, 0, 1)
    if name == "thresholdedrelu":
        return lw.where(x > alpha, x, 0)
    if name in ("leakyrelu", "elu"):
        return (lw.nn.elu if name == "elu" else lw.nn.leaky_relu)(x, alpha)
    return lw.tanh(x) if name == "tanh" else getattr(lw.nn, name)(x)


def _activations(c: Call, directions: int) -> list[list[_Function]]:
    """Return the activations of each direction. Numbers in `activation_alpha` are for those that take one, in order."""
    each = _DEFAULTS[c.kind]
    alphas, betas = iter(c.get("activation_alpha", ())), iter(c.get("activation_beta", ()))
    limit = c.get("clip")
    found: list[_Function] = []
    for name in [name.lower() for name in c.get("activations", each * directions)]:
        if name not in _ACTIVATIONS:
            raise c.refuse(f"the activation {name!r} is not known")
        a, b = _ACTIVATIONS[name]
        a, b = (a if a is None else next(alphas, a)), (b if b is None else next(betas, b))

        def run(x: Any, name: str = name, a: Any = a, b: Any = b) -> Any:
            return _activation(name, x if limit is None else lw.clip(x, -limit, limit), a, b)

        found.append(run)
    n = len(each)
    return [found[n * i : n * i + n] for i in range(directions)]


def _rnn(c: Call, f: list[_Function], r: Any, bias: Any, peep: Any) -> Callable[..., Any]:
    def step(gates: Any, state: tuple[Any, ...]) -> tuple[Any, ...]:
        (h,) = state
        return (f[0](gates + h @ lw.matrix_transpose(r) + bias[1]),)

    return step


def _gru(c: Call, f: list[_Function], r: Any, bias: Any, peep: Any) -> Callable[..., Any]:
    n = r.shape[-1]
    both, last = lw.matrix_transpose(r[: 2 * n]), lw.matrix_transpose(r[2 * n :])
    b, b_last = bias[1][: 2 * n], bias[1][2 * n :]
    before = c.get("linear_before_reset", 0)

    def step(gates: Any, state: tuple[Any, ...]) -> tuple[Any, ...]:
        (h,) = state
        z_r = gates[:, : 2 * n] + h @ both + b
        z, reset = f[0](z_r[:, :n]), f[0](z_r[:, n:])
        rest = reset * (h @ last + b_last) if before else (reset * h) @ last + b_last
        return ((1 - z) * f[1](gates[:, 2 * n :] + rest) + z * h,)

    return step


def _lstm(c: Call, f: list[_Function], r: Any, bias: Any, peep: Any) -> Callable[..., Any]:
    n = r.shape[-1]
    matrix = lw.matrix_transpose(r)
    joined = c.get("input_forget", 0)

    def step(gates: Any, state: tuple[Any, ...]) -> tuple[Any, ...]:
        h, cell = state
        every = gates + h @ matrix + bias[1]
        i, o, forget, new = (every[:, k * n : k * n + n] for k in range(4))
        if peep is not None:
            i, forget = i + peep[:n] * cell, forget + peep[2 * n :] * cell
        i = f[0](i)
        forget = 1 - i if joined else f[0](forget)
        cell = forget * cell + i * f[1](new)
        if peep is not None:
            o = o + peep[n : 2 * n] * cell
        return f[0](o) * f[2](cell), cell

    return step


_STEPS = {"RNN": _rnn, "GRU": _gru, "LSTM": _lstm}


@reads("RNN", "GRU", "LSTM")
def _recurrent(
    c: Call, x: Any, w: Any, r: Any, b: Any = None, lengths: Any = None, h: Any = None, cell: Any = None,
    peep: Any = None,
) -> Any:  # fmt: skip
    """x has the steps first and the batch second, or with ``layout`` 1 the batch first."""
    layout = c.get("layout", 0)
    if layout:
        x = lw.permute_dims(x, (1, 0, 2))
        h, cell = (None if v is None else lw.permute_dims(v, (1, 0, 2)) for v in (h, cell))
    directions, n = w.shape[0], r.shape[-1]
    steps, batch = x.shape[:2]
    mask = None
    if lengths is not None:
        places = lw.arange(steps, dtype=lengths.dtype, device=x.device)
        mask = lw.expand_dims(lw.expand_dims(places, axis=1) < lengths, axis=-1)
    zeros = lw.zeros((batch, n), dtype=x.dtype, device=x.device)
    first = [h, cell] if c.kind == "LSTM" else [h]
    whole, last = [], []
    for i, functions in enumerate(_activations(c, directions)):
        bias = (0, 0) if b is None else lw.reshape(b[i], (2, -1))
        if b is None and c.kind == "GRU":
            bias = lw.zeros((2, 3 * n), dtype=x.dtype, device=x.device)
        backwards = c.get("direction", "forward") == "reverse" or i == 1
        gates = x @ lw.matrix_transpose(w[i]) + bias[0]
        step = _STEPS[c.kind](c, functions, r[i], bias, None if peep is None else peep[i])
        state = tuple([zeros if v is None else v[i] for v in first])

        def one(state: Any, row: Any, step: Any = step) -> Any:
            gates, *kept = row
            new = step(gates, state)
            if kept:
                new = tuple([lw.where(kept[0], a, old) for a, old in zip(new, state, strict=True)])
            return new, lw.where(kept[0], new[0], 0) if kept else new[0]

        rows = (gates,) if mask is None else (gates, mask)
        state, found = lw.scan(one, state, rows, reverse=backwards)
        whole.append(found)
        last.append(state)
    y = lw.stack(whole, axis=1)
    ends = [lw.stack([*part]) for part in zip(*last, strict=True)]
    if layout:
        y = lw.permute_dims(y, (2, 0, 1, 3))
        ends = [lw.permute_dims(part, (1, 0, 2)) for part in ends]
    return y, *ends
