/* The parts of loop IR's text, for texts that have some of it. */
#ifndef TIRB_COMPILER_LOOP_PRINTER_H
#define TIRB_COMPILER_LOOP_PRINTER_H

#include "compiler/loop/text.h"

/* A variable or buffer that has a name. */
typedef struct tirbi_named {
    const void *what;
    const char *name;
} tirbi_named;

typedef struct tirbi_printer {
    const tirbi_lmodule *module;
    const tirbi_lfunc *function;
    tirbi_arena *arena;
    tirbi_writer *out;  /* finished lines */
    tirbi_writer *line; /* the line under way; declarations that it turns out to need go to `out` before it */
    unsigned indent;
    bool bare; /* for people alone: nothing is declared, and places are their indices */
    tirbi_named *items;
    uint32_t n, capacity;
    tirbi_index by_address, by_name; /* numbers of items */
    bool failed;
} tirbi_printer;

/* `line` is the printer's until it ends. */
void tirbi_printer_init(tirbi_printer *p, const tirbi_lmodule *module, const tirbi_lfunc *function, tirbi_arena *arena,
                        tirbi_writer *out, tirbi_writer *line);
/* False: memory ran out. */
bool tirbi_printer_end(tirbi_printer *p);
/* Parts of the line under way, and its end. */
void tirbi_printer_put(tirbi_printer *p, const char *text);
void tirbi_printer_number(tirbi_printer *p, int64_t number);
void tirbi_printer_quoted(tirbi_printer *p, const char *text);
void tirbi_printer_var(tirbi_printer *p, const tirbi_lvar *var);
void tirbi_printer_buffer(tirbi_printer *p, const tirbi_lbuf *buffer);
void tirbi_printer_expr(tirbi_printer *p, const tirbi_lx *x);
void tirbi_printer_line(tirbi_printer *p);
/* A statement, in as many lines as it needs. */
void tirbi_printer_stmt(tirbi_printer *p, const tirbi_ls *s);

#endif
