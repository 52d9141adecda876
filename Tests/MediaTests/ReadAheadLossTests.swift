import Foundation
import Media
import TestSupport
import Testing
import Values

/// Damage in the first seconds, which libav reads while it analyses the streams, is reported like
/// any other.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct ReadAheadLossTests {
    let lab: Lab

    init() throws { lab = try Lab() }

    private static let materials: [[String]] = [
        ["a.asf", "-c:v", "wmv2", "-c:a", "wmav2"], ["a.flv", "-c:v", "flv1", "-c:a", "libmp3lame"],
        ["a.nut", "-c:v", "mpeg4", "-c:a", "libmp3lame"], ["a.avi", "-c:v", "mpeg4", "-c:a", "libmp3lame"],
        ["a.mkv", "-c:v", "mpeg4", "-c:a", "libmp3lame", "-cluster_time_limit", "500"],
    ]

    private func damage(_ path: String) throws -> (picture: Int, sound: [Range<Time>]) {
        let info = try Probe.probe(path: path)
        let pictures = try VideoReader(path: path, info: info)
        let count = try (0..<500).count { frame in
            _ = try pictures.picture(before: Time(middleOfFrame: frame, rate: Rational(25)), playing: .forwards)
            return pictures.damage != nil
        }
        let sounds = try AudioReader(path: path, info: info, sampleRate: 48_000, channels: 1)
        var found: [Range<Time>] = []
        for start in stride(from: 0, to: 20 * 48_000, by: 48_000) {
            _ = try sounds.samples(from: start, count: 48_000, channels: 1)
            found += sounds.damage
        }
        return (count, found)
    }

    @Test(arguments: materials) func isReported(_ material: [String]) throws {
        let path = try lab.make(
            material[0],
            [
                "-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=20", "-f", "lavfi", "-i",
                "anoisesrc=d=20:a=0.2:r=44100:seed=3",
            ] + material.dropFirst())
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        let intact = try damage(path)
        #expect(intact.picture == 0 && intact.sound.isEmpty, "\(intact)")
        for share in [0.06, 0.8] {
            var bytes = whole
            let place = Int(Double(whole.count) * share)
            bytes.replaceSubrange(place..<place + 3000, with: Data(repeating: 0x11, count: 3000))
            try bytes.write(to: URL(fileURLWithPath: path))
            let found = try damage(path)
            #expect(found.picture > 0 || !found.sound.isEmpty, "\(share)")
            // A packet whose container does not say how long it is has a length all the same.
            let longest = found.sound.map { ($0.upperBound - $0.lowerBound).seconds }.max()
            #expect(longest.map { $0 > 0.01 } ?? true, "\(share): \(found.sound)")
        }
    }
}
