"""What tests/interop/relax_text.py compares with TVM: the operators of Relax, one in each form that its text has, and
whole modules with one construct or several."""

# Parameters that an expression of CASES may name, and their types.
PARAMETERS = {
    'a': 'R.Tensor((2,3,4),"float32")',
    'b': 'R.Tensor((2,3,4),"float32")',
    'i': 'R.Tensor((5,),"int64")',
    'bb': 'R.Tensor((2,3,4),"bool")',
    'img': 'R.Tensor((1,4,8,8),"float32")',
    'v': 'R.Tensor((4,),"float32")',
    's0': 'R.Tensor((),"float32")',
    'ii': 'R.Tensor((2,3,4),"int64")',
    'i8': 'R.Tensor((2,3,4),"int8")',
}

# Expressions, one a line.
CASES = """
R.clip(a, 0, 6)
R.add(a, True)
R.add(True, a)
R.multiply(a, bb)
R.subtract(bb, i8)
R.maximum(a, R.const(True))
R.clip(a, 0.5, 6.5)
R.where(bb, a, b)
R.ewise_fma(a,b,a)
R.argmax(a)
R.argmax(a, 1, True)
R.sum(a)
R.mean(a, [0,-1], keepdims=True)
R.median(a, 1)
R.median(a)
R.cumsum(a, 1)
R.cumprod(a, 1, "float64", True)
R.sort(a)
R.argsort(a, 1, True)
R.topk(a, 2)
R.topk(a, 2, 1, "values")
R.bucketize(v, v)
R.concat([a,b], axis=1)
R.stack((a,b), 1)
R.split(a, 2, 2)
R.split(a, [1,2], 2)
R.expand_dims(a, 1)
R.expand_dims(a, [0,-1])
R.squeeze(a)
R.squeeze(a,[0])
R.permute_dims(a)
R.permute_dims(a,[0,2,1])
R.repeat(a,2)
R.repeat(a,2,1)
R.tile(a,2)
R.tile(a,(2,1))
R.flip(a,1)
R.reverse_sequence(a, R.const([1,2],"int64"))
R.layout_transform(a, index_map=lambda i,j,k:(k,i,j))
R.layout_transform(v, index_map=lambda i:(i//3,i%3), pad_value=0.0)
R.take(a, i, 1)
R.take(a, i, axis=1, mode="clip")
R.take(a, 1, axis=1)
R.strided_slice(a,[0],[0],[2])
R.strided_slice(a,[0,1],[0,-2],[2,3],[1,2], True)
R.gather_elements(a, ii)
R.index_tensor(a, [i])
R.index_put(v, (i,), v)
R.index_put(v, i, v, True)
R.scatter_elements(a, ii, b)
R.scatter_nd(v, R.const([[0],[1]],"int64"), R.const([1.0,2.0],"float32"))
R.slice_scatter(a, R.zeros((1,3,4),"float32"), 0, 1, 1)
R.one_hot(i, R.prim_value(1), R.prim_value(0), 4)
R.one_hot(i, 1.0, 0.0, 4, 0)
R.meshgrid((v,v))
R.meshgrid([v,v], indexing="xy")
R.meshgrid([v, R.zeros((3,), "float32")], indexing="xy")
R.nn.nll_loss(R.zeros((3,5),"int32"),R.zeros((3,),"int64"))
R.nn.cross_entropy_with_logits(ii,ii)
R.nn.attention(R.zeros((2,8,2,4),"float32"),R.zeros((2,8,2,4),"float32"),R.zeros((2,8,2,4),"float32"),bias=R.zeros((1,2,1,8),"float32"))
R.astype(a,"float16")
R.wrap_param(a,"float16")
R.full((2,3), s0)
R.full((2,3), s0, "float16")
R.full_like(a, s0)
R.zeros((2,3),"float32")
R.ones(R.shape([2,3]),dtype="int32")
R.zeros_like(a)
R.ones_like(a, "int32")
R.arange(5)
R.arange(1,10,2)
R.arange(1,10,2.5)
R.arange(0,10,dtype="float32")
R.eye(3)
R.eye(3,4,1,dtype="int32")
R.eye_like(R.zeros((3,3),"float32"))
R.tril(a)
R.triu(a,1)
R.hamming_window(10,True,0.54,0.46,"float32")
R.matmul(a, R.permute_dims(b,[0,2,1]))
R.matmul(a, v, out_dtype="float64")
R.linear(a, R.zeros((5,4),"float32"), R.zeros((5,),"float32"))
R.einsum((a,b),"ijk,ijk->i")
R.outer(v,v)
R.nn.conv1d(R.zeros((1,3,8),"float32"),R.zeros((4,3,3),"float32"))
R.nn.conv2d(img,R.zeros((4,4,3,3),"float32"),strides=2,padding=(1,2))
R.nn.conv2d(img,R.zeros((4,2,3,3),"float32"),padding=(1,2,3,4),groups=2,out_dtype="float64")
R.nn.conv3d(R.zeros((1,3,8,8,8),"float32"),R.zeros((4,3,3,3,3),"float32"),padding=1)
R.nn.conv1d_transpose(R.zeros((1,3,8),"float32"),R.zeros((3,4,3),"float32"))
R.nn.conv2d_transpose(img,R.zeros((4,4,3,3),"float32"),strides=2,output_padding=1)
R.nn.conv3d_transpose(R.zeros((1,3,8,8,8),"float32"),R.zeros((3,3,3,3,3),"float32"),padding=1)
R.nn.max_pool1d(R.zeros((1,3,8),"float32"),2)
R.nn.max_pool2d(img,(2,2),2)
R.nn.max_pool3d(R.zeros((1,3,8,8,8),"float32"),2)
R.nn.avg_pool1d(R.zeros((1,3,8),"float32"),2)
R.nn.avg_pool2d(img,2,2,1,ceil_mode=True)
R.nn.avg_pool3d(R.zeros((1,3,8,8,8),"float32"),2)
R.nn.adaptive_avg_pool1d(R.zeros((1,3,8),"float32"))
R.nn.adaptive_avg_pool2d(img,4)
R.nn.adaptive_avg_pool3d(R.zeros((1,3,8,8,8),"float32"),(1,2,3))
R.nn.pad(a,(0,0,1,1,2,2))
R.nn.pad(a,(0,0,1,1,2,2),"reflect",1.0)
R.nn.pixel_shuffle(img,2)
R.nn.softmax(a)
R.nn.log_softmax(a, axis=1)
R.nn.leakyrelu(a)
R.nn.softplus(a)
R.nn.prelu(a, R.zeros((3,),"float32"))
R.nn.dropout(a)
R.nn.relu6(a)
R.nn.batch_norm(img,v,v,v,v,axis=1)
R.nn.layer_norm(a,v,v,axes=-1)
R.nn.group_norm(img,v,v,2,1,[2,3])
R.nn.instance_norm(img,v,v,1,[2,3])
R.nn.rms_norm(a,v)
R.nn.attention(R.zeros((1,8,2,4),"float32"),R.zeros((1,6,2,4),"float32"),R.zeros((1,6,2,5),"float32"))
R.nn.attention(R.zeros((1,8,2,4),"float32"),R.zeros((1,8,2,4),"float32"),R.zeros((1,8,2,4),"float32"),scale=0.5,causal_mask="TopLeft")
R.nn.attention(R.zeros((1,8,2,4),"float32"),R.zeros((1,8,2,4),"float32"),R.zeros((1,8,2,4),"float32"),bias=R.zeros((1,2,8,8),"float32"))
R.nn.nll_loss(R.zeros((3,5),"float32"),R.zeros((3,),"int64"))
R.nn.nll_loss(R.zeros((3,5),"float32"),R.zeros((3,),"int64"),R.zeros((5,),"float32"),reduction="none")
R.nn.cross_entropy_with_logits(a,b)
R.nn.batch_flatten(a)
R.flatten(a)
R.image.resize2d(img,(16,16))
R.image.resize2d(img,16,layout="NHWC",method="cubic")
R.image.resize3d(R.zeros((1,3,8,8,8),"float32"),4)
R.image.grid_sample(img,R.zeros((1,2,5,5),"float32"))
R.image.affine_grid(R.zeros((1,2,3),"float32"),(4,5))
R.quantize(a,s0,R.zeros((),"int8"))
R.dequantize(i8,s0,R.zeros((),"int8"))
R.multinomial_from_uniform(R.zeros((3,5),"float32"),R.zeros((6,1),"float32"),R.zeros((6,1),"int64"))
R.vision.roi_align(img,R.zeros((5,5),"float32"),(3,3),0.5)
R.vision.roi_pool(img,R.zeros((5,5),"float32"),3,0.5)
R.vision.get_valid_counts(R.zeros((1,10,6),"float32"))
R.vision.all_class_non_max_suppression(R.zeros((1,10,4),"float32"),R.zeros((1,3,10),"float32"),R.const(5,"int64"),R.const(0.5,"float32"),R.const(0.1,"float32"))
R.vision.non_max_suppression(R.zeros((1,10,6),"float32"),R.zeros((1,),"int32"),R.zeros((1,10),"int32"))
R.vision.multibox_transform_loc(R.zeros((1,3,10),"float32"),R.zeros((1,40),"float32"),R.zeros((1,10,4),"float32"))
R.unique(a)
R.unique(a,axis=1,return_index=True)
R.nonzero(a)
R.shape_of(a)
R.tensor_to_shape(i)
R.shape_to_tensor(R.shape([2,3]))
R.size(a)
R.broadcast_to(a,(5,2,3,4))
R.collapse_sum_to(a,(3,4))
R.collapse_sum_like(a,v)
R.reshape(a,(2,-1))
R.reshape(a,(0,12))
R.memory.view(a,(24,))
R.memory.view(a,dtype=R.dtype("int32"))
R.memory.view(a,(4,),R.dtype("float16"))
R.memory.ensure_zero_offset(a)
R.stop_lift_params(a)
R.builtin.stop_lift_params(a)
R.grad.no_grad(a)
R.grad.start_checkpoint(a)
R.grad.nll_loss_backward(s0,R.zeros((3,5),"float32"),R.zeros((3,),"int64"))
R.grad.max_pool2d_backward(img,img)
R.grad.avg_pool2d_backward(img,img,(3,3))
R.grad.take_backward(a,a,i,1)
R.call_packed("f",a,3,R.str("s"),R.dtype("int8"),R.shape([1,2]),ty_args=R.Tensor)
R.call_pure_packed("f",a,ty_args=R.Tensor((2,),"float32"))
R.call_pure_packed("f",a,ty_args=(R.Tensor((2,),"float32"),R.Any))
R.call_dps_packed("f",a,out_ty=R.Tensor((2,),"float32"))
R.call_dps_packed("f",(a,b),out_ty=[R.Tensor((2,),"float32"),R.Tensor((2,),"float32")])
R.call_inplace_packed("f",a,b,inplace_indices=0,ty_args=R.Tensor((2,3,4),"float32"))
R.null_value()
R.call_builtin_with_ctx("f",(a,),ty_args=R.Tensor)
R.memory.alloc_storage(R.shape([4]),0,"global","float32")
R.vm.alloc_storage(R.shape([4]),0,"float32")
R.builtin.alloc_tensor(R.shape([4]),"float32",0)
R.prim_value(3)
R.prim_value(2.5)
R.tuple(a,b)
R.print(a, format="x {}")
R.power(a,b)
-a
a/b
a//b
a%b
a**b
a<b
a.astype("int8")
R.const(True)
R.const(1)
R.const(1.5)
R.const(2.5,"float64")
R.const([1.5,2])
R.const(7,"uint8")
R.const(7,"int64")
R.const(1.5,"bfloat16")
R.dynamic_strided_slice(a, R.const([0,0,0],"int64"), R.const([1,1,1],"int64"), R.const([1,1,1],"int64"))
R.gather_nd(a, R.const([[0,1],[1,2]],"int64"))
R.gather_nd(a, R.const([[0],[1]],"int64"), batch_dims=1)
R.assert_op(R.const(True), a, format="x")
R.assert_op(R.const(True), (a, b), format="x")
R.assert_op(R.const(True), [a, 3], format="x")
R.assert_op(R.const(True), (), format="x")
R.assert_op(R.const(True), format_args=[a, b], format="x {} {}")
R.assert_op(R.const(True), format_args=a)
R.assert_op(format_args=(a, s0), condition=R.const(True))
R.assert_op(R.const(True), [a], "x {}")
R.assert_op(R.const(True), format_args=None)
R.einsum((a, b), subscripts="...ij,kij")
R.einsum((a, b, a), subscripts="xyz,xyz,xyk->x")
R.strided_slice(a,[1],[-1],[-10],[-1])
R.sum(a, [], True)
R.argmin(a, -1)
R.abs(a)
R.acos(a)
R.acosh(a)
R.asin(a)
R.asinh(a)
R.atan(a)
R.atanh(a)
R.bitwise_not(ii)
R.ceil(a)
R.cos(a)
R.cosh(a)
R.erf(a)
R.floor(a)
R.isfinite(a)
R.isinf(a)
R.isnan(a)
R.log(a)
R.logical_not(bb)
R.round(a)
R.rsqrt(a)
R.sigmoid(a)
R.sign(a)
R.sinh(a)
R.sqrt(a)
R.square(a)
R.tan(a)
R.tanh(a)
R.trunc(a)
R.nn.relu(a)
R.nn.gelu(a)
R.nn.gelu_tanh(a)
R.nn.selu(a)
R.nn.silu(a)
R.floor_mod(a,b)
R.atan2(a,b)
R.log_add_exp(a,b)
R.maximum(a,v)
R.minimum(v,a)
R.bitwise_and(ii,ii)
R.bitwise_or(ii,ii)
R.bitwise_xor(ii,ii)
R.left_shift(ii,ii)
R.right_shift(ii,ii)
R.logical_and(bb,bb)
R.logical_or(bb,bb)
R.logical_xor(bb,bb)
R.equal(a,s0)
R.not_equal(a,b)
R.less_equal(a,b)
R.greater(a,b)
R.greater_equal(a,b)
R.add(a, R.prim_value(T.float32(1)))
R.add(s0, R.prim_value(T.float32(1)))
R.add(a, 1.5)
R.power(2.0, a)
R.less(a, 0.5)
R.add(s0, float("inf"))
R.multiply(i8, R.prim_value(T.int8(3)))
R.less_equal(1.0, 2.0)
R.maximum(3, 4)
R.call_pure_packed("f", 1, 2.0, True, ty_args=R.Tensor)
R.prod(a, axis=2)
R.min(a)
R.std(a, 0)
R.variance(a, [0,1], True)
R.squeeze(R.zeros((1,2,1),"float32"))
R.squeeze(R.zeros((1,2,1),"float32"), 0)
R.concat([v, v], axis=None)
R.concat([v, v, v])
R.split(a, 5, 2)
R.split(a, [], 0)
R.builtin.alloc_tensor(R.shape([2]), R.dtype("int8"), 0, "global")
R.grad.end_checkpoint(a)
R.matmul(v, v)
R.matmul(R.zeros((5,1,2,3),"float32"), R.zeros((7,3,4),"float32"))
R.einsum((a,b),"ijk,ijl")
R.einsum((v,v),"i,j->ij")
R.nn.conv2d(R.zeros((1,8,8,4),"float32"),R.zeros((3,3,4,6),"float32"),data_layout="NHWC",kernel_layout="HWIO")
R.nn.conv2d(img,R.zeros((4,4,3,3),"float32"),dilation=2,strides=(2,1))
R.nn.max_pool2d(R.zeros((1,8,8,4),"float32"),3,2,1,layout="NHWC",ceil_mode=True)
R.image.resize2d(img,(16,16),roi=(0.0,0.5,1.0,1.0),out_dtype="float64")
R.vision.non_max_suppression(R.zeros((1,10,6),"float32"),R.zeros((1,),"int32"),R.zeros((1,10),"int32"),return_indices=False)
R.vision.non_max_suppression(R.zeros((1,10,6),"float32"),R.zeros((1,),"int32"),R.zeros((1,10),"int32"),soft_nms_sigma=0.5)
R.vision.non_max_suppression(R.zeros((1,10,6),"float32"),R.zeros((1,),"int32"),R.zeros((1,10),"int32"),soft_nms_sigma=1,return_indices=False)
R.call_pure_packed("f",ty_args=R.Tuple)
R.const(float("nan"),"float32")
R.const(2.5,"float16")
R.const(-3,"int8")
"""

