import Foundation
@testable import Media
import TestSupport
import Testing
import Values

/// The end of a Matroska or WebM file that is missing is reported, however little it is.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct ClusterChainTests {
    let lab: Lab

    init() throws { lab = try Lab() }

    private static let materials: [[String]] = [
        ["a.mkv", "-c:v", "libx264", "-g", "12", "-c:a", "aac"],
        ["a.webm", "-c:v", "libvpx", "-g", "12", "-c:a", "libopus"],
        ["a.mka", "-vn", "-c:a", "flac"], ["b.mkv", "-c:v", "ffv1", "-c:a", "pcm_s16le"],
        ["live.mkv", "-c:v", "libx264", "-g", "12", "-c:a", "aac", "-live", "1"],
        ["small.mkv", "-c:v", "mpeg4", "-c:a", "mp3", "-cluster_time_limit", "200"],
    ]

    private func make(_ material: [String]) throws -> (path: String, bytes: Data) {
        let path = try lab.make(
            material[0],
            ["-f", "lavfi", "-i", "testsrc2=s=160x96:r=25:d=3", "-f", "lavfi", "-i", "anoisesrc=c=pink:d=3:r=48000"]
                + material.dropFirst())
        return (path, try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    @Test(arguments: materials) func whatIsMissing(_ material: [String]) throws {
        let (path, whole) = try make(material)
        let intact = try Probe.probe(path: path)
        #expect(intact.cutOff == nil && intact.breaks == nil)
        var promises = 0
        for share in [0.97, 0.9, 0.8, 0.5] {
            try whole.prefix(Int(Double(whole.count) * share)).write(to: URL(fileURLWithPath: path))
            let info = try Probe.probe(path: path)
            #expect(info.cutOff != nil, "\(share)")
            // Live recordings promise nothing.
            guard intact.duration - info.duration > Time(flicks: Time.flicksPerSecond / 4), material[0] != "live.mkv"
            else {
                continue
            }
            promises += 1
            #expect(info.promisedDuration != nil, "\(share): \(info.duration.seconds)")
        }
        #expect(promises > 1 || material[0] == "live.mkv")
    }

    /// Of a long file the last clusters alone are looked at; what is missing there is reported all
    /// the same.
    @Test func theEndOfALongFile() throws {
        let path = try lab.make(
            "long.mkv", ["-f", "lavfi", "-i", "testsrc2=s=640x360:r=25:d=3", "-c:v", "rawvideo", "-pix_fmt", "yuv420p"])
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(bytes.count > ClusterChain.mostReadWhole)
        let intact = try Probe.probe(path: path)
        #expect(intact.cutOff == nil && intact.breaks == nil)
        let cluster = try #require(bytes.range(of: Data([0x1F, 0x43, 0xB6, 0x75]), options: .backwards))
        bytes.replaceSubrange(cluster, with: [0, 0, 0, 0])
        try bytes.write(to: URL(fileURLWithPath: path))
        let damaged = try Probe.probe(path: path)
        #expect(damaged.breaks?.positions == [Int64(cluster.lowerBound)])
    }

    /// Foreign bytes, also those of another Matroska file, lie behind the segment's end, and are no
    /// part of it.
    @Test func whatLiesBehind() throws {
        let (path, whole) = try make(Self.materials[1])
        let intact = try Probe.probe(path: path)
        for tail in [Data(repeating: 0x55, count: 3000), whole, whole.dropFirst(whole.count / 2)] {
            try (whole + tail).write(to: URL(fileURLWithPath: path))
            let info = try Probe.probe(path: path)
            #expect(info.cutOff == nil && info.breaks == nil && info.tail == Int64(whole.count))
            #expect(info.duration == intact.duration)
            for order in [Array(0..<75), Array((0..<75).reversed()), Array(60..<75)] {
                let reader = try VideoReader(path: path, info: info)
                for frame in order {
                    let direction: VideoReader.Direction = order[0] == 74 ? .backwards : .forwards
                    _ = try reader.picture(before: Time(middleOfFrame: frame, rate: Rational(25)), playing: direction)
                    #expect(reader.damage == nil, "\(frame)")
                }
            }
        }
    }

    /// Headers of clusters that are overwritten, and clusters that are removed from a live
    /// recording.
    @Test func brokenClusters() throws {
        let (path, whole) = try make(Self.materials[5])
        let cluster = Data([0x1F, 0x43, 0xB6, 0x75])
        let first = try #require(whole.range(of: cluster)).upperBound
        let second = try #require(whole.range(of: cluster, in: first..<whole.count))
        var bytes = whole
        bytes.replaceSubrange(second, with: [0, 0, 0, 0])
        try bytes.write(to: URL(fileURLWithPath: path))
        let info = try Probe.probe(path: path)
        #expect(info.breaks?.positions == [Int64(second.lowerBound)] && info.breaks?.count == 1)
        #expect(info.cutOff == nil)
    }

    /// A block that claims to be longer than its cluster takes the rest of the file with it.
    @Test func brokenBlock() throws {
        let (path, whole) = try make(Self.materials[1])
        let packets = try Lab.packetRanges(path)
        let packet = packets[packets.count * 7 / 10]
        var bytes = whole
        for index in packet.lowerBound - 10..<packet.lowerBound + 4 { bytes[index] = 0x1F }
        try bytes.write(to: URL(fileURLWithPath: path))
        let info = try Probe.probe(path: path)
        let reader = try VideoReader(path: path, info: info)
        var isDamaged = false
        for frame in 0..<75 {
            let middle = Time(middleOfFrame: frame, rate: Rational(25))
            guard middle < info.duration else { break }
            _ = try reader.picture(before: middle, playing: .forwards)
            if reader.damage != nil { isDamaged = true }
        }
        #expect(info.duration.seconds < 2.8 ? info.cutOff != nil : isDamaged, "\(info.duration.seconds)")
    }

    /// Elements of future versions are no damage, wherever they lie.
    @Test(arguments: [1, 2]) func unknownElements(_ count: Int) throws {
        let (path, whole) = try make(Self.materials[5])
        let unknown = Data((0..<count).flatMap { _ in [0x1A, 0x1B, 0x1C, 0x1D, 0x84, 1, 2, 3, 4] as [UInt8] })
        let segment = try #require(whole.range(of: Data([0x18, 0x53, 0x80, 0x67, 0x01])))
        let last = try #require(whole.range(of: Data([0x1F, 0x43, 0xB6, 0x75]), options: .backwards))
        for place in [whole.count, last.lowerBound] {
            var bytes = whole
            bytes.insert(contentsOf: unknown, at: place)
            // The segment's size has eight bytes.
            let size = bytes.count - segment.upperBound - 7
            for index in 0..<7 { bytes[segment.upperBound + index] = UInt8(size >> (8 * (6 - index)) & 0xFF) }
            try bytes.write(to: URL(fileURLWithPath: path))
            let info = try Probe.probe(path: path)
            #expect(info.cutOff == nil && info.breaks == nil && info.tail == nil, "\(place) of \(whole.count)")
        }
    }

    /// Tags, zeros and Void behind the segment are silent, also where the segment does not say its
    /// size.
    @Test(arguments: [0, 4]) func paddingBehind(_ number: Int) throws {
        let (path, whole) = try make(Self.materials[number])
        for tail in OggLossTests.padding + [
            Data([0xEC, 0x83, 1, 2, 3]), Data([0xEC, 0x80]) + OggLossTests.padding[1],
        ] {
            try (whole + tail).write(to: URL(fileURLWithPath: path))
            let info = try Probe.probe(path: path)
            #expect(info.cutOff == nil && info.breaks == nil && info.tail == nil, "\(tail.count)")
        }
    }
}
