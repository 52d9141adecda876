import Messaging
import OrderedCollections

/// How long the jobs of a flow have taken, by their kind: what a late one is measured by.
struct Paces {
    private struct Pace {
        var count = 0
        /// Of a unit of cost.
        var mean = Duration.zero
    }

    private var flows = OrderedDictionary<JobSpec.Flow, [String: Pace]>()

    /// So many must have ended before others are measured by them.
    static let enough = 3
    /// What lies further back counts less.
    private static let window = 32
    /// Those of most flows that are remembered; the oldest are forgotten first.
    private static let mostFlows = 256

    mutating func finished(_ spec: JobSpec, after time: Duration) {
        if flows[spec.flow] == nil, flows.count >= Self.mostFlows { flows.removeFirst() }
        var pace = flows[spec.flow]?[spec.kind] ?? Pace()
        pace.count += 1
        pace.mean += (time / Double(spec.cost) - pace.mean) / min(pace.count, Self.window)
        flows[spec.flow, default: [:]][spec.kind] = pace
    }

    /// How long such a job usually takes; nil where too few have ended.
    func expected(_ spec: JobSpec) -> Duration? {
        guard let pace = flows[spec.flow]?[spec.kind], pace.count >= Self.enough else { return nil }
        return pace.mean * Double(spec.cost)
    }
}
