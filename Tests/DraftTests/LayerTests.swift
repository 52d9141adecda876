import Foundation
import TestSupport
import Testing
import Values

@testable import Draft

@Suite struct LayerTests {
    private func draft(_ layers: Layer..., length: Double = 4) -> Draft {
        var draft = Draft([Clip(path: "/m/silent.mp4", content: .media(range: range(0, length)))])
        draft.canvas.size = Canvas.Size(width: 640, height: 360)
        draft.effects = layers.map { Effect(.layer($0)) }
        return draft
    }

    private func video(_ from: Double, _ length: Double, at start: Double = 0) -> Layer {
        Layer(Clip(path: "/m/sound.mp4", content: .media(range: range(from, length))), at: seconds(start))
    }

    private func problems(_ draft: Draft) -> [String] { draft.validate(RandomDraft.catalog).map(\.description) }
    private func warnings(_ draft: Draft) -> [String] { draft.warnings(RandomDraft.catalog).map(\.description) }

    @Test func `a layer lies where it begins, as long as its clip is`() throws {
        var layer = video(2, 3, at: 0.5)
        layer.clip.speed = Rational(2)
        let timeline = try Timeline(draft(layer), catalog: RandomDraft.catalog)
        #expect(timeline.effectRanges == [range(0.5, 1.5)] && timeline.duration == seconds(4))
        let placed = try #require(timeline.layers[0])
        #expect(placed.piece.content(at: seconds(1)) == seconds(4))
        #expect(timeline.local(ofEffect: 0).content(at: seconds(0.75)) == seconds(0.25))
    }

