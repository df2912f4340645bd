"""Arguments as text: ``int32[3,4] float16[?] 2 1.5 axis=0``, for the command."""

from __future__ import annotations

import ast
import re
from typing import Any

from ..api.inference import Spec, spec
from ..core.dtypes import Dtype, all_dtypes, extended_dtypes
from ..errors import nearest

__all__ = ["parse"]

_ARRAY = re.compile(r"(?P<weak>weak:)?(?P<dtype>\w+)(?:\[(?P<shape>.*)\])?", re.DOTALL)
_NAMED = re.compile(r"(?P<name>[A-Za-z_]\w*)=(?P<value>.+)", re.DOTALL)

_FORMS = (
    "An argument is an array, as int32[3,4], float16[?,4], float32[] or weak:float32[3], or a Python value, as 2, 1.5, "
    "True, (0, 1) or 'text'; with a name, as axis=0"
)


def parse(text: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Read arguments, separated by spaces.

    Parameters
    ----------
    text: the arguments. A dtype with extents in brackets is an array, ``?`` an extent that is not known, no extents a
        0-d array. ``weak:`` before it makes the dtype weak. Everything else is a Python literal.
        ``name=`` before either gives it by name.

    Returns
    -------
    The arguments by position, with a `Spec` for each array, and those by name.

    Raises
    ------
    ValueError: for any other text, with the forms that there are and the nearest dtype.

    Examples
    --------
    >>> args, kw = parse("int32[3,?] 1.5 axis=0")
    >>> str(args[0]), args[1], kw
    ('int32[3, ?]', 1.5, {'axis': 0})
    """
    args: list[Any] = []
    kw: dict[str, Any] = {}
    for word in _words(text):
        named = _NAMED.fullmatch(word)
        if named:
            kw[named["name"]] = _value(named["value"])
        elif kw:
            raise ValueError(f"{word} has no name and stands after one that has: {text}")
        else:
            args.append(_value(word))
    return tuple(args), kw


def _words(text: str) -> list[str]:
    """Split the arguments at spaces that are in no brackets and no quotes."""
    words, depth, quote, word = [], 0, "", ""
    for c in text:
        if c.isspace() and not depth and not quote:
            words += [word] if word else []
            word = ""
            continue
        word += c
        if quote:
            quote = "" if c == quote else quote
        elif c in "'\"":
            quote = c
        else:
            depth += (c in "([{") - (c in ")]}")
        if depth < 0:
            break
    if depth or quote:
        raise ValueError(f"arguments: a bracket or a quote has no other half: {text}")
    return [*words, word] if word else words


def _value(word: str) -> Any:
    """Read an array or a Python value."""
    array = _ARRAY.fullmatch(word)
    names = {str(d) for d in (*all_dtypes, *extended_dtypes)}
    if array and array["dtype"] in names:
        return _array(word, array)
    try:
        return ast.literal_eval(word)
    except (ValueError, SyntaxError):
        pass
    hint = nearest(array["dtype"], names) if array else ""
    raise ValueError(f"arguments: {word} is no dtype and no Python value{hint or '.'} {_FORMS}")


def _array(word: str, parts: re.Match[str]) -> Spec:
    shape: list[int | None] = []
    for extent in (parts["shape"] or "").split(","):
        n = extent.strip()
        if n in ("?", "None"):
            shape.append(None)
        elif n.isdecimal():
            shape.append(int(n))
        elif n or shape:
            raise ValueError(f"arguments: {extent.strip() or 'an empty extent'} in {word} is no extent. {_FORMS}")
    return spec(tuple(shape), Dtype(parts["dtype"]), weak=bool(parts["weak"]))
