"""Models and functions of PyTorch for `tirb import`, with random weights: each as one would write it."""
import math

import torch
from torch import nn
from torch.export import Dim
from torch.nn import functional as F

CASES = {}
# Those of the daily check.
QUICK = ("mlp", "named", "residual", "step", "tokens_of_any_number", "masked_attention", "counter", "condition",
         "reductions", "bfloat_mlp", "embedding_bag", "cumsum_of_integers")


class Case:
    """A model, its inputs, which sizes are dynamic (as torch.export takes it), and other inputs that it is run on.
    `changes`: the inputs, `state`: the buffers that it changes, which are results behind its own. `refused`: what is
    in the message of what TVM's front end does not convert; `remark`: what is said of what it converts otherwise."""

    def __init__(self,
                 model,
                 inputs,
                 named=None,
                 dynamic=None,
                 others=(),
                 names=None,
                 changes=(),
                 state=(),
                 refused=(),
                 remark=""):
        self.model, self.inputs, self.named, self.dynamic = model, inputs, named or {}, dynamic
        self.others, self.names, self.changes, self.state = others, names, changes, state
        self.refused, self.remark = refused, remark


class Of(nn.Module):
    """A function as a model."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


def case(build):
    CASES[build.__name__] = build
    return build


def function(name, body, *inputs, **others):
    CASES[name] = lambda: Case(Of(body), [i() if callable(i) else i for i in inputs], **others)


def normal(*shape, dtype=torch.float32):
    return lambda: torch.randn(*shape).to(dtype)


def whole(most, *shape, dtype=torch.int64):
    return lambda: torch.randint(0, most, shape).to(dtype)


def bits(*shape):
    return lambda: torch.rand(*shape) > 0.4


# ---- Networks -------------------------------------------------------------------------------------------------------


class Block(nn.Module):
    """A block of a residual network."""

    def __init__(self, channels, stride):
        super().__init__()
        self.first = nn.Conv2d(channels, 2 * channels, 3, stride, 1, bias=False)
        self.first_norm = nn.BatchNorm2d(2 * channels)
        self.second = nn.Conv2d(2 * channels, 2 * channels, 3, 1, 1, bias=False)
        self.second_norm = nn.BatchNorm2d(2 * channels)
        self.past = nn.Conv2d(channels, 2 * channels, 1, stride)

    def forward(self, x):
        h = torch.relu(self.first_norm(self.first(x)))
        return torch.relu(self.second_norm(self.second(h)) + self.past(x))


@case
def mlp():
    return Case(nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4)), [torch.randn(3, 16)])


@case
def residual():
    return Case(
        nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.MaxPool2d(2), Block(8, 2), nn.AdaptiveAvgPool2d(1),
                      nn.Flatten(), nn.Linear(16, 10)), [torch.randn(2, 3, 16, 16)])


@case
def residual_of_any_batch():
    return Case(nn.Sequential(Block(4, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 10)),
                [torch.randn(2, 4, 10, 10)],
                dynamic=({
                    0: Dim("batch", min=1, max=64)
                }, ),
                others=[[torch.randn(1, 4, 10, 10)], [torch.randn(5, 4, 10, 10)]])


class Mobile(nn.Module):
    """Depthwise between pointwise, with squeeze and excitation."""

    def __init__(self, channels=8, wide=24):
        super().__init__()
        self.up = nn.Sequential(nn.Conv2d(channels, wide, 1, bias=False), nn.BatchNorm2d(wide), nn.Hardswish())
        self.deep = nn.Sequential(nn.Conv2d(wide, wide, 5, 1, 2, groups=wide, bias=False), nn.BatchNorm2d(wide),
                                  nn.ReLU6())
        self.gate = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(wide, 6, 1), nn.ReLU(), nn.Conv2d(6, wide, 1),
                                  nn.Hardsigmoid())
        self.down = nn.Sequential(nn.Conv2d(wide, channels, 1, bias=False), nn.BatchNorm2d(channels))

    def forward(self, x):
        h = self.deep(self.up(x))
        return x + self.down(h * self.gate(h))


@case
def mobile():
    return Case(Mobile(), [torch.randn(1, 8, 12, 12)])


@case
def groups_and_dilation():
    return Case(
        nn.Sequential(nn.Conv2d(6, 12, 3, padding=2, dilation=2, groups=3), nn.SiLU(),
                      nn.Conv2d(12, 4, (3, 1), (2, 1), (1, 0)), nn.ELU(), nn.Conv2d(4, 4, 3, padding="same"),
                      nn.Mish()), [torch.randn(2, 6, 9, 11)])


@case
def u_net():

    class UNet(nn.Module):

        def __init__(self):
            super().__init__()
            self.first, self.low = nn.Conv2d(2, 4, 3, padding=1), nn.Conv2d(4, 8, 3, padding=1)
            self.up, self.last = nn.ConvTranspose2d(8, 4, 2, 2), nn.Conv2d(8, 1, 1)

        def forward(self, x):
            top = F.leaky_relu(self.first(x), 0.1)
            low = torch.relu(self.low(F.max_pool2d(top, 2)))
            both = torch.cat([top, self.up(low)], 1)
            return torch.sigmoid(self.last(F.interpolate(both, scale_factor=2, mode="nearest")))

    return Case(UNet(), [torch.randn(1, 2, 8, 8)])


@case
def sound():
    return Case(
        nn.Sequential(nn.Conv1d(2, 6, 5, 2, 2), nn.GELU(), nn.BatchNorm1d(6), nn.Conv1d(6, 6, 3, dilation=2, groups=6),
                      nn.ConvTranspose1d(6, 3, 4, 2, 1), nn.Tanh(), nn.MaxPool1d(2)), [torch.randn(2, 2, 40)])


@case
def volume():
    return Case(
        nn.Sequential(nn.Conv3d(2, 4, 3, padding=1), nn.BatchNorm3d(4), nn.ReLU(), nn.MaxPool3d(2),
                      nn.Conv3d(4, 2, (1, 2, 2)), nn.AvgPool3d(2, 1)), [torch.randn(1, 2, 6, 6, 8)])


@case
def transposed():
    return Case(
        nn.Sequential(nn.ConvTranspose2d(4, 6, 3, 2, 1, 1), nn.ReLU(), nn.ConvTranspose2d(6, 4, 3, 1, 1, groups=2),
                      nn.ConvTranspose2d(4, 3, (2, 4), (2, 3), (0, 1), bias=False)), [torch.randn(2, 4, 5, 6)])


@case
def norms():

    class Norms(nn.Module):

        def __init__(self):
            super().__init__()
            self.group, self.layer = nn.GroupNorm(2, 6), nn.LayerNorm([6, 7])
            self.instance, self.plain = nn.InstanceNorm2d(6, affine=True), nn.InstanceNorm2d(6)
            self.root, self.local = nn.RMSNorm(7), nn.LocalResponseNorm(3)

        def forward(self, x):
            h = self.group(x)
            h = self.layer(h) + self.instance(x)
            return self.root(h * self.plain(x))

    return Case(Norms(), [torch.randn(2, 6, 6, 7)])


@case
def response_norm():
    return Case(nn.LocalResponseNorm(3), [torch.randn(2, 6, 4, 4)])


class Transformer(nn.Module):
    """A layer of attention and one of its norm and its own network, before the scores of tokens."""

    def __init__(self, width=32, heads=4, causal=False):
        super().__init__()
        self.heads, self.table, self.causal = heads, nn.Embedding(50, width), causal
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.deep = nn.Sequential(nn.Linear(width, 64), nn.GELU(), nn.Linear(64, width))

    def forward(self, tokens):
        h = self.table(tokens)
        b, s, w = h.shape
        q, k, v = self.qkv(self.first(h)).view(b, s, 3, self.heads, w // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        h = h + self.out(mixed.transpose(1, 2).reshape(b, s, w))
        return self.deep(self.second(h)) + h


@case
def transformer():
    return Case(Transformer(), [torch.randint(0, 50, (2, 6))])


@case
def causal():
    return Case(Transformer(causal=True), [torch.randint(0, 50, (2, 6))])


@case
def tokens_of_any_number():
    return Case(Transformer(), [torch.randint(0, 50, (2, 6))],
                dynamic=({
                    0: Dim("batch"),
                    1: Dim("length", min=2, max=64)
                }, ),
                others=[[torch.randint(0, 50, (1, 9))], [torch.randint(0, 50, (3, 2))]])


@case
def causal_of_any_number():
    return Case(Transformer(causal=True), [torch.randint(0, 50, (2, 6))],
                dynamic=({
                    1: Dim("length", min=2, max=64)
                }, ),
                others=[[torch.randint(0, 50, (2, 9))]])


@case
def masked_attention():

    def attend(q, k, v, mask, bias):
        return (F.scaled_dot_product_attention(q, k, v, attn_mask=mask),
                F.scaled_dot_product_attention(q, k, v, attn_mask=bias, scale=0.3))

    q, k = torch.randn(2, 4, 5, 8), torch.randn(2, 4, 7, 8)
    mask = torch.rand(2, 1, 5, 7) > 0.3
    mask[..., 0] = True
    return Case(Of(attend), [q, k, torch.randn(2, 4, 7, 8), mask, torch.randn(5, 7)])


@case
def grouped_attention():
    return Case(Of(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, enable_gqa=True)),
                [torch.randn(1, 8, 5, 8), torch.randn(1, 2, 6, 8),
                 torch.randn(1, 2, 6, 8)])


@case
def multihead():

    class Attend(nn.Module):

        def __init__(self):
            super().__init__()
            self.layer = nn.MultiheadAttention(16, 4, batch_first=True)

        def forward(self, x, y, hidden):
            return self.layer(x, y, y, key_padding_mask=hidden)

    hidden = torch.zeros(2, 6, dtype=torch.bool)
    hidden[1, 4:] = True
    return Case(Attend(), [torch.randn(2, 5, 16), torch.randn(2, 6, 16), hidden])


@case
def encoder_layer():
    return Case(nn.TransformerEncoderLayer(16, 4, 32, batch_first=True, norm_first=True), [torch.randn(2, 5, 16)])


@case
def encoder():
    return Case(
        nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, activation="gelu"),
                              2,
                              enable_nested_tensor=False), [torch.randn(2, 5, 16)])


@case
def decoder_layer():

    class Decoder(nn.Module):

        def __init__(self):
            super().__init__()
            self.layer = nn.TransformerDecoderLayer(16, 4, 32, batch_first=True)

        def forward(self, x, memory):
            hidden = nn.Transformer.generate_square_subsequent_mask(x.shape[1])
            return self.layer(x, memory, tgt_mask=hidden, tgt_is_causal=True)

    return Case(Decoder(), [torch.randn(2, 5, 16), torch.randn(2, 7, 16)])


class Step(nn.Module):
    """A decoder's step: one token, keys and values of those before as inputs and results."""

    def __init__(self, width=16, heads=2):
        super().__init__()
        self.heads, self.table, self.norm = heads, nn.Embedding(40, width), nn.RMSNorm(width)
        self.q, self.k, self.v, self.out = (nn.Linear(width, width, bias=False) for _ in range(4))
        self.up, self.gate, self.down = nn.Linear(width, 32), nn.Linear(width, 32), nn.Linear(32, width)

    def split(self, x):
        return x.view(x.shape[0], 1, self.heads, -1).transpose(1, 2)

    def turned(self, x, at):
        half = x.shape[-1] // 2
        angle = at.to(torch.float32)[:, None, None, None] / 100**(torch.arange(half, dtype=torch.float32) / half)
        a, b = x[..., :half], x[..., half:]
        return torch.cat([a * torch.cos(angle) - b * torch.sin(angle), b * torch.cos(angle) + a * torch.sin(angle)], -1)

    def forward(self, token, keys, values, at):
        h = self.table(token)
        n = self.norm(h)
        keys = torch.cat([keys, self.turned(self.split(self.k(n)), at)], 2)
        values = torch.cat([values, self.split(self.v(n))], 2)
        mixed = F.scaled_dot_product_attention(self.turned(self.split(self.q(n)), at), keys, values)
        h = h + self.out(mixed.transpose(1, 2).reshape(h.shape))
        h = h + self.down(F.silu(self.gate(h)) * self.up(h))
        return {"scores": h @ self.table.weight.T, "keys": keys, "values": values}


