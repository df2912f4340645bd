"""Saved graphs: they give the same bits when they are read again, and files that hold no graph are clear errors."""

from __future__ import annotations

import copy
import json
import operator
import struct
import zipfile
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from cases import COSTLY, EXHAUSTIVE, in_turn
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import IMMUTABLE

import latticework as lw
from latticework.backend import get
from latticework.core.registry import OPS
from latticework.core.trees import flatten
from latticework.errors import GraphFileError
from latticework.support import samples
from latticework.tracing.files.encoding import RESULTS, VERSION
from latticework.tracing.graph import Graph

FUZZED = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=150, derandomize=True)


def bits(x: Any) -> Any:
    if isinstance(x, lw.Array):
        return str(x.dtype), x.shape, np.ascontiguousarray(np.asarray(x)).tobytes()
    return type(x), repr(x)


def same_bits(a: Any, b: Any) -> bool:
    """Whether two trees have the same structure and the same bits."""
    (first, built), (second, again) = flatten(a), flatten(b)
    return built == again and list(map(bits, first)) == list(map(bits, second))


def again(graph: Graph, folder: Path) -> Graph:
    """The graph, saved and loaded. Saved again it gives the same bytes."""
    path = graph.save(folder / "graph.lwg")
    loaded = lw.load(path)
    assert loaded.save(folder / "again.lwg").read_bytes() == path.read_bytes()
    return loaded


# --- what is saved is read -------------------------------------------------------------------------------------------


def sampled_call(name: str) -> tuple[Any, list[Any], Any] | None:
    """The graph of a function of latticework on its sample, the arrays of this, and the function of them."""
    function = attrgetter(name)(lw)
    for dtype in (lw.float32, lw.int32, lw.bool, lw.complex64):
        arrays: list[Any] = []

        def make(values: Any, dtype: Any, arrays: list[Any] = arrays) -> Any:
            arrays.append(lw.asarray(values, dtype=dtype))
            return arrays[-1]

        try:
            samples.arguments(OPS[name], make, dtype)
        except (TypeError, ValueError):
            continue

        def f(*arrays: Any, dtype: Any = dtype) -> Any:
            following = iter(arrays)
            args, kw = samples.arguments(OPS[name], lambda *_: next(following), dtype)
            return function(*args, **kw)

        try:
            return lw.trace(f, *arrays), arrays, f
        except (TypeError, ValueError, RuntimeError):  # not of this dtype, or not traceable
            continue
    return None


def test_every_function_is_saved_and_read(backend: str, tmp_path: Path) -> None:
    names = [name for name in samples.names() if samples.declaration(name) and not name.startswith("empty")]
    found = 0
    for name in in_turn(names, 3 if backend == "numpy" else 9, backend):
        made = sampled_call(name)
        if made is None:
            continue
        graph, arrays, _ = made
        loaded = again(graph, tmp_path)
        found += 1
        functions = [[node.function for node in g.block.all_nodes()] for g in (graph, loaded)]
        assert functions[0] == functions[1], name
        assert str(loaded) == str(graph), name
        if backend not in COSTLY:
            assert same_bits(loaded.run(arrays), graph.run(arrays)), name
    assert found >= (460 if EXHAUSTIVE else 150 if backend == "numpy" else 25)


class Pair(NamedTuple):
    left: Any
    right: Any


def test_trees_statics_and_policy(backend: str, tmp_path: Path) -> None:
    def f(model: dict[str, Any], pair: Any, power: int, scale: complex, flag: bool, axis: Any = None) -> Any:
        y = model["w"] @ pair[0] + model["b"]
        return {"y": [y**power, lw.sum(y, axis=axis)], "none": None, "scale": (scale, flag)}, lw.top_k(y, 1), pair

    with lw.using(rules="torch", default_float="float16"):
        args = {"w": lw.ones((2, 3)), "b": lw.arange(2)}, Pair(lw.ones(3), None), 2, complex("1.5-infj"), True
        graph = lw.trace(f, *args, axis=(0,))
    loaded = again(graph, tmp_path)
    plain = args[0], tuple(args[1]), *args[2:]
    assert same_bits(loaded(*plain, axis=(0,))[:2], graph(*args, axis=(0,))[:2])
    assert type(loaded(*plain, axis=(0,))[1]) is type(lw.top_k(lw.ones(3), 1))
    assert loaded.passes == graph.passes
    assert loaded.policy is graph.policy and loaded.parameters == graph.parameters
    assert [node.operation.location for node in loaded.nodes] == [node.operation.location for node in graph.nodes]
    assert [str(node.operation.plan) for node in loaded.nodes] == [str(node.operation.plan) for node in graph.nodes]
    with pytest.raises(lw.errors.TraceError, match="traced with 2 where this call has 3"):
        loaded(*plain[:2], 3, *plain[3:], axis=(0,))
    with pytest.raises(lw.errors.TraceError, match="axis|arguments"):
        loaded(*plain)


