# Views whose elements are smaller or larger than the memory's: the first one is the least significant.
# expect: bytes_of(2xi32=0, 4xi16=0) -> 67305985 -1, 513 1027 -1 -1
# expect: words_of(8xu8=1 2 3 4 250 255 255 255) -> 68 3 2 1 1 0 0 0
# expect: floats(i32=1069547520) -> 1077936128
# expect: half(2xi32=0, 3) -> 0 7
# trap: half(2xi32=0, 4) -> 42 index 4
# expect: columns(2x2xi32=1 65536 131073 7) -> 9 65536 131081 7
# expect: wide(4xi16=1 2 3 4) -> 2 2 3 4
# expect: flags(2xi32=0) -> 257 65536
# expect: scalar(4xi32=1 2 3 4) -> 1 1026 7 4
# expect: moved(6xi32=0) -> 0 0 5 0 1280 0
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def bytes_of(A: T.Buffer((2,), "int32"), B: T.Buffer((4,), "int16")):
        b = T.decl_buffer((8,), "uint8", data=A.data)
        for i in range(4):
            b[i] = T.Cast("uint8", i + 1)
        b[4:8] = T.Broadcast(T.uint8(255), 4)
        h = T.decl_buffer((4,), "int16", data=A.data)
        for i in range(4):
            B[i] = h[i]

    @T.prim_func(s_tir=True)
    def words_of(A: T.Buffer((8,), "uint8")):
        w = T.decl_buffer((2,), "uint32", data=A.data)
        w[0] = (w[0] ^ w[1]) * T.uint32(0) + T.uint32(0x01020344) + w[0] * T.uint32(0)
        w[1] = T.uint32(1)

    @T.prim_func(s_tir=True)
    def floats(A: T.Buffer((), "int32")):
        f = T.decl_buffer((), "float32", data=A.data)
        f[()] = f[()] + f[()]

    @T.prim_func(s_tir=True)
    def half(A: T.Buffer((2,), "int32"), n: T.int32):
        h = T.decl_buffer((4,), "int16", data=A.data)
        h[n - n % 2] = T.int16(7); h[n] = T.int16(0)

    @T.prim_func(s_tir=True)
    def columns(A: T.Buffer((2, 2), "int32")):
        h = T.decl_buffer((2, 4), "int16", data=A.data)
        for i in range(2):
            with T.sblock("b"):
                v = T.axis.spatial(2, i)
                column = T.match_buffer(h[v, 0:1], (1,), "int16", offset_factor=1)
                column[0] = column[0] + T.int16(8)

    @T.prim_func(s_tir=True)
    def wide(A: T.Buffer((4,), "int16")):
        p: T.let[T.handle("int64", "global")] = A.data
        w = T.decl_buffer((1,), "int64", data=p)
        w[0] = w[0] + T.int64(1)

    @T.prim_func(s_tir=True)
    def flags(A: T.Buffer((2,), "int32")):
        b = T.decl_buffer((8,), "bool", data=A.data)
        b[0] = T.bool(True); b[1] = not b[5]; b[6] = b[0] and b[1]

    @T.prim_func(s_tir=True)
    def scalar(A: T.Buffer((4,), "int32")):
        x = T.decl_scalar("int32", A.data, "global", 2)
        y = T.decl_scalar("uint8", A.data, "global", elem_offset=5)
        y = T.Cast("uint8", x) + T.uint8(1)
        x = x + T.Cast("int32", y)

    @T.prim_func(s_tir=True)
    def moved(A: T.Buffer((6,), "int32")):
        p: T.let[T.handle("uint8", "global")] = T.handle_add_byte_offset(A.data, 8)
        b = T.decl_buffer((16,), "uint8", data=p)
        b[0] = T.uint8(5)
        c = T.decl_buffer((4,), "uint8", data=T.address_of(b[8]))
        c[1] = b[0]