@case
def step():

    def inputs(n, b=2):
        return [torch.randint(0, 40, (b, 1)), torch.randn(b, 2, n, 8), torch.randn(b, 2, n, 8), torch.full((b, ), n)]

    past = Dim("past", min=1, max=128)
    return Case(Step(),
                inputs(4),
                dynamic={
                    "token": None,
                    "keys": {
                        2: past
                    },
                    "values": {
                        2: past
                    },
                    "at": None
                },
                others=[inputs(9), inputs(1)],
                names=["scores", "keys.new", "values.new"])


class Cache(nn.Module):
    """Keys and values in buffers, of which a step writes one row."""

    def __init__(self):
        super().__init__()
        self.register_buffer("keys", torch.zeros(1, 2, 8, 4))
        self.register_buffer("values", torch.zeros(1, 2, 8, 4), persistent=False)
        self.project = nn.Linear(8, 24)

    def forward(self, x, at):
        q, k, v = (h.view(1, 1, 2, 4).transpose(1, 2) for h in self.project(x).chunk(3, -1))
        places = torch.arange(8)
        here = (places == at)[:, None]
        self.keys.copy_(torch.where(here, k, self.keys))
        self.values.copy_(torch.where(here, v, self.values))
        return F.scaled_dot_product_attention(q, self.keys, self.values, attn_mask=(places <= at)[None, None, None])


