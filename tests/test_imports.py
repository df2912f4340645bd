"""`lw.redirected` and `latticework run`: packages that import a framework get its dialect."""

import builtins
import importlib
import subprocess
import sys
import threading
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

import latticework as lw
import latticework.frontends.numpy as ln
import latticework.frontends.torch as lt
from latticework.frontends.scripts import run_script

FILES = {
    "wide/__init__.py": "from .layers import Wide\n__version__ = '1.0'",
    "wide/layers.py": """
        import torch
        from torch import nn
        from torch.nn import functional as F
        from narrow import halved

        class Wide(nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = nn.Linear(2, 2)

            def forward(self, x):
                import torch as late
                assert late is torch
                from . import later
                return later.twice(halved(F.relu(self.inner(x))))
    """,
    "wide/later.py": "import torch\ndef twice(x): return torch.add(x, x)",
    "narrow.py": "import math\ndef halved(x): return x / 2",
    "asks.py": """
        import importlib
        import importlib.util as util
        import sys
        from importlib import import_module
        from importlib.metadata import version
        from sys import modules

        def answers():
            return (
                "torch" in sys.modules, sys.modules["torch"].Tensor, modules.get("torch.nn").Linear,
                import_module("torch.nn").Linear, importlib.import_module(".later", "wide").twice,
                util.find_spec("torch") is not None, util.find_spec("torch._dynamo"), version("torch"),
                sys.modules[__name__].answers is answers, len([*sys.modules]) == len(sys.modules),
            )
    """,
    "private.py": "import os\nimport torch._C",
    "absent.py": "from torch.nn import NoSuchLayer",
    "compiled/__init__.py": "import torch",
    "lazy.py": "def ones():\n    import torch\n    return torch.ones(2)",
    "over_numpy.py": "import numpy as np\ndef total(x): return np.sum(np.asarray(x) * 2)",
    "with_numpy_in_c/__init__.py": "import numpy as np\nzeros = np.zeros(2)",
}


@pytest.fixture
def packages(tmp_path: Path) -> Iterator[Path]:
    """A folder of installed packages."""
    folder = tmp_path / "site-packages"
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text))
    (folder / "compiled" / "kernels.so").write_bytes(b"\0ELF\0libtorch_cpu.so\0")
    (folder / "with_numpy_in_c" / "core.so").write_bytes(b"\0ELF\0_ARRAY_API\0")
    before, imported = [*sys.path], {*sys.modules}
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    yield folder
    sys.path[:] = before
    for name in {*sys.modules} - imported:
        if name.partition(".")[0] in {n.split("/")[0].removesuffix(".py") for n in FILES}:
            del sys.modules[name]


def test_a_package_gets_the_dialect_in_the_block_and_later(backend: str, packages: Path) -> None:
    real = builtins.__import__
    with lw.redirected("torch", backend=backend) as redirection:
        import torch  # the dialect
        import wide

        model = wide.Wide()
        y = model(torch.ones(3, 2))
        y.sum().backward()
        assert torch is lt
        assert type(y) is lt.Tensor
        assert lw.asarray(y.detach()).device == lw.asarray([1.0]).device
        assert tuple(model.inner.weight.grad.shape) == (2, 2)
        assert redirection.packages == ["wide"]  # narrow names no framework
        assert "wide.layers" in sys.modules
    assert builtins.__import__ is real
    assert not {"wide", "wide.layers", "wide.later"} & {*sys.modules}
    assert "narrow" in sys.modules
    with lw.using(backend=backend):
        assert type(model(lt.ones(3, 2))) is lt.Tensor  # its functions import the dialect
        file = BytesIO()
        lt.save(model, file)
        file.seek(0)
        assert type(lt.load(file, weights_only=False)) is type(model)
    assert "wide.later" not in sys.modules
    with lw.redirected("torch", backend=backend):  # a block of the same kind has the same package
        import wide.later

        assert type(model) is wide.Wide
        with lw.redirected("torch", backend=backend):
            import wide.layers

            assert wide.layers.Wide is type(model)
        assert "wide.later" in sys.modules
    assert "wide" not in sys.modules
    if backend == "torch":
        import wide  # now with PyTorch itself

        itself = wide.Wide
        with lw.using(backend=backend):
            model(lt.ones(3, 2))
        assert not issubclass(itself, lt.nn.Module)
        assert sys.modules["wide"].Wide is itself


def test_the_program_itself_is_redirected_though_an_installed_tool_started_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "__main__", pytest)  # as under `python -m pytest`
    names: dict[str, object] = {"__name__": "__main__"}
    exec("with redirected('torch'):\n    import torch", {"redirected": lw.redirected} | names, names)
    assert names["torch"] is lt


@pytest.mark.needs("torch")
def test_what_a_package_asks_of_the_process(packages: Path) -> None:
    with lw.redirected("torch", backend="numpy"):
        import asks
        import torch
        from wide.later import twice

        found = asks.answers()
    assert found == (True, lt.Tensor, lt.nn.Linear, lt.nn.Linear, twice, True, None, torch.__version__, True, True)
    assert torch is lt


def test_packages_that_are_named_or_left_out(packages: Path) -> None:
    pytest.importorskip("torch")
    with lw.redirected("torch", backend="numpy", except_="wide"):
        import torch
        import wide

        assert torch is lt
        assert not issubclass(wide.Wide, lt.nn.Module)
    for name in [n for n in sys.modules if n.partition(".")[0] == "wide"]:
        del sys.modules[name]
    with lw.redirected("torch", only=["wide"], backend="numpy"):
        import lazy
        import wide

        assert issubclass(wide.Wide, lt.nn.Module)
        assert type(lazy.ones()) is not lt.Tensor


