import CKernels
import Composition
import Draft
import Media
import TestSupport
import Testing

@testable import Workers

@Suite struct CompositionNodeTests {
    /// A layer of one grey with one alpha in some frames.
    private final class GreyLayer: Node {
        let rect: Rect
        let grey: UInt8
        let alpha: UInt8
        let opacity: Double
        let frames: Range<Int>
        let isFloats: Bool
        private(set) var asked: [Int] = []

        init(_ random: inout SplitMix64) {
            rect = Rect(
                x: Int.random(in: -9...20, using: &random), y: Int.random(in: -9...12, using: &random),
                width: Int.random(in: 1...24, using: &random), height: Int.random(in: 1...16, using: &random))
            grey = UInt8.random(in: 0...255, using: &random)
            alpha = random.chance(1, in: 3) ? 255 : UInt8.random(in: 0...255, using: &random)
            opacity = random.chance(1, in: 2) ? 1 : Double.random(in: 0.01...1, using: &random)
            let start = Int.random(in: 0..<3, using: &random)
            frames = start..<start + 2
            isFloats = random.chance(1, in: 3)
        }

        func frame(_ number: Int) throws -> PaintedLayer? {
            asked.append(number)
            guard frames.contains(number) else { return nil }
            return PaintedLayer(content: try content(), x: rect.x, y: rect.y, opacity: opacity)
        }

        private func content() throws -> PaintedLayer.Content {
            if isFloats {
                let floats = FloatPicture(width: rect.width, height: rect.height)
                let frame = floats.lent(.canvas(.rgbaFloat))
                for row in 0..<rect.height {
                    let start = UnsafeMutableRawPointer(frame.planes[0] + row * frame.strides[0])
                    for x in 0..<4 * rect.width {
                        let value = x % 4 == 3 ? alpha : grey
                        start.storeBytes(of: Float(value) / 255, toByteOffset: 4 * x, as: Float.self)
                    }
                }
                return .floats(floats)
            }
            let rgba = try Picture(width: rect.width, height: rect.height, format: .rgba)
            for row in 0..<rect.height {
                for x in 0..<4 * rect.width {
                    rgba.plane(0)[row * rgba.stride(0) + x] = x % 4 == 3 ? alpha : grey
                }
            }
            return .overlay(try Overlay(rgba, .sdr))
        }
    }

    /// One pixel after the other, in exact numbers: each layer lies over what those before it have
    /// made.
    private static func reference(_ base: Int, _ layers: [GreyLayer], _ size: Canvas.Size, _ frame: Int) -> [Double] {
        (0..<size.height).flatMap { y in
            (0..<size.width).map { x in
                layers.filter { $0.frames.contains(frame) }.reduce(Double(base)) { under, layer in
                    let isCovered =
                        (layer.rect.x..<layer.rect.x + layer.rect.width).contains(x)
                        && (layer.rect.y..<layer.rect.y + layer.rect.height).contains(y)
                    let over = 16 + 219 * Double(layer.grey) / 255
                    return under + (isCovered ? (over - under) * Double(layer.alpha) / 255 * layer.opacity : 0)
                }
            }
        }
    }

    @Test func `any number of layers lie over the base in their order`() throws {
        let seed = Seed.announced(for: "CompositionNodeTests", cases: 200)
        let size = Canvas.Size(width: 24, height: 16)
        for index in 0..<Seed.cases(200) {
            var random = SplitMix64.forCase(index, of: seed)
            let context = Comment("case \(index) of CUTROOM_SEED=\(seed)")
            let base = FlatBase(size)
            let layers = (0..<Int.random(in: 0...7, using: &random)).map { _ in GreyLayer(&random) }
            var pulses = 0
            let node = CompositionNode(base, layers) { advances in if advances { pulses += 1 } }
            for frame in 0..<5 {
                let surface = try #require(try node.frame(frame), context)
                let right = Self.reference(base.luma(frame), layers, size, frame)
                // Each layer rounds once; floats also round the picture below them.
                let slack = 0.51 + Double(layers.filter { $0.frames.contains(frame) }.count)
                for (seen, wanted) in zip(surface.picture.luma, right) {
                    try #require(abs(Double(seen) - wanted) <= slack, "\(context): \(seen), not \(wanted)")
                }
                // Copied once where something was painted, and not at all where nothing was.
                let isPainted = layers.contains { $0.frames.contains(frame) }
                try #require(surface.isWritable == isPainted, context)
                try #require((surface.picture === base.pictures[frame]) != isPainted, context)
            }
            try #require(pulses == 5 * layers.count, context)
            try #require(layers.allSatisfy { $0.asked == Array(0..<5) }, context)
            for (frame, picture) in base.pictures {
                try #require(picture.luma.allSatisfy { Int($0) == base.luma(frame) }, context)
            }
        }
    }

