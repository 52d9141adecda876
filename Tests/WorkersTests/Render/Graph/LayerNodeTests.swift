import CKernels
import Composition
import Draft
import Foundation
import Media
import TestSupport
import Testing
import Values

@testable import Workers

/// Layers at their places, beside a picture that is known at every point.
@Suite(.waits) struct LayerNodeTests {
    private static let canvas = Canvas.Size(width: 96, height: 64)

    /// The same picture in every frame: grey waves that are long beside a pixel.
    private final class Waves: Node {
        static let (width, height) = (120, 90)
        let picture: LayerPicture

        init(alpha: UInt8 = 255) throws {
            // Not in whole codes, whose errors would be those of the input.
            let floats = FloatPicture(width: Self.width, height: Self.height)
            for y in 0..<Self.height {
                for x in 0..<Self.width {
                    let pixel = floats.floats + y * floats.stride / MemoryLayout<Float>.stride + 4 * x
                    for c in 0..<3 { pixel[c] = Float(Self.value(Double(x), Double(y)) / 255) }
                    pixel[3] = Float(alpha) / 255
                }
            }
            picture = LayerPicture(pixels: .floats(floats))
        }

        /// 0 … 255 at a point, middles of pixels at whole numbers.
        static func value(_ x: Double, _ y: Double) -> Double { 128 + 60 * sin(x / 9) + 50 * cos(y / 7 + x / 31) }

        func frame(_ number: Int) throws -> LayerPicture? { picture }
    }

    private func node(_ look: LayerLook) throws -> LayerNode {
        var draft = Draft(canvas: Canvas(size: Self.canvas, frameRate: Rational(10)))
        draft.clips = [Clip(path: "/m/sound.mp4")]
        draft.effects = [
            Effect(.layer(Layer(Clip(path: "/m/silent.mp4"))))
        ]
        let slice = Slice(try Composition(draft, catalog: RandomDraft.catalog), frames: 0..<40)
        var clock = EffectClock(SliceClock(slice, firstFrame: 0))
        clock.uses.add(try #require(slice.instructions.first?.effects.first), for: 0..<40)
        return LayerNode(look, clock, Self.canvas, .sdr)
    }

    /// The grey of the canvas, 0 … 255, with a layer painted over black.
    private func painted(_ look: LayerLook, _ content: any Node<LayerPicture>, frame: Int = 0, onto luma: Int = 16)
        throws
        -> [[Double]]
    {
        let node = try node(look)
        node.content.add(content, for: 0..<40)
        let picture = try Picture.flat(luma, Self.canvas)
        try node.frame(frame)?.paint(onto: picture)
        return (0..<picture.height).map { row in
            (0..<picture.width).map { (Double(picture.plane(0)[row * picture.stride(0) + $0]) - 16) * 255 / 219 }
        }
    }

    /// A code of luma, in 0 … 255.
    private static let code = 255.0 / 219

    /// Random places: what the canvas shows is what the picture has at the point that the
    /// definition says.
    @Test func `a picture lies where its place says`() throws {
        var random = SplitMix64(seed: Seed.announced(for: "layers' places", cases: 60))
        let waves = try Waves()
        for _ in 0..<60 {
            var placement = Placement()
            func number(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }
            placement.position = .constant([number(20...76), number(10...54)])
            placement.anchor = .init(x: number(0...1), y: number(0...1))
            placement.width = .constant(number(30...180))
            if random.chance(1, in: 2) { placement.rotation = .constant(number(-200...200)) }
            placement.quarterTurns = Int.random(in: 0...3, using: &random)
            (placement.isFlippedAcross, placement.isFlippedDown) = (random.chance(1, in: 2), random.chance(1, in: 2))
            if random.chance(1, in: 2) { placement.crop = .constant([number(0...0.3), number(0...0.3), 0.6, 0.55]) }
            let look = LayerLook(placement, mode: random.pick(ContentMode.allCases))
            let shown = try painted(look, waves)
            let isTurned = placement.quarterTurns % 2 == 1
            let placed = placement.placed(
                at: .zero, on: Self.canvas,
                picture: isTurned ? (Waves.height, Waves.width) : (Waves.width, Waves.height), mode: look.mode)
            var compared = 0
            for y in 0..<Self.canvas.height {
                for x in 0..<Self.canvas.width {
                    guard let wanted = Self.wanted(Double(x) + 0.5, Double(y) + 0.5, placed, placement) else {
                        continue
                    }
                    compared += 1
                    #expect(
                        abs(shown[y][x] - wanted) < Self.code,
                        "(\(x), \(y)): \(shown[y][x]), not \(wanted); \(placement)")
                }
            }
            #expect(compared > 30, "\(placement)")
        }
    }

