/* Embeds tirb: compiles a program from a string, loads the bundle as a stranger's, and calls it with limits.
 * A server that only runs bundles needs no more than tirb/tirb.h and libtirb. */
#include <stdio.h>
#include <string.h>

#include <tirb/compiler.h>
#include <tirb/tirb.h>

static const char program[] =
    "@T.prim_func(s_tir=True)\n"
    "def saxpy(a: T.float32, x: T.Buffer((\"n\",), \"float32\"), y: T.Buffer((\"n\",), \"float32\")):\n"
    "    n = T.int32()\n"
    "    for i in range(n):\n"
    "        y[i] = a * x[i] + y[i]\n";

static DLTensor vector(float *data, int64_t *extent) {
    DLTensor tensor = {.data = data, .device = {kDLCPU, 0}, .ndim = 1, .dtype = {kDLFloat, 32, 1}, .shape = extent};
    return tensor;
}

static int fail(const char *step, tirb_status status, const tirb_error *error) {
    fprintf(stderr, "%s: %s: %s\n", step, tirb_status_text(status), error->message);
    return 1;
}

static int call(tirb_module *module) {
    tirb_error error = TIRB_ERROR_INIT;
    tirb_limits limits = TIRB_LIMITS_INIT;
    limits.fuel = 1000000;
    limits.timeout_ns = 1000000000;
    tirb_instance *instance = NULL;
    tirb_status status = tirb_instance_create(module, &limits, &instance, &error);
    if (status != TIRB_OK) return fail("instance", status, &error);

    float x[] = {1, 2, 3, 4, 5}, y[] = {10, 10, 10, 10, 10};
    int64_t extent = 5;
    DLTensor x_tensor = vector(x, &extent), y_tensor = vector(y, &extent);
    tirb_arg args[] = {{.kind = TIRB_ARG_FLOAT, .value.f = 0.5},
                       {.kind = TIRB_ARG_TENSOR, .value.tensor = &x_tensor, .flags = TIRB_ARG_READ_ONLY},
                       {.kind = TIRB_ARG_TENSOR, .value.tensor = &y_tensor}};
    uint32_t function = 0;
    status = tirb_module_find(module, "saxpy", &function, &error);
    if (status == TIRB_OK) status = tirb_instance_call(instance, function, args, 3, NULL, &error);
    tirb_instance_destroy(instance);
    if (status != TIRB_OK) return fail("call", status, &error);
    for (int i = 0; i < 5; i++) printf("%g%c", (double)y[i], i < 4 ? ' ' : '\n');
    return 0;
}

int main(void) {
    tirb_error error = TIRB_ERROR_INIT;
    tirb_compile_result *compiled = NULL;
    tirb_status status = tirb_compile(program, strlen(program), NULL, &compiled, &error);
    size_t size = 0;
    const uint8_t *bytes = compiled ? tirb_compile_result_bytes(compiled, &size) : NULL;
    tirb_engine *engine = NULL;
    tirb_module *module = NULL;
    if (status == TIRB_OK) status = tirb_engine_create(NULL, &engine, &error);
    if (status == TIRB_OK) status = tirb_module_load(engine, bytes, size, &module, &error);
    int code = status == TIRB_OK ? call(module) : fail("load", status, &error);
    tirb_module_release(module);
    tirb_engine_release(engine);
    tirb_compile_result_destroy(compiled);
    return code;
}
