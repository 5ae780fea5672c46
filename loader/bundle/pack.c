/* Code in its stored form: the fields of tirbi_instr as varints. One encoding of each instruction. */
#include "loader/base/bytes.h"
#include "loader/bundle/parts.h"

/* Bits of f32 constants end in zeroes more often than they begin with them. */
static uint32_t swap_bytes(uint32_t v) { return v >> 24 | (v >> 8 & 0xff00) | (v & 0xff00) << 8 | v << 24; }

/* Register r is 2r, the small constant c is 2 * zigzag(c) + 1. */
static void pack_x(tirbi_writer *w, uint16_t x) {
    if (tirbi_x_is_small(x)) {
        int64_t c = tirbi_x_small(x);
        uint64_t folded = (uint64_t)(c < 0 ? -2 * c - 1 : 2 * c);
        tirbi_write_varint(w, 2 * folded + 1);
    } else {
        tirbi_write_varint(w, 2 * (uint64_t)x);
    }
}

static uint16_t unpack_x(tirbi_reader *r) {
    uint64_t v = tirbi_read_varint(r);
    uint64_t folded = v >> 1;
    if (folded > 0x7fff) r->failed = true;
    if (!(v & 1)) return (uint16_t)folded;
    int64_t c = (int64_t)(folded >> 1);
    return tirbi_x_from_small(folded & 1 ? -c - 1 : c);
}

static uint16_t unpack_u16(tirbi_reader *r) {
    uint64_t v = tirbi_read_varint(r);
    if (v > UINT16_MAX) r->failed = true;
    return (uint16_t)v;
}

static uint32_t unpack_u32(tirbi_reader *r) {
    uint64_t v = tirbi_read_varint(r);
    if (v > UINT32_MAX) r->failed = true;
    return (uint32_t)v;
}

static void pack_jump(tirbi_writer *w, uint32_t offset, int64_t target) { tirbi_write_signed(w, target - offset); }

static uint32_t unpack_jump(tirbi_reader *r, uint32_t offset) {
    int64_t distance = tirbi_read_signed(r);
    if (distance < -(int64_t)offset || distance > (int64_t)UINT32_MAX - (int64_t)offset) {
        r->failed = true;
        return 0;
    }
    return (uint32_t)(distance + (int64_t)offset);
}

static void pack_constant(tirbi_writer *w, uint8_t type, int64_t value) {
    switch (tirbi_dtypes[type].class) {
    case 'F':
        tirbi_write_varint(w, swap_bytes((uint32_t)value));
        break;
    case 'I':
        tirbi_write_signed(w, (int32_t)value);
        break;
    default:
        tirbi_write_varint(w, (uint32_t)value);
    }
}

static int32_t unpack_constant(tirbi_reader *r, uint8_t type) {
    if (tirbi_dtypes[type].class == 'F') return (int32_t)swap_bytes(unpack_u32(r));
    if (tirbi_dtypes[type].class != 'I') return (int32_t)unpack_u32(r);
    int64_t v = tirbi_read_signed(r);
    if (v < INT32_MIN || v > INT32_MAX) r->failed = true;
    return (int32_t)v;
}

static void pack_list(tirbi_writer *w, const uint16_t *list, uint8_t n) {
    tirbi_write_u8(w, n);
    for (unsigned i = 0; i < n; i++) tirbi_write_varint(w, list[i]);
}

static uint8_t unpack_list(tirbi_reader *r, uint16_t *list) {
    uint8_t n = tirbi_read_u8(r);
    for (unsigned i = 0; i < n; i++) list[i] = unpack_u16(r);
    return n;
}

/* Twice the reference, plus 1 for a part, whose base, stride and extent follow. */
static void pack_parts(tirbi_writer *w, const tirbi_instr *instr, uint8_t n) {
    tirbi_write_u8(w, n);
    for (unsigned i = 0; i < n; i++) {
        const tirbi_part *part = &instr->parts[i];
        tirbi_write_varint(w, 2 * (uint64_t)instr->refs[i] + part->partitioned);
        if (!part->partitioned) continue;
        pack_x(w, part->base);
        pack_x(w, part->stride);
        pack_x(w, part->extent);
    }
}

