"""`torch.save` and `torch.load` of PyTorch's dialect: files go to PyTorch, come from it, and run no code by default."""

from __future__ import annotations

import io
import pickle
import random
import zipfile
from collections import OrderedDict
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import latticework.frontends.torch as ours
from latticework.frontends.torch.nn.parameter import Parameter
from latticework.frontends.torch.serialization import load, safe_globals, save

theirs = pytest.importorskip("torch")

DTYPES = """
    float32 float64 float16 bfloat16 int64 int32 int16 int8 uint8 bool complex64 complex128 uint16 uint32 uint64
    float8_e5m2
""".split()


def written(obj: Any, by: Any) -> io.BytesIO:
    file = io.BytesIO()
    by(obj, file)
    file.seek(0)
    return file


def values(x: Any) -> Any:
    return np.asarray(x.detach().to((theirs if isinstance(x, theirs.Tensor) else ours).float64).numpy())


def a_checkpoint(torch: Any, parameter: Any) -> dict[str, Any]:
    """What a program keeps, with every kind of thing that a file may have."""
    return {
        "model": OrderedDict(weight=torch.arange(6.0).reshape(2, 3), bias=torch.ones(2)),
        "parameter": parameter(torch.ones(2)), "leaf": torch.ones(2, requires_grad=True),
        "step": 3, "loss": [0.5, float("inf")], "name": "net", "pair": (1, None), "set": {1, 2}, 7: b"bytes",
        "dtype": torch.float32, "size": torch.Size([1, 2]), "device": torch.device("cpu"), "empty": torch.ones(0, 3),
        "number": torch.tensor(2.5),
    }  # fmt: skip


@pytest.mark.parametrize("name", DTYPES)
def test_a_dtype_goes_there_and_back(name: str, backend: str) -> None:
    if name in ("uint16", "uint32", "uint64") and backend == "dask":
        pass
    x = theirs.arange(4).to(getattr(theirs, name))
    found = load(written([x], theirs.save))[0]
    assert str(found.dtype) == f"torch.{name}"
    again = theirs.load(written([found], save), weights_only=True)[0]
    assert again.dtype is x.dtype and again.view(theirs.uint8).equal(x.view(theirs.uint8))


def test_a_checkpoint_comes_from_pytorch(backend: str) -> None:
    given = a_checkpoint(theirs, theirs.nn.Parameter)
    found = load(written(given, theirs.save))
    assert [*found] == [*given] and type(found["model"]) is OrderedDict
    for key in ("step", "loss", "name", "pair", "set", 7):
        assert found[key] == given[key]
    assert isinstance(found["parameter"], Parameter) and found["leaf"].requires_grad
    assert found["dtype"] is ours.float32 and found["size"] == ours.Size([1, 2]) and str(found["device"]) == "cpu"
    for key in ("empty", "number", "leaf", "parameter"):
        np.testing.assert_array_equal(values(found[key]), values(given[key]))
    np.testing.assert_array_equal(values(found["model"]["weight"]), values(given["model"]["weight"]))


def test_a_checkpoint_goes_to_pytorch(backend: str, tmp_path: Path) -> None:
    given = a_checkpoint(ours, Parameter)
    save(given, tmp_path / "net.pt")
    found = theirs.load(tmp_path / "net.pt", weights_only=True)
    assert [*found] == [*given] and isinstance(found["parameter"], theirs.nn.Parameter)
    assert found["leaf"].requires_grad and found["size"] == theirs.Size([1, 2]) and found["dtype"] is theirs.float32
    for key in ("empty", "number", "leaf", "parameter"):
        np.testing.assert_array_equal(values(found[key]), values(given[key]))
    assert [*load(tmp_path / "net.pt")] == [*given]


def test_views_and_shared_storages_come_as_they_were(backend: str) -> None:
    x = theirs.arange(12.0).reshape(3, 4)
    found = load(written({"t": x.t(), "part": x[1:, ::2], "same": x, "row": x[2]}, theirs.save))
    for key, value in {"t": x.t(), "part": x[1:, ::2], "same": x, "row": x[2]}.items():
        np.testing.assert_array_equal(values(found[key]), values(value))
    y = ours.ones(3)
    twice = theirs.load(written([y, y.detach()], save))
    assert twice[0].data_ptr() == twice[1].data_ptr() or backend != "numpy"


