"""Features of a sound and the likeliest path through a chain of states: `tf.signal`, `tf.scan` and `tf.while_loop`."""

import latticework.frontends.tensorflow as tf


def sound(rate, seconds):
    time = tf.range(int(rate * seconds), dtype=tf.float32) / rate
    low, high = tf.sin(2 * 3.1415927 * 440.0 * time), tf.sin(2 * 3.1415927 * 1250.0 * time)
    return tf.where(time < seconds / 2, low, high) * tf.exp(-time)


def log_mel(signal, rate):
    spectrum = tf.abs(tf.signal.stft(signal, frame_length=256, frame_step=128))
    weights = tf.signal.linear_to_mel_weight_matrix(
        num_mel_bins=16, num_spectrogram_bins=spectrum.shape[-1], sample_rate=rate, lower_edge_hertz=80.0
    )
    return tf.math.log(tf.tensordot(spectrum, weights, 1) + 1e-2)


def viterbi(scores, transitions):
    """The best state at each step, from the scores of the steps and of going from one state to another."""

    def step(state, score):
        best, _ = state
        candidates = best[:, None] + transitions
        return tf.reduce_max(candidates, axis=0) + score, tf.argmax(candidates, axis=0, output_type=tf.int32)

    start = (scores[0], tf.zeros((tf.shape(scores)[1],), tf.int32))
    best, pointers = tf.scan(step, scores[1:], initializer=start)
    last = tf.argmax(best[-1], output_type=tf.int32)
    count = tf.shape(pointers)[0]

    def back(i, state, path):
        before = tf.gather(pointers[i], state)
        return i - 1, before, tf.tensor_scatter_nd_update(path, [[i]], [before])

    path = tf.concat([tf.zeros((count,), tf.int32), [last]], axis=0)
    return tf.while_loop(lambda i, state, path: i >= 0, back, (count - 1, last, path))[2]


def main():
    rate = 8000
    features = log_mel(sound(rate, 0.25), rate)
    cepstra = tf.signal.mfccs_from_log_mel_spectrograms(features)[..., :5]
    halves = tf.split(features, [7, -1], axis=0)
    centres = tf.stack([tf.reduce_mean(half, axis=0) for half in halves])
    distances = tf.reduce_sum(tf.math.squared_difference(features[:, None], centres[None]), axis=-1)
    scores = tf.nn.log_softmax(-distances, axis=-1)
    path = viterbi(scores, tf.math.log([[0.9, 0.1], [0.1, 0.9]]))
    loudest = tf.math.top_k(tf.reduce_mean(features, axis=0), k=3)
    states = tf.one_hot(path, 2)
    return {
        "frames": features.shape.as_list(),
        "cepstra": tf.reduce_mean(cepstra, axis=0).numpy().tolist(),
        "loudest": loudest.indices.numpy().tolist(),
        "path": path.numpy().tolist(),
        "share": tf.reduce_mean(states, axis=0).numpy().tolist(),
    }


if __name__ == "__main__":
    print(main())