MODULES = []


def module(text):
    MODULES.append(text.lstrip("\n"))


module('''
n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def addone(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = A[i] + T.float32(1)
    @R.function
    def main(x: R.Tensor((n, 4), "float32"), y: R.Tensor(("n * 2 + 1",), "float32"), k: R.Prim("int64")) -> R.Tensor:
        with R.dataflow():
            a = R.add(R.exp(x), x)
            b = R.split(a, 2, axis=1)
            c = R.concat((a, x, R.const(1.0, "float32") * x), axis=0)
            d = b[0]
            R.output(c, d)
        j = k + 1
        z = R.zeros((j, n), dtype="float32")
        w = R.reshape(x, (2, -1))
        u = R.call_tir(Module.addone, R.zeros((4,),"float32"), out_ty=R.Tensor((4,), "float32"))
        ss = R.strided_slice(x, axes=[0], begin=[1], end=[n])
        return (c, d, z, w, u, 3, R.shape([n, 3]), R.str("s"))
''')

# Sums of products with a factor in common
module('''
@R.function
def main(s: R.Shape(["n", "m", "k"]), w: R.Tensor((4, 3, 3), "float32"),
         x0: R.Tensor((1, 3, "n * m + n"), "float32"),
         x1: R.Tensor((1, 3, "n + n * m"), "float32"),
         x2: R.Tensor((1, 3, "n * m + m"), "float32"),
         x3: R.Tensor((1, 3, "n * m + n + 1"), "float32"),
         x4: R.Tensor((1, 3, "n * m + n * k"), "float32"),
         x5: R.Tensor((1, 3, "n * m + m * k"), "float32"),
         x6: R.Tensor((1, 3, "n * m + 3 * m"), "float32"),
         x7: R.Tensor((1, 3, "n * m - n"), "float32"),
         x8: R.Tensor((1, 3, "n - n * m"), "float32"),
         x9: R.Tensor((1, 3, "n * m * k + n * m"), "float32"),
         x10: R.Tensor((1, 3, "n * n + n"), "float32"),
         x11: R.Tensor((1, 3, "n * m + n + m"), "float32"),
         x12: R.Tensor((1, 3, "(n + 1) * m + m"), "float32"),
         x13: R.Tensor((1, 3, "n // 2 * m + m"), "float32"),
         x14: R.Tensor((1, 3, "n * m + n * k + n"), "float32"),
         x15: R.Tensor((1, 3, "(n * m + n) * 2"), "float32"),
         x16: R.Tensor((1, 3, "n * m * 2 + n * 2"), "float32"),
         x17: R.Tensor((1, 3, "n * m * 2 + n * k * 2"), "float32"),
         x18: R.Tensor((1, 3, "n * 4 - n * m"), "float32"),
         x19: R.Tensor((1, 3, "n * m - n * k - n"), "float32"),
         x20: R.Tensor((1, 3, "n * m - k * m + m"), "float32"),
         x21: R.Tensor((1, 3, "n * m * 2 + n"), "float32"),
         x22: R.Tensor((1, 3, "n * 2 + m * 2"), "float32"),
         x23: R.Tensor((1, 3, "(n + 1) * (m + 1)"), "float32"),
         x24: R.Tensor((1, 3, "k + n * m + n"), "float32")):
    y0 = R.nn.conv1d(x0, w, padding=[1, 1])
    z0 = R.strided_slice(x0, [2], [3], [100], [2])
    y1 = R.nn.conv1d(x1, w, padding=[1, 1])
    z1 = R.strided_slice(x1, [2], [3], [100], [2])
    y2 = R.nn.conv1d(x2, w, padding=[1, 1])
    z2 = R.strided_slice(x2, [2], [3], [100], [2])
    y3 = R.nn.conv1d(x3, w, padding=[1, 1])
    z3 = R.strided_slice(x3, [2], [3], [100], [2])
    y4 = R.nn.conv1d(x4, w, padding=[1, 1])
    z4 = R.strided_slice(x4, [2], [3], [100], [2])
    y5 = R.nn.conv1d(x5, w, padding=[1, 1])
    z5 = R.strided_slice(x5, [2], [3], [100], [2])
    y6 = R.nn.conv1d(x6, w, padding=[1, 1])
    z6 = R.strided_slice(x6, [2], [3], [100], [2])
    y7 = R.nn.conv1d(x7, w, padding=[1, 1])
    z7 = R.strided_slice(x7, [2], [3], [100], [2])
    y8 = R.nn.conv1d(x8, w, padding=[1, 1])
    z8 = R.strided_slice(x8, [2], [3], [100], [2])
    y9 = R.nn.conv1d(x9, w, padding=[1, 1])
    z9 = R.strided_slice(x9, [2], [3], [100], [2])
    y10 = R.nn.conv1d(x10, w, padding=[1, 1])
    z10 = R.strided_slice(x10, [2], [3], [100], [2])
    y11 = R.nn.conv1d(x11, w, padding=[1, 1])
    z11 = R.strided_slice(x11, [2], [3], [100], [2])
    y12 = R.nn.conv1d(x12, w, padding=[1, 1])
    z12 = R.strided_slice(x12, [2], [3], [100], [2])
    y13 = R.nn.conv1d(x13, w, padding=[1, 1])
    z13 = R.strided_slice(x13, [2], [3], [100], [2])
    y14 = R.nn.conv1d(x14, w, padding=[1, 1])
    z14 = R.strided_slice(x14, [2], [3], [100], [2])
    y15 = R.nn.conv1d(x15, w, padding=[1, 1])
    z15 = R.strided_slice(x15, [2], [3], [100], [2])
    y16 = R.nn.conv1d(x16, w, padding=[1, 1])
    z16 = R.strided_slice(x16, [2], [3], [100], [2])
    y17 = R.nn.conv1d(x17, w, padding=[1, 1])
    z17 = R.strided_slice(x17, [2], [3], [100], [2])
    y18 = R.nn.conv1d(x18, w, padding=[1, 1])
    z18 = R.strided_slice(x18, [2], [3], [100], [2])
    y19 = R.nn.conv1d(x19, w, padding=[1, 1])
    z19 = R.strided_slice(x19, [2], [3], [100], [2])
    y20 = R.nn.conv1d(x20, w, padding=[1, 1])
    z20 = R.strided_slice(x20, [2], [3], [100], [2])
    y21 = R.nn.conv1d(x21, w, padding=[1, 1])
    z21 = R.strided_slice(x21, [2], [3], [100], [2])
    y22 = R.nn.conv1d(x22, w, padding=[1, 1])
    z22 = R.strided_slice(x22, [2], [3], [100], [2])
    y23 = R.nn.conv1d(x23, w, padding=[1, 1])
    z23 = R.strided_slice(x23, [2], [3], [100], [2])
    y24 = R.nn.conv1d(x24, w, padding=[1, 1])
    z24 = R.strided_slice(x24, [2], [3], [100], [2])
    return y0
''')

