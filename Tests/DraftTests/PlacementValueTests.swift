import TestSupport
import Testing
import Values

@testable import Draft

/// Placements as scripts and documents have them.
@Suite struct PlacementValueTests {
    private func read(_ fields: [String: Value]) throws -> Placement? {
        var reader = try FieldReader(.object(fields), object: "layer")
        var placement = Placement()
        try Placement.options.read(&placement, from: &reader)
        try reader.finish()
        return placement == Placement() ? nil : placement
    }

    private func refusal(_ fields: [String: Value]) -> String {
        do {
            _ = try read(fields)
            return ""
        } catch {
            return "\(error)"
        }
    }

    private func written(_ placement: Placement) -> Value {
        var writer = FieldWriter()
        Placement.options.write(placement, to: &writer)
        return writer.value
    }

    @Test func `without options there is none`() throws { #expect(try read([:]) == nil) }

    @Test func `a name means a place and the same edge of the picture`() throws {
        let placement = try #require(try read(["position": "bottom_right", "margin": 24]))
        #expect(placement.position == .constant([-24, 1, -24, 1]) && placement.anchor == .init(x: 1, y: 1))
        let mixed = try #require(try read(["position": .array(["left", "100%-40"]), "margin": "5%"]))
        #expect(mixed.position == .constant([0, 0.05, -40, 1]) && mixed.anchor == .init(x: 0, y: 0.5))
        let own = try #require(try read(["position": "top", "anchor": "center"]))
        #expect(own.position == .constant([0, 0.5, 0, 0]) && own.anchor == .middle)
    }

    @Test func `positions and sides may change with time`() throws {
        let keys: Value = .array([
            .array([0, .array([0, "50%"])]), .array([1.5, .array([100, "100%-10"]), "ease_out"]),
        ])
        let placement = try #require(try read(["position": keys]))
        #expect(placement.position.value(at: seconds(0)) == [0, 0, 0, 0.5])
        #expect(placement.position.value(at: seconds(2)) == [100, 0, -10, 1])
        let grown = try #require(
            try read(["size": .array([.array([0, .array([100, 50])]), .array([1, .array([200, 60])])])]))
        #expect(grown.width?.value(at: seconds(0.5)) == [150] && grown.height?.value(at: seconds(0.5)) == [55])
    }

    @Test func `one side alone is enough`() throws {
        for fields in [["size": .array(["30%"])], ["width": "30%"]] as [[String: Value]] {
            let placement = try #require(try read(fields))
            #expect(placement.width == .constant([0, 0.3]) && placement.height == nil)
        }
    }

    @Test(
        arguments: [
            (["rotate": 45], "‘rotate’ is 45, but must be 90, 180 or 270 degrees"),
            (["position": "botom_right"], "did you mean ‘bottom_right’?"),
            (["position": .array([1])], "but must be a name such as"),
            (["position": .array(["top", "left"])], "‘position’ has ‘top’"),
            (["anchor": .array([2, 0])], "shares of the picture in 0 … 1"),
            (["margin": 3], "has a ‘margin’ without a ‘position’"),
            (["size": .array([1, 2]), "width": 3], "give ‘size’, or ‘width’ and ‘height’"),
            (["width": "30"], ""), (["width": "thirty"], "a share of the canvas such as"),
            (["flip": "sideways"], "‘flip’ is ‘sideways’"), (["focus": "face"], "‘focus’ is ‘face’"),
        ] as [([String: Value], String)])
    func `what is none is told`(fields: [String: Value], message: String) {
        let said = refusal(fields)
        #expect(message.isEmpty ? said.isEmpty : said.contains(message), "\(said)")
    }

