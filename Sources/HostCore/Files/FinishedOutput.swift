import Draft
import Files
import Foundation
import Glibc
import Hashing

/// The files of a finished render, for its submitter to fetch. Reads the disk: not for asynchronous
/// code.
package struct FinishedOutput: Sendable {
    /// One of its files.
    package struct File: Codable, Hashable, Sendable {
        /// The file's name, without a folder.
        package var name: String
        /// The size in bytes.
        package var size: Int64
        /// An identity that changes when the file is replaced, so that pieces of two files are
        /// never joined.
        package var identity: String
    }

    /// The output's path: a file, the pattern of a picture sequence, or its folder, which ends in
    /// `/`.
    package let output: String
    /// Checks that the output lies where its submitter may read, and not behind a link, for
    /// example.
    package let check: @Sendable () throws(HostError) -> Void

    package init(output: String, check: @escaping @Sendable () throws(HostError) -> Void) {
        self.output = output
        self.check = check
    }

    /// The most bytes of one piece.
    package static let pieceSize = 256 << 10

    private var isFolder: Bool { output.hasSuffix("/") }
    private var folder: String { isFolder ? String(output.dropLast()) : (output as NSString).deletingLastPathComponent }
    private var pictures: PictureNames? { (try? PictureNames(path: output)) ?? nil }

    /// Returns the files, in the order of their names.
    package func files() throws(HostError) -> [File] {
        try check()
        guard isFolder || pictures != nil else {
            let name = (output as NSString).lastPathComponent
            return [try Opened(path: output, name).file]
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        var found: [File] = []
        for name in names.sorted() where isOwn(name) { found.append(try Opened(path: folder + "/" + name, name).file) }
        guard !found.isEmpty else { throw HostError(.noInput, "‘\(output)’ is not there any more.") }
        return found
    }

    /// Returns a piece of a file.
    /// - Returns: ``pieceSize`` bytes from `offset`, fewer only at the end.
    package func piece(of name: String, _ identity: String, at offset: Int64) throws(HostError) -> Data {
        let opened = try open(name, identity)
        guard (0...opened.file.size).contains(offset) else {
            throw HostError(.data, "‘\(name)’ has \(opened.file.size) bytes; there is nothing at \(offset).")
        }
        return try opened.read(Self.pieceSize, at: offset)
    }

    /// Returns the SHA-256 of a whole file, in hexadecimal.
    package func digest(of name: String, _ identity: String) throws(HostError) -> String {
        let opened = try open(name, identity)
        return try opened.digest()
    }

    private func isOwn(_ name: String) -> Bool {
        if isFolder { return !name.isEmpty && !name.hasPrefix(".") && !name.utf8.contains(UInt8(ascii: "/")) }
        return pictures?.contains(name) ?? (name == (output as NSString).lastPathComponent)
    }

    private func open(_ name: String, _ identity: String) throws(HostError) -> Opened {
        guard isOwn(name) else { throw HostError(.data, "The render has no file ‘\(name)’.") }
        try check()
        let opened = try Opened(path: folder + "/" + name, name)
        guard opened.file.identity == identity else {
            throw HostError(.data, "‘\(name)’ was replaced meanwhile; fetch it again.")
        }
        return opened
    }

    /// A file that is open for reading.
    final class Opened {
        let file: File
        private let path: String
        private let opened: OpenFile

        /// Opens a file.
        /// - Throws: if it is missing, a link, or not a regular file.
        init(path: String, _ name: String) throws(HostError) {
            self.path = path
            // Opening a FIFO or a device must not block the lane.
            let info: stat
            do throws(Errno) {
                let opened = try OpenFile(path, .readOnly, [.noFollow, .nonBlocking])
                info = try opened.status()
                self.opened = opened
            } catch {
                let isGone = error == .noSuchFileOrDirectory || error == .notDirectory
                throw HostError(
                    .noInput, isGone ? "‘\(path)’ is not there any more." : "‘\(path)’ cannot be read: \(error).")
            }
            guard info.st_mode & S_IFMT == S_IFREG else {
                throw HostError(.noInput, "‘\(path)’ is not a file any more.")
            }
            let text = "\(info.st_dev) \(info.st_ino) \(info.st_size) \(info.st_mtim.tv_sec) \(info.st_mtim.tv_nsec)"
            file = File(name: name, size: Int64(info.st_size), identity: String(SHA256.hash(text.utf8).prefix(16)))
        }

        func read(_ count: Int, at offset: Int64) throws(HostError) -> Data {
            do throws(Errno) { return try opened.read(count, at: offset) } catch { throw unreadable(error) }
        }

        func digest() throws(HostError) -> String {
            do throws(Errno) { return try opened.digest().digest } catch { throw unreadable(error) }
        }

        private func unreadable(_ error: Errno) -> HostError {
            HostError(.inputOutput, "‘\(path)’ cannot be read: \(error).")
        }
    }
}