module('''
@R.function
def main(x: R.Tensor(("n", 6), "float32")):
    n = T.int64()
    a = R.strided_slice(x, axes=[0], begin=[0], end=[n - 3])
    b = R.strided_slice(x, axes=[0], begin=[n - 8], end=[n])
    c = R.strided_slice(x, axes=[0], begin=[n - 2], end=[n - 7], strides=[-1])
    d = R.strided_slice(x, axes=[0], begin=[n - 1], end=[0], strides=[-1])
    e = R.strided_slice(x, axes=[1], begin=[n - 9], end=[6 - n])
    f = R.strided_slice(x, axes=[0], begin=[1], end=[n // 2 - 3])
    return (a, b, c, d, e, f)
''')

module('''
@R.function
def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("m",), "float32")):
    n, m = T.int64(), T.int64()
    a = R.strided_slice(x, (0,), (1,), (n - 2,))
    b = R.strided_slice(a, (0,), (1,), (n - 3,))
    c = R.strided_slice(y, (0,), (0,), (n,))
    d = R.strided_slice(x, (0,), (2,), (m,))
    e = R.concat((x, c), axis=0)
    f = R.concat((c, d), axis=0)
    g = R.concat((y, y, y, c, x, d, c), axis=0)
    h = R.concat((f, f, y, d, e), axis=0)
    return (R.strided_slice(b, (0,), (0,), (n - 3,)), g, h, R.concat((c, d, c, d), axis=0))
''')

