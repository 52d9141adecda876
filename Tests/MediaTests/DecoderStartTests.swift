import Draft
import Foundation
import Media
import TestSupport
import Testing

/// The rule *a frame or sample does not depend on where reading began*: over what decoders learn from a stream's first packets
/// only, and over every encoder of the installed ffmpeg.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct DecoderStartTests {
    let lab: Lab

    init() throws { lab = try Lab() }

    private static func pattern(_ size: String) -> [String] {
        ["-f", "lavfi", "-i", "testsrc2=s=\(size):r=25:d=1.6"]
    }

    /// The pictures of a file on a small canvas, read in different ways.
    private struct Pictures {
        let path: String
        let info: MediaInfo
        let count: Int
        let rate: Rational
        private let converter = CanvasConverter(width: 96, height: 64, mode: .stretch)

        init(_ path: String) throws {
            (self.path, info) = (path, try Probe.probe(path: path))
            let video = try #require(info.video)
            rate = video.frameRate
            count = min(60, max(1, (video.duration - video.start).frameCount(rate: rate)))
        }

        func open() throws -> VideoReader { try VideoReader(path: path, info: info, windowBudget: 1_000_000) }

        func picture(
            _ index: Int, of reader: VideoReader, _ direction: VideoReader.Direction = .forwards
        ) throws -> [UInt8] {
            let video = try #require(info.video)
            let time = video.start + Time(middleOfFrame: index, rate: rate)
            let picture = try reader.picture(before: time, playing: direction)
            #expect(reader.damage == nil, "frame \(index) is said to be damaged")
            return try converter.convert(picture, info: video).packed
        }
    }

    /// Compares what new readers, one that jumps and one that goes backwards show with what is seen from the start.
    private func expectPicturesEqual(
        of path: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let pictures = try Pictures(path)
        let forward = try pictures.open()
        let expected = try (0..<pictures.count).map { try pictures.picture($0, of: forward) }
        #expect(Set(expected).count > pictures.count / 2, "\(name)", sourceLocation: sourceLocation)
        for index in stride(from: 0, to: pictures.count, by: 3) {
            let fresh = try pictures.picture(index, of: try pictures.open())
            #expect(fresh == expected[index], "\(name): a new reader, frame \(index)", sourceLocation: sourceLocation)
        }
        let backward = try pictures.open()
        for index in (0..<pictures.count).reversed() {
            let found = try pictures.picture(index, of: backward, .backwards)
            #expect(
                found == expected[index],
                "\(name): backwards, frame \(index) is \(expected.firstIndex(of: found).map(String.init) ?? "none")",
                sourceLocation: sourceLocation)
        }
        var generator = SplitMix64(seed: 5)
        let jumping = try pictures.open()
        for index in (0..<pictures.count).shuffled(using: &generator).prefix(20) {
            #expect(
                try pictures.picture(index, of: jumping) == expected[index], "\(name): a jump to frame \(index)",
                sourceLocation: sourceLocation)
        }
    }

    /// Compares what new readers give from the middle of a sound with what is heard from the start.
    private func expectSoundEqual(
        of path: String, _ name: String, within limit: Float, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let info = try Probe.probe(path: path)
        let audio = try #require(info.audio)
        let total = min(audio.duration, Time(flicks: 5 * Time.flicksPerSecond)).rounded(rate: Rational(48_000))
        func open() throws -> AudioReader { try AudioReader(path: path, info: info, sampleRate: 48_000, channels: 1) }
        let forward = try open()
        let whole = try forward.samples(from: 0, count: total, channels: 1)[0]
        #expect(forward.damage.isEmpty, "\(name) is said to be damaged", sourceLocation: sourceLocation)
        #expect(whole.contains { abs($0) > 0.02 }, "\(name) is silent", sourceLocation: sourceLocation)
        for start in stride(from: total - 4801, to: 0, by: -total / 7) {
            let reader = try open()
            let found = try reader.samples(from: start, count: 4800, channels: 1)[0]
            let difference = zip(found, whole[start...]).map { abs($0 - $1) }.max() ?? 0
            #expect(difference <= limit, "\(name) from sample \(start)", sourceLocation: sourceLocation)
            #expect(
                reader.damage.isEmpty, "\(name) from sample \(start) is said to be damaged",
                sourceLocation: sourceLocation)
        }
    }

    // MARK: What is said once

    /// x264 says its version in the first packet only, and before version 151 it coded 8×8 transforms in 4:4:4 another way.
    @Test(.enabled(if: MediaFolder.has("cockatoo.mp4"), MediaFolder.absence))
    func theVersionOfAnEncoder() throws {
        let path = try #require(MediaFolder.file("cockatoo.mp4"))
        let info = try Probe.probe(path: path)
        let video = try #require(info.video)
        let converter = CanvasConverter(width: 320, height: 180, mode: .stretch)
        func picture(_ seconds: Double, of reader: VideoReader) throws -> [UInt8] {
            let picture = try reader.picture(at: try #require(Time(seconds: seconds)))
            #expect(reader.damage == nil)
            return try converter.convert(picture, info: video).packed
        }
        let forward = try VideoReader(path: path, info: info)
        for seconds in stride(from: 0.0, to: 14, by: 1.7) {
            let expected = try picture(seconds, of: forward)
            let fresh = try VideoReader(path: path, info: info)
            #expect(try picture(seconds, of: fresh) == expected, "at \(seconds) s")
        }
    }

    /// Parameter sets that are sent once, at the start, and palettes.
    @Test(arguments: [
        ["once.ts", "-c:v", "libx264", "-g", "10", "-flags", "+global_header", "-bsf:v", "dump_extra=freq=e"],
        ["once.avi", "-pix_fmt", "pal8", "-c:v", "rawvideo"],
        ["quirks.avi", "-c:v", "mpeg4", "-g", "10", "-bf", "2"],
        ["latm.ts", "-c:v", "mpeg2video", "-g", "10"],
    ]) func whatIsSaidOnce(_ material: [String]) throws {
        let path = try lab.make(material[0], Self.pattern("96x64") + material.dropFirst())
        try expectPicturesEqual(of: path, material[0])
    }

    /// Two recordings of different coding in one file, each of which says its parameters in its first packet only.
    @Test(arguments: [["libx264", "h264_mp4toannexb"], ["libx265", "hevc_mp4toannexb"]])
    func parametersThatChange(_ codec: [String]) throws {
        var whole = Data()
        for (number, quality) in ["10", "40"].enumerated() {
            let coding =
                codec[0] == "libx264"
                ? [
                    "-c:v", "libx264", "-g", "10", "-x264-params",
                    "open-gop=1:keyint=10:min-keyint=10:scenecut=0:cabac=\(number):8x8dct=\(number)",
                ]
                : [
                    "-c:v", "libx265", "-x265-params",
                    "open-gop=1:keyint=10:min-keyint=10:log-level=none:sao=\(number):ctu=\(number == 0 ? 16 : 32)",
                ]
            let part = try lab.make("part\(number).mp4", Self.pattern("96x64") + coding + ["-qp", quality])
            // Only the first key frame, an IDR picture, gets the parameter sets.
            let stream = lab.path("part\(number).ts")
            try FFmpeg.run([
                "-i", part, "-c", "copy", "-bsf:v", codec[1], "-output_ts_offset", "\(Double(number) * 1.8)", stream,
            ])
            whole.append(try Data(contentsOf: URL(fileURLWithPath: stream)))
        }
        let path = lab.path("joined.ts")
        try whole.write(to: URL(fileURLWithPath: path))
        try expectPicturesEqual(of: path, "joined \(codec[0])")
    }

    // MARK: All encoders

    /// The encoders of the installed ffmpeg that Cutroom reads in one container or another.
    @Suite struct Sweep {
        private static func encoders(_ kind: Character) -> [String] {
            let output = (try? Command.run(["ffmpeg", "-hide_banner", "-encoders"]).text) ?? ""
            return output.split(separator: "\n").compactMap { line in
                let words = line.split(separator: " ")
                return words.count > 2 && words[0].count == 6 && words[0].first == kind && words[1] != "="
                    ? String(words[1]) : nil
            }
        }

        static let videoContainers = [
            "nut", "mkv", "mov", "avi", "mp4", "ts", "mpg", "flv", "ogv", "wmv", "mxf", "ivf", "gxf", "wtv", "dv",
            "gif",
            "apng", "webm",
        ]
        static let audioContainers = [
            "nut", "mkv", "mov", "avi", "mp4", "ts", "mpg", "flv", "ogg", "wma", "wav", "w64", "aiff", "au", "caf",
            "flac", "ac3", "eac3", "dts", "aac", "mp3", "wv", "tta", "rm",
        ]
        /// They must be among those that are read, or the sweep tests nothing.
        static let expectedVideo = [
            "libx264", "libx265", "libaom-av1", "libvpx", "libvpx-vp9", "mpeg1video", "mpeg2video", "mpeg4", "mjpeg",
            "prores", "dnxhd", "dvvideo", "ffv1", "huffyuv", "libtheora", "wmv2", "msmpeg4", "svq1", "snow", "png",
            "rawvideo", "cinepak", "flv", "qtrle",
        ]
        static let expectedAudio = [
            "aac", "ac3", "eac3", "alac", "flac", "libmp3lame", "libopus", "libvorbis", "mp2", "pcm_s16le", "wmav2",
            "wavpack", "tta", "dca", "truehd",
        ]

        /// The sizes and formats that some encoders ask for.
        private static let forms =
            [
                ("96x64", []), ("96x64", ["-pix_fmt", "yuv422p"]), ("128x96", ["-pix_fmt", "yuv420p"]), ("176x144", []),
                ("720x576", ["-pix_fmt", "yuv420p"]), ("1280x720", ["-pix_fmt", "yuv422p", "-b:v", "90M"]),
            ] as [(String, [String])]

        private static func more(_ encoder: String) -> [String] {
            switch encoder {
            case "libaom-av1": ["-cpu-used", "8", "-usage", "realtime"]
            case "libsvtav1": ["-preset", "12"]
            case "librav1e": ["-speed", "10"]
            case "libvpx", "libvpx-vp9": ["-deadline", "realtime", "-cpu-used", "8"]
            case "libx265": ["-x265-params", "log-level=none:bframes=2"]
            case "snow": ["-strict", "-2", "-qscale:v", "2"]
            case "aac": ["-aac_pns", "0"]
            default: ["-strict", "-2"]
            }
        }

        /// Encodes once, in the first container and form that take it, and copies the stream into all other containers.
        private static func files(
            of encoder: String, _ kind: String, in lab: Lab, _ containers: [String], _ forms: [[String]]
        ) -> [String] {
            var made: String?
            for container in containers.prefix(4) where made == nil {
                for form in forms where made == nil {
                    let path = lab.path("first-\(encoder).\(container)")
                    let arguments = form + ["-c:\(kind)", encoder] + more(encoder)
                    if (try? FFmpeg.run(arguments + [path])) != nil { made = path }
                }
            }
            guard let made else { return [] }
            return containers.compactMap { container in
                let path = lab.path("\(encoder).\(container)")
                return (try? FFmpeg.run(["-i", made, "-c", "copy", "-strict", "-2", path])) == nil ? nil : path
            }
        }

        @Test(.enabled(if: FFmpeg.isPresent, FFmpeg.absence), .enabled(if: OpenSweeps.areWanted, OpenSweeps.absence))
        func everyVideoEncoder() throws {
            let tests = try DecoderStartTests()
            var read: [String: [String]] = [:]
            let forms = Self.forms.flatMap { size, form in
                [["-g", "8", "-bf", "2"], ["-g", "8"]].map { pattern(size) + form + $0 }
            }
            for encoder in Self.encoders("V") {
                let lab = try Lab()
                for path in Self.files(of: encoder, "v", in: lab, Self.videoContainers, forms) {
                    // What Cutroom refuses, and what is no video, is no matter of this test.
                    guard let info = try? Probe.probe(path: path), info.kind == .media, let video = info.video,
                        video.duration > Time(flicks: Time.flicksPerSecond)
                    else { continue }
                    let name = (path as NSString).lastPathComponent
                    read[encoder, default: []].append((path as NSString).pathExtension)
                    do { try tests.expectPicturesEqual(of: path, name) } catch { Issue.record("\(name): \(error)") }
                }
                print("\(encoder): \(read[encoder]?.joined(separator: " ") ?? "not read")")
            }
            for encoder in Self.expectedVideo { #expect(read[encoder] != nil, "\(encoder) is not read") }
        }

        @Test(.enabled(if: FFmpeg.isPresent, FFmpeg.absence), .enabled(if: OpenSweeps.areWanted, OpenSweeps.absence))
        func everyAudioEncoder() throws {
            let tests = try DecoderStartTests()
            var read: [String: [String]] = [:]
            let source = ["-f", "lavfi", "-i", "aevalsrc='0.3*sin(300*t*t+200*t)+0.1*sin(2000*t)':s=48000:d=5"]
            let forms = ["48000", "44100", "16000", "8000", "22050"].map {
                source + ["-ar", $0, "-ac", $0 == "48000" ? "2" : "1"]
            }
            for encoder in Self.encoders("A") {
                let lab = try Lab()
                for path in Self.files(of: encoder, "a", in: lab, Self.audioContainers, forms) {
                    guard let info = try? Probe.probe(path: path), let audio = info.audio,
                        audio.duration > Time(flicks: 2 * Time.flicksPerSecond)
                    else { continue }
                    let name = (path as NSString).lastPathComponent
                    read[encoder, default: []].append((path as NSString).pathExtension)
                    do {
                        try tests.expectSoundEqual(of: path, name, within: 1e-4)
                    } catch {
                        Issue.record("\(name): \(error)")
                    }
                }
                print("\(encoder): \(read[encoder]?.joined(separator: " ") ?? "not read")")
            }
            for encoder in Self.expectedAudio { #expect(read[encoder] != nil, "\(encoder) is not read") }
        }
    }
}
