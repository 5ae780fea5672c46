"""Hybrid Script of 2020: one product in the three forms that its lowering went through, and in TVMScript. All of them give
the same bytes; the last form is a packed function, which the command calls like any other."""

import numpy

from harness import CALL, USAGE, expect

N = 24

HEAD = f"""class Module:
    def mmult(A: ty.handle, B: ty.handle, C: ty.handle) -> None:
        # function attr dict
        tir.func_attr({{"global_symbol": "mmult", "tir.noalias": True}})
        A_1 = tir.buffer_bind(A, [{N}, {N}], elem_offset=0, align=128, offset_factor=1)
        B_1 = tir.buffer_bind(B, [{N}, {N}], elem_offset=0, align=128, offset_factor=1)
        C_1 = tir.buffer_bind(C, [{N}, {N}], elem_offset=0, align=128, offset_factor=1)
        # body
"""

NORMALISED = HEAD + f"""        tir.attr(C_1, "realize_scope", "")
        tir.realize(C_1[0:{N}, 0:{N}])
        for x in tir.range(0, {N}):
            for y in tir.range(0, {N}):
                C_1[x, y] = tir.float32(0)
                for k in tir.range(0, {N}):
                    C_1[x, y] = (C_1[x, y] + (A_1[x, k]*B_1[k, y]))
"""

LOWERED = HEAD + f"""        for x in tir.range(0, {N}):
            for y in tir.range(0, {N}):
                C_1.data[((x*{N}) + y)] = tir.float32(0)
                for k in tir.range(0, {N}):
                    C_1.data[((x*{N}) + y)] = (tir.load("float32", C_1.data, ((x*{N}) + y)) + (tir.load("float32", A_1.data, ((x*{N}) + k))*tir.load("float32", B_1.data, ((k*{N}) + y))))
"""

TVMSCRIPT = f"""from tvm.script import tirx as T


@T.prim_func
def mmult(A: T.Buffer(({N}, {N})), B: T.Buffer(({N}, {N})), C: T.Buffer(({N}, {N}))):
    for x, y in T.grid({N}, {N}):
        C[x, y] = T.float32(0)
        for k in range({N}):
            C[x, y] = C[x, y] + A[x, k] * B[k, y]
"""


def field(arg, number, dtype):
    return f'tir.tvm_struct_get({arg}, 0, {number}, dtype="{dtype}")'


