import Messaging

/// What the queue's thread has to tell its clients and to send its workers, gathered within a turn: each would otherwise wake its reader for itself,
/// and most of what a small job costs is such waking.
struct Outbox {
    private(set) var messages = Messages()
    var events: [JobEvent] = []

    /// The messages by worker, each list no longer than may go at once, in the order in which they were put in for that worker.
    typealias Messages = [(worker: WorkerID, messages: [Message])]

    private static let most = 64

    var isEmpty: Bool { events.isEmpty && messages.isEmpty }
    /// So many that nobody is to wait for more.
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
