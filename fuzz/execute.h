/* Running every function of a bundle under limits, on every instruction set that this CPU has and with several threads,
 * and holding tirb to its promises: the same outcome and the same bytes everywhere and every time, nothing changed but
 * the elements of written tensors, nothing kept from one call to the next. Imports are bound. */
#ifndef TIRB_FUZZ_EXECUTE_H
#define TIRB_FUZZ_EXECUTE_H

#include <tirb/tirb.h>

#include "fuzz/arguments.h"

/* A module per instruction set. */
typedef struct fuzz_modules {
    tirb_module *modules[8];
    uint32_t n;
    const tirbi_program *program;
} fuzz_modules;

/* False: refused, alike by all; *out_error, which may be NULL, says why. */
bool fuzz_modules_load(fuzz_modules *m, const uint8_t *bytes, size_t size, tirb_error *out_error);
void fuzz_modules_release(fuzz_modules *m);
/* Calls the functions with arguments and limits chosen by `seed`. */
void fuzz_modules_run(const fuzz_modules *m, uint64_t seed);
/* Two compilations of one program: what succeeds in both gives the same bytes, and neither fails alone, but for what a
 * limit stops. */
void fuzz_modules_compare(const fuzz_modules *a, const fuzz_modules *b, uint64_t seed);

#endif
