"""The backend of geomstats over latticework: this one package for every framework.

geomstats imports it as ``geomstats._backend.numpy``, ``….pytorch`` or whatever ``GEOMSTATS_BACKEND`` is, and copies
some two hundred names out of it. Most are latticework's own; those below are where geomstats means something else by a
name than NumPy does, or has a name of its own.
"""

from functools import reduce

from . import autodiff, linalg, random  # noqa: F401  (geomstats looks them up here)
from ._policy import (  # noqa: F401
    BACKEND,
    array,
    as_array,
    as_dtype,
    function,
    get_default_cdtype,
    get_default_dtype,
    is_array,
    namespace,
    set_default_dtype,
)

_xp = namespace()
_of_framework = "int32 int64 float32 float64 complex64 complex128 uint8 inf"
_of_one_array = """
    abs all amax amin angle any arccos arccosh arcsin arctanh argmax argmin ceil clip conj copy cos cosh cumprod cumsum
    diagonal exp expand_dims flatten flip floor hsplit imag isnan log mean median moveaxis ndim pad prod quantile real
    reshape searchsorted sign sin sinh sort split sqrt std sum tan tanh tile tril trapezoid triu unique zeros_like
    ones_like empty_like broadcast_to repeat
"""
_of_two_arrays = """
    allclose arctan2 cross equal greater isclose kron less less_equal logical_and logical_or maximum minimum mod power
"""
_of_others = """
    arange asarray broadcast_arrays diag_indices empty eye ones ravel_multi_index tril_indices triu_indices zeros
"""

globals().update(
    {name: getattr(_xp, name) for name in _of_framework.split()}
    | {name: function(name) for name in _of_one_array.split()}
    | {name: function(name, arrays=2) for name in _of_two_arrays.split()}
    | {name: function(name, arrays=0) for name in _of_others.split()}
)
erf, gamma = function("special.erf"), function("special.gamma")

atol, rtol = (1e-6 if BACKEND == "pytorch" else 1e-8), 1e-5


def has_autodiff():
    """Return whether functions can be differentiated."""
    return BACKEND != "numpy"


# --- dtypes, and arrays in and out ------------------------------------------------------------------------------------


def cast(x, dtype):
    """Return an array in another dtype."""
    return namespace().astype(as_array(x), dtype)


def is_floating(x):
    """Return whether an array is of real floats."""
    return namespace().isdtype(x.dtype, "real floating")


def is_complex(x):
    """Return whether an array is of complex numbers."""
    return namespace().isdtype(x.dtype, "complex floating")


def is_bool(x):
    """Return whether an array is of truth values."""
    return namespace().isdtype(x.dtype, "bool")


def convert_to_wider_dtype(tensor_list):
    """Return arrays in the dtype that they have together."""
    xp = namespace()
    dtype = xp.result_type(*tensor_list)
    return [xp.astype(x, dtype, copy=False) for x in tensor_list]


def to_numpy(x):
    """Return an array as NumPy's."""
    return namespace().to_numpy(x)


def from_numpy(x):
    """Return an array of NumPy's as the framework's."""
    return namespace().asarray(x)


def to_ndarray(x, to_ndim, axis=0, dtype=None):
    """Return an array with as many axes as asked for; new ones stand where `axis` says."""
    xp = namespace()
    x = xp.asarray(x, dtype=dtype)
    if x.ndim > to_ndim:
        raise ValueError(f"to_ndarray: an array of {x.ndim} axes cannot have {to_ndim}")
    return reduce(lambda y, _: xp.expand_dims(y, axis=axis), range(to_ndim - x.ndim), x)


def shape(val):
    """Return the shape of an array or of nested lists."""
    return as_array(val).shape


# --- arrays put together and taken apart ------------------------------------------------------------------------------


def concatenate(seq, axis=0):
    """Join arrays along an axis."""
    return namespace().concat([as_array(x) for x in seq], axis=axis)


def stack(seq, axis=0):
    """Join arrays along a new axis."""
    return namespace().stack([as_array(x) for x in seq], axis=axis)


def hstack(seq):
    """Join arrays along the second axis, or the only one."""
    return namespace().hstack([as_array(x) for x in seq])


def vstack(seq):
    """Join arrays as rows."""
    return namespace().vstack([as_array(x) for x in seq])


def meshgrid(*arrays, indexing="ij" if BACKEND == "pytorch" else "xy"):
    """Return the coordinates of a grid; each framework has another order where none is asked for."""
    return namespace().meshgrid(*arrays, indexing=indexing)


def linspace(start, stop, num=50, endpoint=True, dtype=None):
    """Return evenly spaced numbers along a new first axis."""
    return namespace().linspace(start, stop, num, endpoint=endpoint, dtype=dtype)


