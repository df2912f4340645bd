"""A call as it was written, with arrays in the place of lists: the line that an error says to write.

It is read from the frames of latticework that the call went through, so that calls that succeed keep nothing for it.
"""

from __future__ import annotations

import math
import sys
from types import FrameType
from typing import TYPE_CHECKING, Any

from ...backend import of
from ...core.dtypes import SCALARS, Dtype
from ...core.registry import ALIASES, MISSING, OPS
from ...policy import current
from ..arrays.array import Array

if TYPE_CHECKING:
    from ..op import Op

__all__ = ["as_array", "by_names", "is_listing", "rewritten"]

#: The most characters of a list that an error shows. A longer list is shown by the name of its parameter.
_LONGEST = 80
_VAR_POSITIONAL = 0x04  # the flag of a code object that takes *args

#: Start of the names of functions -> the options that PyTorch takes by position, in its order, and lw by name alone.
_BY_POSITION = {
    "nn.avg_pool": ("stride", "padding", "ceil_mode", "count_include_pad"),
    "nn.max_pool": ("stride", "padding", "dilation", "ceil_mode"),
    "nn.lp_pool": ("stride", "ceil_mode"),
    "nn.conv_transpose": ("stride", "padding", "output_padding", "groups", "dilation"),
    "nn.conv": ("stride", "padding", "dilation", "groups"),
    "nn.unfold": ("dilation", "padding", "stride"),
}


def by_names(o: Op, args: tuple[Any, ...], kw: dict[str, Any]) -> str:
    """Return the line to write if options are given by position, as PyTorch takes them; else ""."""
    order = next((names for start, names in _BY_POSITION.items() if o.name.startswith(start)), ())
    places = o.function.__code__.co_varnames[: o.function.__code__.co_argcount]
    named = dict(zip(order, args[len(places) :], strict=False))
    if not named or len(args) > len(places) + len(order) or named.keys() & kw:
        return ""
    texts = [literal(x, n) for n, x in zip(places, args, strict=False)]
    texts += [f"{n}={literal(x, n)}" for n, x in (named | kw).items()]
    return f". Write lw.{o.name}({', '.join(texts)})"


def is_listing(x: Any) -> bool:
    """Return whether `lw.asarray` makes an array of a value, or of the list of its elements."""
    return isinstance(x, (list, tuple, *SCALARS)) or (
        hasattr(x, "__iter__") and not hasattr(x, "shape") and not isinstance(x, (str, bytes, dict))
    )


def as_array(x: Any, name: str = "x") -> str:
    """Write the call that makes an array of a list or another iterable; `name` stands for a value that is not shown."""
    if isinstance(x, (list, tuple, *SCALARS)):
        return f"lw.asarray({literal(x, name)})"
    return f"lw.asarray([*{x if isinstance(x, range) else name}])"


def literal(x: Any, name: str) -> str:
    """Write a value as Python code; `name` instead, if the code would be long or there is none."""
    if isinstance(x, Dtype):
        return repr(x)
    if isinstance(x, type):
        return x.__name__
    if type(x) is float and not math.isfinite(x):
        return "lw.nan" if math.isnan(x) else "lw.inf" if x > 0 else "-lw.inf"
    if type(x) in (list, tuple):
        if len(x) > _LONGEST:
            return name
        inside = [literal(child, "") for child in x]
        text = ", ".join(inside) + ("," if type(x) is tuple and len(x) == 1 else "")
        text = f"[{text}]" if type(x) is list else f"({text})"
        return name if len(text) > _LONGEST or not all(inside) else text
    if x is not None and not isinstance(x, (*SCALARS, str, bytes, slice)):
        return name
    return repr(x)


def rewritten(x: Any) -> str | None:
    """Write the call of a latticework function that is under way, with an array in place of `x` and of lists like it.

    Return None if no function was called, as by an operator, if `x` is none of its arguments, or if there are arrays
    among its operands, which have no text.
    """
    found = None
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and (package := f"{frame.f_globals.get('__package__')}.").startswith("latticework."):
        if package.startswith("latticework.frontends."):
            return None  # a function under another library's name, with that library's arguments
        found = _called(frame) or found
        frame = frame.f_back
    return None if found is None else _text(*found, x)


