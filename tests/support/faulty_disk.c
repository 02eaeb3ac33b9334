/* A disk that fails when told, and writes down what is done to it.

   Loaded with LD_PRELOAD by tests/support/faulty_disk.py, which compiles it. It sees every write,
   truncation, sync, creation, removal and renaming under one folder, by Python and by SQLite.
   Each is written to a trace before the next one may begin, so that the states that a power loss
   could leave can be made from the trace. Steered from within the process, by ctypes. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REAL(type, name) ((type)dlsym(RTLD_NEXT, #name))

typedef ssize_t (*write_fn)(int, const void *, size_t);
typedef ssize_t (*pwrite_fn)(int, const void *, size_t, off_t);
typedef int (*truncate_fn)(int, off_t);
typedef int (*sync_fn)(int);
typedef int (*openat_fn)(int, const char *, int, ...);
typedef int (*unlinkat_fn)(int, const char *, int);
typedef int (*renameat_fn)(int, const char *, int, const char *);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char folder[PATH_MAX];
static int trace = -1;
static long seen = 0, fail_from = 0;
static int fail_with = 0, torn = 0;

/* Watch a folder; `into` is the file of the trace, or empty for none. */
void disk_watch(const char *path, const char *into) {
    strncpy(folder, path, PATH_MAX - 1);
    if (*into)
        trace = REAL(openat_fn, openat)(AT_FDCWD, into, O_CREAT | O_WRONLY | O_APPEND, 0600);
}

/* Fail the nth operation from now on, and every one after it; 0 makes the disk whole again. */
void disk_fail(long nth, int error) {
    seen = 0;
    torn = 0;
    fail_from = nth;
    fail_with = error;
}

/* How many operations there were since `disk_fail`. */
long disk_seen(void) { return seen; }

static void record(char kind, const char *path, const char *other, int64_t at, const void *data,
                   int64_t size) {
    if (trace < 0) return;
    int saved = errno;
    char head[2 * PATH_MAX + 80];
    int64_t stored = data ? size : 0;
    int length = snprintf(head, sizeof head, "%c\t%s\t%s\t%lld\t%lld\t%lld\n", kind, path, other,
                          (long long)at, (long long)size, (long long)stored);
    write_fn put = REAL(write_fn, write);
    if (put(trace, head, length) != length || (stored && put(trace, data, stored) != stored))
        _exit(99); /* a trace with a hole proves nothing */
    errno = saved;
}

/* Say something in the trace: what the program was promised so far. */
void disk_mark(const char *words) {
    pthread_mutex_lock(&lock);
    record('m', words, "", 0, NULL, 0);
    pthread_mutex_unlock(&lock);
}

static int within(const char *path) {
    size_t size = strlen(folder);
    return size && strncmp(path, folder, size) == 0 && (path[size] == '/' || !path[size]);
}

static int path_of(int fd, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, path, PATH_MAX - 1);
    if (size <= 0) return 0;
    path[size] = 0;
    return within(path);
}

static int path_at(int at, const char *name, char *path) {
    if (*name == '/') {
        strncpy(path, name, PATH_MAX - 1);
        return within(path);
    }
    char base[PATH_MAX] = "";
    if (at == AT_FDCWD) {
        if (!getcwd(base, sizeof base)) return 0;
    } else if (!path_of(at, base)) {
        return 0;
    }
    snprintf(path, PATH_MAX, "%.2000s/%.2000s", base, name);
    return within(path);
}

/* Count an operation; return whether it must fail. */
static int fails(void) {
    seen++;
    if (!fail_from || seen < fail_from) return 0;
    errno = fail_with;
    return 1;
}

static ssize_t put(int fd, const void *data, size_t size, off_t at, int placed) {
    char path[PATH_MAX];
    write_fn plain = REAL(write_fn, write);
    pwrite_fn there = REAL(pwrite_fn, pwrite64);
    if (!path_of(fd, path)) return placed ? there(fd, data, size, at) : plain(fd, data, size);
    pthread_mutex_lock(&lock);
    ssize_t done = -1;
    int refused = fails();
    /* A disk that becomes full takes a part of the last write. */
    if (refused && !torn && fail_with == ENOSPC && size > 1) {
        torn = 1;
        refused = 0;
        size /= 2;
    }
    if (!refused) {
        if (!placed) at = lseek(fd, 0, SEEK_CUR);
        done = placed ? there(fd, data, size, at) : plain(fd, data, size);
        if (done > 0) record('w', path, "", at, data, done);
    }
    pthread_mutex_unlock(&lock);
    return done;
}