def test_constants_writes_views_and_weak_arrays(backend: str, tmp_path: Path) -> None:
    held = [lw.asarray(v, dtype=d) for v, d in (([1.5, -0.0], "bfloat16"), ([True, False], "bool"), (3, "int8"))]
    held.append(lw.permute_dims(lw.reshape(lw.arange(6, dtype="float32"), (2, 3)), (1, 0)))

    def f(x: Any) -> Any:
        x[0] = -1
        y = lw.reshape(x, (3, 2))
        if backend not in IMMUTABLE:
            y[1, :] = 7
        return held[0] * 2, lw.logical_not(held[1]), held[2] + y, held[3] @ y[:2, :], y, held[0]

    def arguments() -> Any:
        return lw.arange(6, dtype="float32")

    with lw.using(rules="jax"):
        graph = lw.trace(f, arguments())
    loaded = again(graph, tmp_path)
    x, y = arguments(), arguments()
    assert same_bits(graph(x), loaded(y))
    assert same_bits(x, y) and x[0] == -1


def test_branches_and_loops(backend: str, tmp_path: Path) -> None:
    def f(x: Any) -> Any:
        y = lw.cond(lw.sum(x) > 0, lambda: lw.exp(x), lambda: lw.switch(lw.asarray(1), [lambda: x, lambda: -x]))
        z = lw.while_loop(lambda v: lw.sum(v) < 100, lambda v: v * 2 + 1, y)
        return lw.scan(lambda c, v: (c + v, c * v), lw.asarray(0.0), z)

    graph = lw.trace(f, lw.asarray([1.0, -3.0, 0.5]))
    loaded = again(graph, tmp_path)
    for x in ([1.0, -3.0, 0.5], [1.0, 3.0, 0.5]):
        assert same_bits(loaded(lw.asarray(x)), graph(lw.asarray(x)))


@pytest.mark.filterwarnings("ignore:.*torch.jit.script:DeprecationWarning")
def test_transformations(backend: str, tmp_path: Path) -> None:
    if not get(backend).facts.gradients:
        pytest.skip(f"{backend} has no gradients")

    @lw.custom_gradient
    def clipped(x: Any) -> Any:
        return lw.exp(x), lambda g: lw.minimum(g, lw.asarray(1.0))

    @lw.custom_gradient(forward=lambda primals, tangents: 3 * tangents[0])
    def steep(x: Any) -> Any:
        return lw.tanh(x), None

    def f(x: Any) -> Any:
        slope = lw.grad(lambda x: lw.sum(lw.sin(x) ** 2 * clipped(x)))(x)
        slope += lw.vjp(lambda x: x**3, x)[1](slope)[0]
        value, moved = lw.jvp(steep, (x,), (slope,))
        return lw.vmap(lambda v: v * v + 1)(moved), value, lw.checkpoint(lw.cos)(x), lw.stop_gradient(x) * 2

    graph = lw.trace(f, lw.asarray([1.0, -3.0, 0.5]))
    loaded = again(graph, tmp_path)
    x = lw.asarray([0.25, 3.0, -0.5])
    assert same_bits(loaded(x), graph(x)) and same_bits(graph(x), f(x))


def test_the_results_that_files_name_are_those_of_the_functions() -> None:
    import ast

    folder = Path(lw.__file__).parent / "api"
    found = {}
    for file in folder.rglob("*.py"):
        for node in ast.parse(file.read_text()).body:
            if isinstance(node, ast.ClassDef) and any(ast.unparse(base) == "NamedTuple" for base in node.bases):
                found[node.name] = ".".join(file.relative_to(folder).with_suffix("").parts)
    assert {name: module for name, module in found.items() if name not in ("Spec", "_Numbers")} == RESULTS


# --- what cannot be saved --------------------------------------------------------------------------------------------


