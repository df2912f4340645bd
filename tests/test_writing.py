"""What is written into an array of another dtype: by a key, by a mask, and in place."""

from __future__ import annotations

import operator
import tracemalloc
from typing import Any

import numpy as np
import pytest
from support import check, wide

import latticework as lw
from latticework.promotion.families import goes_into

ROUNDED = [
    (lw.float32, lw.float64), (lw.float16, lw.float32), (lw.bfloat16, lw.float32), (lw.bfloat16, lw.float16),
    (lw.complex64, lw.complex128),
]  # fmt: skip
REFUSED = [
    (lw.int32, lw.float32), (lw.uint8, lw.float64), (lw.bool, lw.uint64), (lw.float32, lw.complex64),
    (lw.bool, lw.int8), (lw.complex64, lw.float64), (lw.float8_e5m2, lw.float32),
]  # fmt: skip
WRITTEN = [1 + 2**-12, 7.3]  # of more digits than the narrow dtypes have


@pytest.mark.parametrize(("array", "value"), ROUNDED, ids=str)
def test_floats_and_complex_numbers_are_rounded(backend: str, array: lw.Dtype, value: lw.Dtype) -> None:
    x, y = lw.asarray([1.5, 2.5], dtype=array), lw.asarray(WRITTEN, dtype=value)
    want = wide(lw.astype(y, array))
    by_key, by_mask, by_list = (lw.asarray(x, copy=True) for _ in range(3))
    by_key[0] = y[0]
    by_key[1:] = y[1:]
    by_mask[by_mask != 0] = y
    by_list[:] = [y[0], y[1]]
    for result in (by_key, by_mask, by_list):
        check(result, want, array)
    for in_place, plain in ((operator.iadd, operator.add), (operator.itruediv, operator.truediv)):
        z = lw.asarray(x, copy=True)
        before, alias = z.data, z
        z = in_place(z, y)
        check(z, wide(lw.astype(plain(x, y), array)), array)  # computed in the dtype of x + y, then rounded
        assert z is alias
        assert z.data is before or backend not in ("numpy", "torch")


@pytest.mark.parametrize(("array", "value"), REFUSED, ids=str)
def test_what_crosses_kinds_is_refused(backend: str, array: lw.Dtype, value: lw.Dtype) -> None:
    x, y = lw.ones(2, dtype=array), lw.zeros(2, dtype=value)
    with pytest.raises(TypeError, match=f"setitem: {value} does not go into an array of {array}.*unified rules"):
        x[0] = y[0]
    if lw.can_cast(array, value) and lw.isdtype(array, "numeric"):
        with pytest.raises(TypeError, match=f"add: in place .* from {array} to {value}.*under the unified rules"):
            x += y
    check(x, wide(lw.ones(2, dtype=array)), array)


def test_a_result_is_what_goes_into_an_array_in_place(backend: str) -> None:
    x = lw.asarray([1j], dtype=lw.complex64)
    x *= lw.asarray([2.5], dtype=lw.float64)  # the product is complex128
    check(x, [2.5j], lw.complex64)
    with lw.using(rules="precise"):
        y = lw.asarray([0.5], dtype=lw.float16)
        y += lw.asarray([3], dtype=lw.int32)  # the sum is float64
        check(y, [3.5], lw.float16)


@pytest.mark.parametrize(("rules", "widening"), [("strict", False), ("array_api", True)])
def test_rules_that_refuse(backend: str, rules: str, widening: bool) -> None:
    with lw.using(rules=rules):
        narrow, wide_ = lw.ones(1, dtype=lw.float32), lw.ones(1, dtype=lw.float64)
        for write in (lambda: narrow.__setitem__(0, wide_[0]), lambda: operator.iadd(narrow, wide_)):
            with pytest.raises(TypeError, match=f"go into .*float32.*{rules} rules"):
                write()
        if widening:
            wide_[0] = narrow[0]
        else:
            with pytest.raises(TypeError, match="setitem: float32 does not go into an array of float64"):
                wide_[0] = narrow[0]
        wide_ += narrow  # the sum is float64 already
        wide_[0] = 3
        check(wide_, [3], lw.float64)
        with pytest.raises(TypeError, match="setitem: a Python bool does not go into an array of float64"):
            wide_[0] = True
        mask = wide_ > 1
        mask[0] = False
        assert mask.tolist() == [False]


