import Composition
import Farm
import Foundation
import Renders

/// The metrics of a server.
package struct ServerMetrics: Sendable, Encodable {
    var version = Engine.version
    /// The number of renders in each state, for every state.
    var renders: [String: Int]
    var queue: QueueStatus
    /// The addresses at which nodes connect.
    var endpoints: [String]
    var journal: CommitMetrics.Values
    /// The size of the journal, and the free space on its disk, in bytes.
    var journalBytes: Int64
    var freeBytes: Int64
    var process: ProcessMetrics

    init(
        renders: [RenderState: Int], queue: QueueStatus, endpoints: [String], journal: CommitMetrics.Values,
        journalBytes: Int64, freeBytes: Int64
    ) {
        self.renders = Dictionary(uniqueKeysWithValues: RenderState.allCases.map { ($0.rawValue, renders[$0] ?? 0) })
        (self.queue, self.endpoints, self.journal) = (queue, endpoints, journal)
        (self.journalBytes, self.freeBytes, process) = (journalBytes, freeBytes, ProcessMetrics())
    }

    /// The metrics as a JSON object with snake-case keys.
    var json: Data {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return (try? encoder.encode(self)) ?? Data()
    }

    // MARK: Prometheus

    var prometheus: String {
        var text = PrometheusText()
        text.add("cutroom_build_info", .gauge, "The version of Cutroom.", [.init(["version": version], 1)])
        text.add(
            "cutroom_renders", .gauge, "Renders in the journal, by state.",
            RenderState.allCases.map { .init(["state": $0.rawValue], Double(renders[$0.rawValue] ?? 0)) })
        addJobs(&text)
        addWorkers(&text)
        addJournal(&text)
        addProcess(&text)
        return text.text
    }

    private func addJobs(_ text: inout PrometheusText) {
        let totals = queue.totals
        text.add(
            "cutroom_jobs", .gauge, "Jobs in the queue, by state; running jobs are leased to a worker.",
            [
                .init(["state": "waiting"], Double(queue.waiting)), .init(["state": "paused"], Double(queue.paused)),
                .init(["state": "running"], Double(queue.running)),
            ])
        text.add(
            "cutroom_jobs_ended_total", .counter, "Jobs that have ended, by outcome.",
            [
                .init(["end": "completed"], Double(totals.completed)), .init(["end": "failed"], Double(totals.failed)),
                .init(["end": "cancelled"], Double(totals.cancelled)),
            ])
        text.add("cutroom_jobs_retried_total", .counter, "Retries of jobs.", totals.retried)
        text.add(
            "cutroom_jobs_second_runs_total", .counter, "Late jobs that were assigned a second time.",
            totals.secondRuns)
        text.add("cutroom_job_duration_seconds", "How long the last runs of completed jobs took.", totals.durations)
        text.add(
            "cutroom_dispatch_duration_seconds",
            "Time from the arrival of a job, or of a worker's request, to the assignment.", totals.dispatches)
        text.add(
            "cutroom_job_bytes_total", .counter, "Bytes of job messages sent to workers, and of their results.",
            [
                .init(["direction": "assigned"], Double(totals.assignedBytes)),
                .init(["direction": "result"], Double(totals.resultBytes)),
            ])
        text.add("cutroom_lease_epoch", .gauge, "The highest epoch of a lease.", Double(queue.lastEpoch))
        text.add(
            "cutroom_leases_lost_total", .counter, "Leases of lost nodes that were given to others.", totals.losses)
        text.add(
            "cutroom_messages_dropped_total", .counter, "Messages that had no effect, by reason.",
            [
                .init(["reason": "duplicate"], Double(totals.duplicates)),
                .init(["reason": "outdated"], Double(totals.outdated)),
                .init(["reason": "strange"], Double(totals.strange)),
            ])
    }

    private func addWorkers(_ text: inout PrometheusText) {
        func count(_ isRemote: Bool, _ state: WorkerStatus.State) -> Double {
            Double(queue.workers.count { ($0.node != nil) == isRemote && $0.state == state })
        }
        let states: [WorkerStatus.State] = [.starting, .idle, .working, .leaving, .lost]
        text.add(
            "cutroom_workers", .gauge, "Workers by place and state; a lost one is counted for an hour.",
            [false, true].flatMap { isRemote in
                states.map { state in
                    .init(["place": isRemote ? "node" : "local", "state": state.rawValue], count(isRemote, state))
                }
            })
        let nodes = Set(queue.workers.filter { $0.state != .lost }.compactMap(\.node))
        text.add("cutroom_nodes", .gauge, "Nodes that are connected.", nodes.count)
        text.add(
            "cutroom_workers_refused_total", .counter, "Remote workers that were refused.",
            queue.totals.refusedWorkers)
    }

    private func addJournal(_ text: inout PrometheusText) {
        text.add(
            "cutroom_journal_commit_duration_seconds", "Time until transactions were on disk.", journal.commits)
        text.add("cutroom_journal_records_total", .counter, "Records written to the journal.", journal.records)
        text.add(
            "cutroom_journal_failures_total", .counter, "Transactions that could not be written.", journal.failures)
        text.add("cutroom_journal_bytes", .gauge, "The size of the journal's files.", Double(journalBytes))
        text.add(
            "cutroom_state_free_bytes", .gauge, "Free space on the disk of the server's folder.", Double(freeBytes))
    }

    /// Adds the metrics of the process, under the names that the Prometheus client libraries use.
    private func addProcess(_ text: inout PrometheusText) {
        text.add(
            "process_resident_memory_bytes", .gauge, "Resident memory of the process.", process.residentMemory)
        text.add("process_virtual_memory_bytes", .gauge, "Virtual memory of the process.", process.virtualMemory)
        text.add(
            "process_cpu_seconds_total", .counter, "Processor time of the process.",
            process.processorSeconds)
        text.add("process_open_fds", .gauge, "Open files.", process.openFiles)
        text.add("process_threads", .gauge, "Threads.", process.threads)
        text.add("process_start_time_seconds", .gauge, "When the process started, since 1970.", process.startedAt)
    }
}
