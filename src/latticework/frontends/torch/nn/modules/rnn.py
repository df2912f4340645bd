"""Recurrent layers, and the cells that compute one step."""

from __future__ import annotations

import warnings
from math import sqrt
from numbers import Number
from typing import Any, ClassVar

from ... import recurrent
from ...creation import zeros
from .. import init
from ..utils.rnn import PackedSequence
from .layer import hold
from .module import Module

__all__ = ["GRU", "LSTM", "RNN", "GRUCell", "LSTMCell", "RNNBase", "RNNCell", "RNNCellBase"]

_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


def _is_number(x: Any) -> bool:
    return not isinstance(x, bool) and isinstance(x, Number)


def _permuted(x: Any, order: Any) -> Any:
    """Put the sequences of a state, its second axis, into an order; None keeps it."""
    return x if order is None else x.index_select(1, order)


class RNNBase(Module):
    """The base of recurrent layers.

    Parameters
    ----------
    mode: ``"LSTM"``, ``"GRU"``, ``"RNN_TANH"`` or ``"RNN_RELU"``.
    input_size, hidden_size: the extents of the last axis of the input and of the state.
    num_layers: how many layers stand on each other.
    bias: whether there are biases.
    batch_first: whether the first axis is the batch; it is the second one by default.
    dropout: the probability that an output of a layer, but the last one, is dropped in training.
    bidirectional: whether each layer runs backwards as well.
    proj_size: the size that an LSTM's output is projected to; 0 for none.
    """

    __constants__: ClassVar[list[str]] = [
        "mode", "input_size", "hidden_size", "num_layers", "bias", "batch_first", "dropout", "bidirectional",
        "proj_size",
    ]  # fmt: skip

    def __init__(
        self, mode, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0,
        bidirectional=False, proj_size=0, device=None, dtype=None,
    ) -> None:  # fmt: skip
        super().__init__()
        if not _is_number(dropout) or not 0 <= dropout <= 1:
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
            )
        if dropout > 0 and num_layers == 1:
            warnings.warn(
                f"dropout is added after all but the last recurrent layer; got dropout={dropout} and num_layers=1",
                stacklevel=3,
            )
        for name, x, kind in (
            ("bias", bias, bool), ("batch_first", batch_first, bool), ("input_size", input_size, int),
            ("hidden_size", hidden_size, int),
        ):  # fmt: skip
            if not isinstance(x, kind):
                raise TypeError(f"{name} should be of type {kind.__name__}, got: {type(x).__name__}")
        for name, x in (("input_size", input_size), ("hidden_size", hidden_size), ("num_layers", num_layers)):
            if x <= 0:
                raise ValueError(f"{name} must be greater than zero")
        if proj_size < 0:
            raise ValueError("proj_size should be a positive integer or zero to disable projections")
        if proj_size >= hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")
        if mode not in _GATES:
            raise ValueError("Unrecognized RNN mode: " + mode)
        self.mode, self.input_size, self.hidden_size, self.num_layers = mode, input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.dropout = bias, batch_first, float(dropout)
        self.bidirectional, self.proj_size = bidirectional, proj_size
        self._all_weights: list[list[str]] = []
        gates, out = _GATES[mode] * hidden_size, proj_size or hidden_size
        for layer in range(num_layers):
            size = input_size if layer == 0 else out * (1 + bool(bidirectional))
            for suffix in ("", "_reverse")[: 1 + bool(bidirectional)]:
                shapes: dict[str, tuple[int, ...]] = {"weight_ih": (gates, size), "weight_hh": (gates, out)}
                if bias:
                    shapes |= {"bias_ih": (gates,), "bias_hh": (gates,)}
                if proj_size:
                    shapes["weight_hr"] = (proj_size, hidden_size)
                named = {f"{name}_l{layer}{suffix}": shape for name, shape in shapes.items()}
                hold(self, device, dtype, **named)
                self._all_weights.append(list(named))
        self.reset_parameters()

    @property
    def _flat_weights_names(self) -> list[str]:
        return [name for names in self._all_weights for name in names]

    @property
    def _flat_weights(self) -> list[Any]:
        return [getattr(self, name) for name in self._flat_weights_names]

    def __getstate__(self) -> Any:  # with what PyTorch keeps, so that it reads a file of the layer
        names = self._flat_weights_names
        return {**super().__getstate__(), "_flat_weights_names": names, "_flat_weights": self._flat_weights}

    def __setstate__(self, state: Any) -> None:
        here = ("_flat_weights_names", "_flat_weights", "_flat_weight_refs")
        super().__setstate__({name: x for name, x in state.items() if name not in here})

    @property
    def all_weights(self) -> list[list[Any]]:
        """The parameters of each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    def flatten_parameters(self) -> None:
        """Do nothing: the backend decides how parameters lie in memory."""

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        bound = 1 / sqrt(self.hidden_size)
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    # --- checks -----------------------------------------------------------------------------------------------------

    def check_input(self, input: Any, batch_sizes: Any) -> None:
        """Check the dtype and the shape of an input.

        Raises
        ------
        ValueError: its dtype is not that of the parameters.
        RuntimeError: its shape is not one that the layer takes.
        """
        weight = self.weight_ih_l0
        if input.dtype != weight.dtype:
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({weight.dtype}). Convert one of them: "
                f"input.to({weight.dtype}), or model.to({input.dtype})"
            )
        count = 3 if batch_sizes is None else 2
        if input.dim() != count:
            raise RuntimeError(f"input must have {count} dimensions, got {input.dim()}")
        if self.input_size != input.shape[-1]:
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.shape[-1]}"
            )

    def _shape(self, input: Any, batch_sizes: Any, size: int) -> tuple[int, int, int]:
        batch = int(batch_sizes[0]) if batch_sizes is not None else input.shape[0 if self.batch_first else 1]
        return self.num_layers * (1 + bool(self.bidirectional)), batch, size

    def get_expected_hidden_size(self, input: Any, batch_sizes: Any) -> tuple[int, int, int]:
        """The shape of the state for an input."""
        return self._shape(input, batch_sizes, self.proj_size or self.hidden_size)

    def check_hidden_size(
        self, hx: Any, expected_hidden_size: Any, msg: str = "Expected hidden size {}, got {}"
    ) -> None:
        """Check the shape of a state. RuntimeError: it is another one."""
        if tuple(hx.shape) != tuple(expected_hidden_size):
            raise RuntimeError(msg.format(expected_hidden_size, list(hx.shape)))

    def check_forward_args(self, input: Any, hidden: Any, batch_sizes: Any) -> None:
        """Check an input and a state."""
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def permute_hidden(self, hx: Any, permutation: Any) -> Any:
        """Put the sequences of a state into an order."""
        return _permuted(hx, permutation)

    def extra_repr(self) -> str:
        """The sizes, and the options that are not the defaults."""
        defaults = {"proj_size": 0, "num_layers": 1, "bias": True, "batch_first": False, "dropout": 0}
        defaults["bidirectional"] = False
        given = [f"{name}={getattr(self, name)}" for name, x in defaults.items() if getattr(self, name) != x]
        return ", ".join([f"{self.input_size}, {self.hidden_size}", *given])

    # --- computing --------------------------------------------------------------------------------------------------

    def _states(self, hx: Any) -> list[Any]:
        """The tensors of a state."""
        return [hx]

    def _zeros(self, input: Any, batch_sizes: Any) -> Any:
        shape = self.get_expected_hidden_size(input, batch_sizes)
        return zeros(shape, dtype=input.dtype, device=input.device)

    def _given(self, hx: Any, batched: bool) -> Any:
        """A state with a batch."""
        states = self._states(hx)
        wanted = 3 if batched else 2
        if any(s.dim() != wanted for s in states):
            name = f"For {'' if batched else 'un'}batched {wanted}-D input, hx"
            dims = ", ".join([f"{s.dim()}-D" for s in states])
            if len(states) > 1:
                raise RuntimeError(f"{name} and cx should also be {wanted}-D but got ({dims}) tensors")
            raise RuntimeError(f"{name} should also be {wanted}-D but got {dims} tensor")
        if batched:
            return hx
        states = [s.unsqueeze(1) for s in states]
        return tuple(states) if len(states) > 1 else states[0]

    def forward(self, input: Any, hx: Any = None) -> Any:
        """Run the layers over sequences.

        Parameters
        ----------
        input: of shape (length, batch, size), or (batch, length, size) with `batch_first`; or (length, size); or a
            `PackedSequence`.
        hx: the first state, zeros by default: of shape (layers * directions, batch, hidden_size); of an LSTM a pair.

        Returns
        -------
        The outputs of the last layer, in the form of the input, and the last state of each layer.
        """
        packed = isinstance(input, PackedSequence)
        x, sizes, order, back = input if packed else (input, None, None, None)
        batched, axis = True, 0 if self.batch_first else 1
        if not packed:
            if x.dim() not in (2, 3):
                raise ValueError(f"{type(self).__name__}: Expected input to be 2D or 3D, got {x.dim()}D instead")
            batched = x.dim() == 3
            x = x if batched else x.unsqueeze(axis)
        if hx is None:
            hx = self._zeros(x, sizes)
        else:
            hx = self.permute_hidden(hx if packed else self._given(hx, batched), order)
        self.check_forward_args(x, hx, sizes)
        options = (self._flat_weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional)
        run = getattr(recurrent, self.mode.lower())
        found, *states = run(x, sizes, hx, *options) if packed else run(x, hx, *options, self.batch_first)
        if not batched:
            found, states = found.squeeze(axis), [s.squeeze(1) for s in states]
        last = self.permute_hidden(tuple(states) if len(states) > 1 else states[0], back)
        return PackedSequence(found, sizes, order, back) if packed else found, last


def _without_projection(options: dict[str, Any]) -> None:
    if "proj_size" in options:
        raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")


class RNN(RNNBase):
    """Run a recurrent network: each state is ``tanh(W_ih x + b_ih + W_hh h + b_hh)``.

    Parameters
    ----------
    nonlinearity: ``"tanh"``, or ``"relu"`` in its place; the fourth argument. For all others see `RNNBase`.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _without_projection(kwargs)
        if len(args) > 3:
            nonlinearity, args = args[3], args[:3] + args[4:]
        else:
            nonlinearity = kwargs.pop("nonlinearity", "tanh")
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(f"RNN_{nonlinearity.upper()}", *args, **kwargs)
        self.nonlinearity = nonlinearity