def test_every_pair_of_dtypes() -> None:
    """Our rules round within a kind; those of frameworks allow neither more nor less than before."""
    from latticework.promotion import RULES

    for value in lw.all_dtypes:
        for target in lw.all_dtypes:
            promotes = {r: _promotes(r, target, value) for r in ("unified", "precise", "array_api", "jax", "keras")}
            rounds = value.kind == target.kind in "fc"
            for rules, goes in promotes.items():
                ours = rules in ("unified", "precise")
                assert goes_into(RULES[rules], value, target) == (goes or (rounds and ours)), (rules, value, target)
            assert goes_into(RULES["strict"], value, target) == (value is target)
            if lw.bfloat16 not in (value, target):  # which NumPy does not sort by kind
                numpy = np.can_cast(str(value), str(target), "same_kind")
                assert goes_into(RULES["numpy"], value, target) == numpy, (value, target)


def _promotes(rules: str, target: lw.Dtype, value: lw.Dtype) -> bool:
    try:
        return value is target or lw.promote_types(target, value, rules=rules) is target
    except lw.errors.PromotionError:
        return False


def test_rules_of_a_users_own_say_what_is_written() -> None:
    edges = "int32 -> float32\nfloat32 -> float64"
    made = {writes: lw.Rules("mine", edges, writes=writes) for writes in ("", "kind", "promote", "same")}
    pairs: list[Any] = [(lw.float64, lw.float32), (lw.int32, lw.float32), (lw.float32, lw.int32)]
    found = {writes: [goes_into(rules, *pair) for pair in pairs] for writes, rules in made.items()}
    assert made["kind"].fits_into(lw.int32, lw.int32)
    assert not any(made["kind"].fits_into(*pair) for pair in pairs)
    assert not made["kind"].fits_into(lw.int64, lw.int32), "a dtype that the rules do not know"
    assert not made["promote"].fits_into(lw.int32, lw.int32)
    assert found == {
        "": [True, True, False], "kind": [True, True, False], "promote": [False, True, False], "same": [False] * 3,
    }  # fmt: skip
    with lw.using(rules=made["promote"]), pytest.raises(TypeError, match="add: in place"):
        lw.ones(1, dtype=lw.float32).__iadd__(lw.ones(1, dtype=lw.float64))
    assert lw.operation_result("add", lw.float32, lw.float64, rules=made["kind"], in_place=True) is lw.float32
    with pytest.raises(ValueError, match="writes is one of 'kind', 'promote', 'same'; got 'all'"):
        lw.Rules("mine", edges, writes="all")


def test_plans_show_the_cast(backend: str) -> None:
    x, y = lw.ones(3), lw.zeros(3, dtype=lw.float64)
    p = lw.plan("setitem", x, x > 0, y)
    assert (p.operands, p.casts, p.out) == ((lw.float32, lw.float64), (None, lw.float32), (lw.float32,))
    assert p.shapes == ((3,),)
    assert str(p).startswith("setitem(float32, float64 as float32) -> float32 of shape (3,)")
    assert lw.plan("setitem", x, 0, 1).casts == (None, lw.float32)
    assert lw.plan("setitem", x, 0, [1]).casts == (None, None)
    p = lw.plan(operator.iadd, x, y)
    assert (p.op, p.computed, p.out, p.shapes) == ("iadd", lw.float64, (lw.float32,), ((3,),))
    check(x, [1, 1, 1], lw.float32)
    with pytest.raises(TypeError, match="add: in place"):
        lw.plan(operator.iadd, lw.ones(3, dtype=lw.int32), x)
    with pytest.raises(ValueError, match="add"):
        lw.plan(operator.iadd, x, lw.ones((2, 3)))


def test_numpy_writes_in_place_without_copies() -> None:
    x, y = lw.ones(1_000_000, dtype=lw.float32), lw.ones(1_000_000, dtype=lw.float64)
    x += y
    tracemalloc.start()
    try:
        x += y
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000, peak


def test_what_is_refused_in_place_has_changed_nothing(backend: str) -> None:
    values = [[2, -3, 4], [-2, 0, 5]]
    x = lw.asarray(values)
    with pytest.raises(ValueError, match=r"^pow: integers have no negative powers\. Cast one to a floating dtype"):
        x **= lw.asarray(values)
    check(x.compute(), values, lw.int32)
    with pytest.raises(ValueError, match=r"^add: in place, the result has the shape \(2, 3\), and the array keeps"):
        x[:1] += x
    check(x.compute(), values, lw.int32)
    x **= 2
    check(x.compute(), [[4, 9, 16], [4, 0, 25]], lw.int32)
    if backend in ("numpy", "torch"):
        same = lw.broadcast_to(lw.asarray([3]), (4,))
        with pytest.raises(ValueError, match=r"^pow: .* is read-only: .* x\.copy\(\)"):
            same **= same


def test_rules_that_write_wider_integers(backend: str) -> None:
    """PyTorch takes an int16 into a uint8 array in place, and cuts it; so do its rules on each backend."""
    with lw.using(rules="torch"):
        x = lw.asarray([250, 7], dtype="uint8")
        x += lw.asarray([300, -8], dtype="int16")
        check(x, [(250 + 300) % 256, 255], lw.uint8)
        x[1:] -= lw.asarray([256], dtype="int64")
        check(x, [(250 + 300) % 256, 255], lw.uint8)


