"""Products and convolutions with explicit dimensions."""

from __future__ import annotations

import string
from enum import Enum
from typing import Any, NamedTuple

from ..core import as_array, dialect, ops, our_dtype
from .shaping import pad, window_padding

__all__ = ["ConvDimensionNumbers", "Precision"]


class Precision(Enum):
    """The precision of a product: here always that of its dtype."""

    DEFAULT = 0
    HIGH = 1
    HIGHEST = 2


class ConvDimensionNumbers(NamedTuple):
    """The axes of batch, channels and space, in the operands and the result of a convolution."""

    lhs_spec: Any
    rhs_spec: Any
    out_spec: Any


# --- products -------------------------------------------------------------------------------------------------------


def dot_general(
    lhs: Any, rhs: Any, dimension_numbers: Any, precision: Any = None, preferred_element_type: Any = None, *,
    out_sharding: Any = None,
) -> Any:  # fmt: skip
    lhs, rhs = as_array(lhs, "dot_general"), as_array(rhs, "dot_general")
    (lhs_contract, rhs_contract), (lhs_batch, rhs_batch) = (
        tuple(tuple(int(n) for n in axes) for axes in pair) for pair in dimension_numbers
    )
    for x, axes in ((lhs, (*lhs_contract, *lhs_batch)), (rhs, (*rhs_contract, *rhs_batch))):
        if any(not 0 <= n < x.ndim for n in axes):
            raise TypeError(f"dot_general requires dimension numbers between 0 and the rank {x.ndim}; got {axes}")
    for what, left, right in (("contracting", lhs_contract, rhs_contract), ("batch", lhs_batch, rhs_batch)):
        shapes = [tuple(x.shape[n] for n in axes) for x, axes in ((lhs, left), (rhs, right))]
        if shapes[0] != shapes[1]:
            raise TypeError(
                f"dot_general requires {what} dimensions to have the same shape, got {shapes[0]} and {shapes[1]}."
            )
    letters = iter(string.ascii_letters)
    names_left = [next(letters) for _ in range(lhs.ndim)]
    names_right = [next(letters) for _ in range(rhs.ndim)]
    for a, b in zip((*lhs_contract, *lhs_batch), (*rhs_contract, *rhs_batch), strict=True):
        names_right[b] = names_left[a]
    free = [names_left[i] for i in range(lhs.ndim) if i not in (*lhs_contract, *lhs_batch)]
    free += [names_right[i] for i in range(rhs.ndim) if i not in (*rhs_contract, *rhs_batch)]
    text = f"{''.join(names_left)},{''.join(names_right)}->{''.join([names_left[i] for i in lhs_batch] + free)}"
    from ..numpy.products import einsum

    return einsum(text, lhs, rhs, preferred_element_type=preferred_element_type)


def dot(
    lhs: Any, rhs: Any, *, dimension_numbers: Any = None, precision: Any = None, preferred_element_type: Any = None,
    out_sharding: Any = None,
) -> Any:  # fmt: skip
    if dimension_numbers is not None:
        return dot_general(lhs, rhs, dimension_numbers, precision, preferred_element_type)
    lhs, rhs = as_array(lhs, "dot"), as_array(rhs, "dot")
    if not (1 <= lhs.ndim <= 2 and 1 <= rhs.ndim <= 2) or lhs.shape[-1] != rhs.shape[0]:
        raise ValueError(f"Incompatible shapes for dot: got {lhs.shape} and {rhs.shape}.")
    return dot_general(lhs, rhs, (((lhs.ndim - 1,), (0,)), ((), ())), precision, preferred_element_type)


def batch_matmul(lhs: Any, rhs: Any, precision: Any = None) -> Any:
    lhs, rhs = as_array(lhs, "batch_matmul"), as_array(rhs, "batch_matmul")
    if min(lhs.ndim, rhs.ndim) < 2:
        raise ValueError(f"Arguments to batch_matmul must be at least 2D, got {lhs.ndim}, {rhs.ndim}")
    if lhs.ndim != rhs.ndim:
        raise ValueError(f"Arguments to batch_matmul must have same ndim, got {lhs.ndim}, {rhs.ndim}")
    return ops.matmul(lhs, rhs)