static uint8_t unpack_parts(tirbi_reader *r, tirbi_instr *out) {
    uint8_t n = tirbi_read_u8(r);
    for (unsigned i = 0; i < n; i++) {
        tirbi_part *part = &out->parts[i];
        uint64_t v = tirbi_read_varint(r);
        if (v >> 1 > UINT16_MAX) r->failed = true;
        out->refs[i] = (uint16_t)(v >> 1);
        *part = (tirbi_part){.partitioned = v & 1};
        if (!part->partitioned) continue;
        part->base = unpack_x(r);
        part->stride = unpack_x(r);
        part->extent = unpack_x(r);
    }
    return n;
}

/* A cursor's access takes the low 2 bits of a byte, its level the rest. */
enum { ACCESS_BITS = 2, ACCESS_MASK = 3 };

static void pack_header(tirbi_writer *w, const tirbi_instr *instr) {
    const tirbi_lane_header *lane = &instr->lane;
    pack_x(w, lane->n);
    tirbi_write_u8(w, lane->n_inner);
    tirbi_write_u8(w, lane->n_cursors);
    pack_jump(w, instr->offset, lane->end);
    for (unsigned i = 0; i < lane->n_inner; i++) {
        pack_x(w, lane->inner[i].extent);
        tirbi_write_varint(w, (uint16_t)(lane->inner[i].index + 1)); /* none is 0 */
    }
    for (unsigned i = 0; i < lane->n_cursors; i++) {
        const tirbi_cursor *cursor = &lane->cursors[i];
        tirbi_write_varint(w, cursor->ref);
        tirbi_write_u8(w, cursor->type);
        tirbi_write_u8(w, (uint8_t)(cursor->access | cursor->level << ACCESS_BITS));
        pack_x(w, cursor->start);
        pack_x(w, cursor->step);
        for (unsigned k = 0; k < lane->n_inner; k++) pack_x(w, cursor->steps[k]);
    }
}

static void unpack_header(tirbi_reader *r, tirbi_instr *instr) {
    tirbi_lane_header *lane = &instr->lane;
    lane->n = unpack_x(r);
    lane->n_inner = tirbi_read_u8(r);
    lane->n_cursors = tirbi_read_u8(r);
    lane->end = unpack_jump(r, instr->offset);
    if (lane->n_inner > TIRBI_MAX_INNER || lane->n_cursors > TIRBI_MAX_CURSORS) {
        r->failed = true;
        return;
    }
    for (unsigned i = 0; i < lane->n_inner; i++) {
        lane->inner[i].extent = unpack_x(r);
        lane->inner[i].index = (uint16_t)(unpack_u16(r) - 1);
    }
    for (unsigned i = 0; i < lane->n_cursors; i++) {
        tirbi_cursor *cursor = &lane->cursors[i];
        cursor->ref = unpack_u16(r);
        cursor->type = tirbi_read_u8(r);
        uint8_t bits = tirbi_read_u8(r);
        cursor->access = bits & ACCESS_MASK;
        cursor->level = (uint8_t)(bits >> ACCESS_BITS);
        cursor->start = unpack_x(r);
        cursor->step = unpack_x(r);
        for (unsigned k = 0; k < lane->n_inner; k++) cursor->steps[k] = unpack_x(r);
    }
}

static void pack_box(tirbi_writer *w, const tirbi_contract_box *box) {
    tirbi_write_u8(w, box->n_loops);
    for (unsigned i = 0; i < box->n_loops; i++) pack_x(w, box->extents[i]);
    for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) {
        tirbi_write_varint(w, box->operands[o].ref);
        tirbi_write_u8(w, box->operands[o].type);
        pack_x(w, box->operands[o].start);
        for (unsigned i = 0; i < box->n_loops; i++) pack_x(w, box->operands[o].steps[i]);
    }
}

