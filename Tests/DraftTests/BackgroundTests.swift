import Draft
import TestSupport
import Testing
import Values

/// Drafts without clips: how long their background is.
@Suite struct BackgroundTests {
    private func song(at start: Double = 0, _ length: Double = 4, speed: Rational = .one, loops: Bool = false)
        -> AudioClip
    {
        var song = AudioClip(path: "/m/music.m4a", startTime: seconds(start))
        (song.range, song.speed, song.loops) = (range(0, length), speed, loops)
        return song
    }

    private func problems(_ draft: Draft) -> [String] { draft.validate(RandomDraft.catalog).map(\.description) }
    private func outline(_ draft: Draft) throws -> (main: Time, all: Time) {
        #expect(problems(draft) == [])
        let timeline = try Timeline(draft, catalog: RandomDraft.catalog)
        let outline = Outline(draft, catalog: RandomDraft.catalog)
        #expect(outline.originalDuration == timeline.originalDuration && outline.duration == timeline.duration)
        return (timeline.originalDuration, timeline.duration)
    }

    @Test func `it is as long as what ends last`() throws {
        let title = Effect(.picture(.title(Title("x"))), range: range(1, 6))
        #expect(try outline(Draft([], audio: [song(at: 1)])).main == seconds(5))
        #expect(try outline(Draft([], audio: [song(at: 1, speed: Rational(2))])).main == seconds(3))
        #expect(try outline(Draft([], effects: [title], audio: [song(at: 1), song(loops: true)])).main == seconds(7))
        #expect(try outline(Draft([], effects: [title])).all == seconds(7))
        // An object without a range is as long as the rest.
        #expect(
            try outline(Draft([], effects: [.look(), .plugin("org.test.pure")], audio: [song()])).all == seconds(4))
        let composed = try Timeline(Draft([], audio: [song()]), catalog: RandomDraft.catalog)
        #expect(composed.size == Canvas.Size(width: 640, height: 360) && composed.frameCount == 120)
        let usual = try Timeline(
            {
                var draft = Draft(); draft.audio = [song()]; return draft
            }(), catalog: RandomDraft.catalog)
        #expect(usual.size == Canvas.Size(width: 1280, height: 720) && usual.frameRate == Rational(30))
    }

    @Test func `changes of time leave room for what ends last`() throws {
        // The song lasts 4 s on the final timeline: twice as much of the background is played.
        let fast = try outline(Draft([], effects: [.speed(Rational(2))], audio: [song()]))
        #expect(fast.main == seconds(8) && fast.all == seconds(4))
        let again = try outline(Draft([], effects: [.repeat(2, range(1, 1))], audio: [song()]))
        #expect(again.main == seconds(3) && again.all == seconds(4))
        // An entry counts on the timeline that those before it have made, and a range that is
        // repeated has to be there.
        let title = Effect(.picture(.title(Title("x"))), range: range(8, 2))
        let stacked = try outline(Draft([], effects: [.repeat(3, range(0, 4)), title]))
        #expect(stacked.main == seconds(4) && stacked.all == seconds(12))
    }

    @Test func `a length that is asked for rules`() throws {
        var draft = Draft([], audio: [song()])
        draft.backgroundDuration = seconds(10)
        #expect(try outline(draft).main == seconds(10))
        draft.backgroundDuration = seconds(2)
        #expect(try outline(draft).all == seconds(2))
        draft = Draft([], audio: [song(loops: true)])
        draft.backgroundDuration = seconds(3)
        #expect(try outline(draft).all == seconds(3))
        draft.audio = []
        #expect(try outline(draft).all == seconds(3))
        draft.clips = [.sound()]
        #expect(
            problems(draft) == [
                "draft: has the duration 3 s, but its clips decide how long it is; leave ‘duration’ out, or say with ‘time_range’ which "
                    + "part is rendered"
            ])
        draft.clips = []
        draft.backgroundDuration = .zero
        #expect(problems(draft) == ["draft: its duration is 0 s, but must be longer than 0 and at most 100 days"])
    }

    @Test(arguments: ["transparent", "#ff000080", "#fffffffe"])
    func `a background that is not opaque needs a draft around it`(color: String) throws {
        var draft = Draft([.sound()])
        draft.canvas.background = try #require(Color(color))
        draft.backgroundOrigin = Origin(file: "edit.lua", line: 7)
        let found = draft.validate(RandomDraft.catalog)
        #expect(found.count == 1 && found[0].origin?.line == 7)
        #expect(
            found[0].message
                == "the ‘background’ is \(draft.canvas.background), which is not opaque, but a rendered picture "
                + "has no transparency; choose an opaque colour, or show the draft in another one")
        #expect(throws: Problems.self) { try Timeline(draft, catalog: RandomDraft.catalog) }
        #expect(try Timeline(draft, catalog: RandomDraft.catalog, isNested: true).frameCount > 0)
        draft.canvas.background = .white
        #expect(problems(draft) == [])
    }

    @Test func `what has no end makes no length`() {
        let advice =
            "draft: has no clips, and nothing in it has an end; add one with add_clip or add_image, give an effect or title a ‘range’, "
            + "or set ‘duration’"
        #expect(problems(Draft([], audio: [song(loops: true)])) == [advice])
        #expect(problems(Draft([], effects: [.look(), .speed(Rational(2))])) == [advice])
        let empty = Outline(Draft([], effects: [.look()]), catalog: RandomDraft.catalog)
        #expect(empty.duration == .zero && empty.originalDuration == .zero)
        // A problem of an audio clip names the audio clip only.
        #expect(
            problems(Draft([], audio: [AudioClip(path: "/m/broken.mp4")])) == [
                "audio 1: ‘/m/broken.mp4’ is not a media file"
            ])
        #expect(
            problems(Draft([], effects: [.look(TimeRange(start: Time.longest, duration: seconds(1)))])) == [
                "draft: what lies in it ends after more than 100 days"
            ])
        #expect(
            problems(Draft([], effects: Array(repeating: .speed(Rational(100)), count: 20), audio: [song()])).first
                == "draft: what lies in it ends after more than 100 days")
    }

    /// Whatever the list does to time, everything that has an end ends on the final timeline, and
    /// the last of it at its end.
    @Test func `random lists of time effects have room for the sound`() throws {
        var random = SplitMix64(seed: 11)
        for _ in 0..<500 {
            var effects: [Effect] = []
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                let part = Bool.random(using: &random) ? range(Double(Int.random(in: 0...5, using: &random)), 2) : nil
                effects.append(
                    Bool.random(using: &random)
                        ? .speed(Rational(Int64.random(in: 1...6, using: &random), 2), part)
                        : .repeat(Int.random(in: 1...3, using: &random), part))
            }
            let draft = Draft([], effects: effects, audio: [song(at: 1, Double(Int.random(in: 1...9, using: &random)))])
            let timeline = try Timeline(draft, catalog: RandomDraft.catalog)
            let end = draft.audio[0].startTime + timeline.audio[0].passDuration
            #expect(timeline.duration >= end - Time(flicks: 8), "\(effects)")
            // Longer only where a range has to be there.
            if effects.allSatisfy({ $0.range == nil }) { #expect(timeline.duration <= end + Time(flicks: 8)) }
        }
    }
}
