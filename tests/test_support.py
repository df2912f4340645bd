"""Which dtypes functions take: measured again here, and of a user's functions, checked by running them.

Comments name the place in the Ivy document's "Data Types" chapter that says what a test is about.
"""

from __future__ import annotations

import functools
import importlib.util
import itertools
import json
import math
import operator
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from cases import in_turn, sampled
from test_cli import run

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))

import function_page
import pages
import support_page

import latticework as anything
import latticework as lw
from latticework import add as plus
from latticework.backend import get, supported, versions
from latticework.backend import measured as data
from latticework.core.registry import OPS
from latticework.engine.op import Op
from latticework.policy import current
from latticework.support import samples
from latticework.support.evaluation import Answers, ends_of
from latticework.support.meets import CannotSeeError, met
from latticework.support.probe import Measured, probe
from latticework.support.query import why_unsupported

#: Backends that are measured whole in every run; of the others a part, and all of it by `make sweep`.
WHOLE = ("numpy", "torch")
BACKENDS = [b.name for b in lw.backends() if b.installed]


# --- what was measured ----------------------------------------------------------------------------------------------


def compare(backend: str, names: list[str]) -> None:
    kept = {name: row for name, row in data.table(backend).items() if name in names}
    found = data.encode(probe(backend, only=names))
    assert data.differences(kept, found) == [], f"if it should be so: latticework probe {backend} --write"


# Supported and Unsupported Data Types, the paragraph on what is documented and what testing finds.
def test_it_is_as_it_was_measured(backend: str) -> None:
    names = samples.names()
    compare(backend, in_turn(names, 4 if backend in WHOLE else 24 if backend == "jax" else 8, backend))


@pytest.mark.sweep
def test_all_of_it_is_as_it_was_measured(backend: str) -> None:
    compare(backend, samples.names())


def test_every_function_was_measured_and_nothing_else(backend: str) -> None:
    assert {*data.table(backend)} == {*samples.names()}, f"latticework probe {backend} --write"


def test_nothing_that_was_measured_is_wrong(backend: str) -> None:
    for name, row in data.table(backend).items():
        assert "!" not in row["how"].values(), f"{name}: {row.get('why')}"
        reasons = " ".join(row.get("why", {}).values()).split()
        assert len(reasons) == sum(letter in "-x" for letter in row["how"].values()), name


def test_what_one_backend_takes_is_refused_on_no_other() -> None:
    for name in samples.names():
        refused = {tuple(x == "-" for x in data.letters(data.table(b)[name], data.MEASURED)) for b in BACKENDS}
        assert len(refused) == 1, name


def test_detours_are_listed(backend: str) -> None:
    for name, dtype in get(backend).emulated:
        if name in data.table(backend):
            assert data.how(backend, name, dtype) in ("emulated", "lifted"), (name, dtype)


# Supported and Unsupported Data Types, the two examples of dtypes that TensorFlow's functions do not take.
def test_what_a_framework_lacks_is_computed_exactly(backend: str) -> None:
    for d in lw.all_dtypes:
        limit = lw.iinfo(d).max if d.kind in "iu" else 1
        x = lw.asarray([0, limit], dtype=d)
        assert lw.logical_not(x).tolist() == [True, False]
        if d.kind == "u":
            assert lw.abs(x).dtype is d and lw.abs(x).tolist() == [0, limit]


# Backend Data Type Bugs, its two examples: a contraction in int32, and a sum of float32 in bfloat16.
def test_what_failed_on_some_versions_is_computed(backend: str) -> None:
    counts = np.arange(1, 7).reshape(1, 2, 3)
    for d in (lw.int32, lw.int64):
        x = lw.asarray(counts, dtype=d)
        made = lw.tensordot(x, x, axes=((0,), (0,)))
        assert made.dtype is d and made.tolist() == np.tensordot(counts, counts, ((0,), (0,))).tolist()
    running = lw.cumulative_sum(lw.zeros(1, dtype=lw.float32), axis=0, dtype=lw.bfloat16)
    assert running.dtype is lw.bfloat16 and running.tolist() == [0]


