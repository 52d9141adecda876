import Cleanup

/// Opens a session for a command and always closes it: no worker outlives the command.
/// - Parameters:
///   - writable: folders that workers may write to; asked for before anything else is done.
///   - isParanoid: plugins get their frames in guarded memory.
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
    /// Does a command's work, which a signal stops, and shuts the queue down whatever comes of it.
    /// - Parameters:
    ///   - onSignal: called once with the signal, before the work is cancelled.
    ///   - afterwards: what is left to do when no worker runs any more; a second signal still ends the process at once.
    package func run(
        _ body: @escaping @Sendable () async throws -> Void,
        onSignal: @escaping @Sendable (Int32) -> Void = { _ in }, afterwards: () async -> Void = {}
    ) async throws {
        // Nothing is begun that a signal could not stop yet.
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
