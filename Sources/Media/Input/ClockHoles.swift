/// Corrects the times of pictures around a hole in the clock of a transport or program stream.
///
/// A hole lies between two packets of the file, which are in decoding order. A picture that was
/// decoded before the hole may be presented after one that was decoded behind it. The clock then
/// steps back from the second picture to the first. The first one has missed the hole, so its time
/// is corrected by the length of the hole.
///
/// All times are in ticks of the stream.
struct ClockHoles {
    /// The last packets, in decoding order, with the length of all holes before each of them.
    private var packets: [(presentation: Int64, holes: Int64)] = []
    private var length: Int64 = 0
    /// The decoding time at which the next packet is expected.
    private var expected: Int64?
    /// The length of all holes before the latest picture in decoding order that was presented.
    private var passed: Int64 = 0
    /// The clock has stepped back since that picture.
    private var isTorn = false

    /// No decoder delays a picture by more packets (16 frames, or 32 fields).
    static let depth = 40

    /// Takes over a packet that is about to be decoded.
    /// - Parameter duration: of its picture.
    mutating func feed(presentation: Int64?, decoding: Int64?, duration: Int64) {
        if let decoding {
            if let expected, decoding &- expected > duration / 2 { length &+= decoding &- expected }
            expected = decoding &+ duration
        } else {
            expected = expected.map { $0 &+ duration }
        }
        guard let presentation else { return }
        if packets.count == Self.depth { packets.removeFirst() }
        packets.append((presentation, length))
    }

    /// Returns by how much the time of a decoded picture is to be corrected. Call this for all
    /// pictures in the order of their presentation.
    /// - Parameter stepsBack: whether the picture's time is not after that of the previous one.
    mutating func correction(of presentation: Int64, stepsBack: Bool) -> Int64 {
        guard let index = packets.firstIndex(where: { $0.presentation == presentation }) else { return 0 }
        let holes = packets.remove(at: index).holes
        if holes >= passed {
            (passed, isTorn) = (holes, isTorn && holes == passed)
            return 0
        }
        isTorn = isTorn || stepsBack
        return isTorn ? passed &- holes : 0
    }
}
