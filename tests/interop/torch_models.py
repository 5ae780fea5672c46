#!/usr/bin/env python3
"""`tirb import` of models that torch.export saves, with random weights: tirb's results against PyTorch's.

    torch_models.py TIRB [name ...]"""
import os
import pathlib
import sys
import tempfile

try:
    import numpy as np
    import torch
    import tvm  # noqa: F401: what import needs
    from torch import nn
except ImportError as missing:
    print(f"{missing.name} is not installed: skipped")
    sys.exit(77)

from onnx_models import problem_of, run


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


class Transformer(nn.Module):
    """A layer of attention and one of its norm and its own network, before the scores of tokens."""

    def __init__(self, width=32, heads=4):
        super().__init__()
        self.heads, self.table = heads, nn.Embedding(50, width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.deep = nn.Sequential(nn.Linear(width, 64), nn.GELU(), nn.Linear(64, width))

    def forward(self, tokens):
        h = self.table(tokens)
        b, s, w = h.shape
        q, k, v = self.qkv(self.first(h)).view(b, s, 3, self.heads, w // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        mixed = nn.functional.scaled_dot_product_attention(q, k, v)
        h = h + self.out(mixed.transpose(1, 2).reshape(b, s, w))
        return self.deep(self.second(h)) + h


class Named(nn.Module):
    """Results in a dictionary."""

    def forward(self, x):
        return {"out.first": torch.relu(x), "others": [torch.exp(x), x + 1]}


def models():
    yield "mlp", nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4)), torch.randn(3, 16)
    yield ("residual", nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.MaxPool2d(2), Block(8, 2), nn.AdaptiveAvgPool2d(1),
                                     nn.Flatten(), nn.Linear(16, 10)), torch.randn(2, 3, 16, 16))
    yield "transformer", Transformer(), torch.randint(0, 50, (2, 6))
    yield "named", Named(), torch.randn(2, 3)


def main():
    tirb, chosen, wrong, right = os.path.abspath(sys.argv[1]), sys.argv[2:], 0, 0
    torch.manual_seed(1)
    for name, model, example in models():
        if chosen and name not in chosen:
            continue
        model.eval()
        with torch.no_grad(), tempfile.TemporaryDirectory() as name_of_folder:
            folder = pathlib.Path(name_of_folder)
            torch.export.save(torch.export.export(model, (example,)), folder / "model.pt2")
            try:
                printed = run([tirb, "import", "model.pt2"], folder)
                np.save(folder / next(w for w in printed.split() if "=@" in w).partition("=@")[2], example.numpy())
                wanted = model(example)
                if isinstance(wanted, dict):
                    wanted = {"out.first": wanted["out.first"], "others.0": wanted["others"][0], "2": wanted["others"][1]}
                else:
                    wanted = {"0": wanted}
                outputs = [word for i, part in enumerate(wanted) for word in ("-o", f"{part}=@out{i}.npy")]
                run([tirb, *printed.split()[1:], *outputs], folder)
                problem = next((p for i, w in enumerate(wanted.values())
                                if (p := problem_of(w.numpy(), np.load(folder / f"out{i}.npy")))), "")
            except ValueError as refused:
                problem = str(refused)
        wrong, right = wrong + bool(problem), right + (not problem)
        if problem:
            print(f"WRONG {name}: {problem}")
    print(f"{right} passed, {wrong} failed")
    return 1 if wrong or not right else 0


if __name__ == "__main__":
    sys.exit(main())
