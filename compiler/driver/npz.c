/* NumPy's archives: zip files whose members are .npy files. Those of numpy.savez are stored as they are. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/driver/npy.h"
#include "compiler/driver/params.h"
#include "loader/base/bytes.h"

/* Sizes of records without their names, and offsets of fields in them; see PKWARE's APPNOTE 4.3. */
enum {
    END_SIZE = 22,
    END_COUNT = 10,
    END_DIRECTORY_SIZE = 12,
    END_DIRECTORY = 16,
    ENTRY_SIZE = 46,
    ENTRY_METHOD = 10,
    ENTRY_CHECKSUM = 16,
    ENTRY_STORED = 20,
    ENTRY_UNPACKED = 24,
    ENTRY_NAME = 28,
    ENTRY_EXTRA = 30,
    ENTRY_COMMENT = 32,
    ENTRY_OFFSET = 42,
    MEMBER_SIZE = 30,
    MEMBER_NAME = 26,
    MEMBER_EXTRA = 28,
    MAX_COMMENT = 65535
};

/* CRC-32 as zip files have it: ISO 3309's polynomial, low bits first; four bits at a time. */
static uint32_t checksum_of(const uint8_t *bytes, size_t size) {
    const uint32_t polynomial = 0xEDB88320;
    uint32_t table[16];
    for (uint32_t i = 0; i < 16; i++) {
        table[i] = i;
        for (int bit = 0; bit < 4; bit++) table[i] = table[i] >> 1 ^ (table[i] & 1 ? polynomial : 0);
    }
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return ~crc;
}

static bool has_mark(const uint8_t *at, const char *mark) { return memcmp(at, mark, 4) == 0; }

/* The record at the end of the file, behind which there may be a comment; NULL: none. */
static const uint8_t *find_end(const array_file *file) {
    if (file->size < END_SIZE) return NULL;
    size_t furthest = file->size - END_SIZE < MAX_COMMENT ? file->size - END_SIZE : MAX_COMMENT;
    for (size_t back = 0; back <= furthest; back++) {
        const uint8_t *at = file->bytes + file->size - END_SIZE - back;
        if (has_mark(at, "PK\5\6")) return at;
    }
    return NULL;
}

static exit_code malformed(const invocation *inv, const array_file *file) {
    return fail(inv, EXIT_CALL, "%s: it is no .npz file, or a damaged one", file->path);
}

static exit_code read_member(const invocation *inv, array_file *file, const uint8_t *bytes, size_t size,
                             const char *name, size_t name_size) {
    const bool is_npy = name_size > 4 && memcmp(name + name_size - 4, ".npy", 4) == 0;
    named_array *array = array_file_add(file, name, is_npy ? name_size - 4 : name_size);
    if (!array) return fail_memory(inv);
    char message[NPY_MESSAGE_SIZE] = "it is empty";
    FILE *stream = size ? fmemopen((void *)(uintptr_t)bytes, size, "rb") : NULL;
    npy_result result = stream ? npy_read(stream, TIRB_TYPE_NONE, &array->tensor, message) : NPY_MALFORMED;
    if (stream) fclose(stream);
    if (result == NPY_DONE) return EXIT_DONE;
    if (result == NPY_NO_MEMORY) return fail_memory(inv);
    return fail(inv, EXIT_CALL, "%s: '%s': %s", file->path, array->name, message);
}

/* Goes by one entry of the directory and reads what it leads to. */
static exit_code read_entry(const invocation *inv, array_file *file, tirbi_reader *r) {
    const uint8_t *entry = tirbi_read_bytes(r, ENTRY_SIZE);
    if (!entry || !has_mark(entry, "PK\1\2")) return malformed(inv, file);
    const uint32_t size = tirbi_load_u32(entry + ENTRY_STORED), offset = tirbi_load_u32(entry + ENTRY_OFFSET);
    const uint16_t name_size = tirbi_load_u16(entry + ENTRY_NAME);
    const uint8_t *name = tirbi_read_bytes(r, name_size);
    tirbi_read_bytes(r, (size_t)tirbi_load_u16(entry + ENTRY_EXTRA) + tirbi_load_u16(entry + ENTRY_COMMENT));
    if (r->failed || name_size == 0 || memchr(name, 0, name_size)) return malformed(inv, file);
    if (tirbi_load_u16(entry + ENTRY_METHOD) != 0)
        return fail(inv, EXIT_CALL, "%s: '%.*s' is compressed; numpy.savez writes what is not", file->path,
                    (int)name_size, (const char *)name);
    if (size == UINT32_MAX || offset == UINT32_MAX)
        return fail(inv, EXIT_CALL, "%s: '%.*s' has 4 GiB or more", file->path, (int)name_size, (const char *)name);
    tirbi_reader member = tirbi_reader_over(file->bytes, file->size);
    tirbi_read_bytes(&member, offset);
    const uint8_t *head = tirbi_read_bytes(&member, MEMBER_SIZE);
    if (!head || !has_mark(head, "PK\3\4") || tirbi_load_u32(entry + ENTRY_UNPACKED) != size)
        return malformed(inv, file);
    tirbi_read_bytes(&member, (size_t)tirbi_load_u16(head + MEMBER_NAME) + tirbi_load_u16(head + MEMBER_EXTRA));
    const uint8_t *bytes = tirbi_read_bytes(&member, size);
    if (member.failed) return malformed(inv, file);
    if (checksum_of(bytes, size) != tirbi_load_u32(entry + ENTRY_CHECKSUM))
        return fail(inv, EXIT_CALL, "%s: '%.*s' is damaged: its checksum is not that of its bytes", file->path,
                    (int)name_size, (const char *)name);
    return read_member(inv, file, bytes, size, (const char *)name, name_size);
}

exit_code npz_read(const invocation *inv, array_file *file) {
    const uint8_t *end = find_end(file);
    if (!end) return malformed(inv, file);
    tirbi_reader r = tirbi_reader_over(file->bytes, file->size);
    tirbi_read_bytes(&r, tirbi_load_u32(end + END_DIRECTORY));
    if (r.failed) return malformed(inv, file);
    exit_code code = EXIT_DONE;
    for (uint32_t i = tirbi_load_u16(end + END_COUNT); i > 0 && code == EXIT_DONE; i--)
        code = read_entry(inv, file, &r);
    return code;
}
