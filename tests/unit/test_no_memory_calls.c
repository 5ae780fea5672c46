/* Memory that runs out during a call: each allocation fails once, and then all from one on, of calls with temporaries,
 * calls between functions, threads, contractions, folds, what is read at an index, a function of the host's, graphs,
 * results of sizes that the call finds, and tensors with strides; on instances that have made no call and on those that
 * keep memory of other ones. A call that lacks memory says so, gives nothing and keeps nothing; the next one is right.
 */
#include "tests/unit/api_fixture.h"

#include <limits.h>
#include <stdatomic.h>

#include <tirb/compiler.h>

#include "tests/unit/sampled.h"

static const char program[] =
    "from tvm.script import ir as I, tirx as T, relax as R\n"
    "@I.ir_module\n"
    "class Module:\n"
    "    @T.prim_func(private=True, s_tir=True)\n"
    "    def norm(x: T.Buffer(('m',))) -> T.float32:\n"
    "        m = T.int32()\n"
    "        squares = T.alloc_buffer((m,))\n"
    "        total: T.float32 = T.float32(0)\n"
    "        for i in range(m):\n"
    "            squares[i] = x[m - 1 - i] * x[m - 1 - i]\n"
    "        for i in range(m):\n"
    "            total += squares[i] * squares[m - 1 - i]\n"
    "        return total\n"
    "    @T.prim_func(s_tir=True)\n"
    "    def temporaries(A: T.Buffer(('n', 8)), B: T.Buffer(('n', 8))):\n"
    "        n = T.int32()\n"
    "        C = T.alloc_buffer((n, 8))\n"
    "        D = T.alloc_buffer((8, n))\n"
    "        for i, j in T.grid(n, 8):\n"
    "            C[i, j] = T.exp(A[i, j])\n"
    "        for j, i in T.grid(8, n):\n"
    "            D[j, i] = C[n - 1 - i, j] + T.float32(j)\n"
    "        for i, j in T.grid(n, 8):\n"
    "            B[i, j] = D[j, i] * D[7 - j, n - 1 - i]\n"
    "    @T.prim_func(s_tir=True)\n"
    "    def calls(A: T.Buffer(('n', 8)), B: T.Buffer(('n', 8))):\n"
    "        n = T.int32()\n"
    "        for i in range(n):\n"
    "            row = T.alloc_buffer((8 + i,))\n"
    "            for j in range(8 + i):\n"
    "                row[j] = A[i, j % 8] + T.float32(j)\n"
    "            for j in range(8):\n"
    "                B[i, j] = Module.norm(row) + row[j]\n"
    "    @T.prim_func(s_tir=True)\n"
    "    def threads(A: T.Buffer(('n', 8)), B: T.Buffer(('n', 8))):\n"
    "        n = T.int32()\n"
    "        for i in T.parallel(n):\n"
    "            row = T.alloc_buffer((8 + i,))\n"
    "            for j in range(8 + i):\n"
    "                row[j] = A[i, j % 8] + T.float32(j)\n"
    "            total: T.float32 = Module.norm(row)\n"
    "            for j in range(8):\n"
    "                B[i, j] = total * row[7 - j]\n"
    "    @T.prim_func(s_tir=True)\n"
    "    def products(A: T.Buffer(('n', 8)), B: T.Buffer(('n', 8))):\n"
    "        n = T.int32()\n"
    "        S = T.sblock_alloc_buffer((n, n))\n"
    "        for i, j, k in T.grid(n, n, 8):\n"
    "            with T.sblock('S'):\n"
    "                vi, vj, vk = T.axis.remap('SSR', [i, j, k])\n"
    "                with T.init():\n"
    "                    S[vi, vj] = T.float32(0)\n"
    "                S[vi, vj] = S[vi, vj] + A[vi, vk] * A[vj, vk]\n"
    "        for i, j, k in T.grid(n, 8, n):\n"
    "            with T.sblock('B'):\n"
    "                vi, vj, vk = T.axis.remap('SSR', [i, j, k])\n"
    "                with T.init():\n"
    "                    B[vi, vj] = T.float32(0)\n"
    "                B[vi, vj] = B[vi, vj] + S[vk, vi] * A[vk, vj]\n"
    "    @T.prim_func(s_tir=True)\n"
    "    def folds(A: T.Buffer(('n', 8)), B: T.Buffer(('n', 8))):\n"
    "        n = T.int32()\n"
    "        top = T.sblock_alloc_buffer((n,))\n"
    "        for i, j in T.grid(n, 8):\n"
    "            with T.sblock('top'):\n"
    "                vi, vj = T.axis.remap('SR', [i, j])\n"
    "                with T.init():\n"
    "                    top[vi] = T.float32('-inf')\n"
    "                top[vi] = T.max(top[vi], A[vi, vj])\n"
    "        for i, j in T.grid(n, 8):\n"
    "            B[i, j] = A[i, j] - top[i]\n"
    "    @T.prim_func(s_tir=True)\n"
    "    def gathers(A: T.Buffer(('n', 8)), B: T.Buffer(('n', 8))):\n"
    "        n = T.int32()\n"
    "        order = T.alloc_buffer((n,), 'int32')\n"
    "        for i in range(n):\n"
    "            order[i] = (i * 7 + 3) % n\n"
    "        for i, j in T.grid(n, 8):\n"
    "            B[order[i], j] = B[order[i], j] + A[order[n - 1 - i], j] * A[i, 7 - j]\n"
    "    @T.prim_func(s_tir=True)\n"
    "    def hosts(A: T.Buffer(('n', 8)), B: T.Buffer(('n', 8))):\n"
    "        n = T.int32()\n"
    "        C = T.alloc_buffer((n, 8))\n"
    "        for i, j in T.grid(n, 8):\n"
    "            C[i, j] = A[i, j] * T.float32(2)\n"
    "        T.call_packed('host', C, B)\n"
    "        for i, j in T.grid(n, 8):\n"
    "            B[i, j] = B[i, j] + C[n - 1 - i, j]\n"
    "    @R.function\n"
    "    def graph(x: R.Tensor(('n', 8), 'float32')):\n"
    "        y = R.nn.softmax(R.matmul(x, R.permute_dims(x)), axis=-1)\n"
    "        w = R.concat((R.matmul(y, x), x), axis=1)\n"
    "        return R.add(R.strided_slice(w, axes=[1], begin=[4], end=[12]), R.const(1.0, 'float32'))\n"
    "    @R.function\n"
    "    def found(x: R.Tensor(('n', 8), 'float32')):\n"
    "        y = R.add(R.unique(R.round(R.multiply(x, R.const(4.0, 'float32')))), R.const(1.0, 'float32'))\n"
    "        return R.multiply(y, y)\n";

