import Foundation
import TestSupport
import Testing
import Values

@testable import Media

/// A part of a render must not depend on what its worker has read before, whatever is wrong with
/// the file.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct ReaderHistoryTests {
    private static let materials: [[String]] = [
        ["h264.mkv", "-c:v", "libx264", "-g", "12", "-c:a", "flac"],
        ["h264.mp4", "-c:v", "libx264", "-g", "12", "-c:a", "aac"],
        ["mpeg4.avi", "-c:v", "mpeg4", "-g", "12", "-c:a", "mp3"],
        ["motion.avi", "-c:v", "mjpeg", "-c:a", "pcm_s16le"],
        ["vp8.webm", "-c:v", "libvpx", "-g", "12", "-c:a", "libvorbis"],
        ["theora.ogv", "-c:v", "libtheora", "-g", "12", "-c:a", "libvorbis"],
        ["flv.flv", "-c:v", "flv", "-g", "12", "-c:a", "mp3"],
        ["prores.mov", "-c:v", "prores_ks", "-c:a", "pcm_s16le"],
        ["mpeg2.ts", "-c:v", "mpeg2video", "-g", "12", "-bf", "2", "-c:a", "mp2"],
    ]

    private static func make(_ material: [String], in lab: Lab) throws -> [UInt8] {
        let path = try lab.make(
            material[0],
            ["-f", "lavfi", "-i", "testsrc2=s=160x90:r=25:d=2", "-f", "lavfi", "-i", "sine=d=2:r=48000"]
                + material.dropFirst())
        return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// Overwrites or removes bytes, behind the first headers for the most part.
    private static func spoil(_ bytes: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let start = Int.random(in: (random.chance(1, in: 4) ? 0 : 600)..<bytes.count - 1, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: bytes[start] ^= UInt8.random(in: 1...255, using: &random)
            case 1:
                for index in start..<min(start + 40, bytes.count) {
                    bytes[index] = .random(in: 0...255, using: &random)
                }
            default: bytes.removeSubrange(start..<min(start + Int.random(in: 1...5000, using: &random), bytes.count))
            }
        }
        return bytes
    }

    private static func hash(_ picture: Picture) -> Int {
        var hasher = Hasher()
        for plane in 0..<3 {
            let (width, height) = plane == 0 ? (picture.width, picture.height) : (picture.width / 2, picture.height / 2)
            for row in 0..<height {
                hasher.combine(
                    bytes: UnsafeRawBufferPointer(
                        start: picture.plane(plane) + row * picture.stride(plane), count: width))
            }
        }
        return hasher.finalize()
    }

    /// What a clip of these frames shows; nil where they cannot be decoded.
    private static func pictures(_ reader: VideoReader, _ frames: Range<Int>, _ direction: VideoReader.Direction)
        -> [Int]?
    {
        let order = direction == .forwards ? Array(frames) : frames.reversed()
        return try? order.map { frame in
            hash(try reader.picture(before: Time(middleOfFrame: frame, rate: Rational(25)), playing: direction))
        }
    }

    /// How many clips were looked at, and those that were others after what was read before.
    private struct Tally {
        var clips = 0
        var others: [String] = []
    }

    private static func check(
        _ name: String, _ material: [String], _ whole: [UInt8], _ random: inout SplitMix64, _ lab: Lab,
        _ tally: inout Tally
    ) throws {
        let path = try lab.write("spoilt-" + material[0], spoil(whole, &random))
        guard let info = try? Probe.probe(path: path), info.video != nil else { return }
        // Frames that play backwards lie in memory, on disk, or are decoded again.
        let hasSmallWindow = random.chance(1, in: 2)
        let (folder, space) = (random.chance(1, in: 2) ? lab.folder.path : nil, SpillSpace.forTests(slots: 10))
        func opened() throws -> VideoReader {
            let reader =
                try hasSmallWindow
                ? VideoReader(path: path, info: info, windowBudget: 1) : VideoReader(path: path, info: info)
            (reader.spillFolder, reader.spillSpace) = (folder, space)
            return reader
        }
        var used = try opened()
        for _ in 0..<4 {
            let start = Int.random(in: 0..<45, using: &random)
            let frames = start..<start + Int.random(in: 1...20, using: &random)
            let direction: VideoReader.Direction = random.chance(1, in: 3) ? .backwards : .forwards
            // A job decides the window and the earliest frame; what was read before is what
            // differs.
            let new = try opened()
            if random.chance(1, in: 2) {
                let earliest = Time(middleOfFrame: start, rate: Rational(25))
                (new.earliest, used.earliest) = (earliest, earliest)
            }
            let fresh = pictures(new, frames, direction)
            tally.clips += 1
            if pictures(used, frames, direction) != fresh {
                tally.others.append("\(name), \(material[0]): frames \(frames) \(direction)")
            }
            if !used.rest() { used = try opened() }
        }
    }

    /// Where nothing notices the damage (times that a damaged MP4 has lost, for one), one clip in
    /// hundreds still differs.
    private static func run(_ count: Int) throws {
        let lab = try Lab()
        let files = try materials.map { try make($0, in: lab) }
        var tally = Tally()
        try Seed.rounds(count, of: "spoilt files and what was read before") { name, random in
            var random = random
            let number = Int.random(in: 0..<files.count, using: &random)
            try check(name, materials[number], files[number], &random, lab, &tally)
        }
        #expect(tally.clips > count && tally.others.count * 200 <= max(tally.clips, 200), "\(tally.others)")
    }

    @Test func `what a clip shows does not depend on the clips before it`() throws { try Self.run(20) }

    /// A clip that jumps, by a reader that was asked for more before the jump and had that
    /// withdrawn.
    private static func checkWithdrawal(
        _ name: String, _ material: [String], _ whole: [UInt8], _ random: inout SplitMix64, _ lab: Lab,
        _ tally: inout Tally
    ) throws {
        let path = try lab.write("spoilt-" + material[0], spoil(whole, &random))
        guard let info = try? Probe.probe(path: path), info.video != nil else { return }
        for _ in 0..<4 {
            let start = Int.random(in: 0..<40, using: &random)
            let first = start..<start + Int.random(in: 1...15, using: &random)
            let start2 = Int.random(in: 0...first.upperBound, using: &random)
            let second = start2..<start2 + Int.random(in: 1...15, using: &random)
            let plain = try VideoReader(path: path, info: info)
            let expected = (pictures(plain, first, .forwards), pictures(plain, second, .forwards))
            let ahead = try VideoReader(path: path, info: info)
            guard let found = pictures(ahead, first, .forwards) else { continue }
            var (count, hasFailed) = (0, false)
            for frame in first.upperBound..<first.upperBound + Int.random(in: 1...4, using: &random) where !hasFailed {
                hasFailed = pictures(ahead, frame..<frame + 1, .forwards) == nil
                count += 1
            }
            ahead.withdraw(count, hasFailed: hasFailed)
            tally.clips += 1
            if found != expected.0 || pictures(ahead, second, .forwards) != expected.1 {
                tally.others.append("\(name), \(material[0]): frames \(first), \(count) withdrawn, then \(second)")
            }
        }
    }

    private static func runWithdrawals(_ count: Int) throws {
        let lab = try Lab()
        let files = try materials.map { try make($0, in: lab) }
        var tally = Tally()
        try Seed.rounds(count, of: "spoilt files and withdrawn answers") { name, random in
            var random = random
            let number = Int.random(in: 0..<files.count, using: &random)
            try checkWithdrawal(name, materials[number], files[number], &random, lab, &tally)
        }
        // Unnoticed damage may still be visible, as above.
        #expect(tally.clips > count && tally.others.count * 200 <= max(tally.clips, 200), "\(tally.others)")
    }

    @Test func `withdrawn answers do not show in later ones`() throws { try Self.runWithdrawals(20) }

    /// A failure leaves the reader anywhere in its file.
    @Test func `a reader goes on after an answer that failed and was withdrawn`() throws {
        let lab = try Lab()
        let path = try lab.write("whole.mkv", try Self.make(Self.materials[0], in: lab))
        let info = try Probe.probe(path: path)
        let expected = Self.pictures(try VideoReader(path: path, info: info), 0..<20, .forwards)
        let reader = try VideoReader(path: path, info: info)
        var found = try #require(Self.pictures(reader, 0..<10, .forwards))
        // Stopped midway, at each of the places where the reader looks.
        for allowed in 0..<6 {
            var pulses = 0
            reader.pulse = { _ in
                pulses += 1
                if pulses > allowed { throw CancellationError() }
            }
            let later = Time(middleOfFrame: 40, rate: Rational(25))
            let error = #expect(throws: MediaError.self) { try reader.picture(before: later, playing: .forwards) }
            #expect(error?.code == .cancelled)
            reader.pulse = { _ in }
            reader.withdraw(1, hasFailed: true)
            let next = 10 + allowed
            found += try #require(Self.pictures(reader, next..<next + 1, .forwards))
        }
        #expect(found == expected.map { Array($0.prefix(16)) })
        reader.withdraw(1, hasFailed: true)
        #expect(!reader.rest(), "it would begin its next use anywhere")
    }

    @Suite struct Sweep {
        @Test func `of hundreds of spoilt files`() throws { try ReaderHistoryTests.run(600) }
        @Test func `of hundreds of withdrawn answers`() throws { try ReaderHistoryTests.runWithdrawals(600) }
    }
}