@pytest.mark.parametrize(
    ("package", "message"),
    [
        (
            "private",
            r"torch\._C: latticework's dialect has no such module\. It is private to.*private\.py, line 2",
        ),
        ("absent", r"torch\.nn\.NoSuchLayer: latticework's dialect of torch has no such name.*absent\.py, line 1"),
        (
            "compiled",
            r"compiled has code that was compiled for torch.*kernels\.so.*--except compiled.*test_imports",
        ),
        (
            "lazy",
            r"lazy was imported before this block, with torch itself.*lazy\.py names it.*test_imports\.py, line",
        ),
    ],
)
def test_what_cannot_be_redirected_is_named(package: str, message: str, packages: Path) -> None:
    if package == "lazy":
        importlib.import_module("lazy")
    for _ in range(2):  # a second try gives the same error
        with lw.redirected("torch", backend="numpy"), pytest.raises(ImportError, match=f"(?s){message}"):
            __import__(package, globals())
    assert package == "lazy" or package not in sys.modules


def test_errors_of_the_arguments() -> None:
    with pytest.raises(ValueError, match="redirected: there is no dialect 'theano'. There are numpy, jax"):
        lw.redirected("theano").__enter__()
    with pytest.raises(ValueError, match="no framework is named"):
        lw.redirected([]).__enter__()
    before = builtins.__import__, [*sys.meta_path]
    with pytest.raises(ValueError, match="there is no backend 'nowhere'"), lw.redirected("torch", backend="nowhere"):
        pass
    assert (builtins.__import__, [*sys.meta_path]) == before


def test_blocks_inside_of_blocks_and_threads(packages: Path) -> None:
    pytest.importorskip("torch")
    found: list[object] = []

    def elsewhere() -> None:
        import torch

        found.append(torch)

    with lw.redirected("numpy", backend="numpy"), lw.redirected("torch"):
        import numpy
        import torch

        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        assert (numpy.__name__, torch) == ("latticework.frontends.numpy", lt)
    assert found[0] is not lt
    assert found[0] is sys.modules["torch"]


def test_packages_over_numpy(backend: str, packages: Path) -> None:
    with lw.redirected("numpy", backend=backend) as redirection:
        import over_numpy
        import with_numpy_in_c

        total = over_numpy.total([1, 2, 3])
        assert type(with_numpy_in_c.zeros) is np.ndarray  # it keeps NumPy itself
        assert type(total) is ln.ndarray
        assert int(total) == 12
        assert redirection.packages == ["over_numpy"]


def test_a_script_with_its_packages(packages: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "program.py").write_text(
        "import sys, wide, beside\nprint(type(wide.Wide()(beside.x)).__module__, sys.argv[1:])\n"
    )
    (tmp_path / "beside.py").write_text("import torch\nx = torch.ones(1, 2)\n")
    run_script(str(tmp_path / "program.py"), ["--epochs", "3"], ["torch"])
    assert capsys.readouterr().out == f"{lt.Tensor.__module__} ['--epochs', '3']\n"
    assert "beside" not in sys.modules
    command = [sys.executable, "-m", "latticework", "run", "--as", "torch", "-m", "program", "5"]
    path = {"PYTHONPATH": f"{Path(lw.__file__).parent.parent}:{packages}:{tmp_path}"}
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env=path, cwd=tmp_path)
    assert (ran.stdout, ran.stderr) == (f"{lt.Tensor.__module__} ['5']\n", "")
    (tmp_path / "program.py").write_text("import private")
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env=path, cwd=tmp_path)
    lines = [line.strip() for line in ran.stderr.splitlines() if line.strip().startswith("File")]
    assert (ran.returncode, len(lines)) == (1, 2)  # of the program and of the package, and none of latticework


@pytest.mark.needs("torch")
def test_small_modules_that_packages_import() -> None:
    with lw.redirected("torch", backend="numpy"):
        import torch
        import torch.types
        from torch.nn.common_types import _scalar_or_tuple_any_t, _size_2_t
        from torch.optim.adam import Adam
        from torch.optim.sgd import SGD
        from torch.overrides import handle_torch_function, has_torch_function, is_tensor_like
        from torch.version import cuda

    assert (Adam, SGD, cuda) == (torch.optim.Adam, torch.optim.SGD, None)
    assert isinstance((2, 2), tuple) and isinstance(1, torch.types.Number)
    assert _scalar_or_tuple_any_t[int] == int | tuple[int, ...]
    assert _size_2_t == int | tuple[int, int]

    class First:
        @classmethod
        def __torch_function__(
            cls, function: object, types: object, args: object = (), kwargs: object = None
        ) -> object:
            return NotImplemented if cls is First else (cls, types, args, kwargs)

    class Second(First):
        pass

    args = First(), torch.ones(2), Second()
    assert has_torch_function(args)
    assert not has_torch_function([torch.ones(2), 1])
    assert is_tensor_like(args[0]) and is_tensor_like(args[1]) and not is_tensor_like(1.0)
    assert handle_torch_function(torch.add, args, *args, out=None) == (Second, (Second, First), args, {"out": None})
    with pytest.raises(TypeError, match="no implementation found for add on types .*: First"):
        handle_torch_function(torch.add, args[:1], *args)