def arrays() -> dict[str, Any]:
    """NumPy's arrays and scalars, as programs keep them: a state of random numbers, a history, labels."""
    shared = np.arange(6.0).reshape(2, 3)
    return {
        "shared": [shared, shared], "columns": np.asfortranarray(shared), "swapped": shared.astype(">f4"),
        "random": np.random.RandomState(0).get_state(), "float": np.float64(0.5), "int": np.int32(7),
        "bool": np.bool_(True), "big": np.array(2, ">i2")[()], "texts": np.array(["cat", "dogs"]),
        "bytes": np.array([b"a", b"bc"]), "objects": np.array([[1], None, "x"], object), "none": np.ones((0, 3)),
        "0-d": np.array(3), "dtype": np.dtype("f2"), "time": np.array(["2020-01-01", "NaT"], "M8[D]"),
        "bfloat16": np.arange(3).astype(ml_dtypes.bfloat16), "tensor": ours.ones(2),
    }  # fmt: skip


def alike(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray):
        same = a.dtype == b.dtype and a.shape == b.shape and a.flags.f_contiguous == b.flags.f_contiguous
        return type(b) is np.ndarray and same and (a.tolist() == b.tolist() or a.dtype.kind == "M")
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and all(map(alike, a, b))
    return type(a) is type(b) and (a == b if isinstance(a, np.generic) or not hasattr(a, "numpy") else True)


@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_arrays_of_numpy_come_from_files_without_code(protocol: int) -> None:
    given = {name: x for name, x in arrays().items() if name != "tensor"}
    files = [written(given, lambda x, f: theirs.save(x, f, pickle_protocol=protocol))]
    if protocol == 2:
        files.append(written(arrays(), save))
        old = io.BytesIO()
        with zipfile.ZipFile(files[0]) as archive, zipfile.ZipFile(old, "w") as changed:
            for info in archive.infolist():  # as NumPy 1 wrote them
                changed.writestr(info.filename, archive.read(info).replace(b"numpy._core.", b"numpy.core."))
        files.append(old)
    for file in files:
        file.seek(0)
        found = load(file)
        for name, x in given.items():
            assert alike(x, found[name]), (name, x, found[name])
        assert found["shared"][0] is found["shared"][1]
        found["shared"][0][0] = 5  # it can be written to
    with pytest.raises(pickle.UnpicklingError, match="with fields"):
        load(written(np.zeros(2, [("a", "f4")]), theirs.save))
    with pytest.raises(pickle.UnpicklingError, match="names numpy.random"):
        load(written(np.random.RandomState(0), theirs.save))
    with pytest.raises(pickle.UnpicklingError, match=r"builtins\.exec"):
        load(written([np.ones(2), Evil()], theirs.save))
    assert not Evil.ran


def test_an_optimizer_of_pytorch_comes_along() -> None:
    net = theirs.nn.Linear(3, 2)
    optimizer = theirs.optim.Adam(net.parameters())
    net(theirs.ones(1, 3)).sum().backward()
    optimizer.step()
    found = load(written(optimizer.state_dict(), theirs.save))
    again = theirs.load(written(found, save), weights_only=True)
    optimizer.load_state_dict(again)
    np.testing.assert_array_equal(values(found["state"][0]["exp_avg"]), values(optimizer.state[net.weight]["exp_avg"]))


# --- what a file may not do -------------------------------------------------------------------------------------------


class Evil:
    ran = False

    def __reduce__(self) -> Any:
        return exec, ("import test_torch_files; test_torch_files.Evil.ran = True",)


class Mine:
    def __init__(self) -> None:
        self.x = 1


def test_no_code_of_a_file_runs() -> None:
    for by in (theirs.save, save):
        with pytest.raises(pickle.UnpicklingError, match=r"builtins\.exec"):
            load(written({"a": Evil()}, by))
    assert not Evil.ran


