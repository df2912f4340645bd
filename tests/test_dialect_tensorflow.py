"""TensorFlow's dialect where samples cannot show it: switches of the process, variables, tapes, what aborts there."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import latticework as lw
import latticework.frontends.numpy as dnp
import latticework.frontends.tensorflow as tf
from latticework.frontends.tensorflow import switching

EXPECTED = Path(__file__).parent / "expected" / "tensorflow_modes.txt"
MODES = ("legacy", "all", "safe")

#: Expressions of tensors whose dtypes depend on the mode.
EXPRESSIONS = """
    f + d; i + f; u + i; h + 1.5; i + 1.5; u - 1; i * h; f / i; i / i; f**2; b + i; f + w; h + w; u + j; j + 1; w * 2
    tf.add(i, f); tf.multiply(h, f); tf.maximum(i, f); f < i; f == d; tf.matmul(m, tf.cast(m, tf.float64)); c + d
    f.T; f.astype("int32"); f.reshape(2, 1); f.ravel(); f.max(); f.mean(); f.size; f.tolist(); f.clip(1, 1.5)
    f.transpose(); f.flatten(); f[[0, 1]]; tf.where(b, i, f); tf.concat([i, f], 0); tf.reduce_sum(u); tf.exp(i)
    tf.experimental.numpy.add(h, 1); tf.experimental.numpy.sin(i); tf.experimental.numpy.sum(u)
    tf.experimental.numpy.mean(i); tf.experimental.numpy.array(1); tf.experimental.numpy.add(i, f)
