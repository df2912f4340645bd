"""Heat on a plate with sources, and the game of life: programs that write into slices of arrays."""

import latticework.frontends.numpy as np


def heat(steps=40, n=16):
    """The temperatures of a plate, and the greatest change of each step."""
    u = np.zeros((n, n))
    u[0, :] = 1.0
    u[:, -1] = np.linspace(1, 0, n)
    hot = np.hypot(*np.meshgrid(np.arange(n) - n // 2, np.arange(n) - n // 3)) < 2.5
    changes = []
    for _ in range(steps):
        before = u.copy()
        around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
        u[1:-1, 1:-1] += 0.2 * (around - 4 * u[1:-1, 1:-1])
        u[hot] = 0.75
        changes.append(np.abs(u - before).max())
    return u, np.array(changes)


def life(generations=20):
    """How many cells live after each generation, and the board at the end."""
    board = np.zeros((12, 12), dtype=np.uint8)
    glider = np.array([[0, 1, 0], [0, 0, 1], [1, 1, 1]], dtype=np.uint8)
    board[1:4, 1:4] = glider
    board[6, 5:8] = 1
    alive = [int(board.sum())]
    for _ in range(generations):
        around = sum(np.roll(board, (i, j), axis=(0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
        board = ((around == 3) | ((board == 1) & (around == 2))).astype(np.uint8)
        alive.append(int(board.sum()))
    return board, alive


def main():
    u, changes = heat()
    board, alive = life()
    levels = np.digitize(u, [0.1, 0.25, 0.5, 0.75])
    counts = np.zeros(5, dtype=int)
    np.add.at(counts, levels.ravel(), 1)
    gradient = np.gradient(u)
    return {
        "mean": float(u.mean()),
        "row": u[5, ::3].tolist(),
        "changes": changes[[0, 1, -1]].tolist(),
        "falling": bool(np.all(np.diff(changes[5:]) <= 1e-12)),
        "levels": counts.tolist(),
        "steepest": [int(i) for i in np.unravel_index(np.argmax(np.hypot(*gradient)), u.shape)],
        "alive": alive,
        "cells": np.argwhere(board).tolist(),
        "corner": board[:4, :4].tolist(),
        "dtypes": [str(board.dtype), str(levels.dtype), str(u.dtype)],
    }


if __name__ == "__main__":
    print(main())