module('''
@R.function
def main(x: R.Tensor(("b", "s", 8), "float32"), k: R.Prim("int64"), m: R.Tensor(("s", "b + 2"), "float32")):
    b, s = T.int64(), T.int64()
    a = R.strided_slice(x, [1, 2], [s - 2, k], [s, 9])
    c = R.strided_slice(x, [1], [3], [-100], [-1])
    d = R.strided_slice(x, [2, 1], [k, 4], [-100, 0], [-3, -2])
    e = R.strided_slice(x, [1], [k], [s], [2])
    f = R.concat((m, m), axis=1)
    g = R.nn.pad(m, (1, 1, 2, 0))
    h = R.strided_slice(m, (1,), (b - 3,), (b,))
    i = R.reshape(x, (1, b, s, 8))
    j = R.nn.max_pool2d(i, (2, 2), strides=(2, 2), ceil_mode=True, padding=1)
    l = R.nn.avg_pool2d(i, (3, 2), strides=(2, 3), ceil_mode=True, padding=(1, 0, 0, 1))
    return (a, c, d, e, f, g, h, j, l)
''')

module('''
@R.function
def main(x: R.Tensor(("n", 3), "float32"), q: R.Tensor((1, 5, 2, 4), "float32")):
    z = R.exp(R.exp(x))
    if R.less(R.sum(z), R.const(0.0)):
        w = R.negative(R.exp(x))
    else:
        w = R.negative(x)
    if R.less(R.sum(z), R.const(0.0)):
        y = x
    else:
        y = R.negative(R.exp(R.exp(w)))
    a = R.nn.attention(q, q, q, scale=0.3)
    return (R.exp(R.exp(y)), a)
''')

