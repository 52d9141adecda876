import CPosix

/// The system's process folder, proc(5). Dispatch, on which Swift's tasks run, looks up each of its
/// threads there, and ends a process whose threads it does not find by SIGILL, a second after they
/// started (`src/event/workqueue.c` of swift-corelibs-libdispatch).
package enum ProcFolder {
    /// The reason why Cutroom cannot run with this folder, as a sentence; nil if it can.
    package static var problem: String? {
        guard !cposix_proc_shows_threads() else { return nil }
        return
            "Cutroom needs the ‘/proc’ of its own PID namespace, but here it is missing or another one's; mount it: mount -t proc proc /proc."
    }
}
