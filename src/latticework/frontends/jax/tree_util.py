"""`jax.tree_util`: trees of containers and the leaves in them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

from ...core.trees import Structure, flatten, leaves_at, node, register_node
from .core import dialect
from .trees import is_array

__all__ = ["DictKey", "FlattenedIndexKey", "GetAttrKey", "Partial", "PyTreeDef", "SequenceKey"]

_NOTHING = object()


class PyTreeDef:
    """The structure of a tree, without its leaves."""

    __slots__ = ("structure",)

    def __init__(self, structure: Structure) -> None:
        self.structure = structure

    @property
    def num_leaves(self) -> int:
        """The number of leaves."""
        return self.structure.size

    def unflatten(self, leaves: Any) -> Any:
        """Return the tree with these leaves."""
        return tree_unflatten(self, leaves)

    def flatten_up_to(self, tree: Any) -> list[Any]:
        """Return the parts of a tree at the places of the leaves."""
        return [*leaves_at(self.structure, tree)]

    def children(self) -> list[PyTreeDef]:
        """Return the structures of the children."""
        return [PyTreeDef(child) for child in self.structure.children]

    def compose(self, inner: PyTreeDef) -> PyTreeDef:
        """Return the structure with another one in the place of each leaf."""
        part = inner.unflatten([0] * inner.num_leaves)
        return PyTreeDef(flatten(self.unflatten([part] * self.num_leaves))[1])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PyTreeDef) and self.structure == other.structure

    def __hash__(self) -> int:
        return hash(self.structure)

    def __repr__(self) -> str:
        return f"PyTreeDef({self.structure})"


#: Classes whose objects are leaves here, and trees to latticework.
LEAVES: list[type] = []


def _is_leaf(x: Any) -> bool:
    return is_array(x) or type(x) in LEAVES


def _leaf(is_leaf: Any) -> Callable[[Any], bool]:
    return _is_leaf if is_leaf is None else lambda x: _is_leaf(x) or bool(is_leaf(x))


def tree_flatten(tree: Any, is_leaf: Any = None) -> tuple[list[Any], PyTreeDef]:
    leaves, structure = flatten(tree, _leaf(is_leaf))
    return leaves, PyTreeDef(structure.in_sorted_order())


def tree_unflatten(treedef: Any, leaves: Any) -> Any:
    leaves = [*leaves]
    if len(leaves) != treedef.num_leaves:
        raise ValueError(f"Too {'few' if len(leaves) < treedef.num_leaves else 'many'} leaves for PyTreeDef")
    return treedef.structure.build(iter(leaves))


def tree_leaves(tree: Any, is_leaf: Any = None) -> list[Any]:
    return tree_flatten(tree, is_leaf)[0]


def tree_structure(tree: Any, is_leaf: Any = None) -> PyTreeDef:
    return tree_flatten(tree, is_leaf)[1]


def tree_map(f: Any, tree: Any, *rest: Any, is_leaf: Any = None) -> Any:
    leaves, structure = flatten(tree, _leaf(is_leaf))
    others = [[*leaves_at(structure, other)] for other in rest]
    return structure.build(iter([f(*xs) for xs in zip(leaves, *others, strict=True)]))


def tree_reduce(function: Any, tree: Any, initializer: Any = _NOTHING, is_leaf: Any = None) -> Any:
    leaves = tree_leaves(tree, is_leaf)
    return functools.reduce(function, leaves, *([] if initializer is _NOTHING else [initializer]))


def tree_all(tree: Any, *, is_leaf: Any = None) -> bool:
    return all(tree_leaves(tree, is_leaf))


def tree_transpose(outer_treedef: Any, inner_treedef: Any, pytree_to_transpose: Any) -> Any:
    inner = (
        tree_structure(outer_treedef.unflatten([0] * outer_treedef.num_leaves))
        if inner_treedef is None
        else inner_treedef
    )
    rows = [tree_leaves(row) for row in outer_treedef.flatten_up_to(pytree_to_transpose)]
    if any(len(row) != inner.num_leaves for row in rows):
        raise TypeError("tree_transpose: the inner trees are not built as inner_treedef")
    return inner.unflatten([outer_treedef.unflatten(column) for column in zip(*rows, strict=True)])


def treedef_children(treedef: Any) -> list[PyTreeDef]:
    return treedef.children()


def treedef_is_leaf(treedef: Any) -> bool:
    return treedef.structure.kind is None


def treedef_tuple(treedefs: Any) -> PyTreeDef:
    children = tuple(t.structure for t in treedefs)
    return PyTreeDef(Structure(tuple, tuple(range(len(children))), children))


def all_leaves(iterable: Any, is_leaf: Any = None) -> bool:
    return all(treedef_is_leaf(tree_structure(x, is_leaf)) for x in iterable)


# --- places ---------------------------------------------------------------------------------------------------------


class _Key:
    """A step on the path to a leaf."""

    __slots__ = ("value",)
    __match_args__: tuple[str, ...] = ("value",)
    text, field = "{}", "key"

    def __init__(self, *value: Any, **named: Any) -> None:
        if len(value) + len(named) != 1 or (named and self.field not in named):
            raise TypeError(f"{type(self).__name__}() takes one argument, {self.field!r}")
        self.value = value[0] if value else named[self.field]

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.value == other.value

    def __hash__(self) -> int:
        return hash((type(self), self.value))

    def __str__(self) -> str:
        return self.text.format(self.value)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.field}={self.value!r})"


class SequenceKey(_Key):
    """A position in a list or a tuple."""

    text, field = "[{}]", "idx"

    @property
    def idx(self) -> int:
        """The position."""
        return self.value


class DictKey(_Key):
    """A key of a dict."""

    text = "[{!r}]"

    @property
    def key(self) -> Any:
        """The key."""
        return self.value


class GetAttrKey(_Key):
    """An attribute's name."""

    text, field = ".{}", "name"

    @property
    def name(self) -> str:
        """The name."""
        return self.value


