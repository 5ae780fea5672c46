# What Python's grammar allows around a program: docstrings, comments, continued lines, semicolons, static branches.
from __future__ import annotations
from typing import TypeVar

from tvm.script import tirx as T

WIDTH = 0x10 // \
    2
NAME = "copy" "_rows"
FAST = not False


@T.inline
def put(buffer, index, value=1):
    buffer[index] = value


@T.prim_func(s_tir=True, check_well_formed=False)
def copy(
    A: T.Buffer((WIDTH, 1_000), "int32"),  # a trailing comma
    B: T.Buffer([WIDTH, 1_000], dtype=T.int32),
) -> None:
    r"""Copies rows.

        The indentation of a docstring does not count.
    """
    if FAST:
        step = T.meta_var(2)
    else:
        undefined_and_not_read()
    for i in range(WIDTH): B[i, 0] = A[i, 0]; B[i, 1] = A[i, 1]
    for i in T.serial(
        WIDTH,
        annotations={"name": NAME, "list": [1, 2, (3,)]},
    ):
        B[i, step] = (A[i, step]
                      + 1)
    put(B, (0, 3))
    put(index=(0, 4), buffer=B, value=A[0, 4])
    with T.If(A[0, 0] > 3):
        with T.Then():
            B[1, 1] = 1
        with T.Else():
            B[1, 1] = 2
    bx = T.launch_thread("blockIdx.x", 4)
    with T.launch_thread("threadIdx.x", 2) as tx:
        B[bx, tx] = 0
