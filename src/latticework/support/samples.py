"""What a function is called with to find out whether it takes a dtype: small, of numbers that every dtype holds.

The arrays are 3 by 3 matrices that a whole chapter of linear algebra can take as they are, symmetric (or Hermitian)
and positive definite. A function is given them by the names of its parameters, so that a new one needs a line here
only where it asks for something else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import latticework as lw

from ..core.dtypes import Dtype, all_dtypes, bool_, int64
from ..core.registry import OPS, load
from ..engine.op import Op, functions

load()  # the declarations of all chapters

__all__ = ["Call", "Made", "call_of", "declaration", "names"]

#: How an array is made of a nested list, in which dtype.
Made = Callable[[Any, Dtype], Any]
#: A function called on operands of one dtype.
Call = Callable[[Made, Dtype], Any]

_FIRST: dict[str, Any] = {
    "b": [[True, False, False], [False, True, False], [False, False, True]],
    "i": [[3, -1, 1], [-1, 4, 1], [1, 1, 2]],
    "u": [[3, 1, 1], [1, 4, 1], [1, 1, 2]],
    "f": [[1.0, 0.5, 0.25], [0.5, 0.875, -0.25], [0.25, -0.25, 0.75]],
    "c": [[1.0, 0.5 + 0.25j, 0.25], [0.5 - 0.25j, 0.875, -0.25j], [0.25, 0.25j, 0.75]],
}
_SECOND: dict[str, Any] = {  # no zeros and nothing negative: divisors, exponents and shifts
    "b": [[False, True, True], [True, False, True], [True, True, False]],
    "i": [[2, 1, 3], [1, 2, 1], [2, 1, 1]],
    "u": [[2, 1, 3], [1, 2, 1], [2, 1, 1]],
    "f": [[0.5, 1.0, 1.5], [2.0, 0.75, 1.0], [0.25, 1.0, 0.5]],
    "c": [[0.5 + 1j, 1.0, 1.5], [2.0, 0.75 - 0.5j, 1.0], [0.25, 1.0, 0.5j]],
}
_SORTED: dict[str, Any] = {
    "b": [False, False, True], "i": [-2, 1, 3], "u": [1, 2, 3], "f": [-0.25, 0.5, 1.0], "c": [0.5, 1j, 1.0],
}  # fmt: skip
_LARGE: dict[str, Any] = {"i": [1, 2, 3], "u": [1, 2, 3], "f": [1.0, 1.5, 2.0], "c": [1.0, 1.5j, 2.0], "b": [True]}

#: An array operand by the name of its parameter, where it has not the dtype that the function is asked for.
_SPECIAL: dict[str, tuple[Any, Dtype]] = {
    "condition": ([[True, False, True]], bool_),
    "indices": ([[2, 0, 1], [1, 1, 0], [0, 2, 2]], int64),
    "repeats": ([2, 0, 1], int64),
}

#: What a required parameter that is no array is given.
_REQUIRED: dict[str, Any] = {
    "axes": (1, 0), "axis": 0, "axis1": 0, "axis2": 1, "destination": 0, "fill_value": 1, "first": 1, "max": 2,
    "min": 1, "n": 3, "n_rows": 3, "num": 3, "pad_width": 1, "repetitions": (1, 2), "shape": (3, 3), "shift": 1,
    "source": 1, "start": 1, "step": 2, "stop": 4, "subscripts": "ij,jk->ik", "indices_or_sections": 3,
}  # fmt: skip

_ROW = {kind: rows[0] for kind, rows in _FIRST.items()}
_ONES = {"b": True, "i": 1, "u": 1, "f": 0.5, "c": 0.5j}

#: Functions that ask for something else: (function, parameter) -> samples by kind, or the argument itself.
_DEMANDS: dict[tuple[str, str], Any] = {
    ("acosh", "x"): _LARGE,
    ("cumulative_prod", "axis"): 0,
    ("cumulative_sum", "axis"): 0,
    ("linalg.outer", "x1"): _ROW,
    ("linalg.outer", "x2"): _ROW,
    ("repeat", "axis"): 0,
    ("take", "indices"): ([2, 0], int64),
    ("take", "axis"): 0,
    ("squeeze", "x"): {kind: [rows] for kind, rows in _FIRST.items()},
    ("searchsorted", "x1"): _SORTED,
    ("meshgrid", "arrays"): _ROW,
    ("clip", "min"): _ONES,
    ("clip", "max"): _ONES,
    ("full_like", "fill_value"): 1,
    ("expand_dims", "axis"): 0,
    ("linalg.matrix_power", "n"): 2,
}


def names() -> list[str]:
    """The functions that are asked about dtypes: every declared one that has to do with arrays, and the casts."""
    return [*_CASTS, *(o.name for o in functions() if o.name not in _CASTS and _about_arrays(o))]


def _about_arrays(o: Op) -> bool:
    return o.has_dtype or any("Array" in str(p.annotation) for p in o.signature.parameters.values())


def declaration(name: str) -> Op | None:
    """The declaration of a function, None for the casts, which have samples of their own."""
    return None if name in _CASTS else OPS.get(name)


def call_of(name: str) -> Call:
    """The function, called on samples of a dtype."""
    if name in _CASTS:
        return _CASTS[name]
    o = OPS[name]

    def call(make: Made, dtype: Dtype) -> Any:
        args, options = arguments(o, make, dtype)
        namespace = getattr(lw, o.namespace) if o.namespace else lw
        return getattr(namespace, o.function.__name__)(*args, **options)

    return call


def arguments(o: Op, make: Made, dtype: Dtype) -> tuple[list[Any], dict[str, Any]]:
    """Samples for a function, all of them arrays of `dtype` but for the operands of a documented other one."""
    args: list[Any] = []
    options: dict[str, Any] = {}
    arrays = 0
    for p in o.signature.parameters.values():
        annotation, required = str(p.annotation), p.default is p.empty
        demanded = _DEMANDS.get((o.name, p.name))
        if not required and demanded is None:
            continue
        if isinstance(demanded, dict):
            given: Any = make(demanded[dtype.kind], dtype)
        elif p.name in _SPECIAL and annotation.endswith("Array") and o.role_of:
            given = make(*(demanded or _SPECIAL[p.name]))
        elif demanded is not None:
            given = demanded
        elif "Array" in annotation and p.name not in _REQUIRED:
            given = make((_FIRST if arrays == 0 else _SECOND)[dtype.kind], dtype)
            arrays += 1
        elif p.name == "object":
            given = _FIRST[dtype.kind]
        else:
            given = _REQUIRED[p.name]
        if p.kind is p.VAR_POSITIONAL:
            args += [given, make((_ROW if isinstance(demanded, dict) else _SECOND)[dtype.kind], dtype)]
        elif p.kind is p.KEYWORD_ONLY:
            options[p.name] = given
        elif "Sequence[Array]" in annotation:
            args.append([given, make(_SECOND[dtype.kind], dtype)])
        else:
            args.append(given)
    if o.has_dtype and not arrays and o.kind in ("creation", "composition"):
        options["dtype"] = dtype
    return args, options


def _cast(make: Made, dtype: Dtype) -> list[Any]:
    x = make(_FIRST[dtype.kind], dtype)
    wider = [d for d in all_dtypes if d.kind == "c" or dtype.kind != "c"]
    return [lw.astype(x, d) for d in wider if d in x._sig.backend.native and not (d.kind == "u" and dtype.kind in "if")]


def _assign(make: Made, dtype: Dtype) -> Any:
    x = make(_FIRST[dtype.kind], dtype)
    x[0, 1:] = make(_ROW[dtype.kind], dtype)[:2]
    return x


#: What is called otherwise than other functions.
_CASTS: dict[str, Call] = {
    "asarray": lambda make, dtype: lw.asarray(make(_FIRST[dtype.kind], dtype), copy=True),
    "astype": _cast,
    "getitem": lambda make, dtype: make(_FIRST[dtype.kind], dtype)[1:, ::2],
    "setitem": _assign,
}
