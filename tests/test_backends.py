"""Every backend has every function, takes the options that the api declares, and has nothing beside them.

What the frameworks' own functions do with an option is found out by calling them: each option in turn, on each
backend, with NumPy's answer to compare with.
"""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Callable, Iterator
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

import numpy as np
import pytest
from support import computed

import latticework as lw
from latticework.backend import Backend, get
from latticework.contents import NAMESPACES
from latticework.core.dtypes import category
from latticework.core.registry import OPS
from latticework.engine.calls.specialise import planned
from latticework.engine.op import Op, functions

PLAIN = [o for o in OPS.values() if o.kind not in ("composition", "conversion")]


def sample(o: Op, dtype: lw.Dtype) -> list[Any]:
    """Operands of a dtype, empty: a plan asks for no more."""
    roles = {"index": lw.int64, "bool": lw.bool}
    if o.sequence:
        return [lw.zeros((0, 0), dtype=dtype)] * 2
    return [lw.zeros((0, 0), dtype=roles.get(o.role_of.get(name, ""), dtype)) for name in o.operands]


@pytest.mark.parametrize("name", [o.name for o in functions()])
def test_every_function_resolves(backend: str, name: str) -> None:
    o, owner = OPS[name], get(backend)
    if o.kind == "composition":
        assert owner.function(name) is None, "a composition is the same on every backend"
        return
    if o.kind == "creation":
        assert callable(owner.function(name))
        return
    resolved, refused = [], []
    for dtype in category(o.accepts):
        if (name, dtype) in owner.refused:
            refused.append(dtype)
            with pytest.raises(lw.errors.BackendError, match=name.rpartition(".")[2]):
                planned(o, sample(o, dtype))
            continue
        plan = planned(o, sample(o, dtype))
        assert plan.backend is owner
        assert callable(plan.call)
        # What the rules' families say of the operation, and not what the plan was made from.
        expected = lw.operation_result(name, *sample(o, dtype)[: len(o.operands)], rules="unified")
        assert plan.out[0] is (owner.index_dtype if o.out[0] == "index" else expected), dtype
        resolved.append(dtype)
    assert resolved, refused


# --- options ------------------------------------------------------------------------------------------------------


def options_of(o: Op) -> list[tuple[str, bool, Any]]:
    """What comes after the operands and is no array: name, whether by keyword only, and the default. `out` is left out,
    and `dtype` where the operand is cast to it: no backend gets these."""
    others = (*o.operands, *o.optional, *o.array_options, *["out"] * o.has_out, *["dtype"] * o.casts_first)
    after = [p for p in o.signature.parameters.values() if p.name not in others]
    return [_option(p) for p in after]


def _option(p: inspect.Parameter) -> tuple[str, bool, Any]:
    resolved = p.name in ("dtype", "device")  # which backends are always given, so that they need no default
    by_name = p.kind is p.KEYWORD_ONLY or p.default is not p.empty  # which backends get by name
    return p.name, by_name, None if resolved else p.default


def implementations(owner: Backend) -> Iterator[tuple[str, Op, Callable[..., Any]]]:
    """Everything that a backend may be asked to call."""
    for o in PLAIN:
        found = owner.function(o.name)
        if found is not None:
            yield o.name, o, found
    for (name, dtype), found in owner.emulated.items():
        yield f"{name} of {dtype}", OPS[name], found


def passes_everything_on(f: Callable[..., Any]) -> bool:
    """Whether it is a wrapper around another function, which the calls below look at."""
    kinds = {p.kind for p in inspect.signature(f).parameters.values()}
    return {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD} <= kinds


#: Chapters beyond the standard, whose own tests go through the options.
OF_OTHER_TESTS = tuple(
    f"latticework.api.{chapter}"
    for chapter in (
        "nn", "random", "special", "signal", "scattering", "fft.cosine", "fft.two_dimensional", "linalg.norms",
        "linalg.solvers", "linalg.matrix_functions", "linalg.structured",
    )
)  # fmt: skip
#: Options that the composition alone takes, of functions that backends have as well.
OF_BODIES = {"eye": ("batch_shape",), "round": ("decimals",)}
OF_BODIES |= {o.name: ("size", "fill_value") for o in OPS.values() if o.sized is not None}


