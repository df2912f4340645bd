"""The judgement of calls: which of them made a narrow float wider, and where the wide one came from."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from ...policy import current
from ..places import Place
from ..writing import Names
from .reasons import cast_of, rule_of
from .report import Made, Widening
from .values import Value, name_of, width_of

__all__ = ["Call", "Operand", "Watch", "chosen"]

#: The float dtypes that there are, from the narrowest.
_FLOATS = ("float8_e4m3fn", "float8_e5m2", "float16", "bfloat16", "float32", "float64")


def chosen(widening: Any) -> frozenset[str]:
    """Return the names of the dtypes that are not to become wider.

    Parameters
    ----------
    widening: a dtype, or its name, for it and all floats that are not wider; or several, for these alone.

    Raises
    ------
    ValueError: for what is no float dtype.
    """
    several = isinstance(widening, (list, tuple, set, frozenset))
    names = [_named(x) for x in (widening if several else (widening,))]
    if several and names:
        return frozenset(names)
    most = width_of(names[0]) if names else 0
    return frozenset(n for n in _FLOATS if width_of(n) <= most) | frozenset(names)


def _named(x: Any) -> str:
    name = x if isinstance(x, str) else getattr(x, "__name__", None) or name_of(x)
    if name not in _FLOATS:
        raise ValueError(f"audit: widening={name} is no float dtype. It takes {', '.join(_FLOATS)}")
    return str(name)


@dataclass(frozen=True)
class Operand:
    """An operand of a call, as the source has it.

    Attributes
    ----------
    value: what it is.
    place: where it stands in the source; None where the source does not show it.
    """

    value: Value
    place: Place | None = None

    @property
    def text(self) -> str:
        return self.place.expression if self.place else ""


@dataclass(frozen=True)
class Call:
    """A call that was seen.

    Attributes
    ----------
    place: where it stands.
    operation: the name of the function or operator.
    operands, results: its operands and results.
    asked: whether it names the dtype of its result.
    names: the names that the program has there.
    again: calls it once more with changed operands; None where that may have effects.
    why: the rule, where the watcher knows it; else it is looked up.
    """

    place: Place
    operation: str
    operands: Sequence[Operand]
    results: Sequence[Value]
    asked: bool
    names: Names
    again: Callable[[Callable[[Any], Any]], Any] | None = None
    why: str = ""


class _Origin(NamedTuple):
    """Where a wide array came from: it was made, or it is the result of a finding."""

    made: Made | None
    finding: int | None


@dataclass
class Watch:
    """What was seen of a run.

    Attributes
    ----------
    dtypes: the names of the dtypes that are not to become wider.
    calls: how many calls were judged.
    widened: how many of them made a float wider, by name too.
    found: the widenings, each once for its place and dtypes.
    casts: those that the program asked for by name.
    """

    dtypes: frozenset[str]
    calls: int = 0
    widened: int = 0
    found: list[Widening] = field(default_factory=list)
    casts: list[Widening] = field(default_factory=list)
    _keys: dict[Any, int] = field(default_factory=dict)
    _origins: dict[int, tuple[Any, _Origin]] = field(default_factory=dict)
    _last: _Origin | None = None

    def __post_init__(self) -> None:
        self._least = min(map(width_of, self.dtypes))

    def is_watched(self, v: Value) -> bool:
        """Return whether a value is not to become wider."""
        part = f"float{v.width}" if v.dtype.startswith("complex") else v.dtype
        return v.width > 0 and not v.weak and not v.listed and part in self.dtypes

    def may_be_wide(self, results: Sequence[Value]) -> bool:
        """Count a call, and return whether one of its results is wider than the narrowest dtype that is watched."""
        self.calls += any(v.framework for v in results)
        return any(v.width > self._least for v in results)

    # --- where wide arrays came from ----------------------------------------------------------------------------------

    def _origin(self, x: Any) -> _Origin | None:
        for _ in range(8):
            entry = self._origins.get(id(x))
            if entry is not None:
                held = entry[0]
                if held is x or (isinstance(held, weakref.ref) and held() is x):
                    return entry[1]
            base = getattr(x, "base", None) if type(x).__module__ == "numpy" else None
            if base is None or base is x:
                return None
            x = base
        return None

    def _keep(self, x: Any, origin: _Origin) -> None:
        key, origins = id(x), self._origins
        try:
            held: Any = weakref.ref(x, lambda _: origins.pop(key, None))
        except TypeError:
            held = x
        origins[key] = held, origin

    def inherit(self, source: Any, result: Any) -> None:
        """Note that a result is a part of a source, as ``x[0]`` is."""
        origin = self._origin(source)
        if origin is not None and result is not source:
            self._keep(result, origin)

    def came_of_it(self, results: Sequence[Value]) -> None:
        """Note that the results of a call come of a widening in it, those of which nothing else is known."""
        for v in results:
            if v.width > self._least and self._last is not None and not self._origin(v.data):
                self._keep(v.data, self._last)

    # --- the judgement ------------------------------------------------------------------------------------------------

    def see(
        self, call: Callable[[], Call], operands: Sequence[Value], results: Sequence[Value], *, moved: bool = False
    ) -> None:
        """Judge a call.

        Parameters
        ----------
        call: makes the full account of it; asked for where it matters.
        operands, results: the arrays and numbers that it got and gave.
        moved: whether it is a move to a device.
        """
        given = {id(v.data) for v in operands}
        if moved and results and id(results[0].data) in given and results[0].width > self._least:
            self._note(call, [*results], [*results], moved)  # it is there already
            return
        new = [v for v in results if v.width > self._least and id(v.data) not in given and not self._origin(v.data)]
        if not new:
            return
        floats = [v for v in operands if v.width]
        watched = [v for v in floats if self.is_watched(v)]
        narrow = min(watched, key=lambda v: v.width, default=None)
        wide = [v for v in new if narrow is not None and v.width > narrow.width]
        passed = len(results) > 1 and [v.dtype for v in results] == [v.dtype for v in floats]  # as np.meshgrid does
        if narrow is None or not wide or passed:
            self._note(call, floats, new, moved)
            return
        full = call()
        self._find(full, narrow, wide)

    def _note(self, call: Callable[[], Call], floats: list[Value], new: list[Value], moved: bool) -> None:
        """Keep where wide results came from."""
        strong = sorted((v for v in floats if not v.weak), key=lambda v: -v.width)
        known = [o for v in strong if (o := self._origin(v.data)) is not None]
        wide = max(v.width for v in new)
        if known:
            origin = known[0]
            if moved and origin.made is not None:
                origin = _Origin(replace(origin.made, moved=call().place), origin.finding)
        elif moved:
            place = call().place
            origin = _Origin(Made(place, new[0].dtype, False, place), None)
        elif any(v.width >= wide and not v.listed for v in strong):
            return  # made of an array that was there before the run
        else:
            full = call()
            origin = _Origin(Made(full.place, new[0].dtype, full.asked), None)
        for v in new:
            self._keep(v.data, origin)

    def _find(self, call: Call, narrow: Value, wide: list[Value]) -> None:
        """Keep a call that made a narrow float wider."""
        dtypes = tuple(str(o.value.dtype) for o in call.operands)
        key = call.place, call.operation, dtypes, wide[0].dtype
        index = self._keys.get(key)
        kept = self.casts if call.asked else self.found
        if index is None:
            index = self._keys[key] = len(kept)
            kept.append(self._widening(call, narrow, wide[0]))
        else:
            kept[index] = replace(kept[index], times=kept[index].times + 1)
        made = Made(call.place, wide[0].dtype, True) if call.asked else None
        self.widened += 1
        self._last = _Origin(made, None if call.asked else index)
        for v in wide:
            self._keep(v.data, self._last)

    def _widening(self, call: Call, narrow: Value, wide: Value) -> Widening:
        origins = [self._origin(o.value.data) for o in call.operands if o.value.width > narrow.width]
        follows = any(o is not None and o.finding is not None for o in origins)
        made = next((o.made for o in origins if o is not None and o.made is not None), None)
        own = not any(o.value.width > narrow.width for o in call.operands)  # no operand was as wide as the result
        cast = None if call.asked else cast_of(call, narrow)
        return Widening(
            place=call.place,
            operation=call.operation,
            framework=current().rules.name if wide.framework == "latticework" else wide.framework.removeprefix("lw."),
            operands=tuple((o.text, str(o.value)) for o in call.operands),
            narrow=narrow.dtype,
            wide=wide.dtype,
            result=str(wide),
            rule=call.why or ("the dtype that is asked for" if call.asked else rule_of(call, wide)),
            made=made,
            follows=follows and not own,
            cast=cast.text if cast else "",
            tried=bool(cast and cast.tried),
            edits=cast.edits if cast else (),
        )
