# What memory, or a variable that is set, says once: where a loop in steps begins and how far it steps, strides of a
# view, the size of a matched or realized region, the axes of a block whose threads meet. It may be stored to before it
# is asked for again.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def steps_from_variable(x: T.Buffer((100,), "int32"), o: T.Buffer((100,), "int32")):
        k: T.int64 = T.int64(10)
        for i in T.serial(k, T.int64(100), step=3):
            k = k + T.int64(1)
            if x[i] == 3:
                k = T.int64(2)
            o[i] = T.Cast("int32", k)

    @T.prim_func(s_tir=True)
    def from_memory(x: T.Buffer((100,), "int32"), n: T.Buffer((2,), "int64"), o: T.Buffer((100,), "int32")):
        n[0] = T.int64(0)
        n[1] = T.int64(60)
        for i in range(n[n[0]], n[1 - n[0]]):
            o[i] = x[i]
            n[1] = n[1] - T.int64(5)
            n[0] = T.Cast("int64", x[i]) % T.int64(2)

    @T.prim_func(s_tir=True)
    def steps_from_memory(x: T.Buffer((100,), "int32"), n: T.Buffer((2,), "int64"), o: T.Buffer((100,), "int32")):
        n[0] = T.int64(3)
        for i in T.serial(n[0], T.int64(90), step=3):
            o[i] = x[i]
            n[0] = T.int64(1)

    @T.prim_func(s_tir=True)
    def steps_from_words(x: T.Buffer((100,), "int32"), n: T.Buffer((2,), "int32"), o: T.Buffer((100,), "int32")):
        n[0] = 3
        n[1] = 80
        for i in T.serial(n[0], n[1], step=2):
            o[i] = x[i]
            n[0] = 1
            n[1] = 2

    @T.prim_func(s_tir=True)
    def steps_inside(x: T.Buffer((100,), "int32"), n: T.Buffer((2,), "int32"), o: T.Buffer((100,), "int32")):
        n[0] = 3
        for j in range(4):
            for i in T.serial(n[0], 90, step=2):
                o[i] = o[i] + x[i] + j
            n[0] = n[0] + 1

    @T.prim_func(s_tir=True)
    def steps_by_memory(x: T.Buffer((100,), "int32"), n: T.Buffer((2,), "int32"), o: T.Buffer((100,), "int32")):
        n[0] = 3
        for i in T.serial(1, 90, step=T.max(n[0], 2)):
            o[i] = x[i]
            n[0] = 5

    @T.prim_func(s_tir=True)
    def strides_in_memory(x: T.Buffer((1000,), "int32"), n: T.Buffer((2,), "int32"), o: T.Buffer((10, 10), "int32")):
        n[0] = 10
        v = T.decl_buffer((10, 10), "int32", data=x.data, strides=[n[0], 1])
        for i in range(10):
            for j in range(10):
                o[i, j] = v[i, j]
            n[0] = n[0] + 1

    @T.prim_func(s_tir=True)
    def strides_in_variable(x: T.Buffer((1000,), "int32"), o: T.Buffer((10, 10), "int32")):
        k: T.int32 = 10
        v = T.decl_buffer((10, 10), "int32", data=x.data, strides=[k, 1])
        for i in range(10):
            for j in range(10):
                o[i, j] = v[i, j]
            k = k + 1

    @T.prim_func(s_tir=True)
    def offset_in_variable(x: T.Buffer((1000,), "int32"), o: T.Buffer((10, 10), "int32")):
        k: T.int32 = 10
        v = T.decl_buffer((10, 10), "int32", data=x.data, elem_offset=k)
        for i in range(10):
            for j in range(10):
                o[i, j] = v[i, j]
            k = k + 1

    @T.prim_func(s_tir=True)
    def extent_in_variable(x: T.Buffer((1000,), "int32"), o: T.Buffer((10, 10), "int32")):
        k: T.int32 = 10
        v = T.alloc_buffer((10, k), "int32")
        for i in range(10):
            for j in range(10):
                v[i, j] = x[i * 10 + j]
            k = k + 1
        for i in range(10):
            for j in range(10):
                o[i, j] = v[j, i]

    @T.prim_func(s_tir=True)
    def axes(x: T.Buffer((1000,), "int32"), n: T.Buffer((2,), "int32"), o: T.Buffer((10,), "int32")):
        n[0] = 2
        for i in range(8):
            with T.sblock("b"):
                vi = T.axis.spatial(10, i + n[0])
                n[0] = (x[i] % 2 + 2) % 2
                o[vi] = x[vi]
                n[0] = (x[i + 1] % 2 + 2) % 2
                o[vi] = o[vi] + x[vi]

    @T.prim_func(s_tir=True)
    def region(x: T.Buffer((1000,), "int32"), n: T.Buffer((2,), "int32"), o: T.Buffer((10,), "int32")):
        n[0] = 2
        with T.sblock("b"):
            m = T.match_buffer(x[n[0]:n[0] + 10], (10,), "int32", offset_factor=1)
            for i in range(10):
                n[0] = i
                o[i] = m[i]

    @T.prim_func(s_tir=True)
    def extent_of_region(x: T.Buffer((1000,), "int32"), n: T.Buffer((2,), "int32"), o: T.Buffer((10,), "int32")):
        n[0] = 10
        k = T.int32()
        with T.sblock("b"):
            m = T.match_buffer(x[3:3 + n[0]], (k,), "int32", offset_factor=1)
            for i in range(10):
                n[0] = i
                o[i] = m[i] + k

    @T.prim_func(s_tir=True)
    def offset_of_region(x: T.Buffer((1000,), "int32"), n: T.Buffer((2,), "int32"), o: T.Buffer((10,), "int32")):
        n[0] = 10
        k = T.int32()
        with T.sblock("b"):
            m = T.match_buffer(x[n[0]:n[0] + 10], (10,), "int32", elem_offset=k, offset_factor=1)
            for i in range(10):
                n[0] = i
                o[i] = m[i] + k

    @T.prim_func(s_tir=True)
    def threads_in_steps(x: T.Buffer((1000,), "int32"), n: T.Buffer((2,), "int32"), o: T.Buffer((100,), "int32")):
        n[0] = 3
        n[1] = 2
        for t in T.thread_binding(4, thread="threadIdx.x"):
            s = T.alloc_buffer((4,), "int32", scope="shared")
            for i in T.serial(n[0], 20, step=2):
                s[t] = x[i + t]
                T.evaluate(T.tvm_storage_sync("shared", dtype="int32"))
                o[i * 4 + t] = s[3 - t]
                T.evaluate(T.tvm_storage_sync("shared", dtype="int32"))
                if t == 0:
                    n[0] = 1
                T.evaluate(T.tvm_storage_sync("shared", dtype="int32"))
                o[i + t] = o[i + t] + i

    @T.prim_func(s_tir=True)
    def threads_by_steps(x: T.Buffer((1000,), "int32"), n: T.Buffer((2,), "int32"), o: T.Buffer((100,), "int32")):
        n[0] = 3
        n[1] = 2
        for t in T.thread_binding(4, thread="threadIdx.x"):
            s = T.alloc_buffer((4,), "int32", scope="shared")
            for i in T.serial(3, 20, step=n[1]):
                s[t] = x[i + t]
                T.evaluate(T.tvm_storage_sync("shared", dtype="int32"))
                o[i * 4 + t] = s[3 - t]
                T.evaluate(T.tvm_storage_sync("shared", dtype="int32"))
                if t == 0:
                    n[1] = 3
                T.evaluate(T.tvm_storage_sync("shared", dtype="int32"))
                o[i + t] = o[i + t] + i

    @T.prim_func(s_tir=True)
    def axes_of_threads(x: T.Buffer((1000,), "int32"), n: T.Buffer((2,), "int32"), o: T.Buffer((100,), "int32")):
        n[0] = 3
        for t in T.thread_binding(4, thread="threadIdx.x"):
            with T.sblock("root"):
                s = T.sblock_alloc_buffer((4,), "int32", scope="shared")
                for i in range(5):
                    with T.sblock("b"):
                        vi = T.axis.spatial(20, i + n[0])
                        s[t] = x[vi + t]
                        T.evaluate(T.tvm_storage_sync("shared", dtype="int32"))
                        o[vi * 4 + t] = s[3 - t]
                        T.evaluate(T.tvm_storage_sync("shared", dtype="int32"))
                        if t == 0:
                            n[0] = n[0] % 2 + 1
                        T.evaluate(T.tvm_storage_sync("shared", dtype="int32"))
                        o[vi + t] = o[vi + t] + vi

    @T.prim_func(s_tir=True)
    def axes_of_each_thread(x: T.Buffer((1000,), "int32"), n: T.Buffer((4,), "int32"), o: T.Buffer((100,), "int32")):
        for j in range(4):
            n[j] = 3 + j % 2
        for t in T.thread_binding(4, thread="threadIdx.x"):
            with T.sblock("root"):
                s = T.sblock_alloc_buffer((4,), "int32", scope="shared")
                for i in range(5):
                    with T.sblock("b"):
                        vi = T.axis.spatial(20, i + n[t])
                        vt = T.axis.spatial(4, t)
                        s[vt] = x[vi + t]
                        T.evaluate(T.tvm_storage_sync("shared", dtype="int32"))
                        n[t] = n[t] % 2 + 1
                        T.evaluate(T.tvm_storage_sync("shared", dtype="int32"))
                        o[vi * 4 + vt] = s[3 - t] + vi

    @T.prim_func(s_tir=True)
    def views_of_threads(x: T.Buffer((1000,), "int32"), n: T.Buffer((2,), "int32"), o: T.Buffer((100,), "int32")):
        n[0] = 3
        n[1] = 7
        for t in T.thread_binding(4, thread="threadIdx.x"):
            s = T.alloc_buffer((4,), "int32", scope="shared")
            v = T.decl_buffer((10, 4), "int32", data=x.data, elem_offset=n[0], strides=[n[1], 1])
            for i in range(5):
                s[t] = v[i, t]
                T.evaluate(T.tvm_storage_sync("shared", dtype="int32"))
                o[i * 4 + t] = s[3 - t]
                if t == 0:
                    n[0] = i
                    n[1] = 4 + i
                T.evaluate(T.tvm_storage_sync("shared", dtype="int32"))

    @T.prim_func(s_tir=True)
    def regions_of_threads(x: T.Buffer((1000,), "int32"), n: T.Buffer((2,), "int32"), o: T.Buffer((100,), "int32")):
        n[0] = 3
        for t in T.thread_binding(4, thread="threadIdx.x"):
            with T.sblock("root"):
                s = T.sblock_alloc_buffer((4,), "int32", scope="shared")
                m = T.match_buffer(x[n[0]:n[0] + 20], (20,), "int32", offset_factor=1)
                for i in range(5):
                    s[t] = m[i + t]
                    T.evaluate(T.tvm_storage_sync("shared", dtype="int32"))
                    o[i * 4 + t] = s[3 - t]
                    if t == 0:
                        n[0] = i
                    T.evaluate(T.tvm_storage_sync("shared", dtype="int32"))

    @T.prim_func(s_tir=True)
    def realized(x: T.Buffer((100,), "int32"), n: T.Buffer((2,), "int32"), o: T.Buffer((100,), "int32")):
        n[0] = 3
        n[1] = 20
        b = T.decl_buffer((100,), "int32")
        with T.realize(b[n[0]:n[0] + n[1]]):
            for i in range(20):
                b[i + 3] = x[i]
                n[0] = i % 3 + 1
                n[1] = 18 - i
                o[i] = b[i + 3] + b[3]

    # An extent that memory says is the view's alone: what it was read into stays a variable.
    @T.prim_func(s_tir=True)
    def extent_in_memory(A: T.Buffer((100,), "int32"), N: T.Buffer((4,), "int32"), O: T.Buffer((20,), "int32")):
        N[0] = 10
        N[1] = 0
        W = T.decl_buffer((N[0],), "int32", data=A.data)
        if N[1] > 0:
            O[0] = W[0]
        O[1] = W[1]
        N[0] = 5
        O[2] = W[7]

    # Views of extents that are names of the iteration, in code that is written again.
    @T.prim_func(s_tir=True)
    def unrolled_views(A: T.Buffer((200,), "int32"), N: T.Buffer((64,), "int32"), O: T.Buffer((64,), "int32")):
        for i in range(64):
            for u in T.unroll(3):
                k: T.let[T.int32] = N[(i + u) % 64] % 8 + 4
                W = T.decl_buffer((k, k), "int32", data=A.data)
                O[i] = O[i] + W[u, 3 - u]

    @T.prim_func(s_tir=True)
    def inner_views(A: T.Buffer((2000,), "int32"), N: T.Buffer((64,), "int32"), O: T.Buffer((64,), "int32"), n: T.int32):
        for i in range(n % 64):
            k: T.let[T.int32] = N[i] % 8 + 20
            W = T.decl_buffer((8, k), "int32", data=A.data)
            t = T.alloc_buffer((4,), "int32")
            for j in range(4):
                t[j] = W[j, i % 20]
            for j in range(4):
                O[i] = O[i] + t[3 - j] * W[j, j]

    @T.prim_func(s_tir=True)
    def break_views(A: T.Buffer((2000,), "int32"), N: T.Buffer((200,), "int32"), O: T.Buffer((200,), "int32")):
        for j in range(200):
            k: T.let[T.int32] = N[j] % 8 + 12
            W = T.decl_buffer((8, k), "int32", data=A.data)
            O[j] = W[2, 11] + W[1, 12 + j % 2]
            if N[j] == 11:
                break

    # Their elements are not what a nest could compute before it.
    @T.prim_func(s_tir=True)
    def lane_views(A: T.Buffer((200,), "int32"), N: T.Buffer((64,), "int32"), O: T.Buffer((64,), "int32")):
        for i in range(64):
            k: T.let[T.int32] = N[i] % 8 + 8
            W = T.decl_buffer((8, k), "int32", data=A.data)
            for j in range(4):
                O[i] = O[i] + W[j, N[j] % 8]

    @T.prim_func(s_tir=True)
    def fewer_elements(A: T.Buffer((200,), "int32"), N: T.Buffer((64,), "int32"), O: T.Buffer((64,), "int32")):
        for i in range(64):
            k: T.let[T.int32] = N[i] % 8 + 4
            W = T.decl_buffer((8, k), "int32", data=A.data)
            for j in range(4):
                O[i] = O[i] + W[j, N[j] % 8]

    @T.prim_func(s_tir=True)
    def two_nests(A: T.Buffer((200,), "int32"), N: T.Buffer((64,), "int32"), O: T.Buffer((64, 16), "int32"),
                  P: T.Buffer((64, 16), "int32")):
        for i in range(64):
            k: T.let[T.int32] = N[i] % 8 + 16
            W = T.decl_buffer((8, k), "int32", data=A.data)
            for j in range(16):
                O[i, j] = W[2, j]
            for j in range(16):
                P[i, j] = W[3, j] + O[i, 15 - j]

    # The view's extent is the same for both statements, which are one for each place otherwise.
    @T.prim_func(s_tir=True)
    def two_places(A: T.Buffer((64,), "int32"), N: T.Buffer((20,), "int32"), O: T.Buffer((20,), "int32")):
        for i in range(10):
            W = T.decl_buffer((i * 2 + 4,), "int32", data=A.data)
            O[i * 2] = W[T.max(T.min(N[i * 2], 4), 0)]
            O[i * 2 + 1] = W[T.max(T.min(N[i * 2 + 1], 4), 0)]
