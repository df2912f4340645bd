"""Show a tensor as PyTorch does: ``tensor([[1., 2.]])``, with the dtype where it is not the usual one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .core import dialect

__all__ = ["set_printoptions", "shown"]

_options: dict[str, Any] = {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80, "sci_mode": None}
_PROFILES: dict[str, dict[str, Any]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}


def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None):
    """Set how tensors are shown: digits after the point, and how many elements."""
    if profile is not None:
        _options.update(_PROFILES[profile])
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    _options.update({name: value for name, value in given.items() if value is not None})
    _options["sci_mode"] = sci_mode


def shown(x: Any) -> str:
    """The text of a tensor."""
    mark = x._own.mark
    return f"Parameter containing:\n{_shown(x)}" if mark and mark.__name__ == "Parameter" else _shown(x)


def _shown(x: Any) -> str:
    array = x.detach()._array
    try:
        values = np.asarray(array)
    except Exception:  # it has no data
        return f"tensor(..., size={tuple(array.shape)}, dtype={x.dtype})"
    if values.dtype.kind == "V" or values.dtype.name == "bfloat16" or values.dtype.name.startswith("float8"):
        values = values.astype(np.float32)
    name = array.dtype.name
    default = dialect.defaults()["default_float"].name
    usual = {"bool", "int64", default, {"float32": "complex64", "float64": "complex128"}.get(default, "")}
    suffixes = []
    if str(array.device) != "cpu":
        suffixes.append(f"device='{x.device}'")
    recorded = _of_autograd(x)
    if not values.size:
        if values.ndim != 1:
            suffixes.append(f"size={tuple(values.shape)}")
        if name != default:
            suffixes.append(f"dtype={x.dtype}")
        return f"tensor([]{''.join(', ' + s for s in suffixes + recorded)})"
    if name not in usual:
        suffixes.append(f"dtype={x.dtype}")
    suffixes += recorded
    return _with_suffixes("tensor(" + _body(values, len("tensor("), values.size > _options["threshold"]), suffixes)


def _of_autograd(x: Any) -> list[str]:
    """What the text says of a tensor that requires a gradient: the call that computed it."""
    function = x.grad_fn
    if function is not None:
        name = function.name()
        return [f"grad_fn=<{name.rpartition('::')[2]}>"]
    return ["requires_grad=True"] if x.requires_grad else []


def _with_suffixes(text: str, suffixes: list[str]) -> str:
    last = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if last + len(suffix) + 2 > _options["linewidth"]:
            text += ",\n       " + suffix
            last = 7 + len(suffix)
        else:
            text += ", " + suffix
            last += len(suffix) + 2
    return text + ")"


def _edges(values: Any) -> Any:
    """The elements that are shown of a large tensor."""
    edge = _options["edgeitems"]
    for axis in range(values.ndim):
        if values.shape[axis] > 2 * edge:
            first, last = np.arange(edge), np.arange(values.shape[axis] - edge, values.shape[axis])
            values = np.take(values, np.concatenate([first, last]), axis=axis)
    return values


def _body(values: Any, indent: int, summarise: bool) -> str:
    seen = _edges(values) if summarise else values
    if values.dtype.kind == "c":
        real, imag = _Format(seen.real), _Format(seen.imag)
        return _rows(values, indent, summarise, _Complex(real, imag))
    return _rows(values, indent, summarise, _Format(seen))


class _Format:
    """The format of a tensor's elements: all have the same width."""

    def __init__(self, values: Any) -> None:
        self.floating = values.dtype.kind == "f"
        self.int_mode, self.sci_mode = True, False
        flat = values.reshape(-1)
        if not self.floating:
            self.width = max((len(str(v)) for v in flat.tolist()), default=1)
            return
        digits = _options["precision"]
        finite = flat[np.isfinite(flat) & (flat != 0)].astype(np.float64)
        self.width = 1
        if finite.size:
            sizes = np.abs(finite)
            most, least = float(sizes.max()), float(sizes.min())
            self.int_mode = bool(np.all(finite == np.ceil(finite)))
            self.sci_mode = most / least > 1000 or most > 1e8 or (not self.int_mode and least < 1e-4)
            if _options["sci_mode"] is not None:
                self.sci_mode = _options["sci_mode"]
            if self.sci_mode:
                self.width = max(len(f"{v:.{digits}e}") for v in finite)
            elif self.int_mode:
                self.width = max(len(f"{v:.0f}") for v in finite) + 1
            else:
                self.width = max(len(f"{v:.{digits}f}") for v in finite)

    def __call__(self, value: Any) -> str:
        return self.plain(value).rjust(self.width)

    def plain(self, value: Any) -> str:
        if not self.floating:
            return str(value)
        digits = _options["precision"]
        if self.sci_mode:
            return f"{value:.{digits}e}"
        if self.int_mode:
            return f"{value:.0f}" + ("." if math.isfinite(value) else "")
        return f"{value:.{digits}f}"


class _Complex:
    def __init__(self, real: _Format, imag: _Format) -> None:
        self.real, self.imag = real, imag
        self.width = real.width + imag.width + 1

    def __call__(self, value: Any) -> str:
        text = self.imag(value.imag).lstrip()
        return f"{self.real(value.real)}{'' if text[0] in '+-' else '+'}{text}j"


def _rows(values: Any, indent: int, summarise: bool, form: Any) -> str:
    edge = _options["edgeitems"]
    if values.ndim == 0:
        return str(form(values.item() if values.dtype.kind != "f" else float(values)))
    short = summarise and values.shape[0] > 2 * edge
    if values.ndim == 1:
        per_line = max(1, (_options["linewidth"] - indent) // max(1, form.width + 2))
        shown = [form(v) for v in (values[:edge] if short else values).tolist()]
        if short:
            shown += [" ...", *(form(v) for v in values[-edge:].tolist())]
        lines = [", ".join(shown[i : i + per_line]) for i in range(0, len(shown), per_line)]
        return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
    rows = [values[i] for i in range(edge)] + [None] + [values[i] for i in range(-edge, 0)] if short else list(values)
    texts = ["..." if row is None else _rows(row, indent + 1, summarise, form) for row in rows]
    return "[" + ("," + "\n" * (values.ndim - 1) + " " * (indent + 1)).join(texts) + "]"
