#include "compiler/driver/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_dash(const char *path) { return strcmp(path, "-") == 0; }

/* A path as messages say it: one that is empty, of an unset variable say, is seen to be. */
static const char *shown(const char *path) { return *path ? path : "''"; }

const char *input_name(const char *path) { return is_dash(path) ? "<stdin>" : shown(path); }

bool read_stream(FILE *stream, size_t limit, file_bytes *out) {
    size_t capacity = 1 << 16;
    out->size = 0;
    out->data = malloc(capacity);
    if (!out->data) return false;
    for (;;) {
        size_t got = fread(out->data + out->size, 1, capacity - out->size, stream);
        out->size += got;
        if (out->size > limit || got == 0) return true;
        if (out->size < capacity) continue;
        uint8_t *grown = realloc(out->data, capacity * 2);
        if (!grown) return false;
        out->data = grown;
        capacity *= 2;
    }
}

exit_code file_read(const invocation *inv, const char *path, size_t limit, file_bytes *out, bool *too_large) {
    *out = (file_bytes){0};
    *too_large = false;
    errno = 0;
    FILE *stream = is_dash(path) ? stdin : fopen(path, "rb");
    if (!stream) return fail(inv, EXIT_FILES, "%s: %s", shown(path), strerror(errno));
    bool enough = read_stream(stream, limit, out);
    bool bad = ferror(stream) != 0;
    int error = errno;
    if (stream != stdin) fclose(stream);
    exit_code code = EXIT_DONE;
    if (!enough) {
        code = fail_memory(inv);
    } else if (bad) {
        code = fail(inv, EXIT_FILES, "%s: %s", input_name(path), strerror(error));
    }
    if (code != EXIT_DONE) {
        free(out->data);
        *out = (file_bytes){0};
        return code;
    }
    *too_large = out->size > limit;
    return EXIT_DONE;
}

const char *file_line(const file_bytes *text, uint32_t number, size_t *out_size) {
    const char *at = (const char *)text->data, *end = at + text->size;
    for (; number > 1 && at < end; number--) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
    }
    const char *newline = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    *out_size = (size_t)((newline ? newline : end) - at);
    return at;
}

static bool write_all(int descriptor, const uint8_t *bytes, size_t size) {
    while (size > 0) {
        ssize_t wrote = write(descriptor, bytes, size);
        if (wrote < 0) {
            if (errno == EINTR) continue;
            return false;
        }
        bytes += wrote;
        size -= (size_t)wrote;
    }
    return true;
}

/* The permissions that a plain open() would have given, or those of the file that is replaced. */
static mode_t mode_for(const struct stat *existing) {
    if (existing) return existing->st_mode & 07777;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static exit_code stage_temporary(const invocation *inv, const struct stat *existing, output_file *out) {
    size_t room = strlen(out->target) + sizeof ".XXXXXX";
    out->temporary = malloc(room);
    if (!out->temporary) return fail_memory(inv);
    snprintf(out->temporary, room, "%s.XXXXXX", out->target);
    int descriptor = mkstemp(out->temporary);
    if (descriptor < 0) {
        int error = errno;
        free(out->temporary);
        out->temporary = NULL;
        return fail(inv, EXIT_FILES, "%s: %s", shown(out->target), strerror(error));
    }
    bool done = write_all(descriptor, out->bytes, out->size) && fchmod(descriptor, mode_for(existing)) == 0;
    int error = errno;
    if (close(descriptor) != 0 && done) {
        done = false;
        error = errno;
    }
    return done ? EXIT_DONE : fail(inv, EXIT_FILES, "%s: %s", shown(out->target), strerror(error));
}

exit_code output_stage(const invocation *inv, const char *path, const void *bytes, size_t size,
                       output_file *out) {
    *out = (output_file){.bytes = bytes, .size = size};
    if (is_dash(path)) {
        out->target = strdup(path);
        return out->target ? EXIT_DONE : fail_memory(inv);
    }
    struct stat existing;
    bool exists = stat(path, &existing) == 0;
    if (exists && S_ISDIR(existing.st_mode)) return fail(inv, EXIT_FILES, "%s: %s", shown(path), strerror(EISDIR));
    bool in_place = exists && !S_ISREG(existing.st_mode);
    /* A symbolic link stays one: the file it leads to is replaced. What /dev/stdout leads to may have no path. */
    out->target = exists && !in_place ? realpath(path, NULL) : strdup(path);
    if (!out->target) return fail(inv, EXIT_FILES, "%s: %s", shown(path), strerror(errno));
    if (in_place) return EXIT_DONE;
    return stage_temporary(inv, exists ? &existing : NULL, out);
}

exit_code output_check(const invocation *inv, const char *path) {
    output_file probe;
    exit_code code = output_stage(inv, path, "", 0, &probe);
    if (code == EXIT_DONE && !probe.temporary && !is_dash(path) && access(path, W_OK) != 0)
        code = fail(inv, EXIT_FILES, "%s: %s", shown(path), strerror(errno));
    output_finish(&probe);
    return code;
}

static bool write_in_place(const output_file *output) {
    if (is_dash(output->target)) {
        return fwrite(output->bytes, 1, output->size, stdout) == output->size && fflush(stdout) == 0;
    }
    int descriptor = open(output->target, O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return false;
    bool done = write_all(descriptor, output->bytes, output->size);
    return close(descriptor) == 0 && done;
}

exit_code output_commit(const invocation *inv, output_file *output) {
    bool done = output->temporary ? rename(output->temporary, output->target) == 0 : write_in_place(output);
    if (!done) {
        const char *name = is_dash(output->target) ? "<stdout>" : output->target;
        return fail(inv, EXIT_FILES, "%s: %s", shown(name), strerror(errno));
    }
    free(output->temporary);
    output->temporary = NULL;
    return EXIT_DONE;
}

void output_finish(output_file *output) {
    if (output->temporary) unlink(output->temporary);
    free(output->temporary);
    free(output->target);
    *output = (output_file){0};
}

exit_code output_write_beside(const invocation *inv, const char *source, const char *path, const void *bytes,
                              size_t size) {
    struct stat from, to;
    if (!is_dash(source) && !is_dash(path) && stat(source, &from) == 0 && stat(path, &to) == 0 &&
        S_ISREG(to.st_mode) && from.st_dev == to.st_dev && from.st_ino == to.st_ino) {
        return fail_usage(inv->command, "%s would be replaced by what is made of it; name another file with -o", path);
    }
    return output_write(inv, path, bytes, size);
}

exit_code output_write(const invocation *inv, const char *path, const void *bytes, size_t size) {
    if (strcmp(path, "-") == 0 && isatty(STDOUT_FILENO) && memchr(bytes, '\0', size)) {
        return fail_usage(inv->command, "the output is binary and stdout is a terminal; name a file with -o");
    }
    output_file output;
    exit_code code = output_stage(inv, path, bytes, size, &output);
    if (code == EXIT_DONE) code = output_commit(inv, &output);
    output_finish(&output);
    return code;
}

char *output_name(const char *path, const char *suffix) {
    if (strcmp(path, "-") == 0) return strdup("-");
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    size_t stem = dot && dot != path && (!slash || dot > slash + 1) ? (size_t)(dot - path) : strlen(path);
    size_t room = stem + strlen(suffix) + 1;
    char *name = malloc(room);
    if (name) snprintf(name, room, "%.*s%s", (int)stem, path, suffix);
    return name;
}
