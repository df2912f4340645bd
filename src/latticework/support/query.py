"""Tell which dtypes and devices a function takes: latticework's by measurements, any other by a run without data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from types import FunctionType
from typing import Any

import latticework as lw

from ..backend import Backend, get, supported, versions
from ..backend import measured as data
from ..core.device import Device
from ..core.dtypes import Dtype, bool_
from ..core.registry import load
from ..engine.functions.without_data import stand_in
from ..engine.op import Op, named
from ..engine.plans.plan import resolve
from ..engine.plans.request import Request
from ..policy import current
from .arguments import Parameter, UnresolvedError, arguments, as_numbers, parameters
from .evaluation import SAMPLES, Answers, Endless, Ends, Failure, Sample, ends_of, refusals
from .meets import CannotSeeError, declared, met, name_of

load()  # the declarations of all chapters

__all__ = [
    "function_supported_devices",
    "function_supported_dtypes",
    "function_unsupported_devices",
    "function_unsupported_dtypes",
    "why_unsupported",
]

FunctionOrName = Callable[..., Any] | str


def function_supported_dtypes(
    function: FunctionOrName, /, *, backend: str | None = None, device: Any = None, version: str | None = None
) -> tuple[Dtype, ...]:
    """Return the dtypes that a function takes on a backend, by default the current one.

    A dtype is taken if a call with all arrays of it works. For a function of latticework this was measured, with the
    installed version of the framework (`latticework probe`). Any other function is run on arrays that have no data:
    with each dtype, on arrays of up to three axes, and with both answers at each condition on a value.

    Parameters
    ----------
    function: a function of latticework or its name; a method of `Array`; or a function of your own: a method, a
        lambda, a `functools.partial`, an object with `__call__`.
    backend: a backend's name.
    device: one of its devices, where they differ; its default one otherwise.
    version: a version of its framework, the installed one by default. One that was not measured behaves as the last
        one before it that was, or as the first.

    Returns
    -------
    Dtypes in the order of `lw.all_dtypes`, of those that the backend has.

    Raises
    ------
    TypeError: for an argument that is no function; for a function that cannot be run without data and whose source does
        not show what it calls.

    Notes
    -----
    The function runs many times, so what it prints or writes, it prints or writes many times. What it changes in arrays
    and in the attributes, lists, dicts, sets and closures that it holds is restored; globals are not.

    Parameters without a default are arrays, unless their annotation says otherwise. An array stands for 1 and for 0
    where the function asks for its value, in up to 64 runs. A dtype is refused by an error of dtypes, at any rank; an
    error of shapes counts only where another dtype does not raise it on the same shapes, and no other rank works.

    A function that needs an argument that there is no value for, such as another function, is not run but read: it
    takes what all the functions take that it calls, as far as its syntax tree shows them.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.float16 in lw.function_supported_dtypes(lw.cos)
    True
    >>> def distance(x, y):
    ...     return lw.sqrt(lw.sum((x - y) ** 2))
    >>> lw.function_unsupported_dtypes(distance)
    (lw.bool,)
    >>> def residual(a, x, b):
    ...     return lw.linalg.solve(a, b) - x
    >>> lw.bfloat16 in lw.function_supported_dtypes(residual)
    False
    """
    refused = why_unsupported(function, backend=backend, device=device, version=version)
    return tuple(d for d in supported(get(backend or current().backend), "all") if d not in refused)


def function_unsupported_dtypes(
    function: FunctionOrName, /, *, backend: str | None = None, device: Any = None, version: str | None = None
) -> tuple[Dtype, ...]:
    """Return the dtypes of a backend that a function does not take there: see `function_supported_dtypes`.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.function_unsupported_dtypes(lw.add)
    (lw.bool,)
    """
    return tuple(why_unsupported(function, backend=backend, device=device, version=version))


def function_supported_devices(function: FunctionOrName, /, *, backend: str | None = None) -> tuple[Any, ...]:
    """Return the devices of a backend on which a function takes any dtype at all.

    A device that was not measured counts as the one of its kind that was (``cuda:1`` as ``cuda:0``), or as the first.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.function_supported_devices(lw.cos, backend="numpy")
    (Device('cpu', backend='numpy'),)
    """
    return _devices(function, backend, taken=True)


def function_unsupported_devices(function: FunctionOrName, /, *, backend: str | None = None) -> tuple[Any, ...]:
    """Return the devices of a backend on which a function takes no dtype: see `function_supported_devices`.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.function_unsupported_devices(lw.cos, backend="numpy")
    ()
    """
    return _devices(function, backend, taken=False)


def _devices(function: FunctionOrName, backend: str | None, *, taken: bool) -> tuple[Any, ...]:
    owner = get(backend or current().backend)  # not selected: that would turn its framework's switches
    devices = [owner.device(d) for d in owner.devices()]
    count = len(supported(owner, "all"))
    return tuple(d for d in devices if (len(why_unsupported(function, backend=owner.name, device=d)) < count) is taken)


def why_unsupported(
    function: FunctionOrName, /, *, backend: str | None = None, device: Any = None, version: str | None = None
) -> dict[Dtype, str]:
    """Return each dtype of a backend that a function does not take, and why: see `function_supported_dtypes`.

    The reason names the expression of the user's that decides, with its file and line.

    Examples
    --------
    >>> import latticework as lw
    >>> from latticework.support.query import why_unsupported
    >>> print(why_unsupported(lambda x: lw.bitwise_and(x, 1), backend="numpy")[lw.complex64].partition(";")[0])
    bitwise_and: takes integral or bool dtypes (bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64)
    """
    owner = get(backend or current().backend)
    target = _function(function)
    if version is not None:
        versions.order(version)  # refused at once if it is none, whatever the function meets
    with lw.using(casting=None):  # a dtype that a casting mode casts to is another dtype
        return _Query(owner, owner.device(device), version).refused(target)


def _function(function: FunctionOrName) -> Any:
    if isinstance(function, str):
        return named(function).function
    if isinstance(function, type) or not callable(function):
        hint = ". Give one of its methods, or an object of it" if isinstance(function, type) else ""
        raise TypeError(f"function_supported_dtypes: takes a function or its name; got {function!r}{hint}")
    return function


class _Query:
    """A question about one backend, device and version."""

    def __init__(self, backend: Backend, device: Device, version: str | None) -> None:
        self.backend, self.device = backend, device
        self.dtypes = supported(backend, "all")
        #: The measured support of latticework's functions.
        self.table = data.table(backend.name, version, str(device))
        default = version is None and device == backend.device(None)
        #: The backend of arrays without data that stand for those of the backend.
        self.abstract = get(f"abstract:{backend.name}" + ("" if default else f"@{version or ''}/{device}"))
        place = None if default else Device(device, self.abstract.name)
        self.policy = current()._with(backend=self.abstract.name, chosen=True, device=place)

    def refused(self, f: Any) -> dict[Dtype, str]:
        """Return the dtypes that a function does not take, with the reason."""
        o = declared(f) if isinstance(f, FunctionType) else None
        if o is not None and o.name in self.table:
            return self._ordered({d: self._refusal(o, d) for d in self.dtypes})
        try:
            ends = self._ends(f, parameters(f))
        except (UnresolvedError, Endless):
            return self._ordered(self._refused_by_calls(f))
        refused: dict[Dtype, str | None] = {**refusals(ends)}
        completed = {d for (d, _), of_runs in ends.items() if None in of_runs}
        undecided = [d for d in self.dtypes if d not in refused and d not in completed]
        if undecided:
            by_calls = self._refused_by_calls(f)
            refused |= {d: by_calls.get(d) for d in undecided}
        return self._ordered(refused)

    def _ordered(self, refused: dict[Dtype, str | None]) -> dict[Dtype, str]:
        return {d: why for d in self.dtypes if (why := refused.get(d)) is not None}

    def _refusal(self, o: Op, dtype: Dtype) -> str | None:
        """Return why a latticework function does not take a dtype, by what was measured and the policy in force."""
        row = self.table[o.name]
        if data.letters(row, (dtype,)) not in data.WORKS:
            unmeasured = f"{o.name}: was never measured with {dtype} on the {self.backend.name} backend"
            return data.why_in(row, dtype) or unmeasured
        if o.kind not in ("primitive", "mixed"):
            return None
        of_role = {"join": dtype, "own": dtype, "index": self.backend.index_dtype, "bool": bool_}
        signature = tuple(self.backend.sig(of_role[role]) for role in o.roles(len(o.operands) or 1))
        try:
            resolve(Request(o, current(), signature))
        except TypeError as error:
            return str(error)
        return None

    # --- functions that are run without data --------------------------------------------------------------------------

    def _ends(self, f: Any, kinds: list[Parameter]) -> Ends:
        """Return how the runs end with each dtype and sample; with further samples only where no dtype completes."""
        ends: Ends = {}
        answers = Answers()
        refused: set[Dtype] = set()  # by the plan of a call, so whatever the shapes
        for samples in SAMPLES:
            for sample, dtype in product(samples, self.dtypes):
                if dtype in refused:
                    continue
                ends[dtype, sample] = [*self._runs(f, kinds, sample, dtype, answers)]
                if any(end is not None and end.kind == "dtype" for end in ends[dtype, sample]):
                    refused.add(dtype)
                numbers = as_numbers(kinds, answers.read)
                if numbers != kinds:
                    return self._ends(f, numbers)
            if any(None in of_runs for of_runs in ends.values()):
                break
        return ends

    def _runs(
        self, f: Any, kinds: list[Parameter], sample: Sample, dtype: Dtype, answers: Answers
    ) -> Iterator[Failure | None]:
        device = str(self.abstract.device_name(self.policy.device))

        def array(position: int) -> lw.Array:
            shape = (sample.extent,) * (sample.others if position else sample.first)
            x = stand_in(lw.spec(shape, dtype), self.abstract, device)
            answers.operands.append(x._data)
            return x

        def call() -> Any:
            answers.operands.clear()
            args, by_name = arguments(kinds, array, dtype, answers.choose)
            return f(*args, **by_name)

        return ends_of(call, answers, self.policy, f)

    # --- functions that cannot be run without data --------------------------------------------------------------------

    def _refused_by_calls(self, f: Any) -> dict[Dtype, str | None]:
        """Return the dtypes that any of the functions that a function calls does not take, with the reason."""
        try:
            calls = met(f)
        except CannotSeeError as error:
            raise CannotSeeError(f"function_supported_dtypes: {error}") from None
        refused: dict[Dtype, str | None] = {}
        for (function, at), dtype in product(calls, self.dtypes):
            if isinstance(function, Op):
                why = self._refusal(function, dtype) if function.name in self.table else None
            else:
                limits = function.__latticework_support__
                why = next((f"{name_of(function)}: {w}" for x in limits if (w := x.refusal(dtype, self.device))), None)
            if why is not None:
                refused.setdefault(dtype, f"{why} ({at})" if at else why)
        return refused
