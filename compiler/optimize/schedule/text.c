#include "compiler/optimize/schedule/text.h"

#include <stdio.h>
#include <string.h>

#include "compiler/loop/printer.h"

/* ---- Lane loops ----------------------------------------------------------------------------------------------- */

void tirbi_list_operations(const tirbi_lane_plan *plan, char *text, size_t size) {
    size_t length = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < plan->n_ops && length < size; i++) {
        const tirbi_lane_op *o = &plan->ops[i];
        if (o->type == TIRB_TYPE_NONE || o->op == TIRB_OP_VMOV) continue;
        unsigned count = 0;
        bool before = false;
        for (uint32_t k = 0; k < plan->n_ops; k++) {
            bool same = plan->ops[k].op == o->op && plan->ops[k].type == o->type;
            before = before || (same && k < i);
            count += same;
        }
        if (before) continue;
        const char *separator = length > 0 ? ", " : "", *name = tirbi_ops[o->op].mnemonic,
                   *type = tirbi_dtypes[o->type].name;
        const int n = count > 1 ? snprintf(text + length, size - length, "%s%u %s.%s", separator, count, name, type)
                                : snprintf(text + length, size - length, "%s%s.%s", separator, name, type);
        if (n > 0) length += (size_t)n;
    }
}

static void put(tirbi_printer *p, const char *text) { tirbi_printer_put(p, text); }

/* ": " and an element's number: start + var * coefficient + .. */
static void print_form(tirbi_printer *p, const tirbi_affine *form, const tirbi_loop_set *loops) {
    const char *plus = "";
    put(p, ": ");
    if (!tirbi_lx_is_int(form->start, 0)) {
        tirbi_printer_expr(p, form->start);
        plus = " + ";
    }
    for (uint32_t i = 0; i < loops->n; i++) {
        const tirbi_lx *by = form->coefficient[i];
        if (!by || tirbi_lx_is_int(by, 0)) continue;
        put(p, plus);
        plus = " + ";
        tirbi_printer_var(p, loops->var[i]);
        if (tirbi_lx_is_int(by, 1)) continue;
        put(p, " * ");
        if (by->n_args > 1) put(p, "(");
        tirbi_printer_expr(p, by);
        if (by->n_args > 1) put(p, ")");
    }
    if (!*plus) put(p, "0");
}

static void print_vars(tirbi_printer *p, const char *word, tirbi_lvar *const *vars, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        put(p, i > 0 ? ", " : word);
        tirbi_printer_var(p, vars[i]);
    }
}

static void print_cursor(tirbi_printer *p, const tirbi_lane_plan *plan, const tirbi_lane_cursor *c) {
    put(p, c->access == TIRBI_READ ? "reads " : c->access == TIRBI_WRITE ? "writes " : "updates ");
    tirbi_printer_buffer(p, c->place->buffer);
    print_form(p, &c->form, &plan->loops);
    if (c->row) {
        put(p, " + ");
        tirbi_printer_var(p, plan->rows[c->row - 1].var);
        put(p, " * ");
        tirbi_printer_expr(p, c->scale);
    }
    if (c->part.start) {
        put(p, " of ");
        tirbi_printer_expr(p, c->part.count);
        put(p, " from ");
        tirbi_printer_expr(p, c->part.start);
    }
    tirbi_printer_line(p);
}

/* What is below the line that begins a lane loop. */
static void print_plan(tirbi_printer *p, const tirbi_lane_plan *plan) {
    char text[400];
    p->indent++;
    tirbi_list_operations(plan, text, sizeof(text));
    put(p, text);
    tirbi_printer_line(p);
    for (uint32_t i = 0; i < plan->n_cursors; i++) print_cursor(p, plan, &plan->cursors[i]);
    p->indent--;
}

static void print_nest(tirbi_printer *p, const tirbi_nest *nest) {
    const tirbi_loop_set *loops = &nest->plan->loops;
    print_vars(p, "lanes ", loops->var, 1);
    print_vars(p, " inside ", loops->var + 1, loops->n - 1);
    print_vars(p, " around ", nest->outer, nest->n_outer);
    tirbi_printer_line(p);
    print_plan(p, nest->plan);
}

static void print_node(tirbi_printer *p, const tirbi_sched *node);

static void print_inside(tirbi_printer *p, const tirbi_sched *node) {
    p->indent++;
    for (uint32_t i = 0; i < node->n; i++) {
        if (node->items[i]) print_node(p, node->items[i]);
    }
    p->indent--;
}

static void print_tree(tirbi_printer *p, const tirbi_sched *node) {
    const tirbi_ls *tree = node->stmt;
    const tirbi_lane_plan *plan = node->as.leaf->nest.plan;
    print_vars(p, "tree ", tree->as.tree.loops, tree->as.tree.n_loops);
    put(p, plan ? ", by lanes" : ", element by element");
    tirbi_printer_line(p);
    print_inside(p, node);
    if (plan) print_plan(p, plan);
}

