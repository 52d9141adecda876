import Foundation
import TestSupport
import Testing
import Values

@testable import PluginHosting

/// FFmpeg's transitions, one of them for each test but in ``XfadeSweep``.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct XfadeTests {
    static var names: [String] {
        get throws { try #require(try EffectLab.effect("xfade").descriptor.parameters.first).choices }
    }

    static func frame(
        _ name: String, _ old: FrameMemory, _ new: FrameMemory, _ progress: Double
    ) throws -> FrameMemory {
        let time = Time(flicks: Int64((progress * Double(Time.flicksPerSecond)).rounded()))
        return try EffectLab.run("xfade", old, to: new, ["transition": .text(name)], at: time)
    }

    /// All but `custom`, in libavfilter's own order.
    @Test func `the names are those of the libavfilter at hand`() throws {
        let help = try Command.run(["ffmpeg", "-hide_banner", "-h", "filter=xfade"]).text
        let known = help.split(separator: "\n").compactMap { line -> String? in
            let words = line.split(separator: " ").map(String.init)
            guard line.hasPrefix("     "), words.count > 2, let number = Int(words[1]), number >= 0 else {
                return nil
            }
            return words[0]
        }
        #expect(known.count > 40 && !known.contains("custom"))
        #expect(try Self.names == known)
    }

    /// A frame is ffmpeg's own, whichever frame it is.
    @Test(arguments: ["circleopen", "hlslice", "dissolve"]) func `frames are those of ffmpeg`(
        name: String
    ) throws {
        let (width, height, count) = (96, 64, 8)
        let old = EffectLab.picture(.yuv420p8, width, height)
        let new = EffectLab.negative(old)
        let wanted = try TemporaryFolder.with { folder in
            for (file, frame) in [("old.yuv", old), ("new.yuv", new)] {
                let one = (0..<3).reduce(into: Data()) { data, plane in
                    let (columns, rows) = plane == 0 ? (width, height) : (width / 2, height / 2)
                    for y in 0..<rows { for x in 0..<columns { data.append(frame[plane, x, y]) } }
                }
                try folder.write((0..<count).reduce(into: Data()) { data, _ in data.append(one) }, to: file)
            }
            let raw = [
                "-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", "\(width)x\(height)", "-r", "25", "-i",
            ]
            let graph =
                "sws_flags=bicubic+accurate_rnd+full_chroma_int+bitexact;"
                + "[0][1]xfade=transition=\(name):duration=\(Double(count) / 25):offset=0,format=yuv420p"
            return try FFmpeg.run(
                raw + [folder.file("old.yuv")] + raw + [folder.file("new.yuv")]
                    + ["-filter_complex", graph, "-f", "rawvideo", "-"]
            ).stdout
        }
        let size = width * height * 3 / 2
        try #require(wanted.count >= count * size)
        for number in [1, 3, 6] {
            let made = try Self.frame(name, old, new, Double(number) / Double(count))
            var position = wanted.startIndex + number * size
            var most = 0
            for plane in 0..<3 {
                let (columns, rows) = plane == 0 ? (width, height) : (width / 2, height / 2)
                for y in 0..<rows {
                    for x in 0..<columns {
                        most = max(most, abs(Int(made[plane, x, y]) - Int(wanted[position])))
                        position += 1
                    }
                }
            }
            #expect(most <= 1, "frame \(number): \(most)")
        }
    }

    /// The first frame is the outgoing picture, nearly: it went to 4:4:4 and back.
    @Test func `it begins with the outgoing picture`() throws {
        let old = EffectLab.picture(.yuv420p8, 64, 48)
        let first = try Self.frame("smoothleft", old, EffectLab.negative(old), 0)
        let differences = zip(first.samples, old.samples).map { abs(Int($0) - Int($1)) }
        #expect(Double(differences.reduce(0, +)) / Double(differences.count) < 2)
    }

    @Test func `an instance makes each frame by itself`() throws {
        let old = EffectLab.picture(.rgba8, 48, 32)
        let new = EffectLab.negative(old)
        let effect = try EffectLab.effect("xfade")
        var setup = PluginSetup(format: .rgba8, width: 48, height: 32, frameRate: .init(25))
        setup.values = ["transition": .text("radial")]
        let instance = try effect.makeInstance(setup)
        // Backwards, and again.
        for progress in [0.75, 0.25, 0.5, 0.25, 0.0] {
            let output = FrameMemory(.rgba8, 48, 32, padding: 13)
            var call = FrameCall(inputs: [old, new].map { FrameWindow($0.frame) }, output: output.frame)
            call.time = Time(flicks: Int64(progress * Double(Time.flicksPerSecond)))
            call.duration = Time(flicks: Time.flicksPerSecond)
            _ = try instance.process(call)
            #expect(
                output.samples == (try Self.frame("radial", old, new, progress)).samples, "\(progress)")
        }
    }
}

/// Every transition makes a frame in each format, from small and odd pictures.
@Suite(.waits) struct XfadeSweep {
    @Test func `every name makes frames`() throws {
        for name in try XfadeTests.names {
            for format in [PluginFormat.yuv420p8, .rgba8] {
                for (width, height) in [(32, 24), (17, 9), (2, 2)] {
                    let old = EffectLab.picture(format, width, height)
                    let new = EffectLab.negative(old)
                    let middle = try XfadeTests.frame(name, old, new, 0.5)
                    #expect(try XfadeTests.frame(name, old, new, 0.5).samples == middle.samples, "\(name)")
                    // The black that is left at the end of ‘rectcrop’ is FFmpeg's.
                    guard width == 32 else { continue }
                    let late = try XfadeTests.frame(name, old, new, 0.999_999)
                    #expect(
                        middle.samples != old.samples && middle.samples != new.samples, "\(name), \(format)")
                    let difference = zip(late.samples, new.samples).map { abs(Int($0) - Int($1)) }
                    let mean = Double(difference.reduce(0, +)) / Double(difference.count)
                    #expect(name == "rectcrop" || mean < 12, "\(name), \(format): \(mean)")
                }
            }
        }
    }
}
