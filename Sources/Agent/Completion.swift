import Messaging

/// A result that the server has not acknowledged.
struct Completion: Equatable, Sendable {
    var lease: Lease
    /// The message to send, `completed` or `failed`.
    var message: Message
    /// The host that gave out the lease; a restarted server does not know it.
    var host: String
    /// The files that the server must have before it hears of the result; nil if it has them all.
    var delivery: Delivery?
}
