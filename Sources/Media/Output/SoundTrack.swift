import CFFmpeg
import Values

/// The sound's track of a file while it is written, one packet ahead.
final class SoundTrack {
    private let track: UnsafeMutablePointer<AVStream>
    private let packets: SoundPackets
    private let packet: Packet
    private var ready: (start: Int, count: Int)?
    private var hasEnded = false
    /// Samples that a decoder makes of any packet, however few are wanted of the last one; nil
    /// where it makes what is there.
    private let packetLength: Int?
    /// Samples by which the file's timestamps are late.
    private let offset: Int

    var sampleRate: Int { packets.sampleRate }

    /// Adds the track to a muxer that has not begun.
    init(_ packets: SoundPackets, to muxer: Muxer, _ setup: MuxerSetup) throws(MediaError) {
        self.packets = packets
        packet = try Packet()
        ready = try packets.next(packet)
        let isPadded = [AV_CODEC_ID_AAC, AV_CODEC_ID_OPUS, AV_CODEC_ID_MP3].contains(
            packets.stream.parameters.pointee.codec_id)
        packetLength = isPadded ? ready?.count : nil
        track = try muxer.addStream()
        try check(
            avcodec_parameters_copy(track.pointee.codecpar, packets.stream.parameters), "write", path: muxer.path, .mux)
        track.pointee.codecpar.pointee.codec_tag = 0
        let delay = -(ready?.start ?? 0)
        offset = setup.startsWithDelay ? delay : 0
        if !setup.hasEditList { track.pointee.codecpar.pointee.initial_padding = Int32(clamping: delay) }
        track.pointee.time_base = AVRational(num: 1, den: Int32(clamping: packets.sampleRate))
    }

    /// Writes what begins before `time`, or everything.
    func write(to muxer: Muxer, before time: Time?) throws(MediaError) {
        let rate = Rational(Int64(packets.sampleRate))
        while !hasEnded {
            if ready == nil { ready = try packets.next(packet) }
            guard let next = ready else {
                hasEnded = true
                return
            }
            if let time, Time(frame: next.start, rate: rate) >= time { return }
            packet.raw.pointee.pts = Int64(next.start + offset)
            packet.raw.pointee.dts = Int64(next.start + offset)
            packet.raw.pointee.duration = Int64(next.count)
            // Only the last packet is shorter than the others.
            if let packetLength, next.count < packetLength { try packet.trimEnd(by: packetLength - next.count) }
            try muxer.write(packet, to: track, timeBase: AVRational(num: 1, den: Int32(clamping: packets.sampleRate)))
            ready = nil
        }
    }
}

extension Packet {
    /// Says that the last samples of the packet are not to be played (`AV_PKT_DATA_SKIP_SAMPLES`).
    fileprivate func trimEnd(by samples: Int) throws(MediaError) {
        guard let data = av_packet_new_side_data(raw, AV_PKT_DATA_SKIP_SAMPLES, 10) else {
            throw .outOfMemory("write a packet")
        }
        data.update(repeating: 0, count: 10)
        UnsafeMutableRawPointer(data).storeBytes(of: UInt32(samples).littleEndian, toByteOffset: 4, as: UInt32.self)
    }
}
