"""Compare the types that are shipped with the modules as they are at run time, by mypy's stubtest.

    make stubtest
    python tools/stubtest.py --core
    python tools/stubtest.py --only latticework.frontends.torch.nn

Checked are the public modules of the core, whose types stand in their source, and the modules of the dialects that have
a stub. ``stubtest_allowed.txt`` lists by groups, each with its reason, what a stub says on purpose in another way than
the module; an entry that nothing needs is an error. Other private modules have neither a stub nor a promise.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from mypy import stubtest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
ALLOWED = Path(__file__).with_name("stubtest_allowed.txt")
#: First parameters of methods. Nobody gives them by name, and functions that are methods have other names for them.
_FIRST = ("self", "cls")
#: What mypy finds inside of the modules is what ``make test`` looks at.
CONFIG = """
[mypy]
mypy_path = src
ignore_errors = True
ignore_missing_imports = True
[mypy-numpy.*,torch.*,jax.*,dask.*,tensorflow.*,scipy.*]
follow_imports = skip
follow_imports_for_stubs = True
"""


def core() -> list[str]:
    """Return the public modules of the core: the package, and those whose names it has."""
    import latticework as lw

    found = [x.__name__ for n in lw.__all__ if hasattr(x := getattr(lw, n), "__path__") or type(x) is type(lw)]
    return ["latticework", *sorted({*found})]


def dialects() -> list[str]:
    """Return the modules that have a stub."""
    paths = [path.relative_to(SOURCE).with_suffix("") for path in SOURCE.rglob("*.pyi")]
    return sorted(".".join(p.parts[:-1] if p.name == "__init__" else p.parts) for p in paths)


def allowed(modules: list[str], text: str) -> str:
    """Return the entries of the list that are about some modules."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    every = sorted({*core(), *dialects()}, key=len, reverse=True)

    def home(line: str) -> str:
        name = line.partition("#")[0].strip().replace("\\", "")
        return next((m for m in every if name == m or name.startswith(f"{m}.")), "")

    return "\n".join(line for line in lines if not (owner := home(line)) or owner in modules)


def homes() -> dict[tuple[str, str], tuple[str, str]]:
    """Return where the stubs have a class, by the module and the name that it says it has."""
    from stub_dialects import PACKAGE, Dialect
    from stub_types import TYPES

    found = {}
    for dialect in (Dialect(name, {}) for name in TYPES):
        for kind, word in dialect.classes.items():
            module, name = dialect.homes[word]
            found[kind.__module__, kind.__name__] = f"{PACKAGE}.{module}", name
    return found


def taught(known: dict[tuple[str, str], tuple[str, str]]) -> None:
    """Let stubtest build these modules alone, know where stubs have a class, and take any name for ``self``."""
    build, node, named = stubtest.build_stubs, stubtest.get_mypy_node_for_name, stubtest._verify_arg_name
    stubtest.build_stubs = lambda names, given, find_submodules=False: build(names, given)
    stubtest.get_mypy_node_for_name = lambda module, name: node(*known.get((module, name), (module, name)))
    stubtest._verify_arg_name = lambda stub, x, f: () if stub.variable.name in _FIRST else named(stub, x, f)


def main() -> int:
    """Check the modules, and return 1 where one differs or an entry of the list is not needed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--core", action="store_true", help="the core alone")
    parser.add_argument("--only", nargs="*", help="modules, each with those below it")
    parser.add_argument("--full", action="store_true", help="show both signatures of what differs")
    options = parser.parse_args()
    modules = core() if options.core else [*core(), *dialects()]
    if options.only:
        modules = [m for m in modules if any(m == n or m.startswith(f"{n}.") for n in options.only)]
    start = time.perf_counter()
    taught({} if options.core else homes())
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        config, listed = Path(folder) / "mypy.ini", Path(folder) / "allowed.txt"
        config.write_text(CONFIG, encoding="utf-8")
        listed.write_text(allowed(modules, ALLOWED.read_text(encoding="utf-8")), encoding="utf-8")
        given = [
            "--mypy-config-file",
            str(config),
            "--allowlist",
            str(listed),
            *([] if options.full else ["--concise"]),
        ]
        code: int = stubtest.test_stubs(stubtest.parse_options([*given, *modules]))
    print(f"{len(modules)} modules, {time.perf_counter() - start:.0f} s: {'differ' if code else 'as their types say'}")
    return code


if __name__ == "__main__":
    sys.exit(main())
