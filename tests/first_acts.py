"""What a process does first: acts that are tried before anything else of ours was used, each in a process of its own.

As a script it is the process that others are forked from: ``python first_acts.py FOLDER BACKEND MODULES``, with acts as
lines of its input. It imports MODULES, nothing of ours unless they are ours, and writes what each act gives in a
process forked for it. `latticework` is imported by an act, never here.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

#: What an act may take, in seconds.
LIMIT = 500

#: What is done with pickled arrays, by the names that they have in `test_first_acts`.
OF_ARRAYS = """
    x
    x + 1
    1 + x
    x + x
    x - f
    f * 2.5
    f / x
    x // 2
    7 % x
    x ** 2
    x @ x
    x @ [1]
    x << 1
    x & x
    x == x
    x != 1
    x < f
    x == "a"
    x + "a"
    x + None
    [1, 2] + x
    -x
    -f
    +f
    ~x
    abs(f)
    divmod(x, 2)
    round(f, 1)
    np.float64(2) * f
    np.ones(2) + f
    f + np.ones(2, np.float32)
    z + 1
    z[()]
    w + 1
    w.weak
    c.real
    c.conj()
    b & True
    h + 1
    x[0]
    x[0, 1]
    x[1:]
    x[..., None]
    x[x > 2]
    x[[1, 0]]
    x[np.array([1, 0])]
    x[x]
    x[9]
    x["a"]
    x[0.5]
    x.at
    x.shape
    x.ndim
    x.size
    x.nbytes
    x.itemsize
    x.dtype
    x.dtype == "int32"
    x.dtype.kind
    x.device
    x.backend
    x.T
    x.mT
    f.real
    f.imag
    x.data
    x.sum()
    x.sum(axis=0)
    x.mean(0)
    f.std(ddof=1)
    x.max()
    x.argmax()
    x.reshape(-1)
    x.reshape((4,))
    x.astype("float32")
    x.flatten()
    x.copy()
    x.tolist()
    x.item(0)
    z.item()
    x.item()
    x.unsqueeze(0)
    x.nosuch
    x.to_device("cpu")
    x.compute()
    x.to_numpy()
    repr(x)
    str(f)
    format(z, ".2f")
    f"{x}"
    len(x)
    list(x)
    3 in x
    bool(z)
    bool(x)
    int(z)
    float(z)
    complex(z)
    [1, 2, 3, 4][x[0, 1]]
    hash(x)
    np.asarray(x)
    np.array(x, copy=True)
    np.add(x, 1)
    np.sqrt(x)
    np.add.reduce(x)
    np.sum(x)
    np.concatenate([x, x])
    np.where(x > 1, x, 0)
    np.linalg.norm(f)
    np.from_dlpack(x)
    np.ones(2) @ f
    np.ones(2) == f
    copy.copy(x)
    copy.deepcopy(x)
    copy.deepcopy({"x": [x, f]})
    pickle.loads(pickle.dumps(x))
    x.__array_namespace__().sum(x)
    x.__array_namespace__().linalg.norm(f)
    x.__dlpack_device__()
    isinstance(x, __import__("collections").abc.Sequence)
    dir(x)
    key
    key + 0
"""

#: As statements: what they leave in `x` is looked at.
WRITING = """
    x[0] = 1
    x[0, 1] = 7
    x[:, 0] = f[:, 0]
    x[x > 2] = 0
    x[0] = [5, 6]
    x[0] = 1.5
    x[9] = 1
    x += 1
    x -= x
    x *= 2
    x += 0.5
    x /= 2
    f /= 2; x = f
    f @= f; x = f
    f **= 2; x = f
    x[0] += 1
    x[1:] *= x[1:]
    y = x[1:]; y += 1
    del x[0]
    x.dtype = 1
    x.shape = (4,)
    x.sort()
    x = x.__class__()
