/* What the compiler makes of a program: the text compiled, and its instructions counted. */
#ifndef TIRB_TESTS_UNIT_CENSUS_H
#define TIRB_TESTS_UNIT_CENSUS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <tirb/compiler.h>

#include "loader/bundle/bundle.h"

#define HEADER "# from tvm.script import ir as I\n# from tvm.script import tirx as T\n\n"

static inline tirb_compile_result *compile_with(const char *text, const tirb_compile_options *options) {
    tirb_compile_result *result = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    tirb_status status = tirb_compile(text, strlen(text), options, &result, &error);
    if (status != TIRB_OK) print_error("%s:%u: %s\n%s\n", error.where, error.line, error.message, text);
    assert_int_equal(status, TIRB_OK);
    return result;
}

typedef struct census {
    unsigned lanes;     /* lane loops */
    unsigned lane_fma;  /* fused multiply-adds in them */
    unsigned inner_fma; /* of those, in an inner loop with no store in it */
    unsigned stores;    /* scalar stores */
    unsigned trees;     /* vred and vredma */
    unsigned checks;    /* index */
    unsigned inners;
    unsigned contractions;
    unsigned folds, loops;
    unsigned indexed; /* vindex, vloadx, vstorex */
    unsigned updates;
    unsigned seeks;
    unsigned advances;
    unsigned scans;
    unsigned finds;
    unsigned allocations;
    unsigned casts; /* of scalars */
    unsigned moves; /* of lanes */
} census;

/* Without regions, whose loops stand in the code twice. */
static inline census count(const char *text, const tirb_compile_options *given) {
    census c = {0};
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    if (given) options = *given;
    options.parallel = TIRB_PARALLEL_OFF;
    tirb_compile_result *result = compile_with(text, &options);
    size_t size;
    const uint8_t *bytes = tirb_compile_result_bytes(result, &size);
    tirbi_heap heap;
    tirbi_arena arena;
    tirbi_program *program;
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    tirbi_arena_init(&arena, &heap);
    assert_int_equal(tirbi_bundle_read(bytes, size, UINT64_MAX, &arena, &program, NULL), TIRB_OK);
    tirbi_instr *in = malloc(sizeof(*in));
    assert_non_null(in);
    for (unsigned f = 0; f < program->n_functions; f++) {
        const tirbi_function *function = &program->functions[f];
        unsigned inner = 0, fma = 0, stored = 0;
        for (uint32_t at = 0; at < function->code_size; at += in->size) {
            assert_int_equal(tirbi_decode(function->code, function->code_size, at, in, NULL), TIRB_OK);
            switch (in->op) {
            case TIRB_OP_LANE: c.lanes++; break;
            case TIRB_OP_INNER:
                inner++;
                c.inners++;
                fma = stored = 0;
                break;
            case TIRB_OP_INNER_END:
                inner--;
                if (!stored) c.inner_fma += fma;
                fma = 0;
                break;
            case TIRB_OP_VSTORE: stored = 1; break;
            case TIRB_OP_VFMA:
                c.lane_fma++;
                fma += inner > 0;
                break;
            case TIRB_OP_VRED:
            case TIRB_OP_VREDMA: c.trees++; break;
            case TIRB_OP_VINDEX:
            case TIRB_OP_VLOADX:
            case TIRB_OP_VSTOREX: c.indexed++; break;
            case TIRB_OP_VUPDATE:
            case TIRB_OP_VUPDATEMA: c.updates++; break;
            case TIRB_OP_SEEK: c.seeks++; break;
            case TIRB_OP_VADVANCE: c.advances++; break;
            case TIRB_OP_VSCAN:
            case TIRB_OP_VSCANMA: c.scans++; break;
            case TIRB_OP_VFIND: c.finds++; break;
            case TIRB_OP_STORE: c.stores++; break;
            case TIRB_OP_INDEX: c.checks++; break;
            case TIRB_OP_CONTRACT: c.contractions++; break;
            case TIRB_OP_FOLD: c.folds++; break;
            case TIRB_OP_LOOP: c.loops++; break;
            case TIRB_OP_ALLOC: c.allocations++; break;
            case TIRB_OP_CAST: c.casts++; break;
            case TIRB_OP_VMOV: c.moves++; break;
            default: break;
            }
        }
    }
    free(in);
    tirbi_arena_destroy(&arena);
    tirb_compile_result_destroy(result);
    return c;
}

#endif
