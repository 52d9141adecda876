import Draft
import Foundation
import Media
import TestSupport
import Testing
import Values

/// Files that are in order, and others that are not: sound tracks, cut-off ends, clocks,
/// interlacing, animations, photos.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct OddFileTests {
    let lab: Lab

    init() throws { lab = try Lab() }

    // MARK: Sound tracks

    @Test(arguments: ["mkv", "mov"]) func aTrackIsChosenByNumberOrLanguage(_ suffix: String) throws {
        let tones = [440, 660, 880]
        let inputs = tones.flatMap { ["-f", "lavfi", "-i", "sine=f=\($0):r=48000:d=1"] }
        let path = try lab.make(
            "tracks.\(suffix)",
            ["-f", "lavfi", "-i", "testsrc=s=64x64:d=1:r=10"] + inputs + [
                "-map", "0", "-map", "1", "-map", "2", "-map", "3", "-c:v", "libx264", "-c:a", "pcm_s16le",
                "-metadata:s:a:0",
                "language=ita", "-metadata:s:a:1", "language=eng", "-metadata:s:a:2", "language=eng", "-metadata:s:a:2",
                "title=Commentary",
            ])
        let info = try Probe.probe(path: path)
        #expect(info.audioTracks.map(\.language) == ["ita", "eng", "eng"])
        if suffix == "mkv" { #expect(info.audioTracks[2].title == "Commentary") }
        #expect(
            info.audioTracks.allSatisfy { abs($0.duration.seconds - 1) < 0.03 } && info.audio == info.audioTracks[0])
        let choices: [(TrackChoice?, Int)] = [
            (nil, 440), (.number(1), 440), (.number(2), 660), (.number(3), 880), (.language("ita"), 440),
            (.language("ENG"), 660),
        ]
        for (choice, tone) in choices {
            let chosen = try #require(info.choosing(choice))
            let samples = try AudioReader(path: path, info: chosen, sampleRate: 48_000, channels: 1)
                .samples(from: 4800, count: 38_400, channels: 1)[0]
            // A sine crosses zero twice in a period.
            let crossings = zip(samples, samples.dropFirst()).count { ($0 < 0) != ($1 < 0) }
            #expect(abs(Double(crossings) / 0.8 / 2 - Double(tone)) < 3, "\(String(describing: choice)): \(crossings)")
        }
        #expect(info.choosing(.number(4)) == nil && info.choosing(.language("fra")) == nil)
        let refusal = info.refusal(of: .language("fra"), path: path)
        #expect(refusal.contains("‘fra’") && refusal.contains("3 (eng, ") && !refusal.contains("\n"))
    }

    // MARK: Cut-off ends

    @Test(arguments: ["mp4", "mkv", "avi"]) func aCutOffFileSaysSo(_ suffix: String) throws {
        let index = suffix == "mp4" ? ["-movflags", "faststart"] : []
        let whole = try lab.make(
            "whole.\(suffix)",
            [
                "-f", "lavfi", "-i", "testsrc2=s=320x240:d=4:r=25", "-c:v", suffix == "avi" ? "mpeg4" : "libx264", "-g",
                "25",
            ] + index)
        #expect(try Probe.probe(path: whole).promisedDuration == nil)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: whole))
        let path = try lab.write("cut.\(suffix)", bytes[..<(bytes.count * 6 / 10)])
        let info = try Probe.probe(path: path)
        let promised = try #require(info.promisedDuration)
        #expect(abs(promised.seconds - 4) < 0.1)
        #expect(info.duration > Time(seconds: 0.5)! && info.duration < Time(seconds: 3.5)!)
        // Every frame up to the end that was found can be shown, and is another one.
        let source = try VideoReader(path: path, info: info)
        let count = info.duration.frameCount(rate: Rational(25))
        let times = try (0..<count).map { try source.picture(at: Time(frame: $0, rate: Rational(25))).time }
        #expect(Set(times).count >= count - 1)
        var draft = Draft()
        draft.clips = [Clip(path: path), Clip(path: path)]
        let warnings = draft.warnings(Catalog(media: [path: .found(info)]))
        #expect(warnings.count == 1 && "\(warnings)".contains("\(info.duration.forPeople) s"))
    }

    /// libswscale reads beyond the rows of such pictures.
    @Test(arguments: [("wide.png", 1), ("wide.jpg", 1), ("wide.apng", 3), ("high.gif", 3)])
    func aSideThatIsTooLongIsRefused(_ name: String, _ frames: Int) throws {
        let size = name.hasPrefix("wide") ? "32768x8" : "8x32768"
        let path = try lab.make(
            name, ["-f", "lavfi", "-i", "color=red:s=\(size):r=25", "-frames:v", "\(frames)"])
        let error = #expect(throws: MediaError.self) { try Probe.probe(path: path) }
        let shown = size.replacingOccurrences(of: "x", with: "×")
        #expect(
            error?.description.contains("\(shown) pixels, and neither side may be longer than 32767") == true,
            "\(String(describing: error))")
    }

    /// A picture or a transport stream that stops in the middle is read, and known to be cut off.
    @Test(arguments: [
        ("still.jpg", ["-frames:v", "1"]), ("progress.jpg", ["-frames:v", "1", "-huffman", "optimal"]),
        ("move.apng", ["-t", "1"]),
        ("move.ts", ["-t", "1", "-c:v", "libx264"]),
        ("move.m2ts", ["-t", "1", "-c:v", "libx264", "-mpegts_m2ts_mode", "1", "-f", "mpegts"]),
    ])
    func dataThatStopInTheMiddleSaySo(_ name: String, _ options: [String]) throws {
        let whole = try lab.make(name, ["-f", "lavfi", "-i", "testsrc2=s=320x240:r=25"] + options)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: whole))
        #expect(try Probe.probe(path: whole).isTruncated == nil)
        // What follows a picture's end is not the picture's.
        if !name.hasSuffix("ts") {
            #expect(
                try Probe.probe(path: try lab.write("more-" + name, bytes + Data("trailer".utf8))).isTruncated == nil)
        }
        for length in [bytes.count - 1, bytes.count * 7 / 10 / 188 * 188 + 1] {
            let path = try lab.write("cut-" + name, bytes[..<length])
            let info = try Probe.probe(path: path)
            #expect(
                info.isTruncated == true && info.promisedDuration == nil && info.video?.width == 320, "\(length) bytes")
            let warnings = Draft(showing: path, info).warnings(Catalog(media: [path: .found(info)])).map(\.description)
            #expect(warnings.count == 1 && warnings.first?.contains("was cut off: ") == true, "\(warnings)")
        }
    }

    /// The last tag of an FLV and the sound of a WAV that are longer than the file, however little
    /// is missing.
    @Test(arguments: [
        ["a.flv", "-c:v", "flv1", "-c:a", "libmp3lame"], ["a.wav", "-vn", "-c:a", "pcm_s16le"],
        ["b.wav", "-vn", "-c:a", "pcm_s16le", "-rf64", "always"],
    ])
    func aLastPieceThatIsLongerThanTheFileSaysSo(_ material: [String]) throws {
        let path = try lab.make(
            material[0],
            ["-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=3", "-f", "lavfi", "-i", "anoisesrc=a=0.2:d=3:r=44100"]
                + material.dropFirst())
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(try Probe.probe(path: path).cutOff == nil)
        for share in [0.98, 0.7] {
            try whole.prefix(Int(Double(whole.count) * share)).write(to: URL(fileURLWithPath: path))
            #expect(try Probe.probe(path: path).cutOff != nil, "\(share)")
        }
        // A program that writes to a pipe does not know the size.
        if material[0] == "a.wav" {
            let data = try #require(whole.range(of: Data("data".utf8))).upperBound
            for size in [[0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 0x80], [0, 0xF0, 0xFF, 0x7F]] as [[UInt8]] {
                var bytes = whole
                bytes.replaceSubrange(data..<data + 4, with: size)
                try bytes.write(to: URL(fileURLWithPath: path))
                #expect(try Probe.probe(path: path).isTruncated == nil, "\(size)")
            }
        }
    }

    /// These files cannot be shown; the error says why.
    @Test(arguments: ["png", "webp"]) func aPictureWithoutItsEndThatCannotBeReadSaysSo(_ suffix: String) throws {
        let whole = try lab.make("whole.\(suffix)", ["-f", "lavfi", "-i", "testsrc2=s=320x240", "-frames:v", "1"])
        #expect(try Probe.probe(path: whole).isTruncated == nil)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: whole))
        let path = try lab.write("cut.\(suffix)", bytes[..<(bytes.count / 2)])
        let error = #expect(throws: MediaError.self) { _ = try Probe.probe(path: path) }
        #expect(
            error?.code == .truncated && error?.description.contains("was cut off") == true, "\(error.debugDescription)"
        )
    }

    @Test func soundAndPictureOfDifferentLengthsAreNoCutOffFile() throws {
        for (picture, sound) in [("3", "1"), ("1", "3")] {
            for suffix in ["mp4", "mkv", "avi"] {
                let path = try lab.make(
                    "uneven\(picture).\(suffix)",
                    [
                        "-f", "lavfi", "-i", "testsrc=s=64x64:r=25:d=\(picture)", "-f", "lavfi", "-i",
                        "sine=d=\(sound)", "-c:v",
                        "mpeg4", "-c:a", "mp2",
                    ])
                #expect(try Probe.probe(path: path).promisedDuration == nil, "\(suffix): \(picture) s and \(sound) s")
            }
        }
    }

    /// Headers count from zero of the file's clock, which may be long before the first packet.
    @Test(arguments: ["mkv", "flv", "mp4"]) func aClockThatStartsLateIsNoCutOffFile(_ suffix: String) throws {
        let sources = ["-f", "lavfi", "-i", "testsrc=s=64x64:r=25:d=6", "-f", "lavfi", "-i", "sine=d=6"]
        let coding = ["-c:v", "libx264", "-g", "25", "-c:a", "aac"]
        let path: String
        if suffix == "mp4" {
            // The last three fragments of six, with the header of all.
            let whole = try lab.make(
                "fragments.mp4",
                ["-f", "lavfi", "-i", "testsrc=s=64x64:r=25:d=6", "-c:v", "libx264", "-g", "25"]
                    + ["-movflags", "+frag_keyframe+empty_moov+default_base_moof"])
            var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: whole)))
            let fragments = bytes.indices.dropLast(4).filter { bytes[$0..<$0 + 4].elementsEqual("moof".utf8) }
            try #require(fragments.count == 6)
            // ‘mvhd’ of version 0 has the time scale 12 bytes after its name's end, and then the
            // length.
            for (name, offset) in [("mvhd", 16), ("mdhd", 16)] {
                let box = try #require(bytes.indices.dropLast(32).first { bytes[$0..<$0 + 4].elementsEqual(name.utf8) })
                let scale = bytes[box + offset..<box + offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
                for index in 0..<4 {
                    bytes[box + offset + 4 + index] = UInt8(truncatingIfNeeded: scale * 6 >> UInt32(24 - 8 * index))
                }
            }
            path = try lab.write("late.mp4", bytes[..<(fragments[0] - 4)] + bytes[(fragments[3] - 4)...])
        } else {
            path = try lab.make("late.\(suffix)", sources + coding + ["-output_ts_offset", "7.3"])
        }
        let info = try Probe.probe(path: path)
        #expect(info.promisedDuration == nil, "\(String(describing: info.promisedDuration))")
        #expect(abs(info.duration.seconds - (suffix == "mp4" ? 3 : 6)) < 0.05, "\(info.duration.seconds)")
        guard suffix == "mkv" else { return }
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let cut = try Probe.probe(path: try lab.write("cut-late.mkv", bytes[..<(bytes.count / 2)]))
        #expect(cut.promisedDuration != nil)
    }

    /// One picture, or a slide show, with longer sound: the last picture is held. A camera's few
    /// hundred milliseconds of sound behind the picture do not make a clip longer.
    @Test func theLastPictureIsHeldForLongerSound() throws {
        for (picture, sound, whole) in [(0.04, 3.0, 3.0), (3, 6, 6), (3, 3.4, 3), (3, 2, 3)] {
            let path = try lab.make(
                "held.mp4",
                [
                    "-f", "lavfi", "-i", "testsrc=s=64x64:r=25:d=\(picture)", "-f", "lavfi", "-i", "sine=d=\(sound)",
                    "-c:v", "libx264", "-c:a", "aac",
                ])
            let info = try Probe.probe(path: path)
            #expect(
                abs(info.duration.seconds - whole) < 0.03, "\(picture) s and \(sound) s: \(info.duration.seconds) s")
            let source = try VideoReader(path: path, info: info)
            #expect(
                try source.picture(at: info.duration).time == source.picture(at: info.video?.duration ?? .zero).time)
        }
    }

    /// The rate is the commonest interval, not the average over gaps.
    @Test(arguments: [
        ("30", "gt(mod(n\\,90)\\,0)", Rational(30)), ("30000/1001", "1", Rational(30000, 1001)),
        ("24000/1001", "gt(mod(n\\,50)\\,0)", Rational(24000, 1001)), ("15", "gt(mod(n\\,40)\\,1)", Rational(15)),
    ])
    func aFewGapsDoNotChangeTheFrameRate(_ rate: String, _ kept: String, _ expected: Rational) throws {
        for (suffix, options) in [("mp4", []), ("mov", ["-video_track_timescale", "1000"]), ("ts", [])] {
            let path = try lab.make(
                "gaps.\(suffix)",
                ["-f", "lavfi", "-i", "testsrc=s=64x64:r=\(rate):d=10", "-vf", "select=\(kept)", "-fps_mode", "vfr"]
                    + ["-c:v", "libx264", "-bf", "2"] + options)
            let found = try Probe.probe(path: path).video?.frameRate
            #expect(found == expected, "\(suffix): \(String(describing: found))")
        }
    }

    @Test(.enabled(if: MediaFolder.isPresent, MediaFolder.absence)) func realFootageIsWhole() throws {
        let folder = try #require(MediaFolder.path)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        where ["mp4", "mov", "webm", "m4a", "jpg", "png", "ts"].contains((name as NSString).pathExtension) {
            let info = try Probe.probe(path: folder + "/" + name)
            #expect(info.promisedDuration == nil && info.isTruncated == nil, "\(name)")
        }
    }

    // MARK: Interlacing

    @Test func movingFieldsAreNotCombedAndStillOnesKeepTheirRows() throws {
        // Upright bars that move by their own width from field to field: combed, every second row
        // is the other colour.
        let bars =
            "color=black:s=320x192:r=50:d=0.4,format=yuv420p,geq=lum='16+200*mod(floor((X+8*N)/8)\\,2)':cb=128:cr=128"
        let still = "testsrc2=s=320x192:r=50:d=0.4,trim=end_frame=1,loop=19:1"
        for (name, source, isCombed) in [("moving", bars, true), ("still", still, false)] {
            let path = try lab.make(
                "\(name).ts",
                [
                    "-f", "lavfi", "-i", source, "-vf", "tinterlace=interleave_top,setfield=tff,format=yuv420p", "-c:v",
                    "mpeg2video",
                    "-flags", "+ildct+ilme", "-q:v", "1", "-r", "25",
                ])
            let info = try Probe.probe(path: path)
            let video = try #require(info.video)
            let canvas = try CanvasConverter(width: 320, height: 192, mode: .fit)
                .convert(try VideoReader(path: path, info: info).picture(at: .zero), info: video)
            if isCombed {
                let column = (40..<150).map { Int(canvas.plane(0)[$0 * canvas.stride(0) + 100]) }
                #expect(zip(column, column.dropFirst()).allSatisfy { abs($0 - $1) < 40 }, "rows differ: \(column)")
            } else {
                let reference = try Lab.rawFrame(
                    path,
                    filter: "scale=320:192:flags=bicubic+accurate_rnd,format=yuv420p,colormatrix=src=bt601:dst=bt709")
                #expect(peakSignalToNoise(canvas.packed, reference) > 40, "rows were lost")
            }
        }
    }

    // MARK: Animations

    @Test(arguments: ["gif", "apng", "webp"]) func anAnimationKeepsItsTimesWhateverTheWay(_ suffix: String) throws {
        let arguments = ["apng": ["-f", "apng"], "webp": ["-c:v", "libwebp_anim", "-lossless", "1"]][suffix] ?? []
        let path = try lab.numbered("moving.\(suffix)", rate: "10", count: 20, arguments)
        let info = try Probe.probe(path: path)
        let video = try #require(info.video)
        #expect(info.kind == .media && info.duration == Time(seconds: 2) && video.frameRate == Rational(10))
        let source = try VideoReader(path: path, info: info)
        let converter = CanvasConverter(width: 160, height: 32, mode: .stretch)
        for index in Array(0..<40) + [39, 0, 17, 3, 38, 20, 21] {
            let picture = try source.picture(at: Time(frame: index, rate: Rational(20)))
            #expect(Numbered.read(try converter.convert(picture, info: video)) == index / 2, "at \(index)/20 s")
        }
    }

    @Test func aCutOffAnimationShowsItsWholeFrames() throws {
        let path = try lab.numbered("whole.webp", rate: "10", count: 20, ["-c:v", "libwebp_anim", "-lossless", "1"])
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let cut = try lab.write("cut.webp", bytes[..<(bytes.count / 2)])
        let info = try Probe.probe(path: cut)
        let count = info.duration.frameCount(rate: Rational(10))
        #expect((3..<20).contains(count))
        let source = try VideoReader(path: cut, info: info)
        let converter = CanvasConverter(width: 160, height: 32, mode: .stretch)
        let last = try source.picture(at: Time(frame: count - 1, rate: Rational(10)))
        #expect(Numbered.read(try converter.convert(last, info: try #require(info.video))) == count - 1)
        let head = try lab.write("head.webp", bytes[..<60])
        #expect(thrown { () throws(MediaError) in _ = try Probe.probe(path: head) }?.code == .truncated)
    }

    // MARK: Photos

    /// Exif's eight orientations, each of a picture whose corners are red, green, blue and white.
    @Test(arguments: 1...8) func exifOrientations(_ number: Int) throws {
        let corners =
            "color=red:s=64x48,drawbox=32:0:32:24:lime:fill,drawbox=0:24:32:24:blue:fill,drawbox=32:24:32:24:white:fill"
        let jpeg = try lab.make(
            "plain.jpg", ["-f", "lavfi", "-i", corners, "-frames:v", "1", "-q:v", "1", "-pix_fmt", "yuvj444p"])
        let png = try lab.make("plain.png", ["-f", "lavfi", "-i", corners, "-frames:v", "1", "-pix_fmt", "rgb24"])
        let tiff: [UInt8] = [
            0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(number), 0, 0, 0, 0, 0, 0,
        ]
        let inJPEG = [0xFF, 0xE1, 0, UInt8(tiff.count + 8)] + Array("Exif\0\0".utf8) + tiff
        // Readers of PNG are free to look at the check sum; this one is zero.
        let inPNG = [0, 0, 0, UInt8(tiff.count)] + Array("eXIf".utf8) + tiff + [0, 0, 0, 0]
        let turned = [
            [0, 1, 2, 3], [1, 0, 3, 2], [3, 2, 1, 0], [2, 3, 0, 1], [0, 2, 1, 3], [2, 0, 3, 1], [3, 1, 2, 0],
            [1, 3, 0, 2],
        ][number - 1]
        let colors = [
            Color(red: 254, green: 0, blue: 0), Color(red: 0, green: 255, blue: 0), Color(red: 0, green: 0, blue: 255),
            .white,
        ]
        for (name, original, at, chunk) in [("exif.jpg", jpeg, 2, inJPEG), ("exif.png", png, 33, inPNG)] {
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: original)))
            let path = try lab.write(name, bytes[..<at] + chunk + bytes[at...])
            let video = try #require(try Probe.probe(path: path).video)
            let size = number < 5 ? (64, 48) : (48, 64)
            #expect((video.width, video.height) == size)
            let canvas = try CanvasConverter(width: size.0, height: size.1, mode: .fit)
                .convert(try ImageFile.load(path: path), info: video)
            let sticker = try ImageFile.rgba(path: path)
            #expect((sticker.width, sticker.height) == size)
            for (corner, color) in turned.enumerated() {
                let (x, y) = (size.0 / 4 * (1 + corner % 2 * 2), size.1 / 4 * (1 + corner / 2 * 2))
                #expect(
                    canvas.rgb(x: x, y: y).isNear(colors[color]), "\(name), corner \(corner): \(canvas.rgb(x: x, y: y))"
                )
                let pixel = sticker.plane(0) + y * sticker.stride(0) + 4 * x
                #expect(
                    Color(red: pixel[0], green: pixel[1], blue: pixel[2]).isNear(colors[color]),
                    "\(name) as a sticker, \(corner)")
            }
        }
    }

    @Test func whatFFmpegCannotReadIsNamed() throws {
        let path = try lab.write(
            "photo.heic", [0, 0, 0, 24] + Array("ftypheic".utf8) + [0, 0, 0, 0] + Array("heicmif1".utf8))
        let error = try #require(thrown { () throws(MediaError) in _ = try Probe.probe(path: path) })
        #expect(error.code == .unsupported && error.reason.contains("HEIC"))
    }
}

extension Draft {
    fileprivate init(showing path: String, _ info: MediaInfo) {
        self.init()
        clips = [
            info.kind == .image
                ? Clip(path: path, content: .image(duration: Time(flicks: Time.flicksPerSecond))) : Clip(path: path)
        ]
    }
}
