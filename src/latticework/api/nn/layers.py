"""Layers: products with weights, rows of a table, and the step of a recurrent network."""

from __future__ import annotations

from ...core.registry import functions as lw
from ...engine.arrays.array import Array
from ...engine.declare import composed, op
from ...engine.shapes.extents import Shape, broadcast_shapes, may_equal
from .. import elementwise as _e
from ..linear_algebra import matmul, matrix_transpose
from ..searching import where
from .activations import sigmoid

__all__ = ["bilinear", "embedding", "gru_cell", "linear", "lstm_cell"]


# --- products -------------------------------------------------------------------------------------------------------


def _linear_shape(x: Shape, weight: Shape, bias: Shape | None = None, **_: object) -> Shape:
    """Replace the last extent of x by the number of rows of the weight, or drop it if the weight is a vector."""
    if len(weight) not in (1, 2):
        raise ValueError(f"weight must be a matrix or a vector; got shape {weight}")
    if not x or not may_equal(x[-1], weight[-1]):
        raise ValueError(f"weight must have as many columns as x has elements along its last axis; got {weight}, {x}")
    _check_bias(bias, weight[:-1])
    return (*x[:-1], *weight[:-1])


def _check_bias(bias: Shape | None, wanted: Shape) -> None:
    if bias is not None and bias != () and not (len(bias) == len(wanted) and all(map(may_equal, bias, wanted))):
        raise ValueError(f"bias must have shape {wanted} or none; got {bias}")


@op("floating", shape=_linear_shape)
def linear(x: Array, /, weight: Array, bias: Array | None = None) -> Array:
    """Multiply by the transposed weight, and add the bias.

    Parameters
    ----------
    x: shape (..., n), a floating dtype; integers are taken as the default float.
    weight: shape (m, n), or (n,) for one product.
    bias: shape (m,) or (), or None for none.

    Returns
    -------
    Shape (..., m), or (...) of a weight that is a vector; the common dtype of all arrays.

    Raises
    ------
    ValueError: the shapes do not fit together.

    Notes
    -----
    ``x @ weight.T + bias``, the weight as in PyTorch. Keras' and Flax' are transposed.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray([[1.0, 2.0]])
    >>> lw.nn.linear(x, lw.asarray([[3.0, 4.0], [0.0, 1.0]]), lw.asarray([0.5, 0.0]))
    Array([[11.5,  2. ]], dtype=float32)
    >>> lw.nn.linear(x, lw.asarray([3.0, 4.0]))
    Array([11.], dtype=float32)
    """
    _linear_shape(x.shape, weight.shape, None if bias is None else bias.shape)
    y = matmul(x, weight if weight.ndim == 1 else matrix_transpose(weight))
    return y if bias is None else _e.add(y, bias)


def _bilinear_shape(x1: Shape, x2: Shape, weight: Shape, bias: Shape | None = None, **_: object) -> Shape:
    """Replace the last extents of x1 and x2 by the first of the weight."""
    if len(weight) != 3 or not x1 or not x2 or not all(map(may_equal, weight[1:], (x1[-1], x2[-1]))):
        raise ValueError(f"weight must have shape (m, {x1[-1:]}, {x2[-1:]}) for x1 {x1} and x2 {x2}; got {weight}")
    _check_bias(bias, weight[:1])
    return (*broadcast_shapes(x1[:-1], x2[:-1]), weight[0])


@op("floating", shape=_bilinear_shape)
def bilinear(x1: Array, /, x2: Array, weight: Array, bias: Array | None = None) -> Array:
    """Multiply each pair of vectors by several matrices, from the left and from the right, and add the bias.

    Parameters
    ----------
    x1, x2: shapes (..., n1) and (..., n2), of which the axes in front broadcast; floating dtypes, and integers are
        taken as the default float.
    weight: shape (m, n1, n2).
    bias: shape (m,) or (), or None for none.

    Returns
    -------
    Shape (..., m), and the common dtype of all arrays.

    Raises
    ------
    ValueError: the shapes do not fit together.

    Notes
    -----
    ``sum(x1[..., i] * weight[m, i, j] * x2[..., j])`` over i and j.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.bilinear(lw.asarray([1.0, 2.0]), lw.asarray([3.0]), lw.asarray([[[4.0], [5.0]]]))
    Array([42.], dtype=float32)
    """
    _bilinear_shape(x1.shape, x2.shape, weight.shape, None if bias is None else bias.shape)
    right = lw.tensordot(x2, weight, axes=((-1,), (2,)))  # (..., m, n1)
    y = matmul(right, lw.expand_dims(x1, axis=-1))[..., 0]
    return y if bias is None else _e.add(y, bias)


