import CFFmpeg

/// What a stream says of itself between its frames, and from which packet on it holds: parameter
/// sets that are not sent with every key frame, new headers, palettes. The packets are read once,
/// from the start, and not decoded.
final class StreamLedger {
    /// What holds for the packets from a place on.
    struct State: Hashable {
        /// Parameter sets as they lie in the stream.
        var sets: [UInt8]?
        var extradata: [UInt8]?
        var palette: [UInt8]?
        /// Motion JPEG's.
        var tables: JPEGTables?

        /// The bytes that it holds.
        var size: Int { (sets?.count ?? 0) + (extradata?.count ?? 0) + (palette?.count ?? 0) + (tables?.size ?? 0) }

        /// Adds what the packet lacks.
        func complete(_ packet: Packet) throws(MediaError) {
            if let sets { try packet.prepend(sets) }
            if let extradata, packet.sideData(AV_PKT_DATA_NEW_EXTRADATA) == nil {
                try packet.addSideData(AV_PKT_DATA_NEW_EXTRADATA, extradata)
            }
            if let palette, packet.sideData(AV_PKT_DATA_PALETTE) == nil {
                try packet.addSideData(AV_PKT_DATA_PALETTE, palette)
            }
        }
    }

    /// The part of a file that has been read so far.
    private struct Known {
        /// Each state with the byte at which its packet begins, in the file's order.
        private(set) var states: [(position: Int64, state: State)] = []
        /// States up to this byte were forgotten.
        private(set) var forgotten: Int64 = -1
        /// The bytes that the states hold.
        private(set) var size = 0
        /// The byte at which the last packet begins that was read.
        var position: Int64 = 0
        var hasEnded = false

        func covers(_ position: Int64) -> Bool {
            position > forgotten && (self.position >= position || hasEnded)
        }

        func state(before position: Int64) -> State { states.last { $0.position < position }?.state ?? State() }

        /// Adds the last state. Beyond the bound, only the one before it is kept as well: a file
        /// whose headers come anew with each packet must not be kept as a whole.
        mutating func add(_ state: State, at position: Int64) {
            if size + state.size > StreamLedger.mostBytes, let last = states.last {
                (states, size, forgotten) = ([last], last.state.size, last.position)
            }
            states.append((position, state))
            size += state.size
        }
    }

    private struct Key: Hashable {
        var version: FileVersion
        var stream: Int
    }

    private let path: String
    private let index: Int
    private let pulse: Pulse
    private let packet: Packet
    private let key: Key
    private var reading: (demuxer: Demuxer, sets: ParameterSets?)?
    private var known: Known
    private var isMotionJPEG = false

    /// The files that readers of this process have read, so that each is read once.
    private static let kept = FileMemory<Key, Known>(most: 16, mostBytes: mostKeptBytes) { $0.size }
    /// Bytes of states that a reader keeps of one stream.
    static let mostBytes = 4 << 20
    /// Bytes of states that the process keeps of all files.
    static let mostKeptBytes = 16 << 20

    /// The bytes that the process keeps.
    static var keptBytes: Int { kept.bytes }

    /// - Parameter file: the reader's own, which tells the version of the file.
    init(_ file: InputFile, _ index: Int, pulse: @escaping Pulse) throws(MediaError) {
        (path, self.index, self.pulse) = (file.path, index, pulse)
        let key = Key(version: FileVersion(file), stream: index)
        self.key = key
        packet = try Packet()
        known = Self.kept[key] ?? Known()
    }

    /// Whether something that `packet` needs may lie between it and the first packet.
    static func isNeeded(
        _ demuxer: Demuxer, _ stream: Demuxer.Stream, first: Packet?, for packet: Packet
    ) -> Bool {
        switch demuxer.formatName {
        // Headers may come anew with any packet.
        case "flv": return true
        case "avi" where first?.sideData(AV_PKT_DATA_PALETTE) != nil: return true
        case "mpegts", "mpeg", "avi":
            guard let sets = ParameterSets(stream) else { return false }
            return sets.find(in: packet) == nil
        default: return false
        }
    }

    /// Returns the state for a packet that begins at this byte, as far as earlier packets say it.
    func state(before position: Int64) throws(MediaError) -> State {
        known.covers(position) ? known.state(before: position) : try read(upTo: position)
    }

