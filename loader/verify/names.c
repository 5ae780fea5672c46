/* Texts and names. Each string is looked at once, however many functions share it: what it may be used for, and which
 * is the first string with its text. After that, names are equal where these numbers are. */
#include <string.h>

#include "loader/base/error.h"
#include "loader/base/secret.h"
#include "loader/base/work.h"
#include "loader/verify/checker.h"

enum { LONGEST_NAME = 1024 };

/* ---- Text ----------------------------------------------------------------------------------------------------- */

/* The length of the UTF-8 character at `text`, which is terminated; 0 if there is none: overlong forms, surrogates and
 * NUL are none. */
static uint32_t utf8_length(const uint8_t *text) {
    static const struct {
        uint8_t first_low, first_high, length, second_low, second_high;
    } forms[] = {
        {0x01, 0x7f, 1, 0, 0},       {0xc2, 0xdf, 2, 0x80, 0xbf}, {0xe0, 0xe0, 3, 0xa0, 0xbf},
        {0xe1, 0xec, 3, 0x80, 0xbf}, {0xed, 0xed, 3, 0x80, 0x9f}, {0xee, 0xef, 3, 0x80, 0xbf},
        {0xf0, 0xf0, 4, 0x90, 0xbf}, {0xf1, 0xf3, 4, 0x80, 0xbf}, {0xf4, 0xf4, 4, 0x80, 0x8f},
    };
    for (unsigned i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        if (text[0] < forms[i].first_low || text[0] > forms[i].first_high) continue;
        uint32_t length = forms[i].length;
        if (length > 1 && (text[1] < forms[i].second_low || text[1] > forms[i].second_high)) return 0;
        for (uint32_t k = 2; k < length; k++) {
            if ((text[k] & 0xc0) != 0x80) return 0;
        }
        return length;
    }
    return 0;
}

/* A byte that no name has: a space, or one that does something to a terminal. 0: the character may be there. */
static uint8_t bad_byte(const uint8_t *character) {
    bool control = character[0] == 0xc2 && character[1] >= 0x80 && character[1] <= 0x9f; /* texts are terminated */
    if (control) return character[1];
    return character[0] <= ' ' || character[0] == 0x7f ? character[0] : 0;
}

/* Eight bytes at once. */
enum { WORD = 8 };
static const uint64_t ones = UINT64_C(0x0101010101010101), tops = UINT64_C(0x8080808080808080);

static uint64_t word_at(const uint8_t *text) {
    uint64_t word;
    memcpy(&word, text, sizeof(word));
    return word;
}
/* Whether all are ASCII and not NUL; of such, whether all are from '!' to '~'. */
static bool is_ascii(uint64_t word) { return !(word & tops) && ((word + 0x7f * ones) & tops) == tops; }
static bool is_plain(uint64_t word) { return ((word + (0x80 - '!') * ones) & tops) == tops && !((word + ones) & tops); }

/* *bad: the first bad byte. */
static bool is_text(const tirbi_string *s, uint8_t *bad) {
    const uint8_t *text = (const uint8_t *)s->text;
    *bad = 0;
    for (uint32_t i = 0, length; i < s->size; i += length) {
        length = WORD;
        if (s->size - i >= WORD && is_ascii(word_at(text + i))) {
            const bool settled = *bad != 0 || is_plain(word_at(text + i));
            for (uint32_t k = 0; !settled && k < WORD && *bad == 0; k++) *bad = bad_byte(text + i + k);
            continue;
        }
        length = utf8_length(text + i);
        if (length == 0) return false;
        if (*bad == 0) *bad = bad_byte(text + i);
    }
    return true;
}

/* ---- Equal texts ---------------------------------------------------------------------------------------------- */

__extension__ typedef unsigned __int128 wide;

/* The text as digits of a number in base `point`, modulo 2^61 - 1, times the point, so that every digit says something
 * about every bit. Of two texts that differ, few points give the same: as many as they have digits, and one. So who
 * does not know the point makes no texts that meet. */
static uint64_t number_of(const tirbi_string *s, uint64_t point) {
    enum { DIGIT = 7 };
    const uint64_t prime = (UINT64_C(1) << 61) - 1;
    uint64_t number = s->size;
    for (uint32_t at = 0; at < s->size; at += DIGIT) {
        uint64_t digit = 0;
        memcpy(&digit, s->text + at, s->size - at < DIGIT ? s->size - at : DIGIT);
        const wide product = (wide)(number + digit) * point;
        number = ((uint64_t)product & prime) + (uint64_t)(product >> 61);
        number = (number & prime) + (number >> 61);
    }
    return number >= prime ? number - prime : number;
}

