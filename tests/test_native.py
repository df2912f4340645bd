"""Native in, native out: functions over the frameworks' own arrays give what ours give, arrays and errors alike."""

from __future__ import annotations

import collections
import contextvars
import inspect
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from operator import attrgetter
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
import pytest
from cases import COMPILING, COSTLY, EXHAUSTIVE, in_turn
from support import IMMUTABLE, another, computed, frames, skip_lazy

import latticework as lw
from latticework.api.namespaces import exchange_of
from latticework.backend import get
from latticework.contents import NAMESPACES
from latticework.core.registry import OPS
from latticework.engine.calls.dispatch import MISSING
from latticework.engine.calls.native_dispatch import over_native
from latticework.policy import TABLES, restore
from latticework.promotion import RULES
from latticework.settings import set_process
from latticework.support import samples

#: Dtypes that stand for their kinds; where each costs a kernel or a graph, one.
DTYPES = (lw.float32, lw.int32, lw.uint8, lw.bool, lw.complex64, lw.bfloat16)


#: Functions whose results have no values of their own, and what is no function of arrays alone.
OTHERS = ("at", "empty", "empty_like")


def native(tree: Any) -> Any:
    """The frameworks' own arrays in the place of ours."""
    if isinstance(tree, lw.Array):
        return tree.data
    if isinstance(tree, dict):
        return {k: native(v) for k, v in tree.items()}
    if isinstance(tree, (list, tuple)) and not hasattr(tree, "_fields"):
        return type(tree)(native(v) for v in tree)
    return tree


def leaves(result: Any) -> Iterator[Any]:
    if isinstance(result, (list, tuple)):
        for x in result:
            yield from leaves(x)
    elif isinstance(result, dict):
        yield from leaves([*result.values()])
    else:
        yield result


def outcome(f: Callable[..., Any], args: Any, kw: Any) -> Any:
    """The result of a call, or the class of its error and what it says."""
    try:
        return f(*args, **kw)
    except Exception as error:
        return type(error), str(error)


def same_bits(got: np.ndarray, expected: np.ndarray) -> None:
    assert got.shape == expected.shape
    assert got.tobytes() == expected.tobytes(), (got, expected)


def same(got: Any, expected: Any, owner: Any) -> None:
    """Assert that a native result is what ours is: built alike, of the same dtypes and values."""
    if isinstance(expected, tuple) and expected and isinstance(expected[0], type):
        assert got == expected
        return
    ours = [*leaves(expected)]
    theirs = [*leaves(got)]
    assert len(ours) == len(theirs)
    assert type(got) is type(expected) or isinstance(expected, (lw.Array, lw.Dtype))
    for x, y in zip(ours, theirs, strict=True):
        if isinstance(x, lw.Array):
            assert isinstance(y, owner.arrays), type(y)
            assert y.dtype == owner.native_dtypes[x.dtype], (y.dtype, x.dtype)
            assert x.weak or not getattr(y, "weak_type", False)
            computed((lw.asarray(y), x), same_bits)
        elif isinstance(x, lw.Dtype):
            assert y == owner.native_dtypes[x]
        elif x == x:  # no nan
            assert y == x or type(y) is type(x)


def dtypes(backend: str) -> tuple[lw.Dtype, ...]:
    return DTYPES if backend not in COSTLY or EXHAUSTIVE else DTYPES[:1]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("chapter", sorted({name.rpartition(".")[0] for name in samples.names()}))
def test_every_function_gives_on_native_arrays_what_it_gives_on_ours(backend: str, chapter: str) -> None:
    """The first call makes the kernel, the second finds it; the errors are the same too. On JAX, of every third."""
    owner, xp = get(backend), lw.array_namespace(backend)
    names = [name for name in samples.names() if name.rpartition(".")[0] == chapter and name not in OTHERS]
    for name in names[:: 3 if backend in COMPILING and not EXHAUSTIVE else 1]:  # a kernel takes it 30 ms
        o = samples.declaration(name)
        if o is None:
            continue
        ours, theirs = attrgetter(name)(lw), attrgetter(name)(xp)
        for dtype in in_turn(dtypes(backend), 2, name, backend):
            made = [samples.arguments(o, lambda v, d: lw.asarray(v, dtype=d), dtype) for _ in range(3)]
            expected = outcome(ours, *made[0])
            for args, kw in made[1:]:
                got = outcome(theirs, native(args), native(kw))
                try:
                    same(got, expected, owner)
                except AssertionError as error:
                    raise AssertionError(f"{name} of {dtype}: {got!r} is not {expected!r}") from error


