import Draft
import Jobs
import TestSupport
import Testing
import Values

@testable import Composition

/// Where the sound is cut into runs, and what an edit leaves as it is.
@Suite struct SoundRunTests {
    /// Files that are long enough for several runs.
    private static let catalog: Catalog = {
        var catalog = RandomDraft.catalog
        for (path, entry) in catalog.media {
            guard case .found(var info) = entry, info.audio != nil else { continue }
            info.audio?.duration = seconds(600)
            info.audioTracks = info.audioTracks.map { track in
                var track = track
                track.duration = seconds(600)
                return track
            }
            info.video?.duration = seconds(600)
            catalog.media[path] = .found(info)
        }
        return catalog
    }()

    private func music(_ at: Double, _ start: Double, _ duration: Double) -> AudioClip {
        var clip = AudioClip(path: "/m/music.m4a", startTime: seconds(at))
        clip.range = range(start, duration)
        return clip
    }

    /// A silent picture of ten minutes, with sound over it.
    private func plan(_ audio: [AudioClip], effects: [Effect] = []) throws -> RenderPlan {
        var draft = Draft([Clip(path: "/m/photo.jpg", content: .image(duration: seconds(600)))], effects: effects)
        draft.audio = audio
        return try CompositionTests.plan(draft, Self.catalog)
    }

    /// From where to where runs go, in seconds.
    private func times(_ plan: RenderPlan) -> [[Double]] {
        let rate = Double(plan.audio?.sampleRate ?? 1)
        return plan.runs.map { run in
            [Double(run.firstSample) / rate, Double(run.firstSample + run.sampleCount) / rate]
        }
    }

    @Test func `cuts lie at marks of what is played`() throws {
        #expect(try times(plan([music(0, 0, 100)])) == [[0, 20], [20, 40], [40, 60], [60, 80], [80, 100]])
        // The source's marks, wherever they come.
        #expect(try times(plan([music(1, 5, 50)])) == [[1, 16], [16, 36], [36, 51]])
    }

    @Test func `silence lies between runs, and a short one does not count`() throws {
        let plan = try plan([music(1, 3, 2), music(3.3, 3, 2), music(10, 3, 2), music(20, 3, 2)])
        #expect(times(plan) == [[1, 5.3], [10, 12], [20, 22]])
        #expect(plan.runs.map(\.twin) == [nil, nil, 1])
        #expect(try times(self.plan([])).isEmpty)
    }

    @Test func `what carries state is not cut`() throws {
        var fast = music(0, 0, 125)
        fast.speed = Rational(5, 4)
        #expect(try times(plan([fast])) == [[0, 100]])
        var filtered = music(0, 0, 100)
        filtered.effects = [.sound("org.test.echo", range(30, 40))]
        #expect(try times(plan([filtered])) == [[0, 20], [20, 80], [80, 100]])
        // A filter over everything acts where nothing else is heard, too.
        #expect(try times(plan([music(0, 0, 100)], effects: [.sound("org.test.echo")])) == [[0, 600]])
    }

    /// A filter that may be cut, among those of the catalog.
    private func catalog(_ state: EffectDescriptor.State, warmUp: Int = 0, reach: Int = 0) -> Catalog {
        var catalog = Self.catalog
        var filter = catalog.effects.first { $0.id == "org.test.echo" }!
        (filter.id, filter.state, filter.warmUp) = ("org.test.elastic", state, warmUp)
        (filter.reachBefore, filter.reachAfter) = (reach, reach)
        catalog.effects.append(filter)
        return catalog
    }

