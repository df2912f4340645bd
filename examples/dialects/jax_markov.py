"""A hidden Markov model: its chain by `lax.scan`, the likelihood, the best path, and how often each state comes."""

import latticework.frontends.jax as jax
import latticework.frontends.jax.numpy as jnp
from latticework.frontends.jax import lax, random
from latticework.frontends.jax.scipy.special import logsumexp

STATES, SYMBOLS = 3, 4


def model(key):
    """The logarithms of the first, the next and the emitted."""
    first, move, emit = random.split(key, 3)
    return (
        jax.nn.log_softmax(random.normal(first, (STATES,))),
        jax.nn.log_softmax(2.0 * random.normal(move, (STATES, STATES))),
        jax.nn.log_softmax(2.0 * random.normal(emit, (STATES, SYMBOLS))),
    )


def simulate(key, start, move, emit, length):
    """A chain of states and what each emits."""

    def step(state, key):
        to, of = random.split(key)
        state = random.categorical(to, move[state])
        return state, (state, random.categorical(of, emit[state]))

    first, rest = random.split(key)
    state = random.categorical(first, start)
    _, (states, symbols) = lax.scan(step, state, random.split(rest, length))
    return states, symbols


def likelihood(start, move, emit, symbols):
    """The logarithm of the probability of what was emitted."""

    def step(alpha, symbol):
        return logsumexp(alpha[:, None] + move, axis=0) + emit[:, symbol], alpha.max()

    alpha, peaks = lax.scan(step, start + emit[:, symbols[0]], symbols[1:])
    return logsumexp(alpha), peaks


def best(start, move, emit, symbols):
    """The most probable path (Viterbi)."""

    def forward(score, symbol):
        options = score[:, None] + move
        return options.max(axis=0) + emit[:, symbol], options.argmax(axis=0)

    def back(state, choices):
        before = choices[state]
        return before, before

    score, choices = lax.scan(forward, start + emit[:, symbols[0]], symbols[1:])
    last = jnp.argmax(score)
    _, path = lax.scan(back, last, choices, reverse=True)
    return jnp.append(path, last)


def stationary(move):
    """How often each state comes in the long run, by repeated steps until nothing changes."""
    matrix = jnp.exp(move)

    def changes(carry):
        p, before, steps = carry
        return (jnp.abs(p - before).max() > 1e-6) & (steps < 500)

    def step(carry):
        p, _, steps = carry
        return p @ matrix, p, steps + 1

    p, _, _ = lax.while_loop(changes, step, (jnp.full(STATES, 1 / STATES), jnp.zeros(STATES), 0))
    return p


def main():
    """The likelihood, the path and the states' shares."""
    key, draws = random.split(random.key(1))
    start, move, emit = model(key)
    states, symbols = simulate(draws, start, move, emit, 40)
    value, peaks = likelihood(start, move, emit, symbols)
    path = best(start, move, emit, symbols)
    counts = jax.ops.segment_sum(jnp.ones_like(states), states, num_segments=STATES)
    table = jnp.zeros((STATES, SYMBOLS), dtype=jnp.int32).at[states, symbols].add(1)
    return {
        "symbols": symbols.tolist(),
        "likelihood": float(value),
        "peaks": [float(x) for x in peaks[::13]],
        "hits": int((path == states).sum()),
        "counts": counts.tolist(),
        "table": table.tolist(),
        "shares": [float(x) for x in stationary(move)],
    }


if __name__ == "__main__":
    print(main())
