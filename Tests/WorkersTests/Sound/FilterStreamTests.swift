import Draft
import TestSupport
import Testing
import Values

@testable import Composition
@testable import PluginHosting
@testable import Sound
@testable import Workers

/// Audio filters in streams of known samples, sample by sample.
@Suite(.waits) struct FilterStreamTests {
    /// Sample n is n + 1, on the right its negative.
    private final class Counting: SoundStream {
        private var position = 0
        /// Samples that were asked for at a time.
        private(set) var asked: [Int] = []

        func read(count: Int, into planes: [UnsafeMutablePointer<Float>]) {
            asked.append(count)
            for index in 0..<count {
                planes[0][index] = Float(position + index + 1)
                planes[1][index] = -Float(position + index + 1)
            }
            position += count
        }
        func close() {}
    }

    private let folder: TemporaryFolder
    private let catalog: Catalog

    init() throws {
        folder = try TemporaryFolder()
        try PluginFixture.build("sound", in: folder)
        var catalog = RandomDraft.catalog
        catalog.effects = PluginRegistry(searchPaths: [folder.path]).descriptors().effects
        self.catalog = catalog
    }

    private func effect(_ id: String, _ parameters: [String: ParameterValue] = [:], _ range: TimeRange? = nil) -> Effect
    {
        Effect(.sound(PluginEffect(effectID: id, parameters: parameters)), range: range)
    }

    private func seconds(_ value: Double) -> Time { Time(seconds: value) ?? .zero }
    private func range(_ start: Double, _ duration: Double) -> TimeRange {
        TimeRange(start: seconds(start), duration: seconds(duration))
    }

    private func number(_ value: Double) -> ParameterValue { .numbers(.constant(value)) }

    /// Ten seconds of sound under an effect list.
    private func job(_ effects: [Effect], part: TimeRange? = nil) throws -> SoundMix {
        var draft = Draft(canvas: Canvas(size: Canvas.Size(width: 64, height: 64), frameRate: Rational(30)))
        draft.clips = [Clip(path: "/m/sound.mp4")]
        draft.effects = effects
        draft.timeRange = part
        (draft.export.audio.sampleRate, draft.export.audio.channels) = (48_000, 2)
        return try #require(try RenderPlan(draft, catalog: catalog, libraries: "").soundMix)
    }

    /// What the effect list makes of the counting samples.
    /// - Parameter blocks: how many samples are read at a time, in turns.
    private func filtered(
        _ effects: [Effect], part: TimeRange? = nil, _ count: Int = 48_000, blocks: [Int] = [4096]
    ) throws -> (left: [Float], right: [Float]) {
        let job = try job(effects, part: part)
        let worker = WorkerContext(plugins: LoadedPlugins(breadcrumb: folder.file("breadcrumb")))
        var stream: any SoundStream = Counting()
        for use in job.processing.main { stream = FilterStream(stream, use, from: 0, job, worker) }
        let buffer = PlanarBuffer(channels: 2, capacity: count)
        var (done, turn) = (0, 0)
        while done < count {
            let part = min(count - done, blocks[turn % blocks.count])
            try stream.read(count: part, into: buffer.planes(from: done))
            done += part
            turn += 1
        }
        let sides = buffer.planes.map { Array(UnsafeBufferPointer(start: $0, count: count)) }
        return (sides[0], sides[1])
    }

    @Test func `a range begins and ends at its sample`() throws {
        // 0.1 s is sample 4800; 0.50001 s is 24000.48, which rounds down.
        let heard = try filtered([
            effect("test.gain", ["gain": number(0)], TimeRange(from: seconds(0.1), to: seconds(0.50001)))
        ])
        for (index, sample) in heard.left.enumerated() {
            let wanted = (4800..<24_000).contains(index) ? 0 : Float(index + 1)
            guard sample == wanted else {
                Issue.record("sample \(index) is \(sample)")
                return
            }
        }
        #expect(zip(heard.left, heard.right).allSatisfy { $0 == -$1 })
    }

    @Test func `block sizes change no sample`() throws {
        let keys = Animated.keyframes([Keyframe(time: .zero, value: [0]), Keyframe(time: seconds(0.5), value: [3])])
        let effects = [
            effect("test.check", ["gain": .numbers(keys)], range(0.1, 0.5)),
            effect("test.average", [:], range(0.2, 0.7)),
            effect("test.sum", [:], range(0.05, 0.3)),
            effect("test.report", ["value": .numbers(keys), "field": number(6)], range(0.4, 0.01)),
        ]
        let whole = try filtered(effects)
        for blocks in [[1, 2, 3, 255, 256, 257], [4096, 17], [48_000]] {
            let other = try filtered(effects, blocks: blocks)
            #expect(other.left == whole.left && other.right == whole.right, "\(blocks)")
        }
    }

    @Test func `a window sees its neighbours, and silence past the ends`() throws {
        let heard = try filtered([effect("test.average", [:], range(0.1, 0.02))])
        for index in 4800..<5760 {
            let before = index - 3 < 4800 ? 0 : Float(index - 3 + 1)
            let after = index + 5 >= 5760 ? 0 : Float(index + 5 + 1)
            #expect(heard.left[index] == 100 * before + after, "sample \(index)")
        }
        #expect(heard.left[4799] == 4800 && heard.left[5760] == 5761)
    }

