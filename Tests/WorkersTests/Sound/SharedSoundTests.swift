import Draft
import TestSupport
import Testing
import Values

@testable import Composition
@testable import PluginHosting
@testable import Sound
@testable import Workers

/// Several readers of one stream, and filters that are keyed by another.
@Suite(.waits) struct SharedSoundTests {
    /// Sample n is n + 1.
    private final class Counting: SoundStream {
        private(set) var position = 0
        private(set) var isClosed = false

        func read(count: Int, into planes: [UnsafeMutablePointer<Float>]) {
            for plane in planes { for index in 0..<count { plane[index] = Float(position + index + 1) } }
            position += count
        }
        func close() { isClosed = true }
    }

    private func next(_ stream: any SoundStream, _ count: Int) throws -> [Float] {
        let buffer = PlanarBuffer(channels: 2, capacity: count)
        try stream.read(count: count, into: buffer.planes)
        #expect((0..<count).allSatisfy { buffer.planes[0][$0] == buffer.planes[1][$0] })
        return Array(UnsafeBufferPointer(start: buffer.planes[0], count: count))
    }

    @Test func `each reader hears every sample once, in order, at its own pace`() throws {
        let source = Counting()
        let shared = SharedSound(source, channels: 2)
        var random = SplitMix64(seed: 7)
        // One leads the output's block; others are up to 30 000 samples ahead of it.
        var readers = [0, 0, 100].map { (stream: shared.stream(from: $0), position: $0) }
        var output = 0
        while output < 1_000_000 {
            shared.forget(before: output)
            let block = Int.random(in: 1...4096, using: &random)
            for number in readers.indices {
                let ahead = number == 0 ? 0 : Int.random(in: 0...30_000, using: &random)
                let count = output + block + ahead - readers[number].position
                guard count > 0 else { continue }
                let made = try next(readers[number].stream, count)
                let first = readers[number].position
                guard made.first == Float(first + 1), made.last == Float(first + count) else {
                    Issue.record("reader \(number) at \(first) heard \(made.first ?? 0) … \(made.last ?? 0)")
                    return
                }
                readers[number].position += count
            }
            output += block
        }
        // Twice what lies between the slowest and the fastest, and what is not forgotten at once.
        #expect(shared.capacity < 4 * (4096 + 4096 + 30_000) && !source.isClosed)
        readers[0].stream.close()
        #expect(!source.isClosed)
        shared.close()
        #expect(source.isClosed)
    }

    /// The key of a stretch is as long as its input, with silence past the same ends.
    @Test func `a keyed filter hears the other sound at its own times`() throws {
        try TemporaryFolder.with { folder in
            try PluginFixture.build("sound", in: folder)
            var catalog = RandomDraft.catalog
            catalog.effects = PluginRegistry(searchPaths: [folder.path]).descriptors().effects
            var draft = Draft(canvas: Canvas(size: Canvas.Size(width: 64, height: 64), frameRate: Rational(30)))
            draft.clips = [Clip(path: "/m/sound.mp4")]
            (draft.export.audio.sampleRate, draft.export.audio.channels) = (48_000, 2)
            var music = AudioClip(path: "/m/sound.mp4")
            let range = TimeRange(
                start: Time(frame: 4800, rate: Rational(48_000)), duration: Time(frame: 960, rate: Rational(48_000)))
            music.effects = [
                Effect(.sound(PluginEffect(effectID: "test.key", parameters: [:])), range: range)
            ]
            draft.audio = [music]
            let job = try #require(try RenderPlan(draft, catalog: catalog, libraries: "").soundMix)
            let use = try #require(job.processing.voices.last?.filters.first)
            #expect(job.processing.filters[use.filter].plugin.isKeyed == true)
            let shared = SharedSound(Counting(), channels: 2)
            let silent = SharedSound(Counting(), channels: 2).stream(from: 100_000)
            let stream = FilterStream(
                silent, use, from: 0, key: { shared.stream(from: $0) }, job,
                WorkerContext(plugins: LoadedPlugins(breadcrumb: folder.file("b"))))
            let buffer = PlanarBuffer(channels: 2, capacity: 6000)
            try stream.read(count: 6000, into: buffer.planes)
            for index in 0..<6000 {
                let isInside = (4800..<5760).contains(index)
                #expect(buffer.planes[0][index] == Float(isInside ? index + 1 : 100_001 + index))
                let later = index + 5 < 5760 ? Float(index + 6) : 0
                #expect(buffer.planes[1][index] == (isInside ? later : Float(100_001 + index)), "sample \(index)")
            }
        }
    }

    @Test func `a keyed filter is refused on the main track`() throws {
        try TemporaryFolder.with { folder in
            try PluginFixture.build("sound", in: folder)
            var catalog = RandomDraft.catalog
            catalog.effects = PluginRegistry(searchPaths: [folder.path]).descriptors().effects
            let keyed = Effect(.sound(PluginEffect(effectID: "test.key", parameters: [:])))
            var list = Draft(canvas: Canvas(size: Canvas.Size(width: 64, height: 64), frameRate: Rational(30)))
            list.clips = [Clip(path: "/m/sound.mp4")]
            var clip = list
            list.effects = [keyed]
            clip.clips[0].effects = [keyed]
            for draft in [list, clip] {
                let problems = #expect(throws: Problems.self) {
                    try RenderPlan(draft, catalog: catalog, libraries: "")
                }
                #expect("\(problems as Any)".contains("keyed by the sound of the main track"), "\(problems as Any)")
            }
        }
    }
}
