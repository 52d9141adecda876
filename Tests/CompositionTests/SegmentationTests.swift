import Composition
import Draft
import TestSupport
import Testing
import Values

@Suite struct SegmentationTests {
    private func counts(_ draft: Draft) throws -> [Int] { try plan(draft).segments.map(\.frameCount) }

    @Test(arguments: [
        ("24", [48, 72]), ("24000/1001", [48, 72]), ("30", [60, 90]), ("7", [14, 21]), ("1", [2, 2, 1]),
    ])
    func twoSecondsOfFrames(rate: String, right: [Int]) throws {
        var draft = Draft([.photo(5)])
        draft.canvas.frameRate = Rational(rate)
        #expect(try counts(draft) == right)
    }

    @Test func aShortRestJoinsItsNeighbour() throws {
        #expect(try counts(Draft([.photo(4.4)])) == [60, 72])
        #expect(try counts(Draft([.photo(4.5)])) == [60, 75])
        #expect(try counts(Draft([.photo(0.01)])) == [1])
    }

    /// Where clips, transitions and effects begin and end.
    @Test func cutsFollowContent() throws {
        // A transition of one second, a title's end; nothing is cut into less than a second.
        let clips: [Clip] = [.sound(0, 4), .sound(0, 4, transition: 1)]
        #expect(try counts(Draft(clips)) == [90, 30, 90])
        #expect(try counts(Draft(clips, effects: [.title("x", range(0, 1.5))])) == [45, 45, 30, 90])
        // If two places are close, the end of the transition is the heavier one.
        let near: [Clip] = [.sound(0, 3), .sound(0, 3, transition: 0.5)]
        #expect(try counts(Draft(near, effects: [.title("x", range(0, 3))])) == [90, 75])
        #expect(try counts(Draft(near)) == [75, 90])
        // A blink is no reason to cut.
        #expect(try counts(Draft([.sound(0, 4)], effects: [.title("x", range(1.9, 0.2))])).count == 2)
    }

    /// Within a clip cuts stay where they are in its content, whatever its beginning is and
    /// whatever lies over it.
    @Test func marksBelongToTheContent() throws {
        func contents(_ clip: Clip, _ effects: [Effect] = []) throws -> [Double] {
            let plan = try plan(Draft([clip], effects: effects))
            guard case .media(let range?) = clip.content else { return [] }
            return plan.segments.dropFirst().map { range.start.seconds + Double($0.firstFrame) / 30 }
        }
        #expect(try contents(.sound(0, 10)) == [2, 4, 6, 8])
        #expect(try contents(.sound(1, 9)) == [4, 6, 8], "the rest before 2 s is too short")
        #expect(try contents(.sound(0.5, 9.5)) == [2, 4, 6, 8])
        #expect(try contents(.sound(0, 10), [.title("x", range(3, 2))]) == [3, 5, 8], "4 and 6 are too near")
        #expect(try contents(.sound(0, 10), [.title("x", range(4, 4))]) == [2, 4, 6, 8])
        // Twice as fast, backwards, from the middle.
        var clip = Clip.sound(0, 10)
        clip.speed = Rational(2)
        #expect(try counts(Draft([clip])) == [60, 90])
        clip.speed = .one
        clip.isReversed = true
        #expect(try counts(Draft([clip])) == [60, 60, 60, 60, 60])
        clip.content = .media(range: range(0, 9))
        #expect(try counts(Draft([clip])) == [90, 60, 60, 60], "content 6, 4 and 2 s; 8 s is too near the start")
    }

    /// Key frames at exact multiples: edges and marks do not count, and stretches under an effect
    /// with state stay whole.
    @Test func anIntervalOfKeyFramesDecidesCuts() throws {
        func starts(_ interval: Int?, _ draft: Draft) throws -> [Int] {
            var draft = draft
            draft.export.video.keyFrameInterval = interval
            return try plan(draft).segments.map(\.firstFrame)
        }
        let cutUp = Draft([.sound(0, 4), .photo(3), .sound(1.3, 2)], effects: [.title("x", range(0, 1.5))])
        #expect(try starts(240, cutUp) == [0, 240])
        #expect(try starts(25, cutUp) == [0, 50, 100, 150, 200, 250])
        #expect(try starts(1, cutUp) == [0, 60, 120, 180, 240])
        #expect(try starts(61, cutUp) == [0, 61, 122, 183, 244])
        #expect(try starts(10_000, cutUp) == [0])
        let state = Draft([.photo(9)], effects: [.plugin("org.test.sequential", range(1, 5))])
        #expect(try starts(25, state) == [0, 200, 250])
        #expect(try plan(cutUp).keyFrameInterval == nil)
        // Everything that is encoded says so in its key.
        var set = cutUp
        set.export.video.keyFrameInterval = 60
        #expect(try plan(set).video?.hasExactKeyFrames == true && plan(cutUp).video?.hasExactKeyFrames == nil)
    }

