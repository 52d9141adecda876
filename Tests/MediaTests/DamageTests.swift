import Draft
import Foundation
import Media
import TestSupport
import Testing
import Values

/// Damage is found where it is shown or heard, and nowhere else.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct DamageTests {
    let lab: Lab

    init() throws { lab = try Lab() }

    private static let source = [
        "-f", "lavfi", "-i", "testsrc2=s=320x240:r=25:d=4", "-f", "lavfi", "-i", "anoisesrc=c=pink:a=0.4:d=4:r=48000",
    ]

    /// Overwrites the second half of some packets.
    private func damage(_ path: String, stream: String, packets: Range<Int>) throws {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        var generator = SplitMix64(seed: 11)
        for range in try Lab.packetRanges(path, stream: stream)[packets] {
            for offset in range.lowerBound + range.count / 2..<range.upperBound {
                bytes[offset] = UInt8.random(in: 0...255, using: &generator)
            }
        }
        try bytes.write(to: URL(fileURLWithPath: path))
    }

    /// The frames that are shown damaged, in the order in which they were asked for.
    private func damagedFrames(_ path: String, _ info: MediaInfo, _ order: [Int], fresh: Bool) throws -> Set<Int> {
        var reader = try VideoReader(path: path, info: info)
        var found: Set<Int> = []
        for index in order {
            if fresh { reader = try VideoReader(path: path, info: info) }
            _ = try reader.picture(before: Time(middleOfFrame: index, rate: Rational(25)), playing: .forwards)
            guard let range = reader.damage else { continue }
            found.insert(index)
            let shown = Time(middleOfFrame: index, rate: Rational(25))
            let second = Time(flicks: Time.flicksPerSecond)
            #expect(range.lowerBound <= shown && range.upperBound > shown - second, "\(index)")
        }
        return found
    }

    /// Frames 40 and 41 of groups of 25 are hit: what follows is suspect up to the key frame 50,
    /// where frames lean on others.
    @Test(arguments: [
        ["h264.mp4", "-c:v", "libx264", "-g", "25", "-bf", "0"], ["bframes.mkv", "-c:v", "libx264", "-g", "25"],
        ["mpeg2.mkv", "-c:v", "mpeg2video", "-g", "25", "-q:v", "3"],
        ["mpeg4.avi", "-c:v", "mpeg4", "-g", "25", "-q:v", "3"],
        ["motion.mkv", "-c:v", "mjpeg", "-q:v", "3"], ["png.mov", "-c:v", "png"],
        ["ffv1.mkv", "-c:v", "ffv1", "-level", "3", "-slicecrc", "1", "-g", "1"],
    ]) func damagedPictures(_ material: [String]) throws {
        let path = try lab.make(
            material[0], Self.source + ["-map", "0:v", "-sc_threshold", "1000000000"] + material.dropFirst())
        let info = try Probe.probe(path: path)
        #expect(try damagedFrames(path, info, Array(0..<100), fresh: false).isEmpty)
        try damage(path, stream: "v", packets: 40..<42)
        let found = try damagedFrames(path, info, Array(0..<100), fresh: false)
        #expect(!found.isDisjoint(with: 38...43), "\(found.sorted())")
        #expect(found.isSubset(of: 36..<50), "\(found.sorted())")
        // The same wherever reading begins, and in whatever order.
        #expect(try damagedFrames(path, info, Array(34..<54), fresh: true) == found)
        #expect(try damagedFrames(path, info, Array((0..<100).reversed()), fresh: false) == found)
        var generator = SplitMix64(seed: 3)
        #expect(try damagedFrames(path, info, (30..<60).shuffled(using: &generator), fresh: false) == found)
    }

    @Test(arguments: [
        ["advanced.m4a", "-c:a", "aac"], ["lossless.flac", "-c:a", "flac"], ["dolby.mkv", "-c:a", "ac3"],
        ["pages.ogg", "-c:a", "libvorbis", "-page_duration", "100000"],
    ]) func damagedSound(_ material: [String]) throws {
        let path = try lab.make(material[0], Self.source + ["-map", "1:a"] + material.dropFirst())
        let info = try Probe.probe(path: path)
        func damaged() throws -> [Int] {
            let reader = try AudioReader(path: path, info: info, sampleRate: 48_000, channels: 1)
            return try stride(from: 0, to: 4 * 48_000, by: 4800).filter {
                _ = try reader.samples(from: $0, count: 4800, channels: 1)
                return !reader.damage.isEmpty
            }.map { $0 / 4800 }
        }
        #expect(try damaged().isEmpty)
        let packets = try Lab.packetRanges(path, stream: "a").count
        try damage(path, stream: "a", packets: packets / 2..<packets / 2 + 4)
        let found = try damaged()
        #expect(!found.isEmpty && found.allSatisfy { (15...25).contains($0) }, "\(found)")
    }

    /// Few bytes of a packet decode to something, and its checksum tells.
    @Test(arguments: [
        ["lossless.flac", "-c:a", "flac"], ["dolby.ac3", "-c:a", "ac3"], ["dolby.eac3", "-c:a", "eac3"],
    ])
    func oneByteOfSound(_ material: [String]) throws {
        let path = try lab.make(material[0], Self.source + ["-map", "1:a"] + material.dropFirst())
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        let packets = try Lab.packetRanges(path, stream: "a")
        for share in 1...8 {
            let packet = packets[packets.count * share / 10]
            var bytes = whole
            bytes[packet.lowerBound + packet.count * 6 / 10] ^= 0x10
            try bytes.write(to: URL(fileURLWithPath: path))
            let info = try Probe.probe(path: path)
            let reader = try AudioReader(path: path, info: info, sampleRate: 48_000, channels: 1)
            let found = try stride(from: 0, to: 4 * 48_000, by: 4800).contains {
                _ = try reader.samples(from: $0, count: 4800, channels: 1)
                return !reader.damage.isEmpty
            }
            #expect(found, "packet \(packets.count * share / 10)")
        }
    }

    /// A picture file that was hit in its middle.
    @Test(arguments: [["photo.jpg", "-q:v", "2"], ["drawing.png"]]) func damagedStills(_ material: [String]) throws {
        let path = try lab.make(material[0], Self.source + ["-map", "0:v", "-frames:v", "1"] + material.dropFirst())
        #expect(try !StoredPicture(path: path).isDamaged)
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        // Some of what overwrites a JPEG is a picture, too.
        let found = try (0..<8).count { seed in
            var (bytes, generator) = (whole, SplitMix64(seed: UInt64(seed)))
            for offset in bytes.count / 2..<bytes.count / 2 + 400 {
                bytes[offset] = UInt8.random(in: 0...255, using: &generator)
            }
            try bytes.write(to: URL(fileURLWithPath: path))
            // Either it is shown as far as it goes, which is said, or it cannot be.
            do throws(MediaError) {
                return try StoredPicture(path: path).isDamaged
            } catch {
                #expect([.decode, .truncated].contains(error.code))
                return true
            }
        }
        #expect(found >= (material[0].hasSuffix("png") ? 8 : 1), "\(found)")
    }

    /// What looks like damage to a decoder and is none: groups that lean on the one before, files
    /// that begin between two key frames, edit lists, intra refresh, files that were cut off.
    @Test(arguments: [
        ["open.mp4", "-c:v", "libx264", "-x264-params", FrameAccessTests.openGroups],
        ["late.ts", "-c:v", "libx264", "-g", "25"], ["cut.mkv", "-c:v", "libx264", "-g", "25"],
    ]) func whatIsNoDamage(_ material: [String]) throws { try checkNoDamage(material) }

    @Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct Sweep {
        @Test(arguments: [
            ["open.ts", "-c:v", "libx264", "-x264-params", FrameAccessTests.openGroups],
            ["refresh.mkv", "-c:v", "libx264", "-x264-params", "intra-refresh=1:keyint=20"],
            ["open265.mp4", "-c:v", "libx265", "-x265-params", "open-gop=1:keyint=12:min-keyint=12:log-level=none"],
            ["mpeg2.mpg", "-c:v", "mpeg2video", "-g", "12", "-bf", "2", "-q:v", "3"],
            ["cut.mp4", "-c:v", "libx264", "-g", "25", "-movflags", "+faststart"],
        ]) func whatIsNoDamage(_ material: [String]) throws { try DamageTests().checkNoDamage(material) }
    }

    private func checkNoDamage(_ material: [String]) throws {
        let path = try lab.make(material[0], Self.source + material.dropFirst())
        let file = URL(fileURLWithPath: path)
        let whole = try Data(contentsOf: file)
        if material[0] == "late.ts" { try whole.dropFirst(whole.count / 188 / 10 * 188).write(to: file) }
        if material[0].hasPrefix("cut") { try whole.dropLast(whole.count / 3).write(to: file) }
        let info = try Probe.probe(path: path)
        let end = try #require(info.video?.duration).frameCount(rate: Rational(25))
        #expect(end > 40)
        #expect(try damagedFrames(path, info, Array(0..<end), fresh: false).isEmpty)
        #expect(try damagedFrames(path, info, Array(stride(from: 0, to: end, by: 4)), fresh: true).isEmpty)
        #expect(try damagedFrames(path, info, Array((0..<end).reversed()), fresh: false).isEmpty)
        let reader = try AudioReader(path: path, info: info, sampleRate: 48_000, channels: 1)
        for start in [0, 96_000, 30_000] {
            _ = try reader.samples(from: start, count: 24_000, channels: 1)
            #expect(reader.damage.isEmpty)
        }
    }
}
