"""`Layer`: the base of the layers that hold options and call one function with them."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Signature, signature
from typing import Any, ClassVar

from ...core import parameters_of
from ...creation import empty
from ..parameter import Parameter, UninitializedBuffer, UninitializedParameter, is_lazy
from .lazy import LazyModuleMixin
from .module import Module

__all__: list[str] = []


#: Options of losses that `reduction` stands for.
_OLDER = ("size_average", "reduce")


class Layer(Module):
    """A layer whose class is a few words: what it holds, and which function it calls.

    Keywords of a class
    -------------------
    options: the parameters of the constructor as text: ``"alpha=1.0, inplace=False"``. Each becomes an attribute.
    call: the function that `forward` calls, with those options that are parameters of it.
    takes: the parameters of `forward` as text.
    shows: the format of `extra_repr`. All options by default.
    """

    __constants__: ClassVar[list[str]]
    _options: tuple[str, ...] = ()
    _named_constants = False
    _shows: str | None = None

    def __init_subclass__(
        cls,
        options: str | None = None,
        call: Callable[..., Any] | None = None,
        takes: str = "input",
        shows: str | None = None,
        **kw: Any,
    ) -> None:
        super().__init_subclass__(**kw)
        cls._named_constants = cls._named_constants or "__constants__" in vars(cls)
        if options is not None:
            given = _signature(options)
            cls._options = tuple(given.parameters)[1:]
            cls.__init__ = _constructor(given, cls)  # type: ignore[method-assign]
            if not cls._named_constants:
                cls.__constants__ = [name for name in cls._options if name not in (*_OLDER, "weight")]
        if shows is not None or options is not None:
            cls._shows = shows
        if call is not None:
            cls.forward = _forward(call, cls, takes)

    def _set(self, *_: Any, **options: Any) -> None:
        """Make attributes of the options. Families of layers check and convert them here, each by its own keywords."""
        for name, value in options.items():
            setattr(self, name, value)

    def extra_repr(self) -> str:
        """The options, as the representation of the layer shows them."""
        shows = self._shows
        if shows is None:
            shows = ", ".join([f"{name}={{{name}}}" for name in self._options if name != "inplace"])
        text = shows.format(**vars(self))
        if self._shows == "" or "{inplace}" in shows or not vars(self).get("inplace"):
            return text
        return f"{text}, inplace=True" if text else "inplace=True"


def _signature(parameters: str) -> Signature:
    return signature(eval(f"lambda self, {parameters}: None"))


def _constructor(parameters: Signature, cls: type) -> Callable[..., None]:
    def __init__(self: Any, *args: Any, **kw: Any) -> None:
        given = parameters.bind(self, *args, **kw)
        given.apply_defaults()
        Module.__init__(self)
        self._set(**{name: x for name, x in given.arguments.items() if name != "self"})

    return _named(__init__, cls, parameters)


def _forward(call: Callable[..., Any], cls: Any, takes: str) -> Callable[..., Any]:
    known = parameters_of(call)
    names = tuple(
        [name for name in (*cls._options, "training") if name in known and name not in (*takes.split(", "), *_OLDER)]
    )

    def forward(self: Any, *args: Any, **kw: Any) -> Any:
        return call(*args, **kw, **{name: getattr(self, name) for name in names})

    forward.__doc__ = f"Call `torch.nn.functional.{call.__name__}` with the options of the layer."
    return _named(forward, cls, _signature(takes))


def _named(f: Any, cls: type, parameters: Signature) -> Any:
    f.__signature__ = parameters
    f.__qualname__, f.__module__ = f"{cls.__qualname__}.{f.__name__}", cls.__module__
    return f


def hold(module: Module, device: Any, dtype: Any, **shapes: Any) -> None:
    """Register parameters of the given shapes. The shape None registers the name of a parameter that is not there."""
    for name, shape in shapes.items():
        parameter = None if shape is None else Parameter(empty(shape, device=device, dtype=dtype))
        module.register_parameter(name, parameter)


class Lazy(LazyModuleMixin):
    """The base of lazy layers: what is made at the first input, and how."""

    def _wait(self, device: Any, dtype: Any, *names: str, buffers: tuple[str, ...] = ()) -> None:
        """Put parameters and buffers without a shape in the place of those that are there."""
        for name in names:
            setattr(self, name, UninitializedParameter(device=device, dtype=dtype))
        for name in buffers:
            setattr(self, name, UninitializedBuffer(device=device, dtype=dtype))

    def _watch(self) -> None:
        """Do what the constructor of `LazyModuleMixin` does, for layers whose constructor is written of words."""
        self._load_hook = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = self.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)

    def _make(self, **shapes: Any) -> None:
        """Give their shapes to those that have none, and draw the parameters."""
        for name, shape in shapes.items():
            if is_lazy(getattr(self, name)):
                getattr(self, name).materialize(shape)
        x: Any = self
        x.reset_parameters()
