"""What operators of Relax make of constants alone is computed before there is a program, where it takes no more room."""

import collections
import contextlib

# Bytes that a result may have, whatever its operands have.
SMALL = 1 << 16
# What is computed here, by the kinds of its operands' elements, as NumPy calls them: what each host computes to the same
# bits in steps about as many as there are elements. Arithmetic of floats, and what traps or leaves its result open
# (division, shifts), is the program's.
COMPUTED = {
    "biufV": {"broadcast_to", "concat", "expand_dims", "flatten", "flip", "gather_elements", "permute_dims", "repeat",
              "reshape", "squeeze", "stack", "strided_slice", "take", "tile", "where"},
    "biuf": {"equal", "greater", "greater_equal", "less", "less_equal", "not_equal", "astype"},
    "biu": {"bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor"},
    "b": {"logical_and", "logical_not", "logical_or", "logical_xor"},
    "iu": {"abs", "add", "max", "maximum", "min", "minimum", "multiply", "negative", "subtract", "sum"},
}
# Operators that take elements by numbers, which they do not compare with the sizes.
TAKING = {"gather_elements", "take"}
# Bytes that are read and written for this beyond twice those of the constants.
MOST_MOVED = 1 << 28
# Operators that TVM compiles for this, each in a part of a second.
MOST_COMPUTED = 100


def content(array):
    return (str(array.dtype), tuple(array.shape), array.tobytes())


def axes_of(call):
    """Which axes of an operand the call gives, where it turns one."""
    if getattr(call.op, "name", "") != "relax.permute_dims":
        return None
    ndim, axes = call.args[0].ty.ndim, call.attrs.axes
    return tuple(int(axis) % ndim for axis in axes) if axes is not None else tuple(range(ndim))[::-1]


def only_turned(function):
    """Constants that are never used but turned, all in one way."""
    from tvm import relax
    uses, turns = collections.Counter(), collections.defaultdict(list)

    def note(e):
        if type(e).__name__ == "GenericConst":
            uses[e] += 1
        elif isinstance(e, relax.Call) and axes_of(e) is not None and type(e.args[0]).__name__ == "GenericConst":
            turns[e.args[0]].append(axes_of(e))

    relax.analysis.post_order_visit(function, note)
    return {e for e, ways in turns.items() if len(ways) == uses[e] and len(set(ways)) == 1}


def constants_in(args):
    """The arrays that a call is given, or None if it is given others."""
    from tvm import relax
    found = []
    for arg in args:
        if isinstance(arg, relax.Tuple):
            inside = constants_in(arg.fields)
            if inside is None:
                return None
            found += inside
        elif type(arg).__name__ == "GenericConst":
            found.append(arg.value.numpy())
        elif isinstance(arg, relax.Var) or not hasattr(arg, "ty") or isinstance(arg.ty, relax.TensorType):
            return None
    return found


def is_exact(call, arrays):
    """Whether every host computes the same bits, and so does tirb."""
    name, kinds = call.op.name.removeprefix("relax."), {array.dtype.kind for array in arrays}
    if not any(name in names and kinds <= set(known) for known, names in COMPUTED.items()):
        return False
    if name == "astype":
        return keeps_values(arrays[0].dtype, str(call.attrs.dtype))
    return name not in TAKING or len(arrays) == 2 and is_inside(*arrays, call.attrs.axis)


def is_inside(data, at, axis):
    size = data.size if axis is None else data.shape[int(axis)]
    return not at.size or 0 <= at.min() and at.max() < size


def keeps_values(given, wanted):
    """Whether a cast wraps or rounds, if it does, as NumPy's does: between integers, and to floats that have room."""
    if given.kind == "f":
        return wanted in ("float32", "float64") and given.itemsize <= int(wanted[5:]) // 8
    return wanted.startswith(("int", "uint", "bool", "float32", "float64"))


def bytes_of_constants(function):
    from tvm import relax
    found = {}

    def note(e):
        if type(e).__name__ == "GenericConst":
            found[e] = size_in_bytes(e.ty) or 0

    relax.analysis.post_order_visit(function, note)
    return sum(found.values())


def computed_by_tvm(call):
    import tvm
    from tvm import relax
    builder = relax.BlockBuilder()
    with builder.function("main", []):
        builder.emit_func_output(builder.emit(call))
    module = relax.transform.LegalizeOps()(builder.get())
    return relax.VirtualMachine(tvm.compile(module, "llvm"), tvm.cpu())["main"]().numpy()


def size_in_bytes(kind):
    """Of a tensor whose sizes are numbers, or None."""
    from tvm import relax
    if not isinstance(kind, relax.TensorType) or kind.shape is None:
        return None
    sizes = [getattr(size, "value", None) for size in kind.shape]
    if None in sizes or kind.dtype is None:
        return None
    total = (int(kind.dtype.dtype.bits if hasattr(kind.dtype, "dtype") else kind.dtype.bits) + 7) // 8
    for size in sizes:
        total *= size
    return total


def with_constants_computed(module, names):
    """The module; `names` of weights, by what is in them, are those of what is made of them as well. A matrix that is
    used as it is, too, is not there twice: it is turned in each call, unless it is small."""
    import numpy
    from tvm import relax
    turned, room = only_turned(module["main"]), MOST_MOVED + 2 * bytes_of_constants(module["main"])

    @relax.expr_functor.mutator
    class Compute(relax.PyExprMutator):
        n_computed, n_moved = 0, 0

        def __init__(self, module):
            super().__init__(module)
            self.known = {}

        def value_of(self, call):
            """What a call gives, or None."""
            if not getattr(call.op, "name", "").startswith("relax."):
                return None
            args = [self.visit_expr(arg) for arg in call.args]
            arrays = constants_in(args)
            size = size_in_bytes(call.ty)
            given = sum(array.nbytes for array in arrays or ())
            if not arrays or size is None or size > min(max(SMALL, given), room - self.n_moved - given):
                return None
            if not is_exact(call, arrays):
                return None
            if axes_of(call) is not None:
                if size > SMALL and call.args[0] not in turned and call.args[0] not in self.known:
                    return None
                self.n_moved += given + size
                made = numpy.ascontiguousarray(arrays[0].transpose(axes_of(call)))
                if content(arrays[0]) in names:
                    names.setdefault(content(made), f"{names[content(arrays[0])]}.T")
                return made
            if self.n_computed == MOST_COMPUTED:
                return None
            self.n_computed += 1
            self.n_moved += given + size
            with contextlib.suppress(Exception):  # of what TVM does not compute the compiler may
                return computed_by_tvm(relax.Call(call.op, args, call.attrs, call.ty_args))
            return None

        def visit_var_binding_(self, binding):
            value = None
            if isinstance(binding.var, relax.DataflowVar) and isinstance(binding.value, relax.Call):
                value = self.value_of(binding.value)
            if value is None:
                super().visit_var_binding_(binding)
            else:
                self.known[binding.var] = relax.const(value, str(value.dtype))

        def visit_dataflow_var_(self, var):
            return self.known[var] if var in self.known else super().visit_dataflow_var_(var)

    compute = Compute(module)
    function = module["main"]
    body = compute.visit_expr(function.body)
    if compute.known:
        module["main"] = relax.Function(function.params, body, function.ret_ty, function.is_pure, function.attrs)
    return module