def test_what_is_ours_takes_exactly_the_options_of_the_api(backend: str) -> None:
    wrong, seen = [], 0
    for label, o, f in implementations(get(backend)):
        if not str(getattr(f, "__module__", "")).startswith("latticework.") or passes_everything_on(f):
            continue
        seen += 1
        given = [*inspect.signature(f).parameters.values()]
        spread = bool(given) and given[0].kind is inspect.Parameter.VAR_POSITIONAL
        count = 1 if spread else len(o.operands)
        operands, options = given[:count], [p for p in given[count:] if p.name not in (*o.optional, *o.array_options)]
        if len(operands) != count or any(p.kind is p.KEYWORD_ONLY for p in operands):
            wrong.append(f"{label}: takes {inspect.signature(f)}, for the operands {o.operands}")
        elif o.function.__module__.startswith(OF_OTHER_TESTS):
            continue
        elif [_option(p) for p in options] != [p for p in options_of(o) if p[0] not in OF_BODIES.get(o.name, ())]:
            wrong.append(f"{label}: takes {inspect.signature(f)}, declared as {o.signature}")
    assert not wrong, "\n".join(wrong)
    assert seen > 20


#: One call for each option of each function that backends supply, on the arrays of `arrays` below.
CALLS = """
angle(m, deg=True)
addcmul(m, m, m, value=2)
argmax(m, axis=0)
argmax(m, keepdims=True)
argmin(m, axis=-1)
argmin(m, axis=0, keepdims=True)
argsort(m, axis=0)
argsort(m, descending=True)
argsort(m, stable=False)
broadcast_to(v, (2, 3))
concat([m, m], axis=1)
concat([m, i], axis=None)
nonzero(i, size=5, fill_value=7)
unique_all(i, size=4, fill_value=7)
unique_counts(i, size=2, fill_value=7)
unique_inverse(i, size=4, fill_value=7)
unique_values(i, size=4, fill_value=7)
count_nonzero(m, axis=(0, 1))
count_nonzero(m, axis=0, keepdims=True)
cumulative_prod(m, axis=1)
cumulative_prod(i, dtype=lw.float64)
cumulative_prod(v, include_initial=True)
cumulative_sum(m, axis=0)
cumulative_sum(i, dtype=lw.int64)
cumulative_sum(m, axis=1, include_initial=True)
diff(m, axis=0)
diff(m, n=2)
diff(v, prepend=v)
diff(v, append=v)
empty((2, 0), dtype=lw.int8)
empty(0, device=device)
expand_dims(m, axis=1)
eye(3, 4)
eye(3, k=-1)
eye(3, dtype=lw.uint8)
eye(3, device=device)
flip(m)
flip(m, axis=0)
isin(i, p, invert=True)
all(m > 1, axis=0)
all(m > 1, keepdims=True)
any(m > 5, axis=(0,))
any(m > 5, axis=1, keepdims=True)
max(m, axis=0)
max(m, keepdims=True)
mean(m, axis=(0, 1))
mean(m, axis=1, keepdims=True)
min(m, axis=1)
min(m, keepdims=True)
moveaxis(t, 0, 2)
ones((2, 2), dtype=lw.complex64)
ones(2, device=device)
permute_dims(t, (2, 0, 1))
prod(m, axis=0)
prod(i, dtype=lw.float32)
prod(m, axis=1, keepdims=True)
repeat(m, 2, axis=1)
reshape(m, (3, 2))
reshape(m, (-1,), copy=True)
reshape(m, (3, 2), order="F")
roll(m, 1)
roll(m, (1, 2), axis=(0, 1))
searchsorted(v, v, side="right")
searchsorted(i, v, sorter=lw.argsort(i))
sort(m, axis=0)
sort(m, descending=True)
sort(m, stable=False)
squeeze(m[None], axis=0)
stack([m, m], axis=-1)
std(m, axis=0)
std(m, correction=1)
std(m, axis=1, keepdims=True)
sum(m, axis=(0, 1))
sum(i, dtype=lw.float64)
sum(m, axis=0, keepdims=True)
take(m, p, axis=1)
take_along_axis(m, lw.argsort(m, axis=0), axis=0)
tensordot(m, q, axes=1)
tensordot(m, m, axes=((0,), (0,)))
tile(m, (2, 1))
tril(q, k=1)
triu(q, k=-1)
unstack(m, axis=1)
var(m, axis=1)
var(m, correction=1.0)
var(m, axis=0, keepdims=True)
vecdot(m, m, axis=0)
zeros((0, 2), dtype=lw.uint16)
zeros((2,), device=device)
fft.fft(v, n=4)
fft.fft(t, axis=0)
fft.fft(v, norm="ortho")
fft.ifft(v, n=2)
fft.ifft(t, axis=1)
fft.ifft(v, norm="forward")
fft.rfft(v, n=5)
fft.rfft(t, axis=1)
fft.rfft(v, norm="ortho")
fft.irfft(c, n=5)
fft.irfft(c[:, None], axis=0)
fft.irfft(c, norm="forward")
fft.hfft(c, n=5)
fft.hfft(c[:, None], axis=0)
fft.hfft(c, norm="ortho")
fft.ihfft(v, n=5)
fft.ihfft(t, axis=1)
fft.ihfft(v, norm="forward")
fft.fftn(t, s=(2, 4), axes=(0, 2))
fft.fftn(t, axes=(1,))
fft.fftn(t, norm="ortho")
fft.ifftn(t, s=(2, 2), axes=(0, 1))
fft.ifftn(t, norm="forward")
fft.rfftn(t, s=(2, 5), axes=(0, 2))
fft.rfftn(t, norm="ortho")
fft.irfftn(c[None], s=(2, 4), axes=(0, 1))
fft.irfftn(c[None], norm="forward")
linalg.cholesky(q, upper=True)
linalg.cross(m, m[::-1, :], axis=1)
linalg.diagonal(q, offset=1)
linalg.matrix_norm(m, keepdims=True)
linalg.matrix_norm(m, ord="nuc")
linalg.matrix_norm(m, ord=1)
linalg.matrix_power(q, 3)
linalg.matrix_rank(q, rtol=0.5)
linalg.pinv(m, rtol=0.01)
linalg.qr(m, mode="complete")
linalg.svd(m, full_matrices=False)
linalg.trace(q, offset=1)
linalg.trace(q, dtype=lw.float64)
linalg.vector_norm(m, axis=0)
linalg.vector_norm(m, keepdims=True)
linalg.vector_norm(m, axis=(0, 1), ord=1)
partition(m, 1, axis=0)
argpartition(lw.asarray([[4.0], [1.0], [2.0]]), (0, 1, 2), axis=0)
top_k(m, 2, axis=0)
top_k(m, 2, largest=False)
top_k(m, 1, sorted=False)
median(m, axis=0, keepdims=True)
nanmedian(m, axis=0, keepdims=True)
ptp(m, axis=1, keepdims=True)
nansum(m, axis=0, keepdims=True, dtype=lw.float64)
nanprod(m, axis=0, keepdims=True, dtype=lw.float64)
nancumsum(m, axis=0, dtype=lw.float64)
nancumprod(m, axis=0, dtype=lw.float64)
nanmean(m, axis=0, keepdims=True)
nanvar(m, axis=0, keepdims=True, correction=1)
nanstd(m, axis=0, keepdims=True, correction=1)
nanmax(m, axis=0, keepdims=True)
nanmin(m, axis=0, keepdims=True)
nanargmax(m, axis=0, keepdims=True)
nanargmin(m, axis=0, keepdims=True)
average(m, axis=0, keepdims=True)
cov(m, rowvar=False, correction=0)
corrcoef(q, rowvar=False)
logsumexp(m, axis=0, keepdims=True)
cummax(m, axis=1)
cummin(m, axis=1)
logcumsumexp(m, axis=1)
digitize(m, v, right=True)
interp(m, v, v, left=0.5, right=9.0)
interp(m, v, v, period=3.0)
trapezoid(m, axis=0, dx=2.0)
cumulative_trapezoid(m, axis=0, dx=2.0, initial=0.5)
unwrap(m, axis=0, discont=3.0, period=4.0)
convolve(v, v, mode="same")
correlate(v, v, mode="full")
fft.fft2(t, s=(2, 5), axes=(0, -1))
fft.fft2(t, norm="ortho")
fft.ifft2(t, s=(2, 5), axes=(0, -1))
fft.ifft2(t, norm="ortho")
fft.rfft2(t, s=(2, 5), axes=(0, -1))
fft.rfft2(t, norm="forward")
fft.irfft2(c[None], s=(2, 4), axes=(0, 1))
fft.irfft2(c[None], norm="forward")
fft.dct(t, type=3, n=6, axis=1, norm="ortho")
fft.idct(t, type=1, n=2, axis=1, norm="forward")
linalg.cdist(m, q, p=1)
linalg.cho_solve(q, v, upper=True)
linalg.cond(q, p=1)
linalg.diagonal_set(q, v[:2], offset=1)
linalg.lstsq(m, v[:2], rcond=0.1)
linalg.matrix_band_part(q, 1, 0)
linalg.norm(m, ord=1, axis=1, keepdims=True)
linalg.null_space(m, rcond=2.0)
linalg.orth(m, rcond=0.01)
linalg.polar(m, side="left")
linalg.solve_triangular(q, v, upper=True, transpose=True, unit_diagonal=True)
linalg.tensorinv(q, ind=1)
linalg.tensorsolve(q, v, axes=(0,))
linalg.toeplitz(v, r=m[0, :])
polyder(v, m=2)
polyfit(v, v * v, deg=1, rcond=0.01, w=v)
roots(v, strip_zeros=False)
signal.frame(t, 2, 1, axis=1)
signal.overlap_add(t, 2)
signal.stft(t, 4, 2, 3)
signal.stft(v, 4, window=lw.ones(3), center=True, pad_mode="replicate", normalized=True, onesided=False)
signal.stft(t, n_fft=3, hop_length=1, win_length=2, center=False)
signal.istft(lw.stack([c, c, c], axis=1), 4, 1, 3, length=5)
signal.istft(m + 0j, n_fft=2, hop_length=1, win_length=2, window=lw.ones(2), center=False, onesided=False)
signal.istft(lw.stack([c, c, c], axis=1), 4, normalized=True)
signal.fftconvolve(m, m, mode="same")
""".split("\n")[1:-1]

