import CFFmpeg

extension Demuxer.Stream {
    /// Whether no other picture leans on that of a packet, as H.264 says it (`nal_ref_idc`). False
    /// for other codecs: not all of them say it for sure.
    func isDisposable(_ packet: Packet) -> Bool {
        guard parameters.pointee.codec_id == AV_CODEC_ID_H264 else { return false }
        let content = packet.content
        // avcC: units are behind their lengths, else behind start codes.
        if parameters.pointee.extradata_size > 4, parameters.pointee.extradata[0] == 1 {
            let size = Int(parameters.pointee.extradata[4] & 3) + 1
            var start = 0
            while start + size < content.count {
                let length = content[start..<start + size].reduce(0) { $0 << 8 | Int($1) }
                if let answer = Self.isDisposable(content[start + size]) { return answer }
                start += size + length
            }
            return false
        }
        var start = 0
        while start + 3 < content.count {
            if content[start] == 0, content[start + 1] == 0, content[start + 2] == 1 {
                if let answer = Self.isDisposable(content[start + 3]) { return answer }
                start += 3
            }
            start += 1
        }
        return false
    }

    /// nil for units that are no slices.
    private static func isDisposable(_ header: UInt8) -> Bool? {
        (1...5).contains(header & 31) ? header & 0x60 == 0 : nil
    }
}
