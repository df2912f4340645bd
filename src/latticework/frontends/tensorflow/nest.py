"""`tf.nest`: nested structures of tensors: lists, tuples, named tuples and dictionaries."""

from __future__ import annotations

from typing import Any

__all__ = ["assert_same_structure", "flatten", "is_nested", "map_structure", "pack_sequence_as"]


def is_nested(seq: Any) -> bool:
    """Return whether a value is a list, a tuple or a dictionary."""
    return isinstance(seq, (list, tuple, dict))


def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """The leaves of a structure, those of a dictionary in the order of its keys."""
    if isinstance(structure, dict):
        return [leaf for key in sorted(structure) for leaf in flatten(structure[key])]
    if isinstance(structure, (list, tuple)):
        return [leaf for part in structure for leaf in flatten(part)]
    return [structure]


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False) -> None:
    """Refuse two structures that are not built alike.

    Parameters
    ----------
    check_types: whether lists, tuples and dictionaries have to be of the same classes.

    Raises
    ------
    ValueError: one has other lengths, keys or depths.
    TypeError: one has a sequence of another class.
    """
    if is_nested(nest1) != is_nested(nest2):
        raise ValueError(f"The two structures don't have the same nested structure: {nest1} and {nest2}")
    if not is_nested(nest1):
        return
    if isinstance(nest1, dict) != isinstance(nest2, dict) or (check_types and _differ(nest1, nest2)):
        raise TypeError("The two structures don't have the same sequence type. Input structure has type "
                        f"{type(nest1)}, while shallow structure has type {type(nest2)}.")  # fmt: skip
    if len(nest1) != len(nest2) or (isinstance(nest1, dict) and nest1.keys() != nest2.keys()):
        raise ValueError(f"The two structures don't have the same nested structure: {nest1} and {nest2}")
    keys = nest1 if isinstance(nest1, dict) else range(len(nest1))
    for k in keys:
        assert_same_structure(nest1[k], nest2[k], check_types)


def _differ(a: Any, b: Any) -> bool:
    """Whether the classes of two nested values differ; dictionaries of all classes are alike."""
    return not isinstance(a, dict) and type(a) is not type(b)


def map_structure(func: Any, *structure: Any, **kwargs: Any) -> Any:
    """The structure of what a function gives for each leaf, and for those of further structures at its place."""
    kwargs.pop("check_types", None)
    kwargs.pop("expand_composites", None)
    if kwargs:
        raise TypeError(f"map_structure() got unexpected keyword arguments {sorted(kwargs)}")
    if not callable(func):
        raise TypeError(f"Argument `func` must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    columns = [flatten(s) for s in structure]
    if any(len(c) != len(columns[0]) for c in columns):
        raise ValueError("the structures do not have the same number of elements")
    return pack_sequence_as(structure[0], [func(*leaves) for leaves in zip(*columns, strict=True)])


def pack_sequence_as(structure: Any, flat_sequence: Any, expand_composites: bool = False) -> Any:
    """A structure like this one with these leaves."""
    leaves = list(flat_sequence)
    if len(leaves) != len(flatten(structure)):
        raise ValueError(f"the structure has {len(flatten(structure))} leaves, and there are {len(leaves)}")
    return _packed(structure, iter(leaves))


def _packed(structure: Any, leaves: Any) -> Any:
    if isinstance(structure, dict):
        found = {key: _packed(structure[key], leaves) for key in sorted(structure)}
        return type(structure)({key: found[key] for key in structure})
    if isinstance(structure, tuple) and hasattr(structure, "_fields"):
        return type(structure)(*[_packed(part, leaves) for part in structure])
    if isinstance(structure, (list, tuple)):
        return type(structure)([_packed(part, leaves) for part in structure])
    return next(leaves)
