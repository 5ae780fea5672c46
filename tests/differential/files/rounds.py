# Short loops inside of lanes, whose rounds are written out: what they hand to each other in memory and in variables.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def several_sums(a: T.Buffer((19, 37), "float32"), b: T.Buffer((19, 37), "float32"),
                     o: T.Buffer((17, 35, 3), "float32")):
        for y, x in T.grid(17, 35):
            for c in range(3):
                o[y, x, c] = T.float32(0)
            for dy, dx in T.grid(3, 3):
                o[y, x, 0] = o[y, x, 0] + a[y + dy, x + dx] * a[y + dy, x + dx]
                o[y, x, 1] = o[y, x, 1] + a[y + dy, x + dx] * b[y + dy, x + dx]
                o[y, x, 2] = o[y, x, 2] + b[y + dy, x + dx] * b[y + dy, x + dx]

    @T.prim_func(s_tir=True)
    def points(m: T.Buffer((4, 4), "float32"), p: T.Buffer(("n", 3), "float32"), o: T.Buffer(("n", 3), "float32")):
        n = T.int32()
        for i in range(n):
            w: T.float32 = m[3, 0] * p[i, 0] + m[3, 1] * p[i, 1] + m[3, 2] * p[i, 2] + m[3, 3]
            for r in range(3):
                o[i, r] = (m[r, 0] * p[i, 0] + m[r, 1] * p[i, 1] + m[r, 2] * p[i, 2] + m[r, 3]) / w

    @T.prim_func(s_tir=True)
    def in_place(m: T.Buffer((3, 3), "float32"), p: T.Buffer((70, 3), "float32")):
        for i in range(70):
            s: T.float32 = p[i, 0]
            for r in range(3):
                p[i, r] = p[i, r] + m[r, 0] * s + m[r, 1] * p[i, (r + 1) % 3]

    @T.prim_func(s_tir=True)
    def stored_again(a: T.Buffer((40, 64), "int32"), o: T.Buffer((64,), "int32"), q: T.Buffer((64,), "int32")):
        for i in range(64):
            last: T.int32 = 7
            for k in range(5):
                o[i] = a[k, i] + last
                q[i] = o[i] * 3
                last = last + q[i] - a[k + 1, i]
            o[i] = o[i] + last

    @T.prim_func(s_tir=True)
    def before_and_behind(a: T.Buffer((80,), "float32"), b: T.Buffer((80, 4), "float32")):
        for i in range(80):
            for k in range(4):
                b[i, k] = a[i] * T.float32(0.5) + b[i, k]
                if k > 0:
                    b[i, k] = b[i, k] - b[i, k - 1]
            b[i, 0] = b[i, 3]

    @T.prim_func(s_tir=True)
    def may_be_one(a: T.handle, b: T.handle, n: T.int32):
        A = T.match_buffer(a, (n, 2), "float32")
        B = T.match_buffer(b, (n, 2), "float32")
        for i in range(n):
            s: T.float32 = T.float32(0)
            for k in range(2):
                A[i, k] = B[i, 1 - k] + s
                s = s + A[i, k] * B[i, k]
            B[i, 0] = s

    @T.prim_func(s_tir=True)
    def chosen(a: T.Buffer((50, 8), "int32"), o: T.Buffer((50,), "int32"), w: T.Buffer((50,), "int32")):
        for i in range(50):
            best: T.int32 = a[i, 0]
            at: T.int32 = 0
            for k in range(1, 8):
                if a[i, k] > best:
                    best = a[i, k]
                    at = k
            o[i] = best
            w[i] = at

    @T.prim_func(s_tir=True)
    def copied(a: T.Buffer((66, 4), "float32"), o: T.Buffer((64, 4), "float32"), q: T.Buffer((64,), "float32")):
        for i in range(64):
            held: T.float32 = a[i, 0]
            for k in range(4):
                o[i, k] = held
                held = a[i + 1, k]
            q[i] = held

    @T.prim_func(s_tir=True)
    def columns(a: T.Buffer((6, 40), "float32"), o: T.Buffer((7, 40), "float32")):
        for j in range(40):
            o[0, j] = T.float32(1)
            for k in range(6):
                o[k + 1, j] = o[k, j] * T.float32(0.5) + a[k, j]

    @T.prim_func(s_tir=True)
    def forces(P: T.Buffer(("m", 3), "float32"), Q: T.Buffer(("n", 3), "float32"), A: T.Buffer(("n", 3), "float32")):
        n, m = T.int32(), T.int32()
        for i in range(n):
            A[i, 0] = T.float32(0)
            A[i, 1] = T.float32(0)
            for j in range(m):
                A[i, 0] = A[i, 0] + P[j, 0] * Q[i, 2]
                A[i, 1] = A[i, 1] + P[j, 1] * Q[i, 0] - A[i, 2]

    @T.prim_func(s_tir=True)
    def begun_at_times(P: T.Buffer(("m", 2), "float32"), A: T.Buffer(("n", 2), "float32")):
        n, m = T.int32(), T.int32()
        for i in range(n):
            if P[0, 0] > T.float32(0):
                A[i, 0] = T.float32(1)
            for j in range(m):
                A[i, 1] = P[j, 0] + A[i, 1]
                A[i, 0] = A[i, 0] + P[j, 1] * A[i, 1]

    @T.prim_func(s_tir=True)
    def collisions(F: T.Buffer(("n", 9), "float32"), Y: T.Buffer(("n", 9), "float32"), R: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            for q in range(9):
                with T.sblock("sums"):
                    vi = T.axis.spatial(n, i)
                    vq = T.axis.reduce(9, q)
                    with T.init():
                        R[vi] = T.float32(0)
                    R[vi] = R[vi] + F[vi, vq]
            for q in range(9):
                Y[i, q] = F[i, q] * T.float32(0.4) + R[i]

    @T.prim_func(s_tir=True)
    def carried_collisions(F: T.Buffer((30, 9), "float32"), R: T.Buffer((31,), "float32")):
        for i in range(30):
            for q in range(9):
                with T.sblock("sums"):
                    vi = T.axis.spatial(30, i)
                    vq = T.axis.reduce(9, q)
                    with T.init():
                        R[vi + 1] = T.float32(0)
                    R[vi + 1] = R[vi + 1] + F[vi, vq]
            for q in range(9):
                F[i, q] = F[i, q] * T.float32(0.4) + R[i]

    @T.prim_func(s_tir=True)
    def colors(X: T.Buffer((80, 3), "float32"), M: T.Buffer((3, 3), "float32"), Y: T.Buffer((80, 3), "float32"),
               Z: T.Buffer((3, 80), "float32")):
        for i, c in T.grid(80, 3):
            Y[i, c] = T.float32(0)
            for p in range(3):
                Y[i, c] = Y[i, c] + X[i, p] * M[c, p]
        for c, i, p in T.grid(3, 80, 3):
            Z[c, i] = Z[c, i] + X[i, p] * M[p, c]

    # An element that all rounds store to, at a place that memory tells.
    @T.prim_func(s_tir=True)
    def told(A: T.Buffer((900,), "int8"), N: T.Buffer((64,), "int32"), O: T.Buffer((40, 5, 6), "int8")):
        for b in range(3):
            for i in range(40):
                V = T.decl_buffer((5, 6), "int8", data=A.data, strides=[8, 1])
                for p in range(5):
                    for j in range(3):
                        for q in range(5):
                            O[i, 2 - j, N[2] % 6] = V[2 - j, (j + 1) % 6]

    @T.prim_func(s_tir=True)
    def told_and_read(A: T.Buffer((900,), "float32"), N: T.Buffer((64,), "int32"), O: T.Buffer((40, 5, 6), "float32")):
        for b in range(3):
            for i in range(40):
                for p in range(5):
                    for j in range(3):
                        for q in range(5):
                            O[i, 2 - j, N[2] % 6] = A[i + j] * A[p] + A[b]
                            if A[i] > T.float32(1):
                                O[i, 2 - j, N[2] % 6] = A[j + q]
