import Foundation
import Media
import TestSupport
import Testing
import Values

/// Motion JPEG whose frames lack tables: what is shown does not depend on what was read before.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct JPEGTablesTests {
    let lab: Lab

    init() throws { lab = try Lab() }

    /// A JPEG's segments of one kind before its scan, and the rest.
    private static func split(_ image: [UInt8], _ marker: UInt8) -> (taken: [UInt8], rest: [UInt8]) {
        var (taken, rest, position): ([UInt8], [UInt8], Int) = ([], Array(image[..<2]), 2)
        while image[position + 1] != 0xDA {
            let end = position + 2 + Int(image[position + 2]) << 8 + Int(image[position + 3])
            if image[position + 1] == marker {
                taken += image[position..<end]
            } else {
                rest += image[position..<end]
            }
            position = end
        }
        return (taken, rest + image[position...])
    }

    /// Frames 0, 5 and 12 have tables of their own, which differ; the others have none.
    private func film(without marker: UInt8) throws -> String {
        var stream: [UInt8] = []
        for frame in 0..<20 {
            let quality = frame == 5 ? "31" : frame == 12 ? "12" : "3"
            let path = try lab.make(
                "f\(frame).jpg", "-f", "lavfi", "-i", "testsrc2=s=160x96:r=25", "-vf", "select=eq(n\\,\(frame))",
                "-frames:v", "1", "-q:v", quality, "-huffman", "default", "-update", "1")
            let image = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
            stream += [0, 5, 12].contains(frame) ? image : Self.split(image, marker).rest
        }
        let raw = try lab.write("all.mjpeg", stream)
        let film = lab.path("film.mov")
        try FFmpeg.run(["-f", "mjpeg", "-framerate", "25", "-i", raw, "-c", "copy", film])
        return film
    }

    private static func hash(_ picture: Picture) -> Int {
        var hasher = Hasher()
        for row in 0..<picture.height {
            hasher.combine(
                bytes: UnsafeRawBufferPointer(
                    start: picture.plane(0) + row * picture.stride(0), count: picture.width))
        }
        return hasher.finalize()
    }

    @Test(arguments: [UInt8(0xDB), 0xC4]) func everyOrderShowsTheSame(_ marker: UInt8) throws {
        let path = try film(without: marker)
        let info = try Probe.probe(path: path)
        func shown(_ reader: VideoReader, _ frame: Int, _ direction: VideoReader.Direction = .forwards) throws -> Int {
            Self.hash(
                try reader.picture(before: Time(middleOfFrame: frame, rate: Rational(25)), playing: direction))
        }
        let whole = try VideoReader(path: path, info: info)
        let forwards = try (0..<20).map { try shown(whole, $0) }
        #expect(Set(forwards).count > 10)
        for frame in 0..<20 {
            let fresh = try VideoReader(path: path, info: info)
            #expect(try shown(fresh, frame) == forwards[frame], "\(frame)")
        }
        let back = try VideoReader(path: path, info: info, windowBudget: 1)
        for frame in (0..<20).reversed() {
            #expect(try shown(back, frame, .backwards) == forwards[frame], "\(frame)")
        }
        var generator = SplitMix64(seed: 27)
        let jumping = try VideoReader(path: path, info: info)
        for frame in (0..<20).shuffled(using: &generator) {
            #expect(try shown(jumping, frame) == forwards[frame], "\(frame)")
        }
    }

    /// Tables hold until they are redefined (ITU-T T.81, B.2.4.1): a frame without its own is shown
    /// as the tables before it were meant, which is what ffmpeg shows that reads from the start.
    @Test func theLastTablesHold() throws { try checkLastTables("mov") }

    @Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct Sweep {
        @Test(arguments: ["avi", "mkv"]) func theLastTablesHold(_ suffix: String) throws {
            try JPEGTablesTests().checkLastTables(suffix)
        }
    }

    private func checkLastTables(_ suffix: String) throws {
        let path = try changing(suffix)
        let info = try Probe.probe(path: path)
        for order in [Array(0..<20), Array((0..<20).reversed()), [17], [8, 3, 14]] {
            let reader = try VideoReader(path: path, info: info)
            for frame in order {
                let middle = Time(middleOfFrame: frame, rate: Rational(25))
                let picture = try reader.picture(before: middle, playing: .forwards)
                let right = try Lab.rawFrame(lab.path("c\(frame).jpg"), filter: "null", format: "yuvj420p")
                let shown = (0..<96).flatMap { row in
                    Array(UnsafeBufferPointer(start: picture.plane(0) + row * picture.stride(0), count: 160))
                }
                #expect(shown == Array(right[..<(160 * 96)]), "\(frame)")
            }
        }
    }

    /// Frames 0 to 5, 6 to 12 and those from 13 on have three qualities; the first frame of each
    /// has tables.
    private func changing(_ suffix: String) throws -> String {
        var stream: [UInt8] = []
        for frame in 0..<20 {
            let quality = frame < 6 ? "3" : frame < 13 ? "31" : "12"
            let path = try lab.make(
                "c\(frame).jpg", "-f", "lavfi", "-i", "testsrc2=s=160x96:r=25", "-vf", "select=eq(n\\,\(frame))",
                "-frames:v", "1", "-q:v", quality, "-huffman", "default", "-update", "1")
            let image = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
            stream += [0, 6, 13].contains(frame) ? image : Self.split(image, 0xDB).rest
        }
        let raw = try lab.write("changing.mjpeg", stream)
        let film = lab.path("changing.\(suffix)")
        try FFmpeg.run(["-f", "mjpeg", "-framerate", "25", "-i", raw, "-c", "copy", film])
        return film
    }
}