def test_a_function_that_gives_something_else_is_found_out(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def measured(name: str) -> dict[str, Measured]:
        return probe(backend, only=[name])[name]

    made = samples.call_of("add")

    def call(make: samples.Made, dtype: lw.Dtype) -> lw.Array:  # the reference, in float64, is another
        return made(make, dtype) + (lw.default_float_dtype() is lw.float32)

    monkeypatch.setattr(samples, "call_of", lambda name: call)
    assert measured("add")["int8"].how == "wrong"
    monkeypatch.setattr(samples, "call_of", lambda name: lambda make, dtype: lw.astype(made(make, dtype), lw.int8))
    found = measured("add")
    assert found["int8"].how == "native" and found["int16"] == ("wrong", "a result of int8; int16 is declared")
    monkeypatch.setattr(samples, "call_of", lambda name: lambda make, dtype: lw.reshape(make([1], dtype), (2,)))
    assert measured("add")["float32"].how == "wrong"  # an error that has nothing to do with dtypes


# --- how it is kept -------------------------------------------------------------------------------------------------


def test_a_version_that_is_not_listed_behaves_as_the_last_one_before(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(data, "_FOLDER", tmp_path)
    data.table.cache_clear()
    for version, letter in (("2.4.0", "n"), ("2.10.0", "x")):
        cells = dict.fromkeys(lw.all_dtypes, letter)
        data.save("numpy", version, "cpu", {"sin": {"how": cells, "why": {"sin: no {dtype}": "int8"}}})
    data.save("numpy", "2.10.0", "cuda", {"sin": {"how": dict.fromkeys(lw.all_dtypes, "d")}})
    try:
        for version, how in (
            ("2.4.0", "native"), ("2.5", "native"), ("2.9.9", "native"), ("2.10.0", "missing"), ("3.0", "missing"),
            ("1.0", "native"),
        ):  # fmt: skip
            assert data.how("numpy", "sin", lw.int8, version=version) == how, version
        assert data.why("numpy", "sin", lw.int8, version="2.4") == "sin: no int8"
        assert data.how("numpy", "sin", lw.int8, version="2.10", device="cuda:1") == "emulated"
        assert data.how("numpy", "sin", lw.int8, version="2.10", device="tpu") == "missing"
        assert data.how("numpy", "cos", lw.int8) == "unknown"
        assert lw.float32 in lw.function_supported_dtypes(lw.sin, backend="numpy", version="2.5")
        assert lw.float32 not in lw.function_supported_dtypes(lambda x: lw.sin(x) + 1, backend="numpy", version="2.10")
        assert lw.float32 not in lw.function_supported_dtypes("sin", backend="numpy", version="99")
        assert len((tmp_path / "numpy.json").read_text().splitlines()) < 40
    finally:
        data.table.cache_clear()


def test_differences_name_every_cell() -> None:
    everywhere = dict.fromkeys(data.MEASURED, "n")
    before = {"sin": {"how": everywhere}, "old": {"how": everywhere}}
    sin = {**everywhere, "bool": "x", "complex128": "-"}
    now = {"sin": {"how": sin, "why": {"sin: no {dtype}": "bool"}}, "new": {"how": everywhere}}
    assert data.differences(before, now) == [
        "new: not measured before", "old: there is no such function now",
        "sin(bool): native before, missing now (sin: no bool)", "sin(complex128): native before, refused now",
    ]  # fmt: skip
    assert data.differences(now, now) == []


# --- functions of ours ----------------------------------------------------------------------------------------------


def without_data(f: Callable[..., Any], o: Op, dtype: lw.Dtype, backend: str) -> bool:
    """Whether a function runs on its samples without their data."""
    policy = current()._with(backend=f"abstract:{backend}", chosen=True)

    def call() -> Any:
        args, options = samples.arguments(o, lambda values, d: lw.asarray(values, dtype=d), dtype)
        return f(*args, **options)

    return None in ends_of(call, Answers(), policy, f)


#: Compositions that ask for values, or whose samples have one dtype where others are given.
BY_VALUES = ("linalg.lu_solve", "roots", "setxor1d", "trim_zeros")


# Supported and Unsupported Data Types, the paragraph on compositional functions.
def test_running_a_composition_without_data_gives_what_running_it_gave(backend: str) -> None:
    wrong = []
    for name, o in OPS.items():
        if o.kind != "composition" or name not in data.table(backend) or name in BY_VALUES:
            continue
        for dtype in supported(get(backend), "all"):
            how = data.how(backend, name, dtype)
            if without_data(o.function, o, dtype, backend) is not (how == "composed"):
                wrong.append(f"{name}({dtype}): measured {how}")
    assert wrong == []


def test_running_the_body_of_a_mixed_function_without_data_gives_what_running_it_gave(backend: str) -> None:
    wrong = []
    for name, o in OPS.items():
        for dtype in supported(get(backend), "all") if o.kind == "mixed" and name in data.table(backend) else ():
            if data.how(backend, name, dtype) != "composed":
                continue  # it is the backend's own, or gets another dtype
            if not without_data(o.body, o, dtype, backend):
                wrong.append(f"{name}({dtype})")
    assert wrong == []


def test_functions_of_ours_by_name_alias_and_object(backend: str) -> None:
    refused = (lw.bfloat16, lw.float16)
    for inverse in ("linalg.inv", lw.linalg.inv):
        assert lw.function_unsupported_dtypes(inverse) == refused
        taken_by = lw.function_supported_dtypes(inverse)
        assert [*taken_by] == [d for d in lw.all_dtypes if d in get(backend).native_dtypes and d not in refused]
    assert lw.function_supported_dtypes(lw.power) == lw.function_supported_dtypes(lw.pow)
    assert lw.function_supported_dtypes(lw.Array.__and__) == lw.function_supported_dtypes(lw.bitwise_and)
    assert lw.function_supported_dtypes(lw.Array.max) == lw.function_supported_dtypes(lw.max)
    assert lw.function_supported_dtypes(lw.zeros) == lw.function_supported_dtypes(lw.asarray)
    assert lw.function_supported_dtypes(lw.result_type)


def test_the_rules_in_force_count() -> None:
    assert lw.int32 in lw.function_supported_dtypes(lw.cos, backend="numpy")
    with lw.using(rules="strict"):
        assert lw.int32 not in lw.function_supported_dtypes(lw.cos, backend="numpy")
        assert lw.int32 not in lw.function_supported_dtypes(lambda x: x + 0.5, backend="numpy")


def test_a_casting_mode_does_not_count() -> None:
    with lw.using(casting="up"):
        assert lw.float16 in lw.function_unsupported_dtypes(lw.linalg.inv, backend="numpy")
        assert lw.float16 in lw.function_unsupported_dtypes(lambda x: lw.linalg.inv(x), backend="numpy")  # noqa: PLW0108


# Supported and Unsupported Data Types, the paragraph on what is unsupported and what is invalid.
_X32 = """
import latticework as lw, jax
named = dir(lw)
assert lw.function_supported_devices(lw.cos, backend="jax")
assert not jax.config.jax_enable_x64 and dir(lw) == named  # to ask about a backend is not to select it
lw.set_backend("jax", x64=False)
invalid = ("int64", "uint64", "float64", "complex128")
assert lw.invalid_dtypes == invalid
for f in (lw.add, lw.floor, lw.linalg.inv, lw.asarray, "sum"):
    supported, unsupported = lw.function_supported_dtypes(f), lw.function_unsupported_dtypes(f)
    assert len({*invalid, *supported, *unsupported}) == len(invalid + supported + unsupported) == 15, f
@lw.with_unsupported_dtypes({"0.1 and above": ("float16",)}, "jax")
def limited(x):
    return x
assert limited.unsupported_dtypes == ("float16",)  # what it says of itself, and no more
assert limited(lw.ones(2)).dtype == "float32"
print("done")
"""


@pytest.mark.skipif("jax" not in BACKENDS, reason="it is about JAX's 64-bit switch")
def test_what_is_invalid_is_neither_supported_nor_unsupported() -> None:
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", _X32], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "done", done.stderr[-2000:]


def test_devices(backend: str) -> None:
    devices = lw.__array_namespace_info__().devices()
    assert lw.function_supported_devices(lw.add) == tuple(devices)
    assert lw.function_unsupported_devices(lambda x: lw.sin(x) + 1) == ()


@pytest.mark.sweep
def test_every_pair_of_dtypes_that_has_a_plan_is_computed(backend: str) -> None:
    wrong = []
    for name, o in OPS.items():
        if len(o.operands) != 2 or o.kind != "primitive" or o.role_of:
            continue
        f = getattr(getattr(lw, o.namespace) if o.namespace else lw, o.function.__name__)
        for a, b in itertools.product(lw.all_dtypes, repeat=2):
            x, y = lw.eye(2, dtype=a), lw.ones((2, 2), dtype=b)
            try:
                plan = lw.plan(name, x, y)
            except TypeError:
                continue
            try:
                result = np.asarray(f(x, y))
            except Exception as error:
                wrong.append(f"{name}({a}, {b}): {error}")
                continue
            if lw.as_dtype(result.dtype) is not plan.out[0]:
                wrong.append(f"{name}({a}, {b}): {result.dtype} instead of {plan.out[0]}")
    assert wrong == []


# --- functions of a user's own, checked by running them ------------------------------------------------------------

own = lw.bitwise_invert
xp = lw


def by_alias(x):
    return plus(own(x), anything.linalg.diagonal(x))


def namespace_of_the_array(x, xp=None):
    xp = x.__array_namespace__() if xp is None else xp
    return xp.linalg.inv(x)


def namespace_as_argument(x, xp):
    return xp.sort(x)


def namespace_of_the_module(x):
    return xp.fft.fft(x).real


def imports_inside(x):
    import latticework as q
    from latticework import floor as down

    return q.sort(down(x))


def operators(x, y):
    z = -x @ y.T
    return ~(z > 0) | (z[0, ...] == 1)


def shifts(x, y):
    return (x << 1) % y


def methods_of_arrays(x):
    return x.cumsum(axis=0).T.reshape(-1).clip(0, 1)


def properties_of_arrays(x):
    return x.real + x.mT


def casts(x):
    return lw.linalg.svd(lw.astype(x.real, lw.float32) if x.dtype.kind == "c" else x.astype("float64")).S


def casts_to_ints(x):
    return lw.bitwise_and(lw.astype(x, lw.int32), 1)


def dtype_arguments(x):
    return lw.bitwise_xor(lw.sum(x, dtype=lw.int64), lw.zeros((3, 3), dtype=lw.uint8))


def dtype_of_another(x):
    return lw.linalg.inv(lw.ones((1, 1), dtype=x.dtype) + 0)


def positions(x):
    return lw.take(x, lw.argsort(x, axis=0)[0], axis=0) * lw.argmax(x)


def conditions_on_dtypes(x):
    if lw.isdtype(x.dtype, "integral"):
        x = lw.astype(x, lw.float32)
    elif x.dtype == lw.bool or x.dtype in (lw.bfloat16, lw.float16):
        raise TypeError("nothing for these")
    return lw.linalg.eigh(x).eigenvalues


def matching(x):
    match x.dtype.kind:
        case "f":
            return lw.floor(x)
        case "i" | "u":
            return x >> 1
        case _ as kind:
            return lw.sort(x) if kind == "b" else lw.conj(x)


def recursive(x, depth=3):
    return recursive(lw.remainder(x, 2), depth - 1) if depth else x


def even(x, n=4):
    return odd(x & 1, n - 1) if n else x


def odd(x, n):
    return even(x, n)


def loops(x):
    made = x
    for f in (lw.square, lw.negative, lambda y: y // 2):
        made = f(made)
    left = 3
    while left and lw.any(made > 10):
        made, left = made - 1, left - 1
    return made


def gathers(x):
    made = []
    for row in lw.unstack(x):
        made.append(lw.cumulative_sum(row))  # noqa: PERF401
    return lw.stack(made) + sum(row * row for row in lw.unstack(x))


def comprehensions(x):
    rows = {i: f(x) for i, f in enumerate([lw.trunc, lw.sign])}
    return [lw.maximum(a, x) for a in rows.values()]


def generator(x):
    yield lw.max(x)
    yield from (lw.min(y) for y in (x, x))


def local_functions(x, y):
    def inner(z, scale=2):
        return lw.atan2(z, y) * scale

    outer = lambda z: inner(z)  # noqa: E731, PLW0108
    return outer(x)


def unpacks(x):
    (u, s, vh), *rest = lw.linalg.svd(x), lw.linalg.qr(x)
    return u @ vh + s + rest[0].Q


def tries(x):
    try:
        return lw.linalg.inv(x)
    except TypeError:
        return lw.linalg.inv(x.astype(lw.float32))


def in_place(x):
    x = lw.asarray(x, copy=True)
    x += 0.5
    return x


def assigns(x):
    made = lw.zeros((3, 3), dtype=lw.float32)
    made[0, :] = x[0]
    return made


def masks(x):
    return lw.where(x < 0, 0, x)[lw.any(x != 0, axis=0)]


def under_other_rules(x):
    with lw.using(rules="strict"):
        return x * 1.5


def folds(x):
    return functools.reduce(operator.mul, [x, x, abs(x)])


def by_keywords(x):
    options = {"axis": 0, "keepdims": True}
    return lw.max(x, **options) - lw.mean(*[x], **options)


def numbers(x):
    n = len(x) if isinstance(x, list) else x.shape[0]
    return x * max(n, 2) + lw.finfo(lw.result_type(x, 1.0)).eps * n


def timed(f):
    @functools.wraps(f)
    def wrapper(*args, **kw):
        return f(*args, **kw)

    return wrapper


@timed
def decorated(x):
    return lw.logaddexp(x, x)


@functools.lru_cache
def cached(n):
    return lw.remainder if n else lw.add


def calls_cached(x):
    return cached(3)(x, 2)


def made_by_another(f):
    def inner(x):
        return f(x, x)

    return inner


def dicts(x):
    made = {"a": lw.floor, "b": lw.sort}
    made["c"] = lw.trunc
    options = dict(keepdims=True, axis=0)  # noqa: C408
    found = [f(x) for name, f in made.items() if name != "b"]
    return lw.max(made.get("none", found[0]), axis=options.pop("axis")) + sum(y for y in {"k": x}.values())


def builtins_of_python(x):
    first, *rest = [*map(lw.cumulative_sum, lw.unstack(x)), *filter(None, [])]
    pairs = [a * b for a, b in zip(rest, reversed(rest), strict=True)]
    least = min(float(lw.min(x.real)), *[2.0, len(pairs)])
    named = f"{least:.1f}".upper().split(".")
    checked = all(isinstance(y, lw.Array) and hasattr(y, "dtype") for y in pairs)
    if not checked or isinstance(least, str) or not callable(lw.sin):
        raise TypeError("not reached")
    return getattr(lw, "abs")(first) * next(iter(pairs)) + int(len(named) > 9)  # noqa: B009


def converts(x):
    return float(x[0, 0]) + round(abs(x)[0, 0].item())


def walrus_and_ternary(x):
    if (n := x.ndim) > 1 and (y := lw.sort(x)) is not None:
        return y if n else lw.flip(y)
    return x


def imports_by_name(x):
    import importlib

    module = importlib.import_module("latticework.linalg")
    return module.cholesky(x)


def caches_inside(x):
    @functools.cache
    def scale(n):
        return n * 2

    return functools.partial(lw.pow, x)(scale(1))


def raises_again(x):
    try:
        return lw.linalg.svdvals(x)
    except TypeError as error:
        if "widened" in str(error):
            raise
        raise ValueError("other") from error
    finally:
        x = None


def other_errors(x):
    try:
        y = lw.linalg.inv(lw.astype(x, lw.complex64))
    except lw.linalg.LinAlgError:
        y = lw.sort(x.real)
    return y


def guards(x):
    match (x.dtype.kind, len(x.shape)):
        case ("c", _):
            return lw.conj(x)
        case (kind, n) if n > 5:
            return lw.sort(x) if kind else x
    match x.dtype:
        case lw.bool | lw.int8:
            return x
        case None:
            return lw.linalg.inv(x)
        case other if other.bits > 8:
            return lw.signbit(x)
    return lw.floor(x)


def while_with_break(x):
    total, n = 0, 0
    while True:
        total = total + lw.remainder(x, 3)
        n += 1
        if n > 2:
            break
        if lw.any(total > 100):
            continue
    else:
        return lw.linalg.inv(x)
    return total


def lists(x):
    made = [x] * 2 + [lw.square(x)]
    made.extend(lw.unstack(x))
    made.insert(0, x)
    made[0] = lw.negative(x)
    del made[-1]
    n: int = made.index(x) if False else 1
    assert n == 1
    return made[n:][0] + made[-1]


def of_a_class(x):
    return (Scaled(x) + x)[0]


def copies(x):
    return (
        lw.from_dlpack(x.copy().to_device(x.device)) if x.dtype == lw.float32 else lw.maximum(*lw.meshgrid(x[0], x[1]))
    )


class Pair(NamedTuple):
    first: Any
    second: Any = None


@dataclass
class Scaled:
    by: Any
    after: Callable[..., Any] = lw.floor

    def __call__(self, x):
        return self.after(x * self.by)

    def __add__(self, other):
        return self.by + other

    @functools.cached_property
    def doubled(self):
        return self.by * 2


def objects(x):
    pair = Pair(lw.sort(x), second=x)
    return Scaled(2)(pair.second) + pair.first


class Network:
    """A user's own object, with functions for attributes."""

    kernel = staticmethod(lw.hypot)

    def __init__(self, activation=lw.tanh):
        self.activation = activation
        self.weights = lw.ones((3, 3))
        self.layers = [self.helper, lw.sort]

    @property
    def scaled(self):
        return self.weights * 2

    def helper(self, x):
        return self.activation(x @ self.scaled)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.kernel(x, x)

    __call__ = forward

    @classmethod
    def made(cls, x):
        return cls(lw.floor).helper(x) + Scaled(x).doubled

    def set_and_use(self, x):
        self.memory = lw.bitwise_or(x, x)
        return self.recall()

    def recall(self):
        return self.memory | 1


def of_pythons_math(x):
    return lw.asarray(math.hypot(1.0, lw.sum(x)))


def whole_numbers(x):
    return lw.asarray(math.gcd(x[0, 0], 2))


FUNCTIONS = [
    by_alias, namespace_of_the_array, namespace_of_the_module, imports_inside, operators, shifts, methods_of_arrays,
    properties_of_arrays, casts, casts_to_ints, dtype_arguments, dtype_of_another, positions, conditions_on_dtypes,
    matching, recursive, even, loops, gathers, comprehensions, generator, local_functions, unpacks, tries, in_place,
    assigns, masks, under_other_rules, folds, by_keywords, numbers, decorated, calls_cached, objects, dicts,
    builtins_of_python, converts, walrus_and_ternary, imports_by_name,
    caches_inside, raises_again, other_errors, guards, while_with_break, lists, of_a_class, copies,
    of_pythons_math, whole_numbers,
]  # fmt: skip
OTHERS: dict[str, Callable[[], Callable[..., Any]]] = {
    "xp given": lambda: functools.partial(namespace_as_argument, xp=lw),
    "closure": lambda: made_by_another(lw.bitwise_xor),
    "lambda": lambda: lambda x: lw.floor_divide(x, 2),
    "two lambdas": lambda: (lambda x: x, lambda x: lw.sort(x))[1],  # noqa: PLW0108
    "bound method": lambda: Network().forward,
    "object": Network,
    "class method": lambda: Network.made,
    "method that sets": lambda: Network().set_and_use,
    "with another function": lambda: Network(lw.round),
    "dataclass": lambda: Scaled(2, lw.sort),
    "partial of a partial": lambda: functools.partial(functools.partial(lw.where, lw.ones((3, 3)) > 0), 0),
    "method of an array": lambda: lw.asarray([[1, 2, 3]] * 3, dtype="int8").__matmul__,
}


# --- what one statement or call must not leave behind for the next -----------------------------------------


def once(f):
    """Unlike in `timed`, the closures are told apart by none of their arguments."""

    @functools.wraps(f)
    def wrapper(x):
        return f(x)

    return wrapper


@once
def low_bit(x):
    return lw.bitwise_and(x, 1)


@once
def closure_in_a_closure(x):
    return low_bit(x)


@once
def floored(x):
    return lw.floor(x)


def closure_after_a_closure(x):
    return floored(x) + low_bit(x)


def local_closures(x):
    def local(f):
        def wrapper(y):
            return f(y)

        return wrapper

    return local(local(lambda y: lw.bitwise_and(y, 1)))(x)


def tenth(x):
    return x * 0.1


def called_under_two_rules(x):
    y = tenth(x)
    with lw.using(rules="strict"):
        return tenth(x) + y


class Box:
    def __init__(self, x):
        self.x = x


def low_bit_of_first(boxes):
    return lw.bitwise_and(boxes[0].x, 1)


def object_that_changes(x):
    box = Box(lw.zeros((3, 3), dtype=lw.int8))
    boxes = [box]
    low_bit_of_first(boxes)
    box.x = x
    return low_bit_of_first(boxes)


def calls_without_arguments(f):
    return f()


def closure_that_changes(x):
    y = lw.zeros((3, 3), dtype=lw.int8)
    low = lambda: lw.bitwise_and(y, 1)  # noqa: E731
    calls_without_arguments(low)
    y = x
    return calls_without_arguments(low)


def unless(x, n):
    return x if n == -1 or (n == 1 and not isinstance(n, bool)) else lw.bitwise_and(x, 1)


def arguments_of_equal_hash(x):
    return unless(x, -1), unless(x, -2)


def arguments_that_are_equal(x):
    return unless(x, 1), unless(x, True)


def refused_inside_of_much(x):
    try:
        for row in lw.unstack(x):
            if row.ndim:
                _ = [lw.linalg.inv(x) if y.ndim else y for y in (row, x)]
    except TypeError:
        raise TypeError("none of these") from None
    return x


def else_is_not_caught(x):
    try:
        y = lw.sort(x)
    except TypeError:
        y = x
    else:
        y = lw.linalg.inv(x)
    return y


def the_handler_that_fits(x):
    try:
        return lw.linalg.inv(x)
    except ValueError:
        return x
    except TypeError:
        raise


def raises_what_it_handles(x):
    try:
        if x.dtype.kind == "c":
            raise TypeError
        return lw.floor(x)
    except TypeError:
        return lw.sort(x)


def finally_after_return(x):
    try:
        return x
    finally:
        lw.bitwise_and(x, 1)


def finally_after_break(x):
    for row in lw.unstack(x):
        y = row
        try:
            y = lw.square(y)
            break
        finally:
            lw.bitwise_and(y, 1)
    return x


def finally_before_more(x):
    y = lw.zeros(3, dtype=lw.int8)
    try:
        if x.ndim == 1:
            y = lw.ones(3)
            return y
    finally:
        z = y * 2
    return lw.bitwise_and(z, 1) + x[0]


def groups(x):
    try:
        x = lw.bitwise_and(x, 1)
    except* ValueError:
        x = lw.sort(x)
    return x


def while_with_else(x):
    n = 2
    while n:
        n -= 1
    else:  # noqa: PLW0120 - the test is of it
        x = lw.bitwise_and(x, 1)
    return x


def stops_at_break(x):
    for f in (lw.positive, None, lw.bitwise_invert):
        if f is None:
            break
        x = f(x)
    else:
        x = lw.bitwise_invert(x)
    return x


def raises_after_break(x):
    for row in lw.unstack(x):
        if lw.any(row != 0):
            break
    else:
        raise ValueError("not reached")
    if x.dtype.kind == "f":
        raise TypeError("not these")
    return x


def writes_as_numpy(x):
    with lw.using(rules="numpy"):
        y = lw.zeros((3, 3), dtype=lw.float32)
        y[0, :] = x[0]
        y[1, :] = [x[0, 0], 1, 2.5]
        return y


def writes_a_list(x):
    x = lw.asarray(x, copy=True)
    x[0, :] = [1, 2, 1.5]
    return x


def adds_as_numpy(x):
    with lw.using(rules="numpy"):
        y = lw.zeros((3, 3), dtype=lw.float32)
        y += x
        return y


def of_no_elements(x):
    with lw.using(default_dtype=lw.int8):
        return lw.bitwise_and(lw.asarray([]), 1), lw.bitwise_and(lw.asarray([[]]), 1)


callable_without_hash = Scaled(2, lw.bitwise_invert)


def calls_what_has_no_hash(x):
    return callable_without_hash(x)


TRACELESS = [
    closure_in_a_closure, closure_after_a_closure, local_closures, called_under_two_rules, object_that_changes,
    closure_that_changes, arguments_of_equal_hash, arguments_that_are_equal, refused_inside_of_much,
    else_is_not_caught, the_handler_that_fits, raises_what_it_handles, finally_after_return,
    finally_after_break, finally_before_more, groups, while_with_else, stops_at_break, raises_after_break,
    writes_as_numpy, writes_a_list, adds_as_numpy, of_no_elements, calls_what_has_no_hash,
]  # fmt: skip


def arrays(dtype: lw.Dtype) -> list[lw.Array]:
    return [lw.asarray(rows[dtype.kind], dtype=dtype) for rows in (samples._FIRST, samples._SECOND)]


def runs(f: Callable[..., Any], dtype: lw.Dtype) -> bool:
    code = getattr(f, "__wrapped__", f).__code__ if hasattr(f, "__code__") else None
    count = 2 if code is not None and code.co_varnames[: code.co_argcount] == ("x", "y") else 1
    try:
        result = f(*arrays(dtype)[:count])
        for x in result if isinstance(result, (list, tuple)) or hasattr(result, "__next__") else [result]:
            np.asarray(x)
    except (TypeError, IndexError):
        return False
    return True


def check_by_running(f: Callable[..., Any]) -> None:
    few = ("bool", "int8", "uint16", "bfloat16", "float32", "complex64")
    dtypes = few if lw.current_backend() in ("jax", "dask") else lw.all_dtypes
    supported = lw.function_supported_dtypes(f)
    for dtype in map(lw.Dtype, sampled(dtypes, 3, getattr(f, "__name__", type(f).__name__))):
        assert (dtype in supported) is runs(f, dtype), (dtype, why_unsupported(f).get(dtype))


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_running_a_function_without_data_gives_what_running_it_gives(backend: str, f: Callable[..., Any]) -> None:
    check_by_running(f)


@pytest.mark.parametrize("f", TRACELESS, ids=lambda f: f.__name__)
def test_a_run_leaves_nothing_behind_for_the_next(f: Callable[..., Any]) -> None:
    check_by_running(f)


def test_a_policy_that_there_is_not_is_refused_and_the_one_in_force_stays() -> None:
    def f(x):
        with lw.using(rules="numpy"), lw.using(rules="numpi"):
            return x

    before = current()
    refused = why_unsupported(f, backend="numpy")
    assert current() is before
    assert [*refused] == [*lw.all_dtypes]
    line = f.__code__.co_firstlineno + 1
    assert all("'numpi'" in why and why.endswith(f"test_support.py:{line})") for why in refused.values())


# Supported and Unsupported Data Types, the paragraph on compositional functions: stateful methods.
@pytest.mark.parametrize("name", OTHERS)
def test_other_kinds_of_functions(backend: str, name: str) -> None:
    check_by_running(OTHERS[name]())


def test_a_method_without_an_object_is_one_of_its_class(backend: str) -> None:
    assert lw.function_supported_dtypes(Network.forward) == lw.function_supported_dtypes(Network().forward)
    assert lw.function_supported_dtypes(Network.helper) == lw.function_supported_dtypes(lw.tanh)


def test_parameters_by_their_annotations() -> None:
    def scaled(x: lw.Array, by: int, names: str, axis: tuple[int, ...], more: list[lw.Array]):
        return lw.bitwise_and(x, by) + lw.sum(more[0], axis=axis)

    assert lw.function_supported_dtypes(scaled, backend="numpy") == (lw.bool, *lw.all_int_dtypes)

    def halved(x: lw.Array, by: float):
        x /= by
        return x

    assert lw.function_supported_dtypes(halved, backend="numpy")[0] is lw.bfloat16


def test_both_ways_at_a_condition_on_a_shape_or_an_unknown_argument() -> None:
    def either(x):
        if x.ndim == 2:
            return lw.linalg.inv(x)
        return lw.bitwise_invert(x)

    assert lw.function_supported_dtypes(either, backend="numpy") == lw.function_supported_dtypes(lw.bitwise_invert)

    def picks(x, name):
        return {"sort": lw.sort, "invert": lw.bitwise_invert}[name](x)

    assert lw.function_supported_dtypes(picks, backend="numpy") == lw.function_supported_dtypes(lw.bitwise_invert)


def test_what_branches_leave_open_goes_on_as_all_that_it_may_be() -> None:
    def casts_either_way(x, flag=[]):  # noqa: B006
        dtype = lw.float32 if flag else lw.int32
        for wide in (False, True) if x.ndim else ():
            dtype = lw.int64 if wide else dtype
        y = lw.astype(x.real, lw.int8 if x.ndim else lw.int16)
        z = None
        if x.ndim > 1:
            z = lw.zeros(3, dtype=dtype)
        named = lw.result_type(y, lw.uint8)
        return lw.bitwise_and(y, lw.asarray([1, 2], dtype=named) if z is None else z)

    assert lw.function_supported_dtypes(casts_either_way, backend="numpy") == lw.all_dtypes

    def either_dtype(x):
        y = lw.asarray([[1.5, True], [2, 3]]) + lw.ones(2, dtype=lw.float64 if x.ndim else lw.int32)
        return lw.bitwise_and(lw.astype(y, lw.int64), 1) + lw.bitwise_xor(lw.ones(2, dtype=y.dtype), 1)

    assert lw.function_supported_dtypes(either_dtype, backend="numpy") == ()

    def writes_either(x):
        y = lw.asarray(x, dtype=lw.int8) if x.ndim else lw.asarray(x, dtype=lw.float32)
        y[0] = 1.5
        return y

    assert lw.function_supported_dtypes(writes_either, backend="numpy") == ()

    def indexes(x):
        return lw.arange(3)[x]

    expected = (lw.Dtype("bool"), *lw.all_int_dtypes)
    assert lw.function_supported_dtypes(indexes, backend="numpy") == expected

    def least(x):
        return max(lw.unstack(x)[0], x[0]) + min(x.shape) + max(3, len(x.shape))

    assert lw.function_supported_dtypes(least, backend="numpy") == lw.function_supported_dtypes(lw.less)


def test_errors_that_are_not_about_dtypes_do_not_count() -> None:
    def guarded(x):
        if x.ndim != 2:
            raise ValueError("two axes")
        if lw.any(x < 0):
            raise TypeError("none below 0")
        return lw.sort(x)

    assert lw.function_supported_dtypes(guarded, backend="numpy") == lw.function_supported_dtypes(lw.sort)


def test_reasons_name_the_function_and_the_line() -> None:
    def f(x):
        return lw.linalg.inv(x)

    line = f.__code__.co_firstlineno + 1
    why = why_unsupported(f, backend="numpy")[lw.float16]
    assert why.startswith("linalg.inv: there is no routine for float16")
    assert "(lw.linalg.inv(x) at " in why and why.endswith(f"test_support.py:{line})")

    def g(x):
        x += 0.5
        return x

    line = g.__code__.co_firstlineno + 1
    why = why_unsupported(g, backend="numpy")[lw.int8]
    assert why.startswith("add: in place it would have to change the array's dtype from int8") and why.endswith(
        f"test_support.py:{line})"
    )


def test_what_cannot_be_read_is_said() -> None:
    made: dict[str, Any] = {}
    exec("def f(x, g):\n    return g(x)", made)
    outer = "function_supported_dtypes: "
    for f, message in (
        (np.spacing, "numpy.spacing is written in C and has no source in Python to read. Use the function"),
        (lambda x: np.spacing(x) + 1, r"numpy.spacing gets an array at .*test_support.py:\d+ and has no source"),
        (lambda f, x: f(x), r"f gets an array at .*:\d+ and is known only when it runs. Give it: functools.partial\("),
        (made["f"], "f has no source to read: it was made by exec or eval. Put it into a file, or declare"),
        (lambda f, x: made["f"](f(x)), "f has no source to read: it was made by exec"),
    ):  # fmt: skip
        with pytest.raises(CannotSeeError, match=outer + message):
            lw.function_supported_dtypes(f, backend="numpy")
    with pytest.raises(
        TypeError, match=r"takes a function or its name; got <class .*Network'>. Give one of its methods"
    ):
        lw.function_supported_dtypes(Network)
    with pytest.raises(TypeError, match="takes a function or its name; got 3"):
        lw.function_supported_dtypes(3)
    with pytest.raises(TypeError, match="'linalg.imv' is no function of latticework; did you mean 'linalg.inv'"):
        lw.function_supported_dtypes("linalg.imv")
    with pytest.raises(ValueError, match="there is no backend 'trch'; did you mean 'torch'"):
        lw.function_supported_dtypes(lw.add, backend="trch")


def test_what_is_no_version_is_said() -> None:
    for f in (lw.add, lambda x: x):  # the other meets nothing that was measured
        with pytest.raises(ValueError, match=r"'newest' is no version; one is written as 2.0.1"):
            lw.function_supported_dtypes(f, backend="numpy", version="newest")


def test_a_file_that_changed_since_is_said(tmp_path: Path) -> None:
    import linecache

    path = tmp_path / "changing.py"
    path.write_text("import latticework as lw\n\ndef f(x, name):\n    return {'sort': lw.sort}[name](x)\n")
    spec = importlib.util.spec_from_file_location("changing", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert lw.float32 in lw.function_supported_dtypes(module.f, backend="numpy")
    path.write_text("import latticework as lw\n\n\n\n")
    linecache.clearcache()
    with pytest.raises(
        CannotSeeError, match="changing.f is not at line 3 of .*changing.py any more: the file has changed"
    ):
        lw.function_supported_dtypes(module.f, backend="numpy")


# --- runs without data ------------------------------------------------------------------------------------------------


def test_every_answer_to_a_question_is_tried_and_loops_end() -> None:
    def nested(x):
        if lw.any(x > 1) and not lw.all(x > 0):
            return lw.bitwise_and(x, 1)
        return x

    assert lw.function_supported_dtypes(nested, backend="numpy") == (lw.bool, *lw.all_int_dtypes)

    def until(x):
        while not lw.all(x < 1):
            x = x / 2 if x.dtype.kind == "f" else x // 2
        while lw.any(x < 1):
            x = x + 1
        return lw.floor(x)

    assert lw.function_supported_dtypes(until, backend="numpy") == lw.function_supported_dtypes(lw.floor_divide)

    def endless(x):
        while float(lw.sum(x)) < 2:
            x = x + 1
        return lw.linalg.inv(x)

    assert lw.function_unsupported_dtypes(endless, backend="numpy") == (lw.bool, lw.bfloat16, lw.float16, *COMPLEX)


COMPLEX = (lw.complex64, lw.complex128)


def test_an_error_of_shapes_at_one_rank_says_nothing_of_the_dtype() -> None:
    def of_scalars_or_rows(x):
        return float(x) if x.ndim == 0 else lw.asarray([float(y) for y in x])

    assert lw.function_unsupported_dtypes(of_scalars_or_rows, backend="numpy") == COMPLEX

    def by_dtype(x):
        return lw.floor(x) if x.dtype.kind == "f" else len(x) + lw.sort(x)[0]

    assert lw.function_unsupported_dtypes(by_dtype, backend="numpy") == COMPLEX

    def of_other_extents(x, weights):
        return lw.reshape(x, (-1, 4, 5)) @ weights

    assert lw.function_supported_dtypes(of_other_extents, backend="numpy") == lw.function_supported_dtypes(lw.matmul)


def test_an_argument_whose_value_is_asked_for_is_a_number() -> None:
    def repeated(x, times, *, flag: bool, names: list[str], axis: int):
        for _ in range(times):
            x = lw.bitwise_xor(x, x) if flag else lw.flip(x, axis=axis)
        return x

    assert lw.function_supported_dtypes(repeated, backend="numpy") == (lw.bool, *lw.all_int_dtypes)

    def along(x, axis):
        return lw.mean(x, axis=axis)

    assert lw.function_supported_dtypes(along, backend="numpy") == lw.function_supported_dtypes(lw.mean)


def test_what_a_run_changes_is_brought_back() -> None:
    class Layer:
        def __init__(self) -> None:
            self.mean = lw.zeros(3)
            self.seen: list[Any] = []
            self.inner = Scaled(2)
            self.count = 0

        def __call__(self, x):
            self.mean[...] = 1
            self.seen.append(x)
            self.count += 1
            self.inner.by = x
            self.new = x
            if lw.any(x > 0):
                raise ValueError("on the way")
            return x + self.mean

    layer, mean = Layer(), None
    mean, inner = layer.mean, layer.inner
    total = 0

    def counts(x):
        nonlocal total
        total += 1
        return layer(x)

    assert lw.function_supported_dtypes(layer, backend="numpy") and lw.function_supported_dtypes(counts)
    assert layer.mean is mean and mean.tolist() == [0, 0, 0] and layer.seen == [] and layer.count == total == 0
    assert layer.inner is inner and inner.by == 2 and not hasattr(layer, "new")
    assert lw.infer(lw.add, lw.spec(3), mean).shape == (3,)  # it has its data, and its dtype


def test_coroutines_run_and_functions_made_by_exec_too() -> None:
    async def later(x):
        return lw.bitwise_and(x, 1)

    made: dict[str, Any] = {"lw": lw}
    exec("def f(x):\n    return lw.bitwise_and(x, 1)", made)
    for f in (later, made["f"], lw.Array.__and__):
        assert lw.function_supported_dtypes(f, backend="numpy") == (lw.bool, *lw.all_int_dtypes), f


def test_what_is_met_names_functions_and_lines() -> None:
    def helper(x):
        return lw.sort(-x)

    def f(x, transform, n=2):
        y = helper(x) @ x.T
        return n + 1, y.max()

    first = f.__code__.co_firstlineno
    found = [(m.function.name, m.at.partition(" at ")[0], int(m.at.rpartition(":")[2])) for m in met(f)]
    assert found == [
        ("matmul", "helper(x) @ x.T", first + 1), ("sort", "lw.sort(-x)", first - 2), ("negative", "-x", first - 2),
        ("max", "y.max()", first + 2),
    ]  # fmt: skip

    def chosen(x, name):
        return {"inv": lw.linalg.inv, "floor": lw.floor}[name](x)

    why = why_unsupported(chosen, backend="numpy")
    assert [*why] == [lw.bool, lw.bfloat16, lw.float16, *COMPLEX]
    line = chosen.__code__.co_firstlineno + 1
    assert all(w.endswith(f"[name](x) at {__file__}:{line})") for w in why.values())


# --- the page and the command -----------------------------------------------------------------------------------------


def test_the_page_is_up_to_date() -> None:
    assert pages.out_of_date(support_page.made()) == [], "run make pages"
    text = support_page.PAGE.read_text(encoding="utf-8")
    for name in samples.names():
        assert f"| `{name}` |" in text


@pytest.mark.skipif(len(BACKENDS) < 5, reason="the page is about all five backends")
def test_the_page_of_functions_is_up_to_date() -> None:
    assert pages.out_of_date(function_page.made()) == [], "run make pages"
    text = function_page.PAGE.read_text(encoding="utf-8")
    assert "| `einsum` | mixed: the operands have more than 16 bits, or are integers |" in text
    lacking = [line for line in text.partition("## Elementwise")[2].split("\n") if "| none |" in line]
    assert lacking == []


def test_support_of_one_function() -> None:
    code, output = run("support", "add", "--backend", "torch")
    assert code == 0 and "torch on cpu" in output and "◐ emulated" in output
    assert "bool, float8_e4m3fn, float8_e5m2: takes numeric dtypes" in output
    assert all(str(d) in output for d in lw.all_dtypes)
    code, output = run("support", "linalg.inv")
    assert code == 0 and "✕ missing" in output and "bfloat16, float16: there is no routine for this dtype" in output
    assert all(len(line) <= 100 for line in output.splitlines()[:17])
    code, output = run("support", "add", "--backend", "numpy", "--version", "0.1")
    assert "numpy 0.1, which behaves as" in output


def test_support_for_programs() -> None:
    code, output = run("support", "add", "--json")
    found = json.loads(output)
    assert code == 0 and found["function"] == "add"
    cells = found["backends"]["numpy"]["devices"]["cpu"]
    assert cells["int8"] == {"how": "native"} and cells["bool"]["why"].startswith("add: takes numeric dtypes")
    functions = json.loads(run("support", "--backend", "numpy", "--json")[1])["functions"]
    assert {*functions} == {*samples.names()} and functions["cos"]["int8"] == "lifted"
    assert json.loads(run("support", "--json")[1])["functions"]["sort"]["numpy"]["refused"] == 2


def test_support_of_everything() -> None:
    code, output = run("support", "--backend", "numpy")
    assert code == 0 and all(len(line) <= 80 for line in output.splitlines())
    code, output = run("support")
    assert code == 0 and all(b in output for b in BACKENDS)
    assert "linalg.matrix_norm" in output


def test_support_of_a_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "owned.py").write_text("import latticework as lw\ndef f(x):\n    return lw.linalg.inv(x)\n")
    monkeypatch.syspath_prepend(tmp_path)
    code, output = run("support", "owned:f", "--backend", "numpy")
    assert code == 0 and "✕" in output and "float16: linalg.inv: there is no routine for this dtype" in output
    assert json.loads(run("support", "owned:f", "--backend", "numpy", "--json")[1])["unsupported"]["numpy"]["float16"]
    assert run("support", "owned:g")[0] == 2 and run("support", "owmed:g")[0] == 2


def test_support_of_a_users_own_on_another_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "elder.py").write_text("import latticework as lw\ndef f(x):\n    return lw.sort(x)\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(data, "_FOLDER", tmp_path)
    data.table.cache_clear()
    try:
        for version, letter in (("0.9", "x"), ("2.0", "n")):
            data.save("numpy", version, "cpu", {"sort": {"how": dict.fromkeys(lw.all_dtypes, letter)}})
        asked = ("support", "elder:f", "--backend", "numpy")
        assert json.loads(run(*asked, "--json")[1])["unsupported"]["numpy"].keys() == {"complex64", "complex128"}
        assert {*json.loads(run(*asked, "--version", "0.9.1", "--json")[1])["unsupported"]["numpy"]} == {*lw.all_dtypes}
        assert "by what was measured on numpy 0.9.1, which behaves as 0.9" in run(*asked, "--version", "0.9.1")[1]
    finally:
        data.table.cache_clear()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("support", "addd", "--backend", "numpy"), "'addd' is no function that was measured; did you mean 'add'"),
        (("support", "inv", "--backend", "numpy"), "did you mean 'linalg.inv'"),
        (("support", "add", "--backend", "nunpy"), "there is no backend 'nunpy'; did you mean 'numpy'"),
        (("support", "--version", "2.0"), "--version is of one framework; say of which: --backend"),
        (("support", "add", "--version", "2.0"), "--version is of one framework; say of which: --backend"),
        (("support", "math:cos", "--backend", "numpy", "--version", "new"), "'new' is no version; one is written as"),
        (("probe", "nunpy"), "there is no backend 'nunpy'; did you mean 'numpy'"),
        (("probe", "numpy", "--function", "addd"), "'addd' is no function to probe; did you mean 'add'"),
    ],
)
def test_bad_names_are_answered_with_the_nearest(arguments: tuple[str, ...], message: str) -> None:
    code, output = run(*arguments)
    assert code == 2 and message in output


