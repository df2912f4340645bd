"""PyTorch's recurrent functions: one step of a network, and all steps of its layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...tracing.recording.recorder import recorder as tracer
from .core import complete, ops

__all__: list[str] = []


# --- steps ----------------------------------------------------------------------------------------------------------


def _linear(x: Any, weight: Any, bias: Any) -> Any:
    return ops.nn.linear(x, weight) if bias is None else ops.nn.linear(x, weight, bias)


def _tanh(gates: Any, state: Any, weight: Any, bias: Any) -> Any:
    return (ops.tanh(ops.add(gates, _linear(state[0], weight, bias))),)


def _relu(gates: Any, state: Any, weight: Any, bias: Any) -> Any:
    return (ops.nn.relu(ops.add(gates, _linear(state[0], weight, bias))),)


def _lstm(gates: Any, state: Any, weight: Any, bias: Any) -> Any:
    enters, stays, new, leaves = ops.split(ops.add(gates, _linear(state[0], weight, bias)), 4, axis=-1)
    kept = ops.multiply(ops.special.expit(stays), state[1])
    cell = ops.add(kept, ops.multiply(ops.special.expit(enters), ops.tanh(new)))
    return ops.multiply(ops.special.expit(leaves), ops.tanh(cell)), cell


def _gru(gates: Any, state: Any, weight: Any, bias: Any) -> Any:
    (reset, stays, new), (h_reset, h_stays, h_new) = (
        ops.split(x, 3, axis=-1) for x in (gates, _linear(state[0], weight, bias))
    )
    reset, stays = ops.special.expit(ops.add(reset, h_reset)), ops.special.expit(ops.add(stays, h_stays))
    new = ops.tanh(ops.add(new, ops.multiply(reset, h_new)))
    return (ops.add(new, ops.multiply(stays, ops.subtract(state[0], new))),)


def rnn_tanh_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    return _tanh(_linear(input, w_ih, b_ih), (hx,), w_hh, b_hh)[0]


def rnn_relu_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    return _relu(_linear(input, w_ih, b_ih), (hx,), w_hh, b_hh)[0]


def lstm_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    return _lstm(_linear(input, w_ih, b_ih), hx, w_hh, b_hh)


def gru_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    return _gru(_linear(input, w_ih, b_ih), (hx,), w_hh, b_hh)[0]


complete(globals())


# --- all steps of layers --------------------------------------------------------------------------------------------


def _direction(step: Any, steps: list[Any], initial: Any, weight: Any, bias: Any, project: Any, back: bool) -> Any:
    """Run one direction of a layer.

    Sequences are sorted by their lengths, the longest first, so those of a step are the first rows of the state.

    Parameters
    ----------
    steps: what the inputs add to the gates in each step: as many rows as sequences that are that long.
    initial: the tensors of the state, with a row for each sequence.
    project: what the first tensor of the state is multiplied by after each step, or None.

    Returns
    -------
    The first tensor of the state after each step, and the state after the last step of each sequence.
    """
    found, ended = [], []
    state = tuple([s[: steps[-1]._array.shape[0]] for s in initial]) if back else tuple(initial)
    for gates in reversed(steps) if back else steps:
        count, rows = gates._array.shape[0], state[0]._array.shape[0]
        if count < rows:
            ended.append([s[count:] for s in state])
            state = tuple([s[:count] for s in state])
        elif count > rows:
            state = tuple([ops.concat([s, i[rows:count]]) for s, i in zip(state, initial, strict=True)])
        state = _noted(step, gates, state, weight, bias)
        if project is not None:
            state = (ops.nn.linear(state[0], project), *state[1:])
        found.append(state[0])
    if ended:
        state = tuple(
            [ops.concat([s, *rest]) for s, rest in zip(state, zip(*reversed(ended), strict=True), strict=True)]
        )
    return found[::-1] if back else found, state


def _noted(step: Any, gates: Any, state: Any, weight: Any, bias: Any) -> Any:
    """Make one step, which is a function of its own in the source of a model."""
    by = tracer.get()
    if by is None or by.scope is None:
        return step(gates, state, weight, bias)
    given = {"gates": gates, "h": state[0], "c": state[-1]}
    arrays = {name: getattr(x, "_array", x)._data for name, x in given.items()}
    scope = by.enter(by.scope.path, f"{step.__name__.strip('_')} step", arrays)
    found: Any = ()
    try:
        found = step(gates, state, weight, bias)
    finally:
        by.leave(scope, [getattr(x, "_array", x)._data for x in found])
    return found


def _layers(step: Any, args: tuple[Any, ...], kw: dict[str, Any]) -> tuple[Any, list[Any]]:
    """Run all layers. See `_over_layers` for the arguments."""
    from .nn.functional.dropping import dropout as drop

    names = "input hx params has_biases num_layers dropout train bidirectional batch_first".split()
    packed = "data" in kw or "batch_sizes" in kw or (len(args) > 3 and isinstance(args[3], (list, tuple)))
    if packed:
        names[:2], names[-1:] = ["input", "batch_sizes", "hx"], []
        kw["input"] = kw.pop("data") if "data" in kw else args[0]
        args = args if "data" not in kw else ()
    given = {**dict(zip(names, args, strict=False)), **kw}
    x, states = given["input"], given["hx"]
    states = list(states) if isinstance(states, (tuple, list)) else [states]
    if packed:
        sizes = given["batch_sizes"].tolist()
        ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
    elif given["batch_first"]:
        x = ops.moveaxis(x, 0, 1)
    params, biases = list(given["params"]), given["has_biases"]
    directions, dtype_count = 1 + bool(given["bidirectional"]), len(params)
    each = dtype_count // (directions * given["num_layers"])
    last: list[list[Any]] = [[] for _ in states]
    for layer in range(given["num_layers"]):
        outs = []
        for back in range(directions):
            i = layer * directions + back
            w_ih, w_hh, *more = params[i * each : (i + 1) * each]
            b_ih, b_hh = more[:2] if biases else (None, None)
            project = more[2 * bool(biases)] if len(more) > 2 * bool(biases) else None
            gates = _linear(x, w_ih, b_ih)
            if packed:
                steps = [gates[end - n : end] for n, end in zip(sizes, ends, strict=True)]
            else:
                steps = list(ops.unstack(gates))
            found, state = _direction(step, steps, [s[i] for s in states], w_hh, b_hh, project, bool(back))
            outs.append(ops.concat(found) if packed else ops.stack(found))
            for kept, s in zip(last, state, strict=True):
                kept.append(s)
        x = outs[0] if directions == 1 else ops.concat(outs, axis=-1)
        if layer + 1 < given["num_layers"]:
            x = drop(x, given["dropout"], given["train"])
    if not packed and given["batch_first"]:
        x = ops.moveaxis(x, 0, 1)
    return x, [ops.stack(kept) for kept in last]


def _over_layers(name: str, step: Any) -> Callable[..., Any]:
    def run(*args: Any, **kw: Any) -> Any:
        """Run a recurrent network of several layers, as ``torch.nn`` does.

        Parameters
        ----------
        input: of shape (length, batch, size); or the data and the batch sizes of a `PackedSequence`.
        hx: the first state; two tensors for an LSTM.
        params: the weights and biases of each layer and direction.
        has_biases, num_layers, dropout, train, bidirectional, batch_first: the options of the layer.
        """
        found, states = _layers(step, args, kw)
        return found, *states

    run.__name__ = run.__qualname__ = name
    return run


rnn_tanh, rnn_relu = _over_layers("rnn_tanh", _tanh), _over_layers("rnn_relu", _relu)
lstm, gru = _over_layers("lstm", _lstm), _over_layers("gru", _gru)
__all__ += ["gru", "lstm", "rnn_relu", "rnn_tanh"]
