import Draft
import Foundation
import Media
import TestSupport
import Testing

/// Small JPEGs with other bytes behind their end mark, as phones write them.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct TrailingBytesTests {
    @Test func areReadOver() throws {
        let lab = try Lab()
        let path = try lab.make(
            "a.jpg", "-f", "lavfi", "-i", "testsrc2=s=64x48", "-frames:v", "1", "-q:v", "20", "-update", "1")
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        let right = try Self.bytes(path)
        let film = try lab.make("a.mp4", "-f", "lavfi", "-i", "testsrc2=s=64x48:d=0.2", "-c:v", "libx264")
        var generator = SplitMix64(seed: 17)
        let tails = [
            whole, try Data(contentsOf: URL(fileURLWithPath: film)), Data(repeating: 0, count: 5000),
            Data((0..<5000).map { _ in UInt8.random(in: 0...255, using: &generator) }),
        ]
        for (number, tail) in tails.enumerated() {
            try (whole + tail).write(to: URL(fileURLWithPath: path))
            let info = try Probe.probe(path: path)
            #expect(info.kind == .image && info.video?.width == 64 && info.isTruncated == nil, "\(number)")
            #expect(try Self.bytes(path) == right, "\(number)")
        }
    }

    private static func bytes(_ path: String) throws -> [UInt8] {
        let picture = try StoredPicture(path: path).picture
        return (0..<picture.height).flatMap { row in
            Array(UnsafeBufferPointer(start: picture.plane(0) + row * picture.stride(0), count: picture.width))
        }
    }
}
