import CPosix
import Farm
import Glibc

/// What Cutroom needs of what the system allows a process. Too little of it shows in many ways, few of which say so: a thread that is
/// waited for and never starts, a library that ends the process, a crash. So it is looked at before anything starts.
package enum ResourceLimits {
    /// Bytes of address space without which a worker does not render small pictures, one reserve included: code of libraries, stacks and
    /// arenas of some threads.
    private static let leastAddressSpace: UInt64 = 1 << 30
    private static let leastData: UInt64 = 512 << 20
    /// Bytes for each thread's stack.
    private static let leastStack: UInt64 = 1 << 20
    private static let usualStack: UInt64 = 8 << 20
    /// Bytes that a file of a worker's own has, one for the notes that it leaves when it crashes.
    private static let leastFileSize: UInt64 = 16 << 10
    /// Files that the host opens at the same time, without what each worker takes. A worker, with its media, libraries and its line to
    /// the host, stays below what a host with one worker needs.
    private static let filesOfTheHost: UInt64 = 64
    private static let filesForEachWorker: UInt64 = 6
    /// What is asked for where it may be had.
    private static let usualFiles: UInt64 = 1024

    /// Raises what may be raised, and looks whether the rest is enough. To be called before the process has other threads.
    /// - Throws: `.unavailable`, with what is missing, or with the limit and what is needed.
    package static func check() throws(HostError) {
        if let problem = ProcFolder.problem { throw HostError(.unavailable, problem) }
        let stack = ProcessLimit(.stack).raised(to: usualStack)
        try require(leastStack, of: stack, "of stack for each thread")
        _ = cposix_raise_thread_stack(Int(min(stack.value, usualStack)))
        try require(leastAddressSpace, of: ProcessLimit(.addressSpace), "of address space for each process")
        try require(leastData, of: ProcessLimit(.data), "of data for each process")
        try require(leastFileSize, of: ProcessLimit(.fileSize), "for each file that it writes")
        try require(
            files(workers: 1), of: ProcessLimit(.openFiles).raised(to: usualFiles), "open files for each process")
    }

    /// The number of workers that there may be: the one that is asked for, or as many of the usual number as the limits allow.
    /// - Throws: where more are asked for.
    package static func workers(_ asked: Int?, usual: Int) throws(HostError) -> Int {
        let workers = asked ?? usual
        let needed = files(workers: workers)
        let limit = ProcessLimit(.openFiles).raised(to: max(usualFiles, needed))
        guard limit.value < needed else { return workers }
        guard asked != nil else {
            return max(1, Int((max(limit.value, filesOfTheHost) - filesOfTheHost) / filesForEachWorker))
        }
        throw HostError(
            .unavailable,
            "\(counted(workers, "worker", "workers")) need \(needed) open files, but this shell allows a process \(limit.forPeople); raise that, or give fewer ‘--workers’."
        )
    }

    /// Raises the limit of open files as far as it may be raised for a server's connections.
    /// - Parameter wanted: descriptors for connections.
    /// - Returns: how many of them there are beside what the host and its workers need.
    package static func room(for wanted: Int, workers: Int) -> Int {
        let needed = files(workers: workers)
        let limit = ProcessLimit(.openFiles).raised(to: max(usualFiles, needed + UInt64(wanted)))
        return limit.value > needed ? Int(min(UInt64(wanted), limit.value - needed)) : 0
    }

    /// The system's words for an error, with the limit where the process has no descriptor left.
    package static func text(_ code: Int32) -> String {
        code == EMFILE
            ? "all open files that the process may have are in use, \(ProcessLimit(.openFiles).forPeople)"
            : systemText(code)
    }

    private static func files(workers: Int) -> UInt64 { filesOfTheHost + UInt64(workers) * filesForEachWorker }

    private static func require(_ least: UInt64, of limit: ProcessLimit, _ what: String) throws(HostError) {
        guard limit.value < least else { return }
        let (amount, unit): (UInt64, String) =
            limit.resource == .openFiles
            ? (least, "") : least < 1 << 20 ? (least >> 10, "KiB ") : (least >> 20, "MiB ")
        throw HostError(
            .unavailable,
            "Cutroom needs at least \(amount) \(unit)\(what), but this shell allows \(limit.forPeople); raise that limit."
        )
    }
}
