"""The user's side of policy: `using`, the `set_*` and `unset_*` functions, and the casting modes as switches."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from .backend import get
from .engine.plans.casting import MODES, modes
from .errors import nearest
from .namespace import withdraw
from .policy import GRADIENTS, Before, Policy, as_dtype, block, change, current, named_here, restore
from .promotion import rules_named

if TYPE_CHECKING:
    from typing import Literal, TypeAlias, TypedDict, Unpack

    from .backend import Backend
    from .core.dtypes import DtypeLike
    from .promotion import Rules

    Mode: TypeAlias = Literal["cross", "up", "down", "all"]
    Gradients: TypeAlias = Literal["unified", "native"]

    class Changes(TypedDict, total=False):
        """The parts of a policy that `using` changes. Backends and rules of others may have any name."""

        rules: Rules | str
        backend: str
        x64: bool
        device: Any
        default_float: DtypeLike
        default_int: DtypeLike
        default_uint: DtypeLike | None
        default_complex: DtypeLike | None
        default_dtype: DtypeLike | None
        casting: Mode | Iterable[Mode] | None
        gradients: Gradients


__all__ = [
    "cast_data_types", "casting_modes", "crosscast_data_types", "downcast_data_types", "set_backend",
    "set_default_complex_dtype", "set_default_dtype", "set_default_float_dtype", "set_default_int_dtype",
    "set_default_uint_dtype", "unset_backend", "unset_default_complex_dtype", "unset_default_dtype",
    "unset_default_float_dtype", "unset_default_int_dtype", "unset_default_uint_dtype", "upcast_data_types", "using",
]  # fmt: skip

_FIELD_OF = {
    "default_uint": "set_uint",
    "default_complex": "set_complex",
    "default_dtype": "set_dtype",
}
_KIND_OF_DEFAULT = {"default_float": "f", "default_int": "i", "set_uint": "u", "set_complex": "c"}


def _checked(changes: dict[str, Any]) -> dict[str, Any]:
    """Resolve names and values of policy fields from a user; nothing is changed on an error."""
    names = ["rules", "backend", "device", "x64", "casting", "gradients", "default_float", "default_int", *_FIELD_OF]
    result: dict[str, Any] = {}
    selected: Backend | None = None
    for name, value in changes.items():
        if name not in names:
            raise TypeError(f"using: {name!r} is no part of a policy{nearest(name, names)}")
        field = _FIELD_OF.get(name, name)
        if name == "rules":
            value = rules_named(value)
        elif name == "casting":
            value = modes(value)
        elif name == "gradients":
            if value not in GRADIENTS:
                raise ValueError(f"gradients must be one of {', '.join(map(repr, GRADIENTS))}; got {value!r}")
        elif name == "backend":
            selected = get(value)
            value = selected.name
            result["chosen"] = True
        elif name == "x64":
            continue
        elif name in ("default_float", "default_int") and value is None:
            raise TypeError(f"{name} must be a dtype; got None")
        elif name.startswith("default_") and value is not None:
            value = as_dtype(value)
            kind = _KIND_OF_DEFAULT.get(field, value.kind)
            if value.kind != kind:
                words = {"f": "a real floating", "i": "a signed integer", "u": "an unsigned integer", "c": "a complex"}
                raise TypeError(f"{name} must be {words[kind]} dtype; got {value}")
            if value.use != "compute":
                why = "one of storage only" if value.storage else "one of promotion rules only"
                raise TypeError(f"{name} must be a dtype that arrays are computed in; got {value}, {why}")
        result[field] = value
    if selected is not None:
        selected.selected(changes.get("x64", True))
        if selected.name != current().backend:
            result.setdefault("device", None)  # a device of the other backend is no device of this one
        if selected.conditional_dtypes:
            withdraw(selected.conditional_dtypes)
    return result


def using(**changes: Unpack[Changes]) -> AbstractContextManager[Policy]:
    """Change the policy inside a ``with`` block, for this thread or task only.

    Parameters
    ----------
    rules: the name of a rule set, latticework's or a framework's (`lw.rule_names()` lists them), or `Rules`.
    backend: the backend of creation functions, by name. Arrays bring their own.
    x64: with ``backend="jax"``, whether to turn on JAX's 64-bit switch: see `set_backend`. It stays on.
    device: the device of creation functions.
    default_float, default_int, default_uint, default_complex: default dtypes.
    casting: the casts that are allowed for a dtype that a function does not take: ``"cross"``, ``"up"``, ``"down"``,
        several of them, ``"all"``, or None for none. See `upcast_data_types` and `casts`.
    default_dtype: the dtype of creation functions that have nothing else to decide by.
    gradients: whose slopes derivatives have where a function has no one slope, as `abs` at 0: ``"unified"`` for
        latticework's own, which are the same on every backend, or ``"native"`` for the framework's.

    Raises
    ------
    TypeError: for a word that is no part of a policy, and for a dtype of another kind.
    ValueError: for a value that the part does not have; it lists those that it has.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray([1, 2])
    >>> (x + 0.5).dtype
    lw.float32
    >>> with lw.using(rules="precise"):
    ...     (x + 0.5).dtype
    lw.float64
    >>> with lw.using(backend="torch"):
    ...     at_bound = lw.asarray(1.0)
    >>> lw.grad(lw.nn.hard_tanh)(at_bound)
    Array(1., dtype=float32)
    >>> with lw.using(gradients="native"):
    ...     lw.grad(lw.nn.hard_tanh)(at_bound)
    Array(0., dtype=float32)
    """
    if "backend" in changes:
        changes["backend"] = named_here(changes["backend"])
    return block(current()._with(**_checked({**changes})))


# --- process defaults ------------------------------------------------------------------------------------------------

#: The values that each `set_*` replaced, for its `unset_*` to bring back.
_replaced: dict[str, list[Before]] = {}

#: The most replaced values that are kept for each.
_MOST_REPLACED = 256


def set_process(**changes: Any) -> Before:
    """Change the process default, and what this context sees where it is inside a `using` block.

    Returns the argument with which `policy.restore` undoes it.
    """
    checked = _checked(changes)
    return change(lambda policy: checked)


def _set(name: str, value: Any, **more: Any) -> None:
    stack = _replaced.setdefault(name, [])
    stack.append(set_process(**{name: value}, **more))
    if len(stack) > _MOST_REPLACED:
        del stack[1]  # the first is kept, so that the last `unset_*` brings back what there was before all


def _unset(name: str) -> None:
    stack = _replaced.get(name)
    if stack:
        restore(stack.pop())


def set_backend(name: str, /, *, x64: bool = True) -> None:
    """Set the process default backend: where creation functions make their arrays. Arrays bring their own.

    `lw.using(backend=...)` is for one thread and block.

    Parameters
    ----------
    name: the backend.
    x64: whether to turn on JAX's 64-bit switch, `jax_enable_x64`, when the backend is "jax". The switch is the
        process's, and stays on. False leaves it as it is: while it is off, the backend has no int64, uint64, float64
        and complex128, and positions are int32. Other backends have no such switch.

    Raises
    ------
    ValueError: for a name that is no backend, with the nearest that is.
    BackendNotInstalledError: (an ImportError) with the command that installs its framework.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.set_backend("numpy")
    >>> lw.zeros(2).backend
    'numpy'
    >>> lw.unset_backend()
    """
    _set("backend", name, device=None, x64=x64)


def unset_backend() -> None:
    """Bring back the backend from before the last `set_backend`; nothing where there was none.

    It changes the process default, and the `using` block in which `set_backend` was called, if it is called there too.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.unset_backend()
    """
    _unset("backend")


#: The default of each kind of dtype.
_DEFAULT_OF_KIND = {"f": "default_float", "i": "default_int", "u": "default_uint", "c": "default_complex"}


def _setter(kind: str, words: str, example: str) -> Callable[[DtypeLike], None]:
    """Make ``set_default_<kind>_dtype``."""

    def setter(dtype: DtypeLike, /) -> None:
        _set(f"default_{kind}", dtype)

    setter.__name__ = setter.__qualname__ = name = f"set_default_{kind}_dtype"
    setter.__doc__ = f"""Set the process default of {words} dtypes. `lw.using(default_{kind}=...)` is for one block.

    Parameters
    ----------
    dtype: {words} dtype: ours, a name, or a framework's own. The default uint follows the default int, and the
        default complex the default float, where they are not set by themselves.

    Raises
    ------
    TypeError: for a dtype of another kind.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.{name}(lw.{example})
    >>> lw.default_{kind}_dtype()
    lw.{example}
    >>> lw.un{name}()
    """
    return setter


def _unsetter(kind: str, setter: str) -> Callable[[], None]:
    """Make the function that undoes a `set_default_*`."""

    def unsetter() -> None:
        _unset(kind)

    unsetter.__name__ = unsetter.__qualname__ = f"un{setter}"
    unsetter.__doc__ = f"""Bring back the default from before the last `{setter}`; nothing where there was none.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.un{setter}()
    """
    return unsetter


def set_default_dtype(dtype: DtypeLike, /) -> None:
    """Set the global default dtype, of creation functions that have nothing else to decide by.

    A floating dtype becomes the default float too, an integer the default int or uint, a complex the default
    complex. It is the process default: `lw.using(default_dtype=...)` is for one thread and block.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.set_default_dtype(lw.float64)
    >>> lw.zeros(2).dtype
    lw.float64
    >>> lw.unset_default_dtype()
    >>> lw.zeros(2).dtype
    lw.float32
    """
    resolved = as_dtype(dtype)
    kind = _DEFAULT_OF_KIND.get(resolved.kind)
    _set("default_dtype", resolved, **({kind: resolved} if kind else {}))


set_default_float_dtype = _setter("float", "real floating", "float64")
set_default_int_dtype = _setter("int", "signed integer", "int64")
set_default_uint_dtype = _setter("uint", "unsigned integer", "uint8")
set_default_complex_dtype = _setter("complex", "complex floating", "complex128")
unset_default_dtype = _unsetter("default_dtype", "set_default_dtype")
unset_default_float_dtype = _unsetter("default_float", "set_default_float_dtype")
unset_default_int_dtype = _unsetter("default_int", "set_default_int_dtype")
unset_default_uint_dtype = _unsetter("default_uint", "set_default_uint_dtype")
unset_default_complex_dtype = _unsetter("default_complex", "set_default_complex_dtype")


# --- casting modes ---------------------------------------------------------------------------------------------------


class _Switch:
    """The result of the functions below: dropped, or used as a context manager, which limits the mode to its block."""

    def __init__(self, before: Before, chosen: Any) -> None:
        self._before, self._chosen = before, chosen

    def __repr__(self) -> str:
        return f"<casting modes: {', '.join(self._chosen) or 'none'}>"

    def __enter__(self) -> None:
        restore(self._before)
        self._block = using(casting=self._chosen)
        self._block.__enter__()

    def __exit__(self, *error: object) -> None:
        self._block.__exit__(*error)  # type: ignore[arg-type]


def _switch(names: tuple[str, ...], val: bool) -> _Switch:
    if not isinstance(val, bool):
        raise TypeError(f"val must be True or False; got {val!r}")

    def switched(policy: Policy) -> dict[str, Any]:
        return {"casting": modes({*policy.casting, *names} if val else {*policy.casting} - {*names})}

    return _Switch(change(switched), current().casting)


def upcast_data_types(val: bool = True) -> _Switch:
    """Allow casts to the next wider dtype of the same kind that a function takes.

    Parameters
    ----------
    val: True to allow them, False to forbid them again.

    Called by itself it changes the process default. As a context manager (``with lw.upcast_data_types():``) it
    holds for the block, in this thread or task, as ``lw.using(casting="up")`` does.

    Examples
    --------
    >>> import latticework as lw
    >>> x = lw.asarray([1.0, 0.0], dtype=lw.bfloat16)
    >>> with lw.upcast_data_types():
    ...     lw.fft.fft(x).dtype
    lw.complex64
    """
    return _switch(("up",), val)


def downcast_data_types(val: bool = True) -> _Switch:
    """Allow casts to the next narrower dtype of the same kind that a function takes. See `upcast_data_types`.

    Examples
    --------
    >>> import latticework as lw
    >>> with lw.downcast_data_types():
    ...     lw.casting_modes()
    ('down',)
    """
    return _switch(("down",), val)


def crosscast_data_types(val: bool = True) -> _Switch:
    """Allow casts between integers and floats where a function takes only the others: to the default float, and to
    the default int. See `upcast_data_types`.

    A float becomes an integer as `astype` makes it one.

    Examples
    --------
    >>> import latticework as lw
    >>> with lw.crosscast_data_types():
    ...     lw.bitwise_invert(lw.asarray([1.0, 2.0]))
    Array([-2, -3], dtype=int32)
    """
    return _switch(("cross",), val)


def cast_data_types(val: bool = True) -> _Switch:
    """Allow all three kinds of cast: cross, then up, then down. See `upcast_data_types`.

    Examples
    --------
    >>> import latticework as lw
    >>> with lw.cast_data_types():
    ...     lw.casting_modes()
    ('cross', 'up', 'down')
    """
    return _switch(MODES, val)


def casting_modes() -> tuple[str, ...]:
    """The casting modes in force here, in the order in which they are tried.

    Examples
    --------
    >>> import latticework as lw
    >>> lw.casting_modes()
    ()
    >>> with lw.using(casting=("down", "up")):
    ...     lw.casting_modes()
    ('up', 'down')
    """
    return current().casting
