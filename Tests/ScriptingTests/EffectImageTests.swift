import Draft
import Testing

@testable import Scripting

/// A parameter `image` of a plugin's effect is a file like any other.
@Suite struct EffectImageTests {
    private static func key(_ image: String) -> String {
        "draft:add_effect(\"org.cutroom.chroma_key\", { image = \"\(image)\" })\nreturn draft"
    }

    @Test func itIsRelativeToTheScriptAndProbed() throws {
        let environment = TestEnvironment()
        let draft = try run(twoClips + Self.key("photo.png"), environment: environment).draft
        let path = try #require(draft.paths.first { $0.hasSuffix("/photo.png") })
        #expect(path.hasPrefix("/") && environment.probed.contains(path))
        #expect(draft.effects[0].path == path)
    }

    @Test func aMissingOneIsAnErrorAtItsLine() {
        let error = failure(twoClips + Self.key("absent.png"))
        #expect(error?.message.contains("there is no file") == true && error?.message.contains("absent.png") == true)
        #expect(error?.line == 3)
    }
}
