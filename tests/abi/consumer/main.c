#include <stdio.h>
#include <tirb/compiler.h>

static const char text[] = "@T.prim_func\n"
                           "def twice(x: T.int32) -> T.int32:\n"
                           "    return x * 2\n";

int main(void) {
    tirb_error error = TIRB_ERROR_INIT;
    tirb_compile_result *result = NULL;
    tirb_engine *engine = NULL;
    tirb_module *module = NULL;
    tirb_instance *instance = NULL;
    tirb_result returned = {0};
    size_t size = 0;
    tirb_arg x = {.kind = TIRB_ARG_INT, .value = {.i = 21}};
    tirb_status status = tirb_compile(text, sizeof(text) - 1, NULL, &result, &error);
    const uint8_t *bytes = status == TIRB_OK ? tirb_compile_result_bytes(result, &size) : NULL;
    if (status == TIRB_OK) status = tirb_engine_create(NULL, &engine, &error);
    if (status == TIRB_OK) status = tirb_module_load(engine, bytes, size, &module, &error);
    if (status == TIRB_OK) status = tirb_instance_create(module, NULL, &instance, &error);
    if (status == TIRB_OK) status = tirb_instance_call(instance, 0, &x, 1, &returned, &error);
    if (status != TIRB_OK) fprintf(stderr, "%s: %s\n", tirb_status_text(status), error.message);
    tirb_instance_destroy(instance);
    tirb_module_release(module);
    tirb_engine_release(engine);
    tirb_compile_result_destroy(result);
    return status == TIRB_OK && returned.value.i == 42 ? 0 : 1;
}
