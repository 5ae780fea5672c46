#include "compiler/driver/run.h"

#include "loader/base/cpu.h"

#include <math.h>
#include <stdlib.h>

static const option_row run_options[] = {
    {OPTION_FUNCTION, 'f', "function", "NAME",
     "the function; may be left out when there is one public function or a main"},
    {OPTION_PARAMS, 0, "params", "FILE",
     "a .safetensors or .npz file: its arrays are the parameters of their names"},
    {OPTION_OUTPUT, 'o', "output", "[PARAM=]@FILE",
     "save a written parameter as .npy (repeatable; without a name: the next)"},
    {OPTION_EXPECT, 0, "expect", "PARAM=@FILE",
     "compare a written parameter and fail at the first difference (repeatable)"},
    {OPTION_RTOL, 0, "rtol", "X", "relative tolerance of --expect (default 0: exact)"},
    {OPTION_ATOL, 0, "atol", "X", "absolute tolerance of --expect (default 0)"},
    {OPTION_THREADS, 0, "threads", "N", "threads of the call (default: the CPUs that this process may use)"},
    CALL_OPTIONS,
    {OPTION_FULL, 0, "full", NULL, "print all values, not the first of each output"},
    {OPTION_STATS, 0, "stats", NULL, "print fuel, peak memory and time as well"},
    {OPTION_JSON, 0, "json", NULL, "print one JSON object instead of text"},
    {OPTION_HELP, 'h', "help", NULL, "show this help"},
    {OPTION_END, 0, NULL, NULL, NULL},
};

static const char run_details[] =
    "FILE is a bundle or a source; '-' is stdin. ARGS are values in parameter order, or PARAM=VALUE:\n"
    "  @x.npy           an array; @x.npy:bf16 takes raw data as that type\n"
    "  4xf32=1,2,3,4    a tensor; with one value (2x3xi32=0) it fills\n"
    "  10000xf32        a random tensor, the same in every run\n"
    "  n=1000           the extent n of all shapes that name it: tensors that are not given are random then\n"
    "  -1.5  7  true    a scalar, or a tensor without dimensions\n"
    "  _                nothing: the parameter is skipped\n"
    "Of a Relax function, p.0=@x.npy is a field of the tuple p, and s=3x5 a shape. Its results are allocated by the\n"
    "call and known by their names or their positions in the flattened result: -o 0=@y.npy. With --params, arrays of\n"
    "a file are parameters: w is the array \"w\", layer_0_weight also \"layer.0.weight\"; each array must be some\n"
    "parameter's.\n"
    "Types: bool i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64, and as bytes f8e4m3fn f8e5m2 f8e4m3 f8e3m4\n"
    "f8e4m3fnuz f8e4m3b11fnuz f8e5m2fnuz f8e8m0fnu f6e2m3fn f6e3m2fn f4e2m1fn.\n"
    "A tensor that is only written and not given is allocated and zeroed; a scalar that shapes determine may be left\n"
    "out. Of an output the first values are printed, matrices as rows; --full prints all.\n"
    "A packed function (calling_conv 1) takes any number of values and no names: arrays are its arguments in "
    "order,\n"
    "known by their positions (-o 2=@c.npy), and all of them are outputs. After the call every written parameter is "
    "printed, or saved with -o; so is what the function returned.\n"
    "\n"
    "Examples:\n"
    "  tirb run add.py 4xf32=1,2,3,4 4xf32=10\n"
    "  tirb run model.tirb -f main x=@x.npy --params model.safetensors -o 0=@y.npy\n"
    "  tirb run digits.tirb -f predict @images.npy @w0.npy @b0.npy @w1.npy @b1.npy -o scores=@scores.npy\n"
    "  tirb run k.tirb A=@a.npy n=-3 --fuel 10M --timeout 2.5 --expect C=@want.npy --rtol 1e-5\n"
    "\n"
    "Environment: TIRB_ISA is the default of --isa.\n";

static exit_code read_tolerance(const invocation *inv, option_key key, const char *name, double *out) {
    const char *text = option_text(inv, key);
    *out = 0;
    if (!text) return EXIT_DONE;
    char *end;
    *out = strtod(text, &end);
    if (end != text && !*end && *out >= 0 && isfinite(*out)) return EXIT_DONE;
    return fail_usage(inv->command, "--%s is a number from 0 on, not '%s'", name, text);
}

static exit_code call(run *r) {
    tirb_error error = TIRB_ERROR_INIT;
    uint64_t start = now_ns();
    tirb_status status =
        tirb_instance_call(r->instance, r->function, r->arguments, r->info.n_params, &r->result, &error);
    r->elapsed_ns = now_ns() - start;
    if (status == TIRB_OK) results_take(r);
    if (status == TIRB_OK) return EXIT_DONE;
    exit_code code = fail_call(r, status, &error);
    outputs_show_failure(r, status, &error);
    return code;
}

static exit_code run_function(const invocation *inv) {
    run r = {.inv = inv};
    exit_code code = read_tolerance(inv, OPTION_RTOL, "rtol", &r.rtol);
    if (code == EXIT_DONE) code = read_tolerance(inv, OPTION_ATOL, "atol", &r.atol);
    if (code == EXIT_DONE) code = run_prepare(&r, tirbi_cpus_by_quota("", tirbi_usable_cpus()));
    if (code == EXIT_DONE) code = arguments_read(&r);
    if (code == EXIT_DONE) code = outputs_check(&r);
    if (code == EXIT_DONE) code = arguments_complete(&r);
    if (code == EXIT_DONE) code = call(&r);
    if (code == EXIT_DONE) code = outputs_compare(&r);
    if (code == EXIT_DONE) code = outputs_show(&r);
    run_clear(&r);
    return code;
}

const command run_command = {
    .name = "run",
    .operands = "FILE [ARGS...]",
    .summary = "Call a function of a bundle or of a source",
    .options = run_options,
    .details = run_details,
    .run = run_function,
    .least_operands = 1,
    .most_operands = 100000,
};
