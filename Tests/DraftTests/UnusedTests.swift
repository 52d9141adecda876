import TestSupport
import Testing
import Values

@testable import Draft

/// Warnings about what a script says and a render does not use, each with its exact sentence.
@Suite struct UnusedTests {
    private func warnings(_ draft: Draft, sourceLocation: SourceLocation = #_sourceLocation) -> [String] {
        #expect(draft.validate(RandomDraft.catalog) == [], sourceLocation: sourceLocation)
        return draft.warnings(RandomDraft.catalog).map(\.description)
    }

    // MARK: A ‘duration’ that changes the speed

    /// A clip of a file of 10 s.
    private func clip(_ options: [String: Value]) throws -> Clip {
        try Clip(
            path: "/m/sound.mp4", isImage: false, reading: .object(options), object: "clip 1", folder: nil,
            mediaDuration: seconds(10))
    }

    @Test func `a duration alone changes the speed`() throws {
        let fast = Draft([try clip(["duration": 4])], effects: [Effect(.layer(Layer(try clip(["duration": 2]))))])
        let advice = "and a ‘range’ beside ‘duration’ says that this speed is meant"
        #expect(
            warnings(fast) == [
                "clip 1: its ‘duration’ of 4 s plays all 10 s of its content at speed 2.5; range = { 0, 4 } plays the first 4 s at "
                    + "normal speed instead, \(advice)",
                "effect 1 (layer): its ‘duration’ of 2 s plays all 10 s of its content at speed 5; range = { 0, 2 } plays the first "
                    + "2 s at normal speed instead, \(advice)",
            ])
        #expect(
            warnings(Draft([try clip(["duration": 30])])) == [
                "clip 1: its ‘duration’ of 30 s plays all 10 s of its content at speed 0.333; without ‘duration’ it plays at normal "
                    + "speed, \(advice)"
            ])
    }

    @Test func `a speed that was asked for, or that is not seen, is no mistake`() throws {
        for options: [String: Value] in [
            ["duration": 4, "range": [0, 10]], ["duration": 4, "range": [2, 8]], ["speed": 2.5], ["duration": 10],
            ["duration": 10.005], ["duration": 4, "loop": 2], ["duration": 4, "freeze": [1, 1]],
        ] { #expect(warnings(Draft([try clip(options)])) == [], "\(options)") }
    }

    // MARK: Easings

    private func keys(_ easings: Easing...) -> Animated {
        .keyframes(
            easings.enumerated().map {
                Keyframe(time: seconds(Double($0.offset)), value: [Double($0.offset) / 10 + 0.5], easing: $0.element)
            })
    }

    @Test func `an easing at the last key`() {
        var (clip, title) = (Clip.sound(), Title("x"))
        clip.volume = keys(.linear, .linear, .easeIn)
        clip.timing.speed = keys(.easeOut, .easeIn)
        title.opacity = keys(.easeInOut)
        let draft = Draft([clip], effects: [Effect(.picture(.title(title)), range: range(0, 2))])
        func sentence(_ object: String, _ name: String, _ time: Int, _ easing: String) -> String {
            "\(object): the last key of ‘\(name)’, at \(time) s, has the easing ‘\(easing)’, which does nothing: an easing is the way "
                + "to the next key, so give it to the key before"
        }
        #expect(
            warnings(draft) == [
                sentence("clip 1", "volume", 2, "ease_in"), sentence("clip 1", "speed", 1, "ease_in"),
                sentence("effect 1 (title)", "opacity", 0, "ease_in_out"),
            ])
    }

    @Test func `a size has one warning for both of its sides`() {
        var layer = Layer(.photo(2))
        let side = Animated.keyframes([
            Keyframe(time: .zero, value: [20]), Keyframe(time: seconds(1), value: [90], easing: .easeOut),
        ])
        var placement = Placement()
        (placement.width, placement.height) = (side, side)
        layer.clip.placement = placement
        let found = warnings(Draft([.sound()], effects: [Effect(.layer(layer))]))
        #expect(found.count == 1, "\(found)")
        #expect(found[0].contains("‘width’ and ‘height’, at 1 s, has the easing ‘ease_out’"))
    }

    @Test func `easings that act, or that all keys have, are no mistake`() {
        for value in [keys(.easeIn, .linear), keys(.easeIn, .hold), keys(.easeIn, .easeIn), .constant(1)] {
            var clip = Clip.sound()
            clip.volume = value
            #expect(warnings(Draft([clip])) == [], "\(value)")
        }
    }

    // MARK: Keys after the end

    private func fade(_ times: Double..., to last: Double = 0, easing: Easing = .linear) -> Animated {
        .keyframes(
            times.enumerated().map {
                Keyframe(time: seconds($0.element), value: [$0.offset + 1 < times.count ? 1 : last], easing: easing)
            })
    }

    @Test func `a last key after the end is never reached`() {
        var (clip, layer, title) = (Clip.sound(0, 2), Layer(.sound(0, 1.5)), Title("x"))
        clip.volume = fade(0, 5)
        layer.clip.placement = Placement()
        layer.clip.placement?.width = fade(0, 2, to: 9)
        layer.clip.placement?.height = fade(0, 2, to: 9)
        title.opacity = fade(0.5, 1.5)
        let draft = Draft(
            [clip],
            effects: [
                Effect(.layer(layer)), Effect(.picture(.title(title)), range: range(1, 1)),
                .plugin("org.test.pure", ["amount": .numbers(fade(1, 2.5))]),
            ])
        let rest = "so its value is never reached; their times count from its own start"
        #expect(
            warnings(draft) == [
                "clip 1: the last key of ‘volume’, at 5 s, is after its end at 2 s, \(rest)",
                "effect 1 (layer): the last key of ‘width’ and ‘height’, at 2 s, is after its end at 1.5 s, \(rest)",
                "effect 2 (title): the last key of ‘opacity’, at 1.5 s, is after its end at 1 s, \(rest)",
                "effect 3 (org.test.pure): the last key of ‘amount’, at 2.5 s, is after its end at 2 s, \(rest)",
            ])
    }

    @Test func `a last key that adds nothing, or lies within a frame, is no mistake`() {
        let many = Animated.keyframes(
            (0..<50).map { Keyframe(time: seconds(Double($0) / 10), value: [Double($0 % 2)]) })
        for value in [fade(0, 5, to: 1), fade(0, 2), fade(0, 2.01), fade(5), .constant(1), many] {
            var clip = Clip.sound(0, 2)
            clip.volume = value
            #expect(warnings(Draft([clip])) == [], "\(value)")
        }
        // Held until a key that is never reached.
        var clip = Clip.sound(0, 2)
        clip.volume = fade(0, 2.2, easing: .hold)
        #expect(warnings(Draft([clip])).count == 1)
    }

    // MARK: Outside the rendered part

    private func title(_ start: Double, _ duration: Double) -> Effect {
        Effect(.picture(.title(Title("x"))), range: range(start, duration))
    }

    @Test func `objects outside the rendered part`() {
        var (layer, music) = (Layer(.sound(0, 0.5), at: seconds(2.25)), AudioClip(path: "/m/music.m4a"))
        music.startTime = seconds(2)
        var draft = Draft(
            [.sound()], effects: [title(2, 1), title(0.5, 2), .look(range(1, 1)), Effect(.layer(layer))], audio: [music]
        )
        #expect(warnings(draft) == [])
        draft.timeRange = range(0, 1)
        let rest = "but only 0–1 s is rendered, so nothing of it is in the result"
        #expect(
            warnings(draft) == [
                "effect 1 (title): lies at 2–3 s, \(rest)", "effect 3 (lut): lies at 1–2 s, \(rest)",
                "effect 4 (layer): lies at 2.25–2.75 s, \(rest)", "audio 1: lies at 2–3 s, \(rest)",
            ])
        layer.start = .zero
        draft.effects = [Effect(.layer(layer)), .look()]
        draft.audio = []
        #expect(warnings(draft) == [])
        // Another draft shows a part of it on purpose.
        draft.effects = [title(2, 1)]
        let outer = Clip(path: "", content: .draft(NestedDraft(draft), range: nil))
        #expect(warnings(Draft([outer])) == [])
    }

    @Test func `times are those of the final timeline`() {
        var draft = Draft([.sound()], effects: [title(0, 0.5), .repeat(2, range(0, 1)), .speed(Rational(1, 2))])
        draft.timeRange = range(4, 1)
        #expect(
            warnings(draft) == [
                "effect 1 (title): lies at 0–1 s, 2–3 s, but only 4–5 s is rendered, so nothing of it is in the result"
            ])
    }

    @Test func `more than five are counted`() {
        var draft = Draft([.sound()], effects: Array(repeating: title(2, 1), count: 7))
        draft.timeRange = range(0, 1)
        let found = warnings(draft)
        #expect(found.count == 6 && found.last == "draft: 2 more objects lie outside the rendered 0–1 s", "\(found)")
    }
}