def host(n=N):
    """The packed function, with every assertion that TVM generated for the three arrays."""
    lines = [f'assert (num_args == 3), "mmult: num_args should be 3"']
    for i in range(3):
        lines += [f'arg{i}: ty.handle = tir.tvm_struct_get(args, {i}, 12, dtype="handle")',
                  f'arg{i}_code: ty.int32 = tir.load("int32", arg_type_ids, {i})']
    for i, name in enumerate("ABC"):
        lines += [f'{name}: ty.handle = {field(f"arg{i}", 1, "handle")}',
                  f'tir.attr({name}, "storage_alignment", 128)',
                  f'arg{i}_shape: ty.handle = {field(f"arg{i}", 2, "handle")}',
                  f'arg{i}_strides: ty.handle = {field(f"arg{i}", 3, "handle")}']
        if i == 0:
            lines.append(f'dev_id: ty.int32 = {field("arg0", 9, "int32")}')
    for i in range(3):
        code = f"arg{i}_code"
        lines.append(f"assert (((({code} == 3) or ({code} == 13)) or ({code} == 7)) or ({code} == 4)), "
                     f'"mmult: Expect arg[{i}] to be pointer"')
    for i in range(3):
        arg = f"arg{i}"
        shape = lambda d: f'tir.cast("int32", tir.load("int64", {arg}_shape, {d}))'
        stride = lambda d: f'tir.cast("int32", tir.load("int64", {arg}_strides, {d}))'
        lines += [f'assert (2 == {field(arg, 4, "int32")}), "{arg}.ndim is expected to equal 2"'] * 2
        lines += [f'assert ((({field(arg, 5, "uint8")} == tir.uint8(2)) and ({field(arg, 6, "uint8")} == tir.uint8(32))) '
                  f'and ({field(arg, 7, "uint16")} == tir.uint16(1))), "{arg}.dtype is expected to be float32"']
        lines += [f'assert ({n} == {shape(d)}), "Argument {arg}.shape[{d}] has an unsatisfied constraint"' for d in range(2)]
        lines += [f'if not (tir.isnullptr({arg}_strides, dtype="bool")):',
                  f'    assert ((1 == {stride(1)}) and ({n} == {stride(0)})), "{arg}.strides: expected to be compact array"',
                  "    tir.evaluate(0)"]
        lines += [f'assert (tir.uint64(0) == {field(arg, 8, "uint64")}), "Argument {arg}.byte_offset has an unsatisfied constraint"',
                  f'assert (1 == {field(arg, 10, "int32")}), "Argument {arg}.device_type has an unsatisfied constraint"']
        if i > 0:
            lines.append(f'assert (dev_id == {field(arg, 9, "int32")}), "Argument {arg}.device_id has an unsatisfied constraint"')
    lines += ['tir.attr(0, "compute_scope", "mmult_compute_")', f"for x in tir.range(0, {N}):", f"    for y in tir.range(0, {N}):",
              f"        C[((x*{N}) + y)] = tir.float32(0)", f"        for k in tir.range(0, {N}):",
              f"            C[((x*{N}) + y)] = tir.call_llvm_pure_intrin(tir.uint32(97), tir.uint32(3), "
              f'tir.load("float32", A, ((x*{N}) + k)), tir.load("float32", B, ((k*{N}) + y)), '
              f'tir.load("float32", C, ((x*{N}) + y)), dtype="float32")']
    head = ("class Module:\n    def mmult(args: ty.handle, arg_type_ids: ty.handle, num_args: ty.int32, "
            "out_ret_value: ty.handle, out_ret_tcode: ty.handle) -> ty.int32:\n"
            '        tir.func_attr({"target": meta[Target][0], "tir.noalias": True, "global_symbol": "mmult", '
            '"tir.is_entry_func": True, "calling_conv": 1})\n')
    return head + "".join(f"        {line}\n" for line in lines)


# The product in blocks, with B packed into rows of vectors: what a schedule made of it, in the same three forms.
M, V = 64, 32

BLOCKED_HEAD = HEAD.replace(f"[{N}, {N}]", f"[{M}, {M}]")
BLOCKED_NORMALISED = BLOCKED_HEAD.replace("        # body", f"""        C_global = tir.buffer_decl([{M}, {M}], elem_offset=0, align=128, offset_factor=1)
        packedB = tir.buffer_decl([{M // V}, {M}, {V}], elem_offset=0, align=128, offset_factor=1)
        # body""") + f"""        tir.attr(packedB, "realize_scope", "")
        tir.realize(packedB[0:{M // V}, 0:{M}, 0:{V}])
        for x in tir.range(0, {M // V}, "parallel"):
            for y in tir.range(0, {M}):
                for z in tir.range(0, {V}, "vectorized"):
                    packedB[x, y, z] = B_1[y, ((x*{V}) + z)]
        tir.attr(C_1, "realize_scope", "")
        tir.realize(C_1[0:{M}, 0:{M}])
        for x_outer in tir.range(0, {M // V}, "parallel"):
            for y_outer in tir.range(0, {M // V}):
                tir.attr(C_global, "realize_scope", "global")
                tir.realize(C_global[(x_outer*{V}):((x_outer*{V}) + {V}), (y_outer*{V}):((y_outer*{V}) + {V})])
                for x_c_init in tir.range(0, {V}):
                    for y_c_init in tir.range(0, {V}, "vectorized"):
                        C_global[(x_c_init + (x_outer*{V})), (y_c_init + (y_outer*{V}))] = tir.float32(0)
                for k_outer in tir.range(0, {M // 4}):
                    for x_c in tir.range(0, {V}):
                        for k_inner in tir.range(0, 4, "unroll"):
                            for y_c in tir.range(0, {V}, "vectorized"):
                                C_global[(x_c + (x_outer*{V})), (y_c + (y_outer*{V}))] = (C_global[(x_c + (x_outer*{V})), (y_c + (y_outer*{V}))] + (A_1[(x_c + (x_outer*{V})), (k_inner + (k_outer*4))]*packedB[tir.floordiv((y_c + (y_outer*{V})), {V}), (k_inner + (k_outer*4)), tir.floormod((y_c + (y_outer*{V})), {V})]))
                for x_inner in tir.range(0, {V}):
                    for y_inner in tir.range(0, {V}):
                        C_1[(x_inner + (x_outer*{V})), (y_inner + (y_outer*{V}))] = C_global[(x_inner + (x_outer*{V})), (y_inner + (y_outer*{V}))]
"""


