/* loader/isa/ISA.md and fuzz/tirb.dict are made from the opcode table and up to date.
 *
 * `test_isa_text --write` makes them anew; without it the test compares. */
#include "tests/unit/loader_fixture.h"

#include "loader/bundle/parts.h"
#include "loader/isa/isa.h"
#include "loader/isa/semirings.h"

#define PROJECT    TIRB_TEST_ROOT "/../"
#define TABLE      PROJECT "loader/isa/opcodes.def"
#define MANUAL     PROJECT "loader/isa/ISA.md"
#define DICTIONARY PROJECT "fuzz/tirb.dict"

static tirbi_heap heap;

static void put(tirbi_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(tirbi_writer *w, const char *format, ...) {
    char text[2000];
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    assert_in_range(n, 0, sizeof(text) - 1);
    tirbi_write_bytes(w, text, (size_t)n);
}

/* ---- The manual ------------------------------------------------------------------------------------------------ */

/* The name that opcodes.def has for a set of types. */
static const char *types_name(uint32_t types) {
    static char text[64];
    uint32_t of[256] = {0};
    for (unsigned i = 0; i < TIRB_N_DTYPES; i++) of[(uint8_t)tirbi_dtypes[i].class] |= UINT32_C(1) << i;
    uint32_t real = UINT32_C(1) << TIRB_F32 | UINT32_C(1) << TIRB_F64;
    const struct {
        uint32_t types;
        const char *name;
    } sets[] = {
        {0, ""},
        {of['B'] | of['I'] | of['U'] | of['F'], "ANY"},
        {of['I'] | of['U'] | of['F'], "NUM"},
        {of['I'] | of['U'] | of['B'], "BITS"},
        {of['I'] | of['U'], "INT"},
        {of['I'], "SIGNED"},
        {of['F'], "FLOAT"},
        {real, "REAL"},
        {real | of['I'] | of['U'], "FOLD"},
        {of['B'], "BOOL"},
    };
    for (unsigned i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
        if (sets[i].types == types) return sets[i].name;
    }
    snprintf(text, sizeof(text), "0x%x", types);
    return text;
}

static void put_flags(tirbi_writer *w, const tirbi_op_info *info) {
    static const struct {
        uint8_t flag;
        const char *name;
    } names[] = {{TIRBI_FLAG_JUMP, "JUMP"}, {TIRBI_FLAG_BACK, "BACK"}, {TIRBI_FLAG_END, "END"},
                 {TIRBI_FLAG_MEM, "MEM"},   {TIRBI_FLAG_TRAP, "TRAP"}, {TIRBI_FLAG_LANE, "LANE"},
                 {TIRBI_FLAG_COPY, "COPY"}};
    const char *separator = "";
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        bool implied = info->flags & TIRBI_FLAG_ELEMENTWISE && names[i].flag == TIRBI_FLAG_LANE;
        if (!(info->flags & names[i].flag) || implied) continue;
        put(w, "%s%s", separator, names[i].name);
        separator = " ";
    }
}

static void put_row(tirbi_writer *w, unsigned op) {
    const tirbi_op_info *info = &tirbi_ops[op];
    bool elementwise = info->flags & TIRBI_FLAG_ELEMENTWISE;
    if (elementwise) {
        put(w, "| %02X %02X | `%s` `v%s` | %s %s |", op, op + TIRB_OP_LANE_FORM, info->mnemonic, info->mnemonic,
            info->operands, tirbi_ops[op + TIRB_OP_LANE_FORM].operands);
    } else {
        put(w, "| %02X | `%s` | %s |", op, info->mnemonic, info->operands);
    }
    put(w, " %s | ", types_name(info->types));
    put_flags(w, info);
    put(w, " | ");
    for (const char *c = info->meaning; *c; c++) put(w, *c == '|' ? "\\%c" : "%c", *c);
    put(w, " |\n");
}

static const char *line_end(const char *line) {
    const char *end = strchr(line, '\n');
    return end ? end : line + strlen(line);
}

/* A comment of the table: one line is a heading, more are text. Returns what follows it. */
static const char *put_comment(tirbi_writer *w, const char *line) {
    const char *close = strstr(line, "*/");
    assert_non_null(close);
    if (close < line_end(line)) {
        put(w, "\n## %.*s\n", (int)(close - line - 4), line + 3);
        return line_end(close);
    }
    put(w, "\n```text\n");
    for (const char *at = line + 3; at < close; at = line_end(at) + 1) {
        if (at > line + 3) at += strncmp(at, " * ", 3) == 0 ? 3 : 2;
        const char *end = line_end(at) < close ? line_end(at) : close - 1;
        put(w, "%.*s\n", (int)(end - at), at);
    }
    put(w, "```\n");
    return line_end(close);
}

