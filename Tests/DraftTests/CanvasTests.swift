import Draft
import Testing

@Suite struct CanvasTests {
    @Test(arguments: [16, 17, 640, 1281, 4095, 8191, 8192], [(9.0, 16.0), (16, 9), (1, 1), (99, 1), (2.39, 1)])
    func aShapeKeepsToItsLongerSide(maximum: Int, aspect: (width: Double, height: Double)) {
        let size = Canvas.size(aspectWidth: aspect.width, aspectHeight: aspect.height, maximum: maximum)
        // The largest even number that is not above it.
        #expect(max(size.width, size.height) == maximum / 2 * 2)
        #expect(size.width % 2 == 0 && size.height % 2 == 0)
        let (long, short) = (max(aspect.width, aspect.height), min(aspect.width, aspect.height))
        let wanted = Double(maximum / 2 * 2) * short / long
        #expect(abs(Double(min(size.width, size.height)) - max(2, wanted)) <= 1)
    }
}
