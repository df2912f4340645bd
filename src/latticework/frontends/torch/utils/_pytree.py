"""`torch.utils._pytree`: trees of containers, as PyTorch's libraries take them apart.

PyTorch calls the module private, and programs use it. A leaf is all that is no container: None is one. A dict has its
leaves in the order of its keys. `lw.tree` has other rules, those of JAX.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from types import UnionType
from typing import Any, NamedTuple

from ..objects import Size

__all__ = [
    "GetAttrKey",
    "LeafSpec",
    "MappingKey",
    "SequenceKey",
    "TreeSpec",
    "keystr",
    "register_pytree_node",
    "tree_all",
    "tree_all_only",
    "tree_any",
    "tree_any_only",
    "tree_flatten",
    "tree_flatten_with_path",
    "tree_is_leaf",
    "tree_iter",
    "tree_leaves",
    "tree_leaves_with_path",
    "tree_map",
    "tree_map_",
    "tree_map_only",
    "tree_map_only_",
    "tree_map_with_path",
    "tree_structure",
    "tree_unflatten",
]  # fmt: skip

IsLeaf = Callable[[Any], bool] | None


@dataclass(frozen=True)
class SequenceKey:
    """The place of a leaf in a sequence."""

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"

    def get(self, sequence: Any) -> Any:
        return sequence[self.idx]


@dataclass(frozen=True)
class MappingKey:
    """The key of a leaf in a dict."""

    key: Any

    def __str__(self) -> str:
        return f"[{self.key!r}]"

    def get(self, mapping: Any) -> Any:
        return mapping[self.key]


@dataclass(frozen=True)
class GetAttrKey:
    """The name of a leaf in a named tuple."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"

    def get(self, obj: Any) -> Any:
        return getattr(obj, self.name)


class Kind(NamedTuple):
    """A class of containers: how one is taken apart into children and what else it is (its context), how it is built,
    and the keys of its children."""

    apart: Callable[[Any], tuple[Any, Any]]
    build: Callable[[Any, Any], Any]
    keys: Callable[[Any, int], list[Any]]


def _places(_: Any, count: int) -> list[Any]:
    return [*map(SequenceKey, range(count))]


KINDS: dict[Any, Kind] = {
    tuple: Kind(lambda x: ([*x], None), lambda xs, _: tuple(xs), _places),
    list: Kind(lambda x: (x, None), lambda xs, _: [*xs], _places),
    dict: Kind(
        lambda x: ([*x.values()], [*x]), lambda xs, keys: dict(zip(keys, xs, strict=True)),
        lambda keys, _: [*map(MappingKey, keys)],
    ),
    OrderedDict: Kind(
        lambda x: ([*x.values()], [*x]), lambda xs, keys: OrderedDict(zip(keys, xs, strict=True)),
        lambda keys, _: [*map(MappingKey, keys)],
    ),
    defaultdict: Kind(
        lambda x: ([*x.values()], [x.default_factory, [*x]]),
        lambda xs, context: defaultdict(context[0], zip(context[1], xs, strict=True)),
        lambda context, _: [*map(MappingKey, context[1])],
    ),
    deque: Kind(lambda x: ([*x], x.maxlen), lambda xs, most: deque(xs, maxlen=most), _places),
    Size: Kind(lambda x: ([*x], None), lambda xs, _: Size(xs), _places),
}  # fmt: skip
#: Of all named tuples. The context is the class.
NAMED = Kind(lambda x: ([*x], type(x)), lambda xs, kind: kind(*xs), lambda kind, _: [*map(GetAttrKey, kind._fields)])


def _kind(x: Any) -> Kind | None:
    found = KINDS.get(type(x))
    return NAMED if found is None and _named(x) else found


def _named(x: Any) -> bool:
    return isinstance(x, tuple) and hasattr(x, "_fields")


def register_pytree_node(
    cls: type, flatten_fn: Callable[[Any], tuple[Any, Any]], unflatten_fn: Callable[[Any, Any], Any], *,
    serialized_type_name: str | None = None, to_dumpable_context: Any = None, from_dumpable_context: Any = None,
    flatten_with_keys_fn: Any = None,
) -> None:  # fmt: skip
    """Have instances of a class be containers. What is about files of trees is not used.

    Raises ValueError where the class is one already.
    """
    if cls in KINDS:
        raise ValueError(f"{cls} is already registered as pytree node.")
    KINDS[cls] = Kind(flatten_fn, unflatten_fn, _places)


