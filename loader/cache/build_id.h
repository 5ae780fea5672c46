/* A name for the code of this build: the hash of every source of it, the same on every machine (build_id.cmake). What
 * one build has cached, another one does not take. */
#ifndef TIRB_LOADER_CACHE_BUILD_ID_H
#define TIRB_LOADER_CACHE_BUILD_ID_H

enum { TIRBI_BUILD_ID_SIZE = 64 };

/* Hexadecimal digits, terminated. */
extern const char tirbi_build_id[TIRBI_BUILD_ID_SIZE + 1];

#endif
