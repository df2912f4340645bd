"""Transcendental functions, in float64, that numba compiles into a loop, for several elements at once.

They have no branch and no table, so that the compiler computes four or eight elements in the place of one. Each is
within 4 units in the last place of the exact result. Zeros, infinities and nan are what NumPy gives. `loop_sin` and
`loop_cos` are right up to 1e6 alone (`loops.FAR`): beyond, a loop leaves its arrays to NumPy.

Numbers are split as 2**k * m by their bits. To add and subtract 1.5 * 2**52 rounds to an integer, whose bits are then
the last ones of the sum. The polynomials have the least greatest error on their intervals, found by Remez' algorithm.

The functions are written into the source of a program, with the imports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numba
import numpy as np

__all__ = [
    "PARTS", "loop_512", "loop_matmul", "loop_order_max", "loop_order_min", "loop_ordered", "loop_plus", "loop_select",
]  # fmt: skip


def tile_columns(context: Any, *matrices: Any) -> int:
    """The columns of a tile of six rows whose sums fit in the registers of the processor.

    It is 0, for no tile, where the matrices are not all float32 or all float64.
    """
    dtype = matrices[0].dtype
    if any(x.dtype != dtype for x in matrices) or not isinstance(dtype, numba.types.Float):
        return 0
    wide = "+avx512f" in context.codegen().magic_tuple()[2]
    return int((2048 if wide else 512) // dtype.bitwidth)


if TYPE_CHECKING:  # as they are called

    def loop_select(condition: Any, a: Any, b: Any) -> Any: ...

    def loop_512() -> None: ...

    def loop_wide(a: Any, b: Any, out: Any) -> int: ...

    def loop_tile(a: Any, b: Any, out: Any, i: int, j: int, rows: int, part: int) -> None: ...

else:

    @numba.extending.intrinsic
    def loop_select(typing: Any, condition: Any, a: Any, b: Any) -> Any:
        """`a` where the condition holds, else `b`. No branch: both are computed, of several elements at once."""

        def write(target: Any, builder: Any, signature: Any, values: Any) -> Any:
            return builder.select(*values)

        return a(condition, a, a), write

    @numba.extending.intrinsic
    def loop_512(typing: Any) -> Any:
        """Let the compiler compute 512 bits at once in the function that calls it, where the processor can.

        By itself it takes 256, as processors of 2017 slowed down for more.
        """

        def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            set.add(builder.function.attributes, '"prefer-vector-width"="512"')  # llvmlite's `add` knows no such one
            return context.get_dummy_value()

        return numba.types.void(), write

    @numba.extending.intrinsic
    def loop_wide(typing: Any, a: Any, b: Any, out: Any) -> Any:
        """The columns of a tile; more than there are where there is none."""

        def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return context.get_constant(numba.types.intp, tile_columns(context, a, b, out) or 2**40)

        return numba.types.intp(a, b, out), write

    @numba.extending.intrinsic(prefer_literal=True)
    def loop_tile(typing: Any, a: Any, b: Any, out: Any, i: Any, j: Any, rows: Any, part: Any) -> Any:
        """Write a tile of a product of matrices: rows from i on, and a part of `loop_wide` columns from j on.

        Rows beyond the last one are the last one. The columns are one vector, and the sums stay in registers: the
        compiler splits a vector into as many as the processor needs.
        """

        def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            from llvmlite import ir
            from numba.core import cgutils

            columns = tile_columns(context, a, b, out) // part.literal_value
            if columns == 0:
                return context.get_dummy_value()
            left, right, result = [
                context.make_array(t)(context, builder, v) for t, v in zip((a, b, out), values[:3], strict=True)
            ]
            first, column = values[3:5]
            number = context.get_value_type(a.dtype)
            vector, size = ir.VectorType(number, columns), context.get_abi_sizeof(number)
            zero, undefined = ir.Constant(vector, [0.0] * columns), ir.Constant(vector, ir.Undefined)
            same = ir.Constant(ir.VectorType(ir.IntType(32), columns), [0] * columns)

            def place(array: Any, i: Any, j: Any, of: Any) -> Any:
                down, along = cgutils.unpack_tuple(builder, array.strides)
                offset = builder.add(builder.mul(i, down), builder.mul(j, along))
                return cgutils.pointer_add(builder, array.data, offset, of.as_pointer())

            count, length = cgutils.unpack_tuple(builder, left.shape)
            last = builder.sub(count, first.type(1))
            places = [builder.add(first, first.type(k)) for k in range(rows.literal_value)]
            places = [builder.select(builder.icmp_signed("<", row, last), row, last) for row in places]
            totals = [cgutils.alloca_once(builder, vector) for _ in places]
            for total in totals:
                builder.store(zero, total)
            with cgutils.for_range(builder, length) as loop:
                y = builder.load(place(right, loop.index, column, vector), align=size)
                for row, total in zip(places, totals, strict=True):
                    x = builder.load(place(left, row, loop.index, number))
                    x = builder.insert_element(undefined, x, ir.IntType(32)(0))
                    product = builder.fmul(builder.shuffle_vector(x, undefined, same), y, flags=["contract"])
                    builder.store(builder.fadd(builder.load(total), product, flags=["contract"]), total)
            for row, total in zip(places, totals, strict=True):
                builder.store(builder.load(total), place(result, row, column, vector), align=size)
            return context.get_dummy_value()

        return numba.types.void(a, b, out, i, j, rows, part), write


@numba.njit(error_model="numpy", forceinline=True, fastmath={"contract"})
def loop_bits(x: Any) -> Any:
    """The bits of a float."""
    return np.float64(x).view(np.uint64)


@numba.njit(error_model="numpy", forceinline=True, fastmath={"contract"})
def loop_float(bits: Any) -> Any:
    """The float of some bits."""
    return np.uint64(bits).view(np.float64)


@numba.njit(error_model="numpy", forceinline=True, fastmath={"contract"})
def loop_power_of_two(shifted: Any) -> Any:
    """2**k as a float, from k + 1.5 * 2**52, for a whole number k from -1022 to 1023."""
    return loop_float((loop_bits(shifted) << np.uint64(52)) + np.uint64(0x3FF0000000000000))


@numba.njit(error_model="numpy", forceinline=True, fastmath={"contract"})
def loop_part(x: Any) -> Any:
    """k + 1.5 * 2**52, k and r with x = k * log(2) + r, where r is at most about log(2) / 2."""
    shifted = x * 1.4426950408889634 + 6755399441055744.0
    k = shifted - 6755399441055744.0
    return shifted, k, (x - k * 0.6931471805592082) - k * 7.371002565167799e-13


@numba.njit(error_model="numpy", forceinline=True, fastmath={"contract"})
def loop_grown(r: Any) -> Any:
    """exp(r) - 1 for small r."""
    z = r * r
    even = 0.04166666666651545 + z * (0.0013888888947006899 + z * (2.4801489951771522e-05 + z * 2.7631276913175693e-07))
    odd = 0.00833333333330715 + z * (0.00019841269917512337 + z * (2.755721617824817e-06 + z * 2.5117901910711103e-08))
    return r + z * ((0.5000000000000012 + z * even) + r * (0.166666666666667 + z * odd))


@numba.njit(error_model="numpy", forceinline=True, fastmath={"contract"})
def loop_exp(x: Any) -> Any:
    x = loop_select(x > 710.0, 710.0, x)
    x = loop_select(x < -746.0, -746.0, x)
    _, k, r = loop_part(x)
    shifted = k * 0.5 + 6755399441055744.0
    rest = k - (shifted - 6755399441055744.0)
    return (1.0 + loop_grown(r)) * loop_power_of_two(shifted) * loop_power_of_two(rest + 6755399441055744.0)


@numba.njit(error_model="numpy", forceinline=True, fastmath={"contract"})
def loop_expm1(x: Any) -> Any:
    y = loop_select(x > 710.0, 710.0, x)
    y = loop_select(y < -40.0, -40.0, y)
    _, k, r = loop_part(y)
    shifted = k * 0.5 + 6755399441055744.0
    rest = k - (shifted - 6755399441055744.0)
    scale, back = loop_power_of_two(shifted), loop_power_of_two(6755399441055744.0 - rest)
    result = (loop_grown(r) * scale + (scale - back)) * loop_power_of_two(6755399441055744.0 + rest)
    return loop_select(x == 0.0, x, result)


@numba.njit(error_model="numpy", forceinline=True, fastmath={"contract"})
def loop_tanh(x: Any) -> Any:
    """With s = 2**k and -2 * abs(x) = k * log(2) + r, exp(r) is (a + r) / (a - r), where a is r / tanh(r / 2)."""
    y = abs(x)
    y = -2.0 * loop_select(y > 22.0, 22.0, y)
    shifted = y * 1.4426950408889634 + 6755399441055744.0
    r = y - (shifted - 6755399441055744.0) * 0.6931471805599453
    s, z = loop_power_of_two(shifted), r * r
    a = -0.0027777777777003563 + z * (6.61375631805186e-05 + z * (-1.6533898465440994e-06 + z * 4.137995524313869e-08))
    a = 2.0 + z * (0.16666666666666602 + z * a)
    less, more = 1.0 - s, 1.0 + s
    t = (a * less - r * more) / (a * more - r * less)
    return loop_float(loop_bits(t) | loop_bits(x) & np.uint64(0x8000000000000000))


@numba.njit(error_model="numpy", forceinline=True, fastmath={"contract"})
def loop_split(x: Any) -> Any:
    """k and m with x = 2**k * m for a positive normal number, where m is from sqrt(1/2) to sqrt(2)."""
    bits = loop_bits(x)
    above = bits - np.uint64(0x3FE6A09E667F3BCD)
    k = loop_float((above >> np.uint64(52)) ^ np.uint64(0x4330000000000800)) - 4503599627372544.0
    return k, loop_float(bits - (above & np.uint64(0xFFF0000000000000)))


@numba.njit(error_model="numpy", forceinline=True, fastmath={"contract"})
def loop_log_near_1(m: Any) -> Any:
    """r and s with log(m) = 2 * s + s * r, where m is about 1."""
    s = (m - 1.0) / (1.0 + m)
    z = s * s
    r = 0.18182893211959592 + z * (0.15331597195236973 + z * 0.14617869685851995)
    r = z * (
        0.666666666666667 + z * (0.39999999999898445 + z * (0.2857142862639866 + z * (0.22222211072930448 + z * r)))
    )
    return r, s


@numba.njit(error_model="numpy", forceinline=True, fastmath={"contract"})
def loop_log(x: Any) -> Any:
    small = x < 2.2250738585072014e-308
    k, m = loop_split(loop_select(small, x * 18014398509481984.0, x))
    r, s = loop_log_near_1(m)
    result = loop_select(small, k - 54.0, k) * 0.6931471805599453 + (s + s + s * r)
    result = loop_select(x < np.inf, result, x)
    return loop_select(x > 0.0, result, loop_select(x == 0.0, -np.inf, np.nan))


@numba.njit(error_model="numpy", forceinline=True, fastmath={"contract"})
def loop_log1p(x: Any) -> Any:
    u = 1.0 + x
    lost = loop_select(x > 1.0, 1.0 - (u - x), x - (u - 1.0))
    k, m = loop_split(u)
    r, s = loop_log_near_1(m)
    result = k * 0.6931471805599453 + (s + s + (s * r + lost / u))
    result = loop_select(x < np.inf, result, x)
    result = loop_select(x > -1.0, result, loop_select(x == -1.0, -np.inf, np.nan))
    return loop_select(x == 0.0, x, result)


@numba.njit(error_model="numpy", forceinline=True, fastmath={"contract"})
def loop_arccosh(x: Any) -> Any:
    t = x - 1.0
    large = x > 1073741824.0
    result = loop_log1p(loop_select(large, t, t + np.sqrt(t * (2.0 + t))))
    result = loop_select(large, result + 0.6931471805599453, result)
    return loop_select(x >= 1.0, result, np.nan)


@numba.njit(error_model="numpy", forceinline=True, fastmath={"contract"})
def loop_turn(x: Any) -> Any:
    """The bits of k and r with x = k * pi / 2 + r, where r is at most about pi / 4."""
    shifted = x * 0.6366197723675814 + 6755399441055744.0
    k = shifted - 6755399441055744.0
    return loop_bits(shifted), ((x - k * 1.5707963267341256) - k * 6.077100506303966e-11) - k * 2.0222662487959506e-21


@numba.njit(error_model="numpy", forceinline=True, fastmath={"contract"})
def loop_sin_near_zero(r: Any) -> Any:
    z = r * r
    s = 2.755731367853247e-06 + z * (-2.5050755942900495e-08 + z * 1.5896665534955863e-10)
    s = -0.16666666666666632 + z * (0.00833333333332237 + z * (-0.0001984126982977072 + z * s))
    return r + r * z * s


@numba.njit(error_model="numpy", forceinline=True, fastmath={"contract"})
def loop_cos_near_zero(r: Any) -> Any:
    z = r * r
    c = -2.755731434066358e-07 + z * (2.087572162434669e-09 + z * -1.1359559366818853e-11)
    c = 0.0416666666666666 + z * (-0.0013888888888874064 + z * (2.4801587289443495e-05 + z * c))
    h = 0.5 * z
    w = 1.0 - h
    return w + (((1.0 - w) - h) + z * z * c)


@numba.njit(error_model="numpy", forceinline=True, fastmath={"contract"})
def loop_sin(x: Any) -> Any:
    k, r = loop_turn(x)
    result = loop_select(k & np.uint64(1) != np.uint64(0), loop_cos_near_zero(r), loop_sin_near_zero(r))
    result = loop_float(loop_bits(result) ^ ((k & np.uint64(2)) << np.uint64(62)))
    return loop_select(x == 0.0, x, result)


@numba.njit(error_model="numpy", forceinline=True, fastmath={"contract"})
def loop_cos(x: Any) -> Any:
    k, r = loop_turn(x)
    result = loop_select(k & np.uint64(1) != np.uint64(0), loop_sin_near_zero(r), loop_cos_near_zero(r))
    return loop_float(loop_bits(result) ^ (((k + np.uint64(1)) & np.uint64(2)) << np.uint64(62)))


@numba.njit(error_model="numpy", forceinline=True, fastmath={"contract"})
def loop_arctan_near_zero(t: Any) -> Any:
    z = t * t
    a = 0.04552815875155866 + z * (-0.03459992690837503 + z * 0.01631620159209504)
    a = -0.0666642882327669 + z * (0.05878970989214655 + z * (-0.052307418599350106 + z * a))
    a = 0.11111111105350181 + z * (-0.09090908762397032 + z * (0.07692296612095004 + z * a))
    return t + t * z * (-0.3333333333333333 + z * (0.19999999999999815 + z * (-0.14285714285662013 + z * a)))


@numba.njit(error_model="numpy", forceinline=True, fastmath={"contract"})
def loop_arctan2(y: Any, x: Any) -> Any:
    sign = np.uint64(0x8000000000000000)
    a, b = abs(y), abs(x)
    steep = a > b
    least, most = loop_select(steep, b, a), loop_select(steep, a, b)
    scale = loop_select(most > 1e300, 0.0625, 1.0)
    least, most = least * scale, most * scale
    middle = least > 0.41421356237309503 * most
    t = loop_select(middle, least - most, least) / loop_select(middle, least + most, most)
    t = loop_select((least == np.inf) | (most == 0.0), 0.0, t)
    t = loop_arctan_near_zero(t)
    t = loop_select(middle | (least == np.inf), 0.7853981633974483 + (t + 3.061616997868383e-17), t)
    t = loop_select(steep, 1.5707963267948966 - (t - 6.123233995736766e-17), t)
    behind = loop_bits(x) & sign != np.uint64(0)
    t = loop_select(behind, 3.141592653589793 - (t - 1.2246467991473532e-16), t)
    t = loop_float(loop_bits(t) | loop_bits(y) & sign)
    return loop_select((x == x) & (y == y), t, np.nan)


@numba.njit(error_model="numpy", forceinline=True, fastmath={"contract"})
def loop_arctan(x: Any) -> Any:
    return loop_arctan2(x, 1.0)


@numba.njit(error_model="numpy", forceinline=True, fastmath={"contract"})
def loop_arcsin_near_zero(x: Any, z: Any) -> Any:
    """arcsin(x) for x from 0 to 1/2, where z is x * x."""
    a = 0.017657439350400414 + z * (-0.015244569582623881 + z * 0.029020768875913146)
    a = 0.011475577928332169 + z * (0.010345722749547913 + z * (0.005361227914559124 + z * a))
    a = 0.022372174078939117 + z * (0.017352366709055468 + z * (0.013971590165841518 + z * a))
    a = 0.0749999999999823 + z * (0.044642857146745485 + z * (0.03038194410922927 + z * a))
    return x + x * z * (0.16666666666666669 + z * a)


@numba.njit(error_model="numpy", forceinline=True, fastmath={"contract"})
def loop_arcsin(x: Any) -> Any:
    sign = np.uint64(0x8000000000000000)
    a = abs(x)
    large = a > 0.5
    z = loop_select(large, 0.5 * (1.0 - a), a * a)
    t = loop_arcsin_near_zero(loop_select(large, np.sqrt(z), a), z)
    t = loop_select(large, 1.5707963267948966 - (2.0 * t - 6.123233995736766e-17), t)
    return loop_float(loop_bits(t) | loop_bits(x) & sign)


@numba.njit(error_model="numpy", forceinline=True, fastmath={"contract"})
def loop_arccos(x: Any) -> Any:
    a = abs(x)
    large = a > 0.5
    z = loop_select(large, 0.5 * (1.0 - a), a * a)
    t = loop_arcsin_near_zero(loop_select(large, np.sqrt(z), a), z)
    t = loop_select(large, 2.0 * t, t)
    near, far = 1.5707963267948966 + (t + 6.123233995736766e-17), 3.141592653589793 - (t - 1.2246467991473532e-16)
    behind = loop_select(large, far, near)
    before = loop_select(large, t, 1.5707963267948966 - (t - 6.123233995736766e-17))
    return loop_select(x > 0.0, before, behind)


@numba.njit(error_model="numpy", forceinline=True, fastmath={"contract", "reassoc"})
def loop_plus(a: Any, b: Any) -> Any:
    """The sum of two numbers. A loop that adds up by it may add several at once, in another order."""
    return a + b


@numba.njit(error_model="numpy")
def loop_matmul(a: Any, b: Any, out: Any) -> None:
    """Write the product of two matrices tile by tile. The rows of the second one and of the result are contiguous.

    The last tile of a row ends with the row: it may write what another one has written. Too few columns for a tile are
    summed one by one.
    """
    rows, columns = out.shape
    wide = loop_wide(a, b, out)
    j, end = 0, columns if columns >= wide // 8 else 0
    while end - j >= wide:
        for i in range(0, rows, 6):
            loop_tile(a, b, out, i, j, 6, 1)
        j += wide
    if end - j >= wide // 2:
        for i in range(0, rows, 8):
            loop_tile(a, b, out, i, j, 8, 2)
        j += wide // 2
    while j < end and end >= wide // 4:
        j = min(j, end - wide // 4)
        for i in range(0, rows, 8):
            loop_tile(a, b, out, i, j, 8, 4)
        j += wide // 4
    while j < end:
        j = min(j, end - wide // 8)
        for i in range(0, rows, 8):
            loop_tile(a, b, out, i, j, 8, 8)
        j += wide // 8
    for i in range(rows):
        for n in range(j, columns):
            out[i, n] = 0
            for k in range(a.shape[1]):
                out[i, n] += a[i, k] * b[k, n]


@numba.njit(error_model="numpy", forceinline=True)
def loop_order(x: Any) -> Any:
    """A number as an integer, so that the order is the same: the compiler finds the most of several at once."""
    bits = np.float64(x).view(np.int64)
    return bits ^ ((bits >> np.int64(63)) & np.int64(0x7FFFFFFFFFFFFFFF))


@numba.njit(error_model="numpy", forceinline=True)
def loop_order_max(x: Any) -> Any:
    """The same, where nan is more than all numbers."""
    return loop_select(x == x, loop_order(x), np.int64(0x7FFFFFFFFFFFFFFF))


@numba.njit(error_model="numpy", forceinline=True)
def loop_order_min(x: Any) -> Any:
    """The same, where nan is less than all numbers."""
    return loop_select(x == x, loop_order(x), np.int64(-0x8000000000000000))


@numba.njit(error_model="numpy", forceinline=True)
def loop_ordered(k: Any) -> Any:
    """The number of an integer that `loop_order` gave."""
    return np.int64(k ^ ((k >> np.int64(63)) & np.int64(0x7FFFFFFFFFFFFFFF))).view(np.float64)


#: The functions by the names of NumPy's.
PARTS: dict[str, Any] = {
    "exp": loop_exp, "expm1": loop_expm1, "log": loop_log, "log1p": loop_log1p, "tanh": loop_tanh, "sin": loop_sin,
    "cos": loop_cos, "arctan": loop_arctan, "arctan2": loop_arctan2, "arcsin": loop_arcsin, "arccos": loop_arccos,
    "arccosh": loop_arccosh,
}  # fmt: skip