# --- tables ---------------------------------------------------------------------------------------------------------


def _embedding_shape(indices: Shape, weight: Shape, *, padding_idx: int | None = None, **_: object) -> Shape:
    """Add the axis of the rows' elements."""
    if len(weight) != 2:
        raise ValueError(f"weight must be a matrix, of a row for each index; got shape {weight}")
    n = weight[0]
    if padding_idx is not None and n is not None and not -n <= padding_idx < n:
        raise ValueError(f"padding_idx must be between {-n} and {n - 1}, of {n} rows; got {padding_idx}")
    return (*indices, weight[1])


@op("all", indices="index", shape=_embedding_shape)
def embedding(indices: Array, /, weight: Array, *, padding_idx: int | None = None) -> Array:
    """Look up rows of a table.

    Parameters
    ----------
    indices: any shape, an integer dtype.
    weight: shape (n, m), any dtype.
    padding_idx: the row that is not learned: its derivative is 0. None for none.

    Returns
    -------
    The shape of indices and (m,) after it, and the dtype of weight.

    Raises
    ------
    ValueError: weight is no matrix, or it has no row `padding_idx`.
    IndexError: there is no such row, on frameworks that look.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.embedding(lw.asarray([2, 0]), lw.asarray([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
    Array([[5., 6.],
           [1., 2.]], dtype=float32)
    """
    _embedding_shape(indices.shape, weight.shape, padding_idx=padding_idx)
    rows = lw.take(weight, indices, axis=0)
    if padding_idx is None or not weight.shape[0]:
        return rows
    n = weight.shape[0]
    padded = _e.equal(_e.remainder(indices, n), padding_idx % n)
    return where(lw.expand_dims(padded, axis=-1), lw.stop_gradient(rows), rows)


# --- steps of recurrent networks ------------------------------------------------------------------------------------


def _cell_shape(gates: int, x: Shape, h: Shape, w_ih: Shape, w_hh: Shape, *biases: Shape | None) -> None:
    """Check the shapes of a step against those of x and h."""
    if not x or not h:
        raise ValueError(f"x and h must have at least one axis; got {x} and {h}")
    rows = None if h[-1] is None else gates * h[-1]
    for name, weight, columns in (("w_ih", w_ih, x[-1]), ("w_hh", w_hh, h[-1])):
        if len(weight) != 2 or not may_equal(weight[0], rows) or not may_equal(weight[1], columns):
            raise ValueError(f"{name} must have shape {(rows, columns)}; got {weight}")
    for bias in biases:
        if bias is not None and not (len(bias) == 1 and may_equal(bias[0], rows)):
            raise ValueError(f"a bias must have shape {(rows,)}; got {bias}")
    if len(x) != len(h) or not all(map(may_equal, x[:-1], h[:-1])):
        raise ValueError(f"x and h must be equal but for their last axis; got {x} and {h}")


def _lstm_shape(
    x: Shape,
    h: Shape,
    c: Shape,
    w_ih: Shape,
    w_hh: Shape,
    b_ih: Shape | None = None,
    b_hh: Shape | None = None,
    **_: object,
) -> list[Shape]:
    _cell_shape(4, x, h, w_ih, w_hh, b_ih, b_hh)
    if len(c) != len(h) or not all(map(may_equal, c, h)):
        raise ValueError(f"c must have the shape of h, {h}; got {c}")
    return [h, c]


@op("real floating", out=("same", "same"), shape=_lstm_shape)
def _lstm_cell(
    x: Array, h: Array, c: Array, w_ih: Array, w_hh: Array, /, b_ih: Array | None = None, b_hh: Array | None = None
) -> tuple[Array, Array]:
    """The step of `lstm_cell`, with the state as two arrays."""
    shapes = [None if b is None else b.shape for b in (b_ih, b_hh)]
    _lstm_shape(x.shape, h.shape, c.shape, w_ih.shape, w_hh.shape, *shapes)
    gates = _e.add(linear(x, w_ih, b_ih), linear(h, w_hh, b_hh))
    i, f, g, o = lw.split(gates, 4, axis=-1)
    c = _e.add(_e.multiply(sigmoid(f), c), _e.multiply(sigmoid(i), _e.tanh(g)))
    return _e.multiply(sigmoid(o), _e.tanh(c)), c


