import Draft

/// The sound of a chained file, part after part, each with a demuxer and a decoder of its own: a part may have another
/// codec, rate or number of channels.
final class LinkedSoundReader: SoundReading {
    private let path: String
    private let info: AudioStreamInfo
    private let parts: [FilePart]
    private let pulse: Pulse
    private var number = 0
    /// Nil for a part without this sound.
    private var reader: SoundReader?

    init(path: String, info: AudioStreamInfo, parts: [FilePart], pulse: @escaping Pulse) throws(MediaError) {
        (self.path, self.info, self.parts, self.pulse) = (path, info, parts, pulse)
        try open(0)
    }

    var isFromStart: Bool { number == 0 && reader?.isFromStart ?? true }

    func next() throws(MediaError) -> SoundBlock? {
        while true {
            if let block = try reader?.next() { return block }
            guard number + 1 < parts.count else { return nil }
            try open(number + 1)
        }
    }

    func seek(to time: Time) throws(MediaError) -> Bool {
        let wanted = parts.lastIndex { $0.time <= time } ?? 0
        if wanted != number { try open(wanted) }
        return try reader?.seek(to: time) ?? true
    }

    func restart() throws(MediaError) { try open(0) }

    private func open(_ part: Int) throws(MediaError) {
        number = part
        do throws(MediaError) {
            reader = try SoundReader(path: path, info: info, part: parts[part], pulse: pulse)
        } catch {
            guard error.code == .noAudio else { throw error }
            reader = nil
        }
    }
}
