import Files
import Foundation

extension FileLock {
    /// Takes the right to use a journal, which one process has at a time; the folder is made where
    /// it is missing.
    static func journal(in folder: String) throws(JournalError) -> FileLock {
        do {
            // Data about users' work is accessible only to the server's user.
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw JournalError(.unavailable, "The folder ‘\(folder)’ cannot be made: \(Errno(rawValue: errno)).")
        }
        do throws(FileLock.Failure) {
            return try FileLock(folder + "/lock", permissions: .ownerReadWrite, patience: .brief)
        } catch {
            switch error {
            case .held:
                throw JournalError(
                    .inUse, "Another server uses ‘\(folder)’; stop it, or give this one a folder of its own.")
            case .cannotOpen(let reason):
                throw JournalError(.unavailable, "The folder ‘\(folder)’ cannot be written to: \(reason).")
            case .cannotLock(let reason):
                throw JournalError(.unavailable, "The folder ‘\(folder)’ cannot be locked: \(reason).")
            }
        }
    }
}
