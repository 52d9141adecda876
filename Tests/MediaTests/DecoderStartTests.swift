import Draft
import Foundation
import Media
import TestSupport
import Testing
import Values

/// The rule *a frame or sample does not depend on where reading began*: over what decoders learn
/// from a stream's first packets only, and over every encoder of the installed ffmpeg.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct DecoderStartTests {
    let lab: Lab

    init() throws { lab = try Lab() }

    private static func pattern(_ size: String) -> [String] {
        ["-f", "lavfi", "-i", "testsrc2=s=\(size):r=25:d=1.6"]
    }

    /// The pictures of a file on a small canvas, read in different ways.
    private final class Pictures {
        let path: String
        let info: MediaInfo
        let count: Int
        let rate: Rational
        /// Each way of reading that gives something else than reading from the start does.
        private(set) var faults: [String] = []
        private let video: VideoStreamInfo
        private let converter = CanvasConverter(width: 96, height: 64, mode: .stretch)

        init(_ path: String) throws {
            (self.path, info) = (path, try Probe.probe(path: path))
            video = try #require(info.video)
            rate = video.frameRate
            count = min(60, max(1, (video.duration - video.start).frameCount(rate: rate)))
        }

        private func open() throws -> VideoReader {
            try VideoReader(path: path, info: info, windowBudget: 1_000_000)
        }

        private func picture(
            _ index: Int, of reader: VideoReader, _ direction: VideoReader.Direction = .forwards
        ) throws -> [UInt8] {
            let time = video.start + Time(middleOfFrame: index, rate: rate)
            let picture = try reader.picture(before: time, playing: direction)
            if reader.damage != nil { faults.append("frame \(index) is said to be damaged") }
            return try converter.convert(picture, info: video).packed
        }

        /// Compares what new readers, one that jumps and one that goes backwards show with what is
        /// seen from the start.
        func compare() throws {
            let forward = try open()
            let expected = try (0..<count).map { try picture($0, of: forward) }
            let distinct = Set(expected).count
            if distinct < 20 { faults.append("only \(distinct) of \(count) pictures differ") }
            func check(_ found: [UInt8], _ index: Int, _ way: String) {
                guard found != expected[index] else { return }
                let seen = expected.firstIndex(of: found).map { "frame \($0)" } ?? "none of the frames"
                faults.append("\(way), frame \(index) is \(seen)")
            }
            for index in stride(from: 0, to: count, by: 3) {
                check(try picture(index, of: try open()), index, "by a new reader")
            }
            let backward = try open()
            for index in (0..<count).reversed() {
                check(try picture(index, of: backward, .backwards), index, "backwards")
            }
            var generator = SplitMix64(seed: 5)
            let jumping = try open()
            for index in (0..<count).shuffled(using: &generator).prefix(20) {
                check(try picture(index, of: jumping), index, "after a jump")
            }
        }
    }

    private static func pictureFaults(of path: String) throws -> [String] {
        let pictures = try Pictures(path)
        try pictures.compare()
        return pictures.faults
    }

    private static func expectPicturesEqual(
        of path: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let faults = try pictureFaults(of: path)
        #expect(
            faults.isEmpty, "\(name): \(faults.count) faults: \(faults.prefix(4).joined(separator: "; "))",
            sourceLocation: sourceLocation)
    }

    /// Compares what new readers give from the middle of a sound with what is heard from the start.
    private static func soundFaults(of path: String) throws -> [String] {
        let info = try Probe.probe(path: path)
        let audio = try #require(info.audio)
        let total = min(audio.duration, Time(flicks: 5 * Time.flicksPerSecond)).rounded(rate: Rational(48_000))
        func open() throws -> AudioReader { try AudioReader(path: path, info: info, sampleRate: 48_000, channels: 1) }
        var faults: [String] = []
        let forward = try open()
        let whole = try forward.samples(from: 0, count: total, channels: 1)[0]
        if !forward.damage.isEmpty { faults.append("it is said to be damaged") }
        if !whole.contains(where: { abs($0) > 0.02 }) { faults.append("it is silent") }
        for start in stride(from: total - 4801, to: 0, by: -total / 7) {
            let reader = try open()
            let found = try reader.samples(from: start, count: 4800, channels: 1)[0]
            let difference = zip(found, whole[start...]).map { abs($0 - $1) }.max() ?? 0
            if difference != 0 { faults.append("from sample \(start) it is off by \(difference)") }
            if !reader.damage.isEmpty { faults.append("from sample \(start) it is said to be damaged") }
        }
        return faults
    }

    // MARK: What is said once

    /// x264 says its version in the first packet only, and before version 151 it coded 8×8
    /// transforms in 4:4:4 another way.
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
        ["latm.ts", "-c:v", "mpeg2video", "-g", "10"], ["stamps.mp4", "-c:v", "libxvid", "-g", "10", "-bf", "2"],
        ["endless.mkv", "-c:v", "snow", "-strict", "-2", "-g", "10", "-qscale:v", "2"],
    ]) func whatIsSaidOnce(_ material: [String]) throws {
        let path = try lab.make(material[0], Self.pattern("96x64") + material.dropFirst())
        try Self.expectPicturesEqual(of: path, material[0])
    }

    /// Two recordings of different coding in one file, each of which says its parameters in its
    /// first packet only.
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
        try Self.expectPicturesEqual(of: path, "joined \(codec[0])")
    }

    // MARK: Sound

    private static let sweepingTone = [
        "-f", "lavfi", "-i", "aevalsrc='0.3*sin(300*t*t+200*t)+0.1*sin(2000*t)':s=48000:d=5",
    ]

    /// Codecs whose state never fades, times that are counted in bytes at a rounded rate, and a
    /// decoder that keeps what is left of a packet.
    @Test(arguments: [
        ["endless.wav", "-c:a", "adpcm_yamaha"], ["rounded.wav", "-c:a", "adpcm_ms"],
        ["kept.mov", "-c:a", "adpcm_ima_qt"],
        ["dvd.mpg", "-c:a", "pcm_s16be"],
    ]) func soundThatRemembers(_ material: [String]) throws {
        let path = try lab.make(material[0], Self.sweepingTone + material.dropFirst())
        let faults = try Self.soundFaults(of: path)
        #expect(faults.isEmpty, "\(material[0]): \(faults.prefix(4).joined(separator: "; "))")
    }

    /// A file that was copied from Matroska has its milliseconds, between which reading from the
    /// start does not jump.
    @Test(arguments: ["alac", "aac", "flac", "libopus"]) func soundCopiedFromMatroska(_ encoder: String) throws {
        let rate = encoder == "libopus" ? "48000" : "44100"
        let coding = ["-ar", rate, "-c:a", encoder] + (encoder == "aac" ? ["-aac_pns", "0"] : [])
        let first = try lab.make("first.mkv", Self.sweepingTone + coding)
        let path = try lab.make("copied.mp4", ["-i", first, "-c", "copy", "-strict", "-2"])
        let faults = try Self.soundFaults(of: path)
        #expect(faults.isEmpty, "\(encoder): \(faults.prefix(4).joined(separator: "; "))")
    }

    /// Matroska counts milliseconds, so behind a gap only they tell where a sample lies.
    @Test func soundBehindAGap() throws {
        let gap = ["-af", "asetpts='PTS+gte(T,2)*0.3171/TB'", "-c:a", "aac", "-aac_pns", "0"]
        let path = try lab.make("gap.mkv", Self.sweepingTone + gap)
        let info = try Probe.probe(path: path)
        func open() throws -> AudioReader { try AudioReader(path: path, info: info, sampleRate: 48_000, channels: 1) }
        let whole = try open().samples(from: 0, count: 230_000, channels: 1)[0]
        #expect(whole[98_000..<108_000].allSatisfy { $0 == 0 })
        for start in stride(from: 160_000, to: 220_000, by: 10_000) {
            let found = try open().samples(from: start, count: 4800, channels: 1)[0]
            let isFound = (-48...48).contains { lag in zip(found, whole[(start + lag)...]).allSatisfy { $0 == $1 } }
            #expect(isFound, "sample \(start) lies more than a millisecond away")
        }
    }

    // MARK: All encoders

    /// The encoders of the installed ffmpeg that Cutroom reads in one container or another.
    @Suite struct Sweep {
        /// Encoders that need no hardware.
        private static func encoders(_ kind: Character) -> [String] {
            let output = (try? Command.run(["ffmpeg", "-hide_banner", "-encoders"]).text) ?? ""
            return output.split(separator: "\n").compactMap { line in
                let words = line.split(separator: " ")
                let hardware = ["_nvenc", "_qsv", "_vaapi", "_v4l2m2m", "_omx"]
                guard words.count > 2, words[0].count == 6, words[0].first == kind, words[1] != "=",
                    !hardware.contains(where: words[1].hasSuffix)
                else { return nil }
                return String(words[1])
            }
        }

        static let videoContainers = [
            "nut", "mkv", "mov", "avi", "mp4", "ts", "mpg", "flv", "wmv", "wtv", "mxf", "gxf", "ivf", "webm", "ogv",
            "dv",
            "gif", "apng", "rm",
        ]
        static let audioContainers = [
            "nut", "mkv", "mov", "avi", "mp4", "ts", "mpg", "flv", "ogg", "wma", "wav", "w64", "aiff", "au", "caf",
            "flac", "ac3", "eac3", "dts", "aac", "mp3", "wv", "tta", "rm",
        ]
        /// The encoders for whose codecs a container is made.
        static let special = [
            "ivf": ["libvpx", "libvpx-vp9", "libaom-av1", "librav1e", "libsvtav1"],
            "webm": ["libvpx", "libvpx-vp9", "libaom-av1", "librav1e", "libsvtav1"],
            "ogv": ["libtheora", "libvpx"], "dv": ["dvvideo"], "gif": ["gif"], "apng": ["apng"],
            "mxf": ["mpeg2video", "libx264", "dnxhd", "prores", "dvvideo", "jpeg2000", "rawvideo", "v210"],
            "gxf": ["mpeg1video", "mpeg2video", "mjpeg", "dvvideo"],
            "ogg": ["flac", "libopus", "opus", "libvorbis", "vorbis", "libspeex"], "flac": ["flac"],
            "ac3": ["ac3", "ac3_fixed"], "eac3": ["eac3"], "dts": ["dca"], "aac": ["aac"], "tta": ["tta"],
            "wv": ["wavpack"], "mp3": ["libmp3lame", "libshine"], "rm": ["ac3", "aac", "real_144", "rv10", "rv20"],
        ]
        /// NUT loses palettes and the block size of WMA, and does not read back what it has written
        /// of the others.
        static let first = ["smc": "mov", "vc2": "mkv", "flashsv2": "flv", "wmav1": "mkv", "wmav2": "mkv"]
        /// Matroska loses palettes, too.
        static let excluded = ["smc": ["nut", "mkv"], "wmav1": ["nut"], "wmav2": ["nut"]]
        /// They must be among those that are read, or the sweep tests nothing.
        static let expectedVideo = [
            "libx264", "libx265", "libaom-av1", "libvpx", "libvpx-vp9", "mpeg1video", "mpeg2video", "mpeg4", "mjpeg",
            "prores", "dnxhd", "dvvideo", "ffv1", "huffyuv", "libtheora", "wmv2", "msmpeg4", "svq1", "snow", "png",
            "rawvideo", "cinepak", "flv", "qtrle", "vc2", "flashsv2", "rv20", "apng", "gif", "smc",
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
            // Its noise is drawn at random: see docs/reference/decoding.md.
            case "aac": ["-aac_pns", "0"]
            default: ["-strict", "-2"]
            }
        }

        /// The streams of one encoder in all containers that take them.
        private struct Files {
            let encoder: String
            /// `v` or `a`.
            let kind: String
            private var folder = ""
            private var arguments: [String] = []
            let lab: Lab

            /// Encodes once, in the first form and container that the encoder takes, and copies the
            /// stream into the others.
            init(of encoder: String, _ kind: String, in lab: Lab, _ containers: [String], _ forms: [[String]]) throws {
                (self.encoder, self.kind, self.lab) = (encoder, kind, lab)
                let coding = ["-c:\(kind)", encoder] + more(encoder)
                let containers = containers.filter {
                    special[$0]?.contains(encoder) ?? true && !(excluded[encoder] ?? []).contains($0)
                }
                folder = try Kept.file("files", from: forms.flatMap(\.self) + coding + containers) { folder in
                    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                    func makes(_ arguments: [String]) -> Bool { (try? FFmpeg.run(arguments)) != nil }
                    let form = forms.first { makes($0 + coding + ["-f", "null", "-"]) }
                    guard let form else { return }
                    let first = (Self.first(encoder, containers)).map { "\(folder)/first.\($0)" }
                        .first { makes(form + coding + [$0]) }
                    guard let first else { return }
                    for container in containers {
                        let path = "\(folder)/\(encoder).\(container)"
                        let isMade =
                            special[container] != nil
                            ? makes(form + coding + [path]) : makes(["-i", first, "-c", "copy", "-strict", "-2", path])
                        if !isMade { try? FileManager.default.removeItem(atPath: path) }
                    }
                    try form.joined(separator: "\0").write(toFile: folder + "/form", atomically: true, encoding: .utf8)
                }
                if let form = try? String(contentsOfFile: folder + "/form", encoding: .utf8) {
                    arguments = form.split(separator: "\0").map(String.init) + coding
                }
            }

            /// The containers to encode into first.
            private static func first(_ encoder: String, _ containers: [String]) -> [String] {
                if let only = Sweep.first[encoder] { return [only] }
                return containers.prefix(8) + containers.suffix(from: 8).filter { special[$0] != nil }
            }

            var paths: [String] {
                get throws {
                    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
                        .filter { $0.hasPrefix("\(encoder).") }.map { "\(folder)/\($0)" }
                }
            }

            /// Compares a file. One that is found wrong may be wrong itself: some containers need
            /// what only the encoder says, and raw ones take any codec. So where ffmpeg finds
            /// errors in it, it is encoded into its container; where that does not help, it is left
            /// out.
            /// - Returns: whether it was compared.
            func check(_ path: String, _ faults: (String) throws -> [String]) throws -> Bool {
                let name = (path as NSString).lastPathComponent
                func found(_ path: String) -> [String] { do { return try faults(path) } catch { return ["\(error)"] } }
                var all = found(path)
                if !all.isEmpty, !isSound(path) {
                    let new = lab.path(name)
                    guard (try? FFmpeg.make(arguments, at: new)) != nil, isSound(new) else {
                        print("\(name) is left out: ffmpeg finds errors in it; here \(all.prefix(2))")
                        return false
                    }
                    all = found(new)
                }
                #expect(all.isEmpty, "\(name): \(all.count) faults: \(all.prefix(4).joined(separator: "; "))")
                return true
            }

            private func isSound(_ path: String) -> Bool {
                let output = try? Command.run([
                    "ffmpeg", "-hide_banner", "-loglevel", "error", "-nostdin", "-i", path, "-f", "null", "-",
                ])
                guard let output, output.succeeded else { return false }
                // Frames that are rounded to one time trouble ffmpeg's writer, and are no error in
                // the file.
                return output.stderr.split(separator: "\n").allSatisfy {
                    $0.contains("non monotonically increasing dts")
                }
            }
        }

        private static func report(_ encoder: String, _ read: [String]) {
            print("\(encoder): \(read.isEmpty ? "not read" : read.joined(separator: " "))")
            if (expectedVideo + expectedAudio).contains(encoder) { #expect(!read.isEmpty, "\(encoder) is not read") }
        }

        @Test func theEncodersAreThere() {
            let present = Set(Self.encoders("V") + Self.encoders("A"))
            for encoder in Self.expectedVideo + Self.expectedAudio {
                #expect(present.contains(encoder), "ffmpeg has no encoder \(encoder)")
            }
        }

        @Test(arguments: encoders("V")) func everyVideoEncoder(_ encoder: String) throws {
            let forms = Self.forms.flatMap { size, form in
                [["-g", "8", "-bf", "2"], ["-g", "8"]].map { pattern(size) + form + $0 }
            }
            let files = try Files(of: encoder, "v", in: try Lab(), Self.videoContainers, forms)
            let read = try files.paths.filter { path in
                // Files that Cutroom refuses are not this test's subject.
                guard let info = try? Probe.probe(path: path), info.kind == .media, let video = info.video,
                    video.duration > Time(flicks: Time.flicksPerSecond)
                else { return false }
                return try files.check(path, pictureFaults)
            }
            Self.report(encoder, read.map { ($0 as NSString).pathExtension })
        }

        @Test(arguments: encoders("A")) func everyAudioEncoder(_ encoder: String) throws {
            let forms = ["48000", "44100", "16000", "8000", "22050"].map {
                sweepingTone + ["-ar", $0, "-ac", $0 == "48000" ? "2" : "1"]
            }
            let files = try Files(of: encoder, "a", in: try Lab(), Self.audioContainers, forms)
            let read = try files.paths.filter { path in
                guard let info = try? Probe.probe(path: path), let audio = info.audio,
                    audio.duration > Time(flicks: 2 * Time.flicksPerSecond)
                else { return false }
                return try files.check(path, soundFaults)
            }
            Self.report(encoder, read.map { ($0 as NSString).pathExtension })
        }
    }
}
