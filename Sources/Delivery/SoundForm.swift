/// The form of a draft's sound, from the mix to the file.
public struct SoundForm: Hashable, Sendable {
    /// 1, 2 or 6.
    public var channels: Int
    /// Samples per second.
    public var sampleRate: Int

    package init(channels: Int, sampleRate: Int) {
        self.channels = channels
        self.sampleRate = sampleRate
    }
}