# --- convolutions ---------------------------------------------------------------------------------------------------


def conv_dimension_numbers(lhs_shape: Any, rhs_shape: Any, dimension_numbers: Any) -> ConvDimensionNumbers:
    if isinstance(dimension_numbers, ConvDimensionNumbers):
        return dimension_numbers
    rank = len(lhs_shape)
    if dimension_numbers is None:
        axes = tuple(range(rank))
        return ConvDimensionNumbers(axes, axes, axes)
    lhs, rhs, out = dimension_numbers
    if any(len(text) != rank for text in (lhs, rhs, out)):
        raise ValueError(f"convolution dimension_numbers must have length equal to the ndim of the operands, got {lhs}")
    space = [c for c in rhs if c not in "IO"]
    place = lambda text, first: tuple(text.index(c) for c in (*first, *space))  # noqa: E731
    return ConvDimensionNumbers(place(lhs, "NC"), place(rhs, "OI"), place(out, "NC"))


def conv_general_dilated(
    lhs: Any, rhs: Any, window_strides: Any, padding: Any, lhs_dilation: Any = None, rhs_dilation: Any = None,
    dimension_numbers: Any = None, feature_group_count: int = 1, batch_group_count: int = 1, precision: Any = None,
    preferred_element_type: Any = None, out_sharding: Any = None,
) -> Any:  # fmt: skip
    lhs, rhs = as_array(lhs, "conv_general_dilated"), as_array(rhs, "conv_general_dilated")
    if isinstance(batch_group_count, int) and (batch_group_count < 1 or lhs.shape[0] % batch_group_count):
        raise ValueError(f"conv_general_dilated batch_group_count must divide the batch; got {batch_group_count}")
    if batch_group_count != 1:
        raise NotImplementedError("conv_general_dilated: batch_group_count is 1 in this dialect")
    if lhs.dtype != rhs.dtype:
        raise TypeError(
            f"lax.conv_general_dilated requires arguments to have the same dtypes, got {lhs.dtype}, {rhs.dtype}"
        )
    if lhs.ndim != rhs.ndim:
        raise ValueError(
            f"conv_general_dilated lhs and rhs must have the same number of dimensions, got {lhs.ndim}, {rhs.ndim}"
        )
    numbers = conv_dimension_numbers(lhs.shape, rhs.shape, dimension_numbers)
    x = ops.permute_dims(lhs, tuple(numbers.lhs_spec))
    kernel = ops.permute_dims(rhs, tuple(numbers.rhs_spec))
    rank = x.ndim - 2
    if x.shape[1] != kernel.shape[1] * feature_group_count:
        raise ValueError(
            f"conv_general_dilated lhs feature dimension size divided by feature_group_count must equal the rhs input "
            f"feature dimension size, but {x.shape[1]} // {feature_group_count} != {kernel.shape[1]}."
        )
    if len(window_strides) != rank:
        raise ValueError(f"conv_general_dilated window_strides must have length {rank}, got {window_strides}")
    strides = tuple(int(s) for s in window_strides)
    base = (1,) * rank if lhs_dilation is None else tuple(lhs_dilation)
    spread = (1,) * rank if rhs_dilation is None else tuple(rhs_dilation)
    wide = [(k - 1) * d + 1 for k, d in zip(kernel.shape[2:], spread, strict=True)]
    if isinstance(padding, str) and padding.upper().startswith("SAME") and any(d != 1 for d in base):
        raise ValueError("String padding is not implemented for transposed convolution using this op. Give the widths")
    extents = [(n - 1) * d + 1 for n, d in zip(x.shape[2:], base, strict=True)]
    widths = window_padding(extents, wide, strides, padding)
    if any(a or b for a, b in widths) or any(d != 1 for d in base):
        zero = ops.zeros((), dtype=x._array.dtype)
        config = [(0, 0, 0), (0, 0, 0), *[(a, b, d - 1) for (a, b), d in zip(widths, base, strict=True)]]
        x = pad(x, zero, config)
    dtype = our_dtype(preferred_element_type)
    if dtype is not None:
        pair = ("i" if x.dtype.kind in "biu" else x._array.dtype.kind, "i" if dtype.kind in "biu" else dtype.kind)
        if pair not in (("i", "i"), ("i", "f"), ("f", "f"), ("c", "c")):
            raise TypeError(f"`preferred_element_type` {dtype} does not go with an input of dtype {x.dtype}")
        x, kernel = ops.astype(x, dtype), ops.astype(kernel, dtype)
    found = ops.nn.conv(x, kernel, stride=strides, dilation=spread, groups=feature_group_count)
    order = [0] * found.ndim
    for i, place in enumerate(numbers.out_spec):
        order[place] = i
    return ops.permute_dims(found, tuple(order))


