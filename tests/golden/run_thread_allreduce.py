# Reductions over threads: all that differ in the named threads alone get one result, in the order of the threads.
# expect: sums(2x8xi32=1 2 3 4 5 6 7 8 10 20 30 40 50 60 70 80, 2xi32=0) -> 36 360
# expect: rows(2x4xi32=1 2 3 4 10 20 30 40, 2x4xi32=0) -> 10 10 10 10 100 100 100 100
# expect: columns(2x4xi32=1 2 3 4 10 20 30 40, 4xi32=0) -> 11 22 33 44
# expect: greatest(5xf32=1 7 3 7 2, i32=0, f32=0) -> 1, 7
# expect: some(6xi32=5 1 4 2 9 3, i32=0) -> 13
# expect: twice(4xi32=1 2 3 4, 4xi32=0) -> 9 18 27 36
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def sums(A: T.Buffer((2, 8), "int32"), B: T.Buffer((2,), "int32")):
    for b in T.thread_binding(2, thread="blockIdx.x"):
        with T.sblock(""):
            mine = T.sblock_alloc_buffer((1,), "int32", scope="local")
            for t in T.thread_binding(4, thread="threadIdx.x"):
                with T.sblock(""):
                    total = T.sblock_alloc_buffer((1,), "int32", scope="local")
                    mine[0] = 0
                    for k in range(2):
                        mine[0] = mine[0] + A[b, k * 4 + t]
                    with T.sblock("cross"):
                        T.attr(T.comm_reducer(lambda x, y: x + y, [T.int32(0)]), "reduce_scope", 0)
                        T.tvm_thread_allreduce(T.uint32(1), mine[0], T.bool(True), total[0], t)
                    with T.sblock("back"):
                        T.where(t == 0)
                        B[b] = total[0]


@T.prim_func(s_tir=True)
def rows(A: T.Buffer((2, 4), "int32"), B: T.Buffer((2, 4), "int32")):
    with T.launch_thread("threadIdx.y", 2) as y:
        x = T.launch_thread("threadIdx.x", 4)
        total = T.alloc_local((1,), "int32")
        with T.attr(T.comm_reducer(lambda a, b: a + b, [T.int32(0)]), "reduce_scope", 0):
            T.tvm_thread_allreduce(T.uint32(1), A[y, x], T.bool(True), total[0], x)
        B[y, x] = total[0]


@T.prim_func(s_tir=True)
def columns(A: T.Buffer((2, 4), "int32"), B: T.Buffer((4,), "int32")):
    with T.launch_thread("threadIdx.y", 2) as y:
        x = T.launch_thread("threadIdx.x", 4)
        total = T.alloc_local((1,), "int32")
        with T.attr(T.comm_reducer(lambda a, b: a + b, [T.int32(0)]), "reduce_scope", 0):
            T.tvm_thread_allreduce(T.uint32(1), A[y, x], T.bool(True), total[0], y)
        if y == 1:
            B[x] = total[0]


@T.prim_func(s_tir=True)
def greatest(A: T.Buffer((5,), "float32"), I: T.Buffer((), "int32"), V: T.Buffer((), "float32")):
    with T.launch_thread("threadIdx.x", 5) as x:
        place = T.alloc_local((1,), "int32")
        value = T.alloc_local((1,), "float32")
        with T.attr(T.comm_reducer(lambda i, v, j, w: (T.if_then_else(v >= w, i, j), T.if_then_else(v >= w, v, w)),
                                   [T.int32(-1), T.float32(-1000)]), "reduce_scope", 0):
            T.tvm_thread_allreduce(T.uint32(2), x, A[x], T.bool(True), place[0], value[0], x)
        if x == 4:
            I[()] = place[0]
            V[()] = value[0]


@T.prim_func(s_tir=True)
def some(A: T.Buffer((6,), "int32"), B: T.Buffer((), "int32")):
    with T.launch_thread("threadIdx.x", 6) as x:
        total = T.alloc_buffer((1,), "int32", scope="shared")
        with T.attr(T.comm_reducer(lambda a, b: a + b, [T.int32(0)]), "reduce_scope", 0):
            T.tvm_thread_allreduce(T.uint32(1), A[x], x % 4 < 3 and A[x] > 3 or x == 5, total[0], x)
        if x == 0:
            B[()] = total[0] - 8


@T.prim_func(s_tir=True)
def twice(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
    with T.launch_thread("threadIdx.x", 4) as x:
        total = T.alloc_local((1,), "int32")
        B[x] = 0
        for k in range(2):
            with T.attr(T.comm_reducer(lambda a, b: T.max(a, b), [T.int32(0)]), "reduce_scope", 0):
                T.tvm_thread_allreduce(T.uint32(1), A[x] + k, T.bool(True), total[0], x)
            B[x] = B[x] + total[0] * A[x]