@case
def cache():
    steps = [[torch.randn(1, 1, 8), torch.tensor(i)] for i in range(3)]
    return Case(Cache(), steps[0], others=steps[1:], state=["keys", "values"], names=["0", "keys.new", "values.new"])


class Counter(nn.Module):
    """A buffer that a call changes."""

    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(3))
        self.register_buffer("fixed", torch.arange(3.0))

    def forward(self, x):
        self.count.add_(x.sum(0))
        return x * self.count + self.fixed


@case
def counter():
    return Case(Counter(), [torch.randn(2, 3)],
                others=[[torch.randn(2, 3)], [torch.randn(4, 3)[:2]]],
                state=["count"],
                names=["0", "count.new"])


@case
def lstm():

    class Memory(nn.Module):

        def __init__(self):
            super().__init__()
            self.layer = nn.LSTM(6, 8, batch_first=True)

        def forward(self, x):
            y, (h, c) = self.layer(x)
            return y, h, c

    return Case(Memory(), [torch.randn(2, 5, 6)])


@case
def lstm_of_two_layers():

    class Memory(nn.Module):

        def __init__(self):
            super().__init__()
            self.layer = nn.LSTM(6, 8, 2, bidirectional=True)

        def forward(self, x, h, c):
            return self.layer(x, (h, c))

    return Case(Memory(), [torch.randn(5, 2, 6), torch.randn(4, 2, 8), torch.randn(4, 2, 8)])


@case
def gru():

    class Memory(nn.Module):

        def __init__(self):
            super().__init__()
            self.layer = nn.GRU(6, 8, batch_first=True)

        def forward(self, x, h):
            return self.layer(x, h)

    return Case(Memory(), [torch.randn(2, 5, 6), torch.randn(1, 2, 8)])


@case
def rnn():
    return Case(nn.RNN(4, 6), [torch.randn(5, 2, 4)])


@case
def cells():

    class Cells(nn.Module):

        def __init__(self):
            super().__init__()
            self.first, self.second = nn.LSTMCell(4, 6), nn.GRUCell(6, 5)

        def forward(self, x, h, c, g):
            for step in x.unbind(0):
                h, c = self.first(step, (h, c))
                g = self.second(h, g)
            return h, c, g

    return Case(Cells(), [torch.randn(3, 2, 4), torch.randn(2, 6), torch.randn(2, 6), torch.randn(2, 5)])


@case
def embeddings():

    class Embeddings(nn.Module):

        def __init__(self):
            super().__init__()
            self.table, self.places = nn.Embedding(20, 6, padding_idx=0), nn.Embedding(10, 6)
            self.norm, self.out = nn.LayerNorm(6), nn.Linear(6, 20)

        def forward(self, tokens):
            at = torch.arange(tokens.shape[1], device=tokens.device)
            h = self.norm(self.table(tokens) + self.places(at))
            keep = (tokens != 0).unsqueeze(-1)
            return (h * keep).sum(1) / keep.sum(1).clamp(min=1), F.log_softmax(self.out(h), -1)

    return Case(Embeddings(), [torch.randint(0, 20, (2, 7))])


@case
def embedding_bag():
    return Case(nn.EmbeddingBag(10, 4, mode="mean"), [torch.randint(0, 10, (3, 5))],
                refused=["no operator _embedding_bag"])


