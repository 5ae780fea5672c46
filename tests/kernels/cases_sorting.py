"""The runs of library_sort.py: see cases.py."""

import numpy as np

from cases import OUT, Run, kernel

SORTED_SHAPES = ((3, 1), (2, 7), (3, 64), (2, 65), (2, 300), (1, 5000))


def sortable(rng, shape, dtype):
    """Many values that are equal or differ in any byte; of floats, NaNs, infinities, both zeros and denormal numbers too."""
    a = rng.integers(0, 2**64, shape, np.uint64, endpoint=False) >> (8 * rng.integers(0, 8, shape).astype(np.uint64))
    a = a.astype(f"uint{8 * np.dtype(dtype).itemsize}").view(dtype)
    if np.dtype(dtype).kind == "f":
        few = rng.choice(np.array([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0], dtype), shape)
        a = np.where(rng.random(shape) < 0.3, few, np.where(rng.random(shape) < 0.5, rng.standard_normal(shape).astype(dtype), a))
    return a


def stable_order(a, ascend, axis=-1):
    """Which element comes first, second, ..; NaNs last in either direction, zeros equal."""
    key = np.unique(a + a.dtype.type(0), return_inverse=True, equal_nan=True)[1].reshape(a.shape).astype(np.int64)
    nan = np.isnan(a) if a.dtype.kind == "f" else np.zeros(a.shape, bool)
    return np.argsort(np.where(nan, 2**62, key if ascend else -key), axis, kind="stable")


def sorts(function, dtype, numbers, ascend, axis=-1):
    def runs(rng):
        for shape in SORTED_SHAPES:
            a = sortable(rng, shape[::-1] if axis == 0 else shape, dtype)
            yield Run({"A": a, "N": OUT}, {"N": stable_order(a, ascend, axis).astype(numbers)})

    kernel("library_sort.py", function, tvm=False)(runs)


for name, row in {"descending_f64": ("float64", "int64", False), "columns_f16": ("float16", "int32", True, 0), "descending_i8": ("int8", "int32", False),
                  "ascending_u16": ("uint16", "int32", True), "ascending_i64": ("int64", "int64", True)}.items():
    sorts(name, *row)


@kernel("library_sort.py", "ascending_f32", tvm=False)
def ascending_f32(rng):
    for shape in SORTED_SHAPES:
        a = sortable(rng, shape, "float32")
        yield Run({"A": a, "V": OUT}, {"V": np.take_along_axis(a, stable_order(a, True), -1)})


@kernel("library_sort.py", "some_i32", tvm=False)
def some_i32(rng):
    for m, n in SORTED_SHAPES:
        a, counts = sortable(rng, (m, n), "int32"), rng.integers(-1, n + 2, m).astype(np.int32)
        order = np.tile(np.arange(n, dtype=np.int32), (m, 1))
        for row, count in enumerate(np.clip(counts, 0, n)):
            order[row, :count] = stable_order(a[row, :count], True)
        yield Run({"A": a, "C": counts, "N": OUT}, {"N": order})


def tops(function, dtype, numbers, ascend, values=True):
    def runs(rng):
        for shape in ((2, 7), (3, 56), (2, 64), (2, 65), (3, 300), (1, 5000)):
            a = sortable(rng, shape, dtype)
            order = stable_order(a, ascend)[:, :7]
            outputs = {"V": np.take_along_axis(a, order, -1)} if values else {}
            yield Run({"A": a, **dict.fromkeys(outputs, OUT), "N": OUT}, {**outputs, "N": order.astype(numbers)})

    kernel("library_sort.py", function, tvm=False)(runs)


tops("best_f32", "float32", "int32", False)
tops("least_u64", "uint64", "int64", True)
tops("best_i8", "int8", "int32", False, values=False)
