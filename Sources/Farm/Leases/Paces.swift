import Messaging
import OrderedCollections

/// The usual times of a flow's jobs, by kind, by which late jobs are recognised.
struct Paces {
    private struct Pace {
        var count = 0
        /// The mean time per unit of cost.
        var mean = Duration.zero
    }

    private var flows = OrderedDictionary<JobSpec.Flow, [String: Pace]>()

    /// The number of jobs that must have ended before others are compared with them.
    static let enough = 3
    /// The number of jobs over which the mean is taken; older ones count less.
    private static let window = 32
    /// The most flows that are remembered; the oldest are forgotten first.
    private static let mostFlows = 256

    mutating func finished(_ spec: JobSpec, after time: Duration) {
        if flows[spec.flow] == nil, flows.count >= Self.mostFlows { flows.removeFirst() }
        var pace = flows[spec.flow]?[spec.kind] ?? Pace()
        pace.count += 1
        pace.mean += (time / Double(spec.cost) - pace.mean) / min(pace.count, Self.window)
        flows[spec.flow, default: [:]][spec.kind] = pace
    }

    /// Returns the usual time of a job; nil if too few have ended.
    func expected(_ spec: JobSpec) -> Duration? {
        guard let pace = flows[spec.flow]?[spec.kind], pace.count >= Self.enough else { return nil }
        return pace.mean * Double(spec.cost)
    }
}