@case
def vision_transformer():

    class Vision(nn.Module):

        def __init__(self, width=16):
            super().__init__()
            self.patches = nn.Conv2d(3, width, 4, 4)
            self.token, self.places = nn.Parameter(torch.randn(1, 1, width)), nn.Parameter(torch.randn(1, 5, width))
            self.layer, self.out = nn.TransformerEncoderLayer(width, 2, 32, batch_first=True), nn.Linear(width, 3)

        def forward(self, x):
            h = self.patches(x).flatten(2).transpose(1, 2)
            h = torch.cat([self.token.expand(x.shape[0], -1, -1), h], 1) + self.places
            return self.out(self.layer(h)[:, 0])

    return Case(Vision(), [torch.randn(2, 3, 8, 8)], dynamic=({0: Dim("batch")}, ), others=[[torch.randn(3, 3, 8, 8)]])


@case
def state_space():
    """A scan over time with a gate, as Mamba's without its kernel."""

    class Scan(nn.Module):

        def __init__(self):
            super().__init__()
            self.a, self.b, self.c = nn.Parameter(torch.randn(6, 4)), nn.Linear(6, 4), nn.Linear(6, 4)
            self.rate = nn.Linear(6, 6)

        def forward(self, x):
            rate = F.softplus(self.rate(x))
            b, c = self.b(x), self.c(x)
            state, out = torch.zeros(x.shape[0], 6, 4), []
            for i in range(x.shape[1]):
                state = state * torch.exp(
                    -rate[:, i, :, None] * torch.exp(self.a)) + rate[:, i, :, None] * b[:, i, None] * x[:, i, :, None]
                out.append((state * c[:, i, None]).sum(-1))
            return torch.stack(out, 1) * F.silu(x)

    return Case(Scan(), [torch.randn(2, 5, 6)])


@case
def auto_encoder():

    class Auto(nn.Module):

        def __init__(self):
            super().__init__()
            self.mean, self.spread, self.out = nn.Linear(8, 3), nn.Linear(8, 3), nn.Linear(3, 8)

        def forward(self, x, noise):
            mean, spread = self.mean(x), self.spread(x)
            hidden = mean + noise * torch.exp(0.5 * spread)
            loss = -0.5 * torch.sum(1 + spread - mean.pow(2) - spread.exp())
            return torch.sigmoid(self.out(hidden)), loss

    return Case(Auto(), [torch.randn(4, 8), torch.randn(4, 3)])


@case
def experts():
    """Each token through the best two of four networks, as sums over all of them."""

    class Experts(nn.Module):

        def __init__(self):
            super().__init__()
            self.router, self.up, self.down = nn.Linear(8, 4), nn.Parameter(torch.randn(4, 8, 12)), nn.Parameter(
                torch.randn(4, 12, 8))

        def forward(self, x):
            weights, chosen = torch.topk(torch.softmax(self.router(x), -1), 2)
            weights = weights / weights.sum(-1, keepdim=True)
            gates = torch.zeros(x.shape[0], 4).scatter(1, chosen, weights)
            h = F.gelu(torch.einsum("nd,edh->neh", x, self.up), approximate="tanh")
            return torch.einsum("neh,ehd,ne->nd", h, self.down, gates)

    return Case(Experts(), [torch.randn(5, 8)])


@case
def detector():

    class Detector(nn.Module):

        def __init__(self):
            super().__init__()
            self.maps = nn.ModuleList([nn.Conv2d(3, 7, s, s) for s in (4, 8)])

        def forward(self, x):
            found = []
            for layer, stride in zip(self.maps, (4, 8)):
                h = torch.sigmoid(layer(x)).flatten(2).transpose(1, 2)
                n = 16 // stride
                y, z = torch.meshgrid(torch.arange(n), torch.arange(n), indexing="ij")
                grid = torch.stack([z, y], -1).reshape(1, n * n, 2)
                found.append(torch.cat([(h[..., :2] + grid) * stride, h[..., 2:4]**2 * 16, h[..., 4:]], -1))
            everything = torch.cat(found, 1)
            best, kind = everything[..., 4:].max(-1)
            scores, places = best.topk(5)
            boxes = torch.gather(everything[..., :4], 1, places[..., None].expand(-1, -1, 4))
            return {"scores": scores, "kinds": kind.gather(1, places), "boxes": boxes}

    return Case(Detector(), [torch.randn(2, 3, 16, 16)], names=["scores", "kinds", "boxes"])


# ---- Results, inputs and sizes --------------------------------------------------------------------------------------


@case
def named():
    return Case(Of(lambda x: {
        "out.first": torch.relu(x),
        "others": [torch.exp(x), x + 1]
    }), [torch.randn(2, 3)],
                names=["out.first", "others.0", "others.1"])


@case
def keywords():

    class Keywords(nn.Module):

        def forward(self, x, *, scale, shift=None):
            return x * scale if shift is None else x * scale + shift

    return Case(Keywords(), [torch.randn(2, 3)], named={"scale": torch.randn(3), "shift": torch.randn(1)})


@case
def nested():

    class Nested(nn.Module):

        def forward(self, pair, table):
            a, b = pair
            return (a + b, [table["x"] * a, (b, )])

    return Case(Nested(), [(torch.randn(2), torch.randn(2)), {"x": torch.randn(2), "y": torch.randn(1)}])


function("input_is_result", lambda x, y: (x, y + 1, x), normal(2, 3), normal(2, 3))
function("rank_zero", lambda x, y: (x * y, x + 1), lambda: torch.tensor(1.5), lambda: torch.tensor(-2.0))
function("a_number", lambda x, n: x * n + n, normal(3), 3)
function("a_real_number", lambda x, n: x * n, normal(3), 0.5)
function("constant_result", lambda x: (torch.arange(4), torch.full((2, 2), 1.5), x.sum()), normal(3))
function("some_results", lambda x: (x + 1, None, 3, {"sum": x.sum()}), normal(3), names=["0", "3.sum"])
function("changed_input",
         lambda x, y: (x.add_(y), x * 2)[1],
         normal(3),
         normal(3),
         changes=[0],
         names=["0", "inputs_0.new"])
