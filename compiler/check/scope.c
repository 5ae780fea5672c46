/* Each variable and buffer is bound once and used only in its scope. */
#include "compiler/check/checker.h"

void tirbi_check_bind_var(tirbi_checker *c, const tirb_expr *var, tirbi_span span) {
    uint8_t *state = &c->vars[var->as.var.id];
    if (*state == TIRBI_SCOPE_BOUND || *state == TIRBI_SCOPE_LEFT) {
        tirbi_report_error(c->diagnostics, TIRB_TYPE, span, "variable '%s' is bound %s: each variable is bound once",
                           var->as.var.name, *state == TIRBI_SCOPE_BOUND ? "again in its own scope" : "a second time");
        *state = TIRBI_SCOPE_REPORTED;
        return;
    }
    if (*state == TIRBI_SCOPE_NEW) *state = TIRBI_SCOPE_BOUND;
}

void tirbi_check_bind_thread(tirbi_checker *c, const tirb_expr *var, tirbi_span span) {
    uint8_t *state = &c->vars[var->as.var.id];
    if (c->kinds[var->as.var.id] != TIRBI_VAR_THREAD && *state != TIRBI_SCOPE_NEW) {
        tirbi_check_bind_var(c, var, span);
        return;
    }
    c->kinds[var->as.var.id] = TIRBI_VAR_THREAD;
    if (*state != TIRBI_SCOPE_REPORTED) *state = TIRBI_SCOPE_BOUND;
}

void tirbi_check_leave_var(tirbi_checker *c, const tirb_expr *var) {
    uint8_t *state = &c->vars[var->as.var.id];
    if (*state == TIRBI_SCOPE_BOUND) *state = TIRBI_SCOPE_LEFT;
}

/* A block computes from its axes alone, so that TVM's schedules can move it: TVM refuses others, which mean as much. */
static void warn_of_loop(tirbi_checker *c, const tirb_expr *var, tirbi_span span) {
    uint8_t *kind = &c->kinds[var->as.var.id];
    if (*kind != TIRBI_VAR_LOOP || c->blocks[var->as.var.id] >= c->n_blocks || c->function->classic) return;
    tirbi_report_warning(c->diagnostics, span,
                         "the loop variable '%s' is used in the block '%s', where TVM takes axes only: bind it to one",
                         var->as.var.name, c->block->name);
    *kind = TIRBI_VAR_PLAIN; /* once */
}

void tirbi_check_use_var(tirbi_checker *c, const tirb_expr *var, tirbi_span span) {
    uint8_t *state = &c->vars[var->as.var.id];
    warn_of_loop(c, var, span);
    if (*state == TIRBI_SCOPE_BOUND || *state == TIRBI_SCOPE_REPORTED) return;
    if (*state == TIRBI_SCOPE_NEW && var->as.var.name == tirbi_unnamed)
        tirbi_report_error(c->diagnostics, TIRB_TYPE, span,
                           "a type without a value, as `T.%s()`, makes a variable, and nothing gives this one a value: "
                           "write `T.%s(0)` for a constant",
                           tirbi_check_text(var->dtype).text, tirbi_check_text(var->dtype).text);
    else
        tirbi_report_error(c->diagnostics, TIRB_TYPE, span, "variable '%s' is %s", var->as.var.name,
                           *state == TIRBI_SCOPE_NEW ? "not bound here" : "used after the end of its scope");
    *state = TIRBI_SCOPE_REPORTED;
}

void tirbi_check_bind_buffer(tirbi_checker *c, const tirb_buffer *buffer, bool shares_data) {
    uint8_t *state = &c->buffers[buffer->id];
    if (*state == TIRBI_SCOPE_BOUND || *state == TIRBI_SCOPE_LEFT) {
        tirbi_report_error(c->diagnostics, TIRB_TYPE, buffer->span,
                           "buffer '%s' is declared a second time: each buffer is declared once", buffer->name);
        *state = TIRBI_SCOPE_REPORTED;
        return;
    }
    if (*state == TIRBI_SCOPE_NEW) *state = TIRBI_SCOPE_BOUND;
    if (!shares_data) tirbi_check_bind_var(c, buffer->data, buffer->span);
}

void tirbi_check_leave_buffer(tirbi_checker *c, const tirb_buffer *buffer, bool shares_data) {
    uint8_t *state = &c->buffers[buffer->id];
    if (*state == TIRBI_SCOPE_BOUND) *state = TIRBI_SCOPE_LEFT;
    if (!shares_data) tirbi_check_leave_var(c, buffer->data);
}

void tirbi_check_use_buffer(tirbi_checker *c, const tirb_buffer *buffer, tirbi_span span) {
    uint8_t *state = &c->buffers[buffer->id];
    if (*state == TIRBI_SCOPE_BOUND || *state == TIRBI_SCOPE_REPORTED) return;
    bool over_bound_data = *state == TIRBI_SCOPE_NEW && c->vars[buffer->data->as.var.id] == TIRBI_SCOPE_BOUND;
    if (over_bound_data) {
        tirbi_report_warning(c->diagnostics, span,
                             "buffer '%s' is used without a declaration; it is taken as a view of '%s'", buffer->name,
                             buffer->data->as.var.name);
    } else {
        tirbi_report_error(
            c->diagnostics, TIRB_TYPE, span, "buffer '%s' is %s", buffer->name,
            *state == TIRBI_SCOPE_NEW
                ? "not declared here: T.Buffer in a body needs data=...; T.alloc_buffer makes a new buffer"
                : "used after the end of its scope");
    }
    *state = TIRBI_SCOPE_REPORTED;
}
