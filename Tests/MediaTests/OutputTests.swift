import Delivery
import Foundation
import Media
import TestSupport
import Testing
import Values

@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct OutputTests {
    let lab: Lab
    let encoding = VideoEncoding(quality: 23, keyFrameInterval: 30, preset: "ultrafast")

    init() throws { lab = try Lab() }

    /// Frame `index` is grey of a level of its own, with a moving square.
    func picture(_ index: Int, _ width: Int = 96, _ height: Int = 64) throws -> Picture {
        let picture = try Picture(width: width, height: height, format: .yuv420p)
        for plane in 0..<3 {
            let size = picture.size(ofPlane: plane)
            for row in 0..<size.height {
                let line = picture.plane(plane) + row * picture.stride(plane)
                for x in 0..<size.width {
                    line[x] =
                        plane > 0
                        ? 128
                        : UInt8(40 + (index * 3) % 150 + (x >= index % 64 && x < index % 64 + 16 && row < 16 ? 40 : 0))
                }
            }
        }
        return picture
    }

    func segment(
        _ name: String, first: Int, count: Int, rate: Rational = Rational(30), encoding: VideoEncoding? = nil
    ) throws -> Assembler.Segment {
        let encoder = try SegmentEncoder(
            path: lab.path(name), encoding: encoding ?? self.encoding, width: 96, height: 64, frameRate: rate)
        for index in first..<first + count { try encoder.append(picture(index)) }
        let written = try encoder.finish()
        #expect(written == count)
        return Assembler.Segment(path: lab.path(name), frameCount: count)
    }

    func sound(_ name: String, count: Int, encoding: AudioEncoding = AudioEncoding(), _ value: (Int) -> Float) throws
        -> Assembler.Sound
    {
        let encoder = try SoundEncoder(path: lab.path(name), encoding: encoding)
        let samples = (0..<count).map(value)
        for start in stride(from: 0, to: count, by: 1500) {
            let length = min(1500, count - start)
            try samples.withUnsafeBufferPointer { buffer throws(MediaError) in
                try encoder.append(
                    Array(repeating: buffer.baseAddress! + start, count: encoding.channels), count: length)
            }
        }
        #expect(try encoder.finish() == count)
        return Assembler.Sound(path: lab.path(name), sampleCount: count)
    }

    func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

    static let cases: [(Rational, ExportSettings.Container, Int, Int)] = [
        (Rational(30), .mp4, 48000, 2), (Rational(30000, 1001), .mov, 44100, 1),
        (Rational(24000, 1001), .mp4, 48000, 6),
        (Rational(25), .mp4, 22050, 2), (Rational(60), .mov, 48000, 2), (Rational(7), .mp4, 44100, 2),
    ]

    @Test(arguments: cases.indices.prefix(2)) func encodeAssembleVerify(_ index: Int) throws {
        try expectWhole(index)
    }

    /// More rates, layouts and encodings.
    @Suite struct Sweep {
        @Test(arguments: cases.indices.dropFirst(2)) func encodeAssembleVerify(_ index: Int) throws {
            try OutputTests().expectWhole(index)
        }

        @Test(arguments: encodings) func segmentsAreReproducibleAndJoinInAnyOrder(_ encoding: VideoEncoding) throws {
            try OutputTests().segmentsAreReproducibleAndJoinInAnyOrder(encoding)
        }
    }

    private func expectWhole(_ index: Int) throws {
        let (rate, container, sampleRate, channels) = Self.cases[index]
        let frames = 61
        let segments = [
            try segment("a.mp4", first: 0, count: 30, rate: rate),
            try segment("b.mp4", first: 30, count: 1, rate: rate),
            try segment("c.mp4", first: 31, count: 30, rate: rate),
        ]
        let samples = Time(frame: frames, rate: rate).rounded(rate: Rational(Int64(sampleRate)))
        let audio = AudioEncoding(channels: channels, sampleRate: sampleRate)
        let sound = try sound("s.m4a", count: samples, encoding: audio) { 0.3 * Float(sin(Double($0) * 0.05)) }
        let output = lab.path("out.\(container.rawValue)")
        var shares: [Double] = []
        try Assembler.assemble(
            segments: segments, sound: sound, output: output, container: container, indexFirst: true, frameRate: rate,
            progress: { shares.append($0) })
        #expect(shares == shares.sorted() && (shares.last ?? 0) > 0.85)
        func verify(_ frames: Int?, _ samples: Int?, _ width: Int = 96) -> MediaError? {
            thrown { () throws(MediaError) in
                try Verifier.verify(
                    path: output, frames: frames, frameRate: rate, samples: samples, sampleRate: sampleRate,
                    width: width,
                    height: 64)
            }
        }
        #expect(verify(frames, samples) == nil)
        #expect(
            verify(frames + 1, samples)?.code == .wrongContent && verify(frames - 1, samples)?.code == .wrongContent)
        #expect(verify(frames, samples + 1)?.code == .wrongContent && verify(nil, samples)?.code == .wrongContent)
        #expect(verify(frames, nil)?.code == .wrongContent && verify(frames, samples, 98)?.code == .wrongContent)

        #expect(try FFmpeg.probe(output, "stream=nb_read_frames") == "\(frames)")
        #expect(
            try FFmpeg.probe(output, "stream=avg_frame_rate").replacingOccurrences(of: "/1", with: "")
                == "\(rate)".replacingOccurrences(of: "/1", with: ""))
        let entries = "stream=color_range,color_space,color_transfer,color_primaries"
        #expect(try FFmpeg.probe(output, entries).split(separator: "\n") == ["tv", "bt709", "bt709", "bt709"])
        let lengths = try ["v:0", "a:0"].map { Double(try FFmpeg.probe(output, "stream=duration", stream: $0)) ?? 0 }
        #expect(abs(lengths[0] - lengths[1]) < 1 / Double(sampleRate) + 1e-6)
        // Every frame is the right one, and the index comes first.
        for (number, luma) in try FFmpeg.grayFrames(of: output, width: 96, height: 64).enumerated() {
            let expected = Double(40 + (number * 3) % 150 - 16) * 255 / 219
            #expect(abs(Double(luma[40 * 96 + 48]) - expected) < 6, "frame \(number)")
        }
        let file = try bytes(output)
        #expect(
            try #require(file.range(of: Data("moov".utf8))).lowerBound
                < (try #require(file.range(of: Data("mdat".utf8)))).lowerBound)
    }

    private static let encodings = [
        VideoEncoding(quality: 20, keyFrameInterval: 24, profile: "high", preset: "veryfast"),
        VideoEncoding(quality: 26, keyFrameInterval: 12, profile: "main", preset: "medium"),
        VideoEncoding(
            quality: 28, maximumBitRate: 400_000, keyFrameInterval: 250, profile: "baseline", preset: "ultrafast"),
        VideoEncoding(codec: .vp9, quality: 32, maximumBitRate: 100_000, keyFrameInterval: 24),
        VideoEncoding(codec: .av1, quality: 32, maximumBitRate: 100_000, keyFrameInterval: 24),
    ]

    @Test(arguments: encodings.every(3))
    func segmentsAreReproducibleAndJoinInAnyOrder(_ encoding: VideoEncoding) throws {
        let late = try segment("late.mp4", first: 40, count: 20, encoding: encoding)
        let early = try segment("early.mp4", first: 0, count: 40, encoding: encoding)
        _ = try segment("again.mp4", first: 40, count: 20, encoding: encoding)
        #expect(try bytes(late.path) == bytes(lab.path("again.mp4")))
        var outputs: [Data] = []
        for name in ["one.mp4", "two.mp4"] {
            try Assembler.assemble(
                segments: [early, late], sound: nil, output: lab.path(name), container: .mp4, indexFirst: false,
                frameRate: Rational(30))
            outputs.append(try bytes(lab.path(name)))
        }
        #expect(outputs[0] == outputs[1])
        #expect(try FFmpeg.probe(lab.path("one.mp4"), "stream=nb_read_frames") == "60")
        let profile = try FFmpeg.probe(lab.path("one.mp4"), "stream=profile").lowercased()
        #expect(encoding.profile.isEmpty || profile.contains(encoding.profile))
        let keys = try Lab.entries(
            lab.path("one.mp4"), "-select_streams", "v", "-skip_frame", "nokey", "-show_entries", "frame=pts_time"
        ).compactMap { Double($0) }
        #expect(keys.contains { abs($0 - 40.0 / 30) < 0.001 } && keys.first == 0)
        for (a, b) in zip(keys, keys.dropFirst()) { #expect((b - a) * 30 <= Double(encoding.keyFrameInterval) + 0.01) }
    }

    @Test func aSegmentCountsFromItsOwnFirstFrame() throws {
        let segment = try segment("timeline.mp4", first: 60, count: 10)
        let file = try bytes(segment.path)
        let box = try #require(file.range(of: Data("tfdt".utf8)))
        #expect(file[box.upperBound] == 1, "a 64-bit decoding time")
        #expect(file[(box.upperBound + 4)..<(box.upperBound + 12)].allSatisfy { $0 == 0 })
    }

    /// A segment may stand anywhere, and more than once.
    @Test(arguments: [ExportSettings.Container.mp4, .mkv])
    func whatStandsTwiceIsShownTwice(_ container: ExportSettings.Container) throws {
        let (a, b) = (try segment("a.mp4", first: 0, count: 20), try segment("b.mp4", first: 40, count: 7))
        let output = lab.path("twice.\(container.rawValue)")
        try Assembler.assemble(
            segments: [b, a, b, b], sound: nil, output: output, container: container, indexFirst: true,
            frameRate: Rational(30))
        try Verifier.verify(
            path: output, container: container, frames: 41, frameRate: Rational(30), samples: nil, sampleRate: 48000,
            width: 96, height: 64)
        let shown = Array(40..<47) + Array(0..<20) + Array(40..<47) + Array(40..<47)
        let frames = try FFmpeg.grayFrames(of: output, width: 96, height: 64)
        #expect(frames.count == shown.count)
        for (luma, number) in zip(frames, shown) {
            let expected = Double(40 + (number * 3) % 150 - 16) * 255 / 219
            #expect(abs(Double(luma[40 * 96 + 48]) - expected) < 6, "frame \(number)")
        }
    }

    @Test func wrongSegmentsAreRefusedByName() throws {
        let good = try segment("good.mp4", first: 0, count: 10)
        let next = try segment("next.mp4", first: 10, count: 10)
        let short = try segment("short.mp4", first: 10, count: 9)
        let moved = Assembler.Segment(
            path: try lab.make(
                "moved.mp4", "-i", next.path, "-c", "copy", "-output_ts_offset", "1", "-movflags",
                "empty_moov+default_base_moof+frag_discont+negative_cts_offsets"), frameCount: 10)
        let foreign = try segment(
            "foreign.mp4", first: 10, count: 10,
            encoding: VideoEncoding(quality: 23, keyFrameInterval: 30, profile: "main", preset: "slow"))
        var cut = next
        cut.path = try lab.write("cut.mp4", try bytes(next.path).dropLast(200))
        let still = try lab.make("still.png", "-f", "lavfi", "-i", "color=red:s=96x64", "-frames:v", "1")
        let output = lab.path("refused.mp4")
        func refusal(_ second: Assembler.Segment) -> MediaError? {
            thrown { () throws(MediaError) in
                try Assembler.assemble(
                    segments: [good, second], sound: nil, output: output, container: .mp4, indexFirst: true,
                    frameRate: Rational(30))
            }
        }
        for path in [short.path, moved.path, foreign.path, cut.path, still, lab.path("missing.mp4")] {
            let error = refusal(Assembler.Segment(path: path, frameCount: 10))
            #expect(error != nil && error?.path == path, "\(path): \(error.map { "\($0)" } ?? "accepted")")
            #expect(!FileManager.default.fileExists(atPath: output))
        }
        #expect(refusal(moved)?.code == .wrongContent)
        #expect(refusal(next) == nil && FileManager.default.fileExists(atPath: output))
        // Sound of another length than planned; nothing at all; a picture in an m4a.
        var sound = try sound("sound.m4a", count: 5000) { _ in 0 }
        sound.sampleCount = 5001
        let others: [([Assembler.Segment], Assembler.Sound?, ExportSettings.Container)] = [
            ([good], sound, .mp4), ([], nil, .mp4), ([good], nil, .m4a),
        ]
        for (segments, sound, container) in others {
            let path = lab.path("others.mp4")
            let error = thrown { () throws(MediaError) in
                try Assembler.assemble(
                    segments: segments, sound: sound, output: path, container: container, indexFirst: true,
                    frameRate: Rational(30))
            }
            #expect(error != nil && !FileManager.default.fileExists(atPath: path))
        }
    }

    @Test(arguments: [ExportSettings.Container.m4a, .mp4, .mov]) func soundAlone(_ container: ExportSettings.Container)
        throws
    {
        let sound = try sound("alone.m4a", count: 70_001, encoding: AudioEncoding(channels: 1, sampleRate: 44100)) {
            $0 == 30_000 ? 0.9 : 0
        }
        let output = lab.path("alone-out.\(container.rawValue)")
        try Assembler.assemble(
            segments: [], sound: sound, output: output, container: container, indexFirst: true, frameRate: Rational(30))
        try Verifier.verify(
            path: output, frames: nil, frameRate: Rational(30), samples: 70_001, sampleRate: 44100, width: 0, height: 0)
        let samples = try FFmpeg.samples(of: output, rate: 44100)
        let peak = try #require(samples.indices.max { abs(samples[$0]) < abs(samples[$1]) })
        #expect(abs(peak - 30_000) <= 1, "the encoder's delay is taken off")
        let info = try Probe.probe(path: output)
        #expect(info.audio?.duration == Time(frame: 70_001, rate: Rational(44100)))
        let read = try AudioReader(path: output, info: info, sampleRate: 44100, channels: 1).samples(
            from: 29_000, count: 2000, channels: 1)[0]
        #expect(abs((read.indices.max { abs(read[$0]) < abs(read[$1]) } ?? 0) - 1000) <= 1)
    }

    @Test func clickAndFlashComeTogether() throws {
        let path = try TestMedia(in: lab.folder).clickAndFlash(seconds: 3)
        let info = try Probe.probe(path: path)
        let video = try VideoReader(path: path, info: info)
        let converter = CanvasConverter(width: 96, height: 64, mode: .fit)
        let encoder = try SegmentEncoder(
            path: lab.path("flash.mp4"), encoding: encoding, width: 96, height: 64, frameRate: Rational(30))
        for index in 0..<90 {
            try encoder.append(
                converter.convert(
                    video.picture(at: Time(frame: index, rate: Rational(30))), info: try #require(info.video)))
        }
        let segment = Assembler.Segment(path: lab.path("flash.mp4"), frameCount: try encoder.finish())
        let samples = try AudioReader(path: path, info: info, sampleRate: 48000, channels: 1).samples(
            from: 0, count: 144_000, channels: 1)[0]
        let sound = try sound("click.m4a", count: 144_000, encoding: AudioEncoding(channels: 1)) { samples[$0] }
        let output = lab.path("click-flash.mp4")
        try Assembler.assemble(
            segments: [segment], sound: sound, output: output, container: .mp4, indexFirst: true,
            frameRate: Rational(30))
        let bright = try FFmpeg.grayFrames(of: output, width: 96, height: 64).map { $0[32 * 96 + 48] > 128 }
        #expect(bright.indices.filter { bright[$0] } == [0, 30, 60])
        let heard = try FFmpeg.samples(of: output)
        for second in 0..<3 {
            let part = heard[(second * 48000)..<(second * 48000 + 24_000)]
            let peak = try #require(part.indices.max { abs(part[$0]) < abs(part[$1]) })
            #expect(peak - second * 48000 < 96 + 48, "the click of second \(second) is at \(peak)")
        }
    }

    @Test func aFullDiskIsNamedAndNothingStays() throws {
        // A link to the device that is always full; the device itself must survive.
        let full = lab.path("full.mp4")
        try FileManager.default.createSymbolicLink(atPath: full, withDestinationPath: "/dev/full")
        let error = thrown { () throws(MediaError) in
            let encoder = try SegmentEncoder(
                path: full, encoding: encoding, width: 96, height: 64, frameRate: Rational(30))
            for _ in 0..<30 { try encoder.append(Picture(width: 96, height: 64, format: .yuv420p)) }
            _ = try encoder.finish()
        }
        #expect(
            error?.code == .diskFull && error?.description.contains(full) == true,
            "\(error.map { "\($0)" } ?? "no error")")
        let sound = thrown { () throws(MediaError) in
            let encoder = try SoundEncoder(path: full, encoding: AudioEncoding())
            _ = try encoder.finish()
        }
        #expect(sound?.code == .diskFull)
        let good = try segment("good.mp4", first: 0, count: 10)
        let joined = thrown { () throws(MediaError) in
            try Assembler.assemble(
                segments: [good], sound: nil, output: full, container: .mp4, indexFirst: true, frameRate: Rational(30))
        }
        #expect(joined?.code == .diskFull && FileManager.default.fileExists(atPath: "/dev/full"))
    }

    @Test func anUnfinishedSegmentIsRemoved() throws {
        let path = lab.path("unfinished.mp4")
        do {
            let encoder = try SegmentEncoder(
                path: path, encoding: encoding, width: 96, height: 64, frameRate: Rational(30))
            try encoder.append(picture(0))
            #expect(FileManager.default.fileExists(atPath: path))
        }
        #expect(!FileManager.default.fileExists(atPath: path))
        let missing = thrown { () throws(MediaError) in
            _ = try SegmentEncoder(
                path: lab.path("no/such/folder.mp4"), encoding: encoding, width: 96, height: 64,
                frameRate: Rational(30))
        }
        #expect(missing?.code == .notFound)
    }

    @Test func wrongPicturesAndSettingsAreRefused() throws {
        func open(_ encoding: VideoEncoding, _ width: Int) -> MediaError? {
            thrown { () throws(MediaError) in
                _ = try SegmentEncoder(
                    path: lab.path("x.mp4"), encoding: encoding, width: width, height: 64, frameRate: Rational(30))
            }
        }
        #expect(open(encoding, 95)?.code == .unsupported)
        #expect(open(VideoEncoding(codec: .vp9, quality: 64, keyFrameInterval: 30), 96)?.code == .unsupported)
        #expect(open(VideoEncoding(quality: 20, keyFrameInterval: 30, preset: "warp"), 96)?.code == .unsupported)
        let encoder = try SegmentEncoder(
            path: lab.path("y.mp4"), encoding: encoding, width: 96, height: 64, frameRate: Rational(30))
        let wrong = try picture(0, 64, 64)
        #expect(thrown { () throws(MediaError) in try encoder.append(wrong) }?.code == .encode)
    }

    @Test func progressCanStopTheWork() throws {
        struct Stop: Error {}
        let good = try segment("good.mp4", first: 0, count: 10)
        let output = lab.path("stopped.mp4")
        let error = thrown { () throws(MediaError) in
            try Assembler.assemble(
                segments: [good], sound: nil, output: output, container: .mp4, indexFirst: true,
                frameRate: Rational(30),
                progress: { if $0 > 0.5 { throw Stop() } })
        }
        #expect(error?.code == .cancelled && error?.cause is Stop && !FileManager.default.fileExists(atPath: output))
    }
}