#define FLOAT_TYPES (1u << TIRB_F16 | 1u << TIRB_BF16 | 1u << TIRB_F32 | 1u << TIRB_F64)

/* The operations of contractions. */
static void put_semirings(tirbi_writer *w) {
    static const char *const texts[TIRBI_SEMIRINGS] = {
        [TIRBI_PRODUCTS] = "c + a * b",
#define TIRBI_SEMIRING(NAME, types, text) [TIRBI_##NAME] = text,
#include "loader/isa/semirings.def"
#undef TIRBI_SEMIRING
    };
    put(w, "\n## Operations of contractions\n\nBy number, from `loader/isa/semirings.def`; products are of all types of "
           "`contract`.\n\n| number | c becomes | types |\n|---|---|---|\n");
    for (unsigned i = 0; i < TIRBI_SEMIRINGS; i++) {
        put(w, "| %u | `%s` |", i, texts[i]);
        for (uint8_t type = 0; type < TIRB_N_DTYPES; type++)
            if (tirbi_semiring_has(i, type)) put(w, " %s", tirbi_dtypes[type].name);
        put(w, " |\n");
    }
}

/* What instructions weigh that do not weigh 1. */
static void put_weights(tirbi_writer *w) {
    static const struct {
        const char *name;
        uint8_t type;
    } classes[] = {{"other types", TIRB_I32}, {"f16, bf16", TIRB_F16}, {"f32", TIRB_F32}, {"f64", TIRB_F64}};
    enum { CLASSES = sizeof(classes) / sizeof(*classes) };
    put(w, "\n## Weights\n\n"
           "From `loader/isa/weights.def`; what is not listed weighs 1. An elementwise instruction weighs as much in a lane\n"
           "loop, for 64 lanes, a contraction or a fold so much for 64 products, and a cast as much as the heavier one of\n"
           "its two types says.\n\n| mnemonic |");
    for (unsigned c = 0; c < CLASSES; c++) put(w, " %s |", classes[c].name);
    put(w, "\n|---|---|---|---|---|\n");
    for (unsigned op = 0; op < TIRB_N_OPS; op++) {
        const tirbi_op_info *info = &tirbi_ops[op];
        uint32_t weights[CLASSES], heaviest = 1;
        for (unsigned c = 0; c < CLASSES; c++) {
            weights[c] = tirbi_op_weight((tirbi_op)op, classes[c].type, classes[c].type);
            if (weights[c] > heaviest) heaviest = weights[c];
        }
        const bool is_lane_form = (info->flags & TIRBI_FLAG_ELEMENTWISE) && op >= TIRB_OP_LANE_FORM;
        if (!info->mnemonic || heaviest == 1 || is_lane_form) continue;
        put(w, "| `%s` |", info->mnemonic);
        for (unsigned c = 0; c < CLASSES; c++) {
            const uint32_t types = c == 0 ? ~(uint32_t)FLOAT_TYPES : UINT32_C(1) << classes[c].type;
            const bool has = (info->types & types) != 0 || (c == 0 && info->types == 0);
            if (has) put(w, " %u |", weights[c]);
            else put(w, " |");
        }
        put(w, "\n");
    }
}

static void put_manual(tirbi_writer *w) {
    size_t size;
    char *table = fixture_file(TABLE, &size);
    assert_non_null(table);
    put(w, "# The instruction set\n\n"
           "Made from `loader/isa/opcodes.def`, `dtype.def` and `weights.def` by `test_isa_text --write`.\n\n"
           "## Types\n\n| number | name | TVM | bytes | class |\n|---|---|---|---|---|\n");
    for (unsigned i = 0; i < TIRB_N_DTYPES; i++) {
        put(w, "| %u | %s | %s | %u | %c |\n", i, tirbi_dtypes[i].name, tirbi_dtypes[i].tvm_name, tirbi_dtypes[i].size,
            tirbi_dtypes[i].class);
    }
    put_semirings(w);
    put_weights(w);
    put(w, "\n## Encoding and common rules\n");
    bool in_rows = false;
    for (const char *line = table; *line; line = *line_end(line) ? line_end(line) + 1 : line_end(line)) {
        if (strncmp(line, "/* ", 3) == 0) {
            line = put_comment(w, line);
            in_rows = false;
            if (!*line) break;
        } else if (strncmp(line, "TIRB_", 5) == 0) {
            if (!in_rows)
                put(w, "\n| opcode | mnemonic | operands | types | flags | meaning |\n|---|---|---|---|---|---|\n");
            in_rows = true;
            put_row(w, (unsigned)strtoul(strchr(line, '(') + 1, NULL, 16));
        }
    }
    free(table);
}

