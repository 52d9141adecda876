import Composition
import Draft
import Media
import TestSupport
import Testing
import Values

@testable import Workers

/// A file's pictures as a layer: where they lie, and how often they are asked for, stretched and
/// prepared.
@Suite(.waits) struct LayerPlacementTests {
    /// Shows each of some files' pictures for three frames.
    private final class Slides: Node {
        let pictures: [StoredPicture]
        private(set) var asked: [Int] = []

        init(_ paths: [String]) throws { pictures = try paths.map { try StoredPicture(path: $0) } }

        func frame(_ number: Int) throws -> StoredPicture? {
            asked.append(number)
            return number < 3 * pictures.count ? pictures[number / 3] : nil
        }
    }

    private static func clock(_ sticker: Sticker) throws -> EffectClock {
        var draft = Draft(canvas: Canvas(size: FlatNode.size, frameRate: Rational(30)))
        draft.clips = [Clip(path: "/m/sound.mp4")]
        var shown = sticker
        shown.path = "/m/emoji.png"
        draft.effects = [Effect(.picture(.sticker(shown)))]
        let slice = Slice(try Composition(draft, catalog: RandomDraft.catalog), frames: 0..<60)
        var clock = EffectClock(SliceClock(slice, firstFrame: 0))
        clock.uses.add(try #require(slice.instructions.first?.effects.first), for: 0..<60)
        return clock
    }

    private static func overlay(_ layer: PaintedLayer?) -> Overlay? {
        if case .overlay(let overlay)? = layer?.content { overlay } else { nil }
    }

    @Test func `each picture of an animation is prepared once`() throws {
        try TemporaryFolder.with { folder in
            let media = TestMedia(in: folder)
            let slides = try Slides([
                media.sticker("a.png", rgba: "red@0.5"), media.sticker("b.png", rgba: "blue@0.5"),
            ])
            let sticker = Sticker(path: "", rect: Rect(x: 3, y: -2, width: 6, height: 4))
            let node = LayerPlacement(slides, isStill: false, sticker, try Self.clock(sticker), .sdr)
            let layers = try (0..<6).map { try #require(try node.frame($0)) }
            #expect(layers.allSatisfy { $0.x == 3 && $0.y == -2 && $0.opacity == 1 })
            let overlays = layers.map(Self.overlay)
            for (index, overlay) in overlays.enumerated() { #expect(overlay === overlays[index / 3 * 3]) }
            #expect(overlays[0] !== overlays[3])
            #expect(slides.asked == Array(0..<6))
            #expect(try node.frame(6) == nil)
        }
    }

    /// The right edge moves, so that some frames ask for another size, and others for a size that
    /// was there before.
    @Test func `a still image is asked for once for each size`() throws {
        try TemporaryFolder.with { folder in
            let slides = try Slides([TestMedia(in: folder).sticker("a.png", rgba: "red@0.5")])
            var sticker = Sticker(path: "", rect: Rect(x: 0, y: 0, width: 4, height: 4))
            sticker.rect = .keyframes([
                Keyframe(time: .zero, value: [0, 0, 4, 4]),
                Keyframe(time: Time(frame: 30, rate: Rational(30)), value: [0, 0, 10, 4]),
            ])
            let node = LayerPlacement(slides, isStill: true, sticker, try Self.clock(sticker), .sdr)
            for frame in [0, 1, 2] {
                let rect = sticker.rect(at: Time(frame: frame, rate: Rational(30)))
                #expect(try node.frame(frame)?.x == rect.x)
            }
            #expect(slides.asked.first == 0 && slides.asked.count <= 2)
            let before = slides.asked.count
            _ = try node.frame(2)
            #expect(slides.asked.count == before)
            _ = try node.frame(0)
            #expect(slides.asked.count == before || slides.asked.count == before + 1)
        }
    }

    @Test func `what is not seen is not asked for`() throws {
        try TemporaryFolder.with { folder in
            let slides = try Slides([TestMedia(in: folder).sticker("a.png", rgba: "red@0.5")])
            var sticker = Sticker(path: "", rect: Rect(x: 0, y: 0, width: 4, height: 4))
            sticker.opacity = .constant(0)
            let node = LayerPlacement(slides, isStill: false, sticker, try Self.clock(sticker), .sdr)
            #expect(try node.frame(0) == nil && node.frame(60) == nil)
            #expect(slides.asked.isEmpty)
        }
    }

    /// Source, placement and composition together: the file's own alpha, over a base that stays as
    /// it is.
    @Test func `the alpha of a file's picture reaches the composition`() throws {
        try TemporaryFolder.with { folder in
            let slides = try Slides([TestMedia(in: folder).sticker("a.png", rgba: "white@0.5")])
            let sticker = Sticker(path: "", rect: Rect(x: 4, y: 6, width: 8, height: 4))
            let placement = LayerPlacement(slides, isStill: true, sticker, try Self.clock(sticker), .sdr)
            let base = FlatNode()
            let surface = try #require(try CompositionNode(base, [placement]) { _ in }.frame(1))
            let luma = surface.picture.luma
            for y in 0..<FlatNode.size.height {
                for x in 0..<FlatNode.size.width {
                    let isCovered = (4..<12).contains(x) && (6..<10).contains(y)
                    // ffmpeg's 0.5 is 127 or 128 of 255.
                    #expect(abs(Int(luma[y * FlatNode.size.width + x]) - (isCovered ? 118 : 1)) <= (isCovered ? 1 : 0))
                }
            }
            #expect(base.isIntact)
        }
    }
}
