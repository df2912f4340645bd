"""`torch.jit`: programs that are scripted or traced run as they are.

TorchScript is PyTorch's own. Here `script` and `trace` give their function or module back, and what marks code for
TorchScript changes nothing. `torch.compile` and `lw.trace` make programs.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from .nn.modules.module import Module

__all__ = [
    "Attribute", "Final", "ScriptFunction", "ScriptModule", "annotate", "export", "freeze", "ignore",
    "is_scripting", "is_tracing", "optimize_for_inference", "script", "script_if_tracing",
    "script_method", "trace", "trace_module", "unused",
]  # fmt: skip


#: What stands for the scripts that PyTorch has compiled.
_PYTORCHS: Any = object()


class ScriptModule(Module):
    """A base of modules that are scripted in PyTorch; here a `Module`. What `script` gives is no instance."""


class ScriptFunction:
    """The class of scripted functions in PyTorch. It has no instances here."""


def script(obj, optimize=None, _frames_up=0, _rcb=None, example_inputs=None):
    """Return a function, a module or a class as it is.

    >>> import latticework.frontends.torch as torch
    >>> @torch.jit.script
    ... def twice(x: torch.Tensor) -> torch.Tensor:
    ...     return 2 * x
    >>> twice(torch.ones(2))
    tensor([2., 2.])
    """
    return obj


def trace(
    func, example_inputs=None, optimize=None, check_trace=True, check_inputs=None, check_tolerance=1e-05, strict=True,
    _force_outplace=False, _module_class=None, _compilation_unit=_PYTORCHS, example_kwarg_inputs=None,
    _store_inputs=True,
):  # fmt: skip
    """Return a function or a module as it is: its branches are decided at each call, not by the example."""
    return func


def trace_module(
    mod, inputs, optimize=None, check_trace=True, check_inputs=None, check_tolerance=1e-05, strict=True,
    _force_outplace=False, _module_class=None, _compilation_unit=_PYTORCHS, example_inputs_is_kwarg=False,
    _store_inputs=True,
):  # fmt: skip
    """Return a module as it is."""
    return mod


def freeze(mod, preserved_attrs=None, optimize_numerics=True):
    """Return a module as it is. Raises RuntimeError where it is in training mode, as PyTorch does."""
    if mod.training:
        raise RuntimeError("Freezing is currently only implemented for modules in eval mode. Please call .eval() first")
    return mod


def optimize_for_inference(mod, other_methods=None):
    """Return a module as it is; where it is in training mode, in evaluation mode."""
    return mod.eval()


def script_if_tracing(fn):
    """Return a function as it is."""
    return fn


def _as_it_is(fn):
    return fn


export = script_method = _as_it_is


def unused(fn):
    """Mark a method as not for TorchScript. It changes nothing."""
    return fn


def ignore(drop=False, **kwargs):
    """Mark a function as Python's: ``@ignore``, or ``@ignore(drop=True)``. It changes nothing."""
    return drop if callable(drop) else _as_it_is


def annotate(the_type, the_value):
    """Return the value."""
    return the_value


class Attribute(NamedTuple):
    """A value of an attribute, and its type."""

    value: Any
    type: Any


def is_scripting() -> bool:
    """Return False: nothing is scripted."""
    return False


def is_tracing() -> bool:
    """Return False: `torch.jit.trace` runs nothing."""
    return False


def _overload(func: Any) -> Any:
    """Return one of several functions for TorchScript as it is: the last one of the name is called."""
    return func


_overload_method = _overload
