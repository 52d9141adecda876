import Messaging

/// A result that the server has not acknowledged.
struct Completion: Equatable, Sendable {
    var lease: Lease
    /// `completed` or `failed`.
    var message: Message
    /// Whose lease it is: a server that has been started anew knows nothing of it.
    var host: String
    /// Files that the server gets before it hears of the result; nil: it has all.
    var delivery: Delivery?
}
