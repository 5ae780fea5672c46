from tvm.script import tirx as T


@T.prim_func
def variables(A: T.Buffer((64,), "float32"), count: T.int32, p: T.handle("float32", "global")) -> T.float32:
    total = T.float32(0)
    i: T.int32 = 0
    flag: T.bool
    half: T.let[T.float32] = A[0] * 0.5
    other: T.let = half + 1.0
    third = T.bind(other)
    local: T.float32[4]
    tile = T.alloc_local((4, 4), "float32")
    shared = T.alloc_buffer((8,), "float32", scope="shared", annotations={"a": 1})
    view = T.decl_buffer((2, 4), data=shared.data)
    while i < count:
        total += A[i]
        i = i + 1
        if total > 100.0:
            break
        if not (0 < i < 10) or i % 2 == 0:
            continue
        x, y = i, i + 1
        x, y = y, x
        local[x % 4] = T.float32(y)
    for j in range(2, 10, 2):
        tile[0, j // 4] = third
    for *indices, k in T.grid(2, (1, 2), 4):
        view[indices[0], k] = A[k] if k > 2 else total
    for k in T.vectorized(4):
        shared[k] = A[k]
    for k in T.parallel(0, 4, annotations={"pragma": 1}):
        A[k] *= 2.0
    A[0:4] = shared[0:4] + T.Broadcast(T.float32(1), 4)
    A[0:8:2] = A[T.Ramp(1, 2, 4)]
    A[4:8] = 3
    assert total >= 0.0, ("ValueError", ["total ", "is negative"])
    flag = T.isnan(total)
    total = T.Select(flag, T.float32("inf"), total)
    T.evaluate(T.Let(i + 1, where={T.int32(): 4}) + count)
    with T.attr(0, "key", 1):
        T.attr({"a": 1, "b": "two"})
        A[1] = -A[1]
    return total


@T.prim_func
def types(A: T.Buffer((), "int8"), B: T.Buffer((4,), "uint16"), C: T.Buffer((4,), "bfloat16"), D: T.Buffer((4,), "float32x4"),
          E: T.Buffer((4,), "bool"), F: T.Buffer((4,), "float64"), G: T.Buffer((4,), "uint64")):
    A[()] = A[()] + T.int8(1)
    B[0] = T.shift_right(B[1], T.uint16(2)) | (B[2] & ~B[3]) ^ T.max_value("uint16")
    C[0] = C[1].astype("float32") * 2.0
    D[0] = T.Broadcast(T.float32(1), 4)
    E[0] = T.And(E[1], T.Not(E[2]))
    F[0] = T.float64(1e300) + T.pow(F[1], T.float64(2)) + T.reinterpret("float64", G[0])
    G[0] = T.uint64(18446744073709551615)
    G[1] = T.large_uint_imm(1, 2) + T.Cast("uint64", T.popcount(B[0]))
    F[1] = T.fma(F[0], F[1], F[2]) + T.min(F[0], 1) + T.abs(F[3]) - T.floor(2.5)
    C[1] = T.bfloat16("-inf")
    A[()] = T.truncdiv(A[()], T.int8(3)) + T.truncmod(A[()], T.int8(3)) + T.ceildiv(A[()], T.int8(2))


@T.prim_func
def even(n: T.int32) -> T.bool:
    if n == 0:
        return True
    return odd(n - 1)


@T.prim_func
def odd(n: T.int32) -> T.bool:
    if n == 0:
        return False
    return even(n - 1)


@T.prim_func(s_tir=True)
def rows(A: T.Buffer(("n", "m + 1"), "float32"), B: T.Buffer(("n",), "float32", strides=("s",), elem_offset="o")):
    n = T.int32()
    m = T.int32()
    for i in range(n):
        row_sum(A[i, 0:m + 1], T.address_of(B[i]), m + 1)
        row_sum(A[i], B.data, 4)


@T.prim_func(s_tir=True)
def row_sum(row: T.handle, out: T.handle, m: T.int32):
    R = T.match_buffer(row, (m,), "float32")
    O = T.match_buffer(out, (1,), "float32")
    for i in T.serial(m):
        with T.sblock("sum"):
            v = T.axis.reduce(m, i)
            with T.init():
                O[0] = 0.0
            O[0] += R[v]
# error: 83:9 passing a buffer with strides to a parameter without cannot be compiled yet