function("unused_input", lambda x, y: x * 2, normal(3), normal(2))


@case
def two_sizes():
    rows, columns = Dim("rows"), Dim("columns")
    return Case(Of(lambda x, y: torch.cat([x, y], 0).sum(0)), [torch.randn(3, 4), torch.randn(5, 4)],
                dynamic=(({
                    0: rows,
                    1: columns
                }, {
                    0: Dim("more"),
                    1: columns
                }), ),
                others=[[torch.randn(2, 6), torch.randn(7, 6)]])


@case
def derived_size():
    half = Dim("half", min=1, max=100)
    return Case(Of(lambda x, y: x.view(-1, 2).sum(1) + y), [torch.randn(8), torch.randn(4)],
                dynamic=(({
                    0: 2 * half
                }, {
                    0: half
                }), ),
                others=[[torch.randn(6), torch.randn(3)]])


@case
def sizes_computed():
    return Case(Of(lambda x: x.reshape(x.shape[0] * x.shape[1], -1) + torch.arange(x.shape[2])), [torch.randn(2, 3, 4)],
                dynamic=(({
                    0: Dim("a"),
                    2: Dim("c")
                }, ), ),
                others=[[torch.randn(5, 3, 2)]])


@case
def size_as_a_number():
    return Case(Of(lambda x: x * x.shape[0]), [torch.randn(2, 3)],
                dynamic=(({
                    0: Dim("a")
                }, ), ),
                refused=["aten.mul.Tensor (", "torch_cases.py:"])


@case
def automatic():
    return Case(Of(lambda x: torch.softmax(x, -1).mean(0)), [torch.randn(4, 6)],
                dynamic=(({
                    0: Dim.AUTO,
                    1: Dim.DYNAMIC
                }, ), ),
                others=[[torch.randn(3, 9)]])


@case
def image_of_any_size():
    return Case(nn.Sequential(nn.Conv2d(3, 4, 3, 2, 1), nn.ReLU(), nn.AdaptiveAvgPool2d(1)),
                [torch.randn(1, 3, 16, 16)],
                dynamic=({
                    2: Dim("h", min=8, max=64),
                    3: Dim("w", min=8, max=64)
                }, ),
                others=[[torch.randn(1, 3, 9, 20)]])


@case
def condition():
    return Case(Of(lambda x: torch.cond(x.sum() > 0, lambda x: torch.sin(x) + 1, lambda x: x * 2, (x, ))),
                [torch.ones(3)],
                others=[[-torch.ones(3)]])


@case
def condition_of_input():

    class Choose(nn.Module):

        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(3, 4), nn.Linear(3, 4)

        def forward(self, x, which):
            return torch.cond(which, lambda x: (self.a(x), x.sum()), lambda x: (self.b(x), x.mean()), (x, ))

    return Case(Choose(), [torch.randn(2, 3), torch.tensor(True)], others=[[torch.randn(2, 3), torch.tensor(False)]])


@case
def condition_on_size():
    return Case(Of(lambda x: torch.cond(x.shape[0] > 4, lambda x: x + 1, lambda x: x - 1, (x, ))), [torch.randn(3)],
                dynamic=(({
                    0: Dim("n", min=2)
                }, ), ),
                others=[[torch.randn(7)]])


@case
def while_loop():

    def body(x):
        from torch._higher_order_ops.while_loop import while_loop as loop
        return loop(lambda i, x: i < 4, lambda i, x: (i + 1, x * 2), (torch.tensor(0), x))

    return Case(Of(body), [torch.randn(3)], refused=["no operator while_loop"])


# ---- Functions ------------------------------------------------------------------------------------------------------

function(
    "einsum",
    lambda a, b, c: (torch.einsum("bij,bjk->bik", a, b), torch.einsum("bij,kj->bki", a, c), torch.einsum("bii->bi", b)),
    normal(2, 3, 4), normal(2, 4, 4), normal(5, 4))
function("products", lambda a, b, v: (a @ b, torch.bmm(a, b), a @ v, torch.outer(v, v), torch.dot(v, v)),
         normal(2, 3, 4), normal(2, 4, 5), normal(4))
function("sums_of_products",
         lambda a, b, c: (torch.addmm(c, a, b, beta=0.5, alpha=2), torch.baddbmm(c[None], a[None], b[None])),
         normal(3, 4), normal(4, 5), normal(3, 5))
function("other_products", lambda x:
         (torch.trace(x), torch.kron(x, x), torch.tensordot(x, x, 1), torch.cross(x, x.flip(0), dim=1)), normal(3, 3))
function(
    "gather",
    lambda x, i: (torch.gather(x, 1, i), torch.take_along_dim(x, i, 1), x[i[:, 0] % 3], torch.index_select(x, 1, i[0])),
    normal(3, 5), whole(5, 3, 4))
function("scatter", lambda x, i, s: (x.scatter(1, i, s), x.scatter(1, i, 2.5)), normal(3, 5),
         lambda: torch.stack([torch.randperm(5)[:2] for _ in range(3)]), normal(3, 2))
function("index_put",
         lambda x, i, j, v: (torch.index_put(x, (i, j), v, accumulate=True), torch.index_put(x, (i[:2], j[:2]), v[:2])),
         normal(5, 3), lambda: torch.tensor([4, 0, 4]), lambda: torch.tensor([0, 1, 0]), normal(3))
