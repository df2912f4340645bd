"""A Gaussian process, as GPflow writes one: a kernel, a Cholesky factor, a likelihood and a posterior."""

import latticework.frontends.tensorflow as tf


def squared_distance(x, x2):
    norms = tf.reduce_sum(tf.square(x), axis=-1)
    norms2 = tf.reduce_sum(tf.square(x2), axis=-1)
    return norms[:, None] + norms2[None, :] - 2 * tf.matmul(x, x2, transpose_b=True)


class SquaredExponential:
    def __init__(self, variance=1.0, lengthscale=1.0):
        self.variance = tf.Variable(variance, dtype=tf.float64)
        self.lengthscale = tf.Variable(lengthscale, dtype=tf.float64)

    def __call__(self, x, x2=None):
        x2 = x if x2 is None else x2
        return self.variance * tf.exp(-0.5 * squared_distance(x / self.lengthscale, x2 / self.lengthscale))


def log_marginal_likelihood(kernel, x, y, noise):
    k = kernel(x)
    k = tf.linalg.set_diag(k, tf.linalg.diag_part(k) + noise)
    factor = tf.linalg.cholesky(k)
    alpha = tf.linalg.triangular_solve(factor, y, lower=True)
    count = tf.cast(tf.shape(y)[0], y.dtype)
    log_two_pi = tf.math.log(tf.constant(6.283185307179586, dtype=y.dtype))
    fit = -0.5 * tf.reduce_sum(tf.square(alpha))
    return fit - tf.reduce_sum(tf.math.log(tf.linalg.diag_part(factor))) - 0.5 * count * log_two_pi


def posterior(kernel, x, y, new, noise):
    factor = tf.linalg.cholesky(kernel(x) + noise * tf.eye(tf.shape(x)[0], dtype=x.dtype))
    cross = tf.linalg.triangular_solve(factor, kernel(x, new), lower=True)
    mean = tf.matmul(cross, tf.linalg.triangular_solve(factor, y, lower=True), transpose_a=True)
    variance = tf.linalg.diag_part(kernel(new)) - tf.reduce_sum(tf.square(cross), axis=-2)
    return tf.squeeze(mean, axis=-1), variance


def main():
    x = tf.reshape(tf.linspace(tf.constant(0.0, tf.float64), 6.0, 15), (-1, 1))
    y = tf.sin(x) + 0.1 * tf.cos(7.0 * x)
    kernel = SquaredExponential(variance=1.5, lengthscale=0.5)
    new = tf.constant([[0.3], [2.2], [5.1], [9.0]], dtype=tf.float64)
    scores = {}
    for lengthscale in (0.5, 1.0, 2.0):
        kernel.lengthscale.assign(lengthscale)
        scores[lengthscale] = float(log_marginal_likelihood(kernel, x, y, 0.01))
    best = max(scores, key=scores.get)
    kernel.lengthscale.assign(best)
    mean, variance = posterior(kernel, x, y, new, 0.01)
    return {"best": best, "score": scores[best], "mean": mean.numpy().tolist(), "variance": variance.numpy().tolist()}


if __name__ == "__main__":
    print(main())
