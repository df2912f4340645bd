"""Programs as people write them, compiled: what they hold, write into, and ask of an array while they are traced."""

from __future__ import annotations

import warnings
from operator import attrgetter
from typing import Any

import numpy as np
import pytest
from cases import in_turn

import latticework as lw
from latticework.errors import TraceError

DIFFERENTIABLE = ("torch", "jax", "tensorflow")


def numbers(x: Any) -> list[float]:
    found: list[float] = np.asarray(x).tolist()
    return found


def test_what_a_program_writes_into_an_array_that_it_holds_is_written_by_each_call_once(backend: str) -> None:
    if backend == "dask":
        pytest.skip("as on JAX: its arrays never change")
    x, total, first = lw.asarray([1.0, 2.0, 3.0]), lw.zeros(3), [lw.zeros(3)]

    @lw.compile
    def add(x: Any) -> Any:
        nonlocal total
        total += x
        first[0][0] = 5
        first[0][1:] += x[1:]
        return x + total

    for n in (1, 2, 3):
        assert numbers(add(x)) == [1.0 * n + 1, 2.0 * n + 2, 3.0 * n + 3]
        assert numbers(total) == [1.0 * n, 2.0 * n, 3.0 * n]
        assert numbers(first[0]) == [5.0, 2.0 * n, 3.0 * n]
    assert len(lw.explain_retraces(add)) == 1


def test_an_array_that_a_program_holds_is_read_by_each_call(backend: str) -> None:
    """Where it is an operand, and where something is computed of it alone."""
    w, x = lw.ones(3), lw.asarray([1.0, 2.0, 3.0])
    compiled = lw.compile(lambda x: x + w * 2 - lw.astype(w, "int32"))
    assert numbers(compiled(x)) == [2.0, 3.0, 4.0]
    w[0] = 5.0
    assert numbers(compiled(x)) == [6.0, 3.0, 4.0]

    made = lw.compile(lambda x: lw.zeros_like(w).__iadd__(x) + w.copy().__imul__(0))
    assert numbers(made(x)) == numbers(made(x)) == [1.0, 2.0, 3.0]


def test_an_array_of_no_dimensions_is_written_into(backend: str) -> None:
    """On NumPy it may be a scalar, which never changes."""
    steps = lw.asarray(0)

    @lw.compile
    def count(x: Any, n: Any) -> Any:
        nonlocal steps
        steps += 1
        n += 2
        return x * steps

    x, n = lw.asarray([1.0, 2.0]), lw.sum(lw.asarray([1, 2]))
    assert [numbers(count(x, n)) for _ in range(3)] == [[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]]
    assert (int(steps), int(n)) == (3, 9)


def test_an_array_that_is_given_twice_is_one(backend: str) -> None:
    @lw.compile
    def program(x: Any, y: Any) -> Any:
        before = y * 2
        x += 1
        return x * y, before, y * 2

    a, b = lw.asarray([1.0, 2.0]), lw.asarray([1.0, 2.0])
    for _ in range(2):
        assert [numbers(r) for r in program(lw.asarray([1.0, 2.0]), b)] == [[2.0, 6.0], [2.0, 4.0], [2.0, 4.0]]
    assert [numbers(r) for r in program(a, a)] == [[4.0, 9.0], [2.0, 4.0], [4.0, 6.0]]
    assert [numbers(r) for r in program(b, b)] == [[4.0, 9.0], [2.0, 4.0], [4.0, 6.0]]


def test_a_loop_begins_with_an_array_that_the_program_holds(backend: str) -> None:
    start, x = lw.asarray([0.0]), lw.asarray([[1.0], [2.0], [3.0]])
    compiled = lw.compile(lambda x: (
        lw.scan(lambda c, row: (c + row, c), start, x)[0], lw.fori_loop(0, 2, lambda i, c: c + x[0], start)
    ))  # fmt: skip
    assert [numbers(r) for r in compiled(x)] == [[6.0], [2.0]]