#: Calls whose numbers are not determined: memory that nothing was written to.
UNDETERMINED = ("empty",)
#: Calls whose numbers are determined but for signs.
SIGNS = (
    "linalg.qr",
    "linalg.svd",
    "linalg.null_space",
    "linalg.orth",
)


def called(line: str) -> tuple[str, set[str], int]:
    """The function of a call, the options that it names, and how many arguments go by position."""
    (statement,) = ast.parse(line).body
    assert isinstance(statement, ast.Expr)
    assert isinstance(statement.value, ast.Call)
    call = statement.value
    return ast.unparse(call.func), {k.arg for k in call.keywords if k.arg}, len(call.args)


def arrays(backend: str) -> dict[str, Any]:
    with lw.using(backend=backend):
        m = lw.asarray([[3.0, 1.0, 2.0], [4.0, 6.0, 5.0]])
        return {
            "m": m,
            "q": lw.asarray([[4.0, 1.0, 0.5], [1.0, 5.0, 2.0], [0.5, 2.0, 6.0]]),
            "t": lw.reshape(lw.asarray([float(n * n % 11) for n in range(24)]), (2, 3, 4)),
            "v": lw.asarray([1.0, 2.0, 4.0]),
            "i": lw.asarray([3, 1, 2, 3]),
            "p": lw.asarray([2, 0], dtype=lw.int64),
            "c": lw.asarray([1.0, 2 + 1j, 3.0]),
            "device": m.device,
        }


