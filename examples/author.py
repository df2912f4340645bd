"""A library that gives back the kind of array that it is given, in the two forms that there are: functions over
latticework's arrays behind `lw.native`, and functions over a namespace from `lw.array_namespace`.

Run it on any framework: ``python examples/author.py --backend torch`` (or numpy, jax, tensorflow, dask).
"""

import argparse

import latticework as lw

# --- arrays with operators, indexing and methods: latticework's, inside of the library only ---------------------------


@lw.native
def robust_scale(x, *, axis=0):
    """The data less their median, over their median absolute deviation."""
    centred = x - lw.median(x, axis=axis, keepdims=True)
    return centred / lw.median(lw.abs(centred), axis=axis, keepdims=True)


@lw.native
def kernel_smoother(x, y, at, *, width=1.0):
    """The weighted mean of y near each point, with its weights; x, y and the points are in any precision."""
    weights = lw.exp(-(((at[:, None] - x) / width) ** 2) / 2)
    weights /= lw.sum(weights, axis=1, keepdims=True)
    return {"mean": weights @ y, "weights": weights}


@lw.native
def bisect(f, low, high, *, steps=40):
    """Roots of a function of the user's, which gets arrays of the user's: one root between each low and high."""
    sign = lw.sign(f(low))
    for _ in range(steps):
        middle = (low + high) / 2
        left = lw.sign(f(middle)) == sign
        low, high = lw.where(left, middle, low), lw.where(left, high, middle)
    return (low + high) / 2


# --- the same over a namespace: no wrapper at all. Operators between two arrays would be the framework's --------------


def robust_scale_xp(x, *, axis=0):
    xp = lw.array_namespace(x)
    centred = xp.subtract(x, xp.median(x, axis=axis, keepdims=True))
    return xp.divide(centred, xp.median(xp.abs(centred), axis=axis, keepdims=True))


def kernel_smoother_xp(x, y, at, *, width=1.0):
    xp = lw.array_namespace(x, y, at)
    distances = xp.divide(xp.subtract(xp.expand_dims(at, axis=1), x), width)
    weights = xp.exp(xp.multiply(xp.square(distances), -0.5))
    weights = xp.divide(weights, xp.sum(weights, axis=1, keepdims=True))
    return {"mean": xp.matmul(weights, y), "weights": weights}


def bisect_xp(f, low, high, *, steps=40):
    xp = lw.array_namespace(low, high)
    sign = xp.sign(f(low))
    for _ in range(steps):
        middle = xp.divide(xp.add(low, high), 2)
        left = xp.equal(xp.sign(f(middle)), sign)
        low, high = xp.where(left, middle, low), xp.where(left, high, middle)
    return xp.divide(xp.add(low, high), 2)


def main(n=100):
    """Call both forms with a framework's own arrays, and compare."""
    drawn = lw.random.normal(lw.random.key(0), (n, 3))
    data = drawn.data  # from here on, as a user of the framework has it
    xp = lw.array_namespace(data)
    x = xp.linspace(0.0, 6.0, n, dtype=xp.float32)
    noise = xp.astype(xp.round(xp.multiply(data[:, 0], 4)), xp.int8)  # small integers, as sensors give them
    y = xp.add(xp.sin(x), xp.divide(noise, 40))
    at = xp.linspace(1.0, 5.0, 9)

    forms = []
    for scale, smooth, root in (
        (robust_scale, kernel_smoother, bisect),
        (robust_scale_xp, kernel_smoother_xp, bisect_xp),
    ):
        roots = root(lambda z: z * z - 2, xp.zeros(3), xp.asarray([2.0, 3.0, 4.0]))
        forms.append([scale(data), smooth(x, y, at, width=0.3)["mean"], roots])
    assert all(type(result) is type(data) for form in forms for result in form)

    scaled, mean, roots = map(lw.asarray, forms[0])
    both = zip(forms[0], forms[1])
    difference = lw.max(lw.stack([lw.max(lw.abs(lw.asarray(a) - lw.asarray(b))) for a, b in both]))
    print(f"both forms, on {scaled.backend}, of {type(data).__module__}.{type(data).__name__}")
    print(f"sin x, smoothed {lw.to_numpy(mean).round(2)}")
    print(f"square roots of 2 {lw.to_numpy(roots).round(5)}, forms differ by {float(difference):.0e}")
    return {"scaled": scaled, "mean": mean, "roots": roots, "difference": difference}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", default="numpy", help="numpy, torch, jax, tensorflow or dask")
    lw.set_backend(parser.parse_args().backend)
    main()
