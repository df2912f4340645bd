"""Layers beside PyTorch's own, on the samples of its tests: outputs, gradients, state and representation.

``python tests/module_samples.py [backend] [words of names]`` goes through all of them and prints what differs.
"""

from __future__ import annotations

import sys
import time
import traceback
import warnings
from collections.abc import Iterator
from functools import lru_cache
from importlib.util import find_spec
from types import ModuleType
from typing import Any, NamedTuple
from unittest import TestCase

import numpy as np
import torch as real

import latticework as lw
import latticework.frontends.torch as torch

if "expecttest" not in sys.modules and find_spec("expecttest") is None:  # PyTorch's tests want it, and the samples not
    sys.modules["expecttest"] = ModuleType("expecttest")
    sys.modules["expecttest"].TestCase = TestCase  # type: ignore[attr-defined]
from torch.testing._internal.common_modules import FunctionInput, ModuleInfo, ModuleInput, module_db

#: Layers that draw random numbers in training, where shapes alone are compared.
RANDOM = {
    "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout", "RReLU",
}  # fmt: skip
#: What is not compared, and why.
APART = {
    "FractionalMaxPool2d": "windows at random places, unless the sample has them",
    "FractionalMaxPool3d": "windows at random places, unless the sample has them",
}

#: Samples of layers that PyTorch's tests have none of: the arguments of the constructor, and those of the call. ``r``
#: are real numbers that require a gradient, ``k`` integers below the first argument.
MORE = """
AdaptiveLogSoftmaxWithLoss: 8, 20, [4, 10], div_value=2.0: r(5, 8), k(20, 5)
AdaptiveLogSoftmaxWithLoss: 8, 12, [5], head_bias=True: r(8), k(12)
AdaptiveLogSoftmaxWithLoss: 8, 12, [5]: r(3, 8), k(5, 3)
AlphaDropout: 0.3: r(3, 4)
ChannelShuffle: 2: r(2, 4, 3, 3)
CosineSimilarity: : r(3, 4), r(3, 4)
CosineSimilarity: dim=0, eps=1e-3: r(3, 4), r(1, 4)
CrossMapLRN2d: 3: r(2, 5, 2, 2)
CrossMapLRN2d: 5, alpha=0.5, beta=0.5, k=2: r(1, 8, 2, 2)
Dropout: : r(3, 4)
Dropout: 0.0, inplace=True: r(3, 4) * 1
Dropout1d: 0.2: r(2, 3, 4)
Dropout2d: 0.2: r(2, 3, 4, 4)
Dropout3d: 0.2: r(2, 3, 4, 4, 2)
EmbeddingBag: 6, 3: k(6, 2, 4)
EmbeddingBag: 6, 3, mode="sum": k(6, 7), torch.tensor([0, 2, 2, 5]), per_sample_weights=r(7)
EmbeddingBag: 6, 3, mode="max", padding_idx=2: k(6, 7), torch.tensor([0, 3])
EmbeddingBag: 6, 3, mode="mean", padding_idx=-1, include_last_offset=True: k(6, 7), torch.tensor([0, 3, 7])
EmbeddingBag: 6, 3, max_norm=1.0: k(6, 2, 4)
FeatureAlphaDropout: 0.2: r(2, 3, 4)
Flatten: : r(2, 3, 4)
Flatten: 0, 1: r(2, 3, 4)
Fold: (4, 5), (2, 2): r(2, 12, 12)
Fold: (4, 5), 2, padding=1, stride=2: r(12, 9)
Hardsigmoid: : r(3, 4) * 3
Hardsigmoid: inplace=True: r(3, 4) * 3
Identity: 3, unused=4: r(3, 4)
LazyBatchNorm1d: : r(4, 3)
LazyBatchNorm2d: momentum=None: r(2, 3, 4, 4)
LazyBatchNorm3d: affine=False: r(2, 3, 2, 2, 2)
LazyInstanceNorm1d: : r(2, 3, 4)
LazyInstanceNorm2d: track_running_stats=False: r(2, 3, 4, 4)
LazyInstanceNorm3d: affine=False: r(2, 3, 2, 2, 2)
LazyLinear: 5: r(2, 3)
LazyLinear: 5, bias=False: r(3)
MaxUnpool1d: 2: r(2, 3), torch.tensor([[0, 3, 4], [1, 2, 5]])
MaxUnpool2d: (1, 2), stride=(1, 2): r(1, 2, 2), torch.tensor([[[0, 3], [5, 6]]])
MaxUnpool2d: 2: r(1, 1, 1, 2), torch.tensor([[[[0, 6]]]]), output_size=(3, 5)
MaxUnpool3d: 2: r(1, 1, 1, 2), torch.tensor([[[[0, 10]]]])
NLLLoss2d: : r(2, 3, 2, 2), k(3, 2, 2, 2)
PairwiseDistance: : r(3, 4), r(3, 4)
PairwiseDistance: 1.0, keepdim=True: r(3, 4), r(4)
PixelShuffle: 2: r(2, 8, 2, 3)
PixelUnshuffle: 2: r(2, 2, 4, 6)
RReLU: 0.1, 0.3: r(3, 4)
SyncBatchNorm: 3: r(4, 3)
SyncBatchNorm: 3, momentum=None: r(4, 3, 2)
TransformerDecoder: layer("Decoder", 8, 2, 16, 0.0), 2: r(3, 2, 8), r(4, 2, 8)
TransformerDecoder: layer("Decoder", 8, 2, 16, 0.0, "gelu", batch_first=True), 1: r(2, 3, 8), r(2, 4, 8), mask(3)
TransformerEncoder: layer("Encoder", 8, 2, 16, 0.0, "gelu"), 2: r(3, 2, 8), mask(3)
TripletMarginLoss: : r(3, 4), r(3, 4), r(3, 4)
TripletMarginLoss: 2.0, p=1, swap=True, reduction="sum": r(3, 4), r(3, 4), r(3, 4)
TripletMarginWithDistanceLoss: swap=True: r(3, 4), r(3, 4), r(3, 4)
TripletMarginWithDistanceLoss: distance_function=F.cosine_similarity, margin=0.5: r(3, 4), r(3, 4), r(3, 4)
Unflatten: 1, (2, 2): r(3, 4)
Unflatten: -1, [4, -1]: r(3, 4)
Unfold: 2: r(2, 3, 4, 5)
Unfold: (2, 3), dilation=2, padding=1, stride=2: r(3, 5, 6)
Upsample: scale_factor=2: r(1, 2, 3)
Upsample: size=(5, 7), mode="bilinear", align_corners=True: r(1, 2, 3, 4)
Upsample: scale_factor=(1.5, 2.0), mode="bicubic": r(1, 2, 4, 4)
Upsample: None, 2.0, "trilinear": r(1, 1, 2, 2, 2)
UpsamplingBilinear2d: scale_factor=2: r(1, 2, 3, 3)
UpsamplingNearest2d: 5: r(1, 2, 3, 3)
LSTM: 3, 4, 2, bidirectional=True: packed(r(5, 3, 3), [5, 3, 1])
LSTM: 3, 4, proj_size=2, batch_first=True: packed(r(2, 5, 3), [2, 4], True)
GRU: 3, 4, 2, bidirectional=True: packed(r(5, 3, 3), [1, 5, 5]), r(4, 3, 4)
RNN: 3, 4, 1, "relu", False: packed(r(5, 3, 3), [5, 3, 1])
"""


