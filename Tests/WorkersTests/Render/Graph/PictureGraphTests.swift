import Composition
import Draft
import Media
import Messaging
import TestSupport
import Testing

@testable import Workers

@Suite(.waits) struct PictureGraphTests {
    // MARK: Release

    @Test func `a node is closed when no later frame shows it`() throws {
        let (first, second, both) = (FlatNode(), FlatNode(), FlatNode())
        let root = Switch<Surface>()
        root.add(first, for: -4..<10)
        root.add(second, for: 10..<20)
        root.add(first, for: 20..<25)
        root.add(both, for: 25..<30)
        var lifetimes = NodeLifetimes()
        for (node, frames) in [(first, -4..<10), (both, -4..<30), (second, 10..<20), (first, 20..<25)] {
            lifetimes.extend(node, over: frames)
        }
        let graph = PictureGraph(root, lifetimes)
        for frame in -4..<30 {
            #expect(try graph.frame(frame).luma[0] == UInt8(clamping: frame))
            // What comes again stays open.
            #expect(first.closed == (frame < 25 ? 0 : 1) && both.closed == 0, "frame \(frame)")
            #expect((second.closed > 0) == (frame >= 20), "frame \(frame)")
        }
        graph.close()
        #expect(first.closed > 0 && second.closed > 0 && both.closed == 1)
        #expect(throws: (any Error).self) { try graph.frame(30) }
    }

    /// A look ahead, or catching up, may ask for a node that was closed.
    @Test func `what was opened once more is closed once more`() throws {
        let early = FlatNode()
        let root = Switch<Surface>()
        root.add(early, for: 0..<2)
        for frame in 2..<6 { root.add(Forward(early), for: frame..<frame + 1) }
        var lifetimes = NodeLifetimes()
        lifetimes.extend(early, over: 0..<2)
        let graph = PictureGraph(root, lifetimes)
        for frame in 0..<6 {
            _ = try graph.frame(frame)
            #expect(early.closed == max(0, frame - 1))
        }
    }

    /// Shows the first frame of another node.
    private final class Forward: Node {
        let node: FlatNode
        init(_ node: FlatNode) { self.node = node }
        func frame(_ number: Int) throws -> Surface? { try node.frame(0) }
    }

    /// Two clips of two files, the first of them again, and a still: a decoder is back in the pool
    /// when its clip was shown for the last time.
    @Test func `decoders go back to their pool`() throws {
        let lab = try SliceLab()
        let names = ["sound.mp4", "silent.mp4", "sound.mp4", "photo.png"]
        let slice = try lab.slice(of: names, seconds: 0.2)
        let graph = try PictureGraph(slice, firstFrame: 0, lab.worker.supplies)
        let first = slice.files.first { $0.path.hasSuffix("sound.mp4") }
        let file = try #require(first)
        var waiting: [Bool] = []
        for frame in 0..<slice.frameCount {
            _ = try graph.frame(frame)
            let reader = try? lab.worker.video.take(file.path, file.info.identity, near: .zero) {
                throw CancellationError()
            }
            waiting.append(reader != nil)
            if let reader { lab.worker.video.giveBack(reader, file.path, file.info.identity) }
        }
        graph.close()
        // 6 frames each. Each clip has a decoder of its own; the last one to come back stays.
        #expect(waiting == (0..<24).map { (6..<12).contains($0) || $0 >= 18 })
    }

    /// More than any script has that was meant, and more than that.
    @Test func `a thousand effects may act at once, and no more`() throws {
        let lab = try SliceLab()
        var hashes: Set<UInt64> = []
        for looks in [0, GraphBuilder.mostAtOnce] {
            let slice = try lab.slice(of: ["photo.png"], seconds: 0.1, looks: looks)
            try lab.render(slice, [0]) { hashes.insert(SliceLab.content($1)) }
        }
        #expect(hashes.count == 2)
        let slice = try lab.slice(of: ["photo.png"], seconds: 0.1, looks: GraphBuilder.mostAtOnce + 1)
        let failure = #expect(throws: JobFailure.self) { try PictureGraph(slice, firstFrame: 0, lab.worker.supplies) }
        #expect(failure.map { "\($0)" }?.contains("1001 effects act at once on the frames 0 to 2") == true)
    }

    // MARK: Whole slices

    /// Random drafts over real files and plugins, with state, windows, repeats and transitions: a
    /// segment rendered in order, the same frames in any other order, and each of them by a graph
    /// of its own.
    @Test func `a frame is the same whatever was made before it`() throws {
        let cases = Seed.cases(30)
        let seed = Seed.announced(for: "PictureGraphTests", cases: cases)
        let lab = try SliceLab()
        var compared = 0
        for index in 0..<cases {
            var random = SplitMix64.forCase(index, of: seed)
            guard let composition = lab.composition(&random) else { continue }
            let context = Comment("case \(index) of CUTROOM_SEED=\(seed)")
            let slice = Slice(composition, frames: random.pick(composition.segmentFrames()))
            let shown = 0..<slice.frameCount
            var inOrder: [Int: UInt64] = [:]
            try lab.render(slice, -(slice.leadFrames ?? 0)..<slice.frameCount) {
                inOrder[$0] = SliceLab.content($1)
            }
            let some = (0..<6).map { _ in random.pick(Array(shown)) }
            try lab.render(slice, some) { try #require(SliceLab.content($1) == inOrder[$0], "\(context), frame \($0)") }
            for frame in some.prefix(3) {
                try lab.render(slice, [frame]) {
                    try #require(SliceLab.content($1) == inOrder[$0], "\(context), frame \($0) alone")
                }
            }
            compared += some.count
        }
        #expect(compared > 0)
    }
}
