"""Traced programs: the same bits as eager, sources that run alone, guards, errors, control flow, derivatives."""

from __future__ import annotations

import inspect
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from itertools import count
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import COSTLY, EXHAUSTIVE, in_turn

import latticework as lw
from latticework.core.registry import OPS
from latticework.core.trees import flatten
from latticework.errors import TraceError
from latticework.support import samples
from latticework.tracing.writing.spelling import number_text

pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")  # forward mode imports what uses it

#: Functions whose results depend on values in more than their elements: the error says so.
BY_VALUES = frozenset(
    "allclose array_equal intersect1d linalg.null_space linalg.orth roots setdiff1d setxor1d trim_zeros unique".split()
)
#: Functions whose elements are what the memory held before.
UNSET = frozenset(("empty", "empty_like"))
#: Functions that a backend computes through latticework itself: their graphs run, and have no source.
NO_SOURCE = frozenset(
    """
    linalg.lu linalg.lu_factor linalg.schur nn.interpolate nn.multi_head_attention nn.scaled_dot_product_attention
    """.split()
)
#: Functions that other backends than NumPy's compute in memory by that one's functions. A graph for `lw.transpile` has
#: the framework's own there, and source.
BY_NUMPY = frozenset(
    """
    argpartition bincount histogram histogram2d histogram_bin_edges histogramdd median nanargmax nanargmin nanmax
    nanmedian nanmin nanpercentile nanquantile partition percentile quantile top_k
    """.split()
)
NAMES = [n for n in samples.names() if samples.declaration(n)]


def names(backend: str) -> list[str]:
    """The functions to trace: a third, or on backends where each costs much every tenth; all in a sweep."""
    return in_turn(NAMES, 10 if backend in COSTLY else 3, backend)


def call_of(name: str) -> tuple[Callable[..., Any], list[lw.Array]] | None:
    """A function of arrays that calls a function of ours on its samples, and the arrays; None where it takes none."""
    function, o = attrgetter(name)(lw), OPS[name]
    for dtype in (lw.float32, lw.int32, lw.bool, lw.complex64):
        made: list[lw.Array] = []

        def make(values: Any, d: lw.Dtype, made: list[lw.Array] = made) -> lw.Array:
            made.append(lw.asarray(values, dtype=d))
            return made[-1]

        try:
            args, kw = samples.arguments(o, make, dtype)
            function(*args, **kw)
        except Exception:
            continue

        def call(*arrays: lw.Array, dtype: lw.Dtype = dtype) -> Any:
            following = iter(arrays)
            args, kw = samples.arguments(o, lambda *_: next(following), dtype)
            return function(*args, **kw)

        return call, made
    return None


def bits(tree: Any) -> list[Any]:
    """The leaves of a result, arrays as their dtypes, shapes and bytes."""
    return [
        (str(x.dtype), x.shape, np.ascontiguousarray(np.asarray(x)).tobytes()) if isinstance(x, lw.Array) else x
        for x in flatten(tree)[0]
    ]


def close(first: Any, second: Any) -> bool:
    """Whether two results agree but for the last bits, which a program compiled as one may have otherwise."""
    leaves = flatten(first)[0], flatten(second)[0]
    return all(
        x.dtype is y.dtype and x.shape == y.shape
        and np.allclose(np.asarray(x).astype("c16"), np.asarray(y).astype("c16"), rtol=1e-5, equal_nan=True)
        for x, y in zip(*leaves, strict=True)
        if isinstance(x, lw.Array)
    )  # fmt: skip


#: The first calls of a process, in a trace. Whether the framework alone computes each on this backend is printed.
FIRST_CALLS = """
import sys
import latticework as lw
from latticework.errors import TraceError

lw.set_backend(sys.argv[1])
q, mask, x = lw.ones((1, 2, 3, 4)), lw.ones((3, 3), dtype=bool), lw.ones((1, 3, 3))
for f, *arrays in (
    (lambda q: lw.nn.scaled_dot_product_attention(q, q, q), q),
    (lambda q, mask: lw.nn.scaled_dot_product_attention(q, q, q, attn_mask=mask), q, mask),
    (lambda x: lw.nn.interpolate(x, size=2), x),
):
    graph = lw.trace(f, *arrays)
    assert lw.allclose(graph(*arrays), f(*arrays))
    try:
        text = graph.source
    except TraceError as error:
        assert "lw.transpile" in str(error)
        print("latticework")
    else:
        namespace = {}
        exec(text, namespace)
        assert lw.allclose(lw.asarray(namespace[graph.name](*[x.data for x in arrays])), f(*arrays))
        print("framework")
"""


