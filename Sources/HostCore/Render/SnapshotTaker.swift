import Composition
import Delivery
import Farm
import Foundation
import Jobs
import Rendering

/// Takes snapshots through the queue: one job for each, in order of time, so that a worker reads
/// the media once, and a snapshot that fails, or ends its worker, affects no other.
package struct SnapshotTaker: Sendable {
    package let session: HostSession
    package let plan: SnapshotPlan
    package let format: StillFormat
    /// Whether a failing plugin is left out of the picture, with a warning.
    package let skips: Bool
    /// The folder into which workers write the pictures.
    let staging: StagingFolder
    private let files = FileLane("snapshots")

    package init(session: HostSession, plan: SnapshotPlan, format: StillFormat, skips: Bool, staging: StagingFolder) {
        (self.session, self.plan, self.format, self.skips, self.staging) = (session, plan, format, skips, staging)
    }

    package typealias Shot = (frame: Int, file: OutputFile)

    /// Takes snapshots. Every picture that succeeded is under its name afterwards; nothing is left
    /// of the others.
    /// - Returns: in the order of `shots`, nil or the error.
    package func take(_ shots: [Shot]) async -> [HostError?] {
        await withTaskGroup(of: (Int, HostError?).self) { group in
            for (index, shot) in shots.enumerated() {
                group.addTask { (index, await take(shot, index)) }
            }
            return await group.reduce(into: Array(repeating: nil, count: shots.count)) { $0[$1.0] = $1.1 }
        }
    }

    /// Takes one snapshot.
    /// - Returns: the error, or nil.
    private func take(_ shot: Shot, _ index: Int) async -> HostError? {
        let temporary = staging.newPath()
        var failure: HostError?
        do {
            let job = plan.job(shot.frame, format: format, output: temporary)
            let reply = try await reply(to: job, shot.frame, index)
            // A worker may name any file.
            guard reply.path.hasPrefix(temporary), !reply.path.split(separator: "/").contains("..") else {
                throw HostError(.software, "A worker has written ‘\(reply.path)’ instead of its picture.")
            }
            failure = await files.run {
                do throws(HostError) {
                    try shot.file.commit(reply.path)
                    return nil
                } catch {
                    return error
                }
            }
        } catch {
            failure = HostError(error)
        }
        await files.run { shot.file.removeRuns(of: temporary) }
        return failure
    }

    private func reply(
        to job: SnapshotJob, _ frame: Int, _ index: Int
    ) async throws(QueueError) -> SnapshotJob.Reply {
        var job = job
        while true {
            do throws(QueueError) {
                return try await session.reply(to: job, sequence: .init(group: "snapshots", index: index))
            } catch {
                guard skips, let culprit = error.failure?.blame.map(Culprit.init),
                    let rest = job.leavingOut(culprit.effectID, of: culprit.library)
                else { throw error }
                job = rest
                let time = plan.time(of: frame).forPeople
                Console.warn("the picture at \(time) s is without \(culprit.forPeople): \(error.message)")
            }
        }
    }
}
