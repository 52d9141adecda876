import Composition
import Content
import Farm
import Foundation
import Glibc
import Jobs
import Messaging

/// How a node without the server's storage comes by what a job reads, and where it writes.
struct ContentStaging: Sendable {
    let fetch: ContentFetch
    let supply: ContentSupply
    let gate: PluginGate
    /// The folder in which each run that is made for the server has one of its own.
    let made: String

    /// Where a path of the server's lies here, when all that is to be there is there.
    func place(
        of path: String, _ uses: Set<PathUse>, _ client: ContentClient, _ staged: inout StagedJob
    ) throws(JobFailure) -> String {
        if uses.contains(.writes) { return try output(path, client.lease, &staged) }
        guard case .content(let id, let modified) = try fetch.describe(path, client) else {
            // The worker finds nothing there, either, and says so.
            return "\(fetch.store.folder)/none/\(ContentName.file(path))"
        }
        let name = (path as NSString).lastPathComponent
        if uses.contains(where: \.isOfPlugin) {
            if let own = gate.own(name, id) { return own }
            try gate.check(path, id)
        }
        try check(path, uses, id, modified)
        staged.times[path] = modified
        fetch.store.pin(id)
        staged.claims.append(id)
        if Self.comesWhileRead(id, uses) {
            try fetch.prepare(id, at: path, client)
            supply.add(ContentSupply.Reader(job: staged.spec.id, path: path, client: client), of: id)
        } else {
            try fetch.fetch(id, at: path, client)
        }
        var files: [String: ContentID] = [:]
        for file in uses.flatMap(\.dataFiles) where files[file] == nil {
            files[file] = try dataFile(file, beside: path, client, &staged)
        }
        return try fetch.attempt(path) { () throws(ContentStore.Problem) in
            try files.isEmpty
                ? fetch.store.path(of: id, named: name) : fetch.store.path(of: id, named: name, beside: files)
        }
    }

    /// - Returns: nil where the server has no such file: the worker says so.
    private func dataFile(
        _ file: String, beside library: String, _ client: ContentClient, _ staged: inout StagedJob
    ) throws(JobFailure) -> ContentID? {
        let path = (library as NSString).deletingLastPathComponent + "/" + file
        guard case .content(let id, _) = try fetch.describe(path, client) else { return nil }
        fetch.store.pin(id)
        staged.claims.append(id)
        try fetch.fetch(id, at: path, client)
        return id
    }

    /// Files that are asked for at once are not worth a second question.
    private static let wholeSize = Int64(ContentWire.window * BlockTable.blockSize)

    /// Whether a job gets a file before all of it is there: where it reads it by our own means alone, and may need little of it.
    private static func comesWhileRead(_ id: ContentID, _ uses: Set<PathUse>) -> Bool {
        id.size > wholeSize && uses.allSatisfy { if case .reads = $0 { true } else { false } }
    }

    /// Frames of two versions of a file must not mix.
    private func check(
        _ path: String, _ uses: Set<PathUse>, _ id: ContentID, _ modified: Int64
    ) throws(JobFailure) {
        for use in uses {
            switch use {
            case .reads(let info?), .hands(let info?):
                guard info.identity.size == id.size, info.identity.modified == modified else {
                    throw JobFailure(.input, "‘\(path)’ changed while it was being rendered; render again.")
                }
            case .reads, .hands, .loads, .searches, .writes, .joins: break
            }
        }
    }

    private func output(_ path: String, _ lease: Lease, _ staged: inout StagedJob) throws(JobFailure) -> String {
        let folder = staged.output ?? "\(made)/\(staged.spec.id)"
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw JobFailure(.declined, "its folder ‘\(folder)’ cannot be written to: \(ContentStore.text(errno))")
        }
        staged.output = folder
        return folder + "/" + ContentName.file(path)
    }

    /// Gives back what a job has used.
    func release(_ staged: StagedJob, keepsOutput: Bool = false) {
        supply.remove(staged.spec.id, of: staged.claims)
        fetch.store.release(staged.claims)
        if !keepsOutput, let output = staged.output { try? FileManager.default.removeItem(atPath: output) }
    }

    private static let littleSpace: UInt64 = 32 << 20

    /// A failure as the server is to hear it: what comes of this machine's full disk is no matter of the job's.
    func judged(_ failure: JobFailure) -> JobFailure {
        var space = statvfs()
        guard failure.category == .resource, statvfs(made, &space) == 0,
            UInt64(space.f_bavail) * UInt64(space.f_frsize) < Self.littleSpace
        else { return failure }
        return JobFailure(.declined, "its disk is full: \(failure.message)", details: failure.details)
    }
}

extension PathUse {
    /// What has to lie beside it, relative to its folder.
    fileprivate var dataFiles: [String] { if case .loads(let files) = self { files } else { [] } }

    /// What lies there is a program.
    fileprivate var isOfPlugin: Bool {
        switch self {
        case .loads, .searches: true
        case .reads, .hands, .writes, .joins: false
        }
    }
}
