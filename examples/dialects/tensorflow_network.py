"""A network trained by hand: variables, a gradient tape, clipped gradients and Adam, as Keras's layers do inside."""

import latticework.frontends.tensorflow as tf


class Dense:
    def __init__(self, weights, activation):
        self.kernel = tf.Variable(weights, name="kernel")
        self.bias = tf.Variable(tf.zeros((tf.shape(weights)[1],)), name="bias")
        self.activation = activation

    def __call__(self, x):
        return self.activation(tf.nn.bias_add(tf.matmul(x, self.kernel), self.bias))

    @property
    def trainable_variables(self):
        return [self.kernel, self.bias]


class Adam:
    def __init__(self, rate=0.05, beta1=0.9, beta2=0.999):
        self.rate, self.beta1, self.beta2 = rate, beta1, beta2
        self.moments, self.step = {}, 0

    def apply_gradients(self, pairs):
        self.step += 1
        for gradient, variable in pairs:
            key = variable.ref()
            if key not in self.moments:
                self.moments[key] = (tf.Variable(tf.zeros_like(gradient)), tf.Variable(tf.zeros_like(gradient)))
            first, second = self.moments[key]
            first.assign(self.beta1 * first + (1 - self.beta1) * gradient)
            second.assign(self.beta2 * second + (1 - self.beta2) * tf.square(gradient))
            mean = first / (1 - self.beta1**self.step)
            size = tf.sqrt(second / (1 - self.beta2**self.step)) + 1e-7
            variable.assign_sub(self.rate * mean / size)


def start(rows, columns):
    """Weights that are the same wherever the program runs."""
    return tf.reshape(tf.sin(tf.range(rows * columns, dtype=tf.float32) * 1.7), (rows, columns)) * 0.5


def main():
    angles = tf.linspace(0.0, 6.0, 32)
    inner = tf.stack([tf.cos(angles), tf.sin(angles)], axis=1)
    x = tf.concat([inner, 2.0 * inner], axis=0)
    labels = tf.repeat([0, 1], 32)
    layers = [Dense(start(2, 8), tf.nn.tanh), Dense(start(8, 2), tf.identity)]
    variables = [v for layer in layers for v in layer.trainable_variables]
    optimizer = Adam()
    losses = []
    for _ in range(30):
        with tf.GradientTape() as tape:
            logits = x
            for layer in layers:
                logits = layer(logits)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
        gradients, norm = tf.clip_by_global_norm(tape.gradient(loss, variables), 5.0)
        optimizer.apply_gradients(zip(gradients, variables))
        losses.append(float(loss))
    right = tf.equal(tf.argmax(logits, axis=1, output_type=tf.int32), labels)
    return {
        "first": losses[0],
        "last": losses[-1],
        "norm": float(norm),
        "right": float(tf.reduce_mean(tf.cast(right, tf.float32))),
    }


if __name__ == "__main__":
    print(main())
