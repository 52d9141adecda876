/// The nodes of a graph that show the same whatever lies behind the slice: another graph of the
/// slice over another background takes them over.
///
/// The graph that made them closes them, and is asked for each frame first.
struct SharedNodes {
    /// By the numbers of the effects that paint them.
    private(set) var layers: [Int: any Node<PaintedLayer>] = [:]
    /// By the numbers of the clips.
    var sources: [Int: any MovingSource] = [:]

    /// The layer of an effect, which is drawn once for both graphs.
    mutating func layer(_ effect: Int, _ node: any Node<PaintedLayer>) -> any Node<PaintedLayer> {
        if let known = layers[effect] { return known }
        let shared = Remembered(node)
        layers[effect] = shared
        return shared
    }
}

/// A layer that is asked for each frame more than once, and makes it once.
private final class Remembered: Node {
    private let node: any Node<PaintedLayer>
    private var last: (number: Int, layer: PaintedLayer?)?

    init(_ node: any Node<PaintedLayer>) { self.node = node }

    func frame(_ number: Int) throws -> PaintedLayer? {
        if let last, last.number == number { return last.layer }
        let layer = try node.frame(number)
        last = (number, layer)
        return layer
    }
}
