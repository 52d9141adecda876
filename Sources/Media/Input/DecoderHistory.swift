import CFFmpeg

/// How much of a stream's past decides what a decoder makes of a packet.
///
/// Codecs are taken for ``endless`` unless they are listed here: reading them from the start is
/// slow in a long file, but never wrong. The exhaustive tests of `DecoderStartTests` try each codec
/// that can be encoded, from many places.
enum DecoderHistory {
    /// Nothing before a key frame (picture), or nothing but the last second (sound).
    case short
    /// Everything from the stream's first packet on. Decoding can only begin there.
    case endless

    init(_ codec: AVCodecID) {
        let isShort =
            switch avcodec_get_type(codec) {
            case AVMEDIA_TYPE_VIDEO: Self.isIntraOnly(codec) || Self.refreshedByKeyFrames.contains(codec)
            case AVMEDIA_TYPE_AUDIO: Self.isPCM(codec) || Self.forgettingSound.contains(codec)
            default: false
            }
        self = isShort ? .short : .endless
    }

    /// Each frame stands for itself. libavcodec marks all sound so, also that which is predicted
    /// from what came before.
    static func isIntraOnly(_ codec: AVCodecID) -> Bool {
        guard avcodec_get_type(codec) == AVMEDIA_TYPE_VIDEO, let descriptor = avcodec_descriptor_get(codec) else {
            return false
        }
        return descriptor.pointee.props & AV_CODEC_PROP_INTRA_ONLY != 0
    }

    /// Whether a decoder that has decoded other packets gives the same picture as one that has had
    /// the first one only, so that it can be used again after a seek. Other codecs without
    /// predicted frames may keep tables, palettes or sizes of earlier packets.
    static func isStateless(_ codec: AVCodecID) -> Bool { selfContained.contains(codec) }

    /// Each packet holds or names all that its picture needs; what a Motion JPEG lacks,
    /// ``JPEGTables`` adds.
    private static let selfContained: Set<AVCodecID> = [
        AV_CODEC_ID_MJPEG, AV_CODEC_ID_PRORES, AV_CODEC_ID_DNXHD, AV_CODEC_ID_DVVIDEO, AV_CODEC_ID_RAWVIDEO,
        AV_CODEC_ID_V210, AV_CODEC_ID_V308, AV_CODEC_ID_V408, AV_CODEC_ID_V410, AV_CODEC_ID_R210, AV_CODEC_ID_UTVIDEO,
        AV_CODEC_ID_MAGICYUV, AV_CODEC_ID_JPEG2000,
    ]

    /// libavcodec numbers PCM from here up to the first ADPCM. The packets of a DVD's begin within
    /// a sample.
    static func isPCM(_ codec: AVCodecID) -> Bool {
        codec != AV_CODEC_ID_PCM_DVD
            && (AV_CODEC_ID_FIRST_AUDIO.rawValue..<AV_CODEC_ID_ADPCM_IMA_QT.rawValue).contains(codec.rawValue)
    }

    /// Their key frames replace every picture and table that later frames use.
    private static let refreshedByKeyFrames: Set<AVCodecID> = [
        AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_VP8, AV_CODEC_ID_VP9, AV_CODEC_ID_AV1,
        AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG4, AV_CODEC_ID_H263, AV_CODEC_ID_H263P,
        AV_CODEC_ID_FLV1, AV_CODEC_ID_MSMPEG4V1, AV_CODEC_ID_MSMPEG4V2, AV_CODEC_ID_MSMPEG4V3, AV_CODEC_ID_WMV1,
        AV_CODEC_ID_WMV2, AV_CODEC_ID_WMV3, AV_CODEC_ID_VC1, AV_CODEC_ID_RV10, AV_CODEC_ID_RV20, AV_CODEC_ID_RV30,
        AV_CODEC_ID_RV40, AV_CODEC_ID_THEORA, AV_CODEC_ID_VP3, AV_CODEC_ID_VP6, AV_CODEC_ID_VP6A, AV_CODEC_ID_VP6F,
        AV_CODEC_ID_FFV1, AV_CODEC_ID_PNG, AV_CODEC_ID_CFHD,
    ]

    /// Transforms that overlap by a block, bit reservoirs, predictions that fade, blocks that stand
    /// for themselves.
    private static let forgettingSound: Set<AVCodecID> = [
        AV_CODEC_ID_AAC, AV_CODEC_ID_AAC_LATM, AV_CODEC_ID_AC3, AV_CODEC_ID_EAC3, AV_CODEC_ID_DTS, AV_CODEC_ID_MP1,
        AV_CODEC_ID_MP2, AV_CODEC_ID_MP3, AV_CODEC_ID_OPUS, AV_CODEC_ID_VORBIS, AV_CODEC_ID_FLAC, AV_CODEC_ID_ALAC,
        AV_CODEC_ID_TTA, AV_CODEC_ID_WAVPACK, AV_CODEC_ID_APE, AV_CODEC_ID_TAK, AV_CODEC_ID_MLP, AV_CODEC_ID_TRUEHD,
        AV_CODEC_ID_DVAUDIO,
    ]
}
