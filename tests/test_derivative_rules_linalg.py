"""Derivatives on NumPy of linear algebra, Fourier transforms and sorted elements: where matrices are complex, stacked,
empty, singular or have equal values.

`test_gradients` compares the derivatives of real matrices with finite differences.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import latticework as lw
from latticework import linalg
from latticework.errors import BackendError

Function = Callable[..., Any]


@pytest.fixture(autouse=True)
def on_numpy() -> Iterator[None]:
    with lw.using(backend="numpy"), np.errstate(all="ignore"):
        yield


def numbers(shape: tuple[int, ...], dtype: str = "float64", seed: int = 0) -> np.ndarray:
    dice = np.random.default_rng(seed)
    x = dice.normal(size=shape)
    return np.asarray(x + 1j * dice.normal(size=shape) if dtype.startswith("complex") else x).astype(dtype)


def leaves(found: Any) -> list[Any]:
    """The floating arrays of a result."""
    return [y for y in (found if isinstance(found, tuple) else (found,)) if y.dtype.kind in "fc"]


def total(f: Function) -> Function:
    """A function that returns one number, made of all that f gives."""

    def call(*arrays: Any) -> Any:
        result: Any = 0.0
        for k, y in enumerate(leaves(f(*arrays))):
            weights = lw.asarray(numbers(y.shape, str(y.dtype), seed=k + 5))
            result = result + lw.sum(lw.real(lw.conj(weights) * y) if y.dtype.kind == "c" else weights * y)
        return result

    return call


def gradients(f: Function, *values: np.ndarray) -> list[np.ndarray]:
    found = lw.grad(total(f), argnums=tuple(range(len(values))))(*[lw.asarray(x) for x in values])
    return [np.asarray(g) for g in found]


def gradient(f: Function, x: Any) -> np.ndarray:
    """The gradient of a function that returns one number."""
    return np.asarray(lw.grad(f)(lw.asarray(x, dtype=lw.float64)))


def by_torch(f: Function, *values: np.ndarray) -> list[np.ndarray]:
    torch = pytest.importorskip("torch")
    tensors = [torch.tensor(x, requires_grad=True) for x in values]
    outs = f(*tensors)
    result = 0.0
    for k, y in enumerate(outs if isinstance(outs, tuple) else (outs,)):
        weights = torch.tensor(numbers(tuple(y.shape), str(y.dtype).removeprefix("torch."), seed=k + 5))
        result = result + (weights.conj() * y).real.sum()
    return [g.numpy() for g in torch.autograd.grad(result, tensors)]


def inner(x: np.ndarray, y: np.ndarray) -> float:
    return float(np.vdot(x, y).real)


def slope(f: Function, values: list[np.ndarray], along: list[np.ndarray], h: float = 1e-6) -> float:
    ends = [float(f(*[lw.asarray(v + s * h * d) for v, d in zip(values, along, strict=True)])) for s in (1, -1)]
    return (ends[0] - ends[1]) / (2 * h)


def check_slopes(f: Function, *values: np.ndarray) -> None:
    """Compare derivatives of the first and second order in a direction with finite differences."""
    f = total(f)
    along = [numbers(x.shape, str(x.dtype), seed=9) for x in values]
    places = tuple(range(len(values)))
    arrays, directions = [[lw.asarray(x) for x in given] for given in (values, along)]
    found = sum(inner(np.asarray(g), d) for g, d in zip(lw.grad(f, places)(*arrays), along, strict=True))
    np.testing.assert_allclose(found, slope(f, [*values], along), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(float(lw.jvp(f, arrays, directions)[1]), found, rtol=1e-9, atol=1e-9)

    def of_gradients(*arrays: Any) -> Any:
        found = lw.grad(f, places)(*arrays)
        return sum(total(lambda y=y: y)() for y in found)

    second = lw.jvp(of_gradients, arrays, directions)[1]
    np.testing.assert_allclose(float(second), slope(of_gradients, [*values], along), rtol=1e-4, atol=1e-5)
    again = lw.grad(of_gradients, places)(*arrays)
    np.testing.assert_allclose(
        sum(inner(np.asarray(g), d) for g, d in zip(again, along, strict=True)), float(second), rtol=1e-8, atol=1e-8
    )


# --- complex, stacked, empty ------------------------------------------------------------------------------------------


def definite(x: Any) -> Any:
    return x @ lw.conj(x.mT) + lw.eye(x.shape[-1], dtype=x.dtype)


def hermitian(x: Any) -> Any:
    return x + lw.conj(x.mT)


def with_sizes(f: Function) -> Function:
    """A function that gives the sizes of vectors, without signs and phases; and the values."""
    return lambda x: tuple([lw.abs(y) if y.ndim == x.ndim else y for y in f(x)])


def of_matrices(f: Function) -> Function:
    """A function of the eigenvectors and eigenvalues that is one of the matrices."""

    def call(x: Any) -> Any:
        w, v = f(x)
        return (v * (w * w)[..., None, :]) @ linalg.inv(v)

    return call


SQUARE: dict[str, Function] = {
    "inv": linalg.inv,
    "det": linalg.det,
    "slogdet": linalg.slogdet,
    "cholesky": lambda x: linalg.cholesky(definite(x)),
    "upper cholesky": lambda x: linalg.cholesky(definite(x), upper=True),
    "eigh": lambda x: with_sizes(linalg.eigh)(hermitian(x)),
    "eigvalsh": lambda x: linalg.eigvalsh(hermitian(x)),
    "eigvals": lambda x: lw.sum(linalg.eigvals(x) ** 3),
    "eig": of_matrices(linalg.eig),
    "eig, the sizes of vectors": lambda x: lw.sum(
        lw.abs(linalg.eig(x).eigenvectors) ** 3 * lw.real(linalg.eig(x).eigenvalues[..., None, :])
    ),
    "expm": linalg.expm,
    "sqrtm": lambda x: linalg.sqrtm(definite(x)),
    "logm": lambda x: linalg.logm(definite(x)),
    "lu_factor": linalg.lu_factor,
    "diagonal": linalg.diagonal,
}


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("name", SQUARE)
def test_square_matrices(name: str, dtype: str) -> None:
    check_slopes(SQUARE[name], numbers((2, 3, 3), dtype))


def test_vectors_of_real_eigenvalues() -> None:
    """They are real: no phase is free, and their imaginary parts are 0."""
    check_slopes(linalg.eig, np.diag([1.0, 2.0, 4.0]) + 0.1 * numbers((3, 3)))


@pytest.mark.parametrize("shape", [(0, 0), (2, 0, 0), (0, 3, 3), (1, 1)])
@pytest.mark.parametrize("name", SQUARE)
def test_few_elements(name: str, shape: tuple[int, ...]) -> None:
    x = numbers(shape, "complex128")
    (found,) = gradients(SQUARE[name], x)
    assert found.shape == shape
    assert np.isfinite(found).all()


ANY: dict[str, Function] = {
    "svd": with_sizes(lambda x: linalg.svd(x, full_matrices=False)),
    "svdvals": linalg.svdvals,
    "qr": linalg.qr,
    "lu_factor": linalg.lu_factor,
    "a diagonal above": lambda x: linalg.diagonal(x, offset=1),
    "a diagonal below": lambda x: linalg.diagonal(x, offset=-1),
    "a diagonal beyond": lambda x: linalg.diagonal(x, offset=7),
}


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("shape", [(3, 3), (2, 4, 2), (2, 2, 4)])
@pytest.mark.parametrize("name", ANY)
def test_matrices_of_any_shape(name: str, shape: tuple[int, ...], dtype: str) -> None:
    check_slopes(ANY[name], numbers(shape, dtype, seed=1))


@pytest.mark.parametrize("shape", [(0, 2), (3, 0), (0, 3, 2), (1, 3), (3, 1)])
@pytest.mark.parametrize("name", ANY)
def test_few_elements_of_any_shape(name: str, shape: tuple[int, ...]) -> None:
    (found,) = gradients(ANY[name], numbers(shape))
    assert found.shape == shape
    assert np.isfinite(found).all()


@pytest.mark.parametrize("f", [lambda z: 1j * z * z, lambda z: z / 2j, lw.abs, lw.sign, lambda z: 1j * lw.imag(z) * z])
def test_complex_numbers_beside_arrays(f: Function) -> None:
    check_slopes(f, numbers((3,), "complex128"))


def test_svd_in_full() -> None:
    """The vectors beyond the singular values have derivatives as far as any basis gives the same."""

    def projections(x: Any) -> Any:
        u, s, vh = linalg.svd(x)
        u, v = u[..., s.shape[-1] :], lw.conj(vh.mT)[..., s.shape[-1] :]
        return u @ lw.conj(u.mT), v @ lw.conj(v.mT), s

    for shape, dtype in itertools.product([(4, 2), (2, 2, 4)], ["float64", "complex128"]):
        check_slopes(projections, numbers(shape, dtype))
    with pytest.raises(BackendError, match="vectors beyond the singular values.*full_matrices=False"):
        gradients(linalg.svd, numbers((4, 2)))
    check_slopes(with_sizes(linalg.svd), numbers((3, 2)))  # one vector, which has a sign alone


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize(
    "shapes", [((3, 3), (3,)), ((2, 3, 3), (3,)), ((3, 3), (2, 3, 2)), ((2, 1, 3, 3), (2, 3, 1)), ((2, 0, 0), (0, 2))]
)
def test_solve(shapes: tuple[tuple[int, ...], tuple[int, ...]], dtype: str) -> None:
    check_slopes(linalg.solve, *[numbers(s, dtype, seed=2) for s in shapes])


@pytest.mark.parametrize(("upper", "transpose", "unit_diagonal"), [*itertools.product([False, True], repeat=3)])
def test_solve_triangular(upper: bool, transpose: bool, unit_diagonal: bool) -> None:
    def f(a: Any, b: Any) -> Any:
        return linalg.solve_triangular(a, b, upper=upper, transpose=transpose, unit_diagonal=unit_diagonal)

    for a, b, dtype in [((3, 3), (3,), "complex128"), ((3, 3), (3, 2), "float64"), ((2, 3, 3), (3, 2), "complex128")]:
        check_slopes(f, numbers(a, dtype) + 3 * np.eye(3), numbers(b, dtype))


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("shapes", [((4, 2), (4,)), ((4, 2), (4, 3)), ((2, 2, 4), (2, 2, 1)), ((3, 3), (3, 2))])
def test_lstsq(shapes: tuple[tuple[int, ...], tuple[int, ...]], dtype: str) -> None:
    check_slopes(linalg.lstsq, *[numbers(s, dtype, seed=2) for s in shapes])


def test_lstsq_of_orthonormal_columns() -> None:
    """Their singular values are equal: the singular vectors have no derivative, and the solution has one."""
    a, b, along = np.linalg.qr(numbers((5, 3)))[0], numbers((5,)), numbers((5, 3), seed=1)

    def f(a: Any) -> Any:
        return lw.sum(linalg.lstsq(a, lw.asarray(b)).solution ** 2)

    np.testing.assert_allclose(inner(gradient(f, a), along), slope(f, [a], [along]), rtol=1e-6)


def test_the_dtype_stays() -> None:
    for dtype, f in itertools.product(["float32", "complex64"], [*SQUARE.values(), *ANY.values()]):
        (found,) = gradients(f, numbers((3, 3), dtype, seed=3))
        assert found.dtype == dtype


TORCH: dict[str, tuple[Function, str]] = {
    "inv": (linalg.inv, "inv"),
    "det": (linalg.det, "det"),
    "slogdet": (linalg.slogdet, "slogdet"),
    "eigvalsh": (linalg.eigvalsh, "eigvalsh"),
    "svdvals": (linalg.svdvals, "svdvals"),
    "qr": (linalg.qr, "qr"),
    "expm": (linalg.expm, "matrix_exp"),
}


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("name", TORCH)
def test_cotangents_are_those_of_pytorch(name: str, dtype: str) -> None:
    torch = pytest.importorskip("torch")
    f, other = TORCH[name]
    for shape in ((3, 3), (2, 4, 4), (0, 3, 3), (2, 0, 0)):
        x = numbers(shape, dtype)
        for ours, theirs in zip(gradients(f, x), by_torch(getattr(torch.linalg, other), x), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)


def test_the_vectors_of_pytorch() -> None:
    torch = pytest.importorskip("torch")
    x = numbers((2, 3, 3), "complex128")
    pairs: list[tuple[Function, Function]] = [
        (linalg.eigh, torch.linalg.eigh),
        (linalg.eig, torch.linalg.eig),
        (lambda x: linalg.svd(x, full_matrices=False), lambda x: torch.linalg.svd(x, full_matrices=False)),
    ]

    def sizes(f: Function) -> Function:
        def call(x: Any) -> Any:
            return sum((y.real if y.ndim < x.ndim else abs(y) ** 3).sum() for y in f(x))

        return call

    for ours, theirs in pairs:
        (expected,) = by_torch(sizes(theirs), x)
        (found,) = gradients(
            lambda x, f=ours: sum(lw.sum(lw.real(y) if y.ndim < x.ndim else lw.abs(y) ** 3) for y in f(x)), x
        )
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-10)


# --- singular matrices, equal values ----------------------------------------------------------------------------------


def cofactors(x: np.ndarray) -> np.ndarray:
    n = len(x)
    return np.array([
        [(-1) ** (i + j) * np.linalg.det(np.delete(np.delete(x, i, 0), j, 1)) for j in range(n)] for i in range(n)
    ])  # fmt: skip


SINGULAR = {
    "rank 1 of 2": np.array([[1.0, 2.0], [2.0, 4.0]]),
    "rank 2 of 3, to the last bit": np.arange(9.0).reshape(3, 3),
    "equal singular values": np.diag([1.0, 1.0, 0.0]),
    "rank 1 of 3": np.diag([2.0, 0.0, 0.0]),
    "rank 2 of 4": numbers((4, 2)) @ numbers((2, 4), seed=1),
    "zeros": np.zeros((3, 3)),
    "complex": numbers((3, 2), "complex128") @ numbers((2, 3), "complex128", seed=1),
    "nearly": numbers((4, 3)) @ numbers((3, 4), seed=1) + 1e-13 * numbers((4, 4), seed=2),
}


@pytest.mark.parametrize("name", SINGULAR)
def test_det_of_singular_matrices(name: str) -> None:
    x = SINGULAR[name]
    check_slopes(linalg.det, x)
    weight = numbers((), str(x.dtype), seed=5)
    (found,) = gradients(linalg.det, x)
    np.testing.assert_allclose(found, weight * np.conj(cofactors(x)), rtol=1e-9, atol=1e-13)
    (found,) = gradients(linalg.det, np.stack([x, np.eye(len(x)) + x]))
    np.testing.assert_allclose(
        found[1], numbers((2,), str(x.dtype), seed=5)[1] * np.conj(cofactors(np.eye(len(x)) + x))
    )


def test_slogdet_of_singular_matrices_is_nan_for_them_alone() -> None:
    (found,) = gradients(linalg.slogdet, np.stack([np.ones((2, 2)), np.eye(2)]))
    assert np.isnan(found[0]).all()
    assert np.isfinite(found[1]).all()


VALUES: dict[str, Function] = {
    "eigh": lambda x: linalg.eigh(x).eigenvalues,
    "eigvalsh": linalg.eigvalsh,
    "eig": lambda x: lw.real(linalg.eig(x).eigenvalues),
    "eigvals": lambda x: lw.real(linalg.eigvals(x)),
    "svd": lambda x: linalg.svd(x).S,
    "svdvals": linalg.svdvals,
}


@pytest.mark.parametrize("name", VALUES)
def test_equal_values_have_derivatives(name: str) -> None:
    found = gradient(lambda x: lw.sum(VALUES[name](x) ** 2), np.eye(3))
    np.testing.assert_allclose(found, 2 * np.eye(3), atol=1e-14)
    assert np.isfinite(gradient(lambda x: VALUES[name](x)[0], np.zeros((3, 3)))).all()
    assert np.isfinite(float(lw.jvp(total(VALUES[name]), [lw.eye(2)], [lw.ones((2, 2))])[1]))


def test_vectors_of_equal_values_have_none() -> None:
    functions: list[Function] = [
        lambda x: linalg.eigh(x)[1], lambda x: linalg.svd(x)[0], lambda x: lw.abs(linalg.eig(x)[1]),
    ]  # fmt: skip
    weights = lw.asarray(numbers((3, 3)))
    for f in functions:
        assert not np.isfinite(gradient(lambda x, f=f: lw.sum(f(x) * weights), np.eye(3))).any()


def test_eigenvalues_in_another_order() -> None:
    """LAPACK gives those of large matrices in one order with vectors, and in another one without."""
    x = numbers((150, 150))
    found = gradient(lambda x: lw.sum(lw.real(linalg.eigvals(x) ** 3)), x)
    np.testing.assert_allclose(found, 3 * (x @ x).T, atol=1e-8)
    weights = lw.asarray(numbers((150,), "complex128"))
    values = linalg.eigvals(lw.asarray(x))
    along = numbers((150, 150), seed=1)
    near = [np.asarray(linalg.eigvals(lw.asarray(x + h * along))) for h in (1e-7, -1e-7)]
    near = [y[np.abs(y - np.asarray(values)[:, None]).argmin(1)] for y in near]
    expected = inner(np.asarray(weights), (near[0] - near[1]) / 2e-7)
    found = gradient(lambda x: lw.sum(lw.real(lw.conj(weights) * linalg.eigvals(x))), x)
    np.testing.assert_allclose(inner(found, along), expected, rtol=1e-4)


def test_qr_of_columns_that_depend_on_each_other_is_not_finite() -> None:
    assert not np.isfinite(gradient(total(linalg.qr), np.zeros((2, 2)))).any()


def test_a_pivot_of_zero() -> None:
    """The last column of L has no elements below the diagonal, so that nothing is divided by the last pivot."""
    x = np.array([[1.0, 2.0], [2.0, 4.0]])
    along = numbers((2, 2))
    f = total(linalg.lu_factor)
    np.testing.assert_allclose(inner(gradient(f, x), along), slope(f, [x], [along]), rtol=1e-6)


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("f", "why"),
    [
        (linalg.schur, "schur: the order of the eigenvalues.*lw.linalg.eigvals"),
        (lambda x: linalg.qr(x[:, :2], mode="complete"), r"mode='complete'.*Call lw.linalg.qr\(x\)"),
        (linalg.eigh, r"phases of the eigenvectors.*lw.abs\(v\)"),
        (linalg.eig, r"phases of the eigenvectors.*lw.abs\(v\)"),
        (linalg.svd, r"phases of the singular vectors.*lw.abs\(v\)"),
    ],
)
def test_what_is_refused_says_what_to_do(f: Function, why: str) -> None:
    with pytest.raises(BackendError, match=why):
        gradients(f, numbers((3, 3), "complex128"))


# --- Fourier transforms -----------------------------------------------------------------------------------------------

NORMS = ["backward", "ortho", "forward"]
TAKES = {
    "fft": ["float64", "complex128"],
    "ifft": ["float64", "complex128"],
    "rfft": ["float64"],
    "ihfft": ["float64"],
    "irfft": ["complex128"],
    "hfft": ["complex128"],
}


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", TAKES)
def test_transforms_along_one_axis(name: str, norm: str) -> None:
    f = getattr(lw.fft, name)
    for n, axis in [(None, -1), (3, 0), (6, 0), (4, 1), (5, 1), (9, 1), (1, 1)]:
        for dtype in TAKES[name]:
            check_linear(lambda x, n=n, axis=axis: f(x, n=n, axis=axis, norm=norm), numbers((4, 5), dtype))


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
def test_transforms_along_several_axes(name: str, norm: str) -> None:
    f = getattr(lw.fft, name)
    options: list[dict[str, Any]] = [
        {}, {"axes": (0, 2)}, {"axes": (1, 0)}, {"axes": (-1, 1), "s": (5, 2)}, {"axes": (0, 1), "s": (-1, 7)},
        {"axes": (2,)}, {"axes": (2, 0), "s": (3, -1)},
    ]  # fmt: skip
    for kw in options:
        x = numbers((3, 4, 5), "float64" if name == "rfftn" else "complex128")
        check_linear(lambda x, kw=kw: f(x, norm=norm, **kw), x)
    assert gradients(lambda x: f(x, axes=(1,)), numbers((0, 4), str(x.dtype)))[0].shape == (0, 4)


def check_linear(f: Function, x: np.ndarray) -> None:
    """Compare cotangents with what the function makes of a direction, which is its own tangent."""
    along = numbers(x.shape, str(x.dtype), seed=1)
    expected = float(total(f)(lw.asarray(along)))
    (found,) = gradients(f, x)
    assert found.dtype == x.dtype
    np.testing.assert_allclose(inner(found, along), expected, rtol=1e-9, atol=1e-9)
    tangent = lw.jvp(total(f), [lw.asarray(x)], [lw.asarray(along)])[1]
    np.testing.assert_allclose(float(tangent), expected, rtol=1e-9, atol=1e-9)


# --- sorted elements --------------------------------------------------------------------------------------------------

SORTED: dict[str, Function] = {
    "sort": lw.sort,
    "sort along an axis": lambda x: lw.sort(x, axis=0),
    "sort, the greatest first": lambda x: lw.sort(x, axis=1, descending=True),
    "partition": lambda x: lw.partition(x, 3),
    "partition at several places": lambda x: lw.partition(x, (1, -2), axis=1),
    "top_k": lambda x: lw.top_k(x, 2).values,
    "top_k of the least": lambda x: lw.top_k(x, 3, axis=0, largest=False).values,
    "top_k of none": lambda x: lw.top_k(x, 0).values,
    "unique_values": lw.unique_values,
    "unique_all": lambda x: lw.unique_all(x).values,
    "unique_counts": lambda x: lw.unique_counts(x).values,
    "unique_inverse": lambda x: lw.unique_inverse(x).values,
}


@pytest.mark.parametrize("name", SORTED)
def test_sorted_elements(name: str) -> None:
    check_slopes(lambda x: SORTED[name](x) ** 3, numbers((3, 6)))


def test_of_equal_elements_one_has_the_cotangent() -> None:
    x = [2.0, 1.0, 2.0, 1.0, 1.0]
    weights = lw.asarray([1.0, 2.0, 3.0, 4.0, 5.0], dtype=lw.float64)
    assert gradient(lambda x: lw.sum(lw.sort(x) * weights), x).tolist() == [4, 1, 5, 2, 3]
    assert gradient(lambda x: lw.sum(lw.top_k(x, 3).values * weights[:3]), x).tolist() == [1, 3, 2, 0, 0]
    assert sorted(gradient(lambda x: lw.sum(lw.partition(x, 2) * weights), x)) == [1, 2, 3, 4, 5]
    for f in (lw.unique_values, *[lambda x, f=f: f(x).values for f in (lw.unique_all, lw.unique_counts)]):
        assert gradient(lambda x, f=f: lw.sum(f(x) * weights[:2]), x).tolist() == [2, 1, 0, 0, 0]


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32"])
def test_sorted_elements_keep_their_dtype(dtype: str) -> None:
    x = lw.asarray([3.0, 1.0, 2.0, 1.0], dtype=getattr(lw, dtype))
    for f in (lw.sort, lambda x: lw.partition(x, 1), lambda x: lw.top_k(x, 4).values):
        found = lw.grad(lambda x, f=f: lw.sum(f(x) * x))(x)
        assert str(found.dtype) == dtype
        assert float(lw.sum(found)) == 14


def test_sorted_nan_and_nothing() -> None:
    weights = lw.asarray([1.0, 2.0, 3.0], dtype=lw.float64)
    for f in (lw.sort, lambda x: lw.partition(x, 1)):
        found = gradient(lambda x, f=f: lw.sum(f(x) * weights), [np.nan, 2.0, 1.0])
        assert found.tolist() == [3, 2, 1]
        assert gradient(lambda x, f=f: lw.sum(f(x)), np.zeros((2, 0))).shape == (2, 0)


# --- polar factors ----------------------------------------------------------------------------------------------------


def rotation(n: int, dtype: str) -> np.ndarray:
    return np.linalg.qr(numbers((n, n), dtype, seed=3))[0]


POLAR = {
    "equal sizes": 2 * rotation(3, "float64"),
    "equal sizes, complex": 2 * rotation(3, "complex128"),
    "two equal": rotation(3, "float64") @ np.diag([1.0, 1.0, 3.0]) @ rotation(3, "float64"),
    "tall": rotation(4, "float64")[:, :2] * 3,
    "wide": rotation(4, "complex128")[:2] * 3,
    "a stack": np.stack([np.eye(2), numbers((2, 2))]),
    "different sizes": numbers((3, 2), "complex128"),
}


@pytest.mark.parametrize("side", ["right", "left"])
@pytest.mark.parametrize("name", POLAR)
def test_polar_factors_are_smooth_at_equal_singular_values(name: str, side: str) -> None:
    x = POLAR[name]

    def f(x: Any) -> Any:
        return linalg.polar(x, side)

    t = numbers(x.shape, str(x.dtype), seed=8)
    expected = slope(total(f), [x], [t])
    assert abs(inner(gradients(f, x)[0], t) - expected) < 1e-7 * max(1, abs(expected))
    moved = lw.jvp(total(f), (lw.asarray(x),), (lw.asarray(t),))[1]
    assert abs(float(moved) - expected) < 1e-7 * max(1, abs(expected))

    def first(x: Any) -> Any:
        g = lw.grad(total(f))(x)
        return lw.sum(lw.real(lw.conj(lw.asarray(numbers(x.shape, str(x.dtype), seed=4))) * g))

    second = slope(first, [x], [t], h=1e-5)
    assert abs(inner(np.asarray(lw.grad(first)(lw.asarray(x))), t) - second) < 1e-5 * max(1, abs(second))


def test_the_polar_factor_of_a_singular_matrix_has_no_derivative() -> None:
    found = gradients(lambda x: linalg.polar(x)[0], np.diag([1.0, 0.0, 0.0]))[0]
    assert np.isnan(found).any()
