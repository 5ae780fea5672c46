"""Tensors exchanged with NumPy and tvm_ffi through DLPack's capsules, of 0.x and of 1.x, in both directions.

    exchange.py LIBRARY CC

LIBRARY is tests/abi/exchange.c with libtirb in it. tvm_ffi (apache-tvm-ffi), where there is one, gives a second producer
and consumer, and its dlpack.h, a header of DLPack 1.x, has to agree with tirb/dlpack.h.
"""
import ctypes
import gc
import os
import shlex
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("SKIPPED: no NumPy, nothing was exchanged")
    sys.exit(77)
try:
    import tvm_ffi
except Exception as reason:  # a broken installation counts as none
    tvm_ffi = None
    print(f"no tvm_ffi ({reason}): exchanged with NumPy alone")

OLD, NEW = b"dltensor", b"dltensor_versioned"
USED_OLD, USED_NEW = b"used_dltensor", b"used_dltensor_versioned" # capsules keep the pointer to their name
TENSOR, READ_ONLY = 0, 1
OK, ARGUMENT = 0, 11
SOURCE = '''
from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def twice(A: T.Buffer((3, 4), "float32"), B: T.Buffer((3, 4), "float32")):
    for i, j in T.grid(3, 4):
        B[i, j] = A[i, j] * T.float32(2)
'''


class DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("dtype", DataType), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class ManagedVersioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", Tensor)]


class Argument(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_uint32), ("flags", ctypes.c_uint32), ("tensor", ctypes.POINTER(Tensor))]


class Error(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("code", ctypes.c_uint32), ("line", ctypes.c_uint32),
                ("column", ctypes.c_uint32), ("end_column", ctypes.c_uint32), ("reserved", ctypes.c_uint32),
                ("offset", ctypes.c_uint64), ("where", ctypes.c_char * 128), ("message", ctypes.c_char * 512)]


REALLOCATE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)


class EngineOptions(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("isa", ctypes.c_int), ("reallocate", REALLOCATE),
                ("context", ctypes.c_void_p)]


capsule_new = ctypes.pythonapi.PyCapsule_New
capsule_new.restype, capsule_new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
capsule_pointer.restype, capsule_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
capsule_is = ctypes.pythonapi.PyCapsule_IsValid
capsule_is.restype, capsule_is.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]
capsule_rename = ctypes.pythonapi.PyCapsule_SetName
capsule_rename.argtypes = [ctypes.py_object, ctypes.c_char_p]

live_bytes = 0
libc = ctypes.CDLL(None)
libc.realloc.restype, libc.realloc.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]


@REALLOCATE
def counting_allocator(_context, pointer, old_size, new_size):
    global live_bytes
    live_bytes += new_size - old_size
    if new_size:
        return libc.realloc(pointer, new_size)
    libc.free(pointer)
    return None


class Offered:
    """A producer of one capsule, which keeps to the protocol: who does not name a version gets none of 1.x."""

    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, *, max_version=None, **_options):
        if max_version is None and capsule_is(self.capsule, NEW):
            raise BufferError("this tensor is of DLPack 1.x")
        return self.capsule

    def __dlpack_device__(self):
        return (1, 0)


class Traded:
    """A producer for consumers that take C's way (__dlpack_c_exchange_api__, of DLPack 1.3)."""

    def __init__(self, capsule):
        self.capsule = capsule

    @property
    def __dlpack_c_exchange_api__(self):
        return ctypes.addressof(TRADE)


class ExchangeAPI(ctypes.Structure):
    """DLPackExchangeAPI, whose functions run with Python's lock held."""
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("older", ctypes.c_void_p),
                ("allocate", ctypes.c_void_p),
                ("from_object", ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(ctypes.c_void_p))),
                ("to_object", ctypes.c_void_p),
                ("borrow", ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(Tensor))),
                ("stream", ctypes.c_void_p)]


def give_away(traded, out):
    out[0] = capsule_pointer(traded.capsule, NEW)
    capsule_rename(traded.capsule, USED_NEW)
    return 0


TRADE = ExchangeAPI(major=1, minor=1, from_object=dict(ExchangeAPI._fields_)["from_object"](give_away))


