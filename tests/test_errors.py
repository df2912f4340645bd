"""Bad input: each error is of the built-in class that fits, and says the function, what it got and what to do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import check

import latticework as lw
from latticework.backend.facts import Facts, all_facts


def raises(error: type[Exception], *words: str) -> Any:
    """pytest.raises, with every one of these in the message."""
    return pytest.raises(error, match="".join(f"(?=[\\s\\S]*{w})" for w in words))


def test_unknown_names() -> None:
    with raises(TypeError, "'flaot32' is no dtype", "did you mean 'float32'"):
        lw.zeros(2, dtype="flaot32")
    with raises(TypeError, "'int128'", "int"):
        lw.Dtype("int128")
    with raises(ValueError, "no backend 'nunpy'", "did you mean 'numpy'", "torch"):
        lw.set_backend("nunpy")
    with raises(ValueError, "no backend 'nunpy'"), lw.using(backend="nunpy"):
        pass
    with raises(ValueError, "no rules 'unifed'", "did you mean 'unified'"), lw.using(rules="unifed"):
        pass
    with raises(TypeError, "'rulez' is no part of a policy", "did you mean 'rules'"), lw.using(rulez="unified"):
        pass


def test_a_framework_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(all_facts(), "absent", Facts("no_such_framework", ("none",), "pip install none"))
    with raises(ImportError, "absent backend needs no_such_framework", "pip install none"):
        lw.set_backend("absent")
    ours = Facts("no_such_framework.array", ("none",), "pip install 'latticework[absent]'")
    monkeypatch.setitem(all_facts(), "absent", ours)
    with raises(ImportError, r"pip install 'latticework\[absent\]' \(from a clone: pip install '\.\[absent\]'\)"):
        lw.set_backend("absent")
    row = next(b for b in lw.backends() if b.name == "absent")
    assert not row.installed
    assert row.version is None


def test_a_framework_that_cannot_be_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "half_installed.py").write_text("raise ImportError('libabsent.so.1: cannot open shared object file')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(all_facts(), "broken", Facts("half_installed", ("none",), "pip install none"))
    with raises(ImportError, r"is installed and cannot be imported \(libabsent\.so\.1: ", "pip install none"):
        lw.set_backend("broken")


def test_two_backends() -> None:
    if len([b for b in lw.backends() if b.installed]) < 2:
        pytest.skip("needs two installed backends")
    x, y = lw.asarray([1.0], backend="numpy"), lw.asarray([1.0], backend="torch")
    for call in (lambda: lw.add(x, y), lambda: x + y, lambda: lw.concat([x, y]), lambda: lw.matmul(y, x)):
        with raises(TypeError, "two backends", r"lw\.asarray\(x, backend="):
            call()
    with raises(TypeError, "two backends", "add"):
        x += y
    with raises(TypeError, "torch backend", "numpy", "setitem"):
        x[0] = y[0]
    with raises(TypeError, "getitem", "torch", "Convert it"):
        x[lw.asarray([0], backend="torch")]
    check(x + lw.asarray(y, backend="numpy"), [2], lw.float32)


def test_categories(backend: str) -> None:
    with raises(TypeError, "bitwise_and", "integral or bool", "float32", r"lw\.astype"):
        lw.bitwise_and(lw.asarray([1.0]), lw.asarray([1.0]))
    with raises(TypeError, "add: takes numeric dtypes", "bool"):
        lw.asarray([True]) + lw.asarray([True])
    with raises(TypeError, "floor", "complex64"):
        lw.floor(lw.asarray([1j]))
    with raises(TypeError, "less", "complex64"):
        _ = lw.asarray([1j]) < 2
    with raises(TypeError, "take: indices", "float32"):
        lw.take(lw.asarray([1.0]), lw.asarray([0.0]))


def test_strict_names_the_cast_and_the_line(backend: str) -> None:
    x, y = lw.asarray([1]), lw.asarray([0.5])
    with lw.using(rules="strict"):
        with raises(
            TypeError, "add: int32 and float32 have no common dtype under the strict rules",
            r"Cast one: lw\.astype\(x1, lw\.float32\)", r"test_errors\.py:\d+",
        ):  # fmt: skip
            x + y
        with raises(TypeError, "Python float", r"lw\.astype\(x1, lw\.float32\)"):
            x + 0.5
        with raises(TypeError, "cos: int32"):
            lw.cos(x)
        check(y + 1, [1.5], lw.float32)


def test_python_ints_out_of_range(backend: str) -> None:
    x = lw.asarray([1], dtype=lw.int8)
    for call in (
        lambda: x + 128, lambda: 128 + x, lambda: x - 1000, lambda: x == 2**40, lambda: lw.maximum(x, -129),
        lambda: lw.astype(x, lw.uint8) + -1, lambda: lw.full((2,), 2**31), lambda: lw.full((2,), 300, dtype=lw.int8),
        lambda: lw.asarray(2**31), lambda: lw.asarray([1, 256], dtype=lw.uint8), lambda: lw.asarray([2**64]),
        lambda: x.__setitem__(0, 200), lambda: x.fill(-200),
    ):  # fmt: skip
        with raises(OverflowError, "does not fit|out of bounds|too large"):
            call()
    check(x, [1], lw.int8)
    check(x + 126, [127], lw.int8)
    check(lw.asarray([1], dtype=lw.uint64) + (2**64 - 2), np.array([2**64 - 1], dtype=np.uint64), lw.uint64)


def test_ragged(backend: str) -> None:
    for bad in ([[1, 2], [3]], [1, [2]], [[1], 2], [[[1]], [[1, 2]]], [lw.asarray([1, 2]), [1]]):
        with raises(ValueError, "asarray", "ragged|shape"):
            lw.asarray(bad)
    for bad in (["a"], [None], {1}, object()):
        with raises(TypeError, "asarray"):
            lw.asarray(bad)


def test_axes(backend: str) -> None:
    x = lw.zeros((2, 3))
    for call in (
        lambda: lw.sum(x, axis=2), lambda: lw.max(x, axis=-3), lambda: lw.concat([x, x], axis=5),
        lambda: lw.argmax(x, axis=7), lambda: lw.sort(x, axis=2), lambda: lw.flip(x, axis=4),
        lambda: lw.expand_dims(x, axis=4), lambda: lw.stack([x, x], axis=4), lambda: lw.cumulative_sum(x, axis=3),
        lambda: lw.squeeze(x, 3), lambda: lw.roll(x, 1, axis=9), lambda: lw.unstack(x, axis=2),
    ):  # fmt: skip
        with raises(lw.errors.AxisError, r"axis -?\d is out of bounds", r"\(2, 3\)"):
            call()
        with pytest.raises(ValueError, match="out of bounds"):
            call()
        with pytest.raises(IndexError, match="out of bounds"):
            call()


def test_shapes(backend: str) -> None:
    with raises(ValueError, r"add: shapes \(2,\) and \(3,\)"):
        lw.zeros(2) + lw.zeros(3)
    with raises(ValueError, "matmul", r"\(2, 3\)"):
        lw.matmul(lw.zeros((2, 3)), lw.zeros((2, 3)))
    with raises(ValueError, "reshape", r"\(2, 3\)"):
        lw.reshape(lw.zeros((2, 3)), (4,))
    with raises(ValueError, "broadcast_to"):
        lw.broadcast_to(lw.zeros(3), (2, 2))


def test_arguments(backend: str) -> None:
    x = lw.zeros(2)
    with raises(TypeError, "sum", "unexpected keyword argument 'axes'", "did you mean 'axis'", r"sum\(x, /, axis"):
        lw.sum(x, axes=0)
    with raises(TypeError, "zeros", "unexpected keyword argument 'dtpye'", "did you mean 'dtype'"):
        lw.zeros(2, dtpye="int8")
    with raises(TypeError, "sum"):
        lw.sum(x, 0, 1, 2)
    with raises(TypeError, "x2"):
        lw.add(x)
    with raises(TypeError, "cos: takes arrays; got list", r"lw\.asarray"):
        lw.cos([1.0])
    with lw.using(rules="strict"):
        with raises(TypeError, "cos: takes arrays; got the Python float 1.0"):
            lw.cos(1.0)
        with raises(TypeError, "add: at least one operand must be an array"):
            lw.add(1, 2)
    with raises(TypeError, "add: takes arrays; got str"):
        lw.add(x, "a")
    with raises(TypeError, "concat: takes a list or tuple of arrays; got Array"):
        lw.concat(x)


def test_a_failed_assignment_changes_nothing(backend: str) -> None:
    x = lw.asarray([1, 2, 3])
    for key, value in [
        (0, 1.5), (0, 2**40), (slice(None), lw.asarray([1, 2])), (7, 1), (lw.asarray([0, 9]), 5),
        (lw.asarray([True, False]), 1), (slice(0, 2), lw.asarray([1.0, 2.0])), ((0, 0), 1), ("a", 1), (0, 1j),
    ]:  # fmt: skip
        with raises((TypeError, ValueError, IndexError, OverflowError), "setitem|getitem"):
            x[key] = value
        check(x, [1, 2, 3], lw.int32)


def test_complex_does_not_become_real_by_itself(backend: str) -> None:
    x = lw.asarray([1 + 2j])
    with raises(TypeError, "astype: complex64 to float32", r"lw\.real"):
        lw.astype(x, lw.float32)
    with raises(TypeError, "setitem", "Python complex"):
        lw.zeros(2)[0] = 1j


def test_no_error_is_its_own_cause(backend: str) -> None:
    """Whatever walks the chain of causes, as rich's tracebacks do, would never come to an end."""
    x = lw.asarray([1], dtype=lw.int8)
    calls = [lambda: x + 300, lambda: 300 in x, lambda: lw.sum(x, axis=4), lambda: lw.linalg.inv(x), lambda: x[5]]
    for call in calls:
        with pytest.raises(Exception, match=":") as caught:
            call()
        error, seen = caught.value, []
        while error is not None:
            assert not any(error is e for e in seen)
            seen.append(error)
            error = error.__cause__ or error.__context__


