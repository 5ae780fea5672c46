#include "compiler/pipeline/languages.h"

#include <string.h>

#include "compiler/tc/tc.h"
#include "compiler/text/text.h"

/* The first is what a text is that nothing is said of. */
static const tirbi_language languages[] = {
    {TIRB_LANGUAGE_TVMSCRIPT, "tvmscript", ".py", tirbi_parse, NULL, false},
    {TIRB_LANGUAGE_TENSOR_COMPREHENSIONS, "tc", ".tc", tirbi_tc_parse, tirbi_tc_print, true},
};

enum { N_LANGUAGES = sizeof languages / sizeof *languages };

const tirbi_language *tirbi_language_at(uint32_t index) { return index < N_LANGUAGES ? &languages[index] : NULL; }

const tirbi_language *tirbi_language_named(const char *name) {
    for (size_t i = 0; i < N_LANGUAGES; i++)
        if (strcmp(languages[i].name, name) == 0) return &languages[i];
    return NULL;
}

const tirbi_language *tirbi_language_of_file(const char *file_name) {
    const size_t size = strlen(file_name);
    for (size_t i = 0; i < N_LANGUAGES; i++) {
        const size_t length = strlen(languages[i].suffix);
        if (size >= length && strcmp(file_name + size - length, languages[i].suffix) == 0) return &languages[i];
    }
    return NULL;
}

const tirbi_language *tirbi_language_chosen(tirb_language wanted, const char *file_name) {
    const tirbi_language *language = file_name ? tirbi_language_of_file(file_name) : NULL;
    if (wanted == TIRB_LANGUAGE_AUTO) return language ? language : &languages[0];
    for (size_t i = 0; i < N_LANGUAGES; i++)
        if (languages[i].language == wanted) return &languages[i];
    return NULL;
}