static const char *const functions[] = {"temporaries", "calls", "threads", "products", "folds",
                                        "gathers",     "hosts", "graph",   "found"};
enum { GRAPHS_FROM = 7, FOUND = 8 }; /* results are made for graphs; of `found` nobody else could make one */
enum { FUNCTIONS = sizeof functions / sizeof *functions, ROWS = 40, COLUMNS = 8, APART = 11 };

/* ---- An allocator that fails when it is told to, for several threads --------------------------------------------- */

typedef struct memory {
    atomic_size_t held;
    atomic_long calls;           /* since they are counted */
    atomic_long fail_from, last; /* of them, the first that fails and the last; 0: none */
} memory;

static void *reallocate(void *context, void *ptr, size_t old_size, size_t new_size) {
    memory *m = context;
    if (new_size == 0) {
        free(ptr);
        atomic_fetch_sub(&m->held, old_size);
        return NULL;
    }
    const long call = atomic_fetch_add(&m->calls, 1) + 1, from = atomic_load(&m->fail_from);
    if (from && call >= from && call <= atomic_load(&m->last)) return NULL;
    void *fresh = realloc(ptr, new_size);
    assert_non_null(fresh);
    if (new_size > old_size)
        atomic_fetch_add(&m->held, new_size - old_size);
    else
        atomic_fetch_sub(&m->held, old_size - new_size);
    return fresh;
}

