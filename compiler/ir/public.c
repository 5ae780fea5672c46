/* The C interface of the builder. */
#include "compiler/ir/public.h"

#include <string.h>

#include "compiler/ir/builder.h"
#include "loader/base/error.h"

static const uint64_t default_max_memory = UINT64_C(1) << 30;
static const tirbi_span nowhere = {0, 0};

/* A function while its parameters are still being added. */
typedef struct open_function {
    tirb_primfunc *ir;
    tirbi_list params;  /* of const tirb_expr * */
    tirbi_list buffers; /* of const tirb_buffer * */
    tirbi_list aliases; /* of tirb_param_pair */
} open_function;

struct tirb_builder {
    tirbi_heap heap;
    tirbi_arena arena;
    tirbi_diagnostics diagnostics;
    tirbi_builder core;
    tirbi_list functions; /* of tirb_primfunc * */
    open_function open;
    tirb_stmt *last_if; /* that an else may follow */
};

static void report(tirb_builder *b, tirb_status code, const char *message, const char *name) {
    if (!b) return;
    if (name)
        tirbi_report_error(&b->diagnostics, code, nowhere, "%s: %s", message, name);
    else
        tirbi_report_error(&b->diagnostics, code, nowhere, "%s", message);
}

static const char *copy_text(tirb_builder *b, const char *text) {
    return text ? tirbi_arena_text(&b->arena, text, strlen(text)) : "";
}

static bool read_type(tirb_builder *b, const char *name, tirb_datatype *out) {
    if (b && name && tirb_datatype_from_text(name, strlen(name), out)) return true;
    report(b, TIRB_TYPE, "there is no such type", name ? name : "NULL");
    return false;
}

static const tirb_expr *const *copy_exprs(tirb_builder *b, const tirb_expr *const *items, uint32_t n) {
    const tirb_expr **copy = b ? TIRBI_NEW_ARRAY(&b->arena, const tirb_expr *, n) : NULL;
    for (uint32_t i = 0; copy && i < n; i++) {
        if (!items || !items[i]) return NULL;
        copy[i] = items[i];
    }
    return copy;
}

/* ---- The builder ------------------------------------------------------------------------------------------------ */

tirb_status tirb_builder_create(const tirb_allocator *allocator, uint64_t max_memory, tirb_builder **out_builder,
                                tirb_error *error) {
    if (!out_builder) return tirbi_error_set(error, TIRB_MISUSE, "out_builder is NULL");
    tirbi_heap heap;
    *out_builder = NULL;
    tirbi_heap_init(&heap, allocator, max_memory ? max_memory : default_max_memory);
    tirb_builder *b = tirbi_heap_calloc(&heap, 1, sizeof *b);
    if (!b) return tirbi_error_set(error, tirbi_heap_status(&heap), "no memory for a builder");
    b->heap = heap;
    tirbi_arena_init(&b->arena, &b->heap);
    tirbi_diagnostics_init(&b->diagnostics, NULL, &b->arena, 0);
    tirbi_builder_init(&b->core, &b->arena, &b->diagnostics);
    *out_builder = b;
    return TIRB_OK;
}

void tirb_builder_destroy(tirb_builder *builder) {
    if (!builder) return;
    tirbi_arena_destroy(&builder->arena);
    tirbi_heap heap = builder->heap;
    tirbi_heap_free(&heap, builder, sizeof *builder);
}

tirb_status tirb_builder_status(const tirb_builder *builder, tirb_error *error) {
    if (!builder) return tirbi_error_set(error, TIRB_MISUSE, "the builder is NULL");
    if (builder->arena.failed)
        return tirbi_error_set(error, tirbi_heap_status(&builder->heap), "no memory for the program");
    for (uint32_t i = 0; i < builder->diagnostics.n_items; i++) {
        const tirb_diagnostic *item = &builder->diagnostics.items[i];
        if (item->severity == TIRB_SEVERITY_ERROR) return tirbi_error_set(error, item->code, "%s", item->message);
    }
    return TIRB_OK;
}

uint32_t tirb_builder_diagnostic_count(const tirb_builder *builder) {
    return builder ? builder->diagnostics.n_items : 0;
}

const tirb_diagnostic *tirb_builder_diagnostic(const tirb_builder *builder, uint32_t index) {
    return builder && index < builder->diagnostics.n_items ? &builder->diagnostics.items[index] : NULL;
}

