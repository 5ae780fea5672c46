# Rows by number and columns that something is computed with.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    # Words, places and segments of a language model, as a row each.
    @T.prim_func(s_tir=True)
    def three_tables(words: T.Buffer(("v", "d"), "float32"), ids: T.Buffer(("b", "n"), "int32"), places: T.Buffer(("n", "d"), "float32"), kinds: T.Buffer((2, "d"), "float32"), kind: T.Buffer(("b", "n"), "int32"), out: T.Buffer(("b", "n", "d"), "float32")):
        v, d, b, n = T.int32(), T.int32(), T.int32(), T.int32()
        for h, i, j in T.grid(b, n, d):
            out[h, i, j] = words[ids[h, i], j] + places[i, j] + kinds[kind[h, i], j]

    # Rows of bytes, each with its scale.
    @T.prim_func(s_tir=True)
    def scaled_rows(table: T.Buffer(("v", "d"), "int8"), scale: T.Buffer(("v",), "float32"), ids: T.Buffer(("n",), "int32"), out: T.Buffer(("n", "d"), "float32")):
        v, d, n = T.int32(), T.int32(), T.int32()
        for i, j in T.grid(n, d):
            with T.sblock("out"):
                vi, vj = T.axis.remap("SS", [i, j])
                out[vi, vj] = T.Cast("float32", table[ids[vi], vj]) * scale[ids[vi]]

    @T.prim_func(s_tir=True)
    def two_numbers(a: T.Buffer(("v", "w", "d"), "float16"), at: T.Buffer(("n", 2), "int32"), out: T.Buffer(("n", "d"), "float16")):
        v, w, d, n = T.int32(), T.int32(), T.int32(), T.int32()
        for i, j in T.grid(n, d):
            out[i, j] = a[at[i, 0], at[i, 1], j] + T.float16(1)

    # Only rows that are asked for have a number that is inside.
    @T.prim_func(s_tir=True)
    def rows_or_not(a: T.Buffer(("v", "d"), "float32"), at: T.Buffer(("n",), "int32"), out: T.Buffer(("n", "d"), "float32")):
        v, d, n = T.int32(), T.int32(), T.int32()
        for i, j in T.grid(n, d):
            out[i, j] = T.if_then_else(at[i] >= 0, a[at[i], j] * T.float32(2), T.float32(0))

    @T.prim_func(s_tir=True)
    def mirrored_sum(a: T.Buffer(("b", "n", "n"), "float32"), out: T.Buffer(("b", "n", "n"), "float32")):
        b, n = T.int32(), T.int32()
        for h, i, j in T.grid(b, n, n):
            out[h, i, j] = (a[h, i, j] + a[h, j, i]) * T.float32(0.5)

    @T.prim_func(s_tir=True)
    def turned_and_cast(a: T.Buffer(("n", "m"), "uint8"), offset: T.Buffer(("m",), "int32"), out: T.Buffer(("m", "n"), "int32")):
        n, m = T.int32(), T.int32()
        for i, j in T.grid(m, n):
            out[i, j] = T.Cast("int32", a[j, i]) - offset[i]

    # What is written is read as well, at the same element and at none of another row.
    @T.prim_func(s_tir=True)
    def turned_onto(a: T.Buffer(("n", "m"), "float32"), out: T.Buffer(("m", "n"), "float32")):
        n, m = T.int32(), T.int32()
        for i, j in T.grid(m, n):
            out[i, j] = out[i, j] * T.float32(3) - a[j, i]

    # Rows of pages, some of which are written more than once: the last one counts.
    @T.prim_func(s_tir=True)
    def pages(cache: T.Buffer(("p", "s", "h", "d"), "float32"), page: T.Buffer(("n",), "int32"), slot: T.Buffer(("n",), "int32"), rows: T.Buffer(("n", "h", "d"), "float32")):
        p, s, h, d, n = T.int32(), T.int32(), T.int32(), T.int32(), T.int32()
        for i, k, j in T.grid(n, h, d):
            cache[page[i], slot[i], k, j] = rows[i, k, j]

    # Each row is added to what it finds, in order.
    @T.prim_func(s_tir=True)
    def pages_add(cache: T.Buffer(("p", "s", "d"), "float32"), page: T.Buffer(("n",), "int32"), slot: T.Buffer(("n",), "int32"), rows: T.Buffer(("n", "d"), "float32")):
        p, s, d, n = T.int32(), T.int32(), T.int32(), T.int32()
        for i, j in T.grid(n, d):
            cache[page[i], slot[i], j] = cache[page[i], slot[i], j] + rows[i, j]

    # The row above, around the end.
    @T.prim_func(s_tir=True)
    def next_row(a: T.Buffer(("v", "d"), "float32"), at: T.Buffer(("n",), "int32"), out: T.Buffer(("n", "d"), "float32")):
        v, d, n = T.int32(), T.int32(), T.int32()
        for i, j in T.grid(n, d):
            out[i, j] = a[(at[i] + 1) % v, j]

    # Pages in batches, whose numbers two loops choose.
    @T.prim_func(s_tir=True)
    def pages_of_batches(cache: T.Buffer(("p", "s", "d"), "float32"), page: T.Buffer((3, "n"), "int32"), slot: T.Buffer((3, "n"), "int32"), out: T.Buffer((3, "n", "d"), "float32")):
        p, s, d, n = T.int32(), T.int32(), T.int32(), T.int32()
        for b, i, j in T.grid(3, n, d):
            out[b, i, j] = cache[page[b, i], slot[b, i], j]

    # A row whose number is inside whatever it is computed from.
    @T.prim_func(s_tir=True)
    def row_around(a: T.Buffer((20, "d"), "float32"), at: T.Buffer(("n",), "int32"), out: T.Buffer(("n", "d"), "float32")):
        d, n = T.int32(), T.int32()
        for i, j in T.grid(n, d):
            out[i, j] = a[(at[i] + 1) % 20, j]

    # Parts of an image from corners that are in memory.
    @T.prim_func(s_tir=True)
    def crops(image: T.Buffer(("c", "h", "w"), "float32"), corner: T.Buffer(("n", 2), "int32"), out: T.Buffer(("n", "c", 5, 7), "float32")):
        c, h, w, n = T.int32(), T.int32(), T.int32(), T.int32()
        for r, k, y, x in T.grid(n, c, 5, 7):
            out[r, k, y, x] = image[k, corner[r, 0] + y, corner[r, 1] + x]
