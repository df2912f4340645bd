"""A mixture of Gaussians, fitted by expectation and maximisation to points drawn from one."""

import latticework.frontends.numpy as np


def sample(rng, means, n):
    """Points around each mean, shuffled, and the mean that each is of."""
    points = np.concatenate([rng.normal(mean, 0.6, size=(n, len(mean))) for mean in means])
    labels = np.repeat(np.arange(len(means)), n)
    order = rng.permutation(len(points))
    return points[order], labels[order]


def log_density(x, means, covariances):
    """The logarithm of each Gaussian's density (n, k) at each point."""
    logs = np.empty((len(x), len(means)))
    for k, (mean, covariance) in enumerate(zip(means, covariances)):
        lower = np.linalg.cholesky(covariance)
        z = np.linalg.solve(lower, (x - mean).T)
        logs[:, k] = -0.5 * (z**2).sum(axis=0) - np.log(np.diag(lower)).sum()
    return logs - 0.5 * x.shape[1] * np.log(2 * np.pi)


def fit(x, means, steps=12):
    """Weights, means and covariances after some steps, and the mean log-likelihood of each step."""
    k, d = means.shape
    weights, covariances = np.full(k, 1 / k), np.stack([np.eye(d)] * k)
    history = []
    for _ in range(steps):
        joint = log_density(x, means, covariances) + np.log(weights)
        peak = joint.max(axis=1, keepdims=True)
        total = peak + np.log(np.exp(joint - peak).sum(axis=1, keepdims=True))
        history.append(float(total.mean()))
        shares = np.exp(joint - total)
        counts = shares.sum(axis=0)
        weights, means = counts / len(x), shares.T @ x / counts[:, np.newaxis]
        apart = x[:, None, :] - means
        covariances = np.einsum("nk,nki,nkj->kij", shares, apart, apart) / counts[:, None, None]
        covariances += 1e-6 * np.eye(d)
    return weights, means, covariances, history, shares.argmax(axis=1)


def main():
    rng = np.random.default_rng(7)
    centres = np.array([[0, 0], [3, 1], [-2, 3]])
    x, labels = sample(rng, centres, 60)
    start = centres + np.array([[0.5, -0.5], [-0.5, 0.5], [0.3, 0.3]])
    weights, means, covariances, history, found = fit(x, start)
    agree = np.count_nonzero(found == labels) / labels.size
    return {
        "weights": weights.round(3).tolist(),
        "means": means.ravel().tolist(),
        "determinants": np.linalg.det(covariances).tolist(),
        "history": history,
        "agree": float(agree),
        "sizes": np.bincount(found, minlength=3).tolist(),
        "text": f"{means[1, 0]:.2f} {np.round(weights, 2)}",
        "dtypes": [str(a.dtype) for a in (x, labels, weights, found, found == labels)],
    }


if __name__ == "__main__":
    print(main())
