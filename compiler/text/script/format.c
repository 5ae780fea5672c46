/* f-strings: the texts of what Python has while TVM's parser runs, in the formats that it would give them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/text/script/script.h"
#include "compiler/text/syntax/decimal.h"

enum { MAX_WIDTH = 1000, MAX_PRECISION = 60 };

static const tirbi_value *plain(const tirbi_value *v) {
    while (v->kind == TIRBI_VALUE_META) v = v->as.meta;
    return v;
}

/* ---- f-strings -------------------------------------------------------------------------------------------------- */

/* printf's text with a point, whatever the locale says. */
static void print_float(char *text, size_t size, bool exponent, int digits, double value) {
    if (exponent) snprintf(text, size, "%.*e", digits, value);
    else snprintf(text, size, "%.*f", digits, value);
    for (char *c = text; *c; c++)
        if (!strchr("0123456789+-e", *c)) *c = '.';
}

/* A float as Python's str() has it: the fewest digits that read back, with a point or an exponent. */
static const char *float_text(tirbi_script *s, double value) {
    char text[40];
    if (isnan(value)) return "nan";
    if (isinf(value)) return value > 0 ? "inf" : "-inf";
    int digits = 1;
    do {
        print_float(text, sizeof text, true, digits - 1, fabs(value));
    } while (tirbi_decimal_to_double(text, strlen(text)) != fabs(value) && ++digits < 18);
    int exponent = atoi(strchr(text, 'e') + 1);
    bool wide = exponent < -4 || exponent >= 16;
    if (!wide)
        print_float(text, sizeof text, false, digits - 1 - exponent > 1 ? digits - 1 - exponent : 1, fabs(value));
    return tirbi_arena_format(s->arena, "%s%s", signbit(value) ? "-" : "", text);
}

const char *tirbi_python_text(tirbi_script *s, const tirbi_value *v) {
    switch (v->kind) {
    case TIRBI_VALUE_INT:
        return tirbi_arena_format(s->arena, v->big ? "%llu" : "%lld", (unsigned long long)v->as.integer);
    case TIRBI_VALUE_BOOL: return v->as.boolean ? "True" : "False";
    case TIRBI_VALUE_NONE: return "None";
    case TIRBI_VALUE_FLOAT: return float_text(s, v->as.real);
    case TIRBI_VALUE_EXPR:
        if (v->as.expr->kind == TIRB_EXPR_VAR) return v->as.expr->as.var.name;
        if (v->as.expr->kind == TIRB_EXPR_INT_IMM)
            return tirbi_arena_format(s->arena, "%lld", (long long)v->as.expr->as.int_value);
        return NULL;
    default: return NULL;
    }
}

static const char *text_of(tirbi_script *s, const tirbi_node *node, const tirbi_value *v) {
    v = plain(v);
    if (v->kind == TIRBI_VALUE_ERROR) return NULL;
    const char *text = v->kind == TIRBI_VALUE_STRING ? v->as.string.text : tirbi_python_text(s, v);
    if (text || s->arena->failed) return text;
    tirbi_fail(s, TIRB_TYPE, node->span, "the text of %s is not known while the text is read", tirbi_value_text(v));
    return NULL;
}

/* ---- Formats ---------------------------------------------------------------------------------------------------- */

/* [[fill]align][sign][#][0][width][grouping][.precision][type] */
typedef struct format {
    char fill, align, sign, grouping, type; /* 0: not given */
    bool alternate, zeros; /* '#', '0' */
    uint32_t width;
    int precision; /* -1: not given */
} format;

static uint32_t read_number(const char **at) {
    uint32_t value = 0;
    for (; **at >= '0' && **at <= '9' && value <= MAX_WIDTH; (*at)++) value = value * 10 + (uint32_t)(**at - '0');
    return value;
}

static bool read_format(const char *at, format *f) {
    *f = (format){.precision = -1};
    if (*at && at[1] && strchr("<>=^", at[1])) f->fill = *at++;
    if (*at && strchr("<>=^", *at)) f->align = *at++;
    if (*at && strchr("+- ", *at)) f->sign = *at++;
    if (*at == '#') f->alternate = *at++ != 0;
    if (*at == '0') f->zeros = *at++ != 0;
    if (!f->fill) f->fill = f->zeros ? '0' : ' ';
    f->width = read_number(&at);
    if (*at && strchr(",_", *at)) f->grouping = *at++;
    if (*at == '.' && at[1] >= '0' && at[1] <= '9') {
        at++;
        f->precision = (int)read_number(&at);
    }
    if (*at) f->type = *at++;
    return *at == 0 && f->width <= MAX_WIDTH && f->precision <= MAX_PRECISION && (unsigned char)f->fill < 0x80;
}

/* `digits`, of which `n` stand before a point or exponent, with a separator in front of each `every` of those. */
static const char *grouped(tirbi_script *s, const char *digits, char separator, uint32_t every) {
    uint32_t size = (uint32_t)strlen(digits), n = (uint32_t)strspn(digits, "0123456789abcdefABCDEF");
    if (strchr(digits, '.') || strchr(digits, '+')) n = (uint32_t)strspn(digits, "0123456789");
    char *text = tirbi_arena_alloc(s->arena, 2 * (size_t)size + 1, 1), *to = text;
    if (!text) return NULL;
    for (uint32_t i = 0; i < size; i++) {
        if (separator && i > 0 && i < n && (n - i) % every == 0) *to++ = separator;
        *to++ = digits[i];
    }
    *to = 0;
    return text;
}