def test_what_cannot_be_saved_is_named(tmp_path: Path) -> None:
    x, path = lw.asarray([1.0], backend="numpy"), tmp_path / "graph.lwg"
    with pytest.raises(
        GraphFileError, match="save: the argument <built-in function abs> cannot be saved: it has .*abs"
    ):
        lw.trace(lambda x, f: f(x), x, abs).save(path)
    with pytest.raises(GraphFileError, match=r"a container of dict with the keys \[1.5\] cannot be saved"):
        lw.trace(lambda d: d[1.5] + 1, {1.5: x}).save(path)
    with pytest.raises(GraphFileError, match="beyond what a file may hold.*a text is too long"):
        lw.trace(lambda x, text: x + len(text), x, "x" * 5000).save(path)
    graph = lw.trace(lambda x: x + 1, x)
    graph.block.nodes[0] = graph.nodes[0].replaced(function=operator.concat)
    with pytest.raises(
        GraphFileError, match=r"the call of add \(.*test_graph_files.py:\d+\).*calls concat, which is no"
    ):
        graph.save(path)
    with (
        lw.using(rules=lw.Rules("mine", "int32 -> float32")),
        pytest.raises(GraphFileError, match="the rules 'mine' are the program's own"),
    ):
        lw.trace(lambda x: x + x, x).save(path)
    assert not path.exists()


# --- files that hold no graph ----------------------------------------------------------------------------------------


def program(x: Any, n: Any, held: Any) -> Any:
    y = lw.cond(lw.sum(x) > 0, lambda: lw.exp(x) + held, lambda: -x)
    y = lw.while_loop(lambda v: lw.sum(v) < 10, lambda v: v * 2 + 1, y)
    y[..., 1:2] = 3
    return {"sum": lw.sum(y * n, axis=(0,)), "top": lw.top_k(y, 1)}, [lw.astype(y, lw.float16), 1.5, None]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    held = lw.asarray([0.25, -1.0, 2.0], backend="numpy")
    with lw.using(backend="numpy"):
        graph = lw.trace(lambda x, n: program(x, n, held), lw.asarray([1.0, -3.0, 0.5]), lw.asarray([1, 2, 3]))
    return graph.save(tmp_path_factory.mktemp("saved") / "graph.lwg")


def parts(path: Path) -> tuple[Any, dict[str, bytes]]:
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    return json.loads(members.pop("graph.json")), members


def packed(path: Path, data: Any, members: dict[str, bytes], **options: Any) -> Path:
    """Write a file with this description."""
    with zipfile.ZipFile(path, "w", **options) as file:
        file.writestr("graph.json", data if isinstance(data, bytes | str) else json.dumps(data))
        for name, content in members.items():
            file.writestr(name, content)
    return path


def refused_or_the_same(path: Path, original: Path) -> None:
    """The file is refused, or a graph that can be written down is read."""
    try:
        loaded = lw.load(path)
    except GraphFileError:
        return
    assert callable(loaded.function)
    str(loaded)
    loaded.save(original.parent / "again.lwg")


def test_truncated_files(saved: Path, tmp_path: Path) -> None:
    content = saved.read_bytes()
    path = tmp_path / "short.lwg"
    for n in {*range(0, len(content), 97), len(content) - 1}:
        path.write_bytes(content[:n])
        with pytest.raises(GraphFileError, match="damaged, or no graph"):
            lw.load(path)


@FUZZED
@given(st.data())
def test_flipped_bytes(saved: Path, data: st.DataObject) -> None:
    content = bytearray(saved.read_bytes())
    end = len(content)
    # half of the flips in what describes the members, which is at the end
    for _ in range(data.draw(st.integers(1, 3))):
        low = data.draw(st.sampled_from([0, end - 250]))
        content[data.draw(st.integers(low, end - 1))] ^= data.draw(st.integers(1, 255))
    path = saved.parent / "flipped.lwg"
    path.write_bytes(content)
    try:
        loaded = lw.load(path)
    except GraphFileError:
        pass
    else:  # in what a zip says of a member besides, such as its date
        assert loaded.save(saved.parent / "again.lwg").read_bytes() == saved.read_bytes()


def places(tree: Any, path: tuple[Any, ...] = ()) -> Any:
    yield path
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, child in items:
        yield from places(child, (*path, key))


