"""`torch.utils._pytree` of PyTorch's dialect, compared with PyTorch's."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from typing import Any, NamedTuple

import pytest

from latticework.frontends.torch.utils import _pytree as ours


class Point(NamedTuple):
    x: Any
    y: Any


TREES = [
    3, None, [], {}, (), {"b": 1, "a": (None, [2])}, Point(1, [2, 3]), OrderedDict(b=1, a=[2]),
    defaultdict(list, z=[1]), deque([1, 2], 3), [(), [[]], {1: 2}],
]  # fmt: skip


def outcome(f: Any) -> Any:
    try:
        return f()
    except (ValueError, TypeError) as error:
        return type(error)


@pytest.mark.parametrize("tree", TREES, ids=str)
def test_trees_are_taken_apart_and_built_as_by_pytorch(tree: Any) -> None:
    theirs = pytest.importorskip("torch").utils._pytree
    leaves, spec = ours.tree_flatten(tree)
    expected, structure = theirs.tree_flatten(tree)
    assert (leaves, repr(spec)) == (expected, repr(structure))
    for name in ("num_leaves", "num_nodes", "num_children"):
        assert getattr(spec, name) == getattr(structure, name)
    built = ours.tree_unflatten(leaves, spec)
    assert built == tree and type(built) is type(tree)
    paths = [[m.keystr(path) for path, _ in m.tree_flatten_with_path(tree)[0]] for m in (ours, theirs)]
    assert paths[0] == paths[1]


@pytest.mark.parametrize("other", TREES, ids=str)
@pytest.mark.parametrize("tree", TREES, ids=str)
def test_functions_of_two_trees_take_what_pytorchs_take(tree: Any, other: Any) -> None:
    theirs = pytest.importorskip("torch").utils._pytree
    found, expected = [outcome(lambda m=m: m.tree_map(lambda x, y: (x, y), tree, other)) for m in (ours, theirs)]
    assert found == expected
    assert (ours.tree_structure(tree) == ours.tree_structure(other)) == (
        theirs.tree_structure(tree) == theirs.tree_structure(other)
    )


def test_some_leaves_are_chosen() -> None:
    tree = {"a": [1, 2.0], "b": ("x", None)}
    assert ours.tree_map_only(float, lambda x: -x, tree) == {"a": [1, -2.0], "b": ("x", None)}
    assert ours.tree_map_only(lambda x: x is None, lambda x: 0, tree) == {"a": [1, 2.0], "b": ("x", 0)}
    assert ours.tree_all_only((int, float), lambda x: x > 0, tree) and not ours.tree_any_only(str, str.isupper, tree)
    assert ours.tree_leaves(tree, is_leaf=lambda x: isinstance(x, list)) == [[1, 2.0], "x", None]


def test_a_class_is_a_container_once_it_is_registered() -> None:
    class Pair:
        def __init__(self, a: Any, b: Any) -> None:
            self.a, self.b = a, b

    pair = Pair(1, [2])
    assert ours.tree_leaves(pair) == [pair]
    ours.register_pytree_node(Pair, lambda p: ([p.a, p.b], None), lambda children, _: Pair(*children))
    try:
        assert ours.tree_map(lambda x: 10 * x, pair).b == [20]
        with pytest.raises(ValueError, match="already registered"):
            ours.register_pytree_node(Pair, lambda p: ([], None), lambda children, _: pair)
    finally:
        del ours.KINDS[Pair]
