"""Trees: as `jax.tree` has them, where JAX is there to compare with."""

from __future__ import annotations

import operator
from collections import OrderedDict, defaultdict
from typing import Any, NamedTuple

import pytest

import latticework as lw
from latticework.core.trees import register_node


class Layer(NamedTuple):
    """A named tuple, as a layer's parameters may be."""

    weight: Any
    bias: Any


TREES: list[Any] = [
    1, None, [], (), {}, [1, (2, [3])], (1,), {"b": 1, "a": {"d": 2, "c": None}}, {2: "x", 1: "y"},
    Layer([1, 2], None), [Layer(1, {"z": 2})], OrderedDict([("b", 1), ("a", 2)]), defaultdict(list, {"b": 1, "a": 2}),
    [None, None], {"empty": [], "not": 1}, "a string", [{1, 2}],
]  # fmt: skip


@pytest.mark.parametrize("tree", TREES, ids=repr)
def test_trees_are_taken_apart_and_built_as_jax_does(tree: Any) -> None:
    tree_of_jax = pytest.importorskip("jax").tree
    assert lw.tree.leaves(tree) == tree_of_jax.leaves(tree)
    leaves, structure = lw.tree.flatten(tree)
    built = lw.tree.unflatten(structure, leaves)
    assert built == tree
    assert type(built) is type(tree)
    numbers = range(len(leaves))
    theirs = tree_of_jax.unflatten(tree_of_jax.structure(tree), numbers)
    assert lw.tree.unflatten(structure, numbers) == theirs
    assert lw.tree.map(lambda x: [x], tree) == tree_of_jax.map(lambda x: [x], tree)


def test_what_is_built_has_the_keys_in_the_order_that_they_had() -> None:
    """JAX sorts them."""
    for tree in TREES:
        assert repr(lw.tree.map(lambda x: x, tree)) == repr(tree)
    made = lw.tree.map(lambda x, y: (x, y), {"b": 1, "a": 2}, {"a": 3, "b": 4})
    assert repr(made) == "{'b': (1, 4), 'a': (2, 3)}"


def test_structures_are_values() -> None:
    structures = [lw.tree.structure(tree) for tree in TREES]
    for i, a in enumerate(structures):
        for j, b in enumerate(structures):
            alike = i == j or {TREES[i].__class__, TREES[j].__class__} == {int, str}  # both are one leaf
            assert (a == b) is alike
            assert not alike or hash(a) == hash(b)
    assert str(lw.tree.structure({"b": (1,), "a": [None, Layer(1, 2)]})) == (
        "{'a': [None, Layer(weight=*, bias=*)], 'b': (*,)}"
    )


def test_an_array_is_a_leaf() -> None:
    x = lw.asarray([1.0, 2.0])
    assert lw.tree.leaves({"x": x, "y": [x]})[1] is x
    doubled = lw.tree.map(operator.add, {"x": x}, {"x": x})["x"]
    assert doubled.tolist() == [2.0, 4.0]


def test_more_trees_may_go_on_where_the_first_has_a_leaf() -> None:
    assert lw.tree.map(lambda x, y: (x, y), [1, (2,)], [[3, 4], (None,)]) == [(1, [3, 4]), ((2, None),)]
    assert lw.tree.map(len, [(1, 2), [""]], is_leaf=lambda x: isinstance(x, tuple)) == [2, [0]]


def test_reduce_and_all() -> None:
    tree = {"a": 1, "b": [2, None, 3]}
    assert lw.tree.reduce(operator.add, tree) == 6
    assert lw.tree.reduce(lambda total, x: [*total, x], tree, []) == [1, 2, 3]
    assert lw.tree.all({"a": lw.asarray(True), "b": 1})
    assert not lw.tree.all({"a": True, "b": lw.asarray(0)})
    assert lw.tree.all([])


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: lw.tree.map(max, [1, 2], [1, 2, 3]), ValueError, "list of length 2, another of 3"),
        (lambda: lw.tree.map(max, {"a": 1}, {"b": 1}), ValueError, r"dict of keys \['a'\], another of \['b'\]"),
        (lambda: lw.tree.map(max, {"a": [1]}, {"a": (1,)}), ValueError, r"a list at \['a'\], another has tuple"),
        (lambda: lw.tree.map(max, [None], [1]), ValueError, r"None at \[0\], another has int"),
        (lambda: lw.tree.flatten({"a": 1, 2: 3}), TypeError, "sorted"),
        (lambda: lw.tree.unflatten(lw.tree.structure([1, 2]), [1]), ValueError, r"\[\*, \*\] has 2 leaves; got 1"),
        (lambda: lw.tree.unflatten(TREES[2], [1]), TypeError, "the structure comes first"),
        (lambda: lw.tree.reduce(max, []), TypeError, "no leaves"),
    ],
)
def test_errors_say_where(call: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        call()


def test_equal_keys_of_other_types_stay_what_they_are() -> None:
    for key in (1, True, 1.0, "1"):
        built = lw.tree.map(lambda x: x, {key: 2.0})
        assert [*map(type, built)] == [type(key)]


def test_the_order_of_keys_is_that_of_each_dict() -> None:
    for order in ("ab", "ba", "ab"):
        assert "".join(lw.tree.map(lambda x: x, dict.fromkeys(order, 1.0))) == order


def test_a_class_may_be_registered_after_it_was_a_leaf() -> None:
    class Pair:
        def __init__(self, *parts: object) -> None:
            self.parts = parts

    pair = Pair(1.0, 2.0)
    assert lw.tree.leaves([pair, pair]) == [pair, pair]
    register_node(Pair, lambda x: x.parts, lambda children: Pair(*children))
    assert lw.tree.leaves([pair, pair]) == [1.0, 2.0, 1.0, 2.0]


def test_objects_whose_data_is_no_key_and_objects_without_children() -> None:
    class Named:
        def __init__(self, children: tuple[object, ...], data: dict[str, int]) -> None:
            self.children, self.data = children, data

    register_node(Named, lambda x: x.children, lambda children, data: Named(tuple(children), data), lambda x: x.data)
    one, other = Named((1.0,), {"a": 1}), Named((2.0,), {"a": 2})
    assert lw.tree.structure(one) == lw.tree.structure(Named((3.0,), {"a": 1}))
    assert hash(lw.tree.structure(one)) == hash(lw.tree.structure(Named((3.0,), {"a": 1})))
    assert lw.tree.structure(one) != lw.tree.structure(other)
    built = lw.tree.map(lambda x: x + 1, [Named((), {"a": 3}), other])
    assert built[0].data == {"a": 3}
    assert (built[1].children, built[1].data) == ((3.0,), {"a": 2})
