import Delivery
import Foundation
import Media
import TestSupport
import Testing
import Values

/// Files of an HDR canvas: 10 bits, and what container and stream say of them.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct HDROutputTests {
    let lab: Lab

    init() throws { lab = try Lab() }

    private func picture() throws -> Picture {
        let picture = try Picture(width: 64, height: 64, format: .yuv420p10)
        for plane in 0..<3 {
            let count = picture.size(ofPlane: plane).height * picture.stride(plane) / 2
            UnsafeMutableRawPointer(picture.plane(plane)).assumingMemoryBound(to: UInt16.self)
                .update(repeating: plane == 0 ? 601 : 513, count: count)
        }
        return picture
    }

    private func write(_ encoding: VideoEncoding, _ container: ExportSettings.Container) throws -> String {
        let segment = lab.path("segment")
        let encoder = try SegmentEncoder(
            path: segment, encoding: encoding, width: 64, height: 64, frameRate: Rational(25))
        for _ in 0..<3 { try encoder.append(try picture()) }
        _ = try encoder.finish()
        let file = lab.path("out.\(container.rawValue)")
        try Assembler.assemble(
            segments: [Assembler.Segment(path: segment, frameCount: 3)], sound: nil, output: file,
            container: container, color: encoding.color, indexFirst: true, frameRate: Rational(25))
        return file
    }

    static let cases: [(VideoCodec, ExportSettings.Container, String?, pixels: String, profile: String)] = [
        (.hevc, .mp4, nil, "yuv420p10le", "Main 10"), (.hevc, .mov, nil, "yuv420p10le", "Main 10"),
        (.hevc, .mkv, nil, "yuv420p10le", "Main 10"), (.h264, .mp4, nil, "yuv420p10le", "High 10"),
        (.vp9, .webm, nil, "yuv420p10le", "Profile 2"), (.vp9, .mp4, nil, "yuv420p10le", "Profile 2"),
        (.av1, .mp4, nil, "yuv420p10le", "Main"), (.av1, .webm, nil, "yuv420p10le", "Main"),
        (.prores, .mov, "hq", "yuv422p10le", "HQ"),  // FFmpeg decodes this profile with twelve bits.
        (.prores, .mov, "4444", "yuv444p12le", "4444"),
    ]

    /// A few kinds of files, each in one of the two systems.
    @Test(arguments: Array(cases.indices).every(3)) func fileHasTenBitsAndSaysWhatTheyAre(_ index: Int) throws {
        try expectTenBits(index, index % 2 == 0 ? .hlg : .pq)
    }

    /// Every kind of file in both systems.
    @Suite struct Sweep {
        @Test(arguments: cases.indices, [ColorSystem.hlg, .pq])
        func fileHasTenBitsAndSaysWhatTheyAre(_ index: Int, _ color: ColorSystem) throws {
            try HDROutputTests().expectTenBits(index, color)
        }
    }

    private func expectTenBits(_ index: Int, _ color: ColorSystem) throws {
        let (codec, container, profile, pixels, name) = Self.cases[index]
        let encoding = VideoEncoding(
            codec: codec, quality: codec.quality.map { max(4, $0.range.lowerBound) }, keyFrameInterval: 10,
            profile: profile,
            preset: codec.presets.isEmpty ? nil : "ultrafast", color: color)
        let file = try write(encoding, container)
        let transfer = color == .hlg ? "arib-std-b67" : "smpte2084"
        #expect(try FFmpeg.probe(file, "stream=profile") == name)
        let tags = try FFmpeg.probe(file, "stream=pix_fmt,color_range,color_space,color_transfer,color_primaries")
        #expect(tags.split(separator: "\n") == [Substring(pixels), "tv", "bt2020nc", Substring(transfer), "bt2020"])
        func verify(_ color: ColorSystem) throws {
            try Verifier.verify(
                path: file, container: container, color: color, frames: 3, frameRate: Rational(25), samples: nil,
                sampleRate: 48_000,
                width: 64, height: 64)
        }
        try verify(color)
        #expect(throws: MediaError.self) { try verify(.sdr) }
        #expect(throws: MediaError.self) { try verify(color == .hlg ? .pq : .hlg) }
        // Grey of 10 bits comes back: not a code of 8 bits with zeros behind it.
        let raw = try FFmpeg.run(["-i", file, "-pix_fmt", "yuv420p10le", "-f", "rawvideo", "-"]).stdout
        let (luma, chroma) = (Int(raw[0]) | Int(raw[1]) << 8, Int(raw[2 * 64 * 64]) | Int(raw[2 * 64 * 64 + 1]) << 8)
        #expect(abs(luma - 601) <= 2 && abs(chroma - 513) <= 2, "\(luma), \(chroma)")
        // The stream without its container.
        guard codec == .h264 || codec == .hevc, container == .mp4 else { return }
        let bare = try lab.make(
            "bare.\(codec.rawValue)", "-i", file, "-c", "copy", "-bsf:v", "\(codec.rawValue)_mp4toannexb")
        let own = try FFmpeg.probe(bare, "stream=color_range,color_space,color_transfer,color_primaries")
        #expect(own.split(separator: "\n") == ["tv", "bt2020nc", Substring(transfer), "bt2020"])
    }

    @Test func losslessIsLossless() throws {
        for codec in [VideoCodec.h264, .hevc, .vp9] {
            let file = try write(
                VideoEncoding(codec: codec, quality: 0, keyFrameInterval: 10, preset: "ultrafast", color: .pq),
                codec == .vp9 ? .webm : .mp4)
            let raw = try FFmpeg.run(["-i", file, "-pix_fmt", "yuv420p10le", "-f", "rawvideo", "-"]).stdout
            #expect(
                raw.prefix(2 * 64 * 64) == Data((0..<2 * 64 * 64).map { UInt8($0 % 2 == 0 ? 601 & 255 : 601 >> 8) }),
                "\(codec)")
        }
    }

    /// Two canvases are never mixed up, and what has 8 bits is refused.
    @Test func wrongDepthIsRefused() throws {
        for codec in [VideoCodec.png, .jpeg] {
            let encoding = VideoEncoding(
                codec: codec, quality: codec == .jpeg ? 2 : nil, keyFrameInterval: 1, color: .hlg)
            #expect(throws: MediaError.self) { try write(encoding, .mp4) }
        }
        let encoder = try SegmentEncoder(
            path: lab.path("segment"), encoding: VideoEncoding(quality: 20, keyFrameInterval: 10, color: .hlg),
            width: 64, height: 64,
            frameRate: Rational(25))
        #expect(throws: MediaError.self) { try encoder.append(try Picture(width: 64, height: 64, format: .yuv420p)) }
        #expect(throws: MediaError.self) {
            _ = try SegmentEncoder(
                path: lab.path("other"),
                encoding: VideoEncoding(quality: 20, keyFrameInterval: 10, profile: "baseline", color: .hlg),
                width: 64, height: 64, frameRate: Rational(25))
        }
    }
}