def vector(pointer, at):
    return f'tir.load("float32x{V}", {pointer}, tir.ramp({at}, 1, {V}), tir.broadcast(True, {V}))'


def put(pointer, at, value):
    return f"tir.store({pointer}, tir.ramp({at}, 1, {V}), {value}, tir.broadcast(True, {V}))\n"


def blocked_loops(a, b, c, pad):
    """The loops of the lowered forms, over pointers."""
    lines = [f'for x in tir.range(0, {M // V}, "parallel"):', f"    for y in tir.range(0, {M}):",
             "        " + put("packedB", f"((x*{M * V}) + (y*{V}))", vector(b, f"((y*{M}) + (x*{V}))")).rstrip(),
             f'for x_outer in tir.range(0, {M // V}, "parallel"):', '    tir.attr(C_global, "storage_scope", "global")',
             f'    tir.allocate(C_global, "float32", [{V * V}])', f"    for y_outer in tir.range(0, {M // V}):",
             f"        for x_c_init in tir.range(0, {V}):",
             "            " + put("C_global", f"(x_c_init*{V})", f"tir.broadcast(tir.float32(0), {V})").rstrip(),
             f"        for k_outer in tir.range(0, {M // 4}):", f"            for x_c in tir.range(0, {V}):"]
    for k in range(4):
        left = f'tir.broadcast(tir.load("float32", {a}, ((((x_outer*{M * V}) + (x_c*{M})) + (k_outer*4)) + {k})), {V})'
        right = vector("packedB", f"(((y_outer*{M * V}) + (k_outer*{4 * V})) + {k * V})")
        lines.append("                " + put("C_global", f"(x_c*{V})", f'({vector("C_global", f"(x_c*{V})")} + ({left}*{right}))').rstrip())
    lines += [f"        for x_inner in tir.range(0, {V}):", f"            for y_inner in tir.range(0, {V}):",
              f"                {c}[((((x_outer*{M * V}) + (x_inner*{M})) + (y_outer*{V})) + y_inner)] = "
              f'tir.load("float32", C_global, ((x_inner*{V}) + y_inner))']
    return "".join(f"{pad}{line}\n" for line in lines)


BLOCKED_LOWERED = BLOCKED_HEAD.replace("        # body", """        C_global = tir.var("handle")
        packedB = tir.var("handle")
        # body""") + f"""        tir.attr(packedB, "storage_scope", "global")
        tir.allocate(packedB, "float32x{V}", [{M * M // V}])
""" + blocked_loops("A_1.data", "B_1.data", "C_1.data", "        ")