def test_a_traced_array_names_the_framework_it_is_of(backend: str) -> None:
    def program(x: Any) -> Any:
        assert x.backend == lw.current_backend() == backend
        with lw.using(backend=x.backend):
            made = lw.zeros(2) + lw.arange(2)
        made += x
        same = lw.asarray(x, backend=backend), lw.asarray([1.0, 2.0], backend=backend)
        return made, *same

    graph = lw.trace(program, lw.asarray([1.0, 2.0]))
    for _ in range(2):
        assert [numbers(r) for r in graph(lw.asarray([3.0, 4.0]))] == [[3.0, 5.0], [3.0, 4.0], [1.0, 2.0]]


def test_what_cannot_be_traced_says_so(backend: str) -> None:
    import pickle

    if backend == "dask":
        pytest.skip("it draws by NumPy's generators")
    dice, x = lw.random.default_rng(0), lw.asarray([1.0, 2.0])
    with pytest.raises(TraceError, match=r"draws from a Generator, .* Give the function a key"):
        lw.trace(lambda x: x + dice.normal(size=2), x)
    with pytest.raises(TraceError, match=r"computes with x\.data"):
        lw.trace(lambda x: x.data + 1, x)
    with pytest.raises(AttributeError, match=r"x\.data is no array of .* and has no mean"):
        lw.trace(lambda x: x.data.mean(), x)
    with pytest.raises(TraceError, match="pickles it"):
        lw.trace(pickle.dumps, x)
    with pytest.raises(ValueError, match="in place"):
        lw.trace(lambda x: x.__iadd__(lw.ones((3, 2))), x)


def test_a_function_first_called_where_the_framework_compiles_keeps_nothing_of_it(backend: str) -> None:
    if backend not in DIFFERENTIABLE:
        pytest.skip("it compiles nothing")

    def program(x: Any) -> Any:
        return lw.sum(x * lw.arange(2) + lw.ones(2) * 0.5)

    compiled, x = lw.compile(program), lw.asarray([1.0, 2.0])
    for f in (lw.jit(compiled), compiled, lw.jit(compiled)):
        assert float(f(x)) == 3.0
    assert str(lw.infer(lw.compile(program), lw.spec((2,)))) == "float32[]"


# --- values of the example ----------------------------------------------------------------------------------------


def same(f: Any, *examples: tuple[Any, ...]) -> None:
    """Traced with each example in turn, a function computes what it does eagerly for all of them."""
    expected = [lw.to_numpy(f(*args)).tolist() for args in examples]
    for example in examples:
        graph, compiled = lw.trace(f, *example), lw.compile(f)
        for args, result in zip(examples, expected, strict=True):
            assert lw.to_numpy(graph(*args)).tolist() == result
            assert lw.to_numpy(compiled(*args)).tolist() == result


def test_a_branch_that_the_example_does_not_take_fails_on_no_value_of_it(backend: str) -> None:
    """Negative powers of integers, positions out of range, singular matrices."""
    w, n = lw.asarray([-1, 2]), lw.asarray(-3)
    same(lambda w: w ** lw.cond(lw.sum(w) < 100, lambda u: u + 1, lambda u: u * 2, w), (w,), (w + 1,))
    same(lambda n: lw.cond(n >= 0, lambda: 2**n, lambda: 0 * n), (n,), (n + 7,))
    same(lambda n: lw.cond(n >= 0, lambda: 2**n, lambda: lw.cond(n < -1, lambda: -n, lambda: 3**-n)), (n,), (n + 2,))
    x = lw.asarray([1.0, 2.0, 3.0])
    same(lambda x, i: lw.cond(i < 3, lambda: lw.take(x, i), lambda: x[0]), (x, lw.asarray(7)), (x, lw.asarray(2)))
    zero = lw.zeros((2, 2))
    same(lambda m: lw.cond(lw.sum(m) != 0, lambda: lw.linalg.inv(m), lambda: m), (zero,), (2 * lw.eye(2),))
    same(lambda n: 2 ** lw.while_loop(lambda v: v < 3, lambda v: v + 1, n), (n,), (n + 7,))
    same(lambda n: lw.while_loop(lambda v: v < 0, lambda v: 1 + 2 ** (-v), n), (n,), (n + 7,))
    same(lambda n: 2 ** lw.fori_loop(0, 4, lambda i, v: v + 1, n), (n,), (n + 7,))