static bool begins_character(char c) { return ((unsigned char)c & 0xC0) != 0x80; }

size_t tirbi_count_characters(const char *text, size_t size) {
    size_t n = 0;
    for (size_t i = 0; i < size; i++) n += begins_character(text[i]);
    return n;
}

/* How many bytes the first `n` characters take. */
static size_t bytes_of(const char *text, size_t n) {
    size_t at = 0;
    while (text[at] && (n > 0 || !begins_character(text[at]))) n -= begins_character(text[at++]);
    return at;
}

/* Sign, prefix and digits in the format's width. */
static const char *padded(tirbi_script *s, const format *f, const char *sign, const char *digits, char usual) {
    char align = f->align ? f->align : f->zeros && usual == '>' ? '=' : usual;
    size_t size = strlen(sign) + tirbi_count_characters(digits, strlen(digits));
    size_t room = f->width > size ? f->width - size : 0;
    size_t left = align == '>' ? room : align == '^' ? room / 2 : 0, inside = align == '=' ? room : 0;
    char *fill = tirbi_arena_alloc(s->arena, room + 1, 1);
    if (!fill) return NULL;
    memset(fill, f->fill, room);
    fill[room] = 0;
    return tirbi_arena_format(s->arena, "%.*s%s%.*s%s%.*s", (int)left, fill, sign, (int)inside, fill, digits,
                              (int)(room - left - inside), fill);
}

static const char *sign_of(const format *f, bool negative) {
    return negative ? "-" : f->sign == '+' ? "+" : f->sign == ' ' ? " " : "";
}

static const char *format_int(tirbi_script *s, const format *f, bool negative, uint64_t magnitude) {
    uint32_t base = f->type == 'b' ? 2 : f->type == 'o' ? 8 : f->type == 'x' || f->type == 'X' ? 16 : 10;
    char digits[72], *at = digits + sizeof digits - 1;
    const char *names = f->type == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    *at = 0;
    do {
        *--at = names[magnitude % base];
        magnitude /= base;
    } while (magnitude);
    const char *sign = sign_of(f, negative), *text = grouped(s, at, f->grouping, base == 10 ? 3 : 4);
    if (f->alternate && base != 10) sign = tirbi_arena_format(s->arena, "%s0%c", sign, f->type);
    return sign && text ? padded(s, f, sign, text, '>') : NULL;
}

/* As %g, with a digit behind the point where there is no exponent. */
static void general_text(char *text, size_t size, int precision, double magnitude) {
    snprintf(text, size, "%.*e", precision - 1, magnitude);
    char *exponent = strchr(text, 'e');
    int power = atoi(exponent + 1);
    if (power >= -4 && power < precision - 1) {
        snprintf(text, size, "%.*g", precision, magnitude);
        if (strspn(text, "0123456789") == strlen(text)) strcat(text, ".0");
        return;
    }
    char *last = exponent;
    while (precision > 1 && last[-1] == '0') last--;
    if (precision > 1 && !strchr("0123456789", last[-1])) last--;
    memmove(last, exponent, strlen(exponent) + 1);
}

static const char *format_float(tirbi_script *s, const format *f, double value) {
    char text[400];
    bool percent = f->type == '%', upper = f->type == 'F' || f->type == 'E' || f->type == 'G';
    double magnitude = fabs(value) * (percent ? 100 : 1);
    int precision = f->precision < 0 ? 6 : f->precision;
    bool plain_type = !f->type && f->precision >= 0;
    if (plain_type && precision == 0) precision = 1;
    if (isnan(value)) snprintf(text, sizeof text, "%s", upper ? "NAN" : "nan");
    else if (!isfinite(value)) snprintf(text, sizeof text, "%s", upper ? "INF" : "inf");
    else if (f->type == 'e' || f->type == 'E') snprintf(text, sizeof text, "%.*e", precision, magnitude);
    else if (f->type == 'f' || f->type == 'F' || percent) snprintf(text, sizeof text, "%.*f", precision, magnitude);
    else if (plain_type) general_text(text, sizeof text, precision, magnitude);
    else if (f->type) snprintf(text, sizeof text, "%.*g", precision, magnitude);
    else snprintf(text, sizeof text, "%s", float_text(s, magnitude));
    for (char *c = text; *c && isfinite(value); c++) {
        if (!strchr("0123456789+-e", *c)) *c = '.';
        if (upper && *c == 'e') *c = 'E';
    }
    const char *digits = grouped(s, text, f->grouping, 3);
    if (digits && percent) digits = tirbi_arena_format(s->arena, "%s%%", digits);
    return digits ? padded(s, f, sign_of(f, signbit(value) && !isnan(value)), digits, '>') : NULL;
}

