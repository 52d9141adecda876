import Draft
import Foundation
import TestSupport
import Testing

@testable import PluginHosting

/// How the shipped sources read sound: the same frame in any order, whatever the file is, and a
/// sentence where it is none.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct SourceSoundTests {
    /// A sweep with a beat, over the borders of the blocks that sound is read in.
    private static let sweep = "0.8*sin(2*PI*(200+100*t)*t)*abs(sin(PI*3*t))|0.3*sin(2*PI*500*t)"
    private static let files: [(name: String, options: [String])] = [
        ("sweep.wav", []), ("sweep.flac", []), ("sweep.m4a", ["-c:a", "aac"]), ("sweep.mp3", ["-c:a", "libmp3lame"]),
        ("sweep.opus", ["-c:a", "libopus"]), ("sweep.webm", ["-c:a", "libvorbis", "-strict", "-2"]),
        ("sweep.aac", ["-c:a", "aac", "-f", "adts"]),
        ("sweep.ogg", ["-c:a", "libvorbis"]),
    ]

    /// Frame n alone is frame n after those before it, and after others: with real files of every
    /// kind.
    @Test(arguments: files.prefix(3)) func framesArePure(file: (name: String, options: [String])) throws {
        let folder = try TemporaryFolder()
        let path = try SourceLab.sound(Self.sweep, seconds: 14, as: file.name, file.options, in: folder)
        for (name, values) in [
            ("waveform", ["media": ParameterInput.text(path), "window": .numbers([2])]),
            ("waveform", ["media": .text(path), "style": .text("line"), "window": .numbers([0.04])]),
            ("spectrum", ["media": .text(path)]),
            ("spectrum", ["media": .text(path), "style": .text("spectrogram"), "history": .numbers([1.5])]),
        ] {
            let times = [0.0, 1.9, 3.96, 4, 4.04, 7.5, 8.2, 11.9, 12.3, 13.9, 20]
            let instance = try SourceLab.instance(name, values)
            let inOrder = try times.map { try SourceLab.frame(of: instance, values, at: $0).samples }
            let other = try SourceLab.instance(name, values)
            for (time, expected) in zip(times, inOrder).reversed() {
                #expect(
                    try SourceLab.frame(of: other, values, at: time).samples == expected, "\(name) backwards, \(time) s"
                )
            }
            for index in [2, 5, 8] {
                #expect(
                    try SourceLab.frame(name, values, at: times[index]).samples == inOrder[index],
                    "\(name) alone, \(times[index]) s")
            }
            #expect(Set(inOrder).count >= 9)
        }
    }

    /// What is sought and what is read from the start is at the same place: a click at 9.5 s, in
    /// all kinds of files.
    @Test(arguments: files) func timesAreTheFiles(file: (name: String, options: [String])) throws {
        let folder = try TemporaryFolder()
        let path = try SourceLab.sound(
            "0.9*between(t,9.5,9.52)*sin(2*PI*1000*t)", seconds: 14, as: file.name, file.options, in: folder)
        let values: [String: ParameterInput] = [
            "media": .text(path), "gap": .numbers([0]), "roundness": .numbers([0]), "bars": .numbers([48]),
            "window": .numbers([0.48]),
        ]
        let columns = SourceLab.columns(try SourceLab.frame("waveform", values, at: 9.5))
        // A bar is 10 ms and 2 pixels; now is in the middle. Lossy codecs smear, and ADTS cannot
        // say that its first 1024 samples are the encoder's delay.
        let click = file.name == "sweep.aac" ? 52 : 48
        #expect(columns[click] > 30 && columns[click + 2] > 25, "\(columns)")
        #expect(
            columns[..<(click - 4)].allSatisfy { $0 < 5 } && columns[(click + 8)...].allSatisfy { $0 < 5 }, "\(columns)"
        )
    }

    /// All channels count, of equal ones as much as of one.
    @Test func channelsAreOne() throws {
        let folder = try TemporaryFolder()
        for (formula, height) in [("0.5", 0.5), ("0.5|0.5", 0.5), ("0.8|0", 0.4)] {
            let wave = formula.split(separator: "|").map { "\($0)*(2*gt(sin(2*PI*100*t),0)-1)" }.joined(separator: "|")
            let path = try SourceLab.sound(wave, seconds: 2, as: "channels.wav", ["-c:a", "pcm_f32le"], in: folder)
            let values: [String: ParameterInput] = [
                "media": .text(path), "gap": .numbers([0]), "roundness": .numbers([0]), "window": .numbers([0.5]),
            ]
            let columns = SourceLab.columns(try SourceLab.frame("waveform", values, at: 1))
            #expect(columns.allSatisfy { abs($0 - 48 * height) < 0.6 }, "\(formula): \(columns[40])")
        }
    }

    /// The sound of a video, with the picture's zero.
    @Test func aVideoHasSoundToo() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("video.mp4")
        try FFmpeg.run([
            "-y", "-f", "lavfi", "-i", "testsrc=size=64x64:rate=25:duration=3", "-f", "lavfi", "-i", "sine=1000:d=3",
            "-c:v", "libx264", "-c:a", "aac", path,
        ])
        let values: [String: ParameterInput] = ["media": .text(path), "gap": .numbers([0]), "roundness": .numbers([0])]
        // ffmpeg's sine has an eighth of full scale.
        let columns = SourceLab.columns(try SourceLab.frame("waveform", values, at: 1.5))
        #expect(columns[8..<88].allSatisfy { abs($0 - 6) < 1 }, "\(columns)")
    }

    /// Three hours take no more memory than a minute: what is kept are the last blocks. Measured in
    /// a process of its own, as other tests take memory meanwhile. What must not be kept would be
    /// 345 MB.
    @Test(.enabled(if: !Sanitizer.isActive, "the sanitizer's memory is not the program's"))
    func memoryDoesNotGrowWithTheFile() async throws {
        try await TemporaryFolder.with { folder in
            let path = folder.file("long.wav")
            // ffmpeg's sine has an eighth of full scale.
            try FFmpeg.make(["-f", "lavfi", "-i", "sine=f=100:r=8000:d=10800", "-af", "volume=4"], at: path)
            await #expect(processExitsWith: .success) { [path = path as String] in
                let growth = try SourceSoundTests.growth(over: path)
                #expect(growth < 32 << 20)
            }
        }
    }

    /// The bytes by which this process grows while it shows a file of three hours here and there.
    private static func growth(over path: String) throws -> Int {
        let values: [String: ParameterInput] = ["media": .text(path), "window": .numbers([30])]
        func resident() throws -> Int {
            let words = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
            return (Int(words[1]) ?? 0) * 4096
        }
        let instance = try SourceLab.instance("waveform", values)
        _ = try SourceLab.frame(of: instance, values, at: 100)
        let before = try resident()
        for time in stride(from: 200.0, to: 10_700, by: 500) {
            let highest = SourceLab.columns(try SourceLab.frame(of: instance, values, at: time)).max()
            // Half of the height, in bars that are hardly thicker than a pixel.
            #expect(highest ?? 0 > 12)
        }
        return try resident() - before
    }

    @Test func whatCannotBeReadIsSaid() throws {
        let folder = try TemporaryFolder()
        try folder.write("no sound", to: "text.m4a")
        try folder.write("#EXTM3U\n#EXTINF:1,\n/etc/passwd\n", to: "list.m3u8")
        let whole = try SourceLab.sound("0.1", seconds: 2, as: "whole.m4a", in: folder)
        let data = try #require(FileManager.default.contents(atPath: whole))
        try data.prefix(data.count / 2).write(to: URL(fileURLWithPath: folder.file("half.m4a")))
        try FFmpeg.run(["-y", "-f", "lavfi", "-i", "color=red:s=32x32:d=1", folder.file("mute.mp4")])
        #expect(mkfifo(folder.file("pipe.wav"), 0o600) == 0)
        for (name, words) in [
            ("absent.wav", "does not exist"), ("text.m4a", "is not a file with sound, or is damaged"),
            ("mute.mp4", "has no sound that can be decoded"),
            ("pipe.wav", "is not a file"), (".", "is not a file"),
            ("list.m3u8", "is not a file with sound, or is damaged"),
            ("half.m4a", "is not a file with sound, or is damaged"),
        ] {
            for source in ["waveform", "spectrum"] {
                let error = #expect(throws: PluginError.self, "\(name)") {
                    try SourceLab.instance(source, ["media": .text(folder.file(name))])
                }
                #expect(
                    error?.code == .invalidParameter && error?.reason.contains(words) == true,
                    "\(name): \(error as Any)")
            }
        }
    }

    /// Bytes that are wrong in the middle are a gap, not a crash.
    @Test func damagedFilesDoNoHarm() throws {
        let folder = try TemporaryFolder()
        var random = SplitMix64(seed: 77)
        for name in ["noise.m4a", "noise.mp3", "noise.flac", "noise.opus"] {
            let path = try SourceLab.sound("random(0)-0.5", seconds: 6, as: name, in: folder)
            let whole = try #require(FileManager.default.contents(atPath: path))
            for _ in 0..<4 {
                var bytes = [UInt8](whole)
                for _ in 0..<200 {
                    bytes[Int.random(in: bytes.count / 4..<bytes.count, using: &random)] = UInt8.random(
                        in: 0...255, using: &random)
                }
                try Data(bytes).write(to: URL(fileURLWithPath: path))
                let values: [String: ParameterInput] = ["media": .text(path)]
                guard let instance = try? SourceLab.instance("waveform", values) else { continue }
                for time in [0.0, 3, 5.5, 9] { _ = try? SourceLab.frame(of: instance, values, at: time) }
            }
        }
    }

    /// The other kinds of files.
    @Suite struct Sweep {
        @Test(arguments: files.dropFirst(3)) func framesArePure(file: (name: String, options: [String])) throws {
            try SourceSoundTests().framesArePure(file: file)
        }
    }
}
