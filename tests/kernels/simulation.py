# Loops around loops that write what other loops read: bodies that attract each other, a wave in two planes of time, a
# triangular system solved row by row.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    # Each body is a lane: it comes back to the three elements of its force in all of the loops.
    @T.prim_func
    def forces(p: T.handle, m: T.handle, f: T.handle):
        n = T.int32()
        P = T.match_buffer(p, (n, 3), "float32")
        M = T.match_buffer(m, (n,), "float32")
        F = T.match_buffer(f, (n, 3), "float32")
        for i in range(n):
            for c in range(3):
                F[i, c] = T.float32(0)
            for j in range(n):
                dx = P[j, 0] - P[i, 0]
                dy = P[j, 1] - P[i, 1]
                dz = P[j, 2] - P[i, 2]
                near = dx * dx + dy * dy + dz * dz + T.float32(0.01)
                s = M[j] / (near * T.sqrt(near))
                F[i, 0] = F[i, 0] + dx * s
                F[i, 1] = F[i, 1] + dy * s
                F[i, 2] = F[i, 2] + dz * s

    # The plane that is written is another one than the two that are read, whatever t is.
    @T.prim_func
    def wave(u: T.handle):
        n, m = T.int32(), T.int32()
        U = T.match_buffer(u, (3, n, m), "float32")
        for t in range(10):
            for i, j in T.grid(n - 2, m - 2):
                U[(t + 2) % 3, i + 1, j + 1] = T.float32(1.5) * U[(t + 1) % 3, i + 1, j + 1] - U[t % 3, i + 1, j + 1] + T.float32(0.125) * (U[(t + 1) % 3, i, j + 1] + U[(t + 1) % 3, i + 2, j + 1] + U[(t + 1) % 3, i + 1, j] + U[(t + 1) % 3, i + 1, j + 2])

    # Rows before a row are not the row.
    @T.prim_func
    def solve(l: T.handle, b: T.handle, x: T.handle):
        n, m = T.int32(), T.int32()
        L = T.match_buffer(l, (n, n), "float64")
        B = T.match_buffer(b, (n, m), "float64")
        X = T.match_buffer(x, (n, m), "float64")
        for i in range(n):
            for c in range(m):
                X[i, c] = B[i, c]
            for j in range(i):
                for c in range(m):
                    X[i, c] = X[i, c] - L[i, j] * X[j, c]
            for c in range(m):
                X[i, c] = X[i, c] / L[i, i]