class LSTM(RNNBase):
    """Run a network of long short-term memory, whose state is a pair: the output and the cell.

    See `RNNBase` for the parameters, without `mode`.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> layer = torch.nn.LSTM(3, 4, num_layers=2)
    >>> output, (h, c) = layer(torch.ones(5, 1, 3))
    >>> output.shape, h.shape
    (torch.Size([5, 1, 4]), torch.Size([2, 1, 4]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)

    def get_expected_cell_size(self, input: Any, batch_sizes: Any) -> tuple[int, int, int]:
        """The shape of the cells for an input."""
        return self._shape(input, batch_sizes, self.hidden_size)

    def check_forward_args(self, input: Any, hidden: Any, batch_sizes: Any) -> None:
        """Check an input and a state."""
        self.check_input(input, batch_sizes)
        shapes = (self.get_expected_hidden_size(input, batch_sizes), self.get_expected_cell_size(input, batch_sizes))
        for i, shape in enumerate(shapes):
            self.check_hidden_size(hidden[i], shape, f"Expected hidden[{i}] size {{}}, got {{}}")

    def permute_hidden(self, hx: Any, permutation: Any) -> Any:
        """Put the sequences of a state into an order."""
        return tuple([_permuted(x, permutation) for x in hx])

    def _states(self, hx: Any) -> list[Any]:
        return list(hx)

    def _zeros(self, input: Any, batch_sizes: Any) -> Any:
        cells = zeros(self.get_expected_cell_size(input, batch_sizes), dtype=input.dtype, device=input.device)
        return super()._zeros(input, batch_sizes), cells


class GRU(RNNBase):
    """Run a network of gated recurrent units. See `RNNBase` for the parameters, without `mode` and `proj_size`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _without_projection(kwargs)
        super().__init__("GRU", *args, **kwargs)


