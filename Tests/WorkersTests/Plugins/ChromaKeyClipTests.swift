import Foundation
import TestSupport
import Testing
import Values

@testable import PluginHosting

/// A clip behind the chroma key: which frame, where, in which colours, and what cannot be used.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct ChromaKeyClipTests {
    /// The key of one clip on a canvas that is all screen.
    private final class Screen {
        private let instance: EffectInstance
        private let input: FrameMemory

        init(
            _ path: String, _ values: [String: ParameterInput] = [:], size: (Int, Int) = (96, 64),
            format: PluginFormat = .yuv420p8,
            rate: Rational = Rational(25)
        ) throws {
            let effect = try EffectLab.effect("chroma-key")
            var setup = PluginSetup(format: format, width: size.0, height: size.1, frameRate: rate)
            setup.values = values.merging(["image": .text(path)]) { old, _ in old }
            instance = try effect.makeInstance(setup)
            input = EffectLab.flat(format, size.0, size.1, format == .rgba8 ? [0, 255, 0] : [173, 42, 26])
        }

        func frame(at time: Time, background: String = "#000000") throws -> FrameMemory {
            let output = FrameMemory(input.frame.format, input.frame.width, input.frame.height)
            var call = FrameCall(input: input.frame, output: output.frame)
            call.time = time
            call.values = ["background": .text(background)]
            #expect(try instance.process(call) == .output && output.paddingIsUntouched)
            return output
        }

        func frame(_ number: Int, rate: Int64 = 25) throws -> FrameMemory {
            try frame(at: Time(frame: number, rate: Rational(rate)))
        }
    }

    private static let tags = [
        "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv", "-pix_fmt",
        "yuv420p",
    ]

    private static func make(_ name: String, in folder: TemporaryFolder, source: String, _ arguments: [String]) throws
        -> String
    {
        try FFmpeg.make(["-f", "lavfi", "-i", source] + arguments, at: folder.file(name))
        return folder.file(name)
    }

    /// Frames of 96×64 as ffmpeg decodes them.
    private static func decoded(_ path: String, size: Int = 96 * 64 * 3 / 2, _ options: [String] = []) throws
        -> [[UInt8]]
    {
        let data = try FFmpeg.run(
            ["-i", path, "-map", "0:v:0", "-fps_mode", "passthrough"] + options + [
                "-pix_fmt", "yuv420p", "-f", "rawvideo", "-",
            ]
        ).stdout
        return stride(from: 0, to: data.count, by: size).map { Array(data[$0..<$0 + size]) }
    }

    private static let clips = ["clip.mp4", "clip.mkv", "clip.ts", "clip.avi", "clip.webm"]

    /// More containers.
    @Suite struct Sweep {
        @Test(arguments: clips) func framesAreThoseOfFFmpeg(name: String) throws {
            try ChromaKeyClipTests().framesAreThoseOfFFmpeg(name: name)
        }
    }

    /// In any order the frames are ffmpeg's, byte for byte: forwards, backwards, far and near.
    @Test(arguments: clips.every(4)) func framesAreThoseOfFFmpeg(name: String) throws {
        try TemporaryFolder.with { folder in
            let codec: [String] =
                name.hasSuffix("webm")
                ? ["-c:v", "libvpx-vp9", "-b:v", "500k", "-g", "20", "-deadline", "realtime", "-cpu-used", "8"]
                : ["-c:v", "libx264", "-preset", "medium", "-bf", "3", "-g", "20", "-x264-params", "open-gop=1"]
            let path = try Self.make(name, in: folder, source: "testsrc2=s=96x64:r=25:d=6", codec + Self.tags)
            let known = try Self.decoded(path)
            try #require(known.count == 150)
            let screen = try Screen(path)
            var random = SplitMix64(seed: 5)
            let order =
                Array(0..<20) + [149, 0, 148, 75, 74, 73]
                + (0..<60).map { _ in Int.random(in: 0..<150, using: &random) } + Array(90..<150)
            for number in order { #expect(try screen.frame(number).samples == known[number], "frame \(number)") }
        }
    }

    /// Frames at 0, 40, 120, 360, 400 … ms: the last one begun before the middle of the canvas'
    /// frame.
    @Test func framesOfAnyLengthAreShownInTheirTime() throws {
        try TemporaryFolder.with { folder in
            let path = try Self.make(
                "varied.mkv", in: folder, source: "testsrc2=s=96x64:r=25:d=2",
                ["-vf", "select='not(mod(n,3))+eq(mod(n,10),1)'", "-fps_mode", "vfr", "-c:v", "ffv1"] + Self.tags)
            let known = try Self.decoded(path)
            let shown = (0..<50).filter { $0 % 3 == 0 || $0 % 10 == 1 }
            try #require(known.count == shown.count)
            let screen = try Screen(path, rate: Rational(30))
            for number in (0..<59).reversed() {
                let middle = (Double(number) + 0.5) / 30
                let index = shown.lastIndex { Double($0) / 25 <= middle } ?? 0
                #expect(try screen.frame(number, rate: 30).samples == known[index], "frame \(number)")
            }
        }
    }

    @Test(arguments: ["end.mp4", "end.mkv"]) func pastTheEndItStaysOrBeginsAgain(name: String) throws {
        try TemporaryFolder.with { folder in
            let path = try Self.make(
                name, in: folder, source: "testsrc2=s=96x64:r=25:d=1",
                // The sound goes on for longer.
                ["-f", "lavfi", "-i", "sine=d=3", "-c:v", "libx264", "-qp", "20", "-g", "10"] + Self.tags)
            let known = try Self.decoded(path)
            try #require(known.count == 25)
            let (stays, loops) = (try Screen(path), try Screen(path, ["loop": .numbers([1])]))
            let late = try Screen(path, ["offset": .numbers([0.8]), "loop": .numbers([1])])
            for number in [0, 24, 25, 26, 49, 50, 7, 1000, 3] {
                #expect(try stays.frame(number).samples == known[min(number, 24)], "\(number)")
                #expect(try loops.frame(number).samples == known[number % 25], "\(number)")
                #expect(try late.frame(number).samples == known[(number + 20) % 25], "\(number)")
            }
        }
    }

    @Test(arguments: [90, 180, 270]) func rotationIsApplied(degrees: Int) throws {
        try TemporaryFolder.with { folder in
            let flat = try Self.make(
                "flat.mp4", in: folder, source: "testsrc2=s=96x64:r=25:d=0.2",
                ["-c:v", "libx264", "-qp", "10"] + Self.tags)
            let turned = folder.file("turned.mp4")
            try FFmpeg.run(["-i", flat, "-c", "copy", "-metadata:s:v:0", "rotate=\(degrees)", turned])
            let size = degrees == 180 ? (96, 64) : (64, 96)
            let screen = try Screen(turned, size: size)
            // ffmpeg turns it by itself; chroma it takes over as it is, which EffectSitingTests
            // have another opinion of.
            #expect(try screen.frame(2).samples.prefix(96 * 64) == (try Self.decoded(turned)[2].prefix(96 * 64)))
        }
    }

    /// Orange as BT.601 full range, BT.601 limited range and BT.709, and untagged with few lines.
    @Test(
        arguments: [("bt709", "tv"), ("smpte170m", "tv"), ("smpte170m", "pc"), ("", "")],
        [PluginFormat.yuv420p8, .rgba8])
    func coloursAreThoseOfTheTags(tags: (String, String), format: PluginFormat) throws {
        try TemporaryFolder.with { folder in
            let matrix = tags.0.isEmpty ? "smpte170m" : tags.0
            let marks = tags.0.isEmpty ? [] : ["-colorspace", tags.0, "-color_range", tags.1]
            let path = try Self.make(
                "color.mkv", in: folder, source: "color=0xe07820:s=96x64:r=25:d=0.2,format=gbrp",
                [
                    "-vf", "scale=out_color_matrix=\(matrix):out_range=\(tags.1 == "pc" ? "pc" : "tv"),format=yuv420p",
                    "-c:v", "ffv1",
                ] + marks)
            let frame = try Screen(path, format: format).frame(1)
            // BT.709 of (224, 120, 32).
            let wanted = format == .rgba8 ? [224, 120, 32] : [133, 79, 177]
            let got =
                format == .rgba8
                ? (0..<3).map { Int(frame[0, 4 * 50 + $0, 30]) } : (0..<3).map { Int(frame[$0, 25, 15]) }
            #expect(zip(got, wanted).allSatisfy { abs($0 - $1) <= 2 }, "\(got)")
        }
    }

    /// A clip of 96×64, left half white, on a canvas that is twice as wide, and half as wide.
    @Test(arguments: [PluginFormat.yuv420p8, .rgba8]) func modesPlaceTheClip(format: PluginFormat) throws {
        try TemporaryFolder.with { folder in
            let path = try Self.make(
                "halves.mkv", in: folder, source: "color=black:s=96x64:r=25:d=0.2,drawbox=w=48:h=64:c=white:t=fill",
                ["-c:v", "ffv1"] + Self.tags)
            func row(_ mode: String, _ size: (Int, Int)) throws -> [UInt8] {
                let screen = try Screen(path, ["mode": .text(mode)], size: size, format: format)
                let frame = try screen.frame(at: .zero, background: "#0000ff")
                return (0..<size.0).map { frame[0, $0 * (format == .rgba8 ? 4 : 1), size.1 / 2] }
            }
            let (black, white, blue): (UInt8, UInt8, UInt8) = format == .rgba8 ? (0, 255, 0) : (16, 235, 32)
            let fit = try row("fit", (192, 64))
            #expect(
                fit[47] == blue && fit[48] == white && fit[90] == white && fit[102] == black && fit[143] == black
                    && fit[144] == blue)
            let fill = try row("fill", (192, 64))
            #expect(fill[0] == white && fill[90] == white && fill[102] == black)
            let stretch = try row("stretch", (48, 64))
            #expect(stretch[20] == white && stretch[28] == black && stretch[0] == white && stretch[47] == black)
            let narrow = try row("fill", (32, 64))
            #expect(narrow[0] == white && narrow[12] == white && narrow[20] == black && narrow[31] == black)
        }
    }

    /// An odd size, and a clip of an odd size, in every mode.
    @Test(arguments: ["fill", "fit", "stretch"]) func oddSizesWork(mode: String) throws {
        try TemporaryFolder.with { folder in
            let path = try Self.make(
                "odd.mkv", in: folder, source: "testsrc2=s=51x33:r=25:d=0.2,format=yuv444p", ["-c:v", "ffv1"])
            for size in [(1, 1), (37, 23), (2, 90), (321, 7)] {
                for format in [PluginFormat.yuv420p8, .rgba8] {
                    _ = try Screen(path, ["mode": .text(mode)], size: size, format: format).frame(1)
                }
            }
        }
    }

    @Test func clipsThatCannotBeUsedAreNamed() throws {
        try TemporaryFolder.with { folder in
            let whole = try Self.make(
                "whole.mp4", in: folder, source: "testsrc2=s=96x64:r=25:d=1", ["-c:v", "libx264"] + Self.tags)
            let cut = folder.file("cut.mp4")
            try Data(contentsOf: URL(fileURLWithPath: whole)).prefix(2000).write(to: URL(fileURLWithPath: cut))
            let sound = try Self.make("sound.mp4", in: folder, source: "sine=d=1", ["-c:a", "aac"])
            let light = try Self.make(
                "light.mkv", in: folder, source: "testsrc2=s=96x64:r=25:d=0.2",
                ["-c:v", "ffv1", "-pix_fmt", "yuv420p10le", "-color_trc", "smpte2084"])
            let list = try folder.write("#EXTM3U\n#EXTINF:1,\nwhole.mp4\n", to: "list.m3u8")
            for (path, words) in [
                (folder.file("absent.mp4"), "does not exist"),
                (try folder.write("no video", to: "notes.mp4"), "no video of a known format"),
                (cut, "no video of a known format"), (sound, "has no picture"), (light, "HDR"),
                (list, "no video of a known format"),
                (folder.path, "is no file"), (try folder.write("", to: "empty.mp4"), "no video of a known format"),
            ] {
                let error = #expect(throws: PluginError.self) { try Screen(path) }
                #expect(
                    error?.reason.contains("the clip ‘\(path)’") == true && error?.reason.contains(words) == true,
                    "\(path): \(String(describing: error))")
            }
        }
    }

    /// The existing part of a cut-off file is shown, in any order, and its last frame stays.
    @Test func aCutOffFileIsShownUpToItsEnd() throws {
        try TemporaryFolder.with { folder in
            let whole = try Self.make(
                "whole.mkv", in: folder, source: "testsrc2=s=96x64:r=25:d=4",
                ["-c:v", "libx264", "-g", "10"] + Self.tags)
            let cut = folder.file("cut.mkv")
            let data = try Data(contentsOf: URL(fileURLWithPath: whole))
            try data.prefix(data.count / 2).write(to: URL(fileURLWithPath: cut))
            let (forwards, backwards) = (try Screen(cut), try Screen(cut))
            let last = try backwards.frame(99).samples
            var frames: [[UInt8]] = []
            for number in 0..<100 { frames.append(try forwards.frame(number).samples) }
            #expect(frames[99] == last && frames[98] == last && frames[20] != last)
            for number in stride(from: 99, through: 0, by: -7) {
                #expect(try backwards.frame(number).samples == frames[number])
            }
        }
    }
}