/* ---- The dictionary -------------------------------------------------------------------------------------------- */

static void put_bytes(tirbi_writer *w, const char *comment, const uint8_t *bytes, size_t n) {
    put(w, "# %s\n\"", comment);
    for (size_t i = 0; i < n; i++) put(w, "\\x%02x", bytes[i]);
    put(w, "\"\n");
}

static void put_dictionary(tirbi_writer *w) {
    put(w, "# For libFuzzer: what bundles and assembly are made of. Made by `test_isa_text --write`.\n");
    put_bytes(w, "magic", (const uint8_t *)TIRBI_BUNDLE_MAGIC, 4);
    static const uint8_t sections[] = {SECTION_NAMES << KEY_TYPE_SHIFT | KEY_REQUIRED,
                                       SECTION_FUNCTIONS << KEY_TYPE_SHIFT | KEY_REQUIRED,
                                       SECTION_CODE << KEY_TYPE_SHIFT | KEY_REQUIRED, SECTION_LINES << KEY_TYPE_SHIFT,
                                       SECTION_PRODUCER << KEY_TYPE_SHIFT};
    for (unsigned i = 0; i < sizeof(sections); i++) put_bytes(w, "section key", &sections[i], 1);
    for (unsigned op = 0; op < TIRB_N_OPS; op++) {
        const tirbi_op_info *info = &tirbi_ops[op];
        if (!info->mnemonic) continue;
        uint8_t bytes[2] = {(uint8_t)op, TIRB_F32};
        while (info->types && !(info->types >> bytes[1] & 1)) bytes[1]--;
        put_bytes(w, info->mnemonic, bytes, info->types ? 2 : 1);
        put(w, "\"%s%s\"\n", info->mnemonic, info->types ? "." : "");
    }
    for (unsigned i = 0; i < TIRB_N_DTYPES; i++) put(w, "\"%s\"\n", tirbi_dtypes[i].name);
    static const char *const words[] = {
        ".fp",       ".source", ".string", ".import", ".function", ".scalars", ".lanes",   ".ref",    ".red",
        ".var",      ".tensor", ".scalar", ".alias",  ".line",     ".inner",   ".cursor",  ".end",    "public",
        "region",    "part",    "returns", "param",   "strides",   "offset",   "writable", "read",    "write",
        "readwrite", "precise", "strict",  "fast",    "floordiv",  "floormod", "truncdiv", "truncmod", ".requires",
        "minima",    "<=",      "!="};
    for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) put(w, "\"%s\"\n", words[i]);
}

/* ---- Files ----------------------------------------------------------------------------------------------------- */

typedef void (*maker)(tirbi_writer *w);

static void check_file(const char *path, maker make) {
    tirbi_writer made;
    tirbi_writer_init(&made, &heap);
    make(&made);
    size_t size = 0;
    char *stored = fixture_file(path, &size);
    if (!stored || size != made.size || memcmp(stored, made.data, size) != 0) {
        fail_msg("%s is not what the opcode table makes: run test_isa_text --write", path);
    }
    free(stored);
    tirbi_writer_destroy(&made);
}

static int write_file(const char *path, maker make) {
    tirbi_writer made;
    tirbi_writer_init(&made, &heap);
    make(&made);
    FILE *file = fopen(path, "wb");
    bool written = file && fwrite(made.data, 1, made.size, file) == made.size;
    if (file && fclose(file) != 0) written = false;
    tirbi_writer_destroy(&made);
    if (!written) fprintf(stderr, "cannot write %s\n", path);
    return written ? 0 : 1;
}

static void test_manual(void **state) {
    (void)state;
    check_file(MANUAL, put_manual);
}

static void test_dictionary(void **state) {
    (void)state;
    check_file(DICTIONARY, put_dictionary);
}

int main(int argc, char **argv) {
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    if (argc == 2 && strcmp(argv[1], "--write") == 0) {
        return write_file(MANUAL, put_manual) | write_file(DICTIONARY, put_dictionary);
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_manual), cmocka_unit_test(test_dictionary)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