module('''
@R.function
def main(x: R.Tensor(("n", 4), "float32"), s: R.Shape(["n", 2]), u: R.Shape(ndim=2), t: R.Shape(["n", 4])):
    n = T.int64()
    b = R.reshape(R.strided_slice(x, [1], [0], [2]), s)
    c = R.reshape(x, u)
    d = R.broadcast_to(x, t)
    e = R.zeros(s, "float32")
    f = R.full(t, R.const(1.0))
    g = R.reshape(x, t)
    return (b, c, d, e, f, g, R.add(g, x), R.add(c, x), R.add(f, x))
''')

module('''
@R.function
def main(x: R.Tensor((3,), "float32"), c: R.Tensor((), "bool")):
    s = R.str("hello")
    t = (x, R.str("a"))
    if c:
        u = R.str("x")
    else:
        u = R.str("y")
    return (s, t, u, R.dtype("int8"), R.str("z"))
''')

module('''
@R.function
def main(x: R.Tensor((2,), "float32"), c: R.Tensor((), "bool")):
    if c:
        y = R.add(x, x)
    else:
        y = x
    return y
''')

module('''
@R.function
def main(x: R.Tensor(("n", "m"), "float32"), y: R.Tensor(("n", 1), "float32")):
    n = T.int64()
    z = R.add(x, y)
    w = R.flatten(x)
    k = T.int64()
    q = R.match_cast(w, R.Tensor((k,), "float32"))
    r = R.concat((q, w), axis=0)
    return (z, r, R.shape([n + k, 4]))
''')

module('''
@R.function(private=True)
def f(x: R.Tensor, s: R.Shape(ndim=2), t: R.Tuple(R.Tensor((2,), "float32"), R.Any), g: R.Callable, h: R.Callable((R.Tensor((2,), "float32"),), R.Tensor((2,), "float32"), True)):
    a = t[0]
    b = h(a)
    c, d = t
    return (b, c, d, x)
''')

module('''
@R.function
def main(x: R.Tensor((2, 3), "float32")):
    R.func_attr({"num_input": 1, "d": {"b": 2, "a": 1}, "l": [1, 2.5, "s"]})
    @R.function
    def inner(q: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        r = R.nn.relu(q)
        return r
    y = inner(x)
    z = inner(R.exp(y))
    return z
''')

module('''
@I.ir_module
class Module:
    @R.function
    def b(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        return R.exp(x)
    @R.function
    def main(x: R.Tensor((8,), "float32")):
        y = Module.b(x)
        z = Module.c(y)
        return z
    @R.function
    def c(x: R.Tensor):
        y = R.exp(x)
        return y
''')

module('''
@R.function(pure=False)
def main(x: R.Tensor((2, 3), "float32")):
    R.print(x, format="x={}")
    y = R.call_packed("f", x, 3, R.str("s"), R.dtype("int8"), ty_args=R.Tensor((2, 3), "float32"))
    z = R.call_packed("g", x, y)
    _ = R.call_packed("h", x, ty_args=R.Tuple)
    R.assert_op(R.const(True), x, format="bad")
    return y
''')

module('''
@R.function
def main(x: R.Tensor((4,), "float32"), s: R.Shape(["a", "b"]), p: R.Prim("float32")):
    a = x
    b: R.Tensor((4,)) = R.add(x, a)
    c: R.Any = R.exp(b)
    d = (a, (b, x))
    e = d[1][0]
    x = R.nn.relu(e)
    f = 3
    g: R.Prim("int32") = 7
    h = 2.5
    i = (R.exp(x), R.sin(R.exp(x)))
    return (x, d, f, g, h, i)
''')

module('''
@R.function
def main(x: R.Tensor((3, "n"), "float32"), w: R.Tensor(("n", "m"), "float32"), b: R.Tensor(("m",), "float32")):
    with R.dataflow():
        lv = R.matmul(x, w)
        y = R.nn.softmax(R.add(lv, b), axis=-1)
        z = R.sum(y, axis=[1], keepdims=True)
        o = R.divide(y, z)
        p = R.permute_dims(o)
        q = R.expand_dims(p, [0, 2])
        R.output(o, q)
    return (o, q)
''')

module('''
@R.function
def main(x: R.Tensor(("n", 4, "m"), "float32")):
    a = R.reshape(x, (-1,))
    b = R.reshape(x, (-1, 2))
    c = R.split(x, 2, axis=0)
    d = R.split(x, [2, 5], axis=0)
    e = R.nn.pad(x, [1, 1, 0, 0, 2, 3])
    f = R.repeat(x, 2, axis=0)
    g = R.tile(x, (3, 1, 2))
    h = R.cumsum(x)
    i = R.strided_slice(x, [0, 2], [0, -3], [-1, 100], [2, 1])
    j = R.stack((x, x), axis=1)
    k = R.squeeze(x, [0])
    l = R.repeat(x, 3)
    m2 = R.nn.batch_flatten(x)
    return (a, b, c, d, e, f, g, h, i, j, k, l, m2)
''')

module('''
@R.function
def main(x: R.Tensor((1, 3, "h", "w"), "float32"), k: R.Tensor((8, 3, 3, 3), "float32")):
    a = R.nn.conv2d(x, k, padding=1)
    b = R.nn.conv2d(x, k, strides=2, padding=1)
    c = R.nn.max_pool2d(a, 2, 2)
    d = R.nn.avg_pool2d(a, 3, 2, 1, ceil_mode=True)
    e = R.nn.conv2d_transpose(x, R.zeros((3, 8, 4, 4), "float32"), strides=2, padding=1)
    f = R.image.resize2d(x, (10, 20))
    g = R.nn.adaptive_avg_pool2d(x, 1)
    return (a, b, c, d, e, f, g)
''')

module('''
@R.function
def main(n: R.Prim("int64"), x: R.Tensor(("n",), "float32")):
    if n > 3:
        y = R.add(x, x)
    else:
        y = R.exp(x)
    a = R.arange(n)
    b = R.arange(1, n, 2)
    c = R.full((n, 2), R.const(1.0))
    s = R.shape_of(x)
    t = R.zeros(s, "float32")
    u = R.add(t, t)
    v = R.shape([n, n * 2])
    w = R.ones(v, "int32")
    return (y, a, b, c, s, t, u, w)
''')

