# Dynamic programming and simulation: edit distance, the knapsack problem, gravity between bodies, a random walk, a
# discrete Fourier transform, k-means.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def edit_distance(a: T.Buffer(("n",), "uint8"), b: T.Buffer(("m",), "uint8")) -> T.int32:
        n, m = T.int32(), T.int32()
        D = T.alloc_buffer((n + 1, m + 1), "int32")
        for i in range(n + 1):
            D[i, 0] = i
        for j in range(m + 1):
            D[0, j] = j
        for i, j in T.grid(n, m):
            D[i + 1, j + 1] = T.min(T.min(D[i, j + 1] + 1, D[i + 1, j] + 1), D[i, j] + T.Select(a[i] == b[j], 0, 1))
        return D[n, m]

    @T.prim_func(s_tir=True)
    def knapsack(weight: T.Buffer(("n",), "int32"), value: T.Buffer(("n",), "int64"), capacity: T.int32) -> T.int64:
        n = T.int32()
        best = T.alloc_buffer((capacity + 1,), "int64")
        for c in range(capacity + 1):
            best[c] = T.int64(0)
        for i in range(n):
            for step in range(capacity - weight[i] + 1):
                c: T.let[T.int32] = capacity - step
                best[c] = T.max(best[c], best[c - weight[i]] + value[i])
        return best[capacity]

    # `steps` steps of a leapfrog integration; the state is x, y, z, vx, vy, vz.
    @T.prim_func(s_tir=True)
    def n_body(state: T.Buffer(("n", 6), "float64"), mass: T.Buffer(("n",), "float64"), dt: T.float64, steps: T.int32):
        n = T.int32()
        for s in range(steps):
            for i, j in T.grid(n, n):
                if i != j:
                    dx: T.let[T.float64] = state[j, 0] - state[i, 0]
                    dy: T.let[T.float64] = state[j, 1] - state[i, 1]
                    dz: T.let[T.float64] = state[j, 2] - state[i, 2]
                    r2: T.let[T.float64] = dx * dx + dy * dy + dz * dz + T.float64(0.01)
                    pull: T.let[T.float64] = mass[j] * dt / (r2 * T.sqrt(r2))
                    state[i, 3] = state[i, 3] + dx * pull
                    state[i, 4] = state[i, 4] + dy * pull
                    state[i, 5] = state[i, 5] + dz * pull
            for i, d in T.grid(n, 3):
                state[i, d] = state[i, d] + state[i, d + 3] * dt

    @T.prim_func(s_tir=True)
    def dft(re: T.Buffer(("n",), "float64"), im: T.Buffer(("n",), "float64"), Re: T.Buffer(("n",), "float64"), Im: T.Buffer(("n",), "float64")):
        n = T.int32()
        for k in range(n):
            Re[k] = T.float64(0)
            Im[k] = T.float64(0)
            for t in range(n):
                angle: T.let[T.float64] = T.float64(-6.2831853071795862) * T.Cast("float64", k * t % n) / T.Cast("float64", n)
                Re[k] += re[t] * T.cos(angle) - im[t] * T.sin(angle)
                Im[k] += re[t] * T.sin(angle) + im[t] * T.cos(angle)

    # One round of Lloyd's algorithm: the nearest centre of each point, then the mean of each centre's points.
    @T.prim_func(s_tir=True)
    def k_means(points: T.Buffer(("n", "d"), "float32"), centres: T.Buffer(("k", "d"), "float32"), label: T.Buffer(("n",), "int32"), moved: T.Buffer(("k", "d"), "float32")):
        n, d, k = T.int32(), T.int32(), T.int32()
        members = T.alloc_buffer((k,), "int32")
        for i in range(n):
            label[i] = 0
            nearest: T.float32 = T.float32("inf")
            for c in range(k):
                distance: T.float32 = T.float32(0)
                for x in range(d):
                    distance += (points[i, x] - centres[c, x]) * (points[i, x] - centres[c, x])
                if distance < nearest:
                    nearest = distance
                    label[i] = c
        for c in range(k):
            members[c] = 0
        for c, x in T.grid(k, d):
            moved[c, x] = T.float32(0)
        for i in range(n):
            members[label[i]] += 1
            for x in range(d):
                moved[label[i], x] += points[i, x]
        for c, x in T.grid(k, d):
            if members[c] > 0:
                moved[c, x] = moved[c, x] / T.Cast("float32", members[c])