def test_a_dtype_that_is_none_and_has_no_hash(backend: str) -> None:
    for call in (lambda: lw.zeros(3, dtype=[1]), lambda: lw.sum(lw.asarray([1]), dtype=[1])):
        for _ in range(2):
            with pytest.raises(TypeError, match=r"\[1\] is no dtype"):
                call()


def test_a_plan_that_cannot_be_made() -> None:
    x = lw.asarray([1, 2])
    assert str(lw.plan(lw.concat, [x, x])) == str(lw.plan(lw.concat, x, x))
    with pytest.raises(TypeError, match=r"is no function of latticework. Give lw.add"):
        lw.plan(np.add, x, 1)
    with pytest.raises(TypeError, match="'3' is no function of latticework"):
        lw.plan(3, x)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"plan: add takes 2 operands \(x1, x2\); got 1"):
        lw.plan(lw.add, x)
    with pytest.raises(ValueError, match="matmul: shapes"):
        lw.plan(lw.matmul, lw.ones((2, 3)), lw.ones((2, 3)))
    with pytest.raises(TypeError, match="astype: complex64 to float32 would drop"):
        lw.plan(lw.astype, lw.asarray([1j]), lw.float32)
    with pytest.raises(IndexError, match="index 5 is out of bounds"):
        lw.plan("getitem", x, 5)
    with pytest.raises(ValueError, match="does not fit the shape"):
        lw.plan("setitem", x, slice(0, 1), x)