def test_probe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data, "_FOLDER", tmp_path)
    data.table.cache_clear()
    some = ("--function", "add", "--function", "linalg.inv")
    try:
        code, output = run("probe", "numpy", *some)
        assert code == 0 and "Nothing was kept of this version before: --write keeps it" in output
        assert run("support", "--backend", "numpy")[0] == 2  # nothing is kept
        assert run("probe", "numpy", *some, "--write")[0] == 0
        assert {*data.table("numpy")} == {"add", "linalg.inv"}
        code, output = run("probe", "numpy", *some)
        assert code == 0 and "As it was found before." in output
        row = data.table("numpy")["add"]
        data.save("numpy", versions.installed("numpy"), "cpu", {"add": {**row, "how": {**row["how"], "bool": "x"}}})
        code, output = run("probe", "numpy", "--function", "add")
        assert code == 1 and "cpu: add(bool): missing before, refused now (add: takes numeric dtypes" in output
        code, output = run("probe", "numpy", "--function", "add", "--json")
        assert code == 1 and len(json.loads(output)["changed"]) == 1
        assert run("probe", "numpy", "--function", "add", "--write")[0] == 0
        assert run("probe", "numpy", "--function", "add")[0] == 0
    finally:
        data.table.cache_clear()


def test_the_module_runs_as_the_command() -> None:
    import subprocess
    import sys

    command = [sys.executable, "-m", "latticework", "support", "add", "--backend", "numpy"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert "native" in done.stdout
