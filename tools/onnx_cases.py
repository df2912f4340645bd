"""Run the node cases of the package onnx on `lw.from_onnx`, and write a table of them.

    python tools/onnx_cases.py                       # every case on NumPy
    python tools/onnx_cases.py --backend torch       # on another backend
    python tools/onnx_cases.py --operators Conv LSTM # of some operators
    python tools/onnx_cases.py --write               # docs/onnx_operators.md: NumPy, and a fourth on the others

A case is a model of one operator with inputs and outputs, which the authors of ONNX wrote. One passes if all outputs
have the dtypes, shapes and numbers that it says, to the tolerance that it says. `make onnx-cases` writes the page.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx

import latticework as lw
from latticework.errors import GraphFileError

PAGE = Path(__file__).parent.parent / "docs" / "onnx_operators.md"
#: The backends of the page, and which share of the cases runs there: one of so many.
SHARES = {"numpy": 1, "torch": 4, "jax": 8, "tensorflow": 8}
#: Cases of operators outside of the set of ONNX, or whose operators were never in a version of it.
_DOMAINS = ("", "ai.onnx")


class Outcome(NamedTuple):
    """What became of a case.

    Attributes
    ----------
    operator: the operator that the case is of.
    name: the name of the case.
    kind: "passed", "failed", or "refused" when the model was read.
    why: the error, or what differs.
    """

    operator: str
    name: str
    kind: str
    why: str


def cases(modules: Iterable[str] = ()) -> list[Any]:
    """Return the cases, of some modules of onnx's cases or of all. What is random in them is the same each time."""
    from onnx.backend.test.case import node

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        np.random.seed(0)
        if not modules:
            return [*node.collect_testcases(None)]
        for name in modules:
            import_module(f"onnx.backend.test.case.node.{name}")
        return [*node._NodeTestCases]


def operators_of(found: list[Any]) -> dict[str, str]:
    """Return the operator that each case is of, by the name of the case.

    A case may be there again with the operator written as others, under a longer name: it is of the same operator.
    """
    known: dict[str, str] = {}
    for case in found:
        nodes = [n.op_type for n in case.model.graph.node]
        if "_expanded" not in case.name:
            first = next((n for n in nodes if n not in ("Constant", "Identity")), nodes[0])
            known[case.name] = first
    for case in found:
        if "_expanded" in case.name:
            known[case.name] = known.get(case.name.partition("_expanded")[0], "")
    return {name: kind for name, kind in known.items() if kind}


def run(case: Any, operator: str, backend: str) -> Outcome:
    """Run one case on a backend."""
    try:
        with lw.using(backend=backend):
            f = lw.from_onnx(case.model)
    except GraphFileError as error:
        return Outcome(operator, case.name, "refused", str(error))
    except Exception as error:
        return Outcome(operator, case.name, "failed", f"reading: {type(error).__name__}: {error}")
    try:
        with lw.using(backend=backend), warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            for inputs, outputs in case.data_sets:
                found = f(*[_given(x) for x in inputs])
                found = found if isinstance(found, tuple) else (found,)
                if len(found) != len(outputs):
                    return Outcome(operator, case.name, "failed", f"{len(found)} outputs of {len(outputs)}")
                for x, y in zip(found, outputs, strict=True):
                    why = difference(x, _given(y), case)
                    if why:
                        return Outcome(operator, case.name, "failed", why)
    except GraphFileError as error:
        return Outcome(operator, case.name, "refused", str(error))
    except Exception as error:
        return Outcome(operator, case.name, "failed", f"{type(error).__name__}: {error}")
    return Outcome(operator, case.name, "passed", "")


def _given(x: Any) -> Any:
    """Return an input or output of a case as NumPy's arrays."""
    if isinstance(x, onnx.TensorProto):
        return onnx.numpy_helper.to_array(x)
    if isinstance(x, onnx.SequenceProto):
        return onnx.numpy_helper.to_list(x)
    if isinstance(x, onnx.OptionalProto):
        return onnx.numpy_helper.to_optional(x)
    return x


def difference(x: Any, y: Any, case: Any) -> str:
    """Return how a result differs from what it should be, "" if it does not."""
    if isinstance(y, list) or isinstance(x, list):
        if not (isinstance(x, list) and isinstance(y, list)) or len(x) != len(y):
            return "another sequence"
        return next((why for a, b in zip(x, y, strict=True) if (why := difference(a, b, case))), "")
    if y is None or x is None:
        return "" if x is y else "None"
    y = np.asarray(y)
    got = x.to_numpy() if isinstance(x, lw.Array) else np.asarray(x)
    if got.dtype != y.dtype or got.shape != y.shape:
        return f"{got.dtype}{got.shape} for {y.dtype}{y.shape}"
    if "bernoulli" in case.name:
        return ""
    if y.dtype.kind not in "fc" and y.dtype.name not in ("bfloat16", "float8_e4m3fn", "float8_e5m2"):
        return "" if np.array_equal(got, y) else f"{got.ravel()[:6]} for {y.ravel()[:6]}"
    a, b = (v.astype(np.float64) if v.dtype.kind != "c" else v for v in (got, y))
    least = 1e-2 if y.dtype.itemsize <= 2 else 0
    largest = float(np.max(np.abs(b), initial=0, where=np.isfinite(b)))
    atol = max(case.atol, least, 1e-6 * largest)
    close = np.allclose(a, b, rtol=max(case.rtol, least), atol=atol, equal_nan=True)
    return "" if close else f"{got.ravel()[:6]} for {y.ravel()[:6]}"


