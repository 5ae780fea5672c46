/* What compiling a stranger's source costs: work and bytes are counted, never time. */
#include "tests/unit/census.h"

/* ---- Counting ---------------------------------------------------------------------------------------------------- */

/* What a compilation takes of its allocator. */
typedef struct meter {
    size_t held, peak; /* bytes */
    size_t calls;
} meter;

static void *metered(void *context, void *ptr, size_t old_size, size_t new_size) {
    meter *m = context;
    m->held = m->held - old_size + new_size;
    m->peak = m->held > m->peak ? m->held : m->peak;
    m->calls++;
    if (new_size > 0) return realloc(ptr, new_size);
    free(ptr);
    return NULL;
}

static meter measure(const char *text, const tirb_compile_options *given, tirb_status expected) {
    meter m = {0};
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    tirb_compile_result *result = NULL;
    if (given) options = *given;
    options.allocator = (tirb_allocator){.reallocate = metered, .context = &m};
    const tirb_status status = tirb_compile(text, strlen(text), &options, &result, NULL);
    if (status != expected) print_error("%s for %.2000s\n", tirb_status_name(status), text);
    assert_int_equal(status, expected);
    tirb_compile_result_destroy(result);
    assert_int_equal(m.held, 0);
    return m;
}

/* ---- Nests of small extents -------------------------------------------------------------------------------------- */

typedef enum nest_form { COPY, TURNED, TURNED_BACK, BLOCK, GUARDED, SUMMED, N_NEST_FORMS } nest_form;

static void list(char *out, size_t size, const char *name, int n, int step) {
    size_t used = 0;
    for (int i = step > 0 ? 0 : n - 1; i >= 0 && i < n; i += step)
        used += (size_t)snprintf(out + used, size - used, "%s%s%d", used ? ", " : "", name, i);
}

/* O[i...] = S[i...] + 1 over n loops of one extent, and nests like it. */
static const char *nest_over(int n, int extent, nest_form form) {
    static char text[1 << 14];
    char i[256] = "", v[256] = "", back[256] = "", shape[256] = "", kinds[32] = "";
    size_t used = 0;
    list(i, sizeof(i), "i", n, 1);
    list(v, sizeof(v), "v", n, 1);
    list(back, sizeof(back), "i", n, -1);
    memset(kinds, 'S', (size_t)n);
    for (int k = 0; k < n; k++) used += (size_t)snprintf(shape + used, sizeof(shape) - used, "%d, ", extent);
    used = (size_t)snprintf(text, sizeof(text),
                            HEADER "@T.prim_func\ndef f(S: T.Buffer((%s), \"float32\"), "
                                   "O: T.Buffer((%s), \"float32\")):\n",
                            shape, shape);
    int depth = 1;
    for (int k = 0; k < n; k++) {
        used +=
            (size_t)snprintf(text + used, sizeof(text) - used, "%*sfor i%d in range(%d):\n", depth++, "", k, extent);
        if (form == GUARDED)
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%*sif i%d < %d:\n", depth++, "", k, extent - 1);
    }
    char *at = text + used;
    const size_t left = sizeof(text) - used;
    switch (form) {
    case TURNED:
        snprintf(at, left, "%*sO[%s] = S[%s] + T.float32(1)\n", depth, "", i, back);
        break;
    case TURNED_BACK:
        snprintf(at, left, "%*sO[%s] = T.exp(S[%s])\n", depth, "", back, i);
        break;
    case SUMMED:
        snprintf(at, left, "%*sO[%s] = O[%s] + S[%s]\n", depth, "", i, i, back);
        break;
    case BLOCK:
        snprintf(at, left,
                 "%*swith T.sblock(\"b\"):\n%*s%s = T.axis.remap(\"%s\", [%s])\n"
                 "%*sO[%s] = S[%s] + T.float32(1)\n",
                 depth, "", depth + 1, "", v, kinds, i, depth + 1, "", v, v);
        break;
    default:
        snprintf(at, left, "%*sO[%s] = S[%s] + T.float32(1)\n", depth, "", i, i);
    }
    return text;
}

/* Twice as many loops are tried in more orders, each of which has more of them: that is a polynomial of them, and never
 * a factor for each. */
static void nests_of_small_extents_do_not_explode(void **state) {
    (void)state;
    enum { MOST_CALLS = 4000, MOST_BYTES = 5 << 20 };
    for (int form = 0; form < N_NEST_FORMS; form++) {
        for (int extent = 1; extent <= 5; extent++) {
            for (int n = 4; n <= 16; n += 3) {
                const meter m = measure(nest_over(n, extent, (nest_form)form), NULL, TIRB_OK);
                if (m.calls > MOST_CALLS || m.peak > MOST_BYTES)
                    print_error("form %d, %d loops of %d: %zu calls, %zu bytes\n", form, n, extent, m.calls, m.peak);
                assert_true(m.calls <= MOST_CALLS && m.peak <= MOST_BYTES);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nests_of_small_extents_do_not_explode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
