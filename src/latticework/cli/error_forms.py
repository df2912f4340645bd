"""The texts of errors about dtypes, by framework: how each is recognised, and what it is about.

A form has groups: ``a`` and ``b`` are dtypes in the framework's words, ``op`` is the function, ``n`` a Python number.
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["FORMS", "Form"]


class Form(NamedTuple):
    """A form of errors.

    Attributes
    ----------
    framework: whose text it is; the name of its rule set.
    kind: what it is about: ``mixed`` operands, a result that does not go ``into`` an array, a missing ``kernel``,
        a ``wanted`` dtype, a number out of ``range``, a ``fraction``, ``shapes``, ``devices``, a ``traced`` value, or
        ``gradients``.
    pattern: how it is recognised.
    wants: the dtype that is asked for instead, where the text does not say it.
    """

    framework: str
    kind: str
    pattern: re.Pattern[str]
    wants: str = ""


#: A dtype in a framework's words: ``Float``, ``c10::Half``, ``long int``, ``tf.float32``, ``dtype('float64')``.
_D = (
    r"(?:dtype\('|<class 'numpy\.dtypes\.|<dtype: '|'|torch\.|tf\.|c10::)*"
    r"(?:<class ')?{}(?:'>|'\)|')?"
)
_A, _B = (_D.format(rf"(?P<{g}>unsigned char|signed char|long int|short int|[A-Za-z]\w*)") for g in "ab")


def _forms(framework: str, *rows: tuple[str, str] | tuple[str, str, str]) -> tuple[Form, ...]:
    made = []
    for kind, pattern, *wants in rows:
        text = pattern.replace("<A>", _A).replace("<B>", _B)
        made.append(Form(framework, kind, re.compile(text, re.DOTALL), *wants))
    return tuple(made)


_TORCH = _forms(
    "torch",
    ("mixed", r"expected m1 and m2 to have the same dtype, but got: <A> != <B>"),
    ("mixed", r"\w+ and \w+ must have the same dtype, but got <A> and <B>"),
    ("mixed", r"expected scalar type <A> but found <B>"),
    ("mixed", r"self \(<A>\) and source \(<B>\) must have the same scalar type"),
    ("mixed", r"expected both vectors to have same dtype, but found <A> and <B>"),
    ("mixed", r"found A of type <A> and B of type <B>"),
    ("mixed", r"Input type \(<A>\) and (?:bias|weight) type \(<B>\) should be the same"),
    ("mixed", r"query\.dtype: <A> key\.dtype: <B> and value"),
    ("mixed", r"Input dtypes must be the same, got: input <A>, batch1: <B>,"),
    ("mixed", r"expected dtype <A> for `\w+` but got dtype <B>"),
    ("mixed", r"Found dtype <B> but expected <A>"),
    ("mixed", r"Index put requires the source and destination dtypes match, got <A> for the destination and <B>"),
    ("mixed", r"Expected self\.dtype to be equal to src\.dtype"),
    ("mixed", r"mixed dtype \(CPU\): expect parameter to have scalar type of <A>"),
    ("mixed", r"Promotion for uint16, uint32, uint64 types is not supported, attempted to promote <A> and <B>"),
    ("into", r"result type <B> can't be cast to the desired output type <A>(?:$|\W)"),
    ("wanted", r"expected target dtype to be Long or Byte, but got <A>", "int64"),
    ("wanted", r"one of the following scalar types: Long, Int; but got torch\.(?P<a>\w+?)Tensor", "int64"),
    ("wanted", r"tensors used as indices must be long, int, byte or bool", "int64"),
    ("wanted", r"Expected dtype int32/int64 for index", "int64"),
    ("wanted", r"where expected condition to be a boolean tensor, but got a tensor with dtype <A>", "bool"),
    ("wanted", r"masked_fill_ only supports boolean masks, but got mask with dtype <A>", "bool"),
    ("wanted", r"could not infer output dtype\..* Got: <A>", "float32"),
    ("wanted", r"Expected a floating point or complex tensor as input\. Got <A>", "float32"),
    ("wanted", r"input tensor must be either float or double dtype", "float32"),
    ("wanted", r"is only implemented on integer and Boolean-type tensors", "int64"),
    ("gradients", r"Only Tensors of floating point and complex dtype can require gradients"),
    ("kernel", r"\"(?P<op>\w+)\" not implemented for '(?P<a>\w+)'"),
    ("kernel", r"(?:Unsupported dtype|Got unsupported ScalarType) (?P<a>[A-Z]\w+)"),
    ("shapes", r"The size of tensor a \(\d+\) must match the size of tensor b"),
    ("shapes", r"mat1 and mat2 shapes cannot be multiplied"),
    ("shapes", r"shape '\[[^]]*\]' is invalid for input of size"),
    ("shapes", r"Sizes of tensors must match except in dimension"),
    ("shapes", r"stack expects each tensor to be equal size"),
    ("shapes", r"The expanded size of the tensor \(\d+\) must match the existing size"),
    ("shapes", r"Expected size for first two dimensions of batch2 tensor"),
    ("devices", r"Expected all tensors to be on the same device"),
    ("devices", r"Tensor on device \S+ is not on the expected device"),
)
_NUMPY = _forms(
    "numpy",
    ("into", r"Cannot cast ufunc '(?P<op>\w+)' output from <B> to <A> with casting rule"),
    ("wanted", r"Cannot cast ufunc '(?P<op>\w+)' input \d from <A> to dtype\('(?P<wants>\w+)'\) with casting rule"),
    ("into", r"Cannot cast array data from <B> to <A> according to the rule"),
    ("kernel", r"ufunc '(?P<op>\w+)' not supported for the input types"),
    ("kernel", r"No loop matching the specified signature and casting was found for ufunc (?P<op>\w+)"),
    ("kernel", r"array type (?P<a>\w+) is unsupported in linalg"),
    ("kernel", r"ufunc '(?P<op>\w+)' did not contain a loop with signature matching types \(<A>, <B>\)"),
    ("wanted", r"arrays used as indices must be of integer \(or boolean\) type", "int64"),
    ("wanted", r"numpy boolean (?:subtract|negative), the `-` operator, is not supported", "int8"),
    ("range", r"Python integer (?P<n>-?\d+) out of bounds for (?P<a>\w+)"),
    ("shapes", r"operands could not be broadcast together"),
    ("shapes", r"Input operand \d has a mismatch in its core dimension"),
    ("shapes", r"cannot reshape array of size \d+ into shape"),
    ("shapes", r"could not broadcast input array from shape"),
    ("shapes", r"all the input array dimensions except for the concatenation axis must match"),
    ("shapes", r"all input arrays must have the same shape"),
)
_JAX = _forms(
    "jax",
    ("mixed", r"Input dtypes \(\"?<A>\"?, \"?<B>\"?\) have no available .* promotion path when .*=(?P<mode>strict)\b"),
    ("mixed", r"Input dtypes \(\"?<A>\"?, \"?<B>\"?\) have no available implicit dtype promotion path"),
    ("mixed", r"lax\.(?P<op>\w+) requires arguments to have the same dtypes, got (?P<a>\w+), (?P<b>\w+)"),
    ("mixed", r"The output of true_fun has type (?P<a>\w+)\[.*has type (?P<b>\w+)\[.*the dtypes do not match"),
    ("wanted", r"does not accept dtype (?P<a>\w+).* Accepted dtypes.* are subtypes of integer", "int32"),
    ("wanted", r"does not accept dtype (?P<a>\w+).* Accepted dtypes.* are subtypes of floating", "float32"),
    ("wanted", r"select `which` must be boolean or integer type, got (?P<a>\w+)", "bool"),
    ("wanted", r"Indexer must have integer or boolean type, got indexer with type (?P<a>\w+)", "int32"),
    ("wanted", r"ind(?:ex|ices)[^,]* must (?:have an|be of|be) integer[^,]*, got:? (?P<a>\w+)", "int32"),
    ("wanted", r"indices must have an integer type", "int32"),
    ("wanted", r"dtype argument to `\w+` must be a float or complex dtype, got (?P<a>\w+)", "float32"),
    ("gradients", r"grad requires real- or complex-valued inputs.* but got (?P<a>\w+)"),
    ("gradients", r"grad requires real-valued outputs.* but got (?P<a>\w+)"),
    ("kernel", r"'Unsupported dtype (?P<a>\w+)\.'"),
    ("shapes", r"[Ii]ncompatible shapes for broadcasting"),
    ("shapes", r"dot_general requires contracting dimensions to have the same shape"),
    ("shapes", r"cannot reshape array of shape \("),
    ("shapes", r"Cannot concatenate arrays with shapes that differ in dimensions other than"),
    ("shapes", r"All input arrays must have the same shape\. Got"),
    ("traced", r"(?:Attempted boolean conversion of traced array|TracerBoolConversionError|ConcretizationTypeError)"),
    (
        "traced",
        r"(?:__array__\(\)|__index__\(\) method) was called on traced array",
    ),
)
_TENSORFLOW = _forms(
    "tensorflow",
    ("wanted", r"cannot compute (?P<op>\w+) as input #.* expected to be a (?P<wants>bool) tensor but is a (?P<a>\w+) "),
    ("mixed", r"cannot compute (?P<op>\w+) as input #.* expected to be an? (?P<a>\w+) tensor but is an? (?P<b>\w+) "),
    ("mixed", r"Input '\w+' of '(?P<op>\w+)' Op has type (?P<b>\w+) that does not match type (?P<a>\w+) of argument"),
    ("mixed", r"must have the same dtype, got <A> != <B>"),
    ("mixed", r"`real` and `imag` components have incorrect types: <A> <B>"),
    ("into", r"Tensor conversion requested dtype <A> for Tensor with dtype <B>"),
    ("fraction", r"Cannot convert (?P<n>\S+) to EagerTensor of dtype (?P<a>\w+)"),
    (
        "wanted",
        r"Value for attr '\w+' of (?P<a>\w+) is not in the list of allowed values: (?:\w+, )*(?P<wants>int64|float)\b",
    ),
    ("wanted", r"Value for attr '\w+' of (?P<a>\w+) is not in the list of allowed values: (?P<wants>\w+)"),
    ("kernel", r"Could not find device for node: .*= (?P<op>\w+)\[T=DT_(?P<a>\w+)"),
    ("wanted", r"Only integers, slices .* are valid indices, got <tf\.Tensor:.*dtype=(?P<a>\w+)", "int64"),
    ("shapes", r"Incompatible shapes: \["),
    ("shapes", r"Matrix size-incompatible"),
    ("shapes", r"required broadcastable shapes"),
    ("shapes", r"must be broadcastable \[Op:"),
    ("shapes", r"Input to reshape is a tensor with \d+ values, but the requested shape"),
    ("shapes", r"ConcatOp : Dimension \d+ in both shapes must be equal"),
    ("shapes", r"Shapes of all inputs must match"),
    ("traced", r"Using a symbolic `tf\.Tensor` as a Python `bool`"),
)
_OURS = _forms(
    "unified",
    ("mixed", r"(?P<a>\w+) and (?P<b>\w+) have no common dtype under the (?P<rules>[\w-]+) rules"),
    (
        "mixed",
        r"(?P<a>\w+) and a Python (?P<b>int|float|complex) have no common dtype under the (?P<rules>[\w-]+) rules",
    ),
    ("range", r"Python int (?P<n>-?\d+) does not fit (?P<a>\w+)"),
    ("into", r"change the array's dtype from (?P<a>\w+) to (?P<b>\w+), which does not go into"),
    ("into", r"(?:a Python )?(?P<b>\w+) does not go into an array of (?P<a>\w+)"),
    ("wanted", r"takes integral or bool dtypes \(.*; got (?P<a>\w+)", "int32"),
    ("wanted", r"takes (?:floating|float)\S* .*dtypes.*; got (?P<a>\w+)", "float32"),
    ("kernel", r"(?P<op>[\w.]+): there is no routine for (?P<a>\w+)"),
    ("shapes", r"shapes \(.*\) and \(.*\) do not fit together"),
)

#: All forms, latticework's own before the frameworks'.
FORMS: tuple[Form, ...] = (*_OURS, *_TORCH, *_NUMPY, *_JAX, *_TENSORFLOW)
