"""Straight-line code that takes trees built in one way apart, and that builds them: for what is done at each call.

`trees` goes through a tree, and asks at each place what lies there. Here Python's text is written once for trees that
are built like an example. It looks at the same containers, lengths and keys, one after the other, and at nothing else.
What it finds otherwise is left to those who go through the tree.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Iterator
from types import NoneType
from typing import Any

from . import trees
from .trees import Structure

__all__ = ["Names", "Reading", "building"]

_DICTS = (dict, OrderedDict, defaultdict)
#: Keys of dicts that are written as they are.
_LITERAL = (str, int)


class Names:
    """The objects that some code names. No name is given twice, so that code may be run while more is written.

    Attributes
    ----------
    objects: by name. The interpreter finds names quickest in a dict that is of no other class.
    made: how many names were given.
    """

    def __init__(self, objects: dict[str, Any], made: int = 0) -> None:
        self.objects, self.made = objects, made

    def of(self, x: Any, word: str) -> str:
        """Give an object a new name that begins with a word."""
        name = f"{word}_{self.made}"
        self.made += 1
        self.objects[name] = x
        return name


class Reading:
    """The code that takes apart arguments which are built like the given ones.

    Attributes
    ----------
    lines: the statements. They begin with the names `args` and `kw`, and run `otherwise` where the arguments are built
        in another way, or raise TypeError, AttributeError, KeyError or ValueError.
    given: the names that the positional arguments are bound to by ``unpacking``, which is one of the lines; "" where
        there are none.
    leaves: for each leaf, in the order of `flatten`, the name that it is bound to, and the leaf.
    built: the hashable key of this code; arguments that are built in another way have another key.
    """

    def __init__(
        self, args: tuple[Any, ...], kw: dict[str, Any], names: Names, otherwise: str, whole: frozenset[int],
        *, handed: bool = False,
    ) -> None:  # fmt: skip
        """Write it.

        Parameters
        ----------
        names: gets the objects that it names.
        otherwise: a statement.
        whole: the positions of arguments that are not looked into. They are the last of the leaves.
        handed: whether these are no leaves, and those by keyword are not looked at, because both are handed on.
        """
        self._names, self._otherwise, self._made = names, otherwise, 0
        self.leaves: list[tuple[str, Any]] = []
        self.lines: list[str] = []
        kw = {} if handed else kw
        found: list[Any] = [len(args), *kw]
        if handed:
            pass
        elif kw:
            self._expect(f"len(kw) != {len(kw)}")
        else:
            self._expect("kw")
        self.given = given = [self._name() for _ in args]
        self.unpacking = f"{', '.join(given)}, = args" if args else ""
        if args:
            self.lines.append(self.unpacking)
        else:
            self._expect("args")
        ordered = trees.node(kw)
        by_name = {key: self._name() for key in (ordered[1] if ordered else ())}
        self.lines += [f"{name} = kw[{key!r}]" for key, name in by_name.items()]
        for i, (name, x) in enumerate(zip(given, args, strict=True)):
            if i not in whole:
                self._take(name, x, found)
        for key, name in by_name.items():
            self._take(name, kw[key], found)
        self.leaves += [] if handed else [(given[i], args[i]) for i in sorted(whole)]
        self.built = tuple(found)

    def _name(self) -> str:
        self._made += 1
        return f"x{self._made}"

    def _expect(self, other: str) -> None:
        self.lines.append(f"if {other}: {self._otherwise}")

    def _take(self, name: str, tree: Any, found: list[Any]) -> None:
        """Write what takes a tree apart that is bound to a name."""
        if tree is None:
            found.append(NoneType)
            self._expect(f"{name} is not None")
            return
        node = trees.node(tree)
        if node is None:
            found.append(None)
            self.leaves.append((name, tree))
            return
        kind, keys, values, extra = node
        order = tuple(tree) if kind in _DICTS else keys
        found += [kind, order, keys, extra]
        other = f"type({name}) is not {self._class(kind)}"
        parts = {key: self._name() for key in order}
        source = name
        if kind in trees.NODES:
            source = f"{self._names.of(trees.NODES[kind][0], 'children')}({name})"
            if extra is not None:
                given = f"{self._names.of(trees.EXTRA[kind], 'extra')}({name})"
                other += f" or not ({given} == {self._names.of(extra.value, 'value')})"
        elif kind in _DICTS:
            source = f"{name}.values()"
            other += f" or [*{name}] != {self._names.of([*order], 'keys')}"
            if kind is defaultdict:
                other += f" or {name}.default_factory is not {self._names.of(extra, 'factory')}"
        if not parts:
            other += f" or len({source})"
        self._expect(other)
        if parts:
            self.lines.append(f"{', '.join(parts.values())}, = {source}")
        for key, value in zip(keys, values, strict=True):
            self._take(parts[key], value, found)

    def _class(self, kind: type) -> str:
        return kind.__name__ if kind in (list, tuple, dict) else self._names.of(kind, "kind")


def building(structure: Structure, leaves: Iterator[str], names: Names, lines: list[str]) -> str:
    """The expression of a tree of a structure.

    Parameters
    ----------
    leaves: the expressions of its leaves.
    names: gets the objects that it names.
    lines: gets the statements that come before: one for each container, because Python does not read deep expressions.
    """
    kind = structure.kind
    if kind is None:
        return next(leaves)
    if kind is NoneType:
        return "None"
    parts = [building(child, leaves, names, lines) for child in structure.children]
    made = f"c{len(lines)}"
    lines.append(f"{made} = {_container(structure, parts, names)}")
    return made


def _container(structure: Structure, parts: list[str], names: Names) -> str:
    """The expression that makes the container of a structure."""
    kind: Any = structure.kind
    if not parts and kind is not defaultdict:
        return f"{names.of(kind, 'kind')}()"
    if kind in trees.NODES:
        extra = "" if structure.extra is None else f", {names.of(structure.extra.value, 'value')}"
        return f"{names.of(trees.NODES[kind][1], 'build')}([{', '.join(parts)}]{extra})"
    if kind is list:
        return f"[{', '.join(parts)}]"
    if kind is tuple:
        return f"({''.join(f'{part}, ' for part in parts)})"
    if hasattr(kind, "_fields"):
        return f"{names.of(kind, 'kind')}({', '.join(parts)})"
    of_key = dict(zip(structure.keys, parts, strict=True))
    pairs = [
        f"{repr(key) if type(key) in _LITERAL else names.of(key, 'key')}: {of_key[key]}"
        for key in structure.order or structure.keys
    ]
    items = f"{{{', '.join(pairs)}}}"
    if kind is dict:
        return items
    first = f"{names.of(structure.extra, 'factory')}, " if kind is defaultdict else ""
    return f"{names.of(kind, 'kind')}({first}{items})"