def squeeze(x, axis=None):
    """Remove axes of extent 1: all, or the one named if it is one."""
    xp = namespace()
    if axis is None:
        axis = tuple(i for i, extent in enumerate(xp.asarray(x).shape) if extent == 1)
    elif x.shape[axis] != 1:
        return x
    return xp.squeeze(as_array(x), axis=axis)


def take(a, indices, axis=0):
    """Take elements along an axis."""
    xp = namespace()
    taken = xp.take(a, xp.reshape(as_array(indices), (-1,)), axis=axis)
    where_ = axis % a.ndim
    return xp.reshape(taken, (*a.shape[:where_], *shape(indices), *a.shape[where_ + 1 :]))


def where(condition, x=None, y=None):
    """Choose between two arrays, or return the indices at which the condition is true."""
    xp = namespace()
    return xp.nonzero(as_array(condition)) if x is None else xp.where(as_array(condition), as_array(x), as_array(y))


def transpose(x):
    """Exchange the last two axes."""
    return namespace().matrix_transpose(x)


def permute_dims(x, axes=None):
    """Reorder the axes; reverse them if no order is given."""
    return namespace().permute_dims(x, tuple(reversed(range(x.ndim))) if axes is None else tuple(axes))


def vectorize(x, pyfunc, multiple_args=False, **_signature):
    """Call a function for each point, and stack what it returns."""
    return stack([pyfunc(*point) for point in zip(*x)] if multiple_args else [pyfunc(point) for point in x])


def array_from_sparse(indices, data, target_shape):
    """Make an array of zeros with these values at these places."""
    xp = namespace()
    return xp.scatter_nd(xp.asarray([list(place) for place in indices]), array(data), tuple(target_shape))


def scatter_add(input, dim, index, src):
    """Add each value of `src` where `index` says along an axis."""
    return namespace().scatter(input, index, src, axis=dim, reduction="add")


# --- matrices ---------------------------------------------------------------------------------------------------------


def matmul(x, y):
    """Multiply matrices, or stacks of them."""
    if x.ndim == 1 or y.ndim == 1:
        raise ValueError("matmul: takes matrices; got a vector")
    return namespace().matmul(x, y)


def matvec(A, b):
    """Multiply matrices and vectors."""
    return namespace().einsum("...ij,...j->...i", A, b)


def dot(a, b):
    """Multiply and sum along the last axis; a single vector meets each of several."""
    return namespace().einsum("...i,...i->...", a, b)


def outer(a, b):
    """Multiply each element of a with each of b, along the last axes."""
    return namespace().einsum("...i,...j->...ij", a, b)


def einsum(equation, *inputs):
    """Multiply and sum along the axes that letters name."""
    return namespace().einsum(equation, *map(as_array, inputs))


def trace(x):
    """Sum the diagonal of matrices."""
    return namespace().linalg.trace(x)


def vec_to_diag(vec):
    """Make matrices with these diagonals."""
    xp = namespace()
    return xp.multiply(xp.expand_dims(vec, axis=-1), xp.eye(vec.shape[-1], dtype=vec.dtype))


def set_diag(x, new_diag):
    """Return matrices with other diagonals."""
    return namespace().linalg.diagonal_set(x, new_diag)


def tril_to_vec(x, k=0):
    """Return the elements on and below a diagonal, row by row."""
    rows, columns = namespace().tril_indices(x.shape[-1], k=k)
    return x[..., rows, columns]


def triu_to_vec(x, k=0):
    """Return the elements on and above a diagonal, row by row."""
    rows, columns = namespace().triu_indices(x.shape[-1], k=k)
    return x[..., rows, columns]


def mat_from_diag_triu_tril(diag, tri_upp, tri_low):
    """Make matrices of their diagonals, and of what is above and, mirrored, below them."""
    xp = namespace()
    diag, tri_upp, tri_low = convert_to_wider_dtype([diag, tri_upp, tri_low])
    n = diag.shape[-1]
    rows, columns = xp.triu_indices(n, k=1)
    places = xp.concat([xp.arange(n) * (n + 1), rows * n + columns, columns * n + rows])
    values = xp.concat([diag, tri_upp, tri_low], axis=-1)
    return xp.reshape(xp.take(values, xp.argsort(places), axis=-1), (*diag.shape, n))


# --- numbers ----------------------------------------------------------------------------------------------------------


def divide(a, b, ignore_div_zero=False):
    """Divide; where the divisor is zero, return zero if that is to be ignored."""
    xp = namespace()
    quotient = xp.divide(a, b)
    return xp.where(xp.equal(as_array(b), 0), 0.0, quotient) if ignore_div_zero else quotient


def polygamma(n, x):
    """Return a derivative of the digamma function."""
    return namespace().special.polygamma(n, x)
