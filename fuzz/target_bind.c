/* Arguments: the bytes of an input choose a function, sizes, and field by field what it is given: as the sizes say, or
 * anything. Every tensor that claims more than the memory behind it is one that binding must refuse, or it is not
 * passed: the pointer is the one thing that tirb cannot check.
 *
 * What is taken is given a second time and to an instance that has seen nothing, and ends alike. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "fuzz/roundtrip.h"
#include "loader/bundle/assembly.h"
#include "loader/bundle/bundle.h"
#include "vm/call/objects.h"

enum { MAX_ARGS = 8, MAX_NDIM = 6, MAX_VARS = 8, MEMORY = 1 << 12 };

static const char program_text[] =
    ".function \"copy\" public\n.scalars 5\n.lanes 1\n.ref f32\n.ref f32 writable\n"
    ".var \"n\" i64 s0\n.var \"m\" i32 s1\n"
    ".tensor \"A\" f32 r0 read ($0 $1)\n.tensor \"B\" f32 r1 write ($0 $1)\n"
    "mul.i64 s2, s0, s1\nlane s2, done\n.cursor r0 f32 read 0 0 1\n.cursor r1 f32 write 0 0 1\n"
    "vload.f32 v0, c0\nvstore.f32 c1, v0\ndone: lane.end\nret.void\n.end\n"
    ".function \"strided\" public\n.scalars 9\n.ref i16\n.ref i16 writable\n"
    ".var \"n\" i64 s0\n.var \"m\" u8 s1\n.var \"s\" i64 s2\n.var \"t\" i32 s3\n.var \"o\" i64 s4\n"
    ".tensor \"A\" i16 r0 read ($0 $1) strides ($2 $3) offset $4\n"
    ".tensor \"B\" i16 r1 read write ({$0 2 mul} {$1 $0 max}) strides ({$1 2 mul} 1) offset {$4 4 floordiv}\n"
    "again: sub.i64 s5, s0, s6\nbrnot s5, end\nmul.i64 s7, s6, s2\nload.i16 s8, r0, s7\nstore.i16 r1, s6, s8\n"
    "const.i64 s8, 1\nadd.i64 s6, s6, s8\nback again\nend: ret.void\n.end\n"
    ".function \"scalars\" public returns i64\n.scalars 8\n.var \"n\" i16 s0 param 0\n.ref bool writable\n"
    ".scalar \"n\" i16 s0\n.scalar \"b\" bool s1\n.scalar \"u\" u8 s2\n.scalar \"w\" u64 s3\n.scalar \"h\" f16 s4\n"
    ".scalar \"f\" f32 s5\n.tensor \"T\" bool r0 read write ($0 2 $0)\n"
    "brnot s0, end\nload.bool s6, r0, 1\nstore.bool r0, 0, s6\nend: length s7, r0\nret.i64 s7\n.end\n"
    ".function \"zero\" public returns f64\n.scalars 1\n.ref f64\n.ref f64 writable\n"
    ".tensor \"A\" f64 r0 read ()\n.tensor \"B\" f64 r1 write ()\nload.f64 s0, r0, 0\nstore.f64 r1, 0, s0\n"
    "ret.f64 s0\n.end\n"
    /* its conditions keep the slice that it reads inside the first tensor */
    ".function \"window\" public returns i32\n.scalars 6\n.ref i32\n.ref i32 writable\n"
    ".var \"H\" i64 s0\n.var \"k\" i32 s1 param 1\n.var \"m\" u8 s2\n"
    ".tensor \"A\" i32 r0 read ($0 $2)\n.scalar \"k\" i32 s1\n"
    ".tensor \"B\" i32 r1 write ({$0 $1 sub 1 add}) minima ({$1 $2 floordiv})\n"
    ".requires $1 <= $0\n.requires $1 > 0\n.requires {$0 $2 floormod} != 1\n.requires {$0 $0 mul $0 mul} < 1000\n"
    "sub.i64 s3, s0, s1\nmul.i64 s4, s3, s2\nload.i32 s5, r0, s4\nstore.i32 r1, s3, s5\nret.i32 s5\n.end\n";

/* Choices come from the input; behind its end everything is 0. */
typedef struct choices {
    const uint8_t *at;
    size_t left;
} choices;

