import Composition
import Media
import Messaging

/// The graph of a slice: it makes the slice's frames, which are asked for in rising order, those
/// that warm effects up first.
///
/// Memory is bounded by the canvas, the clips that overlap and the effects that act: when the slice
/// goes on to another instruction, the nodes that no later frame shows are closed.
final class PictureGraph {
    private let root: Switch<Surface>
    /// The nodes that open something, each with the last frame that shows it, ordered by that
    /// frame.
    private let endings: [(last: Int, node: any Node)]
    private var instruction: Range<Int>?

    /// - Parameter firstFrame: the output frame that is the slice's frame 0, for messages.
    /// - Throws: as ``GraphBuilder/build()``.
    convenience init(_ slice: Slice, firstFrame: Int, _ supplies: PictureSupplies) throws {
        var builder = GraphBuilder(slice, firstFrame: firstFrame, supplies)
        self.init(try builder.build(), builder.lifetimes)
    }

    init(_ root: Switch<Surface>, _ lifetimes: NodeLifetimes) {
        self.root = root
        endings = lifetimes.endings
    }

    /// The canvas picture of frame `number`, as the slice counts it. It is shared: do not write to
    /// it.
    func frame(_ number: Int) throws -> Picture {
        let current = root.inputs.run(at: number)
        if current != instruction {
            instruction = current
            for ending in endings.prefix(while: { $0.last < number }) { ending.node.close() }
        }
        guard let surface = try root.frame(number) else {
            throw JobFailure(.internal, "frame \(number) lies outside its segment")
        }
        return surface.picture
    }

    /// Closes every node; decoders go back to their pool. To be called when done, failure included.
    func close() { for ending in endings { ending.node.close() } }
}