module('''
@I.ir_module
class Module:
    I.module_attrs({"foo": 1})
    ext = R.ExternFunc("foo")
    @R.function
    def fact(n: R.Prim("int64"), x: R.Tensor((), "int32")) -> R.Tensor((), "int32"):
        if n <= 1:
            r = x
        else:
            r = Module.fact(n - 1, R.multiply(x, x))
        return r
''')

module('''
@R.function
def main(x: R.Tensor((4,), "float32")):
    @R.function
    def loop(i: R.Tensor((), "int32"), q: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        c = R.less(i, R.const(3))
        if c:
            r = loop(R.add(i, R.const(1)), q)
        else:
            r = q
        return r
    y = loop(R.const(0), x)
    return y
''')

module('''
@R.function
def main(x: R.Tensor((2, 3), "float32")) -> R.Tensor(ndim=2):
    with R.dataflow():
        a = R.add(x, x)
        R.output(a)
    with R.dataflow():
        b = R.exp(a)
        c = R.exp(b)
        R.output(c)
    lv = R.nn.relu(c)
    lv = R.nn.relu(lv)
    return lv
''')

module('''
@R.function
def main(a: R.Tensor((2, 3), "float32")):
    return R.tuple()
''')

module('''
@I.ir_module
class Module:
    @T.prim_func
    def ip(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            A[i] = A[i] + B[i]
    @T.prim_func
    def two(a: T.handle, n: T.int64, B: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
        m = T.int64()
        A = T.match_buffer(a, (m,))
        for i in range(4):
            B[i] = A[i]
            C[i] = A[i]
    @R.function
    def main(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32"), n: R.Prim("int64")):
        cls = Module
        a = R.call_tir_inplace(cls.ip, (x, y), inplace_indices=[0], out_ty=R.Tensor((4,), "float32"))
        b = R.call_tir(cls.two, (a, n), out_ty=[R.Tensor((4,), "float32"), R.Tensor((4,), "float32")])
        c = R.call_dps_packed("host.f", (b[0],), out_ty=R.Tensor((4,), "float32"))
        d: R.Tensor(ndim=1) = R.call_tir(cls.two, (a, n + 1), out_ty=[R.Tensor((4,), "float32"), R.Tensor((4,), "float32")])[0]
        return (a, b, c, d)
''')

module('''
@R.function
def main(x: R.Tensor((2,3), "float32")):
    a: R.Tensor = R.matmul(x, R.permute_dims(x))
    b: R.Tensor = R.exp(x)
    c: R.Tensor() = R.exp(x)
    d: R.Tensor(ndim=2) = R.exp(x)
    e: R.Tensor("float32") = R.exp(x)
    f: R.Any = R.exp(R.sin(x))
    g: R.Tensor = R.exp(R.sin(x))
    h: R.Tensor(ndim=2) = R.exp(R.sin(x))
    return x
''')

module('''
@R.function
def main(x: R.Tensor, y: R.Tensor((2,), "float32")):
    a = R.exp(y)
    k = T.int64()
    with R.dataflow():
        b = R.exp(a)
        c = R.match_cast(x, R.Tensor((k,), "float32"))
        R.output(c)
    d = R.exp(c)
    m = T.int64()
    if R.const(True):
        z = R.exp(y)
        e = R.match_cast(x, R.Tensor((m,), "float32"))
    else:
        e = c
    j = T.int64()
    f = R.match_cast(x, R.Tensor((j, k), "float32"))
    return f
''')

module('''
@R.function
def main(x: R.Tensor(("n",), "float32")):
    @R.function
    def inner(q: R.Tensor(("m", "n"), "float32"), a: R.Tensor(("m",), "float32")) -> R.Tensor(("m", "n"), "float32"):
        r = R.nn.relu(q)
        return r
    y = inner(R.reshape(x, (1, -1)), R.zeros((1,), "float32"))
    gv = R.nn.relu(y)
    n_1 = R.nn.relu(gv)
    return n_1
''')

module('''
@I.ir_module
class Module:
    @R.function(private=True)
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("m",), "float32")):
        z = R.add(x, y)
        w = R.less(x, R.const(1.5))
        u = R.where(w, x, x)
        return (z, w, u)
    @R.function
    def zed(a: R.Tensor(("n", "n"), "float16"), i: R.Tensor((3,), "int32")):
        q = R.take(a, i, axis=1)
        r = R.take(a, R.prim_value(0), axis=0)
        s = R.argmax(a, axis=-1)
        return (q, r, s)
''')

module('''
@R.function
def main(x: R.Tensor((2, 8), "float32"), p: R.Tuple(R.Tensor((2,), "float32"), R.Tensor((3,), "float32"))):
    a = p[0]
    b = R.emit(R.exp(x))
    c = (R.exp(a), p)
    v: R.Tensor((2, 8), "float32") = R.call_pure_packed("f", x, ty_args=R.Tensor((2, 8), "float32"))
    w = R.call_pure_packed("g", v, c, ty_args=[R.Tensor((2,), "float32"), R.Shape([2])])
    l = R.linear(x, R.zeros((3, 8), "float32"))
    mm: R.Tensor = R.matmul(x, R.permute_dims(x))
    r6 = R.nn.relu6(mm)
    nn_ = -r6
    q = nn_ - r6
    return (b, c, w[1], l, q)
''')

module('''
@R.function
def main(x: R.Tensor(("n", "n"), "float32"), k: R.Prim("int64"), b: R.Prim("bool")):
    a = T.max(k, 3)
    c = (k + 2) // 3
    d = R.zeros((c, a), "float32")
    e = k % 4
    f = R.tril(x, k)
    g = R.prim_value(T.float32(0.5))
    if b:
        h = R.exp(x)
    else:
        h = R.sin(x)
    i = R.shape([k, 3])
    j = R.broadcast_to(R.const(1.0), i)
    return (d, e, f, g, h, j)
''')

module('''
@R.function
def f(n: R.Prim("int64")):
    return R.zeros((n,), "float32")
''')

module('''
@R.function
def f(n2: R.Prim("int64"), x: R.Tensor(("n",), "int64")):
    return R.zeros((n2,), "float32")
''')

module('''
@R.function
def f(n2: R.Prim("int64"), x: R.Tensor(("n2",), "int64")):
    return R.zeros((n2,), "float32")
''')

module('''
@R.function
def f(n2: R.Prim("int64"), x: R.Tensor(("n",), "int64")):
    a = n2 * 2
    b = R.zeros((n2 + 1, 3), "float32")
    return (a, b)
''')

