/* The handlers of the dispatch loop: those of single instructions (forms.def) and of two or three (pairs.def). */
#ifndef TIRB_VM_MACHINE_HANDLERS_H
#define TIRB_VM_MACHINE_HANDLERS_H

/* The names of forms by their kind and its operands, and of two that are one form. */
#define TIRBI_NAME_EXTEND(TYPE, type) EXTEND_##TYPE
#define TIRBI_NAME_LOAD(TYPE, type) LOAD_##TYPE
#define TIRBI_NAME_STORE(TYPE, type) STORE_##TYPE
#define TIRBI_NAME_INDEX_LOAD(TYPE, type) INDEX_LOAD_##TYPE
#define TIRBI_NAME_INDEX_STORE(TYPE, type) INDEX_STORE_##TYPE
#define TIRBI_NAME_ADD_LOAD(TYPE, type) ADD_LOAD_##TYPE
#define TIRBI_NAME_ADD_STORE(TYPE, type) ADD_STORE_##TYPE
#define TIRBI_NAME_BINARY(OP, op, TYPE, type) OP##_##TYPE
#define TIRBI_NAME_TERNARY(OP, op, TYPE, type) OP##_##TYPE
#define TIRBI_NAME_FUSED(OP, op, TYPE, type) OP##_##TYPE##_AT_ONCE
#define TIRBI_NAME_ADDEND(OP, op, TYPE, type) OP##_##TYPE##_AT_ONCE
#define TIRBI_NAME_BRNOT(OP, op, TYPE, type) OP##_##TYPE##_BRNOT
#define TIRBI_NAME_BRNOT_LOOP(OP, op, TYPE, type) OP##_##TYPE##_BRNOT_LOOP
#define TIRBI_NAME_BINARY_BACK(OP, op, TYPE, type) OP##_##TYPE##_BACK
#define TIRBI_NAME_EXTEND_BACK(TYPE, type) EXTEND_##TYPE##_BACK
#define TIRBI_NAME_CHOOSE(OP, op, TYPE, type) OP##_##TYPE##_SELECT
#define TIRBI_NAME_INDEX() INDEX
#define TIRBI_NAME_SELECT() SELECT
#define TIRBI_NAME_CONST() CONST
#define TIRBI_NAME_NOTHING_BACK() BACK
#define TIRBI_NAME_LOOP() LOOP
#define TIRBI_NAME_JMP_LOOP() JMP_LOOP
#define TIRBI_NAME_COMPARE(OP, op, TYPE, type) OP##_##TYPE
#define TIRBI_NAME_JMP() JMP
/* Of the second and the third one of three. */
#define TIRBI_NAME_BOTH(KIND, operands, NEXT_KIND, next_operands)                                                      \
    TIRBI_JOIN_NAMES(TIRBI_NAME_##KIND operands, TIRBI_NAME_##NEXT_KIND next_operands)
#define TIRBI_NAME_INTO(KIND, operands, NEXT_KIND, next_operands) TIRBI_INTO(KIND, operands, NEXT_KIND, next_operands)
#define TIRBI_NAME_LOOP_TO(KIND, operands) TIRBI_JOIN_NAMES(LOOP, TIRBI_NAME_##KIND operands)
#define TIRBI_JOIN_NAMES_(a, b) a##__##b
#define TIRBI_JOIN_NAMES(a, b) TIRBI_JOIN_NAMES_(a, b)
#define TIRBI_PAIR(KIND, operands, NEXT_KIND, next_operands)                                                           \
    TIRBI_JOIN_NAMES(TIRBI_NAME_##KIND operands, TIRBI_NAME_##NEXT_KIND next_operands)
#define TIRBI_INTO_(a, b) a##__INTO__##b
#define TIRBI_INTO__(a, b) TIRBI_INTO_(a, b)
#define TIRBI_INTO(KIND, operands, NEXT_KIND, next_operands)                                                           \
    TIRBI_INTO__(TIRBI_NAME_##KIND operands, TIRBI_NAME_##NEXT_KIND next_operands)
/* Of two of which one goes into the other, and the one behind them. */
#define TIRBI_THEN(KIND, operands, NEXT_KIND, next_operands, LAST_KIND, last_operands)                                 \
    TIRBI_JOIN_NAMES(TIRBI_INTO(KIND, operands, NEXT_KIND, next_operands), TIRBI_NAME_##LAST_KIND last_operands)
/* Of a comparison that leads to another one of its kind. */
#define TIRBI_ELSE(KIND, OP, op, TYPE, type) TIRBI_ELSE__(OP##_##TYPE##_BRNOT, TIRBI_NAME_##KIND(OP, op, TYPE, type))
#define TIRBI_ELSE__(a, b) TIRBI_ELSE_(a, b)
#define TIRBI_ELSE_(a, b) a##__ELSE__##b
#define TIRBI_HANDLER_(name) TIRBI_H_##name
#define TIRBI_HANDLER(name) TIRBI_HANDLER_(name)

enum tirbi_handler {
#define FORM(name, parts) TIRBI_H_##name,
#define UNARY(OP, op, TYPE, type) TIRBI_H_##OP##_##TYPE,
#define BINARY(OP, op, TYPE, type) TIRBI_H_##OP##_##TYPE,
#define DIVIDING(OP, op, TYPE, type) TIRBI_H_##OP##_##TYPE,
#define TERNARY(OP, op, TYPE, type) TIRBI_H_##OP##_##TYPE, TIRBI_H_##OP##_##TYPE##_AT_ONCE,
#define COMPARE(OP, op, TYPE, type)                                                                                    \
    TIRBI_H_##OP##_##TYPE, TIRBI_H_##OP##_##TYPE##_BRNOT, TIRBI_H_##OP##_##TYPE##_SELECT,
#define BRANCH(OP, op, TYPE, type) TIRBI_H_##OP##_##TYPE##_BRIF,
#define CONVERT(TO, to, FROM, from) TIRBI_H_CAST_##TO##_##FROM,
#define STEP(OP, op, TYPE, type) TIRBI_H_##OP##_##TYPE##_BACK,
#define MEMORY(TYPE, type)                                                                                             \
    TIRBI_H_LOAD_##TYPE, TIRBI_H_STORE_##TYPE, TIRBI_H_INDEX_LOAD_##TYPE, TIRBI_H_INDEX_STORE_##TYPE,                  \
    TIRBI_H_ADD_LOAD_##TYPE, TIRBI_H_ADD_STORE_##TYPE,
#define EXTEND(TYPE, type) TIRBI_H_EXTEND_##TYPE, TIRBI_H_EXTEND_##TYPE##_BACK,
#include "vm/machine/forms.def"
#define PAIR(KIND, operands, NEXT_KIND, next_operands)                                                                 \
    TIRBI_HANDLER(TIRBI_PAIR(KIND, operands, NEXT_KIND, next_operands)),
#define AROUND(NEXT_KIND, next_operands) TIRBI_HANDLER(TIRBI_PAIR(LOOP, (), NEXT_KIND, next_operands)),
#define AROUND_AHEAD(NEXT_KIND, next_operands) TIRBI_HANDLER(TIRBI_PAIR(JMP_LOOP, (), NEXT_KIND, next_operands)),
#define AGAIN(KIND, operands, NEXT_KIND, next_operands)                                                                \
    TIRBI_HANDLER(TIRBI_PAIR(KIND##_BACK, operands, NEXT_KIND, next_operands)),
#define BESIDE(OP, op, TYPE, type) TIRBI_H_##OP##_##TYPE##_BRNOT_LOOP,
#define INTO(KIND, operands, NEXT_KIND, next_operands)                                                                 \
    TIRBI_HANDLER(TIRBI_INTO(KIND, operands, NEXT_KIND, next_operands)),
#define THEN(KIND, operands, NEXT_KIND, next_operands, LAST_KIND, last_operands)                                       \
    TIRBI_HANDLER(TIRBI_THEN(KIND, operands, NEXT_KIND, next_operands, LAST_KIND, last_operands)),
#define ELSE(KIND, OP, op, TYPE, type) TIRBI_HANDLER(TIRBI_ELSE(KIND, OP, op, TYPE, type)),
#include "vm/machine/pairs.def"
    TIRBI_N_HANDLERS
};

#endif
