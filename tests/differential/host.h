/* The host of random programs: functions of any types that do the same whenever the same program calls them. */
#ifndef TIRB_TESTS_DIFFERENTIAL_HOST_H
#define TIRB_TESTS_DIFFERENTIAL_HOST_H

#include <stdbool.h>

#include <tirb/tirb.h>

/* What the calls of one run came to: how many there were, and all their arguments in order. */
typedef struct tirbi_diff_host {
    uint64_t calls, seen;
} tirbi_diff_host;

enum { TIRBI_DIFF_IMPORTS = 4 };

/* The functions by name:
 *   stir   changes the views that it may write and returns a value made of its arguments and of how often it was called
 *   few    the same, but of integers it returns 0 to 3
 *   moody  the same, but sometimes it fails
 *   pure   returns a value made of its arguments, and does nothing else
 * Programs also call `absent`, which is not among them. */
void tirbi_diff_imports(tirbi_diff_host *host, tirb_import out[TIRBI_DIFF_IMPORTS]);

/* Binds what the module imports of these, with the types that it asks for. */
tirb_status tirbi_diff_bind(tirb_module *module, tirb_instance *instance, tirbi_diff_host *host, tirb_error *error);

#endif
