/* What is known between two instructions of straight code while it is translated: indices that have been checked and
 * elements that have been loaded, since when neither the registers nor memory have changed. */
#ifndef TIRB_VM_TRANSLATE_KNOWN_H
#define TIRB_VM_TRANSLATE_KNOWN_H

#include <stdbool.h>
#include <stdint.h>

enum { TIRBI_MAX_KNOWN = 8 };

typedef struct tirbi_known {
    struct tirbi_fact {
        bool loaded;   /* else checked */
        uint8_t type;  /* loaded: as what */
        uint16_t ref;  /* loaded: from where */
        uint16_t slot; /* loaded: into; checked: the extent */
        uint16_t index;
    } facts[TIRBI_MAX_KNOWN];
    unsigned n;    /* facts */
    unsigned next; /* the oldest one, once there are as many as there may be */
} tirbi_known;

void tirbi_known_clear(tirbi_known *known);
/* A register is written: what is known of it is dropped. */
void tirbi_known_drop(tirbi_known *known, uint16_t slot);
static inline void tirbi_known_write(tirbi_known *known, uint16_t slot) {
    if (known->n > 0) tirbi_known_drop(known, slot);
}
/* Memory is written. */
void tirbi_known_store(tirbi_known *known);

void tirbi_known_add_check(tirbi_known *known, uint16_t index, uint16_t extent);
bool tirbi_known_check(const tirbi_known *known, uint16_t index, uint16_t extent);

/* The slot is written by this. */
void tirbi_known_add_load(tirbi_known *known, uint8_t type, uint16_t ref, uint16_t index, uint16_t slot);
/* Whether a slot holds the element. */
bool tirbi_known_load(const tirbi_known *known, uint8_t type, uint16_t ref, uint16_t index, uint16_t *slot);

#endif
