import CFFmpeg
import Draft

/// Finds the streams that a file declares and that cannot be decoded: no decoder exists, or it
/// refuses its configuration.
///
/// libav leaves such streams out without a word. A decoder is opened for each picture and sound,
/// and nothing is decoded.
struct StreamSurvey {
    private(set) var unreadable: [UnreadableStream] = []
    /// libav's numbers of streams that the demuxer offers and whose decoders do not open.
    private(set) var refused: Set<Int> = []

    private let demuxer: Demuxer

    /// - Throws: what is not about the file, such as a lack of memory.
    init(_ demuxer: Demuxer) throws(MediaError) {
        self.demuxer = demuxer
        var (pictures, sounds) = (0, 0)
        for index in 0..<Int(demuxer.context.pointee.nb_streams) {
            guard let stream = demuxer.context.pointee.streams[index] else { continue }
            switch stream.pointee.codecpar.pointee.codec_type {
            case AVMEDIA_TYPE_VIDEO:
                // Covers are not read.
                guard stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC == 0 else { continue }
                pictures += 1
                try note(stream, .picture, pictures, instead: demuxer.video)
            case AVMEDIA_TYPE_AUDIO:
                sounds += 1
                try note(stream, .sound, sounds, instead: demuxer.audio)
            // Ogg says by the first packet what a stream is.
            case AVMEDIA_TYPE_UNKNOWN where demuxer.formatName == "ogg":
                unreadable.append(
                    UnreadableStream(
                        kind: .unknown, number: index + 1, codec: "unknown", reason: .unknownCodec, isUsual: true))
            default: break
            }
        }
    }

    /// - Parameter used: the stream that libav chooses among those of this kind.
    private mutating func note(
        _ stream: UnsafeMutablePointer<AVStream>, _ kind: UnreadableStream.Kind, _ number: Int,
        instead used: Demuxer.Stream?
    ) throws(MediaError) {
        guard let reason = try reason(stream) else { return }
        let index = Int(stream.pointee.index)
        let isDefault = stream.pointee.disposition & AV_DISPOSITION_DEFAULT != 0
        let isUsual =
            used.map { used in
                let isOtherDefault = used.raw.pointee.disposition & AV_DISPOSITION_DEFAULT != 0
                return used.index == index || isDefault && !isOtherDefault
                    || index < used.index && isDefault == isOtherDefault
            } ?? true
        // Other pictures than the usual one are not read.
        guard kind == .sound || isUsual else { return }
        refused.insert(index)
        unreadable.append(
            UnreadableStream(
                kind: kind, number: number, codec: Self.name(stream.pointee.codecpar.pointee), reason: reason,
                isUsual: isUsual, language: Self.language(stream)))
    }

    private func reason(_ raw: UnsafeMutablePointer<AVStream>) throws(MediaError) -> UnreadableStream.Reason? {
        guard let decoder = Demuxer.decoder(for: raw) else { return .unknownCodec }
        let stream = Demuxer.Stream(raw: raw, decoder: decoder, delaysCount: false)
        // Sizes are checked by what reads the picture, with a sentence of their own.
        do throws(MediaError) {
            try Decoder.checkSize(
                Int(raw.pointee.codecpar.pointee.width), Int(raw.pointee.codecpar.pointee.height), path: demuxer.path)
        } catch {
            return nil
        }
        do throws(MediaError) {
            _ = try Decoder(stream, path: demuxer.path)
        } catch {
            if error.isOfTheMachine { throw error }
            return .damagedConfiguration
        }
        // A transport stream may announce sound that never comes. An index that lists packets
        // promises some.
        let parameters = raw.pointee.codecpar.pointee
        let isEmpty = parameters.codec_type == AVMEDIA_TYPE_AUDIO && parameters.ch_layout.nb_channels == 0
        return isEmpty && raw.pointee.nb_frames > 0 ? .damagedConfiguration : nil
    }

    /// libavcodec's name; the container's tag where it has none.
    static func name(_ parameters: AVCodecParameters) -> String {
        if parameters.codec_id != AV_CODEC_ID_NONE { return String(cString: avcodec_get_name(parameters.codec_id)) }
        let letters = (0..<4).map { UInt8(truncatingIfNeeded: parameters.codec_tag >> (8 * $0)) }
        guard letters.allSatisfy({ (33...126).contains($0) }) else {
            return parameters.codec_tag == 0 ? "unknown" : "tag 0x" + String(parameters.codec_tag, radix: 16)
        }
        return String(decoding: letters, as: UTF8.self)
    }

    private static func language(_ stream: UnsafeMutablePointer<AVStream>) -> String? {
        guard let entry = av_dict_get(stream.pointee.metadata, "language", nil, 0), let raw = entry.pointee.value else {
            return nil
        }
        let text = String(String(cString: raw).prefix(60))
        return text.isEmpty || text == "und" ? nil : text
    }
}
