import Testing

@testable import Recording

/// Which pictures go through the live effects, and when these are given up.
@Suite struct LiveEffectsTests {
    private typealias Effects = LiveEffects<Int>

    private static let ms: Int64 = 1_000_000

    /// Effects that have answered their first picture at 100 ms.
    private func begun() -> (Effects, Effects.Arrivals) {
        var effects = Effects(started: 0)
        #expect(effects.take(0, at: 0, .init(), mayPass: false) == .sent(1))
        #expect(effects.receive(1) == 0)
        return (effects, .init(number: 1, time: 100 * Self.ms, isOpening: false))
    }

    @Test func theFirstPictureIsWaitedFor() {
        var effects = Effects(started: 0)
        #expect(effects.take(7, at: 0, .init(), mayPass: false) == .sent(1))
        #expect(effects.take(8, at: 33 * Self.ms, .init(), mayPass: false) == .dropped)
        #expect(effects.missing == [7])
        #expect(effects.fault(at: 5000 * Self.ms, .init(), resumed: 0) == nil)
        #expect(effects.fault(at: 5001 * Self.ms, .init(), resumed: 0) == "made no picture for 5 s")
        #expect(effects.receive(1) == 7 && effects.receive(1) == nil)
    }

    /// In a take the pictures are recorded without effects meanwhile, each once.
    @Test func aTakeGoesOnWhileEffectsAreStarted() {
        var effects = Effects(started: 0)
        #expect(effects.take(7, at: 0, .init(), mayPass: true) == .passed(1))
        #expect(effects.take(8, at: 33 * Self.ms, .init(), mayPass: true) == .passed(nil))
        #expect(effects.missing == [])
        #expect(effects.receive(1) == nil)
        #expect(effects.take(9, at: 66 * Self.ms, .init(number: 1), mayPass: true) == .sent(2))
        #expect(effects.missing == [9] && effects.receive(2) == 9)
    }

    @Test func threePicturesAreUnderWay() {
        var (effects, arrivals) = begun()
        for number in 2...4 {
            #expect(effects.take(number, at: 200 * Self.ms, arrivals, mayPass: true) == .sent(Int64(number)))
        }
        #expect(effects.take(5, at: 200 * Self.ms, arrivals, mayPass: true) == .dropped)
        // One has come back, and waits to be encoded.
        arrivals.number = 2
        #expect(effects.take(6, at: 200 * Self.ms, arrivals, mayPass: true) == .sent(5))
        #expect(effects.missing == [2, 3, 4, 6])
    }

    @Test func effectsHangWhoseNextPictureIsLate() {
        var (effects, arrivals) = begun()
        _ = effects.take(2, at: 200 * Self.ms, arrivals, mayPass: true)
        #expect(effects.fault(at: 450 * Self.ms, arrivals, resumed: 0) == nil)
        #expect(effects.fault(at: 451 * Self.ms, arrivals, resumed: 0) == "made no picture for 250 ms")
        // This process was stopped itself, the picture has arrived, one before it was slow, or
        // something is opened.
        #expect(effects.fault(at: 451 * Self.ms, arrivals, resumed: 300 * Self.ms) == nil)
        #expect(effects.fault(at: 9000 * Self.ms, .init(number: 2, time: 0, isOpening: false), resumed: 0) == nil)
        arrivals.time = 400 * Self.ms
        #expect(effects.fault(at: 451 * Self.ms, arrivals, resumed: 0) == nil)
        arrivals.isOpening = true
        #expect(effects.fault(at: 5400 * Self.ms, arrivals, resumed: 0) == nil)
        #expect(effects.fault(at: 5401 * Self.ms, arrivals, resumed: 0) == "made no picture for 5 s")
    }

    @Test(arguments: [(45, false), (46, true)]) func effectsAreTooSlowThatDropMoreThanHalf(drops: Int, isFault: Bool) {
        var (effects, arrivals) = begun()
        arrivals.time = 1000 * Self.ms
        for number in 2...4 { _ = effects.take(number, at: arrivals.time, arrivals, mayPass: true) }
        for _ in 0..<drops { #expect(effects.take(0, at: arrivals.time, arrivals, mayPass: true) == .dropped) }
        #expect(effects.fault(at: arrivals.time, arrivals, resumed: 0) == nil, "too few pictures to judge")
        for _ in 3..<90 - drops {
            arrivals.number += 1
            _ = effects.receive(arrivals.number)
            guard case .sent = effects.take(0, at: arrivals.time, arrivals, mayPass: true) else {
                Issue.record("it is dropped")
                return
            }
        }
        let fault = effects.fault(at: arrivals.time, arrivals, resumed: 0)
        #expect((fault == "made less than half of the pictures in time") == isFault, "\(fault ?? "none")")
    }
}
