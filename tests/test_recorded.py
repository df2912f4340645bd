"""The reader of what frameworks answered: every cell of a file is compared, left out for a reason, or found wrong."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

TOOL = Path(__file__).parents[1] / "tools" / "recorded.py"
NO_KERNEL = {"err": "RuntimeError", "m": 0}
REFUSED = {"err": "TypeError", "m": 1}
MESSAGES = ["(NotFound) The kernel with key (CPU) of kernel `max` is not registered.", "no promotion"]

#: The tables of each file, with cells that hold and none of which the framework alone could tell.
FILES: dict[str, dict[str, dict[str, Any]]] = {
    "max": {
        "max_26": {
            "binops": {"div": {"int8": {"int8": "float64"}}, "max": {"int8": {"bool": "int8", "uint8": REFUSED}}},
            "matmul": {"int8": {"int8": "int8"}},
            "unary": {"exp": {"int8": "int8"}, "mean": {"int8": "int8"}},
            "add_zerodim": {"DZ": {"int8": {"int16": "int16"}}},
            "add_pyscalar": {"int8": {"int:127": "int8", "int:128": REFUSED, "float:1.5": REFUSED}},
            "add_numpy_operand": {"int8": {"np.int64(300)": REFUSED, "array([1,2],int64)": "int8"}},
        }
    },
    "mlx": {
        "mlx": {
            "ops": {"arctan2": {"int8": {"int8": "float32"}}, "bitwise_and": {"int8": {"float16": REFUSED}}},
            "add_zerodim": {"ZZ": {"uint64": {"int8": "float32"}}},
            "unary": {"sum": {"int8": "int32"}},
            "pyscalar": {"radd": {"int8": {"int:300": REFUSED, "float:1.5": "float32"}}},
            "iadd": {"int8": {"int8": "int8"}},
        }
    },
    "paddle": {
        "paddle": {
            "ops": {"add": {"DZ": {"float32": {"float64": "float32"}}, "DD": {"int8": {"int16": REFUSED}}}},
            "unary": {"max": {"int8": NO_KERNEL}, "sum": {"int32": "int64"}},
            "pyscalar": {
                "truediv": {k: {"float64": {"complex:1j": d}} for k, d in (("Z", "complex64"), ("D", "complex128"))},
                "fn_pow": {"D": {"int32": {"float:1.5": "int32"}}},
            },
            "other_default_dtype": {"float64": {o: {"int32": {"float:1.5": "float32"}} for o in ("add", "truediv")}},
            "iadd": {"float32": {"complex64": "complex64"}},
            "add_": {"float32": {"float64": "float64"}},
        }
    },
    "keras": {
        f"keras_{backend}_float32": {
            "ops": {"add": {"uint64": {"int8": "float32" if backend == "tensorflow" else "int32"}}},
            "unary": {"sqrt": {"int8": "float32"}, "sum": {"int64": "int32" if backend == "jax" else "int64"}},
            "ops_pyscalar": {"add": {"int8": {"int300": REFUSED, "int": "int8"}}},
        }
        for backend in ("numpy", "jax", "tensorflow")
    },
}  # fmt: skip

#: How many cells of these are compared, and how many left out.
COUNTS = {"max": (12, 0), "mlx": (7, 0), "paddle": (9, 1), "keras": (7, 1)}


@pytest.fixture(scope="module")
def recorded() -> Any:
    spec = importlib.util.spec_from_file_location("recorded", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compared(recorded: Any, framework: str, folder: Path, files: dict[str, Any]) -> tuple[int, int, list[Any]]:
    for name, tables in files.items():
        (folder / f"{name}.json").write_text(json.dumps({"messages": MESSAGES, **tables}))
    found = [*recorded.ALL[framework](folder)]
    wrong = [(c.question, k) for _, c in found for k in c.expected if c.found[k] != c.expected[k]]
    return sum(len(c.expected) for _, c in found), sum({id(f): f.left_out for f, _ in found}.values()), wrong


@pytest.mark.parametrize("framework", FILES)
def test_cells_are_compared(recorded: Any, framework: str, tmp_path: Path) -> None:
    assert compared(recorded, framework, tmp_path, FILES[framework]) == (*COUNTS[framework], [])


def test_a_wrong_cell_is_found(recorded: Any, tmp_path: Path) -> None:
    files = {"mlx": {**FILES["mlx"]["mlx"], "unary": {"sum": {"int8": "int8"}}}}
    assert compared(recorded, "mlx", tmp_path, files)[2] == [("sum", ("D:int8",))]
