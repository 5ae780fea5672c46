/* Translation of functions, one at a time. */
#ifndef TIRB_VM_TRANSLATE_FUNCTION_H
#define TIRB_VM_TRANSLATE_FUNCTION_H

#include "vm/machine/code.h"

/* What is used for one function after the other. */
typedef struct tirbi_translator tirbi_translator;

/* NULL: out of memory. */
tirbi_translator *tirbi_translator_create(tirbi_code *code);
/* Makes what code->functions has under this number, where a failure leaves nothing of use. Errors: NO_MEMORY,
 * MEMORY_LIMIT, and those of the heap's work. */
tirb_status tirbi_translate_function(tirbi_translator *translator, uint32_t function, tirb_error *error);
/* Gives back what it has for the next function. False: the heap's watch is to stop, and some of it is still there. */
bool tirbi_translator_release(tirbi_translator *translator);
void tirbi_translator_destroy(tirbi_translator *translator);

#endif