const tirb_irmodule *tirbi_builder_module(tirb_builder *b) {
    if (b->core.frames.n || tirbi_has_errors(&b->diagnostics) || b->arena.failed) return NULL;
    tirb_irmodule *module = TIRBI_NEW(&b->arena, tirb_irmodule);
    if (!module) return NULL;
    module->functions = b->functions.items;
    module->n_functions = b->functions.n;
    module->n_vars = b->core.n_vars;
    module->n_buffers = b->core.n_buffers;
    return module;
}

/* ---- Functions -------------------------------------------------------------------------------------------------- */

static tirb_primfunc *find_function(const tirb_builder *b, const char *name) {
    tirb_primfunc *const *functions = b->functions.items;
    for (uint32_t i = 0; name && i < b->functions.n; i++)
        if (strcmp(functions[i]->name, name) == 0) return functions[i];
    return NULL;
}

/* Statements and parameters need an open function. */
static bool in_function(tirb_builder *b) {
    if (b && b->core.frames.n) return true;
    report(b, TIRB_MISUSE, "there is no open function", NULL);
    return false;
}

static bool open_frame(tirb_builder *b, tirbi_frame_kind kind, tirb_stmt *stmt) {
    if (b) b->last_if = NULL;
    return stmt && tirbi_frame_push(&b->core, kind, stmt, nowhere);
}

void tirb_builder_function(tirb_builder *b, const char *name, const char *return_type, int is_private) {
    tirb_datatype type = tirbi_type_void;
    if (!b) return;
    if (b->core.frames.n) report(b, TIRB_MISUSE, "a function inside a function", name);
    if (find_function(b, name)) report(b, TIRB_VALUE, "the function is there already", name);
    if (return_type && !read_type(b, return_type, &type)) return;
    tirb_primfunc *ir = TIRBI_NEW(&b->arena, tirb_primfunc);
    const char *kept = copy_text(b, name);
    tirb_primfunc **slot = ir && kept ? TIRBI_LIST_ADD(&b->arena, &b->functions, tirb_primfunc *) : NULL;
    if (!slot) return;
    *slot = ir;
    ir->name = kept;
    ir->global_symbol = is_private ? NULL : ir->name;
    ir->is_private = is_private != 0;
    ir->s_tir = true;
    ir->index = b->functions.n - 1;
    ir->ret_type = (tirb_type){.kind = return_type ? TIRB_TYPE_PRIM : TIRB_TYPE_TUPLE, .dtype = type, .scope = ""};
    b->open = (open_function){.ir = ir};
    tirbi_frame_push(&b->core, TIRBI_FRAME_FUNCTION, NULL, nowhere);
}

static void add_param(tirb_builder *b, const tirb_expr *param, const tirb_buffer *buffer) {
    const tirb_expr **slot = TIRBI_LIST_ADD(&b->arena, &b->open.params, const tirb_expr *);
    const tirb_buffer **buffer_slot = TIRBI_LIST_ADD(&b->arena, &b->open.buffers, const tirb_buffer *);
    if (!slot || !buffer_slot) return;
    *slot = param;
    *buffer_slot = buffer;
    b->open.ir->params = b->open.params.items;
    b->open.ir->buffers = b->open.buffers.items;
    b->open.ir->n_params = b->open.params.n;
}

static const tirb_expr *make_var(tirb_builder *b, const char *name, const char *type_name) {
    tirb_datatype type;
    if (!in_function(b) || !read_type(b, type_name, &type)) return NULL;
    tirb_type full = tirbi_type_is_handle(type) ? tirbi_pointer_type(tirbi_type_void, "") : tirbi_prim_type(type);
    return tirbi_make_var(&b->core, nowhere, copy_text(b, name), full);
}

const tirb_expr *tirb_builder_scalar_param(tirb_builder *b, const char *name, const char *type) {
    const tirb_expr *var = make_var(b, name, type);
    if (var) add_param(b, var, NULL);
    return var;
}

const tirb_expr *tirb_builder_shape_var(tirb_builder *b, const char *name, const char *type) {
    return make_var(b, name, type);
}

