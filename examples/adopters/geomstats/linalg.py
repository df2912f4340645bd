"""Linear algebra: latticework's, and SciPy's where it has none."""

import numpy as np
import scipy

from ._policy import function, namespace

globals().update(
    {
        name: function(f"linalg.{name}")
        for name in "det eig eigh eigvalsh expm inv matrix_power norm sqrtm cholesky".split()
    }
)


def logm(x):
    """Return the principal logarithm of matrices: a complex one for real matrices that have no real one."""
    xp = namespace()
    real = xp.linalg.logm(x)
    if xp.isdtype(x.dtype, "complex floating") or not xp.any(xp.isnan(real)):
        return real
    return xp.linalg.logm(xp.astype(x, xp.result_type(real, xp.complex64)))


def _batched(f, signature):
    """Make a function of stacks of matrices of one of NumPy's matrices, with results in the framework's arrays."""
    mapped = np.vectorize(f, signature=signature)

    def call(*matrices):
        xp = namespace()
        return xp.asarray(mapped(*map(xp.to_numpy, matrices)), dtype=xp.result_type(*matrices))

    return call


def fractional_matrix_power(A, t):
    """Return a power of matrices that need not be whole."""
    return _batched(lambda x: scipy.linalg.fractional_matrix_power(x, t), "(n,n)->(n,n)")(A)


def solve_sylvester(a, b, q):
    """Return x with a x + x b = q; for positive definite a that is b, by eigenvectors, which can be differentiated."""
    xp = namespace()
    if a.shape == b.shape and xp.all(xp.isclose(a, b)) and xp.all(xp.isclose(a, xp.matrix_transpose(a))):
        values, vectors = xp.linalg.eigh(a)
        if xp.all(xp.greater_equal(values, 1e-6)):
            inside = xp.matrix_transpose(vectors) @ q @ vectors
            inside = inside / (values[..., :, None] + values[..., None, :])
            return vectors @ inside @ xp.matrix_transpose(vectors)
    return _batched(scipy.linalg.solve_sylvester, "(m,m),(n,n),(m,n)->(m,n)")(a, b, q)


def quadratic_assignment(a, b, options):
    """Return the permutation that matches two graphs."""
    xp = namespace()
    found = scipy.optimize.quadratic_assignment(xp.to_numpy(a), xp.to_numpy(b), options=options)
    return found.col_ind.tolist()


def is_single_matrix_pd(mat):
    """Return whether a matrix is Hermitian and positive definite."""
    xp = namespace()
    if mat.shape[0] != mat.shape[1]:
        return False
    if xp.isdtype(mat.dtype, "complex floating") and not xp.allclose(mat, xp.conj(mat.T)):
        return False
    try:
        return bool(xp.all(xp.isfinite(xp.linalg.cholesky(mat))))
    except ValueError:  # LinAlgError is one
        return False


def matrix_rank(a, hermitian=False, **_tolerances):
    """Return how many dimensions the columns span."""
    return namespace().linalg.matrix_rank(a)


def polar(a, side="right"):
    """Return the unitary and the positive factor of matrices."""
    return tuple(namespace().linalg.polar(a, side=side))


def qr(a, mode="reduced"):
    """Return the orthogonal and the triangular factor of matrices."""
    return tuple(namespace().linalg.qr(a, mode=mode))


def solve(a, b):
    """Solve linear systems, each for one right side; a single matrix may have several."""
    xp = namespace()
    if a.ndim == 2:
        return xp.linalg.solve(a, b)
    return xp.linalg.solve(a, b[..., None])[..., 0]


def svd(x, full_matrices=True, compute_uv=True):
    """Return the singular value decomposition, or the singular values alone."""
    xp = namespace()
    return tuple(xp.linalg.svd(x, full_matrices=full_matrices)) if compute_uv else xp.linalg.svdvals(x)
