import Content
import Farm
import Foundation
import Glibc
import Logging
import Messaging

/// Fetches a server's files into a node's content store.
struct ContentFetch: Sendable {
    let store: ContentStore
    let log: Logger

    /// The result of looking up a path on the server.
    enum Found: Sendable {
        case content(ContentID, modified: Int64)
        /// The server has no file at the path.
        case nothing
    }

    func describe(_ path: String, _ client: ContentClient) throws(JobFailure) -> Found {
        switch try client.ask(.describe(path: path)).say {
        case .content(let id, let modified): return .content(id, modified: modified)
        case .missing(_, isMissing: true): return .nothing
        case .missing(let reason, _): throw JobFailure(.input, "‘\(path)’ \(reason).")
        default: throw Self.confused
        }
    }

    private static let confused = JobFailure(
        .internal, "The server's answer does not match the content request.")

    /// Fetches all of a content, which must be pinned.
    func fetch(_ id: ContentID, at path: String, _ client: ContentClient) throws(JobFailure) {
        try filling(id, client) { () throws(JobFailure) in
            let map = try opened(id, at: path, client)
            if map.isWhole, store.isProven(id) { return }
            try reserve(id, id.size, path)
            while !map.isWhole { try fetch(map.missing, of: id, map, at: path, client) }
            try checkWhole(id, map, path, client)
            store.prove(id)
        }
    }

    /// Makes the local file of a content, which must be pinned, and keeps the blocks that are
    /// already there.
    func prepare(_ id: ContentID, at path: String, _ client: ContentClient) throws(JobFailure) {
        try filling(id, client) { () throws(JobFailure) in
            let map = try opened(id, at: path, client)
            try reserve(id, map.present, path)
            store.note(id)
        }
    }

    /// Fetches some blocks of a content, which must be pinned and prepared.
    func fetch(_ blocks: Range<Int>, of id: ContentID, at path: String, _ client: ContentClient) throws(JobFailure) {
        try filling(id, client) { () throws(JobFailure) in
            let map = try opened(id, at: path, client)
            func missing() -> [Int] { blocks.filter { !map.has($0) } }
            guard !missing().isEmpty else { return }
            try reserve(id, map.present + Int64(missing().count * BlockTable.blockSize), path)
            while !missing().isEmpty { try fetch(missing(), of: id, map, at: path, client) }
            store.note(id)
        }
    }

    /// Runs `body` while holding the exclusive right to fill the content.
    private func filling(
        _ id: ContentID, _ client: ContentClient, _ body: () throws(JobFailure) -> Void
    ) throws(JobFailure) {
        while !store.begin(id) {
            client.reportProgress()
            try client.wait()
        }
        defer { store.end(id) }
        try body()
    }

    /// Returns the map of a content after checking the blocks that it marks as present.
    private func opened(_ id: ContentID, at path: String, _ client: ContentClient) throws(JobFailure) -> BlockMap {
        let map = try map(of: id, at: path, client)
        if store.isKnown(id) { return map }
        let damaged = try store.check(id, map) { () throws(JobFailure) in
            client.reportProgress()
            try client.checkCancelled()
        }
        if damaged > 0 {
            log.warning("\(damaged) damaged blocks of ‘\(path)’ in the content cache are fetched again")
        }
        return map
    }

    /// Requests each block once; lost ones are still missing afterwards.
    private func fetch(
        _ blocks: [Int], of id: ContentID, _ map: BlockMap, at path: String, _ client: ContentClient
    ) throws(JobFailure) {
        guard let table = map.table(of: id) else { throw Self.confused }
        let isAll = try client.askAll(blocks.count) { number throws(JobFailure) in
            (.block(path: path, id, blocks[number]), nil)
        } take: { number, say, bytes throws(JobFailure) in
            guard case .bytes = say, let bytes, table.holds(blocks[number], bytes) else {
                if case .missing(let reason, _) = say { throw JobFailure(.input, "‘\(path)’ \(reason).") }
                return false
            }
            try put(id, blocks[number], bytes, map, path)
            return true
        }
        if !isAll { try client.wait() }
    }

    /// Returns the existing map, or makes one with the server's digests.
    private func map(of id: ContentID, at path: String, _ client: ContentClient) throws(JobFailure) -> BlockMap {
        if let map = store.map(of: id) { return map }
        var bytes = Data()
        let count = BlockTable.count(of: id.size)
        while bytes.count < count * BlockTable.digestSize {
            let from = bytes.count / BlockTable.digestSize
            guard case (.bytes, let more?) = try client.ask(.table(path: path, id, from: from)), !more.isEmpty,
                more.count.isMultiple(of: BlockTable.digestSize)
            else { throw Self.confused }
            bytes += more
            client.reportProgress()
        }
        guard let table = BlockTable(bytes, of: id) else { throw Self.confused }
        return try attempt(path) { () throws(ContentStore.Problem) in
            try store.make(ContentRecord(id: id, table: table))
        }
    }

    /// Checks a complete content against its SHA-256: blocks that are each right may still come
    /// from a file that changed while the server read it.
    private func checkWhole(_ id: ContentID, _ map: BlockMap, _ path: String, _ client: ContentClient)
        throws(JobFailure)
    {
        let isRight: Bool
        do throws(ContentFile.Problem) {
            let file = try ContentFile(path: store.dataPath(of: id))
            isRight =
                try ContentRecord(counting: file) { _ in
                    client.reportProgress()
                    return true
                }?.id == id
        } catch {
            throw lack("the fetched copy of ‘\(path)’ \(error)")
        }
        guard isRight else {
            for block in 0..<map.count { map.clear(block) }
            throw JobFailure(
                .internal, "The fetched copy of ‘\(path)’ differs from the server's file (its SHA-256 differs).")
        }
    }

    private func put(_ id: ContentID, _ block: Int, _ bytes: Data, _ map: BlockMap, _ path: String) throws(JobFailure) {
        try attempt(path) { () throws(ContentStore.Problem) in try store.put(id, block, bytes, map) }
    }

    private func reserve(_ id: ContentID, _ bytes: Int64, _ path: String) throws(JobFailure) {
        do throws(ContentStore.Problem) {
            try store.reserve(id, bytes)
        } catch {
            throw JobFailure(.declined, "\(error.reason) (--content-cache): ‘\(path)’ has \(id.size)")
        }
    }

    /// Writes something; if the disk is full, drops unused contents and tries once more.
    func attempt<Result>(
        _ path: String, _ body: () throws(ContentStore.Problem) -> Result
    ) throws(JobFailure) -> Result {
        do throws(ContentStore.Problem) {
            return try body()
        } catch {
            store.empty()
        }
        do throws(ContentStore.Problem) { return try body() } catch {
            throw lack("‘\(path)’ cannot be stored in ‘\(store.folder)’: \(error.reason)")
        }
    }

    /// Returns a failure for a resource that this machine lacks and another node may have.
    private func lack(_ reason: String) -> JobFailure { JobFailure(.declined, reason) }
}
