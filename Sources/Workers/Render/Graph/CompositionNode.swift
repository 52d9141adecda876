import Media

/// A base picture with any number of layers painted over it, in their order. A layer that shows nothing in a frame costs nothing.
final class CompositionNode: Node {
    private let base: any Node<Surface>
    private let layers: [any Node<PaintedLayer>]
    private let pulse: Pulse

    init(_ base: any Node<Surface>, _ layers: [any Node<PaintedLayer>], pulse: @escaping Pulse) {
        self.base = base
        self.layers = layers
        self.pulse = pulse
    }

    func frame(_ number: Int) throws -> Surface? {
        guard var surface = try base.frame(number) else { return nil }
        var canvas: LayerCanvas?
        for node in layers {
            if let layer = try node.frame(number) {
                let painted = try canvas ?? LayerCanvas(surface.writable())
                canvas = painted
                layer.paint(onto: painted)
            }
            try pulse(true)
        }
        canvas?.finish()
        return surface
    }
}
