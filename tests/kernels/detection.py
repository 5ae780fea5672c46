# Boxes: overlaps, non-maximum suppression with and without classes, decoding of anchors, region pooling.
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def box_iou(A: T.Buffer(("n", 4), "float32"), B: T.Buffer(("m", 4), "float32"), C: T.Buffer(("n", "m"), "float32")):
        n, m = T.int32(), T.int32()
        for i, j in T.grid(n, m):
            with T.sblock("iou"):
                vi, vj = T.axis.remap("SS", [i, j])
                w: T.let[T.float32] = T.max(T.min(A[vi, 2], B[vj, 2]) - T.max(A[vi, 0], B[vj, 0]), T.float32(0))
                h: T.let[T.float32] = T.max(T.min(A[vi, 3], B[vj, 3]) - T.max(A[vi, 1], B[vj, 1]), T.float32(0))
                both: T.let[T.float32] = (A[vi, 2] - A[vi, 0]) * (A[vi, 3] - A[vi, 1]) + (B[vj, 2] - B[vj, 0]) * (B[vj, 3] - B[vj, 1])
                C[vi, vj] = T.if_then_else(both - w * h > T.float32(0), w * h / (both - w * h), T.float32(0))

    # Boxes in order of falling score; returns how many are kept, their numbers in `kept`, -1 behind them.
    @T.prim_func(s_tir=True)
    def nms(boxes: T.Buffer(("n", 4), "float32"), scores: T.Buffer(("n",), "float32"), threshold: T.float32, least: T.float32, kept: T.Buffer(("n",), "int32")) -> T.int32:
        n = T.int32()
        order = T.alloc_buffer((n,), "int32")
        gone = T.alloc_buffer((n,), "bool")
        for i in range(n):
            kept[i] = -1
            gone[i] = scores[i] < least
            slot: T.int32 = i
            while slot > 0 and scores[order[slot - 1]] < scores[i]:
                order[slot] = order[slot - 1]
                slot = slot - 1
            order[slot] = i
        count: T.int32 = 0
        for r in range(n):
            i: T.let[T.int32] = order[r]
            if gone[i]:
                continue
            kept[count] = i
            count += 1
            area: T.let[T.float32] = (boxes[i, 2] - boxes[i, 0]) * (boxes[i, 3] - boxes[i, 1])
            for s in range(r + 1, n):
                j: T.let[T.int32] = order[s]
                if not gone[j]:
                    x0 = T.max(boxes[i, 0], boxes[j, 0])
                    y0 = T.max(boxes[i, 1], boxes[j, 1])
                    x1 = T.min(boxes[i, 2], boxes[j, 2])
                    y1 = T.min(boxes[i, 3], boxes[j, 3])
                    overlap = T.max(x1 - x0, T.float32(0)) * T.max(y1 - y0, T.float32(0))
                    other = (boxes[j, 2] - boxes[j, 0]) * (boxes[j, 3] - boxes[j, 1])
                    if overlap > threshold * (area + other - overlap):
                        gone[j] = True
        return count

    # Anchor offsets to corners, with sizes by exp.
    @T.prim_func(s_tir=True)
    def decode_boxes(anchors: T.Buffer(("n", 4), "float32"), deltas: T.Buffer(("n", 4), "float32"), out: T.Buffer(("n", 4), "float32")):
        n = T.int32()
        for i in range(n):
            w: T.let[T.float32] = anchors[i, 2] - anchors[i, 0]
            h: T.let[T.float32] = anchors[i, 3] - anchors[i, 1]
            cx: T.let[T.float32] = anchors[i, 0] + T.float32(0.5) * w + deltas[i, 0] * w
            cy: T.let[T.float32] = anchors[i, 1] + T.float32(0.5) * h + deltas[i, 1] * h
            out[i, 0] = cx - T.float32(0.5) * w * T.exp(deltas[i, 2])
            out[i, 1] = cy - T.float32(0.5) * h * T.exp(deltas[i, 3])
            out[i, 2] = cx + T.float32(0.5) * w * T.exp(deltas[i, 2])
            out[i, 3] = cy + T.float32(0.5) * h * T.exp(deltas[i, 3])

    @T.prim_func(s_tir=True)
    def roi_max_pool(data: T.Buffer(("c", "h", "w"), "float32"), rois: T.Buffer(("r", 4), "int32"), out: T.Buffer(("r", "c", 2, 2), "float32")):
        c, h, w, r = T.int32(), T.int32(), T.int32(), T.int32()
        for a, ch, py, px in T.grid(r, c, 2, 2):
            best: T.float32 = T.min_value("float32")
            height: T.let[T.int32] = rois[a, 2] - rois[a, 0]
            width: T.let[T.int32] = rois[a, 3] - rois[a, 1]
            for y in range(rois[a, 0] + py * height // 2, rois[a, 0] + T.ceildiv((py + 1) * height, 2)):
                for x in range(rois[a, 1] + px * width // 2, rois[a, 1] + T.ceildiv((px + 1) * width, 2)):
                    best = T.max(best, data[ch, y, x])
            out[a, ch, py, px] = best
