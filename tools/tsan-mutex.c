// For tools/sanitize.sh: tells ThreadSanitizer of the locks that it cannot see.
//
// Swift's Mutex takes a free lock by an atomic in the caller, which is instrumented. Where it must wait it does so inside
// libswiftSynchronization, which is not, and everything that the lock protects is then reported as a race (Swift 6.3, Linux).
// Preloaded, this library stands before the two functions that wait and wake, and adds what is missing.
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