static void print_search(tirbi_printer *p, const tirbi_sched *node) {
    print_vars(p, "search ", &node->stmt->as.search.var, 1);
    put(p, " where ");
    tirbi_printer_expr(p, node->stmt->as.search.condition);
    print_vars(p, ", ", &node->stmt->as.search.found, 1);
    tirbi_printer_line(p);
    if (node->as.leaf->nest.plan) print_plan(p, node->as.leaf->nest.plan);
}

/* ---- Contractions and folds ------------------------------------------------------------------------------------ */

/* What a loop is in it. */
static const char *part_of(const tirbi_contract_plan *plan, uint32_t loop, bool folds) {
    const bool a = plan->operands[TIRBI_CONTRACT_A].form.coefficient[loop] != NULL;
    const bool b = plan->operands[TIRBI_CONTRACT_B].form.coefficient[loop] != NULL;
    if (plan->reduces[loop]) return "reduced";
    if (folds) return "rows";
    return a == b ? "batch" : a ? "rows" : "columns";
}

/* Whether the second factor is the first, as where a fold has none. */
static bool has_one_factor(const tirbi_contract_plan *plan) {
    return plan->operands[TIRBI_CONTRACT_A].place == plan->operands[TIRBI_CONTRACT_B].place;
}

static void print_contraction(tirbi_printer *p, const tirbi_contract_plan *plan, bool folds) {
    static const char *const names[TIRBI_CONTRACT_OPERANDS] = {
        [TIRBI_CONTRACT_C] = "updates ", [TIRBI_CONTRACT_A] = "reads ", [TIRBI_CONTRACT_B] = "reads "};
    put(p, folds ? "fold." : "contract.");
    put(p, tirbi_dtypes[plan->type].name);
    for (uint32_t i = 0; i < plan->loops.n; i++) {
        print_vars(p, i > 0 ? ", " : " ", &plan->loops.var[i], 1);
        put(p, " ");
        put(p, part_of(plan, i, folds));
    }
    tirbi_printer_line(p);
    p->indent++;
    for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) {
        if (o == TIRBI_CONTRACT_B && has_one_factor(plan)) continue;
        put(p, names[o]);
        tirbi_printer_buffer(p, plan->operands[o].place->buffer);
        print_form(p, &plan->operands[o].form, &plan->loops);
        tirbi_printer_line(p);
    }
    if (plan->first) {
        put(p, "first ");
        tirbi_printer_expr(p, plan->first);
        tirbi_printer_line(p);
    }
    p->indent--;
}

static void print_leaf(tirbi_printer *p, const tirbi_sched *node) {
    const tirbi_leaf *leaf = node->as.leaf;
    switch (leaf->kind) {
    case TIRBI_LEAF_LANES:
        print_nest(p, &leaf->nest);
        return;
    case TIRBI_LEAF_TREE:
        print_tree(p, node);
        return;
    case TIRBI_LEAF_SEARCH:
        print_search(p, node);
        return;
    case TIRBI_LEAF_CONTRACT:
    case TIRBI_LEAF_FOLD:
        break;
    }
    for (uint32_t i = 0; i < leaf->n; i++) print_contraction(p, &leaf->contract[i], leaf->kind == TIRBI_LEAF_FOLD);
}

/* ---- The other nodes -------------------------------------------------------------------------------------------- */

/* "VAR: STEP": what a statement became. */
static void print_step(tirbi_printer *p, const tirbi_sched *node) {
    const tirbi_ls *of = node->of ? node->of : node->stmt;
    if (of && of->kind == TIRBI_LS_LOOP) {
        tirbi_printer_var(p, of->as.loop.var);
        put(p, ": ");
    }
    if (node->step) put(p, node->step);
}

static void print_sequence(tirbi_printer *p, const tirbi_sched *node) {
    tirbi_kept_ranges kept;
    if (!node->step) { /* statements that stand as they stood */
        for (uint32_t i = 0; i < node->n; i++) print_node(p, node->items[i]);
        return;
    }
    print_step(p, node);
    tirbi_printer_line(p);
    tirbi_enter_ranges(node->ranges, &kept);
    print_inside(p, node);
    tirbi_leave_ranges(node->ranges, &kept);
}

static void print_loop(tirbi_printer *p, const tirbi_sched *node) {
    const tirbi_ls *loop = node->stmt;
    print_vars(p, "loop ", &loop->as.loop.var, 1);
    put(p, " = ");
    tirbi_printer_expr(p, loop->as.loop.var->min);
    put(p, ", ");
    tirbi_printer_expr(p, loop->as.loop.var->extent);
    if (loop->as.loop.step) {
        put(p, " by ");
        tirbi_printer_expr(p, loop->as.loop.step);
    }
    tirbi_printer_line(p);
    print_inside(p, node);
}

