import Draft
import Foundation
import TestSupport
import Testing

@testable import Media

/// Small files that would take gigabytes.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct HostileMediaTests {
    let lab: Lab

    init() throws { lab = try Lab() }

    private func refusal(_ path: String) -> MediaError? {
        thrown { () throws(MediaError) in _ = try Probe.probe(path: path) }
    }

    // MARK: Sound

    /// A WAVE file of 16-bit sound with any numbers in its header.
    private static func wave(sampleRate: Int, channels: Int, bytes: Int = 40_000) -> [UInt8] {
        func number(_ value: Int, _ width: Int) -> [UInt8] {
            (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let block = channels * 2
        let form =
            number(1, 2) + number(channels, 2) + number(sampleRate, 4) + number(sampleRate * block, 4)
            + number(block, 2)
            + number(16, 2)
        return Array("RIFF".utf8) + number(36 + bytes, 4) + Array("WAVEfmt ".utf8) + number(16, 4) + form
            + Array("data".utf8) + number(bytes, 4) + (0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    }

    @Test(arguments: [(1, 1), (999, 1), (768_001, 2), (48_000, 65)])
    func `sound at rates and with channels that no recording has is refused`(rate: Int, channels: Int) throws {
        let path = try lab.write("odd.wav", Self.wave(sampleRate: rate, channels: channels))
        let error = try #require(refusal(path))
        #expect(error.code == .unsupported)
        #expect(
            error.reason
                == "it has \(channels) \(channels == 1 ? "channel" : "channels") at \(rate) Hz, but must have 1 to 64 channels at 1000 to 768000 Hz"
        )
    }

    @Test(arguments: [1000, 8000, 192_000, 768_000]) func `sound at rare rates is read`(rate: Int) throws {
        let path = try lab.write("rare.wav", Self.wave(sampleRate: rate, channels: 1))
        #expect(try Probe.probe(path: path).audio?.sampleRate == rate)
    }

    // MARK: PNG

    /// A zlib stream of `count` × 258 + 1 bytes: a literal, and copies of it, in the fixed code of
    /// RFC 1951.
    private static func bomb(_ count: Int, isChecked: Bool = true) -> [UInt8] {
        var (bytes, bits, width) = ([UInt8]([0x78, 0x01]), 0, 0)
        func put(_ value: Int, _ count: Int) {
            bits |= value << width
            width += count
            while width >= 8 {
                bytes.append(UInt8(bits & 255))
                bits >>= 8
                width -= 8
            }
        }
        /// Huffman codes go in from their most significant bit.
        func put(code: Int, _ count: Int) { for bit in (0..<count).reversed() { put(code >> bit & 1, 1) } }
        put(1, 1)
        put(1, 2)
        put(code: 0x30 + 97, 8)
        for _ in 0..<count {
            put(code: 0xC0 + 5, 8)
            put(code: 0, 5)
        }
        put(code: 0, 7)
        put(0, 7)
        return bytes + (isChecked ? checksum(count * 258 + 1) : [0, 0, 0, 0])
    }

    /// Adler-32 (RFC 1950) of as many letters a.
    private static func checksum(_ count: Int) -> [UInt8] {
        var (a, b) = (1, 0)
        for _ in 0..<count {
            a = (a + 97) % 65_521
            b = (b + a) % 65_521
        }
        return [b >> 8, b & 255, a >> 8, a & 255].map { UInt8($0) }
    }

    /// Puts a chunk before the picture. Its check sum is wrong, which matters to no reader of it
    /// here.
    private func png(_ name: String, _ kind: String, _ content: [UInt8]) throws -> String {
        let path = try lab.make(name, ["-f", "lavfi", "-i", "testsrc=s=64x48", "-frames:v", "1"])
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        let length = (0..<4).map { UInt8(truncatingIfNeeded: content.count >> (24 - 8 * $0)) }
        return try lab.write(
            "with-" + name, bytes[..<33] + length + Array(kind.utf8) + content + [0, 0, 0, 0] + bytes[33...])
    }

    @Test func `the size of a stream is counted`() throws {
        #expect(InflatedSize.count(Self.bomb(0)[...], limit: 1000) == 1)
        #expect(InflatedSize.count(Self.bomb(3)[...], limit: 1000) == 775)
        #expect(InflatedSize.count(Self.bomb(100)[...], limit: 1000) > 1000)
        for damaged in [[], [0x78], [0x78, 0x01], [0x78, 0x01, 0xFF, 0xFF], Array(Self.bomb(50).prefix(20))] {
            #expect(InflatedSize.count(damaged[...], limit: 100_000) <= 258 * 20)
        }
        Seed.rounds(300, of: "deflate streams of noise") { name, random in
            var random = random
            let noise = (0..<Int.random(in: 0...400, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            #expect(InflatedSize.count(([0x78, 0x01] + noise)[...], limit: 5000) <= 5000 + 65_535, "\(name)")
        }
        // A picture's own data, by a real compressor: a filter byte and three bytes for each pixel.
        for (source, width, height) in [("testsrc", 320, 240), ("color", 64, 64), ("mandelbrot", 200, 100)] {
            let path = try lab.make(
                "\(source).png",
                ["-f", "lavfi", "-i", "\(source)=s=\(width)x\(height)", "-frames:v", "1", "-pix_fmt", "rgb24"])
            let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
            var (position, stream) = (8, [UInt8]())
            while position + 12 <= bytes.count {
                let length = bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
                if bytes[position + 4..<position + 8].elementsEqual("IDAT".utf8) {
                    stream += bytes[position + 8..<position + 8 + length]
                }
                position += 12 + length
            }
            #expect(InflatedSize.count(stream[...], limit: .max) == height * (1 + 3 * width), "\(source)")
        }
    }

    @Test(
        arguments: [("zTXt", [97, 0, 0]), ("iCCP", [97, 0, 0]), ("iTXt", [97, 0, 1, 0, 0, 0])] as [(String, [UInt8])])
    func `compressed chunks of a PNG are bounded`(kind: String, head: [UInt8]) throws {
        let large = try png("\(kind).png", kind, head + Self.bomb(270_000, isChecked: false))
        let error = try #require(refusal(large))
        #expect(error.code == .unsupported)
        #expect(
            error.reason == "its compressed texts and colour profile would take more than 64 MiB; save it without them")
        #expect(throws: MediaError.self) { try ImageFile.load(path: large) }
        let small = try png("small-\(kind).png", kind, head + Self.bomb(5000))
        #expect(try Probe.probe(path: small).video?.width == 64)
    }

    // MARK: Large pictures

    @Test func `an animation whose canvases take too much is refused before one is made`() throws {
        func number(_ value: Int, _ width: Int) -> [UInt8] {
            (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let frame = [UInt8](repeating: 0, count: 12) + number(100, 3) + [0]
        let body =
            Array("WEBPVP8X".utf8) + number(10, 4) + [0x02, 0, 0, 0] + number(16_382, 3) + number(7999, 3)
            + Array("ANMF".utf8) + number(frame.count, 4) + frame
        let path = try lab.write("large.webp", Array("RIFF".utf8) + number(body.count, 4) + body)
        let error = try #require(refusal(path))
        #expect(error.code == .overBudget)
        #expect(
            error.reason
                == "its pictures take 2499 MiB while they are read, and 2048 MiB is the limit; "
                + "make it smaller, or use it less often at a time")
    }

    /// 40 frames of 1.2 MB do not fit into the window of other files.
    @Test func `an animation that plays backwards is decoded once`() throws {
        let path = try lab.make(
            "long.webp",
            [
                "-f", "lavfi", "-i", "testsrc=s=640x480:r=20:d=2", "-c:v", "libwebp_anim", "-lossless", "1", "-quality",
                "0",
            ])
        let info = try Probe.probe(path: path)
        let source = try VideoReader(path: path, info: info)
        for frame in (0..<40).reversed() {
            let picture = try source.picture(
                before: Time(frame: frame, rate: Rational(20)) + Time(flicks: 1000), playing: .backwards)
            #expect(picture.time == Time(frame: frame, rate: Rational(20)), "frame \(frame)")
        }
        #expect((source.reader as? AnimatedWebPReader)?.decodedFrames == 40)
    }

    @Test func `all open files share one budget`() throws {
        let memory = PictureMemory()
        let gif = PictureMemory.need(width: 11_000, height: 11_000, 4, frames: 4)
        var first: PictureMemory.Share? = try memory.reserve(gif, path: "/a.gif")
        let error = try #require(
            thrown { () throws(MediaError) in _ = try memory.reserve(gif, path: "/a.gif") })
        #expect(error.code == .overBudget)
        #expect(
            error.description
                == "cannot read the picture of ‘/a.gif’: its pictures take 1846 MiB while they are read, beside 1846 MiB of "
                + "other files that are shown with it, and 2048 MiB is the limit; make it smaller, or use it less often at a time"
        )
        let film = PictureMemory.need(width: 1920, height: 1080, 2, frames: 4)
        let others = try (0..<10).map { _ in try memory.reserve(film, path: "/b.mp4") }
        #expect(others.count == 10 && first != nil)
        first = nil
        _ = try memory.reserve(gif, path: "/a.gif")
    }
}
