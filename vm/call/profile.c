/* Profiles: what the probes of a call count, and samples of where it is. */
#include <string.h>

#include "loader/base/error.h"
#include "vm/call/objects.h"

void tirbi_profile_create(tirb_instance *instance) {
    const tirbi_program *program = instance->module->program;
    atomic_init(&instance->profile.current, TIRBI_NO_LINE);
    if (!instance->module->engine->profiles) return;
    uint32_t n = 0; /* a bundle of at most 2^32 bytes has fewer entries */
    for (uint32_t i = 0; i < program->n_functions; i++) n += program->functions[i].n_lines;
    instance->n_lines = n;
    /* One more than there are, so that a module without line tables has a profile as well. */
    instance->profile.runs = TIRBI_NEW_ARRAY(&instance->arena, uint64_t, (size_t)n + 1);
    instance->samples = TIRBI_NEW_ARRAY(&instance->arena, atomic_uint_least64_t, (size_t)n + 1);
}

void tirb_instance_sample(tirb_instance *instance) {
    if (!instance || !instance->profile.runs) return;
    uint32_t at = atomic_load_explicit(&instance->profile.current, memory_order_relaxed);
    if (at < instance->n_lines) atomic_fetch_add_explicit(&instance->samples[at], 1, memory_order_relaxed);
}

static tirb_status busy(tirb_error *error) {
    return tirbi_error_set(error, TIRB_BUSY, "the instance is in a call; its profile can be read afterwards");
}

tirb_status tirb_instance_profile(const tirb_instance *instance, uint32_t index, tirb_profile_entry *out_entry,
                                  tirb_error *error) {
    if (!instance || !out_entry)
        return tirbi_error_set(error, TIRB_MISUSE, "tirb_instance_profile: %s is NULL",
                               instance ? "out_entry" : "instance");
    if (atomic_load_explicit(&instance->busy, memory_order_acquire)) return busy(error);
    if (!instance->profile.runs) return tirbi_error_set(error, TIRB_NOT_FOUND, "the engine was not made to profile");
    if (index >= instance->n_lines)
        return tirbi_error_set(error, TIRB_NOT_FOUND, "there is no entry %u, only %u of them", index,
                               instance->n_lines);
    const tirbi_program *program = instance->module->program;
    const tirbi_function *f = program->functions;
    uint32_t at = index;
    for (; at >= f->n_lines; f++) at -= f->n_lines;
    tirb_profile_entry entry = {.line = f->lines[at].line,
                                .column = f->lines[at].column,
                                .function = tirbi_program_text(program, f->name),
                                .runs = instance->profile.runs[index],
                                .samples = atomic_load_explicit(&instance->samples[index], memory_order_relaxed)};
    if (tirbi_info_write(out_entry, &entry, sizeof(entry))) return TIRB_OK;
    return tirbi_error_set(error, TIRB_MISUSE, "tirb_instance_profile: begin with TIRB_PROFILE_ENTRY_INIT");
}

tirb_status tirb_instance_profile_reset(tirb_instance *instance, tirb_error *error) {
    if (!instance) return tirbi_error_set(error, TIRB_MISUSE, "tirb_instance_profile_reset: instance is NULL");
    if (atomic_load_explicit(&instance->busy, memory_order_acquire)) return busy(error);
    for (uint32_t i = 0; i < instance->n_lines; i++) {
        instance->profile.runs[i] = 0;
        atomic_store_explicit(&instance->samples[i], 0, memory_order_relaxed);
    }
    return TIRB_OK;
}
