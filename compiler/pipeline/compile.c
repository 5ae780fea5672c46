/* The public entry points of the compiler. */
#include <tirb/builder.h>
#include <tirb/compiler.h>

#include "compiler/ir/public.h"
#include "compiler/pipeline/limits.h"
#include "compiler/pipeline/names.h"
#include "compiler/pipeline/stages.h"
#include "compiler/text/print/print.h"
#include "loader/base/error.h"
#include "loader/base/sized.h"

static tirb_status read_options(const tirb_compile_options *given, tirb_compile_options *out, tirb_error *error) {
    uint32_t disabled;
    *out = (tirb_compile_options)TIRB_COMPILE_OPTIONS_INIT;
    if (given && !tirbi_options_read(out, sizeof(*out), given)) {
        return tirbi_error_set(error, TIRB_MISUSE, "options.struct_size is %u; begin with TIRB_COMPILE_OPTIONS_INIT",
                               (unsigned)given->struct_size);
    }
    tirbi_limits_complete(out);
    if ((unsigned)out->fp > TIRB_FP_FAST)
        return tirbi_error_set(error, TIRB_MISUSE, "no floating-point mode has the number %d", (int)out->fp);
    if ((unsigned)out->parallel > TIRB_PARALLEL_ALL)
        return tirbi_error_set(error, TIRB_MISUSE, "no choice of parallel loops has the number %d", (int)out->parallel);
    if (out->show_ir && *out->show_ir) TIRBI_TRY(tirbi_check_view(out->show_ir, error));
    TIRBI_TRY(tirbi_read_passes(out->disable, &disabled, error));
    if (!tirbi_language_chosen(out->language, NULL))
        return tirbi_error_set(error, TIRB_MISUSE, "no language has the number %d", (int)out->language);
    return TIRB_OK;
}

/* A new result with `text` as its source. */
static tirb_status take_source(const char *text, size_t size, const tirb_compile_options *options,
                               tirb_compile_result **out_result, tirb_error *error) {
    if (size <= UINT32_MAX / 2) return tirbi_new_result(text, size, options, out_result, error);
    return tirbi_error_set(error, TIRB_MEMORY_LIMIT, "the source text has %zu bytes, the limit is %u", size,
                           (unsigned)(UINT32_MAX / 2));
}

tirb_status tirb_compile(const char *text, size_t size, const tirb_compile_options *options,
                         tirb_compile_result **out_result, tirb_error *error) {
    tirb_compile_options chosen;
    const tirb_irmodule *ast = NULL;
    if (!out_result || (!text && size))
        return tirbi_error_set(error, TIRB_MISUSE, "tirb_compile: %s is NULL", out_result ? "text" : "out_result");
    *out_result = NULL;
    TIRBI_TRY(read_options(options, &chosen, error));
    TIRBI_TRY(take_source(text, size, &chosen, out_result, error));
    TIRBI_TRY(tirbi_read_source(*out_result, &ast, error));
    tirb_status status = tirbi_run_stages(*out_result, ast, &chosen, error);
    if (status != TIRB_OK) tirbi_writer_destroy(&(*out_result)->bundle);
    return status;
}

/* The source's text in a dialect, or in its own language's canonical form. */
static tirb_status print_source(tirb_compile_result *r, tirb_dialect dialect, tirb_error *error) {
    const tirb_irmodule *ast = NULL;
    const char *printed;
    size_t length;
    const bool itself = dialect == TIRB_DIALECT_SAME && r->language->print;
    if (!itself) TIRBI_TRY(tirbi_read_source(r, &ast, error));
    if (itself ? !r->language->print(&r->source, &r->arena, &r->diagnostics, &printed, &length)
               : !tirbi_print(ast, dialect, &r->arena, &r->diagnostics, &printed, &length))
        return r->arena.failed ? tirbi_stopped(r, error) : tirbi_diagnosed(r, error);
    tirbi_write_bytes(&r->bundle, printed, length);
    return r->bundle.failed ? tirbi_stopped(r, error) : tirbi_finished(r, error);
}

tirb_status tirb_format(const char *text, size_t size, tirb_dialect dialect, const tirb_compile_options *options,
                        tirb_compile_result **out_result, tirb_error *error) {
    tirb_compile_options chosen;
    if (!out_result || (!text && size))
        return tirbi_error_set(error, TIRB_MISUSE, "tirb_format: %s is NULL", out_result ? "text" : "out_result");
    *out_result = NULL;
    if ((unsigned)dialect > TIRB_DIALECT_HYBRID)
        return tirbi_error_set(error, TIRB_MISUSE, "unknown dialect %d", (int)dialect);
    TIRBI_TRY(read_options(options, &chosen, error));
    TIRBI_TRY(take_source(text, size, &chosen, out_result, error));
    tirb_status status = print_source(*out_result, dialect, error);
    if (status != TIRB_OK) tirbi_writer_destroy(&(*out_result)->bundle);
    return status;
}

tirb_status tirb_builder_compile(tirb_builder *builder, const tirb_compile_options *options,
                                 tirb_compile_result **out_result, tirb_error *error) {
    tirb_compile_options chosen;
    if (!builder || !out_result)
        return tirbi_error_set(error, TIRB_MISUSE, "tirb_builder_compile: %s is NULL",
                               builder ? "out_result" : "builder");
    *out_result = NULL;
    TIRBI_TRY(read_options(options, &chosen, error));
    TIRBI_TRY(tirb_builder_status(builder, error));
    const tirb_irmodule *ast = tirbi_builder_module(builder);
    if (!ast) return tirbi_error_set(error, TIRB_MISUSE, "the module being built has an open frame or no function");
    TIRBI_TRY(tirbi_new_result("", 0, &chosen, out_result, error));
    tirb_status status = tirbi_run_stages(*out_result, ast, &chosen, error);
    if (status != TIRB_OK) tirbi_writer_destroy(&(*out_result)->bundle);
    return status;
}