static uint8_t byte(choices *c) {
    if (c->left == 0) return 0;
    c->left--;
    return *c->at++;
}

static int64_t number(choices *c) {
    int64_t v = 0;
    uint8_t how = byte(c);
    if (how < 200) return how % 10;
    if (how < 230) return (int8_t)byte(c);
    for (unsigned i = 0; i < 8; i++) v = (int64_t)((uint64_t)v << 8 | byte(c));
    return v;
}

__extension__ typedef __int128 wide;

typedef struct given {
    DLTensor view;
    int64_t shape[MAX_NDIM], strides[MAX_NDIM];
    uint8_t *memory;
    bool shares; /* another's memory */
} given;

/* Of the shape variables. */
typedef struct sizes {
    int64_t values[MAX_VARS];
    bool bound[MAX_VARS];
} sizes;

static void choose_sizes(choices *c, const tirbi_function *f, sizes *s) {
    if (f->n_vars > MAX_VARS) fuzz_fail("%u shape variables", f->n_vars);
    for (uint32_t v = 0; v < f->n_vars; v++) {
        s->values[v] = number(c);
        s->bound[v] = true;
    }
}

/* As the sizes say; 1 where that cannot be. */
static int64_t fitting(const tirbi_dim *dim, const sizes *s) {
    int64_t value;
    return tirbi_dim_eval(dim, s->values, s->bound, &value, NULL) == TIRB_OK ? value : 1;
}

/* Whether the elements lie in the memory; false also when their addresses overflow. */
static bool lies_inside(const given *g, size_t item, bool *out_overflow) {
    wide low = 0, high = 0, stride = 1;
    *out_overflow = false;
    for (int i = 0; i < g->view.ndim; i++) {
        if (g->shape[i] <= 0) return true; /* no elements, or a shape that is refused */
    }
    for (int i = g->view.ndim - 1; i >= 0; i--) {
        wide far = (wide)(g->shape[i] - 1) * (g->view.strides ? g->strides[i] : stride);
        if (!g->view.strides) stride *= g->shape[i];
        if (far < 0) low += far;
        if (far > 0) high += far;
        if (high > INT64_MAX || low < INT64_MIN || stride > INT64_MAX) *out_overflow = true;
        if (*out_overflow) return false;
    }
    low = low * (wide)item + g->view.byte_offset;
    high = (high + 1) * (wide)item + g->view.byte_offset;
    *out_overflow = high + (wide)(uintptr_t)g->view.data > (wide)UINTPTR_MAX;
    return low >= 0 && high <= MEMORY;
}

enum { ANY_SHAPE = 128 }; /* of what says how a tensor is made; the bits below are for other fields */

static void choose_shape(choices *c, const tirbi_param *param, const sizes *s, uint8_t how, given *g) {
    const bool fits = !(how & ANY_SHAPE) && g->view.ndim == param->ndim;
    const bool strided = (how & 16) || (fits && param->has_strides);
    for (int i = 0; i < g->view.ndim; i++) g->shape[i] = fits ? fitting(&param->shape[i], s) : number(c);
    for (int i = 0; strided && i < g->view.ndim; i++)
        g->strides[i] = fits && param->has_strides ? fitting(&param->strides[i], s) : number(c);
    g->view.shape = g->shape;
    g->view.strides = strided ? g->strides : NULL;
    g->view.byte_offset = how & 32 ? (uint64_t)number(c) : 0;
    if (fits && param->has_elem_offset && !(how & 32))
        g->view.byte_offset = (uint64_t)fitting(&param->elem_offset, s) * tirbi_dtypes[param->dtype].size;
}

/* In the memory of the tensor before it, if there is one and the input says so. False: it claims memory that is not
 * there, in a way that looks right. */
