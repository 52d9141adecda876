import Messaging
import OrderedCollections

/// The usual times of a flow's jobs, by kind, by which late jobs are recognised.
struct Paces {
    private struct Pace {
        var count = 0
        /// The mean time per unit of cost.
        var mean = Duration.zero
    }

    private struct FlowPaces {
        var kinds: [String: Pace] = [:]
        /// The total time of its jobs that have ended.
        var spent = Duration.zero
        /// The workers that ran them.
        var workers: Set<WorkerID> = []

        /// The time that the flow would have taken so far if its workers had done nothing else.
        var length: Duration { spent / Double(max(1, workers.count)) }
    }

    private var flows = OrderedDictionary<JobSpec.Flow, FlowPaces>()

    /// The number of jobs of a kind that must have ended before others are compared with them.
    static let enough = 3
    /// A job that joins what its flow has made usually takes at most this share of the flow's
    /// length, or this time if that is more, and the time in which a line of 100 Mbit/s carries the
    /// bytes.
    private static let (share, leastJoin, slowestLine) = (0.25, Duration.seconds(5), 12_500_000.0)
    /// The longest time of a job that counts, 34 years: clocks jump, and nothing here may overflow.
    static let longest = Duration.seconds(1 << 30)
    /// The number of jobs over which the mean is taken; older ones count less.
    private static let window = 32
    /// The most flows that are remembered; those whose last job ended first are forgotten first.
    private static let mostFlows = 256

    mutating func finished(_ spec: JobSpec, after time: Duration, by worker: WorkerID) {
        var flow = flows.removeValue(forKey: spec.flow) ?? FlowPaces()
        if flows.count >= Self.mostFlows { flows.removeFirst() }
        var pace = flow.kinds[spec.kind] ?? Pace()
        let time = min(time, Self.longest)
        pace.count += 1
        pace.mean += (time / Double(spec.cost) - pace.mean) / min(pace.count, Self.window)
        flow.kinds[spec.kind] = pace
        flow.spent += time
        flow.workers.insert(worker)
        flows[spec.flow] = flow
    }

    /// Returns the usual time of a job by those of its kind; nil if too few have ended.
    func usual(_ spec: JobSpec) -> Duration? {
        guard let pace = flows[spec.flow]?.kinds[spec.kind], pace.count >= Self.enough else { return nil }
        let cost = Double(spec.cost)
        return pace.mean < Self.longest / cost ? pace.mean * cost : Self.longest
    }

    /// Returns the usual time of a job; nil if nothing is known.
    func expected(_ spec: JobSpec) -> Duration? {
        if let usual = usual(spec) { return usual }
        guard let bytes = spec.joined, let flow = flows[spec.flow] else { return nil }
        return max(flow.length * Self.share, Self.leastJoin) + .seconds(Double(max(0, bytes)) / Self.slowestLine)
    }
}
