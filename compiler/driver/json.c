#include "compiler/driver/json.h"

#include <stdio.h>

exit_code json_print(const invocation *inv, cJSON *object, json_layout layout) {
    char *text = layout == JSON_LINES ? cJSON_Print(object) : cJSON_PrintUnformatted(object);
    cJSON_Delete(object);
    if (!text) return fail_memory(inv);
    puts(text);
    cJSON_free(text);
    return EXIT_DONE;
}

cJSON *json_of_call(const run *r, tirb_status status) {
    cJSON *object = cJSON_CreateObject();
    json_add_text(object, "file", r->bundle.file);
    json_add_text(object, "function", r->info.name);
    cJSON_AddStringToObject(object, "status", tirb_status_name(status));
    return object;
}
