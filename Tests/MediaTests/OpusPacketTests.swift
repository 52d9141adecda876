import Testing
import Values

@testable import Media

@Suite struct OpusPacketTests {
    /// The table of RFC 6716, 3.1, in milliseconds.
    @Test func `packets say their length`() {
        for (configurations, lengths) in [
            (0...11, [10, 20, 40, 60]), (12...15, [10, 20]), (16...31, [2.5, 5, 10, 20]),
        ] as [(ClosedRange<UInt8>, [Double])] {
            for configuration in configurations {
                let milliseconds = lengths[Int(configuration) % lengths.count]
                for (code, count, frames) in [(0, 0, 1), (1, 0, 2), (2, 9, 2), (3, 3, 3), (3, 0x81, 1)]
                    as [(UInt8, UInt8, Double)]
                {
                    let length = OpusPacket.length(configuration << 3 | code, count).seconds * 1000
                    #expect(abs(length - min(120, milliseconds * frames)) < 1e-9, "\(configuration) \(code)")
                }
            }
        }
    }
}