    /// What a point of the canvas shows; nil outside of the picture and near its edges.
    private static func wanted(_ x: Double, _ y: Double, _ placed: PlacedPicture, _ placement: Placement) -> Double? {
        let angle = -placed.turn * 2 * Double.pi
        let (dx, dy) = (x - placed.pivotX, y - placed.pivotY)
        let (ux, uy) = (
            placed.pivotX + dx * cos(angle) - dy * sin(angle), placed.pivotY + dx * sin(angle) + dy * cos(angle)
        )
        var (across, down) = ((ux - placed.left) / placed.width, (uy - placed.top) / placed.height)
        let (marginX, marginY) = (3 / placed.width, 3 / placed.height)
        guard (marginX...1 - marginX).contains(across), (marginY...1 - marginY).contains(down) else { return nil }
        if placed.isFlippedAcross { across = 1 - across }
        if placed.isFlippedDown { down = 1 - down }
        let (px, py) = (placed.sourceLeft + across * placed.sourceWidth, placed.sourceTop + down * placed.sourceHeight)
        let (w, h) = (Double(Waves.width), Double(Waves.height))
        let (sx, sy) =
            switch placement.quarterTurns {
            case 1: (py, h - px)
            case 2: (w - px, h - py)
            case 3: (w - py, px)
            default: (px, py)
            }
        // A filter looks around.
        guard (4...w - 4).contains(sx), (4...h - 4).contains(sy) else { return nil }
        return Waves.value(sx - 0.5, sy - 0.5)
    }

    @Test func `at its own size, on whole pixels, a picture is itself`() throws {
        var placement = Placement()
        (placement.position, placement.anchor) = (.constant([3, 2]), .init(x: 0, y: 0))
        placement.width = .constant(Double(Waves.width))
        let shown = try painted(LayerLook(placement, mode: .fit), try Waves())
        for y in 2..<64 {
            for x in 3..<96 { #expect(abs(shown[y][x] - Waves.value(Double(x) - 3, Double(y) - 2)) < 1.2) }
        }
        #expect(shown[1].allSatisfy { $0 == 0 } && shown.allSatisfy { $0[2] == 0 })
    }

    @Test func `opacity, alpha and round corners let what is below through`() throws {
        var placement = Placement()
        placement.width = .constant(40)
        (placement.opacity, placement.cornerRadius) = (.constant(0.5), .constant(15))
        let shown = try painted(LayerLook(placement, mode: .stretch), try Waves(alpha: 128), onto: 235)
        let plain = try painted(LayerLook(placement, mode: .stretch), try Waves(), onto: 16)
        // Half of a half covers white; its corner shows nothing of it.
        let middle = (shown[32][48], plain[32][48] * 2)
        #expect(abs(middle.0 - (255 - 0.251 * (255 - middle.1))) < 2, "\(middle)")
        #expect(abs(shown[17 + 1][28 + 1] - 255) < 1.5)
    }

    /// Each entrance shows nothing at its first moment, all at its end, and something of both
    /// between.
    @Test(arguments: Entrance.Kind.allCases.filter { $0 != .type })
    func `a layer enters and leaves`(kind: Entrance.Kind) throws {
        var layer = Layer(Clip(path: "/m/silent.mp4"))
        layer.clip.placement = Placement()
        layer.clip.placement?.width = .constant(40)
        layer.clip.placement?.position = .constant([50, 30])
        let still = LayerLook(layer, duration: Time(seconds: 4) ?? .zero)
        let second = Time(seconds: 1) ?? .zero
        layer.enter = Entrance(kind, duration: second, easing: .linear)
        layer.leave = Entrance(kind, duration: second, easing: .linear)
        let look = LayerLook(layer, duration: Time(seconds: 4) ?? .zero)
        let waves = try Waves()
        func light(_ look: LayerLook, _ frame: Int) throws -> Double {
            try painted(look, waves, frame: frame).joined().reduce(0, +)
        }
        let whole = try light(still, 20)
        let (first, half, rest, late) = (
            try light(look, 0), try light(look, 5), try light(look, 20), try light(look, 35)
        )
        #expect(first < 0.02 * whole && rest == whole, "\(kind): \(first), \(rest), \(whole)")
        #expect(
            (0.15 * whole...0.98 * whole).contains(half) && (0.15 * whole...0.98 * whole).contains(late),
            "\(half), \(late), \(whole)")
    }

