# Functions of processors by their names in LLVM: sums of products of neighbours, packed in larger integers or not.
# expect: dot(8xu8=255 1 2 3 4 5 6 7, 8xi8=-1 1 1 1 -128 2 3 4, 2xi32=10 20) -> -239 -436
# expect: signed(8xi8=-1 1 2 3 4 5 6 7, 8xi8=-1 1 1 1 -128 2 3 4, 2xi32=10 20) -> 17 -436
# expect: mixed(8xu8=255 1 2 3 4 5 6 7, 8xi8=-1 1 1 1 -128 2 3 4, 2xi32=10 20) -> -239 -436
# expect: unsigned(8xu8=255 1 2 3 4 5 6 7, 8xu8=255 1 1 1 128 2 3 4, 2xi32=-1 20) -> 65030 588
# expect: limited(8xu8=255 255 2 3 255 255 6 7, 8xi8=127 127 1 1 -128 -128 3 4, 4xi16=0) -> 32767 5 -32768 46
# expect: words(4xi16=-32768 -32768 3 4, 4xi16=-32768 -32768 -5 6, 2xi32=0, 2xi32=2147483647 7) -> -2147483648 9, 2147483647 16
# expect: wide(4xi8=-128 127 5 -6, 4xi8=-128 2 3 4, 4xi16=0, 2xi32=0) -> 16384 254 15 -24, 16638 -9
# expect: pairs(4xi32=1 2 3 4, 4xi32=10 20 30 40, 4xi32=0) -> 3 7 30 70
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def dot(A: T.Buffer((8,), "uint8"), B: T.Buffer((8,), "int8"), C: T.Buffer((2,), "int32")):
    C[0:2] = T.call_llvm_pure_intrin("int32x2", "llvm.x86.avx512.vpdpbusd.128", C[0:2], T.reinterpret("int32x2", A[0:8]),
                                     T.reinterpret("int32x2", B[0:8]))


@T.prim_func(s_tir=True)
def signed(A: T.Buffer((8,), "int8"), B: T.Buffer((8,), "int8"), C: T.Buffer((2,), "int32")):
    C[0:2] = T.call_llvm_pure_intrin("int32x2", "llvm.aarch64.neon.sdot.v2i32.v8i8", T.uint32(3), C[0:2], A[0:8], B[0:8])


@T.prim_func(s_tir=True)
def mixed(A: T.Buffer((8,), "uint8"), B: T.Buffer((8,), "int8"), C: T.Buffer((2,), "int32")):
    C[0:2] = T.call_llvm_pure_intrin("int32x2", "llvm.aarch64.neon.usdot", C[0:2], A[0:8], B[0:8])


@T.prim_func(s_tir=True)
def unsigned(A: T.Buffer((8,), "uint8"), B: T.Buffer((8,), "uint8"), C: T.Buffer((2,), "int32")):
    C[0:2] = T.call_llvm_pure_intrin("int32x2", "llvm.aarch64.neon.udot", C[0:2], A[0:8], B[0:8])


@T.prim_func(s_tir=True)
def limited(A: T.Buffer((8,), "uint8"), B: T.Buffer((8,), "int8"), C: T.Buffer((4,), "int16")):
    C[0:4] = T.call_llvm_pure_intrin("int16x4", "llvm.x86.ssse3.pmadd.ub.sw.128", A[0:8], B[0:8])


@T.prim_func(s_tir=True)
def words(A: T.Buffer((4,), "int16"), B: T.Buffer((4,), "int16"), C: T.Buffer((2,), "int32"), D: T.Buffer((2,), "int32")):
    C[0:2] = T.call_llvm_pure_intrin("int32x2", "llvm.x86.avx512.pmaddw.d.512", A[0:4], B[0:4])
    D[0:2] = T.call_llvm_pure_intrin("int32x2", "llvm.x86.avx512.vpdpwssds.128", D[0:2], T.reinterpret("int32x2", A[0:4]),
                                     T.reinterpret("int32x2", B[0:4]))


@T.prim_func(s_tir=True)
def wide(A: T.Buffer((4,), "int8"), B: T.Buffer((4,), "int8"), C: T.Buffer((4,), "int16"), D: T.Buffer((2,), "int32")):
    v: T.let = T.call_llvm_pure_intrin("int16x4", "llvm.aarch64.neon.smull", A[0:4], B[0:4])
    C[0:4] = v
    D[0:2] = T.call_llvm_pure_intrin("int32x2", "llvm.aarch64.neon.saddlp", v)


@T.prim_func(s_tir=True)
def pairs(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32"), C: T.Buffer((4,), "int32")):
    C[0:4] = T.call_llvm_pure_intrin("int32x4", "llvm.aarch64.neon.addp", A[0:4], B[0:4])
