"""A pytest plugin for `tools/upstream.py`: JAX's own tests, with JAX's dialect where they import jax.

A module of tests is run with an `__import__` of its own. `jax` and its public modules are the dialect's there. Of a
private module, such as `jax._src.dtypes`, the functions that are public elsewhere are the dialect's, and the rest is
JAX's. `jax._src.test_util` is JAX's own: it makes arguments with NumPy and compares with NumPy. Where it compiles or
differentiates, it does so with the dialect.

A test that fails is out where a rule says that it needs what the dialect leaves out, as in `upstream_numpy_plugin`. The
class of an error has to be JAX's; its words are our own, and are not looked at.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import sys
from collections.abc import Generator, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import jax
import numpy as np
import pytest
from jax._src import config, public_test_util, test_util
from upstream_tests import (
    Missing,
    judged_by,
    message_of,
    note,
    pytest_addoption,
    pytest_collection_modifyitems,
    pytest_collectreport,
    pytest_configure,
    pytest_runtest_call,
    pytest_runtest_makereport,
    pytest_sessionfinish,
    run_statement,
    told,
)

import latticework.frontends.jax as dialect
from latticework.frontends.array import DialectArray

__all__ = [
    "pytest_addoption", "pytest_collection_modifyitems", "pytest_collectreport", "pytest_configure",
    "pytest_runtest_call", "pytest_runtest_makereport", "pytest_sessionfinish",
]  # fmt: skip

#: The public modules of JAX that the dialect has.
PUBLIC = ("jax", *(f"jax.{name}" for name in dialect.SUBMODULES), "jax.scipy")
#: The class of options of JAX's own, on which its test utilities look.
OPTION = config.State


class Shadow(ModuleType):
    """A module of JAX as the tests see it."""

    loading = 0

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._real = import_module(name)
        self._ours: Any = import_module(f"latticework.frontends.{name}") if name in PUBLIC else None

    def __getattr__(self, name: str) -> Any:
        full = f"{self.__name__}.{name}"
        if full == "jax.enable_x64":
            return enable_x64
        real = getattr(self._real, name, None)
        if full in PUBLIC or (full.startswith("jax._src") and isinstance(real, ModuleType) and name != "test_util"):
            return shadow(full)
        if self._ours is None:
            return self.private(name)
        try:
            return getattr(self._ours, name)
        except AttributeError as error:
            if isinstance(real, (type, ModuleType, OPTION)) or name.startswith("_"):
                return real
            if Shadow.loading and real is not None:
                return Missing(error)
            raise

    def private(self, name: str) -> Any:
        """A name of a private module: the dialect's, if it is a public function of JAX."""
        real = getattr(self._real, name)
        if name == "is_weakly_typed":
            return lambda x: x.weak_type if isinstance(x, DialectArray) else real(x)
        for place in PUBLIC if callable(real) and not isinstance(real, type) else ():
            if getattr(sys.modules.get(place), name, None) is real:
                return getattr(shadow(place), name)
        return real


_SHADOWS: dict[str, ModuleType] = {}


def shadow(name: str) -> ModuleType:
    """The module of JAX with this name, as the tests see it."""
    if name not in _SHADOWS:
        _SHADOWS[name] = Shadow(name)
    return _SHADOWS[name]


class Switch:
    """The 64-bit switch of the dialect, and that of JAX, on which its test utilities look."""

    @property
    def value(self) -> bool:
        """Whether it is on."""
        return bool(config.enable_x64.value)

    @contextlib.contextmanager
    def __call__(self, new_val: bool = True) -> Iterator[None]:
        with jax.enable_x64(new_val), dialect.enable_x64(new_val):
            yield


enable_x64 = Switch()