static tirb_buffer *make_buffer(tirb_builder *b, const char *name, const char *type_name, const tirb_expr *const *shape,
                                uint32_t ndim) {
    tirb_datatype type;
    if (!in_function(b) || !read_type(b, type_name, &type)) return NULL;
    const tirb_expr *const *sizes = copy_exprs(b, shape, ndim);
    return sizes ? tirbi_make_buffer(&b->core, nowhere, copy_text(b, name), type, sizes, ndim, "global") : NULL;
}

const tirb_buffer *tirb_builder_buffer_param(tirb_builder *b, const char *name, const char *type,
                                             const tirb_expr *const *shape, uint32_t ndim) {
    tirb_buffer *buffer = make_buffer(b, name, type, shape, ndim);
    if (!buffer) return NULL;
    tirb_type pointer = tirbi_pointer_type(buffer->dtype, buffer->scope);
    const tirb_expr *param = tirbi_make_var(&b->core, nowhere, buffer->name, pointer);
    if (param) add_param(b, param, buffer);
    return buffer;
}

static bool find_param(const tirb_builder *b, const tirb_buffer *buffer, uint32_t *out) {
    const tirb_buffer *const *buffers = b->open.buffers.items;
    for (uint32_t i = 0; i < b->open.buffers.n; i++) {
        if (buffers[i] != buffer) continue;
        *out = i;
        return true;
    }
    return false;
}

void tirb_builder_may_alias(tirb_builder *b, const tirb_buffer *x, const tirb_buffer *y) {
    tirb_param_pair pair;
    if (!x || !y || !in_function(b)) return;
    if (x == y || !find_param(b, x, &pair.first) || !find_param(b, y, &pair.second)) {
        report(b, TIRB_VALUE, "two buffers that are parameters of the function may alias, not",
               x == y ? x->name : y->name);
        return;
    }
    tirb_param_pair *slot = TIRBI_LIST_ADD(&b->arena, &b->open.aliases, tirb_param_pair);
    if (slot) *slot = pair;
}

void tirb_builder_end(tirb_builder *b) {
    const tirbi_frame *frame = b ? tirbi_frame_top(&b->core) : NULL;
    if (!frame) {
        report(b, TIRB_MISUSE, "there is nothing to end", NULL);
        return;
    }
    if (frame->kind == TIRBI_FRAME_FUNCTION) {
        tirbi_function_set_aliases(b->open.ir, b->open.aliases.items, b->open.aliases.n);
        tirbi_function_finish(&b->core, b->open.ir);
        return;
    }
    tirb_stmt *branch = frame->kind == TIRBI_FRAME_THEN ? frame->stmt : NULL;
    tirbi_frame_pop(&b->core);
    b->last_if = branch;
}

/* ---- Expressions ------------------------------------------------------------------------------------------------ */

const tirb_expr *tirb_builder_int(tirb_builder *b, const char *type_name, int64_t value) {
    tirb_datatype type;
    if (!read_type(b, type_name, &type)) return NULL;
    if (tirbi_type_is_float(type)) return tirbi_make_float(&b->core, nowhere, type, (double)value);
    if (tirbi_type_is_handle(type) || type.lanes > 1) {
        report(b, TIRB_TYPE, "an integer cannot have this type", type_name);
        return NULL;
    }
    return tirbi_make_int(&b->core, nowhere, type, value);
}

const tirb_expr *tirb_builder_float(tirb_builder *b, const char *type_name, double value) {
    tirb_datatype type;
    if (!read_type(b, type_name, &type)) return NULL;
    if (!tirbi_type_is_float(type) || type.lanes > 1) {
        report(b, TIRB_TYPE, "a floating-point number cannot have this type", type_name);
        return NULL;
    }
    return tirbi_make_float(&b->core, nowhere, type, value);
}