def conv(
    lhs: Any, rhs: Any, window_strides: Any, padding: str, precision: Any = None, preferred_element_type: Any = None
) -> Any:
    lhs, rhs = as_array(lhs, "conv"), as_array(rhs, "conv")
    if lhs.ndim != rhs.ndim:
        raise TypeError(f"convolution requires lhs and rhs ndim to be equal, got {lhs.ndim} and {rhs.ndim}.")
    return conv_general_dilated(lhs, rhs, window_strides, padding, preferred_element_type=preferred_element_type)


def conv_with_general_padding(
    lhs: Any, rhs: Any, window_strides: Any, padding: Any, lhs_dilation: Any, rhs_dilation: Any, precision: Any = None,
    preferred_element_type: Any = None,
) -> Any:  # fmt: skip
    return conv_general_dilated(
        lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation, preferred_element_type=preferred_element_type
    )


def _transposed_padding(k: int, s: int, padding: str) -> tuple[int, int]:
    if padding == "SAME":
        total = k + s - 2
        low = k - 1 if s > k - 1 else -(-total // 2)
    elif padding == "VALID":
        total = k + s - 2 + max(k - s, 0)
        low = k - 1
    else:
        raise ValueError("Padding mode must be `SAME` or `VALID`.")
    return low, total - low


def conv_transpose(
    lhs: Any, rhs: Any, strides: Any, padding: Any, rhs_dilation: Any = None, dimension_numbers: Any = None,
    transpose_kernel: bool = False, precision: Any = None, preferred_element_type: Any = None,
    use_consistent_padding: bool = False,
) -> Any:  # fmt: skip
    lhs, rhs = as_array(lhs, "conv_transpose"), as_array(rhs, "conv_transpose")
    rank = lhs.ndim - 2
    if dimension_numbers is None:
        space = "HWD"[:rank]
        dimension_numbers = (f"N{space}C", f"{space}IO", f"N{space}C")
    numbers = conv_dimension_numbers(lhs.shape, rhs.shape, dimension_numbers)
    spread = (1,) * rank if rhs_dilation is None else tuple(rhs_dilation)
    kernel = [(rhs.shape[n] - 1) * d + 1 for n, d in zip(numbers.rhs_spec[2:], spread, strict=True)]
    if isinstance(padding, str):
        pads = [_transposed_padding(k, s, padding) for k, s in zip(kernel, strides, strict=True)]
    else:
        pads = [(int(a), int(b)) for a, b in padding]
        if use_consistent_padding:
            pads = [(k - 1 - a, k - 1 - b) for k, (a, b) in zip(kernel, pads, strict=True)]
    if transpose_kernel:
        rhs = ops.swapaxes(ops.flip(rhs, tuple(numbers.rhs_spec[2:])), numbers.rhs_spec[0], numbers.rhs_spec[1])
    return conv_general_dilated(
        lhs, rhs, (1,) * rank, pads, strides, rhs_dilation, numbers, preferred_element_type=preferred_element_type
    )


dialect.finish(globals(), view="jax.lax")
