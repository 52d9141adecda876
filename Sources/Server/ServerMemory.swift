import Farm
import HostCore
import Journal
import Messaging
import Renders
import ServerClient

/// What a server knows when it comes: what was written down, and the epochs that are its own from now on.
package struct ServerMemory: Sendable {
    let journal: Journal
    /// What writing it takes.
    let commits = CommitFigures()
    /// What of it is lost or cannot be read, as sentences.
    package let problems: [String]
    /// What was written down, until it is taken: a server keeps it in one place.
    private let contents: Locked<Journal.Contents?>
    private let firstEpoch: UInt64

    /// - Throws: where another server uses the folder, or the journal cannot be read. Blocks: not for asynchronous code.
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

    /// Returns what was written down, and keeps it no longer. Blocks the second time.
    func takeContents() throws(JournalError) -> Journal.Contents {
        let known = contents.withLock { contents in
            defer { contents = nil }
            return contents
        }
        if let known { return known }
        return try journal.contents()
    }

    /// Has a queue go on where the one of the server before ended.
    package func continued(_ configuration: inout JobQueue.Configuration) {
        configuration.firstEpoch = firstEpoch
        guard let contents = contents.withLock({ $0 }) else { return }
        configuration.name = contents.farm
        // What nobody will ask for is not kept.
        let going = contents.entries.filter { [.queued, .running].contains($0.state) }.map(\.id)
        configuration.lent = going.flatMap { (contents.leases[$0] ?? [:]).values }.map {
            LentLease(Lease(job: JobID($0.job), epoch: $0.epoch), of: WorkerID($0.worker))
        }
    }
}
