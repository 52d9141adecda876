import Composition
import Draft
import Foundation
import TestSupport
import Testing
import Values

/// Clips with a map of time of their own, in parts that know no place.
@Suite struct ClipTimeTests {
    private static func ramp(_ start: Double, _ duration: Double, _ keys: [(Double, Double)]) -> Clip {
        var clip = Clip.sound(start, duration)
        clip.timing.speed = .keyframes(keys.map { Keyframe(time: seconds($0), value: [$1], easing: .easeInOut) })
        return clip
    }

    @Test func `a ripple edit renders no ramped clip again`() throws {
        var clip = Self.ramp(0, 10, [(0, 1), (3, 4), (6, 0.2), (10, 1)])
        clip.timing.freezes = [Clip.Freeze(at: seconds(4), for: seconds(1.5))]
        clip.timing.isPingPong = true
        for isReversed in [false, true] {
            clip.isReversed = isReversed
            let before = try plan(Draft([clip]))
            #expect(before.segments.count > 10)
            let after = try plan(Draft([.sound(7, 1.0), clip]))
            #expect(Set(before.keys).subtracting(after.keys).count <= 1, "the part at the seam")
        }
    }

    @Test func `a trim at the end renders what it changes`() throws {
        var clip = Self.ramp(0, 10, [(0, 1), (3, 4), (6, 0.2), (9, 1)])
        let before = try plan(Draft([clip]))
        clip.content = .media(range: range(0, 9.5))
        let after = try plan(Draft([clip]))
        #expect(before.segments.count > 5)
        #expect(Set(after.keys).subtracting(before.keys).count <= 1)
    }

    @Test func `the passes of a loop are rendered once`() throws {
        var clip = Clip.sound(1, 2)
        clip.timing.loop = 50
        var found = try plan(Draft([clip]))
        #expect(found.segments.count >= 49 && Set(found.keys).count <= 4, "\(Set(found.keys).count)")
        // A long stop is cut, too.
        clip.timing = Clip.Timing()
        clip.timing.freezes = [Clip.Freeze(at: seconds(1), for: seconds(60))]
        found = try plan(Draft([clip]))
        #expect(found.segments.count >= 30 && Set(found.keys).count <= 6, "\(Set(found.keys).count)")
    }

    @Test func `a slice takes only the pieces that it needs`() throws {
        var clip = Clip.sound(0, 0.1)
        clip.timing.loop = 10_000
        clip.timing.isPingPong = true
        let many = try plan(Draft([clip]))
        #expect(many.composition.frameCount == 30_000 && many.composition.instructions.count == 1)
        for index in [0, 100, many.segments.count - 1] {
            let job = try #require(many.segmentJob(index, output: ""))
            #expect(try #require(job.slice.clips[0].time).pieces.count <= 40)
            #expect(try JSONEncoder().encode(job).count < 20_000)
        }
        #expect(Set(many.keys).count < 20)
        // One span for each pass.
        #expect(many.composition.sound.count == 10_000)
    }

    /// What holds of the main track's clips holds of layers.
    @Test func `a slice takes only the pieces of a layer that it needs`() throws {
        var clip = Clip.sound(0, 0.1)
        clip.timing.loop = 10_000
        clip.timing.frames = .blend
        let many = try plan(Draft([.photo(1000)], effects: [Effect(.layer(Layer(clip)))]))
        for index in [0, 100, many.segments.count - 1] {
            let job = try #require(many.segmentJob(index, output: ""))
            let layer = try #require(job.slice.clips.first { $0.time != nil })
            #expect(try #require(layer.time).pieces.count <= 40)
            #expect(try JSONEncoder().encode(job).count < 20_000)
        }
        #expect(Set(many.keys).count < 20, "\(Set(many.keys).count)")
    }