# --- namespaces -------------------------------------------------------------------------------------------------------


def everything(module: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name in module.__all__:
        value = getattr(module, name, MISSING)
        if name in NAMESPACES and not prefix:
            yield from everything(value, f"{name}.")
        else:
            yield prefix + name, value


def test_a_namespace_has_every_public_name(backend: str) -> None:
    xp, owner = lw.array_namespace(backend), get(backend)
    theirs = dict(everything(xp))
    for name, value in everything(lw):
        if isinstance(value, lw.Dtype) and value not in owner.native_dtypes:
            assert name not in theirs
            continue
        got = theirs[name]
        if isinstance(value, lw.Dtype):
            assert got is owner.native_dtypes[value], name
        elif isinstance(value, FunctionType) and got is not value:
            assert got.__wrapped__ is value, name
            assert got.__doc__ == value.__doc__, name
            assert inspect.signature(got) == inspect.signature(value), name
        elif name == "Array":
            assert got == owner.arrays
        elif name == "Dtype":
            assert got is owner.dtype_class
        else:
            assert got is value or got == value or got != got, name


def test_a_namespace_is_one_object_of_its_backend(backend: str) -> None:
    xp = lw.array_namespace(backend)
    x = lw.asarray([1.0, 2.0]).data
    assert lw.array_namespace(x, None, 1, True, 2.5, 1j, x) is xp
    assert {xp: 1}[lw.array_namespace(x)] == 1
    assert xp.__name__ == f"latticework.native.{backend}"
    assert xp.linalg.__name__ == f"latticework.native.{backend}.linalg"
    assert xp.__array_api_version__ == lw.__array_api_version__
    assert lw.array_namespace() is lw.array_namespace(None, 1.5) is xp  # of the backend in force
    assert lw.array_namespace(lw.asarray([1.0])) is lw
    assert lw.array_namespace(x, lw.asarray([1.0])) is lw
    assert lw.array_namespace(x, np.float32(1)) is xp
    assert xp.linalg.inv.__name__ == "inv"
    assert {"add", "linalg", "float32"} <= {*dir(xp)}
    with pytest.raises(AttributeError, match=rf"module 'latticework.native.{backend}' has no attribute 'ad'"):
        xp.ad  # noqa: B018
    with pytest.raises(AttributeError, match=r"has no attribute 'invv'.*did you mean"):
        xp.linalg.invv  # noqa: B018
    assert not hasattr(xp, "__path__")


def test_a_namespace_of_two_frameworks_is_refused(backend: str) -> None:
    x = lw.asarray([1.0]).data
    y = lw.asarray([1.0], backend=another(backend, "torch")).data
    with pytest.raises(lw.errors.BackendError, match=r"array_namespace: arrays of two backends.*lw.asarray"):
        lw.array_namespace(x, y)
    with pytest.raises(lw.errors.BackendError, match=r"add: arrays of two backends"):
        lw.array_namespace(x).add(x, y)
    with pytest.raises(lw.errors.BackendError, match=r"arrays of two backends"):
        lw.native(lambda a, b: a)(x, [y])


def test_what_is_no_array_has_no_namespace() -> None:
    with pytest.raises(TypeError, match=r"array_namespace: takes arrays.*got list. Make an array of it first"):
        lw.array_namespace([1.0])
    with pytest.raises(ValueError, match="there is no backend 'pytorch'; did you mean 'torch'"):
        lw.array_namespace("pytorch")
    with pytest.raises(TypeError, match="a backend's name is given alone"):
        lw.array_namespace("numpy", 1)


def test_dtypes_and_devices_are_the_frameworks_own(backend: str) -> None:
    xp, owner = lw.array_namespace(backend), get(backend)
    x = xp.asarray([1, 2], dtype=xp.int8)
    assert x.dtype == xp.int8
    assert xp.result_type(x, xp.float32) == owner.native_dtypes[lw.float32]
    assert xp.astype(x, xp.float32).dtype == xp.float32
    assert xp.isdtype(x.dtype, "signed integer")
    assert not xp.isdtype(x.dtype, xp.float32)
    assert xp.can_cast(x.dtype, xp.int16)
    assert xp.finfo(xp.float32).bits == 32
    assert xp.finfo(xp.float32).dtype == xp.float32
    assert xp.iinfo(x).max == 127
    info = xp.__array_namespace_info__()
    assert info.default_dtypes()["real floating"] == xp.float32
    assert info.dtypes(kind="bool") == {"bool": xp.bool}
    assert xp.zeros(2, device=info.default_device()).shape == (2,)
    y = xp.ones((2, 2))
    devices = info.devices()
    assert isinstance(devices, tuple)
    assert [*devices] == [devices[i] for i in range(len(devices))]
    assert [*devices, "x"] == devices + ["x"]  # noqa: RUF005 - it takes a list, as the standard had one
    assert devices + (1,) == (*devices, 1)  # noqa: RUF005
    assert info.default_device() in devices
    for device in devices:
        made = xp.zeros(2, device=device)
        assert made.shape == (2,)
        assert type(device) is not lw.Device
        if hasattr(made, "device"):
            assert owner.device(made.device) == owner.device(device)
            assert backend == "tensorflow" or made.device == device
    assert xp.zeros(2, device=getattr(y, "device", None)).shape == (2,)
    assert isinstance(y, owner.arrays)


def test_rules_in_force_hold(backend: str) -> None:
    """The policy in force decides, and what is kept under one is not found under another."""
    xp = lw.array_namespace(backend)
    x = lw.asarray([1, 2], dtype=lw.int32).data
    y = lw.asarray([1.0, 2.0], dtype=lw.float16).data
    for _ in range(2):
        assert xp.add(x, y).dtype == xp.float16
        with lw.using(rules="numpy"):
            assert xp.add(x, y).dtype == xp.float64
            assert xp.mean(x).dtype == xp.float64
        with lw.using(rules="strict"), pytest.raises(lw.errors.PromotionError, match="add"):
            xp.add(x, y)
        with lw.using(default_float="float64"):
            assert xp.zeros(3).dtype == xp.float64
            assert xp.mean(x).dtype == xp.float64
        assert xp.zeros(3).dtype == xp.float32
        assert xp.mean(x).dtype == xp.float32


@pytest.mark.parametrize("rules", ["torch", "jax", "numpy1"])
def test_rules_that_look_at_more_than_dtypes_hold(rules: str, backend: str) -> None:
    """Dimensions, weak arrays and values decide on native arrays as on ours, call by call."""
    if rules == "numpy1":
        skip_lazy(backend, "the rules ask for values")
    with lw.using(rules=rules):
        xp = lw.array_namespace(backend)
        operands = [
            lw.asarray(v, dtype=d)
            for v, d in [([1, 2], lw.int8), (3, lw.int32), (300, lw.int64), ([1.5, 2.5], lw.float32), (2.5, lw.float64)]
        ]
        for _ in range(2):
            for x in operands:
                for y in (*operands, 2, 2.5):
                    for name in ("add",) if backend in COSTLY else ("add", "multiply", "less"):
                        expected = outcome(getattr(lw, name), (x, y), {})
                        got = outcome(getattr(xp, name), (native(x), native(y)), {})
                        same(got, expected, get(backend))


def test_a_warm_call_enters_no_function_of_ours_but_the_dispatcher() -> None:
    xp = lw.array_namespace("numpy")
    x = np.ones(4, np.float32)
    for call in (lambda: xp.add(x, x), lambda: xp.add(x, 1.5), lambda: xp.sin(x), lambda: xp.matmul(x, x)):
        assert len(frames(call)) == 1
    assert len(frames(lambda: lw.array_namespace(x, x))) == 1


def test_kernels_are_kept_for_every_dtype(backend: str) -> None:
    """A call that finds no kernel exchanges its arrays each time, in many functions. NumPy's float64 equals None."""
    xp = lw.array_namespace(backend)
    for dtype in lw.valid_dtypes:
        x = lw.asarray([1, 0], dtype=dtype).data
        for call in (lambda x=x: xp.equal(x, x), lambda x=x: xp.concat([x, x]), lambda x=x: xp.reshape(x, (2, 1))):
            assert not [f for f in frames(call) if f.endswith("engine/exchange/native.py:taken")], dtype


def test_kernels_of_native_calls_are_kept_by_policy() -> None:
    xp = lw.array_namespace("numpy")
    x = np.ones(4, np.float32)
    with lw.using(default_int="int16") as policy:
        for _ in range(3):
            xp.add(x, x)
    assert policy in TABLES["add of numpy"]
    ((key, kept),) = TABLES["add of numpy"][policy].items()
    assert key == x.dtype
    assert kept[x.dtype][0] is np.add


def test_what_a_function_was_called_with_first_holds_under_that_policy_alone() -> None:
    """A dispatcher compares with its first signature and policy before it looks any up: in every context."""
    x, y = np.ones(2, np.int32), np.ones(2, np.int16)

    def fresh() -> Callable[..., Any]:
        return over_native(OPS["divide"], lw.divide, exchange_of(get("numpy")))

    def in_thread(f: Callable[..., Any]) -> Any:
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(f, x, x).result().dtype

    first, inside = fresh(), fresh()
    with lw.using(rules="numpy"):
        copied = contextvars.copy_context()
        inside(x, x)
    for _ in range(3):
        for f in (first, inside):
            assert f(x, x).dtype == f(x, y).dtype == in_thread(f) == np.float32
            with lw.using(rules="numpy"):
                assert f(x, x).dtype == np.float64
                assert in_thread(f) == np.float32
            assert copied.run(f, x, x).dtype == np.float64
    before = set_process(rules=RULES["numpy"])
    try:
        assert first(x, x).dtype == inside(x, x).dtype == in_thread(first) == np.float64
    finally:
        restore(before)
    assert first(x, x).dtype == inside(x, x).dtype == in_thread(first) == np.float32


def test_the_first_signature_needs_no_look_up() -> None:
    f = over_native(OPS["negative"], lw.negative, exchange_of(get("numpy")))
    x = np.ones(2, np.int32)
    f(x)
    kept = TABLES["negative of numpy"]
    emptied, given = dict(kept), frames(lambda: f(x))
    kept.clear()
    try:
        assert frames(lambda: f(x)) == given
        assert not kept  # the way round by arrays of ours would have kept it again
    finally:
        kept.update(emptied)


def test_out_is_written_to_where_arrays_can_be(backend: str) -> None:
    xp = lw.array_namespace(backend)
    x = lw.asarray([1.0, 2.0]).data
    out = lw.zeros(2).data
    for call in (
        lambda: xp.add(x, x, out=out), lambda: xp.add(x, 1.0, out), lambda: xp.sin(x, out=out),
        lambda: xp.cumulative_sum(x, out=out),
    ):  # fmt: skip
        if backend in IMMUTABLE:
            with pytest.raises(lw.errors.BackendError, match=rf"arrays of {backend} never change"):
                call()
        else:
            assert call() is out
            np.testing.assert_array_equal(np.asarray(out), np.asarray(xp.add(x, 0.0)) * 0 + np.asarray(call()))
    assert np.asarray(x).tolist() == [1, 2]


def test_functions_among_the_arguments_get_native_arrays(backend: str) -> None:
    xp, kind = lw.array_namespace(backend), get(backend).arrays
    rows = lw.asarray([[1.0, 2.0], [3.0, 4.0]]).data
    seen = []

    def total(row: Any) -> Any:
        seen.append(isinstance(row, kind))
        return xp.sum(row)

    assert np.asarray(xp.vmap(total)(rows)).tolist() == [3, 7]
    assert seen
    assert all(seen)
    got = xp.tree.map(lambda x: (isinstance(x, kind), x), {"a": rows})
    assert got["a"][0]
    if get(backend).facts.gradients:
        value, gradient = xp.value_and_grad(lambda x: xp.sum(x**2))(rows)
        assert isinstance(gradient, kind)
        assert float(value) == 30
        assert np.asarray(gradient).tolist() == [[2, 4], [6, 8]]


def test_random_numbers_and_objects_are_native_outside(backend: str) -> None:
    xp, kind = lw.array_namespace(backend), get(backend).arrays
    key = xp.random.key(3)
    drawn = xp.random.normal(key, (4,))
    assert isinstance(key, kind)
    np.testing.assert_array_equal(np.asarray(drawn), np.asarray(lw.random.normal(lw.random.key(3), (4,))))
    if backend != "dask":
        assert isinstance(xp.random.default_rng(0).normal(size=3), kind)
    x = xp.asarray([1.0, 2.0])
    assert np.asarray(xp.at(x)[0].set(5.0)).tolist() == [5, 2]
    assert isinstance(xp.at(x, 0).add(x[1]), kind)


# --- native -----------------------------------------------------------------------------------------------------------


class Fit(NamedTuple):
    slope: Any
    count: int


@lw.native
def fit(data: Any, *, weights: Any = None, names: Any = ()) -> Any:
    x, y = data["x"], data["y"]
    w = lw.ones(x.shape) if weights is None else weights[0]
    assert isinstance(x, lw.Array)
    assert isinstance(w, lw.Array)
    assert w.backend == x.backend
    slope = lw.sum(w * x * y) / lw.sum(w * x * x)
    return {"fit": Fit(slope, 2), "all": [slope, (w, None)], "names": names, "dtype": x.dtype}


def test_a_native_function_exchanges_arrays_in_trees_both_ways(backend: str) -> None:
    kind = get(backend).arrays
    x, y, w = (lw.asarray(v) for v in ([1.0, 2.0], [2.0, 4.0], [1.0, 0.0]))
    data = {"x": x.data, "y": y.data}
    for kw in ({}, {"weights": [w.data]}):
        got = fit(data, names=["a"], **kw)
        assert isinstance(got["fit"], Fit)
        assert got["fit"].count == 2
        assert isinstance(got["fit"].slope, kind)
        assert isinstance(got["all"][1][0], kind)
        assert float(got["fit"].slope) == 2
        assert got["names"] == ["a"]
        assert got["dtype"] == get(backend).native_dtypes[lw.float32]
    ours = fit({"x": x, "y": y})
    assert isinstance(ours["fit"].slope, lw.Array)
    assert isinstance(ours["all"][1][0], lw.Array)
    assert ours["dtype"] is lw.float32
    mixed = fit({"x": x, "y": y.data})
    assert isinstance(mixed["fit"].slope, kind)


@pytest.mark.needs("torch")
def test_a_native_function_shares_memory() -> None:
    import torch

    @lw.native
    def same(x: Any) -> Any:
        return x

    for x in (np.ones(3), torch.ones(3)):
        assert same(x) is x
        assert same([x])[0] is x
    held = collections.OrderedDict(a=1)
    assert same(held) is held


def test_a_native_function_without_arrays_runs_on_the_backend_in_force(backend: str) -> None:
    @lw.native
    def grid(n: int) -> Any:
        return lw.arange(n)

    assert isinstance(grid(3), get(backend).arrays)
    assert isinstance(lw.native(lambda n: n, backend="numpy")(np.float32(3)), np.ndarray)
    assert isinstance(lw.native(backend="numpy")(lw.zeros)(3), np.ndarray)


@pytest.mark.needs("torch")
def test_backend_pins_one() -> None:
    @lw.native(backend="numpy")
    def f(x: Any) -> Any:
        return x + lw.zeros(1)

    assert isinstance(f(np.ones(1)), np.ndarray)
    x = lw.asarray([1.0], backend="torch").data
    with pytest.raises(lw.errors.BackendError, match=r"f: takes arrays of numpy; got one of torch.*lw.asarray"):
        f(x)
    with pytest.raises(ValueError, match="there is no backend 'nmpy'"):
        lw.native(backend="nmpy")


def test_static_arguments_are_handed_on_as_they_are() -> None:
    x = np.ones(2)

    @lw.native(static=("table", 2))
    def f(x: Any, table: Any, g: Any) -> Any:
        return isinstance(x, lw.Array), table, g

    for got in (f(x, x, max), f(x, table=x, g=max)):
        assert got[0]
        assert got[1] is x
        assert got[2] is max
    with pytest.raises(TypeError, match=r"static names 'tabel', which is no parameter; did you mean 'table'"):
        lw.native(static="tabel")(lambda table: table)
    with pytest.raises(TypeError, match="native: takes a function; got int"):
        lw.native(3)


def test_callbacks_of_a_native_function_see_native_arrays(backend: str) -> None:
    kind = get(backend).arrays

    @lw.native
    def newton(f: Callable[[Any], Any], x: Any, steps: int) -> Any:
        for _ in range(steps):
            x = x - f(x) / (2 * x)
        return x

    def f(x: Any) -> Any:
        assert isinstance(x, kind)
        return x * x - 2

    root = newton(f, lw.asarray([1.0], dtype=lw.float32).data, 5)
    assert isinstance(root, kind)
    assert abs(float(np.asarray(root)[0]) - 2**0.5) < 1e-6


def test_writing_to_an_argument_is_never_lost(backend: str) -> None:
    @lw.native
    def shift(x: Any) -> Any:
        x += 1
        return x

    x = lw.asarray([1.0, 2.0]).data
    if backend in IMMUTABLE:
        with pytest.raises(lw.errors.BackendError, match=r"shift: it wrote to an argument.*never change"):
            shift(x)
    else:
        assert shift(x) is x
        assert np.asarray(x).tolist() == [2, 3]


# --- inside what the frameworks trace ---------------------------------------------------------------------------------


@lw.native
def energy(x: Any, params: Any) -> Any:
    z = lw.tanh(x @ params["w"]) + lw.zeros(2)
    return {"energy": lw.sum(z * z), "z": [z]}


def energy_by_namespace(x: Any, w: Any) -> Any:
    xp = lw.array_namespace(x, w)
    return xp.sum(xp.square(xp.tanh(xp.matmul(x, w))))


ROWS = [[0.5, 1.0], [2.0, -1.0], [0.0, 0.25]]
WEIGHTS = [[1.0, 0.5], [-0.5, 0.25]]


def test_jax_compiles_maps_and_differentiates() -> None:
    jax = pytest.importorskip("jax")
    jnp = jax.numpy
    x, w = jnp.asarray(ROWS, dtype=jnp.float32), jnp.asarray(WEIGHTS, dtype=jnp.float32)
    plain = energy(x, {"w": w})["energy"]
    got = jax.jit(energy)(x, {"w": w})
    assert isinstance(got["z"][0], jax.Array)
    np.testing.assert_allclose(got["energy"], plain, rtol=1e-6)
    np.testing.assert_allclose(jax.jit(energy_by_namespace)(x, w), plain, rtol=1e-6)
    mapped = jax.vmap(lambda row: energy(row, {"w": w})["energy"])(x)
    np.testing.assert_allclose(mapped.sum(), plain, rtol=1e-6)
    by_hand = jax.grad(lambda x: (jnp.tanh(x @ w) ** 2).sum())(x)
    for f in (lambda x: energy(x, {"w": w})["energy"], lambda x: energy_by_namespace(x, w)):
        np.testing.assert_allclose(jax.grad(f)(x), by_hand, rtol=1e-5)
    half = jnp.ones(2, dtype=jnp.bfloat16)
    for scale in (lw.native(lambda x, s: x * s), lambda x, s: lw.array_namespace(x).multiply(x, s)):
        assert scale(half, 2.0).dtype == jax.jit(scale)(half, 2.0).dtype == jnp.bfloat16  # a number stays one
    xp = lw.array_namespace("jax")
    listed = jax.jit(lambda number: xp.asarray([[number, 1.0], [2.0, number]], dtype=xp.float16))
    assert listed(3.0).tolist() == [[3.0, 1.0], [2.0, 3.0]]


def test_pytorch_compiles_maps_and_differentiates() -> None:
    torch = pytest.importorskip("torch")
    x, w = torch.tensor(ROWS), torch.tensor(WEIGHTS)
    plain = energy(x, {"w": w})["energy"]
    mapped = torch.func.vmap(lambda row: energy(row, {"w": w})["energy"])(x)
    torch.testing.assert_close(mapped.sum(), plain)
    by_hand = torch.func.grad(lambda x: (torch.tanh(x @ w) ** 2).sum())(x)
    for f in (lambda x: energy(x, {"w": w})["energy"], lambda x: energy_by_namespace(x, w)):
        torch.testing.assert_close(torch.func.grad(f)(x), by_hand)
        leaf = x.clone().requires_grad_(True)
        f(leaf).backward()
        torch.testing.assert_close(leaf.grad, by_hand)


@pytest.mark.filterwarnings("ignore")
def test_pytorch_compiles_a_native_function() -> None:
    torch = pytest.importorskip("torch")
    x, w = torch.tensor(ROWS), torch.tensor(WEIGHTS)
    plain = energy(x, {"w": w})["energy"]
    torch.testing.assert_close(torch.compile(energy, backend="eager")(x, {"w": w})["energy"], plain)
    inside = torch._dynamo.nonstrict_trace(energy)
    whole = torch.compile(lambda x, w: inside(x, {"w": w})["energy"], backend="eager", fullgraph=True)
    torch.testing.assert_close(whole(x, w), plain)


@pytest.mark.filterwarnings("ignore")
def test_pytorch_compiles_a_call_of_a_namespace() -> None:
    """Its compiler reads the dispatcher, whose globals are no module's."""
    torch = pytest.importorskip("torch")
    xp = lw.array_namespace("torch")
    x, i = torch.tensor(WEIGHTS), torch.tensor([1, 2], dtype=torch.int8)
    for call in (lambda: xp.add(xp.negative(x), x), lambda: xp.multiply(i, x), lambda: xp.multiply(i, i)):
        result = call()
        compiled = torch.compile(call, backend="eager")()
        assert torch.equal(compiled, result) and compiled.dtype == result.dtype


def test_casts_inside_a_namespaces_functions_are_the_users() -> None:
    xp, x = lw.array_namespace("numpy"), np.ones((2, 2), np.float16)
    with lw.using(casting="all"), lw.recording_casts() as seen:
        for _ in range(3):
            xp.bitwise_invert(x)
            xp.bitwise_and(x, x)
    assert {cast.function for cast in seen} == {"bitwise_invert", "bitwise_and"}
    assert {cast.file for cast in seen} == {__file__}


@pytest.mark.needs("torch", "jax")
@pytest.mark.filterwarnings("ignore:.torch.jit.script")
def test_capabilities_are_those_of_the_transformation() -> None:
    """Shapes depend on values where these are known: in a derivative, and neither in `jax.jit` nor under `vmap`."""
    import jax
    import torch

    seen = []

    def note(xp: Any) -> Callable[[Any], Any]:
        return lambda x: (seen.append(xp.__array_namespace_info__().capabilities()["data-dependent shapes"]), x * 2)[1]

    f, g = note(lw.array_namespace("jax")), note(lw.array_namespace("torch"))
    x, y = jax.numpy.ones(2), torch.ones(2)
    f(x), jax.grad(lambda x: f(x).sum())(x), jax.jvp(f, (x,), (x,)), g(y), torch.func.jvp(g, (y,), (y,))
    assert seen == [True] * 5
    jax.jit(f)(x), jax.vmap(f)(x), jax.jit(jax.grad(lambda x: f(x).sum()))(x), torch.func.vmap(g)(y)
    assert seen[5:] == [False] * 4


@pytest.mark.needs("torch")
@pytest.mark.filterwarnings("ignore:Sparse")
@pytest.mark.parametrize("form", ["to_sparse", "to_sparse_csr"])
def test_sparse_tensors_are_handed_on_as_they_are(form: str) -> None:
    import torch

    xp = lw.array_namespace("torch")
    s = getattr(torch.diag(torch.arange(3.0)), form)()
    x = torch.ones(3, requires_grad=True)

    @xp.custom_gradient
    def product(s: Any, x: Any) -> Any:
        return torch.mv(s, x), lambda g: (None, torch.mv(s, g) * 10)

    product(s, x).sum().backward()
    assert x.grad.tolist() == [0.0, 10.0, 20.0]
    assert lw.native(lambda s, x: s)(s, x) is s
    inside = lw.custom_gradient(lambda x: (lw.asarray(torch.mv(s, x.data)), lambda g: g * 10))
    assert lw.grad(lambda x: lw.sum(inside(x)))(lw.asarray(torch.ones(3))).tolist() == [10.0, 10.0, 10.0]


def test_tensorflow_compiles_and_differentiates() -> None:
    tf = pytest.importorskip("tensorflow")
    x, w = tf.constant(ROWS), tf.constant(WEIGHTS)
    plain = energy(x, {"w": w})["energy"]
    np.testing.assert_allclose(tf.function(energy)(x, {"w": w})["energy"], plain, rtol=1e-6)
    np.testing.assert_allclose(tf.function(energy_by_namespace)(x, w), plain, rtol=1e-6)
    with tf.GradientTape() as tape:
        tape.watch(x)
        by_hand = tf.reduce_sum(tf.tanh(x @ w) ** 2)
    by_hand = tape.gradient(by_hand, x)
    for f in (tf.function(lambda x: energy(x, {"w": w})["energy"]), lambda x: energy_by_namespace(x, w)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = f(x)
        np.testing.assert_allclose(tape.gradient(value, x), by_hand, rtol=1e-5)
    mapped = tf.vectorized_map(lambda row: energy(row, {"w": w})["energy"], x)
    np.testing.assert_allclose(sum(mapped.numpy()), plain, rtol=1e-6)


def test_a_native_function_keeps_name_and_signature() -> None:
    assert fit.__name__ == "fit"
    assert [*inspect.signature(fit).parameters] == ["data", "weights", "names"]


# --- clients of the Array API -----------------------------------------------------------------------------------------


def test_array_api_extra_takes_the_namespace(backend: str) -> None:
    xpx = pytest.importorskip("array_api_extra")
    if backend in ("dask", "tensorflow"):
        pytest.skip("it asks for values on Dask, and knows no TensorFlow")
    xp, kind = lw.array_namespace(backend), get(backend).arrays
    x, v, i = xp.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]]), xp.asarray([3.0, 1.0, 2.0]), xp.asarray([1, 2, 2])
    calls = {
        "cov": (xpx.cov(x, xp=xp), np.cov([[1, 2, 3], [4, 5, 7]])),
        "kron": (xpx.kron(v, v, xp=xp), np.kron([3, 1, 2], [3, 1, 2])),
        "setdiff1d": (xpx.setdiff1d(i, i[:1], xp=xp), [2]),
        "sinc": (xpx.sinc(v, xp=xp), np.sinc([3, 1, 2])),
        "create_diagonal": (xpx.create_diagonal(v, xp=xp), np.diag([3, 1, 2])),
        "pad": (xpx.pad(v, 1, xp=xp), [0, 3, 1, 2, 0]),
        "apply_where": (xpx.apply_where(v > 1, v, lambda a: xp.multiply(a, 2), fill_value=0.0, xp=xp), [6, 0, 4]),
    }  # fmt: skip
    for name, (got, expected) in calls.items():
        assert isinstance(got, kind), name
        np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-6, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("name", ["numpy", pytest.param("torch", marks=pytest.mark.needs("torch"))])
def test_scipy_and_scikit_learn_take_the_namespace(name: str) -> None:
    """As their functions hand it on; what finds a namespace for arrays is array-api-compat there."""
    stats = pytest.importorskip("scipy.stats._stats_py")
    sklearn = pytest.importorskip("sklearn.utils._array_api")
    from scipy._lib import _array_api

    xp = lw.array_namespace(name)
    x = xp.asarray([[1.0, 2.0, 6.0], [4.0, 5.0, 7.0]])
    for got, expected in (
        (stats._xp_mean(x, axis=1, xp=xp), [3, 16 / 3]),
        (stats._xp_var(x, axis=1, xp=xp), [14 / 3, 14 / 9]),
        (_array_api.xp_vector_norm(x, axis=0, xp=xp), [17**0.5, 29**0.5, 85**0.5]),
        (sklearn._average(x, axis=0, weights=xp.asarray([1.0, 3.0]), xp=xp), [3.25, 4.25, 6.75]),
        (sklearn._nanmin(x, xp=xp), 1),
    ):
        np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-6)
    assert sklearn.get_namespace(x, xp=xp)[0] is xp
    assert sklearn._max_precision_float_dtype(xp, sklearn.device(x)) == xp.float64