const tirb_expr *tirb_builder_binary(tirb_builder *b, const char *op, const tirb_expr *x, const tirb_expr *y) {
    static const struct {
        const char *op;
        tirb_expr_kind kind;
    } operators[] = {
        {"+", TIRB_EXPR_ADD},       {"-", TIRB_EXPR_SUB},      {"*", TIRB_EXPR_MUL},   {"/", TIRB_EXPR_DIV},
        {"//", TIRB_EXPR_FLOORDIV}, {"%", TIRB_EXPR_FLOORMOD}, {"min", TIRB_EXPR_MIN}, {"max", TIRB_EXPR_MAX},
        {"==", TIRB_EXPR_EQ},       {"!=", TIRB_EXPR_NE},      {"<", TIRB_EXPR_LT},    {"<=", TIRB_EXPR_LE},
        {">", TIRB_EXPR_GT},        {">=", TIRB_EXPR_GE},      {"and", TIRB_EXPR_AND}, {"or", TIRB_EXPR_OR},
    };
    static const struct {
        const char *op;
        tirb_builtin builtin;
    } bits[] = {
        {"&", TIRB_BUILTIN_BITWISE_AND}, {"|", TIRB_BUILTIN_BITWISE_OR},   {"^", TIRB_BUILTIN_BITWISE_XOR},
        {"<<", TIRB_BUILTIN_SHIFT_LEFT}, {">>", TIRB_BUILTIN_SHIFT_RIGHT},
    };
    if (!b || !op || !x || !y) return NULL;
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
        if (strcmp(bits[i].op, op) == 0) return tirbi_make_bitwise(&b->core, nowhere, bits[i].builtin, x, y);
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        tirb_expr_kind kind = operators[i].kind;
        if (strcmp(operators[i].op, op) != 0) continue;
        if (kind <= TIRB_EXPR_MAX) return tirbi_make_binary(&b->core, nowhere, kind, x, y);
        if (kind <= TIRB_EXPR_GE && !tirbi_match_types(&b->core, nowhere, &x, &y)) return NULL;
        return tirbi_make_raw_binary(&b->core, nowhere, kind, x, y);
    }
    report(b, TIRB_MISUSE, "there is no such operator", op);
    return NULL;
}

const tirb_expr *tirb_builder_not(tirb_builder *b, const tirb_expr *x) {
    return b && x ? tirbi_make_not(&b->core, nowhere, x) : NULL;
}

const tirb_expr *tirb_builder_cast(tirb_builder *b, const char *type_name, const tirb_expr *x) {
    tirb_datatype type;
    return x && read_type(b, type_name, &type) ? tirbi_make_cast(&b->core, nowhere, type, x) : NULL;
}

const tirb_expr *tirb_builder_if_then_else(tirb_builder *b, const tirb_expr *condition, const tirb_expr *x,
                                           const tirb_expr *y) {
    return b && condition && x && y ? tirbi_make_if_then_else(&b->core, nowhere, condition, x, y) : NULL;
}

static bool check_rank(tirb_builder *b, const tirb_buffer *buffer, uint32_t n) {
    if (buffer->ndim == n) return true;
    tirbi_report_error(&b->diagnostics, TIRB_TYPE, nowhere,
                       "`%s` is %u-dimensional and cannot be indexed with %u indices", buffer->name, buffer->ndim, n);
    return false;
}

const tirb_expr *tirb_builder_load(tirb_builder *b, const tirb_buffer *buffer, const tirb_expr *const *indices,
                                   uint32_t n) {
    if (!b || !buffer || !check_rank(b, buffer, n)) return NULL;
    const tirb_expr *const *copy = copy_exprs(b, indices, n);
    return copy ? tirbi_make_load(&b->core, nowhere, buffer, copy, n, NULL) : NULL;
}

const tirb_expr *tirb_builder_ramp(tirb_builder *b, const tirb_expr *base, const tirb_expr *stride, uint32_t lanes) {
    return b && base && stride ? tirbi_make_ramp(&b->core, nowhere, base, stride, (tirbi_lanes){lanes, false}) : NULL;
}

const tirb_expr *tirb_builder_math(tirb_builder *b, const char *name, const tirb_expr *const *args, uint32_t n) {
    const tirb_expr *const *copy = copy_exprs(b, args, n);
    if (!copy) return NULL;
    for (int i = 0; name && i < TIRB_N_BUILTINS; i++) {
        const tirb_builtin_info *info = &tirb_builtins[i];
        if (info->op == 0 || strcmp(info->name, name) != 0) continue;
        if (n == 0 || n != (uint32_t)info->arity) {
            report(b, TIRB_TYPE, "the function takes another number of arguments", name);
            return NULL;
        }
        tirb_datatype type = copy[0]->dtype;
        if (i == TIRB_BUILTIN_CLZ) type = tirbi_type_with_lanes(tirbi_type_i32, tirbi_lanes_of(type));
        if (i == TIRB_BUILTIN_ISNAN) type = tirbi_type_with_lanes(tirbi_type_bool, tirbi_lanes_of(type));
        return tirbi_make_call(&b->core, nowhere, type, (tirb_builtin)i, copy, n);
    }
    report(b, TIRB_TYPE, "there is no such function", name ? name : "NULL");
    return NULL;
}

