"""A transformer's layers by `lax.scan`: causal attention with heads mapped by `vmap`, and the loss of a text."""

import latticework.frontends.jax as jax
import latticework.frontends.jax.numpy as jnp

WIDTH, HEADS, LAYERS, VOCABULARY = 16, 2, 3, 11


def init(key):
    """Parameters, with a first axis for the layers."""
    names = {"q": (WIDTH, WIDTH), "k": (WIDTH, WIDTH), "v": (WIDTH, WIDTH), "up": (WIDTH, 32), "down": (32, WIDTH)}
    keys = jax.random.split(key, len(names) + 1)
    draw = jax.nn.initializers.lecun_normal()
    layers = {
        name: jax.vmap(lambda k, shape=shape: draw(k, shape))(jax.random.split(key, LAYERS))
        for key, (name, shape) in zip(keys, names.items())
    }
    return {"embedding": jax.random.normal(keys[-1], (VOCABULARY, WIDTH)) * 0.3, "layers": layers}


def attend(q, k, v):
    """One head: positions look at those before them."""
    n = q.shape[0]
    scores = q @ k.T / jnp.sqrt(q.shape[-1])
    scores = jnp.where(jnp.tril(jnp.ones((n, n), dtype=bool)), scores, -jnp.inf)
    return jax.nn.softmax(scores, axis=-1) @ v


def layer(x, params):
    """Attention and a perceptron, each beside what goes past it."""
    y = jax.nn.standardize(x, axis=-1)
    q, k, v = (jnp.reshape(y @ params[name], (-1, HEADS, WIDTH // HEADS)) for name in "qkv")
    heads = jax.vmap(attend, in_axes=1, out_axes=1)(q, k, v)
    x = x + heads.reshape(x.shape)
    x = x + jax.nn.gelu(jax.nn.standardize(x) @ params["up"]) @ params["down"]
    return x, jnp.linalg.norm(x)


def logits(params, tokens):
    """The scores of each next token, and the size of what each layer gives."""
    x = params["embedding"][tokens]
    x, sizes = jax.lax.scan(layer, x, params["layers"])
    return x @ params["embedding"].T, sizes


def loss(params, tokens):
    """The mean negative log-likelihood of the tokens after the first."""
    scores, _ = logits(params, tokens[:-1])
    chosen = jax.nn.one_hot(tokens[1:], VOCABULARY)
    return -jnp.mean(jnp.sum(jax.nn.log_softmax(scores) * chosen, axis=-1))


def main():
    """The loss of a text, the sizes of the layers' results, and a text that is drawn."""
    key, draws = jax.random.split(jax.random.key(0))
    params = init(key)
    tokens = jnp.array([1, 5, 2, 8, 3, 3, 9, 0])
    _, sizes = jax.jit(logits)(params, tokens)
    drawn = tokens[:2]
    for step in range(5):
        scores, _ = logits(params, drawn)
        token = jax.random.categorical(jax.random.fold_in(draws, step), scores[-1] * 3)
        drawn = jnp.append(drawn, token)
    return {
        "loss": float(loss(params, tokens)),
        "sizes": [float(s) for s in sizes],
        "drawn": [int(t) for t in drawn],
        "dtypes": [str(drawn.dtype), str(sizes.dtype)],
    }


if __name__ == "__main__":
    print(main())
