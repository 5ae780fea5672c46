"""Trains the network of digits.py on scikit-learn's bundled digits and writes the .npy files beside this script.

Two thirds of the 1,797 pictures train; the others, which the training never sees, are shipped with their labels:
images.npy (uint8, N x 8 x 8, values 0 .. 16), labels.npy (uint8), w0, b0, w1, b1 .npy (float32).
Plain NumPy, mini-batch gradient descent with momentum, seeded: the same versions give the same files.
"""

import pathlib

import numpy as np
from sklearn.datasets import load_digits

HIDDEN = 64
EPOCHS = 200
HERE = pathlib.Path(__file__).resolve().parent


def forward(x, w0, b0, w1, b1):
    hidden = np.maximum(x @ w0 + b0, 0)
    logits = hidden @ w1 + b1
    power = np.exp(logits - logits.max(axis=1, keepdims=True))
    return hidden, power / power.sum(axis=1, keepdims=True)


def shifted(images, rng):
    """Each picture moved by at most one pixel, so that little data goes further."""
    moved = np.zeros_like(images)
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1)))
    for i, (dy, dx) in enumerate(rng.integers(0, 3, (len(images), 2))):
        moved[i] = padded[i, dy:dy + 8, dx:dx + 8]
    return np.where(rng.random(len(images))[:, None, None] < 0.5, images, moved)


def train(images, labels, rng):
    weights = [
        rng.normal(0, np.sqrt(2 / 64), (64, HIDDEN)),
        np.zeros(HIDDEN),
        rng.normal(0, np.sqrt(2 / HIDDEN), (HIDDEN, 10)),
        np.zeros(10),
    ]
    speed = [np.zeros_like(w) for w in weights]
    one_hot = np.eye(10)[labels]
    for epoch in range(EPOCHS):
        rate = 0.05 * 0.5 * (1 + np.cos(np.pi * epoch / EPOCHS))
        x_all = shifted(images, rng).reshape(-1, 64) / 16
        order = rng.permutation(len(images))
        for start in range(0, len(order), 32):
            pick = order[start:start + 32]
            x = x_all[pick]
            hidden, scores = forward(x, *weights)
            d_logits = (scores - one_hot[pick]) / len(pick)
            d_hidden = (d_logits @ weights[2].T) * (hidden > 0)
            gradient = [x.T @ d_hidden, d_hidden.sum(0), hidden.T @ d_logits, d_logits.sum(0)]
            for i in range(4):
                speed[i] = 0.9 * speed[i] - rate * (gradient[i] + 1e-4 * weights[i])
                weights[i] = weights[i] + speed[i]
    return [w.astype(np.float32) for w in weights]


def main():
    digits = load_digits()
    rng = np.random.default_rng(2026)
    order = rng.permutation(len(digits.images))
    train_part, test_part = order[:1198], np.sort(order[1198:])
    weights = train(digits.images[train_part], digits.target[train_part], rng)
    images = digits.images[test_part].astype(np.uint8)
    labels = digits.target[test_part].astype(np.uint8)
    _, scores = forward(images.reshape(-1, 64).astype(np.float32) / 16, *weights)
    print(f"{(scores.argmax(1) == labels).mean():.2%} of {len(labels)} held-out pictures")
    for name, array in [("images", images), ("labels", labels)] + list(zip(("w0", "b0", "w1", "b1"), weights)):
        np.save(HERE / f"{name}.npy", array)


if __name__ == "__main__":
    main()
