"""What the benchmark of the superset times: a statement of ours, and each framework's own for the same work.

Statements use the operands of `OPERANDS` by name: ``X`` is ours, ``x`` the framework's own array of the same numbers.
A framework that has no function for the work of a row has no statement in it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np


class Row(NamedTuple):
    """A statement of ours, and those of frameworks.

    Attributes
    ----------
    ours: our statement.
    native: a framework's own statement, by framework.
    floor: by backend, the passes over the data that ours cannot do without there. Their time is reported where the goal
        is missed.
    close: how far the results may differ, relative to the greatest element. None for random numbers.
    """

    ours: str
    native: dict[str, str]
    floor: dict[str, str] | None = None
    close: float | None = 1e-3


# --- operands -------------------------------------------------------------------------------------------------------


def _normal(*shape: int, seed: int = 0) -> Callable[[], np.ndarray]:
    return lambda: np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)


def _integers(high: int, *shape: int) -> Callable[[], np.ndarray]:
    return lambda: np.random.default_rng(high).integers(0, high, shape)


#: name -> makes the numbers. Most have a million elements.
OPERANDS: dict[str, Callable[[], np.ndarray]] = {
    "x": _normal(1000, 1000),
    "y": _normal(1000, 1000, seed=1),
    "positive": lambda: np.abs(_normal(1000, 1000)()) + np.float32(0.5),
    "share": lambda: np.random.default_rng(0).random((1000, 1000), dtype=np.float32),
    "flat": _normal(1_000_000),
    "gain": _normal(1000),
    "shift": _normal(1000),
    "weight": _normal(1000, 1000),
    "labels": _integers(1000, 1000),
    "numbers": _integers(1000, 1_000_000),
    "places": lambda: OPERANDS["numbers"]()[:, None],
    "order": lambda: np.argsort(_normal(1000, 1000)(), axis=-1),
    "edges": lambda: np.linspace(-4, 4, 101, dtype=np.float32),
    "sections": lambda: np.sort(_integers(100, 1000)()),
    "zeros": lambda: np.zeros((1000, 1000), np.float32),
    "bins": lambda: np.zeros(1000, np.float32),
    "image": _normal(16, 64, 32, 32),
    "gains": _normal(64),
    "shifts": _normal(64),
    "means": _normal(64),
    "variances": lambda: np.abs(_normal(64)()) + np.float32(0.5),
    "query": _normal(4, 8, 128, 64),
    "keys": _normal(4, 8, 128, 64, seed=1),
    "values": _normal(4, 8, 128, 64, seed=2),
    "query_last": lambda: np.swapaxes(OPERANDS["query"](), 1, 2).copy(),
    "keys_last": lambda: np.swapaxes(OPERANDS["keys"](), 1, 2).copy(),
    "values_last": lambda: np.swapaxes(OPERANDS["values"](), 1, 2).copy(),
    "signal": _normal(8, 32, 4096),
    "filter1": _normal(64, 32, 3),
    "images": _normal(8, 32, 64, 64),
    "images_last": lambda: np.moveaxis(_normal(8, 32, 64, 64)(), 1, -1).copy(),
    "filter2": _normal(64, 32, 3, 3),
    "filter2_hwio": lambda: np.moveaxis(_normal(64, 32, 3, 3)(), (0, 1), (3, 2)).copy(),
    "grouped": _normal(64, 4, 3, 3),
    "depthwise": _normal(32, 1, 3, 3),
    "large": _normal(4, 16, 128, 128),
    "large_last": lambda: np.moveaxis(_normal(4, 16, 128, 128)(), 1, -1).copy(),
    "long": _normal(4, 64, 4096),
    "square": lambda: _normal(100, 100)() / np.float32(10),
    "left": _normal(32, 32),
    "right": _normal(31, 31),
    "sound": _normal(8, 65536),
    "frames": _normal(8, 513, 512),
    "hann": lambda: np.hanning(513)[:-1].astype(np.float32),
}


@cache
def numbers(name: str) -> np.ndarray:
    """The numbers of an operand, made once."""
    return OPERANDS[name]()


# --- rows -----------------------------------------------------------------------------------------------------------


#: The pass that NumPy cannot do without where there is an exponential in a function.
_EXP = {"numpy": "np.exp(x)"}

ACTIVATIONS: dict[str, Row] = {
    "relu": Row(
        "lw.nn.relu(X)", {"torch": "torch.relu(x)", "jax": "jax.nn.relu(x)", "tensorflow": "tf.nn.relu(x)"},
        {"numpy": "np.maximum(x, 0)"},
    ),
    "leaky_relu": Row(
        "lw.nn.leaky_relu(X)",
        {"torch": "F.leaky_relu(x)", "jax": "jax.nn.leaky_relu(x)", "tensorflow": "tf.nn.leaky_relu(x, 0.01)"},
        {"numpy": "np.maximum(x, 0)"},
    ),
    "elu": Row(
        "lw.nn.elu(X)", {"torch": "F.elu(x)", "jax": "jax.nn.elu(x)", "tensorflow": "tf.nn.elu(x)"},
        {"numpy": "np.expm1(x)"},
    ),
    "sigmoid": Row(
        "lw.nn.sigmoid(X)",
        {"torch": "torch.sigmoid(x)", "jax": "jax.nn.sigmoid(x)", "tensorflow": "tf.nn.sigmoid(x)"}, _EXP,
    ),
    "silu": Row("lw.nn.silu(X)", {"torch": "F.silu(x)", "jax": "jax.nn.silu(x)", "tensorflow": "tf.nn.silu(x)"}, _EXP),
    "mish": Row("lw.nn.mish(X)", {"torch": "F.mish(x)", "jax": "jax.nn.mish(x)"}, {"numpy": "np.exp(x); np.tanh(x)"}),
    "softplus": Row(
        "lw.nn.softplus(X)",
        {"torch": "F.softplus(x)", "jax": "jax.nn.softplus(x)", "tensorflow": "tf.nn.softplus(x)"},
        {"numpy": "np.exp(x); np.log1p(positive)"},
    ),
    "hard_silu": Row("lw.nn.hard_silu(X)", {"torch": "F.hardswish(x)", "jax": "jax.nn.hard_silu(x)"}),
    "gelu": Row(
        "lw.nn.gelu(X)",
        {"torch": "F.gelu(x)", "jax": "jax.nn.gelu(x, approximate=False)", "tensorflow": "tf.nn.gelu(x)"}, _EXP,
    ),
    "gelu, tanh": Row(
        "lw.nn.gelu(X, approximate=True)",
        {
            "torch": "F.gelu(x, approximate='tanh')", "jax": "jax.nn.gelu(x)",
            "tensorflow": "tf.nn.gelu(x, approximate=True)",
        }, {"numpy": "np.tanh(x)"},
    ),
    "softmax": Row(
        "lw.nn.softmax(X)",
        {"torch": "F.softmax(x, -1)", "jax": "jax.nn.softmax(x)", "tensorflow": "tf.nn.softmax(x)"}, _EXP,
    ),
    "softmax, axis 0": Row(
        "lw.nn.softmax(X, axis=0)",
        {"torch": "F.softmax(x, 0)", "jax": "jax.nn.softmax(x, 0)", "tensorflow": "tf.nn.softmax(x, 0)"}, _EXP,
    ),
    "log_softmax": Row(
        "lw.nn.log_softmax(X)",
        {"torch": "F.log_softmax(x, -1)", "jax": "jax.nn.log_softmax(x)", "tensorflow": "tf.nn.log_softmax(x)"}, _EXP,
    ),
    "logsumexp": Row(
        "lw.logsumexp(X, axis=-1)",
        {
            "torch": "torch.logsumexp(x, -1)", "jax": "jax.nn.logsumexp(x, -1)",
            "tensorflow": "tf.reduce_logsumexp(x, -1)",
        }, _EXP,
    ),
}  # fmt: skip

LAYERS: dict[str, Row] = {
    "linear": Row("lw.nn.linear(X, WEIGHT, GAIN)", {"torch": "F.linear(x, weight, gain)"}),
    "layer_norm": Row(
        "lw.nn.layer_norm(X, 1000, GAIN, SHIFT)", {"torch": "F.layer_norm(x, (1000,), gain, shift)"},
        {"numpy": "x - 1; x * x"},
    ),
    "rms_norm": Row("lw.nn.rms_norm(X, 1000, GAIN)", {"torch": "F.rms_norm(x, (1000,), gain)"}),
    "batch_norm": Row(
        "lw.nn.batch_norm(IMAGE, MEANS, VARIANCES, GAINS, SHIFTS)",
        {"torch": "F.batch_norm(image, means, variances, gains, shifts)"},
    ),
    "batch_norm, training": Row(
        "lw.nn.batch_norm(IMAGE, MEANS, VARIANCES, GAINS, SHIFTS, training=True)[0]",
        {"torch": "F.batch_norm(image, means.clone(), variances.clone(), gains, shifts, True)"},
    ),
    "group_norm": Row(
        "lw.nn.group_norm(IMAGE, 8, GAINS, SHIFTS)", {"torch": "F.group_norm(image, 8, gains, shifts)"},
    ),
    "instance_norm": Row(
        "lw.nn.instance_norm(IMAGE, None, None, GAINS, SHIFTS)",
        {"torch": "F.instance_norm(image, None, None, gains, shifts)"},
    ),
    "normalize": Row(
        "lw.nn.normalize(X)", {"torch": "F.normalize(x)", "tensorflow": "tf.nn.l2_normalize(x, 1, 1e-24)"},
    ),
    "attention": Row(
        "lw.nn.scaled_dot_product_attention(QUERY, KEYS, VALUES)",
        {
            "torch": "F.scaled_dot_product_attention(query, keys, values)",
            "jax": "jax.nn.dot_product_attention(query_last, keys_last, values_last)",
        },
    ),
    "attention, causal": Row(
        "lw.nn.scaled_dot_product_attention(QUERY, KEYS, VALUES, is_causal=True)",
        {
            "torch": "F.scaled_dot_product_attention(query, keys, values, is_causal=True)",
            "jax": "jax.nn.dot_product_attention(query_last, keys_last, values_last, is_causal=True)",
        },
    ),
    "embedding": Row(
        "lw.nn.embedding(LABELS, WEIGHT)",
        {"torch": "F.embedding(labels, weight)", "tensorflow": "tf.nn.embedding_lookup(weight, labels)"},
    ),
    "one_hot": Row(
        "lw.nn.one_hot(LABELS, 1000, dtype=lw.float32)",
        {
            "torch": "F.one_hot(labels, 1000).to(torch.float32)", "jax": "jax.nn.one_hot(labels, 1000)",
            "tensorflow": "tf.one_hot(labels, 1000)",
        },
    ),
    "cross_entropy": Row(
        "lw.nn.cross_entropy(X, LABELS)",
        {
            "torch": "F.cross_entropy(x, labels)",
            "tensorflow": "tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, x))",
        }, _EXP,
    ),
    "cross_entropy, shares": Row(
        "lw.nn.cross_entropy(X, SHARE)",
        {
            "torch": "F.cross_entropy(x, share)",
            "tensorflow": "tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(share, x))",
        }, _EXP,
    ),
    "mse_loss": Row("lw.nn.mse_loss(X, Y)", {"torch": "F.mse_loss(x, y)"}),
    "huber_loss": Row("lw.nn.huber_loss(X, Y)", {"torch": "F.huber_loss(x, y)"}),
    "binary_cross_entropy": Row(
        "lw.nn.binary_cross_entropy_with_logits(X, SHARE)",
        {
            "torch": "F.binary_cross_entropy_with_logits(x, share)",
            "tensorflow": "tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(share, x))",
        }, _EXP,
    ),
    "cosine_similarity": Row("lw.nn.cosine_similarity(X, Y)", {"torch": "F.cosine_similarity(x, y)"}),
}  # fmt: skip


def _convolution(x: str, weight: str, stride: int = 1, groups: int = 1) -> Row:
    n = 1 if x == "signal" else 2
    options = f", stride={stride}" * (stride > 1) + f", groups={groups}" * (groups > 1)
    pads = f"{[(1, 1)] * n}"
    count = f", feature_group_count={groups}" * (groups > 1)
    return Row(
        f"lw.nn.conv{n}d({x.upper()}, {weight.upper()}, padding=1{options})",
        {
            "torch": f"F.conv{n}d({x}, {weight}, padding=1{options})",
            "jax": f"jax.lax.conv_general_dilated({x}, {weight}, {(stride,) * n}, {pads}{count})",
        },
    )


def _resized(x: str, size: str, mode: str, torch: str, options: str = "", **native: str) -> Row:
    corners = f"F.interpolate({x}, {size}, mode={torch!r}{options})"
    ours = f"lw.nn.interpolate({x.upper()}, {size}, mode={mode!r}{options})"
    return Row(ours, {"torch": corners, **native})


_LAST = "lw.nn.conv2d(IMAGES_LAST, FILTER2, padding=1, layout='NHWC')"
IMAGES: dict[str, Row] = {
    "conv1d": _convolution("signal", "filter1"),
    "conv2d, 3x3": _convolution("images", "filter2"),
    "conv2d, 3x3, stride 2": _convolution("images", "filter2", stride=2),
    "conv2d, 3x3, 8 groups": _convolution("images", "grouped", groups=8),
    "conv2d, 3x3, depthwise": _convolution("images", "depthwise", groups=32),
    "conv2d, 3x3, channels last": Row(
        _LAST,
        {
            "torch": "F.conv2d(images_last.permute(0, 3, 1, 2), filter2, padding=1).permute(0, 2, 3, 1)",
            "tensorflow": "tf.nn.conv2d(images_last, filter2_hwio, 1, 'SAME')",
        },
    ),
    "max_pool2d, 2x2": Row(
        "lw.nn.max_pool2d(IMAGES, 2)",
        {
            "torch": "F.max_pool2d(images, 2)",
            "jax": "jax.lax.reduce_window(images, -np.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), 'VALID')",
        },
    ),
    "max_pool2d, 3x3, stride 2": Row(
        "lw.nn.max_pool2d(IMAGES, 3, stride=2, padding=1)", {"torch": "F.max_pool2d(images, 3, 2, 1)"},
    ),
    "max_pool2d, channels last": Row(
        "lw.nn.max_pool2d(IMAGES_LAST, 2, layout='NHWC')",
        {"tensorflow": "tf.nn.max_pool2d(images_last, 2, 2, 'VALID')"},
    ),
    "avg_pool2d, 2x2": Row("lw.nn.avg_pool2d(IMAGES, 2)", {"torch": "F.avg_pool2d(images, 2)"}),
    "avg_pool2d, 3x3, stride 2": Row(
        "lw.nn.avg_pool2d(IMAGES, 3, stride=2, padding=1)", {"torch": "F.avg_pool2d(images, 3, 2, 1)"},
    ),
    "interpolate, nearest, up": _resized("images", "128", "nearest", "nearest"),
    "interpolate, nearest, down": _resized("large", "64", "nearest", "nearest"),
    "interpolate, linear, up": _resized("long", "8192", "linear", "linear"),
    "interpolate, linear, down": _resized("long", "2500", "linear", "linear"),
    "interpolate, bilinear, up": _resized(
        "images", "128", "bilinear", "bilinear",
        jax="jax.image.resize(images, (8, 32, 128, 128), 'linear', antialias=False)",
    ),
    "interpolate, bilinear, down": _resized(
        "large", "80", "bilinear", "bilinear",
        jax="jax.image.resize(large, (4, 16, 80, 80), 'linear', antialias=False)",
    ),
    "interpolate, bilinear, antialias": _resized(
        "large", "50", "bilinear", "bilinear", ", antialias=True",
        jax="jax.image.resize(large, (4, 16, 50, 50), 'linear')",
    ),
    "interpolate, bicubic, up": _resized("images", "128", "bicubic", "bicubic"),
    "interpolate, bicubic, down": _resized("large", "80", "bicubic", "bicubic"),
    "interpolate, area, down": _resized("large", "64", "area", "area"),
    "interpolate, bilinear, channels last": Row(
        "lw.nn.interpolate(LARGE_LAST, 200, mode='bilinear', layout='NHWC')",
        {"tensorflow": "tf.image.resize(large_last, (200, 200))"},
    ),
}  # fmt: skip

_ADDED = {
    "torch": "torch.index_add(bins, 0, numbers, flat)", "jax": "bins.at[numbers].add(flat)",
    "tensorflow": "tf.tensor_scatter_nd_add(bins, places, flat)",
}  # fmt: skip
STATISTICS: dict[str, Row] = {
    "median": Row(
        "lw.median(X)",
        {"numpy": "np.median(x)", "torch": "torch.quantile(x, 0.5)", "jax": "jnp.median(x)"},
    ),
    "median, axis -1": Row(
        "lw.median(X, axis=-1)",
        {"numpy": "np.median(x, -1)", "torch": "torch.quantile(x, 0.5, -1)", "jax": "jnp.median(x, -1)"},
    ),
    "quantile": Row(
        "lw.quantile(X, [0.1, 0.5, 0.9], axis=-1)",
        {
            "numpy": "np.quantile(x, [0.1, 0.5, 0.9], -1)",
            "torch": "torch.quantile(x, torch.tensor([0.1, 0.5, 0.9]), -1)",
            "jax": "jnp.quantile(x, jnp.asarray([0.1, 0.5, 0.9], dtype=jnp.float32), -1)",
        },
    ),
    "percentile": Row(
        "lw.percentile(X, 30, axis=-1)",
        {
            "numpy": "np.percentile(x, 30, -1)", "torch": "torch.quantile(x, 0.3, -1)",
            "jax": "jnp.percentile(x, 30, -1)",
        },
    ),
    "histogram": Row(
        "lw.histogram(X, 100, (-6.0, 6.0))[0]",
        {
            "numpy": "np.histogram(x, 100, (-6.0, 6.0))[0]", "torch": "torch.histogram(x, 100, range=(-6.0, 6.0))[0]",
            "jax": "jnp.histogram(x, 100, (-6.0, 6.0))[0]",
            "tensorflow": "tf.histogram_fixed_width(x, [-6.0, 6.0], 100)",
        },
    ),
    "bincount": Row(
        "lw.bincount(NUMBERS)",
        {
            "numpy": "np.bincount(numbers)", "torch": "torch.bincount(numbers)", "jax": "jnp.bincount(numbers)",
            "tensorflow": "tf.math.bincount(numbers, dtype=tf.int64)",
        },
    ),
    "top_k": Row(
        "lw.top_k(X, 10)[0]",
        {"torch": "torch.topk(x, 10)[0]", "jax": "jax.lax.top_k(x, 10)[0]", "tensorflow": "tf.math.top_k(x, 10)[0]"},
    ),
    "digitize": Row(
        "lw.digitize(X, EDGES)",
        {
            "numpy": "np.digitize(x, edges)", "torch": "torch.bucketize(x, edges, right=True)",
            "jax": "jnp.digitize(x, edges)",
        },
    ),
    "searchsorted": Row(
        "lw.searchsorted(EDGES, X)",
        {
            "numpy": "np.searchsorted(edges, x)", "torch": "torch.searchsorted(edges, x)",
            "jax": "jnp.searchsorted(edges, x)",
        },
    ),
    "cumsum, axis -1": Row(
        "lw.cumsum(X, axis=-1)",
        {
            "numpy": "np.cumsum(x, -1)", "torch": "torch.cumsum(x, -1)", "jax": "jnp.cumsum(x, -1)",
            "tensorflow": "tf.cumsum(x, -1)",
        },
    ),
    "diff": Row(
        "lw.diff(X)", {"numpy": "np.diff(x)", "torch": "torch.diff(x)", "jax": "jnp.diff(x)"},
    ),
    "index_add": Row(
        "lw.index_add(ZEROS, LABELS, X, axis=0)",
        {
            "torch": "torch.index_add(zeros, 0, labels, x)", "jax": "zeros.at[labels].add(x)",
            "tensorflow": "tf.tensor_scatter_nd_add(zeros, labels[:, None], x)",
        },
    ),
    "at().add": Row("lw.at(BINS, NUMBERS).add(FLAT)", _ADDED),
    "scatter_nd": Row("lw.scatter_nd(PLACES, FLAT, (1000,))", _ADDED),
    "segment_sum": Row(
        "lw.segment_sum(X, SECTIONS, 100)",
        {
            "torch": "torch.zeros(100, 1000).index_add_(0, sections, x)",
            "jax": "jax.ops.segment_sum(x, sections, 100)", "tensorflow": "tf.math.segment_sum(x, sections)",
        },
    ),
    "take_along_axis": Row(
        "lw.take_along_axis(X, ORDER, axis=-1)",
        {
            "numpy": "np.take_along_axis(x, order, -1)", "torch": "torch.take_along_dim(x, order, -1)",
            "jax": "jnp.take_along_axis(x, order, -1)", "tensorflow": "tf.gather(x, order, batch_dims=1)",
        },
    ),
}  # fmt: skip

MATHEMATICS: dict[str, Row] = {
    "linalg.norm": Row(
        "lw.linalg.norm(X)",
        {
            "numpy": "np.linalg.norm(x)", "torch": "torch.linalg.norm(x)", "jax": "jnp.linalg.norm(x)",
            "tensorflow": "tf.norm(x)",
        },
    ),
    "linalg.norm, axis -1": Row(
        "lw.linalg.norm(X, axis=-1)",
        {
            "numpy": "np.linalg.norm(x, axis=-1)", "torch": "torch.linalg.norm(x, dim=-1)",
            "jax": "jnp.linalg.norm(x, axis=-1)", "tensorflow": "tf.norm(x, axis=-1)",
        },
    ),
    "linalg.expm": Row(
        "lw.linalg.expm(SQUARE)",
        {
            "numpy": "scipy.linalg.expm(square)", "torch": "torch.linalg.matrix_exp(square)",
            "jax": "jax.scipy.linalg.expm(square)", "tensorflow": "tf.linalg.expm(square)",
        },
    ),
    "kron": Row(
        "lw.kron(LEFT, RIGHT)",
        {"numpy": "np.kron(left, right)", "torch": "torch.kron(left, right)", "jax": "jnp.kron(left, right)"},
    ),
    "tril_indices": Row(
        "lw.tril_indices(1000)[0]",
        {
            "numpy": "np.tril_indices(1000)[0]", "torch": "torch.tril_indices(1000, 1000)[0]",
            "jax": "jnp.tril_indices(1000)[0]",
        },
    ),
    "special.erf": Row(
        "lw.special.erf(X)",
        {
            "numpy": "scipy.special.erf(x)", "torch": "torch.special.erf(x)", "jax": "jax.scipy.special.erf(x)",
            "tensorflow": "tf.math.erf(x)",
        },
    ),
    "special.gammaln": Row(
        "lw.special.gammaln(POSITIVE)",
        {
            "numpy": "scipy.special.gammaln(positive)", "torch": "torch.special.gammaln(positive)",
            "jax": "jax.scipy.special.gammaln(positive)", "tensorflow": "tf.math.lgamma(positive)",
        },
    ),
    "special.digamma": Row(
        "lw.special.digamma(POSITIVE)",
        {
            "numpy": "scipy.special.digamma(positive)", "torch": "torch.special.digamma(positive)",
            "jax": "jax.scipy.special.digamma(positive)", "tensorflow": "tf.math.digamma(positive)",
        },
    ),
    "signal.stft": Row(
        "lw.signal.stft(SOUND, 512, window=HANN)",
        {"torch": "torch.stft(sound, 512, window=hann, return_complex=True)"},
        {"numpy": "np.fft.rfft(frames)"},
    ),
    "random.normal": Row(
        "lw.random.normal(RANDOM_KEY, (1000, 1000))",
        {"jax": "jax.random.normal(random_key, (1000, 1000), jnp.float32)"}, close=1e-4,
    ),
    "random.uniform": Row(
        "lw.random.uniform(RANDOM_KEY, (1000, 1000))",
        {"jax": "jax.random.uniform(random_key, (1000, 1000), jnp.float32)"}, close=1e-4,
    ),
    "Generator.normal": Row(
        "RNG.standard_normal((1000, 1000), dtype=lw.float32)",
        {
            "numpy": "rng.standard_normal((1000, 1000), np.float32)", "torch": "torch.randn(1000, 1000)",
            "tensorflow": "tf.random.normal((1000, 1000))",
        }, close=None,
    ),
    "Generator.uniform": Row(
        "RNG.random((1000, 1000), dtype=lw.float32)",
        {
            "numpy": "rng.random((1000, 1000), np.float32)", "torch": "torch.rand(1000, 1000)",
            "tensorflow": "tf.random.uniform((1000, 1000))",
        }, close=None,
    ),
}  # fmt: skip

ROWS: dict[str, Row] = ACTIVATIONS | LAYERS | IMAGES | STATISTICS | MATHEMATICS

#: Why a row misses its goal on a backend, where no other way is known that gives the same numbers.
NOTES: dict[tuple[str, str], str] = {
    (
        "gelu",
        "numpy",
    ): "NumPy has no error function of float32; ten passes and a product of matrices beside the exponential",
    ("sigmoid", "numpy"): "three passes beside the exponential; PyTorch's kernel is one",
    ("silu", "numpy"): "three passes beside the exponential; PyTorch's kernel is one",
    (
        "softmax",
        "numpy",
    ): "four passes beside the exponential; PyTorch's kernel goes over each row while it is in the cache",
    ("layer_norm", "numpy"): "two sums and five passes, each of a third of the time of PyTorch's kernel",
    ("group_norm", "numpy"): "two sums and three passes, each of a third of the time of PyTorch's kernel",
    ("batch_norm", "numpy"): "three passes; PyTorch's has two, and loses the digits of a mean that is large beside x",
    ("huber_loss", "numpy"): "three passes and two sums of products",
    ("conv2d, 3x3, depthwise", "numpy"): "a product of one row for each channel, of windows brought together first",
    (
        "signal.stft",
        "numpy",
    ): "NumPy's transform of the frames; SciPy's takes half of its time, with three times its error",
    ("cumsum, axis -1", "numpy"): "NumPy's own; sums along rows wait for each other",
    ("cumsum, axis -1", "jax"): "JAX's own",
    ("kron", "jax"): "JAX's own takes longer",
    ("hard_silu", "numpy"): "four passes; the kernels of others are one",
    ("relu", "numpy"): "one pass, which NumPy makes in twice the time",
}
