import CFFmpeg
import Foundation
import TestSupport
import Testing
import Values

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

    /// A zlib stream of 2 GiB in 13 MB: a letter and copies of it, 258 at a time, in the fixed code
    /// of RFC 1951. Eight copies take 13 bytes.
    private static let bomb: [UInt8] = {
        var (bytes, bits, width) = ([UInt8]([0x78, 0x01]), 0, 0)
        func put(_ code: Int, _ count: Int) {
            for bit in (0..<count).reversed() {
                bits |= (code >> bit & 1) << width
                width += 1
                guard width == 8 else { continue }
                bytes.append(UInt8(bits))
                (bits, width) = (0, 0)
            }
        }
        put(0b110, 3)
        put(0x30 + 97, 8)
        while bytes.count < 30 {
            put(0xC0 + 5, 8)
            put(0, 5)
        }
        let round = Array(bytes[4..<17])
        precondition(Array(bytes[17..<30]) == round)
        return Array(bytes[..<4]) + (0..<1_040_000).flatMap { _ in round }
    }()

    /// Puts a chunk before the picture. Its check sum is wrong, which matters to no reader of it
    /// here.
    /// - Parameter before: a chunk that is put before it.
    private func png(_ name: String, _ kind: String, _ content: [UInt8], before: [UInt8]) throws -> String {
        let path = try lab.make(name, ["-f", "lavfi", "-i", "testsrc=s=64x48", "-frames:v", "1"])
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        let length = (0..<4).map { UInt8(truncatingIfNeeded: content.count >> (24 - 8 * $0)) }
        return try lab.write(
            "with-" + name, bytes[..<33] + before + length + Array(kind.utf8) + content + [0, 0, 0, 0] + bytes[33...])
    }

    private static let compressedChunks: [(String, [UInt8])] = [
        ("zTXt", [97, 0, 0]), ("iCCP", [97, 0, 0]), ("iTXt", [97, 0, 1, 0, 0, 0]),
    ]

    /// Runs where a process may have little memory.
    private static func readInOneGigabyte(_ path: String) -> Bool {
        var limit = rlimit(rlim_cur: 1 << 30, rlim_max: 1 << 30)
        setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
        return (try? Probe.probe(path: path))?.video?.width == 64 && (try? ImageFile.load(path: path)) != nil
    }

    @Test(.enabled(if: !Sanitizer.isActive, Sanitizer.countsItself), arguments: compressedChunks)
    func `compressed chunks of a PNG are not inflated`(kind: String, head: [UInt8]) async throws {
        // A chunk of an odd name hides nothing behind it.
        let path = try png("\(kind).png", kind, head + Self.bomb, before: [0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0])
        await #expect(processExitsWith: .success) { [path = path as String] in
            exit(Self.readInOneGigabyte(path) ? 0 : 1)
        }
    }

    /// A picture in a film, and the header of an animation.
    @Test func `kinds of compressed chunks are changed, and nothing else`() throws {
        let packet = try Packet()
        let picture = try png("mov.png", "zTXt", [97, 0, 0, 1, 2, 3], before: [])
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: picture)))
        #expect(av_new_packet(packet.raw, Int32(bytes.count)) == 0)
        packet.raw.pointee.data.update(from: bytes, count: bytes.count)
        #expect(PNGChunks.disarm(packet))
        var expected = bytes
        expected.replaceSubrange(37..<41, with: Array("skIp".utf8))
        #expect(Array(packet.content) == expected)
        // Damage ends the walk, as it does in libav.
        for cut in 0..<60 {
            Array(bytes.prefix(cut)).withUnsafeBufferPointer { part in
                #expect(PNGChunks.places(in: part) == (cut >= 47 ? [37] : []), "\(cut)")
            }
        }
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
                == "its pictures take 2499 MiB while they are read, and 2048 MiB is the limit; make it smaller")
    }

    @Test(arguments: [
        (20_000, 10_000, "it may have 128 megapixels"), (40_000, 8, "neither side may be longer than 32767"),
    ])
    func `a picture that is too large is refused with its limit`(width: Int, height: Int, rule: String) throws {
        func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
        let small = try lab.make("small.png", ["-f", "lavfi", "-i", "testsrc=s=64x48", "-frames:v", "1"])
        var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: small)))
        bytes.replaceSubrange(16..<24, with: number(width) + number(height))
        let error = try #require(refusal(try lab.write("large.png", bytes)))
        #expect(error.code == .unsupported)
        #expect(error.reason == "its picture is \(width)×\(height) pixels, and \(rule); make it smaller")
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

    /// Frames that are decoded ahead are within the budget, and give way to files.
    @Test func `what is decoded ahead takes only what files leave`() throws {
        let lab = try Lab()
        let film = try Probe.probe(path: try lab.make("a.mp4", ["-f", "lavfi", "-i", "testsrc=s=64x64:d=0.2"]))
        let memory = PictureMemory()
        let frame = 64 * 64 * 2
        let rest = 10 * frame
        var file: PictureMemory.Share? = try memory.reserve(PictureMemory.limit - rest, path: "/b.mov")
        var ahead = [try #require(memory.reserveSpare(6, of: film)), try #require(memory.reserveSpare(4, of: film))]
        #expect(memory.reserveSpare(1, of: film) == nil && memory.hasSpare)
        // A file is opened all the same, and what is ahead has to go.
        let other = try memory.reserve(4 * frame, path: "/c.mov")
        #expect(!memory.hasSpare)
        ahead.removeLast()
        #expect(memory.hasSpare && memory.reserveSpare(1, of: film) == nil)
        let error = thrown { () throws(MediaError) in _ = try memory.reserve(7 * frame, path: "/d.mov") }
        #expect(error?.code == .overBudget)
        file = nil
        #expect(memory.reserveSpare(100, of: film) != nil && file == nil)
        withExtendedLifetime((other, ahead)) {}
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