HOSTILE = [
    None, True, -1, 0, 1, 2, 7, 10**30, -(10**5000 // 10**4700), 0.5, 1e308, "", "x", "os.system", "__class__",
    "__builtins__", "__import__('os')", "f(): pass\nimport os", "np.load", "numpy.load", "function", "cast", "eval",
    "lambda", "float32", "float128", "int4", "V", [], {}, [[]], [0, 0, 0], {"value": 0}, {"value": 10**9},
    {"value": -1}, {"native": 0}, {"native": 99}, {"tuple": []}, {"tuple": [{"value": 1}]}, {"dict": [["a", 1]]},
    {"dict": [["a b", 1]]}, {"slice": [1, 2]}, {"float": "1e5"}, {"float": "nan"}, {"type": "object"},
    {"device": "moon"}, {"native dtype": "complex64"}, {"scalar": ["int8", 1000]}, {"scalar": ["float32", "x"]},
    {"array": [0, "float32", False]}, {"complex": [1, 2]}, {"__class__": 1}, {"read": 1}, ["function", "os.system"],
    ["function", "np.load"], ["function", "add"], ["function", "add", "float128"], ["in_place", "function", "add"],
    ["module", "os"], ["switch"], ["while_loop"], ["scan"], ["index"], [1 << 70], [1 << 40, 1 << 40], "leaf",
    {"result": ["TopKResult", ["leaf", "leaf"]]}, {"result": ["os", []]},
]  # fmt: skip


@FUZZED
@given(st.data())
def test_hostile_descriptions(saved: Path, data: st.DataObject) -> None:
    program, members = parts(saved)
    known = [*places(program)][1:]
    for _ in range(data.draw(st.integers(1, 3))):
        where = data.draw(st.sampled_from(known))
        owner = program
        try:
            for key in where[:-1]:
                owner = owner[key]
            old = owner[where[-1]]
        except (KeyError, IndexError, TypeError):  # changed before
            continue
        if not isinstance(owner, (dict, list)):
            continue
        how = data.draw(st.sampled_from(["replace", "remove", "twice", "other"]))
        if how == "remove":
            del owner[where[-1]]
        elif how == "twice" and isinstance(owner, list):
            owner.insert(where[-1], copy.deepcopy(old))
        elif how == "other":  # what stands elsewhere in the description
            other = program
            for key in data.draw(st.sampled_from(known)):
                try:
                    other = other[key]
                except (KeyError, IndexError, TypeError):
                    break
            owner[where[-1]] = copy.deepcopy(other)
        else:
            owner[where[-1]] = data.draw(st.sampled_from(HOSTILE))
    path = packed(saved.parent / "hostile.lwg", program, members)
    refused_or_the_same(path, saved)


@FUZZED
@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
))  # fmt: skip
def test_any_data(saved: Path, data: Any) -> None:
    path = saved.parent / "any.lwg"
    with pytest.raises(GraphFileError, match="damaged, or no graph"):
        lw.load(packed(path, data, {}))
    if isinstance(data, dict):
        whole = {"format": "latticework graph", "version": 1, **data}
        with pytest.raises(GraphFileError, match="damaged, or no graph"):
            lw.load(packed(path, whole, {}))


@pytest.mark.parametrize(
    "key",
    [
        ("function", "os.system"), ("function", "np.load"), ("function", "core.np.load"), ("function", "__class__"),
        ("function", "linalg.__loader__"), ("function", "import_module"), ("cast", "__class__"), ("cast", "object"),
        ("scalar", "longdouble"), ("reflected", "__init__"), ("quicker", "add", "float32", "__class__"), ("named",),
        ("in_place", "function", "os.system"), ("in_place",), ("function",), (), ("function", "add", "float32", "x"),
        ("__class__",), ("_function",), ("module",), ("function", "exp\n"), ("function", "Exp"),
    ],
)  # fmt: skip
def test_functions_that_a_file_may_not_name(backend: str, key: tuple[str, ...], saved: Path, tmp_path: Path) -> None:
    program, members = parts(saved)
    node = program["block"]["nodes"][0]
    node["function"] = [*key]
    program["backend"] = backend
    with pytest.raises(GraphFileError, match="not here|damaged"):
        lw.load(packed(tmp_path / "g.lwg", program, members))


def test_what_a_file_may_name_is_the_backends(backend: str) -> None:
    """Whatever a key of the registry's finds was recorded under it: nothing else is in reach."""
    traced = get(f"traced:{backend}")
    lw.trace(lambda x: lw.exp(x)[0] + lw.astype(x, "int32"), lw.asarray([1.0]))
    entries = [*traced.registry._entries.values()]
    assert len(entries) > 10
    for entry in entries:
        if entry.key and entry.key[0] != "in_place":
            assert traced.named(entry.key).function is entry.function or entry.key[0] == "function", entry


