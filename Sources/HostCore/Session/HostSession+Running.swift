import Cleanup

/// Runs a command with a session, and always closes it: no worker outlives the command.
/// - Parameters:
///   - writable: returns the folders that workers may write to; called before anything else.
///   - isParanoid: whether plugins get their frames in guarded memory.
package func withSession(
    _ options: some SessionOptions, writable: @autoclosure () throws -> [String] = [], isParanoid: Bool = false,
    _ body: @escaping @Sendable (HostSession) async throws -> Void
) async throws {
    try await reportingErrors(verbose: options.verbose) {
        let session = try HostSession(options, writable: try writable(), isParanoid: isParanoid)
        try await session.run { try await body(session) }
    }
}

extension HostSession {
    /// Runs a command's work, which a signal stops, and always shuts the queue down.
    /// - Parameters:
    ///   - onSignal: called once with the signal, before the work is cancelled.
    ///   - afterwards: runs after the last worker has ended; a second signal still ends the process
    ///     at once.
    package func run(
        _ body: @escaping @Sendable () async throws -> Void,
        onSignal: @escaping @Sendable (Int32) -> Void = { _ in }, afterwards: () async -> Void = {}
    ) async throws {
        // Starts nothing that a signal could not stop yet.
        let (gate, opening) = AsyncStream<Void>.makeStream()
        let work = Task {
            for await _ in gate { break }
            try await body()
        }
        let interrupts = Interrupts { signal in
            onSignal(signal)
            work.cancel()
        }
        opening.finish()
        let result = await work.result
        await queue.shutdown(graceful: (try? result.get()) != nil)
        await afterwards()
        withExtendedLifetime(interrupts) {}
        try result.get()
    }
}
