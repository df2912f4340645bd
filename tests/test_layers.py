"""The contract of the modules: each imports what stands below it, imports inside functions counted, and no circle."""

from __future__ import annotations

import ast
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import latticework
from latticework.contents import NAMESPACES

ROOT = Path(latticework.__file__).parent
#: From the lowest. A name is a module with all below it, ``backends.`` with a dot those inside the package alone.
LAYERS = [
    "errors words contents core", "promotion", "policy", "draw", "backend", "backends", "engine", "tracing",
    "api", "derivatives", f"namespace settings {' '.join(NAMESPACES)}",
    "__init__", "backends.", "support auditing frontends onnx_models", "notebook testing", "cli demo __main__",
]  # fmt: skip
#: The modules of two folders that import each other as they are loaded, with the reason why the folders stay so.
CIRCLES: dict[tuple[str, str], str] = {}


def modules() -> dict[str, Path]:
    paths = {".".join(p.relative_to(ROOT).with_suffix("").parts): p for p in ROOT.rglob("*.py")}
    return {name.removesuffix(".__init__"): path for name, path in paths.items()}


@cache
def statements_of(path: Path) -> list[tuple[bool, ast.Import | ast.ImportFrom]]:
    """The imports of a file but for those for type checkers, and whether each is done as the file is loaded. The file's
    tree itself is not kept: Python's collector would go through hundreds of them."""
    found: list[tuple[bool, ast.Import | ast.ImportFrom]] = []
    waiting: list[tuple[bool, ast.AST]] = [(True, ast.parse(path.read_text()))]
    while waiting:
        loading, node = waiting.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            taken = node.body if isinstance(node.test, ast.UnaryOp) else node.orelse
            waiting += [(loading, statement) for statement in taken]
            continue
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found.append((loading, node))
        loading = loading and not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):  # expressions have no imports
            waiting += [(loading, statement) for statement in getattr(node, part, ())]
    return found


def imported(name: str, path: Path, known: dict[str, Path], *, loading: bool = False) -> set[str]:
    """The modules of ours that a file imports anywhere but for type checkers; or those that it loads when it is."""
    package = ["latticework", *path.relative_to(ROOT).parts[:-1]]
    found: set[str] = set()
    for loads, node in statements_of(path):
        if loading and not loads:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        else:
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            found |= {f"{module}.{alias.name}" for alias in node.names} | {module}
    ours = {
        m.removeprefix("latticework.") if m != "latticework" else "__init__"
        for m in found
        if m.startswith("latticework")
    }
    ours = {m for m in ours if m in known}
    packages = {m.rpartition(".")[0] for m in ours}
    return {m for m in ours if m != name and not any(o == m or o.startswith(f"{m}.") for o in packages)}


def layer(name: str) -> int:
    key = "backends." if name.startswith("backends.") else name.partition(".")[0]
    return next(i for i, names in enumerate(LAYERS) if key in names.split())


def test_modules_import_what_stands_below_them() -> None:
    known = modules()
    arrows = {name: imported(name, path, known) for name, path in known.items()}
    up = sorted(f"{a} imports {b}" for a, targets in arrows.items() for b in targets if layer(b) > layer(a))
    assert not up, "\n".join(up)
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        raise AssertionError(f"a circle: {' -> '.join(reversed(error.args[1]))}") from None


def test_folders_form_a_tree() -> None:
    """A folder of the package is loaded before those that import it, as a module is: there is no circle of folders."""
    known = modules()
    arrows: dict[str, set[str]] = {name.partition(".")[0]: set() for name in known}
    for name, path in known.items():
        folder = name.partition(".")[0]
        targets = {b.partition(".")[0] for b in imported(name, path, known, loading=True)} - {folder}
        arrows[folder] |= {b for b in targets if (folder, b) not in CIRCLES}
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        raise AssertionError(f"a circle of folders: {' -> '.join(reversed(error.args[1]))}") from None
