// Reports locks to ThreadSanitizer that it cannot see. tools/sanitize.sh preloads this library.
//
// Swift's Mutex takes a free lock with an atomic in the caller, which is instrumented. If it has to
// wait, it does so in libswiftSynchronization, which is not instrumented. ThreadSanitizer then
// reports all accesses under the lock as races (Swift 6.3, Linux). This library replaces the two
// functions that wait and wake, and adds the missing annotations.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SELF __attribute__((swift_context)) void *self
#define SWIFT __attribute__((swiftcall))
#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// Present in processes that are built with ThreadSanitizer only.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

typedef SWIFT void (*lock_function)(uint32_t owner, SELF);
typedef SWIFT void (*unlock_function)(SELF);

SWIFT void lock_slow(uint32_t owner, SELF) __asm__(LOCK_SLOW);
SWIFT void lock_slow(uint32_t owner, SELF) {
    ((lock_function)dlsym(RTLD_NEXT, LOCK_SLOW))(owner, self);
    if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT void unlock_slow(SELF) __asm__(UNLOCK_SLOW);
SWIFT void unlock_slow(SELF) {
    if (__tsan_release) __tsan_release(self);
    ((unlock_function)dlsym(RTLD_NEXT, UNLOCK_SLOW))(self);
}
