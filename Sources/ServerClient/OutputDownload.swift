import Content
import Files
import Foundation
import Glibc
import Hashing
import HostCore
import Rendering
import Renders
import Values

/// Fetches the files of a server's finished render to this machine. Data that was fetched before an
/// interruption is not fetched again: it is in a hidden file next to the output, whose name is
/// derived from the server's file. Blocks: do not call from asynchronous code.
package struct OutputDownload: ~Copyable {
    private let id: RenderID
    private var connection: ReconnectingConnection
    private let reporter: ProgressReporter?

    /// The number of outstanding pieces: more than the delay of a network needs, and less than the
    /// server allows for one key (``RequestLimiter``).
    private static let window = 8

    package init(_ id: RenderID, from server: ServerAddress, _ reporter: ProgressReporter? = nil) {
        (self.id, self.reporter) = (id, reporter)
        connection = ReconnectingConnection(server)
    }

    /// Fetches an output.
    /// - Parameters:
    ///   - wished: the destination; nil: the output's own name in the current folder. For pictures
    ///     the folder, or the pattern.
    ///   - output: the output's path on the server.
    /// - Returns: the paths of the files.
    package mutating func fetch(to wished: String?, of output: String, overwrites: Bool) throws -> [String] {
        guard case .outputs(let files) = try connection.ask(.outputs(id)), let first = files.first,
            files.allSatisfy({ (0...ContentID.largest).contains($0.size) })
        else {
            throw HostError.unfittingAnswer
        }
        let isSingle = !output.hasSuffix("/") && (try? PictureNames(path: output)) ?? nil == nil
        let total = files.reduce(0) { min($0 + $1.size, ContentID.largest) }
        var done: Int64 = 0
        guard !isSingle else {
            let path = wished ?? first.name
            return [try fetch(first, to: path, overwrites, total, &done)]
        }
        let folder = try pictureFolder(wished, output)
        var paths: [String] = []
        for file in files {
            // The server chooses the names of the files, which must stay in the folder.
            guard !file.name.isEmpty, !file.name.contains("/"), !file.name.hasPrefix(".") else {
                throw HostError(.software, "The server sent the file name ‘\(file.name)’, which is not valid.")
            }
            paths.append(try fetch(file, to: folder + "/" + file.name, overwrites, total, &done))
        }
        return paths
    }

    private func pictureFolder(_ wished: String?, _ output: String) throws(HostError) -> String {
        let here = FileManager.default.currentDirectoryPath
        guard let wished else {
            guard output.hasSuffix("/") else { return here }
            return try made(here + "/" + (output as NSString).lastPathComponent)
        }
        if wished.hasSuffix("/") { return try made(absolutePath(wished, in: here)) }
        guard try PictureNames(path: wished) != nil else {
            throw HostError(.usage, "Render \(id) is a picture sequence; give a folder, such as ‘\(wished)/’.")
        }
        return (absolutePath(wished, in: here) as NSString).deletingLastPathComponent
    }

    private func made(_ folder: String) throws(HostError) -> String {
        guard mkdir(folder, 0o755) == 0 || errno == EEXIST else {
            throw HostError(.cannotCreate, "Cannot create the folder ‘\(folder)’: \(systemText(errno)).")
        }
        return folder
    }

    // MARK: One file

    private mutating func fetch(
        _ file: FinishedOutput.File, to wished: String, _ overwrites: Bool, _ total: Int64, _ done: inout Int64
    ) throws -> String {
        let target = try OutputFile(single: wished, overwrites: overwrites)
        let name = (target.path as NSString).lastPathComponent
        let partial = try Partial("\(target.folder)/.\(name.prefix(200)).\(file.identity.prefix(64)).fetch")
        if partial.size > file.size { try partial.empty() }
        while partial.size < file.size {
            try fetchPieces(of: file, into: partial) { [reporter] size in
                reporter?.update(RenderProgress(total: Int(total), done: Int(done + size), stage: "fetching"))
            }
        }
        try partial.sync()
        let own = try partial.digest()
        guard case .digest(let theirs) = try connection.ask(.digest(id, file), patience: .seconds(3600)) else {
            throw HostError.unfittingAnswer
        }
        guard own == theirs else {
            partial.remove()
            throw HostError(
                .inputOutput,
                "The download of ‘\(file.name)’ differs from the file on the server (SHA-256 mismatch); fetch it again."
            )
        }
        try target.commit(partial.path)
        done += file.size
        return target.path
    }

    /// Fetches pieces until the end, or until the connection is lost, which
    /// ``ReconnectingConnection`` restores.
    private mutating func fetchPieces(
        of file: FinishedOutput.File, into partial: Partial, _ report: (Int64) -> Void
    ) throws {
        let start = partial.size
        try connection.use { connection throws(HostError) in
            var (wanted, pending): (Int64, [UInt64]) = (partial.size, [])
            while partial.size < file.size {
                while pending.count < Self.window, wanted < file.size {
                    pending.append(try connection.post(.piece(id, file, from: wanted)))
                    wanted += Int64(FinishedOutput.pieceSize)
                }
                let (number, say, bytes) = try connection.next()
                // A late answer to an earlier request.
                guard pending.contains(number) else { continue }
                guard number == pending.removeFirst(), case .piece = say, let bytes, !bytes.isEmpty else {
                    throw HostError(.unavailable, "Pieces of ‘\(file.name)’ were lost during the download.")
                }
                try partial.append(bytes)
                report(partial.size)
            }
        } isBetter: {
            partial.size > start
        }
    }
}

/// A file that is being fetched, by one program at a time.
private final class Partial {
    let path: String
    private let lock: FileLock
    private(set) var size: Int64 = 0

    init(_ path: String) throws(HostError) {
        self.path = path
        do throws(FileLock.Failure) {
            lock = try FileLock(path, .readWrite, .noFollow, permissions: .readableByAll)
        } catch {
            switch error {
            case .held: throw HostError(.unavailable, "Another program is fetching the same file, into ‘\(path)’.")
            case .cannotOpen(let reason): throw HostError(.cannotCreate, "‘\(path)’ cannot be written: \(reason).")
            case .cannotLock(let reason): throw HostError(.cannotCreate, "‘\(path)’ cannot be locked: \(reason).")
            }
        }
        if let info = try? lock.file.status() { size = Int64(info.st_size) }
    }

    private func writing(_ body: () throws(Errno) -> Void) throws(HostError) {
        do throws(Errno) { try body() } catch {
            throw HostError(.inputOutput, "‘\(path)’ cannot be written: \(error).")
        }
    }

    func append(_ bytes: Data) throws(HostError) {
        try writing { () throws(Errno) in try lock.file.write(bytes, at: size) }
        size += Int64(bytes.count)
    }

    func empty() throws(HostError) {
        try writing { () throws(Errno) in try lock.file.resize(to: 0) }
        size = 0
    }

    func sync() throws(HostError) { try writing { () throws(Errno) in try lock.file.sync() } }

    func remove() { unlink(path) }

    func digest() throws(HostError) -> String {
        do throws(Errno) { return try lock.file.digest().digest } catch {
            throw HostError(.inputOutput, "‘\(path)’ cannot be read: \(error).")
        }
    }
}
