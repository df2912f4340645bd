"""The stubs of the dialects have every public name, and are as tools/stubs.py writes them."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from dialect_answers import Refusal, framework, operands, ours
from test_dialects import samples_of

import latticework as lw
from latticework.core import dtypes
from latticework.core.dtypes import CATEGORIES, Dtype
from latticework.frontends.array import DialectArray

TOOLS = Path(__file__).parents[1] / "tools"
sys.path.insert(0, str(TOOLS))

import pages
import stub_types
import stubs
from stub_dialects import Dialect

TREES = ast.FunctionDef | ast.ClassDef
#: What every object has, and what Python alone asks for.
NOT_LISTED = {
    "__init__", "__new__", "__getattr__", "__setattr__", "__slots__", "__annotations__", "__module__", "__weakref__",
    "__firstlineno__", "__static_attributes__", "__annotate_func__", "__annotations_cache__", "dialect",
}  # fmt: skip


@cache
def stub_of(module: Any) -> ast.Module:
    return ast.parse(Path(module.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))


def names_in(body: list[ast.stmt]) -> set[str]:
    """The names that statements of a stub define."""
    found: set[str] = set()
    for node in body:
        if isinstance(node, TREES):
            found.add(node.name)
        elif isinstance(node, ast.ImportFrom):
            found |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
        elif isinstance(node, ast.Assign):
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return found


def test_the_stubs_are_as_the_tool_writes_them() -> None:
    assert pages.out_of_date(stubs.stubs()) == [], "run make pages"


@pytest.mark.parametrize("name", stub_types.TYPES)
def test_a_stub_has_all_public_names(name: str) -> None:
    for module in Dialect(name, {}).modules.values():
        missing = {*getattr(module, "__all__", ())} - names_in(stub_of(module).body)
        assert not missing, f"{module.__name__}: {sorted(missing)}"


@pytest.mark.parametrize("name", stub_types.TYPES)
def test_a_stub_has_all_members_of_classes(name: str) -> None:
    dialect = Dialect(name, {})
    assert dialect.array in dialect.classes
    every = [n for m in dialect.modules.values() for n in stub_of(m).body if isinstance(n, ast.ClassDef)]
    for kind, word in dialect.classes.items():
        module, home = dialect.homes[word]
        body = stub_of(dialect.modules[module]).body
        stub = next(node for node in body if isinstance(node, ast.ClassDef) and node.name == home)
        bases = {member for b in kind.__mro__[1:] if not b.__module__.startswith("latticework.") for member in dir(b)}
        own = {n for n in dir(kind) if n[0] != "_" or (issubclass(kind, DialectArray) and n.startswith("__"))}
        found = members_of(stub, every)
        missing = own - found - NOT_LISTED - (bases if kind is not dialect.array else {*dir(object)})
        assert not missing, f"{module}.{home}: {sorted(missing)}"


def members_of(stub: ast.ClassDef, every: list[ast.ClassDef]) -> set[str]:
    """The names of a class in a stub, and of the classes that it is derived from."""
    names = {n for b in bases_of(stub) for n in (b, f"_{b}")}
    bases = [node for node in every if node.name in names]
    others = [node for node in every if node not in bases and node is not stub]
    return names_in(stub.body).union(*[names_in(b.body) | members_of(b, others) for b in bases if b is not stub])


def bases_of(stub: ast.ClassDef) -> set[str]:
    return {base.id.removeprefix("_") for base in stub.bases if isinstance(base, ast.Name)}


@pytest.mark.parametrize("name", stub_types.TYPES)
def test_overloads_have_the_parameters_of_the_functions(name: str) -> None:
    dialect = Dialect(name, {})
    functions = {f"{m}.{n}": f for m in dialect.modules for n, f in dialect.public(m).items()}
    for full, signatures in dialect.overloads.items():
        f = functions.get(full) or getattr(dialect.array, full.rpartition(".")[2])
        parameters = inspect.signature(f).parameters
        if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
            continue
        for signature in signatures:
            tree: Any = ast.parse(f"def f{signature.rpartition(' -> ')[0]}: ...").body[0]
            given = {a.arg for a in (*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs)} - {"self"}
            assert given <= parameters.keys(), f"{full}{signature}"


def test_a_default_is_one_of_the_types_of_its_parameter() -> None:
    """The table has types by the names of parameters; another function has another parameter of the name."""

    def typed(name: str, default: Any) -> str:
        return dialect.parameter("__init__", inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default))

    dialect = Dialect("torch", {})
    assert [typed("bias", x) for x in (None, True)] == ["Tensor | None", "bool"]
    assert [typed("eps", x) for x in (1e-5, (None, 1e-3))] == ["float", "float | tuple[Any, ...]"]
    assert [typed("other", x) for x in (1.0, True)] == ["Tensor | Number"] * 2


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("numpy", "    def __new__(cls, shape: "),  # as at run time: a class that is derived from it calls that
        ("numpy.lib.array_utils", "normalize_axis_index: _Callable[..., _Any]"),
        ("jax", "    __hash__: _ClassVar[None]"),
        ("jax.image", "    def from_string("),
        ("torch", "def median(input: _Tensor, dim: None = "),
    ],
)
def test_what_stubtest_has_found(module: str, line: str) -> None:
    path = Path(lw.__file__).parent / "frontends" / module.replace(".", "/")
    found = path.with_suffix(".pyi") if path.with_suffix(".pyi").exists() else path / "__init__.pyi"
    assert f"\n{line}" in found.read_text(encoding="utf-8")


def test_the_names_of_dtypes_and_categories_are_all_there() -> None:
    tree = ast.parse(Path(dtypes.__file__).read_text(encoding="utf-8"))
    literals = {
        node.target.id: {*ast.literal_eval(node.value.slice)}
        for node in ast.walk(tree)
        if isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and isinstance(node.value, ast.Subscript)
        and ast.unparse(node.value.value) == "Literal"
    }  # fmt: skip
    held = {str(dtype) for dtype in (*lw.all_dtypes, *lw.extended_dtypes)}
    assert literals["DtypeName"] == held
    assert literals["RulesName"] == {*Dtype._all} - held
    assert literals["CategoryName"] == {*CATEGORIES} - held


#: What mypy says of samples that answer: NumPy's words for PyTorch's arguments; a result of None that is looked at; a
#: comparison that a sample makes on purpose; the arguments in ``*x``, of which it does not know how many there are.
SAID = r"keyword argument \"(axis|keepdims)\"|\[func-returns-value\]|\[comparison-overlap\]|max_unpool"


@pytest.mark.sweep
@pytest.mark.parametrize("name", stub_types.TYPES)
def test_checkers_take_what_a_dialect_answers(name: str, tmp_path: Path) -> None:
    """Each sample that is not refused is a function of a program, in which mypy finds nothing."""
    pytest.importorskip("mypy")
    pytest.importorskip(name)
    dialect, modules = Dialect(name, {}), framework(name).modules
    lines = [f"import latticework.frontends.{m} as {n}" for n, m in modules.items() if "." not in n]
    lines += [f"from latticework.frontends.{name} import {dialect.types.array} as _Array"]
    lines += [f"{operand}: _Array" for operand in operands("float32", "float32")]
    with lw.using(backend="numpy"):
        for i, sample in enumerate(samples_of(name).samples):
            wanted = [d for d in ("float32", "int64", "complex64", "bool") if d in sample.dtypes] or sample.dtypes[:1]
            if any(not isinstance(ours(name, sample, d, d), Refusal) for d in wanted):
                lines.append(f"def f{i}() -> None:\n    {sample.text}")
    program = tmp_path / "program.py"
    program.write_text("\n".join([*lines, ""]))
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file=", "--follow-imports=silent", "--check-untyped-defs",
         "--disable-error-code=empty-body", "--cache-dir", str(TOOLS.parent / ".mypy_cache" / "snippet"), str(program)],
        capture_output=True, text=True, cwd=TOOLS.parent / "src", check=False,
    )  # fmt: skip
    errors = [line for line in done.stdout.splitlines() if ": error: " in line and not re.search(SAID, line)]
    assert not errors, "\n".join(errors)
