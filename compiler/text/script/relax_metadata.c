/* Constants that a text keeps in its metadata: metadata["ir.GenericConst"][i].
 *
 * The metadata is a graph as JSON: "nodes" that name each other by their numbers, and a root that leads from names of
 * kinds to arrays of constants. The elements are a tensor in DLPack's manner, in base64. */
#include <string.h>

#include "compiler/text/script/json.h"
#include "compiler/text/script/relax.h"
#include "loader/base/bytes.h"

static const tirbi_json *node_at(const tirbi_json *graph, const tirbi_json *number) {
    const tirbi_json *nodes = tirbi_json_member(graph, "nodes");
    uint32_t i;
    if (!nodes || nodes->kind != TIRBI_JSON_ARRAY || !tirbi_json_number(number, &i) || i >= nodes->n) return NULL;
    return &nodes->items[i];
}

/* The data of a node of a type; NULL: it is of another one. */
static const tirbi_json *data_of(const tirbi_json *node, const char *type) {
    return tirbi_json_is(tirbi_json_member(node, "type"), type) ? tirbi_json_member(node, "data") : NULL;
}

/* Constant number i among those of a kind. Its kind is called otherwise in older texts. */
static const tirbi_json *find_constant(const tirbi_json *graph, const char *kind, uint32_t i) {
    const tirbi_json *root = data_of(node_at(graph, tirbi_json_member(graph, "root_index")), "ffi.Map");
    for (uint32_t k = 0; root && root->kind == TIRBI_JSON_ARRAY && k + 1 < root->n; k += 2) {
        if (!tirbi_json_is(data_of(node_at(graph, &root->items[k]), "ffi.String"), kind)) continue;
        const tirbi_json *list = data_of(node_at(graph, &root->items[k + 1]), "ffi.Array");
        if (!list || list->kind != TIRBI_JSON_ARRAY || i >= list->n) return NULL;
        const tirbi_json *node = node_at(graph, &list->items[i]), *object = data_of(node, kind);
        const tirbi_json *value = tirbi_json_member(object, "value");
        if (!value) value = tirbi_json_member(object, "data");
        return data_of(node_at(graph, value), "ffi.Tensor");
    }
    return NULL;
}

/* ---- Base64 (RFC 4648) ------------------------------------------------------------------------------------------- */

