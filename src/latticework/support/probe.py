"""Run every function on every dtype that a backend has, and measure how it computes them.

Each result is compared with a reference: the same call on NumPy in the widest dtype of the kind, float64 for a float,
rounded to the dtype that the function declares.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import latticework as lw

from ..backend import get
from ..backend.measured import MEASURED
from ..core.dtypes import Dtype, bool_, complex128, float64, int64, uint64
from ..errors import BackendError
from . import samples

if TYPE_CHECKING:
    from ..backend import Backend

__all__ = ["Measured", "measure", "probe"]

_WIDEST = {"b": bool_, "i": int64, "u": uint64, "f": float64, "c": complex128}
#: The distance from the reference that a result may have, in units in the last place of the largest number there.
_ULPS = 16
#: Functions that lose more digits than others on the samples.
_LOSES = {"linalg.expm": 1024, "linalg.logm": 1024, "special.log_ndtr": 256, "signal.mel_weight_matrix": 256}


class Measured(NamedTuple):
    """The result of measuring one function, dtype and device.

    Attributes
    ----------
    how: a word of `data.LETTERS`.
    why: the first line of the error, or what is wrong.
    """

    how: str
    why: str = ""


def probe(
    backend: str,
    device: str | None = None,
    only: Iterable[str] | None = None,
    begin: Callable[[str], object] = lambda name: None,
) -> dict[str, dict[str, Measured]]:
    """Measure every function on every dtype of a backend: function -> dtype -> what was measured.

    Parameters
    ----------
    backend: its name; its framework is imported.
    device: one of its devices, the first by default.
    only: names of functions, as in `samples.names`; all of them by default.
    begin: is called with the name of each function before it is measured.
    """
    with lw.using(backend=backend):
        on = str(device or get(backend).device(None))
    found = {}
    for name in samples.names() if only is None else only:
        begin(name)
        found[name] = dict(measure(name, backend, on))
    return found


def measure(name: str, backend: str, device: str, dtypes: Iterable[Dtype] = MEASURED) -> Iterator[tuple[str, Measured]]:
    """Measure one function on every dtype of a backend, or on some."""
    owner, call = get(backend), samples.call_of(name)
    token = samples.CASTABLE.set(owner.native_dtypes)
    try:
        yield from _measured(name, call, owner, device, dtypes)
    finally:
        samples.CASTABLE.reset(token)


def _measured(
    name: str, call: samples.SampleCall, owner: Backend, device: str, dtypes: Iterable[Dtype]
) -> Iterator[tuple[str, Measured]]:
    with warnings.catch_warnings(), np.errstate(all="ignore"), owner.in_this_thread():
        warnings.simplefilter("ignore")  # frameworks warn of dtypes that are not their own, and of nan
        for dtype in (d for d in dtypes if d in owner.native_dtypes):
            yield str(dtype), _measure_one(name, call, owner, dtype, device)


def _make(values: Any, dtype: Dtype) -> lw.Array:
    return lw.asarray(values, dtype=dtype)


def _measure_one(name: str, call: samples.SampleCall, owner: Backend, dtype: Dtype, device: str) -> Measured:
    with lw.using(backend=owner.name, device=device):
        try:
            results = [*_flat(call(_make, dtype))]
            values = [np.asarray(x) for x in results]  # of a lazy framework, computes them
        except Exception as error:
            text = str(error).strip().partition("\n")[0]
            if isinstance(error, BackendError):
                return Measured("missing", text)
            if isinstance(error, TypeError):
                return Measured("refused", text or "TypeError")
            return Measured("wrong", f"{type(error).__name__}: {text}" if text else type(error).__name__)
        how, declared = _expected(name, call, owner, dtype, len(results))
        wrong = next((w for x in results if isinstance(x, lw.Array) and (w := _dishonest(x))), "")
    for x, expected in zip(results, declared, strict=True):
        if not wrong and isinstance(x, lw.Array) and x.dtype is not expected:
            wrong = f"a result of {x.dtype}; {expected} is declared"
    try:
        wrong = wrong or _differs(name, call, dtype, values, declared)
    except Exception as error:
        wrong = f"there is no reference: {error}"
    return Measured("wrong", wrong) if wrong else Measured(how)


def _expected(
    name: str, call: samples.SampleCall, owner: Backend, dtype: Dtype, count: int
) -> tuple[str, list[Dtype | None]]:
    """Return how a function computes a dtype, and the dtype that each result should have.

    Both are of the plan, if there is one. The results of a composition should have the dtypes that they have on NumPy.
    """
    o = samples.declaration(name)
    if o is not None and o.kind in ("primitive", "mixed"):
        args, options = samples.arguments(o, _make, dtype)
        plan = lw.plan(o.name, *args, **options)
        lifted = dtype.kind in "biu" and plan.computed.kind in "fc"
        out: tuple[Any, ...] = plan.out if len(plan.out) == count else plan.out[:1] * count
        return "lifted" if lifted else plan.shown_how, [*out]
    if o is not None and o.kind == "creation":
        return "emulated" if (name, dtype) in owner.emulated else "native", [dtype] * count
    with lw.using(backend="numpy"):
        on_numpy = [getattr(x, "dtype", None) for x in _flat(call(_make, dtype))]
    return "native" if o is None else "composed", on_numpy


def _dishonest(x: Any) -> str:
    """Return what is wrong with an array whose data are not of its dtype; "" if nothing is."""
    data = x._sig.backend.dtype_of(x._data)
    named = x._sig.backend.dtypes.get(data)
    return "" if named is x.dtype else f"an array that says {x.dtype} and whose data are {data}"


def _flat(result: Any) -> Iterator[Any]:
    if isinstance(result, (tuple, list)):
        for x in result:
            yield from _flat(x)
    else:
        yield result


# --- the reference -----------------------------------------------------------------------------------------------


def _differs(name: str, call: samples.SampleCall, dtype: Dtype, got: list[Any], declared: list[Dtype | None]) -> str:
    """Return what is wrong with the values; "" if nothing is."""
    wide = _WIDEST[dtype.kind]
    numpy = get("numpy")
    with lw.using(backend="numpy", default_float=float64, default_int=int64):

        def make(values: Any, d: Dtype) -> Any:
            return _make(values, wide if d is dtype else d)

        reference = [np.asarray(x) for x in _flat(call(make, wide))]
        first = np.asarray(make(samples._FIRST[dtype.kind], dtype))
    if len(reference) != len(got):
        return f"{len(got)} results for {len(reference)}"
    if name in _UNORDERED:
        got, reference = _UNORDERED[name](first, *[g.astype(_wide_of(g)) for g in got])
    for i, (x, expected) in enumerate(zip(got, reference, strict=True)):
        if x.shape != expected.shape:
            return f"a result of shape {x.shape} where NumPy's has {expected.shape}"
        if name in ("empty", "empty_like"):
            continue
        to = declared[i] if i < len(declared) else None
        if to is not None and to.kind in "biu":
            if not np.array_equal(x, expected.astype(numpy.native_dtypes[to])):
                return f"{_short(x)} where NumPy has {_short(expected)}"
        elif not _near(name, x, expected, to or float64):
            return f"{_short(x)} where NumPy has {_short(expected)}"
    return ""


def _near(name: str, got: Any, expected: Any, dtype: Dtype) -> bool:
    got, expected = got.astype(_wide_of(got)), expected.astype(_wide_of(expected))
    finite = expected[np.isfinite(expected)]
    scale = max(1.0, float(np.max(np.abs(finite))) if finite.size else 1.0)
    eps, ulps = lw.finfo(dtype).eps, _LOSES.get(name, _ULPS)
    return bool(np.allclose(got, expected, rtol=ulps * eps, atol=ulps * eps * scale, equal_nan=True))


def _wide_of(x: Any) -> Any:
    return np.complex128 if x.dtype.kind == "c" else np.float64


def _short(x: Any) -> str:
    return " ".join(str(np.asarray(x).tolist()).split())[:60]


def _of_eigen(x: Any, w: Any, v: Any) -> tuple[list[Any], list[Any]]:
    return [np.asarray(x @ v)], [v * w]


#: Decompositions that are not unique: the two sides of the equation that their results have to satisfy.
_UNORDERED: dict[str, Callable[..., tuple[list[Any], list[Any]]]] = {
    "linalg.eig": _of_eigen,
    "linalg.eigh": _of_eigen,
    "linalg.eigvals": lambda x, w: ([np.sort_complex(w)], [np.sort_complex(np.linalg.eigvals(x))]),
    "linalg.eigh_tridiagonal": lambda x, w, v: ([v.mT @ v], [np.eye(v.shape[-1])]),
    "linalg.orth": lambda x, q: ([q.conj().mT @ q], [np.eye(q.shape[-1])]),
    "linalg.schur": lambda x, t, z: ([z @ t @ z.conj().mT], [x]),
    "roots": lambda x, r: ([np.sort_complex(r)], [np.sort_complex(np.roots(x[0]))]),
    "linalg.qr": lambda x, q, r: ([q @ r], [x]),
    "linalg.svd": lambda x, u, s, vh: ([(u * s) @ vh], [x]),
}