def _values(dtype: Any) -> dict[str, Any]:
    """What the text of a sample is made of."""
    options = {"dtype": dtype, "device": "cpu"}

    def packed(x: Any, lengths: Any, batch_first: bool = False) -> Any:
        lengths = real.tensor(lengths)
        return real.nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first, enforce_sorted=False)

    def layer(kind: str, *args: Any, **kw: Any) -> Any:
        return getattr(real.nn, f"Transformer{kind}Layer")(*args, **kw, dtype=dtype)

    return {
        "r": lambda *shape: real.randn(*shape, **options).requires_grad_(),
        "k": lambda n, *shape: real.randint(n, shape),
        "mask": lambda n: real.nn.Transformer.generate_square_subsequent_mask(n, **options),
        "packed": packed, "layer": layer, "torch": real, "F": real.nn.functional, "FunctionInput": FunctionInput,
    }  # fmt: skip


def _more(name: str, lines: list[str], before: Any) -> Any:
    def samples(info: Any, device: Any, dtype: Any, requires_grad: bool, training: bool) -> list[Any]:
        found = before(info, device=device, dtype=dtype, requires_grad=requires_grad, training=training)
        for line in lines:
            parts = [eval(f"FunctionInput({text})", _values(dtype)) for text in line.split(": ", 2)[1:]]
            found.append(ModuleInput(*parts))
        return found

    return ModuleInfo(getattr(real.nn, name), module_inputs_func=samples)


