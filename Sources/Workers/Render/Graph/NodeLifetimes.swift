/// The last frame that shows each node.
struct NodeLifetimes {
    private var nodes: [(last: Int, node: any Node)] = []
    private var numbers: [ObjectIdentifier: Int] = [:]

    /// - Parameter frames: not empty, and after those that were said of the node before.
    mutating func extend(_ node: any Node, over frames: Range<Int>) {
        let last = frames.upperBound - 1
        if let number = numbers[ObjectIdentifier(node)] {
            nodes[number].last = last
        } else {
            numbers[ObjectIdentifier(node)] = nodes.count
            nodes.append((last, node))
        }
    }

    /// The nodes, each with the last frame that shows it, ordered by that frame.
    var endings: [(last: Int, node: any Node)] { nodes.sorted { $0.last < $1.last } }
}
