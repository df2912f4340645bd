"""Read the facts about each backend, before its framework is imported, from the file ``backend.json``.

A folder of `latticework.backends` with such a file is a backend. Nothing else names it. So is a package outside, which
an installed distribution names in the entry point group `GROUP`: the name of the entry point is that of the backend,
its value the package. Neither the package nor its framework is imported to read its facts. What is wrong with such a
package is kept under its name (`problems`), and all other backends work on.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import nearest

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = [
    "CONTRACT", "GROUP", "PLUGINS", "Facts", "Plugin", "all_facts", "facts_of", "outside", "plugin_of", "problems",
    "refresh",
]  # fmt: skip

#: The package that has a folder for each backend.
PLUGINS = "latticework.backends"
#: The entry point group of the packages outside that are backends.
GROUP = "latticework.backends"
#: The version of the contract of a backend: of the class `Backend`, of what functions get and of the fields of `Facts`.
#: It is raised when a package that was written for the version before may not work.
CONTRACT = 1


class Facts(NamedTuple):
    """Facts about a backend that are known before its framework is imported.

    Attributes
    ----------
    framework: the module of the framework: the framework is installed if it can be found. Its arrays are instances of
        classes in this module or below. "" for a backend without a framework, as that of arrays without data.
    distributions: the distributions that bring it. The first that is installed tells the version.
    install: the command that installs it.
    aliases: what else it is called, for the error that names it.
    order: its place in lists of all backends.
    immutable: whether its arrays never change. Writing to an `Array` binds the `Array` to a new native array.
    read_only: whether it has arrays that cannot be written to, which may show the memory of arrays that never change.
    lazy: whether its arrays are computed later.
    compiles: whether it compiles a kernel for each dtype and shape, which takes milliseconds.
    gradients: whether functions of its arrays are differentiated: by the framework, whose ``transformations`` have
        `vjp` and `jvp`, or by latticework's own rules.
    stepwise: functions that the framework has no kernel for, which the backend computes in several steps.
    fixed_extents: whether its functions look at extents, so that a graph of their calls is of one shape.
    no_derivative: functions that have a derivative elsewhere and none here, with the reason.
    no_forward_derivative: functions without a forward derivative.
    no_second_derivative: functions whose derivative has none: the framework has no derivative of its own derivative.
    data_dependent_shapes: whether an extent may depend on values, as that of ``x[mask]`` and of `nonzero` does.
    contract: the version of the contract that a package outside was written for (`CONTRACT`).
    """

    framework: str = ""
    distributions: tuple[str, ...] = ()
    install: str = ""
    aliases: tuple[str, ...] = ()
    order: int = 99
    immutable: bool = False
    read_only: bool = False
    lazy: bool = False
    compiles: bool = False
    gradients: bool = False
    stepwise: tuple[str, ...] = ()
    fixed_extents: bool = False
    no_derivative: Mapping[str, str] = MappingProxyType({})
    no_forward_derivative: tuple[str, ...] = ()
    no_second_derivative: tuple[str, ...] = ()
    data_dependent_shapes: bool = True
    contract: int = 0


#: What stands in the file for a value of another class.
_IN_JSON: dict[type, type] = {tuple: list, MappingProxyType: dict}


class Plugin(NamedTuple):
    """A package that is a backend, and where it is.

    Attributes
    ----------
    module: the name of the package.
    folder: its folder, which has ``backend.json``.
    facts: what that file says.
    distribution: the distribution that registers it, with its version; "" for a folder of `latticework.backends`.
    """

    module: str
    folder: Path
    facts: Facts
    distribution: str = ""


def _read(path: Path) -> Facts:
    """Read a file of facts.

    Raises
    ------
    ValueError: it is no JSON, no object, or has a field that there is not or a value of another type.
    """
    import json

    found: Any = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(found, dict):
        raise ValueError("it holds no JSON object")
    for name, value in found.items():
        default = Facts._field_defaults.get(name)
        if default is None:
            raise ValueError(f"it has a field {name!r} that there is not{nearest(name, Facts._fields)}")
        kind = _IN_JSON.get(type(default), type(default))
        if type(value) is not kind:
            raise ValueError(f"its field {name!r} is of type {kind.__name__}; got {value!r}")
    fields: dict[str, Any] = {name: tuple(x) if isinstance(x, list) else x for name, x in found.items()}
    return Facts(**fields)


@cache
def _inside(folders: tuple[str, ...]) -> dict[str, Plugin]:
    """Return the backends that are folders of `latticework.backends`."""
    from pathlib import Path

    found = [p for folder in folders for p in Path(folder).glob("*/backend.json")]
    return {p.parent.name: Plugin(f"{PLUGINS}.{p.parent.name}", p.parent, _read(p)) for p in found}


def _folders() -> tuple[str, ...]:
    return tuple(import_module(PLUGINS).__path__)


# --- packages outside -------------------------------------------------------------------------------------------------


@cache
def _found(folders: tuple[str, ...]) -> tuple[dict[str, Plugin], dict[str, str]]:
    """Return the backends of packages outside, and what is wrong with those that are none."""
    from importlib.metadata import entry_points

    plugins: dict[str, Plugin] = {}
    wrong: dict[str, str] = {}
    by_name: dict[str, dict[tuple[str, str], str]] = {}
    for point in entry_points(group=GROUP):
        of = f"{point.dist.metadata['Name']} {point.dist.version}" if point.dist is not None else "a distribution"
        by_name.setdefault(point.name, {}).setdefault((point.value, of), of)
    for name, points in sorted(by_name.items()):
        owners = " and ".join(sorted(points.values()))
        if name in _inside(folders):
            wrong[f"{name} of {owners}"] = (
                f"{owners} registers a backend {name!r}, which is a name of latticework's own. It is not used; "
                f"uninstall it, or ask its author for another name"
            )
        elif len(points) > 1:
            wrong[name] = f"{owners} register a backend {name!r} each. Uninstall all but one of them"
        else:
            ((module, of),) = points
            try:
                plugins[name] = _plugin(name, module, of)
            except ValueError as error:
                wrong[name] = f"{of} registers a backend {name!r} that cannot be used: {error}"
    return plugins, wrong


def _plugin(name: str, module: str, of: str) -> Plugin:
    """Find a package outside and read its facts.

    Raises
    ------
    ValueError: what is wrong, in words.
    """
    from pathlib import Path

    if not (name.isidentifier() and name.isascii()):
        raise ValueError("the name of a backend is a Python identifier")
    try:
        spec = find_spec(module)
    except (ImportError, ValueError):
        spec = None
    if spec is None or not spec.submodule_search_locations:
        raise ValueError(f"there is no package {module!r}. The value of the entry point is the name of a package")
    folder = Path(next(iter(spec.submodule_search_locations)))
    path = folder / "backend.json"
    if not path.exists():
        raise ValueError(f"the package {module!r} has no file backend.json")
    try:
        facts = _read(path)
    except ValueError as error:
        raise ValueError(f"its backend.json cannot be read: {error}") from None
    if facts.contract != CONTRACT:
        said = f"for version {facts.contract} of" if facts.contract else "without a version of"
        newer = "latticework" if facts.contract > CONTRACT else "the package"
        raise ValueError(
            f"it was written {said} the contract of a backend, and this latticework has version {CONTRACT}. "
            f'Upgrade {newer}; an author writes "contract": {CONTRACT} into backend.json'
        )
    if not facts.framework:
        raise ValueError("its backend.json names no framework")
    return Plugin(module, folder, facts, of)


def outside() -> dict[str, Plugin]:
    """Return the backends of packages outside, by name. Import none."""
    return _found(_folders())[0]


def problems() -> dict[str, str]:
    """Return what is wrong with packages that register themselves as backends, by name."""
    return _found(_folders())[1]


def refresh() -> None:
    """Look for packages again, at the next use: for those that were installed while this process runs."""
    for function in (_inside, _found, _all):
        function.cache_clear()


# --- all --------------------------------------------------------------------------------------------------------------


@cache
def _all(folders: tuple[str, ...]) -> dict[str, Facts]:
    found = {name: plugin.facts for name, plugin in (_inside(folders) | _found(folders)[0]).items()}
    return dict(sorted(found.items(), key=lambda item: (item[1].order, item[0])))


def all_facts() -> dict[str, Facts]:
    """Return every backend by name, installed or not, in order. Import none."""
    return _all(_folders())


def facts_of(name: str) -> Facts | None:
    """Return the facts about one backend, None if there is none of that name. For one of latticework's own, installed
    distributions are not looked through."""
    plugin = _inside(_folders()).get(name)
    return plugin.facts if plugin is not None else all_facts().get(name)


def inside_facts() -> dict[str, Facts]:
    """Return the backends that are folders of `latticework.backends`, by name."""
    return {name: plugin.facts for name, plugin in _inside(_folders()).items()}


def plugin_of(name: str) -> Plugin | None:
    """Return the package of one backend, None if there is none of that name."""
    return _inside(_folders()).get(name) or outside().get(name)
