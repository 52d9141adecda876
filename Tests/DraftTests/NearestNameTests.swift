import Testing

@testable import Draft

@Suite struct NearestNameTests {
    static let names = ["speed", "repeat", "lut", "sticker", "title", "org.cutroom.vignette", "org.cutroom.rgb_split"]

    @Test(arguments: [
        ("sped", "speed"), ("speeed", "speed"), ("SPEED", "speed"), ("psged", "speed"), ("titel", "title"),
        ("lot", "lut"),
        ("stikcer", "sticker"), ("vignette", "org.cutroom.vignette"), ("vinette", "org.cutroom.vignette"),
        ("org.cutroom.vignete", "org.cutroom.vignette"), ("rgbsplit", "org.cutroom.rgb_split"),
    ])
    func isFound(name: String, nearest: String) {
        #expect(nearestName(to: name, in: Self.names) == nearest)
        #expect(suggestion(for: name, in: Self.names) == "; did you mean ‘\(nearest)’?")
    }

    @Test(arguments: ["xxxxxxx", "chromakey", String(repeating: "speed", count: 100)])
    func nothingIsNear(name: String) {
        #expect(nearestName(to: name, in: Self.names) == nil)
        #expect(suggestion(for: name, in: ["b", "a"]) == "; there are a, b")
        #expect(suggestion(for: name, in: (10..<40).map { "org.\($0)" }) == "", "too many to be read")
    }

    @Test func edges() {
        #expect(nearestName(to: "a", in: []) == nil && suggestion(for: "a", in: []) == "")
        #expect(nearestName(to: "", in: ["ab", "abc"]) == "ab")
        // The smallest distance wins; of two equal ones the first by name, whatever the order.
        #expect(nearestName(to: "fade_inn", in: ["fade_out", "fade_in"]) == "fade_in")
        #expect(
            nearestName(to: "bat", in: ["cat", "bar"]) == "bar" && nearestName(to: "bat", in: ["bar", "cat"]) == "bar")
        #expect(nearestName(to: String(repeating: "x", count: 1_000_000), in: Self.names) == nil)
    }
}
