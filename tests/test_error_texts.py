"""The texts of errors that the command explains, of latticework and of the frameworks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from test_cli import run

from latticework.cli.errors import _PAGES, UNKNOWN, read


@pytest.mark.parametrize(
    ("text", "framework", "said", "cast"),
    [
        ("RuntimeError: expected scalar type Float but found Double",
         "PyTorch", "float32 and float64", "x.to(torch.float64)"),
        ("mat1 and mat2 must have the same dtype, but got Long and Float",
         "PyTorch", "int64 and float32", "x.to(torch.float32)"),
        ("\"add_stub\" not implemented for 'UInt16'",
         "PyTorch", "add_stub for uint16", "x.to(torch.int32)"),
        ("result type Float can't be cast to the desired output type Int",
         "PyTorch", "an array of int32", "y.to(torch.int32)"),
        (("Expected query, key, and value to have the same dtype, but got query.dtype: float key.dtype: "
         "c10::Half and value"),
         "PyTorch", "float32 and float16", "y.to(torch.float32)"),
        ("Cannot cast ufunc 'add' output from dtype('float64') to dtype('int32') with casting rule 'same_kind'",
         "NumPy", "an array of int32", "y.astype(np.int32)"),
        ("ufunc 'bitwise_and' not supported for the input types",
         "NumPy", "bitwise_and", "x.astype(np.int64)"),
        ("OverflowError: Python integer 300 out of bounds for uint8",
         "NumPy", "300 does not fit uint8", "x.astype(np.int16)"),
        (("TypePromotionError: Input dtypes ('int32', 'float32') have no available implicit dtype promotion "
         "path when jax_numpy_dtype_promotion=strict"),
         "JAX", "refused under jax-strict", "x.astype(jnp.float32)"),
        (("Input dtypes (\"<class 'float'>\", 'int32') have no available implicit dtype promotion path when "
         "x=strict."),
         "JAX", "int32, Python float -> refused under jax-strict", "x.astype(jnp.float32)"),
        (("and does not accept dtype float32 at position 0. Accepted dtypes at position 0 are subtypes of "
         "integer, bool."),
         "JAX", "of integers, and got float32", "x.astype(jnp.int32)"),
        ("Attempted boolean conversion of traced array with shape bool[].",
         "JAX", "lw.where", ""),
        (("cannot compute AddV2 as input #1(zero-based) was expected to be a int32 tensor but is a float "
         "tensor [Op:AddV2]"),
         "TensorFlow", "refused under tensorflow", "tf.cast(x, tf.float32)"),
        ("Value for attr 'T' of int32 is not in the list of allowed values: bfloat16, half, float, double",
         "TensorFlow", "of floats, and got int32", "tf.cast(x, tf.float32)"),
        (("add: int32 and a Python float have no common dtype under the strict rules (the standard leaves it "
         "undefined)"),
         "latticework", "under strict", "lw.astype(x, lw.float32)"),
        ("setitem: int64 does not go into an array of int32, whose",
         "latticework", "an array of int32", "lw.astype(y, lw.int32)"),
        ("ValueError: matmul: shapes (2, 3) and (2, 3) do not fit together",
         "latticework", "shapes", ""),
        ("RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!",
         "PyTorch", "x.to(y.device)", ""),
        ("TracerArrayConversionError: The numpy.ndarray conversion method __array__() was called on traced array",
         "JAX", "lw.where", ""),
    ],
)  # fmt: skip
def test_explain_reads_the_texts_of_errors(text: str, framework: str, said: str, cast: str) -> None:
    answer = read(text)
    assert answer is not None and answer.framework == framework
    assert said in f"{answer.means} {answer.rule}"
    assert (cast in answer.cast) if cast else not answer.cast


def test_explain_reads_what_frameworks_raise_today() -> None:
    import numpy as np

    torch, jnp, tf = (pytest.importorskip(name) for name in ("torch", "jax.numpy", "tensorflow"))
    whole = np.ones(2, np.int32)
    raising = {
        "PyTorch": lambda: torch.ones(2, 2) @ torch.ones(2, 2, dtype=torch.float64),
        "NumPy": lambda: np.add(whole, 0.5, out=whole),
        "JAX": lambda: jnp.ones(2) & jnp.ones(2),
        "TensorFlow": lambda: tf.ones(2) + tf.ones(2, "int32"),
    }
    for framework, call in raising.items():
        with pytest.raises(Exception) as caught:
            call()
        answer = read(str(caught.value))
        assert answer is not None and answer.framework == framework


def test_explain_says_what_it_does_not_know() -> None:
    code, output = run("explain", "--error", "KeyError: 'x'")
    assert code == 1
    assert UNKNOWN in " ".join(output.split()) and "docs/faq.md" in UNKNOWN
    code, output = run("explain", "--error", "expected scalar type Float but found Double")
    assert code == 0
    assert "cast       x.to(torch.float64)" in output
    assert (
        '"framework": "PyTorch"'
        in run("explain", "--error", "expected scalar type Float but found Double", "--json")[1]
    )
    assert run("explain")[0] == 2


#: Calls whose shapes do not fit, in each framework's words: ``np`` is the framework.
WRONG_SHAPES = {
    "numpy": "np.ones(3) + np.ones(4) | np.ones((2, 3)) @ np.ones((2, 3)) | np.ones(6).reshape(4, -1)"
    " | np.concatenate([np.ones((2, 3)), np.ones((2, 4))]) | np.stack([np.ones(3), np.ones(4)])"
    " | np.zeros(2).__setitem__(..., np.ones(3))",
    "torch": "np.ones(3) + np.ones(4) | np.ones(2, 3) @ np.ones(2, 3) | np.ones(6).reshape(4, -1)"
    " | np.cat([np.ones(2, 3), np.ones(2, 4)]) | np.stack([np.ones(3), np.ones(4)]) | np.ones(3).expand(4)"
    " | np.bmm(np.ones(1, 2, 3), np.ones(1, 2, 3))",
    "jax.numpy": "np.ones(3) + np.ones(4) | np.ones((2, 3)) @ np.ones((2, 3)) | np.ones(6).reshape(4, -1)"
    " | np.concatenate([np.ones((2, 3)), np.ones((2, 4))]) | np.stack([np.ones(3), np.ones(4)])",
    "tensorflow": "np.ones(3) + np.ones(4) | np.ones((2, 3)) @ np.ones((2, 3)) | np.reshape(np.ones(6), (4, -1))"
    " | np.concat([np.ones((2, 3)), np.ones((2, 4))], 0) | np.stack([np.ones(3), np.ones(4)])"
    " | np.where(np.ones(3) > 0, np.ones(4), np.ones(5))",
}


@pytest.mark.parametrize("name", WRONG_SHAPES)
def test_explain_reads_what_a_framework_says_of_shapes(name: str) -> None:
    np = pytest.importorskip(name)
    for call in WRONG_SHAPES[name].split(" | "):
        with pytest.raises(Exception) as raised:
            eval(call, {"np": np})
        answer = read(str(raised.value))
        assert answer is not None and "shapes" in answer.means and not answer.cast, (call, str(raised.value))


def test_the_pages_that_explain_names_are_there() -> None:
    docs = Path(__file__).parents[1]
    for place in _PAGES.values():
        page, _, section = place.partition(", ")
        titles = re.findall(r"^#+ (.*)$", (docs / page).read_text(encoding="utf-8"), re.MULTILINE)
        assert not section or section in [title.replace("`", "") for title in titles], place