function("indexed", lambda x, i, j: (x[i], x[i, j], x[:, i], x[i[:, None], j]), normal(4, 4, 3), whole(4, 3),
         whole(4, 3))
function("last_of_them", lambda x: (x[-1], x[..., -2], x[:, -3:-1]), normal(4, 3))


@case
def last_of_any_number():
    return Case(Of(lambda x: (x[-1], x[:, -1] + x[:, -2])), [torch.randn(3, 4)],
                dynamic=(({
                    0: Dim("n"),
                    1: Dim("m", min=2)
                }, ), ),
                others=[[torch.randn(1, 2)], [torch.randn(5, 7)]])


function("assigned_slices", lambda x, y: assigned(x, y), normal(4, 6), normal(2, 3))
function("updated_in_place", lambda x: updated(x), normal(3))
function("slices", lambda x: (x[1:3], x[:, ::2], x[-2:], x[..., 1:-1], x.narrow(1, 2, 3), x[None, :, 0]), normal(4, 6))
function("slice_scatter", lambda x, y: (x.select_scatter(y, 1, 2), x.slice_scatter(y[:, None], 1, 0, 1)), normal(4, 6),
         normal(4))
function("cumsum",
         lambda x, n: (torch.cumsum(x, 1), torch.cumsum(n, 0), torch.cumprod(x, -1), n.cumsum(-1, dtype=torch.float32)),
         normal(3, 5), whole(9, 3, 4))
function(
    "sorted", lambda x, n: (torch.sort(x, descending=True), torch.argsort(x, 0), torch.topk(x, 3), torch.sort(n, 1),
                            torch.topk(x, 2, largest=False)), normal(3, 6), whole(9, 3, 4))
function("best", lambda x: (x.argmax(1), x.argmin(0, keepdim=True), x.argmax(), x.max(1), x.max(), x.min()),
         normal(3, 6))
function("median", lambda x: (x.median(), x.median(1)), normal(3, 5))
function(
    "reductions", lambda x: (x.sum(), x.mean((0, 2)), x.std(1), x.var(2, unbiased=False), x.prod(), x.norm(dim=1),
                             x.sum(1, keepdim=True), x.abs().sum(-1).sqrt()), normal(2, 3, 4))
function("any", lambda b, x: (b.any(1), (x > 0).sum(1)), bits(3, 4), normal(3, 4))
function("similarities", lambda x, y: (F.cosine_similarity(x, y), F.pairwise_distance(x, y), F.normalize(x)),
         normal(3, 4), normal(3, 4))
function("nearest", lambda x: (F.interpolate(x, scale_factor=2), F.interpolate(x, size=(8, 15))), normal(1, 2, 4, 5))
function(
    "bilinear", lambda x: (F.interpolate(x, scale_factor=2, mode="bilinear"),
                           F.interpolate(x, size=(7, 3), mode="bilinear", align_corners=True)), normal(1, 2, 4, 5))
function(
    "bicubic", lambda x: (F.interpolate(x, scale_factor=2, mode="bicubic"),
                          F.interpolate(x, size=(9, 7), mode="bicubic", align_corners=True)), normal(1, 2, 4, 5))
function("sounds_resized", lambda x:
         (F.interpolate(x, scale_factor=2, mode="linear"), F.interpolate(x, scale_factor=2)), normal(1, 2, 5))
function("area", lambda x: F.interpolate(x, size=(2, 3), mode="area"), normal(1, 2, 8, 9))
function("padded", lambda x: (F.pad(x, (1, 2, 0, 1)), F.pad(x, (1, 1), value=-1.5), F.pad(x, (-1, 2, 1, -1))),
         normal(2, 3, 5))
function(
    "padded_otherwise", lambda x:
    (F.pad(x,
           (2, 1, 1, 2), mode="reflect"), F.pad(x,
                                                (2, 1, 1, 2), mode="replicate"), F.pad(x,
                                                                                       (2, 1, 1, 2), mode="circular")),
    normal(1, 2, 4, 5))
function(
    "pooled", lambda x: (F.avg_pool2d(x, 3, 2, 1, ceil_mode=True), F.avg_pool2d(x, 3, 2, 1, count_include_pad=False),
                         F.max_pool2d(x, 3, 2, 1, ceil_mode=True), F.max_pool2d(x, 2, 1, dilation=2),
                         F.avg_pool2d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False)), normal(2, 3, 8, 9))
function("pooled_sounds", lambda x:
         (F.max_pool1d(x, 3, 2), F.avg_pool1d(x, 3, 2, 1), F.lp_pool1d(x, 2, 3), F.adaptive_avg_pool1d(x, 3)),
         normal(1, 2, 9))
function("adaptive", lambda x: (F.adaptive_avg_pool2d(x, (3, 4)), F.adaptive_avg_pool2d(x, (None, 2))),
         normal(1, 2, 8, 9))
function(
    "where", lambda c, x, y: (torch.where(c, x, y), torch.where(x > 0, x, 0.5), x.masked_fill(c, -1e9),
                              torch.where(c, 1, 0), x.masked_fill(~c, float("-inf")).softmax(-1)),
    lambda: torch.tensor([[True, False, True, True]] * 3), normal(3, 4), normal(4))
function("masked_select", lambda x, m: torch.masked_select(x, m), normal(3, 4), bits(3, 4))
function("triangles", lambda x:
         (torch.tril(x), torch.triu(x, 1), torch.tril(x, -1), torch.diagonal(x), torch.diag_embed(x[0])), normal(4, 5))