    @Test func `where mixing ends is known near the end, in layers too`() throws {
        var clip = Clip.sound(0, 8)
        clip.timing.frames = .blend
        clip.speed = Rational(1, 2)
        for draft in [Draft([clip]), Draft([.photo(16)], effects: [Effect(.layer(Layer(clip)))])] {
            let whole = try plan(draft).composition
            let (early, late) = (Slice(whole, frames: 0..<30), Slice(whole, frames: 450..<480))
            #expect(early.clips.allSatisfy { $0.mixedUntil == nil })
            #expect(late.clips.contains { $0.mixedUntil == seconds(8) })
        }
    }

    @Test func `slices show what the whole does`() throws {
        let seed = Seed.announced(for: "slices of timed clips", cases: 60)
        for index in 0..<60 {
            var random = SplitMix64.forCase(index, of: seed)
            var clips = (0..<3).map { _ in
                Self.ramp(
                    Double.random(in: 0...5, using: &random), Double.random(in: 1...5, using: &random),
                    [(Double.random(in: 0...1, using: &random), 1), (2, Double.random(in: 0.05...20, using: &random))])
            }
            clips[1].timing.speed = random.chance(1, in: 2) ? nil : clips[1].timing.speed
            for number in clips.indices {
                clips[number].isReversed = random.chance(1, in: 3)
                clips[number].timing.isPingPong = random.chance(1, in: 3)
                clips[number].timing.loop = random.chance(1, in: 3) ? 3 : nil
                if random.chance(1, in: 2) {
                    clips[number].timing.freezes = [Clip.Freeze(at: seconds(0.5), for: seconds(0.7))]
                }
            }
            clips[1].transition = Transition(duration: seconds(0.03))
            var draft = Draft(clips)
            if random.chance(1, in: 2) {
                draft.effects = [
                    Effect(.speed(Rational(3, 2)), range: range(0.5, 1)), Effect(.repeat(2), range: range(0.2, 1)),
                ]
            }
            guard draft.validate(RandomDraft.catalog).isEmpty else { continue }
            let whole = try plan(draft).composition
            for frames in whole.segmentFrames() {
                let slice = Slice(whole, frames: frames)
                for frame in 0..<slice.frameCount {
                    let wanted = try Self.shown(whole, frames.lowerBound + frame)
                    let found = try #require(slice.instruction(at: frame)).clips.map {
                        slice.clips[$0.clip].picture($0.content, at: Time(middleOfFrame: frame, rate: slice.frameRate))
                    }
                    try #require(found == wanted, "frame \(frames.lowerBound + frame), case \(index)")
                }
            }
        }
    }

    private static func shown(_ whole: Composition, _ frame: Int) throws -> [ClipTime.Moment?] {
        let middle = Time(middleOfFrame: frame, rate: whole.frameRate)
        let use = try #require(
            whole.instructions.first { $0.range.contains(middle) } ?? whole.instructions.last)
        return use.clips.map { whole.clips[$0.clip].picture($0.content, at: middle) }
    }

    @Test func `sound runs through a curve in one span, and is silent in a stop`() throws {
        var clip = Self.ramp(0, 6, [(0, 1), (3, 4)])
        clip.timing.freezes = [Clip.Freeze(at: seconds(5), for: seconds(2))]
        let sound = try plan(Draft([clip])).composition.sound
        #expect(sound.count == 2 && sound[0].voice == sound[1].voice)
        let tempo = try #require(sound[0].tempo)
        #expect(tempo.count > 10 && sound[1].tempo == nil && sound[1].map.speed == Rational(4))
        #expect(sound[1].map.timeline.start - sound[0].map.timeline.end == seconds(2))
        #expect(sound[0].gain.edges?.end == sound[0].map.timeline.end && sound[0].gain.edges?.start == nil)
        #expect(sound[1].gain.edges?.start == sound[1].map.timeline.start && sound[1].gain.edges?.end == nil)
    }

    @Test func `at its own speed a turn is no break`() throws {
        var clip = Clip.sound(0, 3)
        clip.timing.isPingPong = true
        #expect(try plan(Draft([clip])).composition.sound.allSatisfy { $0.gain.edges == nil })
        clip.speed = Rational(2)
        #expect(try plan(Draft([clip])).composition.sound.map { $0.gain.edges != nil } == [true, true])
    }
}