    @Test func `a layer that reaches past the end is cut off, and somebody is told`() throws {
        let late = draft(video(0, 3, at: 2))
        #expect(try Timeline(late, catalog: RandomDraft.catalog).effectRanges == [range(2, 2)])
        #expect(
            warnings(late) == [
                "effect 1 (layer): reaches 1 s past the end of the timeline before it at 4 s; what is there is used"
            ])
    }

    @Test func `an image without a duration stays until the end`() throws {
        var image = Layer(Clip(path: "/m/photo.jpg", content: .image(duration: .longest)), at: seconds(1))
        image.isOpenEnded = true
        image.leave = Entrance(.fade, duration: seconds(0.5))
        let still = draft(image)
        let timeline = try Timeline(still, catalog: RandomDraft.catalog)
        #expect(timeline.effectRanges == [range(1, 3)] && warnings(still) == [])
        #expect(LayerLook(image, duration: seconds(3)).leave?.end == seconds(3))
    }

    @Test func `time effects after a layer move it`() throws {
        var slow = draft(video(0, 1, at: 2))
        slow.effects.append(Effect(.speed(Rational(1, 2))))
        let timeline = try Timeline(slow, catalog: RandomDraft.catalog)
        #expect(timeline.local(ofEffect: 0).pieces.map(\.timeline) == [range(4, 2)])
    }

    @Test(
        arguments: [
            (\Placement.width, [0.0], "its width is 0 pixels"),
            (\Placement.width, [0, -1], "its width is -640 pixels"),
            (\Placement.height, [70_000], "its height is 70000 pixels"),
        ] as [(WritableKeyPath<Placement, Animated?> & Sendable, [Double], String)])
    func `a side that cannot be is told`(
        side: WritableKeyPath<Placement, Animated?> & Sendable, value: [Double], message: String
    ) {
        var layer = video(0, 1)
        var placement = Placement()
        placement[keyPath: side] = .constant(value)
        layer.clip.placement = placement
        #expect(problems(draft(layer)).contains { $0.contains(message) })
    }

    @Test func `what is wrong with a layer is told of it`() {
        var wrong = video(0, 1)
        wrong.clip.placement = Placement()
        wrong.clip.placement?.crop = .constant([0.5, 0, 0.75, 1])
        wrong.clip.placement?.opacity = .constant(2)
        let found = problems(draft(wrong, video(20, 1), video(0, 1, at: 9)))
        #expect(found.contains { $0.contains("effect 1 (layer): ‘crop’ is { 0.5, 0, 0.75, 1 }") }, "\(found)")
        #expect(found.contains { $0.contains("effect 1 (layer): ‘opacity’ is 2") })
        #expect(
            found.contains {
                $0.contains("effect 2 (layer): its range starts at 20 s, but the media is only 10 s long")
            })
        #expect(
            found.contains {
                $0.contains("effect 3 (layer): starts at 9 s, but the timeline before it is only 4 s long")
            })
    }

    @Test func `a layer is no clip's own effect, and is no pass-through`() {
        var own = draft()
        own.clips[0].effects = [Effect(.layer(video(0, 1)))]
        #expect(problems(own).contains { $0.contains("is a layer, which is for the draft's effect list") })
        var last = draft(video(0, 1))
        last.effects[0].isPassThrough = true
        #expect(problems(last).contains { $0.contains("leave ‘pass_through’ out") })
    }

    @Test func `everything that a layer uses is found and changed`() throws {
        var layer = video(0, 1)
        layer.clip.effects = [Effect(.picture(.lut(Look(path: "/m/look.png"))))]
        layer.clip.placement = Placement()
        layer.clip.placement?.rotation = .function(3)
        var layered = draft(layer)
        #expect(layered.files.map(\.path) == ["/m/silent.mp4", "/m/sound.mp4", "/m/look.png"])
        #expect(layered.hasFunctions)
        layered = try layered.replacingFunctions(RandomDraft.catalog) { function, seconds, _ throws(Problem) in
            [Double(function) * seconds]
        }
        #expect(layered.effects[0].layer?.placement.rotation.value(at: seconds(0.5)) == [1.5])
        #expect(layered.name(of: .layerEffect(0, layer: 0)) == "effect 1 (layer), effect 1 (lut)")
    }

    @Test(arguments: [
        (
            "{\"kind\": \"layer\"}",
            "effect 1 (layer): needs one of ‘media’ or ‘image’, the path of its file, ‘draft’, ‘source’ and ‘color’"
        ),
        ("{\"kind\": \"layer\", \"media\": \"a.mp4\", \"transition\": [\"dissolve\", 1]}", "which has no ‘transition’"),
        ("{\"kind\": \"layer\", \"media\": \"a.mp4\", \"blend\": \"add\"}", "did you mean ‘plus_lighter’?"),
        ("{\"kind\": \"layer\", \"media\": \"a.mp4\", \"at\": -1}", "‘at’ is -1 s, but must not be negative"),
        ("{\"kind\": \"layer\", \"media\": \"a.mp4\", \"rect\": [1, 2, 3, 4]}", "where it lies is its ‘position’"),
        ("{\"kind\": \"layer\", \"media\": \"http://a/b.mp4\"}", "not supported"),
        ("{\"kind\": \"layer\", \"media\": \"a.mp4\", \"range\": [0, 0]}", "must last longer than 0"),
    ])
    func `a document's layer that is none is told`(entry: String, message: String) {
        let text = "{\"cutroom\": 2, \"clips\": [{\"media\": \"a.mp4\"}], \"effects\": [\(entry)]}"
        #expect {
            try Draft(document: Data(text.utf8), file: "x.cutroom", folder: "/m")
        } throws: { "\($0)".contains(message) }
    }

    // MARK: Shadows

    @Test func `a document's shadow is read and written`() throws {
        let text =
            "{\"cutroom\": 2, \"clips\": [{\"media\": \"a.mp4\"}], \"effects\": [{\"kind\": \"layer\", \"media\": \"a.mp4\", "
            + "\"shadow_offset\": [[0, [0, 8]], [1, [0, 16]]], \"shadow_blur\": 24}]}"
        let read = try Draft(document: Data(text.utf8), file: "x.cutroom", folder: "/m")
        let shadow = try #require(read.effects[0].layer?.shadow)
        #expect(shadow.color == LayerShadow.usualColor && shadow.blur == .constant([24]))
        #expect(shadow.cast(at: seconds(0.5)) == LayerShadow.Cast(x: 0, y: 12, sigma: 12))
        let again = try Draft(
            document: Data(read.document(in: "/m").utf8), file: "x.cutroom", folder: "/m")
        #expect(again.effects[0].layer?.shadow == shadow)
        let look = LayerLook(try #require(read.effects[0].layer), duration: seconds(2))
        #expect(!look.isAtRest && look.trimmed(to: range(1, 1)).isAtRest)
    }

    @Test func `a shadow that cannot be is told`() {
        var layer = video(0, 1)
        layer.shadow = LayerShadow()
        layer.shadow?.blur = .constant([201])
        layer.shadow?.offset = .constant([1, 2, 3])
        let found = problems(draft(layer))
        #expect(
            found == [
                "effect 1 (layer): ‘shadow_blur’ is 201, but must lie between 0 and 200",
                "effect 1 (layer): ‘shadow_offset’ is { 1, 2, 3 }, but must be two numbers of pixels, to the right and down, between -1000 "
                    + "and 1000",
            ])
        layer.shadow?.offset = .function(1)
        layer.shadow?.blur = .constant([4])
        #expect(
            draft(layer).hasFunctions
                && draft(layer).uses.flatMap(\.values).contains { $0.key == "shadow_offset" })
    }

    // MARK: Outside the canvas

    private func keys(_ a: [Double], _ b: [Double], _ easing: Easing = .linear) -> Animated {
        .keyframes([
            Keyframe(time: .zero, value: a, easing: easing), Keyframe(time: seconds(1), value: b),
        ])
    }

    /// A picture of 100×100 at its middle.
    private func placed(_ position: Animated, _ change: (inout Layer) -> Void = { _ in }) -> [String] {
        var layer = video(0, 1)
        var placement = Placement()
        placement.position = position
        (placement.width, placement.height) = (.constant([100]), .constant([100]))
        layer.clip.placement = placement
        change(&layer)
        return warnings(draft(layer))
    }

    private static let outside = [
        "effect 1 (layer): lies outside the canvas, which is 640×360, all the time"
    ]

    @Test func `a layer that is never on the canvas is told of`() {
        #expect(placed(.constant([-50, 180])) == Self.outside && placed(.constant([-49, 180])) == [])
        #expect(
            placed(.constant([0, 1, 0, 0.5])) == [] && placed(.constant([50, 1, 0, 0.5])) == Self.outside)
        #expect(placed(keys([-200, 0], [-60, 400])) == Self.outside)
        // From side to side it crosses the canvas.
        #expect(placed(keys([-200, 180], [900, 180])) == [])
        #expect(placed(keys([-200, 180], [-70, 180], .curve(.back, .out))) == [])
        #expect(placed(.function(1)) == [])
        #expect(placed(.constant([-60, 180])) { $0.clip.placement?.scale = .constant(1.3) } == [])
        #expect(placed(.constant([-60, 180])) { $0.clip.placement?.rotation = .constant(30) } == [])
        #expect(
            placed(.constant([-80, 180])) { $0.clip.placement?.rotation = .constant(30) } == Self.outside)
        // A shadow may fall onto it, and what slides in may cross it.
        #expect(
            placed(.constant([-60, 180])) {
                $0.shadow = LayerShadow()
                $0.shadow?.blur = .constant([24])
            } == [])
        #expect(placed(.constant([-90, 180])) { $0.shadow = LayerShadow() } == Self.outside)
        #expect(
            placed(.constant([-60, 180])) { $0.enter = Entrance(.slideLeft, duration: seconds(0.5)) }
                == [])
        #expect(
            placed(.constant([-60, 180])) { $0.enter = Entrance(.fade, duration: seconds(0.5)) }
                == Self.outside)
        // One side follows from the picture's shape: 16:9.
        #expect(
            placed(.constant([-80, 180])) { layer in
                layer.clip.placement?.width = nil
                layer.clip.placement?.crop = .keyframes([Keyframe(time: .zero, value: [0, 0, 1, 1])])
            } == [])
        #expect(placed(.constant([-100, 180])) { $0.clip.placement?.width = nil } == Self.outside)
        var clip = draft()
        clip.clips[0].placement = Placement()
        clip.clips[0].placement?.position = .constant([2000, 0])
        #expect(warnings(clip) == ["clip 1: lies outside the canvas, which is 640×360, all the time"])
    }

    /// Random placements of which it is said that they are outside: none of their places is on the
    /// canvas.
    @Test func `nothing that is seen is told of`() {
        var random = SplitMix64(seed: Seed.announced(for: "layers outside", cases: 400))
        let canvas = Canvas.Size(width: 640, height: 360)
        var outside = 0
        for _ in 0..<400 {
            var placement = Placement()
            func number(_ range: ClosedRange<Double>) -> Double {
                Double.random(in: range, using: &random)
            }
            func pair() -> [Double] { [number(-900...1500), number(-700...1000)] }
            placement.position =
                random.chance(1, in: 2)
                ? .constant(pair()) : keys(pair(), pair(), random.pick(Easing.named))
            placement.anchor = .init(x: number(0...1), y: number(0...1))
            if random.chance(1, in: 2) {
                placement.width = keys([number(10...300)], [0, number(0.1...0.6)])
            }
            if random.chance(1, in: 2) { placement.height = .constant([number(10...300)]) }
            if placement.width != nil, case .keyframes(let all) = placement.width ?? .constant(0) {
                placement.width = .constant(all[0].value)
            }
            if random.chance(1, in: 2) { placement.rotation = .constant(number(-360...360)) }
            if random.chance(1, in: 3) { placement.quarterTurns = 1 }
            if random.chance(1, in: 3) {
                placement.crop = .constant([0.1, 0.2, number(0.1...0.8), number(0.1...0.7)])
            }
            guard !placement.mayMeet(canvas, picture: Canvas.Size(width: 300, height: 200)) else {
                continue
            }
            outside += 1
            for step in 0...20 {
                let turned = placement.quarterTurns == 1
                let place = placement.placed(
                    at: seconds(Double(step) / 20), on: canvas, picture: turned ? (200, 300) : (300, 200),
                    mode: random.pick(ContentMode.allCases))
                let angle = place.turn * 2 * Double.pi
                let corners = [(0.0, 0.0), (1, 0), (0, 1), (1, 1)].map { x, y in
                    let (dx, dy) = (
                        place.left + x * place.width - place.pivotX, place.top + y * place.height - place.pivotY
                    )
                    return (
                        place.pivotX + dx * cos(angle) - dy * sin(angle),
                        place.pivotY + dx * sin(angle) + dy * cos(angle)
                    )
                }
                let (xs, ys) = (corners.map(\.0), corners.map(\.1))
                let isBeside =
                    xs.max()! <= 0.001 || xs.min()! >= 639.999 || ys.max()! <= 0.001 || ys.min()! >= 359.999
                #expect(isBeside, "\(placement) at \(step)")
            }
        }
        #expect(outside > 20)
    }

    @Test func `a look keeps what has a say in a part of its time`() {
        var layer = video(0, 3)
        layer.enter = Entrance(.fade, duration: seconds(0.5))
        layer.leave = Entrance(.zoom, duration: seconds(0.5))
        layer.clip.placement = Placement()
        layer.clip.placement?.scale = .keyframes([
            Keyframe(time: seconds(1), value: [1]), Keyframe(time: seconds(2), value: [2]),
        ])
        let look = LayerLook(layer, duration: seconds(3))
        #expect(!look.isAtRest && look.poses(at: seconds(1)).isEmpty && look.poses(at: seconds(0.1)).count == 1)
        #expect(look.poses(at: seconds(2.9)).count == 1)
        #expect(look.trimmed(to: range(0.5, 0.5)).isAtRest && look.trimmed(to: range(2, 0.5)).isAtRest)
        #expect(!look.trimmed(to: range(1, 0.5)).isAtRest && !look.trimmed(to: range(0.25, 0.5)).isAtRest)
        #expect(look.trimmed(to: range(2, 1)).leave == look.leave)
    }
}
