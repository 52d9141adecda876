import TestSupport
import Testing
import Values

@testable import Draft

@Suite struct PlacementTests {
    private static let canvas = Canvas.Size(width: 1000, height: 500)

    private func place(
        _ placement: Placement, _ width: Int = 400, _ height: Int = 400, at seconds: Double = 0,
        _ mode: ContentMode = .fit
    ) -> PlacedPicture {
        placement.placed(at: Time(seconds: seconds) ?? .zero, on: Self.canvas, picture: (width, height), mode: mode)
    }

    private func place(_ placement: Placement, _ mode: ContentMode) -> PlacedPicture {
        place(placement, 400, 400, at: 0, mode)
    }

    private func rect(_ placed: PlacedPicture) -> [Double] { [placed.left, placed.top, placed.width, placed.height] }
    private func source(_ placed: PlacedPicture) -> [Double] {
        [placed.sourceLeft, placed.sourceTop, placed.sourceWidth, placed.sourceHeight]
    }

    @Test func `without options a picture lies in the middle, as large as the canvas allows`() {
        #expect(rect(place(Placement())) == [250, 0, 500, 500])
        #expect(rect(place(Placement(), 4000, 1000)) == [0, 125, 1000, 250])
        #expect(source(place(Placement())) == [0, 0, 400, 400])
    }

    @Test func `a value of lengths has pixels alone, or pixels and shares`() {
        var placement = Placement()
        (placement.position, placement.anchor) = (.constant([30, 40]), .init(x: 0, y: 0))
        (placement.width, placement.cornerRadius) = (.constant(100), .constant(8))
        #expect(rect(place(placement)) == [30, 40, 100, 100] && place(placement).cornerRadius == 8)
        (placement.position, placement.cornerRadius) = (.constant([0, 0.5, 10, 0]), .constant([1, 0.25]))
        #expect(rect(place(placement)) == [500, 10, 100, 100] && place(placement).cornerRadius == 26)
    }

    @Test func `one side follows from the other`() {
        var placement = Placement()
        placement.width = .constant([0, 0.3])
        #expect(rect(place(placement, 600, 200)) == [350, 200, 300, 100])
        (placement.width, placement.height) = (nil, .constant([100, 0]))
        #expect(rect(place(placement, 600, 200)) == [350, 200, 300, 100])
        placement.scale = .constant(0.5)
        #expect(rect(place(placement, 600, 200)) == [425, 225, 150, 50])
    }

    @Test func `modes fit, fill and stretch the rectangle of both sides`() {
        var placement = Placement()
        (placement.width, placement.height) = (.constant([200, 0]), .constant([100, 0]))
        #expect(rect(place(placement)) == [450, 200, 100, 100])
        #expect(rect(place(placement, .stretch)) == [400, 200, 200, 100])
        #expect(rect(place(placement, .fill)) == [400, 200, 200, 100])
        #expect(source(place(placement, .fill)) == [0, 100, 400, 200])
        placement.focus = .init(x: 0.5, y: 0.25)
        #expect(source(place(placement, .fill)) == [0, 0, 400, 200])
        placement.focus = .init(x: 0.5, y: 0.9)
        #expect(source(place(placement, .fill)) == [0, 200, 400, 200])
    }

    @Test func `the anchor goes to the position, whatever the size is`() {
        var placement = Placement()
        placement.width = .keyframes([
            Keyframe(time: .zero, value: [100, 0]), Keyframe(time: seconds(1), value: [300, 0]),
        ])
        placement.anchor = .init(x: 1, y: 1)
        placement.position = .constant([-24, 1, -24, 1])
        for time in [0, 0.25, 0.5, 1] {
            let placed = place(placement, at: time)
            #expect(placed.left + placed.width == 976 && placed.top + placed.height == 476)
            #expect(placed.pivotX == 976 && placed.pivotY == 476)
        }
        #expect(place(placement, at: 0.5).width == 200)
    }

    @Test func `a crop is of the picture, and what remains has its own shape`() {
        var placement = Placement()
        placement.crop = .constant([0.25, 0, 0.5, 1])
        #expect(source(place(placement)) == [100, 0, 200, 400])
        #expect(rect(place(placement)) == [375, 0, 250, 500])
    }

    @Test func `turns are told within one turn`() {
        var placement = Placement()
        for (degrees, turn) in [(0, 0), (90, 0.25), (-90, 0.75), (720, 0), (450, 0.25)] as [(Double, Double)] {
            placement.rotation = .constant(degrees)
            #expect(place(placement).turn == turn)
        }
        placement.rotation = .constant(1e300)
        #expect((0..<1).contains(place(placement).turn))
    }

    @Test func `whatever the numbers are, the place is one that can be painted`() {
        var random = SplitMix64(seed: Seed.announced(for: "placements", cases: 2000))
        func number() -> Double {
            [
                0, 1, -1, 0.5, 1e300, -1e300, .infinity, .nan, 1e-300, Double.random(in: -2...2, using: &random),
                Double.random(in: -2000...2000, using: &random),
            ].randomElement(using: &random) ?? 0
        }
        func numbers(_ count: Int) -> Animated { .constant((0..<count).map { _ in number() }) }
        for _ in 0..<2000 {
            var placement = Placement()
            placement.position = numbers(Bool.random(using: &random) ? 2 : 4)
            placement.width = Bool.random(using: &random) ? numbers(2) : nil
            placement.height = Bool.random(using: &random) ? numbers(2) : nil
            placement.scale = numbers(1)
            placement.crop = numbers(4)
            placement.rotation = numbers(1)
            placement.opacity = numbers(1)
            placement.cornerRadius = numbers(2)
            placement.focus = .init(x: number(), y: number())
            let (width, height) = (Int.random(in: 1...3000, using: &random), Int.random(in: 1...3000, using: &random))
            let mode = ContentMode.allCases.randomElement(using: &random) ?? .fit
            let placed = place(placement, width, height, at: 0, mode)
            #expect(rect(placed).allSatisfy(\.isFinite) && source(placed).allSatisfy(\.isFinite), "\(placement)")
            #expect(Placement.sideRange.contains(placed.width) && Placement.sideRange.contains(placed.height))
            #expect(
                placed.sourceLeft >= 0 && placed.sourceLeft + placed.sourceWidth <= Double(width) + 1e-6, "\(placed)")
            #expect(
                placed.sourceTop >= 0 && placed.sourceTop + placed.sourceHeight <= Double(height) + 1e-6, "\(placed)")
            #expect(placed.sourceWidth > 0 && placed.sourceHeight > 0 && (0...1).contains(placed.opacity))
            #expect((0..<1).contains(placed.turn) && placed.cornerRadius >= 0)
            #expect(placed.cornerRadius <= min(placed.width, placed.height) / 2)
        }
    }
}