function(
    "elementwise", lambda x:
    (torch.erf(x), torch.expm1(x), torch.log1p(x.abs()), torch.atan2(x, x + 1), torch.sinh(x), torch.rsqrt(x.abs() + 1),
     torch.floor(x), torch.round(x), torch.trunc(x), torch.sign(x), torch.frac(x), torch.reciprocal(x),
     torch.lerp(x, x + 1, 0.3), torch.addcmul(x, x, x, value=0.5), torch.addcdiv(x, x,
                                                                                 x.abs() + 1),
     torch.logit(torch.sigmoid(x)), torch.nan_to_num(x / 0), torch.clamp(x, -0.5), torch.clamp(x, max=0.5),
     torch.clip(x, -0.2, 0.3), torch.round(x, decimals=2), torch.ceil(x)), normal(3, 4))
function(
    "activations", lambda x:
    (F.gelu(x), F.gelu(x, approximate="tanh"), F.silu(x), F.mish(x), F.softplus(x), F.hardswish(x), F.hardtanh(x),
     F.celu(x), F.elu(x, 0.5), F.softsign(x), F.tanhshrink(x), F.softshrink(x), F.hardshrink(x), F.logsigmoid(x),
     F.threshold(x, 0.1, 3), F.glu(x), F.relu6(x), F.leaky_relu(x), F.softmin(x, 0)), normal(4, 6))
function("prelu", lambda x, w: F.prelu(x, w), normal(2, 3, 4), normal(3))
function(
    "integers", lambda a, b: (a // b, a % b, a + b, a * b, a & b, a | b, a ^ b, ~a, -a, abs(a), a.float() / 2,
                              torch.div(a, b, rounding_mode="floor"), torch.remainder(a, b)),
    lambda: torch.randint(-50, 50, (3, 4)), lambda: torch.randint(1, 9, (3, 4)))
function(
    "divisions", lambda a, b: (a // b, a % b, torch.fmod(a, b), torch.div(a, b, rounding_mode="trunc"),
                               torch.div(a, b, rounding_mode="floor"), a**2, 2**a, a.abs()**b), normal(3, 4),
    normal(3, 4))
function(
    "comparisons", lambda a, b: (a < b, a == b, (a > b) & (b > 0),
                                 (a > b) | (b > 0), ~(a > b), torch.logical_xor(a > 0, b > 0), torch.isnan(a / b),
                                 torch.maximum(a, b), torch.isclose(a, b), torch.eq(a, 0).to(torch.int64), a.isinf()),
    normal(3, 4), normal(3, 4))
function(
    "casts", lambda x, n, b: (x.to(torch.int32), n.float(), b.to(torch.float32), x.bool(), n.to(torch.int8), x.double(),
                              x.half(), x + b, n + b, x * n, b.int() + n, x.to(torch.int64)),
    lambda: 5 * torch.randn(3, 4), whole(300, 3, 4), bits(3, 4))
function("small_integers", lambda x, y, z: (x + y, y * z, x.to(torch.uint8), z - 1), whole(100, 4, dtype=torch.int16),
         whole(100, 4, dtype=torch.int32), whole(200, 4, dtype=torch.uint8))
function("doubles", lambda x: (torch.exp(x), torch.softmax(x, -1), x.mean(), x * 2), normal(3, 4, dtype=torch.float64))
function(
    "reshaped", lambda x:
    (x.view(6, 4), x.permute(2, 0, 1), x.flatten(1), x.unsqueeze(1).squeeze(), x.repeat(2, 1, 1), x.tile(
        (2, )), x.expand(5, 2, 3, 4), x.unflatten(2, (2, 2)), torch.stack([x, x], 1), x.roll(1, 2), x.flip(0),
     x.movedim(0, 2), x.repeat_interleave(2, 1)), normal(2, 3, 4))
function("split_up",
         lambda x: (*x.split(2, 1), *x.chunk(3, 1), *x.unbind(0), *x.split([1, 4], 1), *torch.tensor_split(x, 3, 1)),
         normal(3, 5))
function("folded", lambda x: F.fold(x, (4, 5), 2), normal(1, 8, 12))
function("shuffled", lambda x: (F.pixel_shuffle(x, 2), F.pixel_unshuffle(x, 2), F.channel_shuffle(x, 2)),
         normal(1, 8, 4, 6))
function(
    "created",
    lambda x: (torch.zeros(2, 3) + x, torch.ones_like(x), torch.arange(0, 6, 2) * 2, torch.linspace(0, 1, 3) + x,
               torch.eye(3) * x, torch.full_like(x, 7), x.new_zeros(2), torch.empty_like(x).fill_(3)), normal(3))
function("one_hot", lambda i: (F.one_hot(i, 5), F.one_hot(i, 5).float().argmax(-1)), whole(5, 4))
function(
    "losses", lambda x, t, y:
    (F.cross_entropy(x, t), F.mse_loss(x, y), F.l1_loss(x, y), F.smooth_l1_loss(x, y), F.nll_loss(
        F.log_softmax(x, 1), t), F.binary_cross_entropy_with_logits(x, torch.sigmoid(y)),
     F.kl_div(F.log_softmax(x, 1), torch.softmax(y, 1), reduction="batchmean"), F.huber_loss(x, y)), normal(4, 5),
    whole(5, 4), normal(4, 5))
function("affine", lambda t: F.affine_grid(t, (2, 1, 4, 5), align_corners=True), normal(2, 2, 3))
function("bucketed", lambda x, b: torch.bucketize(x, b), normal(5), lambda: torch.tensor([-1.0, 0, 0.5]))
function("dropped", lambda x: F.dropout(x, 0.5, training=False) + F.dropout2d(x[None], training=False)[0],
         normal(2, 3, 4))
function("strided", lambda x: x.as_strided((2, 3), (3, 1)), normal(6))
function("members", lambda x: torch.isin(x, torch.tensor([1, 3])), whole(5, 9))


