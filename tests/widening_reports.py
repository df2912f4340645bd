"""Reports of lost dtypes from other projects' issue trackers, as small programs in our words."""

from __future__ import annotations

from typing import NamedTuple


class Report(NamedTuple):
    """A report: the shape of the program that it tells of, and what the audit for widening has to say.

    `program` is a module with a function `program` of the arrays `args`, dtypes with extents. `found` has the
    expressions that widen, from what to what, where the wide operand was made, and the cast that keeps it narrow.
    """

    framework: str
    args: str
    program: str
    found: str
    stop: str = ""
    rules: str | None = None


#: Repository and number -> the report.
REPORTS = {
    "kornia#4210": Report(
        "torch",
        "bfloat16[2,3] float32[2,1]",
        """
import torch

def program(image, chosen):
    chosen = chosen.to(image.device)
    return chosen * image.flip(-1) + (1 - chosen) * image
""",
        """
bfloat16 to float32: chosen * image.flip(-1)
made: chosen.to(image.device)
cast: chosen.to(torch.bfloat16) * image.flip(-1)
bfloat16 to float32: (1 - chosen) * image
made: chosen.to(image.device)
cast: ((1 - chosen).to(image.dtype)) * image
""",
    ),
    "kornia#3954": Report(
        "torch",
        "float16[4]",
        """
import torch

def program(q):
    w, x, y, z = torch.unbind(q, -1)
    one = torch.tensor(1.0)
    row = one - 2 * (y * y + z * z)
    return torch.stack([row, 2 * (x * y - w * z)])
""",
        """
float16 to float32: one - 2 * (y * y + z * z)
made: torch.tensor(1.0)
cast: one.to(torch.float16) - 2 * (y * y + z * z)
""",
    ),
    "pytorch-image-models#2794": Report(
        "torch",
        "float16[3,4]",
        """
import torch
from torch import nn

class Rotary(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.register_buffer("bands", 1.0 / 100 ** torch.linspace(0, 1, width), persistent=False)

    def forward(self, x):
        angles = torch.arange(x.shape[-2])[:, None] * self.bands
        return x * angles.cos() + x.roll(1, -1) * angles.sin()

def program(x):
    return nn.Sequential(nn.LayerNorm(4, dtype=x.dtype), Rotary(4))(x)
""",
        """
float16 to float32: x * angles.cos()
made: torch.linspace(0, 1, width)
cast: x * angles.cos().to(x.dtype)
float16 to float32: x.roll(1, -1) * angles.sin()
made: torch.linspace(0, 1, width)
cast: x.roll(1, -1) * angles.sin().to(torch.float16)
""",
    ),
    "returnn#1828": Report(
        "torch",
        "float32[2,3]",
        """
import torch
from torch import nn

class Linear(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(3, 3)), nn.Parameter(torch.zeros(3))

    def forward(self, x):
        return torch.matmul(x, self.weight) + self.bias

def program(x):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return Linear()(nn.functional.softmax(x, -1))
""",
        """
bfloat16 to float32: torch.matmul(x, self.weight) + self.bias
cast: torch.matmul(x, self.weight) + self.bias.to(torch.bfloat16)
""",
    ),
    "speechbrain#2544": Report(
        "torch",
        "bfloat16[2,4,3] bfloat16[4,8,1]",
        """
import torch
import torch.nn.functional as F

def lengths_to_mask(lengths, most):
    return (torch.arange(most) < lengths[:, None]).float()

def program(x, weight):
    mask = lengths_to_mask(torch.tensor([2, 3]), 3)[:, None]
    mean = (x * (mask / mask.sum(-1, keepdim=True))).sum(-1, keepdim=True)
    return F.conv1d(torch.cat([x, mean.expand(x.shape)], 1), weight)
""",
        """
bfloat16 to float32: x * (mask / mask.sum(-1, keepdim=True))
made: (torch.arange(most) < lengths[:, None]).float()
cast: x * ((mask / mask.sum(-1, keepdim=True)).to(x.dtype))
""",
        stop="RuntimeError",
    ),
    "vllm-omni#496": Report(
        "torch",
        "float32[2,3] float32[2,3]",
        """
import torch

def program(query, angles):
    cos = angles.double().cos()
    cos.to(query.dtype)
    return torch.mul(query, cos)
""",
        """
float32 to float64: torch.mul(query, cos)
made: angles.double()
cast: torch.mul(query, cos.to(query.dtype))
""",
    ),
    "jax#7368": Report(
        "jax",
        "bfloat16[3] float32[3]",
        """
import jax
import jax.numpy as jnp

@jax.jit
def program(x, scale):
    return jax.nn.relu(jnp.tanh(x) * scale), x.astype(jnp.float32).mean()
""",
        """
bfloat16 to float32: jnp.tanh(x) * scale
cast: jnp.tanh(x) * scale.astype(jnp.bfloat16)
""",
    ),
    "flax#924": Report(
        "jax",
        "float32[3] float32[3]",
        """
import jax
import jax.numpy as jnp

def corrected(m, step):
    t = step + 1.0
    return m / (1 - 0.9 ** jnp.asarray(t, float))

def program(weight, grad):
    step = jnp.zeros((), jnp.int32)
    with jax.named_scope("adam"):
        return weight - 0.001 * corrected(0.1 * grad, step)
""",
        """
float32 to float64: m / (1 - 0.9 ** jnp.asarray(t, float))
made: jnp.asarray(t, float)
cast: m / ((1 - 0.9 ** jnp.asarray(t, float)).astype(m.dtype))
""",
    ),
    "astropy#20360": Report(
        "numpy",
        "float32[2,3]",
        """
import numpy as np

def program(image):
    size = np.atleast_1d((2, 2)).astype(int)
    for axis in range(image.ndim):
        image = np.repeat(image, size[axis], axis=axis)
    return image / np.prod(size)
""",
        """
float32 to float64: image / np.prod(size)
cast: image / np.prod(size).astype(image.dtype)
""",
    ),
    "numpy#13591": Report(
        "numpy",
        "float32[3]",
        """
import numpy as np

def program(x):
    total = np.float32(0)
    for weight in np.linspace(0, 1, 3):
        total += weight * x[0]
    return np.concatenate([x, np.zeros(3)]) + total
""",
        """
float32 to float64: weight * x[0]
cast: weight.astype(np.float32) * x[0]
float32 to float64: np.concatenate([x, np.zeros(3)])
made: np.zeros(3)
cast: np.concatenate([x, np.zeros(3).astype(x.dtype)])
""",
    ),
    "transformers#12862": Report(
        "numpy",
        "float32[8]",
        """
import numpy as np

def program(sound):
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(4) / 4)
    frames = np.stack([sound[i : i + 4] for i in range(3)])
    return np.log(np.abs(np.fft.rfft(frames * window)) + 1e-6)
""",
        """
float32 to float64: frames * window
made: 2 * np.pi * np.arange(4)
cast: frames * window.astype(frames.dtype)
""",
    ),
    "autoresearch-mlx#3": Report(
        "latticework",
        "bfloat16[2,2] bfloat16[2,2]",
        """
import latticework as lw

def program(x, first):
    keep = lw.asarray([1.0, 0.5], dtype=lw.float32)
    return keep[0] * x + keep[1] * first
""",
        """
bfloat16 to float32: keep[0] * x
made: lw.asarray([1.0, 0.5], dtype=lw.float32)
cast: lw.astype(keep[0], x.dtype) * x
bfloat16 to float32: keep[1] * first
made: lw.asarray([1.0, 0.5], dtype=lw.float32)
cast: lw.astype(keep[1], first.dtype) * first
""",
        rules="mlx",
    ),
}