def modules(torch: Any) -> dict[str, Any]:
    """Objects of classes of PyTorch, that a file of a whole object names."""
    nn = torch.nn
    return {
        "net": nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 3)), "lstm": nn.LSTM(3, 4),
        "block": nn.TransformerEncoderLayer(3, 1, 8, dropout=0.0), "at": torch.relu, "gelu": nn.functional.gelu,
        "optimizer": torch.optim.Adam([torch.ones(2, requires_grad=True)]), "mine": Mine(),
        "normal": torch.distributions.Normal(torch.ones(3), 1.0).log_prob,
    }  # fmt: skip


@pytest.mark.parametrize(("by", "to"), [(ours, ours), (ours, theirs), (theirs, ours)])
def test_a_whole_module_goes_there_and_back_on_the_word_of_the_user(by: Any, to: Any) -> None:
    given = modules(by)
    file = written(given, by.save)
    for safe in (None, True):
        with pytest.raises(pickle.UnpicklingError):
            load(file, weights_only=safe)
        file.seek(0)
    found = to.load(file, weights_only=False, map_location="cpu")
    x = [[0.5, -1.0, 2.0]] * 2
    for name, f in found.items():
        if name == "optimizer":
            assert type(f) is to.optim.Adam and f.param_groups[0]["lr"] == 0.001
        elif name != "mine":
            y, z = f(to.tensor(x)), given[name](by.tensor(x))
            np.testing.assert_allclose(values(y[0]), values(z[0]), atol=1e-5, err_msg=name)
    assert found["mine"].x == 1


def test_what_a_trusted_file_names_has_to_be_there() -> None:
    for name, error in (("torch.nn\nNothing", AttributeError), ("nothing\nx", ModuleNotFoundError)):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("a/data.pkl", b"\x80\x02c" + name.encode() + b"\n.")
        file.seek(0)
        with pytest.raises(error, match="othing"):
            load(file, weights_only=False)


def test_a_class_is_taken_if_it_is_said_to_be_safe() -> None:
    file = written(Mine(), save)
    with pytest.raises(pickle.UnpicklingError, match=r"add_safe_globals"):
        load(file)
    file.seek(0)
    with safe_globals([Mine]):
        assert load(file).x == 1


def test_a_file_cannot_change_what_it_may_call() -> None:
    program = b"\x80\x02ctorch._utils\n_rebuild_parameter\n}X\x05\x00\x00\x00_makeq\x00X\x01\x00\x00\x00xsb."
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a/data.pkl", program)
    file.seek(0)
    with pytest.raises(pickle.UnpicklingError):
        load(file)


@pytest.mark.parametrize("made", [lambda: a_checkpoint(theirs, theirs.nn.Parameter), arrays])
def test_damaged_files_are_refused(made: Any, tmp_path: Path) -> None:
    """Each byte of what a file says may be another: it is read, or refused, and nothing else happens."""
    whole = written(made(), save if made is arrays else theirs.save)
    with zipfile.ZipFile(whole) as archive:
        records = {info.filename: archive.read(info) for info in archive.infolist()}
    main = next(name for name in records if name.endswith("data.pkl"))
    draw = random.Random(0)
    refused = 0
    for _ in range(400):
        program = bytearray(records[main])
        for _ in range(draw.randint(1, 3)):
            program[draw.randrange(len(program))] = draw.randrange(256)
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            for name, data in records.items():
                archive.writestr(name, bytes(program) if name == main else data)
        file.seek(0)
        try:
            load(file)
        except pickle.UnpicklingError:
            refused += 1
    assert refused > 100
    for data in (b"", b"PK", whole.getvalue()[:100], b"x" * 100):
        (tmp_path / "cut").write_bytes(data)
        with pytest.raises(pickle.UnpicklingError):
            load(tmp_path / "cut")


def test_a_tensor_cannot_read_beyond_its_storage() -> None:
    whole = written(theirs.ones(4), theirs.save)
    with zipfile.ZipFile(whole) as archive:
        records = {info.filename: archive.read(info) for info in archive.infolist()}
    main = next(name for name in records if name.endswith("data.pkl"))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in records.items():
            archive.writestr(name, data.replace(b"K\x04\x85", b"K\x09\x85") if name == main else data)
    file.seek(0)
    with pytest.raises(pickle.UnpicklingError, match="reads element 8 of a storage of 4 elements"):
        load(file)
