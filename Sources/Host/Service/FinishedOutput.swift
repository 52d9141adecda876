import Draft
import Foundation
import Glibc
import Hashing
import Renders

/// The files of a render that is done, as its submitter may fetch them. Reads the disk: not for asynchronous code.
struct FinishedOutput: Sendable {
    /// One of its files.
    struct File: Codable, Hashable, Sendable {
        /// Without a folder.
        var name: String
        /// In bytes.
        var size: Int64
        /// Another one where the file was replaced meanwhile: pieces of two files are never joined.
        var identity: String
    }

    /// Where it lies: a file, pictures' pattern, or their folder, which ends in `/`.
    let output: String
    /// - Throws: where it lies somewhere else than its submitter may look, such as behind a link.
    let check: @Sendable () throws(HostError) -> Void

    /// The bytes of one piece at most.
    static let pieceSize = 256 << 10

    private var isFolder: Bool { output.hasSuffix("/") }
    private var folder: String { isFolder ? String(output.dropLast()) : (output as NSString).deletingLastPathComponent }
    private var pictures: PictureNames? { (try? PictureNames(path: output)) ?? nil }

    /// In the order of their names.
    func files() throws(HostError) -> [File] {
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

    /// - Returns: ``pieceSize`` bytes from `offset`, and fewer only at the end.
    func piece(of name: String, _ identity: String, at offset: Int64) throws(HostError) -> Data {
        let opened = try open(name, identity)
        guard (0...opened.file.size).contains(offset) else {
            throw HostError(.data, "‘\(name)’ has \(opened.file.size) bytes; there is nothing at \(offset).")
        }
        return try opened.read(Self.pieceSize, at: offset)
    }

    /// The SHA-256 of a whole file, in hexadecimal.
    func digest(of name: String, _ identity: String) throws(HostError) -> String {
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
        private let descriptor: Int32

        /// - Throws: where it is not there, or is a link, or no file.
        init(path: String, _ name: String) throws(HostError) {
            self.path = path
            // What is no regular file must not hold up the lane, either.
            descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            guard descriptor >= 0 else {
                let isGone = errno == ENOENT || errno == ENOTDIR
                throw HostError(
                    .noInput,
                    isGone ? "‘\(path)’ is not there any more." : "‘\(path)’ cannot be read: \(systemText(errno)).")
            }
            var info = stat()
            guard fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG else {
                close(descriptor)
                throw HostError(.noInput, "‘\(path)’ is not a file any more.")
            }
            let text = "\(info.st_dev) \(info.st_ino) \(info.st_size) \(info.st_mtim.tv_sec) \(info.st_mtim.tv_nsec)"
            file = File(name: name, size: Int64(info.st_size), identity: String(SHA256.hash(text.utf8).prefix(16)))
        }

        deinit { close(descriptor) }

        func read(_ count: Int, at offset: Int64) throws(HostError) -> Data {
            var bytes = Data(count: count)
            var filled = 0
            while filled < count {
                let got = bytes.withUnsafeMutableBytes {
                    pread(descriptor, $0.baseAddress.map { $0 + filled }, count - filled, off_t(offset) + filled)
                }
                if got < 0, errno == EINTR { continue }
                guard got >= 0 else {
                    throw HostError(.inputOutput, "‘\(path)’ cannot be read: \(systemText(errno)).")
                }
                if got == 0 { break }
                filled += got
            }
            return bytes.prefix(filled)
        }

        func digest() throws(HostError) -> String {
            var hasher = SHA256()
            var offset: Int64 = 0
            while true {
                let bytes = try read(1 << 20, at: offset)
                if bytes.isEmpty { return hasher.finish() }
                bytes.withUnsafeBytes { hasher.update($0) }
                offset += Int64(bytes.count)
            }
        }
    }
}

/// The outputs that a server keeps in a folder of its own until they are fetched and their render is purged.
struct KeptOutputs: Sendable {
    let folder: String

    init(_ place: ServerPlace) { folder = place.folder + "/outputs" }

    /// A place for an output that lies nowhere on the submitter's and the server's common storage.
    /// - Parameter wished: the output as its submitter calls it; only its last name counts.
    func place(for wished: String) throws(HostError) -> String {
        let isFolder = wished.hasSuffix("/")
        let name = (wished as NSString).lastPathComponent
        guard !name.isEmpty, name != "/", name != ".", name != ".." else {
            throw HostError(.data, "The output ‘\(wished)’ has no name.")
        }
        // Nobody can guess it, and so name it as his.
        let unique = [UInt64.random(in: .min ... .max), .random(in: .min ... .max)].map { String($0, radix: 36) }
        return "\(folder)/\(unique.joined())/\(name)" + (isFolder ? "/" : "")
    }

    /// Makes the folder of an output that is kept here. May wait.
    func makeFolder(of output: String) throws(HostError) {
        guard holds(output) else { return }
        let own = Self.folder(of: output)
        let code = makeFolders(own)
        guard code == 0 else {
            throw HostError(.inputOutput, "The server's folder ‘\(own)’ cannot be made: \(systemText(code)).")
        }
    }

    private static func folder(of output: String) -> String {
        ((output.hasSuffix("/") ? String(output.dropLast()) : output) as NSString).deletingLastPathComponent
    }

    func holds(_ output: String) -> Bool { output.utf8.starts(with: (folder + "/").utf8) }

    /// Removes an output with the folder that was made for it. May wait.
    func remove(_ output: String) {
        if holds(output) { try? FileManager.default.removeItem(atPath: Self.folder(of: output)) }
    }
}
