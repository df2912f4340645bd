"""Compare what PyTorch's dialect trains with beside PyTorch: layers, optimizers, gradients, distributions, kinks.

    python tools/torch_classes.py                                    all parts on NumPy, a quarter of an hour
    python tools/torch_classes.py --backend jax --part modules       one part on another backend
    python tools/torch_classes.py --part gradients --every 10        every tenth function
    python tools/torch_classes.py --part gradients --only cdist      one function, which the record does not keep
    python tools/torch_classes.py --show                             what differs, from the record

The samples are those of PyTorch's own tests: of `module_db` (outputs, gradients and state of each layer, in training or
not), of `optim_db` (ten steps) and of `op_db` (the gradient of a weighted sum of the results, in float64). Those of
distributions are the parameters of the tests. Counts and what differs go to ``torch_classes.json``, from which
`dialect_page` writes the table of docs/dialects.md.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

RECORD = Path(__file__).with_suffix(".json")
PARTS = ("modules", "optimizers", "gradients", "distributions", "kinks")
BACKENDS = ("numpy", "torch", "jax", "tensorflow", "dask")

#: Why something differs, by the start of its name: what the record adds to what was seen.
REASONS = {
    "modules CrossEntropyLoss": "PyTorch's gradient of a mean over no element is nan, and 0 here",
    "gradients chalf": "no backend has complex32",
    "gradients cholesky": "the other triangle of the factor is not read; its gradient is 0, and not in PyTorch",
    "gradients linalg.pinv hermitian": (
        "the sample is no Hermitian matrix: the value reads one triangle, and PyTorch's formula of the gradient both"
    ),
    "gradients max_pool2d_with_indices_backward": "torch.ops has the kernels of PyTorch, which dialects do not have",
    "optimizers LBFGS": (
        "in float32 the curvatures are of changes of gradients that are as small as their rounding; float64 agrees"
    ),
    "kinks x.log": "nan in PyTorch",
    "kinks x.xlogy": "nan in PyTorch",
    "kinks torch.hypot": "nan in PyTorch",
}
#: Optimizers and functions that are not compared, and why.
APART = {"SparseAdam": "it takes sparse gradients alone, which no backend has"}
#: Functions that draw random numbers, beside those of `upstream_torch_runner.SEEDED`.
DRAWN = frozenset(
    "nn.functional.fractional_max_pool2d nn.functional.fractional_max_pool3d pca_lowrank svd_lowrank".split()
)
#: How many samples of a function of `op_db` are taken, and how many are looked at to take them from.
TAKEN, LOOKED_AT = 4, 40

#: Expressions of `torch`, F and a tensor, and points at which they have no one slope.
KINKS = """
x.abs(): 0
x.relu(): 0
F.relu6(x): 0, 6
F.leaky_relu(x, 0.25): 0
F.elu(x, 2.0): 0
F.celu(x, 2.0): 0
F.selu(x): 0
F.hardtanh(x): -1, 1
F.hardtanh(x, 0, 2): 0, 2
F.hardsigmoid(x): -3, 3
F.hardswish(x): -3, 3
F.softshrink(x): -0.5, 0.5
F.hardshrink(x): -0.5, 0.5
F.threshold(x, 1.0, 5.0): 1
F.rrelu(x, 0.25, 0.25): 0
F.prelu(x, torch.full((1,), 0.25, dtype=x.dtype)): 0
F.logsigmoid(x): 0
F.softplus(x, 1.0, 20.0): 20
x.clamp(0, 1): 0, 1
x.clamp(min=0): 0
x.clamp(max=1): 1
x.clamp(min=x * 0): 0, 1
x.clamp(max=x.detach()): 1
x.clamp_min(0): 0
x.clamp_max(1): 1
torch.clip(x, 0, 1): 0, 1
torch.maximum(x, x.detach()): 1
torch.minimum(x, x.detach()): 1
torch.fmax(x, x.detach()): 1
torch.fmin(x, x.detach()): 1
x.max(): 1, 1
x.min(): 1, 1
x.amax(): 1, 1, 0
x.amin(): 1, 1, 2
torch.stack(torch.aminmax(x)): 1, 1
x.max(0).values: 1, 1
x.min(0).values: 1, 1
x.median(): 1, 1, 1
x.median(0).values: 1, 1, 1
x.nanmedian(): 1, 1, 1
x.mode().values: 1, 1
x.kthvalue(1).values: 1, 1
x.sort().values[0]: 1, 1
x.topk(1).values: 1, 1
x.cummax(0).values: 1, 1
x.cummin(0).values: 1, 1
x.quantile(0.5): 1, 1, 1
x.logsumexp(0): -inf, -inf
torch.logaddexp(x, x.detach()): 1
x.norm(): 0, 0
x.norm(1): 0, 1
x.norm(float("inf")): 1, -1
x.norm(3): 0, 0
x.norm(0.5): 0, 1
torch.linalg.vector_norm(x): 0, 0
torch.linalg.vector_norm(x, float("inf")): 1, 1
torch.linalg.vector_norm(x, -float("inf")): 1, 1
x.std(): 1, 1
torch.dist(x, x.detach()): 1, 1
torch.cdist(x[None], x[None].detach()): 1, 2
F.pairwise_distance(x[None], x[None].detach(), eps=0.0): 1, 2
F.cosine_similarity(x, x * 0, 0): 1, 2
F.normalize(x, dim=0): 0, 0
x.prod(): 0, 2
x.prod(): 0, 0
x.cumprod(0): 0, 2
x.renorm(2, 0, 1.0) if x.ndim > 1 else x[None].renorm(2, 0, 1.0): 1, 0
F.l1_loss(x, x.detach()): 1
F.smooth_l1_loss(x, x.detach() - 1): 1
F.huber_loss(x, x.detach() - 1): 1
F.hinge_embedding_loss(x, x.detach() * 0 - 1): 1
F.margin_ranking_loss(x, x.detach(), x.detach() * 0 + 1): 1
F.triplet_margin_loss(x[None], x[None].detach(), x[None].detach()): 1, 2
F.kl_div(x, x.detach() * 0): 1
F.max_pool1d(x[None], 2): 1, 1
F.adaptive_max_pool1d(x[None], 1): 1, 1
x.sign(): 0
x.sgn(): 0
x.floor(): 1
x.round(): 0.5
x.frac(): 1
x.remainder(1): 1
x.fmod(1): 1
torch.copysign(x, x.detach() + 1): 0
torch.hypot(x, x.detach()): 0
torch.atan2(x, x.detach()): 0
x.xlogy(x): 0
x.pow(2): 0
x.pow(0): 0
x.pow(0.5): 0
torch.pow(0.0, x): 0, 1
x.sqrt(): 0
x.sinc(): 0
torch.special.entr(x): 0
torch.special.xlog1py(x, x): 0
torch.where(x > 0, x, 0): 0
torch.heaviside(x.detach(), x): 0
x.nan_to_num(): nan, inf, 1
x.acos(): 1
x.i0(): 0
torch.special.i0e(x): 0
torch.special.i1(x): 0
torch.special.i1e(x): 0
torch.lerp(x, x.detach() + 1, 0.5): 0.5
x.var(): 1, 1
x.logcumsumexp(0): -inf, -inf
x.softmax(0): -inf, 0
"""


class Count:
    """What was compared of a part.

    Attributes
    ----------
    agreed: how many agree.
    differ: what was seen, by a name, of those that do not; and how many of that name.
    left: what was not compared, by the reason.
    only: the names that are compared; empty for all.
    """

    def __init__(self, only: Iterable[str] = ()) -> None:
        self.only = frozenset(only)
        self.agreed = 0
        self.differ: dict[str, list[Any]] = {}
        self.left: dict[str, int] = {}

    def leave(self, why: str) -> None:
        """Count one that is not compared."""
        self.left[why] = self.left.get(why, 0) + 1

    def compare(self, name: str, f: Callable[[], Any]) -> None:
        """Count one, which differs where the function raises an error."""
        if not self.takes(name):
            return
        try:
            f()
        except Exception as error:
            text = " ".join(f"{type(error).__name__}: {error}".split())
            self.differ.setdefault(name, [0, text[:160]])[0] += 1
        else:
            self.agreed += 1

    def takes(self, name: str) -> bool:
        """Whether what has this name is compared."""
        return not self.only or name in self.only

    def kept(self, every: int) -> dict[str, Any]:
        """What the record has of it."""
        total = self.agreed + sum(n for n, _ in self.differ.values())
        return {"agreed": self.agreed, "compared": total, "every": every, "left": self.left, "differ": self.differ}


def every_of(items: Any, every: int) -> Iterator[Any]:
    """Every so many of some items."""
    return (x for i, x in enumerate(items) if i % every == 0)


def close(found: Any, expected: Any, tolerance: float) -> None:
    """Check that trees of numbers are the same. AssertionError: they are not."""
    if isinstance(expected, dict):
        assert expected.keys() == found.keys(), (found.keys(), expected.keys())
        for key, x in expected.items():
            close(found[key], x, tolerance)
    elif isinstance(expected, (list, tuple)):
        assert len(expected) == len(found)
        for a, b in zip(found, expected, strict=True):
            close(a, b, tolerance)
    elif isinstance(expected, (np.ndarray, float)):
        np.testing.assert_allclose(found, expected, tolerance, tolerance)
    else:
        assert found == expected, (found, expected)


def plain(x: Any) -> Any:
    """A tree with NumPy's arrays in the place of tensors."""
    if isinstance(x, dict):
        return {key: plain(v) for key, v in x.items()}
    if isinstance(x, (list, tuple)):
        return [plain(v) for v in x]
    return x.detach().numpy() if hasattr(x, "detach") else x


