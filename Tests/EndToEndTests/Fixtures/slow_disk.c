/* A disk that stands still, for LD_PRELOAD: in the program `cutroom`, names are given in the cache
 * only once the file $SLOW_DISK_GATE is there. The file $SLOW_DISK_GATE.waited tells that somebody
 * had to wait. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int name_function(const char *from, const char *to);

static void wait_for_gate(const char *to) {
    const char *gate = getenv("SLOW_DISK_GATE");
    if (!gate || strcmp(program_invocation_short_name, "cutroom") != 0 || !strstr(to, "/entries/")) return;
    char note[4096];
    snprintf(note, sizeof note, "%s.waited", gate);
    while (access(gate, F_OK) != 0) {
        int file = open(note, O_WRONLY | O_CREAT, 0644);
        if (file >= 0) close(file);
        usleep(5000);
    }
}

static int pass_on(const char *name, const char *from, const char *to) {
    name_function *real;
    *(void **)&real = dlsym(RTLD_NEXT, name);
    return real(from, to);
}

__attribute__((visibility("default"))) int link(const char *from, const char *to) {
    wait_for_gate(to);
    return pass_on("link", from, to);
}

__attribute__((visibility("default"))) int rename(const char *from, const char *to) {
    wait_for_gate(to);
    return pass_on("rename", from, to);
}