def outcomes(found: list[Any], backend: str, share: int = 1) -> Iterator[Outcome]:
    """Run every so-manieth of the cases."""
    kinds = operators_of(found)
    for case in [c for c in found if c.name in kinds][::share]:
        if all(o.domain in _DOMAINS for o in case.model.opset_import):
            yield run(case, kinds[case.name], backend)


# --- the page --------------------------------------------------------------------------------------------------------


def page(results: dict[str, list[Outcome]]) -> str:
    """Write the page."""
    counts: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for backend, every in results.items():
        for o in every:
            counts[o.operator][backend][o.kind] += 1
    whole = results["numpy"]
    kinds = Counter(o.kind for o in whole)
    read = {o.operator for o in whole if o.kind == "passed"}
    text = (
        f"What `lw.from_onnx` gives for the node cases of onnx {onnx.__version__} (`make onnx-cases`): models of one "
        "operator with inputs and outputs, by ONNX's authors. A case passes if all outputs have the dtypes, shapes and "
        "numbers that it says, to its tolerance, 1e-6 of the largest number, or 0.01 for dtypes of 16 bits and fewer. "
        "Of an operator that is defined by others, ONNX has each case a second time, written as these; both count."
    )
    others = "; ".join(
        f"on {name} {sum(o.kind == 'passed' for o in every)} of {len(every)}, one case of {SHARES[name]}"
        for name, every in results.items()
        if name != "numpy"
    )
    counted = (
        f"On NumPy {kinds['passed']} of {len(whole)} cases pass, of {len(read)} operators; {kinds['refused']} are "
        f"refused by name, most when the model is read, and {kinds['failed']} fail; {others}."
    )
    picture = (
        "![Bars of the operators of which some cases are refused, with the reason: most are casts to dtypes that are "
        "not there](guides/onnx_operators.png)"
    )
    caption = (
        "The operators of which not every case passes, on NumPy, and why cases are refused (`python tools/guides.py "
        "--draw ../onnx_operators`)."
    )
    head = ["# Operators of ONNX", "", "<!-- Written by tools/onnx_cases.py. -->"]
    lines = [*head, "", text, "", counted, "", picture, "", caption, ""]
    lines.append(f"| operator | {' | '.join(results)} | what is refused or fails |")
    lines.append("|---|" + "--:|" * len(results) + "---|")
    for operator in sorted(counts):
        cells = []
        for backend in results:
            c = counts[operator][backend]
            cells.append(f"{c['passed']}/{c.total()}" if c.total() else "")
        lines.append(f"| {operator} | {' | '.join(cells)} | {_why([o for o in whole if o.operator == operator])} |")
    return "\n".join(lines) + "\n"


def _why(every: list[Outcome]) -> str:
    """Sum up why cases of an operator do not pass."""
    found: Counter[str] = Counter()
    for o in every:
        if o.kind == "passed":
            continue
        text = o.why.splitlines()[0]
        if "latticework has no dtype" in text or "which latticework has no" in text:
            text = "a dtype: " + text.rpartition(" is of ")[2].partition(",")[0]
        elif "does not read this operator" in text:
            text = f"not read: {text.partition('from_onnx: ')[2].partition(' (')[0]}"
        elif o.kind == "refused":
            text = text.rpartition("): ")[2]
        else:
            text = o.name
        found[text] += 1
    return "; ".join(f"{text.replace('|', ' ')[:90]} ({n})" for text, n in found.most_common(4))


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", default="numpy")
    parser.add_argument("--share", type=int, default=1, help="run one of so many cases")
    parser.add_argument("--operators", nargs="*", default=[])
    parser.add_argument("--write", action="store_true", help="write docs/onnx_operators.md")
    options = parser.parse_args()
    found = cases()
    if options.write:
        results = {name: [*outcomes(found, name, share)] for name, share in SHARES.items()}
        PAGE.write_text(page(results))
        for name, every in results.items():
            print(name, Counter(o.kind for o in every), file=sys.stderr)
        return
    wanted = set(options.operators)
    kinds = operators_of(found)
    found = [c for c in found if not wanted or kinds.get(c.name) in wanted]
    every = [*outcomes(found, options.backend, options.share)]
    for o in every:
        if o.kind != "passed":
            print(f"{o.kind}: {o.operator} {o.name}: {o.why.splitlines()[0] if o.why else ''}")
    print(Counter(o.kind for o in every))


if __name__ == "__main__":
    main()