    /// A picture of random colours, and layers of random colours on it that cross all edges of
    /// bands.
    @Test func `bands of rows are those of the whole picture`() throws {
        let seed = Seed.announced(for: "bands of layers", cases: 20)
        for index in 0..<Seed.cases(20) {
            var random = SplitMix64.forCase(index, of: seed)
            let size = Canvas.Size(
                width: 2 * Int.random(in: 1...30, using: &random), height: 2 * Int.random(in: 10...80, using: &random))
            let base = try Picture.flat(0, size)
            for plane in 0..<3 {
                for row in 0..<base.size(ofPlane: plane).height {
                    for x in 0..<base.size(ofPlane: plane).width {
                        base.plane(plane)[row * base.stride(plane) + x] = .random(in: 16...235, using: &random)
                    }
                }
            }
            let layers = try (0..<3).map { _ in try ColorLayer(size, &random) }
            let node = FixedBase(base)
            let whole = try CompositionNode(node, layers, mostBytes: -1) { _ in }.frame(0)
            let expected = SliceLab.content(try #require(whole).picture)
            let bands = try CompositionNode(node, layers) { _ in }.frame(0)
            #expect(
                SliceLab.content(try #require(bands).picture) == expected, "case \(index) of CUTROOM_SEED=\(seed)")
        }
    }

    private final class FixedBase: Node {
        private let picture: Picture
        init(_ picture: Picture) { self.picture = picture }
        func frame(_ number: Int) throws -> Surface? { Surface(picture, isOwned: false) }
    }

    private final class ColorLayer: Node {
        private let layer: PaintedLayer

        init(_ canvas: Canvas.Size, _ random: inout SplitMix64) throws {
            let rgba = try Picture(
                width: Int.random(in: 1...50, using: &random), height: Int.random(in: 20...120, using: &random),
                format: .rgba)
            for place in 0..<rgba.height * rgba.stride(0) {
                rgba.plane(0)[place] = .random(in: 0...255, using: &random)
            }
            layer = PaintedLayer(
                content: .overlay(try Overlay(rgba, .sdr)), x: Int.random(in: -20...canvas.width, using: &random),
                y: Int.random(in: -20...canvas.height, using: &random), opacity: .random(in: 0.1...1, using: &random))
        }

        func frame(_ number: Int) throws -> PaintedLayer? { layer }
    }

    @Test func `a base of its own is painted on without a copy`() throws {
        var random = SplitMix64(seed: 5)
        let base = FlatNode(isOwned: true)
        let node = CompositionNode(base, [GreyLayer(&random), GreyLayer(&random)]) { _ in }
        for frame in 0..<4 {
            let surface = try #require(try node.frame(frame))
            #expect(surface.picture === base.pictures[frame] && surface.isWritable)
        }
        #expect(base.asked == [0, 1, 2, 3])
    }

    @Test func `without a base there is nothing`() throws {
        var random = SplitMix64(seed: 5)
        let layer = GreyLayer(&random)
        #expect(try CompositionNode(FlatNode { $0 < 3 }, [layer]) { _ in }.frame(3) == nil)
        #expect(layer.asked.isEmpty)
    }
}

/// Shared flat pictures of a size, another grey in each frame.
private final class FlatBase: Node {
    let size: Canvas.Size
    private(set) var pictures: [Int: Picture] = [:]

    init(_ size: Canvas.Size) { self.size = size }

    func luma(_ frame: Int) -> Int { 40 + 30 * frame }

    func frame(_ number: Int) throws -> Surface? {
        let picture = try Picture.flat(luma(number), size)
        pictures[number] = picture
        return Surface(picture, isOwned: false)
    }
}
