import Content
import Draft
import Farm
import Foundation
import HostCore
import Rendering

/// Uploads files of this machine to a server that does not share its storage. Data that the server
/// already has, also from interrupted uploads, is not sent again. Blocks: do not call from
/// asynchronous code.
package struct ContentUpload: ~Copyable {
    private var connection: ReconnectingConnection
    private let reporter: ProgressReporter?

    /// The number of unacknowledged pieces.
    private static let window = 8
    /// The time limit for the server to compute a digest.
    private static let patience = Duration.seconds(3600)

    package init(to server: ServerAddress, _ reporter: ProgressReporter? = nil) {
        connection = ReconnectingConnection(server)
        self.reporter = reporter
    }

    /// Returns the files of a draft that are in no folder shared with the server.
    package static func paths(of draft: Draft, _ roots: PathRoots) -> [String] {
        Set(draft.files.map(\.path)).filter { !$0.isEmpty && roots.root(of: $0) == nil }.sorted()
    }

    /// Returns the content ids of files.
    package static func contents(of paths: [String]) throws(HostError) -> [String: ContentID] {
        var contents: [String: ContentID] = [:]
        for path in paths { contents[path] = try id(of: path) }
        return contents
    }

    /// Uploads files.
    /// - Returns: their content ids.
    package mutating func send(_ paths: [String]) throws -> [String: ContentID] {
        var sent: [String: ContentID] = [:]
        for path in paths { sent[path] = try send(path) }
        return sent
    }

    private mutating func send(_ path: String) throws -> ContentID {
        let id = try Self.id(of: path)
        var size = try ask(.upload(id))
        while true {
            while size < id.size { size = try give(path, id, from: size) }
            // A file whose content did not match its digest is sent again.
            size = try ask(.finishUpload(id), patience: Self.patience)
            if size == id.size { return id }
            guard try Self.id(of: path) == id else {
                throw HostError(.data, "‘\(path)’ changed during the upload; submit it again.")
            }
        }
    }

    private static func id(of path: String) throws(HostError) -> ContentID {
        do throws(ContentFile.Problem) {
            let file = try ContentFile(path: path)
            if let record = try ContentRecord(counting: file) { return record.id }
        } catch {
            throw HostError(.noInput, "‘\(path)’ \(error).")
        }
        throw HostError(.data, "‘\(path)’ changed while it was read; submit it again.")
    }

    private mutating func ask(
        _ ask: ServerRequest.Operation, patience: Duration = ServerConnection.patience
    ) throws(HostError) -> Int64 {
        guard case .uploaded(let size) = try connection.ask(ask, patience: patience) else {
            throw HostError.unfittingAnswer
        }
        return size
    }

    /// Sends pieces until the end, or until the connection is lost, which
    /// ``ReconnectingConnection`` restores.
    /// - Returns: the number of bytes that the server has.
    private mutating func give(_ path: String, _ id: ContentID, from start: Int64) throws -> Int64 {
        var there = start
        try connection.use { [reporter] connection throws(HostError) in
            guard case .uploaded(let known) = try connection.ask(.upload(id)) else { throw HostError.unfittingAnswer }
            there = known
            var (next, pending): (Int64, [UInt64]) = (known, [])
            while there < id.size {
                while pending.count < Self.window, next < id.size {
                    let bytes = try Self.piece(of: path, at: next)
                    pending.append(try connection.post(.give(id, from: next), with: bytes))
                    next += Int64(bytes.count)
                }
                let (number, say, _) = try connection.next()
                // A late answer to an earlier request.
                guard pending.contains(number) else { continue }
                pending.removeAll { $0 == number }
                guard case .uploaded(let size) = say else { throw HostError.unfittingAnswer }
                // An earlier piece was lost: the transfer resumes from there.
                guard size > there else {
                    throw HostError(.unavailable, "Pieces of ‘\(path)’ were lost during the upload.")
                }
                there = size
                reporter?.update(RenderProgress(total: Int(id.size), done: Int(there), stage: "sending"))
            }
        } isBetter: {
            there > start
        }
        return there
    }

    private static func piece(of path: String, at offset: Int64) throws(HostError) -> Data {
        do throws(ContentFile.Problem) {
            let bytes = try ContentFile(path: path).read(ServerRequest.uploadPieceSize, at: offset)
            if !bytes.isEmpty { return bytes }
        } catch {
            throw HostError(.noInput, "‘\(path)’ \(error).")
        }
        throw HostError(.data, "‘\(path)’ became shorter during the upload; submit it again.")
    }
}

extension ServerRequest.Submission {
    /// Returns the uploaded files that the draft of this submission uses.
    package func ofUse(_ sent: [String: ContentID]) -> [String: ContentID] {
        guard let document = try? DraftDocument(Data(request.document.utf8), file: request.name, folder: "/"),
            let draft = try? document.draft([])
        else { return sent }
        let named = Set(draft.files.map(\.path))
        return sent.filter { named.contains($0.key) }
    }
}