@dataclass(eq=True)
class TreeSpec:
    """The structure of a tree.

    Attributes
    ----------
    type: the class of the container.
    context: what the container is beside its children: the keys of a dict, the class of a named tuple.
    num_leaves, num_nodes, num_children: how many there are, in all of the tree and in the container.
    """

    type: Any
    context: Any
    children_specs: list[TreeSpec]
    num_nodes: int = field(init=False)
    num_leaves: int = field(init=False)
    num_children: int = field(init=False)

    def __post_init__(self) -> None:
        self.num_nodes = 1 + sum(child.num_nodes for child in self.children_specs)
        self.num_leaves = sum(child.num_leaves for child in self.children_specs)
        self.num_children = len(self.children_specs)

    def __hash__(self) -> int:
        return hash((self.type, str(self.context), tuple(self.children_specs)))

    def __repr__(self, indent: int = 0) -> str:
        children = (",\n" + " " * (indent + 2)).join(child.__repr__(indent + 2) for child in self.children_specs)
        more = ",\n" + " " * (indent + 2) if len(self.children_specs) > 1 else ""
        head, _, rest = children.partition(",\n" + " " * (indent + 2)) if more else (children, "", "")
        inside = f"{head}{more}{rest}" if more else children
        return f"TreeSpec({self.type.__name__}, {self.context}, [{inside}])"

    def is_leaf(self) -> bool:
        """Return whether the tree is a leaf."""
        return False

    def unflatten(self, leaves: Iterable[Any]) -> Any:
        """Build the tree of leaves. Raises ValueError where their number is another."""
        given = [*leaves]
        if len(given) != self.num_leaves:
            raise ValueError(
                f"treespec.unflatten(leaves): `leaves` has length {len(given)} but the spec refers to a pytree that "
                f"holds {self.num_leaves} items ({self})."
            )
        return self._built(iter(given))

    def _built(self, leaves: Iterator[Any]) -> Any:
        kind = NAMED if self.type is NAMED_TUPLE else KINDS[self.type]
        return kind.build([child._built(leaves) for child in self.children_specs], self.context)

    def flatten_up_to(self, tree: Any) -> list[Any]:
        """Take a tree apart as far as this one has containers. Raises ValueError where it has others."""
        found: list[Any] = []
        self._up_to(tree, found)
        return found

    def _up_to(self, tree: Any, found: list[Any]) -> None:
        kind = _kind(tree)
        own = NAMED_TUPLE if kind is NAMED else type(tree)
        dicts = (dict, OrderedDict, defaultdict)
        if kind is None or (own is not self.type and not (own in dicts and self.type in dicts)):
            raise ValueError(f"Node type mismatch; expected {self.type!r}, but got {type(tree)!r}.")
        children, context = kind.apart(tree)
        if self.type in dicts:
            keys = self.context[1] if self.type is defaultdict else self.context
            missing, extra = {*keys} - {*tree}, {*tree} - {*keys}
            if missing or extra:
                raise ValueError(f"Node keys mismatch; missing key(s): {missing}; extra key(s): {extra}.")
            children = [tree[key] for key in keys]
        elif len([*children]) != self.num_children or (context != self.context and self.type is not deque):
            raise ValueError(f"Node arity mismatch; expected {self}, but got {tree!r}.")
        for spec, child in zip(self.children_specs, children, strict=True):
            spec._up_to(child, found)


class _Leaf(TreeSpec):
    def __init__(self) -> None:
        super().__init__(None, None, [])

    def __post_init__(self) -> None:
        self.num_nodes, self.num_leaves, self.num_children = 1, 1, 0

    def __hash__(self) -> int:
        return hash(_Leaf)

    def __repr__(self, indent: int = 0) -> str:
        return "*"

    def is_leaf(self) -> bool:
        return True

    def _built(self, leaves: Iterator[Any]) -> Any:
        return next(leaves)

    def _up_to(self, tree: Any, found: list[Any]) -> None:
        found.append(tree)


class _NamedTuple:
    """What stands for the class of all named tuples, as `collections.namedtuple` does in PyTorch's structures."""

    __name__ = "namedtuple"


NAMED_TUPLE: Any = _NamedTuple()
_LEAF = _Leaf()


def LeafSpec() -> TreeSpec:
    """Return the structure of a leaf."""
    return _LEAF


def _walk(tree: Any, is_leaf: IsLeaf, path: tuple[Any, ...], found: list[tuple[tuple[Any, ...], Any]]) -> TreeSpec:
    kind = None if is_leaf is not None and is_leaf(tree) else _kind(tree)
    if kind is None:
        found.append((path, tree))
        return _LEAF
    children, context = kind.apart(tree)
    children = [*children]
    keys = kind.keys(context, len(children))
    specs = [_walk(child, is_leaf, (*path, key), found) for key, child in zip(keys, children, strict=True)]
    return TreeSpec(NAMED_TUPLE if kind is NAMED else type(tree), context, specs)


