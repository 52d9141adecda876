/// The load of a farm's server: waiting jobs and connected nodes.
public struct FarmLoad: Hashable, Sendable {
    /// A connected node of the cluster.
    public struct Node: Hashable, Sendable {
        /// The number of jobs that it runs at a time.
        public var slots: Int
        /// The number of jobs that it is running.
        public var busy: Int

        public init(slots: Int, busy: Int) { (self.slots, self.busy) = (slots, busy) }
    }

    /// The number of jobs that no worker runs yet.
    public var waiting: Int
    /// The cluster's nodes, by number; other workers are not counted.
    public var nodes: [Int: Node]

    public init(waiting: Int, nodes: [Int: Node] = [:]) { (self.waiting, self.nodes) = (waiting, nodes) }

    /// The number of jobs that the cluster's nodes run or could run.
    var demand: Int { waiting + nodes.values.reduce(0) { $0 + $1.busy } }

    /// The average number of slots per node, rounded up; nil if no node is connected.
    var slotsPerNode: Int? {
        guard !nodes.isEmpty else { return nil }
        let slots = nodes.values.reduce(0) { $0 + max(1, $1.slots) }
        return (slots + nodes.count - 1) / nodes.count
    }
}
