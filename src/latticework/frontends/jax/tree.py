"""`jax.tree`: the functions of `jax.tree_util` by shorter names."""

from __future__ import annotations

from typing import Any

from . import tree_util
from .core import dialect


# fmt: off
def all(tree: Any, *, is_leaf: Any = None) -> bool: return tree_util.tree_all(tree, is_leaf=is_leaf)
def flatten(tree: Any, is_leaf: Any = None) -> Any: return tree_util.tree_flatten(tree, is_leaf)
def leaves(tree: Any, is_leaf: Any = None) -> Any: return tree_util.tree_leaves(tree, is_leaf)
def structure(tree: Any, is_leaf: Any = None) -> Any: return tree_util.tree_structure(tree, is_leaf)
def unflatten(treedef: Any, leaves: Any) -> Any: return tree_util.tree_unflatten(treedef, leaves)
def map(f: Any, tree: Any, *rest: Any, is_leaf: Any = None) -> Any:
    return tree_util.tree_map(f, tree, *rest, is_leaf=is_leaf)
def reduce(function: Any, tree: Any, initializer: Any = tree_util._NOTHING, is_leaf: Any = None) -> Any:
    return tree_util.tree_reduce(function, tree, initializer, is_leaf)
def transpose(outer_treedef: Any, inner_treedef: Any, pytree_to_transpose: Any) -> Any:
    return tree_util.tree_transpose(outer_treedef, inner_treedef, pytree_to_transpose)
def flatten_with_path(tree: Any, is_leaf: Any = None, is_leaf_takes_path: bool = False) -> Any:
    return tree_util.tree_flatten_with_path(tree, is_leaf)
def leaves_with_path(tree: Any, is_leaf: Any = None, is_leaf_takes_path: bool = False) -> Any:
    return tree_util.tree_leaves_with_path(tree, is_leaf)
def map_with_path(f: Any, tree: Any, *rest: Any, is_leaf: Any = None, is_leaf_takes_path: bool = False) -> Any:
    return tree_util.tree_map_with_path(f, tree, *rest, is_leaf=is_leaf)
def broadcast(prefix_tree: Any, full_tree: Any, is_leaf: Any = None) -> Any:
    return tree_util.tree_broadcast(prefix_tree, full_tree, is_leaf)
def reduce_associative(
    operation: Any, tree: Any, *, identity: Any = tree_util._NOTHING, is_leaf: Any = None
) -> Any:
    return tree_util.tree_reduce_associative(operation, tree, identity=identity, is_leaf=is_leaf)
# fmt: on


dialect.finish(globals(), view="jax.tree")
