"""Parts of a policy that a namespace or a function has of its own, whatever is in force where it is called.

What is not bound is that of the policy in force. So kernels of bound functions are kept in tables of their own, under
the policy of the caller, and a call enters no policy: it finds a kernel that was made under both.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import update_wrapper
from itertools import count
from typing import TYPE_CHECKING, Any

from ...core.registry import functions
from ...errors import nearest
from ...policy import Policy, call_under, current
from ...promotion import Rules

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypedDict

    from ...core.dtypes import DtypeLike

    class Parts(TypedDict, total=False):
        """The parts of a policy that can be bound, as `lw.using` takes them. None leaves one as it is in force."""

        rules: Rules | str | None
        default_float: DtypeLike | None
        default_int: DtypeLike | None
        default_uint: DtypeLike | None
        default_complex: DtypeLike | None
        default_dtype: DtypeLike | None
        casting: str | Iterable[str] | None
        gradients: str | None


__all__ = ["Binding", "binding_of"]

#: The parts that can be bound, and the field of `Policy` that each is.
_FIELD_OF = {
    "rules": "rules", "default_float": "default_float", "default_int": "default_int", "default_uint": "set_uint",
    "default_complex": "set_complex", "default_dtype": "set_dtype", "casting": "casting", "gradients": "gradients",
}  # fmt: skip

#: The policy in force where a bound function was called, for the functions that it was given.
_caller: ContextVar[Policy | None] = ContextVar("latticework caller", default=None)

_numbers = count()

#: The bindings by their values: one object for the same values.
_kept: dict[tuple[tuple[str, Any], ...], Binding] = {}

#: The bindings by the words that were written for them, where these mean the same in any context.
_by_words: dict[tuple[tuple[str, Any], ...], Binding | None] = {}


class Binding:
    """Parts of a policy with their values. `binding_of` makes one.

    Attributes
    ----------
    values: the values by the fields of `Policy`.
    number: a number that no other binding has.
    """

    __slots__ = ("number", "values")

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values
        self.number = next(_numbers)

    def __repr__(self) -> str:
        return ", ".join(f"{name}={_word(self.values[f])!r}" for name, f in _FIELD_OF.items() if f in self.values)

    def words(self) -> dict[str, Any]:
        """Return the parts as `binding_of` takes them: names where values have some."""
        return {name: self.values[f] for name, f in _FIELD_OF.items() if f in self.values}

    def of(self, policy: Policy) -> Policy:
        """Return a policy with these parts in it. A default float that is bound comes before a default dtype that
        somebody else has set: creation functions ask for that first."""
        found = policy._elsewhere.get(self)
        if found is None:
            own = {"set_dtype": None, **self.values} if "default_float" in self.values else self.values
            found = policy._elsewhere[self] = policy._with(**own)
        return found

    def run(self, policy: Policy, f: Callable[..., Any], args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
        """Call a function under a policy with these parts; functions among the arguments run under the caller's."""
        token = _caller.set(current())
        try:
            return call_under(policy, f, args, kw)
        finally:
            _caller.reset(token)

    def under_callers(self, f: Callable[..., Any], args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
        """Call a function that a bound function was given: with the caller's parts in the place of these."""
        caller, here = _caller.get(), current()
        if caller is None:
            return f(*args, **kw)
        theirs = {name: getattr(caller, name) for name in self.values}
        if all(getattr(here, name) is value for name, value in theirs.items()):
            return f(*args, **kw)
        return call_under(here._with(**theirs), f, args, kw)

    def quietly(self, f: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that runs under these parts, and takes and gives what it does anyway."""

        def call(*args: Any, **kw: Any) -> Any:
            return call_under(self.of(current()), f, args, kw)

        return update_wrapper(call, f)


def _word(value: Any) -> Any:
    return value.name if isinstance(value, Rules) else value if isinstance(value, (str, tuple)) else str(value)


def binding_of(name: str, parts: Any) -> Binding | None:
    """Return the binding of parts of a policy; None where none is given.

    Parameters
    ----------
    name: the function that was given them, for errors.
    parts: the parts by name, as `lw.using` takes them. None leaves one as it is in force.

    Raises
    ------
    TypeError: for what is no part that can be bound, and for a dtype of another kind.
    ValueError: for a value that the part does not have.
    """
    words = tuple(parts.items())
    try:
        return _by_words[words]
    except (KeyError, TypeError):  # not met yet, or a list
        pass
    for part in parts:
        if part not in _FIELD_OF:
            raise TypeError(f"{name}: {part!r} is no part of a policy that can be bound{nearest(part, [*_FIELD_OF])}")
    given = {part: value for part, value in parts.items() if value is not None}
    if not given:
        return None
    with functions.using(**given) as policy:
        values = {field: getattr(policy, field) for part, field in _FIELD_OF.items() if part in given}
    found = _kept.setdefault(tuple(values.items()), Binding(values))
    if not any(isinstance(value, (type, list, set)) for value in given.values()):  # `float` is the default float
        _by_words[words] = found
    return found
