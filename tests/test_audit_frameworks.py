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

#: Framework, and what the program is about -> its text. `program` takes x, int32[2, 3], u, uint8[2, 3], f, float32[3].
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
        torch.trapezoid(f), x.add_(1), torch.addcmul(f, x, u, value=0.5), F.one_hot(u.long(), 3), torch.var_mean(f)[1],
        torch.linalg.norm(f) * x, torch.bucketize(f, torch.tensor([1, 2])), torch.full_like(x, 2) / 2, torch.eye(3) * f,
        torch.linspace(0, 1, 3) * k, torch.logit(f) + torch.count_nonzero(u), F.layer_norm(f, (3,)), f.new_zeros(3),
    )
""",
    "torch models": """
import math
import torch
import torch.nn.functional as F
from torch import nn

MEAN = torch.tensor([1, 2, 3])
HEAD = nn.Sequential(
    nn.Conv2d(1, 2, 3, padding=1), nn.BatchNorm2d(2), nn.ReLU(inplace=True), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
    nn.Linear(2, 3),
)

class Encoding(nn.Module):
    def __init__(self, width, length=8):
        super().__init__()
        position = torch.arange(length).unsqueeze(1)
        rate = torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
        table = torch.zeros(length, width)
        table[:, 0::2], table[:, 1::2] = torch.sin(position * rate), torch.cos(position * rate)
        self.register_buffer("table", table)

    def forward(self, x):
        return x + self.table[: x.size(0)]

class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm, self.qkv = nn.LayerNorm(width), nn.Linear(width, 3 * width)
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        q, k, v = self.qkv(self.norm(x)).chunk(3, dim=-1)
        scores = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).masked_fill(torch.eye(x.size(0)) == 0, -math.inf)
        y = F.gelu(F.softmax(scores, dim=-1) @ v)
        return x + y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + 1e-6) * self.scale

def hsv(image):
    if not isinstance(image, torch.Tensor):
        raise TypeError
    (most, at), least = image.max(0), image.min(0)[0]
    spread = torch.where(most == least, torch.ones_like(most), most - least)
    return torch.stack([at / 6 % 1.0 * 2 * math.pi, spread / (most + 1e-8), most])

def rotated(q):
    rate = 1.0 / (10000 ** (torch.arange(0, 4, 2).float() / 4))
    turn = torch.polar(torch.ones(2), torch.outer(torch.arange(1), rate)[0])
    return torch.view_as_real(torch.view_as_complex(q.float().reshape(-1, 2, 2)) * turn).flatten(1).type_as(q)

@torch.no_grad()
def program(x, u, f):
    model = nn.Sequential(Encoding(4), Block(4))
    width = torch.cat([f, f[:1]]).half()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        half = HEAD(f.view(1, 1, 1, 3))
    loss = F.cross_entropy(f[None], u[0, :1].long(), weight=f, label_smoothing=0.1)
    warm = torch.where(x < 10, x / 10, 0.5 * (1 + torch.cos(math.pi * x)))
    head = HEAD.eval()(f.view(1, 1, 1, 3))
    return x - MEAN, head, model(torch.ones(2, 4)), hsv(u / 255), rotated(width), half, loss, warm
""",
    "jax training": """
from functools import partial
from typing import NamedTuple
import jax
import jax.numpy as jnp
import numpy as np
from jax import grad, lax, nn, random
from jax.scipy.special import logsumexp

SCALE = jnp.array([1.0, 2.0, 3.0])

class State(NamedTuple):
    m: jax.Array
    step: jax.Array

@partial(jax.jit, static_argnums=1)
def norm(x, eps=1e-6):
    return (x * lax.rsqrt(jnp.mean(jnp.square(x.astype(jnp.float32))) + eps)).astype(x.dtype)

def loss(w, x, y):
    logits = nn.gelu(x @ w)
    return -jnp.mean((logits - logsumexp(logits)) * nn.one_hot(y, 3))

def program(x, u, f):
    state = State(0.9 * f + 0.1 * SCALE, x[0, 0] + 1)
    angle = jnp.arange(3)[:, None] * 10000.0 ** (-jnp.arange(0, 4, 2) / 4)
    last, out = lax.scan(lambda h, y: (jnp.tanh(h + y), h * 2), f, u.astype(f.dtype) / 255)
    return (
        state.m / (1 - 0.9**state.step), norm(f.astype(jnp.bfloat16)), grad(loss)(jnp.ones((3, 3)), f, x[0, 0]), last,
        out, x.at[0].add(1), f / np.sqrt(3), jnp.einsum("i,i->i", f, f), random.normal(random.key(0), (3,)) * f,
        jnp.concatenate([jnp.sin(angle), jnp.cos(angle)], -1).astype(f.dtype), lax.cumlogsumexp(f), jnp.full(3, 2),
    )
""",
    "tensorflow": """