static int digit_of(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* NULL: it is none, or memory ran out. */
static const uint8_t *decode(tirbi_arena *arena, const tirbi_json *text, size_t *size) {
    size_t n = text->size;
    while (n > 0 && text->size - n < 2 && text->text[n - 1] == '=') n--;
    uint8_t *out = text->size % 4 == 0 ? tirbi_arena_room(arena, n / 4 * 3 + 3) : NULL;
    uint32_t bits = 0, held = 0;
    *size = 0;
    for (size_t i = 0; out && i < n; i++) {
        const int digit = digit_of(text->text[i]);
        if (digit < 0) return NULL;
        bits = (bits << 6 | (uint32_t)digit) & 0xFFFF;
        held += 6;
        if (held < 8) continue;
        held -= 8;
        out[(*size)++] = (uint8_t)(bits >> held);
    }
    return out;
}

/* ---- Tensors ------------------------------------------------------------------------------------------------------
 */

/* A type by DLPack's numbers; false: tirb has none. */
static bool type_of(uint8_t code, uint8_t bits, uint16_t lanes, tirb_datatype *out) {
    const bool is_bool = code == TIRB_CODE_BOOL || (code == TIRB_CODE_UINT && bits == 1);
    const bool is_int = code == TIRB_CODE_INT || code == TIRB_CODE_UINT;
    const bool is_whole = bits == 8 || bits == 16 || bits == 32 || bits == 64;
    *out = is_bool ? tirbi_type_bool : (tirb_datatype){.code = code, .bits = bits, .lanes = 1};
    if (lanes != 1) return false;
    if (is_bool) return bits == 1 || bits == 8;
    return (is_int && is_whole) || (code == TIRB_CODE_FLOAT && is_whole && bits > 8) ||
           (code == TIRB_CODE_BFLOAT && bits == 16);
}

/* What DLPack's serialized form holds: two words, the device, rank, type, extents, the number of bytes, elements. */
static bool read_tensor(tirbi_arena *arena, const uint8_t *bytes, size_t size, tirb_relax_tensor *out) {
    static const uint64_t magic = UINT64_C(0xDD5E40F096B4A13F);
    tirbi_reader r = tirbi_reader_over(bytes, size);
    const uint64_t found = tirbi_read_u64(&r);
    tirbi_read_bytes(&r, 16);
    out->ndim = tirbi_read_u32(&r);
    const uint8_t code = tirbi_read_u8(&r), bits = tirbi_read_u8(&r);
    const uint16_t lanes = tirbi_read_u16(&r);
    if (r.failed || found != magic || out->ndim > TIRBI_MAX_RELAX_RANK || !type_of(code, bits, lanes, &out->dtype))
        return false;
    int64_t *shape = TIRBI_NEW_ARRAY(arena, int64_t, out->ndim);
    uint64_t n = ((uint64_t)out->dtype.bits + 7) / 8;
    for (uint32_t i = 0; shape && i < out->ndim; i++) {
        shape[i] = (int64_t)tirbi_read_u64(&r);
        if (shape[i] < 0 || __builtin_mul_overflow(n, (uint64_t)shape[i], &n)) return false;
    }
    out->shape = shape;
    out->n_bytes = tirbi_read_u64(&r);
    if (!shape || r.failed || out->n_bytes != n || n > tirbi_reader_left(&r)) return false;
    out->bytes = r.data + r.at;
    return true;
}

static const tirb_relax_tensor *make_tensor(tirbi_script *s, const tirbi_node *node, const tirbi_json *text,
                                            uint32_t number) {
    size_t size = 0;
    tirb_relax_tensor *t = TIRBI_NEW(s->arena, tirb_relax_tensor);
    const uint8_t *bytes = text && text->kind == TIRBI_JSON_STRING ? decode(s->arena, text, &size) : NULL;
    if (t && bytes && read_tensor(s->arena, bytes, size, t)) {
        t->metadata = (int32_t)number;
        return t;
    }
    if (!s->arena->failed)
        tirbi_fail(s, TIRB_SYNTAX, node->span, "%s",
                   text ? "the metadata has no tensor there of a type that tirb has"
                        : "the metadata has no such constant");
    return NULL;
}

/* The graph of the file, read once; NULL after an error. */
static const tirbi_json *graph_of(tirbi_script *s, const tirbi_node *node) {
    const tirbi_node *value = s->metadata_node;
    const bool is_call =
        value && value->kind == TIRBI_NODE_CALL && value->n_items == 2 && value->items[1]->kind == TIRBI_NODE_STRING;
    if (s->relax->metadata) return s->relax->metadata;
    if (is_call)
        s->relax->metadata =
            tirbi_json_read(s->arena, value->items[1]->as.string.text, value->items[1]->as.string.size);
    if (!s->relax->metadata && !s->arena->failed)
        tirbi_fail(s, TIRB_SYNTAX, node->span,
                   is_call ? "the text of `metadata` is no JSON"
                           : "the file has no `metadata = tvm.ir.load_json(\"..\")`: print it with show_meta=True");
    return s->relax->metadata;
}

typedef struct known_tensor {
    const char *kind;
    uint32_t number;
    const tirb_relax_tensor *tensor;
} known_tensor;

static const tirb_relax_tensor *tensor_at(tirbi_script *s, const tirbi_node *node, const char *kind, uint32_t number) {
    const known_tensor *known = s->relax->metadata_tensors.items;
    for (uint32_t i = 0; i < s->relax->metadata_tensors.n; i++)
        if (known[i].kind == kind && known[i].number == number) return known[i].tensor;
    const tirbi_json *graph = graph_of(s, node);
    if (!graph) return NULL;
    const tirb_relax_tensor *t = make_tensor(s, node, find_constant(graph, kind, number), number);
    known_tensor *slot = t ? TIRBI_LIST_ADD(s->arena, &s->relax->metadata_tensors, known_tensor) : NULL;
    if (slot) *slot = (known_tensor){kind, number, t};
    return t;
}

const tirb_relax_expr *tirbi_relax_metadata(tirbi_script *s, const tirbi_node *node) {
    static const char *const kinds[] = {"ir.GenericConst", "relax.expr.Constant"};
    tirbi_relax_builder *b = &s->relax->builder;
    const tirbi_node *list = node->kind == TIRBI_NODE_SUBSCRIPT ? node->items[0] : NULL;
    const char *kind = NULL;
    for (int i = 0; list && list->kind == TIRBI_NODE_SUBSCRIPT && i < 2; i++)
        if (list->items[1]->kind == TIRBI_NODE_STRING && strcmp(list->items[1]->as.string.text, kinds[i]) == 0)
            kind = kinds[i];
    if (!kind || node->items[1]->kind != TIRBI_NODE_INT || node->items[1]->as.integer > INT32_MAX) {
        tirbi_fail(
            s, TIRB_UNSUPPORTED, node->span,
            "a constant of the metadata is metadata[\"ir.GenericConst\"][NUMBER]; nothing else of it is a value");
        return NULL;
    }
    s->keeps_metadata = true;
    const tirb_relax_tensor *t = tensor_at(s, node, kind, (uint32_t)node->items[1]->as.integer);
    tirb_relax_expr *constant = t ? tirbi_relax_make(b, node->span, TIRB_RELAX_CONST) : NULL;
    const tirb_expr **dims = constant ? TIRBI_NEW_ARRAY(s->arena, const tirb_expr *, (size_t)t->ndim + 1) : NULL;
    if (!dims) return NULL;
    for (uint32_t i = 0; i < t->ndim; i++)
        dims[i] = tirbi_make_int(&s->builder, node->span, tirbi_type_i64, t->shape[i]);
    constant->as.constant = t;
    constant->type = tirbi_relax_tensor(b, dims, t->ndim, t->dtype);
    return constant->type ? constant : NULL;
}
