/* tirb/compiler.h - compile tensor programs to .tirb bundles (libtirbc).
 *
 * A result is what one compilation made: a bundle, diagnostics, notes on loops. It is the caller's, does not change any
 * more, and may be read from several threads. Compilations share nothing and may run on any number of threads. */
#ifndef TIRB_COMPILER_H
#define TIRB_COMPILER_H

#include <tirb/tirb.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tirb_fp_mode {
    TIRB_FP_PRECISE = 0, /* a*b+c fuses; block reductions are trees where the rules say so */
    TIRB_FP_STRICT = 1,  /* nothing fuses but T.fma */
    TIRB_FP_FAST = 2     /* plain loops of a reduction's shape are trees as well */
} tirb_fp_mode;

typedef enum tirb_severity { TIRB_SEVERITY_NOTE = 0, TIRB_SEVERITY_WARNING = 1, TIRB_SEVERITY_ERROR = 2 } tirb_severity;

/* One message of the compiler. Strings live until the result is destroyed. Lines and columns are 1-based; columns
 * count Unicode characters. `source_line` is the text of `line` without its newline, or NULL. */
typedef struct tirb_diagnostic {
    tirb_severity severity;
    tirb_status code;
    uint32_t line, column;
    uint32_t end_line, end_column; /* one past the last character */
    const char *message;
    const char *source_line;
} tirb_diagnostic;

/* What ends compilations from any thread, for as long as it says so: it is passed in their options. */
typedef struct tirb_canceller tirb_canceller;

/* Makes a canceller, which has not cancelled anything; `allocator` may be NULL (the C library's). The caller owns
 * *out_canceller and destroys it. Errors: NO_MEMORY, MISUSE. */
TIRB_API tirb_status tirb_canceller_create(const tirb_allocator *allocator, tirb_canceller **out_canceller,
                                           tirb_error *error);
/* Destroys a canceller that no compilation uses any more; NULL is allowed. */
TIRB_API void tirb_canceller_destroy(tirb_canceller *canceller);
/* Ends the compilations that have the canceller in their options, also those that begin later, with CANCELLED. Does
 * not wait for them; NULL is allowed. Thread-safe, also in a signal handler. */
TIRB_API void tirb_canceller_cancel(tirb_canceller *canceller);
/* Compilations that begin from here on go on. NULL is allowed. Thread-safe. */
TIRB_API void tirb_canceller_reset(tirb_canceller *canceller);

/* What a text is written in. */
typedef enum tirb_language {
    TIRB_LANGUAGE_AUTO = 0,                /* what the end of file_name says: `.tc` is Tensor Comprehensions, and all
                                              else is TVMScript */
    TIRB_LANGUAGE_TVMSCRIPT = 1,           /* its dialects, Hybrid Script and Relax: the text says which */
    TIRB_LANGUAGE_TENSOR_COMPREHENSIONS = 2
} tirb_language;

/* Which loops, of those whose iterations are apart, run on several threads. */
typedef enum tirb_parallel {
    TIRB_PARALLEL_AUTO = 0, /* those that are worth it */
    TIRB_PARALLEL_OFF = 1,  /* none */
    TIRB_PARALLEL_ALL = 2   /* all, however little they do: each iteration may be a chunk */
} tirb_parallel;

typedef struct tirb_compile_options {
    uint32_t struct_size;
    tirb_fp_mode fp;
    const char *file_name; /* for messages and the source map; NULL: "<string>" */
    tirb_allocator allocator;
    uint32_t max_errors;   /* 0: 20 */
    tirb_parallel parallel;
    uint64_t max_memory;   /* bytes that the compilation may take, the text that it is given and its result included;
                              0: 256 MiB */
    uint32_t explain;      /* not 0: tirb_compile_result_loop tells what became of the loops */
    uint32_t reserved;
    uint64_t timeout_ns;   /* wall time; 0: none */
    uint64_t max_work;     /* steps, the same on every machine; 0: 4 million. Once so many are done, loops that are left
                              become what is found without a search, which is slower and computes the same; a program
                              that needs four times as many is refused */
    const tirb_canceller *canceller; /* NULL: none; else it outlives the compilation */
    tirb_language language;
    uint32_t show_plan;  /* not 0: tirb_compile_result_plan has the schedule of each function */
    const char *show_ir; /* not NULL: tirb_compile_result_ir has the loop IR of each function before and after the pass
                            of this name (tirb_pass_name); "": as lowered, and after each pass that changed it */
    const char *disable; /* names of passes (tirb_pass_name) that are left out, with commas between, or "all"; NULL:
                            none. Results never depend on it */
} tirb_compile_options;