static bool choose_tensor(choices *c, const tirbi_param *param, const sizes *s, const given *before, given *g,
                          tirb_arg *arg) {
    uint8_t how = byte(c);
    const uint8_t filled = byte(c), shared = byte(c);
    g->shares = before && before->memory && shared > 240;
    g->memory = g->shares ? before->memory : fuzz_allocate(MEMORY);
    if (!g->shares) memset(g->memory, filled & (param->dtype == TIRB_BOOL ? 1 : 0xFF), MEMORY);
    g->view.data = how & 1 && byte(c) == 77 ? NULL : g->memory;
    g->view.device.device_type = how & 2 && byte(c) > 128 ? (DLDeviceType)byte(c) : kDLCPU;
    g->view.ndim = how & 4 && byte(c) > 128 ? (int32_t)byte(c) % (MAX_NDIM + 1) : param->ndim;
    g->view.dtype = tirbi_dtype_to_dl((tirbi_dtype)param->dtype);
    if (how & 8 && byte(c) > 128) g->view.dtype = (DLDataType){byte(c), byte(c), byte(c)};
    choose_shape(c, param, s, how, g);
    *arg =
        (tirb_arg){.kind = TIRB_ARG_TENSOR, .flags = how & 64 && byte(c) > 200 ? byte(c) : 0, .value.tensor = &g->view};
    bool overflow;
    return lies_inside(g, tirbi_dtypes[param->dtype].size, &overflow) || overflow || !g->view.data;
}

static tirb_arg choose_scalar(choices *c, const tirbi_function *f, uint32_t i, const sizes *s) {
    const bool is_float = tirbi_dtype_is_float((tirbi_dtype)f->params[i].dtype);
    tirb_arg arg = {.kind = is_float ? TIRB_ARG_FLOAT : TIRB_ARG_INT};
    arg.value.i = number(c);
    if (f->params[i].dtype == TIRB_BOOL) arg.value.i &= 1;
    for (uint32_t v = 0; v < f->n_vars; v++)
        if (f->vars[v].param == i) arg.value.i = s->values[v];
    return arg;
}

static bool choose_argument(choices *c, const tirbi_function *f, uint32_t i, const sizes *s, given *tensors,
                            tirb_arg *arg) {
    uint8_t how = byte(c);
    if (how < 240) {
        const given *before = i > 0 ? &tensors[i - 1] : NULL;
        if (f->params[i].kind == TIRB_PARAM_TENSOR)
            return choose_tensor(c, &f->params[i], s, before, &tensors[i], arg);
        *arg = choose_scalar(c, f, i, s);
        return true;
    }
    *arg = (tirb_arg){.kind = how < 250 ? how % 4u : byte(c)};
    arg->value.i = number(c);
    if (arg->kind == TIRB_ARG_TENSOR) arg->value.tensor = NULL;
    return true;
}

static void infer(tirb_instance *instance, uint32_t function, const tirb_arg *args, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        tirb_error error = TIRB_ERROR_INIT;
        int64_t shape[MAX_NDIM];
        int32_t ndim;
        DLDataType dtype;
        tirb_status status =
            tirb_instance_infer(instance, function, i, args, n, shape, MAX_NDIM, &ndim, &dtype, &error);
        if (status == TIRB_INTERNAL) fuzz_fail("inference: %s", error.message);
        for (int32_t k = 0; status == TIRB_OK && k < ndim; k++) {
            if (shape[k] < 0) fuzz_fail("inference gives the extent %lld", (long long)shape[k]);
        }
        status = tirb_instance_minima(instance, function, i, args, n, shape, MAX_NDIM, &ndim, &error);
        if (status == TIRB_INTERNAL) fuzz_fail("inference: %s", error.message);
    }
}

static tirb_instance *new_instance(tirb_module *module) {
    tirb_error error = TIRB_ERROR_INIT;
    tirb_limits limits = TIRB_LIMITS_INIT;
    limits.fuel = 10000;
    limits.max_memory = 1 << 20;
    tirb_instance *instance;
    if (tirb_instance_create(module, &limits, &instance, &error) != TIRB_OK) fuzz_fail("%s", error.message);
    return instance;
}

static tirb_instance *shared_instance(void) {
    static tirb_instance *instance;
    if (instance) return instance;
    tirb_engine *engine = NULL;
    tirb_module *module = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    tirbi_heap heap;
    tirbi_arena arena;
    tirbi_program *program;
    tirbi_writer bytes;
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    tirbi_arena_init(&arena, &heap);
    tirbi_writer_init(&bytes, &heap);
    if (tirbi_assemble(program_text, sizeof(program_text) - 1, &arena, &program, &error) != TIRB_OK ||
        tirbi_bundle_write(program, &heap, &bytes, &error) != TIRB_OK ||
        tirb_engine_create(NULL, &engine, &error) != TIRB_OK ||
        tirb_module_load(engine, bytes.data, bytes.size, &module, &error) != TIRB_OK) {
        fuzz_fail("%s at %u:%u", error.message, error.line, error.column);
    }
    instance = new_instance(module);
    tirbi_writer_destroy(&bytes);
    tirbi_arena_destroy(&arena);
    return instance;
}

