import Foundation
import Messaging
import TestSupport
import Testing

@testable import Server

/// The limits for the requests of a key.
@Suite struct RequestLimiterTests {
    private func name(_ number: Int) -> Data { Data("a/\(number)".utf8) }

    @Test func questionsAndBytesFillUpWithTime() throws {
        let (ann, bob) = (try KeyPair().publicKey, try KeyPair().publicKey)
        var limiter = RequestLimiter(.init(questions: 10, questionsAtOnce: 5, bytes: 100, bytesAtOnce: 1000))
        func take(_ key: PublicKey, _ bytes: Int, at now: Double) -> Bool {
            let verdict = limiter.take(bytes, of: key, by: name(1), at: now)
            if verdict == .taken { limiter.answered(key) }
            return verdict == .taken
        }
        #expect((0..<8).count { _ in take(ann, 1, at: 0) } == 5)
        #expect(take(bob, 1, at: 0), "nobody else's are fewer")
        #expect(!take(ann, 1, at: 0.05) && take(ann, 1, at: 0.15))
        #expect(!take(ann, 1001, at: 50) && take(ann, 990, at: 51) && !take(ann, 500, at: 52) && take(ann, 300, at: 56))
        #expect(take(ann, 1, at: 10), "a clock that went back")
        #expect(limiter.openBytes == 0)
    }

    @Test func onlySoManyAreOpen() throws {
        let ann = try KeyPair().publicKey
        var limiter = RequestLimiter(.init(open: 3, connections: 2, connectionSeconds: 10, openBytes: 100))
        func take(_ bytes: Int, _ connection: Int, at now: Double) -> RequestLimiter.Verdict {
            limiter.take(bytes, of: ann, by: name(connection), at: now)
        }
        #expect(take(50, 1, at: 0) == .taken && take(40, 2, at: 0) == .taken)
        #expect(take(1, 3, at: 1) == .tooMuch(isFirst: true), "a third connection")
        #expect(take(20, 1, at: 1) == .tooMuch(isFirst: false), "too many bytes")
        #expect(take(10, 1, at: 1) == .taken && take(0, 1, at: 1) == .tooMuch(isFirst: true))
        #expect(Set(limiter.connections(of: ann)) == [name(1), name(2)])
        limiter.answered(ann)
        #expect(limiter.openBytes == 50 && take(1, 3, at: 20) == .taken, "the others have been silent for long")
        limiter.forget(ann)
        #expect(limiter.connections(of: ann) == [])
        for _ in 0..<5 { limiter.answered(ann) }
        #expect(limiter.openBytes == 0)
        limiter.forget(ann)
        #expect(limiter.keys == [])
    }

    /// For any requests, the unanswered ones stay within their limits, and their count returns to
    /// zero.
    @Test func randomQuestions() throws {
        let keys = try (0..<3).map { _ in try KeyPair().publicKey }
        let seed = Seed.announced(for: "request limiter", cases: 20)
        for index in 0..<20 {
            var random = SplitMix64.forCase(index, of: seed)
            let limits = RequestLimiter.Limits(
                questions: 50, questionsAtOnce: 20, bytes: 5000, bytesAtOnce: 2000, open: 8, connections: 4,
                openBytes: 3000)
            var limiter = RequestLimiter(limits)
            var (now, open) = (0.0, [PublicKey: Int]())
            for _ in 0..<2000 {
                let key = random.pick(keys)
                now += Double.random(in: 0...0.05, using: &random)
                if random.chance(1, in: 2) {
                    let bytes = Int.random(in: 0...500, using: &random)
                    let connection = name(Int.random(in: 0..<6, using: &random))
                    if limiter.take(bytes, of: key, by: connection, at: now) == .taken { open[key, default: 0] += 1 }
                } else if open[key] ?? 0 > 0 {
                    limiter.answered(key)
                    open[key]? -= 1
                }
                #expect(limiter.openBytes <= limits.openBytes && open.values.allSatisfy { $0 <= limits.open })
                #expect(keys.allSatisfy { limiter.connections(of: $0).count <= limits.connections })
            }
            for (key, count) in open { for _ in 0..<count { limiter.answered(key) } }
            #expect(limiter.openBytes == 0, "case \(index), seed \(seed)")
        }
    }
}
