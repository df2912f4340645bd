"""Trees of Python's containers: lists, tuples, named tuples and dicts, and what is in them.

A leaf is everything else but None, which is a container of nothing. `flatten` takes a tree apart into its leaves and
its `Structure`, which is a value: two trees are built alike where their structures are equal.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

__all__ = [
    "EXTRA", "LEAF", "NODES", "Structure", "built_call", "flatten", "flatten_call", "is_plain_call", "leaves",
    "leaves_at", "node", "paths", "register_node",
]  # fmt: skip


class Structure:
    """The structure of a tree, without its leaves. Equal structures have the same containers and keys at each place.

    The order in which keys were put into a dict does not count: leaves are in the order of the sorted keys. A tree that
    is built has its keys in the order that they had.

    Attributes
    ----------
    kind: the class of the container; None for a leaf.
    keys: the keys of a dict, sorted; the names of a named tuple's fields; the positions in a list or tuple.
    children: the structure at each key.
    size: the number of leaves.
    order: the keys of a dict in the order that they had, None where that is the sorted order.
    """

    __slots__ = ("_hash", "children", "extra", "keys", "kind", "order", "size")

    def __init__(
        self,
        kind: type | None,
        keys: tuple[Any, ...] = (),
        children: tuple[Structure, ...] = (),
        extra: Any = None,
        order: tuple[Any, ...] | None = None,
    ) -> None:
        self.kind, self.keys, self.children, self.extra, self.order = kind, keys, children, extra, order
        self.size: int = 1 if kind is None else sum(child.size for child in children)
        self._hash = hash((kind, keys, children, extra))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return (
            isinstance(other, Structure)
            and self._hash == other._hash
            and self.kind is other.kind
            and self.keys == other.keys
            and self.extra == other.extra
            and self.children == other.children
        )

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"Structure({self})"

    def __str__(self) -> str:
        if self.kind is None:
            return "*"
        parts = [str(child) for child in self.children]
        if self.kind is type(None):
            return "None"
        if self.kind is list:
            return f"[{', '.join(parts)}]"
        if self.kind is tuple:
            return f"({', '.join(parts)}{',' * (len(parts) == 1)})"
        if self.kind in NODES:
            return f"{self.kind.__name__}({', '.join(parts)})"
        if hasattr(self.kind, "_fields"):
            fields = ", ".join(f"{key}={part}" for key, part in zip(self.keys, parts, strict=True))
            return f"{self.kind.__name__}({fields})"
        items = ", ".join(f"{key!r}: {part}" for key, part in zip(self.keys, parts, strict=True))
        return f"{{{items}}}" if self.kind is dict else f"{self.kind.__name__}({{{items}}})"

    @property
    def is_one_array(self) -> bool:
        """True for a leaf, and for an object of a registered class around one leaf, such as a dialect's array."""
        return self.kind is None or (self.kind in NODES and self.children == (LEAF,))

    def build(self, leaves: Iterator[Any]) -> Any:
        """Build a tree of this structure from leaves."""
        kind = self.kind
        if kind is None:
            return next(leaves)
        if kind is type(None):
            return None
        if not self.size and not self.children and kind is not defaultdict and kind not in NODES:
            return kind()
        children = [next(leaves) if child.kind is None else child.build(leaves) for child in self.children]
        if kind is list:
            return children
        if kind is tuple:
            return tuple(children)
        if kind in NODES:
            return NODES[kind][1](children) if self.extra is None else NODES[kind][1](children, self.extra.value)
        if hasattr(kind, "_fields"):
            return kind(*children)
        items: Any = zip(self.keys, children, strict=True)
        if self.order is None and kind is dict:
            return dict(items)
        if self.order is not None:
            found = dict(items)
            items = [(key, found[key]) for key in self.order]
        return defaultdict(self.extra, items) if kind is defaultdict else kind(items)

    def in_sorted_order(self) -> Structure:
        """Return this structure with the keys in sorted order in what it builds, as in JAX."""
        children = tuple([child.in_sorted_order() for child in self.children])
        return self if self.kind is None else Structure(self.kind, self.keys, children, self.extra)

    def in_order_of(self, other: Structure) -> bool:
        """Return whether the keys of all dicts have the same order as in a structure that is equal to this one."""
        return self.order == other.order and all(
            a.in_order_of(b) for a, b in zip(self.children, other.children, strict=True)
        )


