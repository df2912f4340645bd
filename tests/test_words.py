"""Words of other libraries: what the errors about names offer for them."""

from __future__ import annotations

import re
from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np
import pytest

import latticework as lw
from latticework.backend.facts import all_facts
from latticework.core.registry import OPS, load
from latticework.engine.arrays.methods import Methods
from latticework.errors import nearest
from latticework.words import METHODS, WORDS, is_line

load()

#: What is asked for, the error, and how it ends or what it has.
ASKED: list[tuple[Callable[..., Any], type[Exception], str]] = [
    (lambda x: lw.norm, AttributeError, "no attribute 'norm'; did you mean 'linalg.norm'?"),
    (lambda x: lw.linalg.inverse, AttributeError, "did you mean 'linalg.inv'?"),
    (lambda x: lw.fft.fft3, AttributeError, "'latticework.fft' has no attribute 'fft3'; did you mean 'fft"),
    (lambda x: lw.cat, AttributeError, "did you mean 'concat'?"),
    (lambda x: lw.tensor, AttributeError, "did you mean 'asarray'?"),
    (lambda x: lw.double, AttributeError, "did you mean 'float64'?"),
    (lambda x: lw.masked_fill, AttributeError, "; write lw.where(mask, value, x)."),
    (lambda x: lw.randn, AttributeError, "no attribute 'randn'; did you mean 'random.normal'?"),
    (lambda x: lw.random.rand, AttributeError, "'latticework.random' has no attribute 'rand'; did you mean 'random."),
    (lambda x: lw.nn.hardswish, AttributeError, "no attribute 'hardswish'; did you mean 'nn.hard_silu'?"),
    (lambda x: lw.nn.softshrink, AttributeError, "did you mean 'nn.soft_shrink'?"),
    (lambda x: lw.nn.swish, AttributeError, "did you mean 'nn.silu'?"),
    (lambda x: lw.nn.max_pool, AttributeError, "did you mean 'nn.max_pool2d'?"),
    (lambda x: lw.nn.softmin, AttributeError, "; write lw.nn.softmax(-x)."),
    (lambda x: lw.nn.pad, AttributeError, "'latticework.nn' has no attribute 'pad'; write lw.pad."),
    (lambda x: lw.hann_window, AttributeError, "no attribute 'hann_window'; did you mean 'signal.hann_window'?"),
    (lambda x: lw.hamming, AttributeError, "no attribute 'hamming'; write lw.signal.hamming(n, periodic=False)."),
    (lambda x: lw.sume, AttributeError, "did you mean 'sum'?"),
    (lambda x: x.unsqueeze(0), AttributeError, "no attribute 'unsqueeze'; write lw.expand_dims(x, axis)."),
    (lambda x: x.view(2, 1), AttributeError, "; write x.reshape(shape)."),
    (lambda x: x.permute(0), AttributeError, "; write lw.permute_dims(x, axes)."),
    (lambda x: x.sort(), AttributeError, "no attribute 'sort'; write x[...] = lw.sort(x)."),
    (lambda x: x.put([0], 1), AttributeError, "; write x[lw.unravel_index(lw.asarray(indices), x.shape)] = v"),
    (lambda x: lw.putmask, AttributeError, "'putmask'; write x[...] = lw.where(mask, values, x)."),
    (lambda x: lw.seterr, AttributeError, "no attribute 'seterr'; write with lw.errstate("),
    (lambda x: lw.set_printoptions, AttributeError, "; write np.set_printoptions("),
    (lambda x: lw.ogrid, AttributeError, "no attribute 'ogrid'; write lw.ix_("),
    (lambda x: lw.matrix, AttributeError, "no attribute 'matrix'; did you mean 'asarray'?"),
    (lambda x: lw.ndarray, AttributeError, "no attribute 'ndarray'; did you mean 'Array'?"),
    (lambda x: lw.loadtxt, AttributeError, "; write lw.asarray(np.loadtxt(path))."),
    (lambda x: lw.testing.assert_allclose, AttributeError, "write numpy.testing.assert_allclose("),
    (lambda x: lw.Tensor, AttributeError, "no attribute 'Tensor'. Arrays are made by lw.asarray(values), and"),
    (lambda x: lw.no_grad, AttributeError, "no attribute 'no_grad'. lw.grad differentiates the function"),
    (lambda x: lw.dropout, AttributeError, "no attribute 'dropout'; did you mean 'nn.dropout'?"),
    (lambda x: lw.nn.Module, AttributeError, "no attribute 'Module'. lw.nn has functions, and no layers that hold we"),
    (lambda x: lw.nn.functional, AttributeError, "no attribute 'functional'. The functions are in lw.nn itself: l"),
    (lambda x: lw.nn.rrelu, AttributeError, "no attribute 'rrelu'; write lw.nn.leaky_relu(x, (lower + upper) / 2), "),
    (lambda x: x.detach(), AttributeError, "; write x.data.detach()."),
    (lambda x: x.clamp(0), AttributeError, "; did you mean 'clip'?"),
    (lambda x: x.long(), AttributeError, "; write x.astype(lw.int64)."),
    (lambda x: x.norm(), AttributeError, "; write lw.linalg.norm(x)."),
    (lambda x: lw.sum(x, dim=0), TypeError, "sum: got an unexpected keyword argument 'dim'; did you mean 'axis'?"),
    (lambda x: lw.sum(x, keepdim=True), TypeError, "did you mean 'keepdims'?"),
    (lambda x: lw.cov(x, ddof=1), TypeError, "did you mean 'correction'?"),
    (lambda x: lw.permute_dims(x, dims=(0,)), TypeError, "'dims'; did you mean 'axes'?"),
    (lambda x: lw.zeros(size=2), TypeError, "zeros: got an unexpected keyword argument 'size'; did you mean 'shape'?"),
    (lambda x: lw.clip(x, a_min=0), TypeError, "clip: got an unexpected keyword argument 'a_min'; did you mean 'min'?"),
    (lambda x: lw.concatenate([x], dim=0), TypeError, "'dim'; did you mean 'axis'?"),
    (lambda x: lw.fliplr(x, dim=0), TypeError, "fliplr: got an unexpected keyword argument 'dim'. The call is fli"),
    (lambda x: lw.isclose(x, x, tol=1), TypeError, "isclose: got an unexpected keyword argument 'tol'; did you mean"),
    (lambda x: lw.full(2, 1, size=1), TypeError, "full: got an unexpected keyword argument 'size'; did you mean 'sha"),
    (lambda x: lw.meshgrid(x, sparse=1), TypeError, "'sparse'. The call is meshgrid(*arrays, indexing='xy')"),
    (lambda x: lw.fft.fftshift(x, dim=0), TypeError, "fft.fftshift: got an unexpected keyword argument 'dim'; did you"),
    (lambda x: lw.linalg.solve_triangular(x, x, lower=True), TypeError, "argument 'lower'; did you mean 'upper'?"),
    (lambda x: lw.nn.interpolate(x, scale_factor=2), TypeError, "argument 'scale_factor'; did you mean 'scale'?"),
    (lambda x: lw.add(x, x, dim=0), TypeError, "add() got an unexpected keyword argument 'dim'"),
    (lambda x: x.sum(dim=0), TypeError, "x.sum: got an unexpected keyword argument 'dim'; did you mean 'axis'?"),
    (lambda x: x.reshape(newshape=2), TypeError, "reshape: got an unexpected keyword argument 'newshape'; did you"),
    (lambda x: x.mean(keepdim=True), TypeError, "x.mean: got an unexpected keyword argument 'keepdim'; did you mean"),
    (lambda x: x.std(correction=1), TypeError, "x.std: got an unexpected keyword argument 'correction'; did you mean"),
    (lambda x: lw.zeros(2, dtype="double"), TypeError, "'double' is no dtype; did you mean 'float64'?"),
    (lambda x: lw.plan("unsqueeze", x), TypeError, "; write lw.expand_dims(x, axis)."),
    (lambda x: lw.asarray(x, backend="tf"), ValueError, "no backend 'tf'; did you mean 'tensorflow'? There are"),
    (lambda x: lw.asarray(x, backend="pytorch"), ValueError, "did you mean 'torch'?"),
    (lambda x: lw.asarray(x, backend="np"), ValueError, "did you mean 'numpy'?"),
    (lambda x: lw.asarray(x, backend="cupy"), ValueError, "there is no backend 'cupy'. There are numpy, "),
]  # fmt: skip