const tirb_expr *tirb_builder_data(tirb_builder *b, const tirb_buffer *buffer) {
    (void)b;
    return buffer ? buffer->data : NULL;
}

const tirb_expr *tirb_builder_call(tirb_builder *b, const char *name, const tirb_expr *const *args, uint32_t n) {
    const tirb_primfunc *function = b ? find_function(b, name) : NULL;
    if (!function) {
        report(b, TIRB_NOT_FOUND, "there is no such function", name ? name : "NULL");
        return NULL;
    }
    if (function->n_params != n) {
        report(b, TIRB_TYPE, "the function takes another number of arguments", name);
        return NULL;
    }
    const tirb_expr *const *copy = copy_exprs(b, args, n);
    tirb_buffer_region *passed = copy ? TIRBI_NEW_ARRAY(b->core.arena, tirb_buffer_region, n) : NULL;
    if (!passed) return NULL;
    for (uint32_t i = 0; i < n; i++) /* what tirb_builder_data gives stands for the buffer */
        if (copy[i] && copy[i]->kind == TIRB_EXPR_VAR) passed[i].buffer = copy[i]->as.var.data_of;
    return tirbi_make_function_call(&b->core, nowhere, function, copy, passed, n);
}

/* ---- Statements ------------------------------------------------------------------------------------------------- */

const tirb_expr *tirb_builder_for(tirb_builder *b, tirb_loop_kind kind, const char *name, const tirb_expr *min,
                                  const tirb_expr *extent) {
    static const tirb_for_kind kinds[] = {TIRB_FOR_SERIAL, TIRB_FOR_PARALLEL, TIRB_FOR_VECTORIZED, TIRB_FOR_UNROLLED};
    tirb_stmt *stmt = in_function(b) ? tirbi_make_stmt(&b->core, nowhere, TIRB_STMT_FOR) : NULL;
    if (!stmt) return NULL;
    if ((size_t)kind >= sizeof kinds / sizeof *kinds) report(b, TIRB_MISUSE, "there is no such kind of loop", name);
    /* The frame is there even when a bound is wrong, so that its end ends it. */
    bool good = tirbi_match_types(&b->core, nowhere, &min, &extent);
    stmt->as.for_.min = min;
    stmt->as.for_.extent = extent;
    stmt->as.for_.kind = (size_t)kind < sizeof kinds / sizeof *kinds ? kinds[kind] : TIRB_FOR_SERIAL;
    tirb_datatype type = good ? min->dtype : tirbi_type_i32;
    stmt->as.for_.var = tirbi_make_var(&b->core, nowhere, copy_text(b, name), tirbi_prim_type(type));
    if (!good && !tirbi_has_errors(&b->diagnostics)) report(b, TIRB_MISUSE, "a bound of the loop is NULL", name);
    return open_frame(b, TIRBI_FRAME_FOR, stmt) ? stmt->as.for_.var : NULL;
}

/* A condition, or an error in its place. */
static const tirb_expr *need_condition(tirb_builder *b, const tirb_expr *condition) {
    if (condition && tirbi_type_is_bool(condition->dtype) && condition->dtype.lanes == 1) return condition;
    if (condition || !tirbi_has_errors(&b->diagnostics))
        report(b, TIRB_TYPE, "a condition must be a scalar bool", NULL);
    return tirbi_make_bool(&b->core, nowhere, false);
}

void tirb_builder_while(tirb_builder *b, const tirb_expr *condition) {
    tirb_stmt *stmt = in_function(b) ? tirbi_make_stmt(&b->core, nowhere, TIRB_STMT_WHILE) : NULL;
    if (!stmt) return;
    stmt->as.while_.condition = need_condition(b, condition);
    open_frame(b, TIRBI_FRAME_WHILE, stmt);
}