/* The text as Python's repr() has it. */
static const char *quoted(tirbi_script *s, const char *text) {
    char quote = strchr(text, '\'') && !strchr(text, '"') ? '"' : '\'';
    char *out = tirbi_arena_alloc(s->arena, 2 * strlen(text) + 3, 1), *to = out;
    if (!out) return NULL;
    *to++ = quote;
    for (; *text; text++) {
        char escape = *text == '\n'                     ? 'n'
                      : *text == '\t'                   ? 't'
                      : *text == '\r'                   ? 'r'
                      : *text == '\\' || *text == quote ? *text
                                                        : 0;
        if (escape) *to++ = '\\';
        *to++ = escape ? escape : *text;
    }
    *to++ = quote;
    *to = 0;
    return out;
}

/* {value!conversion:format} */
static const char *formatted_text(tirbi_script *s, const tirbi_node *node) {
    tirbi_value evaluated = tirbi_evaluate(s, node->items[0]);
    const tirbi_value *v = plain(&evaluated);
    format f;
    bool is_text = v->kind == TIRBI_VALUE_STRING || node->name;
    bool is_int = v->kind == TIRBI_VALUE_INT || v->kind == TIRBI_VALUE_BOOL;
    tirbi_value computed = node->n_items > 1 ? tirbi_evaluate_format(s, node->items[1]) : tirbi_value_none();
    if (tirbi_is_error(&computed)) return NULL;
    const char *spec = node->n_items > 1 ? computed.as.string.text : node->as.string.text,
               *text = text_of(s, node->items[0], v);
    if (text && node->name && node->name[0] != 's' && v->kind == TIRBI_VALUE_STRING) text = quoted(s, text);
    if (!text || !*spec) return text;
    const char *types = is_text ? "s" : is_int ? "dboxXfFeEgG%" : "fFeEgG%";
    bool numeric = is_int || v->kind == TIRBI_VALUE_FLOAT;
    bool known = read_format(spec, &f) && (is_text || numeric) && (!f.type || strchr(types, f.type));
    bool integral = is_int && (!f.type || strchr("dboxX", f.type));
    if (is_text) known = known && !f.sign && !f.alternate && !f.grouping && f.align != '=';
    else
        known = known && !(f.alternate && !integral) && !(f.precision >= 0 && integral) &&
                !(f.grouping && (f.zeros || (f.align == '=' && f.fill == '0') ||
                                 (f.grouping == ',' && f.type && strchr("boxX", f.type))));
    if (!known) {
        tirbi_fail(s, TIRB_VALUE, node->span, "the format \"%s\" is not one for %s", spec, tirbi_value_text(v));
        return NULL;
    }
    if (is_text) {
        if (f.precision >= 0) text = tirbi_arena_text(s->arena, text, bytes_of(text, (size_t)f.precision));
        return text ? padded(s, &f, "", text, '<') : NULL;
    }
    int64_t integer = v->kind == TIRBI_VALUE_BOOL ? v->as.boolean : v->as.integer;
    bool negative = is_int && !v->big && integer < 0;
    uint64_t magnitude = negative ? 0 - (uint64_t)integer : (uint64_t)integer;
    if (integral) return format_int(s, &f, negative, magnitude);
    double real = v->kind == TIRBI_VALUE_FLOAT ? v->as.real : negative ? -(double)magnitude : (double)magnitude;
    return format_float(s, &f, real);
}

/* Texts can be made of texts again and again; no name and no message is longer. */
enum { MAX_TEXT = 1 << 20 };

const char *tirbi_join_texts(tirbi_script *s, tirbi_span span, const char *const *texts, uint32_t n) {
    size_t size = 0;
    for (uint32_t i = 0; i < n; i++) {
        size += strlen(texts[i]);
        if (size <= MAX_TEXT) continue;
        tirbi_fail(s, TIRB_UNSUPPORTED, span, "the text has more than %d bytes", MAX_TEXT);
        return NULL;
    }
    char *whole = TIRBI_NEW_ARRAY(s->arena, char, size + 1), *at = whole;
    for (uint32_t i = 0; whole && i < n; i++) {
        size_t part = strlen(texts[i]);
        memcpy(at, texts[i], part);
        at += part;
    }
    return whole;
}

tirbi_value tirbi_evaluate_format(tirbi_script *s, const tirbi_node *node) {
    const char **parts = TIRBI_NEW_ARRAY(s->arena, const char *, node->n_items);
    for (uint32_t i = 0; i < node->n_items; i++) {
        const tirbi_node *item = node->items[i];
        bool formatted = item->kind == TIRBI_NODE_FORMATTED;
        tirbi_value v = formatted ? tirbi_value_none() : tirbi_evaluate(s, item);
        const char *part = formatted ? formatted_text(s, item) : text_of(s, item, &v);
        if (!parts || !part) return tirbi_value_error();
        parts[i] = part;
    }
    const char *whole = parts ? tirbi_join_texts(s, node->span, parts, node->n_items) : NULL;
    if (!whole) return tirbi_value_error();
    tirbi_value v = {.kind = TIRBI_VALUE_STRING};
    v.as.string.text = whole;
    v.as.string.size = (uint32_t)strlen(whole);
    return v;
}
