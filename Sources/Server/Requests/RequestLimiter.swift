import Foundation
import Messaging

/// Limits how much each key may request. Excess requests are dropped unread, so that no client can
/// fill the server's memory, or keep it so busy that others wait. Our own programs do not come near
/// the limits. A value without a clock; times are passed in.
struct RequestLimiter {
    struct Limits {
        /// Requests per second, and at once after a pause.
        var questions = 400.0
        var questionsAtOnce = 1000.0
        /// Bytes per second, and at once.
        var bytes = 4.0 * 1_048_576
        var bytesAtOnce = 64.0 * 1_048_576
        /// Unanswered requests of one key.
        var open = 64
        /// Connections of one key. A connection counts for a while after its last request.
        var connections = 32
        var connectionSeconds = 30.0
        /// The total size of unanswered requests, in bytes.
        var openBytes = 256 << 20
    }

    /// A token bucket, which refills with time.
    private struct Bucket {
        var level: Double
        var last: Double

        mutating func take(_ amount: Double, rate: Double, most: Double, at now: Double) -> Bool {
            level = min(most, level + max(0, now - last) * rate)
            last = max(last, now)
            guard level >= amount else { return false }
            level -= amount
            return true
        }
    }

    private struct Account {
        var questions: Bucket
        var bytes: Bucket
        /// The time of each connection's last request, in seconds.
        var connections: [Data: Double] = [:]
        /// The sizes of the unanswered requests.
        var open: [Int] = []
        var isOverdrawn = false
    }

    package let limits: Limits
    private var accounts: [PublicKey: Account] = [:]
    private(set) var openBytes = 0

    init(_ limits: Limits = Limits()) { self.limits = limits }

    enum Verdict: Hashable, Sendable {
        case taken
        /// The request is dropped. `isFirst`: the key was within its limits before.
        case tooMuch(isFirst: Bool)
    }

    /// Counts a request.
    /// - Parameters:
    ///   - more: bytes of a file that accompany the request. They count only until the request is
    ///     answered, not for the rate.
    ///   - routing: the connection.
    ///   - now: in seconds.
    mutating func take(_ bytes: Int, with more: Int = 0, of key: PublicKey, by routing: Data, at now: Double) -> Verdict
    {
        var account =
            accounts[key]
            ?? Account(
                questions: Bucket(level: limits.questionsAtOnce, last: now),
                bytes: Bucket(level: limits.bytesAtOnce, last: now))
        defer { accounts[key] = account }
        if account.connections[routing] == nil, account.connections.count >= limits.connections {
            account.connections = account.connections.filter { now - $0.value < limits.connectionSeconds }
        }
        let isTaken =
            account.questions.take(1, rate: limits.questions, most: limits.questionsAtOnce, at: now)
            && account.bytes.take(Double(bytes), rate: limits.bytes, most: limits.bytesAtOnce, at: now)
            && (account.connections[routing] != nil || account.connections.count < limits.connections)
            && account.open.count < limits.open && openBytes + bytes + more <= limits.openBytes
        guard isTaken else {
            defer { account.isOverdrawn = true }
            return .tooMuch(isFirst: !account.isOverdrawn)
        }
        account.isOverdrawn = false
        account.connections[routing] = now
        account.open.append(bytes + more)
        openBytes += bytes + more
        return .taken
    }

    /// Counts an answer to the key's oldest unanswered request.
    mutating func answered(_ key: PublicKey) {
        guard let first = accounts[key]?.open.first else { return }
        accounts[key]?.open.removeFirst()
        openBytes -= first
    }

    /// Returns the connections that have used a key.
    func connections(of key: PublicKey) -> [Data] { accounts[key].map { Array($0.connections.keys) } ?? [] }

    var keys: [PublicKey] { Array(accounts.keys) }

    /// Forgets a revoked key. Its unanswered requests count until they are answered.
    mutating func forget(_ key: PublicKey) {
        accounts[key]?.connections = [:]
        if accounts[key]?.open.isEmpty ?? false { accounts[key] = nil }
    }
}
