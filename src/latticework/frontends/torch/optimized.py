"""`torch.compile`, and the module that it makes of a module."""

from __future__ import annotations

from functools import partial, update_wrapper
from typing import Any

from .compiling import Compiled
from .nn.modules.module import Module

__all__ = ["OptimizedModule", "compile"]


def compile(
    model=None, *, fullgraph=False, dynamic=None, backend=None, mode=None, options=None, name=None, disable=False,
    recompile_limit=None, isolate_recompiles=False, shapes_spec=None,
):  # fmt: skip
    """Have the calls of a module or a function run as programs of the backend, which `latticework.compile` traces.

    On JAX and TensorFlow their compilers get the programs. A program is kept for each kind of call: the dtypes and
    shapes of tensors, and the values of other arguments. The numbers are those without `compile`, random numbers too.
    What cannot be traced, such as a branch by the value of a tensor, runs as it is. What a function prints, it prints
    when it is traced. On PyTorch nothing is traced: PyTorch records by itself.

    A function with a whole step of training in it, or the method `step` of an optimizer, is one program from its second
    call on: forward, `backward`, clipping and the update. Parameters, buffers, gradients and the state of optimizers
    are what they are without `compile`, and have not changed where a call ends with an error. Learning rates are
    inputs: no scheduler has it compiled anew, and a scheduler may be called in it. A step whose loss is asked for
    (``loss.item()``), which counts in Python or appends to a list, or whose optimizers or parameters have hooks, runs
    as it is. So does each step on Dask.

    Parameters
    ----------
    model: the module or the function. Without one, a decorator is returned.
    fullgraph: whether it is an error if a call cannot be traced.
    backend, disable: "eager" and True give the module or the function as it is. Other names change nothing.
    dynamic, mode, options and what follows: taken, and not looked at.

    Raises
    ------
    TraceError: in a call that cannot be traced, with `fullgraph`.

    Examples
    --------
    >>> import latticework as lw
    >>> import latticework.frontends.torch as torch
    >>> with lw.using(backend="jax"):
    ...     model = torch.compile(torch.nn.Linear(2, 1))
    ...     model(torch.ones(4, 2)).sum().backward()
    >>> [name for name, _ in model.named_parameters()], model.weight.grad
    (['_orig_mod.weight', '_orig_mod.bias'], tensor([[4., 4.]]))
    >>> with lw.using(backend="jax"):
    ...     layer = torch.nn.Linear(2, 1)
    ...     optimizer = torch.optim.AdamW(layer.parameters(), lr=0.1)
    ...     @torch.compile
    ...     def step(x, y):
    ...         loss = ((layer(x) - y) ** 2).mean()
    ...         optimizer.zero_grad()
    ...         loss.backward()
    ...         optimizer.step()
    ...         return loss
    ...     x = torch.rand(8, 2)
    ...     losses = [step(x, x.sum(1, keepdim=True)).item() for _ in range(30)]
    >>> losses[-1] < losses[0]
    True
    """
    if model is None:
        return lambda f: compile(f, fullgraph=fullgraph, backend=backend, disable=disable)
    if disable or backend == "eager":
        return model
    if isinstance(model, Module):
        return OptimizedModule(model, fullgraph)
    return update_wrapper(partial(Compiled(model, fullgraph).call), model)


class OptimizedModule(Module):
    """A module whose calls are compiled. Attributes are those of the module, which is the submodule ``_orig_mod``."""

    def __init__(self, mod: Any, fullgraph: bool = False) -> None:
        super().__init__()
        self.__dict__["_modules"]["_orig_mod"] = mod
        self.__dict__["forward"] = Compiled(mod, fullgraph).call

    def __getattr__(self, name: str) -> Any:
        mod = self.__dict__["_modules"]["_orig_mod"]
        return mod if name == "_orig_mod" else getattr(mod, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.__dict__["_modules"]["_orig_mod"], name, value)

    def train(self, mode=True):
        """Set whether the module is being trained."""
        self.__dict__["training"] = mode
        self._orig_mod.train(mode)
        return self

    def __reduce__(self) -> Any:
        return OptimizedModule, (self._orig_mod,)