void tirb_builder_if(tirb_builder *b, const tirb_expr *condition) {
    tirb_stmt *stmt = in_function(b) ? tirbi_make_stmt(&b->core, nowhere, TIRB_STMT_IF) : NULL;
    if (!stmt) return;
    stmt->as.if_.condition = need_condition(b, condition);
    open_frame(b, TIRBI_FRAME_THEN, stmt);
}

void tirb_builder_else(tirb_builder *b) {
    tirb_stmt *stmt = b ? b->last_if : NULL;
    if (!stmt) {
        report(b, TIRB_MISUSE, "an else comes right after the end of its if", NULL);
        return;
    }
    open_frame(b, TIRBI_FRAME_ELSE, stmt);
}

void tirb_builder_block(tirb_builder *b, const char *name) {
    tirb_stmt *stmt = in_function(b) ? tirbi_make_stmt(&b->core, nowhere, TIRB_STMT_BLOCK_REALIZE) : NULL;
    if (!open_frame(b, TIRBI_FRAME_BLOCK, stmt)) return;
    tirbi_frame *frame = tirbi_frame_top(&b->core);
    if (frame->block) frame->block->name = copy_text(b, name);
}

static tirbi_frame *block_frame(tirb_builder *b, const char *what) {
    tirbi_frame *frame = b ? tirbi_frame_top(&b->core) : NULL;
    if (frame && frame->kind == TIRBI_FRAME_BLOCK && frame->block) return frame;
    report(b, TIRB_MISUSE, "only possible directly in a block", what);
    return NULL;
}

const tirb_expr *tirb_builder_axis(tirb_builder *b, const char *name, int is_reduction, const tirb_expr *extent,
                                   const tirb_expr *value) {
    tirbi_frame *frame = block_frame(b, "axis");
    if (!frame || !extent || !value) return NULL;
    if (extent->dtype.code != TIRB_CODE_INT || extent->dtype.lanes > 1) {
        report(b, TIRB_TYPE, "the extent of an axis must be a signed integer", name);
        return NULL;
    }
    const tirb_expr *var = tirbi_make_var(&b->core, nowhere, copy_text(b, name), tirbi_prim_type(extent->dtype));
    tirb_itervar *iter = TIRBI_LIST_ADD(&b->arena, &frame->iters, tirb_itervar);
    const tirb_expr **slot = TIRBI_LIST_ADD(&b->arena, &frame->values, const tirb_expr *);
    if (!var || !iter || !slot) return NULL;
    tirb_range domain = {tirbi_make_int(&b->core, nowhere, extent->dtype, 0), extent};
    *iter = (tirb_itervar){
        .dom = domain, .var = var, .type = is_reduction ? TIRB_ITER_COMM_REDUCE : TIRB_ITER_DATA_PAR, .thread_tag = ""};
    *slot = value;
    return var;
}

void tirb_builder_where(tirb_builder *b, const tirb_expr *condition) {
    tirbi_frame *frame = block_frame(b, "where");
    if (!frame) return;
    if (frame->predicate) report(b, TIRB_MISUSE, "the block has a condition already", NULL);
    frame->predicate = need_condition(b, condition);
}

void tirb_builder_init(tirb_builder *b) {
    tirbi_frame *frame = block_frame(b, "init");
    if (!frame) return;
    if (frame->block->init) report(b, TIRB_MISUSE, "the block has an init already", NULL);
    b->last_if = NULL;
    tirbi_frame_push(&b->core, TIRBI_FRAME_INIT, NULL, nowhere);
}

/* An else must follow its if: what comes between takes it away. False without a builder. */
static bool forget_if(tirb_builder *b) {
    if (b) b->last_if = NULL;
    return b != NULL;
}

void tirb_builder_store(tirb_builder *b, const tirb_buffer *buffer, const tirb_expr *value,
                        const tirb_expr *const *indices, uint32_t n) {
    if (!forget_if(b) || !in_function(b) || !buffer || !value || !check_rank(b, buffer, n)) return;
    const tirb_expr *const *copy = copy_exprs(b, indices, n);
    if (copy) tirbi_emit_store(&b->core, nowhere, buffer, value, copy, n, NULL);
}

