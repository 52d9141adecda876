/// What a farm's server has to do, and who does it.
public struct FarmLoad: Hashable, Sendable {
    /// A node of the cluster that is connected.
    public struct Node: Hashable, Sendable {
        /// Jobs that it does at a time.
        public var slots: Int
        /// Those that it does now.
        public var busy: Int

        public init(slots: Int, busy: Int) { (self.slots, self.busy) = (slots, busy) }
    }

    /// Jobs that nobody does yet.
    public var waiting: Int
    /// By the nodes' numbers. Other workers are none of ours.
    public var nodes: [Int: Node]

    public init(waiting: Int, nodes: [Int: Node] = [:]) { (self.waiting, self.nodes) = (waiting, nodes) }

    /// What the nodes of the cluster do or might.
    var demand: Int { waiting + nodes.values.reduce(0) { $0 + $1.busy } }

    /// Slots of a node, on average, rounded up; nil where none is connected.
    var slotsPerNode: Int? {
        guard !nodes.isEmpty else { return nil }
        let slots = nodes.values.reduce(0) { $0 + max(1, $1.slots) }
        return (slots + nodes.count - 1) / nodes.count
    }
}
