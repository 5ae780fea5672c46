# Control flow that depends on the data: sorting, searching, counting, tables and automata.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def bubble_sort(a: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            for j in range(n - 1 - i):
                if a[j] > a[j + 1]:
                    t: T.float32 = a[j]
                    a[j] = a[j + 1]
                    a[j + 1] = t

    @T.prim_func(s_tir=True)
    def selection_sort(a: T.Buffer(("n",), "float32")):
        n = T.int32()
        for i in range(n):
            least: T.int32 = i
            for j in range(i + 1, n):
                if a[j] < a[least]:
                    least = j
            t: T.float32 = a[i]
            a[i] = a[least]
            a[least] = t

    @T.prim_func(s_tir=True)
    def shell_sort(a: T.Buffer(("n",), "float32")):
        n = T.int32()
        gap: T.int32 = n // 2
        while gap > 0:
            for i in range(n - gap):
                key: T.float32 = a[i + gap]
                j: T.int32 = i
                while j >= 0 and a[T.max(j, 0)] > key:
                    a[j + gap] = a[j]
                    j = j - gap
                a[j + gap] = key
            gap = gap // 2

    @T.prim_func(s_tir=True)
    def heap_sort(a: T.Buffer(("n",), "float32")):
        n = T.int32()
        start: T.int32 = n // 2
        end: T.int32 = n
        while end > 1:
            if start > 0:
                start = start - 1
            else:
                end = end - 1
                t: T.float32 = a[end]
                a[end] = a[0]
                a[0] = t
            root: T.int32 = start
            going: T.int32 = 1
            while going == 1 and 2 * root + 1 < end:
                child: T.int32 = 2 * root + 1
                if child + 1 < end:
                    if a[child] < a[child + 1]:
                        child = child + 1
                if a[root] < a[child]:
                    s: T.float32 = a[root]
                    a[root] = a[child]
                    a[child] = s
                    root = child
                else:
                    going = 0

    @T.prim_func(s_tir=True)
    def merge_sort(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32")):
        n = T.int32()
        c = T.alloc_buffer((n,), "float32")
        for i in range(n):
            b[i] = a[i]
        width: T.int32 = 1
        while width < n:
            for r in range((n + 2 * width - 1) // (2 * width)):
                low: T.int32 = r * 2 * width
                middle: T.int32 = T.min(r * 2 * width + width, n)
                high: T.int32 = T.min(r * 2 * width + 2 * width, n)
                left: T.int32 = low
                right: T.int32 = middle
                for k in range(low, high):
                    take: T.int32 = 0
                    if left < middle:
                        if right >= high:
                            take = 1
                        elif b[left] <= b[right]:
                            take = 1
                    if take == 1:
                        c[k] = b[left]
                        left = left + 1
                    else:
                        c[k] = b[right]
                        right = right + 1
            for i in range(n):
                b[i] = c[i]
            width = width * 2

    @T.prim_func(s_tir=True)
    def counting_sort(a: T.Buffer(("n",), "uint8"), count: T.Buffer((256,), "int32"), b: T.Buffer(("n",), "uint8")):
        n = T.int32()
        for v in range(256):
            count[v] = 0
        for i in range(n):
            count[T.Cast("int32", a[i])] = count[T.Cast("int32", a[i])] + 1
        total: T.int32 = 0
        for v in range(256):
            t: T.int32 = count[v]
            count[v] = total
            total = total + t
        for i in range(n):
            at: T.int32 = count[T.Cast("int32", a[i])]
            b[at] = a[i]
            count[T.Cast("int32", a[i])] = at + 1

    @T.prim_func(s_tir=True)
    def histogram_i32(a: T.Buffer(("n",), "int32"), count: T.Buffer((1000,), "int32")):
        n = T.int32()
        for v in range(1000):
            count[v] = 0
        for i in range(n):
            count[a[i]] = count[a[i]] + 1

    @T.prim_func(s_tir=True)
    def histogram_weighted(a: T.Buffer(("n",), "int32"), w: T.Buffer(("n",), "float32"), sums: T.Buffer((64,), "float32")):
        n = T.int32()
        for v in range(64):
            sums[v] = T.float32(0)
        for i in range(n):
            sums[a[i]] = sums[a[i]] + w[i]

    @T.prim_func(s_tir=True)
    def linear_search(a: T.Buffer(("n",), "int32"), keys: T.Buffer(("k",), "int32"), at: T.Buffer(("k",), "int32")):
        n, k = T.int32(), T.int32()
        for i in range(k):
            found: T.int32 = 0 - 1
            j: T.int32 = 0
            while found < 0 and j < n:
                if a[j] == keys[i]:
                    found = j
                j = j + 1
            at[i] = found

    @T.prim_func(s_tir=True)
    def string_search(text: T.Buffer(("n",), "uint8"), word: T.Buffer(("k",), "uint8"), at: T.Buffer(("n",), "int32"), matches: T.Buffer((1,), "int32")):
        n, k = T.int32(), T.int32()
        m: T.int32 = 0
        for i in range(n - k + 1):
            same: T.int32 = 0
            while same < k and text[i + T.min(same, k - 1)] == word[T.min(same, k - 1)]:
                same = same + 1
            if same == k:
                at[m] = i
                m = m + 1
        matches[0] = m

    @T.prim_func(s_tir=True)
    def partition(a: T.Buffer(("n",), "float32"), b: T.Buffer(("n",), "float32"), below: T.Buffer((1,), "int32")):
        n = T.int32()
        low: T.int32 = 0
        high: T.int32 = n
        for i in range(n):
            if a[i] < T.float32(0):
                b[low] = a[i]
                low = low + 1
            else:
                high = high - 1
                b[high] = a[i]
        below[0] = low

    @T.prim_func(s_tir=True)
    def unique(a: T.Buffer(("n",), "int32"), b: T.Buffer(("n",), "int32"), count: T.Buffer((1,), "int32")):
        n = T.int32()
        m: T.int32 = 0
        for i in range(n):
            if i == 0:
                b[m] = a[i]
                m = m + 1
            elif a[i] != a[T.max(i - 1, 0)]:
                b[m] = a[i]
                m = m + 1
        count[0] = m

    @T.prim_func(s_tir=True)
    def collatz(start: T.Buffer(("n",), "int32"), length: T.Buffer(("n",), "int32")):
        n = T.int32()
        for i in range(n):
            x: T.int32 = start[i] + 1
            steps: T.int32 = 0
            while x > 1:
                if x % 2 == 0:
                    x = x // 2
                else:
                    x = 3 * x + 1
                steps = steps + 1
            length[i] = steps

    @T.prim_func(s_tir=True)
    def sieve(prime: T.Buffer(("n",), "uint8")):
        n = T.int32()
        for i in range(n):
            prime[i] = T.uint8(1)
        p: T.int32 = 2
        while p * p < n:
            if T.Cast("int32", prime[p]) == 1:
                for k in range(p, (n + p - 1) // p):
                    prime[k * p] = T.uint8(0)
            p = p + 1

    @T.prim_func(s_tir=True)
    def gcds(a: T.Buffer(("n",), "int32"), b: T.Buffer(("n",), "int32"), c: T.Buffer(("n",), "int32")):
        n = T.int32()
        for i in range(n):
            x: T.int32 = a[i]
            y: T.int32 = b[i]
            while y != 0:
                t: T.int32 = x % y
                x = y
                y = t
            c[i] = x

    @T.prim_func(s_tir=True)
    def edit_distance(a: T.Buffer(("n",), "uint8"), b: T.Buffer(("m",), "uint8"), d: T.Buffer(("n + 1", "m + 1"), "int32")):
        n, m = T.int32(), T.int32()
        for i in range(n + 1):
            d[i, 0] = i
        for j in range(m + 1):
            d[0, j] = j
        for i in range(n):
            for j in range(m):
                cost: T.int32 = 1
                if a[i] == b[j]:
                    cost = 0
                d[i + 1, j + 1] = T.min(T.min(d[i, j + 1] + 1, d[i + 1, j] + 1), d[i, j] + cost)

    @T.prim_func(s_tir=True)
    def knapsack(weight: T.Buffer(("n",), "int32"), value: T.Buffer(("n",), "int32"), best: T.Buffer(("w",), "int32")):
        n, w = T.int32(), T.int32()
        for j in range(w):
            best[j] = 0
        for i in range(n):
            for j_back in range(w):
                j: T.let[T.int32] = w - 1 - j_back
                if j >= weight[i]:
                    best[j] = T.max(best[j], best[j - weight[i]] + value[i])

    @T.prim_func(s_tir=True)
    def breadth_first(edge: T.Buffer(("n", "n"), "uint8"), distance: T.Buffer(("n",), "int32"), queue: T.Buffer(("n",), "int32")):
        n = T.int32()
        for i in range(n):
            distance[i] = 0 - 1
            queue[i] = 0
        distance[0] = 0
        head: T.int32 = 0
        tail: T.int32 = 1
        while head < tail:
            v: T.int32 = queue[head]
            head = head + 1
            for w in range(n):
                if T.Cast("int32", edge[v, w]) == 0 and distance[w] < 0:
                    distance[w] = distance[v] + 1
                    queue[tail] = w
                    tail = tail + 1

    @T.prim_func(s_tir=True)
    def state_machine(text: T.Buffer(("n",), "uint8"), step: T.Buffer((5, 8), "uint8"), state: T.Buffer(("n",), "uint8"), accepted: T.Buffer((1,), "int32")):
        n = T.int32()
        now: T.int32 = 0
        hits: T.int32 = 0
        for i in range(n):
            now = T.Cast("int32", step[now, T.Cast("int32", text[i])])
            state[i] = T.Cast("uint8", now)
            if now == 3:
                hits = hits + 1
        accepted[0] = hits

    @T.prim_func(s_tir=True)
    def crc32(data: T.Buffer(("n",), "uint8"), table: T.Buffer((256,), "int32"), out: T.Buffer((1,), "int32")):
        n = T.int32()
        crc: T.int32 = 0 - 1
        for i in range(n):
            crc = table[(crc ^ T.Cast("int32", data[i])) & 255] ^ crc >> 8 & 16777215
        out[0] = crc ^ 0 - 1
