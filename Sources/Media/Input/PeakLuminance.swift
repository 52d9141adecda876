import CFFmpeg

/// How bright a PQ picture gets, as its file says: the maximum content light level, else the peak
/// of the display that it was mastered on. (Sources: CTA-861.3, MaxCLL; SMPTE ST 2086.)
///
/// It is found once, when the file is probed, since it must be the same for every frame: streams
/// often say it at their beginning only.
enum PeakLuminance {
    /// cd/m², 203 … 10000; nil where the stream is not PQ or says nothing that can be.
    /// - Throws: `cancelled`.
    static func find(_ stream: Demuxer.Stream, in demuxer: Demuxer) throws(MediaError) -> Int? {
        guard stream.parameters.pointee.color_trc == AVCOL_TRC_SMPTE2084 else { return nil }
        let light = data(of: stream, AV_PKT_DATA_CONTENT_LIGHT_LEVEL, as: AVContentLightMetadata.self)
        let display = data(of: stream, AV_PKT_DATA_MASTERING_DISPLAY_METADATA, as: AVMasteringDisplayMetadata.self)
        if let peak = peak(light, display) { return peak }
        // Not in the container: in the first frame, perhaps.
        do throws(MediaError) {
            let again = try Demuxer(path: demuxer.path, pulse: demuxer.interrupter.relay)
            guard let stream = again.video else { return nil }
            let frame = try ImageFile.decodeFirst(again, stream).picture.frame
            return peak(
                frame.data(AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, as: AVContentLightMetadata.self),
                frame.data(AV_FRAME_DATA_MASTERING_DISPLAY_METADATA, as: AVMasteringDisplayMetadata.self))
        } catch {
            // Undecodable frames are reported where they are rendered.
            if error.code == .cancelled { throw error }
            return nil
        }
    }

    private static func peak(_ light: AVContentLightMetadata?, _ display: AVMasteringDisplayMetadata?) -> Int? {
        var found = Int(light?.MaxCLL ?? 0)
        if found == 0, let display, display.has_luminance != 0, display.max_luminance.den > 0 {
            found = Int(display.max_luminance.num) / Int(display.max_luminance.den)
        }
        return found <= 0 ? nil : min(max(found, 203), 10_000)
    }

    private static func data<Value>(of stream: Demuxer.Stream, _ kind: AVPacketSideDataType, as type: Value.Type)
        -> Value?
    {
        var size = 0
        guard let bytes = av_stream_get_side_data(stream.raw, kind, &size), size >= MemoryLayout<Value>.size else {
            return nil
        }
        return UnsafeRawPointer(bytes).loadUnaligned(as: type)
    }
}

extension Frame {
    fileprivate func data<Value>(_ kind: AVFrameSideDataType, as type: Value.Type) -> Value? {
        guard let data = av_frame_get_side_data(raw, kind), data.pointee.size >= MemoryLayout<Value>.size else {
            return nil
        }
        return UnsafeRawPointer(data.pointee.data).loadUnaligned(as: type)
    }
}