def tree_flatten_with_path(tree: Any, is_leaf: IsLeaf = None) -> tuple[list[tuple[tuple[Any, ...], Any]], TreeSpec]:
    """Return the leaves, each with the keys that lead to it, and the structure."""
    found: list[tuple[tuple[Any, ...], Any]] = []
    spec = _walk(tree, is_leaf, (), found)
    return found, spec


def tree_flatten(tree: Any, is_leaf: IsLeaf = None) -> tuple[list[Any], TreeSpec]:
    """Return the leaves and the structure of a tree.

    >>> from latticework.frontends.torch.utils._pytree import tree_flatten
    >>> tree_flatten({"b": 1, "a": (None, [2])})[0]
    [1, None, 2]
    """
    found, spec = tree_flatten_with_path(tree, is_leaf)
    return [leaf for _, leaf in found], spec


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> Any:
    """Build the tree of a structure and leaves."""
    return treespec.unflatten(leaves)


def tree_leaves(tree: Any, is_leaf: IsLeaf = None) -> list[Any]:
    """Return the leaves."""
    return tree_flatten(tree, is_leaf)[0]


def tree_leaves_with_path(tree: Any, is_leaf: IsLeaf = None) -> list[tuple[tuple[Any, ...], Any]]:
    """Return the leaves, each with the keys that lead to it."""
    return tree_flatten_with_path(tree, is_leaf)[0]


def tree_iter(tree: Any, is_leaf: IsLeaf = None) -> Iterator[Any]:
    """Iterate over the leaves."""
    return iter(tree_leaves(tree, is_leaf))


def tree_structure(tree: Any, is_leaf: IsLeaf = None) -> TreeSpec:
    """Return the structure."""
    return tree_flatten(tree, is_leaf)[1]


def tree_is_leaf(tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Return whether something is no container."""
    return _kind(tree) is None or (is_leaf is not None and is_leaf(tree))


def tree_map(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: IsLeaf = None) -> Any:
    """Return the tree of what a function makes of each leaf, and of those of further trees at its place.

    >>> from latticework.frontends.torch.utils._pytree import tree_map
    >>> tree_map(lambda x, y: x + y, [1, (2,)], [10, (20,)])
    [11, (22,)]
    """
    leaves, spec = tree_flatten(tree, is_leaf)
    return spec.unflatten(map(func, leaves, *[spec.flatten_up_to(rest) for rest in rests]))


def tree_map_(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: IsLeaf = None) -> Any:
    """Call a function with each leaf, and return the tree as it is."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def tree_map_with_path(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: IsLeaf = None) -> Any:
    """Return the tree of what a function makes of the keys to each leaf, and the leaf."""
    found, spec = tree_flatten_with_path(tree, is_leaf)
    others = [spec.flatten_up_to(rest) for rest in rests]
    return spec.unflatten(func(*at) for at in zip(*zip(*found, strict=True), *others, strict=True))


def _chosen(which: Any) -> Callable[[Any], bool]:
    return (lambda x: isinstance(x, which)) if isinstance(which, (type, tuple, UnionType)) else which


def tree_map_only(which: Any, /, func: Callable[[Any], Any], tree: Any, is_leaf: IsLeaf = None) -> Any:
    """Return the tree of what a function makes of each leaf of some classes, or for which a predicate holds; others
    stay as they are."""
    chosen = _chosen(which)
    return tree_map(lambda x: func(x) if chosen(x) else x, tree, is_leaf=is_leaf)


def tree_map_only_(which: Any, /, func: Callable[[Any], Any], tree: Any, is_leaf: IsLeaf = None) -> Any:
    """Call a function with each leaf of some classes, and return the tree as it is."""
    tree_map_only(which, func, tree, is_leaf)
    return tree


def tree_all(pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Return whether a predicate holds for each leaf."""
    return all(map(pred, tree_iter(tree, is_leaf)))


def tree_any(pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Return whether a predicate holds for a leaf."""
    return any(map(pred, tree_iter(tree, is_leaf)))


def tree_all_only(which: Any, /, pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Return whether a predicate holds for each leaf of some classes."""
    return all(map(pred, filter(_chosen(which), tree_iter(tree, is_leaf))))


def tree_any_only(which: Any, /, pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Return whether a predicate holds for a leaf of some classes."""
    return any(map(pred, filter(_chosen(which), tree_iter(tree, is_leaf))))


def keystr(kp: Iterable[Any]) -> str:
    """Return the text of the keys that lead to a leaf, as `['a'][0]`."""
    return "".join(map(str, kp))
