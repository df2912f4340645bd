"""The audit follows programs that were written for NumPy, JAX and PyTorch, without a change of their imports."""

from __future__ import annotations

import importlib.util
import linecache
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import latticework as lw
from latticework.auditing.specs import parse

#: Name -> what is imported, the body of a function of x, int32[2, 3], u, uint8[2, 3], and f, float32[3].
PROGRAMS = {
    "numpy": """
import numpy as np
from numpy.linalg import norm

def scaled(a):
    return a / norm(a)

def program(x, u, f):
    kernel = np.array([1, 2, 1])
    grid = np.linspace(0, 1, 3) * np.arange(3)
    out = np.zeros(x.shape)
    out[:, 1:] = x[:, 1:] * kernel[1]
    levels = np.cumsum(np.bincount(u.ravel(), minlength=256))
    low = np.clip(u * 1.5, 0, 255).astype(np.uint8)
    return (
        np.sqrt(x), x / 2, np.mean(x, axis=0), u.mean(), np.sum(u), x.sum(1), np.where(x > 0, x, f), grid + f,
        scaled(f), np.std(f), out, levels, low, np.exp(f).astype(np.float16) * x, np.concatenate([u, x]),
        np.full(3, 2.5, dtype=np.float32) * f, np.eye(3) @ f, f * np.float64(2), np.round(f), np.argmax(x),
    )
""",
    "jax": """
import jax
import jax.numpy as jnp
from jax.nn import relu

@jax.jit
def scaled(a):
    return a / jnp.linalg.norm(a)

def program(x, u, f):
    k = jnp.arange(3)
    return (
        jnp.exp(x), x / 2, jnp.mean(x, 0), jnp.sum(u), relu(f), scaled(f) * 2, jnp.zeros(3) + f, k * f, k / 2,
        jnp.where(x > 0, x, 0.5), jax.vmap(scaled)(jnp.asarray([[1.0, 2.0]])), jnp.asarray([1, 2]), u * 1.5,
        jnp.concatenate([u, x]), jnp.linspace(0, 1, 3), x.astype(jnp.bfloat16) + f, jax.nn.softmax(f, axis=-1),
    )
""",
    "torch": """
import torch
import torch.nn.functional as F

def scaled(a):
    return a / a.pow(2).sum().sqrt()

def program(x, u, f):
    k = torch.arange(3)
    m = 0.9 * f + torch.mul(f, 0.1)
    m += k
    return (
        torch.exp(x), x / 2, x.float().mean(dim=0), u.sum(), torch.sum(x, dim=1, keepdim=True), F.relu(f), scaled(f), m,
        k / 2, torch.where(x > 0, x, 0.5), torch.zeros(2, 3) + x, torch.tensor([1.5, 2.0]), u * 1.5,
        torch.cat([f, k]), x.to(torch.int8) + u,
        F.softmax(f, dim=-1), f.half().unsqueeze(0), x.view(-1) * 2, u.max(dim=1)[1],
        torch.stack([f, f]).std(dim=0), x.argmax(), torch.clamp(f, min=0.0), (f > 1).sum(), x.t().double(),
        torch.full((3,), 2), torch.ones_like(x) * f, f @ f, torch.rsqrt(f), torch.cumsum(u, 0), u.cumprod(0),
        torch.angle(f), torch.angle(x), torch.fmod(x, f), torch.copysign(x, u), torch.exp2(u), x.real,
        torch.lerp(f, f, f), torch.heaviside(f, f), torch.deg2rad(u), torch.float_power(f, f), torch.sinc(x),
        torch.fmax(u, x), f if hasattr(x, "astype") else x, x if hasattr(x, "numpy") else f,
    )
""",
}

SPECS = {"x": ("int32", (2, 3)), "u": ("uint8", (2, 3)), "f": ("float32", (3,))}


def module_of(folder: Path, text: str) -> Any:
    path = folder / f"written_{abs(hash(text))}.py"
    path.write_text(text)
    linecache.checkcache(str(path))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def dtypes(rules: str, program: Any) -> list[str]:
    """The dtypes that the framework itself gives."""
    if rules == "numpy":
        results = program(*[np.ones(shape, dtype) for dtype, shape in SPECS.values()])
        return [str(np.asarray(r).dtype) for r in results]
    if rules == "torch":
        import torch

        results = program(*[torch.ones(shape, dtype=getattr(torch, dtype)) for dtype, shape in SPECS.values()])
        return [str(r.dtype).removeprefix("torch.") for r in results]
    import jax

    with jax.enable_x64(True):
        results = jax.eval_shape(program, *[jax.ShapeDtypeStruct(shape, dtype) for dtype, shape in SPECS.values()])
    return [str(r.dtype) for r in results]


def specs() -> tuple[Any, ...]:
    return tuple(lw.spec(shape, dtype) for dtype, shape in SPECS.values())


@pytest.mark.parametrize("framework", PROGRAMS)
def test_under_its_own_rules_a_program_has_the_dtypes_of_its_framework(framework: str, tmp_path: Path) -> None:
    pytest.importorskip(framework)
    module = module_of(tmp_path, PROGRAMS[framework])
    before = dict(vars(module))
    found = lw.audit(module.program, *specs(), rules=framework)
    assert vars(module) == before  # the stand-ins are gone
    assert found.agrees, str(found)
    shown = dict(found.results)[framework]
    predicted = [part.rstrip("]").rpartition("[")[0].strip("(, ").rpartition(" ")[2] for part in shown.split("], ")]
    predicted = [p.partition("[")[0] for p in predicted]
    assert predicted == dtypes(framework, module.program)


