"""Count the functions of latticework that a warm call of each function of a dialect enters.

    python tools/dialect_frames.py                  print the counts of each dialect
    python tools/dialect_frames.py --write          keep them in tests/expected/dialect_frames.json
    python tools/dialect_frames.py torch --most     print the functions that enter most

The calls are the dialects' samples (`tests/samples_*.py`) that are one call, of float32 or of the first dtype that the
sample takes, on NumPy. Of several samples of a function the least count is kept: it is what the function itself costs.
The functions of backends are not counted, as they compute; nor are those that check their arguments, nor a list that a
comprehension makes, which enters no function since Python 3.12. Beside the count
stands how many kernels the call runs, where it is remembered; 0 where it is not, or where latticework's function is
itself a composition of others.
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import dialect_answers
import numpy as np
from test_dialects import samples_of

import latticework as lw
from latticework.frontends import dialect_named
from latticework.frontends.calls import Remembered

KEPT = ROOT / "tests" / "expected" / "dialect_frames.json"
_SOURCE = str(Path(lw.__file__).parent)
_COMPUTE = (str(Path(_SOURCE) / "backends"), str(Path(_SOURCE) / "backend" / "arguments.py"))
_COMPOSITIONS = str(Path(_SOURCE) / "api")
#: What runs the body where no kernels are kept for a call.
_BODY = "remembered.py:missed"
#: What is a function in Python 3.11 and a part of the function around it since 3.12.
_INLINED = ("<listcomp>", "<setcomp>", "<dictcomp>")
#: What computes something in the arguments of a sample.
_COMPUTING = (ast.Call, ast.Subscript, ast.BinOp, ast.Compare, ast.Lambda)
#: How often a call is made before it is counted: the third runs what the second has kept.
_WARM = 4


def frames(call: Callable[[], Any]) -> list[str]:
    """Return the functions of latticework outside of backends that a call enters: the file of each and its name."""
    entered: list[str] = []

    def note(frame: FrameType, event: str, _: Any) -> None:
        name, function = frame.f_code.co_filename, frame.f_code.co_name
        counted = event == "call" and function not in _INLINED and not name.startswith(_COMPUTE)
        if counted and (name[:1] == "<" or name.startswith(_SOURCE)):
            entered.append(f"{name}:{function}")

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return entered[1:]  # without the sample's own


def function_of(text: str) -> str | None:
    """Return the function that an expression calls, as ``torch.add`` or ``x.add``; None if it computes more."""
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError:
        return None
    if not isinstance(tree, ast.Call):
        return None
    values = [*tree.args, *(x.value for x in tree.keywords)]
    if any(isinstance(node, _COMPUTING) for x in values for node in ast.walk(x)):
        return None
    name = ast.unparse(tree.func)
    return name if all(part.isidentifier() for part in name.split(".")) else None


def counts(dialect: str) -> dict[str, list[int]]:
    """Return the least count of each function of a dialect and how many kernels it runs, by the name that the samples
    call it by."""
    found: dict[str, list[str]] = {}
    functions: dict[str, Any] = {}
    with lw.using(backend="numpy"), np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for sample in samples_of(dialect).samples:
            name = function_of(sample.text)
            if name is None or sample.x64:
                continue
            dtype = "float32" if "float32" in sample.dtypes else sample.dtypes[0]
            try:
                names = dialect_answers.names_of(dialect, sample, dtype, dtype)
                code = compile(sample.text, "<sample>", "eval")
                for _ in range(_WARM):
                    eval(code, names)
                entered = frames(lambda: eval(code, names))  # noqa: B023  called at once
            except Exception:
                continue
            found[name] = min(entered, found.get(name, entered), key=len)
            functions[name] = eval(name, names)
    fewest = {id(r.function): r.fewest for r in dialect_named(dialect).kept if isinstance(r, Remembered)}
    kernels = {name: fewest.get(id(getattr(f, "__func__", f)), 0) for name, f in functions.items()}
    for name, entered in found.items():
        if any(f.startswith(_COMPOSITIONS) or f.endswith(_BODY) for f in entered):
            kernels[name] = 0
    return {name: [len(entered), kernels[name]] for name, entered in sorted(found.items())}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dialects", nargs="*", default=[*dialect_answers.FRAMEWORKS])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--to", type=Path, default=KEPT, help="the file that --write writes")
    parser.add_argument("--most", action="store_true")
    arguments = parser.parse_args()
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    for dialect in arguments.dialects:
        found = kept[dialect] = counts(dialect)
        at_most = sum(n <= 3 for n, _ in found.values())
        sys.stdout.write(f"{dialect}: {len(found)} functions, {at_most} of them enter 3 or fewer\n")
        if arguments.most:
            most = sorted(found.items(), key=lambda x: -x[1][0])
            lines = [f"  {n:4} {calls:4} {name}\n" for name, (n, calls) in most if n > 3]
            sys.stdout.write("".join(lines))
    if arguments.write:
        arguments.to.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
