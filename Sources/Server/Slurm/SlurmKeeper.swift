import Farm
import Foundation
import Glibc
import HostCore
import ServerClient
import Slurm

/// Keeps as many nodes on a cluster as the server has work for: polls both, passes the results to
/// the ``Scaler``, and carries out its decisions. Runs on the calling thread.
package struct SlurmKeeper {
    package struct Options {
        var policy: Scaler.Policy
        var resources: NodeResources
        /// The time limit of a node in minutes; nil: that of the partition.
        package var minutes: Int?
        package var endpoint: String
        var worker: String
        var tags: String?
        var interval: Duration
        /// Ends after the last node.
        var endsWhenEmpty: Bool

        package init(
            policy: Scaler.Policy, resources: NodeResources, minutes: Int? = nil, endpoint: String,
            worker: String, tags: String? = nil, interval: Duration, endsWhenEmpty: Bool
        ) {
            self.policy = policy
            self.resources = resources
            self.minutes = minutes
            self.endpoint = endpoint
            self.worker = worker
            self.tags = tags
            self.interval = interval
            self.endsWhenEmpty = endsWhenEmpty
        }
    }

    private let options: Options
    private let place: ServerPlace
    private let pool: SlurmPool
    private let tools: ClusterTools
    private var scaler: Scaler
    private var hasTidied = false
    private var submissionFailed = false
    private var complaints = Complaints()
    private var told: Scaler.Count?

    package init(_ options: Options, _ place: ServerPlace, _ pool: SlurmPool) {
        (self.options, self.place, self.pool) = (options, place, pool)
        tools = ClusterTools(folder: pool.folder)
        scaler = Scaler(options.policy, lastNumber: pool.last)
    }

    package static func script(_ number: Int, _ options: Options, _ pool: SlurmPool) -> BatchScript {
        BatchScript(
            name: pool.name(number), worker: options.worker, endpoint: options.endpoint, key: pool.keyPath(number),
            serverKey: pool.serverKey, spool: pool.spoolPath(number), log: pool.logPath(number),
            resources: options.resources,
            minutes: options.minutes.map { NodeResources.lifetime(of: number, within: $0) }, tags: options.tags)
    }

    /// Checks whether the cluster would accept a node.
    /// - Throws: why it would not. An unavailable cluster is not an error, because it may answer
    ///   later.
    package func check() throws(HostError) {
        let path = pool.folder + "/check.sh"
        do { try Data(Self.script(pool.last + 1, options, pool).text.utf8).write(to: URL(fileURLWithPath: path)) } catch
        {
            throw HostError(.inputOutput, "Cannot write ‘\(path)’: \(systemText(errno)).")
        }
        defer { unlink(path) }
        let answer = try tools.run("sbatch", ["--test-only"], input: path)
        guard answer.code != 0, !answer.isPassing else { return }
        throw HostError(.usage, "Slurm rejects such a node: \(answer.reason).")
    }

    /// Runs until it is told to stop.
    package mutating func run(until isStopped: () -> Bool) throws(HostError) {
        let start = ContinuousClock.now
        while !isStopped() {
            let load = askServer()
            let cluster = askCluster()
            if let cluster, !hasTidied {
                pool.forgetAll(but: Set(cluster.map(\.number)))
                hasTidied = true
            }
            submissionFailed = false
            for action in scaler.round(load, cluster, at: ContinuousClock.now - start) {
                perform(action, at: ContinuousClock.now - start)
            }
            tell()
            if options.endsWhenEmpty, let cluster, cluster.isEmpty { return }
            let wake = ContinuousClock.now + options.interval
            while ContinuousClock.now < wake, !isStopped() { usleep(50_000) }
        }
    }

    // MARK: Polling

    private mutating func askCluster() -> [ClusterJob]? {
        do throws(HostError) {
            let answer = try tools.run(
                "squeue", ["--noheader", "--user=\(getuid())", "--format=\(ClusterJob.format)"])
            guard answer.code == 0 else { throw HostError(.unavailable, answer.reason) }
            complaints.end("squeue")
            return ClusterJob.jobs(in: answer.text, named: pool.prefix)
        } catch {
            complaints.add("squeue", "Cannot list the Slurm jobs: \(error.message)")
            return nil
        }
    }

    private mutating func askServer() -> FarmLoad? {
        do throws(HostError) {
            var connection = try ServerConnection(place)
            guard case .farm(let status) = try connection.ask(.farm) else { return nil }
            complaints.end("server")
            return FarmLoad(status.queue, pool)
        } catch {
            complaints.add("server", error.message)
            return nil
        }
    }

    // MARK: Actions

    private mutating func perform(_ action: Scaler.Action, at now: Duration) {
        do throws(HostError) {
            switch action {
            // The other nodes of this round would be rejected for the same reason.
            case .submit(let number): if !submissionFailed { try submit(number, at: now) }
            case .withdraw(let job): _ = try tools.run("scancel", ["--state=PENDING", "\(job)"])
            case .drain(let job): _ = try tools.run("scancel", ["--batch", "--signal=TERM", "\(job)"])
            case .kill(let job): _ = try tools.run("scancel", ["\(job)"])
            case .forget(let number): pool.forget(number)
            }
        } catch {
            if case .submit(let number) = action {
                submissionFailed = true
                scaler.notSubmitted(number, at: now)
            }
            complaints.add("action", error.message)
        }
    }

    private mutating func submit(_ number: Int, at now: Duration) throws(HostError) {
        try pool.prepare(number, Self.script(number, options, pool))
        let answer = try tools.run(
            "sbatch", ["--parsable"] + options.resources.more, input: pool.scriptPath(number))
        // With --parsable: the number, and the cluster after a semicolon.
        let job = answer.text.split(separator: "\n").compactMap { line in
            line.split(separator: ";").first.flatMap { Int64($0) }
        }.last
        guard answer.code == 0, let job else {
            // The node may have been accepted nevertheless; then it is listed, and needs its key.
            if !answer.isPassing { pool.forget(number) }
            throw HostError(.unavailable, "Slurm rejects the node: \(answer.reason)")
        }
        complaints.end("action")
        scaler.submitted(number, as: job, at: now)
        Console.inform("submitted node \(pool.name(number)) as job \(job)")
    }

    private mutating func tell() {
        let count = scaler.count
        guard count != told else { return }
        told = count
        Console.inform(
            "nodes: \(count.running) running, \(count.pending) pending, \(count.leaving) leaving; \(count.wanted) wanted"
        )
    }
}

/// Reports an error that occurs repeatedly once.
private struct Complaints {
    private var last: [String: String] = [:]

    mutating func add(_ about: String, _ text: String) {
        guard last.updateValue(text, forKey: about) != text else { return }
        Console.warn(text)
    }

    mutating func end(_ about: String) { last[about] = nil }
}

extension FarmLoad {
    fileprivate init(_ status: QueueStatus, _ pool: SlurmPool) {
        self.init(waiting: status.waiting)
        for worker in status.workers where worker.state != .lost {
            guard let number = worker.node.flatMap({ pool.number(of: $0) }) else { continue }
            nodes[number, default: Node(slots: 0, busy: 0)].slots += 1
            if worker.state == .working { nodes[number]?.busy += 1 }
        }
    }
}