def test_everything_that_is_called_has_a_plan(backend: str) -> None:
    x = lw.ones((2, 3), dtype=lw.int16)
    shown = {
        "astype": lw.plan(lw.astype, x, lw.float32),
        "asarray": lw.plan(lw.asarray, [[1, 2], [3, 4.5]]),
        "zeros": lw.plan(lw.zeros, (4, 0), dtype=lw.uint8),
        "arange": lw.plan(lw.arange, 5),
        "getitem": lw.plan("getitem", x, (0, slice(1, None))),
        "setitem": lw.plan("setitem", x, 0, 1),
        "to_device": lw.plan(lw.Array.to_device, x, x.device),
        "isclose": lw.plan(lw.isclose, x, x),
        "diff": lw.plan(lw.diff, x, prepend=x[:, :1]),
    }
    found = {name: (p.op, p.out, p.shapes, p.backend.name) for name, p in shown.items()}
    expected = {
        "astype": (lw.float32, (2, 3)), "asarray": (lw.float32, (2, 2)), "zeros": (lw.uint8, (4, 0)),
        "arange": (lw.int32, (5,)), "getitem": (lw.int16, (2,)), "setitem": (lw.int16, (2, 3)),
        "to_device": (lw.int16, (2, 3)), "isclose": (lw.bool, (2, 3)), "diff": (lw.int16, (2, 3)),
    }  # fmt: skip
    assert found == {name: (name, (d,), (shape,), backend) for name, (d, shape) in expected.items()}
    assert str(shown["astype"]).startswith("astype(int16 as float32) -> float32 of shape (2, 3)")
    moved = lw.plan(lw.asarray, x, backend="numpy", dtype=lw.int8)
    assert (moved.backend.name, moved.out, moved.shapes) == ("numpy", (lw.int8,), ((2, 3),))
    assert lw.plan(lw.allclose, x, x).out == ()


