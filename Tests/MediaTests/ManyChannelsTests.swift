import Draft
import Foundation
import Media
import TestSupport
import Testing

/// Sound with more channels than any layout has names for.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct ManyChannelsTests {
    let lab: Lab

    init() throws { lab = try Lab() }

    /// A WAV of 16 bits in which channel *n* has the constant value 1000·(n + 1), up to 32000.
    private func wave(_ channels: Int) throws -> String {
        func number(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 255) } }
        let frame = (0..<channels).flatMap { number(1000 * (min($0, 31) + 1), 2) }
        let data = Array(repeating: frame, count: 9600).flatMap { $0 }
        let format =
            number(1, 2) + number(channels, 2) + number(48_000, 4) + number(96_000 * channels, 4)
            + number(2 * channels, 2)
            + number(16, 2)
        let content =
            Array("WAVEfmt ".utf8) + number(format.count, 4) + format + Array("data".utf8) + number(data.count, 4)
            + data
        return try lab.write("a.wav", Array("RIFF".utf8) + number(content.count, 4) + content)
    }

    @Test(arguments: [9, 10, 15, 17, 23, 32, 33, 64]) func theFirstArePlayed(_ channels: Int) throws {
        let path = try wave(channels)
        let info = try Probe.probe(path: path)
        #expect(info.audio?.channels == channels && info.audio?.hasNoLayout == true)
        for output in [1, 2, 6] {
            let reader = try AudioReader(path: path, info: info, sampleRate: 48_000, channels: output)
            let samples = try reader.samples(from: 4800, count: 10, channels: output)
            for (channel, plane) in samples.enumerated() {
                let expected = output == 1 ? 1500.0 / 32_768 : Double(1000 * (channel + 1)) / 32_768
                #expect(plane.allSatisfy { abs(Double($0) - expected) < 1e-4 }, "\(output): \(channel): \(plane[0])")
            }
        }
    }

    /// These have a usual layout, and are mixed by it.
    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8, 16, 24]) func othersAreMixed(_ channels: Int) throws {
        #expect(try Probe.probe(path: wave(channels)).audio?.hasNoLayout == nil)
    }
}
