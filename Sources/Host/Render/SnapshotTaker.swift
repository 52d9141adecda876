import Composition
import Draft
import Foundation
import Jobs

/// Takes snapshots through the queue: one job for each, in order of time, so that a worker goes through the media once and
/// one that fails, or takes its worker down, is the only one.
struct SnapshotTaker: Sendable {
    let session: HostSession
    let plan: SnapshotPlan
    let format: StillFormat
    /// A plugin that fails is left out of the picture, which is said.
    let skips: Bool

    /// - Parameter frame: nil for a black picture.
    typealias Shot = (frame: Int?, file: OutputFile)

    /// Every picture that could be taken lies under its name then; of the others nothing is left.
    /// - Returns: in the order of `shots`, nil or why not.
    func take(_ shots: [Shot]) async -> [HostError?] {
        await withTaskGroup(of: (Int, HostError?).self) { group in
            for (index, shot) in shots.enumerated() {
                group.addTask {
                    do {
                        try await take(shot, index)
                        return (index, nil)
                    } catch {
                        return (index, HostError(error))
                    }
                }
            }
            return await group.reduce(into: Array(repeating: nil, count: shots.count)) { $0[$1.0] = $1.1 }
        }
    }

    private func take(_ shot: Shot, _ index: Int) async throws {
        let temporary = shot.file.newTemporaryPath()
        defer { shot.file.removeRuns(of: temporary) }
        let job = plan.job(shot.frame, format: format, output: temporary)
        let reply = try JSONDecoder().decode(SnapshotJob.Reply.self, from: try await run(job, index))
        try shot.file.commit(reply.path)
    }

    private func run(_ job: SnapshotJob, _ index: Int) async throws -> Data {
        var job = job
        while true {
            let spec = try session.spec(.snapshot, job, sequence: .init(group: "snapshots", index: index))
            do throws(QueueError) {
                return try await session.queue.run(spec)
            } catch {
                guard skips, let blame = error.failure?.blame, let slice = job.slice, let rest = slice.leavingOut(blame)
                else { throw error }
                job.slice = rest
                let time = plan.time(of: slice.firstFrame + slice.frameCount - 1)
                Console.complain(
                    "warning: the picture at \(time.forPeople) s is without \(blame.forPeople): \(error.message)")
            }
        }
    }
}