def blocked_host():
    """The packed form, which has its scratch memory from the system."""
    text = host(M)
    body = text[:text.index('        tir.attr(0, "compute_scope"')]
    return body.replace('"calling_conv": 1})\n', '"calling_conv": 1})\n        C_global = tir.var("handle")\n'
                        '        packedB = tir.var("handle")\n') + f"""        tir.attr(0, "compute_scope", "mmult_compute_")
        tir.attr(packedB, "storage_scope", "global")
        tir.attr(packedB, "storage_alignment", 128)
        with tir.let(packedB, tir.TVMBackendAllocWorkspace(1, dev_id, tir.uint64({4 * M * M}), 2, 32, dtype="handle")):
            if tir.isnullptr(packedB, dtype="bool"):
                tir.evaluate(tir.tvm_throw_last_error(dtype="int32"))
{blocked_loops("A", "B", "C", "            ")}            if (tir.TVMBackendFreeWorkspace(1, dev_id, packedB, dtype="int32") != 0):
                tir.evaluate(tir.tvm_throw_last_error(dtype="int32"))
"""


def inputs(t, n=N):
    rng = numpy.random.default_rng(7)
    for name in "ab":
        numpy.save(t.folder / f"{name}.npy", rng.standard_normal((n, n)).astype(numpy.float32))


def test_three_forms(t):
    inputs(t)
    t.write("modern.py", TVMSCRIPT)
    t.run("run", "modern.py", "@a.npy", "@b.npy", "-o", "C=@c.npy")
    t.run("run", "modern.py", "@a.npy", "@b.npy", "--fp", "strict", "-o", "C=@strict.npy")
    for name, text, output in (("normalised", NORMALISED, "C_1"), ("lowered", LOWERED, "C_1"), ("host", host(), "2")):
        t.write(f"{name}.py", text)
        third = [f"{N}x{N}xf32=0"] if output == "2" else []
        for dialect in ("hybrid", "tir", "tirx"):
            t.run("fmt", "--dialect", dialect, f"{name}.py", "-o", f"{name}_{dialect}.py")
            t.run("fmt", "--check", f"{name}_{dialect}.py")
            for fp, expected in (("precise", "@c.npy"), ("strict", "@strict.npy")):
                t.run("run", f"{name}_{dialect}.py", "@a.npy", "@b.npy", *third, "--fp", fp, "--expect",
                      f"{output}={expected}")


def test_three_blocked_forms(t):
    inputs(t, M)
    t.write("modern.py", TVMSCRIPT.replace(f"{N}", f"{M}"))
    t.run("run", "modern.py", "@a.npy", "@b.npy", "-o", "C=@c.npy")
    for name, text, output in (("normalised", BLOCKED_NORMALISED, "C_1"), ("lowered", BLOCKED_LOWERED, "C_1"), ("host", blocked_host(), "2")):
        t.write(f"{name}.py", text)
        third = [f"{M}x{M}xf32=0"] if output == "2" else []
        for dialect in ("hybrid", "tir", "tirx"):
            t.run("fmt", "--dialect", dialect, f"{name}.py", "-o", f"{name}_{dialect}.py")
            t.run("fmt", "--check", f"{name}_{dialect}.py")
            t.run("run", f"{name}_{dialect}.py", "@a.npy", "@b.npy", *third, "--expect", f"{output}=@c.npy")


def test_packed_arguments(t):
    inputs(t)
    t.write("host.py", host())
    t.run("run", "host.py", "@a.npy", "@b.npy", f"{N}x{N}xf32=0", "-o", "2=@c.npy")
    t.run("run", "host.py", "1=@b.npy", "0=@a.npy", f"2={N}x{N}xf32=0", "--expect", "2=@c.npy")
    good = f"{N}x{N}xf32=1"
    for values, message in (([good, good], "num_args should be 3"), (["5", good, good], "Expect arg[0] to be pointer"),
                            ([good, "_", good], "arg1.ndim is expected to equal 2"),
                            ([f"{N}xf32=1", good, good], "arg0.ndim is expected to equal 2"),
                            ([good, f"{N}x{N}xf64=1", good], "arg1.dtype is expected to be float32"),
                            ([good, good, f"{N}x{N - 1}xf32=0"], "Argument arg2.shape[1] has an unsatisfied constraint")):
        t.run("run", "host.py", *values, code=CALL, says=message)
    t.run("run", "host.py", good, good, good, "-o", "3=@c.npy", code=USAGE, says="no parameter '3'")
    expect("mmult(...)" in t.run("inspect", "host.py").text, "inspect shows what is packed")


