/* The dispatch loop of the scalar machine. */
#define TIRBI_MATH_PREDICTS 1
#include "vm/exec/dispatch.h"

#include <string.h>

#include "loader/base/error.h"
#include "vm/enter/lane_entry.h"
#include "vm/enter/row_loop.h"
#include "vm/lanes/reduce.h"
#include "vm/lanes/slots.h"
#include "vm/machine/handlers.h"
#include "vm/math/ops.h"

#pragma GCC diagnostic ignored "-Wpedantic"
#ifdef __clang__ /* whose analysis goes through all blocks for each variable, for minutes; gcc warns alike */
#pragma clang diagnostic ignored "-Wuninitialized"
#endif

#ifdef TIRB_SWITCH_DISPATCH
#define BEGIN()                                                                                                        \
    dispatch:                                                                                                          \
    switch (pc->op) {
#define END() }
#define HANDLER(name) case TIRBI_H_##name:
#define GO() goto dispatch
#define GO_TO(form)                                                                                                    \
    do {                                                                                                               \
        (void)(form);                                                                                                  \
        GO();                                                                                                          \
    } while (0)
#else
#define BEGIN() GO();
#define END()
#define HANDLER(name) name:
#define GO() goto *target[pc->op]
#define GO_TO(form) goto *target[form]
#endif
#define PLACED_HANDLER(name) HANDLER(name)

/* In a function with hundreds of handlers gcc keeps even these in memory unless it is told where they live; the loop is
 * then bound by store forwarding. Callee-saved registers, so that calls leave them alone. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__OPTIMIZE__)
#define PINNED(type, name, where) register type name __asm__(where)
#define READ_BEFORE_PC_MOVES(value) __asm__("" : "+r"(pc) : "r"(value)) /* or pc is copied */
#define CHOOSE_OTHER(value, other, holds) /* or it is a branch */                                                      \
    __asm__("test %2, %2\n\tcmove %1, %0" : "+r"(value) : "r"(other), "r"((unsigned)(holds)) : "cc")
#else
#define CHOOSE_OTHER(value, other, holds) (value) = (other) ^ (((value) ^ (other)) & (0 - (uint64_t)((holds) != 0)))
#define PINNED(type, name, where) type name
#define READ_BEFORE_PC_MOVES(value) (void)0
#endif

/* Goes on `words` words further. */
#define NEXT(words)                                                                                                    \
    do {                                                                                                               \
        const unsigned next_ = pc[words].op;                                                                           \
        READ_BEFORE_PC_MOVES(next_);                                                                                   \
        pc += (words);                                                                                                 \
        GO_TO(next_);                                                                                                  \
    } while (0)
#define JUMP(distance)                                                                                                 \
    do {                                                                                                               \
        pc += (distance);                                                                                              \
        GO();                                                                                                          \
    } while (0)
/* Ends the run with the status of `expression`, which has filled the error. */
#define FAIL(expression)                                                                                               \
    do {                                                                                                               \
        status = (expression);                                                                                         \
        goto trap;                                                                                                     \
    } while (0)
#define TRY(expression)                                                                                                \
    do {                                                                                                               \
        status = (expression);                                                                                         \
        if (status != TIRB_OK) goto trap;                                                                              \
    } while (0)

/* Ends the run if it is to stop. */
#define LOOK()                                                                                                         \
    do {                                                                                                               \
        if (__builtin_expect(atomic_load_explicit(machine->stop, memory_order_relaxed) != TIRBI_RUN, 0))               \
            FAIL(tirbi_poll(machine));                                                                                 \
    } while (0)

/* Fuel is at hand a slice at a time, the first of which is empty: where one ends, the stop flag is looked at. What
 * others charge counts as used of the slice. */
enum { FUEL_SLICE = 1 << 11 };
#define GIVE_FUEL() machine->fuel = kept + fuel
#define TAKE_FUEL()                                                                                                    \
    do {                                                                                                               \
        const uint64_t used_ = kept + fuel - machine->fuel;                                                            \
        fuel = used_ < fuel ? fuel - used_ : 0;                                                                        \
        kept = machine->fuel - fuel;                                                                                   \
    } while (0)
/* A form is written for the place of its first word, so many words behind pc, which stays where it is until the next
 * form is gone to: else handlers of several forms would copy it. FAIL_AT ends the run in the instruction there. */
#define FAIL_AT(AT, expression)                                                                                        \
    do {                                                                                                               \
        pc += (AT);                                                                                                    \
        FAIL(expression);                                                                                              \
    } while (0)
/* Where there is not enough at hand. */
#define CHARGE_MORE(amount, words_behind)                                                                              \
    do {                                                                                                               \
        GIVE_FUEL();                                                                                                   \
        status = charge_and_poll(machine, amount);                                                                     \
        if (status != TIRB_OK) FAIL_AT(words_behind, status);                                                          \
        fuel = machine->fuel < FUEL_SLICE ? machine->fuel : FUEL_SLICE;                                                \
        kept = machine->fuel - fuel;                                                                                   \
    } while (0)
#define CHARGE(amount)                                                                                                 \
    do {                                                                                                               \
        const uint64_t charge_ = (amount);                                                                             \
        if (__builtin_expect(charge_ > fuel, 0)) CHARGE_MORE(charge_, 0);                                              \
        else fuel -= charge_;                                                                                          \
    } while (0)
/* Charges a form whose second word has the cost and the distance, and goes back to the head of its loop; a trap is so
 * many words behind. The head most often is the one that was gone back to last: then pc comes from a register, and the
 * processor need not have read the distance, nor where pc was, to go on with the next iteration. The compiler is kept
 * from finding that both are the same, and from choosing without a branch. */
#define GO_TO_HEAD(AT, BEHIND)                                                                                         \
    do {                                                                                                               \
        fuel -= pc[(AT) + 1].cost;                                                                                     \
        if (__builtin_expect((int64_t)fuel < 0, 0)) {                                                                  \
            pc += (AT);                                                                                                \
            behind = (BEHIND);                                                                                         \
            goto charge_and_go_back;                                                                                   \
        }                                                                                                              \
        const tirbi_word *last_ = head;                                                                                \
        __asm__("" : "+r"(last_));                                                                                     \
        if (__builtin_expect(pc + pc[(AT) + 1].far_jump + (AT) != last_, 0)) {                                         \
            head = pc + pc[(AT) + 1].far_jump + (AT);                                                                  \
            __asm__ volatile("");                                                                                      \
        }                                                                                                              \
        pc = head;                                                                                                     \
    } while (0)

/* Two operands side by side are read at once, for what most forms wait for is their accesses to memory: b and c of a
 * word, or the first two and the last two of a list. */
#define PAIR_OF_OPERANDS(halves) const uint32_t halves_ = (uint32_t)(halves)
#define READ_B_AND_C(AT) PAIR_OF_OPERANDS(pc[AT].jump)
#define READ_FIRST_TWO(AT) PAIR_OF_OPERANDS(pc[AT].far_jump)
#define READ_LAST_TWO(AT) PAIR_OF_OPERANDS(pc[AT].cost)
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define ONE_OF_BOTH (halves_ >> 16)
#define OTHER_OF_BOTH ((uint16_t)halves_)
#else
#define ONE_OF_BOTH ((uint16_t)halves_)
#define OTHER_OF_BOTH (halves_ >> 16)
#endif
#define B_OF_BOTH OTHER_OF_BOTH
#define C_OF_BOTH ONE_OF_BOTH

/* A loop instruction. */
#define COUNT(AT)                                                                                                      \
    do {                                                                                                               \
        int64_t turn_ = (int64_t)(s[pc[AT].a] + 1);                                                                    \
        s[pc[AT].a] = (uint64_t)turn_;                                                                                 \
        if (turn_ < (int64_t)s[pc[AT].b]) {                                                                            \
            GO_TO_HEAD(AT, 0);                                                                                         \
            GO();                                                                                                      \
        }                                                                                                              \
        NEXT((AT) + 2);                                                                                                \
    } while (0)
/* A back, in its second word, from which on a trap counts as the back's where it is part of a form. */
#define GO_BACK(AT)                                                                                                    \
    do {                                                                                                               \
        GO_TO_HEAD(AT, 1);                                                                                             \
        GO();                                                                                                          \
    } while (0)
/* A select: its second word has the slots of the value where not, of the one where so, and of the result. Nothing is
 * predicted. */
#define CHOOSE(AT, holds)                                                                                              \
    do {                                                                                                               \
        const uint64_t no_ = s[pc[(AT) + 1].list[0]];                                                                  \
        uint64_t chosen_ = s[pc[(AT) + 1].list[1]];                                                                    \
        CHOOSE_OTHER(chosen_, no_, holds);                                                                             \
        s[pc[(AT) + 1].list[2]] = chosen_;                                                                             \
    } while (0)
#define CHECK_INDEX(AT, index)                                                                                         \
    do {                                                                                                               \
        int64_t index_ = (int64_t)(index);                                                                             \
        if (__builtin_expect(index_ < 0 || index_ >= (int64_t)s[pc[(AT) + 1].list[0]], 0))                             \
            FAIL_AT(AT, bad_index(machine, pc, s, (uint64_t)index_));                                                  \
    } while (0)
/* d = r[x] and r[x] = v, of an instruction whose word is at AT. */
#define LOAD_ELEMENT(AT, C, slot_of, to, r, x)                                                                         \
    do {                                                                                                               \
        const tirbi_ref *ref_ = &refs[r];                                                                              \
        uint64_t at_ = (x);                                                                                            \
        C value_;                                                                                                      \
        if (__builtin_expect(at_ >= ref_->count, 0))                                                                   \
            FAIL_AT(AT, out_of_bounds(machine, pc, "load", at_, ref_, sizeof value_));                                 \
        memcpy(&value_, ref_->data + at_ * sizeof value_, sizeof value_);                                              \
        (to) = slot_of(value_);                                                                                        \
    } while (0)
#define STORE_ELEMENT(AT, C, r, x, v)                                                                                  \
    do {                                                                                                               \
        const tirbi_ref *ref_ = &refs[r];                                                                              \
        uint64_t at_ = (x);                                                                                            \
        const C value_ = (v);                                                                                          \
        if (__builtin_expect(at_ >= ref_->count, 0))                                                                   \
            FAIL_AT(AT, out_of_bounds(machine, pc, "store", at_, ref_, sizeof value_));                                \
        memcpy(ref_->data + at_ * sizeof value_, &value_, sizeof value_);                                              \
    } while (0)

/* The same of an element whose index is checked first, whose message the trap has. That an index is not negative, the
 * end of memory tells as well. */
#define CHECK_ELEMENT(AT, C, what, r, index)                                                                           \
    const tirbi_ref *ref_ = &refs[r];                                                                                  \
    if (__builtin_expect((index) >= ref_->count || (int64_t)(index) >= (int64_t)s[pc[(AT) + 1].list[0]], 0)) {         \
        CHECK_INDEX(AT, index);                                                                                        \
        FAIL_AT((AT) + 1, out_of_bounds(machine, pc, what, index, ref_, sizeof(C)));                                   \
    }

/* What a form of a kind does at a place, and how many words it has; RUN goes on to the next form. */
#define OPERANDS(...) __VA_ARGS__
#define DO_(name, ...) name(__VA_ARGS__)
#define DO(KIND, AT, operands) DO_(DO_##KIND, AT, OPERANDS operands)
#define RUN_(name, ...) name(__VA_ARGS__)
#define RUN(KIND, AT, operands) RUN_(RUN_##KIND, AT, OPERANDS operands)
/* The same inside of it. */
#define RUN_LAST_(name, ...) name(__VA_ARGS__)
#define RUN_LAST(KIND, AT, operands) RUN_LAST_(RUN_##KIND, AT, OPERANDS operands)
#define DO_AND_GO(KIND, AT, operands)                                                                                  \
    do {                                                                                                               \
        DO(KIND, AT, operands);                                                                                        \
        NEXT((AT) + WORDS_##KIND);                                                                                     \
    } while (0)
#define PUT_AND_GO(KIND, from, AT, operands)                                                                           \
    do {                                                                                                               \
        DO_(PUT_##KIND, s[pc[AT].a], from, AT, OPERANDS operands);                                                     \
        NEXT((AT) + WORDS_##KIND);                                                                                     \
    } while (0)
#define DO_NOTHING(AT, ...) (void)0
#define WORDS_NOTHING 0
#define DO_CONST(AT, ...) s[pc[AT].a] = (uint64_t)(int64_t)pc[AT].jump
#define WORDS_CONST 1
#define RUN_CONST(AT, ...) DO_AND_GO(CONST, AT, ())
#define DO_INDEX(AT, ...) CHECK_INDEX(AT, s[pc[AT].a])
#define WORDS_INDEX 2
#define RUN_INDEX(AT, ...) DO_AND_GO(INDEX, AT, ())
#define DO_SELECT(AT, ...) CHOOSE(AT, (uint8_t)s[pc[AT].b] != 0)
#define WORDS_SELECT 2
#define RUN_SELECT(AT, ...) DO_AND_GO(SELECT, AT, ())
#define RUN_LOOP(AT, ...) COUNT(AT)
#define RUN_JMP_LOOP(AT, ...)                                                                                          \
    do {                                                                                                               \
        pc += pc[AT].jump + (AT);                                                                                      \
        COUNT(0);                                                                                                      \
    } while (0)

#define LOAD_FRAME()                                                                                                   \
    do {                                                                                                               \
        frame = machine->frame;                                                                                        \
        s = tirbi_frame_slots(frame);                                                                                  \
        refs = tirbi_frame_refs(frame);                                                                                \
    } while (0)

/* Fused multiply-adds by the instructions that code->fuses speaks of: this file is compiled for any processor. */
#if defined(__x86_64__) && defined(__GNUC__)
#define FUSED(op, type, instruction)                                                                                   \
    static inline tirbi_c_##type op##_##type(tirbi_c_##type a, tirbi_c_##type b, tirbi_c_##type c) {                   \
        __asm__(instruction " %2, %1, %0" : "+x"(a) : "x"(b), "x"(c));                                                 \
        return a;                                                                                                      \
    }
FUSED(fma, f32, "vfmadd213ss") FUSED(fma, f64, "vfmadd213sd") FUSED(fms, f32, "vfmsub213ss")
FUSED(fms, f64, "vfmsub213sd") FUSED(fnma, f32, "vfnmadd213ss") FUSED(fnma, f64, "vfnmadd213sd")
#undef FUSED
#else
#define fma_f32 tirbi_fma_f32
#define fma_f64 tirbi_fma_f64
#define fms_f32 tirbi_fms_f32
#define fms_f64 tirbi_fms_f64
#define fnma_f32 tirbi_fnma_f32
#define fnma_f64 tirbi_fnma_f64
#endif

static tirb_status no_division(tirb_error *error) {
    return tirbi_error_set(error, TIRB_DIVIDE, "an integer is divided by zero");
}

static tirb_status assertion(const tirbi_machine *machine, const tirbi_word *pc) {
    return tirbi_error_set(machine->error, TIRB_ASSERT, "%s: %s", tirbi_string_of(machine, pc->b),
                           tirbi_string_of(machine, pc->c));
}

static tirb_status not_same(const tirbi_machine *machine, const tirbi_word *pc, const uint64_t *s) {
    return tirbi_error_set(machine->error, TIRB_SHAPE, "%s is %lld, expected %lld", tirbi_string_of(machine, pc->c),
                           (long long)s[pc->a], (long long)s[pc->b]);
}

/* The second word of an index instruction has the extent's slot, the dimension and the buffer's name. */
static tirb_status bad_index(const tirbi_machine *machine, const tirbi_word *pc, const uint64_t *s, uint64_t index) {
    const uint16_t *list = pc[1].list;
    return tirbi_bad_index(machine, (int64_t)index, list[1], list[2], (int64_t)s[list[0]]);
}

/* An access whose word stands for an index instruction as well fails as that does. */
static tirb_status out_of_bounds(const tirbi_machine *machine, const tirbi_word *pc, const char *what, uint64_t index,
                                 const tirbi_ref *ref, size_t size) {
    const tirbi_fn *const fn = machine->frame->fn;
    const tirbi_function *const f = fn->function;
    const uint32_t at = tirbi_words_place(&fn->all, (uint32_t)(pc - fn->words));
    tirbi_instr in;
    if (at < f->code_size && f->code[at] == TIRB_OP_INDEX &&
        tirbi_decode_verified(f->code, f->code_size, at, &in, machine->error) == TIRB_OK)
        return tirbi_bad_index(machine, (int64_t)index, (unsigned)in.operand[2], (uint32_t)in.operand[3],
                               (int64_t)tirbi_frame_slots(machine->frame)[in.operand[1]]);
    return tirbi_error_set(machine->error, TIRB_BOUNDS, "%s of element %lld is outside of its %llu elements", what,
                           (long long)index, (unsigned long long)(ref->size / size));
}

/* Pushes the frame that a call instruction asks for and passes the arguments. */
static tirb_status enter_call(tirbi_machine *machine, const tirbi_word *pc) {
    const tirbi_fn *fn = &machine->code->functions[pc->a];
    tirbi_frame *caller = machine->frame;
    const uint64_t *s = tirbi_frame_slots(caller);
    const tirbi_ref *refs = tirbi_frame_refs(caller);
    TIRBI_TRY(tirbi_charge(machine, fn->cost));
    TIRBI_TRY(tirbi_poll(machine));
    TIRBI_TRY(tirbi_machine_push(machine, fn));
    uint64_t *to = tirbi_frame_slots(machine->frame);
    tirbi_ref *to_refs = tirbi_frame_refs(machine->frame);
    uint32_t n_scalars = fn->n_scalar_args;
    const tirbi_word *list = pc + 1;
    for (uint32_t i = 0; i < n_scalars; i++) to[fn->scalar_args[i]] = s[list[i / 4].list[i % 4]];
    list += (n_scalars + 3) / 4;
    for (uint32_t i = 0; i < fn->n_ref_args; i++)
        tirbi_pass_ref(to_refs, &fn->ref_args[i], &refs[list[i / 4].list[i % 4]]);
    machine->frame->dest = pc->b;
    machine->frame->pc = list + (fn->n_ref_args + 3u) / 4;
    return TIRB_OK;
}

/* Hands a call to the host, in the host's own floating-point state. */
static tirb_status call_import(tirbi_machine *machine, const tirbi_word *pc, const tirbi_word **after) {
    const tirbi_program *program = machine->code->program;
    const tirbi_import *import = &program->imports[pc->a];
    uint64_t *s = tirbi_frame_slots(machine->frame);
    const tirbi_ref *refs = tirbi_frame_refs(machine->frame);
    uint64_t scalars[TIRBI_MAX_CALL_ARGS];
    tirbi_ref views[TIRBI_MAX_CALL_ARGS];
    uint32_t n_scalars = 0, n_views = 0;
    for (uint32_t i = 0; i < import->n_params; i++) n_scalars += import->params[i].access == 0;
    const tirbi_word *view_list = pc + 1 + (n_scalars + 3) / 4;
    n_scalars = 0;
    for (uint32_t i = 0; i < import->n_params; i++) {
        const tirbi_import_param *param = &import->params[i];
        if (param->access == 0) {
            uint16_t reg = pc[1 + n_scalars / 4].list[n_scalars % 4];
            scalars[n_scalars++] = tirbi_slot_extend(s[reg], param->dtype);
        } else {
            views[n_views] = refs[view_list[n_views / 4].list[n_views % 4]];
            views[n_views].type = param->dtype;
            views[n_views++].writable = param->access & TIRBI_WRITE;
        }
    }
    *after = view_list + (n_views + 3) / 4;
    TIRBI_TRY(tirbi_poll(machine));
    if (!machine->run->import) {
        return tirbi_error_set(machine->error, TIRB_IMPORT, "nothing is bound to the import '%.200s'",
                               tirbi_string_of(machine, import->name));
    }
    uint64_t result = 0;
    tirbi_machine_settle(machine);
    tirbi_fpu_leave(machine->host);
    tirb_status status = machine->run->import(machine->run->import_context, pc->a, machine->n_chunked > 0, scalars,
                                              views, &result, machine->error);
    machine->host = tirbi_fpu_read();
    tirbi_fpu_enter(machine->host);
    if (status == TIRB_OK && import->returns) s[pc->b] = tirbi_slot_extend(result, import->return_type);
    return status == TIRB_OK ? tirbi_poll(machine) : status;
}

/* A result is as much work as an allocation of it. */
static tirb_status give_result(tirbi_machine *machine, const tirbi_word *pc, const tirbi_word **after) {
    const uint64_t *s = tirbi_frame_slots(machine->frame);
    const tirbi_ref *from = &tirbi_frame_refs(machine->frame)[pc->b];
    int64_t extents[TIRBI_MAX_NDIM];
    for (uint32_t i = 0; i < pc->c; i++) extents[i] = (int64_t)s[pc[1 + i / 4].list[i % 4]];
    *after = pc + 1 + (pc->c + 3u) / 4;
    const uint64_t bytes = tirbi_result_bytes(extents, pc->c, tirbi_dtypes[from->type].size);
    if (bytes <= from->size) TIRBI_TRY(tirbi_charge(machine, bytes / 64)); /* else it is none */
    TIRBI_TRY(tirbi_poll(machine));
    if (!machine->run->result) return tirbi_error_set(machine->error, TIRB_UNSUPPORTED, "there are no open results");
    tirbi_machine_settle(machine);
    return machine->run->result(machine->run->result_context, pc->a, extents, bytes, from, machine->error);
}

static tirb_status charge_and_poll(tirbi_machine *machine, uint64_t amount) {
    TIRBI_TRY(tirbi_charge(machine, amount));
    return tirbi_poll(machine);
}

tirb_status tirbi_dispatch(tirbi_machine *machine, const tirbi_word **trap_pc) {
#ifndef TIRB_SWITCH_DISPATCH
    static const void *const targets[TIRBI_N_HANDLERS] = {
#define FORM(name, parts) &&name,
#define UNARY(OP, op, TYPE, type) &&OP##_##TYPE,
#define BINARY(OP, op, TYPE, type) &&OP##_##TYPE,
#define DIVIDING(OP, op, TYPE, type) &&OP##_##TYPE,
#define TERNARY(OP, op, TYPE, type) &&OP##_##TYPE, &&OP##_##TYPE##_AT_ONCE,
#define COMPARE(OP, op, TYPE, type) &&OP##_##TYPE, &&OP##_##TYPE##_BRNOT, &&OP##_##TYPE##_SELECT,
#define BRANCH(OP, op, TYPE, type) &&OP##_##TYPE##_BRIF,
#define CONVERT(TO, to, FROM, from) &&CAST_##TO##_##FROM,
#define STEP(OP, op, TYPE, type) &&OP##_##TYPE##_BACK,
#define MEMORY(TYPE, type)                                                                                             \
    &&LOAD_##TYPE, &&STORE_##TYPE, &&INDEX_LOAD_##TYPE, &&INDEX_STORE_##TYPE, &&ADD_LOAD_##TYPE, &&ADD_STORE_##TYPE,
#define EXTEND(TYPE, type) &&EXTEND_##TYPE, &&EXTEND_##TYPE##_BACK,
#include "vm/machine/forms.def"
#define PAIR(KIND, operands, NEXT_KIND, next_operands) &&TIRBI_PAIR(KIND, operands, NEXT_KIND, next_operands),
#define AROUND(NEXT_KIND, next_operands) &&TIRBI_PAIR(LOOP, (), NEXT_KIND, next_operands),
#define AROUND_AHEAD(NEXT_KIND, next_operands) &&TIRBI_PAIR(JMP_LOOP, (), NEXT_KIND, next_operands),
#define AGAIN(KIND, operands, NEXT_KIND, next_operands) &&TIRBI_PAIR(KIND##_BACK, operands, NEXT_KIND, next_operands),
#define BESIDE(OP, op, TYPE, type) &&OP##_##TYPE##_BRNOT_LOOP,
#define INTO(KIND, operands, NEXT_KIND, next_operands) &&TIRBI_INTO(KIND, operands, NEXT_KIND, next_operands),
#define THEN(KIND, operands, NEXT_KIND, next_operands, LAST_KIND, last_operands)                                       \
    &&TIRBI_THEN(KIND, operands, NEXT_KIND, next_operands, LAST_KIND, last_operands),
#define ELSE(KIND, OP, op, TYPE, type) &&TIRBI_ELSE(KIND, OP, op, TYPE, type),
#include "vm/machine/pairs.def"
    };
#endif
#ifndef TIRB_SWITCH_DISPATCH
    PINNED(const void *const *, target, "r14") = targets;
#endif
    const tirbi_frame *const bottom = machine->frame;
    PINNED(const tirbi_word *, pc, "rbx") = bottom->fn->words;
    tirbi_frame *frame;
    PINNED(uint64_t *, s, "r12");
    PINNED(tirbi_ref *, refs, "r13");
    PINNED(uint64_t, fuel, "r15") = 0;
    uint64_t kept = machine->fuel;
    PINNED(const tirbi_word *, head, "rbp") = pc;
    tirb_status status;
    unsigned behind; /* pc, in words: where going back traps */
    LOAD_FRAME();

    BEGIN()

    HANDLER(JMP) { JUMP(pc->jump); }
    HANDLER(JMP_LOOP) { RUN_JMP_LOOP(0, ); }
    HANDLER(BACK) { GO_BACK(0); }
    HANDLER(BRIF) {
        if ((uint8_t)s[pc->a] != 0) JUMP(pc->jump);
        NEXT(1);
    }
    HANDLER(BRNOT) {
        if ((uint8_t)s[pc->a] == 0) JUMP(pc->jump);
        NEXT(1);
    }
    HANDLER(LOOP) {
        COUNT(0);
    }
    HANDLER(LOOP_ROWS) {
        const int64_t turn = (int64_t)(s[pc->a] + 1);
        s[pc->a] = (uint64_t)turn;
        if (turn >= (int64_t)s[pc->b]) NEXT(2);
        CHARGE(pc[1].cost);
        const tirbi_word *next = pc + pc[1].far_jump;
        GIVE_FUEL();
        status = tirbi_row_loop_run(machine, pc, &next);
        TAKE_FUEL();
        pc = next;
        if (status != TIRB_OK) goto trap;
        GO();
    }
    HANDLER(CALL) {
        GIVE_FUEL();
        TRY(enter_call(machine, pc));
        TAKE_FUEL();
        LOAD_FRAME();
        pc = frame->fn->words;
        GO();
    }
    HANDLER(CALLX) {
        const tirbi_word *after;
        GIVE_FUEL();
        TRY(call_import(machine, pc, &after));
        pc = after;
        GO();
    }
    HANDLER(RESULT) {
        const tirbi_word *after;
        GIVE_FUEL();
        TRY(give_result(machine, pc, &after));
        TAKE_FUEL();
        pc = after;
        GO();
    }
    HANDLER(RET) { /* of frames that are many code may do nothing but return */
        LOOK();
        machine->result = tirbi_slot_extend(s[pc->a], (uint8_t)pc->b);
        bool last = frame == bottom;
        uint16_t dest = frame->dest;
        pc = frame->pc;
        tirbi_machine_pop(machine);
        if (last) goto done;
        LOAD_FRAME();
        s[dest] = machine->result;
        GO();
    }
    HANDLER(RETVOID) {
        LOOK();
        bool last = frame == bottom;
        pc = frame->pc;
        tirbi_machine_pop(machine);
        if (last) goto done;
        LOAD_FRAME();
        GO();
    }
    HANDLER(PROBE) { /* at a line (b: 1), or back in it after a call */
        tirbi_profile *profile = machine->run->profile;
        profile->runs[pc[1].cost] += pc->b;
        atomic_store_explicit(&profile->current, pc[1].cost, memory_order_relaxed);
        NEXT(2);
    }
    HANDLER(LOOK) {
        LOOK();
        NEXT(1);
    }
    HANDLER(ASSERT) {
        if (__builtin_expect((uint8_t)s[pc->a] == 0, 0)) FAIL(assertion(machine, pc));
        NEXT(1);
    }
    HANDLER(TRAP) { FAIL(tirbi_error_set(machine->error, (tirb_status)pc->a, "%s", tirbi_string_of(machine, pc->b))); }
    HANDLER(SAME) {
        if (__builtin_expect(s[pc->a] != s[pc->b], 0)) FAIL(not_same(machine, pc, s));
        NEXT(1);
    }
    HANDLER(REF_CONST) {
        refs[pc->a] = machine->code->constants[pc->b];
        NEXT(1);
    }
    HANDLER(INDEX) { RUN_INDEX(0, ); }
    HANDLER(CONST) { RUN_CONST(0, ); }
    HANDLER(CONST64) {
        s[pc->a] = pc[1].bits;
        NEXT(2);
    }
    HANDLER(ALLOC) {
        LOOK();
        int64_t count = (int64_t)s[pc->b];
        uint8_t type = (uint8_t)pc->c;
        if (count > 0) CHARGE((uint64_t)count / 64 * tirbi_dtypes[type].size +
                              (uint64_t)count % 64 * tirbi_dtypes[type].size / 64);
        TRY(tirbi_site_alloc(machine, tirbi_frame_sites(frame) + pc[1].cost, count, type, &refs[pc->a]));
        NEXT(2);
    }
    HANDLER(SLICE) {
        TRY(tirbi_make_slice(pc, s, refs, machine->error));
        NEXT(2);
    }
    HANDLER(LENGTH) {
        s[pc->a] = refs[pc->b].size >> pc->c;
        NEXT(1);
    }
    HANDLER(MEET) {
        s[pc->a] = tirbi_refs_meet(&refs[pc->b], &refs[pc->c]);
        NEXT(1);
    }
    HANDLER(REF_GET) {
        TRY(tirbi_handle_get(machine, s[pc->b], &frame->fn->function->refs[pc->a], &refs[pc->a]));
        NEXT(1);
    }
    HANDLER(REF_PUT) {
        TRY(tirbi_handle_put(machine, &refs[pc->b], &s[pc->a]));
        NEXT(1);
    }
    HANDLER(RED_BEGIN) {
        tirbi_red *red = &tirbi_frame_reds(frame)[pc->a];
        uint8_t op = frame->fn->function->reds[pc->a].op;
        if (pc->c == TIRB_F32)
            tirbi_red_begin_f32(red, op, tirbi_slot_f32(s[pc->b]));
        else
            tirbi_red_begin_f64(red, op, tirbi_slot_f64(s[pc->b]));
        NEXT(1);
    }
    HANDLER(RED_PUSH) {
        tirbi_red *red = &tirbi_frame_reds(frame)[pc->a];
        if (pc->c == TIRB_F32)
            tirbi_red_push_f32(red, tirbi_slot_f32(s[pc->b]));
        else
            tirbi_red_push_f64(red, tirbi_slot_f64(s[pc->b]));
        NEXT(1);
    }
    HANDLER(RED_PUSHMA) {
        tirbi_red *red = &tirbi_frame_reds(frame)[pc->a];
        if (pc[1].list[0] == TIRB_F32)
            tirbi_red_pushma_f32(red, tirbi_slot_f32(s[pc->b]), tirbi_slot_f32(s[pc->c]));
        else
            tirbi_red_pushma_f64(red, tirbi_slot_f64(s[pc->b]), tirbi_slot_f64(s[pc->c]));
        NEXT(2);
    }
    HANDLER(RED_END) {
        tirbi_red *red = &tirbi_frame_reds(frame)[pc->b];
        s[pc->a] = pc->c == TIRB_F32 ? tirbi_slot_of_f32(tirbi_red_end_f32(red))
                                     : tirbi_slot_of_f64(tirbi_red_end_f64(red));
        NEXT(1);
    }
    HANDLER(LANE) {
        LOOK();
        GIVE_FUEL();
        const tirbi_lane_loop *loop = &frame->fn->loops[pc[1].cost];
        TRY(tirbi_lane_run(machine, loop, &frame->fn->loop_inputs[pc[1].cost]));
        TAKE_FUEL();
        pc = frame->fn->words + loop->after;
        GO();
    }
    HANDLER(CONTRACT) {
        LOOK();
        GIVE_FUEL();
        TRY(tirbi_contract_step(machine, &frame->fn->contracts[pc[1].cost]));
        TAKE_FUEL();
        NEXT(2);
    }
    HANDLER(FOLD) {
        LOOK();
        GIVE_FUEL();
        TRY(tirbi_fold_step(machine, &frame->fn->contracts[pc[1].cost]));
        TAKE_FUEL();
        NEXT(2);
    }
    HANDLER(FOLDS) { /* the second one's words follow: where both cannot be done together, they are next */
        bool both;
        LOOK();
        GIVE_FUEL();
        TRY(tirbi_folds_step(machine, &frame->fn->contracts[pc[1].cost], &both));
        TAKE_FUEL();
        NEXT(both ? 4 : 2);
    }
    HANDLER(FORK) {
        bool entered = false;
        GIVE_FUEL();
        TRY(tirbi_fork_step(machine, pc, &entered));
        TAKE_FUEL();
        if (!entered) NEXT(2);
        LOAD_FRAME();
        pc = frame->fn->words;
        GO();
    }
    HANDLER(FUNCTION) {
        if (__builtin_expect(!pc[2].scalar(&s[pc->a], s[pc->b], s[pc->c], s[pc[1].list[0]]), 0))
            FAIL(no_division(machine->error));
        NEXT(3);
    }
    HANDLER(SELECT) { RUN_SELECT(0, ); }
    HANDLER(SELECT_PART)
    HANDLER(SELECT_BOOL) {
        s[pc->a] = tirbi_slot_extend((uint8_t)s[pc->b] != 0 ? s[pc->c] : s[pc[1].list[0]], (uint8_t)pc[1].list[1]);
        NEXT(2);
    }
    HANDLER(BOOL64) {
        s[pc->a] = s[pc->b] != 0;
        NEXT(1);
    }

#undef bool /* names are put together of it, in more than one step */
#define SLOT(type, slot) tirbi_slot_##type(s[slot])
/* What a form computes from the value of one of its operands, wherever both are: in slots, or in a register of the
 * processor, where it goes from one form into the next. */
#define PUT_LOAD(to, index, AT, TYPE, type)                                                                            \
    do {                                                                                                               \
        READ_B_AND_C(AT);                                                                                              \
        LOAD_ELEMENT(AT, tirbi_c_##type, tirbi_slot_of_##type, to, B_OF_BOTH, index);                                  \
    } while (0)
#define PUT_STORE(to, from, AT, TYPE, type)                                                                            \
    do {                                                                                                               \
        READ_B_AND_C(AT);                                                                                              \
        STORE_ELEMENT(AT, tirbi_c_##type, pc[AT].a, s[B_OF_BOTH], tirbi_slot_##type(from));                            \
    } while (0)
#define PUT_INDEX_LOAD(to, index, AT, TYPE, type)                                                                      \
    do {                                                                                                               \
        READ_B_AND_C(AT);                                                                                              \
        const uint64_t index_of = (index);                                                                             \
        tirbi_c_##type value_;                                                                                         \
        CHECK_ELEMENT(AT, tirbi_c_##type, "load", B_OF_BOTH, index_of);                                                \
        memcpy(&value_, ref_->data + index_of * sizeof value_, sizeof value_);                                         \
        (to) = tirbi_slot_of_##type(value_);                                                                           \
    } while (0)
#define PUT_INDEX_STORE(to, from, AT, TYPE, type)                                                                      \
    do {                                                                                                               \
        READ_B_AND_C(AT);                                                                                              \
        const uint64_t index = s[B_OF_BOTH];                                                                           \
        const tirbi_c_##type value_ = tirbi_slot_##type(from);                                                         \
        CHECK_ELEMENT(AT, tirbi_c_##type, "store", pc[AT].a, index);                                                   \
        memcpy(ref_->data + index * sizeof value_, &value_, sizeof value_);                                            \
    } while (0)
#define PUT_ADD_LOAD(to, AT, TYPE, type)                                                                               \
    do {                                                                                                               \
        READ_FIRST_TWO((AT) + 1);                                                                                      \
        const uint64_t at = s[ONE_OF_BOTH] + s[OTHER_OF_BOTH];                                                         \
        s[pc[AT].c] = at;                                                                                              \
        LOAD_ELEMENT((AT) + 1, tirbi_c_##type, tirbi_slot_of_##type, to, pc[AT].b, at);                                \
    } while (0)
#define DO_ADD_LOAD(AT, ...) PUT_ADD_LOAD(s[pc[AT].a], AT, __VA_ARGS__)
#define PUT_BINARY(to, from, AT, OP, op, TYPE, type)                                                                   \
    do {                                                                                                               \
        READ_B_AND_C(AT);                                                                                              \
        (to) = tirbi_slot_of_##type(                                                                                   \
            (tirbi_c_##type)tirbi_##op##_##type(tirbi_slot_##type(from), SLOT(type, C_OF_BOTH)));                      \
    } while (0)
#define DO_EXTEND(AT, TYPE, type) s[pc[AT].a] = tirbi_slot_of_##type(SLOT(type, pc[AT].b))
#define DO_LOAD(AT, ...) PUT_LOAD(s[pc[AT].a], s[C_OF_BOTH], AT, __VA_ARGS__)
#define DO_STORE(AT, ...) PUT_STORE(, s[C_OF_BOTH], AT, __VA_ARGS__)
#define DO_INDEX_LOAD(AT, ...) PUT_INDEX_LOAD(s[pc[AT].a], s[C_OF_BOTH], AT, __VA_ARGS__)
#define DO_INDEX_STORE(AT, ...) PUT_INDEX_STORE(, s[C_OF_BOTH], AT, __VA_ARGS__)
#define DO_BINARY(AT, ...) PUT_BINARY(s[pc[AT].a], s[B_OF_BOTH], AT, __VA_ARGS__)
#define DO_ADD_STORE(AT, TYPE, type)                                                                                   \
    do {                                                                                                               \
        READ_FIRST_TWO((AT) + 1);                                                                                      \
        const uint64_t at = s[ONE_OF_BOTH] + s[OTHER_OF_BOTH];                                                         \
        s[pc[AT].c] = at;                                                                                              \
        STORE_ELEMENT((AT) + 1, tirbi_c_##type, pc[AT].b, at, SLOT(type, pc[AT].a));                                   \
    } while (0)
#define DO_TERNARY(AT, OP, op, TYPE, type)                                                                             \
    do {                                                                                                               \
        READ_B_AND_C(AT);                                                                                              \
        s[pc[AT].a] = tirbi_slot_of_##type(tirbi_##op##_##type(                                                        \
            SLOT(type, B_OF_BOTH), SLOT(type, C_OF_BOTH), SLOT(type, pc[(AT) + 1].list[0])));                          \
    } while (0)
#define PUT_ADDEND(to, from, AT, OP, op, TYPE, type)                                                                   \
    do {                                                                                                               \
        READ_B_AND_C(AT);                                                                                              \
        (to) = tirbi_slot_of_##type(tirbi_canon_##type(                                                                \
            op##_##type(SLOT(type, B_OF_BOTH), SLOT(type, C_OF_BOTH), tirbi_slot_##type(from))));                      \
    } while (0)
#define DO_FUSED(AT, ...) PUT_ADDEND(s[pc[AT].a], s[pc[(AT) + 1].list[0]], AT, __VA_ARGS__)
/* Whether a comparison holds of a value and its second operand. */
#define HOLDS(from, AT, op, type)                                                                                      \
    READ_B_AND_C(AT);                                                                                                  \
    const _Bool holds = tirbi_##op##_##type(tirbi_slot_##type(from), SLOT(type, C_OF_BOTH))
#define DO_COMPARE(AT, OP, op, TYPE, type)                                                                             \
    do {                                                                                                               \
        HOLDS(s[B_OF_BOTH], AT, op, type);                                                                             \
        s[pc[AT].a] = holds;                                                                                           \
    } while (0)
#define DO_CHOOSE(AT, OP, op, TYPE, type)                                                                              \
    do {                                                                                                               \
        unsigned so;                                                                                                   \
        {                                                                                                              \
            HOLDS(s[B_OF_BOTH], AT, op, type);                                                                         \
            so = holds;                                                                                                \
        }                                                                                                              \
        CHOOSE(AT, so);                                                                                                \
    } while (0)
#define DO_BRNOT(AT, OP, op, TYPE, type)                                                                               \
    do {                                                                                                               \
        HOLDS(s[B_OF_BOTH], AT, op, type);                                                                             \
        if (!holds) JUMP(pc[(AT) + 1].far_jump + (AT));                                                                \
    } while (0)
#define WORDS_COMPARE 1
#define WORDS_BRNOT 2
#define WORDS_EXTEND 1
#define WORDS_LOAD 1
#define WORDS_STORE 1
#define WORDS_INDEX_LOAD 2
#define WORDS_INDEX_STORE 2
#define WORDS_ADD_LOAD 2
#define WORDS_ADD_STORE 2
#define WORDS_BINARY 1
#define WORDS_TERNARY 2
#define WORDS_FUSED 2
#define WORDS_ADDEND 2
#define WORDS_CHOOSE 2
#define RUN_CHOOSE(AT, ...) DO_AND_GO(CHOOSE, AT, (__VA_ARGS__))
#define RUN_EXTEND(AT, ...) DO_AND_GO(EXTEND, AT, (__VA_ARGS__))
#define RUN_LOAD(AT, ...) DO_AND_GO(LOAD, AT, (__VA_ARGS__))
#define RUN_STORE(AT, ...) DO_AND_GO(STORE, AT, (__VA_ARGS__))
#define RUN_INDEX_LOAD(AT, ...) DO_AND_GO(INDEX_LOAD, AT, (__VA_ARGS__))
#define RUN_INDEX_STORE(AT, ...) DO_AND_GO(INDEX_STORE, AT, (__VA_ARGS__))
#define RUN_ADD_LOAD(AT, ...) DO_AND_GO(ADD_LOAD, AT, (__VA_ARGS__))
#define RUN_ADD_STORE(AT, ...) DO_AND_GO(ADD_STORE, AT, (__VA_ARGS__))
#define RUN_BINARY(AT, ...) DO_AND_GO(BINARY, AT, (__VA_ARGS__))
#define RUN_FUSED(AT, ...) DO_AND_GO(FUSED, AT, (__VA_ARGS__))
#define RUN_TERNARY(AT, ...) DO_AND_GO(TERNARY, AT, (__VA_ARGS__))
#define BRNOT_OF(from, AT, OP, op, TYPE, type)                                                                         \
    do {                                                                                                               \
        HOLDS(from, AT, op, type);                                                                                     \
        if (!holds) JUMP(pc[(AT) + 1].far_jump + (AT));                                                                \
        NEXT((AT) + 2);                                                                                                \
    } while (0)
#define RUN_BRNOT(AT, ...) BRNOT_OF(s[B_OF_BOTH], AT, __VA_ARGS__)
/* The same of a jump to a loop instruction, which is done at once. */
#define BRNOT_LOOP_OF(from, AT, OP, op, TYPE, type)                                                                    \
    do {                                                                                                               \
        HOLDS(from, AT, op, type);                                                                                     \
        if (holds) NEXT((AT) + 2);                                                                                     \
        pc += pc[(AT) + 1].far_jump + (AT);                                                                            \
        COUNT(0);                                                                                                      \
    } while (0)
#define RUN_BRNOT_LOOP(AT, ...) BRNOT_LOOP_OF(s[B_OF_BOTH], AT, __VA_ARGS__)
/* What takes the value that the form before has made. */
#define TAKE_LOAD(made, AT, ...) PUT_AND_GO(LOAD, made, AT, (__VA_ARGS__))
#define TAKE_STORE(made, AT, ...) PUT_AND_GO(STORE, made, AT, (__VA_ARGS__))
#define TAKE_INDEX_LOAD(made, AT, ...) PUT_AND_GO(INDEX_LOAD, made, AT, (__VA_ARGS__))
#define TAKE_INDEX_STORE(made, AT, ...) PUT_AND_GO(INDEX_STORE, made, AT, (__VA_ARGS__))
#define TAKE_BINARY(made, AT, ...) PUT_AND_GO(BINARY, made, AT, (__VA_ARGS__))
#define TAKE_ADDEND(made, AT, ...) PUT_AND_GO(ADDEND, made, AT, (__VA_ARGS__))
#define TAKE_CHOOSE(made, AT, OP, op, TYPE, type)                                                                      \
    do {                                                                                                               \
        unsigned so;                                                                                                   \
        {                                                                                                              \
            HOLDS(made, AT, op, type);                                                                                 \
            so = holds;                                                                                                \
        }                                                                                                              \
        CHOOSE(AT, so);                                                                                                \
        NEXT((AT) + 2);                                                                                                \
    } while (0)
#define TAKE_BRNOT(made, AT, ...) BRNOT_OF(made, AT, __VA_ARGS__)
#define TAKE_BRNOT_LOOP(made, AT, ...) BRNOT_LOOP_OF(made, AT, __VA_ARGS__)
/* What makes one. */
#define MAKE_LOAD(made, AT, ...) PUT_LOAD(made, s[C_OF_BOTH], AT, __VA_ARGS__)
#define MAKE_ADD_LOAD(made, AT, ...) PUT_ADD_LOAD(made, AT, __VA_ARGS__)
#define MAKE_INDEX_LOAD(made, AT, ...) PUT_INDEX_LOAD(made, s[C_OF_BOTH], AT, __VA_ARGS__)
#define MAKE_BINARY(made, AT, ...) PUT_BINARY(made, s[B_OF_BOTH], AT, __VA_ARGS__)
#define MAKE_EXTEND(made, AT, TYPE, type) made = tirbi_slot_of_##type(SLOT(type, pc[AT].b))
#define MAKE_FUSED(made, AT, ...) PUT_ADDEND(made, s[pc[(AT) + 1].list[0]], AT, __VA_ARGS__)
/* Both, as the last ones of a form, and as the first ones. */
#define MADE_(name, ...) name(__VA_ARGS__)
#define RUN_INTO(AT, KIND, operands, NEXT_KIND, next_operands)                                                         \
    do {                                                                                                               \
        uint64_t made;                                                                                                 \
        MADE_(MAKE_##KIND, made, AT, OPERANDS operands);                                                               \
        s[pc[AT].a] = made;                                                                                            \
        MADE_(TAKE_##NEXT_KIND, made, (AT) + WORDS_##KIND, OPERANDS next_operands);                                    \
    } while (0)
#define DO_INTO(AT, KIND, operands, NEXT_KIND, next_operands)                                                          \
    do {                                                                                                               \
        uint64_t made;                                                                                                 \
        MADE_(MAKE_##KIND, made, AT, OPERANDS operands);                                                               \
        s[pc[AT].a] = made;                                                                                            \
        MADE_(PUT_##NEXT_KIND, s[pc[(AT) + WORDS_##KIND].a], made, (AT) + WORDS_##KIND, OPERANDS next_operands);       \
    } while (0)
/* A comparison that leads to another one, or to one that leads to a loop instruction. */
#define RUN_BRNOT_ELSE(AT, KIND, OP, op, TYPE, type)                                                                   \
    do {                                                                                                               \
        {                                                                                                              \
            HOLDS(s[B_OF_BOTH], AT, op, type);                                                                         \
            if (holds) NEXT((AT) + 2);                                                                                 \
        }                                                                                                              \
        pc += pc[(AT) + 1].far_jump + (AT);                                                                            \
        RUN_LAST(KIND, 0, (OP, op, TYPE, type));                                                                       \
    } while (0)
/* The second and the third one of three. */
#define DO_SECOND_(name, ...) name(__VA_ARGS__)
#define RUN_THIRD_(name, ...) name(__VA_ARGS__)
#define RUN_BOTH(AT, KIND, operands, NEXT_KIND, next_operands)                                                         \
    do {                                                                                                               \
        DO_SECOND_(DO_##KIND, AT, OPERANDS operands);                                                                  \
        RUN_THIRD_(RUN_##NEXT_KIND, (AT) + WORDS_##KIND, OPERANDS next_operands);                                      \
    } while (0)
#define RUN_BINARY_BACK(AT, ...)                                                                                       \
    do {                                                                                                               \
        DO_BINARY(AT, __VA_ARGS__);                                                                                    \
        GO_BACK(AT);                                                                                                   \
    } while (0)
#define RUN_EXTEND_BACK(AT, ...)                                                                                       \
    do {                                                                                                               \
        DO_EXTEND(AT, __VA_ARGS__);                                                                                    \
        GO_BACK(AT);                                                                                                   \
    } while (0)
#define RUN_NOTHING_BACK(AT, ...) GO_BACK(AT)
#define RUN_JMP(AT, ...) JUMP(pc[AT].jump + (AT))
#define RUN_LOOP_TO(AT, NEXT_KIND, next_operands)                                                                      \
    do {                                                                                                               \
        const int64_t round_ = (int64_t)(s[pc[AT].a] + 1);                                                             \
        s[pc[AT].a] = (uint64_t)round_;                                                                                \
        if (round_ >= (int64_t)s[pc[AT].b]) NEXT((AT) + 2);                                                            \
        GO_TO_HEAD(AT, 0);                                                                                             \
        RUN_LAST(NEXT_KIND, 0, next_operands);                                                                         \
    } while (0)

#define EXTEND(TYPE, type)                                                                                             \
    HANDLER(EXTEND_##TYPE) { RUN_EXTEND(0, TYPE, type); }                                                              \
    HANDLER(EXTEND_##TYPE##_BACK) { RUN_EXTEND_BACK(0, TYPE, type); }
#define STEP(OP, op, TYPE, type)                                                                                       \
    HANDLER(OP##_##TYPE##_BACK) { RUN_BINARY_BACK(0, OP, op, TYPE, type); }
#define MEMORY(TYPE, type)                                                                                             \
    HANDLER(LOAD_##TYPE) { RUN_LOAD(0, TYPE, type); }                                                                  \
    HANDLER(STORE_##TYPE) { RUN_STORE(0, TYPE, type); }                                                                \
    HANDLER(INDEX_LOAD_##TYPE) { RUN_INDEX_LOAD(0, TYPE, type); }                                                      \
    HANDLER(INDEX_STORE_##TYPE) { RUN_INDEX_STORE(0, TYPE, type); }                                                    \
    HANDLER(ADD_LOAD_##TYPE) { RUN_ADD_LOAD(0, TYPE, type); }                                                          \
    HANDLER(ADD_STORE_##TYPE) { RUN_ADD_STORE(0, TYPE, type); }
#define UNARY(OP, op, TYPE, type)                                                                                      \
    HANDLER(OP##_##TYPE) {                                                                                             \
        s[pc->a] = tirbi_slot_of_##type(tirbi_##op##_##type(SLOT(type, pc->b)));                                       \
        NEXT(1);                                                                                                       \
    }
#define BINARY(OP, op, TYPE, type)                                                                                     \
    HANDLER(OP##_##TYPE) { RUN_BINARY(0, OP, op, TYPE, type); }
#define DIVIDING(OP, op, TYPE, type)                                                                                   \
    HANDLER(OP##_##TYPE) {                                                                                             \
        tirbi_c_##type result;                                                                                         \
        if (__builtin_expect(!tirbi_##op##_##type(SLOT(type, pc->b), SLOT(type, pc->c), &result), 0))                  \
            FAIL(no_division(machine->error));                                                                         \
        s[pc->a] = tirbi_slot_of_##type(result);                                                                       \
        NEXT(1);                                                                                                       \
    }
#define TERNARY(OP, op, TYPE, type)                                                                                    \
    HANDLER(OP##_##TYPE) { RUN_TERNARY(0, OP, op, TYPE, type); }                                                       \
    HANDLER(OP##_##TYPE##_AT_ONCE) { RUN_FUSED(0, OP, op, TYPE, type); }
#define COMPARE(OP, op, TYPE, type)                                                                                    \
    HANDLER(OP##_##TYPE) {                                                                                             \
        DO_COMPARE(0, OP, op, TYPE, type);                                                                             \
        NEXT(1);                                                                                                       \
    }                                                                                                                  \
    HANDLER(OP##_##TYPE##_BRNOT) { RUN_BRNOT(0, OP, op, TYPE, type); }                                                 \
    HANDLER(OP##_##TYPE##_SELECT) { RUN_CHOOSE(0, OP, op, TYPE, type); }
#define BRANCH(OP, op, TYPE, type)                                                                                     \
    HANDLER(OP##_##TYPE##_BRIF) {                                                                                      \
        HOLDS(s[B_OF_BOTH], 0, op, type);                                                                              \
        if (holds) JUMP(pc[1].far_jump);                                                                               \
        NEXT(2);                                                                                                       \
    }
#define CONVERT(TO, to, FROM, from)                                                                                    \
    HANDLER(CAST_##TO##_##FROM) {                                                                                      \
        s[pc->a] = tirbi_slot_of_##to(tirbi_cast_##to##_##from(SLOT(from, pc->b)));                                    \
        NEXT(1);                                                                                                       \
    }
#include "vm/machine/forms.def"

#define PAIR(KIND, operands, NEXT_KIND, next_operands)                                                                 \
    PLACED_HANDLER(TIRBI_PAIR(KIND, operands, NEXT_KIND, next_operands)) {                                             \
        DO(KIND, 0, operands);                                                                                         \
        RUN(NEXT_KIND, WORDS_##KIND, next_operands);                                                                   \
    }
#define AROUND(NEXT_KIND, next_operands)                                                                               \
    PLACED_HANDLER(TIRBI_PAIR(LOOP, (), NEXT_KIND, next_operands)) { RUN_LOOP_TO(0, NEXT_KIND, next_operands); }
#define AROUND_AHEAD(NEXT_KIND, next_operands)                                                                         \
    PLACED_HANDLER(TIRBI_PAIR(JMP_LOOP, (), NEXT_KIND, next_operands)) {                                               \
        pc += pc->jump;                                                                                                \
        RUN_LOOP_TO(0, NEXT_KIND, next_operands);                                                                      \
    }
#define AGAIN(KIND, operands, NEXT_KIND, next_operands)                                                                \
    PLACED_HANDLER(TIRBI_PAIR(KIND##_BACK, operands, NEXT_KIND, next_operands)) {                                      \
        DO(KIND, 0, operands);                                                                                         \
        GO_TO_HEAD(0, 1);                                                                                              \
        RUN(NEXT_KIND, 0, next_operands);                                                                              \
    }
#define BESIDE(OP, op, TYPE, type)                                                                                     \
    HANDLER(OP##_##TYPE##_BRNOT_LOOP) { RUN_BRNOT_LOOP(0, OP, op, TYPE, type); }
#define INTO(KIND, operands, NEXT_KIND, next_operands)                                                                 \
    PLACED_HANDLER(TIRBI_INTO(KIND, operands, NEXT_KIND, next_operands)) {                                             \
        RUN_INTO(0, KIND, operands, NEXT_KIND, next_operands);                                                         \
    }
#define THEN(KIND, operands, NEXT_KIND, next_operands, LAST_KIND, last_operands)                                       \
    PLACED_HANDLER(TIRBI_THEN(KIND, operands, NEXT_KIND, next_operands, LAST_KIND, last_operands)) {                   \
        DO_INTO(0, KIND, operands, NEXT_KIND, next_operands);                                                          \
        RUN(LAST_KIND, WORDS_##KIND + WORDS_##NEXT_KIND, last_operands);                                               \
    }
#define ELSE(KIND, OP, op, TYPE, type)                                                                                 \
    PLACED_HANDLER(TIRBI_ELSE(KIND, OP, op, TYPE, type)) { RUN_BRNOT_ELSE(0, KIND, OP, op, TYPE, type); }
#include "vm/machine/pairs.def"

#ifdef TIRB_SWITCH_DISPATCH
default:
    FAIL(tirbi_error_set(machine->error, TIRB_INTERNAL, "no handler %u", (unsigned)pc->op));
#endif
    END()

charge_and_go_back:
    fuel += pc[1].cost; /* which was not there */
    CHARGE_MORE(pc[1].cost, behind);
    JUMP(pc[1].far_jump);
done:
    GIVE_FUEL();
    return TIRB_OK;
trap:
    if (status != TIRB_FUEL && machine->fuel > kept + fuel) GIVE_FUEL();
    *trap_pc = machine->trap ? machine->trap : pc;
    return status;
}