class Host:
    def __init__(self, library):
        self.tirb = ctypes.CDLL(library)
        for name in ("tirb_engine_release", "tirb_module_release", "tirb_instance_destroy"):
            getattr(self.tirb, name).argtypes = [ctypes.c_void_p]
            getattr(self.tirb, name).restype = None
        self.error = Error(struct_size=ctypes.sizeof(Error))
        options = EngineOptions(ctypes.sizeof(EngineOptions), 0, counting_allocator, None)
        self.engine, self.module, self.instance = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        self.do("tirb_engine_create", ctypes.byref(options), ctypes.byref(self.engine))
        bundle = compile_bundle()
        self.do("tirb_module_load", self.engine, bundle, ctypes.c_size_t(len(bundle)), ctypes.byref(self.module))
        self.do("tirb_instance_create", self.module, None, ctypes.byref(self.instance))
        self.function = ctypes.c_uint32()
        self.do("tirb_module_find", self.module, b"twice", ctypes.byref(self.function))

    def do(self, name, *args):
        status = getattr(self.tirb, name)(*args, ctypes.byref(self.error))
        assert status == OK, f"{name}: {status} {self.error.message.decode()}"

    def run(self, *capsules):
        """The status of twice(capsules), which stay alive and the caller's."""
        return self.call(*map(borrowed, capsules))

    def call(self, *args):
        """The status of twice(args): pairs of a pointer to a DLTensor and flags."""
        rows = (Argument * len(args))(*(Argument(TENSOR, flags, ctypes.cast(at, ctypes.POINTER(Tensor)))
                                        for at, flags in args))
        return self.tirb.tirb_instance_call(self.instance, self.function, rows, len(args), None, ctypes.byref(self.error))

    def create(self, versioned, shape):
        """A capsule with a tensor of tirb's, which nobody owns yet."""
        out = ctypes.c_void_p()
        extents = (ctypes.c_int64 * len(shape))(*shape)
        name = "tirb_tensor_create_v1" if versioned else "tirb_tensor_create"
        self.do(name, self.engine, DataType(2, 32, 1), extents, ctypes.c_int32(len(shape)), ctypes.byref(out))
        return capsule_new(out, NEW if versioned else OLD, None)

    def close(self):
        self.tirb.tirb_instance_destroy(self.instance)
        self.tirb.tirb_module_release(self.module)
        self.tirb.tirb_engine_release(self.engine)


def compile_bundle():
    with tempfile.TemporaryDirectory() as folder:
        source, bundle = os.path.join(folder, "k.py"), os.path.join(folder, "k.tirb")
        with open(source, "w", encoding="utf-8") as file:
            file.write(SOURCE)
        subprocess.run([*shlex.split(os.environ["TIRB"]), "compile", source, "-o", bundle], check=True)
        with open(bundle, "rb") as file:
            return file.read()


def borrowed(capsule):
    """The DLTensor in a capsule and the flags of its argument, as tirb_arg_from_managed(_v1) gives them."""
    argument = Argument()
    if capsule_is(capsule, NEW):
        assert borrowed.by.exchange_argument_v1(ctypes.c_void_p(capsule_pointer(capsule, NEW)), ctypes.byref(argument)) == 1
    else:
        borrowed.by.exchange_argument(ctypes.c_void_p(capsule_pointer(capsule, OLD)), ctypes.byref(argument))
    assert argument.kind == TENSOR
    return ctypes.addressof(argument.tensor.contents), argument.flags


def versioned(producer):
    return producer.__dlpack__(max_version=(1, 1))


def test_borrowing(host):
    """Capsules lend their tensors: any strides, and read-only where the producer says so."""
    whole = np.arange(48, dtype=np.float32).reshape(6, 8)
    views = [np.arange(12, dtype=np.float32).reshape(3, 4), np.arange(12, dtype=np.float32).reshape(4, 3).T,
             whole[::2, ::2], whole[::-2, ::-2], np.broadcast_to(np.float32(3), (3, 4)).copy()]
    for export in (lambda x: x.__dlpack__(), versioned):
        for view in views:
            target = np.zeros((3, 4), np.float32)
            source, result = export(view), export(target)
            assert host.run(source, result) == OK, host.error.message
            assert np.array_equal(target, view * 2)
    columns, rows = np.zeros((3, 8), np.float32), views[0]
    assert host.run(versioned(rows), versioned(columns[:, 1::2])) == OK
    assert np.array_equal(columns[:, 1::2], rows * 2) and not columns[:, ::2].any()
    frozen = np.zeros((3, 4), np.float32)
    frozen.flags.writeable = False
    capsule = versioned(frozen)
    assert borrowed(capsule)[1] == READ_ONLY
    assert host.run(versioned(rows), capsule) == ARGUMENT
    assert b"read-only" in host.error.message, host.error.message
    assert host.run(capsule, versioned(columns[:, 4:])) == OK


