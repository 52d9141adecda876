import CPosix
import Farm
import Glibc

/// The system limits that Cutroom needs. If one is too low, it shows in many ways, few of which
/// name it: a thread that is waited for and never starts, a library that ends the process, a crash.
/// So limits are checked before anything starts.
package enum ResourceLimits {
    /// The address space in bytes below which a worker cannot render even small pictures, reserve
    /// included: code of libraries, and stacks and arenas of some threads.
    private static let leastAddressSpace: UInt64 = 1 << 30
    private static let leastData: UInt64 = 512 << 20
    /// The stack of each thread in bytes.
    private static let leastStack: UInt64 = 1 << 20
    private static let usualStack: UInt64 = 8 << 20
    /// The size in bytes of a worker's own files, such as the notes that it leaves when it crashes.
    private static let leastFileSize: UInt64 = 16 << 10
    /// The number of files that the host opens at a time, without those for each worker. A worker,
    /// with its media, libraries and connection, needs fewer than a host with one worker.
    private static let filesOfTheHost: UInt64 = 64
    private static let filesForEachWorker: UInt64 = 6
    /// The number of open files that is requested if possible.
    private static let usualFiles: UInt64 = 1024

    /// Raises limits as far as possible and checks the rest. Call it before the process has other
    /// threads.
    /// - Throws: `.unavailable`, with what is missing, or with the limit and the required value.
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

    /// Returns the number of workers: the requested one, or as many of the default number as the
    /// limits allow.
    /// - Throws: if more are requested.
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

    /// Raises the limit of open files as far as possible for a server's connections.
    /// - Parameter wanted: the number of descriptors for connections.
    /// - Returns: how many of them are available beyond what the host and its workers need.
    package static func room(for wanted: Int, workers: Int) -> Int {
        let needed = files(workers: workers)
        let limit = ProcessLimit(.openFiles).raised(to: max(usualFiles, needed + UInt64(wanted)))
        return limit.value > needed ? Int(min(UInt64(wanted), limit.value - needed)) : 0
    }

    /// Returns the system's text for an error, with the limit if the process has no descriptor
    /// left.
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
