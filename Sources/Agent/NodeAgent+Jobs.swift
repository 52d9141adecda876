import Farm
import FoundationEssentials
import Jobs
import Messaging

/// Moves jobs into the node's queue and results out of it. Work that may block is done on other
/// threads (``Staging``).
extension NodeAgent {
    func submit(_ job: JobSpec, _ index: Int) {
        let client = client(for: job.id, slots[index].run?.lease)
        owners[job.id] = Owner(slot: index, client: client)
        stager.async { [staging, inbox] in inbox.put(.staged(job.id, staging.stageIn(job, client))) }
    }

    private func client(for job: JobID, _ lease: Lease?) -> ContentClient? {
        guard let content, let lease else { return nil }
        return ContentClient(lease, content.line) { [inbox] in
            inbox.put($0 == .progress ? .advanced(job) : .unclaimed(job))
        }
    }

    func stageOut(_ job: JobID, _ result: Data) {
        guard let owner = owners[job], let staged = owner.staged else { return }
        stager.async { [staging, inbox] in
            switch staging.stageOut(result, of: staged, owner.client) {
            case .success((let result, nil)): inbox.put(.finished(.completed(job, result: result)))
            case .success((let result, let delivery?)): inbox.put(.made(job, result, delivery))
            case .failure(let failure): inbox.put(.finished(.failed(job, failure)))
            }
        }
    }

    func made(_ job: JobID, _ result: Data, _ delivery: Delivery) {
        guard let index = owners[job]?.slot else { return }
        perform(slots[index].made(job, result, delivery, at: now), index)
        // A cancelled result is not sent.
        if slots[index].run?.made == nil { forget(job) }
    }

    func deliver(_ job: JobID, _ completion: Completion, _ index: Int) {
        guard let delivery = completion.delivery else { return }
        if owners[job] == nil {
            // The result comes from an earlier process.
            var staged = StagedJob(spec: JobSpec(id: job, kind: ""))
            staged.output = delivery.folder
            owners[job] = Owner(slot: index, isComing: false, staged: staged)
        }
        guard let client = owners[job]?.client ?? client(for: job, completion.lease) else {
            // The result comes from a node without the server's storage, and this node shares it.
            return inbox.put(
                .delivered(
                    job,
                    JobFailure(.internal, "A result comes from a node without shared storage, but this node shares it.")
                )
            )
        }
        owners[job]?.client = client
        stager.async { [inbox] in
            do throws(JobFailure) {
                try delivery.send(client)
                inbox.put(.delivered(job, nil))
            } catch {
                inbox.put(.delivered(job, error))
            }
        }
    }

    func delivered(_ job: JobID, _ failure: JobFailure?) {
        guard let index = owners[job]?.slot else { return }
        perform(slots[index].delivered(job, failure, at: now), index)
        forget(job)
    }

    /// Drops everything that is kept for a job that has ended.
    func forget(_ job: JobID) {
        guard let owner = owners.removeValue(forKey: job) else { return }
        guard let staged = owner.staged, let content = staging.content else { return }
        stager.async { content.release(staged) }
    }
}
