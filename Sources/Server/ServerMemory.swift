import Farm
import HostCore
import Journal
import Messaging
import Renders
import ServerClient

/// What a server knows when it starts: the contents of the journal, and the epochs that belong to
/// it from now on.
package struct ServerMemory: Sendable {
    let journal: Journal
    /// Metrics of the writes to the journal.
    let commits = CommitMetrics()
    /// Sentences about data that is lost or cannot be read.
    package let problems: [String]
    /// The contents of the journal until they are taken: a server keeps them in one place.
    private let contents: Locked<Journal.Contents?>
    private let firstEpoch: UInt64

    /// Opens the journal. Blocks: do not call from asynchronous code.
    /// - Throws: if another server uses the folder, or the journal cannot be read.
    package init(_ place: ServerPlace) throws(HostError) {
        do throws(JournalError) {
            journal = try Journal(folder: place.folder) { [commits] in commits.add($0) }
            let found = try journal.contents()
            problems = (journal.loss.map { [$0] } ?? []) + found.problems
            contents = Locked(found)
            firstEpoch = try journal.reserveEpochs()
        } catch {
            throw HostError(error)
        }
    }

    /// Returns the contents of the journal, and releases them. Blocks the second time.
    func takeContents() throws(JournalError) -> Journal.Contents {
        let known = contents.withLock { contents in
            defer { contents = nil }
            return contents
        }
        if let known { return known }
        return try journal.contents()
    }

    /// Makes a queue continue where the previous server's queue ended.
    package func continued(_ configuration: inout JobQueue.Configuration) {
        configuration.firstEpoch = firstEpoch
        guard let contents = contents.withLock({ $0 }) else { return }
        configuration.name = contents.farm
        // Keep nothing that will not be asked for.
        let going = contents.entries.filter { [.queued, .running].contains($0.state) }.map(\.id)
        configuration.lent = going.flatMap { (contents.leases[$0] ?? [:]).values }.map {
            LentLease(Lease(job: JobID($0.job), epoch: $0.epoch), of: WorkerID($0.worker))
        }
    }
}