module('''
@R.function
def f(n2: R.Prim("int64"), x: R.Tensor(("n",), "int64")) -> R.Tensor(("n2",), "float32"):
    return R.zeros((n2,), "float32")
''')

module('''
@R.function
def f(n2: R.Prim("int64"), x: R.Tensor(("n",), "int64")):
    with R.dataflow():
        y = R.zeros((n2,), "float32")
        R.output(y)
    return y
''')

module('''
@R.function
def f(n2: R.Prim("int64"), x: R.Tensor(("n",), "int64")):
    n = T.int64()
    a = n2 * 2 + n
    y = R.zeros((n2,), "float32")
    return y
''')

module('''
@R.function
def f(n2: R.Prim("int64"), p: R.Prim("float32")):
    y = R.zeros((n2,), "float32")
    return y
''')

module('''
@R.function
def f(n2: R.Prim("int64"), x: R.Tensor(("n",), "int64")):
    @R.function
    def g(y: R.Tensor(("k",), "int64"), z: R.Prim("int64")):
        n = T.int64()
        return (R.zeros((n2,), "float32"), R.zeros((n,), "float32"), R.zeros((z,), "float32"))
    return g(x, n2)
''')

module('''
@R.function
def f(x: R.Tensor((2,), "float32")):
    @R.function
    def a(y: R.Tensor(("m",), "float32")):
        return R.exp(y)
    @R.function
    def b(y: R.Tensor((2,), "float32")):
        return R.exp(y)
    return b(a(x))
''')

module('''
@R.function
def f(x: R.Tensor((2,), "float32")):
    @R.function
    def b(y: R.Tensor((2,), "float32")):
        return R.exp(y)
    @R.function
    def a(y: R.Tensor(("m",), "float32")):
        return R.exp(y)
    return b(a(x))
''')

module('''
@R.function
def f(x: R.Tensor(("n",), "float32")):
    @R.function
    def b(y: R.Tensor((2,), "float32")):
        return R.exp(y)
    @R.function
    def a(y: R.Tensor(("m",), "float32")):
        return R.exp(y)
    @R.function
    def c(y: R.Tensor((2,), "float32")):
        return R.exp(y)
    return a(x)
''')

module('''
@I.ir_module
class Module:
    @R.function
    def g(x: R.Tensor((2,), "float32")):
        @R.function
        def a(y: R.Tensor(("m",), "float32")):
            return R.exp(y)
        return a(x)
    @R.function
    def h(x: R.Tensor((2,), "float32")):
        @R.function
        def a(y: R.Tensor((2,), "float32")):
            @R.function
            def c(y: R.Tensor((2,), "float32")):
                return R.exp(y)
            return c(y)
        return a(x)
''')

module('''
@R.function
def f(x: R.Tensor(("n", "m"), "float32"), y: R.Tensor(("m", "n"), "float32")):
    n = T.int64()
    m = T.int64()
    a = R.matmul(x, y)
    b = R.reshape(a, (-1,))
    c = R.reshape(b, (n, 1, -1))
    d = R.permute_dims(x)
    e = R.concat([d, y], axis=1)
    g = R.split(e, 2, axis=1)
    h = R.split(x, [2, 5], axis=0)
    i = R.tile(x, (2, 1, 3))
    j = R.repeat(x, 3)
    k = R.flatten(x)
    return (a, b, c, d, e, g, h, i, j, k)
''')

module('''
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32"), k: R.Tensor((), "bool")):
        if k:
            a = R.add(x, x)
            if k:
                b = R.exp(a)
            else:
                b = a
        else:
            b = R.negative(x)
        @R.function
        def loc(y: R.Tensor(("m",), "float32")):
            m = T.int64()
            z = R.zeros((m,), "float32")
            @R.function
            def loc2(y: R.Tensor(("m",), "float32")):
                return R.add(y, b)
            return (R.add(y, z), loc2(y))
        q = loc(b)
        return q
''')

module('''
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32"), c: R.Prim("bool"), d: R.Prim("bool")):
        @R.function
        def f(a: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
            return R.exp(R.add(a, x))
        @R.function
        def g(a: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
            return R.sin(a)
        if c:
            h = f
        else:
            h = g
        if d:
            k = g
        else:
            k = h
        t = (k, (x, h))
        u = t[1]
        v = t[0]
        w = u[1]
        y = v(x)
        z = w(y)
        return (y, z)
''')

module('''
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32"), n: R.Prim("int64")):
        @R.function
        def add(a: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
            return R.add(a, x)
        @R.function
        def twice(a: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
            b = add(a)
            return add(b)
        @R.function
        def rec(k: R.Prim("int64"), a: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
            if k <= 0:
                r = a
            else:
                b = twice(a)
                c = add(b)
                r = rec(k - 1, c)
            return r
        return rec(n, x)
''')

module('''
@I.ir_module
class Module:
    @R.function(private=True)
    def apply(f: R.Callable((R.Tensor((2,), "float32"),), R.Tensor((2,), "float32"), True), x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        y = f(x)
        return f(y)
    @R.function
    def main(x: R.Tensor((2,), "float32"), c: R.Prim("bool")):
        cls = Module
        @R.function
        def f(a: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
            return R.exp(a)
        @R.function
        def g(a: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
            return R.add(a, x)
        if c:
            h = f
        else:
            h = g
        y = cls.apply(h, x)
        return y
''')

# Sizes of which one is a number and the other is not: TVM does not know that they are equal.
module('''
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", "m"), "float32"), y: R.Tensor(("k", 4), "float32")):
        a = R.concat((x, y), axis=0)
        b = R.concat((y, x), axis=1)
        c = R.stack((x, y), axis=0)
        return a, b, c
''')

# TypeVars stand in the order of the functions, those of one function by name.
module('''
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def f(x: T.handle):
        z = T.int64()
        a = T.int64()
        X = T.match_buffer(x, (z, a), "float32")
        for i in range(4):
            X[i, i] = T.float32(0)
    @R.function
    def main(x: R.Tensor(("y", "b"), "float32")):
        return x
''')

# What is unpacked: items that are written there, and variables.
module('''
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((2,), "float32"), t: R.Tuple(R.Tuple(R.Tensor, R.Tensor), R.Tensor)):
        a, b = t[0]
        c, d = R.tuple(x, a)
        e, f = R.shape([1, 2])
        g, (h, i) = x, (c, d)
        return a, b, c, d, e, f, g, h, i
    @T.prim_func(private=True)
    def fill(x: T.Buffer((2,), "float32")):
        for i in range(2):
            x[i] = T.float32(0)
    @R.function(pure=False)
    def calls(x: R.Tensor((2,), "float32")):
        cls = Module
        y = R.builtin.alloc_tensor(R.shape([2]), R.dtype("float32"), R.prim_value(0))
        cls.fill(y)
        return y
''')

