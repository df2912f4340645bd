"""The port guide: each name is the framework's, the dialect has it, and what the guide says is ours is ours."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))

import port_guide
from port_names import FRAMEWORKS, Name, names_of, our_function
from port_values import answers_otherwise

#: Names as people know them, and ours.
KNOWN = {
    "numpy": """
        np.concatenate=concat np.arctan2=atan2 np.mean=mean np.linalg.inv=linalg.inv
        np.random.randn=random.normal np.clip=clip np.cumsum=cumsum np.fft.rfft=fft.rfft np.array=asarray
        np.std=std np.invert=bitwise_invert
    """,
    "torch": """
        torch.cat=concat torch.clamp=clip torch.mul=multiply torch.sum=sum torch.randn=random.normal
        F.gelu=nn.gelu torch.bmm=matmul torch.permute=permute_dims torch.gather=take_along_axis
        torch.lgamma=special.gammaln torch.std=std torch.vmap=vmap torch.unbind=unstack torch.split=
        torch.equal=array_equal
    """,
    "jax": """
        jnp.sum=sum jax.nn.silu=nn.silu jax.lax.scan=scan jax.grad=grad jax.lax.mul=multiply
        jax.tree.map=tree.map jax.scipy.special.erf=special.erf jax.random.normal=random.normal
        jax.lax.rem=fmod jax.lax.slice=
    """,
    "tensorflow": """
        tf.reduce_sum=sum tf.concat=concat tf.linalg.inv=linalg.inv tf.math.lgamma=special.gammaln
        tf.cast=astype tf.clip_by_value=clip tf.one_hot=nn.one_hot tf.nn.softmax=nn.softmax tf.reverse=flip
        tf.split=
    """,
}
#: Names that answer otherwise than ours, which a port has to know: forms of results, other defaults, other axes.
OTHERWISE = {
    "numpy": "np.diagflat np.linalg.lstsq",
    "torch": """
        torch.cholesky_solve torch.diagflat torch.linalg.lstsq torch.linalg.lu_factor torch.linalg.vander
        torch.jit.trace torch.logit torch.lu torch.median torch.msort torch.nanmedian torch.nonzero torch.sort
        torch.special.logit torch.std torch.var
    """,
    "jax": """
        jax.lax.cumprod jax.lax.cumsum jax.lax.linalg.cholesky jax.lax.linalg.eigh jax.lax.round
        jnp.linalg.cholesky jnp.linalg.eigh jnp.linalg.eigvalsh
        jax.scipy.linalg.cholesky jax.scipy.linalg.eigh jax.scipy.linalg.solve_triangular
        jax.scipy.special.log_softmax
    """,
    "tensorflow": """
        tf.argmax tf.argmin tf.cumsum tf.linalg.logdet tf.linalg.lstsq tf.linalg.svd tf.math.cumprod
        tf.nn.l2_normalize tf.nn.log_poisson_loss tf.nn.sigmoid_cross_entropy_with_logits tf.nn.silu tf.nn.softplus
        tf.nn.softmax_cross_entropy_with_logits tf.nn.swish tf.where
    """,
}


def named(framework: str) -> dict[str, Name]:
    return {shown: n for n in names_of(framework) for shown in (n.shown, *n.also)}


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_names_are_what_people_know(framework: str) -> None:
    found = named(framework)
    for pair in KNOWN[framework].split():
        shown, _, ours = pair.partition("=")
        assert found[shown].ours == ours, shown


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_each_name_is_there_in_the_framework_the_dialect_and_ours(framework: str) -> None:
    pytest.importorskip(framework)
    rows = [n for n in names_of(framework) if n.ours]
    assert len(rows) > 200
    for n in rows:
        module, _, word = n.full.rpartition(".")
        assert getattr(importlib.import_module(f"latticework.frontends.{module}"), word) is n.function
        assert hasattr(importlib.import_module(module), word), n.full
        assert our_function(n.ours) is not None, n.ours


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_function_and_ours_give_the_same_unless_the_guide_says_otherwise(framework: str) -> None:
    rows = [n for n in names_of(framework) if n.ours]
    assert {n.shown for n in rows if answers_otherwise(framework, n)} == {*OTHERWISE[framework].split()}


@pytest.mark.parametrize(
    ("framework", "name", "cells"),
    [
        (
            "torch",
            "torch.sum",
            ["`dim` → `axis`; `keepdim` → `keepdims`", "int8: int64, here int32; int32: int64, here int32"],
        ),
        ("torch", "torch.cat", ["`dim` → `axis`", ""]),
        ("numpy", "np.add", ["", "int32, float32: float64, here float32"]),
        ("numpy", "np.all", ["no `where`", ""]),
        ("numpy", "np.clip", ["`a_min` → `min`; `a_max` → `max`", ""]),
        ("jax", "jnp.divide", ["", ""]),
        ("tensorflow", "tf.reduce_sum", ["", "int8: int8, here int32"]),
        ("tensorflow", "tf.add", ["", "int32, float32: refused, here float32; uint8, int8: refused, here int16"]),
    ],
)
def test_a_row_has_arguments_and_dtypes(framework: str, name: str, cells: list[str]) -> None:
    row = port_guide.row(framework, named(framework)[name])
    assert [cell.strip() for cell in row.strip("|").split("|")][2:] == cells


def test_pages_are_tables_of_as_many_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(port_guide, "FOLDER", tmp_path)
    made = port_guide.made()
    assert {path.name for path in made} == {"index.md", *(f"{f}.md" for f in FRAMEWORKS)}
    for path, text in made.items():
        for table in text.split("\n\n"):
            rows = [line for line in table.splitlines() if line.startswith("|")]
            assert len({line.replace("\\|", "").count("|") for line in rows}) <= 1, path
    (row,) = [line for line in made[tmp_path / "index.md"].splitlines() if line.startswith("| `lw.concat` |")]
    assert all(name in row for name in ("`np.concatenate`", "`torch.cat`", "`jnp.concatenate`", "`tf.concat`"))
