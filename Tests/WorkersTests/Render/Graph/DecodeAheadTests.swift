import Foundation
import Messaging
import Synchronization
import TestSupport
import Testing

@testable import Workers

/// Frames that are worked out ahead on a thread of their own.
@Suite(.waits) struct DecodeAheadTests {
    private struct Fault: Error, Equatable { var frame: Int }

    /// Lets a thread pass one point at a time.
    private final class Gate: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        func open(_ times: Int = 1) { for _ in 0..<times { semaphore.signal() } }
        func pass() { semaphore.wait() }
    }

    private final class Log: Sendable {
        private let frames = Mutex<[Int]>([])
        var all: [Int] { frames.withLock { $0 } }
        func add(_ frame: Int) { frames.withLock { $0.append(frame) } }
    }

    private static func quiet(_ advances: Bool) {}

    private static func started(
        after number: Int = 0, depth: Int = 2, _ work: @escaping (Int) throws -> Int?
    ) throws -> DecodeAhead<Int> {
        let ahead = DecodeAhead(after: number, depth: depth, work)
        try #require(ahead.start())
        return ahead
    }

    @Test func framesComeInOrderAndEndWhereNothingIsShown() throws {
        let log = Log()
        let ahead = try Self.started(after: 4) { number in
            log.add(number)
            return number < 9 ? number * 10 : nil
        }
        for number in 5..<9 { #expect(try ahead.take(number, pulse: Self.quiet)?.get() == number * 10) }
        #expect(try ahead.take(9, pulse: Self.quiet) == nil)
        #expect(ahead.stop(pulse: Self.quiet) == .init(count: 0, hasFailed: false))
        #expect(log.all == [5, 6, 7, 8, 9])
    }

    @Test func atMostTheDepthIsMadeAheadAndWhatIsLeftIsCounted() throws {
        let log = Log()
        let ahead = try Self.started(depth: 3) { number in
            log.add(number)
            return number
        }
        #expect(try ahead.take(1, pulse: Self.quiet)?.get() == 1)
        #expect(Command.until(timeout: 60) { log.all.count == 4 })
        // Another frame than the next one.
        #expect(try ahead.take(7, pulse: Self.quiet) == nil)
        #expect(ahead.stop(pulse: Self.quiet) == .init(count: 3, hasFailed: false))
        #expect(log.all == [1, 2, 3, 4])
    }

    @Test func anErrorComesWithItsFrame() throws {
        let ahead = try Self.started { number in
            if number == 3 { throw Fault(frame: number) }
            return number
        }
        #expect(try ahead.take(1, pulse: Self.quiet)?.get() == 1)
        #expect(try ahead.take(2, pulse: Self.quiet)?.get() == 2)
        #expect(throws: Fault(frame: 3)) { try ahead.take(3, pulse: Self.quiet)?.get() }
        #expect(ahead.stop(pulse: Self.quiet) == .init(count: 0, hasFailed: false))
    }

    @Test func whatIsReadyCanBeTakenAfterTheThreadIsToEnd() throws {
        let log = Log()
        let ahead = try Self.started { number in
            log.add(number)
            return number
        }
        #expect(Command.until(timeout: 60) { log.all.count == 2 })
        ahead.finish()
        #expect(try ahead.take(1, pulse: Self.quiet)?.get() == 1)
        #expect(try ahead.take(2, pulse: Self.quiet)?.get() == 2)
        #expect(try ahead.take(3, pulse: Self.quiet) == nil)
        #expect(ahead.stop(pulse: Self.quiet) == .init(count: 0, hasFailed: false) && log.all == [1, 2])
    }

    /// The host hears of a decoder that works, and of no other.
    @Test func pulsesReachTheWaitingNodeOnItsOwnThread() throws {
        let gate = Gate()
        let box = Mutex<DecodeAhead<Int>?>(nil)
        let ahead = DecodeAhead<Int>(after: 0, depth: 2) { number in
            // Silent until the gate opens: a decoder that hangs.
            gate.pass()
            let ahead = box.withLock { $0 }
            for step in 0..<3 { try ahead?.pulse(advances: step == 2) }
            gate.pass()
            return number
        }
        box.withLock { $0 = ahead }
        try #require(ahead.start())
        let node = pthread_self()
        let isOpen = Mutex(false)
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(300)) {
            isOpen.withLock { $0 = true }
            gate.open()
        }
        var heard: [Bool] = []
        let answer = try ahead.take(1) { advances in
            let isLater = isOpen.withLock { $0 }
            #expect(pthread_equal(node, pthread_self()) != 0 && isLater)
            heard.append(advances)
            if advances { gate.open() }
        }
        #expect(try answer?.get() == 1 && heard.last == true)
        gate.open(10)
        _ = ahead.stop(pulse: Self.quiet)
        box.withLock { $0 = nil }
    }

    @Test func aCancelledJobStopsTheDecoderMidway() throws {
        let box = Mutex<DecodeAhead<Int>?>(nil)
        let ahead = DecodeAhead<Int>(after: 0, depth: 2) { number in
            // Reads on until it is stopped.
            while number > 0 {
                try box.withLock { $0 }?.pulse(advances: true)
                usleep(1000)
            }
            return number
        }
        box.withLock { $0 = ahead }
        try #require(ahead.start())
        #expect(throws: Cancelled.self) { try ahead.take(1) { _ in throw Cancelled() } }
        #expect(ahead.stop { _ in throw Cancelled() } == .init(count: 1, hasFailed: true))
        box.withLock { $0 = nil }
    }
}