"""

#: What is done with other objects of ours, and with arrays of dialects.
OF_OTHERS = """
    dtype
    dtype == "float32"
    dtype < dtype
    dtype.bits
    np.dtype(dtype)
    np.zeros(2, dtype)
    repr(dtype)
    copy.deepcopy(dtype)
    device
    repr(device)
    rules.name
    rules.promote([dtype, 1.0.__class__])
    copy.deepcopy(rules) is rules
    operand
    plan
    repr(plan)
    policy.backend
    copy.deepcopy(policy) is policy
    explanation
    error
    repr(finfo)
    finfo.eps
    spec
    generator.random(2)
    compiled(f)
    compiled(x, 1)
    wholly(f)
    decorated(np.ones(2, np.float32))
    derived(f)
    nd + 1
    nd.sum()
    nd[0]
    nd[nd > 1]
    repr(nd)
    np.asarray(nd)
    nd.reshape(-1)
    copy.deepcopy(nd)
    nd @ nd
    nd.T
    jnd + 1
    jnd.sum()
    jnd[0]
    jnd.at[0].set(1)
    repr(jnd)
    np.asarray(jnd)
    jnd.dtype
    copy.deepcopy(jnd)
    jnd @ jnd
    tnd + 1
    tnd.sum()
    tnd[0]
    repr(tnd)
    tnd.numpy()
    tnd.dtype
    tnd.size()
    tnd.unsqueeze(0)
    tnd.add_(1)
    copy.deepcopy(tnd)
    tnd @ tnd
    tnd.nosuch
    tsize
    tdtype
    fnd + 1
    fnd[0]
    repr(fnd)
    fnd.numpy()
    fnd.dtype
    fnd.shape
    copy.deepcopy(fnd)
    fnd @ fnd
    fnd + "a"
    fdtype
    fshape
"""

#: As statements that get nothing pickled: what they leave in `r` is looked at.
WITHOUT = """
    import latticework as lw; r = lw.asarray([1, 2]) + 1
    import latticework as lw; r = lw.load(folder / "graph.json")(lw.ones((2, 2)))
    import latticework as lw; r = lw.random.normal(lw.random.key(0), (2,))
    import latticework as lw; r = lw.compile(lambda x: x + 1)(np.ones(2))
    import latticework as lw; r = lw.infer(lambda x: x + 1, lw.spec((2,), "int8"))
    import latticework as lw; r = lw.plan(lw.add, 1.0, 2)
    import latticework as lw; r = lw.explain("int8", "float16")
    import latticework as lw; r = lw.promote_types("int8", "uint8")
    import latticework as lw; r = lw.result_type(lw.int8, 1.5)
    import latticework as lw; r = lw.Dtype("int8")
    import latticework as lw; r = lw.finfo("float32").eps
    import latticework as lw; r = lw.array_namespace("numpy").add(np.ones(2), 1)
    import latticework as lw; r = lw.native(lambda x: x + 1)(np.ones(2))
    import latticework as lw; r = lw.Array() + 1
    import latticework as lw; r = lw.trace(lambda x: x + 1, np.ones(2)).source
    import latticework as lw; r = lw.linalg.inv([[1.0, 2], [3, 4]])
    import latticework as lw; r = lw.errors.PromotionError("a")
    import latticework as lw; r = lw.nosuch
    import latticework as lw; r = lw.einsum("i,i", [1.0, 2], [3.0, 4])
    import latticework as lw; r = lw.tree.map(abs, {"a": -1})
    import latticework as lw; r = lw.Operand("int8")
    import latticework as lw; r = lw.pi
    from latticework import nn; r = nn.relu(np.ones(2))
    from latticework import random; r = random.split(random.key(0), 2)
    from latticework.linalg import det; r = det(np.eye(2))
    from latticework.engine.arrays.array import Array; r = Array.__add__.__name__
    from latticework.frontends import torch; r = torch.ones(2) + 1
    from latticework.frontends import jax; r = jax.numpy.ones(2) + 1
    from latticework.frontends import numpy; r = numpy.ones(2) + 1
    from latticework.frontends import tensorflow as tf; r = tf.ones(2) + 1
    from latticework.frontends.tensorflow.experimental import numpy as tnp; r = tnp.ones(2) + 1
    from latticework.frontends.max.graph import ops; r = ops.__name__
    import latticework.frontends.jax.numpy as jnp; r = jnp.arange(3)[1]
    import latticework.frontends.jax.random as jr; r = jr.normal(jr.PRNGKey(0), (2,))
    import latticework.frontends.torch.nn.functional as F; r = F.__name__
    from latticework.backend import get; r = get("numpy").name
    from latticework.backends.numpy import add; r = add(1, 2)
    from latticework.frontends.numpy.random import default_rng; r = default_rng(0).random(2)
    import latticework.tracing.compiled; import latticework as lw; r = lw.ones(2) + 1
    import latticework.frontends.transpiling; import latticework as lw; r = lw.ones(2) + 1
