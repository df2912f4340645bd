"""Imports of a framework that give its dialect: in a block, a script or a process, installed packages included.

An import statement calls `builtins.__import__`. While a `Redirection` is in force that function is `Redirection.take`.
It looks at who imports: where that is the program or a package that is redirected, ``import torch`` gives the dialect.
Frameworks, the standard library and latticework get what they always get. Modules that are loaded on the way
(`Finder`) keep `take` as the ``__import__`` of their own builtins, so that a function of a package that imports the
framework when it is called gets the dialect too, also after the block. Packages with the dialect in them leave
`sys.modules` with the block.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from importlib import import_module
from threading import RLock
from types import ModuleType
from typing import Any

from ..policy import current
from ..settings import using
from . import dialect_names
from .import_files import Finder, compiled_for, installed, is_compiled_for, itself_in
from .import_views import views
from .naming import PREFIX

__all__ = ["FRAMEWORKS", "Redirection", "loaded", "redirected", "redirecting", "root_of"]

#: Modules of other packages that have a part for a framework, which its dialect has too.
_BESIDE = {"safetensors": "torch", "safetensors.torch": "torch"}
#: What the modules of a framework are called beside its own name.
_PARTS = {"jaxlib": "jax", "_jax": "jax", "torchgen": "torch", "functorch": "torch"}
#: The packages that always get what they ask for: frameworks, and what they and latticework are made of.
FRAMEWORKS = frozenset(
    "numpy torch torchgen functorch jax jaxlib opt_einsum tensorflow keras dask distributed max mlx paddle latticework "
    "ml_dtypes pkg_resources setuptools _distutils_hack".split()
)
#: The standard library, and code that is no module's.
_STANDARD = sys.stdlib_module_names - {"__main__"} | {""}
#: The redirection of a block, and that of the process.
_BLOCK: ContextVar[Redirection | None] = ContextVar("the redirection of this block", default=None)
_PROCESS: list[Redirection] = []
#: The redirections of blocks, by what they redirect and their backend: another block takes up their packages.
_KEPT: dict[Any, Redirection] = {}
#: Inside of an import: whether it is by a module that is redirected. None outside of imports.
_FOLLOWS: ContextVar[bool | None] = ContextVar("whether imports are followed", default=None)


# --- the dialects as modules ------------------------------------------------------------------------------------------


def root_of(name: str) -> str:
    """Return the framework of a module."""
    root = name.partition(".")[0]
    return _PARTS.get(root, root)


def loaded(name: str, framework: str) -> ModuleType:
    """Load a module of a dialect, by its name and by that of the framework's module.

    Raises
    ------
    ModuleNotFoundError: the dialect has no such module; the error says why, if that is known.
    """
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if not str(error.name).startswith(PREFIX):
            raise
        package, _, inner = name.rpartition(".")
        own = getattr(sys.modules.get(package), inner, None)
        if isinstance(own, ModuleType):  # the framework's own module is the dialect's, as numpy.char
            return own
        why = _reason(framework)
        if _is_private(framework):
            why = f". It is private to {framework.partition('.')[0]}: only public names can run on another framework"
        raise ModuleNotFoundError(
            f"{framework}: latticework's dialect has no such module{why}", name=framework
        ) from None


def _is_private(name: str) -> bool:
    root, *parts = name.split(".")
    return any(part.startswith("_") and not part.startswith("__") for part in parts) or (
        root in ("jaxlib", "torchgen", "functorch") or name.startswith(("tensorflow.python", "tensorflow.core"))
    )


def _reason(name: str) -> str:
    """Return why a dialect lacks a name, from its coverage; empty if the coverage does not say."""
    root, _, rest = name.partition(".")
    try:
        absent = import_module(f"{PREFIX}{root}.coverage").ABSENT
    except (ModuleNotFoundError, AttributeError):
        return ""
    names = {name, f"{root}.{rest.partition('.')[0]}", f"tf.{rest.partition('.')[0]}"}
    return "".join(f". {why}" for group, why in absent.items() if names & {n.strip() for n in group.split(",")})


def _dialect_of(name: str, fromlist: Any, names: Sequence[str]) -> ModuleType | None:
    """Return what an import of a framework binds in the place of it, its dialect; None of any other import."""
    root = root_of(name)
    beside = _BESIDE.get(name)
    ours = PREFIX if root in names else f"{PREFIX}{beside}." if beside in names else ""
    if not ours or (type(fromlist) is list and not fromlist):  # code in C imports so, as NumPy's does to print a dtype
        return None
    module = loaded(f"{ours}{name}", name)
    if not fromlist:
        top = name.partition(".")[0]
        return loaded(f"{ours}{top}", top)
    for part in fromlist:
        if part != "*" and not hasattr(module, part):
            try:
                import_module(f"{module.__name__}.{part}")
            except ModuleNotFoundError:
                full = f"{name}.{part}"
                raise ImportError(
                    f"{full}: latticework's dialect of {root} has no such name{_reason(full)}", name=full
                ) from None
    return module


# --- a redirection ----------------------------------------------------------------------------------------------------


class Redirection:
    """Imports of frameworks that give their dialects, and the packages that were imported so.

    Attributes
    ----------
    frameworks: the names of the frameworks.
    packages: the packages that got a dialect, or imported one that did, in the order in which they were imported.
    """

    def __init__(
        self, frameworks: Sequence[str], only: Sequence[str] | None = None, without: Sequence[str] = ()
    ) -> None:
        """Make a redirection.

        Parameters
        ----------
        only: the installed packages that are redirected; None for all.
        without: packages that are not.
        """
        for name in frameworks:
            import_module(f"{PREFIX}{name}")
        self.frameworks, self.only, self.without = tuple(frameworks), only, frozenset(without)
        self.packages: list[str] = []
        self._real: Callable[..., Any] = builtins.__import__
        self._known: dict[str, bool] = {}
        self._checked: set[str] = set()
        self._views = views(self)
        self._finder = Finder(self.follows, self.take, self._refuse_extension)
        self._before: frozenset[str] = frozenset()
        self._modules: dict[str, ModuleType] = {}
        self._covered: dict[str, ModuleType] = {}
        self._lock, self._inside = RLock(), 0

    # --- its packages in sys.modules ----------------------------------------------------------------------------------

    def begin(self, real: Callable[..., Any]) -> None:
        """Begin a block: `real` is what imports where nothing is redirected."""
        if not self._inside:
            self._real = real
            self._before = frozenset(sys.modules) - self._modules.keys()
            self._checked.clear()
            self._known.clear()
        self.enter()

    def enter(self) -> None:
        """Put the packages into `sys.modules`, and find modules for them."""
        self._inside += 1
        if self._inside == 1:
            self._covered = {name: sys.modules[name] for name in self._modules if name in sys.modules}
            sys.modules.update(self._modules)
            sys.meta_path.insert(0, self._finder)

    def leave(self) -> None:
        """Take the packages with a dialect out of `sys.modules`, and the program's own modules."""
        self._inside -= 1
        if self._inside:
            return
        sys.meta_path.remove(self._finder)
        for name in [*sys.modules]:
            package = name.partition(".")[0]
            own = name in self._finder.found and not installed(package)
            if name not in self._before and (own or package in self.packages):
                self._modules[name] = sys.modules.pop(name)
        sys.modules.update(self._covered)

    @contextmanager
    def _imports(self) -> Iterator[None]:
        """An import by a module that is redirected: it finds its packages, also after the block."""
        token = _FOLLOWS.set(True)
        with self._lock:
            self.enter()
            try:
                yield
            finally:
                self.leave()
                _FOLLOWS.reset(token)

    # --- an import ----------------------------------------------------------------------------------------------------

    def take(self, name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:  # noqa: A002
        """Import as `builtins.__import__` does, with dialects for the modules that are redirected."""
        importer = root_of((globals or {}).get("__name__") or "")
        if importer in _STANDARD:
            return self._real(name, globals, locals, fromlist, level)
        if _FOLLOWS.get() is False or not self.redirects(importer):
            token = _FOLLOWS.set(False)
            try:
                return self._real(name, globals, locals, fromlist, level)
            finally:
                _FOLLOWS.reset(token)
        target = name.partition(".")[0] if level == 0 else importer
        if level == 0:
            found = self.dialect(name, fromlist)
            if found is not None:
                self.links(importer, None)
                return found
            view = self._views.get(name if fromlist else target)
            if view is not None:
                self._real(name, globals, locals, fromlist, level)
                return view
            self.check(target)
            if not self.redirects(target):
                return self._real(name, globals, locals, fromlist, level)
        with self._imports():
            found = self._real(name, globals, locals, fromlist, level)
        self.links(importer, target)
        return found

    def dialect(self, name: str, fromlist: Any = ()) -> ModuleType | None:
        """Return the dialect that an import names, None if it names none. An error names the line that imports."""
        try:
            return _dialect_of(name, fromlist, self.frameworks)
        except ImportError as error:
            raise type(error)(f"{error}{_importing_line()}", name=error.name) from None

    def links(self, importer: str, package: str | None) -> None:
        """Note that a package has imported another, which may have a dialect in it, or a dialect (None)."""
        if importer in self.packages or importer in self._before or importer in ("", "__main__"):
            return
        if package is None or package in self.packages:
            self.packages.append(importer)

    def follows(self, name: str) -> bool:
        """Return whether a module that is searched for now is loaded for the program that is redirected."""
        package = name.partition(".")[0]
        follows = _FOLLOWS.get()
        if _in_force() is self if follows is None else follows:
            return self.redirects(package)
        self._known.setdefault(package, False)
        return False

    def redirects(self, package: str) -> bool:
        """Return whether the imports of a package are redirected."""
        found = self._known.get(package)
        if found is None:
            found = self._known[package] = self._redirects(package)
        return found

    def _redirects(self, package: str) -> bool:
        if package in FRAMEWORKS or package in _STANDARD or package in self.without:
            return False
        if package == "__main__" or not installed(package):  # the program itself, whatever it was started by
            return True
        if package in self._before or (self.only is not None and package not in self.only):
            return False
        # NumPy's arrays go into compiled code through __array__: such a package can stay as it is
        return not ("numpy" in self.frameworks and compiled_for("numpy", package))

    # --- what cannot be redirected ------------------------------------------------------------------------------------

    def check(self, package: str) -> None:
        """Refuse a package that has the framework itself already, or code that was compiled for it."""
        if package in self._checked:
            return
        self._checked.add(package)
        left = package in self.without or (self.only is not None and package not in self.only)
        if package in FRAMEWORKS or package in _STANDARD or (left and installed(package)):
            return
        for framework in self.frameworks:
            files = compiled_for(framework, package) if framework != "numpy" else ()
            if files:
                self._checked.discard(package)
                raise _refusal(package, f"has code that was compiled for {framework}, in {files[0]}", framework)
        if package not in self._before:
            return
        where = itself_in(package, self.frameworks, FRAMEWORKS | _STANDARD)
        if where is not None:
            self._checked.discard(package)
            raise ImportError(
                f"{package} was imported before this block, with {where[1]} itself: {where[0]} names it. Import "
                f"{package} in the block first, or run the program by itself: "
                f"latticework run --as {where[1]}{_importing_line()}",
                name=package,
            )

    def _refuse_extension(self, name: str, path: str) -> None:
        for framework in self.frameworks:
            if framework != "numpy" and is_compiled_for(framework, path):
                raise _refusal(name, f"is code that was compiled for {framework}, in {path}", framework)


@contextmanager
def redirecting(redirection: Redirection, *, process: bool = False) -> Iterator[Redirection]:
    """A block in which a redirection holds: in this thread, or with `process` in all of them."""
    outer = _in_force()
    original = _patch(+1)
    redirection.begin(original if outer is None or outer is redirection else outer.take)
    token = None if process else _BLOCK.set(redirection)
    if process:
        _PROCESS.append(redirection)
    try:
        yield redirection
    finally:
        if token is None:
            _PROCESS.remove(redirection)
        else:
            _BLOCK.reset(token)
        _patch(-1)
        redirection.leave()


@contextmanager
def redirected(
    frameworks: str | Sequence[str],
    /,
    *,
    backend: str | None = None,
    only: str | Sequence[str] | None = None,
    except_: str | Sequence[str] = (),
) -> Iterator[Redirection]:
    """Give programs and installed packages a framework's dialect where they import the framework.

    In the block ``import torch`` gives latticework's dialect of PyTorch: to the block itself, and to every package that
    is imported in it. A package that others wrote for PyTorch so runs on another framework, untouched. The framework
    need not be installed.

    Parameters
    ----------
    frameworks: the frameworks that the packages import: ``"torch"``, ``"jax"``, ``"tensorflow"``, ``"numpy"``; one, or
        several.
    backend: the framework that computes in the block. None leaves the backend in force.
    only: the installed packages that are redirected. None stands for all. Code that is not installed always is.
    except_: packages that are left alone. They get the framework itself.

    Returns
    -------
    A context manager. Its value has `packages`, the names of the packages that got a dialect.

    Raises
    ------
    ValueError: there is no such dialect.
    BackendError: there is no such backend, or it is not installed.
    ImportError: by an import in the block, which names the line: the package was imported before with the framework
        itself, it has code that was compiled for the framework, or it asks for a module that the dialect does not have,
        such as a private one.

    Notes
    -----
    The redirection holds in this thread. At the end of the block packages with a dialect leave `sys.modules`, so that a
    later import gets them with the framework itself; another block for the same backend takes them up again. What was
    made in the block goes on to work, and its functions import the dialect also later. Modules that were imported
    before keep what they have. A process that is started in the block and imports anew, as by ``multiprocessing`` with
    ``spawn``, is not redirected. ``sys.modules``, ``importlib.import_module``, ``importlib.util.find_spec`` and
    ``importlib.metadata.version`` answer to the packages as if the dialect were the framework.

    With ``"numpy"``, packages with code that was compiled for NumPy, such as SciPy, keep NumPy itself: they take the
    dialect's arrays by ``__array__``, and the dialect's functions take their results.

    Examples
    --------
    >>> import latticework as lw
    >>> program = '''
    ... import torch
    ... y = torch.nn.Linear(3, 2)(torch.ones(4, 3))
    ... '''
    >>> names = {"__name__": "program"}
    >>> with lw.redirected("torch", backend="numpy"):
    ...     exec(program, names)
    >>> type(lw.asarray(names["y"].detach()).data)
    <class 'numpy.ndarray'>
    """
    names = _names(frameworks)
    unknown = [name for name in names if name not in dialect_names()]
    if unknown or not names:
        what = f"there is no dialect {unknown[0]!r}" if unknown else "no framework is named"
        raise ValueError(f"redirected: {what}. There are {', '.join(dialect_names())}")
    wanted, without = None if only is None else tuple(_names(only)), tuple(_names(except_))
    with using(backend=backend) if backend is not None else nullcontext():
        key = tuple(names), wanted, without, current().backend
        if key not in _KEPT:
            _KEPT[key] = Redirection(names, wanted, without)
        with redirecting(_KEPT[key]):
            yield _KEPT[key]


def kept_modules(name: str) -> list[ModuleType]:
    """The modules of a name that blocks of redirection have loaded and keep: first those for the backend in force."""
    here = current().backend
    kept = sorted(_KEPT.items(), key=lambda entry: entry[0][-1] != here)
    return [redirection._modules[name] for _, redirection in kept if name in redirection._modules]


def program_module(name: str) -> ModuleType:
    """Return a module of a program, as the redirection in force imports it: with a dialect, where it was loaded so.

    Raises
    ------
    ModuleNotFoundError: there is no such module.
    """
    if name in sys.modules:
        return sys.modules[name]
    kept = kept_modules(name)
    if kept:
        return kept[0]
    return _take(name, {"__name__": "__main__"}, None, ("*",))  # type: ignore[no-any-return]


def _names(given: str | Sequence[str]) -> list[str]:
    parts = given.split(",") if isinstance(given, str) else given
    return [part.strip().replace("-", "_") for part in parts if part.strip()]


def _importing_line() -> str:
    """Return the file and line of the import statement that is carried out."""
    frame = sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).startswith((PREFIX, "importlib")):
        frame = frame.f_back
    return f" ({frame.f_code.co_filename}, line {frame.f_lineno})"


def _refusal(name: str, why: str, framework: str) -> ImportError:
    package = name.partition(".")[0]
    return ImportError(
        f"{name} {why}: it cannot run on another framework. Leave it out (except_={package!r}, or --except {package}), "
        f"and it gets {framework} itself{_importing_line()}",
        name=name,
    )


# --- builtins.__import__ ----------------------------------------------------------------------------------------------

_entered = 0
_original = builtins.__import__


def _patch(count: int) -> Callable[..., Any]:
    """Put `_take` into the builtins with the first redirection, and take it out with the last. Return the original."""
    global _entered, _original
    _entered += count
    if _entered == count == 1:
        _original, builtins.__import__ = builtins.__import__, _take
    elif _entered == 0:
        builtins.__import__ = _original
    return _original


def _in_force() -> Redirection | None:
    return _BLOCK.get() or (_PROCESS[-1] if _PROCESS else None)


def _take(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:  # noqa: A002
    here = _in_force()
    return (_original if here is None else here.take)(name, globals, locals, fromlist, level)
