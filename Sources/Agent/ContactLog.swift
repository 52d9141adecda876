import Logging
import Messaging

/// Logs the state of the connection to the server: established, lost, and why. The longer an outage
/// lasts, the rarer the messages.
struct ContactLog {
    private let log: Logger
    private let endpoint: String
    private var isConnected = false
    private var isThere = false
    private var nextLine = Duration.seconds(5)
    private var pause = Self.firstPause
    private var reason = Self.silence

    private static let silence = "it does not answer"
    private static let firstPause = Duration.seconds(30)
    private static let lastPause = Duration.seconds(3600)

    init(_ log: Logger, _ endpoint: String) { (self.log, self.endpoint) = (log, endpoint) }

    mutating func take(_ events: [ConnectionMonitor.Event], isWelcome: Bool, at now: Duration) {
        for event in events {
            isConnected = event == .connected
            switch event {
            case .connected: reason = "it has not answered yet"
            case .disconnected, .accepted: break
            case .refused: reason = "it does not allow this node's key (‘cutroom farm keys allow’, on the server)"
            case .misunderstood: reason = "it is not a farm, or its key differs from ‘--server-key’"
            }
        }
        if isConnected, isWelcome {
            if !isThere { log.notice("works for the farm at \(endpoint)") }
            (isThere, pause, reason) = (true, Self.firstPause, Self.silence)
        } else if isThere {
            log.warning("the connection to the farm at \(endpoint) is lost; trying again")
            (isThere, nextLine) = (false, now + pause)
        }
        guard !isThere, now >= nextLine else { return }
        log.warning("cannot work for the farm at \(endpoint): \(reason); trying again")
        nextLine = now + pause
        pause = min(pause * 2, Self.lastPause)
    }
}