# --- the parts ------------------------------------------------------------------------------------------------------


def modules(count: Count, every: int) -> None:
    """The layers, on the samples of `tests/module_samples.py`."""
    import module_samples as samples

    for case in every_of((case for name in samples.INFOS for case in samples.cases(name)), every):
        count.compare(case.name, lambda case=case: samples.compare(case))


def optimizers(count: Count, every: int) -> None:
    """The optimizers: ten steps with the inputs of PyTorch's tests, of real and complex parameters."""
    import module_samples  # noqa: F401  # it stands in for what PyTorch's tests want
    import torch
    import upstream_torch_runner as calls
    from torch.testing._internal.common_optimizers import optim_db

    dialect = calls.dialect

    def trained(m: Any, name: str, options: dict[str, Any], dtype: str) -> Any:
        rng = np.random.default_rng(1)
        arrays = [
            rng.normal(size=shape) + (1j * rng.normal(size=shape) if dtype[0] == "c" else 0)
            for shape in ((3, 2), (2, 4))
        ]
        given = [m.tensor(x.astype(dtype)).requires_grad_() for x in arrays]
        chosen = getattr(m.optim, name)(given, **options)

        def closure() -> Any:
            chosen.zero_grad()
            y = given[0] @ given[1] - 1
            loss = (y * y.conj()).abs().mean() + 0.1 * sum((x * x.conj()).abs().sum() for x in given)
            loss.backward()
            return loss

        losses = [plain(chosen.step(closure)) for _ in range(10)]
        return [losses, plain(given), plain(chosen.state_dict()["state"])]

    def check(name: str, options: dict[str, Any], dtype: str) -> None:
        found = trained(dialect, name, calls.ours(options), dtype)
        exact = 2e-2 if name == "Muon" else 2e-4 if dtype == "float32" else 1e-7  # Muon multiplies in bfloat16
        close(found, trained(torch, name, options, dtype), exact)

    for info in optim_db:
        name = info.optim_cls.__name__
        if name in APART:
            count.leave(APART[name])
            continue
        dtypes = ("float32", "float64") + (("complex128",) if info.supports_complex else ())
        inputs = [(x.kwargs, dtype) for x in info.optim_inputs_func(device="cpu") for dtype in dtypes]
        for options, dtype in every_of(inputs, every):
            count.compare(name, lambda name=name, options=options, dtype=dtype: check(name, options, dtype))


