/* Folds of integers, which come out the same in any order. */
#ifndef TIRB_VM_CONTRACT_FOLD_INTS_H
#define TIRB_VM_CONTRACT_FOLD_INTS_H

#include "vm/contract/contract.h"

/* False: stopped. */
bool tirbi_fold_ints(const tirbi_contraction *fold);

#endif
