"""Functions of trees.

A tree is a list, a tuple, a named tuple or a dict (also an `OrderedDict` or a `defaultdict`), in which there may be
more of them. What is in them is a leaf: an `Array`, a number, anything else. None is no leaf, but a container of
nothing. Dicts are gone through in the order of their sorted keys, and what is built has the keys in the order that
they had. Else this is as in ``jax.tree``, which builds dicts with sorted keys. ``torch.utils._pytree`` and ``tf.nest``
differ: to the first None is a leaf and dicts are gone through in their own order, to the second None is a leaf. Objects
of other classes, dataclasses among them, are leaves, also those that were registered with one of these frameworks.
"""

from __future__ import annotations

from builtins import all as _all
from collections.abc import Callable, Iterable
from functools import reduce as _reduce
from typing import Any

from ..core.trees import Structure, leaves_at
from ..core.trees import flatten as _flatten

__all__ = ["all", "flatten", "leaves", "map", "reduce", "structure", "unflatten"]

_Leaf = Callable[[Any], bool] | None


def map(f: Callable[..., Any], tree: Any, /, *rest: Any, is_leaf: _Leaf = None) -> Any:
    """Apply a function to each leaf of a tree, or to the leaves of several trees that are built alike.

    Parameters
    ----------
    f: a function of a leaf of each tree.
    tree: a tree.
    rest: more trees, built as the first is. Where the first has a leaf they may have a tree, which `f` gets whole.
    is_leaf: a function that says of a container that it is to be taken for a leaf.

    Returns
    -------
    A tree of the results of `f`, built like the first tree.

    Raises
    ------
    ValueError: the trees are not built alike; the place is named.

    Examples
    --------
    >>> import latticework as lw
    >>> params = {"w": lw.asarray([1.0, 2.0]), "b": lw.asarray(0.5)}
    >>> grads = {"w": lw.asarray([10.0, 0.0]), "b": lw.asarray(5.0)}
    >>> lw.tree.map(lambda p, g: p - 0.1 * g, params, grads)
    {'w': Array([0., 2.], dtype=float32), 'b': Array(0., dtype=float32)}
    """
    try:
        leaves, built = _flatten(tree, is_leaf)
        columns = [leaves, *([*leaves_at(built, other)] for other in rest)]
    except (TypeError, ValueError) as error:
        raise type(error)(f"tree.map: {error}") from None
    return built.build(iter([f(*row) for row in zip(*columns, strict=True)]))


def leaves(tree: Any, /, *, is_leaf: _Leaf = None) -> list[Any]:
    """List the leaves of a tree.

    Parameters
    ----------
    tree: a tree.
    is_leaf: a function that says of a container that it is to be taken for a leaf.

    Returns
    -------
    The leaves: of a list or a tuple from the first element, of a dict by its sorted keys.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.tree.leaves({"b": 1, "a": [2, (3, None)]})
    [2, 3, 1]
    """
    return flatten(tree, is_leaf=is_leaf)[0]


def flatten(tree: Any, /, *, is_leaf: _Leaf = None) -> tuple[list[Any], Structure]:
    """Take a tree apart into its leaves and its structure.

    Parameters
    ----------
    tree: a tree.
    is_leaf: a function that says of a container that it is to be taken for a leaf.

    Returns
    -------
    The leaves as a list, and the structure, from which `unflatten` builds the tree again.

    Raises
    ------
    TypeError: the keys of a dict cannot be sorted.

    Examples
    --------
    >>> import latticework as lw
    >>> found, structure = lw.tree.flatten({"b": 1, "a": [2, None]})
    >>> found, structure
    ([2, 1], Structure({'a': [*, None], 'b': *}))
    >>> lw.tree.unflatten(structure, [20, 10])
    {'b': 10, 'a': [20, None]}
    """
    try:
        return _flatten(tree, is_leaf)
    except TypeError as error:
        raise TypeError(f"tree.flatten: {error}") from None


def unflatten(structure: Structure, leaves: Iterable[Any], /) -> Any:
    """Build a tree from its structure and its leaves.

    Parameters
    ----------
    structure: what `flatten` or `structure` gives.
    leaves: as many leaves as the structure has.

    Returns
    -------
    The tree.

    Raises
    ------
    TypeError: the structure is none.
    ValueError: there are more leaves or fewer.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.tree.unflatten(lw.tree.structure((0, [0, 0])), "abc")
    ('a', ['b', 'c'])
    """
    if not isinstance(structure, Structure):
        raise TypeError(
            f"tree.unflatten: the structure comes first, as lw.tree.structure(tree) gives it; "
            f"got {type(structure).__name__}"
        )
    built_of = [*leaves]
    if len(built_of) != structure.size:
        raise ValueError(f"tree.unflatten: {structure} has {structure.size} leaves; got {len(built_of)}")
    return structure.build(iter(built_of))


def structure(tree: Any, /, *, is_leaf: _Leaf = None) -> Structure:
    """Tell how a tree is built.

    Parameters
    ----------
    tree: a tree.
    is_leaf: a function that says of a container that it is to be taken for a leaf.

    Returns
    -------
    A value that is equal for trees that are built alike, and can be the key of a dict.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.tree.structure({"w": lw.zeros(3), "b": 0.5}) == lw.tree.structure({"b": 1, "w": 2})
    True
    """
    return flatten(tree, is_leaf=is_leaf)[1]


_NONE = object()


def reduce(f: Callable[[Any, Any], Any], tree: Any, initializer: Any = _NONE, /, *, is_leaf: _Leaf = None) -> Any:
    """Join the leaves of a tree, two at a time from the first.

    Parameters
    ----------
    f: a function of the result so far and of a leaf.
    tree: a tree.
    initializer: the result to begin with; the first leaf if it is left out.
    is_leaf: a function that says of a container that it is to be taken for a leaf.

    Returns
    -------
    What `f` gave last.

    Raises
    ------
    TypeError: there are no leaves and no initializer.

    Examples
    --------
    >>> import latticework as lw
    >>> params = {"w": lw.asarray([1.0, 2.0]), "b": lw.asarray(3.0)}
    >>> lw.tree.reduce(lambda total, x: total + lw.sum(x**2), params, 0.0)
    Array(14., dtype=float32)
    """
    found = leaves(tree, is_leaf=is_leaf)
    if initializer is not _NONE:
        return _reduce(f, found, initializer)
    if not found:
        raise TypeError("tree.reduce: the tree has no leaves. Give what to begin with as the third argument")
    return _reduce(f, found)


def all(tree: Any, /, *, is_leaf: _Leaf = None) -> bool:
    """Tell whether all leaves are true.

    Parameters
    ----------
    tree: a tree of bools and 0-d arrays.
    is_leaf: a function that says of a container that it is to be taken for a leaf.

    Returns
    -------
    A bool. True where there are no leaves.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.tree.all(lw.tree.map(lambda x: lw.all(x > 0), {"a": lw.asarray([1, 2]), "b": lw.asarray(3)}))
    True
    """
    return _all(bool(leaf) for leaf in leaves(tree, is_leaf=is_leaf))
