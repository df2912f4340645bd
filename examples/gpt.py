"""A GPT: the forward pass of a transformer on the characters of a text, and the generation of more of it.

Run it on any framework: ``python examples/gpt.py --backend torch`` (or numpy, jax, tensorflow, dask). The model is not
trained: its weights are random, so its loss is that of guessing, and it writes gibberish, the same on every framework.
"""

import argparse

import latticework as lw

TEXT = "the cat sat on the mat. "


def new_params(key, vocabulary, context, width, layers):
    """Random weights: a dict of arrays for each layer, and those around the layers."""
    keys = iter(lw.random.split(key, 2 + 4 * layers))

    def normal(*shape):
        return 0.02 * lw.random.normal(next(keys), shape)

    def norm():
        return {"weight": lw.ones(width), "bias": lw.zeros(width)}

    def layer():
        return {
            "norm1": norm(),
            "qkv": normal(width, 3 * width),
            "out": normal(width, width),
            "norm2": norm(),
            "up": normal(width, 4 * width),
            "down": normal(4 * width, width),
        }

    blocks = [layer() for _ in range(layers)]
    return {"token": normal(vocabulary, width), "position": normal(context, width), "layers": blocks, "norm": norm()}


def attend(x, layer, heads):
    """Causal attention with several heads."""
    n, width = x.shape
    qkv = lw.reshape(x @ layer["qkv"], (n, 3, heads, width // heads))
    q, k, v = lw.unstack(lw.permute_dims(qkv, (1, 2, 0, 3)))  # (heads, positions, width / heads) each
    mixed = lw.nn.scaled_dot_product_attention(q, k, v, is_causal=True)
    return lw.reshape(lw.permute_dims(mixed, (1, 0, 2)), (n, width)) @ layer["out"]


def gpt(params, tokens, heads):
    """The scores of each token as the next one, at each position."""
    width = params["token"].shape[1]
    x = lw.nn.embedding(tokens, params["token"]) + params["position"][: tokens.shape[0]]
    for layer in params["layers"]:
        x = x + attend(lw.nn.layer_norm(x, width, **layer["norm1"]), layer, heads)
        x = x + lw.nn.gelu(lw.nn.layer_norm(x, width, **layer["norm2"]) @ layer["up"]) @ layer["down"]
    return lw.nn.layer_norm(x, width, **params["norm"]) @ params["token"].T


def generate(params, key, tokens, count, heads, temperature):
    """Draw tokens one after the other, each from the scores after those before it."""
    context = tokens.shape[0]
    model = lw.jit(gpt, static_argnums=2)
    for subkey in lw.random.split(key, count):
        logits = model(params, tokens[-context:], heads)[-1]
        token = lw.random.categorical(subkey, logits / temperature)
        tokens = lw.concat([tokens, lw.astype(token[None], tokens.dtype)])
    return tokens[context:]


def main(context=24, width=48, heads=3, layers=2, count=24, temperature=0.5, seed=0):
    """Give a text to the model, and print the loss and what it writes."""
    letters = sorted(set(TEXT))
    encoded = [letters.index(c) for c in TEXT * 2]
    text = lw.asarray(encoded[: context + 1])
    weights, draws = lw.random.split(lw.random.key(seed))
    params = new_params(weights, len(letters), context, width, layers)

    logits = gpt(params, text[:-1], heads)
    loss = lw.nn.cross_entropy(logits, text[1:])
    written = generate(params, draws, text[:-1], count, heads, temperature)

    size = sum(lw.size(p) for p in lw.tree.leaves(params))
    print(f"{size} parameters, on {logits.backend}")
    print(f"loss {float(loss):.4f}; of guessing: {float(lw.log(len(letters))):.4f}")
    print(f"read:  {TEXT!r}")
    print(f"wrote: {''.join(letters[i] for i in lw.to_numpy(written))!r}")
    return {"logits": logits, "loss": loss, "written": written}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", default="numpy", help="numpy, torch, jax, tensorflow or dask")
    lw.set_backend(parser.parse_args().backend)
    main()
