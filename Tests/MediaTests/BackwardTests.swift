import Foundation
import Media
import TestSupport
import Testing
import Values

/// The rule *the last frame whose presentation time is < t*, backwards and among other ways of
/// reading.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct BackwardTests {
    let lab: Lab

    init() throws { lab = try Lab() }

    /// Bytes of a decoded frame of 160×32, roughly: a window of a few frames, so that it is filled
    /// many times.
    private static let fewFrames = 40_000

    /// Open groups, and times of their own.
    @Test(arguments: [1, 3].map { FrameAccessTests.materials[$0] })
    func everyWayOfReading(_ material: FrameAccessTests.Material) throws {
        let path = try lab.numbered(material.name, rate: material.rate, count: material.count, material.arguments)
        let (times, tolerance) = try FrameAccessTests.times(path)
        let end = try #require(times.last)
        let info = try Probe.probe(path: path)
        let converter = CanvasConverter(width: 160, height: 32, mode: .stretch)
        func before(_ time: Time) -> Int { times.lastIndex { $0 < time - tolerance } ?? 0 }
        func at(_ time: Time) -> Int { times.lastIndex { $0 <= time + tolerance } ?? 0 }
        func number(_ picture: Picture) throws -> Int {
            Numbered.read(try converter.convert(picture, info: try #require(info.video)))
        }
        // Falling, at three rates: slower, equal, faster; and with a window for everything.
        for (rate, budget) in [
            (Rational(12), Self.fewFrames), (Rational(material.rate)!, Self.fewFrames), (Rational(60), 1 << 30),
        ] {
            let source = try VideoReader(path: path, info: info, windowBudget: budget)
            for index in stride(from: end.frameCount(rate: rate) + 2, through: -1, by: -1) {
                let time = Time(frame: index, rate: rate)
                #expect(
                    try number(try source.picture(before: time, playing: .backwards)) == before(time),
                    "at \(rate), \(time)")
            }
        }
        // With the one that follows, both ways, by a reader that has read otherwise before.
        let pairs = try VideoReader(path: path, info: info, windowBudget: Self.fewFrames)
        _ = try pairs.picture(before: end, playing: .backwards)
        for direction in [VideoReader.Direction.backwards, .forwards] {
            let all = Array(-1...end.frameCount(rate: Rational(40)) + 2)
            for index in direction == .forwards ? all : all.reversed() {
                let time = Time(frame: index, rate: Rational(40))
                let (shown, next) = try pairs.pictures(around: time, playing: direction)
                #expect(try number(shown) == before(time), "\(direction), \(time)")
                guard time - tolerance > times[0] else { continue }
                #expect(
                    try next.map(number) == (before(time) + 1 < times.count ? before(time) + 1 : nil),
                    "\(direction), after \(time)")
            }
        }
        // Anywhere, in both directions.
        let seed = Seed.announced(for: "frames of \(material.name) backwards", cases: 60)
        var random = SplitMix64(seed: seed)
        let source = try VideoReader(path: path, info: info, windowBudget: Self.fewFrames)
        var time = end
        for _ in 0..<60 {
            if random.chance(1, in: 3) {
                time = Time(
                    flicks: Int64.random(
                        in: -Time.flicksPerSecond...(end.flicks + Time.flicksPerSecond), using: &random))
            } else {
                time = time - Time(flicks: Int64.random(in: 0...Time.flicksPerSecond / 10, using: &random))
            }
            if random.chance(1, in: 4) {
                #expect(try number(try source.picture(at: time)) == at(time), "seed \(seed), at \(time)")
            } else {
                let direction = random.pick([VideoReader.Direction.backwards, .backwards, .forwards])
                let shown = try number(try source.picture(before: time, playing: direction))
                #expect(shown == before(time), "seed \(seed), \(direction) before \(time)")
            }
        }
    }

    /// Half of the rate shows every second frame, and the same ones both ways, also where a
    /// container rounds times.
    @Test(arguments: ["60", "60000/1001", "48"]) func halfOfTheRate(_ rate: String) throws {
        let path = try lab.numbered("half.webm", rate: rate, count: 120, ["-c:v", "libvpx", "-deadline", "realtime"])
        let info = try Probe.probe(path: path)
        let half = try #require(Rational(rate)) / Rational(2)
        for direction in [VideoReader.Direction.forwards, .backwards] {
            let source = try VideoReader(path: path, info: info)
            let indexes = direction == .forwards ? Array(0..<60) : (0..<60).reversed()
            for index in indexes {
                let picture = try source.picture(before: Time(middleOfFrame: index, rate: half), playing: direction)
                #expect(Numbered.read(picture) == 2 * index, "\(direction), frame \(index)")
            }
        }
    }

    /// Equal rates show every frame once, also where a container rounds times to milliseconds.
    @Test func millisecondsDoNotJudder() throws {
        let path = try lab.numbered(
            "judder.webm", rate: "24000/1001", count: 120, ["-c:v", "libvpx", "-deadline", "realtime"])
        let source = try VideoReader(path: path, info: try Probe.probe(path: path), windowBudget: Self.fewFrames)
        let shown = try (0..<120).map {
            Numbered.read(
                try source.picture(before: Time(frame: 120 - $0, rate: Rational(24000, 1001)), playing: .backwards))
        }
        #expect(shown == Array((0..<120).reversed()))
    }

    private static let files = [
        ["closed.mp4", "-c:v", "libx264", "-g", "250"],
        ["open264.mp4", "-c:v", "libx264", "-x264-params", FrameAccessTests.openGroups],
        ["open264.mkv", "-c:v", "libx264", "-x264-params", FrameAccessTests.openGroups],
        [
            "open265.mp4", "-c:v", "libx265", "-x265-params",
            "open-gop=1:keyint=12:min-keyint=12:bframes=4:log-level=none",
        ],
        ["mpeg2.ts", "-c:v", "mpeg2video", "-g", "12", "-bf", "2", "-q:v", "3"],
        ["vp9.webm", "-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-g", "30"],
    ]

    /// The pixels are those that reading forwards gives, also of frames that lean on the group
    /// before theirs.
    @Test(arguments: files.every(3)) func theSamePixels(_ material: [String]) throws {
        let path = lab.path(material[0])
        try FFmpeg.make(
            ["-f", "lavfi", "-i", "testsrc2=s=160x96:r=30:d=2", "-pix_fmt", "yuv420p"] + material.dropFirst(), at: path)
        let info = try Probe.probe(path: path)
        let forward = try VideoReader(path: path, info: info)
        let frames = try (0..<60).map { try forward.picture(at: Time(frame: $0, rate: Rational(30))).packed }
        #expect(Set(frames).count > 50)
        for budget in [1, 120_000, VideoReader.usualWindowBudget] {
            let source = try VideoReader(path: path, info: info, windowBudget: budget)
            for index in (0..<60).reversed() {
                #expect(
                    try source.picture(before: Time(frame: index + 1, rate: Rational(30)), playing: .backwards).packed
                        == frames[index], "frame \(index)")
            }
        }
    }

    @Test func theSameFrameIsTheSameObject() throws {
        let path = try lab.numbered("same.mp4", rate: "10", count: 10, ["-c:v", "libx264"])
        let source = try VideoReader(path: path, info: try Probe.probe(path: path))
        let last = try source.picture(before: Time(frame: 8, rate: Rational(20)), playing: .backwards)
        #expect(Numbered.read(last) == 3)
        #expect(try source.picture(before: Time(frame: 7, rate: Rational(20)), playing: .backwards) === last)
        #expect(try source.picture(before: Time(frame: 6, rate: Rational(20)), playing: .backwards) !== last)
    }

    /// What decoding ahead costs is bounded: each stretch is decoded half as often as windows fit
    /// into it, not for each frame.
    @Test func aStretchIsDecodedOnceForEachWindow() throws {
        let path = try lab.numbered("long.mp4", rate: "30", count: 120, ["-c:v", "libx264", "-g", "250", "-bf", "0"])
        let pulses = Counter()
        func pulsesFor(budget: Int) throws -> Int {
            let source = try VideoReader(path: path, info: try Probe.probe(path: path), windowBudget: budget) { _ in
                pulses.value += 1
            }
            pulses.value = 0
            for index in (1...120).reversed() {
                _ = try source.picture(before: Time(frame: index, rate: Rational(30)), playing: .backwards)
            }
            return pulses.value
        }
        let once = try pulsesFor(budget: 1 << 30)
        let worst = try pulsesFor(budget: 1)
        #expect(once < 1000)
        // Windows of two frames decode 120 + 118 + … frames.
        #expect(worst > 10 * once && worst < 60 * once, "\(worst) against \(once)")
    }

    /// A frame far behind its key frame takes long, and every packet on the way is progress; that
    /// libav reads is none.
    @Test func everyPacketOnTheWayIsAnAdvance() throws {
        let path = try lab.numbered("far.mp4", rate: "30", count: 120, ["-c:v", "libx264", "-g", "250"])
        let (advances, others) = (Counter(), Counter())
        let source = try VideoReader(path: path, info: try Probe.probe(path: path)) { isAdvance in
            if isAdvance { advances.value += 1 } else { others.value += 1 }
        }
        _ = try source.picture(before: Time(frame: 119, rate: Rational(30)), playing: .forwards)
        #expect(advances.value >= 119 && others.value > 0)
    }

    @Test func aThrowingPulseCancelsWhileItDecodesAhead() throws {
        struct Stop: Error {}
        let path = try lab.numbered("cancel.mp4", rate: "30", count: 200, ["-c:v", "libx264", "-g", "250"])
        let calls = Counter()
        let source = try VideoReader(path: path, info: try Probe.probe(path: path)) { _ in
            calls.value += 1
            if calls.value > 60 { throw Stop() }
        }
        let error = #expect(throws: MediaError.self) {
            _ = try source.picture(before: Time(frame: 200, rate: Rational(30)), playing: .backwards)
        }
        #expect(error?.code == .cancelled && error?.cause is Stop)
    }

    @Test func damagedPacketsCostTheirFramesOnly() throws {
        let path = try lab.numbered("damaged.mp4", rate: "30", count: 90, ["-c:v", "libx264", "-g", "10", "-bf", "0"])
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        for range in try Lab.packetRanges(path)[20..<40] { for offset in range { bytes[offset] = 0xFF } }
        try bytes.write(to: URL(fileURLWithPath: path))
        let source = try VideoReader(path: path, info: try Probe.probe(path: path))
        for index in (0..<90).reversed() {
            let number = Numbered.read(
                try source.picture(before: Time(frame: index + 1, rate: Rational(30)), playing: .backwards))
            if !(20..<41).contains(index) { #expect(number == index) }
        }
    }

    @Test func nothingDecodableIsAnError() throws {
        let path = try lab.numbered("noise.mp4", rate: "30", count: 30, ["-c:v", "libx264"])
        let info = try Probe.probe(path: path)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        for range in try Lab.packetRanges(path) { for offset in range { bytes[offset] = 0xFF } }
        try bytes.write(to: URL(fileURLWithPath: path))
        let source = try VideoReader(path: path, info: info)
        let error = #expect(throws: MediaError.self) {
            _ = try source.picture(before: Time(frame: 20, rate: Rational(30)), playing: .backwards)
        }
        #expect(error?.code == .decode)
    }

    /// The other materials and files.
    @Suite struct Sweep {
        @Test(arguments: FrameAccessTests.materials)
        func everyWayOfReading(_ material: FrameAccessTests.Material) throws {
            try BackwardTests().everyWayOfReading(material)
        }

        @Test(arguments: files) func theSamePixels(_ material: [String]) throws {
            try BackwardTests().theSamePixels(material)
        }
    }
}
