"""`tf.Module`, which collects the variables of a program's parts, and the scopes that name them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import wraps
from typing import Any, Literal

__all__ = ["Module", "name_scope", "within_scope"]

_scope: ContextVar[str] = ContextVar("_scope", default="")


class name_scope:
    """A block in which the names of new variables begin with a prefix.

    Parameters
    ----------
    name: what is added to the prefix of the blocks around it; a name that ends with "/" replaces that prefix, and an
        empty one removes it.

    Raises
    ------
    ValueError: the name is no string.

    Examples
    --------
    >>> import latticework.frontends.tensorflow as tf
    >>> with tf.name_scope("model"), tf.name_scope("dense"):
    ...     tf.Variable(1.0, name="w").name
    'model/dense/w:0'
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ValueError("name for name_scope must be a string.")
        self._name, self._tokens = name, list[Any]()

    @property
    def name(self) -> str:
        """The name as it was given."""
        return self._name

    def __enter__(self) -> str:
        name = self._name
        full = name if not name or name.endswith("/") else f"{_scope.get()}{name}/"
        self._tokens.append(_scope.set(full))
        return full

    def __exit__(self, *args: object) -> Literal[False]:
        _scope.reset(self._tokens.pop())
        return False  # as TensorFlow's: errors go on


def within_scope(name: str) -> str:
    """Return a name with the prefix of the scopes in force."""
    return f"{_scope.get()}{name}"


class Module:
    """A part of a program that holds variables and other modules in its attributes.

    Parameters
    ----------
    name: a valid Python identifier; by default the name of the class in lower case with underscores.

    Raises
    ------
    ValueError: the name is no identifier.

    Notes
    -----
    Attributes are searched in lists, tuples and dictionaries too, in the order of their names. Differences: lists and
    dictionaries stay Python's own, where TensorFlow wraps them for checkpoints.

    Examples
    --------
    >>> import latticework.frontends.tensorflow as tf
    >>> class Dense(tf.Module):
    ...     def __init__(self, n, m, name=None):
    ...         super().__init__(name=name)
    ...         self.w = tf.Variable(tf.ones((n, m)), name="w")
    ...
    ...     def __call__(self, x):
    ...         return x @ self.w
    >>> layer = Dense(2, 3)
    >>> layer.name, len(layer.trainable_variables), layer(tf.ones((1, 2))).numpy().tolist()
    ('dense', 1, [[2.0, 2.0, 2.0]])
    """

    #: Attributes that are not searched for variables.
    _TF_MODULE_IGNORED_PROPERTIES = frozenset(("_self_name_based_restores", "_name_scope"))

    def __init__(self, name: str | None = None) -> None:
        if name is None:
            name = _underscored(type(self).__name__)
        elif not re.match(r"^[a-zA-Z_]\w*$", name):
            raise ValueError(
                f"{name!r} is not a valid module name. Module names must be valid Python identifiers "
                "(e.g. a valid class name)."
            )
        self._name = name
        with name_scope(name) as scope:
            self._scope_name = scope

    @property
    def name(self) -> str:
        """The name that it was given, or that of its class."""
        return self._name

    @property
    def name_scope(self) -> Any:
        """A block that names new variables after the module."""
        if not hasattr(self, "_name_scope"):
            self._name_scope = name_scope(self._scope_name)
        return self._name_scope

    @property
    def variables(self) -> tuple[Any, ...]:
        """Its variables and those of its submodules, each once."""
        return tuple(self._flatten(predicate=_is_variable))

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """Those of its variables that tapes watch."""
        return tuple(self._flatten(predicate=lambda x: _is_variable(x) and x.trainable))

    @property
    def non_trainable_variables(self) -> tuple[Any, ...]:
        """Those of its variables that tapes do not watch."""
        return tuple(self._flatten(predicate=lambda x: _is_variable(x) and not x.trainable))

    @property
    def submodules(self) -> tuple[Any, ...]:
        """The modules in its attributes, and those in theirs, each once."""
        return tuple(self._flatten(predicate=lambda x: isinstance(x, Module)))

    def _flatten(
        self, recursive: bool = True, predicate: Callable[[Any], bool] | None = None,
        attribute_traversal_key: Callable[[str], Any] | None = None, with_path: bool = False,
        expand_composites: bool = False,
    ) -> Iterator[Any]:  # fmt: skip
        """Yield the leaves of its attributes for which a predicate holds, then those of its submodules.

        Parameters
        ----------
        recursive: whether submodules are searched.
        attribute_traversal_key: the key by which attributes are ordered, their name by default.
        with_path: whether the leaves are paired with the attributes and keys that lead to them; then a leaf comes once
            for each path.
        """
        chosen = predicate or (lambda x: True)
        return _leaves(self, recursive, chosen, attribute_traversal_key, with_path, (), {id(self)}, ())

    @classmethod
    def with_name_scope(cls, method: Callable[..., Any]) -> Callable[..., Any]:
        """Decorate a method of a module, whose new variables are named after the module."""

        @wraps(method)
        def within(self: Any, *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return within


def _underscored(name: str) -> str:
    """Write the name of a class in lower case, with underscores between its words."""
    return re.sub(r"((?<=[a-z0-9])[A-Z]|(?!^)(?<!_)[A-Z](?=[a-z]))", r"_\1", name).lower()


def _is_variable(x: Any) -> bool:
    return hasattr(x, "_read") and hasattr(x, "trainable")


def _leaves(
    module: Module, recursive: bool, predicate: Callable[[Any], bool], key: Any, with_path: bool,
    path: tuple[Any, ...], seen: set[int], around: tuple[int, ...],
) -> Iterator[Any]:  # fmt: skip
    inner = []
    attributes = vars(module)
    for name in sorted(attributes, key=key):
        if name in module._TF_MODULE_IGNORED_PROPERTIES:
            continue
        for place, leaf in _with_places(attributes[name], (name,)):
            if not with_path:
                if id(leaf) in seen:
                    continue
                seen.add(id(leaf))
            if predicate(leaf):
                yield ((*path, *place), leaf) if with_path else leaf
            if recursive and isinstance(leaf, Module) and id(leaf) not in around:
                inner.append(((*path, *place), leaf))
    for place, leaf in inner:
        yield from _leaves(leaf, recursive, predicate, key, with_path, place, seen, (*around, id(module)))


def _with_places(x: Any, place: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield the leaves of a structure, each with the keys that lead to it."""
    if isinstance(x, dict):
        try:
            keys = sorted(x)
        except TypeError:
            raise ValueError(f"Error processing property {place[0]!r}: its keys have no order") from None
        for k in keys:
            yield from _with_places(x[k], (*place, k))
    elif isinstance(x, (list, tuple)):
        names = getattr(x, "_fields", range(len(x)))
        for k, part in zip(names, x, strict=True):
            yield from _with_places(part, (*place, k))
    else:
        yield place, x