"""


def answers(tf: Any, mode: str) -> list[str]:
    """What each expression gives in a mode: its dtype, or the class of its error."""
    tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode=mode)
    names = {
        "f": tf.constant([1.0, 2.0]), "d": tf.constant([1.0, 2.0], tf.float64), "i": tf.constant([1, 2]),
        "u": tf.constant([1, 2], tf.uint8), "h": tf.constant([1.0, 2.0], tf.float16), "w": tf.constant(1.5),
        "b": tf.constant([True, False]), "c": tf.constant([1j, 2], tf.complex64), "j": tf.constant([3, 4]),
        "m": tf.ones((2, 2)), "tf": tf,
    }  # fmt: skip
    return [f"{mode}: {e.strip()} -> {_told(e.strip(), names)}" for line in EXPRESSIONS.split("\n")[1:-1]
            for e in line.split(";")]  # fmt: skip


def _told(expression: str, names: dict[str, Any]) -> str:
    try:
        found = eval(expression, names)
    except Exception as error:
        return type(error).__name__.strip("_")
    if not hasattr(found, "numpy"):
        return str(found)
    values = np.asarray(found.numpy(), dtype=complex).round(3).tolist()
    return f"{found.dtype.name} {values}"


@pytest.fixture
def switched() -> Iterator[None]:
    yield
    switching.disable()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.usefixtures("switched")
def test_the_modes_of_dtype_conversion_are_tensorflow_s(mode: str) -> None:
    expected = [line for line in EXPECTED.read_text().splitlines() if line.startswith(f"{mode}:")]
    assert len(expected) == len(EXPRESSIONS.replace("\n", ";").split(";")) - 2
    assert answers(tf, mode) == expected


@pytest.mark.sweep
def test_what_is_expected_of_the_modes_is_what_tensorflow_answers() -> None:
    pytest.importorskip("tensorflow")
    told = [subprocess.run([sys.executable, __file__, mode], capture_output=True, text=True, check=True).stdout
            for mode in MODES]  # fmt: skip
    assert "".join(told) == EXPECTED.read_text()


@pytest.mark.usefixtures("switched")
def test_a_switch_is_forgotten_with_the_kernels_that_it_decided() -> None:
    i, f = tf.constant([1, 2]), tf.constant([1.0, 2.0])
    with pytest.raises(tf.errors.InvalidArgumentError):
        i + f
    tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode="all")
    assert (i + f).dtype == tf.float32
    switching.disable()
    with pytest.raises(tf.errors.InvalidArgumentError):
        i + f
    with pytest.raises(ValueError, match="dtype_conversion_mode is one of"):
        tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode="most")


@pytest.mark.parametrize("call", [lambda x: tf.signal.rfft(x, [0]), lambda x: tf.signal.rfft(x[:0])])
def test_a_transform_of_no_elements_is_an_error_where_tensorflow_ends_the_process(call: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        call(tf.constant([1.0, 2.0]))


def test_a_variable_is_assigned_on_every_backend(backend: str) -> None:
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    before = v.value()
    view = before[0]
    v.assign_add(v).assign_sub([[1.0, 1.0], [1.0, 1.0]])
    v.scatter_nd_update([[0, 0]], [7.0])
    assert v.numpy().tolist() == [[7.0, 3.0], [5.0, 7.0]]
    assert before.numpy().tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert view.numpy().tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="Shape mismatch"):
        v.assign([1.0])
    with pytest.raises(ValueError, match="float64"):
        v.assign(tf.zeros((2, 2), tf.float64))


@pytest.fixture(params=["torch", "jax"])
def differentiating(request: pytest.FixtureRequest) -> Iterator[None]:
    pytest.importorskip(request.param)
    with lw.using(backend=request.param):
        yield


@pytest.mark.usefixtures("differentiating")
def test_a_tape_inside_a_tape_gives_second_derivatives() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = 1.0 / x + x * x * x
        first = inner.gradient(y, x)
    assert first.numpy() == pytest.approx(27 - 1 / 9)
    assert outer.gradient(first, x).numpy() == pytest.approx(18 + 2 / 27)


@pytest.mark.usefixtures("differentiating")
def test_a_tape_sees_every_call_of_a_watched_tensor_though_its_kernels_are_kept() -> None:
    plain = tf.constant([1.0, 2.0])
    for f in (
        lambda x: 2.0 - x,
        lambda x: tf.subtract(2.0, x),
        lambda x: -x,
        lambda x: x[::-1],
        lambda x: tf.stack([x, plain])[0],
        lambda x: tf.einsum("i,i->i", x, x),
        lambda x: abs(x) ** 2.0,
    ):
        f(plain)  # the kernels of plain tensors are kept, and a watched one does not take them
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = tf.reduce_sum(f(x) * plain)
        step = 1e-2
        for k in range(2):
            moved = x.numpy() + step * np.eye(2, dtype=np.float32)[k]
            slope = (float(tf.reduce_sum(f(tf.constant(moved)) * plain)) - float(y)) / step
            assert tape.gradient(y, x).numpy()[k] == pytest.approx(slope, abs=0.05)


@pytest.mark.usefixtures("differentiating")
def test_a_tape_watches_the_variables_that_were_read_and_no_others() -> None:
    v, fixed = tf.Variable(2.0), tf.Variable(5.0, trainable=False)
    with tf.GradientTape() as tape:
        y = v * v * fixed
        v.assign(3.0)
        y = y + v * 10.0
    assert [id(w) for w in tape.watched_variables()] == [id(v)]
    found = tape.gradient(y, [v, fixed], unconnected_gradients=tf.UnconnectedGradients.ZERO)
    assert [g.numpy() for g in found] == [30.0, 0.0]


def test_a_tensor_of_another_dialect_s_array_stays_as_it_is(backend: str) -> None:
    x = dnp.asarray([1.0, 2.0])
    made = [tf.constant(x), tf.convert_to_tensor(x), tf.Variable(x), tf.constant(lw.asarray(x))]
    x[0] = 9
    x += 1
    assert [np.asarray(t).tolist() for t in made] == [[1, 2]] * 4


@pytest.fixture
def torch_backend() -> Iterator[None]:
    pytest.importorskip("torch")
    with lw.using(backend="torch"):
        yield


@pytest.mark.usefixtures("torch_backend")
def test_what_has_the_same_values_is_another_source_of_gradients() -> None:
    x, v = tf.constant(3.0), tf.Variable(0.0)
    read, copied = tf.Variable(x), tf.identity(x)
    v.assign(read)  # as of a network whose parameters are copied now and then
    before = read.value()
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        again = tf.identity(x)
        y = x * v * read * copied * before * again
        within = read.value()
    assert [g.numpy() for g in tape.gradient(y, [x, v, read, again])] == [2 * 3.0**5, 3.0**5, 3.0**5, 3.0**5]
    assert tape.gradient(y, [copied, before]) == [None, None]
    with tf.GradientTape(persistent=True) as tape:
        y = within * read
    assert tape.gradient(y, read).numpy() == 3
    assert tape.gradient(read, read).numpy() == 1


@pytest.mark.usefixtures("torch_backend")
def test_a_source_that_depends_on_another_is_no_constant_to_it() -> None:
    x, n = tf.constant(2.0), tf.constant(3)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, n])
        y = x * x
        z = y * y * x
    assert [g.numpy() for g in tape.gradient(z, [y, x])] == [2 * 4 * 2, 5 * 16]
    assert [g.numpy() for g in tape.gradient([z, y], [x, y])] == [5 * 16 + 4, 16 + 1]
    found = tape.gradient(z, [n, x])
    assert found[0] is None
    assert found[1].numpy() == 80


@pytest.mark.usefixtures("torch_backend")
def test_a_gradient_depends_on_what_an_outer_tape_watches() -> None:
    w, x, scale = tf.Variable([2.0, 3.0]), tf.constant([1.0, 2.0]), tf.constant([1.0, 1.0])
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(scale)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * x * w
        slope = inner.gradient(y, x, output_gradients=scale)
        penalty = tf.reduce_sum(slope**2)  # of (2 w x scale)^2
    assert outer.gradient(penalty, w).numpy().tolist() == [8 * 2, 8 * 3 * 4]
    assert outer.gradient(penalty, scale).numpy().tolist() == [2 * 16, 2 * 144]


def test_both_promotion_functions_are_public() -> None:
    assert tf.promote_types_tensorflow(tf.float16, "float16") is tf.float16
    with pytest.raises(tf.errors.InvalidArgumentError, match="no common dtype"):
        tf.promote_types_tensorflow(tf.int32, tf.float32)
    x, two = tf.promote_types_of_tensorflow_inputs(tf.constant([1.0], tf.float16), 2)
    assert (x.dtype, two.dtype) == (tf.float16, tf.float16)


def test_what_is_absent_and_different_is_told_of_names_that_fit() -> None:
    from latticework.frontends.tensorflow import coverage

    assert all(reason.endswith(".") for reason in (*coverage.ABSENT.values(), *coverage.DIFFERENCES.values()))
    for name in coverage.DIFFERENCES:
        if name.startswith("tf."):
            found: Any = tf
            for part in name.split(".")[1:]:
                found = getattr(found, part)


if __name__ == "__main__":
    import tensorflow

    sys.stdout.write("".join(f"{line}\n" for line in answers(tensorflow, sys.argv[1])))


def test_scalars_of_numpy_take_the_dtype_of_the_tensor(backend: str) -> None:
    real = pytest.importorskip("tensorflow")
    for text in ("x + np.float64(2)", "np.float64(2) * x", "i * np.float64(1.5)", "x - np.int64(1)", "np.sin(x)"):
        theirs = eval(text, {"np": np, "x": real.constant([1.0, 2.0]), "i": real.constant([1, 2])})
        with lw.using(backend=backend):
            mine = eval(text, {"np": np, "x": tf.constant([1.0, 2.0]), "i": tf.constant([1, 2])})
        assert np.asarray(mine).dtype == np.asarray(theirs).dtype, text
        np.testing.assert_allclose(np.asarray(mine), np.asarray(theirs), rtol=1e-6)


def test_print_writes_what_tensorflow_writes(tmp_path: Path) -> None:
    real = pytest.importorskip("tensorflow")
    texts = []
    for framework, path in ((real, tmp_path / "theirs"), (tf, tmp_path / "ours")):
        make = framework.constant
        for values in (
            (1, 1.5, "a", None, True), (make(1.0), [make(1), 2, "x"], {"a": make([2.5]), "b": (1,)}),
            (framework.range(10), framework.range(10.0) / 3, framework.zeros((5, 9)), framework.zeros((2, 2, 2))),
            (make([True, False]), make(1e10), make(1e-7), make(123456789.0), make(1 / 3, framework.float16)),
            (make(0.1, framework.float64), make(float("nan")), make(1.5, framework.bfloat16), framework.zeros((0, 3))),
            (framework.Variable([[1.0, 2.0]]), np.array([1.0])),
        ):  # fmt: skip
            framework.print(*values, output_stream=f"file://{path}", sep=" | ")
        framework.print(framework.range(10), summarize=-1, end="!", output_stream=f"file://{path}")
        texts.append(path.read_text())
    assert texts[1] == texts[0]


def test_stop_gradient_is_a_constant_of_tapes(backend: str) -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.stop_gradient(x) * x)
    assert tape.gradient(y, x).numpy().tolist() == [1.0, 2.0]


def trained(tf: Any) -> tuple[list[str], list[float]]:
    """The names of a module's variables, and its losses over batches of a dataset."""

    class Dense(tf.Module):  # type: ignore[misc]
        def __init__(self, n: int, m: int, name: str | None = None) -> None:
            super().__init__(name=name)
            self.w = tf.Variable(np.linspace(-1, 1, n * m, dtype=np.float32).reshape(n, m), name="w")
            self.b: Any = None

        @tf.Module.with_name_scope  # type: ignore[untyped-decorator]
        def __call__(self, x: Any) -> Any:
            if self.b is None:
                self.b = tf.Variable(tf.zeros(self.w.shape[1]), name="b")
            return x @ self.w + self.b

    class Network(tf.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.layers: list[Any] = [Dense(3, 4, "first"), {"last": Dense(4, 1)}]

        def __call__(self, x: Any) -> Any:
            return self.layers[1]["last"](tf.tanh(self.layers[0](x)))

    rows = np.arange(30, dtype=np.float32).reshape(10, 3) % 7 - 3
    data = tf.data.Dataset.from_tensor_slices((rows, rows.sum(1))).map(lambda x, y: (x / 3, y)).batch(4).repeat(2)
    network, losses = Network(), []
    for x, y in data:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((network(x)[:, 0] - y) ** 2)
        for v, g in zip(network.trainable_variables, tape.gradient(loss, network.trainable_variables), strict=True):
            v.assign_sub(0.1 * g)
        losses.append(float(loss))
    return [v.name for v in network.variables], losses


def test_a_module_trains_on_a_dataset_as_in_tensorflow(backend: str) -> None:
    real = pytest.importorskip("tensorflow")
    names, losses = trained(tf)
    assert names == ["first/b:0", "w:0", "dense/b:0", "w:0"]
    expected = trained(real)
    assert names == expected[0]
    assert losses == pytest.approx(expected[1], rel=1e-4)


def test_a_seed_shuffles_alike_on_every_backend(backend: str) -> None:
    data = tf.data.Dataset.range(6).shuffle(4, seed=1)
    orders = [[int(n) for n in data] for _ in range(2)]
    assert orders == [[2, 3, 0, 4, 1, 5], [2, 3, 1, 5, 0, 4]]
    fixed = tf.data.Dataset.range(6).shuffle(4, seed=1, reshuffle_each_iteration=False)
    assert [int(n) for n in fixed] == [int(n) for n in fixed]
    tf.random.set_seed(3)
    first = [int(n) for n in tf.data.Dataset.range(9).shuffle(9)]
    tf.random.set_seed(3)
    assert [int(n) for n in tf.data.Dataset.range(9).shuffle(9)] == first
    with pytest.raises(lw.errors.TraceError, match="Take the elements first"):
        lw.trace(lambda x: next(iter(data)) + x, lw.spec((), "int64"))


def test_a_generator_of_a_state_draws_alike_on_every_backend(backend: str) -> None:
    g = tf.random.Generator.from_seed(7)
    assert g.uniform_full_int([2], tf.int32).numpy().tolist() == [2046260008, 33212851]
    again = tf.random.Generator.from_state(g.state, g.algorithm)
    assert g.normal([3]).numpy().tolist() == again.normal([3]).numpy().tolist() != g.normal([3]).numpy().tolist()
    parts = [h.normal([2]).numpy().tolist() for h in g.split(3)]
    assert len({tuple(p) for p in parts}) == 3
    assert -2 <= float(tf.reduce_min(g.truncated_normal([500]))) < float(tf.reduce_max(g.truncated_normal([500]))) <= 2
    assert float(tf.reduce_mean(tf.cast(g.binomial([2000], 10.0, 0.3), tf.float32))) == pytest.approx(3, abs=0.2)


def test_variables_and_their_modules_are_copied_and_kept() -> None:
    module: Any = tf.Module("m")
    with tf.name_scope("a"):
        module.v = tf.Variable([1.0, 2.0], name="v", trainable=False)
    for copied in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        copied.v.assign_add([1.0, 1.0])
        assert (copied.v.name, copied.v.trainable, copied.v.numpy().tolist()) == ("a/v:0", False, [2.0, 3.0])
    assert module.v.numpy().tolist() == [1.0, 2.0]


def test_an_accumulator_is_entered_once_and_takes_directions_of_its_primals() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0])) as acc, pytest.raises(ValueError, match="already"):
        acc.__enter__()
    for tangents in (tf.constant([1.0]), tf.constant([1, 2]), [x, x]):
        with pytest.raises(ValueError, match="tangent"):
            tf.autodiff.ForwardAccumulator(x, tangents)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("keras", "tf.Module"), ("summary", "TensorBoard"), ("saved_model", "graphs of TensorFlow's"),
        ("distribute", "one process"), ("data.TFRecordDataset", "from_generator"), ("data.Dataset.save", "Files"),
    ],
)  # fmt: skip
def test_what_is_absent_says_why_and_what_to_take(name: str, reason: str) -> None:
    found: Any = tf
    *before, last = name.split(".")
    for part in before:
        found = getattr(found, part)
    with pytest.raises(AttributeError, match=f"has no such .*{reason}"):
        getattr(found, last)


def test_a_dataset_keeps_what_it_has_read_and_skips_what_fails() -> None:
    calls: list[int] = []
    kept = tf.data.Dataset.range(3).map(lambda n: [calls.append(int(n)), n][1]).cache()  # type: ignore[func-returns-value]
    next(iter(kept))
    assert [int(n) for n in kept] == [int(n) for n in kept] == [0, 1, 2]
    assert calls == [0, 0, 1, 2]
    with pytest.raises(NotImplementedError, match="kept in memory"):
        kept.cache("file")
    some = tf.data.Dataset.range(3).map(lambda n: tf.reshape(tf.range(int(n)), [1])).ignore_errors()
    assert [n.numpy().tolist() for n in some] == [[0]]
    options: Any = tf.data.Options()
    options.deterministic = False
    assert vars(kept.with_options(options).options())["deterministic"] is False
    with pytest.raises(AttributeError, match="Cannot set"):
        options.fast = True