    @Test func `what is written is read again`() throws {
        var random = SplitMix64(seed: Seed.announced(for: "placement values", cases: 500))
        func number(_ range: ClosedRange<Double>) -> Double {
            (Double.random(in: range, using: &random) * 8).rounded() / 8
        }
        func animated(_ count: Int) -> Animated {
            func value() -> [Double] { (0..<count).map { _ in number(-2...200) } }
            guard Bool.random(using: &random) else { return .constant(value()) }
            let easing = Easing.named.randomElement(using: &random) ?? .linear
            return .keyframes([
                Keyframe(time: .zero, value: value(), easing: easing), Keyframe(time: seconds(1.5), value: value()),
            ])
        }
        for _ in 0..<500 {
            var placement = Placement()
            placement.position = animated(Bool.random(using: &random) ? 2 : 4)
            placement.anchor = .init(x: number(0...1), y: number(0...1))
            placement.width = Bool.random(using: &random) ? animated(2) : nil
            placement.height = Bool.random(using: &random) ? animated(1) : nil
            placement.scale = animated(1)
            placement.rotation = animated(1)
            placement.quarterTurns = Int.random(in: 0...3, using: &random)
            (placement.isFlippedAcross, placement.isFlippedDown) = (.random(using: &random), .random(using: &random))
            placement.crop = animated(4)
            placement.cornerRadius = animated(2)
            let again = try #require(try read(written(placement).fields))
            // Shares of zero are written as pixels.
            #expect(written(again) == written(placement))
            for time in [0, 0.7, 2] {
                let at = Time(seconds: time) ?? .zero
                func place(_ one: Placement) -> PlacedPicture {
                    one.placed(at: at, on: Canvas.Size(width: 640, height: 360), picture: (100, 80), mode: .fit)
                }
                #expect(place(again) == place(placement))
            }
        }
    }

    @Test func `entrances`() throws {
        func read(_ value: Value, _ units: [Entrance.Unit] = Entrance.Unit.allCases) throws -> Entrance? {
            var reader = try FieldReader(.object(["enter": value]), object: "layer")
            return try Entrance(reading: &reader, "enter", units: units)
        }
        #expect(try read("fade") == Entrance(.fade, duration: seconds(0.5)))
        #expect(try read(.array(["pop", 0.25])) == Entrance(.pop, duration: seconds(0.25)))
        let words = try #require(
            try read(.array(["slide_up", 0.3, .object(["by": "word", "stagger": 0.1, "easing": "linear"])])))
        #expect(words.unit == .word && words.stagger == seconds(0.1) && words.easing == .linear)
        #expect(try read(words.value) == words)
        for (value, message) in [
            ("fad", "did you mean ‘fade’?"), (.array(["fade", 0]), "must last longer than 0"),
            (.array(["fade", 100]), "at most 60 s"), (.object(["kind": "fade", "speed": 2]), "has no option ‘speed’"),
            (.object(["kind": "fade", "stagger": 1]), "say ‘by = \"word\"’, too"), (3, "a name such as"),
        ] as [(Value, String)] {
            #expect { _ = try read(value) } throws: { "\($0)".contains(message) }
        }
        #expect { _ = try read(.object(["kind": "fade", "by": "word"]), [.whole]) } throws: {
            "\($0)".contains("a picture enters as a whole")
        }
    }

    @Test(arguments: Entrance.Kind.allCases.filter { $0 != .type })
    func `an entrance ends at rest, and nothing jumps`(kind: Entrance.Kind) {
        let entrance = Entrance(kind, duration: seconds(1))
        #expect(entrance.pose(at: seconds(1)) == .rest && entrance.pose(at: seconds(5)) == .rest)
        for leaving in [false, true] {
            var last = entrance.pose(at: .zero, isLeaving: leaving)
            #expect(last != .rest)
            for step in 1...1000 {
                let pose = entrance.pose(
                    at: Time(flicks: Time.flicksPerSecond * Int64(step) / 1000), isLeaving: leaving)
                func numbers(_ pose: EntrancePose) -> [Double] {
                    [pose.opacity, pose.across, pose.down, pose.scale, pose.turn, pose.blur] + pose.uncovered
                }
                #expect(zip(numbers(pose), numbers(last)).allSatisfy { abs($0 - $1) < 0.01 })
                last = pose
            }
        }
    }
}
