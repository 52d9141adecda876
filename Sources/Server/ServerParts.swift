import Cleanup
import Farm
import Foundation
import Glibc
import HostCore
import Jobs
import Journal
import Logging
import Messaging
import Rendering
import Renders
import ServerClient

/// The parts of a server's render: those in its own folder, also from earlier runs, and those in
/// the cache. The journal lists the parts that exist, so that no part is made twice because the
/// server was restarted.
struct ServerParts: PartStore {
    let id: RenderID
    let partsFolder: String
    private let journal: Journal
    private let cache: CacheStore
    private let bound: Int64
    private let log: Logger
    /// The parts that the journal listed when this run began.
    private let known: [String: WrittenFile]
    /// The parts that nodes have been making since before the server was started, by key.
    private let leases: [String: JournalLease]
    /// Checks the place of the output just before the file gets its name.
    private let check: @Sendable () throws(HostError) -> Void
    /// The keys for which the journal may have a lease.
    private let noted: Locked<Set<String>>

    /// The journal's name for the file that is about to become the output.
    private static let outputKey = "output"
    /// The journal's name for the hidden file next to the output that becomes it.
    private static let hiddenKey = "hidden"

    init(
        _ id: RenderID, in place: ServerPlace, _ journal: Journal, leases: [String: JournalLease], bound: Int64,
        log: Logger, check: @escaping @Sendable () throws(HostError) -> Void
    ) async throws {
        (self.id, self.journal, self.leases, self.bound, self.log) = (id, journal, leases, bound, log)
        self.check = check
        noted = Locked(Set(leases.keys))
        partsFolder = "\(place.parts)/\(id)"
        cache = CacheStore(folder: SegmentCache.baseFolder)
        let code = makeFolders(partsFolder)
        guard code == 0 else {
            throw HostError(.inputOutput, "Cannot create the folder ‘\(partsFolder)’: \(systemText(code)).")
        }
        known = try await journal.parts(of: id).compactMapValues {
            try? JSONDecoder().decode(WrittenFile.self, from: $0)
        }
    }

    func find(_ version: PartVersion) -> WrittenFile? {
        if let part = known[version.key], Self.size(part.path) == part.file.size { return part }
        // A name that an earlier run has used may be of a part that was not written down.
        let path = "\(partsFolder)/\(version.name)-\(UInt32.random(in: .min ... .max))"
        return cache.borrow(version.key, as: path).map { WrittenFile(path: path, file: $0) }
    }

    func keep(_ part: WrittenFile, as key: String) {
        write([.part(id, key: key, (try? JSONEncoder().encode(part)) ?? Data())])
        let (cache, bound, log) = (cache, bound, log)
        Self.lane.add {
            do throws(HostError) {
                try cache.keep(part.path, as: key, part.file, bound: bound)
            } catch {
                log.warning("a rendered part is not cached for other renders: \(error.message)")
            }
        }
    }

    /// Writes to the cache, whose lock another process may hold for a while.
    private static let lane = Backlog("cache")

    func forget(_ key: String) {
        write([.noPart(id, key: key)])
        let cache = cache
        Self.lane.add { cache.remove(key) }
    }

    package func lentJob(for key: String) -> JobID? { leases[key].map { JobID($0.job) } }

    /// Workers of this machine end with the server, and so do their jobs.
    func lent(_ key: String, _ lease: Lease, to worker: WorkerID) {
        guard worker.isRemote else { return returned(key) }
        noted.withLock { _ = $0.insert(key) }
        let record = JournalLease(job: lease.job.name, epoch: lease.epoch, worker: worker.name)
        write([.lease(id, key: key, record)])
    }

    package func returned(_ key: String) {
        if noted.withLock({ $0.remove(key) }) != nil { write([.noLease(id, key: key)]) }
    }

    private func write(_ records: [JournalRecord]) {
        journal.write(records) { [log, id] result in
            // The part is made again if the server ends now; the render continues.
            if case .failure(let error) = result { log.error("a part of render \(id) is not in the journal: \(error)") }
        }
    }

    // MARK: The file

    /// Returns a path in the render's own folder: workers write nowhere else.
    func stage(_ output: OutputFile) -> String {
        "\(partsFolder)/output-\(UInt32.random(in: .min ... .max))"
    }

    /// Notes in the journal which file is about to become the output, and then renames it. A
    /// restarted server thus recognizes its own work.
    func commit(_ temporary: String, to output: OutputFile, count: Int) throws(HostError) {
        try check()
        let beside = output.newTemporaryPath()
        defer { output.removeRuns(of: beside) }
        try note(beside, as: Self.hiddenKey)
        try output.bring(temporary, to: beside)
        try note(Self.identity(beside) ?? "", as: Self.outputKey)
        try output.commit(beside, count: count)
    }

    private func note(_ text: String, as key: String) throws(HostError) {
        let written = Handover<Result<Void, JournalError>>()
        journal.write([.part(id, key: key, Data(text.utf8))]) { written.put($0) }
        if case .failure(let error) = written.take() { throw HostError(.inputOutput, error.message) }
    }

    /// Removes the hidden files that a killed server left next to the outputs of renders. May
    /// block.
    static func removeHidden(_ journal: Journal, of isOpen: (RenderID) -> Bool) async {
        guard let files = try? await journal.files(named: hiddenKey) else { return }
        let paths = files.filter { isOpen($0.key) }.values.map { String(decoding: $0, as: UTF8.self) }
        guard !paths.isEmpty else { return }
        await FileLane("parts").run { for path in paths { CleanupRegistry.remove(path, .runs) } }
    }

    /// Returns whether an earlier run made the file that has the output's name.
    static func isMade(_ output: String, _ id: RenderID, _ journal: Journal) async throws -> Bool {
        guard let known = try await journal.parts(of: id)[outputKey], let identity = identity(output) else {
            return false
        }
        return known == Data(identity.utf8)
    }

    private static func identity(_ path: String) -> String? {
        var info = stat()
        return stat(path, &info) == 0 ? "\(info.st_dev) \(info.st_ino) \(info.st_size)" : nil
    }

    private static func size(_ path: String) -> Int64? {
        var info = stat()
        return stat(path, &info) == 0 ? Int64(info.st_size) : nil
    }

    /// Removes the render's files from disk. May block.
    static func remove(_ id: RenderID, in place: ServerPlace) {
        try? FileManager.default.removeItem(atPath: "\(place.parts)/\(id)")
    }
}