    @Test func `a filter without state is cut, and one that is warmed up hears more`() throws {
        func made(_ catalog: Catalog) throws -> RenderPlan {
            var draft = Draft([Clip(path: "/m/photo.jpg", content: .image(duration: seconds(100)))])
            draft.audio = [music(0, 0, 100)]
            draft.audio[0].effects = [.sound("org.test.elastic")]
            return try CompositionTests.plan(draft, catalog)
        }
        let rate = try #require(try made(catalog(.pure)).audio?.sampleRate)
        let cut = [[0, 20], [20, 40], [40, 60], [60, 80], [80, 100.0]]
        #expect(try times(made(catalog(.sequential))) == [[0, 100]])
        // Too much for what a cut saves.
        #expect(try times(made(catalog(.warmUp, warmUp: 6 * rate))) == [[0, 100]])
        let most = [(0, 0), (0, 300), (1000, 0), (1000, 300)]
        for (warmUp, reach) in most {
            let plan = try made(catalog(warmUp == 0 ? .pure : .warmUp, warmUp: warmUp, reach: reach))
            #expect(times(plan) == cut)
            let mix = try #require(plan.mixJob(2, output: "")?.mix)
            #expect((mix.leadSamples ?? 0) >= warmUp + reach, "\(warmUp) and \(reach): \(mix.leadSamples ?? 0)")
            #expect((mix.leadSamples ?? 0) < warmUp + reach + 2 * SoundMix.filterGrid)
            let end = try #require(mix.spans.map(\.map.timeline.end).max())
            #expect(end >= Time(frame: mix.firstSample + mix.sampleCount + reach, rate: Rational(Int64(rate))))
        }
    }

    /// Its decoder would begin anew with each run.
    @Test func `a file that is decoded from its start is in one run`() throws {
        var catalog = Self.catalog
        guard case .found(var info)? = catalog.media["/m/music.m4a"] else {
            Issue.record("there is no music")
            return
        }
        info.audio?.startsOver = true
        info.audioTracks = info.audioTracks.map { track in
            var track = track
            track.startsOver = true
            return track
        }
        catalog.media["/m/music.m4a"] = .found(info)
        var draft = Draft([Clip(path: "/m/photo.jpg", content: .image(duration: seconds(200)))])
        draft.audio = [music(20, 300, 10), music(60, 100, 30)]
        #expect(try times(CompositionTests.plan(draft, catalog)) == [[20, 90]])
        var other = AudioClip(path: "/m/sound.mp4", startTime: seconds(0))
        other.range = range(0, 120)
        draft.audio.append(other)
        #expect(try times(CompositionTests.plan(draft, catalog)) == [[0, 20], [20, 90], [90, 120]])
    }

    @Test func `a cut keeps clear of state that a filter would hear half of`() throws {
        var draft = Draft([Clip(path: "/m/photo.jpg", content: .image(duration: seconds(100)))])
        var fast = music(40, 0, 25)
        fast.speed = Rational(5, 4)
        draft.audio = [music(0, 0, 100), fast]
        draft.audio[0].effects = [.sound("org.test.elastic")]
        let plan = try CompositionTests.plan(draft, catalog(.warmUp, warmUp: 1000))
        // Neither 40 nor 60 s, at which the stretched sound begins and ends.
        #expect(times(plan) == [[0, 20], [20, 80], [80, 100]])
        // A filter of the stretched sound alone is over there.
        draft.audio[1].effects = draft.audio[0].effects
        draft.audio[0].effects = []
        let cut = try CompositionTests.plan(draft, catalog(.warmUp, warmUp: 1000))
        #expect(times(cut) == [[0, 20], [20, 40], [40, 60], [60, 80], [80, 100]])
        #expect(cut.runs.allSatisfy { cut.mixJob($0.index, output: "")?.mix.leadSamples == nil })
    }

    @Test func `a changed clip changes the runs in which it is heard`() throws {
        func audio(_ volume: Double) -> [AudioClip] {
            var voice = music(50, 300, 4)
            voice.volume = .constant(volume)
            return [music(0, 0, 200), voice]
        }
        let (before, after) = (try plan(audio(1)), try plan(audio(0.5)))
        #expect(times(before) == times(after))
        let changed = zip(before.runs, after.runs).filter { $0.key != $1.key }.map(\.0)
        #expect(changed.count == 1 && before.runs.count >= 8)
        let rate = before.audio?.sampleRate ?? 1
        #expect(changed.allSatisfy { $0.firstSample <= 50 * rate && $0.firstSample + $0.sampleCount >= 54 * rate })
        #expect(before.soundKey != after.soundKey)
    }