def test_functions_that_a_backend_leaves_to_latticework_are_traced_first_and_their_source_is_refused(
    backend: str,
) -> None:
    """JAX's kernels leave some calls to a composition, which is compiled at its first call."""
    if backend not in ("jax", "numpy"):
        pytest.skip("only JAX's kernels do; NumPy's show that the calls are right")
    done = subprocess.run([sys.executable, "-c", FIRST_CALLS, backend], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    expected = ["framework", "latticework", "latticework"] if backend == "jax" else ["framework"] * 3
    assert done.stdout.split() == expected


def test_every_function_traces_to_the_same_bits_and_its_source_runs_alone(backend: str, tmp_path: Path) -> None:
    """The sources run in a process that cannot import latticework, on the arguments that were traced."""
    stored, without = {}, list[str]()
    with lw.using(backend=backend):
        for name in names(backend):
            found = call_of(name)
            if found is None:
                continue
            call, arrays = found
            if name in BY_VALUES:
                with pytest.raises(TraceError):
                    lw.trace(call, *arrays)
                continue
            graph = lw.trace(call, *arrays)
            expected, traced = call(*arrays), graph(*arrays)
            if name not in UNSET:
                assert bits(traced) == bits(expected) or (backend == "jax" and close(traced, expected)), name
            if backend == "dask":
                continue
            try:
                text = graph.source
            except TraceError:
                without.append(name)
                continue
            source = tmp_path / f"traced_{name.replace('.', '_')}.py"
            source.write_text(text, encoding="utf-8")
            if name not in UNSET:
                results = [np.asarray(x) for x in flatten(traced)[0] if isinstance(x, lw.Array)]
                stored[source.stem] = graph.name, [np.asarray(x) for x in arrays], results
    assert not {*without} - NO_SOURCE - BY_NUMPY, {*without} - NO_SOURCE - BY_NUMPY
    if not stored:
        assert backend == "dask"
        return
    (tmp_path / "stored").write_bytes(pickle.dumps(stored))
    runner = RUNNER.format(framework=backend)
    done = subprocess.run(
        [sys.executable, "-c", runner], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(tmp_path), "JAX_ENABLE_X64": "1"},
    )  # fmt: skip
    assert done.stdout.strip().endswith(f"{len(stored)} ran"), done.stdout[-2000:] + done.stderr[-2000:]


#: Runs the sources: of each, the function on the arrays that were traced, and compares.
RUNNER = """
import importlib, pickle, sys
sys.modules["latticework"] = None
import numpy as np
np.seterr(all="ignore")
framework = "{framework}"
def native(x):
    if framework == "torch":
        import torch
        return torch.from_numpy(x.copy())
    if framework == "jax":
        import jax.numpy as jnp
        return jnp.asarray(x)
    if framework == "tensorflow":
        import tensorflow as tf
        return tf.constant(x)
    return x
def arrays(x):
    if isinstance(x, (tuple, list)):
        return [y for z in x for y in arrays(z)]
    return [np.asarray(x.resolve_conj().resolve_neg() if framework == "torch" else x)]
ran = 0
for module, (name, inputs, outputs) in pickle.load(open("stored", "rb")).items():
    try:
        found = arrays(getattr(importlib.import_module(module), name)(*map(native, inputs)))
    except Exception as error:
        print(module, repr(error))
        continue
    for x, y in zip(found, outputs):
        if str(x.dtype) != str(y.dtype) or not np.allclose(x.astype("c16"), y.astype("c16"), rtol=1e-4, atol=1e-5, equal_nan=True):
            print(module, x, y)
            break
    else:
        ran += 1
print(ran, "ran")
"""  # noqa: E501


def of_other_extents(x: lw.Array) -> lw.Array:
    """The array, twice along each axis of more than one element."""
    made = np.asarray(x)
    for axis, n in enumerate(made.shape):
        made = np.concatenate([made] * (2 if n > 1 else 1), axis)
    return lw.asarray(made)


def outcome(f: Callable[..., Any], arrays: list[lw.Array]) -> Any:
    try:
        return bits(f(*[x.copy() for x in arrays]))
    except Exception as error:
        return type(error), str(error)


def test_a_call_that_gives_its_argument_is_in_the_graph_for_other_extents(backend: str) -> None:
    """On Dask, `roll` by the extent gives the array itself, and of an array of twice the extent another one."""
    if backend in ("jax", "tensorflow"):
        pytest.skip("there a graph is for one shape")
    with lw.using(backend=backend):
        graph = lw.trace(lambda x: lw.roll(x, 3, axis=0), lw.arange(3))
        assert graph(lw.arange(6)).tolist() == [3, 4, 5, 0, 1, 2]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_graph_that_serves_other_extents_computes_on_them_what_eager_does(backend: str) -> None:
    """Every function: its results, or its error, in the same class and words."""
    if backend in ("jax", "tensorflow"):
        pytest.skip("there a graph is for one shape")
    served = 0
    with lw.using(backend=backend):
        for name in names(backend):
            found = call_of(name)
            if found is None or name in BY_VALUES or name in UNSET:
                continue
            call, arrays = found
            graph = lw.trace(call, *arrays)
            others = [of_other_extents(x) for x in arrays]
            leaves, structure = flatten((tuple(others), {}))
            if graph.unfit(leaves, structure):
                continue
            served += 1
            assert outcome(graph, others) == outcome(call, others), name
    assert served > (100 if EXHAUSTIVE else 30 if backend not in COSTLY else 10)


