/* What the C builder made, for the stages behind it. */
#ifndef TIRB_COMPILER_IR_PUBLIC_H
#define TIRB_COMPILER_IR_PUBLIC_H

#include <tirb/builder.h>

#include "compiler/ir/ir.h"

/* The finished module, which lives as long as the builder; NULL when there were errors or a frame is open. */
const tirb_irmodule *tirbi_builder_module(tirb_builder *builder);

#endif
