import Draft
import Foundation
import Hashing
import Jobs
import Media
import Messaging
import TestSupport
import Testing
import Values

@testable import Composition
@testable import PluginHosting
@testable import Workers

/// Sound that is mixed in runs equals sound that is mixed whole, bit for bit.
@Suite(.enabled(if: FFmpeg.isPresent, FFmpeg.absence), .waits) struct MixedRunsTests {
    /// Files in the places of those of ``RandomDraft``'s catalog, and filters in the place of its
    /// own.
    private struct Studio {
        let folder: TemporaryFolder
        var catalog: Catalog
        var files: [String: String] = [:]
        /// Without state, also with a window; with a warm-up; with state.
        static let filters = [
            "test.average", "test.gain", "test.reaching", "org.cutroom.gain", "test.recent", "test.sum",
            "org.cutroom.compressor", "org.cutroom.equalizer",
        ]

        init() throws {
            folder = try TemporaryFolder()
            try PluginFixture.build("sound", ["MORE"], in: folder)
            catalog = RandomDraft.catalog
            let shipped = try #require(PluginFixture.shipped("sound"), "libcutroom_plugin_sound.so is not built")
            catalog.effects += PluginRegistry(searchPaths: [folder.path, shipped]).descriptors().effects
            for id in Self.filters + ["test.key", "org.cutroom.ducking"] {
                try #require(catalog.effects.contains { $0.id == id }, "there is no \(id)")
            }
            func noise(_ seconds: Double, _ rate: Int, _ tone: Int) -> [String] {
                [
                    "-f", "lavfi", "-i",
                    "anoisesrc=d=\(seconds):c=pink:r=\(rate):a=0.2:seed=\(tone),"
                        + "aeval=val(0)+0.3*sin(\(tone)*t*6.28)|val(0)*0.5+0.2*sin(\(tone * 2)*t*6.28)",
                ]
            }
            let picture = ["-f", "lavfi", "-i", "testsrc2=s=64x36:r=30:d=10"]
            files["/m/sound.mp4"] = try Footage.made(
                "runs-sound.mov", noise(10.02, 44_100, 220) + picture + ["-c:a", "pcm_s16le", "-c:v", "libx264"])
            files["/m/odd.webm"] = try Footage.made("runs-odd.ogg", noise(3.1, 48_000, 330) + ["-c:a", "libvorbis"])
            files["/m/short.mp4"] = try Footage.made("runs-short.wav", noise(0.5, 32_000, 440) + ["-c:a", "pcm_f32le"])
            files["/m/music.m4a"] = try Footage.made(
                "runs-music.m4a", noise(20, 44_100, 550) + ["-c:a", "aac", "-aac_pns", "0", "-b:a", "128k"])
            for (name, path) in files {
                let sound = try Probe.probe(path: path)
                guard case .found(var info)? = catalog.media[name] else { continue }
                info.audio = sound.audio
                info.audioTracks = sound.audioTracks
                info.identity = sound.identity
                info.format = sound.format
                catalog.media[name] = .found(info)
            }
        }

        /// A random draft, with more of what is heard.
        func draft(_ generator: inout RandomDraft, depth: Int) -> Draft {
            var draft = generator.nesting(depth: depth)
            for number in 0..<Int.random(in: 0...3, using: &generator.random) {
                draft.audio.append(generator.audio(10 + number))
            }
            let last = draft.effects.last?.isPassThrough == true ? draft.effects.count - 1 : draft.effects.count
            for number in 0..<Int.random(in: 0...2, using: &generator.random) {
                let range = generator.random.chance(1, in: 6) ? nil : generator.range(within: 3)
                draft.effects.insert(
                    Effect(.sound(filter(&generator)), range: range, id: "f\(number)"),
                    at: Int.random(in: 0...last, using: &generator.random))
                if generator.random.chance(1, in: 2) {
                    draft.effects.insert(
                        generator.layer(20 + number), at: Int.random(in: 0...last, using: &generator.random))
                }
            }
            if generator.random.chance(1, in: 3) {
                // A filter that may be cut, and acts everywhere.
                let recent = PluginEffect(effectID: generator.random.pick(["test.recent", "test.average"]))
                draft.effects.insert(Effect(.sound(recent), id: "f9"), at: 0)
            }
            for index in draft.clips.indices where draft.clips[index].isMedia {
                if generator.random.chance(1, in: 2) { draft.clips[index].speed = .one }
                if generator.random.chance(1, in: 3) { draft.clips[index].pan = generator.animated(-1...1) }
                if generator.random.chance(1, in: 5) {
                    let range = generator.random.chance(1, in: 3) ? nil : generator.range(within: 1)
                    draft.clips[index].effects.append(
                        Effect(.sound(filter(&generator)), range: range, id: "s\(index)"))
                }
            }
            for index in draft.audio.indices {
                if generator.random.chance(1, in: 2) { draft.audio[index].speed = .one }
                if generator.random.chance(1, in: 3) { draft.audio[index].pan = generator.animated(-1...1) }
                for number in draft.audio[index].effects.indices {
                    draft.audio[index].effects[number].kind = .sound(filter(&generator))
                    guard generator.random.chance(1, in: 3) else { continue }
                    let keyed = generator.random.pick(["test.key", "org.cutroom.ducking"])
                    draft.audio[index].effects[number].kind = .sound(PluginEffect(effectID: keyed))
                    if generator.random.chance(1, in: 2), let id = draft.clips[0].id {
                        draft.audio[index].effects[number].keys = [id]
                    }
                }
            }
            draft.export.audio.sampleRate = generator.random.pick([nil, 48_000, 44_100, 8_000])
            draft.export.audio.channels = generator.random.pick([1, 2])
            return draft
        }

        private func filter(_ generator: inout RandomDraft) -> PluginEffect {
            var filter = PluginEffect(effectID: generator.random.pick(Self.filters))
            if filter.effectID.hasSuffix(".gain") { filter.parameters["gain"] = .numbers(generator.animated(0...4)) }
            return filter
        }

        /// The same with the files' real places.
        func placed(_ mix: SoundMix) -> SoundMix {
            var mix = mix
            mix.mapPaths { path, _ in files[path] ?? path }
            return mix
        }

        func samples(of mix: SoundMix) throws -> [[Float]] {
            let worker = WorkerContext(plugins: LoadedPlugins(breadcrumb: folder.file("breadcrumb")))
            var planes = [[Float]](repeating: [], count: mix.channels)
            try worker.mix(placed(mix)) { blocks, count in
                for (channel, block) in blocks.enumerated() {
                    planes[channel] += UnsafeBufferPointer(start: block, count: count)
                }
            }
            return planes
        }
    }

    @Test func `runs make the samples of the whole mix`() throws { try Self.compare(Seed.cases(10)) }

    /// More drafts.
    @Suite(.enabled(if: FFmpeg.isPresent, FFmpeg.absence), .waits) struct Sweep {
        @Test func `runs make the samples of the whole mix`() throws { try compare(Seed.cases(400)) }
    }

    /// Two voices that may be cut begin, in a run, a few samples before one that may not, so that
    /// their volume is calculated from a point of its grid.
    @Test(arguments: 0..<3) func `voices are added up in one order, wherever a run begins`(_ number: Int) throws {
        let studio = try Studio()
        var draft = Draft(canvas: Canvas(size: Canvas.Size(width: 64, height: 64), frameRate: Rational(30)))
        draft.export.audio.sampleRate = 48_000
        func clip(_ path: String, at start: Double, fading: Bool) -> AudioClip {
            var clip = AudioClip(path: path, startTime: Time(seconds: start) ?? .zero)
            if fading { clip.sound.fadeIn = Time(seconds: 3) ?? .zero }
            return clip
        }
        var clips = [
            clip("/m/music.m4a", at: 0.1, fading: true), clip("/m/sound.mp4", at: 0.2, fading: true),
            clip("/m/music.m4a", at: 0, fading: true),
        ]
        var stretched = clip("/m/short.mp4", at: 0.0571, fading: false)
        stretched.speed = Rational(13, 10)
        stretched.loops = true
        clips.insert(stretched, at: number)
        draft.audio = clips
        draft.clips = [Clip(path: "/m/odd.webm")]
        let mix = try #require(try RenderPlan(draft, catalog: studio.catalog, libraries: "").soundMix)
        let schedule = SoundSchedule(mix)
        let runs = SoundSegmentation(schedule, seconds: 0.4).runs()
        #expect(runs.count { !$0.lowerBound.isMultiple(of: SoundMix.gainGrid) } > 3, "\(runs)")
        let whole = try studio.samples(of: mix)
        for run in runs {
            let made = try studio.samples(of: schedule.part(run))
            for (plane, part) in zip(whole, made) {
                let wrong = TestSound.differences(plane[run], part[...])
                #expect(wrong.isEmpty, "of \(run)")
            }
        }
    }

    private static func compare(_ cases: Int) throws {
        let seed = Seed.announced(for: "MixedRunsTests", cases: cases)
        let studio = try Studio()
        var tries = 0
        var (drafts, cutSpans, filtered, cutFilters, leads) = (0, 0, 0, 0, 0)
        var isCovered: Bool {
            drafts >= cases / 4 && cutSpans >= cases && filtered >= cases / 4 && cutFilters >= cases / 8 && leads > 0
        }
        // Continues until the rare cases have occurred, too.
        for index in 0..<max(2 * cases, 80) where index < cases || cases >= 10 && !isCovered {
            tries += 1
            var generator = RandomDraft(.forCase(index, of: seed))
            let draft = studio.draft(&generator, depth: generator.random.pick([0, 0, 1]))
            guard let plan = try? RenderPlan(draft, catalog: studio.catalog, libraries: ""), let mix = plan.soundMix,
                // Some plugins of the random drafts exist in their catalog alone.
                !"\(mix.libraries)".contains("/plugins/org.test.")
            else { continue }
            drafts += 1
            let schedule = SoundSchedule(mix)
            // Anywhere that is allowed, not only where the plan would cut.
            let places = (0..<12).map { _ in Int.random(in: 0...mix.sampleCount, using: &generator.random) }
            let cuts = Set(places.filter { schedule.stretch(around: $0) == nil }).union([0, mix.sampleCount]).sorted()
            let ranges =
                generator.random.chance(1, in: 2)
                ? zip(cuts, cuts.dropFirst()).map { $0..<$1 }
                : SoundSegmentation(schedule, seconds: 0.4).runs()
            let whole = try studio.samples(of: mix)
            var made = whole.map { [Float](repeating: 0, count: $0.count) }
            for range in ranges where !range.isEmpty {
                let part = schedule.part(range)
                for (channel, plane) in try studio.samples(of: part).enumerated() {
                    made[channel].replaceSubrange(range, with: plane)
                }
                leads += part.leadSamples == nil ? 0 : 1
                cutFilters += schedule.needed(for: range).lowerBound < range.lowerBound ? 1 : 0
                filtered += part.libraries.isEmpty ? 0 : 1
                cutSpans += schedule.voices(in: range).joinedSpans.count { $0.samples.lowerBound < range.lowerBound }
            }
            for (channel, plane) in whole.enumerated() {
                guard made[channel].count == plane.count else {
                    Issue.record(
                        "case \(index) of CUTROOM_SEED=\(seed): \(made[channel].count) samples of \(plane.count)")
                    continue
                }
                let wrong = TestSound.differences(plane, made[channel])
                guard let first = wrong.first else { continue }
                Issue.record(
                    """
                    case \(index) of CUTROOM_SEED=\(seed): \(wrong.count) samples differ, the first at \(first): \
                    \(plane[first]) whole, \(made[channel][first]) in runs \(ranges), whole stretches \(schedule.whole)
                    """)
            }
        }
        guard cases >= 10 else { return }
        #expect(
            isCovered,
            """
            \(drafts) drafts, \(cutSpans) spans cut, \(filtered) runs with filters, \(cutFilters) cut filters, \
            \(leads) leads in \(tries) tries
            """)
    }
}

extension [VoiceSchedule] {
    fileprivate var joinedSpans: [ScheduledSpan] { flatMap(\.spans) }
}
