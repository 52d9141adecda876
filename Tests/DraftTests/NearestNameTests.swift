import Testing
import Values

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
        #expect(nearestName(to: "", in: ["ab", "abc"]) == nil)
        // The smallest distance wins; of two equal ones the first by name, whatever the order.
        #expect(nearestName(to: "fade_inn", in: ["fade_out", "fade_in"]) == "fade_in")
        #expect(
            nearestName(to: "bat", in: ["cat", "bar"]) == "bar" && nearestName(to: "bat", in: ["bar", "cat"]) == "bar")
        #expect(nearestName(to: String(repeating: "x", count: 1_000_000), in: Self.names) == nil)
    }

    @Test(arguments: [
        (".avi", [".wav", ".mp4"]), (".ogg", [".jpg", ".mp4"]), ("--crf", ["--set"]), ("end", ["id", "range"]),
        ("x", ["id"]),
        ("at", ["id"]), ("org.cutroom.greyscale", ["org.cutroom.shake", "org.cutroom.mirror"]), ("b", ["a"]),
    ])
    func `what shares hardly a letter is not near`(name: String, others: [String]) {
        #expect(nearestName(to: name, in: others) == nil)
    }

    @Test(arguments: [
        ("addTitle", "add_title"), ("AddTitle", "add_title"), ("ad_clip", "add_clip"), ("add-clip", "add_clip"),
        ("fadeIn", "fade_in"), ("org.cutroom.rgbSplit", "org.cutroom.rgb_split"),
    ])
    func `capitals and underlines do not count`(name: String, nearest: String) {
        let names = ["add_title", "add_clip", "add_image", "fade_in", "fade_out"] + Self.names
        #expect(nearestName(to: name, in: names) == nearest)
    }

    @Test(arguments: [
        ("sharp", "org.cutroom.sharpen"), ("org.cutroom.sharp", "org.cutroom.sharpen"), ("dura", "duration"),
        ("olume", "volume"), ("ovlume", "volume"), ("aa", "a"),
    ])
    func `what begins like a name is nearer than what only shares letters`(name: String, nearest: String) {
        let names = ["org.cutroom.shake", "org.cutroom.sharpen", "duration", "volume", "a", "m_a", "dur"]
        #expect(nearestName(to: name, in: names) == nearest)
    }

    @Test(arguments: [
        ("rain", "org.cutroom.gain"), ("cut", "lut"), ("weight", "height"), ("glow", "slow"), ("sha", "shake"),
    ])
    func `another first letter is another word`(name: String, other: String) {
        #expect(nearestName(to: name, in: [other]) == nil)
    }

    @Test(arguments: ["glow", "snow", "rain", "org.cutroom.snow"])
    func `four letters are not a table's word misspelled`(name: String) {
        #expect(
            !suggestion(for: name, in: Self.names + ["org.cutroom.gain"], otherNames: .effects).contains("did you mean")
        )
    }

    @Test(arguments: [
        ("saturation", "hue=s=1.5"), ("brightness", "eq=brightness"), ("gamma", "eq=gamma"), ("curves", "curves="),
        ("levels", "colorlevels="), ("grain", "org.cutroom.old_film"),
    ])
    func `each change of colour has its own advice`(name: String, advice: String) {
        #expect(suggestion(for: name, in: Self.names + ["org.cutroom.gain"], otherNames: .effects).contains(advice))
    }

    @Test func `of too many the ones of the same word are listed`() {
        let names = (10..<40).map { "get_\($0)" } + ["add_clip", "add_title"]
        #expect(suggestion(for: "add_nothing", in: names) == "; there are add_clip, add_title")
        #expect(suggestion(for: "addNothing", in: names) == "; there are add_clip, add_title")
        #expect(suggestion(for: "get_nothing", in: names) == "")
    }

    @Test func `what other tools call it is known`() {
        func clip(_ name: String) -> String { suggestion(for: name, in: Clip.optionNames, otherNames: .clip) }
        #expect(clip("gain") == "; did you mean ‘volume’?")
        #expect(clip("playbackRate") == "; did you mean ‘speed’?")
        for name in ["end", "in", "out", "trimStart", "start"] { #expect(clip(name).contains("‘range’"), "\(name)") }
        #expect(clip("x") == "; did you mean ‘position’?" && clip("zoom") == "; did you mean ‘scale’?")
        #expect(clip("at").contains("‘index’ puts one elsewhere"))
        // A name that is there wins over what the table says, and one that is not there is not
        // proposed.
        #expect(suggestion(for: "Fit", in: ["fit"], otherNames: .clip) == "; did you mean ‘fit’?")
        #expect(suggestion(for: "gain", in: ["id"], otherNames: .clip) == "; there is id")
        let effects = Effect.builtInKinds + ["org.cutroom.shake", "org.cutroom.transform"]
        let grey = suggestion(for: "org.cutroom.greyscale", in: effects, otherNames: .effects)
        #expect(grey == "; ‘org.cutroom.libavfilter_pure’ does it: { graph = \"hue=s=0\" }")
        #expect(suggestion(for: "text", in: effects, otherNames: .effects) == "; did you mean ‘title’?")
    }
}
