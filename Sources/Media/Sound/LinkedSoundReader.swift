import Draft
import Values

/// The sound of a chained file, part after part, each with a demuxer and a decoder of its own: a
/// part may have another codec, rate or number of channels.
final class LinkedSoundReader: SoundReading {
    private let path: String
    private let info: AudioStreamInfo
    private let parts: [FilePart]
    private let pulse: Pulse
    private var number = 0
    /// Nil for a part without this sound.
    private var reader: SoundReader?
    /// What was found damaged in parts that were read before this one.
    private var earlierDamage: [Range<Time>] = []

    init(path: String, info: AudioStreamInfo, parts: [FilePart], pulse: @escaping Pulse) throws(MediaError) {
        (self.path, self.info, self.parts, self.pulse) = (path, info, parts, pulse)
        try open(0)
    }

    var isSpoiled: Bool { reader?.isSpoiled ?? false }

    var isFromStart: Bool { number == 0 && reader?.isFromStart ?? true }

    var startsOver: Bool { reader?.startsOver ?? false }

    func next() throws(MediaError) -> SoundBlock? {
        while true {
            if let block = try reader?.next() { return block }
            guard number + 1 < parts.count else { return nil }
            try open(number + 1)
        }
    }

    var damage: [Range<Time>] { earlierDamage + (reader?.damage ?? []) }

    func seek(to time: Time, for wanted: Time) throws(MediaError) -> Bool {
        let part = parts.lastIndex { $0.time <= time } ?? 0
        if part != number { try open(part) }
        guard let reader else { return true }
        // Each part has a decoder of its own.
        if reader.startsOver { try reader.restart() } else { return try reader.seek(to: time, for: wanted) }
        return true
    }

    func restart() throws(MediaError) { try open(0) }

    private func open(_ part: Int) throws(MediaError) {
        earlierDamage += (reader?.damage ?? []).filter { !earlierDamage.contains($0) }
        number = part
        do throws(MediaError) {
            reader = try SoundReader(path: path, info: info, part: parts[part], pulse: pulse)
        } catch {
            guard error.code == .noAudio else { throw error }
            reader = nil
        }
    }
}