@pytest.mark.parametrize(("ask", "error", "says"), ASKED, ids=lambda x: x if isinstance(x, str) else "")
def test_a_word_of_another_library_is_known(ask: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=re.escape(says)):
        ask(lw.ones(2))


def test_a_name_that_is_near_to_none_has_no_suggestion() -> None:
    for name in ("zebra", "scarlet", "unrelated", "forest"):
        assert nearest(name, lw.__all__, lines=True) == ""
    assert nearest("maen", lw.__all__) == "; did you mean 'mean'?"


#: The name -> arguments of NumPy's function of that name, and the names that the line to write has for them.
WRITTEN: dict[str, tuple[tuple[Any, ...], str]] = {
    "hanning": ((8,), "n"), "hamming": ((8,), "n"), "blackman": ((8,), "n"), "bartlett": ((8,), "n"),
    "kaiser": ((8, 3.5), "n beta"), "put": (([0, 8], [5, 6]), "indices values"),
    "putmask": ((np.eye(3) > 0, np.arange(9.0).reshape(3, 3)), "mask values"),
    "place": ((np.eye(3) > 0, [7.0, 8.0]), "mask values"),
}  # fmt: skip


@pytest.mark.parametrize("name", ["hanning", "hamming", "blackman", "bartlett", "kaiser"])
def test_a_window_of_numpy_is_the_symmetric_one(name: str) -> None:
    args, names = WRITTEN[name]
    got = eval(WORDS[name][0], {"lw": lw, **dict(zip(names.split(), args, strict=True))})
    np.testing.assert_allclose(got, getattr(np, name)(*args), atol=1e-6)