class FlattenedIndexKey(_Key):
    """A position among the parts of an object."""

    text = "[<flat index {}>]"

    @property
    def key(self) -> int:
        """The position."""
        return self.value


#: Of classes whose parts have keys: a function of an object that gives these.
_KEYS: dict[Any, Callable[[Any], list[Any]]] = {}


def _with_paths(tree: Any, is_leaf: Callable[[Any, Any], bool], path: tuple[Any, ...]) -> Iterator[tuple[Any, Any]]:
    """Yield the leaves of a tree, each with its path."""
    leaf = _is_leaf(tree) or is_leaf(path, tree)
    if tree is None and not leaf:
        return
    taken = None if leaf else node(tree)
    if taken is None:
        yield path, tree
        return
    kind, keys, values, _ = taken
    if kind in (list, tuple):
        steps: list[Any] = [SequenceKey(key) for key in keys]
    elif hasattr(kind, "_fields"):
        steps = [GetAttrKey(key) for key in keys]
    elif issubclass(kind, dict):
        steps = [DictKey(key) for key in keys]
    else:
        steps = _KEYS[kind](tree) if kind in _KEYS else [FlattenedIndexKey(key) for key in keys]
    for step, child in zip(steps, values, strict=True):
        yield from _with_paths(child, is_leaf, (*path, step))


def tree_flatten_with_path(tree: Any, is_leaf: Any = None, is_leaf_takes_path: bool = False) -> Any:
    stops: dict[int, bool] = {}

    def stopped(path: Any, x: Any) -> bool:
        if is_leaf is None:
            return False
        found = stops[id(x)] = bool(is_leaf(path, x) if is_leaf_takes_path else is_leaf(x))
        return found

    found = [*_with_paths(tree, stopped, ())]
    return found, tree_structure(tree, lambda x: stops.get(id(x), False))


def tree_leaves_with_path(tree: Any, is_leaf: Any = None, is_leaf_takes_path: bool = False) -> list[Any]:
    found: list[Any] = tree_flatten_with_path(tree, is_leaf, is_leaf_takes_path)[0]
    return found


def tree_map_with_path(f: Any, tree: Any, *rest: Any, is_leaf: Any = None, is_leaf_takes_path: bool = False) -> Any:
    found, treedef = tree_flatten_with_path(tree, is_leaf, is_leaf_takes_path)
    others = [treedef.flatten_up_to(other) for other in rest]
    return treedef.unflatten([f(*pair, *xs) for pair, *xs in zip(found, *others, strict=True)])


