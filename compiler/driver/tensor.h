/* A dense tensor of the command: native byte order, row-major, owned. And its elements as text. */
#ifndef TIRB_COMPILER_DRIVER_TENSOR_H
#define TIRB_COMPILER_DRIVER_TENSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler/driver/narrow.h"
#include "loader/isa/isa.h"

enum { TENSOR_MAX_NDIM = 32, TENSOR_ALIGN = 64, ELEMENT_TEXT_SIZE = 40 };

typedef struct tensor {
    tirbi_dtype type;
    const tirb_narrow_format *narrow; /* what the bytes of a u8 stand for, or NULL */
    int32_t ndim;
    int64_t shape[TENSOR_MAX_NDIM];
    size_t count; /* elements */
    size_t size;  /* bytes */
    void *data;   /* aligned to TENSOR_ALIGN; never NULL once allocated */
    void *block;  /* what data lies in */
} tensor;

/* Computes count and size of type, ndim and shape; false when an extent is negative or the size overflows. */
bool tensor_measure(tensor *t);
/* Zeroed memory for a measured tensor; false when there is none. */
bool tensor_allocate(tensor *t);
void tensor_free(tensor *t);
/* Whether elements in little-endian order, as files have them, are this machine's. */
bool tensor_is_native(const tensor *t);
/* Copies elements of a file, in little-endian order unless `from` owns them, into memory of the same type and shape. */
void tensor_copy_little(tensor *to, const tensor *from);
bool tensor_same_shape(const tensor *a, const tensor *b);

/* "f32", "f8e4m3fn". */
void tensor_element_name(const tensor *t, char buffer[NARROW_NAME_SIZE]);
/* "2x3xf32", the form that the command line reads; "f32" for no dimensions. */
void tensor_type_text(const tensor *t, char *buffer, size_t size);

/* A number as the command line gives it: an integer where it is one that 64 bits hold, and always a float. */
typedef struct number {
    bool is_integer;
    bool is_unsigned; /* the integer is above INT64_MAX and held by its bits */
    bool is_bool;     /* it was written true or false */
    int64_t integer;
    double real;
    float single; /* rounded from the text, not from `real` */
} number;

number number_from_real(double real);
/* `bits` of an element or a result of `type`. */
number number_from_integer(int64_t bits, tirbi_dtype type);

/* Reads exactly `length` characters: an integer (decimal or 0x), a float, inf, nan, true or false. */
bool number_parse(const char *text, size_t length, number *out);

typedef enum store_result { STORE_DONE, STORE_NOT_INTEGER, STORE_OUT_OF_RANGE } store_result;

/* Stores a number that the type holds; floats round to the type's precision, half to even. */
store_result element_store(tensor *t, size_t index, const number *value);
/* The element as a number: exact for every type. */
number element_load(const tensor *t, size_t index);
/* The shortest text that reads back as the same element. */
void element_text(const tensor *t, size_t index, char buffer[ELEMENT_TEXT_SIZE]);
void number_text(const number *value, tirbi_dtype type, char buffer[ELEMENT_TEXT_SIZE]);

/* The index of element `flat` as "[1, 2]". */
void tensor_index_text(const tensor *t, size_t flat, char *buffer, size_t size);

#endif
