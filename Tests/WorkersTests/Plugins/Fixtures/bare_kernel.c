/* Starts the program that $BARE_PROGRAM names as it would run on a kernel without Landlock and
 * seccomp: their system calls answer as they do there. */
#include <errno.h>
#include <seccomp.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int count, char **arguments) {
    const char *program = getenv("BARE_PROGRAM");
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    const struct scmp_arg_cmp mode = {.arg = 0, .op = SCMP_CMP_EQ, .datum_a = PR_SET_SECCOMP};
    if (count < 1 || !program || !filter) return 71;
    if (seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(ENOSYS), seccomp_syscall_resolve_name("landlock_create_ruleset"), 0, NULL) ||
        seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(ENOSYS), seccomp_syscall_resolve_name("seccomp"), 0, NULL) ||
        seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EINVAL), seccomp_syscall_resolve_name("prctl"), 1, &mode) || seccomp_load(filter))
        return 71;
    execv(program, arguments);
    return 127;
}