import tensorflow as tf

@tf.function
def scaled(a):
    return a * 2.0 + tf.linspace(0.0, 1.0, 3)

def program(x, u, f):
    rates = 1 / 10000 ** (tf.range(4 / 2)[tf.newaxis, :] / 2)
    angle = tf.cast(tf.range(3)[:, tf.newaxis], tf.float32) * rates
    scores = tf.matmul(angle, angle, transpose_b=True) / tf.math.sqrt(tf.cast(tf.shape(x)[-1], tf.float32))
    return (
        x / 2, tf.reduce_mean(f) + 1, tf.cast(u, tf.float32) / 255.0, tf.reduce_sum(u), tf.where(x > 0, x, 0),
        scaled(f), tf.constant([1, 2, 3]) + x, tf.zeros([3]) + f, tf.one_hot(x, 3), tf.argmax(f), tf.nn.softmax(scores),
        tf.concat([tf.sin(angle), tf.cos(angle)], axis=-1), tf.fill([3], 2), tf.constant([0.5]) * f,
    )
""",
}
PROGRAMS["torch dialect"] = (
    PROGRAMS["torch"]
    .replace("import torch\n", "import latticework.frontends.torch as torch\n")
    .replace("import torch.nn", "import latticework.frontends.torch.nn")
)

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
    if rules == "tensorflow":
        import tensorflow as tf

        return [r.dtype.name for r in program(*[tf.ones(shape, dtype) for dtype, shape in SPECS.values()])]
    import jax

    with jax.enable_x64(True):
        results = jax.eval_shape(program, *[jax.ShapeDtypeStruct(shape, dtype) for dtype, shape in SPECS.values()])
    return [str(r.dtype) for r in results]


def specs() -> tuple[Any, ...]:
    return tuple(lw.spec(shape, dtype) for dtype, shape in SPECS.values())


@pytest.mark.parametrize("name", PROGRAMS)
def test_under_its_own_rules_a_program_has_the_dtypes_of_its_framework(name: str, tmp_path: Path) -> None:
    framework = name.partition(" ")[0]
    pytest.importorskip(framework)
    module = module_of(tmp_path, PROGRAMS[name])
    before = dict(vars(module))
    found = lw.audit(module.program, *specs(), rules=framework)
    assert vars(module) == before  # the stand-ins are gone
    assert found.agrees, str(found)
    shown = dict(found.results)[framework]
    predicted = [part.rstrip("]").rpartition("[")[0].strip("(, ").rpartition(" ")[2] for part in shown.split("], ")]
    predicted = [p.partition("[")[0] for p in predicted]
    real = module_of(tmp_path, PROGRAMS["torch"]) if name == "torch dialect" else module
    assert predicted == dtypes(framework, real.program)


@pytest.mark.parametrize("framework", ["numpy", "jax", "torch"])
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
    "torch models": (("torch", "numpy", "jax"), specs()),
    "jax training": (("jax", "numpy", "torch"), specs()),
}


@pytest.mark.parametrize("name", AUDITED)
def test_published_algorithms_agree_after_the_patch(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for framework in ("torch", "jax"):
        pytest.importorskip(framework)
    monkeypatch.chdir(tmp_path)
    rules, args = AUDITED[name]
    file = Path(__file__).parents[1] / "examples" / "audited" / f"{name}.py"
    text, program = (PROGRAMS[name], "program") if name in PROGRAMS else (file.read_text(), name)
    before = lw.audit(getattr(module_of(tmp_path, text), program), *args, rules=rules)
    assert before.divergences
    subprocess.run(["git", "apply"], input=before.patch, text=True, check=True)
    (path,) = tmp_path.glob("written_*.py")
    after = lw.audit(getattr(module_of(tmp_path, path.read_text()), program), *args, rules=rules)
    assert after.agrees, str(after)


#: Framework, the expression of x, int32[3, 3], y, float32[3, 3], and z, float16[3, 3], and what the patch makes of it.
EXPRESSIONS = [
    ("jax", "jnp.interp(x[0], y[0], z[0])", "jnp.interp(x[0], y[0], z[0]).astype(jnp.float32)"),
    ("jax", "jnp.mean(x + jnp.arange(3))", "jnp.mean((x + jnp.arange(3, dtype=jnp.int32)).astype(jnp.float32))"),
    ("jax", "y.at[0].add(1)", "y.at[0].add(1)"),
    ("jax", "jnp.argsort(y) + x", "jnp.argsort(y).astype(jnp.int32) + x"),
    ("jax", "jnp.cov(x)", "jnp.cov(x).astype(jnp.float32)"),
    ("jax", "jnp.average(x, weights=z)", "jnp.average(x, weights=z).astype(jnp.float16)"),
    ("jax", "jnp.polyval(jnp.array([1, 2]), x)", "jnp.polyval(jnp.array([1, 2]), x).astype(jnp.int32)"),
    ("torch", "torch.cumsum(x > 0, 0)", "torch.cumsum(x > 0, 0).to(torch.int32)"),
    ("torch", "torch.outer(x[0], z[0])", "torch.outer(x[0], z[0]).to(torch.float16)"),
    ("tensorflow", "tf.linspace(0.0, 1.0, 3) * y", "tf.cast(tf.linspace(0.0, 1.0, 3), tf.float32) * y"),
    ("tensorflow", "tf.cumsum(x)", "tf.cast(tf.cumsum(x), tf.int32)"),
    ("numpy", "np.polyval([1, 2, 3], x)", "np.polyval([1, 2, 3], x).astype(np.int32)"),
]
IMPORTS = {
    "jax": "import jax.numpy as jnp", "torch": "import torch", "tensorflow": "import tensorflow as tf",
    "numpy": "import numpy as np",
}  # fmt: skip


@pytest.mark.parametrize(("framework", "expression", "patched"), EXPRESSIONS)
def test_a_function_of_several_operations_is_one(
    framework: str, expression: str, patched: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cast is for its result, and a second audit has nothing to add."""
    pytest.importorskip(framework)
    monkeypatch.chdir(tmp_path)
    args, _ = parse("int32[3,3] float32[3,3] float16[3,3]")
    before = lw.audit(
        module_of(tmp_path, f"{IMPORTS[framework]}\n\ndef program(x, y, z):\n    return {expression}\n").program, *args
    )
    assert len(before.divergences) < 4, str(before)
    if patched != expression:
        subprocess.run(["git", "apply"], input=before.patch, text=True, check=True)
    (path,) = tmp_path.glob("written_*.py")
    assert path.read_text().splitlines()[-1] == f"    return {patched}"
    after = lw.audit(module_of(tmp_path, path.read_text()).program, *args)
    assert not after.patch, str(after)
    assert len({result for run, result in after.results if result}) == 1, str(after)