#: What Python has, in functions of numbers and arrays. Watched, `program` gives what it gives unwatched.
PYTHON = """
import contextlib, functools
import numpy as np

one = np.float32(1)

class Base:
    def __init__(self, x, *, k=2):
        self.x, self.k = x, k
    @property
    def twice(self):
        return self.x * 2
    @classmethod
    def made(cls, *args, **kw):
        return cls(*args, **kw)
    @staticmethod
    def plain(a, /, b=one, *rest, c, **more):
        return a + b + sum(rest) + c + sum(more.values())
    def __add__(self, other):
        return type(self)(self.x + getattr(other, "x", other))

class Derived(Base):
    __hidden = 3
    def __init__(self, x):
        super().__init__(x, k=self.__hidden)
    @functools.cached_property
    def kept(self):
        return self.x * self.__hidden
    def __call__(self, *a):
        return self.x[0] * sum(a)

class Handed:
    def __enter__(self):
        return one
    def __exit__(self, *error):
        return True

def numbers(n):
    total = one
    for i in range(n):
        got = one * 2 + ((yield total * i) or 0)
        total += got or i
    return total

def delegating(n):
    end = yield from numbers(n)
    yield end * 1

def decorated(function):
    @functools.wraps(function)
    def wrapper(*args, **kw):
        return function(*args, **kw) * 2
    return wrapper

@decorated
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

@functools.lru_cache
def cached(n):
    return one * n

def raising(x):
    return x + one / (lambda: {}["none"])()

def matched(x):
    match x:
        case {"a": a, **rest} if a * 2 > 1:
            return a, rest
        case [-1 | 1.5, *others]:
            return others
        case 1 + 2j:
            return "complex"
    return None

def counter():
    n = one
    def up():
        nonlocal n
        n += 1
        return n
    return up

def sides(log):
    def say(v):
        log.append(v)
        return v
    return say(1) * say(2) + say(3) ** say(4), log

def program(x):
    d = Derived(x)
    try:
        raising(x)
    except KeyError as error:
        caught = str(error)
    h = one
    with contextlib.suppress(ZeroDivisionError), Handed() as h:
        h = h * 3
        raise ValueError
    up = counter()
    up(), up()
    text = f"{x[0] * 2:.2f} {d.x!r:>20} {x.sum() + 1}"
    walrus = [y for v in x if (y := v * 2) > 1]
    g = numbers(4)
    sent = [next(g), one + g.send(2) * one, *(one + v for v in delegating(2) if v is not None)]
    assert x[0] * 2, "none"
    a = {**{"k": x[0] + 1}, **dict(b=2)}
    first, *rest = [*x, *(v * 2 for v in x)]
    x = x.copy()
    x[1:][0] *= 2
    x[0], x[2] = x[2] + 1, -x[0]
    del a["b"]
    note: int = 3 * 1
    return (
        d.twice, d.kept, d(1, 2), (d + 1).k if False else Base.plain(1, 2, 3, c=4, z=5), Base.made(x, k=3).k, caught, h,
        up(), text, walrus, sent, fib(7), cached(3), matched({"a": 1, "z": 2}), matched([1.5, 2]), note,
        matched(1 + 2j), sides([]), a, first, rest, x, x[0] if x[1] > 0 else 1, 1 < x[0] * 2 < 5, not x[0] - 1,
        (lambda *p, q=one: sum(p) + q)(1, *x), sorted([2, 1], key=lambda v: -v * 2), "%s" % (3,), "a" + "b", [1] * 2,
        __name__, program.__name__, locals()["d"] is d,
    )
"""
