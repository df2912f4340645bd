"""`tf.print`: tensors with their first and last elements, in TensorFlow's words."""

from __future__ import annotations

import sys
from pathlib import Path
from pprint import pformat
from typing import Any

from .tensor import Tensor, dialect


def print(*inputs: Any, **kwargs: Any) -> None:
    """Print values to ``output_stream``, standard error by default.

    A tensor's elements are shown as `summarize` says: so many at both ends of each axis, 3 by default, or all for -1.
    A traced tensor has no values, and is shown by its shape and dtype.

    Parameters
    ----------
    output_stream: a stream, or ``"file://"`` and a path.
    sep, end: the texts between the values, and after them.
    summarize: the number of elements to show at each end of an axis.

    Raises
    ------
    ValueError: for another stream or option.
    """
    stream, summarize = kwargs.pop("output_stream", sys.stderr), kwargs.pop("summarize", 3)
    sep, end = kwargs.pop("sep", " "), kwargs.pop("end", "\n")
    kwargs.pop("name", None)
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {kwargs}")
    text = sep.join([x if isinstance(x, str) else _shown(x, summarize) for x in inputs]) + end
    if isinstance(stream, str) and stream.startswith("file://"):
        with Path(stream.removeprefix("file://")).open("a") as file:
            file.write(text)
    elif hasattr(stream, "write"):
        stream.write(text)
    else:
        raise ValueError(f"Unsupported output stream, logging level, or file. {stream}")


class _Text:
    """A text that shows itself without quotes."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _shown(x: Any, summarize: int) -> str:
    if isinstance(x, Tensor) or hasattr(x, "_read"):
        return _of_tensor(x, summarize)
    return pformat(_with_texts(x, summarize)) if isinstance(x, (list, tuple, dict)) else pformat(x)


def _with_texts(x: Any, summarize: int) -> Any:
    if isinstance(x, Tensor) or hasattr(x, "_read"):
        return _Text(_of_tensor(x, summarize))
    if isinstance(x, dict):
        return {key: _with_texts(v, summarize) for key, v in x.items()}
    if isinstance(x, (list, tuple)):
        values = [_with_texts(v, summarize) for v in x]
        return type(x)(*values) if hasattr(x, "_fields") else type(x)(values)
    return x


def _of_tensor(x: Any, summarize: int) -> str:
    import numpy as np

    try:
        values = np.asarray(x.numpy())
    except Exception:  # traced, or without data
        return repr(x)
    return "[]" if values.ndim and not values.size else _of_array(values, summarize, 0)


def _of_array(values: Any, summarize: int, depth: int) -> str:
    if not values.ndim:
        return _of_element(values[()])
    n = len(values)
    short = summarize >= 0 and n > 2 * summarize
    rows = [*values[:summarize], *values[n - summarize :]] if short else [*values]
    parts = [_of_array(row, summarize, depth + 1) for row in rows]
    if short:
        parts.insert(summarize, "...")
    between = " " if values.ndim == 1 else "\n" * (values.ndim - 1) + " " * (depth + 1)
    return f"[{between.join(parts)}]"


def _of_element(x: Any) -> str:
    """An element as C++ writes it: with the fewest of two counts of digits that tell it from all others."""
    kind = "f" if x.dtype.name == "bfloat16" else x.dtype.kind
    if kind == "c":
        return "?"
    if kind != "f":
        return str(int(x))
    few, many = (15, 17) if x.dtype.itemsize == 8 else (6, 9)
    wide = type(x) if x.dtype.itemsize == 8 else _float32()
    text = f"{float(x):.{few}g}"
    return text if wide(text) == wide(x) or x != x else f"{float(x):.{many}g}"


def _float32() -> Any:
    import numpy as np

    return np.float32


dialect.finish(globals(), view="tf")