#define TIRB_COMPILE_OPTIONS_INIT                                                                  \
    { (uint32_t)sizeof(tirb_compile_options), TIRB_FP_PRECISE, 0, {0, 0}, 0, TIRB_PARALLEL_AUTO,   \
      0, 0, 0, 0, 0, 0, TIRB_LANGUAGE_AUTO, 0, 0, 0 }

typedef struct tirb_compile_result tirb_compile_result;

/* Compiles text (UTF-8, `size` bytes) of options->language to a bundle. *out_result is set whenever memory allows, also
 * when the program is wrong (then its bundle is empty and it holds the diagnostics); the caller destroys it. `options`
 * may be NULL, and neither they nor the text are kept. Thread-safe. Errors: SYNTAX, TYPE, UNSUPPORTED (the first error
 * diagnostic's); MEMORY_LIMIT, DEADLINE, CANCELLED, FUEL (max_work): what ended it first; NO_MEMORY, MISUSE. */
TIRB_API tirb_status tirb_compile(const char *text, size_t size, const tirb_compile_options *options,
                                  tirb_compile_result **out_result, tirb_error *error);
/* Destroys a result and all that it gave out; NULL is allowed. */
TIRB_API void tirb_compile_result_destroy(tirb_compile_result *result);
/* The bundle's bytes, owned by the result; NULL and 0 when compilation failed. `out_size` may be NULL. */
TIRB_API const uint8_t *tirb_compile_result_bytes(const tirb_compile_result *result, size_t *out_size);
/* How many diagnostics there are, errors and warnings in the order in which they were found; 0 for NULL. */
TIRB_API uint32_t tirb_compile_result_diagnostic_count(const tirb_compile_result *result);
/* Diagnostic `index`, owned by the result; NULL when there is no such one. */
TIRB_API const tirb_diagnostic *tirb_compile_result_diagnostic(const tirb_compile_result *result, uint32_t index);
/* Writes diagnostic `index` as "file:line:col: error: message", the source line and a caret line, each ended by a
 * newline, into `buffer` (always terminated when size > 0). Returns the length it needs in bytes without the
 * terminator; 0 when there is no such diagnostic. */
TIRB_API size_t tirb_compile_result_format(const tirb_compile_result *result, uint32_t index, char *buffer,
                                           size_t size);

/* What a compilation took. */
typedef struct tirb_compile_stats {
    uint32_t struct_size;
    uint32_t is_plain;    /* 1: max_work was reached, and loops became what is found without a search */
    uint64_t work;        /* steps; the same on every machine */
    uint64_t peak_memory; /* bytes */
} tirb_compile_stats;

#define TIRB_COMPILE_STATS_INIT                                                                    \
    { (uint32_t)sizeof(tirb_compile_stats), 0, 0, 0 }

/* What a compilation took, also one that failed. Set out_stats->struct_size first (.._INIT). Errors: MISUSE. */
TIRB_API tirb_status tirb_compile_result_stats(const tirb_compile_result *result, tirb_compile_stats *out_stats);

