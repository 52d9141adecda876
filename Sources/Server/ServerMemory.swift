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
    package let contents: Journal.Contents
    private let firstEpoch: UInt64

    /// - Throws: where another server uses the folder, or the journal cannot be read. Blocks: not for asynchronous code.
    package init(_ place: ServerPlace) throws(HostError) {
        do throws(JournalError) {
            journal = try Journal(folder: place.folder) { [commits] in commits.add($0) }
            contents = try journal.contents()
            firstEpoch = try journal.reserveEpochs()
        } catch {
            throw HostError(error)
        }
    }

    /// What of it is lost or cannot be read, as sentences.
    package var problems: [String] { (journal.loss.map { [$0] } ?? []) + contents.problems }

    /// Has a queue go on where the one of the server before ended.
    package func continued(_ configuration: inout JobQueue.Configuration) {
        configuration.firstEpoch = firstEpoch
        configuration.name = contents.farm
        // What nobody will ask for is not kept.
        let going = contents.entries.filter { [.queued, .running].contains($0.state) }.map(\.id)
        configuration.lent = going.flatMap { (contents.leases[$0] ?? [:]).values }.map {
            LentLease(Lease(job: JobID($0.job), epoch: $0.epoch), of: WorkerID($0.worker))
        }
    }
}
