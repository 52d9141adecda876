import ArgumentParser
import Cleanup
import Farm
import Foundation
import Glibc
import Messaging
import Rendering
import Scripting
import Values

/// An error that ends a command: one sentence for people, the chain of causes for `--verbose`, and
/// an exit code of sysexits.h.
package struct HostError: Error, Sendable, CustomStringConvertible {
    package struct Code: Hashable, Sendable {
        package let exitCode: Int32
        package static let usage = Code(exitCode: 64)
        /// The script, the draft or its media are invalid.
        package static let data = Code(exitCode: 65)
        /// The script or draft itself cannot be read.
        package static let noInput = Code(exitCode: 66)
        /// Workers cannot be started or reached.
        package static let unavailable = Code(exitCode: 69)
        /// A fault in Cutroom, or in a plugin.
        package static let software = Code(exitCode: 70)
        package static let cannotCreate = Code(exitCode: 73)
        /// Reading or writing failed, for example on a full disk.
        package static let inputOutput = Code(exitCode: 74)
        /// The command was ended by a signal, with the exit code of a shell: 130 for Ctrl-C, 143
        /// for SIGTERM.
        package static var interrupted: Code { Code(exitCode: 128 + (Interrupts.received ?? SIGINT)) }
    }

    package var code: Code
    /// The errors, each on its own; at least one.
    package var findings: [Finding]
    package var details: [String]
    /// The plugin's effect in which a job failed.
    var culprit: Culprit?

    package init(_ code: Code, _ findings: [Finding], details: [String] = [], culprit: Culprit? = nil) {
        (self.code, self.findings, self.details, self.culprit) = (code, findings, details, culprit)
    }

    package init(_ code: Code, _ message: String, details: [String] = [], culprit: Culprit? = nil) {
        self.init(code, [Finding(message)], details: details, culprit: culprit)
    }

    package init(_ code: Code, _ messages: [String]) { self.init(code, messages.map { Finding($0) }) }

    /// The message, with a line for each error.
    package var message: String {
        get { findings.map(\.text).joined(separator: "\n") }
        set { findings = [Finding(newValue)] }
    }

    package var description: String { message }

    /// Returns the error with file names as the user wrote them.
    func naming(_ names: PathNames) -> HostError {
        var error = self
        error.findings = findings.map { $0.naming(names) }
        return error
    }
}

extension HostError {
    package init(_ problems: Problems) {
        self.init(.data, problems.all.map { Finding($0) })
    }

    package init(_ error: ScriptError) {
        switch error.code {
        case .cancelled: self.init(.interrupted, "Stopped.")
        // A value from the command line.
        case .parameter: self.init(.usage, [Finding(error)], details: error.traceback)
        case .plugin: self.init(.software, [Finding(error)], details: error.traceback)
        default: self.init(.data, [Finding(error)], details: error.traceback)
        }
    }

    package init(_ error: QueueError) {
        switch (error.code, error.failure?.category) {
        case (.cancelled, _), (_, .cancelled?): self.init(.interrupted, "Stopped.")
        case (.unavailable, _), (.closed, _), (_, .unavailable?): self.init(.unavailable, error.message)
        case (_, .input?): self.init(.data, error.message, details: error.failure?.details ?? [])
        case (_, .resource?): self.init(.inputOutput, error.message, details: error.failure?.details ?? [])
        default: self.init(.software, error.message, details: error.failure?.details ?? [])
        }
        culprit = error.failure?.blame.map(Culprit.init)
    }

    package init(_ failure: RenderFailure) {
        let code: Code =
            switch failure.cause {
            case .input: .data
            case .software: .software
            case .machine: .inputOutput
            case .noWorkers: .unavailable
            case .output: .cannotCreate
            case .stopped: .interrupted
            }
        self.init(code, failure.message, details: failure.details, culprit: failure.culprit)
    }

    /// Converts any error.
    package init(_ error: any Error) {
        switch error {
        case let error as HostError: self = error
        case let error as Problems: self.init(error)
        case let error as Problem: self.init(Problems([error]))
        case let error as ScriptError: self.init(error)
        case let error as QueueError: self.init(error)
        case let error as RenderFailure: self.init(error)
        case is CancellationError: self.init(.interrupted, "Stopped.")
        default: self.init(.software, "\(error)")
        }
    }
}

/// Returns a text with a full stop, unless it ends in a question mark.
package func sentence(_ text: String) -> String { text.hasSuffix("?") || text.hasSuffix(".") ? text : text + "." }

/// Returns a number with its noun: `1 clip`, `2 clips`.
package func counted(_ number: Int, _ one: String, _ several: String) -> String {
    "\(number) \(number == 1 ? one : several)"
}

/// Runs a command's work, prints its error on standard error, and exits with its code.
package func reportingErrors(verbose: Bool, _ body: () async throws -> Void) async throws {
    do {
        try await body()
    } catch let error as ExitCode {
        throw error
    } catch {
        let error = HostError(error)
        Console.complain(error, verbose: verbose)
        throw ExitCode(error.code.exitCode)
    }
}
