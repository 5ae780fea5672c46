"""Whole models of the kinds that there are, small and with random weights."""

import numpy as np

from graph import Graph


def convolutional():
    """A residual network."""
    g = Graph(1)
    x = g.relu(g.conv(g.input(1, 3, 64, 64), 16, 7, stride=2))
    x = g.max_pool(x)
    for channels, stride in ((16, 1), (32, 2), (64, 2)):
        for block in range(2):
            step = stride if block == 0 else 1
            y = g.conv(g.relu(g.conv(x, channels, 3, stride=step)), channels, 3)
            skip = x if x.shape == y.shape else g.conv(x, channels, 1, stride=step, bias=False)
            x = g.relu(y + skip)
    return g, [g.softmax(g.linear(g.global_pool(x), 100))]


def mobile(size=64):
    """Depthwise convolutions between pointwise ones."""
    g = Graph(2)
    x = g.relu6(g.conv(g.input(1, 3, size, size), 16, 3, stride=2))
    for outs, stride in ((16, 1), (24, 2), (24, 1), (40, 2), (40, 1)):
        wide = 4 * x.shape[1]
        y = g.relu6(g.conv(x, wide, 1))
        y = g.relu6(g.conv(y, wide, 3, stride=stride, groups=wide))
        y = g.conv(y, outs, 1)
        x = x + y if x.shape == y.shape else y
    return g, [g.linear(g.global_pool(x), 100)]


def small_images():
    """The same of images whose rows are shorter than vectors: operators of several steps."""
    return mobile(16)


def detection():
    """Boxes and scores at two scales."""
    g = Graph(3)
    x = g.relu(g.conv(g.input(1, 3, 64, 64), 16, 3, stride=2))
    x = g.relu(g.conv(x, 32, 3, stride=2))
    coarse = g.relu(g.conv(x, 64, 3, stride=2))
    fine = g.concat(1, g.resize(g.conv(coarse, 32, 1)), x)
    heads = []
    for scale in (fine, coarse):
        y = g.conv(g.relu(g.conv(scale, 64, 3)), 3 * 9, 1)
        y = g.transpose(g.reshape(y, 1, 3, 9, *y.shape[2:]), 0, 1, 3, 4, 2)
        heads.append(g.reshape(y, 1, int(np.prod(y.shape[1:4])), 9))
    return g, [g.sigmoid(g.concat(1, *heads))]