# --- integers: by value ----------------------------------------------------------------------------------------------

#: The dtype of an array, that of integers which are written into it, those that fit and one that does not.
FITTING = [
    (lw.int32, lw.int64, [0, -(2**31), 2**31 - 1], 2**31),
    (lw.int32, lw.int64, [5, 6, 7], -(2**31) - 1),
    (lw.int8, lw.int16, [1, -128, 127], 128),
    (lw.uint8, lw.int64, [0, 9, 255], -1),
    (lw.uint8, lw.int8, [0, 9, 127], -1),
    (lw.uint16, lw.uint32, [0, 9, 2**16 - 1], 2**16),
    (lw.int64, lw.uint64, [0, 9, 2**63 - 1], 2**63),
    (lw.uint64, lw.int64, [0, 9, 2**63 - 1], -1),
    (lw.int8, lw.uint64, [0, 9, 127], 2**64 - 1),
]


@pytest.mark.parametrize(("array", "value", "fit", "beyond"), FITTING, ids=str)
def test_integers_go_into_integers_where_they_fit(
    backend: str, array: lw.Dtype, value: lw.Dtype, fit: list[int], beyond: int
) -> None:
    """As a Python int does; what does not fit is an error, and nothing is written."""
    x = lw.asarray([3, 4, 5], dtype=array)
    good, bad = lw.asarray(fit, dtype=value), lw.asarray([1, beyond, 2], dtype=value)
    x[:] = good
    check(x, fit, array)
    for i in range(3):
        x[i] = good[2 - i]
    check(x, fit[::-1], array)
    x[x != 0] = lw.asarray(1, dtype=value)
    x[lw.asarray([0, 2])] = good[1:]
    x[:] = [good[0], good[1], 2]
    want = [fit[0], fit[1], 2]
    check(x, want, array)
    x[:0] = good[:0]
    with pytest.raises(OverflowError, match=rf"^setitem: integers from .* do not all fit an array of {array}"):
        x[:] = bad
    if backend == "dask":  # which looks when it computes, unless the values are at hand
        y = lw.asarray(x, copy=True)
        y[0] = bad[1]
        with pytest.raises(OverflowError, match=f"{beyond} does not fit an array of {array}"):
            y.compute()
    else:
        with pytest.raises(OverflowError, match=rf"^setitem: {beyond} does not fit an array of {array}"):
            x[0] = bad[1]
    check(x, want, array)


def test_positions_go_where_positions_are_kept(backend: str) -> None:
    """The lines of Viterbi's algorithm, in an array of the default int."""

    def decode(scores: lw.Array, moves: lw.Array) -> lw.Array:
        n, k = scores.shape
        best, back = scores[0], lw.zeros((n, k), dtype=int)
        for t in range(1, n):
            candidates = best[:, None] + moves
            back[t] = lw.argmax(candidates, axis=0)
            best = lw.max(candidates, axis=0) + scores[t]
        path = lw.zeros(n, dtype=int)
        path[n - 1] = lw.argmax(best)
        for t in range(n - 2, -1, -1):
            path[t] = back[t + 1][path[t + 1]]
        return path

    rng = np.random.default_rng(0)
    values = rng.normal(size=(6, 4)), rng.normal(size=(4, 4))
    scores, moves = (lw.asarray(v, dtype=lw.float64) for v in values)
    best, back = values[0][0], []
    for t in range(1, 6):
        candidates = best[:, None] + values[1]
        back.append(candidates.argmax(0))
        best = candidates.max(0) + values[0][t]
    want = [int(best.argmax())]
    for row in back[::-1]:
        want.append(int(row[want[-1]]))
    check(decode(scores, moves), want[::-1], lw.int32)


def _kept(scores: lw.Array) -> lw.Array:
    path = lw.zeros(3, dtype=int)
    path[0] = lw.argmax(scores)
    path[1:] = lw.argsort(scores)[:2]
    path += lw.count_nonzero(scores)
    path[2] -= lw.searchsorted(lw.asarray([0.0, 1.0, 2.0]), scores[0])
    return path


def test_positions_are_kept_in_programs_that_are_inferred_traced_and_compiled(backend: str) -> None:
    scores = lw.asarray([0.5, 3.0, 1.0, -2.0])
    want = [1 + 4, 3 + 4, 0 + 4 - 1]
    check(_kept(scores), want, lw.int32)
    spec = lw.infer(_kept, lw.spec((4,), "float32"))
    assert (spec.dtype, spec.shape) == (lw.int32, (3,))
    if backend == "dask":
        return  # of which no program is traced
    check(lw.jit(_kept)(scores), want, lw.int32)
    check(lw.trace(_kept, scores)(scores), want, lw.int32)
    compiled = lw.compile(_kept)
    for _ in range(3):
        check(compiled(scores), want, lw.int32)


