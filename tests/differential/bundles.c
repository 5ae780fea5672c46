#include "tests/differential/bundles.h"

#include <stdlib.h>
#include <string.h>

struct tirbi_diff_machine {
    tirbi_diff_machine *next;
    tirb_isa isa;
    uint32_t threads;
    tirb_engine *engine;
    tirb_module *module;
};

static void compile(const tirbi_diff_bundles *bundles, tirbi_diff_bundle *bundle) {
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    options.fp = bundles->fp;
    options.disable = bundle->variant.disable;
    options.parallel = bundle->variant.parallel;
    options.max_work = bundle->max_work;
    options.show_ir = "materialise"; /* who looks on has loop IR verified behind each pass */
    bundle->status = tirb_compile(bundles->text, bundles->size, &options, &bundle->result, &bundle->error);
    tirb_compile_stats stats = TIRB_COMPILE_STATS_INIT;
    if (bundle->status == TIRB_OK && tirb_compile_result_stats(bundle->result, &stats) == TIRB_OK)
        bundle->work = stats.work;
}

tirbi_diff_bundle *tirbi_diff_compile(tirbi_diff_bundles *bundles, const tirbi_diff_variant *variant,
                                      uint64_t max_work) {
    for (tirbi_diff_bundle *b = bundles->first; b != NULL; b = b->next) {
        if (b->max_work == max_work && strcmp(b->variant.what, variant->what) == 0) return b;
    }
    tirbi_diff_bundle *bundle = calloc(1, sizeof *bundle);
    if (bundle == NULL) return NULL;
    *bundle = (tirbi_diff_bundle){
        .next = bundles->first, .variant = *variant, .max_work = max_work, .error = TIRB_ERROR_INIT};
    bundle->variant.what = strncpy(bundle->what, variant->what, sizeof bundle->what - 1);
    if (variant->disable != NULL)
        bundle->variant.disable = strncpy(bundle->disable, variant->disable, sizeof bundle->disable - 1);
    compile(bundles, bundle);
    return bundles->first = bundle;
}

static tirb_status load(const tirbi_diff_bundle *bundle, tirbi_diff_machine *machine, tirb_error *error) {
    tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
    options.isa = machine->isa;
    options.max_threads = machine->threads;
    const tirb_status status = tirb_engine_create(&options, &machine->engine, error);
    if (status != TIRB_OK) return status;
    size_t size;
    const uint8_t *bytes = tirb_compile_result_bytes(bundle->result, &size);
    return tirb_module_load(machine->engine, bytes, size, &machine->module, error);
}

static void free_machine(tirbi_diff_machine *machine) {
    tirb_module_release(machine->module);
    tirb_engine_release(machine->engine);
    free(machine);
}

tirb_status tirbi_diff_load(tirbi_diff_bundle *bundle, tirb_isa isa, uint32_t threads, tirb_module **out,
                            tirb_error *error) {
    tirbi_diff_machine *machine = bundle->machines;
    while (machine != NULL && (machine->isa != isa || machine->threads != threads)) machine = machine->next;
    if (machine == NULL) {
        machine = calloc(1, sizeof *machine);
        if (machine == NULL) return TIRB_NO_MEMORY;
        *machine = (tirbi_diff_machine){.next = bundle->machines, .isa = isa, .threads = threads};
        const tirb_status status = load(bundle, machine, error);
        if (status != TIRB_OK) {
            free_machine(machine);
            return status;
        }
        bundle->machines = machine;
    }
    *out = machine->module;
    return TIRB_OK;
}

void tirbi_diff_free_bundles(tirbi_diff_bundles *bundles) {
    while (bundles->first != NULL) {
        tirbi_diff_bundle *bundle = bundles->first;
        bundles->first = bundle->next;
        while (bundle->machines != NULL) {
            tirbi_diff_machine *machine = bundle->machines;
            bundle->machines = machine->next;
            free_machine(machine);
        }
        tirb_compile_result_destroy(bundle->result);
        free(bundle);
    }
}
