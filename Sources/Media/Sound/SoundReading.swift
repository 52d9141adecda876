import Values

/// A decoded stretch of sound.
struct SoundBlock {
    /// The reader's own frame: valid until its next block.
    var frame: Frame
    /// Index of the first sample at the block's own rate; may be negative.
    var start: Int
    var count: Int
    var sampleRate: Int

    /// Source time of the first sample, and of the end.
    var time: Time { Time(frame: start, rate: Rational(Int64(sampleRate))) }
    var end: Time { Time(frame: start + count, rate: Rational(Int64(sampleRate))) }
}

/// The decoded blocks of one sound in their order, from its start or from a place in it: what
/// ``AudioReader`` reads.
protocol SoundReading: AnyObject {
    /// The blocks come from the first packet of the file on, not from a seek.
    var isFromStart: Bool { get }
    /// The next block; nil at the end.
    func next() throws(MediaError) -> SoundBlock?
    /// What was found damaged, in source time, in the order in which it was read.
    var damage: [Range<Time>] { get }
    /// Reading begins at the first block only: no place in the file can be gone to.
    var startsOver: Bool { get }
    /// Goes to a packet at or before `time`; false where the file cannot be searched.
    /// - Parameter wanted: what lies before it is not heard.
    func seek(to time: Time, for wanted: Time) throws(MediaError) -> Bool
    /// Something was met that is not as it should be; see ``PictureReading/isSpoiled``.
    var isSpoiled: Bool { get }
    /// Begins again at the first block.
    func restart() throws(MediaError)
}
