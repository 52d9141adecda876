import Values

/// The frames of one file in presentation order, from its start or from a place in it: what
/// ``VideoReader`` reads.
protocol PictureReading: AnyObject {
    /// How much a timestamp may have been rounded up.
    var tolerance: Time { get }
    /// Timestamp of the first packet decoded since the last seek, in the stream's ticks; nil where
    /// there are none.
    var firstTimestamp: Int64? { get }
    /// The next frame; nil at the end.
    func next() throws(MediaError) -> Picture?
    /// Reading begins at the first frame only: no place in the file can be gone to.
    var startsOver: Bool { get }
    /// Goes to a place at or before `time` and `limit`. False where that is not possible; only
    /// ``restart()`` helps then.
    /// - Parameter end: frames presented before it may be left out; see ``mayLack(after:)``. Nil:
    ///   none.
    func seek(to time: Time, before limit: Int64?, hurryUntil end: Time?) throws(MediaError) -> Bool
    /// Since the last seek, which hurried, a frame may have been left out that is presented after
    /// `shown`.
    func mayLack(after shown: Time) -> Bool
    /// The damage visible at `time`, where the frame presented at `shown` is shown: in that frame,
    /// or in one that is lost between the two. nil: nothing, as far as was read.
    func damage(shown: Time, at time: Time) -> Range<Time>?
    /// Something was met that is not as it should be, so what a seek finds could depend on what was
    /// read before. Readers begin anew before each seek then, and a reader that did not meet it
    /// would answer otherwise.
    var isSpoiled: Bool { get }
    /// Begins again at the first frame.
    func restart() throws(MediaError)
    /// Whether a seek to `time` would save decoding.
    func seekPays(to time: Time, from position: Time) -> Bool
}
