import Draft
import Foundation
import Media
import TestSupport
import Testing

/// The level that a QuickTime or MP4 file gives a track.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct TrackLevelTests {
    let lab: Lab

    init() throws { lab = try Lab() }

    /// A constant with that level in the header of its track.
    private func file(_ name: String, _ level: Int) throws -> String {
        let plain = try lab.make(name, "-f", "lavfi", "-i", "aevalsrc='0.25|0.5':s=48000:d=0.2", "-c:a", "pcm_s16le")
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: plain)))
        let header = try #require(Data(bytes).range(of: Data("tkhd".utf8))).upperBound
        #expect(bytes[header] == 0 && bytes[header + 36] == 1 && bytes[header + 37] == 0)
        (bytes[header + 36], bytes[header + 37]) = (UInt8(level >> 8), UInt8(level & 255))
        return try lab.write("\(level)-\(name)", bytes)
    }

    @Test(
        arguments: [
            (0x100, nil, 1), (0x80, 0.5, 0.5), (0x180, 1.5, 1.5), (0x40, 0.25, 0.25), (0, nil, 1), (0xff00, nil, 1),
        ] as [(Int, Double?, Float)])
    func `a track is played at its level`(number: Int, level: Double?, factor: Float) throws {
        let path = try file("level.mov", number)
        let info = try Probe.probe(path: path)
        #expect(info.audio?.level == level && info.audioTracks.map(\.level) == [level])
        let reader = try AudioReader(path: path, info: info, sampleRate: 48000, channels: 2)
        // Some of it before the sound begins and after it ends.
        let samples = try reader.samples(from: -100, count: 10_000, channels: 2)
        #expect(samples[0][..<100].allSatisfy { $0 == 0 } && samples[0][9_700...].allSatisfy { $0 == 0 })
        for (channel, value) in [Float(0.25), 0.5].enumerated() {
            #expect(samples[channel][100..<9_700].allSatisfy { abs($0 - value * factor) < 1e-4 })
        }
    }

    @Test func `other files have none`() throws {
        let path = try lab.make("plain.wav", "-f", "lavfi", "-i", "aevalsrc=0.25:s=48000:d=0.2", "-c:a", "pcm_s16le")
        #expect(try Probe.probe(path: path).audio?.level == nil)
    }
}
