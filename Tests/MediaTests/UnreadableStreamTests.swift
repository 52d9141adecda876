import Draft
import Foundation
import Media
import TestSupport
import Testing

/// A stream that a file declares and that cannot be decoded is reported, and the rest of the file
/// is used.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct UnreadableStreamTests {
    let lab: Lab

    init() throws { lab = try Lab() }

    /// A file, and the bytes in it that are overwritten.
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var options: [String]
        /// Overwritten is what follows the first such bytes after `anchor`.
        var anchor: [UInt8] = []
        var mark: [UInt8]
        var skipped: Int
        var new: [UInt8]
        var kind: UnreadableStream.Kind
        var codec: String
        var reason: UnreadableStream.Reason

        var testDescription: String { "\(name): \(kind.rawValue), \(reason.rawValue)" }

        static func tag(
            _ name: String, _ options: [String], after anchor: String, _ old: String, _ new: String,
            _ kind: UnreadableStream.Kind, codec: String
        ) -> Case {
            Case(
                name: name, options: options, anchor: Array(anchor.utf8), mark: Array(old.utf8),
                skipped: -old.utf8.count,
                new: Array(new.utf8), kind: kind, codec: codec, reason: .unknownCodec)
        }

        static func configuration(
            _ name: String, _ options: [String], after anchor: [UInt8] = [], _ mark: [UInt8], skipping skipped: Int,
            count: Int, _ kind: UnreadableStream.Kind, codec: String
        ) -> Case {
            Case(
                name: name, options: options, anchor: anchor, mark: mark, skipped: skipped,
                new: Array(repeating: 0xFF, count: count), kind: kind, codec: codec, reason: .damagedConfiguration)
        }
    }

    private static let cases: [Case] = [
        .tag("a.mp4", ["-c:v", "libx264", "-c:a", "aac"], after: "stsd", "avc1", "zzzz", .picture, codec: "zzzz"),
        .tag("a.mov", ["-c:v", "mpeg4", "-c:a", "pcm_s16le"], after: "stsd", "sowt", "zzzz", .sound, codec: "zzzz"),
        .tag("a.mkv", ["-c:v", "libx264", "-c:a", "aac"], after: "", "A_AAC", "A_XYZ", .sound, codec: "unknown"),
        .tag(
            "a.mkv", ["-c:v", "libx264", "-c:a", "aac"], after: "", "V_MPEG4/ISO/AVC", "V_MPEG9/ISO/XYZ", .picture,
            codec: "unknown"),
        .tag("a.avi", ["-c:v", "mpeg4", "-c:a", "mp3"], after: "strf", "FMP4", "ZZZZ", .picture, codec: "ZZZZ"),
        // The tag of WAVEFORMATEX.
        Case(
            name: "a.avi", options: ["-c:v", "mpeg4", "-c:a", "mp3"], anchor: Array("auds".utf8),
            mark: Array("strf".utf8),
            skipped: 4, new: [0x34, 0x12], kind: .sound, codec: "tag 0x1234", reason: .unknownCodec),
        .tag("a.wmv", ["-c:v", "wmv2", "-c:a", "wmav2"], after: "", "WMV2", "ZZZZ", .picture, codec: "ZZZZ"),
        .configuration(
            "a.mp4", ["-c:v", "libx264", "-c:a", "aac"], after: Array("esds".utf8), [0x05, 0x80, 0x80, 0x80],
            skipping: 1,
            count: 2, .sound, codec: "aac"),
        .configuration(
            "a.mov", ["-c:v", "libx264", "-c:a", "alac"], after: Array("stsd".utf8), Array("alac".utf8), skipping: 36,
            count: 24, .sound, codec: "alac"),
        .configuration(
            "a.mkv", ["-c:v", "libx264", "-c:a", "aac"], after: Array("A_AAC".utf8), [0x63, 0xA2], skipping: 1,
            count: 2,
            .sound, codec: "aac"),
        .configuration(
            "a.webm", ["-c:v", "libvpx", "-c:a", "libvorbis"], after: Array("A_VORBIS".utf8), Array("vorbis".utf8),
            skipping: -7, count: 30, .sound, codec: "vorbis"),
    ]

    @Test(arguments: cases) func isReported(_ example: Case) throws {
        let path = try lab.make(
            example.name,
            ["-f", "lavfi", "-i", "testsrc2=s=160x96:r=25:d=1", "-f", "lavfi", "-i", "sine=d=1:r=48000"]
                + example.options)
        #expect(try Probe.probe(path: path).unreadable == nil)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        // A picture's description comes first, a sound's last.
        let start = example.anchor.isEmpty ? 0 : try #require(bytes.range(of: Data(example.anchor))).upperBound
        let place =
            try #require(bytes.range(of: Data(example.mark), in: start..<bytes.count)).upperBound + example.skipped
        bytes.replaceSubrange(place..<place + example.new.count, with: example.new)
        try bytes.write(to: URL(fileURLWithPath: path))
        let info = try Probe.probe(path: path)
        let stream = try #require(info.unreadable?.first)
        #expect(info.unreadable?.count == 1)
        #expect(stream.kind == example.kind && stream.number == 1 && stream.isUsual)
        #expect(stream.codec == example.codec && stream.reason == example.reason)
        #expect((info.video == nil) == (example.kind == .picture))
        #expect((info.audio == nil) == (example.kind == .sound))
    }

    /// The next track takes the place of the usual one, and readers give it.
    @Test func anotherTrackIsUsed() throws {
        let path = try lab.make(
            "two.mkv", "-f", "lavfi", "-i", "sine=f=440:d=1:r=48000", "-f", "lavfi", "-i", "sine=f=880:d=1:r=48000",
            "-map",
            "0", "-map", "1", "-c:a:0", "aac", "-c:a:1", "flac")
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let place = try #require(bytes.range(of: Data("A_AAC".utf8)))
        bytes.replaceSubrange(place, with: Data("A_XYZ".utf8))
        try bytes.write(to: URL(fileURLWithPath: path))
        let info = try Probe.probe(path: path)
        #expect(info.audio?.codec == "flac" && info.audioTracks.count == 1)
        #expect(info.unreadable?.first?.isUsual == true)
        let reader = try AudioReader(path: path, info: info, sampleRate: 48_000, channels: 1)
        let samples = try reader.samples(from: 4800, count: 4800, channels: 1)[0]
        #expect(samples.contains { abs($0) > 0.05 })
    }

    /// A file of which nothing can be decoded is an error that names the track.
    @Test func nothingElseIsLeft() throws {
        let path = try lab.make("only.m4a", "-f", "lavfi", "-i", "sine=d=1", "-c:a", "aac")
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let start = try #require(bytes.range(of: Data("esds".utf8))).upperBound
        let place =
            try #require(bytes.range(of: Data([0x05, 0x80, 0x80, 0x80]), in: start..<bytes.count)).upperBound + 1
        bytes.replaceSubrange(place..<place + 2, with: [0xFF, 0xFF])
        try bytes.write(to: URL(fileURLWithPath: path))
        do {
            _ = try Probe.probe(path: path)
            Issue.record("it was read")
        } catch {
            #expect(error.code == .decode)
            #expect("\(error)".contains("sound track 1 (aac) cannot be decoded"), "\(error)")
        }
    }
}
