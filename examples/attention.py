"""Attention from its formula, softmax(q k^T / sqrt(d)) v, with several heads; compared with `lw.nn`'s own.

Run it on any framework: ``python examples/attention.py --backend torch`` (or numpy, jax, tensorflow, dask).
"""

import argparse

import latticework as lw


def softmax(x):
    """The exponentials along the last axis, divided by their sum."""
    powers = lw.exp(x - lw.max(x, axis=-1, keepdims=True))
    return powers / lw.sum(powers, axis=-1, keepdims=True)


def attention(q, k, v, causal=False):
    """Return the mean of the values for each query, and its weights: the better a key fits, the more of its value.

    The shapes of q, k and v are (..., positions, d). With `causal`, a position sees itself and those before it.
    """
    scores = q @ k.mT / q.shape[-1] ** 0.5
    if causal:
        past = lw.tril(lw.ones(scores.shape[-2:], dtype=lw.bool))
        scores = lw.where(past, scores, -lw.inf)
    weights = softmax(scores)
    return weights @ v, weights


def multi_head(x, params, heads, causal=False):
    """Project x of shape (positions, width), let each head attend, and project what they give together."""
    n, width = x.shape

    def split(y):  # (positions, width) -> (heads, positions, width / heads)
        return lw.permute_dims(lw.reshape(y, (n, heads, width // heads)), (1, 0, 2))

    q, k, v = (split(x @ params[name]) for name in ("q", "k", "v"))
    mixed, weights = attention(q, k, v, causal)
    return lw.reshape(lw.permute_dims(mixed, (1, 0, 2)), (n, width)) @ params["out"], weights


def main(n=8, width=32, heads=4, seed=0):
    """Attend with random weights, and print the weights of a head."""
    names = ["x", "q", "k", "v", "out"]
    keys = dict(zip(names, lw.random.split(lw.random.key(seed), len(names))))
    x = lw.random.normal(keys["x"], (n, width))
    params = {name: lw.random.normal(keys[name], (width, width)) / width**0.5 for name in names[1:]}

    y, weights = multi_head(x, params, heads, causal=True)
    theirs = lw.nn.multi_head_attention(
        x, x, x, heads, params["q"].T, params["k"].T, params["v"].T, params["out"].T, is_causal=True
    )
    difference = lw.max(lw.abs(y - theirs))

    print(f"{n} positions, {heads} heads of width {width // heads}, on {y.backend}")
    print("the weights of the first head, in %:")
    for row in lw.to_numpy(weights[0]):
        print(" ".join(f"{100 * w:4.0f}" if w else "   ." for w in row))
    print(f"largest difference from lw.nn.multi_head_attention: {float(difference):.0e}")
    return {"y": y, "weights": weights, "difference": difference}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", default="numpy", help="numpy, torch, jax, tensorflow or dask")
    lw.set_backend(parser.parse_args().backend)
    main()