def _narrowed(x: lw.Array) -> lw.Array:
    y = lw.zeros(2, dtype=lw.int8)
    y[:] = x
    return y


def test_a_traced_program_looks_at_each_value(backend: str) -> None:
    """The trace was made with values that fit; others are refused by each run. Only what `jax.jit` compiles cannot."""
    if backend == "dask":
        return  # of which no program is traced
    good, bad = lw.asarray([1, 127]), lw.asarray([1, 300])
    graph = lw.trace(_narrowed, good)
    check(graph(good), [1, 127], lw.int8)
    assert [node.name for node in graph.nodes].count("narrow") == 1
    if backend == "jax":
        check(lw.jit(_narrowed)(bad), [1, 300 - 256], lw.int8)  # as lw.astype has it
        return
    with pytest.raises(OverflowError, match="integers from 1 to 300 do not all fit an array of int8"):
        graph(bad)
    namespace: dict[str, Any] = {}
    exec(graph.source, namespace)
    with pytest.raises(OverflowError, match="integers from 1 to 300 do not all fit an array of int8"):
        namespace["_narrowed"](bad.data)
    np.testing.assert_array_equal(namespace["_narrowed"](good.data), [1, 127])


def test_in_place_and_given_arrays_take_integers_that_fit(backend: str) -> None:
    x, wide_ = lw.asarray([1, 2, 3]), lw.asarray([10, -20, 2**40], dtype=lw.int64)
    before, alias = lw.asarray(x, copy=True), x
    x[:2] += wide_[:2]
    check(x, [11, -18, 3], lw.int32)
    x -= lw.argmax(wide_)
    check(x, [9, -20, 1], lw.int32)
    x *= lw.asarray([2, 2, 2], dtype=lw.int8)
    check(x, [18, -40, 2], lw.int32)
    labels = lw.zeros(3, dtype=lw.uint8)
    labels += lw.asarray([7, 255, 0])
    check(labels, [7, 255, 0], lw.uint8)
    assert x is alias
    if backend == "dask":
        return  # which looks when it computes
    for write in (
        lambda: operator.iadd(x, wide_), lambda: operator.imul(x, lw.asarray(2**31, dtype=lw.int64)),
        lambda: lw.add(x, wide_, out=x), lambda: lw.scatter(x, lw.asarray([[0]]), wide_[2:]),
        lambda: lw.index_add(x, lw.asarray([0]), wide_[2:]), lambda: lw.at(x)[0].set(wide_[2]),
    ):  # fmt: skip
        with pytest.raises(OverflowError, match=r"fit.* int32, whose dtype never changes"):
            write()
    check(x, [18, -40, 2], lw.int32)
    lw.add(before, lw.asarray([1, 1, 1], dtype=lw.int64), out=x)
    check(x, [2, 3, 4], lw.int32)
    lw.subtract(lw.argsort(x), lw.asarray([0, 0, 0]), out=x)
    check(x, [0, 1, 2], lw.int32)
    check(lw.at(x)[0].set(wide_[0]), [10, 1, 2], lw.int32)
    check(lw.scatter(x, lw.asarray([[1]]), wide_[:1]), [0, 10, 2], lw.int32)
    check(lw.index_add(x, lw.asarray([1]), wide_[:1]), [0, 11, 2], lw.int32)


def test_rules_of_frameworks_and_strict_ones_write_integers_as_before(backend: str) -> None:
    for rules in ("strict", "array_api", "jax", "tensorflow"):
        with lw.using(rules=rules):
            x, y = lw.zeros(1, dtype=lw.int32), lw.ones(1, dtype=lw.int64)
            with pytest.raises(TypeError, match="setitem: int64 does not go into an array of int32"):
                x[:] = y
    assert lw.operation_result("add", lw.int32, lw.int64, rules="unified", in_place=True) is lw.int32
    with pytest.raises(lw.errors.PromotionError, match="does not go into an array of int32"):
        lw.operation_result("add", lw.int32, lw.float64, rules="unified", in_place=True)


def test_frameworks_that_map_and_compile_take_positions(backend: str) -> None:
    if backend == "dask":
        return  # which neither maps nor compiles
    rows = lw.asarray([[0.5, 3.0, 1.0, -2.0], [9.0, 3.0, 1.0, 2.0]])
    check(lw.vmap(_kept)(rows), [_kept(r).tolist() for r in rows], lw.int32)
    if backend == "tensorflow":  # whose graphs look when they run
        with pytest.raises(Exception, match="integers do not all fit an array of int8"):
            lw.jit(_narrowed)(lw.asarray([1, 300]))
