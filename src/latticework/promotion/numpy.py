"""NumPy 2 (NEP 50): safe casts, Python scalars weak by kind, and a fold that begins at the highest kind.

Each pair of NumPy's own dtypes goes to the least dtype that both cast to safely; three pairs have an integer and a
float as least upper bounds, and take the integer. It is no lattice: int8 and uint16 are int32, and with float32
float64, but all three together are float32.

bfloat16 and the other dtypes of ml_dtypes are extensions that stand outside NEP 50. An extension and another dtype
have a common dtype only where one casts to the other; where both cast, it is the one that was registered first. A
Python int meets them as uint8, int8 or int64, whichever works first, a float as float16 or float64, a complex as
complex64: an array of bfloat16 and 1.5 have float64 as their `result_type`.

Python ints of any size are weak here; the operations of NumPy refuse those that do not fit.

Source: NEP 50, https://numpy.org/neps/nep-0050-scalar-promotion.html;
https://numpy.org/doc/stable/reference/arrays.promotion.html; numpy/_core/src/multiarray/common_dtype.c.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..core.dtypes import KIND_ORDER, Dtype, bool_, complex_of
from .rules import KIND_OF, WEAK, Default, Node, Result, Rules, node_of

#: NumPy's own dtypes.
CORE = """
    bool       -> uint8 int8
    uint8      -> uint16 int16 float16
    uint16     -> uint32 int32 float32
    uint32     -> uint64 int64
    uint64     -> float64
    int8       -> int16 float16
    int16      -> int32 float32
    int32      -> int64
    int64      -> float64
    float16    -> float32
    float32    -> float64 complex64
    float64    -> longdouble complex128
    longdouble -> clongdouble
    complex64  -> complex128
    complex128 -> clongdouble
"""

#: `CORE` and the extensions, with uint1 and int1 between bool and the 8-bit integers.
DIAGRAM = (
    CORE.replace("bool       -> uint8 int8", "bool -> uint1 int1")
    + """
    uint1              -> uint2
    uint2              -> uint4
    uint4              -> uint8 int8
    int1               -> int2
    int2               -> int4
    int4               -> int8
    uint8              -> bfloat16 float8_e5m2 float8_e8m0fnu float4_e2m1fn
    int8               -> bfloat16 float8_e5m2 float8_e8m0fnu float4_e2m1fn
    float4_e2m1fn      -> float6_e3m2fn
    float6_e3m2fn      -> float6_e2m3fn
    float6_e2m3fn      -> float8_e5m2fnuz
    float8_e5m2fnuz    -> float8_e4m3fnuz
    float8_e4m3fnuz    -> float8_e4m3fn
    float8_e4m3fn      -> float8_e4m3b11fnuz
    float8_e4m3b11fnuz -> float8_e4m3
    float8_e4m3        -> float8_e3m4
    float8_e3m4        -> float32
    float8_e5m2        -> float32
    float8_e8m0fnu     -> float32
    bfloat16           -> float32
"""
)

#: Three pairs have an integer and a float above them; and safe casts are not transitive everywhere.
EXCEPTIONS = """
    int8 uint8 -> int16
    int8 uint16 -> int32
    int16 uint16 -> int32
    int4,uint4 float6_e2m3fn -> refused
    int1,int2,int4,uint1,uint2,uint4 bfloat16,float8_e5m2,float8_e8m0fnu -> refused