/* From now on the allocations `from` to `to` fail, counted from now; 0, 0: none. */
static void fail_between(memory *m, long from, long to) {
    atomic_store(&m->calls, 0);
    atomic_store(&m->last, to);
    atomic_store(&m->fail_from, from);
}

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

/* How a function is called: `strided` is an input whose rows stand apart, `given` an output of the caller's own. */
typedef struct manner {
    const char *function;
    tirb_isa isa;
    uint32_t threads;
    bool strided, given;
} manner;

typedef struct machine {
    memory memory;
    tirb_engine *engine;
    tirb_module *module;
    tirb_instance *instance;
} machine;

static tirb_status host(void *context, const tirb_import_arg *args, uint32_t n, tirb_result *result, uint64_t remaining,
                        tirb_error *error) {
    (void)context, (void)n, (void)remaining, (void)error;
    const DLTensor *from = args[0].value.tensor, *to = args[1].value.tensor;
    for (int64_t i = 0; i < from->shape[0]; i++) ((float *)to->data)[i] = ((const float *)from->data)[i] + 1;
    result->value.i = 0;
    return TIRB_OK;
}

static void open_engine(machine *m, const manner *how, const bundle *b) {
    tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
    memset(m, 0, sizeof *m);
    options.allocator = (tirb_allocator){reallocate, &m->memory};
    options.isa = how->isa;
    options.max_threads = 4;
    assert_int_equal(tirb_engine_create(&options, &m->engine, NULL), TIRB_OK);
    assert_int_equal(tirb_module_load(m->engine, b->bytes, b->size, &m->module, NULL), TIRB_OK);
}

static void open_instance(machine *m, const manner *how) {
    const tirb_import import = {.name = "host", .function = host};
    tirb_limits limits = TIRB_LIMITS_INIT;
    limits.threads = how->threads;
    assert_int_equal(tirb_instance_create(m->module, &limits, &m->instance, NULL), TIRB_OK);
    assert_int_equal(tirb_instance_bind(m->instance, &import, 1, NULL), TIRB_OK);
}

static void close_engine(machine *m) {
    tirb_module_release(m->module);
    tirb_engine_release(m->engine);
    assert_int_equal(atomic_load(&m->memory.held), 0);
}

/* What a call gave. */
typedef struct values {
    float v[ROWS * COLUMNS];
    size_t n;
} values;

static tirb_status call(machine *m, const manner *how, int rows, values *out) {
    float x[ROWS * APART] = {0};
    const int pitch = how->strided ? APART : COLUMNS;
    for (int i = 0; i < rows * COLUMNS; i++)
        x[i / COLUMNS * pitch + i % COLUMNS] = (float)((i * 37 + 11) % 64 - 32) / 16.0f;
    tensor from, to;
    DLManagedTensor *made = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    make_tensor(&from, x, F32, 2, rows, COLUMNS);
    if (how->strided) set_strides(&from, pitch, 1);
    memset(out, 0, sizeof *out);
    make_tensor(&to, out->v, F32, 2, rows, COLUMNS);
    const tirb_arg args[] = {tensor_arg(&from.dl), how->given
                                                       ? tensor_arg(&to.dl)
                                                       : (tirb_arg){.kind = TIRB_ARG_RESULT, .value.result = &made}};
    const tirb_status status = tirb_instance_call(m->instance, find(m->module, how->function), args, 2, NULL, &error);
    if (status != TIRB_OK) assert_true(error.code == status && error.message[0] != 0 && !made);
    if (status != TIRB_OK && status != TIRB_NO_MEMORY) fail_msg("%s: %s", how->function, error.message);
    out->n = (size_t)rows * COLUMNS;
    if (!made) return status;
    out->n = 1;
    for (int i = 0; i < made->dl_tensor.ndim; i++) out->n *= (size_t)made->dl_tensor.shape[i];
    assert_true(out->n <= ROWS * COLUMNS);
    memcpy(out->v, made->dl_tensor.data, out->n * sizeof *out->v);
    made->deleter(made);
    return status;
}