def test_every_function_takes_an_array_without_axes_that_was_computed(backend: str) -> None:
    """On NumPy it is one of its scalars."""
    with lw.using(backend=backend):
        for name in names(backend):
            found = call_of(name)
            if found is None or name in BY_VALUES or name in UNSET:
                continue
            call, arrays = found

            def program(*arrays: lw.Array, call: Callable[..., Any] = call) -> Any:
                return call(*[x[(0,) * x.ndim] if 0 not in x.shape else x for x in arrays])

            expected = outcome(program, arrays)
            found_by_trace = outcome(lambda *a, program=program: lw.trace(program, *a)(*a), arrays)  # type: ignore[misc]
            if backend != "jax" or type(expected) is tuple:
                assert found_by_trace == expected, name
            else:
                assert close(lw.trace(program, *arrays)(*arrays), program(*arrays)), name


FLOATS = ("float16", "bfloat16", "float32", "float64", "float8_e4m3fn", "float8_e5m2")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
#: Floats at the ends of the integers' ranges and beyond, and those that are no numbers.
ENDS = [
    0.0, -0.0, 0.5, -0.5, -0.99, 1.5, 127, 127.5, 128, -128, -128.5, -129, 255, 255.9, 256, -1, 32767, 32768, -32769,
    65504, -65504, 65536, 2147483520.0, 2.0**31, -(2.0**31), -2147483904.0, 4294967040.0, 2.0**32, 9.2233715e18,
    2.0**63, -(2.0**63), -9.3e18, 1.8446742e19, 2.0**64, 1e30, -1e30, float("inf"), -float("inf"), float("nan"),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")  # of the numbers that float16 does not hold
def test_sources_cast_floats_to_integers_alone(backend: str, tmp_path: Path) -> None:
    """Each pair of dtypes, on numbers within the range alone and beyond it, eagerly and as the framework compiles it.

    What is expected is computed by Python: cut towards zero, the nearest end of the range, 0 for nan.
    """
    if backend == "dask":
        pytest.skip("its sources compute by latticework's own casts of blocks")
    expected: dict[str, list[tuple[str, str, list[int]]]] = {}
    with lw.using(backend=backend):
        for name in FLOATS:
            x = lw.astype(lw.asarray(ENDS, dtype="float64"), name)
            numbers = lw.to_numpy(lw.astype(x, "float64")).tolist()
            for integer in INTEGERS if backend in ("numpy", "torch") else in_turn(INTEGERS, 3, backend, name):
                graph = lw.trace(lambda x, integer=integer: lw.astype(x, integer), x)
                source = tmp_path / f"{name}_{integer}.py"
                source.write_text(graph.source, encoding="utf-8")
                assert len(graph.source.splitlines()) < 55
                limits = lw.iinfo(getattr(lw, integer))
                found = [_as_integer(v, limits) for v in numbers]
                assert lw.to_numpy(lw.astype(x, integer)).tolist() == lw.to_numpy(graph(x)).tolist() == found
                expected.setdefault(name, []).append((source.stem, integer, found))
    (tmp_path / "stored").write_bytes(pickle.dumps((ENDS, expected)))
    done = subprocess.run(
        [sys.executable, "-c", CASTING.format(framework=backend)], cwd=tmp_path, capture_output=True, text=True,
        check=False, env={**os.environ, "PYTHONPATH": str(tmp_path), "JAX_ENABLE_X64": "1"},
    )  # fmt: skip
    assert done.stdout.strip() == f"{sum(map(len, expected.values()))} agree", done.stdout[-3000:] + done.stderr[-3000:]


def _as_integer(value: float, limits: Any) -> int:
    if value != value:
        return 0
    inside = min(max(value, float(limits.min)), float(limits.max))
    return min(max(int(inside), limits.min), limits.max)


#: Runs the sources of casts on numbers of each dtype, all of them and those alone that every integer dtype holds.
CASTING = """
import importlib, pickle, sys
sys.modules["latticework"] = None
import ml_dtypes
import numpy as np
np.seterr(all="ignore")
framework = "{framework}"
if framework == "torch":
    import torch
    torch.set_num_threads(1)
    torch._dynamo.config.recompile_limit = 100
elif framework == "jax":
    import jax
elif framework == "tensorflow":
    import tensorflow as tf
def array(values, name):
    if framework == "torch":
        x = torch.tensor(values, dtype=torch.float64)
        return x.to(getattr(torch, name)) if name[:6] != "float8" else torch.from_numpy(
            np.array(values).astype(np.float32).astype(getattr(ml_dtypes, name)).view(np.uint8)
        ).view(getattr(torch, name))
    x = np.array(values, dtype="float64")
    x = x.astype(getattr(ml_dtypes, name, name))
    return jax.numpy.asarray(x) if framework == "jax" else tf.constant(x) if framework == "tensorflow" else x
def ways(f, integer, name):
    yield "alone", f
    if framework == "jax":
        yield "jit", jax.jit(f)
        yield "vmap", jax.vmap(f)
    elif framework == "tensorflow":
        yield "tf.function", tf.function(f, autograph=False)
    elif framework == "torch" and name[:6] != "float8":
        yield "vmap", torch.func.vmap(f)
        if integer in ("int32", "uint8", "uint64"):
            yield "fullgraph", torch.compile(f, fullgraph=True, backend="eager")
            class Module(torch.nn.Module):
                def forward(self, x):
                    return f(x)
            n = torch.export.Dim("n", min=2)
            yield "export", torch.export.export(Module(), (array([1.0] * 5, name),), dynamic_shapes=[(n,)]).module()
def numbers(x):
    return (x.cpu().numpy() if framework == "torch" else np.asarray(x)).tolist()
values, expected = pickle.load(open("stored", "rb"))
few = [0.0, 1.5, 3.5, 7.0]
agree = 0
for name, casts in expected.items():
    for module, integer, right in casts:
        f = importlib.import_module(module).traced
        for way, g in ways(f, integer, name):
            whole, part = numbers(g(array(values, name))), numbers(g(array(few, name)))
            one = int(g(array(values, name)[-1])) if way == "alone" else 0
            if whole != right or part != [int(v) for v in few] or one != 0:
                print(module, way, whole, part, one)
                break
        else:
            agree += 1
print(agree, "agree")
"""


def test_a_condition_is_no_cast() -> None:
    """`cond` takes its condition as it is: the source of a branch has no text but its own."""
    for backend in ("numpy", "torch"):
        if backend == "torch":
            pytest.importorskip("torch")
        with lw.using(backend=backend):
            x = lw.asarray([1.5, -2.5])
            graph = lw.trace(lambda x: lw.cond(lw.sum(x) > 1, lambda: x + 1, lambda: x * 2), x)
            assert "cast" not in [node.name for node in graph.nodes]
            assert len(graph.source.splitlines()) < (22 if backend == "numpy" else 37)  # with the function `switch`
            for values in ([1.5, -2.5], [3.0, 4.0]):
                x = lw.asarray(values)
                assert bits(graph(x)) == bits(x + 1 if sum(values) > 1 else x * 2)


def test_a_dtype_in_a_source_has_all_that_a_dtype_has() -> None:
    from latticework.tracing.writing.standalone import _ATTRIBUTES

    assert {*_ATTRIBUTES} == {*lw.Dtype.__slots__} - {"_name"}


# --- programs -----------------------------------------------------------------------------------------------------


def in_place(x: Any, v: Any) -> Any:
    x += v
    x[0] = 7
    x[1, 1:] *= 2
    return x


def in_place_with_views(x: Any, v: Any) -> Any:
    z = lw.zeros_like(x)
    z[:, 1] += v[:2]
    w = z.T
    w[0] = 5
    return z, w, lw.sum(x)


def a_loop(x: Any, v: Any) -> Any:
    return lw.fori_loop(0, 5, lambda i, c: c * 0.5 + lw.sin(v), v)


def a_while_loop(x: Any, v: Any) -> Any:
    return lw.while_loop(lambda c: lw.sum(c) < 100, lambda c: c * 2, v)


def a_scan(x: Any, v: Any) -> Any:
    return lw.scan(lambda c, row: (c + row, c * row), v, x), lw.scan(lambda c, row: (c + row, c), v, x, reverse=True)


def branches(x: Any, v: Any) -> Any:
    one = lw.cond(lw.sum(x) > 3, lambda a: a + 1, lambda a: a - 1, v)
    return one, lw.switch(lw.asarray(1), [lambda a: a + 1, lambda a: a * 2, lambda a: a], v)


def random_numbers(x: Any, v: Any) -> Any:
    first, second = lw.random.split(lw.random.key(3))
    return lw.random.normal(first, shape=(3,)) + v, lw.random.uniform(second, shape=(2,))


def a_tree(x: Any, v: Any) -> Any:
    return {"a": x + 1, "b": [v, 2.5, "text", None]}, x


def with_integers(x: Any, v: Any) -> Any:
    i = lw.astype(v, "int32")
    return i // 2, i % 2, i << 1, x[:, i % 3], lw.take(v, i % 3), i**2, -(i**3), lw.astype(x, "uint8")


def with_masks(x: Any, v: Any) -> Any:
    y = lw.where(x > 2, x, -x)
    y[y < 0] = 0
    return y, lw.count_nonzero(x > 2)


def mapped(x: Any, v: Any) -> Any:
    return lw.vmap(lambda row: row * v)(x)


def with_shapes(x: Any, v: Any) -> Any:
    out = lw.empty_like(x)
    lw.add(x, v, out=out)
    return out / x.shape[0] + lw.arange(x.shape[1])


PROGRAMS = [
    in_place, in_place_with_views, a_loop, a_while_loop, a_scan, branches, random_numbers, a_tree, with_integers,
    with_masks, mapped, with_shapes,
]  # fmt: skip


def arguments() -> list[lw.Array]:
    return [lw.asarray([[1.0, 2, 3], [4, 5, 6]]), lw.asarray([3.0, 1, 2])]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_a_program_does_what_it_does_eagerly(backend: str, program: Callable[..., Any]) -> None:
    """Its results, and what it writes into its arguments; the example is left as it was."""
    with lw.using(backend=backend):
        eager, example, given, again = (arguments() for _ in range(4))
        if program is in_place_with_views and lw.asarray(1.0)._sig.immutable:
            with pytest.raises(ValueError, match="has none"):
                program(*eager)
            with pytest.raises(ValueError, match="has none"):
                lw.trace(program, *example)
            return
        expected = program(*eager)
        graph = lw.trace(program, *example)
        compiled = lw.compile(program)
        traced, first = graph(*given), compiled(*again)
        assert bits(example) == bits(arguments())
        assert flatten(traced)[1] == flatten(expected)[1]
        exactly = backend != "jax"
        for found in (traced, first, compiled(*arguments())):
            assert bits(found) == bits(expected) if exactly else close(found, expected)
        assert bits(given) == bits(eager) == bits(again)


def logistic(w: Any, x: Any, y: Any) -> Any:
    p = lw.sigmoid(x @ w)
    return -lw.mean(y * lw.log(p) + (1 - y) * lw.log(1 - p))


def test_derivatives_trace(backend: str) -> None:
    """`value_and_grad`, `jvp`, `hessian` and custom gradients inside a trace, and a trace inside of `grad`."""
    if backend not in ("torch", "jax", "tensorflow"):
        pytest.skip("it has no derivatives")
    with lw.using(backend=backend):
        x, y, w = lw.asarray([[1.0, 2], [3, -1], [0, 1]]), lw.asarray([1.0, 0, 1]), lw.asarray([0.5, -0.25])

        @lw.custom_gradient
        def clipped(a: Any) -> Any:
            return a, lambda cotangent: lw.clip(cotangent, -0.1, 0.1)

        def step(w: Any, x: Any, y: Any) -> Any:
            loss, g = lw.value_and_grad(logistic)(w, x, y)
            _, moved = lw.jvp(lambda w: logistic(w, x, y), (w,), (lw.ones_like(w),))
            return loss, w - 0.1 * g, moved, lw.hessian(logistic)(w, x, y), lw.grad(lambda a: lw.sum(3 * clipped(a)))(w)

        assert close(lw.trace(step, w, x, y)(w, x, y), step(w, x, y))
        compiled = lw.compile(logistic)
        compiled(w, x, y)
        assert close(lw.grad(compiled)(w, x, y), lw.grad(logistic)(w, x, y))


def test_the_frameworks_take_the_source(backend: str) -> None:
    """`jax.jit`, `jax.vmap`, `torch.compile` without a break, `torch.func.vmap`, `tf.function`."""

    def program(x: Any, v: Any) -> Any:
        return lw.sum(lw.nn.softmax(x * v + 1, axis=-1) * lw.nn.layer_norm(x, (3,))) + lw.std(x)

    with lw.using(backend=backend):
        x, v = arguments()
        run, expected = lw.trace(program, x, v).function, float(program(x, v))
        if backend == "jax":
            import jax

            assert float(jax.jit(run)(x.data, v.data)) == pytest.approx(expected, rel=1e-5)
            assert jax.vmap(run, (None, 0))(x.data, np.stack([v.data] * 2)).shape == (2,)
        elif backend == "torch":
            import torch

            compiled = torch.compile(run, fullgraph=True, backend="eager")
            assert float(compiled(x.data, v.data)) == pytest.approx(expected, rel=1e-5)
            assert torch.func.vmap(run, (None, 0))(x.data, torch.stack([v.data] * 2)).shape == (2,)
        elif backend == "tensorflow":
            import tensorflow as tf

            compiled = tf.function(run, autograph=False)
            assert float(compiled(x.data, v.data)) == pytest.approx(expected, rel=1e-5)
        else:
            pytest.skip("it has no compiler of its own")


def test_what_a_branch_inside_a_branch_returns_keeps_its_memory() -> None:
    """It is no operand of any call, and neither left out nor written over; nor is a second array that equals it."""

    def nested(x: Any) -> Any:
        t, u = lw.exp(x), lw.sin(x)
        y = t * 2
        return y, lw.cond(lw.sum(x) > 0, lambda: lw.cond(lw.sum(x) > 1, lambda: t, lambda: u), lambda: x)

    def written(x: Any) -> Any:
        t, again = lw.exp(x), lw.exp(x)
        z = lw.cond(lw.sum(x) > 0, lambda: t, lambda: x)
        z[0] = 7
        return lw.sum(again), z + 0

    def kept(x: Any) -> Any:
        table = lw.asarray([1.0, 2.0])
        return lw.cond(lw.sum(x) > 0, lambda: table, lambda: x)

    with lw.using(backend="numpy"):
        for program in (nested, written):
            for x in ([1.0, 2.0], [0.25, 0.5], [-1.0, -2.0]):
                graph = lw.trace(program, lw.asarray(x))
                assert bits(graph(lw.asarray(x))) == bits(program(lw.asarray(x)))
        graph = lw.trace(kept, lw.ones(2))
        graph(lw.ones(2))[0] = 9
        assert bits(graph(lw.ones(2))) == bits(lw.asarray([1.0, 2.0]))


# --- guards -------------------------------------------------------------------------------------------------------


def test_a_graph_serves_all_shapes_that_broadcast_alike_unless_the_program_looks_at_them() -> None:
    traces = count()

    def program(x: Any, y: Any) -> Any:
        next(traces)
        return x * y + 1

    with lw.using(backend="numpy"):
        compiled = lw.compile(program)
        for shape in ((3,), (5,), (70_000,)):
            x = lw.ones(shape)
            assert bits(compiled(x, x)) == bits(x * x + 1)
        assert [r.why for r in lw.explain_retraces(compiled)] == ["the first call"]
        compiled(lw.ones((2, 3)), lw.ones(3))
        compiled(lw.ones((4, 5)), lw.ones(5))
        compiled(lw.ones(3, dtype="int32"), lw.ones(3))
        with lw.using(rules="numpy"):
            compiled(lw.ones(3), lw.ones(3))
        whys = [r.why for r in lw.explain_retraces(compiled)]
        assert len(whys) == 4
        assert "broadcast otherwise" in whys[1]
        assert whys[2] == "x was of float32, and is of int32"
        assert "rules" in whys[3]

        looking = lw.compile(lambda x: x / x.shape[0])
        for n in (3, 4, 3, 4):
            assert bits(looking(lw.ones(n))) == bits(lw.ones(n) / n)
        assert [r.why for r in lw.explain_retraces(looking)] == [
            "the first call", "x was of shape (3,), which the function looked at, and is of (4,)",
        ]  # fmt: skip


def test_numbers_and_other_arguments() -> None:
    with lw.using(backend="numpy"):
        compiled = lw.compile(lambda x, n, how="up": x * n if how == "up" else x / n)
        x = lw.asarray([1.0, 2.0])
        for args, kw in (((x, 2), {}), ((x, 2.0), {}), ((x, 3), {}), ((x, 3), {"how": "down"}), ((x, 2), {})):
            assert bits(compiled(*args, **kw)) == bits(x * args[1] if not kw else x / args[1])
        whys = [r.why for r in lw.explain_retraces(compiled)]
        assert len(whys) == 4
        assert "it was traced with 2 where this call has 3. From now on an input: n" in whys


def test_a_graph_refuses_what_it_is_not_valid_for() -> None:
    with lw.using(backend="numpy"):
        graph = lw.trace(lambda x: x + 1, lw.asarray([1.0]))
        with pytest.raises(TraceError, match="x was of float32, and is of int32. Trace the function again"):
            graph(lw.asarray([1]))
        with lw.using(rules="jax"):
            weak, strong = lw.asarray(1.5), lw.asarray(1.5, dtype=lw.float64)
            graph_of_weak = lw.trace(lambda x: x + lw.ones(2, dtype=lw.float32), weak)
            with pytest.raises(TraceError, match="x was of weak float64, and is of float64"):
                graph_of_weak(strong)
        with pytest.raises(TraceError, match=r"traced with arguments .*, and these are"):
            graph(lw.asarray([1.0]), lw.asarray([1.0]))


def test_graphs_are_bounded() -> None:
    with lw.using(backend="numpy"):
        compiled = lw.compile(lambda x, n: x * len(n), limit=3)
        for n in range(10):
            assert bits(compiled(lw.asarray([1.0]), "n" * n)) == bits(lw.asarray([1.0]) * n)
        assert len(compiled.compiled.graphs) == 3


# --- errors -------------------------------------------------------------------------------------------------------


def test_what_a_trace_cannot_keep_is_an_error_that_names_the_line() -> None:
    def branching(x: Any) -> Any:
        if lw.sum(x) > 0:
            return x
        return -x

    def counting(x: Any) -> Any:
        return x * int(x[0])

    def selecting(x: Any) -> Any:
        return x[x > 0]

    with lw.using(backend="numpy"):
        x = lw.asarray([1.0, 2.0])
        for program, line in ((branching, "if lw.sum"), (counting, "int(x"), (selecting, "x[x > 0]")):
            with pytest.raises(TraceError) as caught:
                lw.trace(program, x)
            lines, first = inspect.getsourcelines(program)
            at = next(i for i, text in enumerate(lines) if line in text)
            assert f"{__file__}:{first + at}" in str(caught.value), str(caught.value)
            assert line in str(caught.value)
        kept: list[Any] = []
        with pytest.raises(TraceError, match=r"changes what is in kept \(.*kept\.append"):
            lw.trace(lambda x: (kept.append(x), x)[1], x)
        assert not kept  # what the function holds is as before the trace
        with pytest.raises(TypeError, match="made"):
            lw.explain_retraces(branching)


def test_what_nobody_uses_is_left_out_unless_it_could_be_an_error() -> None:
    three = lw.asarray([1.0, 2.0, 3.0], backend="numpy")

    def harmless(x: Any) -> Any:
        lw.exp(x) * x
        return x + 1

    def fixed(x: Any) -> Any:
        x * three
        return x + 1

    with lw.using(backend="numpy"):
        assert [node.name for node in lw.trace(harmless, three).nodes] == ["add"]
        graph = lw.trace(fixed, three)
        with pytest.raises(ValueError, match="do not fit together"):
            graph(lw.ones(4))


def test_errors_of_a_traced_function_are_those_of_eager() -> None:
    with lw.using(backend="numpy"):
        for program in (lambda x: x @ lw.ones((5, 5)), lambda x: lw.sum(x, axis=3), lambda x: x[7]):
            with pytest.raises(Exception) as eager:
                program(lw.ones(3))
            with pytest.raises(type(eager.value)) as traced:
                lw.trace(program, lw.ones(3))
            assert str(traced.value) == str(eager.value)


# --- source -------------------------------------------------------------------------------------------------------


def test_the_source_is_plain_python_with_the_lines_of_the_program() -> None:
    def program(x: Any, y: Any) -> Any:
        z = lw.exp(x)
        return z * 2 + y[:1]

    with lw.using(backend="numpy"):
        x = lw.asarray([1.0, 2.0])
        source = lw.trace(program, x, x).source
    assert (
        source
        == """import numpy as np


c_2 = np.array(2.0, dtype="float32")


def program(x, y):
    # z = lw.exp(x)
    t = np.exp(x)
    # return z * 2 + y[:1]
    t *= c_2
    t_2 = y[:1]
    t += t_2
    return t
"""
    )


def test_large_arrays_are_computed_in_blocks_with_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("latticework.tracing.writing.blocked.LARGE", 50_000)
    monkeypatch.setattr("latticework.tracing.writing.blocked.BLOCK", 16_384)

    def program(x: Any, y: Any) -> Any:
        z = lw.tanh(x) * y + 1
        return lw.maximum(z, 0.5), lw.where(x > 1, z / 3 - x, x), lw.sqrt(lw.abs(z) + 2) * z

    rng = np.random.default_rng(1)
    with lw.using(backend="numpy"):
        for n in (7, 65_536, 100_003):
            x, y = (lw.asarray(rng.normal(size=n).astype(np.float32)) for _ in range(2))
            graph = lw.trace(program, x, y)
            assert "for start in range(0, x.size, 16384):" in graph.source
            assert bits(graph(x, y)) == bits(program(x, y))
            strided = lw.asarray(np.repeat(np.asarray(x), 2))[::2]
            assert bits(graph(strided, y)) == bits(program(x, y))
        square = lw.asarray(rng.normal(size=(300, 300)).astype(np.float32))
        graph = lw.trace(program, square, square)
        assert bits(graph(square.T, square)) == bits(program(square.T, square))


def test_no_simplification_makes_a_view_of_an_argument_of_what_is_returned() -> None:
    def program(x: Any, y: Any) -> Any:
        back = lw.astype(lw.astype(x, "float32"), "bool")
        return lw.reshape(back, (-1,)), (y * 1).T, lw.reshape(y + 1, (-1,)), lw.reshape(y + 1, (-1,))

    with lw.using(backend="numpy"):
        x, y = lw.asarray([True, False]), lw.ones((2, 3))
        first, second, third, fourth = lw.trace(program, x, y)(x, y)
        pairs = [(first, x), (second, y), (third, fourth)]
        assert not any(np.shares_memory(a.data, b.data) for a, b in pairs)


def test_a_quotient_by_a_power_of_two_is_a_product() -> None:
    """With every exponent, both infinities, nan and subnormal numbers."""

    def program(x: Any) -> Any:
        return x / 2, x / -0.25, x / 2.0**90, x / 3, x / 2.0**-120

    with lw.using(backend="numpy"), np.errstate(all="ignore"):
        patterns = np.arange(0, 1 << 32, 40_503, dtype=np.uint32)
        x = lw.asarray(patterns.view(np.float32))
        graph = lw.trace(program, x)
        assert {str(done) for done in graph.passes} >= {"divisors: 3"}
        assert [a.data.tobytes() for a in graph(x)] == [a.data.tobytes() for a in program(x)]


def test_a_reduction_of_a_reduction_is_one_where_the_bits_are_the_same() -> None:
    def program(i: Any, x: Any) -> Any:
        return (
            lw.sum(lw.sum(lw.sum(i, axis=2), axis=-1)), lw.max(lw.max(i, axis=0, keepdims=True)),
            lw.any(lw.any(x, axis=(0, 1))), lw.all(lw.all(i, axis=1)), lw.prod(lw.prod(i, axis=1)),
            lw.sum(lw.sum(i, axis=1), axis=0), lw.sum(lw.sum(x, axis=0)), lw.max(lw.max(x, axis=0)),
        )  # fmt: skip

    with lw.using(backend="numpy"):
        i, x = lw.reshape(lw.arange(24), (2, 3, 4)) - 7, lw.reshape(lw.linspace(-1, 1, 24), (2, 3, 4))
        graph = lw.trace(program, i, x)
        assert {str(done) for done in graph.passes} >= {"axes: 6"}
        assert len(graph.nodes) == len(program(i, x)) + 3
        assert bits(graph(i, x)) == bits(program(i, x))


#: Parts of complex numbers whose literals lose a sign, or are none.
PARTS = (0.0, -0.0, 1.0, -1.5, 1e300, float("inf"), float("-inf"), float("nan"))


def test_a_number_is_written_with_its_bits() -> None:
    for x in PARTS:
        assert repr(eval(number_text(x))) == repr(x)
        for y in PARTS:
            assert repr(eval(number_text(complex(x, y)))) == repr(complex(x, y))


def test_signs_of_zeros_in_complex_constants_stay(backend: str) -> None:
    numbers = [complex(1, -0.0), complex(1, 0.0), complex(-0.0, 1), 1j, complex(0.0, -2)]

    def program(x: lw.Array, n: complex) -> Any:
        return lw.where(lw.isnan(x), x, n), lw.concat([x, lw.asarray([n, n], dtype=lw.complex128)])

    x, compiled = lw.asarray([1.0, 2.0], dtype=lw.complex128), lw.compile(program)
    for _ in range(2):
        for n in numbers:
            expected = bits(program(x, n))
            assert bits(compiled(x, n)) == expected
            graph = lw.trace(partial(program, n=n), x)
            assert bits(graph(x)) == expected


def test_calls_with_small_results_do_not_cut_a_stretch() -> None:
    def program(x: Any, w: Any, scale: Any) -> Any:
        y = x * w[0] + scale
        y = lw.tanh(y) * (scale * 2 + 1)
        return y / lw.sum(w) + w[1], lw.sum(y)

    with lw.using(backend="numpy"):
        x, w, scale = lw.linspace(0, 1, 1_000_000), lw.asarray([1.5, 2.5]), lw.asarray(0.25)
        graph = lw.trace(program, x, w, scale)
        assert graph.source.count("for start") == 1
        assert bits(graph(x, w, scale)) == bits(program(x, w, scale))


@pytest.mark.parametrize("dtype", ["float32", "int64", "int8", "float16", "bfloat16", "complex64", "complex128"])
def test_choices_limits_and_casts_are_computed_in_blocks(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With every bit that an element may have, payloads of nan among them."""
    monkeypatch.setattr("latticework.tracing.writing.blocked.LARGE", 2)
    monkeypatch.setattr("latticework.tracing.writing.blocked.BLOCK", 128)

    def program(x: Any, y: Any, c: Any) -> Any:
        chosen = lw.where(c, x, y)
        low = chosen if dtype in ("bfloat16", "complex64", "complex128") else lw.clip(chosen, 0, 1)
        return lw.where(lw.logical_not(c), low, x), lw.where(c, 1, y), lw.astype(low == y, "float64")

    with lw.using(backend="numpy"), np.errstate(all="ignore"):
        rng = np.random.default_rng(2)
        itemsize = lw.dtype(dtype).itemsize
        raw = rng.integers(0, 256, (2, 200 * itemsize), dtype=np.uint8)
        x, y = (lw.asarray(r.view(lw.empty(0, dtype=dtype).data.dtype)) for r in raw)
        c = lw.asarray((np.arange(200) > 100) | (rng.random(200) < 0.5))
        graph = lw.trace(program, x, y, c)
        expected = program(x, y, c)
        assert [a.data.tobytes() for a in graph(x, y, c)] == [a.data.tobytes() for a in expected]
        inside = graph.source.partition("    else:\n")[2]
        chosen = 0 if itemsize == 16 else 3
        assert (inside.count("select("), inside.count("np.where(")) == (chosen, 3 - chosen) and "copyto(" in inside


def test_a_call_of_a_compiled_function_is_one_frame_and_the_source() -> None:
    with lw.using(backend="numpy"):
        x = lw.asarray([1.0, 2.0])
        compiled = lw.compile(lambda x, y: lw.exp(x) * y)
        for _ in range(10):
            compiled(x, x)
        frames = []
        sys.setprofile(lambda frame, event, arg: frames.append(frame.f_code.co_name) if event == "call" else None)
        try:
            compiled(x, x)
        finally:
            sys.setprofile(None)
    assert frames[:2] == ["call", "traced"]
    assert len(frames) == 2


def test_temporaries_are_freed_and_used_again() -> None:
    import tracemalloc

    def program(x: Any) -> Any:
        y = lw.sin(x) + 1
        z = lw.cos(y) * 2
        return lw.sum(lw.sqrt(z * z + y))

    with lw.using(backend="numpy"):
        x = lw.ones(1_000_000)
        run = lw.trace(program, x).function
        run(x.data)
        tracemalloc.start()
        run(x.data)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 2.1 * x.nbytes


class Counter:
    """An object whose methods bind attributes to new arrays."""

    def __init__(self) -> None:
        self.n = lw.asarray(0.0, backend="numpy")

    def rebinding(self, x: Any) -> Any:
        self.n = self.n + 1
        return x + self.n

    def caching(self, x: Any) -> Any:
        self.last = x * 2
        return self.last


@pytest.mark.parametrize("bound", [False, True])
def test_an_attribute_that_is_bound_anew_is_bound_by_each_call(bound: bool) -> None:
    x, counter = lw.asarray([1.0], backend="numpy"), Counter()
    rebinding = lw.compile(counter.rebinding) if bound else partial(lw.compile(Counter.rebinding), counter)
    assert [float(rebinding(x)[0]) for _ in range(3)] == [2.0, 3.0, 4.0]
    assert float(counter.n) == 3.0
    caching = lw.compile(counter.caching) if bound else partial(lw.compile(Counter.caching), counter)
    assert bits(caching(x)) == bits(caching(x)) == bits(x * 2) == bits(counter.last)


def test_a_native_function_of_traced_data_is_an_error_that_names_the_line() -> None:
    def tanh(a: Any) -> Any:
        return np.tanh(a)

    native = lw.native(tanh)
    with pytest.raises(TraceError, match=r"gives x\.data to a function .*native\(x\.data\)"):
        lw.compile(lambda x: native(x.data))(lw.asarray([1.0], backend="numpy"))