# --- cells ----------------------------------------------------------------------------------------------------------


class RNNCellBase(Module):
    """The base of cells.

    Parameters
    ----------
    input_size, hidden_size: the extents of the last axis of the input and of the state.
    bias: whether there are biases.
    num_chunks: the number of gates.
    """

    __constants__: ClassVar[list[str]] = ["input_size", "hidden_size", "bias"]

    def __init__(self, input_size, hidden_size, bias, num_chunks, device=None, dtype=None) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        gates = num_chunks * hidden_size
        hold(self, device, dtype, weight_ih=(gates, input_size), weight_hh=(gates, hidden_size))
        shape = (gates,) if bias else None
        hold(self, device, dtype, bias_ih=shape, bias_hh=shape)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        bound = 1 / sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def extra_repr(self) -> str:
        """The sizes, and the options that are not the defaults."""
        shown = f"{self.input_size}, {self.hidden_size}"
        shown += "" if self.bias is True else f", bias={self.bias}"
        kind = vars(self).get("nonlinearity", "tanh")
        return shown if kind == "tanh" else f"{shown}, nonlinearity={kind}"

    def _step(self, step: Any, input: Any, states: Any) -> list[Any]:
        """Compute one step, of a batch or of one sample."""
        name, batched = type(self).__name__, input.dim() == 2
        if input.dim() not in (1, 2):
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        if any(s is not None and s.dim() not in (1, 2) for s in states):
            raise ValueError(f"{name}: Expected hidden to be 1D or 2D, got {[s.dim() for s in states]} dimensions")
        if not batched:
            input, states = input.unsqueeze(0), [None if s is None else s.unsqueeze(0) for s in states]
        shape = (input.shape[0], self.hidden_size)
        states = [zeros(shape, dtype=input.dtype, device=input.device) if s is None else s for s in states]
        hx = states[0] if len(states) == 1 else tuple(states)
        found = step(input, hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        found = list(found) if isinstance(found, tuple) else [found]
        return found if batched else [x.squeeze(0) for x in found]


class RNNCell(RNNCellBase):
    """Compute one step of an `RNN`.

    Parameters
    ----------
    nonlinearity: ``"tanh"`` or ``"relu"``.
    """

    __constants__: ClassVar[list[str]] = ["input_size", "hidden_size", "bias", "nonlinearity"]

    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh", device=None, dtype=None) -> None:
        super().__init__(input_size, hidden_size, bias, num_chunks=1, device=device, dtype=dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Any, hx: Any = None) -> Any:
        """Compute the next state of an input of shape (batch, size) or (size,) and a state, zeros by default."""
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        step = recurrent.rnn_tanh_cell if self.nonlinearity == "tanh" else recurrent.rnn_relu_cell
        return self._step(step, input, [hx])[0]


class LSTMCell(RNNCellBase):
    """Compute one step of an `LSTM`."""

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None) -> None:
        super().__init__(input_size, hidden_size, bias, num_chunks=4, device=device, dtype=dtype)

    def forward(self, input: Any, hx: Any = None) -> Any:
        """Compute the next output and cell of an input of shape (batch, size) or (size,) and a pair of them."""
        return tuple(self._step(recurrent.lstm_cell, input, [None, None] if hx is None else [*hx]))


class GRUCell(RNNCellBase):
    """Compute one step of a `GRU`."""

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None) -> None:
        super().__init__(input_size, hidden_size, bias, num_chunks=3, device=device, dtype=dtype)

    def forward(self, input: Any, hx: Any = None) -> Any:
        """Compute the next state of an input of shape (batch, size) or (size,) and a state, zeros by default."""
        return self._step(recurrent.gru_cell, input, [hx])[0]
