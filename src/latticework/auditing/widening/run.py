"""The run of a program that is watched for widening."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from ...api.inference import Spec
from ...backend import get
from ...engine.arrays.array import Array
from ...engine.functions.without_data import restored, stand_in
from ...policy import current
from ..following import followed, framework_of
from ..places import is_library, place_of
from ..recording import run_of
from ..report import Stop
from .instrumenting import Instrumented
from .report import Widenings
from .values import name_of, values
from .watching import Watch, chosen

__all__ = ["program_widenings", "watched", "watching", "widenings"]


@contextmanager
def watching(watch: Watch, inside: Sequence[str] = ()) -> Iterator[Instrumented]:
    """Watch what runs in a block, in this thread. Functions are met when they are called from those that were met."""
    probe = Instrumented(watch, inside)
    with probe.running(), watched(probe):
        yield probe


@contextmanager
def watched(probe: Instrumented) -> Iterator[None]:
    """Watch a block with a probe that runs: PyTorch's calls in it too, if it was imported."""
    with ExitStack() as stack:
        if "torch" in sys.modules:
            _enter_torch(stack, probe.watch)
            probe.elsewhere = frozenset(("torch",))
        yield


def _enter_torch(stack: ExitStack, watch: Watch) -> None:
    import torch

    from .pytorch import TorchWatch

    stack.enter_context(TorchWatch(watch))
    if "torch._dynamo" in sys.modules:
        stack.enter_context(torch.compiler.set_stance("force_eager"))  # else torch.compile hides the calls


def widenings(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kw: dict[str, Any],
    *,
    widening: Any,
    casts: bool = False,
    rules: Any = None,
    inside: Sequence[str] = (),
) -> Widenings:
    """Run a function and report what became wider. See `latticework.audit`."""
    watch = Watch(chosen(widening))
    given_arrays = (v.framework for v in values((args, kw), 4) if not isinstance(v.data, Spec) and not v.listed)
    framework = framework_of(function, given_arrays) if rules is None else ""
    name = getattr(function, "__name__", type(function).__name__)

    def run() -> None:
        given, named = _made(args, framework), {n: _made(x, framework) for n, x in kw.items()}
        if framework == "torch":
            import torch  # noqa: F401 (the mode needs it before the run)
        if framework == "jax":
            import jax

            jax.clear_caches()  # what was traced before would not be seen
        with watching(watch, inside) as probe:
            probe.meet(function)
            function(*given, **named)

    def run_without_data() -> None:
        policy = run_of(rules).policy
        with restored(function), followed(function, policy, own=rules is None) as call:
            given, named = (
                [call.given(_made(x, "latticework")) for x in args],
                {n: call.given(_made(x, "latticework")) for n, x in kw.items()},
            )
            with watching(watch, inside) as probe:
                probe.meet(function)
                call.program(*given, **named)

    return _report(name, watch, casts, _stopped(run if framework not in ("", "latticework") else run_without_data))


def program_widenings(
    file: str, arguments: Sequence[str] = (), *, widening: Any, casts: bool = False, inside: Sequence[str] = ()
) -> Widenings:
    """Run a file as ``python file`` does, and report what became wider."""
    watch = Watch(chosen(widening))
    path = Path(file)
    source = path.read_text(encoding="utf-8")
    compile(source, file, "exec")

    def run() -> None:
        module = ModuleType("__main__")
        module.__file__ = file
        before = sys.modules.get("__main__"), sys.argv, [*sys.path]
        sys.modules["__main__"], sys.argv = module, [file, *arguments]
        sys.path.insert(0, str(path.parent))
        try:
            _import_torch(source)
            with watching(watch, inside) as probe:
                code = probe.module_code(source, str(path.absolute()))
                exec(code or source, module.__dict__)
        finally:
            sys.argv = before[1]
            sys.path[:] = before[2]
            if before[0] is not None:
                sys.modules["__main__"] = before[0]

    return _report(path.name, watch, casts, _stopped(run))


def _import_torch(source: str) -> None:
    """Import PyTorch where a program does, before its first call."""
    if "torch" in source and find_spec("torch"):
        import_module("torch")
        if "torch.compile" in source:
            import_module("torch._dynamo")


def _stopped(run: Callable[[], None]) -> Stop | None:
    """Run, and return the error that ended it with its line."""
    try:
        run()
    except (SystemExit, Exception) as error:
        if isinstance(error, SystemExit) and not error.code:
            return None
        traceback, place = error.__traceback__, None
        while traceback is not None:
            if not is_library(traceback.tb_frame):
                place = place_of(traceback.tb_frame.f_code, traceback.tb_lasti)
            traceback = traceback.tb_next
        return Stop(place, (), f"{type(error).__name__}: {error}")
    return None


def _report(name: str, watch: Watch, casts: bool, stop: Stop | None) -> Widenings:
    order = ("float8_e4m3fn", "float8_e5m2", "float16", "bfloat16", "float32", "float64")
    dtypes = tuple(d for d in order if d in watch.dtypes and not (d.startswith("float8") and len(watch.dtypes) > 2))
    return Widenings(name, dtypes, watch.calls, tuple(watch.found), tuple(watch.casts) if casts else (), stop)


# --- arguments --------------------------------------------------------------------------------------------------------


def _made(tree: Any, framework: str) -> Any:
    """Make the arguments of a run: a `Spec` is an array of ones, and without data for a program of latticework."""
    if isinstance(tree, Spec) or (isinstance(tree, Array) and framework == "latticework"):
        return _array(tree, framework)
    if isinstance(tree, dict):
        return {key: _made(x, framework) for key, x in tree.items()}
    if isinstance(tree, (list, tuple)):
        parts = [_made(x, framework) for x in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    return tree


def _array(x: Any, framework: str) -> Any:
    if framework == "latticework":
        return stand_in(x, get(current().backend), "cpu")
    shape, name = tuple(2 if n is None else n for n in x.shape), name_of(x.dtype)
    if framework == "torch":
        import torch

        return torch.ones(shape, dtype=getattr(torch, name))
    if framework == "jax":
        import jax.numpy as jnp

        return jnp.ones(shape, dtype=name)
    if framework == "tensorflow":
        import tensorflow as tf

        return tf.ones(shape, dtype=name)
    import ml_dtypes
    import numpy as np

    return np.ones(shape, dtype=getattr(ml_dtypes, name, name))
