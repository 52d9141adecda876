#define _GNU_SOURCE
#include "CIsolation.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Later than the headers of Debian 12. */
#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13)
#endif
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif

/* What a file itself can be allowed; the rest is about what lies in a folder. */
static const uint64_t of_files = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE;

static uint64_t changes(int32_t version) {
    uint64_t all = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
                   LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                   LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
                   LANDLOCK_ACCESS_FS_MAKE_SYM;
    /* Renaming from folder to folder, which version 1 always refuses. */
    if (version >= 2) all |= LANDLOCK_ACCESS_FS_REFER;
    if (version >= 3) all |= LANDLOCK_ACCESS_FS_TRUNCATE;
    return all;
}

/* What may be done within an allowed folder: no devices. */
static const uint64_t never = LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK;

static int32_t allow(int ruleset, const char *path, uint64_t access) {
    int descriptor = open(path, O_PATH | O_CLOEXEC);
    if (descriptor < 0) return errno == ENOENT ? 0 : -errno;
    struct stat info;
    int32_t result = fstat(descriptor, &info) < 0 ? -errno : 0;
    struct landlock_path_beneath_attr rule = {
        .allowed_access = S_ISDIR(info.st_mode) ? access : access & of_files, .parent_fd = descriptor};
    if (!result && syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) < 0) result = -errno;
    close(descriptor);
    return result;
}

int32_t cisolation_limit_writing(const char *const *folders, size_t count) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 0) return -errno;
    struct landlock_ruleset_attr attributes = {.handled_access_fs = changes((int32_t)version)};
    long ruleset = syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
    if (ruleset < 0) return -errno;
    uint64_t access = attributes.handled_access_fs & ~never;
    int32_t result = allow((int)ruleset, "/dev/null", access);
    for (size_t i = 0; i < count && !result; i++) result = allow((int)ruleset, folders[i], access);
    if (!result && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) result = -errno;
    if (!result && syscall(SYS_landlock_restrict_self, ruleset, 0) < 0) result = -errno;
    close((int)ruleset);
    return result ? result : (int32_t)version;
}