@pytest.mark.parametrize("name", ["put", "putmask", "place"])
def test_what_writes_as_a_function_of_numpy_does(name: str) -> None:
    args, names = WRITTEN[name]
    want, x = np.ones((3, 3)), lw.ones((3, 3), dtype=lw.float64)
    getattr(np, name)(want, *args)
    ours = [lw.asarray(y) if isinstance(y, np.ndarray) else y for y in args]
    exec(WORDS[name][0], {"lw": lw, "x": x, **dict(zip(names.split(), ours, strict=True))})
    np.testing.assert_array_equal(x, want)


def test_lines_of_random_activations_run() -> None:
    x, key = lw.asarray([-4.0, 2.0]), lw.random.key(0)
    names = {"lw": lw, "x": x, "key": key, "lower": 0.125, "upper": 0.25, "logits": x, "tau": 0.5}
    evaluation, training = re.findall(r"lw\.(?:nn|where).*?[)](?=, as|$)", WORDS["rrelu"][0])
    np.testing.assert_allclose(eval(evaluation, names), [-0.75, 2.0])
    first, second = eval(training, names)
    assert -1 <= first <= -0.5
    assert second == 2
    np.testing.assert_allclose(lw.sum(eval(WORDS["gumbel_softmax"][0], names)), 1.0, rtol=1e-6)


def test_every_composition_names_itself_and_what_it_takes() -> None:
    """A keyword that a function does not have is told by Python alone where a call would cost more for it."""
    x = lw.ones(2)
    for o in OPS.values():
        if o.name == "apply_along_axis":  # any keyword is one of the user's function
            continue
        if o.kind == "composition" and not o.name.startswith("_") and has_options(o.function):
            required = [
                p for p in o.signature.parameters.values() if p.default is p.empty and p.kind < p.VAR_POSITIONAL
            ]
            module, _, name = o.name.rpartition(".")
            function = getattr(getattr(lw, module) if module else lw, name)
            with pytest.raises(
                TypeError, match=rf"^{re.escape(o.name)}: got an unexpected keyword argument 'colour'.* The call"
            ):
                function(*[x for _ in required], colour=1)


def test_arguments_that_do_not_fit_show_the_call() -> None:
    x = lw.ones(2)
    with pytest.raises(
        TypeError, match=r"^insert: missing 1 required positional argument: 'values'\. The call is insert\("
    ):
        lw.insert(x, 0)
    with pytest.raises(TypeError, match=r"^kron: takes 2 positional arguments but 3 were given\. The call is kron\("):
        lw.kron(x, x, x)
    with pytest.raises(TypeError, match=r"takes arrays; got object"):  # which the body finds
        lw.divmod(x, object())


def has_options(f: Any) -> bool:
    """Whether a function takes anything but operands, and no keywords for a user's function."""
    without = {"broadcast_arrays", "broadcast_shapes", "atleast_1d", "atleast_2d", "atleast_3d"}
    return "kwargs" not in f.__annotations__ and f.__name__ not in without


def test_every_candidate_is_there() -> None:
    """A plain name is one of ours, and a line to write uses nothing that is not."""
    methods = [signature(f) for f in vars(Methods).values() if callable(f)]
    options = {n for s in (*methods, *(o.signature for o in OPS.values())) for n in s.parameters}
    names = {*lw.__all__, *OPS, *options, *(f"signal.{name}" for name in lw.signal.__all__)}
    for word, candidates in WORDS.items():
        assert not hasattr(lw, word) or word in METHODS | {"diagonal", "fft", "random", "shape", "size"}, word
        for candidate in candidates:
            assert is_line(candidate) or candidate in names, (word, candidate)
            assert {*re.findall(r"lw\.([\w.]+)", candidate)} <= names, (word, candidate)
            for attribute in re.findall(r"\bx\.(\w+)", candidate):
                assert hasattr(lw.Array, attribute), (word, candidate)


def test_words_are_no_methods() -> None:
    x = lw.ones(2)
    for method in METHODS:
        assert method in WORDS
        assert not hasattr(x, method)
        assert not hasattr(lw.Array, method)
        assert method not in dir(x)


def test_backends_are_known_by_other_names() -> None:
    aliases = [alias for facts in all_facts().values() for alias in facts.aliases]
    assert len({*aliases}) == len(aliases)
    assert not {*aliases} & {*all_facts()}
