"""Networks by family: with the blocks that real ones have, cut in depth, for a block that comes again has no other
kernels."""

import numpy as np

from layers import Layers

FAMILIES = {}


def network(family, *variants):
    """Registers a function of (graph, what a variant has) that gives outputs: a network for each variant."""
    def register(function):
        for i, variant in enumerate(variants or ({},)):
            name = function.__name__ + (f"_{i + 1}" if len(variants) > 1 else "")
            FAMILIES.setdefault(family, []).append((name, function, variant))
        return function

    return register


def make(function, variant):
    graph = Layers(1, dtype=variant.get("dtype", "float32"))
    with np.errstate(all="ignore"):
        graph.outputs = function(graph, **{key: value for key, value in variant.items() if key != "dtype"})
    return graph


def attention(g, x, heads, kv_heads=None, past=0, mask=True, rotary=False, kept=None):
    """Of (1, s, d), with what `past` tokens left."""
    _, s, d = x.shape
    width, kv_heads = d // heads, kv_heads or heads

    def split(t, n):
        return g.transpose(g.reshape(t, 1, t.shape[1], n, width), 0, 2, 1, 3)

    q, k, v = (split(g.linear(x, n * width, bias=not rotary), n) for n in (heads, kv_heads, kv_heads))
    if rotary:
        q, k = rotate(g, q, past), rotate(g, k, past)
    if past:
        k, v = (g.concat(2, g.input(1, kv_heads, past, width), t) for t in (k, v))
        if kept is not None:
            kept += [k, v]
    if kv_heads != heads:
        k, v = (repeat_heads(g, t, heads // kv_heads) for t in (k, v))
    scores = g.matmul(q, g.transpose(k, 0, 1, 3, 2)) * g.number(width ** -0.5)
    if mask and s > 1:
        seen = np.tri(s, s + past, past, dtype=bool)
        scores = scores + g.weight(np.where(seen, 0, -1e4).astype(g.dtype)[None, None])
    out = g.transpose(g.matmul(g.softmax(scores), v), 0, 2, 1, 3)
    return g.linear(g.reshape(out, 1, s, d), d, bias=not rotary)


def rotate(g, x, past):
    """Rotary positions, halves against halves."""
    _, _, s, width = x.shape
    angles = np.outer(np.arange(past, past + s), 1e4 ** (-np.arange(width // 2) / (width // 2)))
    cos, sin = (g.weight(np.tile(f(angles), 2).astype(g.dtype)) for f in (np.cos, np.sin))
    halves = g.part(x, 3, width // 2, width) * g.number(-1), g.part(x, 3, 0, width // 2)
    return x * cos + g.concat(3, *halves) * sin


def repeat_heads(g, x, times):
    _, heads, s, width = x.shape
    wide = g.broadcast(g.reshape(x, 1, heads, 1, s, width), 1, heads, times, s, width)
    return g.reshape(wide, 1, heads * times, s, width)


def gated(g, x, inner):
    return g.linear(g.silu(g.linear(x, inner, bias=False)) * g.linear(x, inner, bias=False), x.shape[-1], bias=False)


def squeeze_excite(g, x, narrow, gate=None):
    y = g.relu(g.conv(g.pooled(x), narrow, 1))
    return x * (gate or g.sigmoid)(g.conv(y, x.shape[1], 1))


# ---- Convolutional --------------------------------------------------------------------------------------------------


@network("convolutional", {"size": 64, "wide": 32}, {"size": 112, "wide": 16})
def residual(g, size, wide):
    x = g.pool(g.relu(g.batch_norm(g.conv(g.input(1, 3, size, size), wide, 7, stride=2, bias=False))), "max", 3, 2, 1)
    for channels, stride in ((wide, 1), (2 * wide, 2), (4 * wide, 2)):
        y = g.relu(g.batch_norm(g.conv(x, channels, 3, stride=stride, bias=False)))
        y = g.batch_norm(g.conv(y, channels, 3, bias=False))
        same = x.shape == y.shape
        x = g.relu(y + (x if same else g.batch_norm(g.conv(x, channels, 1, stride=stride, bias=False))))
    return [g.softmax(g.linear(g.global_pool(x), 100))]


@network("convolutional")
def dense(g):
    x = g.relu(g.batch_norm(g.conv(g.input(1, 3, 56, 56), 24, 3, bias=False)))
    for _ in range(2):
        for _ in range(2):
            y = g.conv(g.relu(g.batch_norm(x)), 48, 1, bias=False)
            x = g.concat(1, x, g.conv(g.relu(g.batch_norm(y)), 12, 3, bias=False))
        x = g.pool(g.conv(g.relu(g.batch_norm(x)), x.shape[1] // 2, 1, bias=False), "avg", 2, 2)
    return [g.linear(g.global_pool(g.relu(g.batch_norm(x))), 100)]


@network("convolutional")
def inception(g):
    x = g.relu(g.conv(g.input(1, 32, 35, 35), 48, 3))
    parts = [g.relu(g.conv(x, 32, 1)), g.relu(g.conv(g.relu(g.conv(x, 24, 1)), 32, 5)),
             g.relu(g.conv(g.relu(g.conv(x, 32, (1, 7))), 32, (7, 1))),
             g.relu(g.conv(g.pool(x, "avg", 3, 1, 1), 16, 1))]
    x = g.concat(1, *parts)
    return [g.concat(1, g.pool(x, "max", 3, 2), g.pool(x, "avg", 3, 2))]


@network("convolutional")
def modern(g):
    """Large depthwise kernels, layer norms over channels that are last."""
    x = g.conv(g.input(1, 3, 96, 96), 48, 3, stride=2)
    y = g.layer_norm(g.transpose(g.conv(x, 48, 7, groups=48), 0, 2, 3, 1))
    y = g.linear(g.gelu_erf(g.linear(y, 192)), 48)
    x = x + g.transpose(y, 0, 3, 1, 2)
    return [g.linear(g.layer_norm(g.global_pool(x)), 100)]


# ---- Mobile ---------------------------------------------------------------------------------------------------------


@network("mobile", {"size": 96}, {"size": 224})
def inverted(g, size):
    x = g.relu6(g.batch_norm(g.conv(g.input(1, 3, size, size), 16, 3, stride=2, bias=False)))
    for outs, stride in ((16, 1), (24, 2), (24, 1), (40, 2)):
        y = g.relu6(g.batch_norm(g.conv(x, 4 * x.shape[1], 1, bias=False)))
        y = g.relu6(g.batch_norm(g.conv(y, y.shape[1], 3, stride=stride, groups=y.shape[1], bias=False)))
        y = g.batch_norm(g.conv(y, outs, 1, bias=False))
        x = x + y if x.shape == y.shape else y
    return [g.linear(g.global_pool(x), 100)]


@network("mobile")
def squeezed(g):
    """Folded norms, hard swishes, squeeze and excite."""
    x = g.hard_swish(g.conv(g.input(1, 3, 112, 112), 16, 3, stride=2))
    for outs, kernel, stride in ((24, 3, 2), (40, 5, 2), (40, 5, 1)):
        y = g.hard_swish(g.conv(x, 3 * x.shape[1], 1))
        y = g.hard_swish(g.conv(y, y.shape[1], kernel, stride=stride, groups=y.shape[1]))
        y = g.conv(squeeze_excite(g, y, 16, g.hard_sigmoid), outs, 1)
        x = x + y if x.shape == y.shape else y
    return [g.linear(g.hard_swish(g.linear(g.global_pool(x), 128)), 100)]


@network("mobile")
def shuffled(g):
    """Channels of groups shuffled."""
    x = g.pool(g.relu(g.conv(g.input(1, 3, 112, 112), 24, 3, stride=2)), "max", 3, 2, 1)
    for _ in range(2):
        left, right = g.part(x, 1, 0, 12), g.part(x, 1, 12, 24)
        right = g.relu(g.conv(right, 12, 1))
        right = g.relu(g.conv(g.conv(right, 12, 3, groups=12), 12, 1))
        x = g.concat(1, left, right)
        n, c, h, w = x.shape
        x = g.reshape(g.transpose(g.reshape(x, n, 2, c // 2, h, w), 0, 2, 1, 3, 4), n, c, h, w)
    return [g.relu(g.conv(x, 48, 3, groups=4))]


# ---- Detection ------------------------------------------------------------------------------------------------------


@network("detection")
def two_stages(g):
    x = g.relu(g.conv(g.input(1, 3, 96, 96), 32, 3, stride=2))
    fine = g.relu(g.conv(x, 64, 3, stride=2))
    coarse = g.relu(g.conv(fine, 64, 3, stride=2))
    pyramid = g.conv(fine, 64, 1) + g.resize(g.conv(coarse, 64, 1))
    objects = g.sigmoid(g.conv(g.relu(g.conv(pyramid, 64, 3)), 3, 1))
    flat = g.reshape(g.transpose(objects, 0, 2, 3, 1), 1, 24 * 24 * 3)
    low = g.rng.uniform(0, 40, (16, 2))
    rois = g.input(16, 5)
    rois.value = np.concatenate([np.zeros((16, 1)), low, low + g.rng.uniform(20, 50, (16, 2))], 1).astype("float32")
    cut = g.roi_align(pyramid, rois, 7, 0.25)
    y = g.relu(g.linear(g.reshape(cut, 16, 64 * 49), 128))
    return [g.topk_values(flat, 50), g.topk_places(flat, 50), g.softmax(g.linear(y, 21)), g.linear(y, 84)]


@network("detection", {"size": 20, "classes": 20}, {"size": 40, "classes": 80})
def one_stage(g, size, classes):
    """Boxes from logits and a grid."""
    x = g.silu(g.batch_norm(g.conv(g.input(1, 32, size, size), 48, 3, bias=False)))
    pools = [x]
    for _ in range(3):
        pools.append(g.pool(pools[-1], "max", 5, 1, 2))
    x = g.silu(g.conv(g.concat(1, *pools), 48, 1))
    y = g.conv(x, 3 * (5 + classes), 1)
    y = g.sigmoid(g.transpose(g.reshape(y, 1, 3, 5 + classes, size, size), 0, 1, 3, 4, 2))
    at = np.stack(np.meshgrid(np.arange(size), np.arange(size)), -1).astype("float32")[None, None]
    centre = (g.part(y, 4, 0, 2) * g.number(2) + g.weight(at - 0.5)) * g.number(8)
    sides = g.weight(g.rng.uniform(8, 64, (1, 3, 1, 1, 2)).astype("float32"))
    extent = g.square(g.part(y, 4, 2, 4) * g.number(2)) * sides
    boxes = g.reshape(g.concat(4, centre, extent, g.part(y, 4, 4, 5 + classes)), 1, 3 * size * size, 5 + classes)
    return [boxes, g.argmax(g.part(boxes, 2, 5, 5 + classes), -1)]


@network("detection")
def anchors(g):
    """Heads at three scales, each turned, joined; a segmentation's classes beside."""
    levels = [g.input(1, 32, 40, 40), g.input(1, 32, 20, 20), g.input(1, 32, 10, 10)]
    boxes, scores = [], []
    for x in levels:
        for outs, found in ((4, boxes), (21, scores)):
            y = g.transpose(g.conv(x, 6 * outs, 3), 0, 2, 3, 1)
            found.append(g.reshape(y, 1, x.shape[2] * x.shape[3] * 6, outs))
    masks = g.bilinear(g.conv(g.relu(g.conv(levels[0], 32, 3, dilation=4)), 21, 1), 4)
    return [g.concat(1, *boxes), g.softmax(g.concat(1, *scores)), g.argmax(masks, 1)]


# ---- Generative -----------------------------------------------------------------------------------------------------


@network("generative", {"wide": 64}, {"wide": 32})
def adversarial(g, wide):
    """Transposed convolutions from a code to an image."""
    x = g.relu(g.batch_norm(g.conv_transpose(g.input(1, 64, 1, 1), 4 * wide, 4, stride=1, bias=False)))
    for outs in (2 * wide, wide):
        x = g.relu(g.batch_norm(g.conv_transpose(x, outs, 4, stride=2, pad=1, bias=False)))
    return [g.tanh(g.conv_transpose(x, 3, 4, stride=2, pad=1))]


@network("generative")
def diffusion(g):
    """A residual block and attention of a U-net, with the time's embedding."""
    time, x = g.silu(g.linear(g.input(1, 64), 64)), g.conv(g.input(1, 4, 32, 32), 64, 3)
    y = g.conv(g.silu(g.group_norm(x, 8)), 64, 3) + g.reshape(g.linear(time, 64), 1, 64, 1, 1)
    x = x + g.conv(g.silu(g.group_norm(y, 8)), 64, 3)
    down = g.conv(x, 64, 3, stride=2)
    tokens = g.transpose(g.reshape(g.group_norm(down, 8), 1, 64, 256), 0, 2, 1)
    out = attention(g, tokens, 4, mask=False)
    down = down + g.reshape(g.transpose(out, 0, 2, 1), 1, 64, 16, 16)
    return [g.conv(g.concat(1, g.conv(g.resize(down), 64, 3), x), 4, 3)]


@network("generative")
def style(g):
    """Instance norms, reflected borders, a larger image from channels."""
    x = g.relu(g.instance_norm(g.conv(g.pad(g.input(1, 3, 64, 64), [0, 0, 0, 0, 4, 4, 4, 4], "reflect"), 16, 3)))
    x = g.relu(g.instance_norm(g.conv(x, 32, 3, stride=2)))
    x = g.relu(g.instance_norm(g.conv_transpose(x, 16, 2)))
    x = g.leaky(g.conv(x, 3 * 4, 3), 0.2)
    return [g.tanh(g.pixel_shuffle(x, 2))]


@network("generative")
def flow(g):
    """An image sampled where another network says, blended."""
    image = g.input(1, 16, 48, 48)
    grid = g.tanh(g.conv(image, 2, 3))
    warped = g.grid_sample(image, grid)
    mask = g.sigmoid(g.conv(g.prelu(g.conv(g.concat(1, image, warped), 16, 3)), 1, 3))
    return [image * mask + warped * g.sub(g.number(1), mask)]


# ---- Transformers ---------------------------------------------------------------------------------------------------


def decoder_layer(g, x, heads, kv_heads, inner, past, kept):
    x = x + attention(g, g.rms_norm(x), heads, kv_heads, past, rotary=True, kept=kept)
    return x + gated(g, g.rms_norm(x), inner)


@network("prefill", {"s": 64, "d": 256, "heads": 8, "kv_heads": 2}, {"s": 33, "d": 128, "heads": 4, "kv_heads": 4})
def llama(g, s, d, heads, kv_heads):
    x = g.take(g.random(1000, d, scale=0.5), g.input(1, s, low=0, high=1000, dtype="int64"))
    x = decoder_layer(g, x, heads, kv_heads, 2 * d, 0, None)
    last = g.part(g.rms_norm(x), 1, s - 1, s)
    return [g.linear(last, 1000, bias=False)]


@network("prefill", {"s": 128, "d": 192}, {"s": 48, "d": 320})
def encoder(g, s, d):
    places = g.random(s, d, scale=0.1)
    x = g.layer_norm(g.take(g.random(1000, d, scale=0.5), g.input(1, s, low=0, high=1000, dtype="int64")) + places)
    x = g.layer_norm(x + attention(g, x, d // 32, mask=False))
    x = g.layer_norm(x + g.linear(g.gelu_erf(g.linear(x, 4 * d)), d))
    return [g.tanh(g.linear(g.reshape(g.part(x, 1, 0, 1), 1, d), d))]


@network("prefill")
def patches(g):
    x = g.conv(g.input(1, 3, 64, 64), 96, 3, stride=2)
    x = g.pool(x, "max", 4, 4)
    x = g.transpose(g.reshape(x, 1, 96, 64), 0, 2, 1) + g.random(1, 64, 96, scale=0.1)
    x = x + attention(g, g.layer_norm(x), 3, mask=False)
    x = x + g.linear(g.gelu(g.linear(g.layer_norm(x), 384)), 96)
    return [g.linear(g.layer_norm(x), 10)]


@network("prefill")
def windows(g):
    """Attention in windows of an image."""
    x = g.input(1, 28, 28, 64)
    y = g.reshape(g.layer_norm(x), 1, 4, 7, 4, 7, 64)
    y = g.reshape(g.transpose(y, 0, 1, 3, 2, 4, 5), 16, 49, 64)
    qkv = g.transpose(g.reshape(g.linear(y, 192), 16, 49, 3, 2, 32), 2, 0, 3, 1, 4)
    q, k, v = (g.reshape(g.part(qkv, 0, i, i + 1), 16, 2, 49, 32) for i in range(3))
    scores = g.matmul(q * g.number(32 ** -0.5), g.transpose(k, 0, 1, 3, 2)) + g.random(1, 2, 49, 49, scale=0.1)
    out = g.reshape(g.transpose(g.matmul(g.softmax(scores), v), 0, 2, 1, 3), 16, 49, 64)
    y = g.transpose(g.reshape(g.linear(out, 64), 1, 4, 4, 7, 7, 64), 0, 1, 3, 2, 4, 5)
    x = x + g.reshape(y, 1, 28, 28, 64)
    pairs = g.reshape(x, 1, 14, 2, 14, 2, 64)
    rows = [g.part(pairs, 2, i, i + 1) for i in range(2)]
    quarters = [g.reshape(g.part(row, 4, j, j + 1), 1, 14, 14, 64) for j in range(2) for row in rows]
    return [g.linear(g.layer_norm(g.concat(3, *quarters)), 128, bias=False)]


@network("decode", {"past": 255, "d": 256, "heads": 8, "kv_heads": 2},
         {"past": 1023, "d": 512, "heads": 8, "kv_heads": 8})
def llama_token(g, past, d, heads, kv_heads):
    kept = []
    x = g.take(g.random(1000, d, scale=0.5), g.input(1, 1, low=0, high=1000, dtype="int64"))
    x = decoder_layer(g, x, heads, kv_heads, 2 * d, past, kept)
    logits = g.linear(g.rms_norm(x), 4000, bias=False)
    return [g.argmax(logits, -1), g.softmax(logits), *kept]


@network("decode")
def beams(g):
    """Four beams of a classic decoder, the best of what follows."""
    x = g.layer_norm(g.take(g.random(1000, 192, scale=0.5), g.input(4, 1, low=0, high=1000, dtype="int64")))
    y = g.gelu(g.linear(x, 768))
    x = g.layer_norm(x + g.linear(y, 192))
    scores = g.softmax(g.reshape(g.linear(x, 1000), 4, 1000)) * g.input(4, 1, low=0.0)
    flat = g.reshape(scores, 1, 4000)
    return [g.topk_values(flat, 8), g.topk_places(flat, 8)]


# ---- Recurrent ------------------------------------------------------------------------------------------------------


@network("recurrent", {"steps": 3, "batch": 1, "d": 128}, {"steps": 3, "batch": 16, "d": 64})
def lstm(g, steps, batch, d):
    x = g.input(steps, batch, 48)
    hidden, cell = (g.input(batch, d) for _ in range(2))
    from_x, from_hidden, bias = g.random(48, 4 * d), g.random(d, 4 * d), g.random(4 * d, scale=0.1)
    outs = []
    for step in range(steps):
        now = g.reshape(g.part(x, 0, step, step + 1), batch, 48)
        gates = g.matmul(now, from_x) + g.matmul(hidden, from_hidden) + bias
        i, f, o, c = (g.part(gates, 1, k * d, (k + 1) * d) for k in range(4))
        cell = g.sigmoid(f) * cell + g.sigmoid(i) * g.tanh(c)
        hidden = g.sigmoid(o) * g.tanh(cell)
        outs.append(g.reshape(hidden, 1, batch, d))
    return [g.concat(0, *outs), hidden, cell]


@network("recurrent")
def gru(g):
    x, hidden = g.input(8, 40), g.input(8, 96)
    for _ in range(2):
        of_x, of_hidden = g.linear(x, 288), g.linear(hidden, 288)
        (rx, zx, nx), (rh, zh, nh) = ([g.part(t, 1, k * 96, (k + 1) * 96) for k in range(3)] for t in (of_x, of_hidden))
        update = g.sigmoid(zx + zh)
        candidate = g.tanh(nx + g.sigmoid(rx + rh) * nh)
        hidden = g.sub(g.number(1), update) * candidate + update * hidden
    return [g.linear(hidden, 32)]


@network("recurrent")
def convolved(g):
    """Causal convolutions over time, gated."""
    x = g.conv1d(g.input(1, 16, 200), 32, 3, causal=True)
    for dilation in (2, 4):
        y = g.conv1d(x, 64, 3, dilation=dilation, causal=True)
        y = g.tanh(g.part(y, 1, 0, 32)) * g.sigmoid(g.part(y, 1, 32, 64))
        x = x + g.conv1d(y, 32, 1)
    return [g.conv1d(g.relu(x), 16, 5, stride=2)]


# ---- State space ----------------------------------------------------------------------------------------------------


@network("state space", {"steps": 64, "d": 64, "n": 16}, {"steps": 128, "d": 32, "n": 8})
def selective(g, steps, d, n):
    """A selective state space by cumulative sums, for a whole chunk at once."""
    x = g.input(1, steps, d)
    both = g.linear(x, 2 * d, bias=False)
    y = g.transpose(g.part(both, 2, 0, d), 0, 2, 1)
    y = g.silu(g.conv1d(y, d, 4, causal=True, groups=d))
    y = g.transpose(y, 0, 2, 1)
    delta, b, c = g.softplus(g.linear(y, d)), g.linear(y, n, bias=False), g.linear(y, n, bias=False)
    rate = g.weight(-np.tile(np.arange(1, n + 1), (d, 1)).astype("float32") / 16)
    decay = g.reshape(delta, 1, steps, d, 1) * rate
    drive = g.reshape(delta * y, 1, steps, d, 1) * g.reshape(b, 1, steps, 1, n)
    total = g.cumsum(decay, 1)
    state = g.exp(total) * g.cumsum(drive * g.exp(total * g.number(-1)), 1)
    out = g.sum(state * g.reshape(c, 1, steps, 1, n), -1) + y * g.random(d, scale=0.1)
    return [g.linear(out * g.silu(g.part(both, 2, d, 2 * d)), d, bias=False)]


@network("state space")
def stepwise(g):
    """One step for a batch."""
    x, state = g.input(4, 128), g.input(4, 128, 16)
    delta, b, c = g.softplus(g.linear(x, 128)), g.linear(x, 16, bias=False), g.linear(x, 16, bias=False)
    decay = g.exp(g.reshape(delta, 4, 128, 1) * g.random(128, 16, scale=0.5, around=-1.0))
    state = state * decay + g.reshape(delta * x, 4, 128, 1) * g.reshape(b, 4, 1, 16)
    return [g.sum(state * g.reshape(c, 4, 1, 16), -1), state]


@network("state space")
def retention(g):
    """Linear attention in chunks with decay."""
    q, k, v = (g.input(1, 4, 64, 32) for _ in range(3))
    power = np.maximum(np.subtract.outer(np.arange(64), np.arange(64)), 0)
    decay = np.stack([np.tril(r ** power) for r in (0.9, 0.95, 0.97, 0.99)])[None].astype("float32")
    within = g.matmul(g.matmul(q, g.transpose(k, 0, 1, 3, 2)) * g.weight(decay), v)
    since = g.weight(0.9 ** np.arange(1, 65).astype("float32")[None, None, :, None])
    before = g.matmul(q, g.input(1, 4, 32, 32)) * since
    out = g.reshape(g.transpose(within + before, 0, 2, 1, 3), 1, 64, 128)
    return [g.rms_norm(out) * g.silu(g.input(1, 64, 128))]


# ---- Quantised ------------------------------------------------------------------------------------------------------


@network("quantised", {"size": 28, "wide": 32}, {"size": 14, "wide": 64})
def integer_residual(g, size, wide):
    x = g.input(1, wide, size, size, low=0, high=256, dtype="uint8")
    y = g.requantise(g.integer_conv(x, wide, 3), 1e-4)
    y = g.requantise(g.integer_conv(y, wide, 1), 1e-4)
    y = g.requantise(g.integer_conv(y, wide, 3, groups=wide), 1e-3)
    return [g.dequantise(y, 0.1) + g.dequantise(x, 0.05)]


@network("quantised", {"s": 32, "d": 256}, {"s": 1, "d": 512})
def integer_layers(g, s, d):
    x = g.input(s, d)
    for outs in (d, 128):
        y = g.as_float(g.integer_matmul(g.quantise(x, 1 / 64), outs)) * g.number(1 / 64 / 800, "float32")
        x = g.relu(y + g.random(outs, scale=0.1))
    return [x]


@network("quantised")
def weights_of_bytes(g):
    """Weights of 8 bits with a scale for each column, multiplied as floats."""
    x = g.input(1, 256)
    w = g.weight(g.rng.integers(-127, 128, (256, 512)).astype("int8"))
    return [g.gelu(g.matmul(x, g.cast(w, "float32") * g.random(1, 512, scale=0.01)))]


# ---- Halves ---------------------------------------------------------------------------------------------------------


@network("halves", {"dtype": "float16"})
def half_residual(g):
    x = g.relu(g.conv(g.input(1, 3, 48, 48), 16, 3, stride=2))
    y = g.relu(g.conv(x, 32, 3, stride=2))
    y = g.relu(g.conv(g.conv(y, 32, 3, groups=32), 32, 1))
    return [g.softmax(g.linear(g.global_pool(y), 50))]


@network("halves", {"dtype": "float16", "s": 32, "d": 128}, {"dtype": "float16", "s": 64, "d": 64})
def half_transformer(g, s, d):
    x = g.input(1, s, d)
    x = x + attention(g, g.rms_norm(x), 4, rotary=True)
    x = x + gated(g, g.rms_norm(x), 2 * d)
    y = g.layer_norm(x)
    return [y, g.linear(g.gelu(g.linear(y, 2 * d)), d)]


@network("halves", {"dtype": "float16"})
def half_token(g):
    kept = []
    return [attention(g, g.rms_norm(g.input(1, 1, 256)), 8, 2, 127, rotary=True, kept=kept), *kept]
