/// A congestion window: how many requests may be unanswered at a time. A fast line gets many, which
/// hide its latency. A slow line gets few, because each answer queues behind the ones before it:
/// with more of them the wait exceeds every time-out, and each repeated request joins the end of
/// the same queue.
struct Allowance: Equatable {
    private(set) var count = 4

    /// The upper limit; below the number of messages that the server queues for a peer
    /// (``ContentWire/highWaterMark``).
    static let most = 48
    private static let (quick, slow) = (Duration.seconds(1), Duration.seconds(3))

    /// Adapts the window to an answer.
    /// - Parameter time: from sending the request to receiving its answer.
    mutating func answered(after time: Duration) {
        if time < Self.quick {
            count = min(count + 1, Self.most)
        } else if time > Self.slow {
            count = max(count - 1, 1)
        }
    }

    mutating func lost() { count = max(count / 2, 1) }
}
