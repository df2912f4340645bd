"""k-means clustering: k-means++ chooses the first centres, and Lloyd's algorithm moves them.

Run it on any framework: ``python examples/kmeans.py --backend torch`` (or numpy, jax, tensorflow, dask).
"""

import argparse

import latticework as lw


def blobs(key, n, k):
    """Draw n points in the plane, around k places."""
    where, which, around = lw.random.split(key, 3)
    places = lw.random.uniform(where, (k, 2), low=-6, high=6)
    return places[lw.random.randint(which, (n,), 0, k)] + lw.random.normal(around, (n, 2))


def first_centres(key, points, k):
    """k-means++: each centre is a point, and the farther from the other centres the likelier."""
    n = points.shape[0]
    first, *keys = lw.random.split(key, k)
    centres = [points[lw.random.randint(first, (), 0, n)]]
    distance = lw.inf
    for key in keys:
        distance = lw.minimum(distance, lw.sum((points - centres[-1]) ** 2, axis=1))
        centres.append(points[lw.random.choice(key, n, p=distance / lw.sum(distance))])
    return lw.stack(centres)


def kmeans(points, centres, iterations):
    """Move each centre to the mean of its points, again and again; also return the inertia of each iteration."""
    k = centres.shape[0]
    inertia = []
    for _ in range(iterations):
        distances = lw.sum((points[:, None] - centres) ** 2, axis=2)
        labels = lw.argmin(distances, axis=1)
        inertia.append(lw.sum(lw.min(distances, axis=1)))
        members = lw.nn.one_hot(labels, k)
        counts = lw.sum(members, axis=0)[:, None]
        centres = lw.where(counts > 0, members.T @ points / counts, centres)  # no points: the centre stays
    return centres, labels, lw.stack(inertia)


def main(n=1000, k=5, iterations=6, seed=3):
    """Cluster n points, and print how it went."""
    data, start = lw.random.split(lw.random.key(seed))
    points = blobs(data, n, k)
    centres, labels, inertia = kmeans(points, first_centres(start, points, k), iterations)
    sizes = lw.bincount(labels, minlength=k)

    print(f"{n} points, {k} clusters, on {points.backend}")
    for step, value in enumerate(lw.to_numpy(inertia)):
        print(f"iteration {step}: inertia {value:9.2f}")
    for (x, y), size in zip(lw.to_numpy(centres), lw.to_numpy(sizes)):
        print(f"{size:4} points around ({x:6.2f}, {y:6.2f})")
    return {"centres": centres, "labels": labels, "inertia": inertia}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", default="numpy", help="numpy, torch, jax, tensorflow or dask")
    lw.set_backend(parser.parse_args().backend)
    main()
