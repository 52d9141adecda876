import Messaging

/// A slot's connection to the server. ZeroMQ reconnects after most losses, but not after a refusal,
/// whose cause may have been fixed since. A connection that is unusable for long is therefore made
/// anew.
final class SlotLine {
    private let configuration: AgentConfiguration
    private let context: ZMQContext
    private let name: WorkerID
    private var link: Link
    private var idleSince: Duration?
    private var failsSince: Duration?
    private var patience = SlotLine.firstPatience

    private static let firstPatience = Duration.seconds(8)
    private static let lastPatience = Duration.seconds(60)
    private static let messagesPerRound = 256

    /// The socket and, on one line of the node, its connection's monitor.
    private final class Link {
        let socket: ZMQSocket
        let monitor: ConnectionMonitor?

        init(_ name: WorkerID, _ configuration: AgentConfiguration, _ context: ZMQContext, watches: Int?)
            throws(ZMQError)
        {
            socket = try ZMQSocket.remoteDealer(
                context: context, name: name, key: configuration.key, server: configuration.server)
            var monitor: ConnectionMonitor?
            if let watches { monitor = try ConnectionMonitor(socket, context: context, name: "\(watches)") }
            self.monitor = monitor
            try socket.connect(configuration.endpoint)
        }
    }

    private var made = 0
    private let isWatched: Bool

    init(
        _ name: WorkerID, _ configuration: AgentConfiguration, _ context: ZMQContext, isWatched: Bool
    ) throws(ZMQError) {
        (self.name, self.configuration, self.context, self.isWatched) = (name, configuration, context, isWatched)
        link = try Link(name, configuration, context, watches: isWatched ? 0 : nil)
    }

    var socketName: ZMQSocket.Name { link.socket.name }

    func send(_ message: Message, at now: Duration) {
        let isSent = (try? link.socket.send(message)) ?? false
        failsSince = isSent ? nil : failsSince ?? now
    }

    /// Returns the messages that have arrived.
    func receive() -> [Message] {
        var messages: [Message] = []
        while messages.count < Self.messagesPerRound, let received = try? link.socket.receiveMessages() {
            // Unreadable messages are ignored: only the server may stop a node.
            for case .success(let message) in received { messages.append(message) }
        }
        return messages
    }

    /// Returns the connection's events, if it is monitored.
    func events() -> [ConnectionMonitor.Event] { link.monitor?.take() ?? [] }

    /// Reconnects if the connection was unusable for long.
    /// - Parameter isWelcome: whether the server knows the slot.
    func mend(isWelcome: Bool, at now: Duration) {
        if isWelcome, failsSince == nil {
            (idleSince, patience) = (nil, Self.firstPatience)
            return
        }
        let since = idleSince ?? now
        idleSince = since
        guard now - since > patience else { return }
        made += 1
        guard let new = try? Link(name, configuration, context, watches: isWatched ? made : nil) else { return }
        link = new
        (idleSince, failsSince) = (now, nil)
        patience = min(patience * 2, Self.lastPatience)
    }
}