    @Test func aStatefulEffectIsNotCut() throws {
        let state = "org.test.sequential"
        #expect(try counts(Draft([.photo(10)], effects: [.plugin(state, range(1, 5))])) == [30, 150, 60, 60])
        #expect(try counts(Draft([.photo(10)], effects: [.plugin(state)])) == [300])
        #expect(
            try counts(Draft([.photo(10)], effects: [.plugin(state, range(2, 2)), .plugin("org.test.pure")])) == [
                60, 60, 60, 60, 60,
            ])
        // Two that overlap are one run, two that touch are not.
        #expect(
            try counts(Draft([.photo(10)], effects: [.plugin(state, range(1, 3)), .plugin(state, range(3, 4))])) == [
                30, 180, 90,
            ])
        #expect(
            try counts(Draft([.photo(9)], effects: [.plugin(state, range(0, 3)), .plugin(state, range(3, 6))])) == [
                90, 180,
            ])
    }

    @Test func whatWarmsUpIsCut() throws {
        let plan = try plan(
            Draft([.photo(6)], effects: [.plugin("org.test.warm", range(1, 5)), .plugin("org.test.around")]))
        #expect(plan.segments.map(\.frameCount) == [30, 90, 60])
        let slices = try (0..<3).map { try #require(plan.segmentJob($0, output: "")?.slice) }
        #expect(slices.map(\.leadFrames) == [nil, 5, 5])
        // Five to warm up and two to look back; three to look ahead.
        #expect(slices[1].instruction(at: -7) != nil && slices[1].instruction(at: -8) == nil)
        #expect(slices[1].instruction(at: 92) != nil && slices[1].instruction(at: 93) == nil)
    }

    /// An effect that looks back into frames with state would need all frames before them too.
    @Test func noCutJustBehindWhatIsNotCut() throws {
        let effects: [Effect] = [.plugin("org.test.sequential", range(0, 2)), .plugin("org.test.around")]
        #expect(try counts(Draft([.photo(6)], effects: effects)) == [120, 60])
    }

    /// One instance for each clip, each with its own state: cuts lie between the clips.
    @Test func statefulClipEffects() throws {
        var clips: [Clip] = (0..<4).map { _ in .photo(3) }
        for index in clips.indices { clips[index].effects = [.plugin("org.test.sequential")] }
        #expect(try counts(Draft(clips)) == [90, 90, 90, 90])
        clips[1].transition = Transition(duration: seconds(1))
        #expect(try counts(Draft(clips)) == [150, 90, 90])
    }

    /// A part that is played again goes with what came before it, even where others are shown in
    /// between; the whole begins anew.
    @Test func whatReturnsToItsMiddleIsOneRun() throws {
        func counts(_ id: String, _ effect: TimeRange?, _ again: TimeRange, _ count: Int = 2) throws -> [Int] {
            try self.counts(
                Draft([.photo(8)], effects: [.plugin(id, effect), Effect(.repeat(count), range: again)]))
        }
        let (state, warm) = ("org.test.sequential", "org.test.warm")
        #expect(try counts(state, nil, range(0, 8), 3) == [240, 240, 240])
        #expect(try counts(state, range(0, 4), range(0, 2)) == [60, 120, 60, 60])
        #expect(try counts(state, range(0, 4), range(1, 1)) == [150, 60, 60])
        #expect(try counts(state, range(0, 3), range(2, 2)) == [150, 90, 60])
        // From the five frames before the part to the frame that returns to it, and five that would
        // look back.
        #expect(try counts(warm, nil, range(0, 8), 2) == [60, 60, 60, 60, 60, 60, 60, 60])
        #expect(try counts(warm, nil, range(2, 2)) == [180, 60, 60])
    }

    @Test func theOrderOfAnEffectsOwnTime() throws {
        let draft = Draft(
            [.photo(8)],
            effects: [
                .plugin("org.test.sequential", range(1, 4)), Effect(.repeat(3), range: range(2, 1)),
            ])
        let composition = try Composition(draft, catalog: RandomDraft.catalog)
        let order = composition.ownOrder
        #expect(order.predecessor(of: 29, for: 0) == nil && order.predecessor(of: 30, for: 0) == nil)
        #expect(order.predecessor(of: 31, for: 0) == 30 && order.predecessor(of: 500, for: 0) == nil)
        for start in [90, 120] {
            #expect(order.predecessor(of: start, for: 0) == 59 && order.predecessor(of: start + 1, for: 0) == start)
            #expect(order.frames(before: start, for: 0, since: start - 1, atMost: nil) == Array(30..<60))
            #expect(order.frames(before: start, for: 0, since: start - 1, atMost: 3) == [57, 58, 59])
        }
        #expect(order.frames(before: 150, for: 0, since: 149, atMost: nil) == [])
        #expect(order.frames(before: 152, for: 0, since: nil, atMost: nil) == Array(30..<60) + Array(120..<152))
    }

    @Test func aHundredDaysStayAPlan() throws {
        var draft = Draft([Clip(path: "/m/photo.jpg", content: .image(duration: Time.longest))])
        draft.canvas.frameRate = Rational(240)
        let composition = try Composition(draft, catalog: RandomDraft.catalog)
        #expect(composition.frameCount == 240 * 8_640_000)
        let frames = composition.segmentFrames()
        #expect(frames.count <= 50_000 && frames.count > 25_000)
        #expect(frames.first?.lowerBound == 0 && frames.last?.upperBound == composition.frameCount)
        #expect(zip(frames, frames.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
    }
}
