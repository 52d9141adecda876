import CFFmpeg

extension Demuxer {
    /// Whether reading `stream` may begin in the middle of the file: what is decoded there and the
    /// times that it gets are the same as when reading from the start.
    func allowsSeeking(_ stream: Stream) -> Bool {
        let codec = stream.parameters.pointee.codec_id
        // Raw streams have no timestamps: after a seek nothing tells where one is.
        guard context.pointee.iformat.pointee.flags & AVFMT_NOTIMESTAMPS == 0, DecoderHistory(codec) == .short else {
            return false
        }
        guard stream.parameters.pointee.codec_type == AVMEDIA_TYPE_AUDIO else { return true }
        // Its blocks have two lengths. Matroska rounds their times to milliseconds, so nothing
        // there tells with which sample one begins; files that were copied from it keep those
        // times.
        if codec == AV_CODEC_ID_VORBIS { return formatName == "ogg" }
        return switch formatName {
        // Their times are counted in bytes, at a rate that the header rounds.
        case "wav", "w64", "aiff", "au": DecoderHistory.isPCM(codec)
        // Its packets are stamped in milliseconds, and frames that lie across two of them by the
        // wrong one.
        case "asf": false
        default: true
        }
    }
}