def changed(saved: Path, path: Path, **changes: Any) -> Path:
    program, members = parts(saved)
    return packed(path, program | changes, members)


def test_messages(saved: Path, tmp_path: Path) -> None:
    program, members = parts(saved)
    path = tmp_path / "g.lwg"

    def refused(match: str, data: Any = program, members: dict[str, bytes] = members, **options: Any) -> None:
        with pytest.raises(GraphFileError, match=match):
            lw.load(packed(path, data, members), **options)

    newer = program | {"version": VERSION + 1, "made by": {"latticework": "7.1"}, "beyond": 1}
    refused("of version 2 of the format, made by latticework 7.1, .*up to 1. Install a newer latticework", newer)
    refused("its version is 'x'", program | {"version": "x"})
    refused("the backend is 'cupy'", program | {"backend": "cupy"})
    refused("the name of the function is 'os.system', which is no name", program | {"name": "os.system"})
    refused(r"the name of the function is 'f\(\)", program | {"name": "f(): pass\nimport os\ndef g"})
    refused("a parameter is 'x, y'", program | {"parameters": ["x, y", "n"]})
    refused("its arrays have 20 bytes; the most is 8. If that is right: limit=", limit=8)
    refused("array 0 has 11 bytes, and needs 12", members=members | {"arrays/0": members["arrays/0"][:-1]})
    refused("its members are not those", members={})
    refused("its members are not those", members=members | {"../../evil": b""})
    refused("its data are nested too deep", "[" * 100_000)
    refused("NaN is no number of JSON", '{"format": NaN}')
    refused("the rule set is 'mine'", program | {"policy": program["policy"] | {"rules": "mine"}})

    huge = copy.deepcopy(program)
    huge["arrays"][0]["shape"] = [1 << 40, 1 << 40]
    refused("its arrays have .* bytes; the most is 1,073,741,824", huge)
    huge["arrays"][0]["shape"] = [1 << 70]
    refused("the shape of an array is 1180591620717411303424", huge)

    nodes = program["block"]["nodes"]
    cycle = program | {"block": program["block"] | {"nodes": nodes[::-1]}}
    refused(r"value \d+ is used before it is computed", cycle)

    def with_node(i: int, **changes: Any) -> Any:
        return program | {"block": program["block"] | {"nodes": [*nodes[:i], nodes[i] | changes, *nodes[i + 1 :]]}}

    greater = next(i for i, n in enumerate(nodes) if n["function"][:2] == ["function", "greater"])
    refused("greater takes 2 arguments, and has 9|the call of greater", with_node(greater, args={"tuple": [1] * 9}))
    refused("the name of an argument is 'x=os'", with_node(greater, kwargs={"dict": [["x=os", 1]]}))
    loop = next(i for i, n in enumerate(nodes) if n["function"] == ["while_loop"])
    refused("a while_loop does not have the arguments, the blocks", with_node(loop, blocks=nodes[loop]["blocks"][:1]))
    refused("greater has blocks", with_node(greater, blocks=nodes[loop]["blocks"]))

    packed(path, program, members, compression=zipfile.ZIP_DEFLATED)
    with pytest.raises(GraphFileError, match="compressed"):
        lw.load(path)
    with pytest.raises(FileNotFoundError):
        lw.load(tmp_path / "none.lwg")


def test_no_member_is_read_beyond_its_size(saved: Path, tmp_path: Path) -> None:
    """A file that says of a member that it has gigabytes is refused before any is read."""
    content = saved.read_bytes()
    at = content.index(b"PK\x01\x02")
    claimed = content[: at + 20] + struct.pack("<II", 0xFFFF0000, 0xFFFF0000) + content[at + 28 :]
    path = tmp_path / "g.lwg"
    path.write_bytes(claimed)
    with pytest.raises(GraphFileError, match="damaged"):
        lw.load(path)


def test_a_file_runs_no_code_of_its_own(saved: Path, tmp_path: Path) -> None:
    """Lines and files of the program are comments of the source, and cannot end them."""
    program, members = parts(saved)
    for operation in program["operations"]:
        if operation["location"]:
            operation["location"][2] = "x\nraise SystemExit"
    with pytest.raises(GraphFileError, match="a line is"):
        lw.load(packed(tmp_path / "g.lwg", program, members))
