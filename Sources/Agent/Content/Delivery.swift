import Content
import Farm
import Foundation
import Glibc
import Messaging

/// Files that a run has made on a node and that the server does not have yet.
struct Delivery: Codable, Equatable, Sendable {
    struct File: Codable, Equatable, Sendable {
        /// The local path.
        var here: String
        /// The path that the run would have written on the server.
        var there: String
        var id: ContentID
    }

    /// The local folder that was made for the files.
    var folder: String
    var files: [File]

    init(folder: String, files: [File]) { (self.folder, self.files) = (folder, files) }

    /// Hashes the files that a run has made.
    /// - Parameter paths: local paths, each with its path on the server. A folder stands for the
    ///   files in it.
    init(_ paths: [String: String], in folder: String, checkIn: () throws(JobFailure) -> Void) throws(JobFailure) {
        (self.folder, files) = (folder, [])
        for (here, there) in paths.sorted(by: { $0.key < $1.key }) {
            var info = stat()
            guard lstat(here, &info) == 0 else {
                throw JobFailure(.internal, "‘\(there)’ was written, but does not exist (\(ContentStore.text(errno))).")
            }
            guard info.st_mode & S_IFMT == S_IFDIR else {
                files.append(File(here: here, there: there, id: try Self.id(of: here, checkIn)))
                continue
            }
            for name in ((try? FileManager.default.contentsOfDirectory(atPath: here)) ?? []).sorted() {
                let path = here + "/" + name
                files.append(File(here: path, there: there + "/" + name, id: try Self.id(of: path, checkIn)))
            }
        }
    }

    private static func id(of path: String, _ checkIn: () throws(JobFailure) -> Void) throws(JobFailure) -> ContentID {
        try checkIn()
        do throws(ContentFile.Problem) {
            let file = try ContentFile(path: path)
            if let record = try ContentRecord(counting: file) { return record.id }
        } catch {
            throw JobFailure(.internal, "‘\(path)’ \(error).")
        }
        throw JobFailure(.internal, "‘\(path)’ changed after it was made.")
    }

    /// Sends the files, each from the offset up to which the server has it.
    /// - Throws: if the server refuses a file, or the request was cancelled.
    func send(_ client: ContentClient) throws(JobFailure) {
        for file in files { try Self.send(file, client) }
    }

    private static func send(_ file: File, _ client: ContentClient) throws(JobFailure) {
        while true {
            switch try client.ask(.offer(path: file.there, file.id)).say {
            case .kept: return
            case .has(let size) where (0..<file.id.size).contains(size):
                if try !give(file, from: size, client) { try client.wait() }
            case .has:
                switch try client.ask(.finish(path: file.there, file.id)).say {
                case .kept: return
                // Part of it arrived damaged and is sent again.
                case .has: try client.wait()
                case let say: throw refusal(say, file)
                }
            case let say: throw refusal(say, file)
            }
        }
    }

    /// Sends the pieces of a file.
    /// - Returns: whether all of them arrived.
    private static func give(_ file: File, from start: Int64, _ client: ContentClient) throws(JobFailure) -> Bool {
        let piece = Int64(ContentWire.pieceSize)
        let count = Int((file.id.size - start + piece - 1) / piece)
        return try client.askAll(count) { number throws(JobFailure) in
            let from = start + Int64(number) * piece
            do throws(ContentFile.Problem) {
                let source = try ContentFile(path: file.here)
                return (.give(path: file.there, file.id, from: from), try source.read(Int(piece), at: from))
            } catch {
                throw JobFailure(.internal, "‘\(file.here)’, which was made for the server, \(error).")
            }
        } take: { number, say, _ throws(JobFailure) in
            guard case .has(let size) = say else { throw refusal(say, file) }
            // Another size means that an earlier piece was lost.
            return size == min(file.id.size, start + Int64(number + 1) * piece)
        }
    }

    private static func refusal(_ say: ContentAnswer.Say, _ file: File) -> JobFailure {
        if case .lacking(let reason) = say { return JobFailure(.resource, reason) }
        return JobFailure(.internal, "The server refuses ‘\(file.there)’.", details: ["\(say)"])
    }
}