    /// Reads at least up to a byte, and returns the state before it.
    private func read(upTo position: Int64) throws(MediaError) -> State {
        if let shared = Self.kept[key], shared.covers(position) {
            known = shared
            return known.state(before: position)
        }
        // The states there were forgotten.
        if position <= known.forgotten { (reading, known) = (nil, Known()) }
        // A new reader begins at the file's start again. Reading twice as far as the one before
        // bounds what all read.
        var target = position
        let demuxer: Demuxer
        let sets: ParameterSets?
        if let reading {
            (demuxer, sets) = reading
        } else {
            target = max(position, 2 * known.position)
            known = Known()
            demuxer = try Demuxer(path: path, pulse: pulse)
            guard let stream = demuxer.stream(index) else {
                throw MediaError(.read, "read", path: path, reason: "it has changed while it was read")
            }
            sets = ParameterSets(stream)
            isMotionJPEG = stream.parameters.pointee.codec_id == AV_CODEC_ID_MJPEG
            demuxer.keepOnly(stream)
            reading = (demuxer, sets)
        }
        // Reading on may forget it.
        var found: State?
        while !known.covers(target) {
            guard try demuxer.read(into: packet) else {
                known.hasEnded = true
                break
            }
            guard packet.streamIndex == index, let at = packet.position else { continue }
            // Another reader may have got further than this one's demuxer.
            guard at >= known.position else { continue }
            known.position = at
            note(at, sets)
            if found == nil, known.covers(position) { found = known.state(before: position) }
        }
        Self.kept.keep(known, for: key) { $0.covers(known.position) && !known.hasEnded }
        return found ?? known.state(before: position)
    }

    private func note(_ at: Int64, _ sets: ParameterSets?) {
        let before = known.states.last?.state ?? State()
        var state = before
        if let found = sets?.find(in: packet) { state.sets = found }
        if let found = packet.sideData(AV_PKT_DATA_NEW_EXTRADATA) { state.extradata = found }
        if let found = packet.sideData(AV_PKT_DATA_PALETTE) { state.palette = found }
        if isMotionJPEG {
            if state.tables == nil { state.tables = JPEGTables(first: packet) }
            state.tables?.take(packet)
        }
        if state != before { known.add(state, at: at) }
    }
}

/// Finds the parameter sets that lie in a stream's packets, by libavcodec's `extract_extradata`.
final class ParameterSets {
    private var filter: UnsafeMutablePointer<AVBSFContext>?
    private let packet: Packet

    /// nil for codecs that have none in their packets, and where the container holds them.
    init?(_ stream: Demuxer.Stream) {
        let parameters = stream.parameters
        // avcC and hvcC.
        let isOutside =
            [AV_CODEC_ID_H264, AV_CODEC_ID_HEVC].contains(parameters.pointee.codec_id)
            && parameters.pointee.extradata_size > 0 && parameters.pointee.extradata[0] == 1
        guard !isOutside, let kind = av_bsf_get_by_name("extract_extradata"), let packet = try? Packet() else {
            return nil
        }
        self.packet = packet
        var codecs = kind.pointee.codec_ids
        while let codec = codecs?.pointee, codec != AV_CODEC_ID_NONE, codec != parameters.pointee.codec_id {
            codecs = codecs?.advanced(by: 1)
        }
        guard codecs?.pointee == parameters.pointee.codec_id, av_bsf_alloc(kind, &filter) >= 0, let filter,
            avcodec_parameters_copy(filter.pointee.par_in, parameters) >= 0, av_bsf_init(filter) >= 0
        else {
            av_bsf_free(&filter)
            return nil
        }
    }

    deinit { av_bsf_free(&filter) }

    func find(in source: Packet) -> [UInt8]? {
        packet.clear()
        guard let filter, av_packet_ref(packet.raw, source.raw) >= 0,
            av_bsf_send_packet(filter, packet.raw) >= 0, av_bsf_receive_packet(filter, packet.raw) >= 0
        else { return nil }
        defer { packet.clear() }
        return packet.sideData(AV_PKT_DATA_NEW_EXTRADATA)
    }
}
