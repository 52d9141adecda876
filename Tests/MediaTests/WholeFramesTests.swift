import Draft
import TestSupport
import Testing
import Values

@testable import Media

/// A picture of n frames gives n frames to a draft at its rate, however its file rounds times.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct WholeFramesTests {
    let lab: Lab

    init() throws { lab = try Lab() }

    /// Rates as files state them, and what drafts make of them.
    static let rates: [(stated: Rational, nominal: Rational)] =
        [24, 25, 30, 50, 60, 120].map { (Rational($0), Rational($0)) }
        + [24, 30, 60, 120].map { (Rational($0 * 1000, 1001), Rational($0 * 1000, 1001)) }
        + [24, 30, 60, 120].map { (Rational($0 * 999, 1000), Rational($0 * 1000, 1001)) }

    /// Units of time per second: Matroska and FLV, QuickTime's old usual one, RTP, sound, and exact
    /// ones.
    static let units: [Int64] = [600, 1000, 44100, 90_000, 30_000, 2997 * 4, 1_000_000]

    @Test func `lengths are as many frames as were written`() {
        Seed.rounds(20_000, of: "whole frames") { name, random in
            var random = random
            let (stated, nominal) = random.pick(Self.rates)
            let unit = Rational(random.pick(Self.units))
            // Later, decimals have moved the end by so much of a frame that it may be a frame.
            let frames = Int.random(in: 1...(random.chance(1, in: 2) ? 100 : 40_000), using: &random)
            let start = random.chance(1, in: 2) ? Time.zero : Time(flicks: .random(in: 0...1 << 32, using: &random))
            func written(_ time: Time) -> Time { Time(frame: time.rounded(rate: unit), rate: unit) }
            // The time of the last frame and its length are rounded, each by half a tick at most.
            let end = start + written(Time(frame: frames - 1, rate: stated)) + written(Time(frame: 1, rate: stated))
            // Files without a rate have the average, which may be nearer to another usual rate.
            let average = Rational(Int64(frames) * Time.flicksPerSecond, (end - start).flicks)
            let rate = random.chance(1, in: 2) ? stated : average
            let found = Extents.Extent(start: start, end: end).onWholeFrames(at: rate, tick: Time(frame: 1, rate: unit))
            #expect(found.start == start && found.end <= end)
            #expect(rate == average || rate.nominalFrameRate == nominal)
            #expect(
                (found.end - start).frameCount(rate: rate.nominalFrameRate) == frames,
                "\(name): \(frames) frames at \(rate) (\(stated)) from \(start) to \(end), in 1/\(unit) s, end at \(found.end)"
            )
        }
    }

    private static let others: [(Rational, Time, Int64)] = [
        // A last frame that is shown for a tenth or a quarter of its time.
        (Rational(30), Time(flicks: 60 * 23_520_000 + 2_352_000), 90_000),
        (Rational(30), Time(flicks: 60 * 23_520_000 + 5_880_000), 30),
        // A rate that becomes 30 in a draft: 1000/33.
        (Rational(1000, 33), Time(flicks: 60 * 23_520_000 + 1000), 1000),
        // Less than whole frames, and less than half of one.
        (Rational(30), Time(flicks: 60 * 23_520_000 - 1000), 1000),
        (Rational(30), Time(flicks: 1000), 1000),
    ]

    @Test(arguments: others) func `other lengths stay`(rate: Rational, end: Time, unit: Int64) {
        let tick = Time(frame: 1, rate: Rational(unit))
        #expect(Extents.Extent(start: .zero, end: end).onWholeFrames(at: rate, tick: tick).end == end)
    }

    /// Writes one file for each number of frames, in one run of ffmpeg, and checks it.
    private func expectFrames(_ counts: Int..., rate: String, in kind: String, _ arguments: [String] = []) throws {
        let coding = arguments + (kind == "flv" ? ["-c:v", "flv"] : ["-c:v", "mpeg4", "-g", "250"])
        let files = counts.map { lab.path("\($0).\(kind)") }
        var outputs: [String] = []
        for (count, file) in zip(counts, files) { outputs += ["-frames:v", "\(count)"] + coding + [file] }
        try FFmpeg.run(["-f", "lavfi", "-i", "color=red:s=64x64:r=\(rate)"] + outputs)
        for (count, file) in zip(counts, files) {
            let video = try #require(try Probe.probe(path: file).video)
            let nominal = video.frameRate.nominalFrameRate
            #expect(video.duration.frameCount(rate: nominal) == count, "\(count) frames at \(rate), \(kind)")
        }
    }

    @Test func `files of every kind give their number of frames`() throws {
        try expectFrames(60, rate: "2997/100", in: "mp4")
        try expectFrames(400, rate: "24000/1001", in: "mp4", ["-video_track_timescale", "1000"])
        try expectFrames(400, rate: "23976/1000", in: "ts")
        try expectFrames(1999, rate: "30000/1001", in: "mkv")
    }

    @Suite(.waits) struct Sweep {
        static let containers = [
            "mp4", "mov", "mkv", "ts", "avi", "flv", "nut", "600.mp4", "1000.mp4", "44100.mp4", "90000.mp4",
        ]
        static let rates = [
            "24000/1001", "25", "30000/1001", "30", "60000/1001", "60", "23976/1000", "2997/100", "5994/100",
        ]

        @Test(arguments: containers, rates) func `files give their number of frames`(kind: String, rate: String) throws
        {
            let parts = kind.split(separator: ".")
            let scale = parts.count == 2 ? ["-video_track_timescale", String(parts[0])] : []
            // FFmpeg recognises no transport stream of fewer frames.
            try WholeFramesTests().expectFrames(
                7, 30, 60, 61, 400, 1000, 1999, rate: rate, in: String(parts.last ?? ""), scale)
        }
    }
}