def test_taking(host):
    """A consumer renames the capsule and calls the deleter once, when it is done: the producer's array is let go."""
    for export, name, used, layout in ((lambda x: x.__dlpack__(), OLD, USED_OLD, Managed),
                                       (versioned, NEW, USED_NEW, ManagedVersioned)):
        array = np.ones((3, 4), np.float32)
        before = sys.getrefcount(array)
        capsule = export(array)
        assert sys.getrefcount(array) == before + 1
        address = capsule_pointer(capsule, name)
        capsule_rename(capsule, used)
        del capsule
        gc.collect()
        assert sys.getrefcount(array) == before + 1
        managed = layout.from_address(address)
        target = np.zeros((3, 4), np.float32)
        result = versioned(target)
        assert host.call((ctypes.addressof(managed.tensor), 0), borrowed(result)) == OK
        assert (target == 2).all()
        ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(managed.deleter)(address)
        assert sys.getrefcount(array) == before


def test_giving(host, name, is_new, take, to_numpy):
    """tirb's tensors live in arrays of the consumer's, and are given back once when the last of those goes."""
    start = live_bytes
    source = np.arange(12, dtype=np.float32).reshape(3, 4)
    capsule = host.create(is_new, (3, 4))
    assert live_bytes > start
    assert host.run(versioned(source), capsule) == OK, host.error.message
    taken = take(capsule)
    assert not capsule_is(capsule, NEW if is_new else OLD), f"{name} left the capsule unused"
    del capsule
    array = to_numpy(taken)
    assert array.shape == (3, 4) and array.dtype == np.float32 and array.ctypes.data % 256 == 0
    assert np.array_equal(array, source * 2)
    view = array[1:]
    del taken, array
    gc.collect()
    assert live_bytes > start, f"{name}: freed while a view was left"
    assert np.array_equal(view, source[1:] * 2)
    del view
    gc.collect()
    assert live_bytes == start, f"{name}: {live_bytes - start} bytes were not given back"
    for shape in ((), (0, 5), (2, 1, 3)):
        array = to_numpy(take(host.create(is_new, shape)))
        assert array.shape == shape and not array.any()
        del array
        gc.collect()
        assert live_bytes == start


def test_read_only(host):
    """What is flagged read-only stays so in both directions: NumPy's arrays here, and tirb's tensors there."""
    start, source = live_bytes, np.arange(12, dtype=np.float32).reshape(3, 4)
    capsule = host.create(True, (3, 4))
    assert host.run(versioned(source), capsule) == OK
    ManagedVersioned.from_address(capsule_pointer(capsule, NEW)).flags |= READ_ONLY
    array = np.from_dlpack(Offered(capsule))
    assert not array.flags.writeable and np.array_equal(array, source * 2)
    lent = versioned(array)
    assert borrowed(lent)[1] == READ_ONLY
    assert host.run(versioned(source), lent) == ARGUMENT and b"read-only" in host.error.message
    target = np.zeros((3, 4), np.float32)
    assert host.run(lent, versioned(target)) == OK and np.array_equal(target, source * 4)
    del array, lent, capsule
    gc.collect()
    assert live_bytes == start


def test_tvm_ffi_lends(host):
    """tvm_ffi's tensors, as capsules of both ages and as a DLTensor that its exchange interface fills in."""
    array = np.arange(12, dtype=np.float32).reshape(3, 4)
    lent, target = tvm_ffi.from_dlpack(array), np.zeros((3, 4), np.float32)
    for capsule in (lent.__dlpack__(), versioned(lent)):
        target[:] = 0
        assert host.run(capsule, versioned(target)) == OK, host.error.message
        assert np.array_equal(target, array * 2)
    offered = getattr(tvm_ffi.Tensor, "__dlpack_c_exchange_api__", None)
    if offered is None:
        return
    at = offered if isinstance(offered, int) else capsule_pointer(offered, b"dlpack_exchange_api")
    trade = ExchangeAPI.from_address(at)
    assert trade.major == 1
    source, result = Tensor(), Tensor()
    assert trade.borrow(lent, ctypes.byref(source)) == 0
    assert trade.borrow(tvm_ffi.from_dlpack(target), ctypes.byref(result)) == 0
    target[:] = 0
    assert host.call((ctypes.addressof(source), 0), (ctypes.addressof(result), 0)) == OK, host.error.message
    assert np.array_equal(target, array * 2)


