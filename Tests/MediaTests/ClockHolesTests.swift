import Testing

@testable import Media

/// Packets are fed in decoding order, with one tick per picture, and pictures are presented in the
/// decoder's order.
@Suite struct ClockHolesTests {
    private var holes = ClockHoles()

    private mutating func feed(_ presentations: [Int64], from decoding: Int64) {
        for (index, presentation) in presentations.enumerated() {
            holes.feed(presentation: presentation, decoding: decoding + Int64(index), duration: 1)
        }
    }

    /// The corrected times, as a reader gets them that presents one picture after the other.
    private mutating func corrected(_ presentations: [Int64]) -> [Int64] {
        var last = Int64.min
        return presentations.map { stated in
            let time = stated + holes.correction(of: stated, stepsBack: stated <= last)
            last = max(last, time)
            return time
        }
    }

    @Test mutating func picturesThatMissTheHoleAreMoved() {
        // P4 and B2 are decoded before the hole, b1 and b3 behind it.
        feed([0, 4, 2], from: -2)
        feed([101, 103, 108, 106, 105, 107], from: 101)
        #expect(corrected([0, 101, 2, 103, 4, 105, 106, 107, 108]) == [0, 101, 102, 103, 104, 105, 106, 107, 108])
    }

    @Test mutating func twoHolesAddUp() {
        feed([0, 4], from: -2)
        feed([102], from: 100)
        feed([201, 203, 208], from: 201)
        #expect(corrected([0, 201, 102, 203, 4, 208]) == [0, 201, 202, 203, 204, 208])
    }

    /// A hole that is shorter than the way from the first picture behind it to the last one before.
    @Test mutating func aShortHoleMovesAllPicturesThatMissIt() {
        feed([0, 4, 2], from: -2)
        feed([3, 5, 10], from: 3)
        #expect(corrected([0, 3, 2, 5, 4, 10]) == [0, 3, 4, 5, 6, 10])
    }

    /// B2 and b3 are missing, and the clock is right.
    @Test mutating func missingPacketsMoveNothing() {
        feed([0, 4], from: -2)
        feed([1], from: 1)
        feed([8, 6, 5, 7], from: 3)
        #expect(corrected([0, 1, 4, 5, 6, 7, 8]) == [0, 1, 4, 5, 6, 7, 8])
    }

    /// Without a hole, a time that steps back is left as it is.
    @Test mutating func aTimeThatStepsBackAloneIsKept() {
        feed([0, 3, 1, 1], from: -1)
        #expect(corrected([0, 1, 3, 1]) == [0, 1, 3, 1])
    }
}
