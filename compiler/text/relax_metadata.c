/* Constants that a text keeps in its metadata: metadata["ir.GenericConst"][i]. */
#include <string.h>

#include "compiler/text/relax.h"

const tirb_relax_expr *tirbi_relax_metadata(tirbi_script *s, const tirbi_node *node) {
    s->keeps_metadata = true;
    tirbi_fail(s, TIRB_UNSUPPORTED, node->span, "constants of the metadata are not read yet");
    return NULL;
}