    /// A slow zoom: neighbouring frames differ by about the same everywhere, and no two are equal.
    @Test func `a slow zoom neither stands nor jumps`() throws {
        var placement = Placement()
        placement.scale = .keyframes([
            Keyframe(time: .zero, value: [1]), Keyframe(time: Time(seconds: 4) ?? .zero, value: [1.05]),
        ])
        let node = try node(LayerLook(placement, mode: .fill))
        node.content.add(try Waves(), for: 0..<40)
        let frames = try (0..<40).map { frame in
            let picture = try Picture.flat(16, Self.canvas)
            try node.frame(frame)?.paint(onto: picture)
            return picture.luma.map(Double.init)
        }
        let steps: [Double] = zip(frames, frames.dropFirst()).map { a, b in
            var sum = 0.0
            for (one, other) in zip(a, b) { sum += abs(one - other) }
            return sum / Double(a.count)
        }
        let mean = steps.reduce(0, +) / Double(steps.count)
        #expect(steps.allSatisfy { $0 > 0 && $0 < 2 * mean }, "\(steps)")
    }

    /// A place far outside, a speck and a giant: nothing, or what is right, in the memory of the
    /// canvas.
    @Test func `extreme places are bounded`() throws {
        let waves = try Waves()
        for (width, x, rotation) in [
            (0.02, 48.0, 0.0), (65_000, 48, 0), (65_000, 30_000, 77), (30, -5000, 0), (30, 999_999, 45),
            (30_000, 48, 1e300),
        ] {
            var placement = Placement()
            (placement.width, placement.rotation) = (.constant(width), .constant(rotation))
            placement.position = .constant([x, 32])
            _ = try painted(LayerLook(placement, mode: .stretch), waves)
        }
    }

    /// A mask is stretched over the layer, however much larger than its picture it is, and however
    /// small both lie.
    @Test func `a speck has a large mask`() throws {
        let waves = try Waves()
        let mask = Flat(width: 700, height: 500)
        var random = SplitMix64(seed: Seed.announced(for: "specks with masks", cases: 60))
        for _ in 0..<60 {
            var placement = Placement()
            (placement.width, placement.height) = (
                .constant(0.015625), .constant(Double.random(in: 0.02...40, using: &random))
            )
            if random.chance(1, in: 2) { swap(&placement.width, &placement.height) }
            placement.quarterTurns = Int.random(in: 0...3, using: &random)
            placement.isFlippedAcross = random.chance(1, in: 2)
            placement.position = .constant([Double.random(in: 20...76, using: &random), 32])
            var layer = Layer(Clip(path: "/m/silent.mp4"))
            layer.clip.placement = placement
            layer.mask = Mask(path: "/m/photo.jpg", kind: .luma, isInverted: false)
            let node = try node(LayerLook(layer, duration: .longest))
            node.content.add(waves, for: 0..<40)
            node.mask.add(mask, for: 0..<40)
            #expect(try node.frame(0) != nil)
        }
    }

    /// The same white picture in every frame.
    private final class Flat: Node {
        let picture: LayerPicture

        init(width: Int, height: Int) {
            let floats = FloatPicture(width: width, height: height)
            for y in 0..<height {
                (floats.floats + y * floats.stride / MemoryLayout<Float>.stride).update(repeating: 1, count: 4 * width)
            }
            picture = LayerPicture(pixels: .floats(floats))
        }

        func frame(_ number: Int) throws -> LayerPicture? { picture }
    }
}
