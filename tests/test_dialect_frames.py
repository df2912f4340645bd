"""How many functions of latticework a warm call of each dialect function enters: held to a table, and to three."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))

import dialect_frames
from dialect_answers import FRAMEWORKS

KEPT = json.loads(dialect_frames.KEPT.read_text(encoding="utf-8"))
#: The reasons for which a function that runs one kernel enters more than three, with the functions.
MORE = {
    "NumPy has a kernel for some arguments, and the composition is run for others": """
        numpy: np.convolve np.einsum np.linalg.norm np.nanstd np.nanvar
        torch: F.batch_norm F.cosine_similarity F.cross_entropy F.gelu F.group_norm F.instance_norm F.layer_norm
            F.log_softmax F.normalize F.rms_norm F.softmax torch.einsum torch.log_softmax torch.softmax
            torch.special.log_softmax torch.special.softmax x.log_softmax x.softmax
        jax: jnp.linalg.norm
        tensorflow: tf.einsum tf.math.log_softmax tf.math.softmax tf.math.softplus tf.nn.gelu tf.nn.log_softmax
            tf.nn.softmax
    """,
    "there are several results, each wrapped by itself": """
        numpy: np.frexp np.modf np.nonzero
        torch: torch.frexp torch.nonzero
        jax: jnp.frexp jnp.linalg.slogdet jnp.modf jnp.nonzero jnp.unstack x.nonzero
        tensorflow: tf.unstack
    """,
    "the windows or the sizes are computed from the options": """
        torch: F.avg_pool2d F.conv2d F.interpolate F.max_pool2d F.upsample F.upsample_bilinear F.upsample_nearest
        tensorflow: tf.nn.avg_pool1d tf.nn.max_pool1d
    """,
    "the kernel is run with casts of operands or of the result": """
        torch: torch.polygamma torch.repeat_interleave torch.special.polygamma x.repeat_interleave
        jax: jnp.argmax jnp.argmin jnp.argsort jnp.count_nonzero jnp.repeat jnp.searchsorted x.argmax
            x.argmin x.argsort x.repeat
        tensorflow: tf.argsort tf.nn.relu6
    """,
    "the slope at a tie is PyTorch's": """
        torch: torch.clamp_max torch.clamp_min
    """,
    "arguments are put in another order, or are lists of arrays": """
        jax: jnp.atleast_2d
    """,
    "latticework's function, which has no kernel, is called under the dialect's policy": """
        tensorflow: tf.ensure_shape tf.identity
    """,
}  # fmt: skip


def above(name: str) -> list[str]:
    """The functions of a dialect in `MORE`."""
    parts = [re.split(r"(\w+):", text)[1:] for text in MORE.values()]
    return [
        f for part in parts for d, names in zip(part[::2], part[1::2], strict=True) if d == name for f in names.split()
    ]


@pytest.mark.parametrize(
    "name", [n if n in ("numpy", "torch") else pytest.param(n, marks=pytest.mark.sweep) for n in FRAMEWORKS]
)
def test_no_function_enters_more_than_the_table_says(name: str, tmp_path: Path) -> None:
    """`python tools/dialect_frames.py --write` writes the table. A process of its own: what a function remembers
    depends on the calls before."""
    pytest.importorskip(name)
    to = tmp_path / "found.json"
    subprocess.run([sys.executable, dialect_frames.__file__, name, "--write", "--to", str(to)], check=True)
    found = json.loads(to.read_text(encoding="utf-8"))[name]
    assert found.keys() == KEPT[name].keys()
    differ = {
        f: (KEPT[name][f], [count, kernels])
        for f, (count, kernels) in found.items()
        if kernels != KEPT[name][f][1] or (count != KEPT[name][f][0] if kernels else count > 1.1 * KEPT[name][f][0] + 3)
    }  # a body that draws random numbers may enter a few more or less
    assert not differ, f"expected, found: {differ}"


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_function_that_runs_one_kernel_enters_three_at_most(name: str) -> None:
    assert sorted(f for f, (count, kernels) in KEPT[name].items() if kernels == 1 and count > 3) == sorted(above(name))