static void unpack_box(tirbi_reader *r, tirbi_contract_box *box) {
    box->n_loops = tirbi_read_u8(r);
    if (box->n_loops > TIRBI_MAX_CONTRACT_LOOPS) {
        r->failed = true;
        return;
    }
    for (unsigned i = 0; i < box->n_loops; i++) box->extents[i] = unpack_x(r);
    for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) {
        box->operands[o].ref = unpack_u16(r);
        box->operands[o].type = tirbi_read_u8(r);
        box->operands[o].start = unpack_x(r);
        for (unsigned i = 0; i < box->n_loops; i++) box->operands[o].steps[i] = unpack_x(r);
    }
}

void tirbi_pack_instr(tirbi_writer *w, const tirbi_instr *instr) {
    const tirbi_op_info *info = &tirbi_ops[instr->op];
    tirbi_write_u8(w, instr->op);
    if (info->types) tirbi_write_u8(w, instr->type);
    for (unsigned i = 0; info->operands[i]; i++) {
        int64_t value = instr->operand[i];
        switch (info->operands[i]) {
        case 'D':
        case 'S':
        case 'W':
        case 'R':
        case 'F':
        case 'G':
        case 'K':
        case 'Z':
            tirbi_write_varint(w, (uint16_t)value);
            break;
        case 'x':
            pack_x(w, (uint16_t)value);
            break;
        case 'j':
            pack_jump(w, instr->offset, value);
            break;
        case 'i':
            pack_constant(w, instr->type, value);
            break;
        case 'I':
            tirbi_write_u64(w, (uint64_t)value);
            break;
        case 'a':
            pack_list(w, instr->scalars, (uint8_t)value);
            break;
        case 'r':
            pack_list(w, instr->refs, (uint8_t)value);
            break;
        case 'P':
            pack_parts(w, instr, (uint8_t)value);
            break;
        case 'H':
            pack_header(w, instr);
            break;
        case 'B':
            pack_box(w, &instr->box);
            break;
        default: /* V U Q C L n T */
            tirbi_write_u8(w, (uint8_t)value);
        }
    }
}

static int64_t unpack_operand(tirbi_reader *r, char letter, tirbi_instr *out) {
    switch (letter) {
    case 'D':
    case 'S':
    case 'W':
    case 'R':
    case 'F':
    case 'G':
    case 'K':
    case 'Z':
        return unpack_u16(r);
    case 'x':
        return unpack_x(r);
    case 'j':
        return unpack_jump(r, out->offset);
    case 'i':
        return unpack_constant(r, out->type);
    case 'I':
        return (int64_t)tirbi_read_u64(r);
    case 'a':
        return unpack_list(r, out->scalars);
    case 'r':
        return unpack_list(r, out->refs);
    case 'P':
        return unpack_parts(r, out);
    case 'H':
        unpack_header(r, out);
        return 0;
    case 'B':
        unpack_box(r, &out->box);
        return 0;
    default: /* V U Q C L n T */
        return tirbi_read_u8(r);
    }
}

bool tirbi_unpack_instr(tirbi_reader *r, uint32_t offset, tirbi_instr *out) {
    out->offset = offset;
    out->op = tirbi_read_u8(r);
    const tirbi_op_info *info = &tirbi_ops[out->op];
    if (!info->mnemonic) return false;
    out->type = TIRB_TYPE_NONE;
    if (info->types) {
        out->type = tirbi_read_u8(r);
        if (out->type >= TIRB_N_DTYPES) return false;
    }
    for (unsigned i = 0; info->operands[i] && !r->failed; i++) {
        out->operand[i] = unpack_operand(r, info->operands[i], out);
    }
    return !r->failed;
}

/* ---- What most code is made of --------------------------------------------------------------------------------- */

/* A varint of one byte or two. *bad: it is padded, or a longer one. */
static inline uint32_t unpack_short(const uint8_t **from, bool *bad) {
    const uint8_t *const p = *from;
    if (p[0] <= 0x7f) {
        *from = p + 1;
        return p[0];
    }
    *from = p + 2;
    *bad |= p[1] == 0 || p[1] > 0x7f;
    return (p[0] & 0x7fu) | (uint32_t)p[1] << 7;
}