@composed
def lstm_cell(
    x: Array,
    /,
    state: tuple[Array, Array],
    w_ih: Array,
    w_hh: Array,
    b_ih: Array | None = None,
    b_hh: Array | None = None,
) -> tuple[Array, Array]:
    """Compute one step of a network with long short-term memory.

    Parameters
    ----------
    x: shape (..., n), a real floating dtype; integers are taken as the default float.
    state: the output h and the memory c of the step before, each of shape (..., m).
    w_ih, w_hh: shapes (4*m, n) and (4*m, m): the weights of the input gate, the forget gate, the candidate and the
        output gate, below each other.
    b_ih, b_hh: shape (4*m,), or None for none.

    Returns
    -------
    A tuple of the new h and c, of shape (..., m) and the common dtype of all arrays.

    Raises
    ------
    ValueError: the shapes do not fit together.

    Notes
    -----
    ``c = sigmoid(f) * c + sigmoid(i) * tanh(g)`` and ``h = sigmoid(o) * tanh(c)`` (Hochreiter and Schmidhuber 1997),
    with the order of the gates as in PyTorch.

    Examples
    --------
    >>> import latticework as lw
    >>> x, h, c = lw.zeros(3), lw.zeros(1), lw.asarray([1.0])
    >>> lw.nn.lstm_cell(x, (h, c), lw.zeros((4, 3)), lw.zeros((4, 1)))
    (Array([0.2310586], dtype=float32), Array([0.5], dtype=float32))
    """
    if not isinstance(state, (tuple, list)) or len(state) != 2:
        raise TypeError(f"nn.lstm_cell: state is a tuple of two arrays, h and c; got {type(state).__name__}")
    return _lstm_cell(x, *state, w_ih, w_hh, b_ih=b_ih, b_hh=b_hh)


def _gru_shape(
    x: Shape, h: Shape, w_ih: Shape, w_hh: Shape, b_ih: Shape | None = None, b_hh: Shape | None = None, **_: object
) -> Shape:
    _cell_shape(3, x, h, w_ih, w_hh, b_ih, b_hh)
    return h


@op("real floating", shape=_gru_shape)
def gru_cell(
    x: Array, /, h: Array, w_ih: Array, w_hh: Array, b_ih: Array | None = None, b_hh: Array | None = None
) -> Array:
    """Compute one step of a network with gated recurrent units.

    Parameters
    ----------
    x: shape (..., n), a real floating dtype; integers are taken as the default float.
    h: shape (..., m), the output of the step before.
    w_ih, w_hh: shapes (3*m, n) and (3*m, m): the weights of the reset gate, the update gate and the candidate, below
        each other.
    b_ih, b_hh: shape (3*m,), or None for none.

    Returns
    -------
    The new h, of shape (..., m) and the common dtype of all arrays.

    Raises
    ------
    ValueError: the shapes do not fit together.

    Notes
    -----
    ``h = (1 - z) * n + z * h`` for the update z and the candidate ``n = tanh(x_n + r * h_n)`` (Cho and others 2014),
    with the order of the gates and the place of the reset as in PyTorch and cuDNN. Keras resets before the product
    with ``reset_after=False``.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.nn.gru_cell(lw.zeros(3), lw.asarray([1.0]), lw.zeros((3, 3)), lw.zeros((3, 1)))
    Array([0.5], dtype=float32)
    """
    _gru_shape(x.shape, h.shape, w_ih.shape, w_hh.shape, *[None if b is None else b.shape for b in (b_ih, b_hh)])
    r, z, n = lw.split(linear(x, w_ih, b_ih), 3, axis=-1)
    r_h, z_h, n_h = lw.split(linear(h, w_hh, b_hh), 3, axis=-1)
    update = sigmoid(_e.add(z, z_h))
    candidate = _e.tanh(_e.add(n, _e.multiply(sigmoid(_e.add(r, r_h)), n_h)))
    return _e.add(candidate, _e.multiply(update, _e.subtract(h, candidate)))
