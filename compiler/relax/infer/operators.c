#include "compiler/relax/infer/operators.h"

#include <string.h>

#include "compiler/relax/infer/infer.h"

#define tirbi_relax_infer_none   NULL
#define tirbi_relax_prepare_none NULL

const tirb_relax_operator tirb_relax_operators[TIRB_N_RELAX_OPS] = {
#define TIRB_RELAX_OP(id, name, parameters, infer, prepare, flags) \
    {name, parameters, tirbi_relax_infer_##infer, tirbi_relax_prepare_##prepare, flags},
#include "compiler/relax/infer/operators.def"
};

const tirb_relax_operator *tirbi_relax_find_operator(const char *name) {
    for (uint32_t i = 0; i < TIRB_N_RELAX_OPS; i++)
        if (strcmp(tirb_relax_operators[i].name, name) == 0) return &tirb_relax_operators[i];
    return NULL;
}

bool tirbi_relax_is_space(const char *name) {
    size_t size = strlen(name);
    for (uint32_t i = 0; i < TIRB_N_RELAX_OPS; i++) {
        const char *full = tirb_relax_operators[i].name;
        if (strncmp(full, name, size) == 0 && full[size] == '.') return true;
    }
    return false;
}

static const char *read_parameter(const char *at, tirbi_relax_parameter *p) {
    *p = (tirbi_relax_parameter){.name = at};
    p->name_size = (uint8_t)strcspn(at, ":");
    at += p->name_size + 1;
    p->kind = *at++;
    if (*at >= '0' && *at <= '9') p->count = (uint8_t)(*at++ - '0');
    for (; *at == '?' || *at == '^'; at++) {
        if (*at == '?')
            p->nullable = true;
        else
            p->printed_later = true;
    }
    if (*at == '=') {
        p->initial = ++at;
        p->initial_size = (uint8_t)strcspn(at, " ");
        at += p->initial_size;
    }
    return at + (*at == ' ');
}

uint32_t tirbi_relax_parameters(const tirb_relax_operator *op, tirbi_relax_parameter out[TIRBI_MAX_RELAX_PARAMETERS]) {
    uint32_t n = 0;
    for (const char *at = op->parameters; *at && n < TIRBI_MAX_RELAX_PARAMETERS; n++) at = read_parameter(at, &out[n]);
    return n;
}

const tirb_relax_attr *tirbi_relax_attr_of(const tirb_relax_expr *call, const char *name) {
    static const tirb_relax_attr none = {.kind = TIRB_RELAX_ATTR_NONE};
    size_t size = strlen(name);
    uint32_t i = 0;
    for (const char *at = call->as.call.op->parameters; *at;) {
        tirbi_relax_parameter p;
        at = read_parameter(at, &p);
        if (!tirbi_relax_is_attr(&p)) continue;
        if (p.name_size == size && memcmp(p.name, name, size) == 0) return &call->as.call.attrs[i];
        i++;
    }
    return &none;
}