#: Registered classes -> the function that returns an object's children, and the one that builds an object of them.
NODES: dict[type, tuple[Callable[[Any], tuple[Any, ...]], Callable[..., Any]]] = {}

#: Some of these classes -> the function that returns an object's data besides its children, for the structure.
EXTRA: dict[type, Callable[[Any], Any]] = {}


class Extra:
    """The data of an object besides its children. None is a value like any other here."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Extra) and bool(self.value == other.value)

    def __hash__(self) -> int:
        try:
            return hash(self.value)
        except TypeError:  # such as a dict's: equality tells them apart
            return 0


def register_node(
    kind: type,
    children: Callable[[Any], tuple[Any, ...]],
    build: Callable[..., Any],
    extra: Callable[[Any], Any] | None = None,
) -> None:
    """Make a class of objects a container in trees.

    Parameters
    ----------
    children: a function that returns the children of an object.
    build: a function that makes an object of its children, and of the result of `extra` where that is given.
    extra: a function that returns the other data of an object. They are part of the structure, and compared by ==.
    """
    NODES[kind] = children, build
    _leaf_classes.discard(kind)
    if extra is not None:
        EXTRA[kind] = extra


#: The structure of a leaf.
LEAF = Structure(None)
_NOTHING = Structure(type(None))
_DICTS = (dict, OrderedDict, defaultdict)

#: The classes of objects that have been leaves, and the structures of containers of nothing but leaves, by the class
#: of the container, its keys, and their order.
_leaf_classes: set[type] = set()
_of_leaves: dict[tuple[type, tuple[Any, ...], tuple[Any, ...] | None], Structure] = {}
_PLAIN, _STRINGS, _MOST = (list, tuple, dict), frozenset((str,)), 256


def node(tree: Any) -> tuple[type, tuple[Any, ...], Sequence[Any], Any] | None:
    """Take a container apart: its class, its keys, its children, and its other data. None for a leaf.

    Only these classes themselves are containers: how to make an object of a derived class is not known.
    """
    kind = type(tree)
    if kind is list or kind is tuple:
        return kind, tuple(range(len(tree))), tree, None
    if kind in _DICTS:
        keys = tuple(tree) if kind is OrderedDict else _sorted_keys(tree)
        return kind, keys, [tree[key] for key in keys], getattr(tree, "default_factory", None)
    if isinstance(tree, tuple) and hasattr(kind, "_fields"):
        return kind, kind._fields, tree, None
    if kind in NODES:
        values, extra = NODES[kind][0](tree), EXTRA.get(kind)
        return kind, tuple(range(len(values))), values, None if extra is None else Extra(extra(tree))
    return None


def _sorted_keys(tree: dict[Any, Any]) -> tuple[Any, ...]:
    try:
        return tuple(sorted(tree))
    except TypeError:
        raise TypeError(
            f"the keys of a dict in a tree are sorted, and {[*tree]!r} cannot be. Use strings for all of them, or ints"
        ) from None


def flatten(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> tuple[list[Any], Structure]:
    """Take a tree apart into its leaves, from the first to the last, and its structure.

    Parameters
    ----------
    is_leaf: a function that returns whether to take a container for a leaf.
    """
    leaves: list[Any] = []
    return leaves, _flatten_into(leaves, tree, is_leaf)


#: The structures of calls with nothing but leaves by position, by the number of these.
_calls: dict[int, Structure] = {}


def flatten_call(args: tuple[Any, ...], kw: dict[str, Any]) -> tuple[list[Any], Structure]:
    """Take ``(args, kw)`` apart into its leaves and its structure."""
    if kw or not _leaf_classes.issuperset(map(type, args)):
        return flatten((args, kw))
    found = _calls.get(len(args))
    if found is None:
        found = flatten((args, kw))[1]
        if len(args) < _MOST:
            _calls[len(args)] = found
    return [*args], found


def is_plain_call(structure: Structure) -> bool:
    """Return whether a structure is that of a call with nothing but leaves, by position."""
    return _calls.get(structure.size) is structure


def built_call(structure: Structure, leaves: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Build ``(args, kw)`` from leaves."""
    if _calls.get(structure.size) is structure:
        return tuple(leaves), {}
    args, kw = structure.build(iter(leaves))
    return args, kw


