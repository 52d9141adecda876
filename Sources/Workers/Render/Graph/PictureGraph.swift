import Composition
import Media
import Messaging

/// The graph of a slice: it makes the slice's frames, which are asked for in rising order, those that warm effects up first.
///
/// Memory is bounded by the canvas, the clips that overlap and the effects that act: when the slice goes on to another instruction, the nodes
/// are closed that no later frame shows.
final class PictureGraph {
    private let root: Switch<Surface>
    /// The nodes that open something, each with the last frame that shows it, in the order of those.
    private let endings: [(last: Int, node: any Node)]
    private var instruction: Range<Int>?

    /// - Throws: as ``GraphBuilder/build()``.
    convenience init(_ slice: Slice, _ supplies: PictureSupplies) throws {
        var builder = GraphBuilder(slice, supplies)
        self.init(try builder.build(), builder.lifetimes)
    }

    init(_ root: Switch<Surface>, _ lifetimes: NodeLifetimes) {
        self.root = root
        endings = lifetimes.endings
    }

    /// The canvas picture of frame `number`, as the slice counts it. It is shared: do not write to it.
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

/// What nodes are given of what a worker keeps from job to job.
struct PictureSupplies {
    var readers: ReaderPool<VideoReader>
    var stills: StillShelf
    var looks: LookCache
    var plugins: PluginShelf
    /// Called after each bounded piece of work; what it throws ends the work.
    var pulse: Pulse
}

extension Workshop {
    var supplies: PictureSupplies {
        PictureSupplies(readers: video, stills: stills, looks: looks, plugins: plugins, pulse: libavPulse)
    }
}

/// Until which frame each node is shown.
struct NodeLifetimes {
    private var nodes: [(last: Int, node: any Node)] = []
    private var numbers: [ObjectIdentifier: Int] = [:]

    /// - Parameter frames: not empty, and behind those that were said of the node before.
    mutating func extend(_ node: any Node, over frames: Range<Int>) {
        let last = frames.upperBound - 1
        if let number = numbers[ObjectIdentifier(node)] {
            nodes[number].last = last
        } else {
            numbers[ObjectIdentifier(node)] = nodes.count
            nodes.append((last, node))
        }
    }

    /// In the order of the last frames.
    var endings: [(last: Int, node: any Node)] { nodes.sorted { $0.last < $1.last } }
}
