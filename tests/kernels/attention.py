# Transformer pieces: attention of one head and of many, with a causal mask, streamed; rotary positions; top-k; decoding
# against a cache.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def attention(Q: T.Buffer(("n", "d"), "float32"), K: T.Buffer(("m", "d"), "float32"), V: T.Buffer(("m", "e"), "float32"), O: T.Buffer(("n", "e"), "float32")):
        n, m, d, e = T.int32(), T.int32(), T.int32(), T.int32()
        S = T.sblock_alloc_buffer((n, m))
        top = T.sblock_alloc_buffer((n,))
        total = T.sblock_alloc_buffer((n,))
        P = T.sblock_alloc_buffer((n, m))
        for i, j, x in T.grid(n, m, d):
            with T.sblock("S"):
                vi, vj, vx = T.axis.remap("SSR", [i, j, x])
                with T.init():
                    S[vi, vj] = T.float32(0)
                S[vi, vj] = S[vi, vj] + Q[vi, vx] * K[vj, vx]
        for i, j in T.grid(n, m):
            with T.sblock("top"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    top[vi] = T.float32("-inf")
                top[vi] = T.max(top[vi], S[vi, vj])
        for i, j in T.grid(n, m):
            with T.sblock("P"):
                vi, vj = T.axis.remap("SS", [i, j])
                P[vi, vj] = T.exp((S[vi, vj] - top[vi]) * T.rsqrt(T.Cast("float32", d)))
        for i, j in T.grid(n, m):
            with T.sblock("total"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    total[vi] = T.float32(0)
                total[vi] = total[vi] + P[vi, vj]
        for i, x, j in T.grid(n, e, m):
            with T.sblock("O"):
                vi, vx, vj = T.axis.remap("SSR", [i, x, j])
                with T.init():
                    O[vi, vx] = T.float32(0)
                O[vi, vx] = O[vi, vx] + P[vi, vj] / total[vi] * V[vj, vx]

    # (batch, sequence, heads, features); a query sees the keys up to its own position.
    @T.prim_func(s_tir=True)
    def causal_heads(q: T.Buffer(("b", "s", "h", "d"), "float32"), k: T.Buffer(("b", "s", "h", "d"), "float32"), v: T.Buffer(("b", "s", "h", "d"), "float32"), o: T.Buffer(("b", "s", "h", "d"), "float32")):
        b, s, h, d = T.int32(), T.int32(), T.int32(), T.int32()
        scores = T.alloc_buffer((s,), "float32")
        for n, head, i in T.grid(b, h, s):
            top: T.float32 = T.float32("-inf")
            for j in range(i + 1):
                dot: T.float32 = 0.0
                for x in range(d):
                    dot += q[n, i, head, x] * k[n, j, head, x]
                scores[j] = dot / T.sqrt(T.Cast("float32", d))
                top = T.max(top, scores[j])
            total: T.float32 = 0.0
            for j in range(i + 1):
                scores[j] = T.exp(scores[j] - top)
                total += scores[j]
            for x in range(d):
                o[n, i, head, x] = T.float32(0)
            for j in range(i + 1):
                for x in range(d):
                    o[n, i, head, x] += scores[j] / total * v[n, j, head, x]

    # The same with a mask in blocks: heads first, T.Select of minus infinity above the diagonal.
    @T.prim_func(s_tir=True)
    def causal_blocks(Q: T.Buffer(("h", "s", "d"), "float32"), K: T.Buffer(("h", "s", "d"), "float32"), V: T.Buffer(("h", "s", "d"), "float32"), O: T.Buffer(("h", "s", "d"), "float32")):
        h, s, d = T.int32(), T.int32(), T.int32()
        with T.sblock("root"):
            score = T.sblock_alloc_buffer((h, s, s), "float32")
            masked = T.sblock_alloc_buffer((h, s, s), "float32")
            top = T.sblock_alloc_buffer((h, s), "float32")
            power = T.sblock_alloc_buffer((h, s, s), "float32")
            total = T.sblock_alloc_buffer((h, s), "float32")
            for a, i, j, x in T.grid(h, s, s, d):
                with T.sblock("score"):
                    va, vi, vj, vx = T.axis.remap("SSSR", [a, i, j, x])
                    with T.init():
                        score[va, vi, vj] = T.float32(0)
                    score[va, vi, vj] = score[va, vi, vj] + Q[va, vi, vx] * K[va, vj, vx]
            for a, i, j in T.grid(h, s, s):
                with T.sblock("masked"):
                    va, vi, vj = T.axis.remap("SSS", [a, i, j])
                    masked[va, vi, vj] = T.Select(vj <= vi, score[va, vi, vj] / T.sqrt(T.Cast("float32", d)), T.float32("-inf"))
            for a, i, j in T.grid(h, s, s):
                with T.sblock("top"):
                    va, vi, vj = T.axis.remap("SSR", [a, i, j])
                    with T.init():
                        top[va, vi] = T.min_value("float32")
                    top[va, vi] = T.max(top[va, vi], masked[va, vi, vj])
            for a, i, j in T.grid(h, s, s):
                with T.sblock("power"):
                    va, vi, vj = T.axis.remap("SSS", [a, i, j])
                    power[va, vi, vj] = T.exp(masked[va, vi, vj] - top[va, vi])
            for a, i, j in T.grid(h, s, s):
                with T.sblock("total"):
                    va, vi, vj = T.axis.remap("SSR", [a, i, j])
                    with T.init():
                        total[va, vi] = T.float32(0)
                    total[va, vi] = total[va, vi] + power[va, vi, vj]
            for a, i, x, j in T.grid(h, s, d, s):
                with T.sblock("O"):
                    va, vi, vx, vj = T.axis.remap("SSSR", [a, i, x, j])
                    with T.init():
                        O[va, vi, vx] = T.float32(0)
                    O[va, vi, vx] = O[va, vi, vx] + power[va, vi, vj] / total[va, vi] * V[va, vj, vx]

    # Softmax in one pass: the running maximum rescales what was summed.
    @T.prim_func(s_tir=True)
    def flash_attention(Q: T.Buffer(("n", 32), "float32"), K: T.Buffer(("m", 32), "float32"), V: T.Buffer(("m", 32), "float32"), O: T.Buffer(("n", 32), "float32")):
        n, m = T.int32(), T.int32()
        acc = T.alloc_buffer((32,), "float32", scope="local")
        for i in T.parallel(n):
            top: T.float32 = T.float32("-inf")
            total: T.float32 = T.float32(0)
            for x in T.vectorized(32):
                acc[x] = T.float32(0)
            for j in range(m):
                dot: T.float32 = T.float32(0)
                for x in T.unroll(32):
                    dot = dot + Q[i, x] * K[j, x]
                score: T.let[T.float32] = dot * T.float32(0.17677669)
                new_top: T.let[T.float32] = T.max(top, score)
                shrink: T.let[T.float32] = T.exp(top - new_top)
                weight: T.let[T.float32] = T.exp(score - new_top)
                total = total * shrink + weight
                for x in T.vectorized(32):
                    acc[x] = acc[x] * shrink + weight * V[j, x]
                top = new_top
            for x in T.vectorized(32):
                O[i, x] = acc[x] / total

    @T.prim_func(s_tir=True)
    def rope(X: T.Buffer(("s", "h", "d"), "float32"), start: T.int32, Y: T.Buffer(("s", "h", "d"), "float32")):
        s, h, d = T.int32(), T.int32(), T.int32()
        for p, a, x in T.grid(s, h, d):
            with T.sblock("rope"):
                vp, va, vx = T.axis.remap("SSS", [p, a, x])
                angle: T.let[T.float32] = T.Cast("float32", vp + start) * T.pow(T.float32(10000), T.Cast("float32", vx % (d // 2)) * T.float32(-2) / T.Cast("float32", d))
                turned: T.let[T.float32] = T.if_then_else(vx < d // 2, -X[vp, va, vx + d // 2], X[vp, va, vx - d // 2])
                Y[vp, va, vx] = T.cos(angle) * X[vp, va, vx] + T.sin(angle) * turned

    # The k largest of each row and where they are, largest first; equal values in order of place.
    @T.prim_func(s_tir=True)
    def top_k(X: T.Buffer(("n", "m"), "float32"), values: T.Buffer(("n", "k"), "float32"), places: T.Buffer(("n", "k"), "int64")):
        n, m, k = T.int32(), T.int32(), T.int32()
        for i in range(n):
            for r in range(k):
                values[i, r] = T.float32("-inf")
                places[i, r] = T.int64(-1)
            for j in range(m):
                if X[i, j] > values[i, k - 1] or places[i, k - 1] < T.int64(0):
                    slot: T.int32 = k - 1
                    while slot > 0 and (places[i, slot - 1] < T.int64(0) or values[i, slot - 1] < X[i, j]):
                        values[i, slot] = values[i, slot - 1]
                        places[i, slot] = places[i, slot - 1]
                        slot -= 1
                    values[i, slot] = X[i, j]
                    places[i, slot] = T.Cast("int64", j)

    @T.prim_func(s_tir=True)
    def kv_cache_append(cache: T.Buffer(("pages", 16, "d"), "float32"), table: T.Buffer(("slots",), "int32"), length: T.int32, new: T.Buffer(("count", "d"), "float32")):
        pages, d, slots, count = T.int32(), T.int32(), T.int32(), T.int32()
        for i, x in T.grid(count, d):
            position: T.let[T.int32] = length + i
            cache[table[position // 16], position % 16, x] = new[i, x]
