"""Functions that are called with the calls of modules: before and after `forward`, and in `backward`."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable
from itertools import count
from typing import Any
from weakref import ref

from ...autograd.recording import is_enabled
from ...core import ops
from ...joining import cat
from ...tensor import Tensor

__all__ = [
    "Hooked",
    "RemovableHandle",
    "register_module_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
    "registered",
]

_ids = count()


class RemovableHandle:
    """What a hook is removed by.

    Parameters
    ----------
    hooks_dict: the table that the hook is in.
    extra_dict: a table, or several, that say more about the hook; its entries there are removed with it.
    """

    def __init__(self, hooks_dict: Any, *, extra_dict: Any = None) -> None:
        tables = extra_dict if isinstance(extra_dict, (list, tuple)) else [extra_dict]
        self.hooks_dict_ref = ref(hooks_dict)
        self.extra_dict_ref = tuple([ref(t) for t in tables if t is not None])
        self.id = next(_ids)

    def remove(self) -> None:
        """Remove the hook. A second call does nothing."""
        for table in (self.hooks_dict_ref, *self.extra_dict_ref):
            found = table()
            if found is not None:
                found.pop(self.id, None)

    def __getstate__(self) -> Any:
        return self.hooks_dict_ref(), self.id, [table() for table in self.extra_dict_ref]

    def __setstate__(self, state: Any) -> None:
        hooks, self.id, extra = state
        self.hooks_dict_ref = ref(OrderedDict() if hooks is None else hooks)
        self.extra_dict_ref = tuple([ref(table) for table in extra if table is not None])

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


#: The hooks of all modules.
_registrations: dict[str, Any] = {"buffer": OrderedDict(), "module": OrderedDict(), "parameter": OrderedDict()}
_before_backward: Any = OrderedDict()
_backward: Any = OrderedDict()
_before: Any = OrderedDict()
_after: Any = OrderedDict()
_always: Any = OrderedDict()
_with_kwargs: Any = OrderedDict()


def _add(table: Any, hook: Any, prepend: bool = False, **flags: Any) -> RemovableHandle:
    """Put a hook into a table, and into those of the flags that are set.

    Parameters
    ----------
    prepend: whether it is called before all others.
    flags: a pair for each: whether it is set, and its table.
    """
    handle = RemovableHandle(table, extra_dict=[of for _, of in flags.values()])
    table[handle.id] = hook
    if prepend:
        table.move_to_end(handle.id, last=False)
    for is_set, of in flags.values():
        if is_set:
            of[handle.id] = True
    return handle


def register_module_buffer_registration_hook(hook):
    """Have ``hook(module, name, buffer)`` called when any module registers a buffer. It may return another one."""
    return _add(_registrations["buffer"], hook)


def register_module_module_registration_hook(hook):
    """Have ``hook(module, name, submodule)`` called when any module registers another. It may return another one."""
    return _add(_registrations["module"], hook)


def register_module_parameter_registration_hook(hook):
    """Have ``hook(module, name, parameter)`` called when any module registers a parameter. It may return another."""
    return _add(_registrations["parameter"], hook)


def register_module_forward_pre_hook(hook):
    """Have ``hook(module, args)`` called before the `forward` of any module. It may return other arguments."""
    return _add(_before, hook)


def register_module_forward_hook(hook, *, with_kwargs=False, always_call=False):
    """Have ``hook(module, args, output)`` called after the `forward` of any module. It may return another output."""
    return _add(_after, hook, kw=(with_kwargs, _with_kwargs), always=(always_call, _always))


def register_module_full_backward_pre_hook(hook):
    """Have ``hook(module, grad_output)`` called before the gradients of any module are computed."""
    return _add(_before_backward, hook)


def register_module_full_backward_hook(hook):
    """Have ``hook(module, grad_input, grad_output)`` called when the gradients of any module are computed."""
    return _add(_backward, hook)


register_module_backward_hook = register_module_full_backward_hook


def registered(kind: str, module: Any, name: str, value: Any) -> Any:
    """Return what a module registers: the value, or what a hook gives in its place."""
    for hook in _registrations[kind].values():
        found = hook(module, name, value)
        value = value if found is None else found
    return value


def hooks_of_all_modules() -> tuple[Any, ...]:
    """Return a value that tells which hooks of all modules are called around `forward`: the number of each."""
    return tuple([tuple(table) for table in (_before, _after, _before_backward, _backward)])


def any_hooks_of_all_modules() -> bool:
    """Return whether there are hooks of all modules that are called around `forward`."""
    return bool(_before or _after or _before_backward or _backward)


class Hooked:
    """The part of `Module` that is about hooks and calls."""

    _holds_state = True  # a program that is traced depends on its attributes: see `tracing.recording.state`
    forward: Callable[..., Any]
    _backward_pre_hooks: Any
    _backward_hooks: Any
    _forward_hooks: Any
    _forward_hooks_with_kwargs: Any
    _forward_hooks_always_called: Any
    _forward_pre_hooks: Any
    _forward_pre_hooks_with_kwargs: Any
    _compiled_call_impl: Any = None

    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        """Have a function called before each `forward`.

        Parameters
        ----------
        hook: ``hook(module, args)``, which may return other arguments: one value, or a tuple of all.
        prepend: whether it is called before the other hooks.
        with_kwargs: whether it is ``hook(module, args, kwargs)``, and returns a pair of both.
        """
        kw = (with_kwargs, self._forward_pre_hooks_with_kwargs)
        return _add(self._forward_pre_hooks, hook, prepend, kw=kw)

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False):
        """Have a function called after each `forward`.

        Parameters
        ----------
        hook: ``hook(module, args, output)``, which may return another output.
        prepend: whether it is called before the other hooks.
        with_kwargs: whether it is ``hook(module, args, kwargs, output)``.
        always_call: whether it is called after an error too, with None as the output.
        """
        kw, always = self._forward_hooks_with_kwargs, self._forward_hooks_always_called
        return _add(self._forward_hooks, hook, prepend, kw=(with_kwargs, kw), always=(always_call, always))

    def register_full_backward_pre_hook(self, hook, prepend=False):
        """Have ``hook(module, grad_output)`` called before the gradients by the inputs are computed.

        It gets the gradients by the outputs in a tuple, and may return others.
        """
        return _add(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(self, hook, prepend=False):
        """Have ``hook(module, grad_input, grad_output)`` called when the gradients by the inputs are computed.

        It gets tuples with None for what is no tensor, and may return another `grad_input`.
        """
        return _add(self._backward_hooks, hook, prepend)

    def register_backward_hook(self, hook):
        """Have a function called in `backward`, as `register_full_backward_hook` does."""
        return _add(self._backward_hooks, hook)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._compiled_call_impl is not None:
            return self._compiled_call_impl(*args, **kwargs)
        return self._call_impl(*args, **kwargs)

    def _call_impl(self, *args: Any, **kwargs: Any) -> Any:
        if not (
            self._forward_hooks or self._forward_pre_hooks or self._backward_hooks or self._backward_pre_hooks
            or _before or _after or _backward or _before_backward
        ):  # fmt: skip
            return self.forward(*args, **kwargs)
        called: set[int] = set()
        state = [args, kwargs, None]
        try:
            return self._with_hooks(state, called)
        except Exception:
            self._after_error(state, called)
            raise

    def _with_hooks(self, state: list[Any], called: set[int]) -> Any:
        """Call `forward` and the hooks around it. `state` has the arguments and the output, also for `_after_error`."""
        for key, hook in [*_before.items(), *self._forward_pre_hooks.items()]:
            if key in self._forward_pre_hooks_with_kwargs:
                found = hook(self, state[0], state[1])
                if found is not None:
                    if not (isinstance(found, tuple) and len(found) == 2):
                        raise RuntimeError(
                            f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {found}."
                        )
                    state[:2] = found
            else:
                found = hook(self, state[0])
                if found is not None:
                    state[0] = found if isinstance(found, tuple) else (found,)
        pre, post = [*_before_backward.values(), *self._backward_pre_hooks.values()], [
            *_backward.values(), *self._backward_hooks.values()
        ]  # fmt: skip
        around = _Backward(self, post, pre) if pre or post else None
        if around is not None:
            state[0] = around.inputs(state[0])
        state[2] = self.forward(*state[0], **state[1])
        for key, hook in [*_after.items(), *self._forward_hooks.items()]:
            if key in self._forward_hooks_always_called or key in _always:
                called.add(key)
            found = self._run_after(key, hook, state)
            state[2] = state[2] if found is None else found
        if around is not None:
            state[2] = around.outputs(state[2])
        return state[2]

    def _run_after(self, key: int, hook: Any, state: list[Any]) -> Any:
        args, kwargs, output = state
        if key in self._forward_hooks_with_kwargs or key in _with_kwargs:
            return hook(self, args, kwargs, output)
        return hook(self, args, output)

    def _after_error(self, state: list[Any], called: set[int]) -> None:
        """Call the hooks that are called always, and were not yet."""
        for key, hook in [*_after.items(), *self._forward_hooks.items()]:
            if key in called or not (key in self._forward_hooks_always_called or key in _always):
                continue
            try:
                found = self._run_after(key, hook, state)
                state[2] = state[2] if found is None else found
            except Exception as error:
                warnings.warn(
                    "module forward hook with ``always_call=True`` raised an exception that was silenced as another "
                    f"error was raised in forward: {error}",
                    stacklevel=3,
                )


class _Backward:
    """The hooks around the backward of one call of a module."""

    def __init__(self, module: Any, hooks: list[Any], before: list[Any]) -> None:
        self.module, self.hooks, self.before = module, hooks, before
        self.grad_outputs: tuple[Any, ...] | None = None
        self.recorded = False
        self.count = 0

    def inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the arguments, with tensors whose gradients the hooks get."""
        self.count = len(args)
        found, self.recorded = _through(args, self.of_inputs)
        return found

    def outputs(self, result: Any) -> Any:
        """Return the result, with tensors whose gradients are kept for the hooks."""
        if not isinstance(result, (Tensor, tuple)):
            warnings.warn(
                "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received "
                f"{type(result)}",
                stacklevel=5,
            )
        if isinstance(result, tuple):
            return _through(result, self.of_outputs)[0]
        return _through((result,), self.of_outputs)[0][0]

    def of_inputs(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        """Call the hooks: the gradients by the inputs are there."""
        if self.grad_outputs is None:
            return grads
        for hook in self.hooks:
            found = hook(self.module, grads, self.grad_outputs)
            if found is not None:
                found = found if isinstance(found, tuple) else (found,)
                if len(found) != len(grads):
                    raise RuntimeError(
                        "Backward hook returned an invalid number of grad_input, "
                        f"got {len(found)}, but expected {len(grads)}"
                    )
                grads = found
        self.grad_outputs = None
        return grads

    def of_outputs(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        """Call the hooks that come before, and all others if no input needs a gradient."""
        for hook in self.before:
            found = hook(self.module, grads)
            if found is not None:
                found = found if isinstance(found, tuple) else (found,)
                if len(found) != len(grads):
                    raise RuntimeError(
                        "Backward pre hook returned an invalid number of grad_output, "
                        f"got {len(found)}, but expected {len(grads)}"
                    )
                grads = found
        self.grad_outputs = grads
        if not self.recorded:
            warnings.warn(
                "Full backward hook is firing when gradients are computed with respect to module outputs since no "
                "inputs require gradients",
                stacklevel=2,
            )
            for hook in self.hooks:
                found = hook(self.module, (None,) * self.count, grads)
                if found is not None and any(g is not None for g in found):
                    raise RuntimeError(
                        "Backward hook for Modules where no input requires gradient should always return None or None "
                        "for all gradients."
                    )
            self.grad_outputs = None
        return grads


def _through(values: tuple[Any, ...], call: Callable[[tuple[Any, ...]], tuple[Any, ...]]) -> tuple[Any, bool]:
    """Pass the tensors among values through one recorded tensor, by which the gradients come together.

    Parameters
    ----------
    call: it is called with a tuple of the gradients, and returns what goes on. They are zeros for tensors that need
        none, and None for other values.

    Returns
    -------
    The values, and whether there is a tensor among them that needs a gradient.
    """
    places = [i for i, x in enumerate(values) if type(x) is Tensor and x.requires_grad] if is_enabled() else []
    if not places:
        return values, False
    given = [values[i] for i in places]
    whole = given[0].clone() if len(given) == 1 else cat([x.reshape(-1) for x in given])

    def parts(x: Any, like: list[Any]) -> list[Any]:
        if len(like) == 1:
            return [x]
        flat = x.split([y.numel() for y in like])
        return [part.reshape(y.shape).to(y.dtype) for part, y in zip(flat, like, strict=True)]

    def hook(gradient: Any) -> Any:
        grads: list[Any] = [ops.zeros_like(x) if isinstance(x, Tensor) else None for x in values]
        for i, g in zip(places, parts(gradient, given), strict=True):
            grads[i] = g
        found = call(tuple(grads))
        chosen = [found[i] for i in places]
        chosen = [ops.zeros_like(x) if g is None else g for x, g in zip(given, chosen, strict=True)]
        return chosen[0] if len(chosen) == 1 else cat([g.reshape(-1).to(gradient.dtype) for g in chosen])

    whole.register_hook(hook)
    made = [*values]
    for i, x in zip(places, parts(whole, given), strict=True):
        made[i] = x
    kind = type(values)
    return (tuple(made) if kind is tuple else kind(*made)), True
