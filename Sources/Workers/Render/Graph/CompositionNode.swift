import Media

/// A base picture with any number of layers painted over it, in their order. A layer that shows
/// nothing in a frame costs nothing.
final class CompositionNode: Node {
    private let base: any Node<Surface>
    private let layers: [any Node<PaintedLayer>]
    private let pulse: Pulse

    private let mostBytes: Int

    /// - Parameter mostBytes: layers that together are larger are painted one by one: 2 of 1080p.
    init(
        _ base: any Node<Surface>, _ layers: [any Node<PaintedLayer>], mostBytes: Int = 64 << 20, pulse: @escaping Pulse
    ) {
        self.base = base
        self.layers = layers
        self.mostBytes = mostBytes
        self.pulse = pulse
    }

    func frame(_ number: Int) throws -> Surface? {
        guard var surface = try base.frame(number) else { return nil }
        var painted: [PaintedLayer] = []
        var bytes = 0
        var canvas: LayerCanvas?
        for node in layers {
            if let layer = try node.frame(number) {
                bytes += layer.ownBytes
                painted.append(layer)
                // Many large layers are painted one by one, so that no more than one lies in
                // memory.
                if bytes > mostBytes {
                    let all = try canvas ?? LayerCanvas(surface.writable())
                    canvas = all
                    for layer in painted { layer.paint(onto: all) }
                    painted.removeAll()
                }
            }
            try pulse(true)
        }
        if let canvas {
            for layer in painted { layer.paint(onto: canvas) }
            canvas.finish()
        } else if !painted.isEmpty {
            LayerCanvas.paint(painted, onto: try surface.writable())
        }
        return surface
    }
}
