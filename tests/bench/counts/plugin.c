/* Counts the instructions that an emulated program executes, into the first eight bytes of a file, which that program
 * may map and read: a plugin of qemu (counts.py).
 *
 * qemu declares this interface in a header that Debian's packages leave out; what is declared here is the part of
 * version 1 that is called. */
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
enum { QEMU_PLUGIN_INLINE_ADD_U64 };
typedef void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *block);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, on_translation *call);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *block, int operation, void *at, uint64_t number);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

static uint64_t *counter;

/* A block that is left in its midst, by a signal say, counts whole. */
static void count(qemu_plugin_id_t id, struct qemu_plugin_tb *block) {
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_inline(block, QEMU_PLUGIN_INLINE_ADD_U64, counter, qemu_plugin_tb_n_insns(block));
}

/* Its argument is to=FILE, which has eight bytes at least. */
__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc,
                                                               char **argv) {
    (void)info;
    if (argc != 1 || strncmp(argv[0], "to=", 3) != 0) return fprintf(stderr, "count: no to=FILE\n");
    const int file = open(argv[0] + 3, O_RDWR | O_CLOEXEC);
    if (file >= 0) counter = mmap(NULL, sizeof *counter, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file < 0 || counter == MAP_FAILED) return fprintf(stderr, "count: cannot map %s\n", argv[0] + 3);
    close(file);
    qemu_plugin_register_vcpu_tb_trans_cb(id, count);
    return 0;
}