static bool same_text(const tirbi_string *a, const tirbi_string *b) {
    return a->size == b->size && memcmp(a->text, b->text, a->size) == 0;
}

/* Finds the string's own text among those before it, or adds it to its chain. Returns the steps that it took. */
static uint64_t find_first(checker *c, uint32_t index, uint64_t point) {
    const tirbi_string *strings = c->program->strings, *s = &strings[index];
    checker_name *names = c->names, *name = &names[index];
    const uint64_t number = number_of(s, point);
    /* Mixed, since the low bits of products are a sum over the text's bytes: one byte that adds nothing to them would
     * bring together all names that differ in it alone, such as those that are numbered. */
    uint16_t *chain = &names[tirbi_mix(number) & c->name_mask].chain;
    name->number = (uint32_t)(number >> 29);
    name->first = (uint16_t)index;
    uint64_t steps = 2 * tirbi_work_of_bytes(s->size);
    for (uint32_t link = *chain; link != 0; link = names[link - 1].next, steps++) {
        if (names[link - 1].number != name->number || !same_text(&strings[link - 1], s)) continue;
        name->first = (uint16_t)(link - 1);
        return steps + tirbi_work_of_bytes(s->size);
    }
    name->next = *chain;
    *chain = (uint16_t)(index + 1);
    return steps;
}

static tirb_status check_strings(checker *c) {
    const tirbi_program *p = c->program;
    const uint64_t point = tirbi_secret(c->names) >> 4;
    for (uint32_t i = 0; i < p->n_strings; i++) {
        checker_name *name = &c->names[i];
        if (!is_text(&p->strings[i], &name->bad)) return tirbi_verify_fail(c, "string %u is not UTF-8", i);
        TIRBI_TRY(tirbi_work(c->scratch, find_first(c, i, point), c->error));
    }
    return TIRB_OK;
}

/* ---- Names ---------------------------------------------------------------------------------------------------- */

tirb_status tirbi_verify_name(checker *c, uint16_t name, const char *what, unsigned index) {
    if (name >= c->program->n_strings) {
        return tirbi_verify_fail(c, "%s %u: string %u >= %u", what, index, name, c->program->n_strings);
    }
    const tirbi_string *s = &c->program->strings[name];
    if (s->size == 0 || s->size > LONGEST_NAME) {
        return tirbi_verify_fail(c, "%s %u: a name of %u bytes, not 1 to %d", what, index, s->size, LONGEST_NAME);
    }
    if (c->names[name].bad != 0) {
        return tirbi_verify_fail(c, "%s %u: byte 0x%02x in its name", what, index, c->names[name].bad);
    }
    return TIRB_OK;
}

tirb_status tirbi_verify_unique(checker *c, uint16_t name, uint32_t among, const char *what) {
    checker_name *first = &c->names[c->names[name].first];
    if (first->taken == among) {
        return tirbi_verify_fail(c, "two %s are called '%.60s'", what, c->program->strings[name].text);
    }
    first->taken = among;
    return TIRB_OK;
}

static tirb_status check_import(checker *c, unsigned index) {
    const tirbi_import *import = &c->program->imports[index];
    TIRBI_TRY(tirbi_verify_name(c, import->name, "import", index));
    TIRBI_TRY(tirbi_work(c->scratch, 1u + import->n_params, c->error));
    if (import->returns && import->return_type >= TIRB_N_DTYPES) {
        return tirbi_verify_fail(c, "import %u: return type: no type %u", index, import->return_type);
    }
    for (unsigned i = 0; i < import->n_params; i++) {
        const tirbi_import_param *param = &import->params[i];
        if (param->dtype >= TIRB_N_DTYPES) {
            return tirbi_verify_fail(c, "import %u: parameter %u: no type %u", index, i, param->dtype);
        }
        if (param->access > (TIRBI_READ | TIRBI_WRITE)) {
            return tirbi_verify_fail(c, "import %u: parameter %u: access %u is not 0 to 3", index, i, param->access);
        }
    }
    return TIRB_OK;
}

tirb_status tirbi_verify_names(checker *c) {
    const tirbi_program *p = c->program;
    TIRBI_TRY(check_strings(c));
    for (unsigned i = 0; i < p->n_functions; i++) {
        TIRBI_TRY(tirbi_verify_name(c, p->functions[i].name, "function", i));
        TIRBI_TRY(tirbi_verify_unique(c, p->functions[i].name, CHECKER_FUNCTIONS, "functions"));
    }
    for (unsigned i = 0; i < p->n_imports; i++) TIRBI_TRY(check_import(c, i));
    return TIRB_OK;
}
