#include <string.h>
#include <tirb/tirb.h>

int main(void) {
    tirb_engine *engine = NULL;
    tirb_module *module = NULL;
    if (tirb_engine_create(NULL, &engine, NULL) != TIRB_OK) return 1;
    tirb_status status = tirb_module_load(engine, "nonsense", 8, &module, NULL);
    tirb_engine_release(engine);
    return status == TIRB_FORMAT && strcmp(tirb_version(), "0.1.0") == 0 ? 0 : 1;
}
