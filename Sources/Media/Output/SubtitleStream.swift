import CFFmpeg
import Delivery
import Draft
import Values

/// A track of subtitles while its file is written. Times are whole milliseconds.
final class SubtitleStream {
    private let track: UnsafeMutablePointer<AVStream>
    private let packet: Packet
    private let samples: [Sample]
    private var next = 0

    private struct Sample {
        /// Milliseconds.
        var start: Int64
        var end: Int64
        var bytes: [UInt8]
    }

    private static let clock = AVRational(num: 1, den: 1000)
    /// Ticks per second of timed text. FFmpeg 5.1 ends a text of it where the number of its last
    /// tick is below that of any packet's decoding time, whatever that one's clock counts: with the
    /// fastest clock it does so in gaps only.
    private static let fastestClock: Int32 = 1_000_000

    /// Adds the track to a muxer that has not begun.
    init(_ subtitles: SubtitleTrack, to muxer: Muxer, _ container: ExportSettings.Container) throws(MediaError) {
        packet = try Packet()
        track = try muxer.addStream()
        let parameters = track.pointee.codecpar!
        parameters.pointee.codec_type = AVMEDIA_TYPE_SUBTITLE
        track.pointee.time_base =
            container.hasEditList ? AVRational(num: 1, den: Self.fastestClock) : Self.clock
        if let language = subtitles.language.flatMap({ container == .mov ? TrackLanguage.quickTimeName($0) : $0 }) {
            av_dict_set(&track.pointee.metadata, "language", language, 0)
        }
        if let name = subtitles.name {
            av_dict_set(&track.pointee.metadata, container.hasEditList ? "handler_name" : "title", name, 0)
        }
        let cues = subtitles.cues
        switch container {
        case .mp4, .mov:
            parameters.pointee.codec_id = AV_CODEC_ID_MOV_TEXT
            // QuickTime's older ‘text’ has another description.
            parameters.pointee.codec_tag = "tx3g".utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) }
            try Self.setExtradata(Self.timedTextDescription, parameters)
            samples = Self.apart(cues, subtitles.format).map { start, end, text in
                let bytes = Array(Self.whole(text, most: 60_000))
                return Sample(
                    start: start, end: end, bytes: [UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + bytes)
            }
        case .webm:
            parameters.pointee.codec_id = AV_CODEC_ID_WEBVTT
            samples = Self.samples(cues) { $0.webVTTText(subtitles.format) }
        default:
            if subtitles.format == .ass, let header = subtitles.header {
                parameters.pointee.codec_id = AV_CODEC_ID_ASS
                try Self.setExtradata(Array((header + SubtitleFile.eventsHeader).utf8), parameters)
                var number = 0
                samples = Self.samples(cues) { cue in
                    number += 1
                    return cue.matroskaEvent(number: number - 1)
                }
            } else {
                parameters.pointee.codec_id = AV_CODEC_ID_SUBRIP
                samples = Self.samples(cues) { $0.subRipText(subtitles.format) }
            }
        }
    }

    /// Writes what begins before `time`, or everything.
    func write(to muxer: Muxer, before time: Time?) throws(MediaError) {
        while next < samples.count {
            let sample = samples[next]
            if let time, Time(value: sample.start, timeBase: 1, 1000) >= time { return }
            try Media.check(av_new_packet(packet.raw, Int32(sample.bytes.count)), "write", path: muxer.path, .mux)
            sample.bytes.withUnsafeBufferPointer {
                packet.raw.pointee.data.update(from: $0.baseAddress!, count: $0.count)
            }
            packet.raw.pointee.pts = sample.start
            packet.raw.pointee.dts = sample.start
            packet.raw.pointee.duration = sample.end - sample.start
            packet.raw.pointee.flags |= AV_PKT_FLAG_KEY
            try muxer.write(packet, to: track, timeBase: Self.clock)
            next += 1
        }
    }

    // MARK: Samples

    private static func milliseconds(_ time: Time) -> Int64 { Int64(time.rounded(rate: Rational(1000))) }

    private static func samples(_ cues: [SubtitleCue], _ text: (SubtitleCue) -> String) -> [Sample] {
        cues.compactMap { cue in
            let bytes = Array(text(cue).utf8)
            let (start, end) = (milliseconds(cue.start), milliseconds(cue.end))
            return bytes.isEmpty || end <= start ? nil : Sample(start: start, end: end, bytes: bytes)
        }
    }

    /// Texts one after another, as timed text has to be: where cues overlap, one text has the lines
    /// of all.
    private static func apart(
        _ cues: [SubtitleCue], _ format: SubtitleFile.Format
    ) -> [(start: Int64, end: Int64, text: String)] {
        var result: [(start: Int64, end: Int64, text: String)] = []
        var shown: [(end: Int64, text: String)] = []
        var time = Int64.min
        func show(until limit: Int64) {
            while time < limit, !shown.isEmpty {
                let end = min(limit, shown.map(\.end).min() ?? limit)
                if end > time { result.append((time, end, shown.map(\.text).joined(separator: "\n"))) }
                time = end
                shown.removeAll { $0.end <= time }
            }
            time = limit
        }
        for cue in cues {
            let text = cue.plainText(format)
            let (start, end) = (milliseconds(cue.start), milliseconds(cue.end))
            guard end > start, !text.allSatisfy(\.isWhitespace) else { continue }
            show(until: start)
            shown.append((end, text))
        }
        show(until: .max)
        return result
    }

    /// The text, or as much of it as there is room for.
    private static func whole(_ text: String, most: Int) -> Substring.UTF8View {
        guard text.utf8.count > most else { return text[...].utf8 }
        var end = text.utf8.index(text.startIndex, offsetBy: most)
        while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
        return text[..<end].utf8
    }

    // MARK: Descriptions

    private static func setExtradata(
        _ bytes: [UInt8], _ parameters: UnsafeMutablePointer<AVCodecParameters>
    ) throws(MediaError) {
        let padding = Int(AV_INPUT_BUFFER_PADDING_SIZE)
        guard let memory = av_mallocz(bytes.count + padding) else { throw .outOfMemory("write the subtitles") }
        memory.copyMemory(from: bytes, byteCount: bytes.count)
        parameters.pointee.extradata = memory.assumingMemoryBound(to: UInt8.self)
        parameters.pointee.extradata_size = Int32(bytes.count)
    }

    /// What a sample entry of timed text says (3GPP TS 26.245, section 5.16): white text of 18
    /// points, centred at the bottom.
    private static let timedTextDescription: [UInt8] =
        [0, 0, 0, 0]  // flags
        + [1, 0xFF]  // justification: in the middle; at the bottom
        + [0, 0, 0, 0]  // background: clear
        + [0, 0, 0, 0, 0, 0, 0, 0]  // text box: the track's
        + [0, 0, 0, 0, 0, 1, 0, 18, 255, 255, 255, 255]  // style: all characters, font 1, plain, size, colour
        + [0, 0, 0, 18] + Array("ftab".utf8) + [0, 1, 0, 1, 5] + Array("Serif".utf8)  // font table
}
