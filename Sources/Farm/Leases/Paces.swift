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

    /// The number of jobs of a kind that must have ended before others are compared with them
    /// alone.
    static let enough = 3
    /// A job of a kind with fewer jobs, such as the one that joins all parts, usually takes at most
    /// this share of the flow's length.
    private static let share = 0.25
    /// The least usual time of such a job.
    static let leastUnfamiliar = Duration.seconds(5)
    /// The longest time of a job that counts, 34 years: clocks jump, and nothing here may overflow.
    static let longest = Duration.seconds(1 << 30)
    /// The number of jobs over which the mean is taken; older ones count less.
    private static let window = 32
    /// The most flows that are remembered; the oldest are forgotten first.
    private static let mostFlows = 256

    mutating func finished(_ spec: JobSpec, after time: Duration, by worker: WorkerID) {
        if flows[spec.flow] == nil, flows.count >= Self.mostFlows { flows.removeFirst() }
        var flow = flows[spec.flow] ?? FlowPaces()
        var pace = flow.kinds[spec.kind] ?? Pace()
        let time = min(time, Self.longest)
        pace.count += 1
        pace.mean += (time / Double(spec.cost) - pace.mean) / min(pace.count, Self.window)
        flow.kinds[spec.kind] = pace
        flow.spent += time
        flow.workers.insert(worker)
        flows[spec.flow] = flow
    }

    /// Returns the usual time of a job; nil if no job of its flow has ended.
    func expected(_ spec: JobSpec) -> Duration? {
        guard let flow = flows[spec.flow] else { return nil }
        let pace = flow.kinds[spec.kind] ?? Pace()
        let cost = Double(spec.cost)
        let time = pace.mean < Self.longest / cost ? pace.mean * cost : Self.longest
        if pace.count >= Self.enough { return time }
        return max(time, flow.length * Self.share, Self.leastUnfamiliar)
    }
}