def test_headers(compiler):
    """tirb/dlpack.h beside a dlpack.h of 1.x: its own assertions, and the values that it has names for."""
    checks = """
#include <dlpack/dlpack.h>
#include <stddef.h>
#if !defined(DLPACK_MAJOR_VERSION) || DLPACK_MAJOR_VERSION != 1
#error "no header of DLPack 1"
#endif
#include <tirb/dlpack.h>
#include <tirb/builder.h>
#define SAME(x, y) ((int)(x) == (int)(y))
#define PLACE(a, b) (offsetof(tirb_dl_managed_v1, a) == offsetof(DLManagedTensorVersioned, b))
#ifdef __cplusplus
#define _Static_assert static_assert
#endif
_Static_assert(SAME(TIRB_DL_BOOL, kDLBool) && SAME(TIRB_DL_F8E3M4, kDLFloat8_e3m4) && SAME(TIRB_DL_F8E4M3FN, kDLFloat8_e4m3fn) &&
               SAME(TIRB_DL_F8E5M2, kDLFloat8_e5m2) && SAME(TIRB_DL_F8E8M0FNU, kDLFloat8_e8m0fnu), "types");
_Static_assert(SAME(TIRB_DL_READ_ONLY, DLPACK_FLAG_BITMASK_READ_ONLY) && SAME(TIRB_DL_IS_COPIED, DLPACK_FLAG_BITMASK_IS_COPIED) &&
               SAME(TIRB_DL_SUBBYTE_PADDED, DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED), "flags");
_Static_assert(sizeof(tirb_dl_managed_v1) == sizeof(DLManagedTensorVersioned) && PLACE(version, version) &&
               PLACE(manager_ctx, manager_ctx) && PLACE(deleter, deleter) && PLACE(flags, flags) &&
               PLACE(dl_tensor, dl_tensor), "layout");
"""
    for language in (["-std=c11", "-xc"], ["-std=c++17", "-xc++"]):
        subprocess.run([*compiler, *language, "-Wall", "-Werror", "-fsyntax-only", "-"], input=checks.encode(), check=True)


def build_with_new_header(compiler, folder):
    """The functions of tirb/dlpack.h as a host sees them that has DLPack 1.x."""
    library = os.path.join(folder, "exchange_new.so")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "exchange.c")
    subprocess.run([*compiler, "-std=c11", "-Wall", "-Werror", "-shared", "-fPIC", "-DTIRB_EXCHANGE_HEADER", source,
                    "-o", library], check=True)
    return ctypes.CDLL(library)


def exchange(host):
    test_borrowing(host)
    test_taking(host)
    for is_new in (False, True):
        test_giving(host, "NumPy", is_new, lambda x: np.from_dlpack(Offered(x)), lambda x: x)
    test_read_only(host)
    if tvm_ffi is None:
        return
    # Without a version, which tvm_ffi does not name, a producer gives a capsule of 0.x; it takes a capsule itself too.
    test_giving(host, "tvm_ffi", False, lambda x: tvm_ffi.from_dlpack(Offered(x)), np.from_dlpack)
    test_giving(host, "tvm_ffi", False, tvm_ffi.from_dlpack, np.from_dlpack)
    test_giving(host, "tvm_ffi", True, tvm_ffi.from_dlpack, np.from_dlpack)
    test_giving(host, "tvm_ffi", True, lambda x: tvm_ffi.from_dlpack(Traded(x)), np.from_dlpack)
    test_tvm_ffi_lends(host)


def main():
    host = Host(sys.argv[1])
    borrowed.by = host.tirb
    exchange(host)
    if tvm_ffi:
        root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
        compiler = [sys.argv[2], "-I", os.path.join(os.path.dirname(tvm_ffi.__file__), "include"), "-I", os.path.join(root, "include")]
        test_headers(compiler)
        with tempfile.TemporaryDirectory() as folder:
            borrowed.by = build_with_new_header(compiler, folder)
            exchange(host)
    host.close()
    assert live_bytes == 0, live_bytes
    print("exchanged with NumPy" + (" and tvm_ffi" if tvm_ffi else " alone: SKIPPED tvm_ffi"))


main()