TRAINED = """
import torch
import torch.nn.functional as F

net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Dropout(0.5), torch.nn.Linear(4, 2))

def program(x, y):
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)
    for _ in range(2):
        loss = F.cross_entropy(net(x) * torch.arange(2), y)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
    return loss, torch.ones_like(x / loss.detach())
"""


def test_a_step_of_training_is_followed_and_trains_nothing(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    module = module_of(tmp_path, TRAINED)
    before = [p.clone() for p in module.net.parameters()]
    found = lw.audit(module.program, lw.spec((5, 3), "float32"), lw.spec(5, "int64"), rules=("numpy", "torch"))
    assert not found.stops
    apart = [f.place.expression for f in found.divergences]
    assert apart == ["net(x) * torch.arange(2)", "x / loss.detach()"]  # autograd records the first
    assert all(torch.equal(p, q) and p.grad is None for p, q in zip(module.net.parameters(), before, strict=True))


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


@pytest.mark.parametrize(
    ("imports", "expression", "rules", "text"),
    [
        ("import torch", "torch.cumsum(u, 0)", ("numpy", "torch"), "torch.cumsum(u, 0, dtype=torch.int64)"),
        ("import numpy as np", "x / 2", ("numpy", "jax-x32"), "(x / 2).astype(np.float32)"),
        ("import jax.numpy as jnp", "jnp.sum(u)", ("numpy", "jax-x32"), "jnp.sum(u, dtype=jnp.uint32)"),
        ("import torch", "torch.rsub(x, f)", ("numpy", "torch"), "torch.rsub(x, f.to(torch.float64))"),
        ("import jax.numpy as jnp", "x * 1.5", ("tensorflow", "mlx", "torch"), "x.astype(jnp.float32) * 1.5"),
        ("import tensorflow as tf", "tf.reduce_sum(u)", ("torch", "numpy"), "tf.reduce_sum(tf.cast(u, tf.int64))"),
    ],
)
def test_a_patch_names_dtypes_that_the_framework_computes_in(
    imports: str, expression: str, rules: Any, text: str, tmp_path: Path
) -> None:
    pytest.importorskip(imports.split()[1].partition(".")[0])
    module = module_of(tmp_path, f"{imports}\n\ndef program(x, u, f):\n    return {expression}\n")
    found = lw.audit(module.program, *(lw.spec(3, dtype) for dtype, _ in SPECS.values()), rules=rules)
    assert [f.fix and f.fix.text for f in found.findings] == [text], str(found)


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
    assert (fix.text, fix.dtype) == ("torch.cumsum(u, 0, dtype=torch.int64)", "int64")
    patched = module_of(tmp_path, text.replace("torch.cumsum(u, 0)", fix.text))
    assert lw.audit(patched.program, lw.spec((3,), "uint8"), rules=("numpy", "torch", "jax")).agrees
    assert patched.program(torch.ones(3, dtype=torch.uint8)).dtype is torch.int64
