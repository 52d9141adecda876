import CPosix

/// The system's folder of processes, proc(5). Dispatch, on which Swift's tasks run, looks there at each of its threads, and ends a process
/// whose threads it does not find by SIGILL, a second after they began (`src/event/workqueue.c` of swift-corelibs-libdispatch).
package enum ProcFolder {
    /// Why Cutroom cannot run with this folder, as a sentence; nil where it can.
    package static var problem: String? {
        guard !cposix_proc_shows_threads() else { return nil }
        return
            "Cutroom needs the ‘/proc’ of its own PID namespace, but here it is missing or another one's; mount it: mount -t proc proc /proc."
    }
}