def assigned(x, y):
    x = x.clone()
    x[1:3, 2:5] = y
    x[0] = 7
    x[:, 0] += 1
    x[x > 1] = 0
    return x


def updated(x):
    h = x.clone()
    h.mul_(2).add_(1)
    h[1] = 5
    return h, h.relu_()


for kind, dtype in (("half", torch.float16), ("bfloat", torch.bfloat16)):
    function(f"{kind}_elementwise", lambda x, y:
             (x + y, x * 2, torch.relu(x), torch.exp(x), torch.sigmoid(x), x.float(), x > y), normal(3, 4, dtype=dtype),
             normal(4, dtype=dtype))
    function(f"{kind}_norms", lambda x: (torch.softmax(x, -1), x.sum(0), x.mean(1)), normal(3, 4, dtype=dtype))
    function(f"{kind}_products", lambda x, y: (x @ y, x @ x.mT, torch.baddbmm(x @ x.mT, x, y, beta=0.5)),
             normal(2, 4, 5, dtype=dtype), normal(2, 5, 4, dtype=dtype))
    CASES[f"{kind}_mlp"] = lambda dtype=dtype: Case(
        nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.LayerNorm(32), nn.Linear(32, 4, bias=False)).to(dtype),
        [torch.randn(3, 16).to(dtype)])
    CASES[f"{kind}_convolution"] = lambda dtype=dtype: Case(
        nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.AvgPool2d(2)).to(dtype),
        [torch.randn(1, 3, 8, 8).to(dtype)])
    CASES[f"{kind}_transformer"] = lambda dtype=dtype: Case(
        Transformer(causal=True).to(dtype), [torch.randint(0, 50, (2, 6))])

# ---- What TVM's front end has not, or has otherwise -----------------------------------------------------------------

MISSING = {
    "scatter_add": lambda x, i: x.scatter_add(1, i, x),
    "scatter_reduce": lambda x, i: x.scatter_reduce(1, i, x, "amax"),
    "cummax": lambda x, i: torch.cummax(x, 1),
    "logcumsumexp": lambda x, i: torch.logcumsumexp(x, 1),
    "kthvalue": lambda x, i: x.kthvalue(2, 1),
    "amax": lambda x, i: x.amax(1),
    "min.dim": lambda x, i: x.min(1),
    "any.default": lambda x, i: (x > 0).any(),
    "_cdist_forward": lambda x, i: torch.cdist(x, x),
    "masked_scatter": lambda x, i: x.masked_scatter(x > 0, x),
    "nonzero": lambda x, i: torch.nonzero(x),
    "_unique2": lambda x, i: torch.unique(x),
    "copysign": lambda x, i: torch.copysign(x, -x),
    "erfinv": lambda x, i: torch.erfinv(x),
    "__lshift__": lambda x, i: i << 2,
    "adaptive_max_pool2d": lambda x, i: F.adaptive_max_pool2d(x[None], (2, 2)),
    "_fft_r2c": lambda x, i: torch.fft.rfft(x).abs(),
    "sort.stable": lambda x, i: torch.sort(x, stable=True),
    "linalg_inv": lambda x, i: torch.linalg.inv(x[:, :3])
}
for name, body in MISSING.items():
    function(f"missing_{name}", body, normal(3, 4), whole(3, 3, 4), refused=[f"no operator {name}"])

AT = "torch_cases.py:"
function("index_put_of_rows",
         lambda x, i: torch.index_put(x, (i, ), x),
         normal(3, 4),
         lambda: torch.tensor([2, 0, 1]),
         refused=["aten.index_put.default (", AT])
function("product_with_item",
         lambda x, i: x * i.item(),
         normal(3),
         lambda: torch.tensor(4),
         refused=["aten.mul.Tensor (", AT])


@case
def volume_transposed():
    return Case(nn.ConvTranspose3d(4, 2, 2, 2), [torch.randn(1, 4, 2, 2, 2)],
                refused=["convert aten.convolution.default"])


OTHERWISE = "TVM's front end converts it otherwise: "
function("cumsum_of_integers",
         lambda x: torch.cumsum(x, 0),
         whole(9, 3, 4, dtype=torch.int32),
         remark=OTHERWISE + "result 0 is int32, in PyTorch int64")
function("integers_times_reals",
         lambda n: (n + 1, n * 0.5),
         whole(9, 3),
         remark=OTHERWISE + "result 1 is int64, in PyTorch float32")
function("double_product",
         lambda x: x @ x.T,
         normal(3, 4, dtype=torch.float64),
         remark=OTHERWISE + "result 0 is float32, in PyTorch float64")
function("grid",
         lambda x, g: F.grid_sample(x, g, align_corners=True),
         normal(1, 2, 5, 6),
         lambda: 2 * torch.rand(1, 3, 4, 2) - 1,
         remark=OTHERWISE + "result 0 is 1x2x4x2, in PyTorch 1x2x3x4")
function("scaled_elu",
         F.selu,
         normal(3, 4),
         remark=OTHERWISE + "aten.elu.default without the scales")
function("divided_otherwise",
         lambda x: F.avg_pool2d(x, 3, divisor_override=4),
         normal(1, 2, 6, 6),
         remark=OTHERWISE + "aten.avg_pool2d.default without divisor_override")
function("smoothed",
         lambda x: F.interpolate(x, size=(5, 5), mode="bilinear", antialias=True),
         normal(1, 2, 8, 8),
         remark=OTHERWISE + "aten._upsample_bilinear2d_aa.default without antialias")
function("nearest_of_other_sizes",
         lambda x: F.interpolate(x, size=(13, 11)),
         normal(1, 2, 8, 8),
         remark=OTHERWISE + "aten.upsample_nearest2d.vec without how sizes that are no multiples are rounded")
