import TestSupport
import Testing
import Values

@testable import Draft

/// A sticker's rectangle as an animated value: read, written, checked.
@Suite struct StickerRectTests {
    private func effect(_ rect: Value) throws -> Effect {
        try Effect(
            reading: .object(["kind": "sticker", "image": "a.png", "rect": rect]), object: "effect 1", folder: nil)
    }

    @Test func `it is written as it was read`() throws {
        let keys: Value = .array([
            .array(["0s", .array([1, 2, 30, 40]), "ease_in"]), .array(["1/2s", .array([5.5, -2.25, 31, 41])]),
        ])
        for rect in [.array([1, 2, 30, 40]), keys] as [Value] {
            let read = try effect(rect)
            #expect(read.value() == .object(["kind": "sticker", "image": "a.png", "rect": rect]))
            #expect(try Effect(reading: read.value(), object: "effect 1", folder: nil) == read)
        }
    }

    @Test func `what is no rectangle is refused`() {
        let cases: [(Value, String)] = [
            (.array([1, 2, 3]), "the rectangle has 3 numbers, but must have four: left, top, width and height"),
            (.number(5), "the rectangle has 1 numbers, but must have four: left, top, width and height"),
            (.array([1, 2, 0, 4]), "the rectangle is 0×4 pixels, but must be 1×1 to 16384×16384"),
            (.array([1, 2, 4, 16385]), "the rectangle is 4×16385 pixels, but must be 1×1 to 16384×16384"),
            (
                .array([1, 200_000, 4, 4]),
                "the rectangle's corner is (1, 200000), but must lie within 100000 pixels of the canvas"
            ),
            (
                .array([.array([0, .array([1, 2, 3, 4])]), .array([1, .array([1, 2, -3, 4])])]),
                "the rectangle is -3×4 pixels, but must be 1×1 to 16384×16384"
            ),
            (
                .array([.array([0, .array([1, 2, 3, 4])]), .array([1, .array([1, 2])])]),
                "‘rect’ has keys with different numbers of components"
            ),
            (.string("left"), "‘rect’ is ‘left’, but must be a number, a list of keyframes or a function of time"),
            (.null, "needs a ‘rect’: { left, top, width, height } in pixels"),
        ]
        for (rect, sentence) in cases {
            let problem = #expect(throws: Problem.self) { try effect(rect) }
            #expect(problem?.message == sentence)
        }
    }

    /// Values of a function of time are checked like others.
    @Test func `keys that are set later are checked too`() throws {
        var draft = Draft([.sound(0, 2)])
        let bad = Animated.keyframes([Keyframe(time: .zero, value: [0, 0, 20_000, 5])])
        draft.effects = [Effect(.picture(.sticker(Sticker(path: "/m/emoji.png", rect: bad))))]
        #expect(
            draft.validate(RandomDraft.catalog).contains { $0.message.hasPrefix("the rectangle is 20000×5 pixels") })
        draft.effects = [Effect(.picture(.sticker(Sticker(path: "/m/emoji.png", rect: .function(3)))))]
        #expect(draft.hasFunctions)
    }

    // MARK: Pixels

    private func sticker(_ rect: Animated) -> Sticker { Sticker(path: "/a.png", rect: rect) }

    @Test func `a sticker that stands still has whole pixels side by side`() {
        let time = Time(seconds: 0.3)!
        #expect(sticker(.constant([10, -5, 33, 21])).rect(at: time) == Rect(x: 10, y: -5, width: 33, height: 21))
        #expect(
            sticker(.constant([10.4, -5.6, 33.5, 20.2])).rect(at: time) == Rect(x: 10, y: -6, width: 34, height: 20))
    }

    /// A size that does not change does not tremble when the place does, and the other way round.
    @Test func `a sticker that moves does not tremble`() {
        let moving = sticker(
            .keyframes([
                Keyframe(time: .zero, value: [0, 0, 101.3, 60.7]),
                Keyframe(time: Time(seconds: 10)!, value: [37, -19, 101.3, 60.7]),
            ]))
        let growing = sticker(
            .keyframes([
                Keyframe(time: .zero, value: [100, 100, 50, 20]),
                Keyframe(time: Time(seconds: 10)!, value: [60, 95, 130, 30]),
            ]))
        var last = moving.rect(at: .zero)
        var lastWidth = 0
        for frame in 0...300 {
            let time = Time(frame: frame, rate: Rational(30))
            let rect = moving.rect(at: time)
            #expect((rect.width, rect.height) == (102, 60))
            #expect(rect.x >= last.x && rect.x - last.x <= 1 && rect.y <= last.y)
            last = rect
            // Its centre is (125, 110) at all times.
            let large = growing.rect(at: time)
            #expect(large.x + large.width / 2 == 125 && large.y + large.height / 2 == 110, "frame \(frame): \(large)")
            #expect(large.width % 2 == 0 && large.width >= lastWidth)
            lastWidth = large.width
        }
        #expect(last == Rect(x: 37, y: -19, width: 102, height: 60) && lastWidth == 130)
    }

    /// In any part of its time it lies where it lies in the whole, whether it moves there or rests.
    @Test func `a sticker lies on the same pixels in every part of its time`() {
        var random = SplitMix64(seed: 1)
        let values = [[31.6, 10.5, 64, 71.6], [5, 10, 21, 24], [-2.5, 0.5, 33.3, 1]]
        for _ in 0..<500 {
            let keys = (0..<Int64.random(in: 1...5, using: &random)).map {
                Keyframe(time: Time(flicks: $0), value: random.pick(values))
            }
            let whole = sticker(.keyframes(keys))
            let start = Time(flicks: Int64.random(in: -1...5, using: &random))
            let range = TimeRange(start: start, duration: Time(flicks: Int64.random(in: 1...5, using: &random)))
            let part = whole.trimmed(to: range)
            for moment in range.start.flicks..<range.end.flicks {
                let time = Time(flicks: moment)
                #expect(part.rect(at: time) == whole.rect(at: time), "\(moment) of \(range) of \(keys)")
            }
        }
    }

    @Test func `a sticker whose keys are all alike stands still`() {
        let keys = (0..<3).map { Keyframe(time: Time(flicks: $0), value: [5, 10, 21, 23]) }
        let part = sticker(.keyframes(keys)).trimmed(to: TimeRange(start: .zero, duration: Time(flicks: 2)))
        #expect(part.rect == .constant([5, 10, 21, 23]))
    }
}
