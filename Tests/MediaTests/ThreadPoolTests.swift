import Foundation
import Media
import Synchronization
import TestSupport
import Testing

/// Threads that share the work on a picture.
@Suite(.waits) struct ThreadPoolTests {
    @Test func eachPieceIsDoneOnce() {
        for width in 1...ThreadPool.mostThreads {
            let pool = ThreadPool()
            pool.width = width
            for count in [0, 1, 2, 7, 64] {
                let calls = Calls(count)
                pool.perform(count) { calls.add($0) }
                #expect(calls.counts == Array(repeating: 1, count: count), "\(width) threads, \(count) pieces")
                #expect(calls.threads <= width)
            }
        }
    }

    /// Pieces that wait for each other end only where each has a thread of its own.
    @Test func piecesRunAtTheSameTime() {
        let pool = ThreadPool()
        pool.width = 4
        let condition = NSCondition()
        var arrived = 0
        pool.perform(4) { _ in
            condition.lock()
            defer { condition.unlock() }
            arrived += 1
            condition.broadcast()
            while arrived < 4 { condition.wait() }
        }
        #expect(arrived == 4)
    }

    @Test func widthsStayWithinBounds() {
        let pool = ThreadPool()
        for (wanted, width) in [(-3, 1), (0, 1), (5, 5), (1000, ThreadPool.mostThreads)] {
            pool.width = wanted
            #expect(pool.width == width)
        }
    }

    /// Several threads may use a pool, one of which has its helpers.
    @Test func callersDoNotWaitForEachOther() {
        let pool = ThreadPool()
        pool.width = 3
        let calls = Calls(400)
        DispatchQueue.concurrentPerform(iterations: 4) { caller in
            for round in 0..<10 { pool.perform(10) { calls.add(100 * caller + 10 * round + $0) } }
        }
        #expect(calls.counts == Array(repeating: 1, count: 400))
    }

    @Test func bandsCoverAPictureAndBeginAtEvenRows() {
        var random = SplitMix64(seed: Seed.announced(for: "bands", cases: 200))
        for _ in 0..<200 {
            let pool = ThreadPool()
            pool.width = Int.random(in: 1...8, using: &random)
            let height = Int.random(in: 1...700, using: &random)
            let found = Bands()
            pool.bands(of: height) { found.add($0) }
            let sorted = found.all.sorted { $0.lowerBound < $1.lowerBound }
            #expect(sorted.first?.lowerBound == 0 && sorted.last?.upperBound == height)
            for (band, next) in zip(sorted, sorted.dropFirst()) {
                #expect(band.upperBound == next.lowerBound && band.upperBound.isMultiple(of: 2))
            }
            #expect(!sorted.contains { $0.isEmpty } && sorted.count <= pool.width)
        }
    }

    private final class Bands: Sendable {
        private let list = Mutex<[Range<Int>]>([])
        var all: [Range<Int>] { list.withLock { $0 } }
        func add(_ band: Range<Int>) { list.withLock { $0.append(band) } }
    }

    private final class Calls: Sendable {
        private struct State {
            var counts: [Int]
            var threads: Set<UInt> = []
        }

        private let state: Mutex<State>
        init(_ count: Int) { state = Mutex(State(counts: Array(repeating: 0, count: count))) }
        var counts: [Int] { state.withLock(\.counts) }
        var threads: Int { state.withLock(\.threads.count) }

        func add(_ index: Int) {
            state.withLock {
                $0.counts[index] += 1
                $0.threads.insert(UInt(pthread_self()))
            }
        }
    }
}
