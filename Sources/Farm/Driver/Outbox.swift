import Messaging

/// The events for clients and the messages for workers of one iteration of the queue's thread. Sent
/// one by one, each would wake its receiver, and such wake-ups are most of the cost of a small job.
struct Outbox {
    private(set) var messages = Messages()
    var events: [JobEvent] = []

    /// The messages by worker, in order, each list no longer than may be sent together.
    typealias Messages = [(worker: WorkerID, messages: [Message])]

    private static let most = 64

    var isEmpty: Bool { events.isEmpty && messages.isEmpty }
    /// Whether it holds so many that they should be sent now.
    var isFull: Bool { events.count + messages.count >= Self.most }

    mutating func put(_ message: Message, to worker: WorkerID) {
        if let index = messages.lastIndex(where: { $0.worker == worker }),
            messages[index].messages.count < Wire.mostAtOnce
        {
            messages[index].messages.append(message)
        } else {
            messages.append((worker, [message]))
        }
    }

    mutating func clear() {
        events.removeAll(keepingCapacity: true)
        messages.removeAll(keepingCapacity: true)
    }
}
