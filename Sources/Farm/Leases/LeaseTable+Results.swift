import FoundationEssentials
import Messaging

/// Ends runs: by a report of their holder, or with the holder.
extension LeaseTable {
    /// The effect of a report.
    enum Settlement: Equatable {
        /// It counts.
        case accepted(JobTransition, for: Holder)
        /// It had been accepted before.
        case repeated
        /// Its lease is not the job's current one, or not the reporter's.
        case outdated

        /// The consequence for the worker that reported.
        enum Holder: Equatable {
            case stays
            /// It leaves: the error may be due to the state of its process, which another process
            /// does not have.
            case makesRoom
        }
    }

    /// The end of a run without a report.
    enum Loss: Equatable {
        /// Not by the job's fault.
        case lost(reason: String, evidence: [String])
        /// By the job's fault: it took its worker down, or hung.
        case fault(reason: String, evidence: [String], culprit: String?, blame: PluginBlame?)
        /// By the job, for which the machine lacks a resource.
        case lack(reason: String, evidence: [String])
    }

    /// Takes in a worker's report on a run.
    /// - Parameter session: a node's; the job is not given to it again if it declines.
    mutating func settle(
        _ lease: Lease, by worker: WorkerID, of session: String? = nil, _ result: Result<Data, JobFailure>,
        at now: Duration
    ) -> Settlement {
        guard let job = job(under: lease, of: worker) else {
            return settledBefore(lease) ? .repeated : .outdated
        }
        remember(lease)
        switch result {
        case .success(let result): return .accepted(applied(.completed(lease.job, result: result)), for: .stays)
        case .failure(let failure) where job.backup != nil:
            return .accepted(
                dropRun(lease, failure, of: session, by: worker),
                for: failure.category == .internal ? .makesRoom : .stays
            )
        case .failure where job.isCancelling: return .accepted(applied(.cancelled(lease.job)), for: .stays)
        case .failure(let failure) where failure.category == .declined && session != nil:
            let release = JobTransition.Release(
                cause: .declined(by: session ?? ""), reason: failure.message, evidence: [])
            return .accepted(applied(.released(lease.job, release)), for: .stays)
        case .failure(let failure): return settle(job, failure, by: worker, at: now)
        }
    }

    /// Ends one of two runs with a failure, which counts against the job; the other run decides.
    private mutating func dropRun(
        _ lease: Lease, _ failure: JobFailure, of session: String?, by worker: WorkerID
    ) -> JobTransition {
        let cause: JobTransition.Release.Cause =
            switch failure.category {
            case .declined: session.map { .declined(by: $0) } ?? .withdrawn
            case .cancelled: .withdrawn
            default: failure.fault == nil ? .withdrawn : .fault
            }
        return applied(
            .runDropped(
                lease,
                JobTransition.Release(
                    cause: cause, node: worker.node, reason: failure.fault?.reason ?? failure.message,
                    evidence: failure.details + ["worker \(worker): \(failure.message)"])))
    }

    private mutating func settle(_ job: QueuedJob, _ failure: JobFailure, by worker: WorkerID, at now: Duration)
        -> Settlement
    {
        if let fault = failure.fault {
            // Its node has counted the fault itself.
            let loss: Loss =
                fault.isLack
                ? .lack(reason: fault.reason, evidence: failure.details)
                : .fault(
                    reason: fault.reason, evidence: failure.details, culprit: fault.culprit, blame: failure.blame)
            return .accepted(end(job, of: worker, loss), for: .stays)
        }
        guard failure.isTransient || failure.category == .internal || failure.category == .cancelled else {
            return .accepted(applied(.failed(job.spec.id, failure)), for: .stays)
        }
        guard job.retriableFailures + 1 < policy.retriableFailuresPerJob else {
            var failure = failure
            failure.details += job.evidence
            return .accepted(
                applied(.failed(job.spec.id, failure)), for: failure.isTransient ? .stays : .makesRoom)
        }
        let release = JobTransition.Release(
            cause: .retriableFailure, reason: failure.message, evidence: ["worker \(worker): \(failure.message)"],
            pausedUntil: failure.isTransient && policy.transientPause > .zero ? now + policy.transientPause : nil)
        return .accepted(applied(.released(job.spec.id, release)), for: .makesRoom)
    }

    /// Ends a lease whose holder was seen to have ended, or must write no more.
    /// - Returns: nil if the lease is not the current one.
    mutating func lose(_ lease: Lease, of worker: WorkerID, _ loss: Loss) -> JobTransition? {
        guard let job = job(under: lease, of: worker) else { return nil }
        if job.isCancelling { return applied(.cancelled(lease.job)) }
        if job.backup != nil { return applied(.runDropped(lease, JobTransition.Release(loss, of: worker))) }
        return end(job, of: worker, loss)
    }

    private mutating func end(_ job: QueuedJob, of worker: WorkerID, _ loss: Loss) -> JobTransition {
        let id = job.spec.id
        switch loss {
        case .lost(let reason, let evidence):
            guard job.losses + 1 >= policy.lossesPerJob else {
                return applied(.released(id, .init(cause: .loss, reason: reason, evidence: evidence)))
            }
            let text =
                "Job \(id) was given up: \(job.losses + 1) workers were lost while they ran it, the last because \(reason)."
            return applied(
                .failed(id, JobFailure(.resource, text, details: job.evidence(with: evidence))))
        case .lack(let reason, let evidence):
            return fault(job, of: worker, JobFault(reason, isLack: true), evidence, nil)
        case .fault(let reason, let evidence, let culprit, let blame):
            return fault(job, of: worker, JobFault(reason, culprit: culprit), evidence, blame)
        }
    }

    /// Ends a run by the job's fault: another worker retries it, or it fails for good.
    private mutating func fault(
        _ job: QueuedJob, of worker: WorkerID, _ fault: JobFault, _ evidence: [String], _ blame: PluginBlame?
    ) -> JobTransition {
        let id = job.spec.id
        let times = job.faults + 1
        guard times >= policy.faultsPerJob else {
            return applied(
                .released(id, .init(cause: .fault, node: worker.node, reason: fault.reason, evidence: evidence)))
        }
        // A plugin is named by the blame; any other place is a file that was being decoded.
        let category: JobFailure.Category =
            fault.isLack ? .resource : fault.culprit == nil ? .internal : blame == nil ? .input : .plugin
        let words = [1: "once", 2: "twice", 3: "three times"][times] ?? "\(times) times"
        let place = fault.culprit.map { " in \($0)" } ?? ""
        let failure = JobFailure(
            category, "Job \(id) failed \(words)\(place): \(fault.reason).", details: job.evidence(with: evidence),
            blame: blame, fault: fault)
        return applied(.failed(id, failure))
    }
}

extension JobTransition.Release {
    /// Describes the end of one of two runs.
    fileprivate init(_ loss: LeaseTable.Loss, of worker: WorkerID) {
        switch loss {
        case .lost(let reason, let evidence): self.init(cause: .loss, reason: reason, evidence: evidence)
        case .fault(let reason, let evidence, _, _), .lack(let reason, let evidence):
            self.init(cause: .fault, node: worker.node, reason: reason, evidence: evidence)
        }
    }
}