/* One of up to five bytes. */
static inline uint64_t unpack_long(const uint8_t **from, bool *bad) {
    enum { BITS = 7, LAST = 28 };
    uint64_t value = 0;
    for (unsigned shift = 0; shift <= LAST; shift += BITS) {
        const uint8_t byte = *(*from)++;
        value |= (uint64_t)(byte & 0x7fu) << shift;
        if (byte > 0x7f) continue;
        *bad |= byte == 0 && shift > 0;
        return value;
    }
    *bad = true;
    return value;
}

static inline int64_t unzigzag(uint64_t folded) { return (int64_t)(folded >> 1) ^ -(int64_t)(folded & 1); }

static inline uint32_t unpack_short_constant(const uint8_t **from, uint8_t type, bool *bad) {
    const uint64_t v = unpack_long(from, bad);
    const bool is_signed = tirbi_dtypes[type].class == 'I';
    const int64_t value = is_signed ? unzigzag(v) : (int64_t)v;
    *bad |= is_signed ? value != (int32_t)value : v > UINT32_MAX;
    return tirbi_dtypes[type].class == 'F' ? swap_bytes((uint32_t)v) : (uint32_t)value;
}

static inline uint16_t unpack_short_x(const uint8_t **from, bool *bad) {
    const uint32_t v = unpack_short(from, bad);
    return v & 1 ? tirbi_x_from_small(unzigzag(v >> 1)) : (uint16_t)(v >> 1);
}

static inline uint32_t unpack_short_jump(const uint8_t **from, uint32_t offset, bool *bad) {
    const int64_t target = offset + unzigzag(unpack_short(from, bad));
    *bad |= target < 0 || target > UINT32_MAX;
    return (uint32_t)target;
}

/* Operands of other instructions than rows, as their letters say; *bad: there is a list, a header or a long number. */
static inline uint8_t *unpack_letters(const char *letters, uint8_t type, const uint8_t **from, uint32_t offset,
                                      uint8_t *to, bool *bad) {
    for (; *letters && !*bad; letters++) {
        switch (*letters) {
        case 'D':
        case 'S':
        case 'W':
        case 'R':
        case 'F':
        case 'G':
        case 'K':
        case 'Z':
            tirbi_store_u16(to, (uint16_t)unpack_short(from, bad));
            to += sizeof(uint16_t);
            break;
        case 'x':
            tirbi_store_u16(to, unpack_short_x(from, bad));
            to += sizeof(uint16_t);
            break;
        case 'j':
            tirbi_store_u32(to, unpack_short_jump(from, offset, bad));
            to += sizeof(uint32_t);
            break;
        case 'i':
            tirbi_store_u32(to, unpack_short_constant(from, type, bad));
            to += sizeof(uint32_t);
            break;
        case 'V':
        case 'U':
        case 'Q':
        case 'C':
        case 'L':
        case 'n':
        case 'T':
            *to++ = *(*from)++;
            break;
        default: /* I a r P H B */
            *bad = true;
        }
    }
    return to;
}

size_t tirbi_unpack_usual(const uint8_t *packed, uint32_t offset, uint8_t *code, size_t *size) {
    const tirbi_op_info *info = &tirbi_ops[packed[0]];
    const uint8_t *from = packed + 1;
    uint8_t *to = code + 2;
    if (!info->mnemonic) return 0;
    code[0] = packed[0];
    code[1] = info->types ? *from++ : (uint8_t)TIRB_TYPE_NONE;
    bool bad = info->types && code[1] >= TIRB_N_DTYPES; /* and then nothing looks at the type */
    const bool is_row = (info->flags & TIRBI_FLAG_ELEMENTWISE) && info->operands[2] != 'T';
    if (is_row && (info->flags & TIRBI_FLAG_LANE)) {
        for (unsigned i = 0; i <= info->arity; i++) *to++ = *from++;
    } else if (is_row) {
        for (unsigned i = 0; i <= info->arity; i++, to += sizeof(uint16_t))
            tirbi_store_u16(to, (uint16_t)unpack_short(&from, &bad));
    } else {
        to = unpack_letters(info->operands, code[1], &from, offset, to, &bad);
    }
    if (bad) return 0;
    *size = (size_t)(to - code);
    return (size_t)(from - packed);
}