def attention(g, q, k, v, heads, mask=None):
    """Of (1, s, d) tensors."""
    def split(t):
        return g.transpose(g.reshape(t, 1, t.shape[1], heads, t.shape[2] // heads), 0, 2, 1, 3)

    q, k, v = split(q), split(k), split(v)
    scores = g.matmul(q, g.transpose(k, 0, 1, 3, 2)) * g.weight(np.float32(q.shape[-1] ** -0.5))
    if mask is not None:
        scores = scores + mask
    out = g.transpose(g.matmul(g.softmax(scores), v), 0, 2, 1, 3)
    return g.reshape(out, 1, out.shape[1], out.shape[2] * out.shape[3])


def feed_forward(g, x):
    return x + g.linear(g.gelu(g.linear(g.layer_norm(x), 4 * x.shape[-1])), x.shape[-1])


def prefill():
    """Two layers of a transformer over a prompt."""
    g, s, d = Graph(4), 64, 128
    x = g.take(g.random(500, d, scale=0.5), g.input(1, s, low=0, high=500, dtype="int64"))
    mask = g.weight(np.where(np.tri(s, dtype=bool), 0, -1e9).astype("float32")[None, None])
    for _ in range(2):
        y = g.layer_norm(x)
        x = x + g.linear(attention(g, g.linear(y, d), g.linear(y, d), g.linear(y, d), 4, mask), d)
        x = feed_forward(g, x)
    return g, [g.linear(g.layer_norm(x), 500, bias=False)]


def decode():
    """One token more, with what the layers keep of 127 others."""
    g, s, d = Graph(5), 127, 128
    x = g.take(g.random(500, d, scale=0.5), g.input(1, 1, low=0, high=500, dtype="int64"))
    kept = []
    for _ in range(2):
        y = g.layer_norm(x)
        keys, values = g.concat(1, g.input(1, s, d), g.linear(y, d)), g.concat(1, g.input(1, s, d), g.linear(y, d))
        kept += [keys, values]
        x = x + g.linear(attention(g, g.linear(y, d), keys, values, 4), d)
        x = feed_forward(g, x)
    return g, [g.linear(g.layer_norm(x), 500, bias=False), *kept]


def recurrent():
    """An LSTM over sixteen steps."""
    g, steps, d = Graph(6), 16, 64
    x = g.input(steps, 1, 32)
    hidden, cell = g.weight(np.zeros((1, d), "float32")), g.weight(np.zeros((1, d), "float32"))
    from_x, from_hidden, bias = g.random(32, 4 * d), g.random(d, 4 * d), g.random(4 * d, scale=0.1)
    for step in range(steps):
        now = g.reshape(g.part(x, 0, step, step + 1), 1, 32)
        gates = g.matmul(now, from_x) + g.matmul(hidden, from_hidden) + bias
        i, f, o, c = (g.part(gates, 1, k * d, (k + 1) * d) for k in range(4))
        cell = g.sigmoid(f) * cell + g.sigmoid(i) * g.tanh(c)
        hidden = g.sigmoid(o) * g.tanh(cell)
    return g, [g.linear(hidden, 10)]


def state_space():
    """A selective state space over sixteen steps."""
    g, steps, d, n = Graph(7), 16, 64, 16
    x = g.linear(g.input(1, steps, 32), d)
    gate = g.silu(g.linear(x, d))
    decay = g.exp(g.linear(x, d) * g.weight(np.float32(-0.1)) + g.weight(np.float32(-1)))
    b, c = g.linear(x, n, bias=False), g.linear(x, n, bias=False)
    state, outs = g.weight(np.zeros((d, n), "float32")), []
    for step in range(steps):
        def at(t, *shape):
            return g.reshape(g.part(t, 1, step, step + 1), *shape)

        state = at(decay, d, 1) * state + g.matmul(at(x, d, 1), at(b, 1, n))
        outs.append(g.reshape(g.matmul(state, at(c, n, 1)), 1, 1, d))
    return g, [g.linear(g.concat(1, *outs) * gate, 32)]


def quantised():
    """A perceptron in integers of 8 bits."""
    g = Graph(8)
    x = g.input(16, 256)
    for outs, last in ((256, False), (256, False), (64, True)):
        y = g.as_float(g.integer_matmul(g.quantise(x, 1 / 64), outs)) * g.weight(np.float32(1 / 64 / 800))
        y = y + g.random(outs, scale=0.1)
        x = y if last else g.relu(y)
    return g, [x]


def u_net():
    """Down to a quarter and up again, with what was there on the way."""
    g = Graph(9)
    first = g.relu(g.conv(g.input(1, 1, 64, 64), 8, 3))
    second = g.relu(g.conv(g.max_pool(first), 16, 3))
    x = g.relu(g.conv(g.max_pool(second), 32, 3))
    for skip in (second, first):
        x = g.concat(1, g.resize(x), skip)
        x = g.relu(g.conv(x, skip.shape[1], 3))
    return g, [g.sigmoid(g.conv(x, 1, 1))]


def dynamic_batch():
    """A small network whose batch is known when it is called."""
    g = Graph(10, batch="n")
    x = g.max_pool(g.relu(g.conv(g.input(4, 1, 28, 28), 8, 5)))
    x = g.max_pool(g.relu(g.conv(x, 16, 5)))
    x = g.reshape(x, 4, 16 * 7 * 7, keeps=True)
    return g, [g.softmax(g.linear(g.relu(g.linear(x, 64)), 10))]


def vision_transformer():
    """Patches of an image, then a layer of a transformer."""
    g = Graph(11)
    x = g.conv(g.input(1, 3, 64, 64), 32, 3, stride=2)
    x = g.conv(g.max_pool(x, 4), 96, 1)
    x = g.transpose(g.reshape(x, 1, 96, 64), 0, 2, 1) + g.random(1, 64, 96, scale=0.1)
    y = g.layer_norm(x)
    x = x + g.linear(attention(g, g.linear(y, 96), g.linear(y, 96), g.linear(y, 96), 4), 96)
    x = feed_forward(g, x)
    return g, [g.linear(g.reshape(g.part(g.layer_norm(x), 1, 0, 1), 1, 96), 10)]


MODELS = [convolutional, mobile, small_images, detection, prefill, decode, recurrent, state_space, quantised, u_net,
          dynamic_batch, vision_transformer]