# What TVM 0.27 makes of `B[i] = A[i] * 2` for i below n, which returns n + 1: four parameters, type indices beside values.
ANY_PACKED = """from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def double(self_handle: T.handle, args: T.handle, num_args: T.int32, result: T.handle) -> T.int32:
    T.func_attr({"calling_conv": 1})
    assert num_args == 3, ("TypeError", ["Expected ", "3", " arguments", metadata["ir.StringImm"][0]])
    assert not T.isnullptr(args), ("TypeError", ["args pointer is NULL"])
    A_type: T.let[T.int32] = T.tvm_struct_get(args, 0, 13, "int32")
    assert A_type == 0 or A_type == 7 or A_type >= 64, ("TypeError", ["expected a tensor first"])
    A_handle: T.let[T.handle] = T.if_then_else(A_type == 70, T.handle_add_byte_offset(T.tvm_struct_get(args, 0, 15, T.handle().ty), 24), T.tvm_struct_get(args, 0, 15, T.handle().ty))
    n_type: T.let[T.int32] = T.tvm_struct_get(args, 1, 13, "int32")
    assert n_type == 1 or n_type == 2, ("TypeError", ["expected an int second"])
    n: T.let[T.int32] = T.Cast("int32", T.tvm_struct_get(args, 1, 15, "int64"))
    B_handle: T.let[T.handle] = T.tvm_struct_get(args, 2, 15, T.handle().ty)
    assert not T.isnullptr(A_handle), ("TypeError", ["expected a tensor first"])
    A_shape: T.let[T.handle("int64", "global")] = T.tvm_struct_get(A_handle, 0, 2, T.handle("int64", "global").ty)
    A = T.Buffer((4,))
    with T.attr(A, "storage_alignment", 64):
        assert T.Cast("int32", T.tvm_struct_get(A_shape, 0, 17, "int64")) == 4, ("ValueError", ["A.shape[0] is not 4"])
        A = T.decl_buffer((4,), data=T.reinterpret(T.handle("float32", "global").ty, T.tvm_struct_get(A_handle, 0, 1, T.handle().ty)))
        B = T.decl_buffer((4,), data=T.reinterpret(T.handle("float32", "global").ty, T.tvm_struct_get(B_handle, 0, 1, T.handle().ty)))
        for i in range(n):
            B[i] = A[i] * T.float32(2)
        T.tvm_struct_set(result, 0, 13, 1)
        T.tvm_struct_set(result, 0, 14, 0)
        T.tvm_struct_set(result, 0, 15, T.Cast("int64", n + 1))
        return 0
"""


def test_packed_by_type_index(t):
    t.write("double.py", ANY_PACKED)
    t.run("fmt", "double.py", "-o", "again.py")
    t.run("fmt", "--check", "again.py")
    for name in ("double.py", "again.py"):
        out = t.run("run", name, "4xf32=1,2,3,4", "3", "4xf32=0").text
        expect("2: 4xf32 = 2, 4, 6, 0" in out and "returned: i64 = 4" in out, "the third argument is written, and a number comes back")
    good = "4xf32=1"
    for values, message in (([good, "3"], "Expected 3 arguments"), (["5", "3", good], "expected a tensor first"),
                            (["_", "3", good], "expected a tensor first"), ([good, "2.5", good], "expected an int second"),
                            (["5xf32=1", "3", good], "A.shape[0] is not 4"), ([good, "5", good], "index 4 is out of bounds")):
        t.run("run", "double.py", *values, code=CALL, says=message)
    t.write("writes.py", ANY_PACKED.replace("T.tvm_struct_set(result, 0, 14, 0)", "T.tvm_struct_set(args, 0, 15, T.int64(0))"))
    t.run("check", "writes.py", code=1, says="writes its parameter 'args'")
