"""Values, arrays, and trees of values and plain data, made from the description of a graph."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ...backend import get
from ...backend.facts import all_facts
from ...core.dtypes import Dtype
from ...core.trees import LEAF, Structure
from ...engine.arrays.array import wrapped
from ...errors import GraphFileError
from ..nodes import Constant, Value
from .encoding import LONGEST, RESULTS
from .plain_data import (
    DEEPEST,
    dtype_named,
    extents,
    fields,
    integer,
    listed,
    one_of,
    shown,
    text,
    truth,
    wanted,
    wrong,
)  # fmt: skip

if TYPE_CHECKING:
    from ...backend import Backend
    from ...core.signature import Sig

__all__ = ["Values"]

_SCALAR_TYPES = {"bool": bool, "int": int, "float": float, "complex": complex, "None": type(None)}
_WIDEST = 1 << 12  # bits of an int
_LEAVES = frozenset(
    ("ellipsis", "float", "complex", "dtype", "native dtype", "type", "device", "native", "array", "scalar")
)


class Values:
    """Reads the arrays and the values of a description, and what refers to them.

    Attributes
    ----------
    values: the values, by their numbers.
    known: the ids of those that are computed before what is read next.
    """

    def __init__(self, data: dict[str, Any], arrays: list[Any]) -> None:
        self.data = data
        frameworks = [key for key, facts in all_facts().items() if facts.framework]
        self.backend: Backend = get(one_of(data["backend"], "the backend", frameworks))
        self.devices: dict[str, Any] = {}
        self.traced: Any = get(f"traced:{self.backend.name}")
        self.arrays = [
            self.native(x, facts) for x, facts in zip(arrays, listed(data["arrays"], "the arrays"), strict=True)
        ]
        self.values = [self.value(x) for x in listed(data["values"], "the values")]
        self.known: set[int] = {id(v) for v in self.values if isinstance(v, Constant)}

    def sig(self, dtype: Any, weak: Any) -> Sig:
        found = self.backend.sig(dtype_named(dtype, "the dtype of an array"))
        return found.weakly if truth(weak, "whether an array is weak") else found

    def value(self, x: Any) -> Value:
        if type(x) is dict:
            found = fields(x, "a constant", ("native", "name", "held"))
            native = self.arrays[self.array_number(found["native"])]
            dtype = self.backend.dtypes[self.backend.dtype_of(native)]
            return Constant(
                native, dtype, tuple(self.backend.shape_of(native)), wanted(found["name"]),
                truth(found["held"], "whether the program holds a constant"),
            )  # fmt: skip
        dtype, shape, inputs, element = listed(x, "a value", 4)
        bits = 1 << len(listed(self.data["arguments"], "the arguments"))
        return Value(
            dtype_named(dtype, "the dtype of a value"), extents(shape, "the shape of a value"),
            integer(inputs, "the inputs of a value", 0, bits), truth(element, "whether a value is an element"),
        )  # fmt: skip

    def array_number(self, x: Any) -> int:
        return integer(x, "the number of an array", 0, len(self.arrays))

    def native(self, data: Any, facts: dict[str, Any]) -> Any:
        """Make the framework's array with these elements."""
        backend = self.backend
        backend.sig(dtype_named(facts["dtype"], "the dtype of an array"))
        device = self.device(facts["device"])
        if facts["order"] == "F" and data.ndim > 1 and not backend.facts.immutable:
            permuted: Any = backend.function("permute_dims")
            found = permuted(backend.from_numpy(data.T, device, True), tuple(range(data.ndim))[::-1])
        else:
            found = backend.from_numpy(data, device, True)
        if truth(facts["element"], "whether an array is an element"):
            if data.shape != () or backend.name != "numpy":
                wrong(f"an array of the shape {data.shape} is said to be an element")
            found = found[()]
        if truth(facts["weak"], "whether an array is weak") and backend.weakened is not None:
            found = backend.weakened(found)
        return found

    def device(self, x: Any) -> Any:
        """Return the framework's device of a name: one object for each name."""
        try:
            if x not in self.devices:
                self.devices[x] = self.backend.native_device(str(self.backend.device(text(x, "a device"))))
            return self.devices[x]
        except (ValueError, TypeError) as error:
            raise GraphFileError(f"the graph uses a device that is not here: {error}") from None

    def number(self, x: Any) -> Value:
        """Return the value with a number."""
        return self.values[integer(x, "the number of a value", 0, len(self.values))]

    def known_value(self, x: Any) -> Value:
        """Return the value with a number, which must have been computed before."""
        found = self.number(x)
        if id(found) not in self.known:
            wrong(f"value {x} is used before it is computed")
        return found

    # --- trees --------------------------------------------------------------------------------------------------------

    def structure(self, x: Any, depth: int = 0) -> Structure:
        if depth > DEEPEST:
            wrong("its arguments are nested too deep")
        if x == "leaf":
            return LEAF
        if x is None:
            return Structure(type(None))
        kind, parts = self.tagged(x)
        if kind == "dict":
            pairs = [listed(pair, "a pair of a dict", 2) for pair in listed(parts, "a dict")]
            keys = [_key(key) for key, _ in pairs]
            if len({*keys}) < len(keys):
                wrong("a dict has a key twice")
            found = {key: self.structure(child, depth + 1) for key, (_, child) in zip(keys, pairs, strict=True)}
            try:
                ordered = sorted(keys)
            except TypeError:
                wrong("a dict has names and ints as keys")
            order = None if ordered == keys else tuple(keys)
            return Structure(dict, tuple(ordered), tuple([found[key] for key in ordered]), order=order)
        if kind == "result":
            result, parts = listed(parts, "a result", 2)
            module = import_module(f"latticework.api.{RESULTS[one_of(result, 'a result', RESULTS)]}")
            named: Any = getattr(module, result)
            children = tuple([self.structure(y, depth + 1) for y in listed(parts, result, len(named._fields))])
            return Structure(named, named._fields, children)
        container = {"tuple": tuple, "list": list}[one_of(kind, "a container", ("tuple", "list"))]
        children = tuple([self.structure(y, depth + 1) for y in listed(parts, "a container")])
        return Structure(container, tuple(range(len(children))), children)

    def tagged(self, x: Any) -> tuple[str, Any]:
        """Return the key and the value of a dict with one key."""
        if type(x) is not dict or len(x) != 1:
            wrong(f"{shown(x)} is no description")
        ((kind, value),) = x.items()
        return kind, value

    def tree(self, x: Any, made: bool = False, depth: int = 0) -> Any:
        """Make a tree of values and plain data.

        Parameters
        ----------
        made: whether its values are the results of a call, which are not known yet.
        """
        if depth > DEEPEST:
            wrong("its data are nested too deep")
        if x is None or type(x) in (bool, float):
            return x
        if type(x) is int:
            return integer(x, "a number", -(1 << _WIDEST), 1 << _WIDEST)
        if type(x) is str:
            return x if len(x) <= LONGEST else wrong("a text is too long")
        if type(x) is list:
            return [self.tree(y, made, depth + 1) for y in x]
        kind, value = self.tagged(x)
        if kind == "value":
            return self.number(value) if made else self.known_value(value)
        if kind == "tuple":
            return tuple([self.tree(y, made, depth + 1) for y in listed(value, "a tuple")])
        if kind == "slice":
            return slice(*[self.tree(y, made, depth + 1) for y in listed(value, "a slice", 3)])
        if kind == "dict":
            pairs = [listed(pair, "a pair of a dict", 2) for pair in listed(value, "a dict")]
            return {_key(key): self.tree(y, made, depth + 1) for key, y in pairs}
        if kind not in _LEAVES:
            wrong(f"{shown(kind)} is no kind of data")
        read: Callable[[Any], Any] = getattr(self, f"read_{kind.replace(' ', '_')}")
        return read(value)

    def read_ellipsis(self, x: Any) -> Any:
        return Ellipsis if x is None else wrong("an ellipsis has a value")

    def read_float(self, x: Any) -> float:
        return float(one_of(x, "a number", ("nan", "inf", "-inf")))

    def read_complex(self, x: Any) -> complex:
        real, imag = [self.tree(y) for y in listed(x, "a complex number", 2)]
        if type(real) is not float or type(imag) is not float:
            wrong("the parts of a complex number are no floats")
        return complex(real, imag)

    def read_dtype(self, x: Any) -> Dtype:
        return dtype_named(x, "a dtype")

    def read_native_dtype(self, x: Any) -> Any:
        dtype = dtype_named(x, "a dtype")
        self.backend.sig(dtype)
        return self.backend.native_dtypes[dtype]

    def read_type(self, x: Any) -> type:
        return _SCALAR_TYPES[one_of(x, "the class of a scalar", _SCALAR_TYPES)]

    def read_device(self, x: Any) -> Any:
        return self.device(x)

    def read_native(self, x: Any) -> Any:
        return self.arrays[self.array_number(x)]

    def read_array(self, x: Any) -> Any:
        number, dtype, weak = listed(x, "an array", 3)
        data, sig = self.arrays[self.array_number(number)], self.sig(dtype, weak)
        if self.backend.dtypes[self.backend.dtype_of(data)] is not sig.dtype:
            wrong(f"an array is said to be of {sig.dtype}")
        return wrapped(self.backend.native(data), sig)

    def read_scalar(self, x: Any) -> Any:
        """A scalar of NumPy's."""
        import numpy as np

        dtype, value = listed(x, "a scalar", 2)
        native = get("numpy").native_dtypes.get(dtype_named(dtype, "the dtype of a scalar"))
        value = self.tree(value)
        if native is None or type(value) not in (bool, int, float, complex):
            wrong(f"a scalar of {dtype} is {shown(value)}")
        try:
            return np.asarray(value, dtype=native)[()]
        except (OverflowError, TypeError, ValueError) as error:
            wrong(f"a scalar of {dtype}: {error}")


def _key(x: Any) -> Any:
    """A key of a dict."""
    if type(x) not in (str, int) or (type(x) is str and not x.isprintable()):
        wrong(f"the key of a dict is {shown(x)}")
    return x
