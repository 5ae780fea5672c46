/* Texts: changes of tokens and of whole lines, with words of the language and words of the text itself. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "fuzz/mutate.h"
#include "fuzz/words.h"
#include "loader/isa/isa.h"

enum { MAX_WORD = 64 };

/* [begin, end) of the text. */
typedef struct range {
    size_t begin, end;
} range;

typedef const char *(*word_source)(fuzz_random *r, char buffer[MAX_WORD]);

static bool is_word(uint8_t c) { return isalnum(c) || c == '_' || c == '.' || c == '"'; }

/* The token around or after a random place: a run of word characters, or one other character. */
static range pick_token(const uint8_t *data, size_t size, fuzz_random *r) {
    size_t at = fuzz_below(r, size);
    while (at < size && isspace(data[at])) at++;
    if (at == size) return (range){size, size};
    if (!is_word(data[at])) return (range){at, at + 1};
    size_t begin = at, end = at;
    while (begin > 0 && is_word(data[begin - 1])) begin--;
    while (end < size && is_word(data[end])) end++;
    return (range){begin, end};
}

static range pick_line(const uint8_t *data, size_t size, fuzz_random *r) {
    size_t begin = fuzz_below(r, size), end;
    while (begin > 0 && data[begin - 1] != '\n') begin--;
    end = begin;
    while (end < size && data[end] != '\n') end++;
    return (range){begin, end < size ? end + 1 : end};
}

/* Puts `n` bytes, which are not part of data, in the place of a range. */
static size_t replace(uint8_t *data, size_t size, size_t max_size, range at, const void *bytes, size_t n) {
    size_t kept = size - (at.end - at.begin);
    if (n > max_size - kept) return size;
    memmove(data + at.begin + n, data + at.end, size - at.end);
    if (n > 0) memcpy(data + at.begin, bytes, n);
    return kept + n;
}

/* Puts a copy of one range in the place of another. */
static size_t copy_over(uint8_t *data, size_t size, size_t max_size, range from, range to) {
    uint8_t copy[512];
    size_t n = from.end - from.begin;
    if (n > sizeof(copy)) return size;
    memcpy(copy, data + from.begin, n);
    return replace(data, size, max_size, to, copy, n);
}

static size_t indent(uint8_t *data, size_t size, size_t max_size, fuzz_random *r) {
    range line = pick_line(data, size, r);
    if (fuzz_one_in(r, 2)) return replace(data, size, max_size, (range){line.begin, line.begin}, "    ", 4);
    size_t n = 0;
    while (n < 4 && line.begin + n < line.end && data[line.begin + n] == ' ') n++;
    return replace(data, size, max_size, (range){line.begin, line.begin + n}, "", 0);
}

static const char *number_word(fuzz_random *r, char buffer[MAX_WORD]) {
    static const char *const floats[] = {"0.0", "-0.0", "1.5", "1e38", "1e-45", "-1.0", "float('nan')", "1e400"};
    if (fuzz_one_in(r, 6)) return floats[fuzz_below(r, sizeof(floats) / sizeof(floats[0]))];
    int64_t value = fuzz_one_in(r, 2) ? (int64_t)fuzz_below(r, 20) : fuzz_interesting(r);
    snprintf(buffer, MAX_WORD, "%lld", (long long)value);
    return buffer;
}

static const char *script_word(fuzz_random *r, char buffer[MAX_WORD]) {
    if (fuzz_one_in(r, 3)) return number_word(r, buffer);
    const char *word = fuzz_word(fuzz_below(r, fuzz_word_count()));
    if (fuzz_one_in(r, 2)) return word;
    snprintf(buffer, MAX_WORD, "T.%s", word);
    return buffer;
}

static const char *comprehension_word(fuzz_random *r, char buffer[MAX_WORD]) {
    if (fuzz_one_in(r, 4)) return number_word(r, buffer);
    return fuzz_comprehension_word(fuzz_below(r, fuzz_comprehension_word_count()));
}

