import Draft
import Foundation
import TestSupport
import Testing
import Values

@testable import Media

/// Times that libav gives right after a seek, at a joint or behind a change of the sample rate are
/// wrong; those of Cutroom are not.
extension JoinedFileTests {
    func numbers(_ pictures: [Picture], _ info: MediaInfo) throws -> [Int] {
        let converter = CanvasConverter(width: 160, height: 32, mode: .stretch)
        return try pictures.map { Numbered.read(try converter.convert($0, info: try #require(info.video))) }
    }

    /// Many frames in one PES packet, of which only the first has a time, and frames that begin in
    /// the packet before.
    @Test(arguments: [
        Recording(name: "k.mpg", picture: ["-c:v", "mpeg1video", "-g", "12", "-bf", "2", "-q:v", "3"], sound: nil),
        Recording(name: "i.mpg", picture: mpeg2, sound: ["-c:a", "mp2"], output: ["-f", "vob"]),
        Recording(name: "a.ts"),
    ]) func eachFrameIsTheSameAfterASeek(_ recording: Recording) throws {
        let path = try recording.make(lab)
        let info = try Probe.probe(path: path)
        let start = try #require(info.video).start
        let frame = Time(frame: 1, rate: Rational(25))
        let pictures = try (0..<recording.count).map { index in
            let middle = start + Time(frame: index, rate: Rational(25)) + Time(flicks: frame.flicks / 2)
            return try VideoReader(path: path, info: info).picture(at: middle)
        }
        #expect(try numbers(pictures, info) == Array(0..<recording.count))
    }

    /// Streams without decoding times of their own, behind one with B-frames. libav's decoding
    /// times stand still there.
    @Test(arguments: [-3.1, 500]) func guessedDecodingTimesAreNotFollowed(_ seconds: Double) throws {
        let recordings = [
            Recording(name: "a.ts"),
            Recording(
                name: "c.ts", count: 33, picture: ["-c:v", "libx264", "-g", "11", "-bf", "0"], length: 1.32, tone: 880),
        ]
        let (path, joint) = try join(recordings + recordings)
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        let early = StampedAnew.moved(data, isTransport: true, from: 0, by: 54_000_000)
        let moved = StampedAnew.moved(early, isTransport: true, from: joint, by: Int64(seconds * 90_000))
        let file = try lab.write("guessed.ts", moved)
        let info = try Probe.probe(path: file)
        let counts = [75, 33, 75, 33]
        #expect(try numbers(frames(file, info), info) == counts.flatMap { Array(0..<$0) })
        #expect(abs(info.duration.seconds - 8.64) < 0.15 && warns(info, file), "\(info.duration.seconds) s")
    }

    /// The frame before a counter that jumps is marked as corrupt and is whole.
    @Test func aMarkedFrameBeforeAJointIsCounted() throws {
        let recording = Recording(
            name: "h.ts", picture: ["-c:v", "libx265", "-x265-params", "log-level=none:keyint=25:bframes=3"], sound: nil
        )
        let (path, length) = try join([recording, recording])
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        for seconds in [-50_000.0, 700] {
            // From the last packet of the first recording on.
            let moved = StampedAnew.moved(
                data, isTransport: true, from: length - 188, by: Int64(seconds * 90_000))
            let file = try lab.write("marked.ts", moved)
            let info = try Probe.probe(path: file)
            #expect(try numbers(frames(file, info), info) == Array(0..<75) + Array(0..<75), "by \(seconds) s")
            #expect(abs(info.duration.seconds - 6) < 0.01, "by \(seconds) s: \(info.duration.seconds) s")
        }
    }

    // MARK: Missing bytes

    /// A hole is named with its byte; where recordings are joined, none is.
    @Test(arguments: [
        Recording(name: "a.ts"),
        Recording(name: "i.mpg", picture: mpeg2, sound: ["-c:a", "mp2"], output: ["-f", "vob"]),
        Recording(name: "k.mpg", picture: ["-c:v", "mpeg1video", "-g", "12", "-bf", "2", "-q:v", "3"], sound: nil),
        Recording(name: "ae.m2ts", sound: ["-c:a", "ac3"], output: m2ts),
    ]) func aHoleIsNamed(_ recording: Recording) throws {
        let path = try recording.make(lab)
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        let (whole, _) = try join([recording, recording])
        #expect(try Probe.probe(path: path).breaks == nil && Probe.probe(path: whole).breaks == nil)
        let start = data.count / 3
        let name = "hole." + (path as NSString).pathExtension
        let info = try Probe.probe(path: try lab.write(name, data[..<start] + data[(start + 1001)...]))
        let place = try #require(info.breaks?.positions.first)
        // The packet that was cut into begins before the hole or ends behind it; a PES packet has
        // at most 64 KiB.
        #expect(info.breaks?.count == 1 && abs(place - Int64(start)) <= 65_600, "\(place), not \(start)")
        #expect(warns(info, path))
    }

    // MARK: Rates

    /// ADTS with another sample rate behind a joint: nothing is stretched, cut or torn.
    @Test func adtsFollowsItsRate() throws {
        let parts: [(rate: String, channels: String, length: Double, tone: Double)] = [
            ("44100", "1", 3, 440), ("22050", "1", 2, 880), ("48000", "2", 2, 660), ("48000", "1", 1, 330),
        ]
        var data = Data()
        var lengths: [Double] = []
        for (index, part) in parts.enumerated() {
            let file = try lab.make(
                "part\(index).aac",
                ["-f", "lavfi", "-i", "sine=f=\(part.tone):r=\(part.rate):d=\(part.length)"] + Self.adts
                    + ["-ac", part.channels])
            lengths.append(try Probe.probe(path: file).duration.seconds)
            data += try Data(contentsOf: URL(fileURLWithPath: file))
        }
        let path = try lab.write("rates.aac", data)
        let info = try Probe.probe(path: path)
        let whole = lengths.reduce(0, +)
        let length = info.duration.seconds
        #expect(abs(length - whole) < 0.03 && !warns(info, path), "\(length), not \(whole) s")
        guard case .links(let links)? = info.joints else { return #expect(Bool(false), "no parts are found") }
        #expect(links.count == 3 && links.allSatisfy(\.isPlayed), "\(links)")
        let samples = try AudioReader(path: path, info: info, sampleRate: 48_000, channels: 1)
            .samples(from: 0, count: Int(whole * 48_000), channels: 1)[0]
        var start = 0.0
        for (part, length) in zip(parts, lengths) {
            let stretch = samples[Int((start + 0.2) * 48_000)..<Int((start + part.length - 0.1) * 48_000)]
            let crossings = zip(stretch, stretch.dropFirst()).count { ($0 < 0) != ($1 < 0) }
            let frequency = Double(crossings) / (part.length - 0.3) / 2
            #expect(abs(frequency - part.tone) < 4, "\(part.rate) Hz: a tone of \(frequency) Hz")
            let steps = zip(stretch, stretch.dropFirst()).map { abs($0 - $1) }
            #expect(steps.max() ?? 1 < 0.02, "\(part.rate) Hz: a step of \(steps.max() ?? 1)")
            start += length
        }
        var random = SplitMix64(seed: Seed.announced(for: "rates", cases: 4))
        try checkAccess(path, info, &random, path)
    }
}