"""

#: The dtypes of ml_dtypes, in the order in which they are registered. They join only where one casts to the other;
#: only float8_e5m2 has a kind for which NumPy searches further.
EXTENSIONS = tuple(
    map(
        Dtype,
        """bfloat16 float8_e3m4 float8_e4m3 float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz
        float6_e2m3fn float6_e3m2fn float4_e2m1fn float8_e8m0fnu int1 uint1 int2 uint2 int4 uint4""".split(),
    )
)

#: The dtypes that stand for a Python scalar beside an extension, in the order in which they are tried.
STAND_INS = {
    kind: tuple(map(Dtype, names.split()))
    for kind, names in {"i": "uint8 int8 int64", "f": "float16 float64", "c": "complex64 complex128"}.items()
}


_BUILTIN = tuple(
    map(
        Dtype,
        """bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float32 float64 longdouble complex64 complex128
        clongdouble float16""".split(),
    )
)

#: The order of NumPy's type numbers. Of two dtypes, the later one is asked for their common dtype.
NUMBERS = {dtype: number for number, dtype in enumerate((*_BUILTIN, *EXTENSIONS))}
_EXTENSIONS = frozenset(EXTENSIONS)
_LONG, _COMPLEX_LONG, _FLOAT8_E5M2 = map(Dtype, ("longdouble", "clongdouble", "float8_e5m2"))


class NumPy(Rules):
    """NumPy's rules for extensions and for more than two operands."""

    families: ClassVar[str] = "numpy"

    def _pair(self, a: Node, b: Node) -> tuple[Node, str] | None:
        found = super()._pair(a, b)
        if found is None or found[0] is a or found[0] is b:
            return found
        extensions = [n for n in (a, b) if n in _EXTENSIONS]
        return found if not extensions or (len(extensions) == 1 and extensions[0] is _FLOAT8_E5M2) else None

    def _resolve(self, operands: tuple[Any, ...], default: Default) -> Result:
        """Join the dtype that knows the most with each of the others, then join the results from the left.

        It is found two by two from the ends. Dtypes as such come before arrays and Python scalars."""
        in_order = sorted(operands, key=lambda x: type(x) is not Dtype)
        nodes: list[Node] = [bool_ if n is WEAK["b"] else n for n in map(node_of, in_order)]
        if (
            len(nodes) == 1
            and nodes[0] is WEAK["i"]
            and isinstance(operands[0], int)
            and not -(2**63) <= operands[0] < 2**63
        ):
            if 0 < operands[0] < 2**64:  # an int's value counts only where the int is alone
                return Result(Dtype("uint64"), False, "value")
            raise self.refused(operands, "NumPy makes an object of it")
        main, *others = self._knowing(nodes)
        results = [main] if not others else []
        for other in others:
            met = self._ask(main, other)
            if met is None:
                raise self.refused(operands, self._why(main, other))
            results.append(met)
        node = results[0]
        for other in results[1:]:
            common = node if node is other else self._ask(node, other) or self._ask(other, node)
            if common is None:
                raise self.refused(operands, self._why(node, other))
            node = common
        if type(node) is not Dtype:
            return Result(self._settle(node, default), False, "default")
        return Result(node, False, self._rule(nodes, node))

    def _rule(self, nodes: list[Node], node: Node) -> str:
        strong = [*dict.fromkeys(n for n in nodes if type(n) is Dtype)]
        if len(strong) == 1:
            return ("weak" if len(nodes) > 1 else "same") if node is strong[0] else "default"
        found = self._found(*strong) if len(strong) == 2 else None
        return found[1] if found else "lattice"

    def _knowing(self, nodes: list[Node]) -> list[Node]:
        """Drop the nodes that cannot influence the result; put first the one that is asked about the others."""
        asked, left = [*nodes], len(nodes)
        dropped: set[int] = set()
        while left > 1:
            for low in range(left // 2):
                high = left - 1 - low
                answer = asked[low] if asked[low] is asked[high] else self._ask(asked[low], asked[high])
                if answer is None:
                    asked[low], asked[high] = asked[high], asked[low]
                elif answer is asked[low]:
                    dropped.add(high)
            left -= left // 2
        return [n for i, n in enumerate(asked) if i not in dropped]

    def _ask(self, a: Node, b: Node) -> Node | None:
        """Ask `a` for its common dtype with `b`; None where `a` does not know it, but `b` may."""
        if type(a) is not Dtype:
            return self._ask_scalar(str(a), b)
        if type(b) is not Dtype:
            kind, top = a.kind, KIND_OF[str(b)]
            if a in _EXTENSIONS or kind == "b":
                return None
            if top == "c" and kind == "f":
                return _COMPLEX_LONG if a is _LONG else complex_of(a)
            return a if KIND_ORDER[kind] >= KIND_ORDER[top] else None
        if NUMBERS[b] > NUMBERS[a]:
            return None
        found = self._found(a, b)
        return found[0] if found else None

    def _ask_scalar(self, a: str, b: Node) -> Node | None:
        """Like `_ask`, for a Python scalar beside another, beside an extension, or beside bools and integers."""
        kind = KIND_OF[a]
        if type(b) is not Dtype:
            return a if KIND_ORDER[KIND_OF[str(b)]] <= KIND_ORDER[kind] else None
        if b in _EXTENSIONS:
            return next((met for met in (self._ask(b, stand_in) for stand_in in STAND_INS[kind]) if met), None)
        return self.defaults[kind] if KIND_ORDER[b.kind] < min(KIND_ORDER[kind], KIND_ORDER["f"]) else None


def make(name: str, kind: type[NumPy] = NumPy, *, source: str, version: str) -> NumPy:
    """Make NumPy's rules under a name."""
    return kind(
        name,
        DIAGRAM,
        exceptions=EXCEPTIONS,
        defaults={"i": "int64", "u": "uint64", "f": "float64", "c": "complex128"},
        weak="kind",
        fold="kind",
        reason="neither casts to the other safely",
        source=source,
        version=version,
    )


rules = make(
    "numpy",
    source="https://numpy.org/neps/nep-0050-scalar-promotion.html",
    version="numpy 2.4.6, ml_dtypes 0.6.0",
)