static void expect_values(const values *found, const values *expected, const manner *how, long n) {
    if (found->n != expected->n || memcmp(found->v, expected->v, found->n * sizeof *found->v) != 0)
        fail_msg("%s, allocation %ld: other values", how->function, n);
}

/* ---- Each allocation in turn ------------------------------------------------------------------------------------- */

/* What an instance has done before: nothing on an engine that has done nothing, nothing, or calls of several sizes. */
typedef enum history { NEW_ENGINE, NEW_INSTANCE, OTHER_CALLS } history;

/* One call whose allocations from the n-th on fail, one or all, and the next one. Whether any did fail. */
static bool fail_at(machine *m, const manner *how, history before, long n, bool goes_on, const values *expected,
                    unsigned *refused) {
    const size_t idle = atomic_load(&m->memory.held);
    values found;
    open_instance(m, how);
    for (int rows = 7; before == OTHER_CALLS && rows < ROWS; rows += 23)
        assert_int_equal(call(m, how, rows, &found), TIRB_OK);
    fail_between(&m->memory, n, goes_on ? LONG_MAX : n);
    const tirb_status status = call(m, how, ROWS, &found);
    const bool any = atomic_load(&m->memory.calls) >= n;
    fail_between(&m->memory, 0, 0);
    if (status != TIRB_OK && status != TIRB_NO_MEMORY)
        fail_msg("%s, allocation %ld: %s", how->function, n, tirb_status_name(status));
    if (status == TIRB_OK) expect_values(&found, expected, how, n);
    assert_true(any || status == TIRB_OK);
    *refused += status == TIRB_NO_MEMORY;
    if (call(m, how, ROWS, &found) != TIRB_OK) fail_msg("%s: the call after allocation %ld", how->function, n);
    expect_values(&found, expected, how, n);
    tirb_instance_destroy(m->instance);
    const size_t held = atomic_load(&m->memory.held);
    if (before != NEW_ENGINE && held != idle)
        fail_msg("%s, allocation %ld: of %zu bytes, %zu are held", how->function, n, idle, held);
    return any;
}

static void fail_each(const manner *how, const bundle *b, history before, bool goes_on) {
    machine m;
    values expected, again;
    unsigned refused = 0;
    open_engine(&m, how, b);
    open_instance(&m, how);
    assert_int_equal(call(&m, how, ROWS, &expected), TIRB_OK);
    assert_int_equal(call(&m, how, ROWS, &again), TIRB_OK);
    expect_values(&again, &expected, how, 0);
    tirb_instance_destroy(m.instance);
    for (long n = 1, any = 1; any; n++) {
        if (before == NEW_ENGINE) {
            close_engine(&m);
            open_engine(&m, how, b);
        }
        any = fail_at(&m, how, before, n, goes_on, &expected, &refused);
    }
    close_engine(&m);
    assert_true(refused > 0);
}

static void calls_without_memory(void **state) {
    (void)state;
    static const tirb_isa isas[] = {TIRB_ISA_GENERIC, TIRB_ISA_AUTO};
    unsigned number = 0;
    bundle b = {0};
    tirb_compile_result *made = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    if (tirb_compile(program, sizeof program - 1, NULL, &made, &error) != TIRB_OK) fail_msg("%s", error.message);
    b.bytes = (uint8_t *)(uintptr_t)tirb_compile_result_bytes(made, &b.size);
    for (unsigned i = 0; i < FUNCTIONS * 2 * 2 * 2 * 3 * 2; i++) {
        const unsigned function = i % FUNCTIONS, form = i / FUNCTIONS;
        const bool given = function < GRAPHS_FROM || (function < FOUND && form % 2);
        const manner how = {.function = functions[function],
                            .isa = isas[form / 2 % 2],
                            .threads = form / 4 % 2 ? 3 : 1,
                            .strided = form / 8 % 3 == 2,
                            .given = given};
        if (number++ % sampled_every() == 0) fail_each(&how, &b, (history)(form / 8 % 3), form / 24);
    }
    tirb_compile_result_destroy(made);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(calls_without_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