#: Layers whose gradients in PyTorch are not those of their outputs.
GRADIENTS_APART = {"CrossMapLRN2d": "its backward has windows of its own"}
INFOS = {info.name.removeprefix("nn."): info for info in module_db}
for _line in MORE.split("\n"):
    _name = _line.partition(":")[0]
    if _name and (_name not in INFOS or not hasattr(INFOS[_name], "more")):
        _lines = [x for x in MORE.split("\n") if x.startswith(f"{_name}:")]
        _before = INFOS[_name].module_inputs_func if _name in INFOS else lambda *_, **__: []
        INFOS[_name] = _more(_name, _lines, _before)
        INFOS[_name].more = True


class Case(NamedTuple):
    """One sample of a layer: its name, the number of the sample, its dtype, and whether the layer is in training."""

    name: str
    number: int
    dtype: str
    training: bool

    @property
    def sample(self) -> Any:
        """The sample as PyTorch's tests make it, from the same random numbers each time."""
        return _samples(self.name, self.dtype, self.training)[self.number]


@lru_cache(4)
def _samples(name: str, dtype: str, training: bool) -> Any:
    real.manual_seed(0)
    info = INFOS[name]
    options = {"device": "cpu", "dtype": getattr(real, dtype), "requires_grad": True, "training": training}
    return info.module_inputs_func(info, **options)


def cases(name: str, dtypes: tuple[str, ...] = ("float32", "float64")) -> Iterator[Case]:
    """All samples of a layer."""
    info = INFOS[name]
    for dtype in dtypes:
        if getattr(real, dtype) not in info.supported_dtypes("cpu"):
            continue
        for training in (True, False):
            for number in range(len(_samples(name, dtype, training))):
                yield Case(name, number, dtype, training)


def ours(x: Any) -> Any:
    """What PyTorch's tests give to a layer, for ours."""
    if isinstance(x, real.Tensor):
        made = torch.tensor(lw.asarray(x.detach().cpu().numpy().copy()))
        made = made.requires_grad_() if x.requires_grad else made
        return made if x.is_leaf else made * 1
    if isinstance(x, real.nn.utils.rnn.PackedSequence):
        return torch.nn.utils.rnn.PackedSequence(*[ours(part) for part in x])
    if isinstance(x, (list, tuple)) and not isinstance(x, real.Size):
        return type(x)([ours(part) for part in x])
    if isinstance(x, dict):
        return {name: ours(part) for name, part in x.items()}
    if isinstance(x, real.nn.Module):
        return layer_of(x)
    if isinstance(x, real.dtype):
        return getattr(torch, str(x).removeprefix("torch."))
    if isinstance(x, real.device):
        return torch.device(str(x))
    if callable(x) and getattr(real.nn.functional, getattr(x, "__name__", ""), None) is x:
        return getattr(torch.nn.functional, x.__name__)
    return x


def layer_of(x: Any) -> Any:
    """A layer of a transformer, as ours."""
    first = x.self_attn
    made = getattr(torch.nn, type(x).__name__)(
        first.embed_dim, first.num_heads, x.linear1.out_features, x.dropout.p, ours(x.activation), x.norm1.eps,
        first.batch_first, x.norm_first, x.linear1.bias is not None, dtype=ours(x.linear1.weight.dtype),
    )  # fmt: skip
    made.load_state_dict({name: ours(value) for name, value in x.state_dict().items()})
    return made


def numbers(x: Any) -> Any:
    """A tensor, of either, as NumPy's array."""
    return x.detach().cpu().numpy()


def tensors(x: Any) -> list[Any]:
    """The tensors in what goes into a layer, or comes out of it."""
    if isinstance(x, (real.Tensor, torch.Tensor)):
        return [x]
    if isinstance(x, (list, tuple)):
        return [t for part in x for t in tensors(part)]
    return [t for part in x.values() for t in tensors(part)] if isinstance(x, dict) else []