/* ---- Calls ------------------------------------------------------------------------------------------------------ */

typedef struct call {
    uint32_t function, n_tensors, n;
    const given *tensors; /* by parameter */
    const tirb_arg *args;
} call;

/* What a call ended with, and what it left in the tensors' memory. */
typedef struct ending {
    tirb_status status;
    tirb_result result;
    tirb_error error;
    uint8_t memory[MAX_ARGS][MEMORY];
} ending;

static void copy_memory(const call *c, uint8_t (*memory)[MEMORY], bool back) {
    for (uint32_t i = 0; i < c->n_tensors; i++) {
        if (!c->tensors[i].memory || c->tensors[i].shares) continue;
        if (back)
            memcpy(c->tensors[i].memory, memory[i], MEMORY);
        else
            memcpy(memory[i], c->tensors[i].memory, MEMORY);
    }
}

static void end_call(const call *c, tirb_instance *instance, ending *e) {
    memset(e, 0, sizeof *e);
    e->error = (tirb_error)TIRB_ERROR_INIT;
    e->status = tirb_instance_call(instance, c->function, c->args, c->n, &e->result, &e->error);
    if (e->status == TIRB_INTERNAL || e->status == TIRB_NO_MEMORY) fuzz_fail("binding: %s", e->error.message);
    if (e->status != TIRB_OK && e->error.message[0] == '\0') fuzz_fail("an error without a message");
    copy_memory(c, e->memory, false);
}

static void expect_same(const ending *a, const ending *b, const char *what) {
    if (a->status != b->status || strcmp(a->error.message, b->error.message) != 0)
        fuzz_fail("%s: %s (%s), not %s (%s)", what, tirb_status_name(b->status), b->error.message,
                  tirb_status_name(a->status), a->error.message);
    if (a->status != TIRB_OK) return;
    if (memcmp(&a->result, &b->result, sizeof a->result) != 0) fuzz_fail("%s: another result", what);
    if (memcmp(a->memory, b->memory, sizeof a->memory) != 0) fuzz_fail("%s: other elements", what);
}

static bool run_call(const call *c) {
    static uint8_t before[MAX_ARGS][MEMORY];
    static ending first, again, fresh;
    tirb_instance *shared = shared_instance(), *own = new_instance(shared->module);
    copy_memory(c, before, false);
    end_call(c, shared, &first);
    copy_memory(c, before, true);
    end_call(c, shared, &again);
    expect_same(&first, &again, "called again");
    copy_memory(c, before, true);
    end_call(c, own, &fresh);
    expect_same(&first, &fresh, "called first");
    tirb_instance_destroy(own);
    return first.status == TIRB_OK;
}

static bool run(const uint8_t *data, size_t size) {
    choices c = {data, size};
    tirb_instance *instance = shared_instance();
    const tirbi_program *program = instance->module->program;
    given tensors[MAX_ARGS];
    tirb_arg args[MAX_ARGS];
    sizes s = {{0}, {false}};
    memset(tensors, 0, sizeof(tensors));
    uint32_t function = byte(&c) % program->n_functions;
    const tirbi_function *f = &program->functions[function];
    bool possible = true, called = false;
    choose_sizes(&c, f, &s);
    for (uint32_t i = 0; i < f->n_params; i++) possible &= choose_argument(&c, f, i, &s, tensors, &args[i]);
    uint32_t n = byte(&c) > 250 ? byte(&c) % (f->n_params + 1u) : f->n_params;
    if (possible) {
        called = run_call(&(call){function, f->n_params, n, tensors, args});
        if (n == f->n_params) infer(instance, function, args, n);
    }
    for (uint32_t i = 0; i < f->n_params; i++)
        if (!tensors[i].shares) free(tensors[i].memory);
    return called;
}

const fuzz_target fuzz_target_bind = {"bind", run, NULL, NULL};