typedef enum tirb_loop_form {
    TIRB_FORM_SCALAR = 0,      /* one iteration after the other; `text` says why */
    TIRB_FORM_LANES = 1,       /* many iterations at once; `text` lists the operations of the body */
    TIRB_FORM_INNER = 2,       /* runs inside a lane loop, alike in all lanes */
    TIRB_FORM_OUTER = 3,       /* runs around a lane loop that was moved inside it */
    TIRB_FORM_SPLIT = 4,       /* cut where its condition changes; the parts have notes of their own */
    TIRB_FORM_TREE = 5,        /* an axis of a tree reduction */
    TIRB_FORM_CONTRACTION = 6, /* a loop of a nest that is one contraction; `text` says which part it has */
    TIRB_FORM_REGION = 7,      /* cut into chunks for several threads; what the chunks are has notes of its own */
    TIRB_FORM_SERIAL = 8,      /* the program calls it parallel, but it stays on one thread; `text` says why */
    TIRB_FORM_FUSED = 9,       /* the outermost of a nest that runs together with one before it */
    TIRB_FORM_OPERAND = 10,    /* what is computed from it and used many times is computed once, before the nest */
    TIRB_FORM_SEARCHED = 11,   /* lanes look for the next iteration that changes something, which then runs */
    TIRB_FORM_OPERATOR = 12    /* no loop, but a binding of a Relax function; `text` says what computes it, and where */
} tirb_loop_form;

/* What became of one loop. Strings live until the result is destroyed. */
typedef struct tirb_loop_note {
    const char *function;
    const char *variable; /* empty: a while loop */
    tirb_loop_form form;
    uint32_t line, column; /* of the variable, 1-based; 0 where there is no source text */
    const char *text;
} tirb_loop_note;

/* The loop IR that options.show_ir asked for, as text for people (compiler/loop/text.h in the sources), owned by the
 * result; NULL and 0 where nothing did. It is no stable format. `out_size` may be NULL. */
TIRB_API const char *tirb_compile_result_ir(const tirb_compile_result *result, size_t *out_size);
/* The schedules that options.show_plan asked for, as text for people (compiler/optimize/schedule/text.h in the
 * sources), owned by the result; NULL and 0 where nothing did. It is no stable format. `out_size` may be NULL. */
TIRB_API const char *tirb_compile_result_plan(const tirb_compile_result *result, size_t *out_size);
/* The name of the compiler's pass `index`, and what it does in a line (`out_summary` may be NULL); NULL when there are
 * no more. First those over loop IR, in their order; then what loops may become when code is made of them, which
 * options.disable knows and options.show_ir does not. They change from version to version. */
TIRB_API const char *tirb_pass_name(uint32_t index, const char **out_summary);

/* How many notes there are on the loops of a program compiled with options.explain, in the order of its code; 0
 * without that option. A loop whose parts became different things has a note for each. */
TIRB_API uint32_t tirb_compile_result_loop_count(const tirb_compile_result *result);
/* Note `index`, owned by the result; NULL when there is no such one. */
TIRB_API const tirb_loop_note *tirb_compile_result_loop(const tirb_compile_result *result, uint32_t index);

/* How a source is spelt: as itself, as new TVMScript (`tirx`), as classic TVMScript (`tir`), or as Hybrid Script of
 * 2020. */
typedef enum tirb_dialect {
    TIRB_DIALECT_SAME = 0,
    TIRB_DIALECT_TIRX = 1,
    TIRB_DIALECT_TIR = 2,
    TIRB_DIALECT_HYBRID = 3
} tirb_dialect;

/* Reads text of options->language and prints it in its canonical form. The text is what tirb_compile_result_bytes gives
 * (not terminated). Comments of TVMScript are lost, those of Tensor Comprehensions kept; in another dialect than
 * TIRB_DIALECT_SAME the latter are what they are lowered to. Otherwise as tirb_compile, except that nothing beyond the
 * text is checked; UNSUPPORTED also where the program has no spelling in `dialect`. */
TIRB_API tirb_status tirb_format(const char *text, size_t size, tirb_dialect dialect,
                                 const tirb_compile_options *options, tirb_compile_result **out_result,
                                 tirb_error *error);

#ifdef __cplusplus
}
#endif
#endif