static void print_pairs(tirbi_printer *p, const tirbi_version *version) {
    put(p, version->in_place ? "share nothing, or begin at the same byte:" : "share nothing:");
    for (uint32_t i = 0; i < version->n_pairs; i++) {
        put(p, i > 0 ? ", (" : " (");
        tirbi_printer_buffer(p, p->function->param_buffers[version->pairs[i].first]);
        put(p, ", ");
        tirbi_printer_buffer(p, p->function->param_buffers[version->pairs[i].second]);
        put(p, ")");
    }
}

static void print_version(tirbi_printer *p, const tirbi_sched *node) {
    const tirbi_version *version = node->as.version;
    print_step(p, node);
    put(p, node->step ? " in versions" : "in versions");
    tirbi_printer_line(p);
    p->indent++;
    if (version->check) print_node(p, version->check);
    put(p, "if ");
    if (version->condition)
        tirbi_printer_expr(p, version->condition);
    else
        print_pairs(p, version);
    tirbi_printer_line(p);
    p->indent++;
    print_node(p, node->items[0]);
    p->indent--;
    put(p, "else");
    tirbi_printer_line(p);
    p->indent++;
    print_node(p, node->items[1]);
    p->indent -= 2;
}

static void print_region(tirbi_printer *p, const tirbi_sched *node) {
    const tirbi_region *region = node->as.region;
    tirbi_kept_ranges kept;
    print_vars(p, "region ", &region->plan->loop, 1);
    put(p, ", grain ");
    tirbi_printer_expr(p, region->plan->grain);
    tirbi_printer_line(p);
    p->indent++;
    for (uint32_t i = 0; i < region->plan->n_roots; i++) {
        const tirbi_region_root *root = &region->plan->roots[i];
        if (!root->written) continue;
        put(p, "writes ");
        tirbi_printer_buffer(p, root->root);
        put(p, ": ");
        tirbi_printer_expr(p, root->extent);
        put(p, " from ");
        tirbi_printer_expr(p, root->base);
        put(p, " on, every ");
        tirbi_printer_expr(p, root->stride);
        tirbi_printer_line(p);
    }
    for (uint32_t i = 0; i < region->n_values; i++) {
        print_vars(p, "let ", &region->values[i].var, 1);
        put(p, " = ");
        tirbi_printer_expr(p, region->values[i].value);
        tirbi_printer_line(p);
    }
    p->indent--;
    tirbi_enter_ranges(node->ranges, &kept);
    print_inside(p, node);
    tirbi_leave_ranges(node->ranges, &kept);
}

static void print_plain(tirbi_printer *p, const tirbi_sched *node) {
    const tirbi_ls *s = node->stmt;
    if (s->kind != TIRBI_LS_IF && s->kind != TIRBI_LS_WHILE) {
        tirbi_printer_stmt(p, s);
        return;
    }
    put(p, s->kind == TIRBI_LS_IF ? "if " : "while ");
    tirbi_printer_expr(p, s->kind == TIRBI_LS_IF ? s->as.if_.condition : s->as.while_.condition);
    tirbi_printer_line(p);
    p->indent++;
    print_node(p, node->items[0]);
    p->indent--;
    if (node->n < 2) return;
    put(p, "else");
    tirbi_printer_line(p);
    p->indent++;
    print_node(p, node->items[1]);
    p->indent--;
}

static void print_node(tirbi_printer *p, const tirbi_sched *node) {
    switch ((tirbi_sched_kind)node->kind) {
    case TIRBI_S_SEQ:
        print_sequence(p, node);
        return;
    case TIRBI_S_LOOP:
        print_loop(p, node);
        return;
    case TIRBI_S_VERSION:
        print_version(p, node);
        return;
    case TIRBI_S_REGION:
        print_region(p, node);
        return;
    case TIRBI_S_LEAF:
        print_leaf(p, node);
        return;
    case TIRBI_S_PLAIN:
        print_plain(p, node);
        return;
    }
}

bool tirbi_print_schedule(const tirbi_lmodule *module, const tirbi_lfunc *function, const tirbi_sched *schedule,
                          tirbi_arena *arena, tirbi_writer *out) {
    tirbi_writer line;
    tirbi_printer p;
    tirbi_printer_init(&p, module, function, arena, out, &line);
    p.bare = true;
    put(&p, "function ");
    tirbi_printer_quoted(&p, function->ast->name);
    tirbi_printer_line(&p);
    p.indent = 1;
    print_node(&p, schedule);
    return tirbi_printer_end(&p);
}
