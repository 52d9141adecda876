/// How many questions may be without an answer at a time. Many on a fast line, whose length they hide; on a slow one few, as each answer waits behind
/// those before it: with more of them the wait is longer than anybody's patience, and what is then asked again goes to the end of the same line.
struct Allowance: Equatable {
    private(set) var count = 4

    /// Fewer than wait for a peer at the server (``ContentWire/highWaterMark``).
    static let most = 48
    private static let (quick, slow) = (Duration.seconds(1), Duration.seconds(3))

    /// - Parameter time: from the question's way out to its answer.
    mutating func answered(after time: Duration) {
        if time < Self.quick {
            count = min(count + 1, Self.most)
        } else if time > Self.slow {
            count = max(count - 1, 1)
        }
    }

    mutating func lost() { count = max(count / 2, 1) }
}
