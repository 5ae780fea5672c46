/* The host's side of imports: every import of a module is bound to one function, which does what only its arguments
 * decide, so that the same call gives the same bytes on every instruction set and thread count. */
#ifndef TIRB_FUZZ_IMPORTS_H
#define TIRB_FUZZ_IMPORTS_H

#include <tirb/tirb.h>

/* Binds everything that the instance's module imports. */
void fuzz_imports_bind(tirb_instance *instance);

#endif
