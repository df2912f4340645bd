"""Sequences of several lengths: padded into one tensor, or packed without padding, for recurrent modules."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NamedTuple

from ...core import ops
from ...joining import cat
from ...tensor import Tensor

__all__ = [
    "PackedSequence", "invert_permutation", "pack_padded_sequence", "pack_sequence", "pad_packed_sequence",
    "pad_sequence", "unpack_sequence", "unpad_sequence",
]  # fmt: skip


class _Packed(NamedTuple):
    data: Any
    batch_sizes: Any
    sorted_indices: Any
    unsorted_indices: Any


class PackedSequence(_Packed):
    """Sequences packed into one tensor, by time: the first elements of all, then the second, and so on.

    Attributes
    ----------
    data: the elements.
    batch_sizes: how many sequences have a first element, a second, and so on: int64.
    sorted_indices: the positions of the sequences, from the longest to the shortest; None if they came so.
    unsorted_indices: the positions that bring them back; None likewise.
    """

    __slots__ = ()

    def __new__(
        cls, data: Any, batch_sizes: Any = None, sorted_indices: Any = None, unsorted_indices: Any = None
    ) -> Any:
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        if batch_sizes is None:
            if not (isinstance(data, (list, tuple)) and len(data) == 2):
                raise AssertionError("Expected data to be a list or tuple of length 2")
            data, batch_sizes = data
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args, **kwargs):
        """Return the sequences with the data in another dtype or on another device, as `Tensor.to` does."""
        data = self.data.to(*args, **kwargs)
        if data is self.data:
            return self
        moved = [None if x is None else x.to(data.device) for x in self[2:]]
        return type(self)(data, self.batch_sizes, *moved)

    # fmt: off
    def cuda(self, *args, **kwargs): return self.to("cuda")
    def cpu(self, *args, **kwargs): return self.to("cpu")
    def double(self): return self.to(dtype="float64")
    def float(self): return self.to(dtype="float32")
    def half(self): return self.to(dtype="float16")
    def long(self): return self.to(dtype="int64")
    def int(self): return self.to(dtype="int32")
    def short(self): return self.to(dtype="int16")
    def char(self): return self.to(dtype="int8")
    def byte(self): return self.to(dtype="uint8")
    def pin_memory(self): return self
    def is_pinned(self): return False
    @property
    def is_cuda(self) -> bool: return self.data.is_cuda
    # fmt: on


def _positions(listed: list[int], like: Any) -> Any:
    return ops.asarray(listed, dtype="int64", device=like._array.device)


def invert_permutation(permutation):
    """Return the permutation that undoes another one; None for None."""
    return None if permutation is None else permutation.argsort()


def pack_padded_sequence(input, lengths, batch_first=False, enforce_sorted=True):
    """Pack sequences that are padded to one length.

    Parameters
    ----------
    input: the sequences: axes of time and of the batch, and any others.
    lengths: the length of each sequence: a tensor or a list of ints.
    batch_first: whether the axis of the batch comes first.
    enforce_sorted: whether the sequences must come from the longest to the shortest. Else they are sorted here.

    Raises
    ------
    RuntimeError: the lengths are not sorted, not of one for each sequence, or not positive.

    Examples
    --------
    >>> import latticework.frontends.torch as torch
    >>> from latticework.frontends.torch.nn.utils.rnn import pack_padded_sequence
    >>> packed = pack_padded_sequence(torch.tensor([[1, 2, 3], [4, 0, 0]]), [3, 1], batch_first=True)
    >>> packed.data, packed.batch_sizes
    (tensor([1, 4, 2, 3]), tensor([2, 1, 1]))
    """
    counts = [int(n) for n in (lengths.tolist() if isinstance(lengths, Tensor) else lengths)]
    order = None
    if not enforce_sorted:
        order = sorted(range(len(counts)), key=lambda i: -counts[i])
    batch, steps = input.shape[:2] if batch_first else input.shape[1::-1]
    if len(counts) != batch:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(counts)} (batch_size={batch})"
        )
    rows = list(range(batch)) if order is None else order
    counts = [counts[i] for i in rows]
    if any(n <= 0 for n in counts):
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    if any(a < b for a, b in pairwise(counts)):
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement"
        )
    if counts[0] > steps:
        raise RuntimeError(f"a sequence of {counts[0]} elements is longer than the axis of time, which has {steps}")
    sizes = [sum(n > t for n in counts) for t in range(counts[0])]
    across, along = (steps, 1) if batch_first else (1, batch)
    places = [rows[i] * across + t * along for t, n in enumerate(sizes) for i in range(n)]
    data = input.reshape(batch * steps, *input.shape[2:]).index_select(0, _positions(places, input))
    sizes = ops.asarray(sizes, dtype="int64")
    return PackedSequence(data, sizes, None if order is None else _positions(order, input))


def pad_packed_sequence(sequence, batch_first=False, padding_value=0.0, total_length=None):
    """Pad packed sequences to one length.

    Parameters
    ----------
    sequence: what `pack_padded_sequence` has packed.
    batch_first: whether the axis of the batch comes first in the result.
    padding_value: what stands behind the end of a sequence.
    total_length: the length; that of the longest sequence by default.

    Returns
    -------
    The padded tensor, and the length of each sequence: int64.

    Raises
    ------
    ValueError: `total_length` is less than the longest length.
    """
    data, sizes = sequence.data, sequence.batch_sizes.tolist()
    steps = len(sizes) if total_length is None else total_length
    if steps < len(sizes):
        raise ValueError(
            "Expected total_length to be at least the length of the longest sequence in input, but got "
            f"total_length={total_length} and max sequence length being {len(sizes)}"
        )
    batch, starts = sizes[0], [sum(sizes[:t]) for t in range(len(sizes))]
    counts = [sum(n > i for n in sizes) for i in range(batch)]
    rows = list(range(batch)) if sequence.unsorted_indices is None else sequence.unsorted_indices.tolist()
    last = data.shape[0]
    table = [[starts[t] + i if t < counts[i] else last for t in range(steps)] for i in rows]
    if not batch_first:
        table = [list(column) for column in zip(*table, strict=True)]
    padded = cat([data, data.new_full((1, *data.shape[1:]), padding_value)])
    places = _positions([i for row in table for i in row], data)
    lengths = ops.asarray([counts[i] for i in rows], dtype="int64")
    return padded.index_select(0, places).reshape(len(table), len(table[0]), *data.shape[1:]), lengths


def pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side="right"):
    """Pad sequences to the length of the longest, and stack them.

    Parameters
    ----------
    sequences: tensors with an axis of time, and any others, in which they agree.
    batch_first: whether the axis of the batch comes first in the result; else that of time does.
    padding_value: what a sequence is padded with.
    padding_side: "right", behind the sequence, or "left", before it.
    """
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}"
        )
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"padding_side must be either 'left' or 'right', but got {padding_side}")
    listed = list(sequences)
    if not listed:
        raise RuntimeError("received an empty list of sequences")
    most = max(x.shape[0] for x in listed)

    def padded(x: Any) -> Any:
        if x.shape[0] == most:
            return x
        parts = [x, x.new_full((most - x.shape[0], *x.shape[1:]), padding_value)]
        return cat(parts if padding_side == "right" else parts[::-1])

    return ops.stack([padded(x) for x in listed], axis=0 if batch_first else 1)


def unpad_sequence(padded_sequences, lengths, batch_first=False):
    """Return the sequences that `pad_sequence` has padded on the right, as a list.

    Parameters
    ----------
    lengths: the length of each: a tensor.
    """
    rows = padded_sequences.unbind(0 if batch_first else 1)
    return [x[:n] for x, n in zip(rows, lengths.tolist(), strict=True)]


def pack_sequence(sequences, enforce_sorted=True):
    """Pack sequences of several lengths. See `pack_padded_sequence`."""
    lengths = [x.shape[0] for x in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences):
    """Return packed sequences as a list."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