# Devices: what operators give is where their operands are.
module('''
@I.ir_module
class Module:
    I.module_attrs({"a": 1})
    I.module_global_infos({"vdevice": [I.vdevice({"keys": ["cpu"], "kind": "llvm", "mcpu": "skylake", "tag": ""}), I.vdevice({"keys": ["cpu"], "kind": "llvm", "mcpu": "core-avx2", "tag": ""}, 0, "shared")], "dummy": [I.dummy_global_info(), I.dummy_global_info()]})
    @R.function
    def main(x: R.Tensor((2, 3), "float32", "llvm:1"), y: R.Tensor((2, 3), dtype="float32"), z: R.Tensor(ndim=2, vdevice="llvm"), w: R.Tensor(vdevice="llvm:0:global"), g: R.Tensor((2, 3), "float32", vdevice="metal")):
        a = R.add(x, y)
        b = R.matmul(R.permute_dims(a), y)
        c = R.split(b, 3, axis=1)
        d = R.to_vdevice(c[0], "llvm:0")
        e = R.hint_on_device(y, R.device(1, 0))
        f = R.hint_on_device(d, R.cpu(1), "global")
        h = R.nn.pad(x, [0, 0, 1, 1])
        i = R.sum(R.concat((x, y), axis=0), axis=0)
        j = R.outer(i, i)
        return (a, b, c, d, e, f, h, i, j, z, w, g)
''')

module('''
@R.function
def main(x: R.Tensor((6, 2), "float32")):
    t = R.split(x, 3)
    a, *b = t
    *c, d = t
    e, (f, *g), *h = (a, t)
    *i, j, k, l = t
    m = R.add(b[1], c[1])
    n = R.concat(b, axis=0)
    o = R.concat([*b, m, *h], axis=0)
    p = [R.exp(x), R.sin(x)]
    q = R.add(p[0], p[0])
    return (d, n, o, f, g, q, p, i, j, k, l)
''')

module('''
@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice({"kind": "c", "host": {"kind": "llvm", "mcpu": "core-avx2"}}), I.vdevice({"kind": "c", "host": "c"}), I.vdevice({"kind": "hexagon", "host": {"kind": "c", "keys": ["x"], "host": {"kind": "c"}}})]})
    @R.function
    def main(x: R.Tensor((2,), "float32")):
        return x
''')

# Conditions and choices of sizes that are sums of several.
module('''
@R.function
def main(x: R.Tensor(("n", 3), "float32"), s: R.Shape(["k", "m"])):
    n, k, m = T.int64(), T.int64(), T.int64()
    e0 = R.strided_slice(x, [0], [0], [n - k])
    e1 = R.strided_slice(x, [0], [0], [n - k - 1])
    e2 = R.strided_slice(x, [0], [0], [n - k + 1])
    e3 = R.strided_slice(x, [0], [0], [n - k * 2])
    e4 = R.strided_slice(x, [0], [0], [n * 2 - k])
    e5 = R.strided_slice(x, [0], [0], [n * 2 - k * 2])
    e6 = R.strided_slice(x, [0], [0], [n * 2 - k * 2 - 3])
    e7 = R.strided_slice(x, [0], [0], [n + k - 5])
    e8 = R.strided_slice(x, [0], [0], [n - k - m])
    e9 = R.strided_slice(x, [0], [0], [k - n])
    e10 = R.strided_slice(x, [0], [0], [-k])
    e11 = R.strided_slice(x, [0], [0], [-k * 2])
    e12 = R.strided_slice(x, [0], [0], [5 - n - k])
    e13 = R.strided_slice(x, [0], [0], [n // 2 - k])
    e14 = R.strided_slice(x, [0], [0], [m - n * k])
    e15 = R.strided_slice(x, [0], [0], [n % 3 - k])
    e16 = R.strided_slice(x, [0], [0], [1 - k])
    e17 = R.strided_slice(x, [0], [0], [n - 1 - k * m])
    e18 = R.strided_slice(x, [0], [0], [T.min(n, 5)])
    e19 = R.strided_slice(x, [0], [0], [T.max(n - 2, 0)])
    y = R.strided_slice(x, [0], [n // 2], [n])
    z = R.strided_slice(y, [0], [-1], [9])
    u = R.strided_slice(x, [0], [-2], [n])
    v = R.strided_slice(u, [0], [-1], [k])
    w = R.strided_slice(x, [0], [-k * 2], [n])
    return (e0, e1, e2, e3, e4, e5, e6, e7, e8, e9, e10, e11, e12, e13, e14, e15, e16, e17, e18, e19, z, v, w)
''')

# What uses an output in the block of that is typed as if sizes could be negative.
module('''
@R.function
def main(x: R.Tensor(("n", 3), "float32")):
    n = T.int64()
    with R.dataflow():
        a = R.strided_slice(x, [0], [0], [4])
        c = R.strided_slice(a, [0], [1], [n])
        d = R.strided_slice(c, [0], [0], [n // 2])
        e = R.split(a, 2)
        f = R.concat((a, c), axis=0)
        g = R.strided_slice(f, [0], [0], [3])
        h = R.sum(g, axis=0)
        i = R.sum(d, axis=0)
        t = (a, (d, c))
        j = R.sum(R.add(e[1], e[1]), axis=0)
        k = R.sum(t[1][0], axis=0)
        R.output(a, h, i, j, k)
    return (a, h, i, j, k)
''')

# A function of another library as a value
module('''
@R.function
def main(x: R.Tensor((4,), "float32")):
    f = R.ExternFunc("lib.f")
    t = (x, f)
    return t[0]
''')

# What a PrimFunc makes of its arguments, as far as they say its sizes
module('''
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def sum(a: T.handle, b: T.handle, c: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        C = T.match_buffer(c, (n * 2,), "float32")
        for i in range(n):
            C[i] = A[i] + B[i]
    @R.function
    def main(x: R.Tensor(("n",), "float32"), z: R.Tensor(("m",), "float32"), w: R.Tensor(ndim=1, dtype="float32")):
        n = T.int64()
        y = R.call_tir(Module.sum, (x, z), out_ty=R.Tensor((n + n,), "float32"))
        u = R.call_tir(Module.sum, (w, w), out_ty=R.Tensor((7,), "float32"))
        return (y, u)
''')
