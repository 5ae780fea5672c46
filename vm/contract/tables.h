/* The tables of micro-kernels, by instruction set. */
#ifndef TIRB_VM_CONTRACT_TABLES_H
#define TIRB_VM_CONTRACT_TABLES_H

#include "vm/contract/tiles.h"

extern const tirbi_contract_kernels tirbi_contract_generic, tirbi_contract_avx2, tirbi_contract_avx512,
    tirbi_contract_neon;
extern const tirbi_contract_quads tirbi_quads_avx2, tirbi_quads_avx512;

#define TIRBI_ROWS_4(X, ...) X(1, __VA_ARGS__) X(2, __VA_ARGS__) X(3, __VA_ARGS__) X(4, __VA_ARGS__)
#define TIRBI_ROWS_6(X, ...) TIRBI_ROWS_4(X, __VA_ARGS__) X(5, __VA_ARGS__) X(6, __VA_ARGS__)
#define TIRBI_ROWS_8(X, ...) TIRBI_ROWS_6(X, __VA_ARGS__) X(7, __VA_ARGS__) X(8, __VA_ARGS__)
#define TIRBI_ROWS_14(X, ...)                                                                                          \
    TIRBI_ROWS_8(X, __VA_ARGS__)                                                                                       \
    X(9, __VA_ARGS__) X(10, __VA_ARGS__) X(11, __VA_ARGS__) X(12, __VA_ARGS__) X(13, __VA_ARGS__) X(14, __VA_ARGS__)

#endif
