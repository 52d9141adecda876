import Foundation
import Glibc

/// The right to use a journal, which one process has at a time; it ends with the process.
final class JournalLock: Sendable {
    private let descriptor: Int32

    private static let (tries, pause) = (10, 20_000 as useconds_t)

    init(folder: String) throws(JournalError) {
        do {
            // What a server knows of its users' work is its user's alone.
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw JournalError(.unavailable, "The folder ‘\(folder)’ cannot be made: \(Self.text(errno)).")
        }
        descriptor = open(folder + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw JournalError(.unavailable, "The folder ‘\(folder)’ cannot be written to: \(Self.text(errno)).")
        }
        var isMine = flock(descriptor, LOCK_EX | LOCK_NB) == 0
        // A process that its last holder was just starting has it until it has become another program.
        for _ in 0..<Self.tries where !isMine {
            usleep(Self.pause)
            isMine = flock(descriptor, LOCK_EX | LOCK_NB) == 0
        }
        guard isMine else {
            close(descriptor)
            throw JournalError(
                .inUse, "Another server uses ‘\(folder)’; stop it, or give this one a folder of its own.")
        }
    }

    deinit { close(descriptor) }

    private static func text(_ code: Int32) -> String { String(cString: strerror(code)) }
}