static const char *assembly_word(fuzz_random *r, char buffer[MAX_WORD]) {
    static const char *const words[] = {
        ".fp",     ".source", ".string",   ".import",  "region",     ".function", ".scalars", ".lanes",
        ".ref",    ".red",    ".var",      ".tensor",  ".scalar",    ".alias",    ".line",    ".inner",
        ".cursor", ".end",    "public",    "returns",  "param",      "strides",   "offset",   "writable",
        "read",    "write",   "readwrite", "fast",     "{$0 4 mul}", "@28",       "#0",       "(s0 s1)",
        "()",      "-",       "readwrite", "floordiv", "truncmod",   "$0",        ".requires", "minima",
        "<=",      "!="};
    static const char files[] = "srvqcl";
    switch (fuzz_below(r, 4)) {
    case 0:
        return number_word(r, buffer);
    case 1:
        snprintf(buffer, MAX_WORD, "%c%u", files[fuzz_below(r, sizeof(files) - 1)], fuzz_below(r, 6));
        return buffer;
    case 2:
        return words[fuzz_below(r, sizeof(words) / sizeof(words[0]))];
    default:
        break;
    }
    const tirbi_op_info *info;
    do {
        info = &tirbi_ops[fuzz_below(r, TIRB_N_OPS)];
    } while (!info->mnemonic);
    if (info->types) {
        snprintf(buffer, MAX_WORD, "%s.%s", info->mnemonic, tirbi_dtypes[fuzz_below(r, TIRB_N_DTYPES)].name);
        return buffer;
    }
    return info->mnemonic;
}

static size_t mutate(uint8_t *data, size_t size, size_t max_size, word_source word, fuzz_random *r) {
    char buffer[MAX_WORD];
    if (size == 0) return fuzz_mutate_bytes(data, size, max_size);
    uint32_t how = fuzz_below(r, 16);
    range token = pick_token(data, size, r);
    if (how < 4) { /* a token by another of the text */
        return copy_over(data, size, max_size, pick_token(data, size, r), token);
    }
    if (how < 8) { /* a token by a word */
        const char *text = word(r, buffer);
        return replace(data, size, max_size, token, text, strlen(text));
    }
    range line = pick_line(data, size, r);
    switch (how) {
    case 8: /* a line again, somewhere */
    case 9: {
        size_t to = pick_line(data, size, r).begin;
        return copy_over(data, size, max_size, line, (range){to, to});
    }
    case 10:
        return replace(data, size, max_size, line, "", 0);
    case 11:
        return replace(data, size, max_size, token, "", 0);
    case 12:
        return indent(data, size, max_size, r);
    case 13: { /* a token more */
        range to = {token.end, token.end};
        return copy_over(data, size, max_size, pick_token(data, size, r), to);
    }
    case 14:
        return copy_over(data, size, max_size, pick_line(data, size, r), line);
    default:
        return fuzz_mutate_bytes(data, size, max_size);
    }
}

static size_t mutate_often(uint8_t *data, size_t size, size_t max_size, word_source word, fuzz_random *r) {
    uint32_t times = 1 + fuzz_below(r, 3);
    for (uint32_t i = 0; i < times; i++) size = mutate(data, size, max_size, word, r);
    return size;
}

size_t fuzz_mutate_script(uint8_t *data, size_t size, size_t max_size, fuzz_random *r) {
    return mutate_often(data, size, max_size, script_word, r);
}

size_t fuzz_mutate_comprehensions(uint8_t *data, size_t size, size_t max_size, fuzz_random *r) {
    return mutate_often(data, size, max_size, comprehension_word, r);
}

size_t fuzz_mutate_assembly(uint8_t *data, size_t size, size_t max_size, fuzz_random *r) {
    return mutate_often(data, size, max_size, assembly_word, r);
}

size_t fuzz_cross_text(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size, uint8_t *out, size_t max_size,
                       fuzz_random *r) {
    if (a_size == 0 || b_size == 0) return 0;
    size_t cut = pick_line(a, a_size, r).end, from = pick_line(b, b_size, r).begin;
    size_t n = fuzz_one_in(r, 2) ? b_size - from : pick_line(b, b_size, r).end;
    if (n < from) n = from;
    size_t part = n - from < b_size - from ? n - from : b_size - from;
    if (cut > max_size || part > max_size - cut) return 0;
    memcpy(out, a, cut);
    memcpy(out + cut, b + from, part);
    size_t rest = a_size - cut;
    if (fuzz_one_in(r, 2) || rest > max_size - cut - part) return cut + part;
    memcpy(out + cut + part, a + cut, rest);
    return cut + part + rest;
}
