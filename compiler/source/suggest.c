#include "compiler/source/suggest.h"

#include <stdbool.h>
#include <string.h>

enum { MAX_WORD = 40 };

/* Edits between two words: insertions, deletions, replacements, and neighbours that change places. */
static uint32_t edit_distance(const char *a, const char *b) {
    uint32_t rows[3][MAX_WORD + 1];
    size_t n_a = strlen(a), n_b = strlen(b);
    if (n_a > MAX_WORD || n_b > MAX_WORD) return UINT32_MAX;
    for (size_t j = 0; j <= n_b; j++) rows[0][j] = (uint32_t)j;
    for (size_t i = 1; i <= n_a; i++) {
        uint32_t *row = rows[i % 3];
        const uint32_t *above = rows[(i - 1) % 3], *before = rows[(i + 1) % 3];
        row[0] = (uint32_t)i;
        for (size_t j = 1; j <= n_b; j++) {
            uint32_t best = above[j - 1] + (a[i - 1] != b[j - 1]);
            if (above[j] + 1 < best) best = above[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && before[j - 2] + 1 < best) best = before[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[n_a % 3][n_b];
}

static char small(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static bool same_but_for_case(const char *a, const char *b) {
    while (*a && small(*a) == small(*b)) a++, b++;
    return !*a && !*b;
}

void tirbi_suggest(tirbi_suggestion *suggestion, const char *candidate) {
    uint32_t limit = ((uint32_t)strlen(suggestion->wanted) + 1) / 3;
    if (same_but_for_case(suggestion->wanted, candidate)) {
        suggestion->best = candidate;
        suggestion->distance = 0;
        return;
    }
    if (strlen(suggestion->wanted) < 2) return; /* any other letter is as near */
    uint32_t distance = edit_distance(suggestion->wanted, candidate);
    if (distance > (limit > 2 ? 2 : limit ? limit : 1) || distance >= strlen(candidate)) return;
    if (suggestion->best && distance >= suggestion->distance) return;
    suggestion->best = candidate;
    suggestion->distance = distance;
}
