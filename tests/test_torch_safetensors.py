"""Files of safetensors in PyTorch's dialect, beside those that the package writes for PyTorch itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import latticework as lw
import latticework.frontends.torch as lt
from latticework.frontends.scripts import run_script

torch, theirs = pytest.importorskip("torch"), pytest.importorskip("safetensors.torch")

from latticework.frontends.torch import safetensors as ours
from latticework.frontends.torch.safetensors import torch as files

NAMES = (
    "float64 float32 float16 bfloat16 float8_e4m3fn float8_e5m2 int64 int32 int16 int8 uint8 uint16 uint32 uint64 bool"
    " complex64"
).split()


def of_all_dtypes(module: Any) -> dict[str, Any]:
    shapes = ((2, 3), (), (0, 2))
    values = [(np.arange(6) - 2.0).reshape(2, 3), np.asarray(1.0), np.zeros((0, 2))]
    return {
        f"{name}{shape}": module.tensor(x.tolist() if x.size else []).reshape(shape).to(getattr(module, name))
        for name in NAMES
        for shape, x in zip(shapes, values if name[0] != "u" else map(np.abs, values), strict=True)
    }


def bits(x: Any) -> tuple[Any, ...]:
    if isinstance(x, torch.Tensor):
        return str(x.dtype), tuple(x.shape), x.reshape(-1).view(torch.uint8).numpy().tobytes()
    return str(x.dtype), tuple(x.shape), np.asarray(x.detach()._array.__array__()).tobytes()


@pytest.mark.backend
def test_each_reads_what_the_other_writes(backend: str, tmp_path: Path) -> None:
    with lw.using(backend=backend):
        made, real = of_all_dtypes(lt), of_all_dtypes(torch)
        expected = {name: bits(x) for name, x in real.items()}
        files.save_file(made, tmp_path / "ours", metadata={"format": "pt"})
        theirs.save_file(real, tmp_path / "theirs")
        read = theirs.load_file(tmp_path / "ours")
        assert {name: bits(x) for name, x in read.items()} == expected
        for found in (files.load_file(tmp_path / "theirs"), files.load((tmp_path / "theirs").read_bytes())):
            assert {name: bits(x) for name, x in found.items()} == expected
            assert all(x.dtype is getattr(lt, name.partition("(")[0]) for name, x in found.items())


def test_what_is_asked_for_is_read(tmp_path: Path) -> None:
    x = lt.arange(24, dtype=lt.bfloat16).reshape(4, 3, 2)
    files.save_file({"x": x, "nothing": lt.zeros(0, 3)}, tmp_path / "f", metadata={"by": "us"})
    with ours.safe_open(tmp_path / "f", framework="pt") as file:
        assert sorted(file.keys()) == ["nothing", "x"] and file.metadata() == {"by": "us"}
        part = file.get_slice("x")
        assert (part.get_shape(), part.get_dtype()) == ([4, 3, 2], "BF16")
        for index in (slice(1, 3), (slice(None), 1), (..., 0), (slice(None, None, 2), slice(1, None))):
            assert lt.equal(part[index], x[index])
        assert file.get_slice("nothing")[:].shape == (0, 3)
        with pytest.raises(ours.SafetensorError, match="no tensor 'y'"):
            file.get_tensor("y")
    with pytest.raises(ours.SafetensorError, match="closed"):
        file.get_tensor("x")
    with ours.safe_open(tmp_path / "f", framework="np") as file:
        assert file.get_tensor("x").dtype == "bfloat16"


@pytest.mark.backend
def test_weights_that_are_shared_are_written_once(backend: str, tmp_path: Path) -> None:
    def model(module: Any) -> Any:
        layer = module.nn.Linear(3, 3)
        return module.nn.Sequential(layer, module.nn.ReLU(), layer)

    with lw.using(backend=backend):
        made, real = model(lt), model(torch)
        with pytest.raises(RuntimeError, match="share memory"):
            files.save(made.state_dict())
        files.save_model(made, tmp_path / "ours")
        assert theirs.load_model(real, tmp_path / "ours") == (set(), [])
        again = model(lt)
        assert files.load_model(again, tmp_path / "ours") == (set(), [])
        theirs.save_model(real, tmp_path / "theirs")
        assert files.load_model(again, tmp_path / "theirs") == (set(), [])
        x = lt.ones(2, 3)
        assert lt.equal(again(x), made(x))
        lt.save(made.state_dict(), tmp_path / "archive")
        read = torch.load(tmp_path / "archive")
        assert read["0.weight"].data_ptr() == read["2.weight"].data_ptr() != read["0.bias"].data_ptr()
        other = lt.nn.Linear(2, 2)
        before = other.weight.clone()
        with pytest.raises(RuntimeError, match=r'(?s)Missing key.*"bias", "weight".*Unexpected.*"0.bias"'):
            files.load_model(other, tmp_path / "ours")
        assert lt.equal(other.weight, before)


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    t = lt.zeros(2)
    for wrong, error, told in (
        ([t], ValueError, "Expected a dict"), ({"a": 1}, ValueError, "Key `a` is invalid"),
        ({"a": t, "b": t}, RuntimeError, "share memory"),
        ({"a": lt.zeros(2, dtype=lt.complex128)}, ValueError, "complex128"),
    ):  # fmt: skip
        with pytest.raises(error, match=told):
            files.save_file(wrong, tmp_path / "f")  # type: ignore[arg-type]
        assert not (tmp_path / "f").exists()
    files.save_file({"a": t}, tmp_path / "f")
    whole = (tmp_path / "f").read_bytes()
    for damaged in (b"", whole[:-1], whole[:9], whole + b"1", b"\xff" * 8 + whole[8:]):
        (tmp_path / "f").write_bytes(damaged)
        for read in (lambda: files.load_file(tmp_path / "f"), lambda x=damaged: files.load(x)):
            with pytest.raises(ours.SafetensorError):
                read()


def test_a_program_reads_its_weights(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "program.py"
    script.write_text(
        "import torch, safetensors\n"
        "from safetensors import safe_open\n"
        "import safetensors.torch\n"
        "from safetensors.torch import load_file, save_file\n"
        "save_file({'w': torch.ones(2)}, 'weights.safetensors')\n"
        "safetensors.torch.save_model(torch.nn.Linear(1, 1), 'model.safetensors')\n"
        "with safe_open('weights.safetensors', framework='pt') as f: print(f.get_tensor('w'))\n"
        "print(type(load_file('weights.safetensors')['w']).__module__)\n"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        run_script(str(script), [], ["torch"])
    assert capsys.readouterr().out.split("\n")[:2] == ["tensor([1., 1.])", lt.Tensor.__module__]