    @Test func `a run that moves keeps its key, but for the grid of a gain that changes`() throws {
        let (here, there) = (try plan([music(0, 0, 100)]), try plan([music(7.0123, 0, 100)]))
        #expect(here.runs.map(\.key) == there.runs.map(\.key) && here.soundKey != there.soundKey)
        func faded(_ at: Double) throws -> RenderPlan {
            var clip = music(at, 0, 100)
            clip.fadeIn = seconds(3)
            return try plan([clip])
        }
        let rate = Double(here.audio?.sampleRate ?? 1)
        let (first, moved, off) = (try faded(0), try faded(320 / rate), try faded(330 / rate))
        #expect(first.runs.map(\.key) == moved.runs.map(\.key))
        #expect(first.runs[0].key != off.runs[0].key && first.runs[1].key == off.runs[1].key)
        #expect(here.runs[1].key == first.runs[1].key, "a fade that is over has no say")
    }

    @Test func `a trim leaves the runs behind it as they are`() throws {
        let (whole, trimmed) = (try plan([music(0, 0, 100)]), try plan([music(0, 3, 97)]))
        #expect(whole.runs.dropFirst().map(\.key) == trimmed.runs.dropFirst().map(\.key))
        #expect(whole.runs[0].key != trimmed.runs[0].key)
    }

    @Test func `a draft is cut where its own mix may be, and only what is heard of it counts`() throws {
        func inner(_ last: Double) -> Draft {
            var draft = Draft([Clip(path: "/m/photo.jpg", content: .image(duration: seconds(200)))])
            var clip = music(0, 0, 100)
            clip.effects = [.sound("org.test.echo", range(50, 20))]
            draft.audio = [clip, music(150, last, 10)]
            return draft
        }
        func outer(_ last: Double) throws -> RenderPlan {
            try CompositionTests.plan(Draft([Clip(NestedDraft(inner(last)))]), Self.catalog)
        }
        let (before, after) = (try outer(7), try outer(8))
        let samples = try #require(before.audio?.sampleRate)
        #expect(!before.runs.contains { (50 * samples + 1..<70 * samples).contains($0.firstSample) })
        #expect(before.runs.count > 4)
        let changed = zip(before.runs, after.runs).filter { $0.key != $1.key }.map(\.0)
        #expect(!changed.isEmpty && changed.allSatisfy { $0.firstSample + $0.sampleCount > 150 * samples })
    }

    /// Equal keys are equal mixes, wherever they stand: what a cached run is good for.
    @Test func `runs of one key are one mix`() throws {
        let cases = Seed.cases(300)
        let seed = Seed.announced(for: "SoundRunTests", cases: cases)
        var (twins, runs) = (0, 0)
        for round in 0..<cases {
            var generator = RandomDraft(.forCase(round, of: seed))
            var draft = generator.nesting(depth: generator.random.pick([0, 0, 1]))
            draft.audio += draft.audio.map { clip in
                var clip = clip
                (clip.id, clip.startTime) = (nil, clip.startTime + seconds(3))
                return clip
            }
            guard var plan = try? CompositionTests.plan(draft) else { continue }
            try plan.cutSound(seconds: 0.5)
            var known: [String: SoundMix] = [:]
            var end = 0
            for run in plan.runs {
                #expect(run.firstSample >= end && run.sampleCount > 0, "\(seed), round \(round): \(run)")
                end = run.firstSample + run.sampleCount
                runs += 1
                guard var mix = plan.mixJob(run.index, output: "")?.mix else { continue }
                mix = mix.withoutNames
                #expect(mix.sampleCount == run.sampleCount || plan.runs.count == 1)
                twins += run.twin == nil ? 0 : 1
                if let other = known[run.key] { #expect(mix == other, "\(seed), round \(round): \(run)") }
                known[run.key] = mix
            }
        }
        #expect(cases < 300 || runs > 300 && twins > 0, "\(runs) runs, \(twins) twins")
    }
}