def answer(line: str, backend: str) -> list[Any]:
    with lw.using(backend=backend), np.errstate(all="ignore"):
        made = eval(f"lw.{line}", {"lw": lw} | arrays(backend))
    return [*made] if isinstance(made, tuple) else [made]


def test_there_is_a_call_for_every_option() -> None:
    named: dict[str, set[str]] = {}
    by_position: dict[str, int] = {}
    for line in CALLS:
        name, options, positions = called(line)
        named.setdefault(name, set()).update(options)
        by_position[name] = max(by_position.get(name, 0), positions)
    missing = []
    for o in PLAIN:
        if o.name.rpartition(".")[2].startswith("_") or o.function.__module__.startswith(OF_OTHER_TESTS):
            continue
        given = by_position.get(o.name, 0) - (1 if o.sequence else len(o.operands))
        bodies = OF_BODIES.get(o.name, ())
        options = [name for name, _, _ in options_of(o)[max(given, 0) :] if name not in bodies]
        missing += [f"{o.name}: {name}" for name in options if name not in named.get(o.name, ())]
    assert not missing


@pytest.mark.parametrize("line", CALLS)
def test_every_option_does_what_it_does_on_numpy(backend: str, line: str) -> None:
    name = called(line)[0]
    for got, want in zip(answer(line, backend), answer(line, "numpy"), strict=True):
        assert got.backend == backend
        assert got.dtype is want.dtype
        want_values = np.asarray(want)

        def compare(found: np.ndarray, expected: np.ndarray = want_values) -> None:
            assert found.shape == expected.shape
            if name in UNDETERMINED:
                return
            if name in SIGNS:
                found, expected = np.abs(found), np.abs(expected)
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)

        computed(got, compare)


# --- nothing else ---------------------------------------------------------------------------------------------------


def test_a_backend_has_no_function_that_the_api_does_not_declare(backend: str) -> None:
    """What is public in a module and no function of the api is a part of the contract, or helps another function: its
    name is read somewhere in the backend."""
    package = get(backend).module
    modules = [package, *(import_module(m.name) for m in walk_packages(package.__path__, f"{package.__name__}."))]
    read: set[str] = set()
    for module in modules:
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                read.add(node.id)
            elif isinstance(node, ast.Attribute):
                read.add(node.attr)
            elif isinstance(node, ast.ImportFrom):
                read.update(alias.name for alias in node.names)
    stray = []
    for module in modules:
        if module.__name__.rpartition(".")[2] in ("control_flow", "transformations"):
            continue  # hooks that take functions, which tests of their own call
        chapter = module.__name__.removeprefix(f"{package.__name__}.").partition(".")[0]
        namespace = f"{chapter}." if chapter in NAMESPACES else ""
        for name, value in vars(module).items():
            own = isinstance(value, (types.FunctionType, type)) and value.__module__ == module.__name__
            if own and not name.startswith("_") and f"{namespace}{name}" not in OPS and name not in read:
                stray.append(f"{module.__name__}.{name}")
    assert not stray