def importing(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:  # noqa: A002
    """`__import__` in a module of tests."""
    if level or name.partition(".")[0] != "jax":
        return builtins.__import__(name, globals, locals, fromlist, level)
    import_module(name)
    if not fromlist:
        return shadow("jax")
    if name == "jax.test_util" or name.startswith("jax._src.test_util"):
        return sys.modules[name]
    for part in fromlist:
        if not hasattr(sys.modules[name], part):
            import_module(f"{name}.{part}")
    return shadow(name)


# --- JAX's test utilities -------------------------------------------------------------------------------------------


def brought(x: Any) -> Any:
    """An array of the dialect as one of JAX's, which its test utilities promote."""
    if not isinstance(x, DialectArray):
        return x
    made = jax.numpy.asarray(np.asarray(x))
    return jax.lax.convert_element_type(made, x.dtype) if not x.weak_type else made


def compile_and_check(
    self: Any, fun: Any, args_maker: Any, *, check_dtypes: bool = True, tol: Any = None, rtol: Any = None,
    atol: Any = None, check_cache_misses: bool = True,
) -> None:  # fmt: skip
    """Compare what a function gives with what it gives when it is compiled, twice."""
    args = args_maker()
    compiled = dialect.jit(fun)
    for _ in range(2):
        self.assertAllClose(compiled(*args), fun(*args), check_dtypes=check_dtypes, atol=atol or tol, rtol=rtol or tol)


def raises(self: Any, error: Any, words: Any, *args: Any, **kw: Any) -> Any:
    """`assertRaisesRegex`, without a look at the words."""
    return self.assertRaises(error, *args, **kw)  # noqa: PT027


def warns(self: Any, warning: Any, words: Any) -> Any:
    """`assertWarnsRegex`, without a look at the words."""
    return self.assertWarns(warning)


def ours_in_utilities() -> None:
    """Let JAX's test utilities compile, differentiate and promote with the dialect."""
    case: Any = test_util.JaxTestCase
    case._CompileAndCheck, case.assertRaisesRegex, case.assertWarnsRegex = compile_and_check, raises, warns
    for name in ("promote_dtypes", "promote_dtypes_inexact"):
        real = getattr(test_util, name)
        setattr(test_util, name, lambda *args, real=real: real(*map(brought, args)))
    utilities: Any = public_test_util
    utilities.api = dialect
    utilities.tree_map = dialect.tree_util.tree_map
    utilities.tree_reduce = dialect.tree_util.tree_reduce


#: The name by which a class of tests tells of a method that could not be made.
UNMADE = "__upstream_unmade__"


class Methods(ast.NodeTransformer):
    """Puts each method of a class of tests behind `try`: the parameters of one may need what is out."""

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.body = [self._tried(part, node.name) for part in node.body]
        return node

    def _tried(self, part: ast.stmt, of: str) -> ast.stmt:
        if not isinstance(part, ast.FunctionDef) or not part.decorator_list:
            return part
        named = f"{of}::{part.name}"
        call = f"{UNMADE}({named!r}, error, {ast.unparse(part)!r})"
        made = ast.parse(f"try: pass\nexcept Exception as error: {call}").body[0]
        assert isinstance(made, ast.Try)
        made.body = [part]
        return ast.fix_missing_locations(ast.copy_location(made, part))


def unmade(name: str, error: Exception, text: str) -> None:
    """Note a test whose parameters could not be made."""
    note(f"{told.part}::{name}", message_of(error), text)


class Redirected(pytest.Module):
    """A module of tests, loaded with the dialect in JAX's place."""

    def _getobj(self) -> ModuleType:
        ours_in_utilities()
        tree = ast.parse(self.path.read_bytes(), filename=str(self.path))
        module = ModuleType(self.path.stem)
        module.__file__ = str(self.path)
        module.__dict__["__builtins__"] = {**vars(builtins), "__import__": importing, UNMADE: unmade}
        sys.modules[module.__name__] = module
        Shadow.loading += 1
        try:
            for statement in Methods().visit(tree).body:
                run_statement(statement, module)
        finally:
            Shadow.loading -= 1
        return module


# --- what is out ----------------------------------------------------------------------------------------------------

#: Why -> what is in the source of a test that needs what is out: patterns, one a word.
BY_SOURCE = {
    "what JAX makes of a program: jaxprs, its compiler, tracers": r"""
        jaxpr \.lower\( Tracer ConcretizationTypeError \bmlir\. \bbatching\. \bdispatch\. _cache_miss lowerings hlo
        checkpoint_policies saved_residuals \bcore\.\w assert_dot_ check_tracer_leaks TracerArrayConversion
        TracerBoolConversion lax_internal\. lax_control_flow\. cost_analysis __jax_array__ assertCacheMisses
    """,
    "devices and shardings": r"""
        [sS]harding \bmesh PartitionSpec \bpmap shard_map transfer_guard default_device memory_kind donate
        local_devices jax\.devices\( device_put explicit_x64
    """,
    "the strict modes of JAX's promotion": r"""
        numpy_dtype_promotion\(['"]strict numpy_rank_promotion\(['"](?:raise|warn) jax_numpy_dtype_promotion
        strict_promotion explicit_x64
    """,
    "random generators but Threefry": r"rbg\b PRNG_IMPLS prng_impl prng_internal threefry2x32_internal",
    "dtypes of 8 bits and fewer": r"\bu?int[24]\b float8 float4 custom_floats mxfp8 nvfp4 scaled_matmul scaled_dot",
    "kernels of GPUs": r"cudnn Cudnn rocm",
    "objects of Python's runtime": r"weakref gc\. pickle copy\.copy deepcopy inspect\. __cuda_array dlpack",
    "deprecations": r"[dD]eprecat",
}
#: What an error says where what is out was asked for -> why.
BY_ERROR = {
    r"(\S+): latticework's dialect of jax has no such name": "a name that the dialect leaves out",
    r"unrecognized PRNG implementation": "random generators but Threefry",
    r"\bKeyArray\b|key<fry>": "keys as arrays of a dtype, which functions of arrays take",
}

judged_by(BY_SOURCE, BY_ERROR)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, Any, Any]:
    dialect.config.update("jax_enable_x64", config.enable_x64.value)
    return (yield)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    return None if told.itself else Redirected.from_parent(parent, path=module_path)
