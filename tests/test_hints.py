"""What users of other libraries write first: it works, or the error says what to write here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import check, imported

import latticework as lw
import latticework.frontends.torch as torch_dialect
from latticework.errors import TraceError

torch = imported("torch")

KEY = lw.random.key(0)

#: The call -> the class of its error, and what the error says.
HINTS: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "no key": (lambda: lw.random.normal((3,)), TypeError, r"Write lw\.random\.normal\(lw\.random\.key\(0\), \(3,\)\)$"),
    **{
        call: (eval(f"lambda: lw.random.{call}", globals()), TypeError, rf"Write lw\.random\.{words}$")
        for call, words in {
            "normal(KEY, 0, 1, (3,))": r"normal\(key, \(3,\), loc=0, scale=1\)",
            "normal(KEY, 0, 1, 3)": r"normal\(key, \(3,\), loc=0, scale=1\)",
            "normal(KEY, lw.ones(3), 1, (3,))": r"normal\(key, \(3,\), loc=loc, scale=1\)",
            "uniform(KEY, 0, 1, (3,))": r"uniform\(key, \(3,\), low=0, high=1\)",
            "laplace(KEY, 0, 1, (2, 3))": r"laplace\(key, \(2, 3\), loc=0, scale=1\)",
            "truncated_normal(KEY, -1, 1, (3,))": r"truncated_normal\(key, \(3,\), lower=-1, upper=1\)",
            "normal(loc=0, scale=1, size=3)": r"normal\(lw\.random\.key\(0\), \(3,\), loc=0, scale=1\)",
            "randint(KEY, 2, 5)": r"randint\(key, \(\), 2, 5\)",
            "randint(2, 5, (3,))": r"randint\(lw\.random\.key\(0\), \(3,\), 2, 5\)",
            "randint(2, 5)": r"randint\(lw\.random\.key\(0\), \(\), 2, 5\)",
            "choice([1, 2, 3], size=2)": r"choice\(lw\.random\.key\(0\), \[1, 2, 3\], \(2,\)\)",
            "permutation(5)": r"permutation\(lw\.random\.key\(0\), 5\)",
            "permutation(lw.ones(3))": r"permutation\(lw\.random\.key\(0\), x\)",
        }.items()
    },
    "random.random": (lambda: lw.random.random(3), AttributeError, r"write lw\.random\.uniform\(key, \(3,\)\)"),
    "bools": (lambda: lw.random.randint(KEY, (3,), 0, 2, dtype=bool), TypeError, r"bool\. For bools .*bernoulli$"),
    "minval": (lambda: lw.random.uniform(KEY, (2,), minval=0), TypeError, "did you mean 'low'"),
    "maxval": (lambda: lw.random.uniform(KEY, (2,), maxval=3), TypeError, "did you mean 'high'"),
    "minval, truncated": (lambda: lw.random.truncated_normal(KEY, (2,), minval=0), TypeError, "did you mean 'lower'"),
    "stddev": (lambda: lw.random.normal(KEY, (2,), stddev=2), TypeError, "did you mean 'scale'"),
    "a dtype": (lambda: lw.ones(3, lw.float64), TypeError, r"Write lw\.ones\(3, dtype=lw\.float64\)$"),
    "a dtype of zeros": (lambda: lw.zeros((2, 3), "int8"), TypeError, r"Write lw\.zeros\(\(2, 3\), dtype='int8'\)$"),
    "a dtype of full": (lambda: lw.full(3, 7, float), TypeError, r"Write lw\.full\(\.\.\., dtype=float\)$"),
    "a dtype of like": (lambda: lw.zeros_like(lw.ones(2), bool), TypeError, r"lw\.zeros_like\(\.\.\., dtype=bool\)$"),
    "optim": (lambda: lw.optim, AttributeError, "has no attribute 'optim'$"),
    "dense": (lambda: lw.nn.dense, AttributeError, r"did you mean 'nn\.linear'\?$"),
    "draw": (lambda: lw.drow, AttributeError, "has no attribute 'drow'"),
    "save": (lambda: lw.save, AttributeError, r"write np\.save\(path, lw\.to_numpy\(x\)\)\.$"),
    **{
        f"backend of {name}": (call, TypeError, r"with lw\.using\(backend='torch'\): \.\.\. The call is ")
        for name, call in {
            "zeros": lambda: lw.zeros(2, backend="torch"), "arange": lambda: lw.arange(2, backend="torch"),
            "full": lambda: lw.full(2, 1, backend="torch"), "eye": lambda: lw.eye(2, backend="torch"),
            "normal": lambda: lw.random.normal(KEY, (2,), backend="torch"),
        }.items()
    },
}  # fmt: skip


#: A call as PyTorch orders its arguments -> the call to write.
BY_POSITION = {
    "lw.nn.lp_pool1d(x, 2.0, 3, 2)": "lw.nn.lp_pool1d(x, 2.0, 3, stride=2)",
    "lw.nn.lp_pool1d(x, 2.0, 3, 2, True)": "lw.nn.lp_pool1d(x, 2.0, 3, stride=2, ceil_mode=True)",
    "lw.nn.avg_pool1d(x, 3, 2, 1, True)": "lw.nn.avg_pool1d(x, 3, stride=2, padding=1, ceil_mode=True)",
    "lw.nn.max_pool1d(x, 3, 2, padding=1)": "lw.nn.max_pool1d(x, 3, stride=2, padding=1)",
    "lw.nn.conv1d(x, weight, None, 2)": "lw.nn.conv1d(x, weight, None, stride=2)",
    "lw.nn.conv_transpose1d(x, weight, None, 2, 1)": "lw.nn.conv_transpose1d(x, weight, None, stride=2, padding=1)",
}


@pytest.mark.parametrize("written", BY_POSITION)
def test_options_by_position_are_written_by_name(written: str) -> None:
    names = {"lw": lw, "x": lw.ones((1, 1, 9)), "weight": lw.ones((1, 1, 3))}
    with pytest.raises(TypeError, match=r"too many positional arguments\. The call is .*\. Write ") as caught:
        eval(written, names)
    call = str(caught.value).rpartition("Write ")[2]
    assert call == BY_POSITION[written]
    eval(call, names)


def test_a_graph_says_what_takes_the_frameworks_own_arrays() -> None:
    x = np.ones(3, np.float32)
    for graph in (
        lw.trace(lambda v: lw.sin(v) * 2, lw.asarray(x)),
        lw.transpile(lambda v: np.sin(v) * 2, x, to="numpy"),
    ):
        for own in (x, torch.ones(3)):
            with pytest.raises(TraceError, match=r"not valid.* are for graph\.function, which takes those of numpy$"):
                graph(own)
        np.testing.assert_allclose(graph.function(x), np.sin(x) * 2, rtol=1e-6)


def test_torchs_dialect_says_how_to_make_a_tensor_of_an_ndarray(backend: str) -> None:
    if backend == "numpy":
        return  # where an ndarray is an operand as any
    with lw.using(backend=backend):
        t = torch_dialect.ones(2)
        for f in (torch_dialect.add, torch_dialect.matmul):
            with pytest.raises(TypeError, match=r"arrays of two backends, .* takes tensors: torch\.from_numpy\(x\)$"):
                f(t, np.ones(2, np.float32))


@pytest.mark.parametrize("name", HINTS)
def test_the_error_says_what_to_write(name: str) -> None:
    call, error, words = HINTS[name]
    with pytest.raises(error, match=words):
        call()


def test_ddof(backend: str) -> None:
    """As the methods take it, and NumPy."""
    x = np.asarray([[1.0, 2, 4], [8, 16, 31]], np.float32)
    ours = lw.asarray(x)
    for f, theirs in ((lw.std, np.std), (lw.var, np.var)):
        for ddof in (0, 1, 2.0):
            check(f(ours, ddof=ddof), theirs(x, ddof=ddof), lw.float32, ulps=4)
            check(f(ours, 1, ddof=ddof, keepdims=True), theirs(x, 1, ddof=ddof, keepdims=True), lw.float32, ulps=4)
        wide = f(ours, axis=0, ddof=1, dtype="float64")
        check(wide, theirs(x, 0, np.float64, ddof=1), lw.float64, ulps=4)
        check(f(ours, axis=0, ddof=1), np.asarray(f(ours, axis=0, correction=1)), lw.float32)
        out = lw.zeros(3)
        assert f(ours, axis=0, ddof=1, out=out) is out
        with pytest.raises(TypeError, match="unexpected keyword argument"):
            f(ours, ddof=1, correction=1)
    assert lw.infer(lambda v: lw.std(v, axis=0, ddof=1), ours).shape == (3,)


def test_dtypes_and_pythons_types(backend: str) -> None:
    """Python's bool is one dtype; its other types mean a default, which is a setting, and are equal to none."""
    x = lw.zeros(2, dtype=bool)
    assert x.dtype == bool and bool == x.dtype
    assert lw.zeros(2, dtype=float).dtype != bool
    for kind in (int, float, complex, str, object):
        assert all(dtype != kind for dtype in lw.all_dtypes)
    assert lw.as_dtype(float) is lw.zeros(2, dtype=float).dtype


def test_a_value_is_asked_for_while_it_is_compiled(backend: str) -> None:
    asking: list[Callable[[Any], Any]] = [
        lambda v: v if v.sum() > 0 else -v, lambda v: v * float(v[0]), lambda v: v * v[0].item(), np.asarray,
    ]  # fmt: skip
    x = lw.asarray([1.0, 2.0])
    for f in asking:
        if backend in ("jax", "tensorflow"):
            with pytest.raises(TraceError, match=r"^jit: the function asks for the value.*lw\.where\(.*lw\.cond\("):
                lw.jit(f)(x)
        else:
            lw.jit(f)(x)
    check(lw.jit(lambda v: lw.where(lw.sum(v) > 0, v, -v))(x), np.asarray([1, 2]), lw.float32)
    with pytest.raises(ValueError, match="does not broadcast|do not broadcast|shapes"):
        lw.jit(lambda v: v + lw.ones(3))(x)
