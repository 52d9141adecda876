import CFFmpeg
import Foundation
import TestSupport
import Testing
import Values

@testable import Media

/// What an earlier opening of a file found out must give what a new analysis gives.
@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct StreamAnalysisTests {
    let lab: Lab

    init() throws { lab = try Lab() }

    private static let materials: [[String]] = [
        ["reordered.mp4", "-c:v", "libx264", "-g", "12", "-bf", "3", "-c:a", "aac"],
        ["open.mp4", "-c:v", "libx264", "-g", "12", "-x264-params", "open-gop=1", "-c:a", "mp3"],
        ["ordered.mov", "-c:v", "libx264", "-bf", "0", "-c:a", "pcm_s16le"],
        ["fields.mp4", "-c:v", "libx264", "-flags", "+ildct+ilme", "-c:a", "ac3"],
        ["late.mp4", "-c:v", "libx264", "-g", "12", "-c:a", "aac", "-output_ts_offset", "0.7"],
        ["fragments.mp4", "-c:v", "libx264", "-g", "12", "-c:a", "aac", "-movflags", "frag_keyframe+empty_moov"],
        ["hevc.mp4", "-c:v", "libx265", "-x265-params", "log-level=none:keyint=12", "-c:a", "libopus"],
        ["mpeg4.mp4", "-c:v", "mpeg4", "-g", "12", "-bf", "2", "-c:a", "aac"],
        ["still.mov", "-c:v", "png", "-c:a", "alac"],
    ]

    private func make(_ material: [String]) throws -> String {
        try lab.make(
            material[0],
            ["-f", "lavfi", "-i", "testsrc2=s=160x96:r=25:d=2", "-f", "lavfi", "-i", "sine=d=2:r=48000"]
                + material.dropFirst())
    }

    private static func open(_ path: String) throws -> Demuxer { try Demuxer(path: path) { _ in } }

    /// Everything that is read of a stream besides its packets.
    private static func description(_ stream: Demuxer.Stream?) -> String {
        guard let stream else { return "none" }
        let (raw, parameters) = (stream.raw.pointee, stream.parameters.pointee)
        let extradata = UnsafeBufferPointer(start: parameters.extradata, count: Int(parameters.extradata_size))
        let numbers: [Any] = [
            stream.index, parameters.codec_id, parameters.format, parameters.profile, parameters.level,
            parameters.width, parameters.height, parameters.field_order, parameters.color_range,
            parameters.color_primaries, parameters.color_trc, parameters.color_space, parameters.chroma_location,
            parameters.video_delay, parameters.sample_rate, parameters.ch_layout.nb_channels, parameters.frame_size,
            parameters.initial_padding, parameters.trailing_padding, parameters.seek_preroll, parameters.block_align,
            parameters.bits_per_raw_sample, parameters.sample_aspect_ratio, raw.sample_aspect_ratio,
            raw.avg_frame_rate, raw.r_frame_rate, raw.start_time, raw.duration, raw.nb_frames, raw.time_base,
            String(describing: stream.start), String(cString: stream.decoder.pointee.name), Array(extradata),
        ]
        return numbers.map { "\($0)" }.joined(separator: " ")
    }

    private static func packets(_ demuxer: Demuxer, most: Int = .max) throws -> [String] {
        let packet = try Packet()
        var found: [String] = []
        while found.count < most, try demuxer.read(into: packet) {
            let (raw, content) = (packet.raw.pointee, Array(packet.content))
            let side = (0..<Int(raw.side_data_elems)).map { index in
                let data = raw.side_data[index]
                return "\(data.type.rawValue):\(Array(UnsafeBufferPointer(start: data.data, count: data.size)))"
            }
            found.append(
                "\(raw.stream_index) \(raw.pts) \(raw.dts) \(raw.duration) \(raw.flags) \(raw.pos) \(content) \(side)")
        }
        return found
    }

    @Test(arguments: materials.prefix(4)) func anEarlierAnalysisGivesTheSame(_ material: [String]) throws {
        try checkAnalysis(material)
    }

    @Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct Sweep {
        @Test(arguments: materials.dropFirst(4)) func anEarlierAnalysisGivesTheSame(_ material: [String]) throws {
            try StreamAnalysisTests().checkAnalysis(material)
        }
    }

    private func checkAnalysis(_ material: [String]) throws {
        let path = try make(material)
        let analysed = try Self.open(path)
        let stamp = try #require(analysed.file.stamp)
        #expect(StreamAnalysis.knows(stamp))
        let recalled = try Self.open(path)
        #expect(recalled.origin == analysed.origin)
        #expect(Self.description(recalled.video) == Self.description(analysed.video))
        #expect(Self.description(recalled.audio) == Self.description(analysed.audio))
        #expect(recalled.audioTracks.map(Self.description) == analysed.audioTracks.map(Self.description))
        let expected = try Self.packets(analysed)
        #expect(expected.count > 20)
        #expect(try Self.packets(recalled) == expected)
        for track in [analysed.video, analysed.audio].compactMap({ $0 }) {
            for tenth in 0..<10 {
                let target = track.ticks(Time(flicks: Time.flicksPerSecond / 5 * Int64(tenth)))
                let stream = try #require(recalled.stream(track.index))
                #expect(recalled.seek(stream, to: target) == analysed.seek(track, to: target))
                #expect(try Self.packets(recalled, most: 40) == Self.packets(analysed, most: 40), "at \(target)")
            }
        }
    }

    /// Another version of a file has another analysis, whatever its size is.
    @Test func aChangedFileIsAnalysedAnew() throws {
        let path = try make(Self.materials[0])
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        let stamp = try #require(try Self.open(path).file.stamp)
        Thread.sleep(forTimeInterval: 0.05)
        // The profile in avcC: Main instead of High.
        let marker = Array("avcC".utf8)
        let start = try #require(bytes.indices.dropLast(8).first { Array(bytes[$0..<$0 + 4]) == marker })
        var changed = bytes
        changed[start + 5] = 77
        _ = try lab.write(Self.materials[0][0], changed)
        let other = try Self.open(path)
        #expect(other.file.stamp != stamp)
        let extradata = try #require(other.video).parameters.pointee.extradata
        #expect(extradata?[1] == 77)
    }

    /// libav may find something else in a file with errors each time, and says so each time.
    @Test func nothingIsKnownOfADamagedFile() throws {
        let path = try make(["damaged.mp4", "-c:v", "libx264", "-g", "12", "-c:a", "aac"])
        var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        let first = try #require(try Lab.packetRanges(path).first)
        for index in first.dropFirst(40) where index % 3 == 0 { bytes[index] ^= 0x55 }
        let damaged = try Self.open(try lab.write("damaged-too.mp4", bytes))
        #expect(!StreamAnalysis.knows(try #require(damaged.file.stamp)))
    }
}