def test_what_fails_on_values_in_each_branch_fails_in_a_graph(backend: str) -> None:
    x = lw.asarray([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="do not fit together"):
        lw.trace(lambda x: lw.cond(lw.sum(x) < 0, lambda: x * lw.ones(4), lambda: x), x)
    if backend in ("jax", "dask"):
        pytest.skip("it clips positions, or computes later")

    def picked(x: Any, i: Any) -> Any:
        return lw.cond(i >= 0, lambda: lw.take(x, i), lambda: x[0])

    graph = lw.trace(picked, x, lw.asarray(-1))
    with pytest.raises(IndexError):
        picked(x, lw.asarray(7))
    with pytest.raises(IndexError):
        graph(x, lw.asarray(7))


def test_loops_without_steps(backend: str) -> None:
    x, none = lw.asarray([1.0, 2.0, 3.0]), lw.zeros((0, 2))
    same(lambda x: lw.fori_loop(0, 0, lambda i, c: c + x[i], x), (x,))
    same(lambda x: lw.fori_loop(3, 1, lambda i, c: c + 0.5, 0) + x, (x,))
    same(lambda x: lw.while_loop(lambda c: c < 0, lambda c: c + 0.5, 0) + x, (x,))
    same(lambda x: lw.scan(lambda c, row: (c + row, row), lw.sum(x, axis=0), x)[0], (none,))
    same(lambda x: lw.scan(lambda c, row: (c + row, c), lw.sum(x, axis=0), x)[1], (none,))
    same(lambda x: lw.scan(lambda c, row: (c | row, c), lw.any(x, axis=0), x)[1], (none > 0,))


def test_a_loop_without_steps_is_checked_as_one_with_steps(backend: str) -> None:
    """Eagerly and traced alike; but a step that asks for values is left alone where it can run eagerly."""
    x = lw.asarray([1.0, 2.0])
    for program in (
        lambda x: lw.fori_loop(0, 0, lambda i, c: lw.astype(c, "int8"), x),
        lambda x: lw.fori_loop(2, 0, lambda i, c: lw.concat([c, c]), x),
        lambda x: lw.while_loop(lambda c: lw.sum(c) < 0, lambda c: lw.concat([c, c]), x),
    ):
        for call in (program, lambda x, program=program: lw.trace(program, x), lw.compile(program)):
            with pytest.raises(TypeError, match="what is carried must keep its structure, dtypes and shapes"):
                call(x)
    assert numbers(lw.while_loop(lambda c: lw.sum(c) < 0, lambda c: c * float(c[0]), x)) == [1.0, 2.0]


# --- errors of later calls ----------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:.*torch.jit.script:DeprecationWarning")  # of PyTorch's own, in its compiler
@pytest.mark.parametrize("options", [{}, {"native": True}], ids=["compile", "native"])
def test_errors_of_later_calls_keep_their_class_and_words(backend: str, options: dict[str, bool]) -> None:
    if options and backend in ("numpy", "dask"):
        pytest.skip("it has no compiler of its own")
    three, square = lw.ones(3), lw.ones((3, 3))
    programs: list[tuple[Any, Any, Any]] = [
        (lambda x: x * three, lw.ones(3), lw.ones(4)),
        (lambda x: lw.sum(x @ square), lw.ones((2, 3)), lw.ones((2, 4))),
        (lambda x: lw.concat([x * 2, square]), lw.ones((4, 3)), lw.ones((4, 5))),
        (lambda x: lw.cond(lw.sum(x) > 0, lambda: x + three, lambda: x), lw.ones(3), lw.ones(5)),
        (lambda x: {"a": [lw.where(x > 0, x, three)]}, lw.ones(3), lw.ones(5)),
    ]
    if backend == "torch" and options:
        programs = programs[:1]  # its compiler takes seconds for each
    for program, fits, other in programs:
        compiled, graph = lw.compile(program, **options), lw.trace(program, fits)
        compiled(fits)
        with pytest.raises(Exception) as eager:
            program(other)
        for call in (compiled, compiled, graph):
            if call is graph and graph.arguments[0].looked:
                continue  # it is for one shape, and says so
            with pytest.raises(ValueError) as caught:
                call(other)
            assert (type(caught.value), str(caught.value)) == (type(eager.value), str(eager.value))
        compiled(fits)
        assert numbers(three) == [1.0, 1.0, 1.0]


def failure(f: Any, x: Any) -> tuple[type[Exception], str] | None:
    try:
        f(x)
    except Exception as error:
        return type(error), str(error)
    return None


def test_errors_about_values_of_later_calls_keep_their_class_and_words(backend: str) -> None:
    if backend == "dask":
        pytest.skip("its values are computed later")
    three = lw.asarray([1.0, 2.0, 3.0])
    for program, fits, other in (
        (lambda n: 2**n, lw.asarray([1, 2]), lw.asarray([-1, 2])),
        (lambda i: lw.take(three, i), lw.asarray([1, 2]), lw.asarray([1, 7])),
        (lambda m: lw.linalg.inv(m) * 2, lw.eye(2), lw.zeros((2, 2))),
    ):
        compiled = lw.compile(program)
        compiled(fits)
        eager, later = (failure(f, other) for f in (program, compiled))
        assert eager == later


def test_a_loaded_graph_raises_errors_of_the_same_class(backend: str, tmp_path: Any) -> None:
    if backend in ("jax", "tensorflow", "dask"):
        pytest.skip("a graph is for one shape there, or cannot be saved")
    three = lw.ones(3)
    loaded = lw.load(lw.trace(lambda x: x * three, lw.ones(3)).save(tmp_path / "g.lwg"))
    with pytest.raises(ValueError):
        loaded(lw.ones(4))


def test_a_failure_runs_the_function_without_an_effect(backend: str) -> None:
    """The error of a later call is told by running the function again, which writes into nothing."""
    three, total = lw.ones(3), lw.zeros(2)

    @lw.compile
    def program(x: Any) -> Any:
        nonlocal total
        total += 1
        return x * three

    program(lw.ones(3))
    before = numbers(total)
    with pytest.raises(ValueError, match="do not fit together"):
        program(lw.ones(4))
    assert numbers(total) in (before, [n + 1 for n in before])  # what eager has written before it fails
    assert numbers(three) == [1.0, 1.0, 1.0]


# --- results ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["sort", "argsort", "partition", "argpartition", "nn.cosine_similarity"])
def test_an_axis_that_is_no_int_is_refused_with_data_and_without(backend: str, name: str) -> None:
    function = attrgetter(name)(lw)
    more = {"partition": [1], "argpartition": [1], "nn.cosine_similarity": [lw.ones((2, 2))]}.get(name, [])

    def program(x: Any) -> Any:
        return function(x, *more, axis=None)

    for call in (program, lambda x: lw.infer(program, x), lambda x: lw.trace(program, x)):
        with pytest.raises(TypeError, match=f"{name}: an axis is an int; got None"):
            call(lw.ones((2, 2)))


def test_dicts_of_results_have_the_order_of_their_keys(backend: str) -> None:
    def program(x: Any) -> Any:
        return {"z": x, "c": 3, "a": [x + 1, {"y": x, "b": x}]}

    def order(tree: Any) -> Any:
        return [*tree, [*tree["a"][1]]]

    x, right = lw.ones(2), ["z", "c", "a", ["y", "b"]]
    compiled = lw.compile(program)
    for call in (program, lw.trace(program, x), compiled, compiled, lw.jit(program)):
        assert order(call(x)) == right
    assert order(lw.infer(program, lw.spec((2,)))) == right
    assert order(lw.vmap(program)(x)) == right
    assert order(lw.cond(lw.asarray(True), program, program, x)) == right
    assert order(lw.tree.map(lambda x: x, program(x))) == right
    scanned = lw.trace(lambda x: lw.scan(lambda c, row: (c, program(row)), {"z": x, "b": x}, x), x)(x)
    assert [*scanned[0]] == ["z", "b"]
    assert order(scanned[1]) == right
    if backend in DIFFERENTIABLE:
        found = lw.grad(lambda tree: lw.sum(tree["z"] * tree["a"]))({"z": x, "a": 2 * x})
        assert [*found] == ["z", "a"]
        assert numbers(found["z"]) == [2.0, 2.0]


def test_a_dict_is_gone_through_in_the_order_that_it_has_in_a_call(backend: str) -> None:
    def first(tree: Any) -> Any:
        return next(iter(tree.values())) * 2

    one, two = lw.ones(1), lw.ones(1) + 1
    compiled = lw.compile(first)
    for _ in range(2):
        assert numbers(compiled({"a": one, "b": two})) == [2.0]
        assert numbers(compiled({"b": two, "a": one})) == [4.0]
    graph = lw.trace(first, {"a": one, "b": two})
    with pytest.raises(TraceError, match="another order"):
        graph({"b": two, "a": one})


def test_a_saved_graph_keeps_the_order_of_keys(tmp_path: Any) -> None:
    with lw.using(backend="numpy"):
        graph = lw.trace(lambda x: {"z": x + 1, "a": {"y": x * 2, "b": x}}, lw.ones(2))
        found = lw.load(graph.save(tmp_path / "g.lwg"))(lw.ones(2))
    assert ([*found], [*found["a"]]) == (["z", "a"], ["y", "b"])
    assert numbers(found["z"]) == numbers(found["a"]["y"]) == [2.0, 2.0]


def test_sources_have_empty_constants_of_their_shape(backend: str) -> None:
    if backend == "dask":
        pytest.skip("its sources need latticework")
    empty = lw.zeros((0, 3))
    source = lw.trace(lambda x: lw.ones(x.shape) * x + lw.zeros((0, 1), dtype="bfloat16"), empty).source
    names: dict[str, Any] = {}
    exec(source, names)
    result = names["traced"](empty.data)
    assert tuple(result.shape) == (0, 3)


def test_what_each_branch_gives_weak_is_weak(backend: str) -> None:
    def program(x: Any, p: Any) -> Any:
        return lw.cond(p > 0, lambda x: lw.where(x > 0, 0, 1), lambda x: lw.where(x > 0, 2, 3), x)

    def mixed(x: Any, p: Any) -> Any:
        return lw.cond(p > 0, lambda x: lw.where(x > 0, 0, 1), lambda x: lw.zeros(2, dtype="int64"), x)

    with lw.using(rules="jax"):
        x, p = lw.asarray([1.0, -1.0]), lw.asarray(1)
        compiled = lw.compile(program)
        found = [f(x, p) for f in (program, lw.trace(program, x, p), compiled, compiled)]
        assert [y.weak for y in found] == [True] * 4
        assert len({str((y + lw.ones(2, dtype="int8")).dtype) for y in found}) == 1
        eager = mixed(x, p)
        if eager.dtype == lw.int64:
            assert not lw.trace(mixed, x, p)(x, p).weak


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")  # forward mode imports what uses it
def test_second_derivatives_of_loops_are_compiled(backend: str) -> None:
    if backend not in DIFFERENTIABLE:
        pytest.skip("it has no derivatives")
    x = lw.asarray([1.0, 2.0, 3.0])
    programs: list[Any] = [
        lambda x: lw.scan(lambda c, u: (c * u, c), lw.sum(x), x)[0],
        lambda x: lw.sum(lw.fori_loop(0, 2, lambda i, c: c * x, x)),
        lambda x: lw.cond(lw.sum(x) > 0, lambda: lw.sum(x**3), lambda: lw.sum(x)),
    ]
    for program in programs if backend in ("numpy", "torch") else in_turn(programs, 3, backend):
        for second in (lw.hessian(program), lw.jacrev(lw.grad(program))):
            expected = second(x)
            compiled = lw.compile(second)
            for found in (compiled(x), compiled(x), lw.trace(second, x)(x)):
                assert np.allclose(lw.to_numpy(found), lw.to_numpy(expected), rtol=1e-5)


def test_a_part_of_a_held_array_is_added_to_in_place(backend: str) -> None:
    if backend == "dask":
        pytest.skip("its arrays never change, as those of JAX")
    held = lw.zeros(3)

    def program(x: Any) -> Any:
        held[1:] += x
        return held * 1

    compiled, x = lw.compile(program), lw.asarray([1.0, 2.0])
    assert [numbers(compiled(x)) for _ in range(3)] == [[0.0, 1.0, 2.0], [0.0, 2.0, 4.0], [0.0, 3.0, 6.0]]
    assert numbers(held) == [0.0, 3.0, 6.0]


def test_sources_have_the_frameworks_own_reshape_and_rows_of_a_table() -> None:
    def embedded(tokens: Any, table: Any) -> Any:
        return lw.reshape(table[tokens], (-1, 4))

    for backend, written in (("numpy", ".reshape((-1, 4))"), ("torch", "t = torch.reshape(t, (-1, 4))")):
        if backend not in {b.name for b in lw.backends() if b.installed}:
            continue
        with lw.using(backend=backend):
            tokens, table = lw.asarray([[0, 2, -1]]), lw.reshape(lw.arange(12.0), (3, 4))
            graph = lw.trace(embedded, tokens, table)
            assert written in graph.source
            assert backend == "numpy" or graph.source.count("def ") == 1
            assert lw.all(graph(tokens, table) == embedded(tokens, table))
            with pytest.raises(IndexError):
                graph(lw.asarray([[0, 3, 1]]), table)
            small = lw.trace(lambda x: lw.reshape(x, (1, -1)), lw.asarray(2.0) * 3)
            assert small(lw.asarray(5.0)).shape == (1, 1)


def test_a_source_warns_of_what_the_program_warns_of() -> None:
    """Activations compute with exponentials that overflow where the result does not."""
    x = np.asarray([-200.0, 0.0, 200.0, -np.inf], dtype=np.float32)
    for f in (lw.nn.sigmoid, lw.nn.silu, lambda x: lw.nn.gelu(x, approximate="tanh")):
        with lw.using(backend="numpy"), warnings.catch_warnings():
            warnings.simplefilter("error")
            graph = lw.trace(f, lw.ones(4))
            names: dict[str, Any] = {}
            exec(graph.source, names)
            np.testing.assert_array_equal(names[graph.name](x), f(lw.asarray(x)).data)
            assert graph.source.count("def elementwise") <= 1


def test_what_is_turned_is_summed_in_the_order_of_the_program() -> None:
    """NumPy adds floats in the order of memory. A product of a transposed array and one in rows is in rows."""
    rng = np.random.default_rng(0)

    def program(x: Any, y: Any) -> Any:
        return lw.sum(lw.exp(lw.matrix_transpose(x)) * y), lw.sum(lw.exp(lw.permute_dims(x, (1, 0))) + 1.5)

    with lw.using(backend="numpy"):
        graph = lw.trace(program, lw.ones((35, 35)), lw.ones((35, 35)))
        assert "+= c_1_5" in graph.source  # in place where all operands are turned
        for _ in range(20):
            x, y = (lw.asarray(rng.normal(size=(35, 35)).astype("float32")) for _ in range(2))
            assert graph(x, y) == program(x, y)


def test_sources_have_the_frameworks_own_triangles(backend: str) -> None:
    if backend not in ("numpy", "torch"):
        pytest.skip("its functions take other arguments")
    x = lw.reshape(lw.arange(12.0), (1, 3, 4))
    for k in (0, 1, -2, 7, 2**40, -(2**40)):
        for f in (lambda x, k=k: lw.tril(x, k=k) + 1, lambda x, k=k: lw.triu(x, k=k) + 1):
            graph = lw.trace(f, x)
            assert ("near_diagonal" in graph.source) == (abs(k) >= 2**31)
            assert numbers(graph(x)) == numbers(f(x))
    for dtype in (lw.bool, lw.uint16, lw.int8, lw.bfloat16, lw.complex64):
        graph = lw.trace(lambda x: lw.tril(x, k=-1), lw.astype(x, dtype))
        assert graph(lw.astype(x, dtype)).dtype is dtype
        assert numbers(lw.astype(graph(lw.astype(x, dtype)), lw.complex64)) == numbers(
            lw.astype(lw.tril(lw.astype(x, dtype), k=-1), lw.complex64)
        )