def _flatten_into(leaves: list[Any], tree: Any, is_leaf: Callable[[Any], bool] | None) -> Structure:
    if is_leaf is not None and is_leaf(tree):
        leaves.append(tree)
        return LEAF
    if tree is None:
        return _NOTHING
    taken = None if type(tree) in _leaf_classes else node(tree)
    if taken is None:
        leaves.append(tree)
        if len(_leaf_classes) < _MOST:
            _leaf_classes.add(type(tree))
        return LEAF
    kind, keys, values, extra = taken
    order = None if kind not in _DICTS or (put := tuple(tree)) == keys else put
    if is_leaf is None and kind in _PLAIN and _leaf_classes.issuperset(map(type, values)):
        leaves.extend(values)
        if kind is dict and not _STRINGS.issuperset(map(type, keys)):  # 1, 1.0 and True are the same key of a table
            return Structure(kind, keys, (LEAF,) * len(keys), None, order)
        found = _of_leaves.get((kind, keys, order))
        if found is None:
            found = Structure(kind, keys, (LEAF,) * len(keys), None, order)
            if len(_of_leaves) < _MOST:
                _of_leaves[kind, keys, order] = found
        return found
    return Structure(kind, keys, tuple([_flatten_into(leaves, value, is_leaf) for value in values]), extra, order)


def leaves(tree: Any) -> Iterator[Any]:
    """Yield the leaves of a tree. It is taken apart when the first is asked for."""
    yield from flatten(tree)[0]


def leaves_at(structure: Structure, tree: Any, path: str = "") -> Iterator[Any]:
    """Yield what a tree has at the leaves of a structure: its leaves, or trees where it goes deeper.

    Raises
    ------
    ValueError: the tree is built in another way.
    """
    if structure.kind is None:
        yield tree
        return
    if structure.kind is type(None):
        if tree is not None:
            raise ValueError(f"the first tree has None{_where(path)}, another has {type(tree).__name__}")
        return
    taken = node(tree)
    if taken is None or taken[0] is not structure.kind:
        raise ValueError(
            f"the first tree has a {structure.kind.__name__}{_where(path)}, another has {type(tree).__name__}"
        )
    if taken[1] != structure.keys:
        counted = isinstance(tree, (list, tuple))
        shown = (len(structure.keys), len(taken[1])) if counted else ([*structure.keys], [*taken[1]])
        what = "length" if counted else "keys"
        raise ValueError(
            f"the first tree has a {structure.kind.__name__} of {what} {shown[0]}{_where(path)}, another of {shown[1]}"
        )
    for key, child, value in zip(structure.keys, structure.children, taken[2], strict=True):
        yield from leaves_at(child, value, path + _step(structure, key))


def _where(path: str) -> str:
    return f" at {path}" if path else ""


def _step(structure: Structure, key: Any) -> str:
    if structure.kind in NODES and len(structure.keys) == 1:
        return ""  # a dialect's array is named as what it holds
    return f".{key}" if structure.kind is not None and hasattr(structure.kind, "_fields") else f"[{key!r}]"


def paths(structure: Structure, path: str = "") -> Iterable[str]:
    """Name each leaf as Python writes it: ``['layers'][0].weight``; "" for a tree that is a leaf itself."""
    if structure.kind is None:
        yield path
    for key, child in zip(structure.keys, structure.children, strict=True):
        yield from paths(child, path + _step(structure, key))
