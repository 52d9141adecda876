import Draft

/// The frames of one file in presentation order, from its start or from a place in it: what ``VideoSource`` reads.
protocol PictureReading: AnyObject {
    /// How much a timestamp may have been rounded up.
    var tolerance: Time { get }
    /// Timestamp of the first packet decoded since the last seek, in the stream's ticks; nil where there are none.
    var firstTimestamp: Int64? { get }
    /// The next frame; nil at the end.
    func next() throws(MediaError) -> Picture?
    /// Goes to a place at or before `time` and `limit`. False where that is not possible; only ``restart()`` helps then.
    /// - Parameter hurries: frames well before `time` may be left out; see ``mayLack(at:)``.
    func seek(to time: Time, before limit: Int64?, hurries: Bool) -> Bool
    /// Since the last seek, which hurried, a frame may have been left out that is presented after `shown`, the last frame found
    /// up to the time of the seek.
    func mayLack(after shown: Time) -> Bool
    /// Begins again at the first frame.
    func restart() throws(MediaError)
    /// Whether a seek to `time` would save decoding.
    func seekPays(to time: Time, from position: Time) -> Bool
}
