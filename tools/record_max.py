"""Write what MAX itself answers to the programs of ``tests/samples_max.py``. Run it in an environment with MAX:

    pip install max numpy && python tools/record_max.py tests/expected/max_graph.json

Each answer is the dtype, the shape and, where MAX runs the graph on this machine, the elements;
or the class of error.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from max import engine
from max.dtype import DType
from max.graph import DeviceRef, Graph, TensorType, ops

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from samples_max import DTYPES, PAIRS, SINGLE

CPU = DeviceRef.CPU()
SHAPES = {"x": (2, 3), "y": (2, 3), "u": (3,), "m": (3, 3)}
VALUES = {
    "x": [[1, 2, 0], [3, 4, 5]], "y": [[1, 1, 2], [2, 4, 3]], "u": [1, 2, 3], "m": [[1, 0, 2], [0, 1, 1], [1, 1, 0]],
}  # fmt: skip


#: What the elements are computed in: a graph takes many seconds to compile, and not every dtype compiles on each CPU.
COMPUTED = "float32"


def inputs(dtype: str, other: str) -> list[TensorType]:
    """The types of the inputs."""
    return [TensorType(DType[other if n == "y" else dtype], shape, CPU) for n, shape in SHAPES.items()]


def evaluated(text: str, graph: Graph) -> list[Any]:
    """The values that an expression gives in a graph."""
    names = {n: v.tensor for n, v in zip(SHAPES, graph.inputs, strict=True)}
    result = eval(text, {"ops": ops, "DType": DType, "np": np, "CPU": CPU, **names})
    return result if isinstance(result, list) else [result]


def answers(expressions: list[str], dtype: str, other: str) -> dict[str, Any]:
    """What MAX makes of some expressions on inputs of two dtypes."""
    found: dict[str, Any] = {}
    for text in expressions:
        try:
            with Graph("sample", input_types=inputs(dtype, other)) as graph:
                results = evaluated(text, graph)
                graph.output(*results)  # which verifies the operations
        except Exception as error:
            found[text] = type(error).__name__
        else:
            found[text] = [[r.dtype.name, [int(d) for d in r.shape], None] for r in results]
    if dtype == other == COMPUTED:
        compute(found)
    return found


def compute(found: dict[str, Any], texts: list[str] | None = None) -> None:
    """Add the elements of what was answered; those of half of it, and so on, where MAX does not compile all."""
    texts = [text for text, answer in found.items() if not isinstance(answer, str)] if texts is None else texts
    with Graph("samples", input_types=inputs(COMPUTED, COMPUTED)) as graph:
        values = {text: evaluated(text, graph) for text in texts}
        graph.output(*[x for results in values.values() for x in results])
    arrays = [np.array(rows, COMPUTED) for rows in VALUES.values()]
    try:
        computed = iter(engine.InferenceSession().load(graph).execute(*arrays))
    except Exception as error:
        if len(texts) == 1:
            print(texts[0], type(error).__name__, file=sys.stderr)
            return
        compute(found, texts[: len(texts) // 2])
        compute(found, texts[len(texts) // 2 :])
        return
    for text, results in values.items():
        for i, _ in enumerate(results):
            found[text][i][2] = next(computed).to_numpy().tolist()


def main() -> None:
    recorded: dict[str, Any] = {}
    for dtype in DTYPES:
        recorded[dtype] = answers(SINGLE, dtype, dtype)
        for other in DTYPES:
            recorded[f"{dtype} {other}"] = answers(PAIRS, dtype, other)
        print(dtype, file=sys.stderr)
    Path(sys.argv[1]).write_text(json.dumps(recorded, separators=(",", ":"), sort_keys=True) + "\n")


main()
