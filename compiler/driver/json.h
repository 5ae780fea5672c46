/* What commands print with --json. */
#ifndef TIRB_COMPILER_DRIVER_JSON_H
#define TIRB_COMPILER_DRIVER_JSON_H

#include <cjson/cJSON.h>

#include "compiler/driver/run.h"

typedef enum json_layout { JSON_ONE_LINE, JSON_LINES } json_layout;

/* Prints the object on the standard output and frees it. */
exit_code json_print(const invocation *inv, cJSON *object, json_layout layout);

/* Adds a text of which bytes that are no UTF-8 are replaced: JSON has no others. NULL adds nothing. */
void json_add_text(cJSON *object, const char *key, const char *text);

/* The object that reports a call: its file, function and status, to which the command adds its own. */
cJSON *json_of_call(const run *r, tirb_status status);

#endif
