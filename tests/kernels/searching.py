# Graphs, games and searching: shortest paths, breadth first, life, queens, strings, binary search, sorting networks,
# parallel prefixes, radix sort, partition, sieve, sudoku, matrix chains, Levenshtein in two rows, longest subsequences.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def floyd_warshall(D: T.Buffer(("n", "n"), "float32")):
        n = T.int32()
        for k, i, j in T.grid(n, n, n):
            D[i, j] = T.min(D[i, j], D[i, k] + D[k, j])

    # With the vertex through which each path goes, or -1.
    @T.prim_func(s_tir=True)
    def floyd_warshall_paths(D: T.Buffer(("n", "n"), "int32"), via: T.Buffer(("n", "n"), "int32")):
        n = T.int32()
        for i, j in T.grid(n, n):
            via[i, j] = -1
        for k in range(n):
            for i in range(n):
                for j in range(n):
                    through = D[i, k] + D[k, j]
                    if through < D[i, j]:
                        D[i, j] = through
                        via[i, j] = k

    @T.prim_func(s_tir=True)
    def breadth_first(indptr: T.Buffer(("n + 1",), "int32"), indices: T.Buffer(("e",), "int32"), source: T.int32, depth: T.Buffer(("n",), "int32")):
        n, e = T.int32(), T.int32()
        queue = T.alloc_buffer((n,), "int32")
        for v in range(n):
            depth[v] = -1
        depth[source] = 0
        queue[0] = source
        head: T.int32 = 0
        tail: T.int32 = 1
        while head < tail:
            v: T.let[T.int32] = queue[head]
            head += 1
            for a in range(indptr[v], indptr[v + 1]):
                w: T.let[T.int32] = indices[a]
                if depth[w] < 0:
                    depth[w] = depth[v] + 1
                    queue[tail] = w
                    tail += 1

    @T.prim_func(s_tir=True)
    def bellman_ford(source: T.int32, tail: T.Buffer(("e",), "int32"), head: T.Buffer(("e",), "int32"), cost: T.Buffer(("e",), "float64"), dist: T.Buffer(("n",), "float64")) -> T.bool:
        e, n = T.int32(), T.int32()
        for v in range(n):
            dist[v] = T.float64("inf")
        dist[source] = T.float64(0)
        changed: T.bool = True
        rounds: T.int32 = 0
        while changed and rounds < n:
            changed = False
            for a in range(e):
                if dist[tail[a]] + cost[a] < dist[head[a]]:
                    dist[head[a]] = dist[tail[a]] + cost[a]
                    changed = True
            rounds += 1
        return not changed

    # On a torus, `steps` generations.
    @T.prim_func(s_tir=True)
    def life(cells: T.Buffer(("h", "w"), "uint8"), steps: T.int32):
        h, w = T.int32(), T.int32()
        next_cells = T.alloc_buffer((h, w), "uint8")
        for step in range(steps):
            for y, x in T.grid(h, w):
                around: T.int32 = 0
                for dy, dx in T.grid(3, 3):
                    if dy != 1 or dx != 1:
                        around = around + T.Cast("int32", cells[(y + dy + h - 1) % h, (x + dx + w - 1) % w])
                next_cells[y, x] = T.if_then_else(around == 3 or (around == 2 and cells[y, x] == T.uint8(1)), T.uint8(1), T.uint8(0))
            for y, x in T.grid(h, w):
                cells[y, x] = next_cells[y, x]

    @T.prim_func(s_tir=True)
    def queens(all_columns: T.int32, columns: T.int32, left: T.int32, right: T.int32) -> T.int64:
        if columns == all_columns:
            return T.int64(1)
        count: T.int64 = T.int64(0)
        free: T.int32 = all_columns & ~(columns | left | right)
        while free != 0:
            bit = free & -free
            free = free ^ bit
            count += Module.queens(all_columns, columns | bit, (left | bit) << 1, (right | bit) >> 1)
        return count

    # By hand-made backtracking with `break` and `continue` instead.
    @T.prim_func(s_tir=True)
    def first_queens(n: T.int32, place: T.Buffer(("n",), "int32")) -> T.bool:
        row: T.int32 = 0
        place[0] = -1
        while row >= 0:
            place[row] += 1
            if place[row] >= n:
                row -= 1
                continue
            clash: T.bool = False
            for r in range(row):
                if place[r] == place[row] or T.abs(place[r] - place[row]) == row - r:
                    clash = True
                    break
            if clash:
                continue
            if row == n - 1:
                return T.bool(True)
            row += 1
            place[row] = -1
        return T.bool(False)

    @T.prim_func(s_tir=True)
    def find_all(text: T.Buffer(("n",), "uint8"), word: T.Buffer(("m",), "uint8"), found: T.Buffer(("n",), "bool")) -> T.int32:
        n, m = T.int32(), T.int32()
        count: T.int32 = 0
        for i in range(n):
            found[i] = False
        for i in range(n - m + 1):
            same: T.bool = True
            for j in range(m):
                if text[i + j] != word[j]:
                    same = False
                    break
            if same:
                found[i] = True
                count += 1
        return count

    # Knuth, Morris and Pratt; the first place or -1.
    @T.prim_func(s_tir=True)
    def find_first(text: T.Buffer(("n",), "uint8"), word: T.Buffer(("m",), "uint8")) -> T.int32:
        n, m = T.int32(), T.int32()
        back = T.alloc_buffer((m + 1,), "int32")
        back[0] = -1
        k: T.int32 = -1
        for i in range(m):
            while k >= 0 and word[k] != word[i]:
                k = back[k]
            k += 1
            back[i + 1] = k
        k = 0
        for i in range(n):
            while k >= 0 and (k == m or word[k] != text[i]):
                k = back[k]
            k += 1
            if k == m:
                return i + 1 - m
        return -1

    # numpy.searchsorted, left or right.
    @T.prim_func(s_tir=True)
    def search_sorted(A: T.Buffer(("n",), "float32"), keys: T.Buffer(("m",), "float32"), right: T.bool, places: T.Buffer(("m",), "int64")):
        n, m = T.int32(), T.int32()
        for i in range(m):
            low: T.int32 = 0
            high: T.int32 = n
            while low < high:
                middle = low + (high - low) // 2
                if A[middle] < keys[i] or (right and A[middle] == keys[i]):
                    low = middle + 1
                else:
                    high = middle
            places[i] = T.Cast("int64", low)

    @T.prim_func(s_tir=True)
    def bitonic_sort(A: T.Buffer(("n",), "int32")):
        n = T.int32()
        size: T.int32 = 2
        while size <= n:
            step: T.int32 = size // 2
            while step > 0:
                for i in range(n):
                    partner: T.let[T.int32] = i ^ step
                    if partner > i:
                        if (A[i] > A[partner]) == ((i & size) == 0):
                            held: T.let[T.int32] = A[i]
                            A[i] = A[partner]
                            A[partner] = held
                step = step // 2
            size = size * 2

    # Hillis and Steele: each round adds what lies 2^r to the left, from one buffer into the other.
    @T.prim_func(s_tir=True)
    def scan_doubling(A: T.Buffer(("n",), "int64"), B: T.Buffer(("n",), "int64")):
        n = T.int32()
        work = T.alloc_buffer((2, n), "int64")
        for i in range(n):
            work[0, i] = A[i]
        distance: T.int32 = 1
        side: T.int32 = 0
        while distance < n:
            for i in range(n):
                work[1 - side, i] = work[side, i] + T.if_then_else(i >= distance, work[side, i - distance], T.int64(0))
            side = 1 - side
            distance *= 2
        for i in range(n):
            B[i] = work[side, i]

    # Blelloch's exclusive scan in place; n is a power of two.
    @T.prim_func(s_tir=True)
    def scan_exclusive(A: T.Buffer(("n",), "int32")):
        n = T.int32()
        d: T.int32 = 1
        while d < n:
            for i in range(n // (2 * d)):
                A[2 * d * i + 2 * d - 1] += A[2 * d * i + d - 1]
            d = d * 2
        A[n - 1] = 0
        while d > 1:
            d = d // 2
            for i in range(n // (2 * d)):
                t: T.let[T.int32] = A[2 * d * i + d - 1]
                A[2 * d * i + d - 1] = A[2 * d * i + 2 * d - 1]
                A[2 * d * i + 2 * d - 1] += t

    # Four passes of a byte each; stable, so it sorts.
    @T.prim_func(s_tir=True)
    def radix_sort(A: T.Buffer(("n",), "uint32"), B: T.Buffer(("n",), "uint32")):
        n = T.int32()
        other = T.alloc_buffer((n,), "uint32")
        starts = T.alloc_buffer((257,), "int32")
        for i in range(n):
            B[i] = A[i]
        for byte in range(4):
            for v in range(257):
                starts[v] = 0
            for i in range(n):
                starts[T.Cast("int32", B[i] >> T.Cast("uint32", byte * 8) & T.uint32(255)) + 1] += 1
            for v in range(256):
                starts[v + 1] += starts[v]
            for i in range(n):
                digit: T.let[T.int32] = T.Cast("int32", B[i] >> T.Cast("uint32", byte * 8) & T.uint32(255))
                other[starts[digit]] = B[i]
                starts[digit] += 1
            for i in range(n):
                B[i] = other[i]

    @T.prim_func(s_tir=True)
    def compact(A: T.Buffer(("n",), "float32"), least: T.float32, B: T.Buffer(("n",), "float32")) -> T.int32:
        n = T.int32()
        count: T.int32 = 0
        for i in range(n):
            if A[i] >= least:
                B[count] = A[i]
                count += 1
        return count

    @T.prim_func(s_tir=True)
    def sieve(prime: T.Buffer(("n",), "bool")):
        n = T.int32()
        for i in range(n):
            prime[i] = i >= 2
        p: T.int32 = 2
        while p * p < n:
            if prime[p]:
                for k in range((n - 1 - p * p) // p + 1):
                    prime[p * p + k * p] = False
            p += 1

    # Two rows instead of the whole table, their roles by parity.
    @T.prim_func(s_tir=True)
    def levenshtein(a: T.Buffer(("n",), "uint8"), b: T.Buffer(("m",), "uint8")) -> T.int32:
        n, m = T.int32(), T.int32()
        row = T.alloc_buffer((2, m + 1), "int32")
        for j in range(m + 1):
            row[0, j] = j
        for i in range(n):
            row[(i + 1) % 2, 0] = i + 1
            for j in range(m):
                change: T.let[T.int32] = T.if_then_else(a[i] == b[j], 0, 1)
                row[(i + 1) % 2, j + 1] = T.min(T.min(row[i % 2, j + 1], row[(i + 1) % 2, j]) + 1, row[i % 2, j] + change)
        return row[n % 2, m]

    @T.prim_func(s_tir=True)
    def longest_common(a: T.Buffer(("n",), "uint8"), b: T.Buffer(("m",), "uint8")) -> T.int32:
        n, m = T.int32(), T.int32()
        row = T.alloc_buffer((m + 1,), "int32")
        for j in range(m + 1):
            row[j] = 0
        for i in range(n):
            corner: T.int32 = 0
            for j in range(m):
                above = row[j + 1]
                if a[i] == b[j]:
                    row[j + 1] = corner + 1
                else:
                    row[j + 1] = T.max(above, row[j])
                corner = above
        return row[m]

    @T.prim_func(s_tir=True)
    def matrix_chain(sizes: T.Buffer(("n + 1",), "int64"), cost: T.Buffer(("n", "n"), "int64")):
        n = T.int32()
        for i in range(n):
            cost[i, i] = T.int64(0)
        for length in range(2, n + 1):
            for i in range(n - length + 1):
                j = i + length - 1
                cost[i, j] = T.max_value("int64")
                for k in range(i, j):
                    cost[i, j] = T.min(cost[i, j], cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1])

    # Viterbi's most probable path through hidden states.
    @T.prim_func(s_tir=True)
    def viterbi(start: T.Buffer(("s",), "float32"), move: T.Buffer(("s", "s"), "float32"), emit: T.Buffer(("t", "s"), "float32"), path: T.Buffer(("t",), "int32")) -> T.float32:
        s, t = T.int32(), T.int32()
        score = T.alloc_buffer((t, s), "float32")
        back = T.alloc_buffer((t, s), "int32")
        for j in range(s):
            score[0, j] = start[j] + emit[0, j]
        for step in range(1, t):
            for j in range(s):
                score[step, j] = T.float32("-inf")
                for i in range(s):
                    if score[step - 1, i] + move[i, j] > score[step, j]:
                        score[step, j] = score[step - 1, i] + move[i, j]
                        back[step, j] = i
                score[step, j] += emit[step, j]
        best: T.int32 = 0
        for j in range(1, s):
            if score[t - 1, j] > score[t - 1, best]:
                best = j
        result: T.let[T.float32] = score[t - 1, best]
        for r in range(t):
            path[t - 1 - r] = best
            best = back[t - 1 - r, best]
        return result

    @T.prim_func(s_tir=True)
    def sudoku(grid: T.Buffer((9, 9), "int32"), cell: T.int32) -> T.bool:
        if cell == 81:
            return T.bool(True)
        row = cell // 9
        column = cell % 9
        if grid[row, column] != 0:
            return Module.sudoku(grid, cell + 1)
        for digit in range(1, 10):
            fits: T.bool = True
            for i in range(9):
                if grid[row, i] == digit or grid[i, column] == digit or grid[row // 3 * 3 + i // 3, column // 3 * 3 + i % 3] == digit:
                    fits = False
                    break
            if fits:
                grid[row, column] = digit
                if Module.sudoku(grid, cell + 1):
                    return T.bool(True)
                grid[row, column] = 0
        return T.bool(False)

    @T.prim_func(s_tir=True)
    def collatz(n: T.int64) -> T.int32:
        steps: T.int32 = 0
        x: T.int64 = n
        while x != T.int64(1):
            x = T.if_then_else(x % T.int64(2) == T.int64(0), x // T.int64(2), x * T.int64(3) + T.int64(1))
            steps += 1
        return steps

    @T.prim_func(s_tir=True)
    def julia(h: T.int32, w: T.int32, c_re: T.float64, c_im: T.float64, limit: T.int32, out: T.Buffer(("h", "w"), "int32")):
        for y, x in T.grid(h, w):
            z_re: T.float64 = T.Cast("float64", 2 * x - w) * T.float64(1.5) / T.Cast("float64", w)
            z_im: T.float64 = T.Cast("float64", 2 * y - h) * T.float64(1.5) / T.Cast("float64", h)
            count: T.int32 = 0
            while z_re * z_re + z_im * z_im <= T.float64(4) and count < limit:
                next_re = z_re * z_re - z_im * z_im + c_re
                z_im = T.float64(2) * z_re * z_im + c_im
                z_re = next_re
                count += 1
            out[y, x] = count

    @T.prim_func(s_tir=True)
    def any_and_all(A: T.Buffer(("n",), "uint8"), above: T.uint8, some: T.Buffer((1,), "bool"), every: T.Buffer((1,), "bool"), seen: T.Buffer((2,), "int32")):
        n = T.int32()
        some[0] = T.bool(False)
        every[0] = T.bool(True)
        for i in range(n):
            some[0] = some[0] or A[i] > above
        for i in range(n):
            every[0] = T.bitwise_and(A[i] > above, every[0])
        for i in range(n):
            if A[i] == above:
                seen[0] = 1
            seen[1] = T.max(seen[1], T.Cast("int32", A[i]))