def keystr(keys: Any, *, simple: bool = False, separator: str = "") -> str:
    return separator.join(str(k.value) if simple else str(k) for k in keys)


KeyPath = tuple[Any, ...]
KeyEntry = Any


def tree_broadcast(prefix_tree: Any, full_tree: Any, is_leaf: Any = None) -> Any:
    leaves, structure = flatten(prefix_tree, _leaf(is_leaf))
    parts = [*leaves_at(structure, full_tree)]
    spread = [[x] * tree_structure(part, is_leaf).num_leaves for x, part in zip(leaves, parts, strict=True)]
    return tree_unflatten(tree_structure(full_tree, is_leaf), [x for row in spread for x in row])


def tree_reduce_associative(operation: Any, tree: Any, *, identity: Any = _NOTHING, is_leaf: Any = None) -> Any:
    leaves = tree_leaves(tree, is_leaf)
    if not leaves:
        if identity is _NOTHING:
            raise ValueError("tree_reduce_associative: a tree without leaves has no sum without identity")
        return identity
    while len(leaves) > 1:
        pairs = [operation(a, b) for a, b in zip(leaves[::2], leaves[1::2], strict=False)]
        leaves = pairs + leaves[len(pairs) * 2 :]
    return leaves[0]


# --- classes of the user's ------------------------------------------------------------------------------------------


def register_pytree_node(
    nodetype: Any, flatten_func: Any, unflatten_func: Any, flatten_with_keys_func: Any = None
) -> None:
    register_node(
        nodetype, lambda x: tuple(flatten_func(x)[0]), lambda children, aux: unflatten_func(aux, tuple(children)),
        lambda x: flatten_func(x)[1],
    )  # fmt: skip


def register_pytree_node_class(cls: Any) -> Any:
    register_pytree_node(cls, lambda x: x.tree_flatten(), cls.tree_unflatten)
    return cls


def register_pytree_with_keys(
    nodetype: Any, flatten_with_keys: Any, unflatten_func: Any, flatten_func: Any = None
) -> None:
    def parts(x: Any) -> tuple[Any, Any]:
        pairs, aux = flatten_with_keys(x)
        return [child for _, child in pairs], aux

    _KEYS[nodetype] = lambda x: [key for key, _ in flatten_with_keys(x)[0]]
    register_pytree_node(nodetype, parts, unflatten_func)


def register_pytree_with_keys_class(cls: Any) -> Any:
    register_pytree_with_keys(cls, lambda x: x.tree_flatten_with_keys(), cls.tree_unflatten)
    return cls


def register_static(cls: Any) -> Any:
    register_pytree_node(cls, lambda x: ((), x), lambda x, _: x)
    return cls


def register_dataclass(nodetype: Any, data_fields: Any = None, meta_fields: Any = None, drop_fields: Any = ()) -> Any:
    import dataclasses

    if data_fields is None:
        fields = [f for f in dataclasses.fields(nodetype) if f.init and f.name not in drop_fields]
        meta_fields = [f.name for f in fields if f.metadata.get("static")]
        data_fields = [f.name for f in fields if not f.metadata.get("static")]
    data, meta = tuple(data_fields), tuple(meta_fields or ())

    def parts(x: Any) -> tuple[Any, Any]:
        return [(GetAttrKey(n), getattr(x, n)) for n in data], tuple(getattr(x, n) for n in meta)

    def build(aux: Any, children: Any) -> Any:
        return nodetype(**dict(zip(data, children, strict=True)), **dict(zip(meta, aux, strict=True)))

    register_pytree_with_keys(nodetype, parts, build)
    return nodetype


class Partial(functools.partial):  # type: ignore[type-arg]
    """A function with some arguments. It is a tree of the arguments."""


register_pytree_node(
    Partial, lambda x: ((x.args, x.keywords), x.func), lambda func, parts: Partial(func, *parts[0], **parts[1])
)
dialect.finish(globals(), view="jax.tree_util")
