import Composition
import Content
import Farm
import Foundation
import Glibc
import Jobs
import Messaging

/// Provides a job's inputs, and folders for its outputs, on a node without the server's storage.
struct ContentStaging: Sendable {
    let fetch: ContentFetch
    let supply: ContentSupply
    let gate: PluginGate
    /// The folder in which each run that writes files for the server has a folder of its own.
    let made: String

    /// Returns the local path for a path on the server, once everything that must exist there
    /// exists.
    func place(
        of path: String, _ uses: Set<PathUse>, _ client: ContentClient, _ staged: inout StagedJob
    ) throws(JobFailure) -> String {
        if uses.contains(.writes) { return try output(path, client.lease, &staged) }
        guard case .content(let id, let modified) = try fetch.describe(path, client) else {
            // The worker does not find the file there, either, and reports that.
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

    /// Fetches a data file of a plugin.
    /// - Returns: nil if the server has no such file; the worker reports that.
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

    /// Files of at most this size are fetched whole: a second request would not pay off.
    private static let wholeSize = Int64(ContentWire.window * BlockTable.blockSize)

    /// Whether a job may start before all of a file is here: only for files that Cutroom itself
    /// reads, and that a job may need little of.
    private static func comesWhileRead(_ id: ContentID, _ uses: Set<PathUse>) -> Bool {
        id.size > wholeSize && uses.allSatisfy { if case .reads = $0 { true } else { false } }
    }

    /// Refuses a file that changed since the job was planned: frames of two versions must not mix.
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

    /// Releases everything that a job has used.
    func release(_ staged: StagedJob, keepsOutput: Bool = false) {
        supply.remove(staged.spec.id, of: staged.claims)
        fetch.store.release(staged.claims)
        if !keepsOutput, let output = staged.output { try? FileManager.default.removeItem(atPath: output) }
    }

    private static let littleSpace: UInt64 = 32 << 20

    /// Returns a failure as the server should see it: a full disk on this machine is not the job's
    /// fault.
    func judged(_ failure: JobFailure) -> JobFailure {
        var space = statvfs()
        guard failure.category == .resource, statvfs(made, &space) == 0,
            UInt64(space.f_bavail) * UInt64(space.f_frsize) < Self.littleSpace
        else { return failure }
        return JobFailure(.declined, "its disk is full: \(failure.message)", details: failure.details)
    }
}

extension PathUse {
    /// The data files that must lie beside the file, relative to its folder.
    fileprivate var dataFiles: [String] { if case .loads(let files) = self { files } else { [] } }

    /// Whether the file is a program, that is, a plugin's library.
    fileprivate var isOfPlugin: Bool {
        switch self {
        case .loads, .searches: true
        case .reads, .hands, .writes, .joins: false
        }
    }
}