"""


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines()]


#: act -> the name of what its code leaves to be looked at; None where it is an expression.
ACTS = (
    dict.fromkeys([*_lines(OF_ARRAYS), *_lines(OF_OTHERS)])
    | dict.fromkeys(_lines(WRITING), "x")
    | dict.fromkeys(_lines(WITHOUT), "r")
)

#: Acts for the start that is dear: a new interpreter, or a framework that takes seconds to import.
FEW = _lines("""
    x + 1
    -f
    x[0]
    x[0] = 1
    x[x > 2]
    x += 1
    x.sum()
    repr(x)
    np.asarray(x)
    copy.deepcopy(x)
    x.nosuch
    key
    compiled(f)
    tnd + 1
    jnd + 1
    fnd + 1
    nd + 1
""")


def shown(value: Any) -> Any:
    """A value as text, without a call of ours where that can be: arrays by NumPy."""
    import numpy as np

    if type(value).__name__ in ("Array", "ndarray", "Tensor", "ArrayImpl", "EagerTensor"):
        dtype = str(getattr(value, "dtype", ""))
        return [type(value).__module__, dtype, repr(np.asarray(value).tolist())]
    if isinstance(value, list | tuple):
        return [type(value).__name__, *map(shown, value)]
    if isinstance(value, dict):
        return ["dict", *[[str(k), shown(v)] for k, v in value.items()]]
    if isinstance(value, BaseException):
        return [type(value).__name__, str(value)]
    return [type(value).__name__, repr(value)]


class Pickled(dict[str, Any]):
    """The names of a folder's pickles, each read when it is asked for."""

    def __init__(self, folder: Path, backend: str) -> None:
        import copy

        import numpy as np

        super().__init__(np=np, copy=copy, pickle=pickle, folder=folder)
        self.folder, self.backend = folder, backend

    def __missing__(self, name: str) -> Any:
        path = self.folder / f"{name}.{self.backend}.pickle"
        if not path.exists():
            raise KeyError(name)
        self[name] = pickle.loads(path.read_bytes())
        return self[name]


def done(act: str, folder: Path, backend: str) -> Any:
    """What an act gives, or its error, as `shown`."""
    names, left = Pickled(folder, backend), ACTS[act]
    try:
        if left is None:
            return shown(eval(act, {}, names))
        exec(act, {"np": names["np"], "folder": folder}, names)
        return shown(names[left])
    except Exception as error:
        return shown(error)


def told(act: str, folder: str, backend: str) -> str:
    """As `done`, as text, for pools of processes."""
    return json.dumps(done(act, Path(folder), backend))


def twice(x: Any) -> Any:
    """Add an array to itself, for a worker that gets it pickled."""
    return x + x


def summed(xs: dict[str, Any]) -> Any:
    """Reduce and index an array."""
    return xs["x"].sum(), xs["x"][0]


def forked(act: str, folder: Path, backend: str) -> Any:
    """What an act gives in a process that is forked for it; the status of one that died."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        signal.alarm(LIMIT)
        os.close(reading)
        with os.fdopen(writing, "w") as out:
            json.dump(done(act, folder, backend), out)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        text = answer.read()
    status = os.waitpid(child, 0)[1]
    return json.loads(text) if text else ["died", status]


if __name__ == "__main__":
    _folder, _backend, _modules = sys.argv[1:]
    for _module in _modules.split():
        import_module(_module)
    for _act in sys.stdin.read().splitlines():
        sys.stdout.write(json.dumps([_act, forked(_act, Path(_folder), _backend)]) + "\n")
        sys.stdout.flush()