const tirb_expr *tirb_builder_let(tirb_builder *b, const char *name, const tirb_expr *value) {
    tirb_stmt *stmt =
        forget_if(b) && in_function(b) && value ? tirbi_make_stmt(&b->core, nowhere, TIRB_STMT_LET) : NULL;
    if (!stmt) return NULL;
    tirb_type type =
        tirbi_type_is_handle(value->dtype) ? tirbi_pointer_type(tirbi_type_void, "") : tirbi_prim_type(value->dtype);
    stmt->as.let.var = tirbi_make_var(&b->core, nowhere, copy_text(b, name), type);
    stmt->as.let.value = value;
    tirbi_emit_scope(&b->core, stmt);
    return stmt->as.let.var;
}

const tirb_buffer *tirb_builder_allocate(tirb_builder *b, const char *name, const char *type,
                                         const tirb_expr *const *shape, uint32_t ndim, int in_block) {
    const tirb_buffer *buffer = forget_if(b) ? make_buffer(b, name, type, shape, ndim) : NULL;
    if (!buffer) return NULL;
    if (in_block) {
        tirbi_frame *frame = tirbi_frame_allocs(&b->core);
        const tirb_buffer **slot = frame ? TIRBI_LIST_ADD(&b->arena, &frame->allocs, const tirb_buffer *) : NULL;
        if (slot) *slot = buffer;
        return buffer;
    }
    tirb_stmt *stmt = tirbi_make_stmt(&b->core, nowhere, TIRB_STMT_ALLOCATE);
    if (!stmt) return NULL;
    stmt->as.allocate.buffer = buffer;
    tirbi_emit_scope(&b->core, stmt);
    return buffer;
}

void tirb_builder_assert(tirb_builder *b, const tirb_expr *condition, const char *message) {
    tirb_stmt *stmt = forget_if(b) && in_function(b) ? tirbi_make_stmt(&b->core, nowhere, TIRB_STMT_ASSERT) : NULL;
    const char *text = stmt ? copy_text(b, message) : NULL;
    if (!text) return;
    stmt->as.assert_.condition = need_condition(b, condition);
    stmt->as.assert_.error_kind = "RuntimeError";
    stmt->as.assert_.message = tirbi_make_string(&b->core, nowhere, text, (uint32_t)strlen(text));
    tirbi_emit_scope(&b->core, stmt);
}

/* So far the function has nothing but what it requires. */
static bool at_beginning(const tirb_builder *b) {
    const tirbi_frame *frame = b ? tirbi_frame_top(&b->core) : NULL;
    return frame && frame->kind == TIRBI_FRAME_FUNCTION && frame->items.n == b->open.ir->n_required;
}

void tirb_builder_require(tirb_builder *b, const tirb_expr *condition, const char *message) {
    if (!at_beginning(b)) {
        report(b, TIRB_MISUSE, "what a function requires stands in front of its other statements", NULL);
        return;
    }
    tirb_builder_assert(b, condition, message);
    b->open.ir->n_required = tirbi_frame_top(&b->core)->items.n;
}

void tirb_builder_evaluate(tirb_builder *b, const tirb_expr *value) {
    if (forget_if(b) && in_function(b) && value) tirbi_emit_evaluate(&b->core, nowhere, value);
}

static void emit_plain(tirb_builder *b, tirb_stmt_kind kind, const tirb_expr *value) {
    tirb_stmt *stmt = forget_if(b) && in_function(b) ? tirbi_make_stmt(&b->core, nowhere, kind) : NULL;
    if (!stmt) return;
    stmt->as.evaluate.value = value;
    tirbi_emit(&b->core, stmt);
}

void tirb_builder_return(tirb_builder *b, const tirb_expr *value) {
    const tirb_primfunc *ir = b ? b->open.ir : NULL;
    if (ir && b->core.frames.n) {
        bool returns = ir->ret_type.kind == TIRB_TYPE_PRIM;
        if (returns != (value != NULL) || (value && !tirb_datatype_equal(value->dtype, ir->ret_type.dtype)))
            report(b, TIRB_TYPE, "the returned value is not of the function's return type", ir->name);
    }
    emit_plain(b, TIRB_STMT_RETURN, value);
}

void tirb_builder_break(tirb_builder *b) { emit_plain(b, TIRB_STMT_BREAK, NULL); }
void tirb_builder_continue(tirb_builder *b) { emit_plain(b, TIRB_STMT_CONTINUE, NULL); }
