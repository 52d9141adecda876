import Delivery
import Foundation
import Media
import TestSupport
import Testing
import Values

/// What a finished file says of its colours: in the container and, for players that look only
/// there, in the stream.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct OutputColorTests {
    let lab: Lab

    init() throws { lab = try Lab() }

    @Test(arguments: [ExportSettings.Container.mp4, .mov]) func containerAndStreamSayBT709(
        _ container: ExportSettings.Container
    ) throws {
        let encoding = VideoEncoding(quality: 30, keyFrameInterval: 10, preset: "ultrafast")
        let picture = try Picture(width: 64, height: 64, format: .yuv420p)
        for plane in 0..<3 {
            let rows = picture.size(ofPlane: plane).height
            picture.plane(plane).update(repeating: 120, count: rows * picture.stride(plane))
        }
        let encoder = try SegmentEncoder(
            path: lab.path("segment.mp4"), encoding: encoding, width: 64, height: 64, frameRate: Rational(25))
        for _ in 0..<3 { try encoder.append(picture) }
        _ = try encoder.finish()
        let file = lab.path("out.\(container.rawValue)")
        try Assembler.assemble(
            segments: [Assembler.Segment(path: lab.path("segment.mp4"), frameCount: 3)], sound: nil,
            output: file,
            container: container, indexFirst: true, frameRate: Rational(25))
        // ISO/IEC 14496-12, 12.1.5: ‘nclx’, primaries, transfer, matrix, and in the last byte's top
        // bit full range; QuickTime's ‘nclc’ has no range. 1 is BT.709 in each.
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        let kind = container == .mov ? "nclc" : "nclx"
        let wanted = Data("colr\(kind)".utf8) + Data([0, 1, 0, 1, 0, 1] + (container == .mov ? [] : [0]))
        #expect(bytes.range(of: wanted) != nil, "no such colr atom")
        // The stream without its container.
        let stream = try lab.make("bare.h264", "-i", file, "-c", "copy", "-bsf:v", "h264_mp4toannexb")
        let tags = try FFmpeg.probe(stream, "stream=color_range,color_space,color_transfer,color_primaries")
        #expect(tags.split(separator: "\n") == ["tv", "bt709", "bt709", "bt709"])
    }
}
