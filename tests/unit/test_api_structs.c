/* The structs of the API keep their layout: what a host was compiled with years ago still calls this library. */
#include "tests/unit/api_fixture.h"

#include <tirb/compiler.h>
#include <tirb/dlpack.h>

#if UINTPTR_MAX == UINT64_MAX

#define AT(type, field, offset) _Static_assert(offsetof(type, field) == (offset), #type "." #field " has moved")
#define SIZE(type, size) _Static_assert(sizeof(type) == (size), #type " has another size")

/* Frozen: they have no struct_size. */
SIZE(DLTensor, 48);
AT(tirb_arg, kind, 0);
AT(tirb_arg, flags, 4);
AT(tirb_arg, value, 8);
SIZE(tirb_arg, 16);
AT(tirb_result, dtype, 0);
AT(tirb_result, value, 8);
SIZE(tirb_result, 16);
AT(tirb_import_arg, kind, 0);
AT(tirb_import_arg, flags, 4);
AT(tirb_import_arg, dtype, 8);
AT(tirb_import_arg, value, 16);
SIZE(tirb_import_arg, 24);
AT(tirb_import, name, 0);
AT(tirb_import, types, 8);
AT(tirb_import, function, 16);
AT(tirb_import, context, 24);
AT(tirb_import, flags, 32);
SIZE(tirb_import, 40);
AT(tirb_allocator, reallocate, 0);
AT(tirb_allocator, context, 8);
SIZE(tirb_allocator, 16);
AT(tirb_parallel_for, run, 0);
AT(tirb_parallel_for, context, 8);
SIZE(tirb_parallel_for, 16);
AT(tirb_dl_managed_v1, version, 0);
AT(tirb_dl_managed_v1, manager_ctx, 8);
AT(tirb_dl_managed_v1, deleter, 16);
AT(tirb_dl_managed_v1, flags, 24);
AT(tirb_dl_managed_v1, dl_tensor, 32);
SIZE(tirb_dl_managed_v1, 80);

/* These begin with struct_size and may grow at their end; what is there stays where it is. */
AT(tirb_error, struct_size, 0);
AT(tirb_error, code, 4);
AT(tirb_error, line, 8);
AT(tirb_error, column, 12);
AT(tirb_error, end_column, 16);
AT(tirb_error, offset, 24);
AT(tirb_error, where, 32);
AT(tirb_error, message, 160);
AT(tirb_engine_options, struct_size, 0);
AT(tirb_engine_options, isa, 4);
AT(tirb_engine_options, allocator, 8);
AT(tirb_engine_options, max_bundle_size, 24);
AT(tirb_engine_options, cache_bytes, 32);
AT(tirb_engine_options, cache_modules, 40);
AT(tirb_engine_options, max_threads, 48);
AT(tirb_engine_options, parallel_for, 56);
AT(tirb_limits, struct_size, 0);
AT(tirb_limits, max_depth, 4);
AT(tirb_limits, fuel, 8);
AT(tirb_limits, max_memory, 16);
AT(tirb_limits, timeout_ns, 24);
AT(tirb_limits, threads, 32);
AT(tirb_load_limits, struct_size, 0);
AT(tirb_load_limits, max_functions, 4);
AT(tirb_load_limits, max_bytes, 8);
AT(tirb_load_limits, max_instructions, 16);
AT(tirb_load_limits, max_memory, 24);
AT(tirb_load_limits, max_work, 32);
AT(tirb_load_limits, translate_all, 40);
AT(tirb_load_stats, functions, 4);
AT(tirb_load_stats, bytes, 8);
AT(tirb_load_stats, instructions, 16);
AT(tirb_load_stats, memory, 24);
AT(tirb_load_stats, work, 32);
AT(tirb_param_info, kind, 4);
AT(tirb_param_info, name, 8);
AT(tirb_param_info, dtype, 16);
AT(tirb_param_info, ndim, 20);
AT(tirb_param_info, is_read, 24);
AT(tirb_param_info, is_written, 28);
AT(tirb_param_info, is_inferable, 32);
AT(tirb_param_info, dims, 40);
AT(tirb_function_info, n_params, 4);
AT(tirb_function_info, name, 8);
AT(tirb_function_info, is_public, 16);
AT(tirb_function_info, returns, 20);
AT(tirb_function_info, return_dtype, 24);
AT(tirb_function_info, signature, 32);
AT(tirb_function_info, is_packed, 40);
AT(tirb_function_info, n_conditions, 44);
AT(tirb_import_info, n_params, 4);
AT(tirb_import_info, name, 8);
AT(tirb_import_info, types, 16);
AT(tirb_stats, fuel_used, 8);
AT(tirb_stats, peak_memory, 16);
AT(tirb_cache_stats, modules, 8);
AT(tirb_cache_stats, bytes, 16);
AT(tirb_cache_stats, max_modules, 24);
AT(tirb_cache_stats, max_bytes, 32);
AT(tirb_cache_stats, hits, 40);
AT(tirb_cache_stats, misses, 48);
AT(tirb_cache_stats, evictions, 56);

AT(tirb_compile_options, struct_size, 0);
AT(tirb_compile_options, fp, 4);
AT(tirb_compile_options, file_name, 8);
AT(tirb_compile_options, allocator, 16);
AT(tirb_compile_options, max_errors, 32);
AT(tirb_compile_options, parallel, 36);
AT(tirb_compile_options, max_memory, 40);
AT(tirb_compile_options, explain, 48);
AT(tirb_compile_options, timeout_ns, 56);
AT(tirb_compile_options, max_work, 64);
AT(tirb_compile_options, canceller, 72);
AT(tirb_compile_options, language, 80);
AT(tirb_compile_options, show_ir, 88);
AT(tirb_compile_options, disable, 96);
AT(tirb_compile_stats, is_plain, 4);
AT(tirb_compile_stats, work, 8);
AT(tirb_compile_stats, peak_memory, 16);

#endif

/* Numbers that hosts and bundles hold. */
static void test_numbers(void **state) {
    (void)state;
    assert_int_equal(TIRB_ARG_TENSOR, 0);
    assert_int_equal(TIRB_ARG_INT, 1);
    assert_int_equal(TIRB_ARG_FLOAT, 2);
    assert_int_equal(TIRB_ARG_NONE, 3);
    assert_int_equal(TIRB_ARG_RESULT, 4);
    assert_int_equal(TIRB_ARG_READ_ONLY, 1);
    assert_int_equal(TIRB_ARG_MAY_ALIAS, 2);
    assert_int_equal(TIRB_IMPORT_THREAD_SAFE, 1);
    assert_int_equal(TIRB_OK, 0);
    assert_int_equal(TIRB_OVERLAP, 21);
    assert_int_equal(TIRB_VALUE, 26);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
