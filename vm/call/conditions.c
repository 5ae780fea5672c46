#include "vm/call/conditions.h"

#include <stdio.h>
#include <string.h>

#include "loader/base/error.h"
#include "vm/call/signature.h"

/* The parts of a message, which has room for all of them: each is cut to its own. */
enum { MAX_CALLEE = 160, MAX_SIDE = 72, MAX_VALUES = 112, MAX_NAME = 24 };

static bool is_known(const tirbi_binding *b, const tirbi_dim *dim) {
    for (unsigned i = 0; i < dim->n_terms; i++)
        if (dim->terms[i].op == TIRBI_DIM_VAR && !b->scratch->var_bound[dim->terms[i].value]) return false;
    return true;
}

static bool mentions(const tirbi_dim *dim, unsigned n, int64_t var) {
    for (unsigned i = 0; i < n; i++)
        if (dim->terms[i].op == TIRBI_DIM_VAR && dim->terms[i].value == var) return true;
    return false;
}

/* Appends "H is 3" for each variable of a side that neither it nor `other` has mentioned before. */
static void put_values(const tirbi_binding *b, const tirbi_dim *side, const tirbi_dim *other, char out[MAX_VALUES]) {
    for (unsigned i = 0; i < side->n_terms; i++) {
        const int64_t var = side->terms[i].value;
        if (side->terms[i].op != TIRBI_DIM_VAR || mentions(side, i, var)) continue;
        if (other && mentions(other, other->n_terms, var)) continue;
        const char *name = tirbi_program_text(b->program, b->function->vars[var].name);
        const size_t used = strlen(out);
        char text[MAX_NAME + 32];
        const int n = snprintf(text, sizeof text, "%s%.*s is %lld", used ? ", " : " (",
                               (int)tirbi_text_cut(name, MAX_NAME), name, (long long)b->scratch->var_values[var]);
        if (used + (size_t)n > MAX_VALUES - sizeof ", ...)") {
            if (!strstr(out, ", ...")) strcat(out, ", ...");
            return;
        }
        strcat(out, text);
    }
}

/* `why`: what is wrong with the condition. */
static tirb_status refuse(const tirbi_binding *b, const tirbi_condition *c, const char *why) {
    const char *callee = b->plan->signature;
    const size_t callee_size = tirbi_text_cut(callee, MAX_CALLEE);
    char left[MAX_SIDE], right[MAX_SIDE], values[MAX_VALUES] = "";
    tirbi_dim_format(b->program, b->function, &c->left, left, sizeof left);
    tirbi_dim_format(b->program, b->function, &c->right, right, sizeof right);
    put_values(b, &c->left, NULL, values);
    put_values(b, &c->right, &c->left, values);
    return tirbi_error_set(b->error, TIRB_SHAPE, "%.*s%s requires %s %s %s, %s%s%s", (int)callee_size, callee,
                           callee[callee_size] ? "..." : "", left, tirbi_relations[c->relation], right, why, values,
                           values[0] ? ")" : "");
}

tirb_status tirbi_check_conditions(const tirbi_binding *b) {
    const tirbi_scratch *s = b->scratch;
    for (unsigned i = 0; i < b->function->n_conditions; i++) {
        const tirbi_condition *c = &b->function->conditions[i];
        int64_t left = 0, right = 0;
        if (!is_known(b, &c->left) || !is_known(b, &c->right)) continue;
        if (tirbi_dim_eval(&c->left, s->var_values, s->var_bound, &left, NULL) != TIRB_OK ||
            tirbi_dim_eval(&c->right, s->var_values, s->var_bound, &right, NULL) != TIRB_OK)
            return refuse(b, c, "whose arithmetic overflows or divides by zero");
        if (tirbi_relation_holds(c->relation, left, right)) continue;
        char why[80];
        snprintf(why, sizeof why, "and %lld %s %lld does not hold", (long long)left, tirbi_relations[c->relation],
                 (long long)right);
        return refuse(b, c, why);
    }
    return TIRB_OK;
}