@pytest.mark.parametrize("framework", PROGRAMS)
def test_casts_are_written_as_the_program_writes_them(framework: str, tmp_path: Path) -> None:
    pytest.importorskip(framework)
    module = module_of(tmp_path, PROGRAMS[framework])
    found = lw.audit(module.program, *specs(), rules=(framework, "unified", "numpy", "torch"))
    texts = [f.fix.text for f in found.findings if f.fix]
    cast = {"numpy": "x.astype(np.float64) / 2", "jax": "x.astype(jnp.float32) / 2", "torch": "x.to(torch.float32) / 2"}
    assert cast[framework] in texts
    assert all("lw." not in text for text in texts if "with" not in text), texts


AUDITED = {
    "attention": (("torch", "numpy", "jax"), [lw.spec((4, 8), "float32")] * 3),
    "positions": (("torch", "numpy", "jax", "tensorflow"), [16, 8]),
    "adam": (("jax", "torch", "numpy"), [lw.spec((), "int32"), *[lw.spec((8,), "float16")] * 4]),
}


@pytest.mark.parametrize("name", AUDITED)
def test_published_algorithms_agree_after_the_patch(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for framework in ("torch", "jax"):
        pytest.importorskip(framework)
    monkeypatch.chdir(tmp_path)
    rules, args = AUDITED[name]
    text = (Path(__file__).parents[1] / "examples" / "audited" / f"{name}.py").read_text()
    before = lw.audit(getattr(module_of(tmp_path, text), name), *args, rules=rules)
    assert before.divergences
    subprocess.run(["git", "apply"], input=before.patch, text=True, check=True)
    (path,) = tmp_path.glob("written_*.py")
    after = lw.audit(getattr(module_of(tmp_path, path.read_text()), name), *args, rules=rules)
    assert after.agrees, str(after)


def test_a_numpy_scalar_is_an_array_to_some_rules_and_a_number_to_others() -> None:
    """What the audit says of attention is what NumPy and PyTorch do."""
    torch = pytest.importorskip("torch")

    def program(x: Any) -> Any:
        return x / np.sqrt(2)

    (divide,) = lw.audit(program, lw.spec(3, "float32"), rules=("numpy", "torch")).findings
    assert not divide.follows
    assert [o.results for o in divide.outcomes] == [("float64",), ("float32",)]
    assert program(np.ones(3, "float32")).dtype == "float64"
    assert program(torch.ones(3)).dtype == torch.float32
    assert divide.fix is not None
    assert divide.fix.text == "x.astype(np.float64) / np.sqrt(2)"


@pytest.mark.parametrize(
    ("framework", "imports", "expression"),
    [
        ("numpy", "import numpy as np", "np.unwrap(x * 1.5) if 0 else np.array(x.tolist())"),
        ("jax", "import jax.numpy as jnp", "jnp.fromstring(x)"),
        ("jax", "import jax.lax as lax", "lax.mulhi(x, x)"),
        ("torch", "import torch", "torch.sspaddmm(x, x)"),
        ("torch", "import torch", "x.sparse_mask(x)"),
    ],
)
def test_what_is_not_followed_is_told_with_its_line(
    framework: str, imports: str, expression: str, tmp_path: Path
) -> None:
    pytest.importorskip(framework)
    module = module_of(tmp_path, f"{imports}\n\ndef program(x):\n    y = x * 2\n    return {expression}\n")
    found = lw.audit(module.program, lw.spec(3, "int32"), rules=("numpy", "torch"))
    (stop,) = (*found.stops, *found.not_followed)
    assert stop.place is not None
    assert (stop.place.line, stop.runs) == (5, ("numpy", "torch"))
    assert not found.agrees
    assert "2 runs stopped before their end" in str(found)


def test_a_program_of_operators_alone_needs_nothing_loaded_before() -> None:
    code = (
        "import latticework as lw\n"
        "print(lw.infer(lambda x: x / 2, lw.spec(3, 'int8')))\n"
        "print([f.operation for f in lw.audit(lambda x: x / 2, lw.spec(3, 'int8'), rules=('numpy', 'torch')).findings])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown == "float32[3]\n['divide']\n"


def test_arguments_of_the_command_are_those_of_the_function() -> None:
    args, kw = parse("int32[2, 3] k=uint8[]")
    assert (*map(str, args), str(kw["k"])) == ("int32[2, 3]", "uint8[]")


def test_what_a_patch_writes_is_computed_by_the_framework(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    text = "import torch\n\ndef program(u):\n    return torch.cumsum(u, 0)\n"
    module = module_of(tmp_path, text)
    found = lw.audit(module.program, lw.spec((3,), "uint8"), rules=("numpy", "torch", "jax"))
    assert [(o.run, *o.results) for o in found.divergences[0].outcomes] == [
        ("numpy", "uint64"), ("torch", "int64"), ("jax", "uint8"),
    ]  # fmt: skip
    fix = found.divergences[0].fix
    assert fix is not None
    assert (fix.text, fix.dtype) == ("torch.cumsum(u.to(torch.int64), 0)", "int64")
    patched = module_of(tmp_path, text.replace("torch.cumsum(u, 0)", fix.text))
    assert lw.audit(patched.program, lw.spec((3,), "uint8"), rules=("numpy", "torch", "jax")).agrees
    assert patched.program(torch.ones(3, dtype=torch.uint8)).dtype is torch.int64