def compare(case: Case, gradients: bool = True) -> None:
    """Check that a layer answers as PyTorch's, in the backend in force. AssertionError: it does not."""
    sample, dtype = case.sample, getattr(real, case.dtype)
    given, called = sample.constructor_input, sample.forward_input
    theirs = INFOS[case.name].module_cls(*given.args, **given.kwargs).to(dtype).train(case.training)
    made = getattr(torch.nn, case.name)(*ours(given.args), **ours(given.kwargs)).to(ours(dtype)).train(case.training)
    lazy = case.name.startswith("Lazy")
    assert lazy or repr(made) == repr(theirs), (repr(made), repr(theirs))
    assert made.state_dict().keys() == theirs.state_dict().keys(), made.state_dict().keys()
    if not lazy:
        shapes = {name: tuple(value.shape) for name, value in theirs.state_dict().items()}
        assert {name: tuple(value.shape) for name, value in made.state_dict().items()} == shapes
        made.load_state_dict({name: ours(value) for name, value in theirs.state_dict().items()})
    args, kw = called.args, called.kwargs
    for x in tensors([args, kw]):
        x.grad = None
    our_args, our_kw = ours(args), ours(kw)
    if lazy:  # the parameters are there after the first call
        with real.no_grad(), torch.no_grad():
            theirs(*args, **kw)
            made(*our_args, **our_kw)
        made.load_state_dict({name: ours(value) for name, value in theirs.state_dict().items()})
        assert repr(made) == repr(theirs), (repr(made), repr(theirs))
        assert type(made) is getattr(torch.nn, type(theirs).__name__)
    real.manual_seed(0)
    expected, found = tensors(theirs(*args, **kw)), tensors(made(*our_args, **our_kw))
    assert len(expected) == len(found)
    for a, b in zip(expected, found, strict=True):
        assert tuple(a.shape) == tuple(b.shape), (a.shape, b.shape)
        assert str(a.dtype) == str(b.dtype), (a.dtype, b.dtype)
    if case.name in RANDOM and case.training:
        return
    if case.name in APART and made._random_samples is None:
        return
    exact = 2e-4 if case.dtype == "float32" else 1e-9
    for a, b in zip(expected, found, strict=True):
        np.testing.assert_allclose(numbers(b), numbers(a), exact, exact)
    for name, value in theirs.state_dict().items():
        np.testing.assert_allclose(numbers(made.state_dict()[name]), numbers(value), exact, exact, err_msg=name)
    if not gradients or case.name in GRADIENTS_APART:
        return
    weights = [np.random.default_rng(0).normal(size=tuple(a.shape)) for a in expected]
    chosen = [(a, b, w) for a, b, w in zip(expected, found, weights, strict=True) if a.requires_grad]
    assert [bool(b.requires_grad) for b in found] == [a.requires_grad for a in expected], "requires_grad"
    if not chosen:
        return
    real.autograd.backward([a for a, _, _ in chosen], [real.tensor(w).to(a.dtype) for a, _, w in chosen])
    torch.autograd.backward([b for _, b, _ in chosen], [torch.tensor(lw.asarray(w)).to(b.dtype) for _, b, w in chosen])
    pairs = [*zip(tensors([args, kw]), tensors([our_args, our_kw]), strict=True)]
    pairs += [(value, dict(made.named_parameters())[name]) for name, value in theirs.named_parameters()]
    for a, b in pairs:
        if not a.is_leaf:
            continue
        if a.grad is None:
            assert b.grad is None or not numbers(b.grad).any(), "a gradient where PyTorch has none"
        else:
            assert b.grad is not None, "no gradient"
            np.testing.assert_allclose(numbers(b.grad), numbers(a.grad), 5 * exact, 5 * exact)


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main(backend: str = "numpy", *words: str) -> None:
    """Go through the samples, and print what differs and how many agree."""
    warnings.simplefilter("ignore")
    agreed = total = 0
    with lw.using(backend=backend):
        for name in INFOS:
            if words and not any(word in name for word in words):
                continue
            seen: set[str] = set()
            start = time.perf_counter()
            for case in cases(name):
                total += 1
                try:
                    compare(case)
                    agreed += 1
                except Exception as error:
                    text = "".join(traceback.format_exception_only(error))
                    text = " ".join(text.split())[:300]
                    where = traceback.extract_tb(error.__traceback__)[-1]
                    if text[:100] not in seen:
                        say(f"{case}: {where.filename[-40:]}:{where.lineno} {text}")
                    seen.add(text[:100])
            say(f"{name}: {agreed} of {total} so far; {time.perf_counter() - start:.0f} s")
    say(f"{agreed} of {total} samples agree on {backend}")


if __name__ == "__main__":
    main(*sys.argv[1:])