    @Test func `values are those at the start of each block of 256 samples`() throws {
        let keys = Animated.keyframes([Keyframe(time: .zero, value: [0]), Keyframe(time: seconds(1), value: [48_000])])
        let heard = try filtered([
            effect("test.report", ["value": .numbers(keys), "field": number(6)], range(0.5, 0.25))
        ])
        // 24000 = 93 · 256 + 192: the first block has 64 samples.
        for index in 24_000..<36_000 {
            let block = max(24_000, index / 256 * 256)
            #expect(
                abs(heard.right[index] - Float(block - 24_000)) < 0.01 && heard.left[index] == Float(block - 24_000))
        }
    }

    @Test func `the clock's fields say where the block is`() throws {
        func field(_ number: Double) throws -> [Float] {
            try filtered([effect("test.report", ["field": self.number(number)], range(0.5, 0.25))], 36_000).right
        }
        #expect(try field(0)[24_064] == 64 / 48_000, "time")
        #expect(try field(1)[30_000] == Float((29_952 - 24_000) / 12_000.0), "progress")
        #expect(try field(3)[24_000] == 0.25, "duration")
        #expect(try field(5)[24_100] == 24_064, "the output's index")
        #expect(try field(8)[24_000] == 0.5, "the timeline's time")
        let (flags, calls) = (try field(2), try field(7))
        #expect(flags[24_000] == 1 && flags[24_063] == 1 && flags[24_064...].prefix(11_000).allSatisfy { $0 == 0 })
        #expect(calls[24_000] == 0 && calls[35_999] == 47)
        let (seeds, again) = (try field(4), try field(4))
        #expect(Set(seeds[24_000...]).count > 40 && seeds == again)
    }

    @Test func `each pass of a repeat is a run of its own`() throws {
        // The filter's range is the last tenth of what repeats; the sum begins anew in each pass.
        let heard = try filtered([
            effect("test.sum", [:], range(0.2, 0.1)), Effect(.repeat(3), range: range(0.2, 0.1)),
        ])
        for start in [9600, 14_400, 19_200] {
            #expect(heard.left[start] == Float(start + 1))
            #expect(heard.left[start + 1] == Float(2 * start + 3))
        }
        #expect(heard.left[24_000] == 24_001)
        let check = try filtered([
            effect("test.check", ["gain": number(2)], range(0.15, 0.1)), Effect(.repeat(3), range: range(0.2, 0.1)),
        ])
        let loud = check.left.indices.filter { check.left[$0] == 2 * Float($0 + 1) }
        // 0.15–0.25 in the first pass; 0.2–0.25 of the source at 0.3–0.35 and 0.4–0.45.
        #expect(loud == Array(7200..<12_000) + Array(14_400..<16_800) + Array(19_200..<21_600))
    }

    @Test func `under a later speed effect a range is shorter and its clock faster`() throws {
        let list = [
            effect("test.report", ["field": number(0)], range(0.2, 0.4)),
            Effect(.speed(Rational(2)), range: range(0.1, 0.4)),
        ]
        let heard = try filtered(list)
        // 0.2–0.5 s at double speed, then 0.1 s as it is: 0.15–0.4 s, one run.
        #expect(heard.left[7199] == 7200 && heard.left[19_200] == 19_201)
        #expect(heard.left[7200] == 0 && heard.right[7424] == Float(2 * 224) / 48_000)
        #expect(abs(heard.right[19_199] - Float(0.4 - 127 / 48_000.0)) < 0.003)
        _ = try filtered([
            effect("test.check", [:], range(0.2, 0.4)), Effect(.speed(Rational(2)), range: range(0.1, 0.4)),
        ])
    }

    @Test func `in a part of the timeline the clock has been running`() throws {
        let heard = try filtered([effect("test.report", ["field": number(0)], range(1, 4))], part: range(2, 1), 4096)
        #expect(heard.left[0] == 48_000 && heard.right[0] == 1)
    }

    @Test func `what passes goes on as it is`() throws {
        let heard = try filtered([effect("test.pass")])
        #expect(heard.left == (1...48_000).map(Float.init))
    }

    @Test func `a filter's error names it and the time`() throws {
        for (fault, text) in [("error", "the tape is torn"), ("nan", "not a number"), ("infinity", "infinite")] {
            let error = #expect(throws: PluginError.self) {
                try filtered([effect("test.fault", ["fault": .text(fault), "at": number(0.5)])])
            }
            #expect(error?.description.contains("test.fault of plugin ‘Fixture’") == true)
            #expect(
                error?.description.contains("at 0.49") == true && error?.description.contains(text) == true,
                "\(error?.description ?? "")")
        }
    }

    @Test func `samples that are no numbers do not reach a filter`() throws {
        final class Broken: SoundStream {
            func read(count: Int, into planes: [UnsafeMutablePointer<Float>]) {
                for plane in planes { for index in 0..<count { plane[index] = index % 2 == 0 ? .nan : .infinity } }
            }
            func close() {}
        }
        let job = try job([effect("test.sum")])
        let stream = FilterStream(
            Broken(), job.processing.main[0], from: 0, job,
            WorkerContext(plugins: LoadedPlugins(breadcrumb: folder.file("b")))
        )
        let buffer = PlanarBuffer(channels: 2, capacity: 1000)
        try stream.read(count: 1000, into: buffer.planes)
        #expect((0..<1000).allSatisfy { buffer.planes[0][$0] == 0 })
    }

    @Test func `finite is finite, however large`() {
        let block = SoundBlock(channels: 2, capacity: 100)
        for index in 0..<100 { block.planes(from: 0)[1][index] = .greatestFiniteMagnitude }
        #expect(block.isFinite(from: 0, count: 100))
        for bad in [Float.nan, .infinity, -.infinity] {
            block.planes(from: 0)[1][60] = bad
            #expect(!block.isFinite(from: 10, count: 90) && block.isFinite(from: 61, count: 39))
        }
    }
}