ssize_t write(int fd, const void *data, size_t size) { return put(fd, data, size, 0, 0); }
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
    return put(fd, data, size, at, 1);
}
ssize_t pwrite64(int fd, const void *data, size_t size, off_t at) {
    return put(fd, data, size, at, 1);
}

static int cut(int fd, off_t size) {
    char path[PATH_MAX];
    truncate_fn real = REAL(truncate_fn, ftruncate64);
    if (!path_of(fd, path)) return real(fd, size);
    pthread_mutex_lock(&lock);
    int done = -1;
    if (!fails()) {
        done = real(fd, size);
        if (!done) record('t', path, "", size, NULL, 0);
    }
    pthread_mutex_unlock(&lock);
    return done;
}

int ftruncate(int fd, off_t size) { return cut(fd, size); }
int ftruncate64(int fd, off_t size) { return cut(fd, size); }

static int sync_file(int fd, sync_fn real) {
    char path[PATH_MAX];
    if (!path_of(fd, path)) return real(fd);
    pthread_mutex_lock(&lock);
    int done = -1;
    if (!fails()) {
        done = 0; /* the states are made from the trace: nothing need wait for the real disk */
        record('s', path, "", 0, NULL, 0);
    }
    pthread_mutex_unlock(&lock);
    return done;
}

int fsync(int fd) { return sync_file(fd, REAL(sync_fn, fsync)); }
int fdatasync(int fd) { return sync_file(fd, REAL(sync_fn, fdatasync)); }

static int open_at(int at, const char *name, int flags, mode_t mode) {
    char path[PATH_MAX];
    openat_fn real = REAL(openat_fn, openat64);
    int writes = flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC);
    if (!writes || !path_at(at, name, path)) return real(at, name, flags, mode);
    pthread_mutex_lock(&lock);
    struct stat before;
    int new = fstatat(at, name, &before, 0) != 0;
    int fd = -1;
    if (!((new || flags & O_TRUNC) && fails())) {
        fd = real(at, name, flags, mode);
        if (fd >= 0 && new) record('c', path, "", 0, NULL, 0);
        if (fd >= 0 && !new && flags & O_TRUNC) record('t', path, "", 0, NULL, 0);
    }
    pthread_mutex_unlock(&lock);
    return fd;
}

#define OPEN_BODY(at)                                  \
    mode_t mode = 0;                                   \
    if (flags & (O_CREAT | O_TMPFILE)) {               \
        va_list rest;                                  \
        va_start(rest, flags);                         \
        mode = va_arg(rest, mode_t);                   \
        va_end(rest);                                  \
    }                                                  \
    return open_at(at, name, flags, mode);

int open(const char *name, int flags, ...) { OPEN_BODY(AT_FDCWD) }
int open64(const char *name, int flags, ...) { OPEN_BODY(AT_FDCWD) }
int openat(int at, const char *name, int flags, ...) { OPEN_BODY(at) }
int openat64(int at, const char *name, int flags, ...) { OPEN_BODY(at) }

static int remove_at(int at, const char *name, int flags) {
    char path[PATH_MAX];
    unlinkat_fn real = REAL(unlinkat_fn, unlinkat);
    struct stat there;
    if (!path_at(at, name, path) || fstatat(at, name, &there, AT_SYMLINK_NOFOLLOW))
        return real(at, name, flags);
    pthread_mutex_lock(&lock);
    /* A full disk can still remove files. */
    int done = fail_with != ENOSPC && fails() ? -1 : real(at, name, flags);
    if (!done) record('u', path, "", 0, NULL, 0);
    pthread_mutex_unlock(&lock);
    return done;
}

int unlink(const char *name) { return remove_at(AT_FDCWD, name, 0); }
int unlinkat(int at, const char *name, int flags) { return remove_at(at, name, flags); }

static int rename_at(int from, const char *name, int to, const char *other) {
    char path[PATH_MAX], target[PATH_MAX];
    renameat_fn real = REAL(renameat_fn, renameat);
    int ours = path_at(from, name, path);
    if (!path_at(to, other, target) && !ours) return real(from, name, to, other);
    pthread_mutex_lock(&lock);
    int done = fails() ? -1 : real(from, name, to, other);
    if (!done) record('r', path, target, 0, NULL, 0);
    pthread_mutex_unlock(&lock);
    return done;
}

int rename(const char *name, const char *other) {
    return rename_at(AT_FDCWD, name, AT_FDCWD, other);
}
int renameat(int from, const char *name, int to, const char *other) {
    return rename_at(from, name, to, other);
}
