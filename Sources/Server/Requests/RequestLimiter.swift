import Foundation
import Messaging

/// How much each key may ask of a door. What is more than that is not looked at, so nobody can fill the server's memory, or keep it so busy
/// that others wait. Programs of ours do not come near the limits. A value; times are given to it.
struct RequestLimiter {
    struct Limits {
        /// Questions a second, and how many at once after a pause.
        var questions = 400.0
        var questionsAtOnce = 1000.0
        /// Bytes a second, and at once.
        var bytes = 4.0 * 1_048_576
        var bytesAtOnce = 64.0 * 1_048_576
        /// Questions of one key without an answer.
        var open = 64
        /// Connections that one key asks by. One counts for a while after its last question.
        var connections = 32
        var connectionSeconds = 30.0
        /// What questions without an answer take altogether, in bytes.
        var openBytes = 256 << 20
    }

    /// Fills up again with time.
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
        /// When each connection asked last, in seconds.
        var connections: [Data: Double] = [:]
        /// What the questions without an answer take.
        var open: [Int] = []
        var isOverdrawn = false
    }

    package let limits: Limits
    private var accounts: [PublicKey: Account] = [:]
    private(set) var openBytes = 0

    init(_ limits: Limits = Limits()) { self.limits = limits }

    enum Verdict: Hashable, Sendable {
        case taken
        /// It is not looked at; `isFirst`: the key was within its limits before.
        case tooMuch(isFirst: Bool)
    }

    /// - Parameters:
    ///   - more: bytes that come along, of a file that is sent: as many as wait for their answers, however fast those come.
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

    /// A question of a key has its answer: of several the first.
    mutating func answered(_ key: PublicKey) {
        guard let first = accounts[key]?.open.first else { return }
        accounts[key]?.open.removeFirst()
        openBytes -= first
    }

    /// The connections by which a key has asked.
    func connections(of key: PublicKey) -> [Data] { accounts[key].map { Array($0.connections.keys) } ?? [] }

    var keys: [PublicKey] { Array(accounts.keys) }

    /// A key may not ask any more. What is without an answer counts until it has one.
    mutating func forget(_ key: PublicKey) {
        accounts[key]?.connections = [:]
        if accounts[key]?.open.isEmpty ?? false { accounts[key] = nil }
    }
}
