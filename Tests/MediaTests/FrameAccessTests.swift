import Foundation
import Media
import TestSupport
import Testing
import Values

/// The rule *the last frame whose presentation time is ≤ t*, over containers, codecs and ways of
/// reading.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct FrameAccessTests {
    let lab: Lab

    init() throws { lab = try Lab() }

    struct Material: CustomTestStringConvertible, Sendable {
        var name: String
        var rate = "30"
        var count = 90
        var arguments: [String]
        var testDescription: String { name }
    }

    static let materials = [
        Material(name: "b-frames.mp4", arguments: ["-c:v", "libx264", "-g", "24", "-bf", "3"]),
        Material(
            name: "open-gop.mp4",
            arguments: [
                "-c:v", "libx264", "-x264-params", "open-gop=1:keyint=20:min-keyint=20:bframes=3:b-adapt=0:scenecut=0",
            ]),
        Material(
            name: "open-gop-hevc.mp4",
            arguments: ["-c:v", "libx265", "-x265-params", "open-gop=1:keyint=20:min-keyint=20:log-level=none"]),
        Material(
            name: "vfr.mp4",
            arguments: [
                "-vf", "setpts='(N+floor(N/3)*2+mod(N*7\\,5)*0.17)/30/TB'", "-fps_mode", "vfr",
                "-video_track_timescale",
                "90000", "-c:v", "libx264", "-g", "15",
            ]),
        // Seeks hurry over frames on which no other leans: over many of them, and where the one
        // that is shown is far back.
        Material(name: "long-gop.mp4", count: 200, arguments: ["-c:v", "libx264", "-g", "200", "-bf", "3"]),
        Material(
            name: "slow.mp4", count: 60,
            arguments: [
                "-vf", "setpts='(N+floor(N/4)*31)/30/TB'", "-fps_mode", "vfr", "-video_track_timescale", "90000",
                "-c:v",
                "libx264", "-g", "60", "-bf", "3", "-b_strategy", "0",
            ]),
        Material(
            name: "fields.ts", rate: "25", count: 60,
            arguments: ["-c:v", "libx264", "-g", "60", "-bf", "3", "-flags", "+ilme+ildct"]),
        Material(
            name: "film.webm", rate: "24000/1001", arguments: ["-c:v", "libvpx", "-g", "30", "-deadline", "realtime"]),
        Material(name: "film.mkv", rate: "24000/1001", arguments: ["-c:v", "libx264", "-g", "30"]),
        Material(name: "stream.ts", rate: "25", arguments: ["-c:v", "libx264", "-g", "25"]),
        Material(name: "old.avi", rate: "25", arguments: ["-c:v", "mpeg4", "-g", "12", "-bf", "2", "-q:v", "2"]),
        Material(name: "raw.h264", rate: "25", count: 40, arguments: ["-c:v", "libx264", "-g", "12", "-bf", "0"]),
        Material(name: "short-moving.gif", rate: "10", count: 20, arguments: []),
    ]

    /// Presentation times of the frames in source time, by ffprobe's decoder.
    static func times(_ path: String) throws -> (times: [Time], tolerance: Time) {
        let base = try Lab.entries(path, "-select_streams", "v", "-show_entries", "stream=time_base")[0].split(
            separator: "/"
        )
        .compactMap { Int64($0) }
        let stamps = try Lab.entries(path, "-select_streams", "v", "-show_entries", "frame=best_effort_timestamp")
        // Frames without a timestamp follow at the 25 per second of the materials that have such.
        let ticks = stamps.reduce(into: [Int64]()) {
            $0.append(Int64($1) ?? ($0.last ?? -base[1] / base[0] / 25) + base[1] / base[0] / 25)
        }
        let first = ticks.min() ?? 0
        return (
            ticks.map { Time(value: $0 - first, timeBase: base[0], base[1]) },
            min(
                Time(flicks: Time(value: 1, timeBase: base[0], base[1]).flicks / 2),
                Time(flicks: Time.flicksPerSecond / 2000))
        )
    }

    func open(_ material: Material) throws -> (source: VideoReader, expected: (Time) -> Int, end: Time) {
        let path = try lab.numbered(material.name, rate: material.rate, count: material.count, material.arguments)
        let (times, tolerance) = try Self.times(path)
        #expect(times.count == material.count)
        let info = try Probe.probe(path: path)
        let source = try VideoReader(path: path, info: info)
        return (source, { time in times.lastIndex { $0 <= time + tolerance } ?? 0 }, times.last ?? .zero)
    }

    /// Frames that lean on another group, times of their own, fields, no times at all; MP4 in HEVC
    /// and H.264, MPEG-TS, WebM, a bare stream.
    private static let usualMaterials = [2, 3, 6, 7, 11].map { materials[$0] }

    /// The other materials.
    @Suite struct Sweep {
        @Test(arguments: materials) func everyWayOfReading(_ material: Material) throws {
            try FrameAccessTests().everyWayOfReading(material)
        }
    }

    @Test(arguments: usualMaterials) func everyWayOfReading(_ material: Material) throws {
        let (source, expected, end) = try open(material)
        let converter = CanvasConverter(width: 160, height: 32, mode: .stretch)
        func shown(_ time: Time) throws -> Int {
            Numbered.read(try converter.convert(try source.picture(at: time), info: try #require(source.info.video)))
        }
        // Forward at three rates: slower, equal, faster.
        for rate in [Rational(12), Rational(material.rate)!, Rational(60)] {
            for index in 0..<end.frameCount(rate: rate) {
                let time = Time(frame: index, rate: rate)
                #expect(try shown(time) == expected(time), "forward at \(rate), \(time)")
            }
        }
        // Backwards.
        for index in stride(from: end.frameCount(rate: Rational(9)), through: 0, by: -1) {
            let time = Time(frame: index, rate: Rational(9))
            #expect(try shown(time) == expected(time), "backwards, \(time)")
        }
        // Anywhere, also outside.
        let seed = Seed.announced(for: "frames of \(material.name)", cases: 40)
        var generator = SplitMix64(seed: seed)
        for _ in 0..<40 {
            let time = Time(
                flicks: Int64.random(in: -Time.flicksPerSecond...(end.flicks + Time.flicksPerSecond), using: &generator)
            )
            #expect(try shown(time) == expected(time), "random under seed \(seed), \(time)")
        }
    }

    @Test func equalRatesShowEveryFrameOnceInMilliseconds() throws {
        let path = try lab.numbered(
            "judder.webm", rate: "24000/1001", count: 120, ["-c:v", "libvpx", "-deadline", "realtime"])
        let source = try VideoReader(path: path, info: try Probe.probe(path: path))
        let shown = try (0..<120).map {
            Numbered.read(try source.picture(at: Time(frame: $0, rate: Rational(24000, 1001))))
        }
        #expect(shown == Array(0..<120))
    }

    static let openGroups = "open-gop=1:keyint=12:min-keyint=12:bframes=4:b-adapt=0:scenecut=0"

    /// Frames that lean on a key frame's group before it (open groups) must not be taken from a
    /// decoder that began there.
    @Test(arguments: [
        ["open264.mp4", "-c:v", "libx264", "-x264-params", openGroups],
        ["open264.mkv", "-c:v", "libx264", "-x264-params", openGroups],
        [
            "open265.mp4", "-c:v", "libx265", "-x265-params",
            "open-gop=1:keyint=12:min-keyint=12:bframes=4:log-level=none",
        ],
        ["mpeg2.ts", "-c:v", "mpeg2video", "-g", "12", "-bf", "2", "-q:v", "3"],
    ]) func anyWayThereShowsTheSamePixels(_ material: [String]) throws {
        let path = lab.path(material[0])
        try FFmpeg.make(
            ["-f", "lavfi", "-i", "testsrc2=s=160x96:r=30:d=2", "-pix_fmt", "yuv420p"] + material.dropFirst(), at: path)
        let info = try Probe.probe(path: path)
        let forward = try VideoReader(path: path, info: info)
        let frames = try (0..<60).map { try forward.picture(at: Time(frame: $0, rate: Rational(30))).packed }
        #expect(Set(frames).count > 50)
        let seed = Seed.announced(for: "pixels of \(material[0])", cases: 60)
        var generator = SplitMix64(seed: seed)
        let source = try VideoReader(path: path, info: info)
        for index in (0..<60).shuffled(using: &generator) {
            #expect(
                try source.picture(at: Time(frame: index, rate: Rational(30))).packed == frames[index], "frame \(index)"
            )
        }
    }

    @Test func theSameFrameIsTheSameObject() throws {
        let path = try lab.numbered("same.mp4", rate: "10", count: 10, ["-c:v", "libx264"])
        let source = try VideoReader(path: path, info: try Probe.probe(path: path))
        let first = try source.picture(at: Time(frame: 3, rate: Rational(10)))
        #expect(try source.picture(at: Time(frame: 7, rate: Rational(20))) === first)
        #expect(try source.picture(at: Time(frame: 8, rate: Rational(20))) !== first)
    }

    @Test func soundBeforePictureKeepsTheirOffset() throws {
        let path = try lab.make(
            "late-picture.mkv", "-f", "lavfi", "-i", "sine=d=2", "-itsoffset", "0.5", "-f", "lavfi", "-i",
            "testsrc=s=64x64:d=1:r=10", "-map", "0", "-map", "1",
            "-c:v", "libx264", "-c:a", "pcm_s16le")
        let info = try Probe.probe(path: path)
        #expect(info.video?.start == Time(seconds: 0.5))
        #expect(info.video?.duration == Time(seconds: 1.5))
        #expect(info.audio?.start == .zero)
        let source = try VideoReader(path: path, info: info)
        #expect(try source.picture(at: .zero).time == Time(seconds: 0.5))
        #expect(try source.picture(at: Time(seconds: 0.75)!).time == Time(seconds: 0.7))
    }

    @Test func damagedPacketsCostTheirFramesOnly() throws {
        let path = try lab.numbered("damaged.mp4", rate: "30", count: 90, ["-c:v", "libx264", "-g", "10", "-bf", "0"])
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        var generator = SplitMix64(seed: Seed.announced(for: "damaged packets", cases: 1))
        for range in try Lab.packetRanges(path)[20..<40] {
            for offset in range { bytes[offset] = UInt8.random(in: 0...255, using: &generator) }
        }
        try bytes.write(to: URL(fileURLWithPath: path))
        let source = try VideoReader(path: path, info: try Probe.probe(path: path))
        for index in 0..<90 { _ = try source.picture(at: Time(frame: index, rate: Rational(30))) }
        #expect(Numbered.read(try source.picture(at: Time(frame: 5, rate: Rational(30)))) == 5)
        #expect(Numbered.read(try source.picture(at: Time(frame: 75, rate: Rational(30)))) == 75)
    }

    @Test func nothingDecodableIsAnError() throws {
        let path = try lab.numbered("noise.mp4", rate: "30", count: 30, ["-c:v", "libx264"])
        let info = try Probe.probe(path: path)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        for range in try Lab.packetRanges(path) { for offset in range { bytes[offset] = 0xFF } }
        try bytes.write(to: URL(fileURLWithPath: path))
        let source = try VideoReader(path: path, info: info)
        let error = #expect(throws: MediaError.self) { _ = try source.picture(at: .zero) }
        #expect(error?.code == .decode)
    }

    @Test func aThrowingPulseCancels() throws {
        struct Stop: Error {}
        let path = try lab.numbered("cancel.mp4", rate: "30", count: 60, ["-c:v", "libx264"])
        let info = try Probe.probe(path: path)
        let calls = Counter()
        let source = try VideoReader(path: path, info: info) { _ in
            calls.value += 1
            if calls.value > 12 { throw Stop() }
        }
        let error = #expect(throws: MediaError.self) {
            for index in 0..<60 { _ = try source.picture(at: Time(frame: index, rate: Rational(30))) }
        }
        #expect(error?.code == .cancelled)
        #expect(error?.cause is Stop)
    }
}

final class Counter {
    var value = 0
}