def gradients(count: Count, every: int) -> None:
    """The derivatives of PyTorch's functions, on the samples of its tests."""
    import torch
    import upstream_torch_runner as calls

    dialect = calls.dialect

    def leaves(x: Any, kind: Any) -> list[Any]:
        if isinstance(x, kind):
            return [x]
        if isinstance(x, dict):
            return [t for v in x.values() for t in leaves(v, kind)]
        return [t for v in x for t in leaves(v, kind)] if isinstance(x, (list, tuple)) else []

    def slopes(m: Any, f: Any, args: Any, kw: Any, before: Any) -> list[Any] | None:
        inside = [x for x in leaves([args, kw], m.Tensor) if x.is_floating_point() or x.is_complex()]
        for x in inside:
            x.requires_grad_()
        outside = leaves([before(f(*[x * 1 if any(x is t for t in inside) else x for x in args], **kw))], m.Tensor)
        outside = [y for y in outside if y.requires_grad and y.numel()]
        if not outside:
            return None
        total = 0
        for y in outside:
            weights = np.cos(np.arange(y.numel())).reshape(tuple(y.shape)) + 1.5
            weighted = y * m.tensor(weights)
            total = total + (weighted.real.sum() + weighted.imag.sum() if y.is_complex() else weighted.sum())
        found = m.autograd.grad(total, inside, allow_unused=True)
        return [np.zeros(tuple(x.shape)) if g is None else plain(g) for x, g in zip(inside, found, strict=True)]

    def one(op: Any, sample: Any) -> None:
        args, kw, before = (sample.input, *sample.args), sample.kwargs, sample.output_process_fn_grad
        try:
            f, our_args, our_kw = calls.function_of(op.op), calls.ours(args), calls.ours(kw)
            torch.manual_seed(0)
            expected = slopes(torch, op.op, calls.theirs(args), calls.theirs(kw), before)
            torch.manual_seed(1)
            again = slopes(torch, op.op, calls.theirs(args), calls.theirs(kw), before)
        except Exception as error:
            count.leave("not in the dialect" if isinstance(error, calls.AbsenceError) else "PyTorch refuses")
            return
        if expected is None or not all(map(np.array_equal, expected, again, [True] * len(again))):
            count.leave("no gradient" if expected is None else "random")
            return

        def check() -> None:
            found = slopes(dialect, f, our_args, our_kw, before)
            close([np.zeros_like(x) for x in expected] if found is None else found, expected, 1e-6)

        count.compare(name_of(op), check)

    def name_of(op: Any) -> str:
        return op.name if not op.variant_test_name else f"{op.name} {op.variant_test_name}"

    listed = [op for op in calls.database() if op.supports_autograd and count.takes(name_of(op))]
    for op in every_of(listed, every):
        if torch.float64 not in op.supported_dtypes("cpu") or op.name in calls.SEEDED | DRAWN:
            count.leave("random" if op.name in calls.SEEDED | DRAWN else "no float64")
            continue
        torch.manual_seed(0)
        looked_at = [x for x, _ in zip(op.sample_inputs("cpu", torch.float64), range(LOOKED_AT), strict=False)]
        for sample in looked_at[:: max(1, len(looked_at) // TAKEN)][:TAKEN]:
            one(op, sample)


def distributions(count: Count, every: int) -> None:
    """The distributions: what is known of each with the parameters of the tests, and the derivatives of densities."""
    import test_torch_distributions as tests

    cases = [(name, parameters) for name, listed in tests.CASES.items() for parameters in listed]
    for name, parameters in every_of(cases, every):
        tests.real.manual_seed(0)
        sample = tests.made(tests.real, name, parameters)[0].sample((2,)).numpy()
        expected = tests.facts(tests.real, name, parameters, sample)
        try:
            found = tests.facts(tests.torch, name, parameters, sample)
        except Exception as error:
            found = [error] * len(expected)
        exact = 1e-4 if name in tests.OF_FLOAT32 else 1e-6
        for a, b in zip(expected, found, strict=True):
            count.compare(name, lambda a=a, b=b, exact=exact: close(b, a, exact))


def kinks(count: Count, every: int) -> None:
    """The slopes where there is no one slope."""
    import torch

    from latticework.frontends import torch as dialect

    def slope(m: Any, text: str, points: list[float]) -> Any:
        x = m.tensor(points, dtype=m.float64, requires_grad=True)
        y = eval(text, {"torch": m, "F": m.nn.functional, "x": x})
        if not y.requires_grad:
            return None
        (y.sum() + 0 * x.sum()).backward()
        return x.grad.numpy()

    for line in every_of(KINKS.strip().split("\n"), every):
        text, _, points = line.rpartition(": ")
        at = [float(p) for p in points.split(",")]
        try:
            expected = slope(torch, text, at)
        except Exception:
            count.leave("PyTorch refuses")
            continue

        def check(text: str = text, at: list[float] = at, expected: Any = expected) -> None:
            found = slope(dialect, text, at)
            same = found is expected is None or np.allclose(found, expected, 1e-6, 1e-6, equal_nan=True)
            assert same, f"{found}, and {expected} in PyTorch"

        count.compare(line, check)


# --- the record -----------------------------------------------------------------------------------------------------


def record() -> dict[str, dict[str, Any]]:
    """What was compared: by part and backend."""
    return json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}


def table() -> str:
    """The counts as a table of the page: a row for each part, a column for each backend."""
    kept = record()
    shown = {"numpy": "NumPy", "torch": "PyTorch", "jax": "JAX", "tensorflow": "TensorFlow", "dask": "Dask"}
    rows = ["| | " + " | ".join(shown.values()) + " |", "|---|" + "--:|" * len(shown)]
    for part in PARTS:
        cells = [kept.get(part, {}).get(b) for b in shown]
        texts = [f"{c['agreed']:,} of {c['compared']:,}{_share(c['every'])}" if c else "" for c in cells]
        rows.append(f"| {part} | " + " | ".join(texts) + " |")
    return "\n".join(rows)


def _share(every: int) -> str:
    return f", one of {every}" if every > 1 else ""


def show() -> None:
    """Print what differs."""
    for part, backends in record().items():
        for backend, kept in backends.items():
            for name, (n, text) in kept["differ"].items():
                why = next((r for start, r in REASONS.items() if f"{part} {name}".startswith(start)), text)
                print(f"{part} {backend} {name}: {n}: {why}")


def main() -> int:
    """Compare, print the counts and keep them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--backend", choices=BACKENDS, nargs="+", default=["numpy"])
    parser.add_argument("--part", choices=PARTS, nargs="+", default=[*PARTS])
    parser.add_argument("--every", type=int, default=1, metavar="K", help="compare every Kth sample, or function")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="compare these; the record stays")
    parser.add_argument("--show", action="store_true", help="print what differs, from the record")
    arguments = parser.parse_args()
    if arguments.show:
        show()
        return 0
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    import latticework as lw

    warnings.simplefilter("ignore")
    for backend in arguments.backend:
        for part in arguments.part:
            count = Count(arguments.only)
            with lw.using(backend=backend), np.errstate(all="ignore"):
                globals()[part](count, arguments.every)
            kept = count.kept(arguments.every)
            print(f"{part} on {backend}: {kept['agreed']} of {kept['compared']} agree; left {kept['left']}", flush=True)
            for name, (n, text) in kept["differ"].items():
                print(f"    {name}: {n}: {text}", flush=True)
            if arguments.only:
                continue
            found = record()
            found.setdefault(part, {})[backend] = kept
            RECORD.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