def _called(frame: FrameType) -> tuple[str, Op, list[Any], dict[str, Any]] | None:
    """Return the function that a frame is the call of, with the arguments by position and by name."""
    code, names, own = frame.f_code, frame.f_locals, frame.f_globals
    if "missed" in own and "kernels" in own:  # a dispatcher, whose globals are its own
        name = own["name"]
    elif code.co_name == "call" and _module(frame) == f"{__package__}.declare":
        name = names.get("name") or getattr(names.get("o"), "name", None)
    else:
        o = next((o for o in OPS.values() if o.body is not None and o.body.__code__ is code), None)
        return None if o is None else (o.name, o, *_of_body(o, names))
    o = OPS.get(ALIASES.get(name, name)) if isinstance(name, str) else None
    if o is None:
        return None
    args, kw = [*names.get("args", ())], dict(names.get("kw", {}))
    by_position = [names[n] for n in code.co_varnames[: code.co_argcount] if n not in ("out", "decimals")]
    if "named" in own and "xs" in names:  # operands besides the leading ones
        xs, leading = names["xs"], own["leading"]
        by_position, args = [*xs[:leading]], []
        kw |= {n: x for n, x in zip(own["named"], xs[leading:], strict=True) if x is not None}
    elif "xs" in names:
        by_position = [*names["xs"]] if o.spread or not o.sequence else [names["xs"]]
    by_position += [*args, *[names[n] for n in ("decimals",) if names.get(n) is not None]]
    kw |= {n: names[n] for n in ("dtype", "out") if names.get(n) is not None}
    return str(name), o, [x for x in by_position if x is not MISSING], kw


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__"))


def _of_body(o: Op, names: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments of a function's body by position and by name, without those that are the defaults."""
    code = o.function.__code__
    positional = code.co_varnames[: code.co_argcount]
    last = reversed(o.function.__defaults__ or ())
    default = {**dict(zip(reversed(positional), last, strict=False)), **(o.function.__kwdefaults__ or {})}
    more = _rest(o)
    if more and names.get(more):
        return [*[names[n] for n in positional], *names[more]], _by_name(names, o, default)
    kinds = o.function.__annotations__
    first = 0
    while first < len(positional):
        n = positional[first]
        by_position = first < code.co_posonlyargcount or n not in default or "Array" in str(kinds.get(n))
        if not by_position or (n in default and names[n] is default[n]):
            break
        first += 1
    kw = {n: names[n] for n in positional[first:] if n not in default or names[n] is not default[n]}
    return [names[n] for n in positional[:first]], {**kw, **_by_name(names, o, default)}


def _by_name(names: dict[str, Any], o: Op, default: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments that are given by name alone, without those that are the defaults."""
    code = o.function.__code__
    own = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    return {n: names[n] for n in own if n not in default or names[n] is not default[n]}


def _rest(o: Op) -> str:
    """Return the name of the parameter that takes any number of arguments, "" if there is none."""
    code = o.function.__code__
    if not code.co_flags & _VAR_POSITIONAL:
        return ""
    name = code.co_varnames[code.co_argcount + code.co_kwonlyargcount]
    return "" if name == "surplus" else name


def _text(name: str, o: Op, args: list[Any], kw: dict[str, Any], wrong: Any) -> str | None:
    taken = {*o.operands, *o.optional, *o.array_options}
    places = o.function.__code__.co_varnames[: o.function.__code__.co_argcount]
    rest = _rest(o)
    if "Array" in str(o.function.__annotations__.get(rest)):
        taken.add(rest)
    met = False

    def shown(n: str, x: Any, operand: bool) -> str | None:
        nonlocal met
        if isinstance(x, Array) or of(x) is not None:
            return None if operand else n
        if operand and isinstance(x, SCALARS) and current().rules.takes_scalars:
            return literal(x, n)
        if operand and x is not None and is_listing(x):
            met = met or x is wrong
            return as_array(x, n)
        return literal(x, n)

    texts: list[str | None] = []
    if o.sequence and args and not o.spread:
        inside = [shown(f"{o.operands[0]}[{i}]", x, True) for i, x in enumerate(args[0])]
        if None in inside:
            return None
        texts.append(f"[{', '.join(map(str, inside))}]")
        args, places = args[1:], places[1:]
    for i, x in enumerate(args):
        n = places[i] if i < len(places) else rest
        texts.append(shown(n, x, n in taken))
    named = {n: shown(n, x, n in taken) for n, x in kw.items() if n not in places[: len(args)]}
    if not met or None in texts or None in named.values():
        return None
    return f"lw.{name.lstrip('_')}({', '.join([*map(str, texts), *(f'{n}={text}' for n, text in named.items())])})"