def test_what_computes_nothing_is_explained(backend: str) -> None:
    x = lw.ones((2, 3), dtype=lw.int16)
    explained = {
        "astype": lw.explain(x, "float32", operation="astype"), "asarray": lw.explain([1, 2.5], operation="asarray"),
        "getitem": lw.explain(x, 0, operation="getitem"), "zeros": lw.explain((2, 2), operation="zeros"),
    }  # fmt: skip
    found = {name: (e.dtype, e.rule, e.operation) for name, e in explained.items()}
    assert found == {
        "astype": (lw.float32, "conversion", "astype"), "asarray": (lw.float32, "conversion", "asarray"),
        "getitem": (lw.int16, "conversion", "getitem"), "zeros": (lw.float32, "conversion", "zeros"),
    }  # fmt: skip
    assert str(lw.explain("float64", "int8", operation="astype")).startswith("astype(float64) -> int8 under unified")
    assert lw.explain([1], operation="asarray", rules="numpy").dtype is lw.int64
    with pytest.raises(TypeError, match="would drop the imaginary part"):
        lw.explain("complex64", "float32", operation="astype")


def test_an_index_of_another_dtype_is_told_to_cast() -> None:
    with pytest.raises(TypeError, match=r"cannot be made from float32. Cast it: lw.astype\(x, dtype\)"):
        [1, 2][lw.asarray(1.0)]


def test_a_device_that_the_machine_lacks() -> None:
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("the machine has it")
    for device in ("cuda", "cuda:1"):
        with lw.using(backend="torch"), pytest.raises(ValueError, match=f"no device '{device}'; it has cpu"):
            lw.zeros(3, device=device)


# --- the same words on every framework ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: lw.zeros((-1,)), ValueError, r"^zeros: a shape has no negative extents; got \(-1,\)"),
        (lambda: lw.ones((2, -3)), ValueError, r"^ones: a shape has no negative extents"),
        (lambda: lw.full((-1,), 1.0), ValueError, r"^full: a shape has no negative extents"),
        (lambda: lw.eye(-1), ValueError, r"^eye: a shape has no negative extents; got \(-1, -1\)"),
        (lambda: lw.eye(2, -1), ValueError, r"^eye: a shape has no negative extents; got \(2, -1\)"),
        (lambda: lw.zeros(2.5), TypeError, r"^zeros: a shape is of ints; got 2.5"),
        (lambda: lw.empty((2, 2.0)), TypeError, r"^empty: a shape is of ints; got \(2, 2.0\)"),
        (lambda: lw.zeros("a"), TypeError, r"^zeros: a shape is of ints; got 'a'"),
        (lambda: lw.reshape(lw.zeros((0, 3)), (0, -1)), ValueError, r"^reshape: .* of shape \(0, 3\), has not"),
        (lambda: lw.reshape(lw.zeros(6), (4, -1)), ValueError, r"^reshape: an array of 6 elements"),
        (lambda: lw.reshape(lw.zeros(6), (-1, -1)), ValueError, r"^reshape: a shape has one -1 at most"),
        (lambda: lw.reshape(lw.zeros(6), (-2, -3)), ValueError, r"^reshape: a shape has one -1 at most"),
    ],
)
def test_shapes_that_are_none(backend: str, call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_index_arrays_that_do_not_fit_together(backend: str) -> None:
    x = lw.asarray([[1, 2], [3, 4]])
    with pytest.raises(IndexError, match=r"getitem: index arrays of shapes \(3,\) and \(2,\) do not broadcast"):
        np.asarray(x[lw.asarray([0, 1, 1]), lw.asarray([0, 1])])


def test_positions_beyond_int64_are_out_of_bounds(backend: str) -> None:
    """And not counted from the end, as they would be if the cast to int64 wrapped around."""
    x, far = lw.asarray([1, 2, 3]), lw.asarray([1, 2**64 - 1], dtype=lw.uint64)
    for call in (lambda at: lw.take(x, at), lambda at: lw.take_along_axis(x, at), lambda at: x[at]):
        assert np.asarray(call(far[:1])).tolist() == [2]
        with pytest.raises(IndexError, match="out of bounds"):
            np.asarray(call(far))
