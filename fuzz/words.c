#include "fuzz/words.h"

#include "compiler/text/script/names.h"
#include "loader/isa/isa.h"

static const char *const fixed_words[] = {
#define TIRBI_KEYWORD(NAME, text) text,
#include "compiler/text/syntax/keyword.def"
#undef TIRBI_KEYWORD
#define TIRBI_PUNCT(NAME, text) text,
#include "compiler/text/syntax/token.def"
#undef TIRBI_PUNCT
#define TIRB_BUILTIN(NAME, text, arity, effect, instruction) text,
#include "compiler/ir/builtin.def"
#undef TIRB_BUILTIN
#define TIRB_DTYPE(number, NAME, text, tvm, ctype, dlcode, bits, class) "\"" tvm "\"", "T." tvm,
#include "loader/isa/dtype.def"
#undef TIRB_DTYPE
    "@T.prim_func", "@I.ir_module", "T.",       "I.",      "tirb.may_alias", "tirb.requires", "global_symbol",
    "tir.noalias",  "float32x4",    "T.handle", "T.block", "T.axis",         "T.reads",       "T.writes",
    "T.init()",     "-1",           "0",        "1",       "2147483648",     "1e30"};
enum { N_FIXED = sizeof(fixed_words) / sizeof(fixed_words[0]) };

static const tirbi_entry *const tables[] = {
    tirbi_expr_names, tirbi_math_names,   tirbi_buffer_names, tirbi_stmt_names,   tirbi_axis_names,
    tirbi_ir_names,   tirbi_python_names, tirbi_method_names, tirbi_packed_names, tirbi_hybrid_names};
enum { N_TABLES = sizeof(tables) / sizeof(tables[0]) };

const char *fuzz_word(uint32_t index) {
    if (index < N_FIXED) return fixed_words[index];
    index -= N_FIXED;
    for (unsigned i = 0; i < N_TABLES; i++) {
        for (const tirbi_entry *entry = tables[i]; entry->name; entry++) {
            if (index-- == 0) return entry->name;
        }
    }
    return NULL;
}

uint32_t fuzz_word_count(void) {
    static uint32_t count;
    while (fuzz_word(count)) count++;
    return count;
}

static const char *const comprehension_words[] = {
#define TIRBI_TC_KEYWORD(NAME, text)     text,
#define TIRBI_TC_PUNCT(NAME, text)       text,
#define TIRBI_TC_TYPE(text, code, bits)  text,
#define TIRBI_TC_ALIAS(text, code, bits) text,
#include "compiler/tc/token.def"
#define TIRBI_TC_BUILTIN(name, arity, builtin) name,
#include "compiler/tc/builtins.def"
#undef TIRBI_TC_BUILTIN
    "pad", ".0", ".1", "i", "N", "#", "-1", "0", "0.5", "2147483648", "1e30"};
enum { N_COMPREHENSION_WORDS = sizeof(comprehension_words) / sizeof(comprehension_words[0]) };

const char *fuzz_comprehension_word(uint32_t index) {
    return index < N_COMPREHENSION_WORDS ? comprehension_words[index] : NULL;
}

uint32_t fuzz_comprehension_word_count(void) { return N_COMPREHENSION_WORDS; }

void fuzz_words_print(const char *(*word_at)(uint32_t index), FILE *out) {
    const char *word;
    for (uint32_t i = 0; (word = word_at(i)); i++) {
        if (!*word) continue; /* a builtin without a name in text; libFuzzer takes no empty word */
        fputc('"', out);
        for (const char *c = word; *c; c++) fprintf(out, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
        fputs("\"\n", out);
    }
}
